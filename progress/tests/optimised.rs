//! Stacks of optimised builds: what tail calls, split functions and moved code make of them.

mod common;

use base::{Id, Span};
use progress::{ExecutionPoint, Frame, Order, Relation, Value};
use progress_map::{
    Across, AddressTaken, Binding, BoundFunction, BoundMerge, BoundSite, CodeBlock, CodeCall, CodeWay, Cut,
    File, Function, FunctionId, Loop, LoopId, LoopSource, Lov, LovClass, MachineCode, Map, PointId,
    PointKind, PointerCall, Row, TailJump, TailTarget, generate,
};
use std::num::NonZeroU64;

/// A function that makes the given calls, one on each line from its first line plus 1 on, in this order.
fn function(name: &str, line: u32, calls: &[&str]) -> Function {
    let kinds = calls.iter().map(|&callee| PointKind::Call(callee.to_owned()));
    let edges = Vec::from_iter((0..=calls.len()).map(|at| (at, at + 1)));
    common::function(name, line, &Vec::from_iter(kinds), &edges)
}

fn map(functions: Vec<Function>, optimised: bool) -> Map {
    let bound = (0..functions.len()).map(|at| BoundFunction {
        start: 16 * at as u64,
        end: 16 * at as u64 + 16,
        function: Some(FunctionId::from_index(at)),
        name: functions[at].name.clone(),
        linkage_name: None,
        frame_base: Vec::new(),
        optimised,
    });
    let binding = Binding {
        functions: bound.collect(),
        ..Binding::default()
    };
    Map {
        files: vec![File {
            path: "f.c".to_owned(),
            hash: [0; 32],
        }]
        .into(),
        functions: functions.into(),
        diagnostics: Vec::new(),
        mpi_calls: Vec::new(),
        handed: Vec::new(),
        choices: Vec::new(),
        decisive: Vec::new(),
        address_taken: Vec::new(),
        pointer_calls: Vec::new(),
        passed_constants: Vec::new(),
        shown: Vec::new(),
        iterated: Vec::new(),
        inner_steps: Vec::new(),
        macros: Vec::new(),
        may_call: Vec::new(),
        binding: Some(binding),
        libraries: Vec::new(),
    }
}

/// Functions whose address is taken, of unknown parameters.
fn taken(functions: &[usize]) -> Vec<AddressTaken> {
    let taken = functions.iter().map(|&at| AddressTaken {
        function: FunctionId::from_index(at),
        parameters: None,
    });
    taken.collect()
}

fn stack(rank: u32, frames: &[(&str, u32)]) -> ExecutionPoint {
    let frame = |&(name, line): &(&str, u32)| Frame {
        function: name.to_owned(),
        line: (line > 0).then_some(line),
        ..Frame::default()
    };
    ExecutionPoint {
        task: rank.to_string(),
        rank: Some(rank),
        pid: None,
        frames: frames.iter().map(frame).collect(),
        beneath: None,
        incomplete: None,
    }
}

fn relation(map: &Map, a: &[(&str, u32)], b: &[(&str, u32)]) -> Relation {
    let order = Order::new(map);
    let (a, b) = (order.locate(&stack(0, a)), order.locate(&stack(1, b)));
    let (there, back) = (order.compare(&a, &b), order.compare(&b, &a));
    assert_eq!(there.relation, back.relation.reversed());
    there.relation
}

#[test]
fn a_function_that_calls_itself_last_shares_one_frame_when_optimised() {
    let functions = || {
        vec![
            function("main", 1, &["f"]),
            function("f", 10, &["first", "second", "f"]),
        ]
    };
    let a = [("main", 2), ("f", 11), ("first", 0)];
    let b = [("main", 2), ("f", 12), ("second", 0)];
    assert_eq!(relation(&map(functions(), false), &a, &b), Relation::Before);
    assert_eq!(relation(&map(functions(), true), &a, &b), Relation::Unknown);
    // Through another function it is the same.
    let through = vec![
        function("main", 1, &["f"]),
        function("f", 10, &["first", "second", "g"]),
        function("g", 20, &["f"]),
    ];
    assert_eq!(relation(&map(through, true), &a, &b), Relation::Unknown);
    // What follows the call keeps the frame.
    let kept = vec![
        function("main", 1, &["f"]),
        function("f", 10, &["first", "second", "f", "after"]),
    ];
    assert_eq!(relation(&map(kept, true), &a, &b), Relation::Before);
}

#[test]
fn a_call_may_have_vanished_into_what_it_calls_last() {
    // Line 2 calls f and then g; f calls g last: a frame of g on line 2 may be the one or the other.
    let functions = |optimised| {
        let mut main = function("main", 1, &["f", "g"]);
        main.points[PointId::from_index(2)].span = Span {
            line: 2,
            column: 9,
            end_line: 2,
            end_column: 12,
        };
        map(
            vec![
                main,
                function("f", 10, &["work", "g"]),
                function("g", 20, &["work"]),
            ],
            optimised,
        )
    };
    let a = [("main", 2), ("f", 11), ("work", 0)];
    let b = [("main", 2), ("g", 21), ("work", 0)];
    assert_eq!(relation(&functions(false), &a, &b), Relation::Before);
    assert_eq!(relation(&functions(true), &a, &b), Relation::Unknown);

    // The instruction names g.
    let map = functions(true);
    let order = Order::new(&map);
    let straight = |frames| {
        let mut stack = stack(0, frames);
        stack.frames[0].straight = true;
        order.locate(&stack)
    };
    let (a, b) = (order.locate(&stack(1, &a)), straight(&b));
    assert_eq!(order.compare(&a, &b).relation, Relation::Before);
}

#[test]
fn the_head_of_a_split_function_is_no_call_of_its_own() {
    let functions = vec![
        function("main", 1, &["f"]),
        function("f", 10, &["first", "second", "third"]),
    ];
    let map = map(functions, true);
    let first = [("main", 2), ("f", 11), ("first", 0)];
    let split = [("main", 2), ("f", 10), ("f", 13), ("third", 0)];
    assert_eq!(relation(&map, &first, &split), Relation::Before);
}

#[test]
fn mixed_code_orders_nothing() {
    let map = map(vec![function("main", 1, &["first", "second"])], true);
    let order = Order::new(&map);
    let a = order.locate(&stack(0, &[("main", 2), ("first", 0)]));
    let mut b = stack(1, &[("main", 3)]);
    assert_eq!(order.compare(&a, &order.locate(&b)).relation, Relation::Before);
    b.frames[0].inexact = true;
    assert_eq!(order.compare(&a, &order.locate(&b)).relation, Relation::Unknown);
}

/// `solve` is a wrapper: `int solve(int x) { check(x); return do_solve(x); }`.
/// Whatever else hides where a frame is, the function may be a loop.
#[test]
fn mixed_code_may_be_in_any_round_of_a_loop() {
    let functions = || {
        vec![
            function("main", 1, &["walk"]),
            function("walk", 10, &["work", "walk"]),
        ]
    };
    let is_any_round = |map: &Map, line: u32, inexact: bool| {
        let mut point = stack(0, &[("main", 2), ("walk", line)]);
        point.frames[1].inexact = inexact;
        let located = Order::new(map).locate(&point);
        let frames = located.frames.iter();
        Vec::from_iter(frames.map(|frame| (frame.is_any_round, frame.obstacle.is_some())))
    };
    let optimised = map(functions(), true);
    assert_eq!(
        is_any_round(&optimised, 11, false),
        [(false, false), (true, true)]
    );
    assert_eq!(is_any_round(&optimised, 11, true), [(false, false), (true, true)]);
    assert_eq!(
        is_any_round(&optimised, 99, false),
        [(false, false), (true, true)]
    );
    let plain = map(functions(), false);
    assert_eq!(is_any_round(&plain, 11, true), [(false, false), (false, true)]);
    assert_eq!(is_any_round(&plain, 11, false), [(false, false), (false, false)]);
}

#[test]
fn a_frame_that_a_tail_call_removed_is_put_back() {
    let functions = || {
        vec![
            function("main", 1, &["solve"]),
            function("solve", 10, &["check", "do_solve"]),
            function("do_solve", 20, &["first", "second"]),
        ]
    };
    let first = [("main", 2), ("do_solve", 21), ("first", 0)];
    let second = [("main", 2), ("do_solve", 22), ("second", 0)];
    let checking = [("main", 2), ("solve", 11), ("check", 0)];
    let optimised = map(functions(), true);
    assert_eq!(relation(&optimised, &first, &second), Relation::Before);
    assert_eq!(relation(&optimised, &first, &checking), Relation::After);
    // Without optimisation such a stack does not exist, and nobody knows what it means.
    assert_eq!(
        relation(&map(functions(), false), &first, &second),
        Relation::Unknown
    );
    // There are two ways.
    let two = [
        function("main", 1, &["solve"]),
        function("solve", 10, &["other", "do_solve"]),
        function("do_solve", 20, &["first", "second"]),
    ];
    let mut forked = two[1].clone();
    forked.edges = [(0, 1), (0, 2), (1, 3), (2, 3)]
        .map(|(from, to)| (PointId::from_index(from), PointId::from_index(to)))
        .into();
    forked.points[PointId::from_index(1)].kind = PointKind::Call("do_solve".to_owned());
    let two = map(vec![two[0].clone(), forked, two[2].clone()], true);
    assert_eq!(relation(&two, &first, &second), Relation::Unknown);
}

/// `f(); return 0;`: where nobody looks at the value there may be a copy of the function that returns none.
#[test]
fn a_value_of_its_own_does_not_keep_the_frame() {
    let with_return = |mut of: Function| {
        let exit = of.points.ids().next_back().unwrap();
        let last = PointId::from_index(exit.index() - 1);
        of.points[last].kind = PointKind::Return;
        of
    };
    // `f` may have vanished into `g`: a frame of it on line 2 is in its last call.
    let functions = vec![
        function("main", 1, &["f"]),
        with_return(function("f", 10, &["work", "g", "?"])),
        function("g", 20, &["first", "second"]),
    ];
    let first = [("main", 2), ("g", 21), ("first", 0)];
    let second = [("main", 2), ("g", 22), ("second", 0)];
    let working = [("main", 2), ("f", 11), ("work", 0)];
    let functions = map(functions, true);
    assert_eq!(relation(&functions, &first, &second), Relation::Before);
    assert_eq!(relation(&functions, &working, &first), Relation::Before);
    let itself = vec![
        function("main", 1, &["f"]),
        with_return(function("f", 10, &["first", "second", "f", "?"])),
    ];
    let first = [("main", 2), ("f", 11), ("first", 0)];
    let second = [("main", 2), ("f", 12), ("second", 0)];
    assert_eq!(relation(&map(itself, true), &first, &second), Relation::Unknown);
    let through = vec![
        function("main", 1, &["f"]),
        with_return(function("f", 10, &["first", "second", "g", "?"])),
        function("g", 20, &["f"]),
    ];
    assert_eq!(relation(&map(through, true), &first, &second), Relation::Unknown);
}

/// `g(); f();` on one line, where `f` ends in a call of `g`: the column tells that a frame is in the second.
#[test]
fn a_call_of_the_right_name_elsewhere_on_the_line_is_another() {
    let mut main = function("main", 1, &["g", "f"]);
    main.points[PointId::from_index(2)].span = Span {
        line: 2,
        column: 9,
        end_line: 2,
        end_column: 12,
    };
    let functions = vec![main, function("f", 10, &["work", "g"])];
    let map = map(functions, true);
    let order = Order::new(&map);
    let at = |rank: u32, column: u32, inner: &[(&str, u32)]| {
        let mut stack = stack(rank, &[&[("main", 2)], inner].concat());
        stack.frames[0].column = Some(column);
        order.locate(&stack)
    };
    let (working, vanished) = (at(0, 9, &[("f", 11), ("work", 0)]), at(1, 9, &[("g", 0)]));
    assert_eq!(order.compare(&working, &vanished).relation, Relation::Before);
    let direct = at(2, 1, &[("g", 0)]);
    assert_eq!(order.compare(&direct, &vanished).relation, Relation::Before);
    assert_eq!(order.compare(&direct, &working).relation, Relation::Before);
}

/// Through one pointer one task is in `f`, another in what `f` may have vanished into.
#[test]
fn what_a_pointer_leads_to_may_have_vanished() {
    let functions = |last: &str| {
        let mut main = function("main", 1, &["pointer"]);
        main.points[PointId::from_index(1)].kind = PointKind::IndirectCall;
        let functions = vec![
            main,
            function("f", 10, &["work", last]),
            function("g", 20, &["work"]),
        ];
        map(functions, true)
    };
    let f = [("main", 2), ("f", 11), ("work", 0)];
    let g = [("main", 2), ("g", 21), ("work", 0)];
    assert_eq!(relation(&functions("other"), &f, &g), Relation::Incomparable);
    assert_eq!(relation(&functions("g"), &f, &g), Relation::Unknown);
}

/// Of the functions that a pointer may lead to only `f` ends in a call of `g`: a frame of `g` there was called by `f`, which is gone.
#[test]
fn the_only_function_behind_a_pointer_that_can_have_vanished_is_put_back() {
    let functions = |address_taken: &[usize]| {
        let mut main = function("main", 1, &["pointer"]);
        main.points[PointId::from_index(1)].kind = PointKind::IndirectCall;
        let functions = vec![
            main,
            function("f", 10, &["work", "g"]),
            function("g", 20, &["work", "after"]),
            function("h", 30, &["other", "g"]),
        ];
        let mut map = map(functions, true);
        map.address_taken = taken(address_taken);
        let g = TailTarget::Function(32);
        map.binding.as_mut().unwrap().tail_jumps =
            Some(vec![TailJump { at: 20, to: g }, TailJump { at: 52, to: g }]);
        map
    };
    let in_f = [("main", 2), ("f", 11), ("work", 0)];
    let early = [("main", 2), ("g", 21), ("work", 0)];
    let late = [("main", 2), ("g", 22), ("after", 0)];
    assert_eq!(relation(&functions(&[1]), &early, &late), Relation::Before);
    assert_eq!(relation(&functions(&[1]), &in_f, &late), Relation::Before);
    // It may be `h` as well, or `g` itself; and without the list any.
    for several in [&[1, 3][..], &[1, 2], &[2, 3], &[]] {
        assert_eq!(
            relation(&functions(several), &early, &late),
            Relation::Unknown,
            "{several:?}"
        );
        assert_eq!(
            relation(&functions(several), &in_f, &late),
            Relation::Unknown,
            "{several:?}"
        );
    }
    // Who has more parameters than there are arguments was not called.
    let mut fewer = functions(&[1, 3]);
    fewer.address_taken[1].parameters = Some(4);
    fewer.pointer_calls = vec![PointerCall {
        function: FunctionId::from_index(0),
        point: PointId::from_index(1),
        arguments: 2,
    }];
    assert_eq!(relation(&fewer, &early, &late), Relation::Before);
    // Who is only a jump to `g` is `g`.
    let mut alias = functions(&[1, 2]);
    alias.binding.as_mut().unwrap().tail_jumps.as_mut().unwrap()[0].at = 16;
    assert_eq!(relation(&alias, &early, &late), Relation::Before);
    // Code of which the map has no source may give a pointer any other.
    let mut more = functions(&[1]);
    let unknown = BoundFunction {
        start: 64,
        end: 80,
        function: None,
        name: "unknown".to_owned(),
        linkage_name: None,
        frame_base: Vec::new(),
        optimised: true,
    };
    more.binding.as_mut().unwrap().functions.push(unknown);
    assert_eq!(relation(&more, &early, &late), Relation::Unknown);
    // Nobody comes to `g` through a pointer by way of a function that makes no call of it.
    assert_eq!(relation(&functions(&[2]), &early, &late), Relation::Before);
}

/// Who has four parameters was not called by what passes two arguments, though gcc may have joined the calls.
#[test]
fn a_function_behind_a_pointer_was_called_with_enough_arguments() {
    let functions = |arguments: u8| {
        let mut main = function("main", 1, &["setup", "allocate", "after"]);
        let edge = |from: usize, to: usize| (PointId::from_index(from), PointId::from_index(to));
        main.edges = vec![edge(0, 1), edge(0, 2), edge(1, 3), edge(2, 3), edge(3, 4)];
        let (setup, allocate) = (PointId::from_index(1), PointId::from_index(2));
        main.points[setup].kind = PointKind::IndirectCall;
        main.points[allocate].kind = PointKind::IndirectCall;
        let mut map = map(vec![main, function("f", 10, &["work", "after"])], true);
        map.address_taken = taken(&[1]);
        map.address_taken[0].parameters = Some(4);
        map.pointer_calls = [(setup, 4), (allocate, arguments)]
            .map(|(point, arguments)| PointerCall {
                function: FunctionId::from_index(0),
                point,
                arguments,
            })
            .into();
        map.binding.as_mut().unwrap().merges.push(BoundMerge {
            function: FunctionId::from_index(0),
            shown: setup,
            other: allocate,
            return_address: None,
        });
        map
    };
    let early = [("main", 2), ("f", 11), ("work", 0)];
    let late = [("main", 2), ("f", 12), ("after", 0)];
    assert_eq!(relation(&functions(2), &early, &late), Relation::Before);
    assert_eq!(relation(&functions(4), &early, &late), Relation::Unknown);
}

/// What is not a jump in the machine code has left a frame.
#[test]
fn the_code_tells_which_last_calls_left_no_frame() {
    let functions = |jumps: &[(u64, TailTarget)]| {
        let mut main = function("main", 1, &["pointer"]);
        main.points[PointId::from_index(1)].kind = PointKind::IndirectCall;
        let mut h = function("h", 30, &["other", "pointer"]);
        h.points[PointId::from_index(2)].kind = PointKind::IndirectCall;
        let functions = vec![
            main,
            function("f", 10, &["work", "g"]),
            function("g", 20, &["work", "after"]),
            h,
        ];
        let mut map = map(functions, true);
        map.address_taken = taken(&[1, 3]);
        let jumps = jumps.iter().map(|&(at, to)| TailJump { at, to });
        map.binding.as_mut().unwrap().tail_jumps = Some(jumps.collect());
        map
    };
    let (f, g, h) = (16, 32, 48);
    let early = [("main", 2), ("g", 21), ("work", 0)];
    let late = [("main", 2), ("g", 22), ("after", 0)];
    let relation = |jumps: &[(u64, TailTarget)]| relation(&functions(jumps), &early, &late);
    let to_g = (f + 4, TailTarget::Function(g));
    assert_eq!(relation(&[to_g]), Relation::Before);
    // `h` may come to `g` through its pointer, or by way of `f`; or what it does is not known.
    assert_eq!(
        relation(&[to_g, (h + 4, TailTarget::Function(g))]),
        Relation::Unknown
    );
    assert_eq!(
        relation(&[to_g, (h + 4, TailTarget::Function(f))]),
        Relation::Unknown
    );
    assert_eq!(relation(&[to_g, (h, TailTarget::Anywhere)]), Relation::Unknown);
    // Another file does not hold `g`.
    assert_eq!(relation(&[to_g, (h + 4, TailTarget::Linked)]), Relation::Before);
    // It was called in no way that is known.
    assert_eq!(relation(&[]), Relation::Before);
}

/// Of two overloads each ends in a call of one template, of which there are two instances. Which of them the frame is in tells which overload has left none.
#[test]
fn the_instance_of_a_template_tells_which_overload_has_vanished() {
    let both = || {
        let mut functions = vec![
            function("main", 1, &["f"]),
            function("f", 10, &["work", "g"]),
            function("f", 20, &["other", "g"]),
            function("g", 30, &["work", "after"]),
        ];
        for function in &mut functions {
            function.linkage_name = Some(function.name.clone());
        }
        let mut map = map(functions, true);
        let binding = map.binding.as_mut().unwrap();
        let mut second = binding.functions[3].clone();
        (second.start, second.end) = (64, 80);
        binding.functions.push(second);
        map
    };
    let relation = |jumps: &[(u64, u64)], in_f: u32| {
        let mut map = both();
        let jumps = jumps.iter().map(|&(at, to)| TailJump {
            at,
            to: TailTarget::Function(to),
        });
        map.binding.as_mut().unwrap().tail_jumps = Some(jumps.collect());
        let order = Order::new(&map);
        let before = order.locate(&stack(0, &[("main", 2), ("f", in_f), ("work", 0)]));
        let mut vanished = stack(1, &[("main", 2), ("g", 32), ("after", 0)]);
        vanished.frames[1].pc = Some(52);
        order.compare(&before, &order.locate(&vanished)).relation
    };
    assert_eq!(relation(&[(20, 48), (36, 64)], 11), Relation::Before);
    assert_eq!(relation(&[(20, 48), (36, 48)], 11), Relation::Unknown);
}

/// `f` ends in a call through a pointer, which may be one of `g`, as the call beside it is.
#[test]
fn a_last_call_through_a_pointer_may_be_of_anything() {
    let functions = |through_pointer: bool| {
        let mut main = function("main", 1, &["f", "g"]);
        main.points[PointId::from_index(2)].span.line = 2;
        main.points[PointId::from_index(2)].span.end_line = 2;
        let mut f = function("f", 10, &["work", "other"]);
        if through_pointer {
            f.points[PointId::from_index(2)].kind = PointKind::IndirectCall;
        }
        map(vec![main, f, function("g", 20, &["work"])], true)
    };
    let f = [("main", 2), ("f", 11), ("work", 0)];
    let g = [("main", 2), ("g", 21), ("work", 0)];
    assert_eq!(relation(&functions(false), &f, &g), Relation::Before);
    assert_eq!(relation(&functions(true), &f, &g), Relation::Unknown);
}

#[test]
fn a_call_that_may_stand_for_another_is_both() {
    // if (…) { work(); } else { work(); } after();
    let branches = || {
        let mut main = function("main", 1, &["work", "work", "after"]);
        let edge = |from: usize, to: usize| (PointId::from_index(from), PointId::from_index(to));
        main.edges = vec![edge(0, 1), edge(0, 2), edge(1, 3), edge(2, 3), edge(3, 4)];
        map(vec![main], true)
    };
    let (one, other) = ([("main", 2), ("work", 0)], [("main", 3), ("work", 0)]);
    let after = [("main", 4), ("after", 0)];
    assert_eq!(relation(&branches(), &one, &other), Relation::Incomparable);
    let mut merged = branches();
    if let Some(binding) = &mut merged.binding {
        binding.merges.push(BoundMerge {
            function: FunctionId::from_index(0),
            shown: PointId::from_index(1),
            other: PointId::from_index(2),
            return_address: None,
        });
    }
    assert_eq!(relation(&merged, &one, &other), Relation::Unknown);
    // What holds for both still holds.
    assert_eq!(relation(&merged, &one, &after), Relation::Before);
    assert_eq!(relation(&merged, &other, &after), Relation::Before);
}

/// Two tasks in one instruction, which may be either call of an iteration, are in one execution of it if they are in one iteration: each makes one of the calls.
#[test]
fn one_instruction_that_may_be_either_call_is_executed_once_in_an_iteration() {
    let call = |name: &str| PointKind::Call(name.to_owned());
    // while (…) { if (…) g(); else g(); i++; } after();
    let functions = |other: PointKind, more: &[(usize, usize)]| {
        let kinds = [PointKind::Eval, call("g"), other, PointKind::Eval, call("after")];
        let edges = [(0, 1), (1, 2), (1, 3), (2, 4), (3, 4), (4, 1), (1, 5), (5, 6)];
        let mut edges = Vec::from_iter(edges.iter().chain(more).copied());
        edges.sort_unstable();
        let mut main = common::function("main", 1, &kinds, &edges);
        let counter = Lov {
            class: LovClass::Strict,
            across: Across::SameSequence,
            cut: Cut::Updates,
            updates: vec![PointId::from_index(4)],
            ..generate::lov("i")
        };
        main.loops = vec![Loop {
            parent: None,
            source: LoopSource::While,
            span: main.span,
            header: PointId::from_index(1),
            reducible: true,
            lovs: vec![counter],
            refused: Vec::new(),
        }]
        .into();
        for point in 1..5 {
            main.points[PointId::from_index(point)].innermost_loop = Some(LoopId::from_index(0));
        }
        let mut map = map(vec![main, function("g", 20, &["work", "late"])], true);
        let binding = map.binding.as_mut().unwrap();
        let (main, g) = ([0, 16, 32, 48, 64], [4096, 4112, 4128]);
        (
            binding.functions[0].end,
            binding.functions[1].start,
            binding.functions[1].end,
        ) = (80, g[0], 4144);
        let blocks = main.iter().chain(&g).map(|&start| CodeBlock {
            start,
            end: start + 16,
            function: if start < g[0] { 0 } else { 5 },
            communicates: start == 32 || start >= g[0],
        });
        let ways = [(0, 1), (1, 2), (1, 4), (2, 3), (3, 1), (5, 6), (6, 7)];
        binding.code = MachineCode {
            blocks: blocks.collect(),
            ways: ways
                .map(|(from, to)| CodeWay {
                    from,
                    to,
                    certain: true,
                })
                .into(),
            calls: vec![CodeCall { block: 2, callee: 5 }],
            ..MachineCode::default()
        };
        binding.merges.push(BoundMerge {
            function: FunctionId::from_index(0),
            shown: PointId::from_index(2),
            other: PointId::from_index(3),
            return_address: None,
        });
        map
    };
    let stack = |rank: u32, i: Option<i128>, line: u32, pc: u64, callee: &str| {
        let mut stack = stack(rank, &[("main", 3), ("g", line), (callee, 0)]);
        (stack.frames[0].pc, stack.frames[1].pc) = (Some(48), Some(pc));
        let value = i.map(|i| ("i".to_owned(), Value::Int(i)));
        stack.frames[0].values = value.into_iter().collect();
        stack
    };
    let relation = |map: &Map, i: Option<i128>| {
        let order = Order::new(map);
        let early = order.locate(&stack(0, i, 21, 4112, "work"));
        let late = order.locate(&stack(1, i, 22, 4128, "late"));
        order.compare(&early, &late).relation
    };
    let either = functions(call("g"), &[]);
    assert_eq!(relation(&either, Some(5)), Relation::Before);
    assert_eq!(relation(&either, None), Relation::Unknown);
    // One after the other, the instruction may be executed for both; and nobody knows how often a macro calls.
    assert_eq!(
        relation(&functions(call("g"), &[(2, 3)]), Some(5)),
        Relation::Unknown
    );
    let in_macro = functions(PointKind::MacroCall("M".to_owned()), &[]);
    assert_eq!(relation(&in_macro, Some(5)), Relation::Unknown);
}

/// The call instruction at 16 may be either call; others that show the position of the first are that call.
#[test]
fn a_call_that_may_stand_for_another_may_do_so_at_one_instruction_only() {
    // if (…) { work(); } else { work(); } after();
    let mut main = function("main", 1, &["work", "work", "after"]);
    let edge = |from: usize, to: usize| (PointId::from_index(from), PointId::from_index(to));
    main.edges = vec![edge(0, 1), edge(0, 2), edge(1, 3), edge(2, 3), edge(3, 4)];
    let mut merged = map(vec![main], true);
    if let Some(binding) = &mut merged.binding {
        binding.merges.push(BoundMerge {
            function: FunctionId::from_index(0),
            shown: PointId::from_index(1),
            other: PointId::from_index(2),
            return_address: NonZeroU64::new(16),
        });
    }
    // Of other addresses it is not known what they are: other tools tell those of the process.
    if let Some(binding) = &mut merged.binding {
        binding.functions[0].end = 64;
    }
    let order = Order::new(&merged);
    let at = |line: u32, pc: Option<u64>| {
        let mut stack = stack(line, &[("main", line), ("work", 0)]);
        stack.frames[0].pc = pc;
        order.locate(&stack)
    };
    let to_second = |pc| order.compare(&at(2, pc), &at(3, Some(32))).relation;
    assert_eq!(to_second(Some(16)), Relation::Unknown);
    assert_eq!(to_second(None), Relation::Unknown);
    assert_eq!(to_second(Some(0x5555_5555_5010)), Relation::Unknown);
    assert_eq!(to_second(Some(24)), Relation::Incomparable);
}

/// Two calls on one line, which the compiler may have made one: that the frame may be in either anyhow makes it no less so.
#[test]
fn calls_that_are_one_on_their_line_are_merged() {
    let mut main = function("main", 1, &["work", "work"]);
    let second = PointId::from_index(2);
    main.points[second].span = main.points[PointId::from_index(1)].span;
    let mut merged = map(vec![main], true);
    let at = [("main", 2), ("work", 0)];
    assert!(!Order::new(&merged).locate(&stack(0, &at)).frames[0].may_be_merged);
    if let Some(binding) = &mut merged.binding {
        binding.merges.push(BoundMerge {
            function: FunctionId::from_index(0),
            shown: PointId::from_index(1),
            other: second,
            return_address: None,
        });
    }
    let located = Order::new(&merged).locate(&stack(0, &at));
    assert_eq!(located.frames[0].places.len(), 2);
    assert!(located.frames[0].may_be_merged);
}

/// The code of a lambda may be left in the library's function that called it, with nothing but its lines to tell.
#[test]
fn a_line_of_the_program_in_a_function_of_a_library_is_no_librarys_business() {
    let map = map(vec![function("main", 1, &["visit"])], true);
    let order = Order::new(&map);
    let within = |rank: u32, file: &str| {
        let mut stack = stack(rank, &[("main", 2), ("visit", 0), ("do_visit", 5), ("tick", 0)]);
        stack.frames[2].file = Some(file.to_owned());
        order.locate(&stack)
    };
    let relation = |file: &str| order.compare(&within(0, file), &within(1, file)).relation;
    assert_eq!(relation("/usr/include/c++/12/variant"), Relation::Equal);
    assert_eq!(relation("f.c"), Relation::Unknown);
}

/// `while (…) { before(); more(); } while (…) { awaited(); more(); }`, the code of which has a block for each point of the source, of 16 bytes; `named`: whom the
/// calls name. `leaves_out`: some iterations of the second loop do not come to the first of its calls.
fn two_loops(before: &str, awaited: &str, named: [Option<&str>; 4], leaves_out: bool) -> Map {
    let call = |name: &str| PointKind::Call(name.to_owned());
    let (head, more) = (PointKind::Eval, "more");
    let kinds = [
        head.clone(),
        call(before),
        call(more),
        head,
        call(awaited),
        call(more),
    ];
    let ways = [
        (0, 1),
        (1, 2),
        (1, 4),
        (2, 3),
        (3, 1),
        (4, 5),
        (4, 7),
        (5, 6),
        (6, 4),
    ];
    let mut edges = Vec::from(ways);
    edges.extend(leaves_out.then_some((4, 6)));
    edges.sort_unstable();
    let mut main = common::function("main", 1, &kinds, &edges);
    let in_loop = |header: usize, main: &Function| Loop {
        parent: None,
        source: LoopSource::While,
        span: main.span,
        header: PointId::from_index(header),
        reducible: true,
        lovs: Vec::new(),
        refused: Vec::new(),
    };
    main.loops = vec![in_loop(1, &main), in_loop(4, &main)].into();
    for point in 1..7 {
        main.points[PointId::from_index(point)].innermost_loop =
            Some(LoopId::from_index(usize::from(point > 3)));
    }
    let mut map = map(vec![main], true);
    let binding = map.binding.as_mut().unwrap();
    binding.functions[0].end = 8 * 16;
    let calls = [2, 3, 5, 6];
    binding.code = MachineCode {
        blocks: (0..8)
            .map(|at| CodeBlock {
                start: 16 * at,
                end: 16 * at + 16,
                function: 0,
                communicates: calls.contains(&at),
            })
            .collect(),
        ways: ways
            .map(|(from, to)| CodeWay {
                from: from as u32,
                to: to as u32,
                certain: true,
            })
            .into(),
        ..MachineCode::default()
    };
    let sites = calls.iter().zip(named).filter_map(|(at, name)| {
        Some(BoundSite {
            return_address: 16 * at + 16,
            named: Some(name?.to_owned()),
        })
    });
    binding.sites = sites.collect();
    map
}

/// An instruction that was moved past a call keeps the position that it had in front of it.
#[test]
fn a_position_that_disagrees_with_the_calls_around_it_orders_nothing() {
    // n = …; while (…) { a(); step; } b();
    let call = |name: &str| PointKind::Call(name.to_owned());
    let kinds = [
        PointKind::Eval,
        PointKind::Eval,
        call("a"),
        PointKind::Eval,
        call("b"),
    ];
    let (n, condition, a, step, b) = (2, 3, 4, 5, 6);
    let edges = [(0, 1), (1, 2), (2, 3), (2, 5), (3, 4), (4, 2), (5, 6)];
    let mut main = common::function("main", 1, &kinds, &edges);
    main.loops = vec![Loop {
        parent: None,
        source: LoopSource::While,
        span: main.span,
        header: PointId::from_index(2),
        reducible: true,
        lovs: Vec::new(),
        refused: Vec::new(),
    }]
    .into();
    for point in 2..5 {
        main.points[PointId::from_index(point)].innermost_loop = Some(LoopId::from_index(0));
    }
    // In front of the loop, its condition, the call of a, what follows in the iteration, what follows the loop, the call of b, the end.
    let code = MachineCode {
        blocks: (0..7)
            .map(|at| CodeBlock {
                start: 16 * at,
                end: 16 * at + 16,
                function: 0,
                communicates: at == 2 || at == 5,
            })
            .collect(),
        ways: [(0, 1), (1, 2), (1, 4), (2, 3), (3, 1), (4, 5), (5, 6)]
            .map(|(from, to)| CodeWay {
                from,
                to,
                certain: true,
            })
            .into(),
        ..MachineCode::default()
    };
    // Whether a task in a block is taken to be at a line that the table has for it.
    let believed_in = |block: u64, line: u32, optimised: bool| {
        let mut map = map(vec![main.clone()], optimised);
        let binding = map.binding.as_mut().unwrap();
        binding.functions[0].end = 7 * 16;
        binding.code = code.clone();
        let lines = [n, condition, a, step, b, b, 7];
        let rows = (0..).zip(lines).map(|(at, own)| Row {
            start: 16 * at,
            end: 16 * at + 16,
            file: Ok(main.file),
            line: if at == block { line } else { own },
            column: 0,
            statement: true,
        });
        binding.rows = rows.collect();
        let mut computes = stack(0, &[("main", line)]);
        computes.frames[0].pc = Some(16 * block);
        let located = Order::new(&map).locate(&computes);
        located.frames[0].obstacle.is_none()
    };
    let believed = |block, line| believed_in(block, line, true);
    assert!(believed(0, n) && believed(0, condition));
    assert!(believed(1, condition));
    assert!(believed(3, step) && believed(4, b));
    // Sunk behind the loop, and behind the call in the loop.
    assert!(!believed(4, n) && !believed(3, n));
    // An iteration early, and an iteration late.
    assert!(!believed(3, condition) && !believed(1, step));
    // The loop has been left.
    assert!(!believed(4, condition));
    // Hoisted in front of the loop.
    assert!(!believed(0, step) && !believed(0, b));
    assert!(believed_in(4, n, false));
}

/// Code that an optimising compiler has mixed tells no line; its order may be that of iterations.
#[test]
fn who_has_not_made_the_awaited_call_yet_is_behind_it() {
    let relation = |map: &Map, awaiting: u32| {
        let order = Order::new(map);
        let mut computes = stack(0, &[("main", 3)]);
        computes.frames[0].inexact = true;
        computes.frames[0].pc = Some(2 * 16);
        let mut waits = stack(1, &[("main", 2 + awaiting), ("", 0)]);
        let PointKind::Call(callee) =
            &map.functions[FunctionId::from_index(0)].points[PointId::from_index(awaiting as usize + 1)].kind
        else {
            panic!("no call");
        };
        waits.frames[1].function.clone_from(callee);
        waits.frames[0].pc = Some(u64::from(awaiting + 2) * 16);
        let (computes, waits) = (order.locate(&computes), order.locate(&waits));
        let (there, back) = (order.compare(&computes, &waits), order.compare(&waits, &computes));
        assert_eq!(there.relation, back.relation.reversed());
        there.relation
    };
    let named = [Some("MPI_Send"), Some("more"), Some("MPI_Wait"), Some("more")];
    let of = |named, leaves_out| relation(&two_loops("MPI_Send", "MPI_Wait", named, leaves_out), 4);
    assert_eq!(of(named, false), Relation::Before);
    assert_eq!(of(named, true), Relation::Unknown);
    // What is called before may be a copy of the call, or the part of the function that has it.
    for other in [None, Some("PMPI_Wait"), Some("main")] {
        assert_eq!(
            of([other, named[1], named[2], named[3]], false),
            Relation::Unknown
        );
    }
    // The instruction calls another function than the source says, as a macro may have it.
    assert_eq!(
        of([named[0], named[1], Some("wait"), named[3]], false),
        Relation::Unknown
    );
    // Other functions may be inlined.
    let map = two_loops(
        "send",
        "wait",
        [Some("send"), Some("more"), Some("wait"), Some("more")],
        false,
    );
    assert_eq!(relation(&map, 4), Relation::Unknown);
    // The call may be made in both loops.
    let map = two_loops(
        "MPI_Wait",
        "MPI_Wait",
        [Some("MPI_Wait"), Some("more"), Some("MPI_Wait"), Some("more")],
        false,
    );
    assert_eq!(relation(&map, 4), Relation::Unknown);
}

/// The calls of a function of itself are no loop if each round of it would call what no cycle of its code calls.
#[test]
fn a_function_whose_code_has_no_loop_of_its_calls_keeps_its_frames() {
    // f calls g, which may be MPI's business, then something else, and then itself.
    let relation = |ways: &[(u32, u32)], named: &str| {
        let functions = vec![
            function("main", 1, &["f"]),
            function("f", 10, &["g", "other", "f"]),
            function("g", 20, &["MPI_Barrier"]),
        ];
        let mut map = map(functions, true);
        let binding = map.binding.as_mut().unwrap();
        for (at, bound) in (0u64..).zip(&mut binding.functions) {
            (bound.start, bound.end) = (64 * at, 64 * at + 64);
        }
        binding.code = MachineCode {
            blocks: (0..12)
                .map(|at| CodeBlock {
                    start: 16 * at,
                    end: 16 * at + 16,
                    function: at as u32 / 4 * 4,
                    communicates: true,
                })
                .collect(),
            ways: ways
                .iter()
                .map(|&(from, to)| CodeWay {
                    from,
                    to,
                    certain: true,
                })
                .collect(),
            calls: [(4, 8), (6, 4)]
                .map(|(block, callee)| CodeCall { block, callee })
                .into(),
            ..MachineCode::default()
        };
        binding.sites = vec![BoundSite {
            return_address: 9 * 16,
            named: Some(named.to_owned()),
        }];
        let order = Order::new(&map);
        let a = [("main", 2), ("f", 12), ("other", 0)];
        let b = [("main", 2), ("f", 13), ("f", 11), ("g", 21), ("MPI_Barrier", 0)];
        let (a, b) = (order.locate(&stack(0, &a)), order.locate(&stack(1, &b)));
        order.compare(&a, &b).relation
    };
    let straight = [(4, 5), (5, 6), (6, 7)];
    assert_eq!(relation(&straight, "MPI_Barrier"), Relation::Before);
    let other_loop = [(4, 5), (5, 5), (5, 6), (6, 7)];
    assert_eq!(relation(&other_loop, "MPI_Barrier"), Relation::Before);
    let rounds = [(4, 5), (5, 6), (6, 4), (6, 7)];
    assert_eq!(relation(&rounds, "MPI_Barrier"), Relation::Unknown);
    // What does not come to MPI may be dropped where nobody needs its result.
    assert_eq!(relation(&other_loop, "work"), Relation::Unknown);
}
