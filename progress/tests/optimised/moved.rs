//! Code that the compiler has mixed, moved or split: its positions need not be those of the source.

use super::{code, common, function, in_loop, map, relation, stack};
use base::Id;
use progress::{Order, Relation};
use progress_map::{BoundSite, FunctionId, Map, PointId, PointKind, Row};

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
    in_loop(&mut main, 1..4, Vec::new());
    in_loop(&mut main, 4..7, Vec::new());
    let mut map = map(vec![main], true);
    let binding = map.binding.as_mut().unwrap();
    binding.functions[0].end = 8 * 16;
    let calls = [2, 3, 5, 6];
    let ways = ways.map(|(from, to)| (from as u32, to as u32));
    binding.code = code(&[0], 8, &calls, &ways);
    let sites = calls.iter().zip(named).filter_map(|(at, name)| {
        Some(BoundSite {
            return_address: u64::from(16 * at + 16),
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
    in_loop(&mut main, 2..5, Vec::new());
    // In front of the loop, its condition, the call of a, what follows in the iteration, what follows the loop, the call of b, the end.
    let ways = [(0, 1), (1, 2), (1, 4), (2, 3), (3, 1), (4, 5), (5, 6)];
    let code = code(&[0], 7, &[2, 5], &ways);
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
