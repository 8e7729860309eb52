//! Whether a task inside of a call that makes a loop's step has made it, as its next frame tells.

mod common;

use base::Id;
use common::function;
use progress::{ExecutionPoint, Frame, Order, Place};
use progress_map::generate;
use progress_map::{Function, FunctionId, InnerStep, Loop, LoopId, LoopSource, Lov, Map, PointId, PointKind};

const P: fn(usize) -> PointId = PointId::from_index;

fn call(name: &str) -> PointKind {
    PointKind::Call(name.to_owned())
}

/// `while (…/* 2 */) advance(s); /* 3 */`, where `advance` calls MPI_Barrier (11), steps `s->i` (12) and calls MPI_Send (13).
fn map() -> Map {
    let mut main = function(
        "main",
        1,
        &[PointKind::Branch, call("advance")],
        &[(0, 1), (1, 2), (1, 3), (2, 1)],
    );
    let in_loop = |point: usize, main: &mut Function| {
        main.points[P(point)].innermost_loop = Some(LoopId::from_index(0));
    };
    in_loop(1, &mut main);
    in_loop(2, &mut main);
    main.loops = vec![Loop {
        parent: None,
        source: LoopSource::While,
        span: main.points[P(1)].span,
        header: P(1),
        reducible: true,
        lovs: vec![Lov {
            updates: vec![P(2)],
            ..generate::lov("s->i")
        }],
        refused: Vec::new(),
    }]
    .into();
    let advance = function(
        "advance",
        10,
        &[call("MPI_Barrier"), PointKind::Eval, call("MPI_Send")],
        &[(0, 1), (1, 2), (2, 3), (3, 4)],
    );
    Map {
        inner_steps: vec![InnerStep {
            function: FunctionId::from_index(0),
            point: P(2),
            callee: FunctionId::from_index(1),
            at: P(2),
        }],
        ..common::map(vec![main, advance], None)
    }
}

/// On which sides of the step a task may be in main, by its frames.
fn sides(map: &Map, frames: &[(&str, u32)]) -> Vec<bool> {
    let frame = |&(name, line): &(&str, u32)| Frame {
        function: name.to_owned(),
        line: (line > 0).then_some(line),
        ..Frame::default()
    };
    let stack = ExecutionPoint {
        task: "0".to_owned(),
        rank: Some(0),
        pid: None,
        frames: frames.iter().map(frame).collect(),
        beneath: None,
        incomplete: None,
    };
    let located = Order::new(map).locate(&stack);
    let places = located.frames[0].places.iter();
    places.map(|&Place { after, .. }| after).collect()
}

#[test]
fn the_next_frame_tells() {
    let map = map();
    map.validate().unwrap();
    assert_eq!(
        sides(&map, &[("main", 3), ("advance", 11), ("MPI_Barrier", 0)]),
        [false]
    );
    assert_eq!(
        sides(&map, &[("main", 3), ("advance", 13), ("MPI_Send", 0)]),
        [true]
    );
}

#[test]
fn both_sides_stay_possible_in_doubt() {
    let both = [false, true];
    // The task computes, or is in a function that the compiler may know.
    assert_eq!(sides(&map(), &[("main", 3), ("advance", 13)]), both);
    let mut helped = map();
    helped.functions[FunctionId::from_index(1)].points[P(3)].kind = call("helper");
    let in_helper = [("main", 3), ("advance", 13), ("helper", 0)];
    assert_eq!(sides(&helped, &in_helper), both);
    // The map does not say where the step is.
    let mut unsaid = map();
    unsaid.inner_steps.clear();
    let in_barrier = [("main", 3), ("advance", 11), ("MPI_Barrier", 0)];
    assert_eq!(sides(&unsaid, &in_barrier), both);
    // Another function is called from there.
    let mut other = map();
    other.inner_steps[0].callee = FunctionId::from_index(0);
    assert_eq!(sides(&other, &in_barrier), both);
    // It stands at the step itself, of which nothing further is known.
    let mut within = map();
    within.functions[FunctionId::from_index(1)].points[P(2)].kind = call("MPI_Recv");
    let in_step = [("main", 3), ("advance", 12), ("MPI_Recv", 0)];
    assert_eq!(sides(&within, &in_step), both);
    // Two calls on one line, one in front of the step and one behind it.
    let mut twice = map();
    let advance = &mut twice.functions[FunctionId::from_index(1)];
    advance.points[P(3)].kind = call("MPI_Barrier");
    advance.points[P(3)].span = advance.points[P(1)].span;
    assert_eq!(sides(&twice, &in_barrier), both);
}
