//! Calls that left no frame: functions that call another, or themselves, last.

use super::{code, function, map, relation, stack, taken};
use base::{Id, Span};
use progress::{Order, Relation};
use progress_map::{
    BoundSite, CodeCall, Function, MachineCode, PointId, PointKind, Row, TailJump, TailTarget,
};

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

/// `solve` is a wrapper: `int solve(int x) { check(x); return do_solve(x); }`.
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

/// The calls of a function of itself are no loop if each round of it would call what no cycle of its code calls.
#[test]
fn a_function_whose_code_has_no_loop_of_its_calls_keeps_its_frames() {
    // f calls g, which may be MPI's business, then something else, and then itself. The lines are those of the code of f.
    let answer = |ways: &[(u32, u32)], named: &str, lines: [u32; 4]| {
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
            calls: [(4, 8), (6, 4)]
                .map(|(block, callee)| CodeCall { block, callee })
                .into(),
            ..code(&[0, 4, 8], 12, &Vec::from_iter(0..12), ways)
        };
        binding.sites = vec![BoundSite {
            return_address: 9 * 16,
            named: Some(named.to_owned()),
        }];
        let rows = (4..).zip(lines).map(|(block, line)| Row {
            start: 16 * block,
            end: 16 * block + 16,
            file: Ok(Id::from_index(0)),
            line,
            column: 0,
            statement: true,
        });
        binding.rows = rows.collect();
        let order = Order::new(&map);
        let a = [("main", 2), ("f", 12), ("other", 0)];
        let b = [("main", 2), ("f", 13), ("f", 11), ("g", 21), ("MPI_Barrier", 0)];
        let (a, b) = (order.locate(&stack(0, &a)), order.locate(&stack(1, &b)));
        order.compare(&a, &b).relation
    };
    let relation = |ways: &[(u32, u32)], named: &str| answer(ways, named, [11, 12, 13, 14]);
    let straight = [(4, 5), (5, 6), (6, 7)];
    assert_eq!(relation(&straight, "MPI_Barrier"), Relation::Before);
    // Rounds may have been laid out one after the other where a call stands there twice.
    assert_eq!(
        answer(&straight, "MPI_Barrier", [11, 12, 11, 13]),
        Relation::Unknown
    );
    let other_loop = [(4, 5), (5, 5), (5, 6), (6, 7)];
    assert_eq!(relation(&other_loop, "MPI_Barrier"), Relation::Before);
    let rounds = [(4, 5), (5, 6), (6, 4), (6, 7)];
    assert_eq!(relation(&rounds, "MPI_Barrier"), Relation::Unknown);
    // What does not come to MPI may be dropped where nobody needs its result.
    assert_eq!(relation(&other_loop, "work"), Relation::Unknown);
}
