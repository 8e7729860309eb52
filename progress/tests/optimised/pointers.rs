//! Calls through pointers of functions that may have left no frame.

use super::{function, map, relation, taken};
use base::Id;
use progress::Relation;
use progress_map::{
    BoundFunction, BoundMerge, FunctionId, PointId, PointKind, PointerCall, TailJump, TailTarget,
};

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
