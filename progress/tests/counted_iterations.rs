//! Iterations of the source that machine code tells, where the two loops are held together by a call, and where they are not.

mod common;

use base::{Id, Span};
use progress::{Decided, ExecutionPoint, Frame, Order, Relation, Verdict};
use progress_map::{
    Across, Binding, BoundFunction, CodeBlock, CodeWay, FunctionId, LocationChange, LocationEffect, Loop,
    LoopId, LoopSource, Lov, LovClass, MachineCode, MachineLocation, Map, PointId, PointKind, Row, generate,
};

/// `while (…) { a(); i++; } after();`, each statement a line from 2 on, with `i` in register 3, which debug info does not say. Blocks of the code: in front
/// of the loop, its condition, the call of `a`, the step, the call of `after`, the end.
fn counted() -> Map {
    let call = |name: &str| PointKind::Call(name.to_owned());
    let kinds = [PointKind::Eval, call("a"), PointKind::Eval, call("after")];
    let edges = [(0, 1), (1, 2), (1, 4), (2, 3), (3, 1), (4, 5)];
    let mut main = common::function("main", 1, &kinds, &edges);
    let counter = Lov {
        class: LovClass::Strict,
        across: Across::SameSequence,
        updates: vec![PointId::from_index(3)],
        ..generate::lov("i")
    };
    main.loops = vec![Loop {
        parent: None,
        source: LoopSource::While,
        span: Span {
            end_line: 4,
            ..main.points[PointId::from_index(1)].span
        },
        header: PointId::from_index(1),
        reducible: true,
        lovs: vec![counter],
        refused: Vec::new(),
    }]
    .into();
    for point in 1..4 {
        main.points[PointId::from_index(point)].innermost_loop = Some(LoopId::from_index(0));
    }
    let change = |block: u32, effect: LocationEffect| LocationChange {
        block,
        location: MachineLocation::Register(3),
        effect,
    };
    let code = MachineCode {
        blocks: (0..6)
            .map(|at| CodeBlock {
                start: 16 * at,
                end: 16 * at + 16,
                function: 0,
                communicates: at == 2 || at == 4,
            })
            .collect(),
        ways: [(0, 1), (1, 2), (1, 4), (2, 3), (3, 1), (4, 5)]
            .map(|(from, to)| CodeWay {
                from,
                to,
                certain: true,
            })
            .into(),
        changes: vec![
            change(0, LocationEffect::Set(0)),
            change(3, LocationEffect::Add { step: 1, half: false }),
        ],
        ..MachineCode::default()
    };
    let rows = (0..6).map(|at| Row {
        start: 16 * at,
        end: 16 * at + 16,
        file: Ok(Id::from_index(0)),
        line: at as u32 + 1,
        column: 1,
        statement: true,
    });
    let binding = Binding {
        functions: vec![BoundFunction {
            start: 0,
            end: 96,
            function: Some(FunctionId::from_index(0)),
            name: main.name.clone(),
            linkage_name: None,
            frame_base: Vec::new(),
            optimised: true,
        }],
        rows: rows.collect(),
        code,
        ..Binding::default()
    };
    common::map(vec![main], Some(binding))
}

/// A task in `main` at a line, with this in register 3: in a call of `callee`, or at the line itself.
fn task(rank: u32, line: u32, register: u64, callee: Option<&str>) -> ExecutionPoint {
    let block_start = 16 * u64::from(line - 1);
    let main = Frame {
        function: "main".to_owned(),
        line: Some(line),
        pc: Some(if callee.is_some() {
            block_start + 16
        } else {
            block_start
        }),
        registers: [(3, register)].into(),
        ..Frame::default()
    };
    let callee = callee.map(|name| Frame {
        function: name.to_owned(),
        ..Frame::default()
    });
    ExecutionPoint {
        task: rank.to_string(),
        rank: Some(rank),
        frames: [main].into_iter().chain(callee).collect(),
        ..ExecutionPoint::default()
    }
}

fn compare(map: &Map, a: &ExecutionPoint, b: &ExecutionPoint) -> Verdict {
    let order = Order::new(map);
    order.compare(&order.locate(a), &order.locate(b))
}

/// How two tasks in the call of `a` stand to each other, by counted iterations.
fn by_count(map: &Map, a: u64, b: u64) -> Option<Relation> {
    let verdict = compare(map, &task(0, 3, a, Some("a")), &task(1, 3, b, Some("a")));
    matches!(verdict.proof.decided, Decided::Iterations { .. }).then_some(verdict.relation)
}

#[test]
fn a_register_tells_the_iteration_of_a_loop_that_a_call_is_found_in() {
    let map = counted();
    assert_eq!(by_count(&map, 1, 2), Some(Relation::Before));
    assert_eq!(by_count(&map, 7, 2), Some(Relation::After));
    let (in_a, behind_a) = (task(0, 3, 2, Some("a")), |i: u64| task(1, 4, i, None));
    // In one iteration the call comes before the step.
    let same = compare(&map, &in_a, &behind_a(2));
    assert_eq!(same.relation, Relation::Before);
    assert!(
        matches!(same.proof.decided, Decided::Flow { .. }),
        "{:?}",
        same.proof
    );
    let earlier = compare(&map, &in_a, &behind_a(1));
    assert_eq!(earlier.relation, Relation::After);
    assert_eq!(
        earlier.proof.decided,
        Decided::Iterations {
            in_loop: LoopId::from_index(0),
            a: 2,
            b: 1
        }
    );
}

#[test]
fn a_call_that_two_instructions_may_make_holds_no_loops_together() {
    let mut map = counted();
    map.binding.as_mut().unwrap().rows[4].line = 3;
    assert_eq!(by_count(&map, 1, 2), None);
}

#[test]
fn a_call_that_some_iterations_do_not_make_holds_no_loops_together() {
    let mut map = counted();
    let main = &mut map.functions[FunctionId::from_index(0)];
    main.edges.push((PointId::from_index(1), PointId::from_index(3)));
    main.edges.sort_unstable();
    assert_eq!(by_count(&map, 1, 2), None);
    // Nor one that some rounds of the code do not.
    let mut map = counted();
    let ways = &mut map.binding.as_mut().unwrap().code.ways;
    ways.push(CodeWay {
        from: 1,
        to: 3,
        certain: true,
    });
    ways.sort_unstable();
    assert_eq!(by_count(&map, 1, 2), None);
}

/// The loop may have been unrolled, and the other half of an iteration of the code may be another one of the source.
#[test]
fn a_call_of_unknown_place_in_each_round_may_be_the_same_one_again() {
    let unplaced = |in_each_round: bool| {
        let mut map = counted();
        let binding = map.binding.as_mut().unwrap();
        binding.code.blocks[3].communicates = true;
        binding.rows[3].line = 0;
        if !in_each_round {
            binding.code.ways.push(CodeWay {
                from: 2,
                to: 1,
                certain: true,
            });
            binding.code.ways.sort_unstable();
            // Where the number is changed, every round comes by.
            binding.code.changes[1].block = 1;
        }
        by_count(&map, 1, 2)
    };
    assert_eq!(unplaced(true), None);
    assert_eq!(unplaced(false), Some(Relation::Before));
}
