//! Calls that the compiler has made one.

use super::{code, common, function, in_loop, map, merge, relation, stack};
use base::Id;
use progress::{Order, Relation, Value};
use progress_map::{
    Across, BoundMerge, CodeCall, Cut, FunctionId, Lov, LovClass, MachineCode, Map, PointId, PointKind,
    generate,
};
use std::num::NonZeroU64;

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
    merge(&mut merged, 1, 2, None);
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
        in_loop(&mut main, 1..5, vec![counter]);
        let mut map = map(vec![main, function("g", 20, &["work", "late"])], true);
        let binding = map.binding.as_mut().unwrap();
        (
            binding.functions[0].end,
            binding.functions[1].start,
            binding.functions[1].end,
        ) = (80, 80, 128);
        let ways = [(0, 1), (1, 2), (1, 4), (2, 3), (3, 1), (5, 6), (6, 7)];
        binding.code = MachineCode {
            calls: vec![CodeCall { block: 2, callee: 5 }],
            ..code(&[0, 5], 8, &[2, 5, 6, 7], &ways)
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
        let early = order.locate(&stack(0, i, 21, 96, "work"));
        let late = order.locate(&stack(1, i, 22, 112, "late"));
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
    merge(&mut merged, 1, 2, NonZeroU64::new(16));
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
    merge(&mut merged, 1, 2, None);
    let located = Order::new(&merged).locate(&stack(0, &at));
    assert_eq!(located.frames[0].places.len(), 2);
    assert!(located.frames[0].may_be_merged);
}
