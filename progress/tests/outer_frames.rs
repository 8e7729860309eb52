//! What stands on a stack outside of the first function that the map has.

mod common;

use common::function;
use progress::{ExecutionPoint, Frame, Order, Relation};
use progress_map::{Map, PointKind};

/// `f` makes two calls, on lines 2 and 3 of `f.c`.
fn map() -> Map {
    let call = || PointKind::Call("MPI_Barrier".into());
    let f = function("f", 1, &[call(), call()], &[(0, 1), (1, 2), (2, 3)]);
    common::map(vec![f], None)
}

fn frame(name: &str, module: Option<&str>, source: Option<(&str, u32)>) -> Frame {
    Frame {
        function: name.into(),
        module: module.map(str::to_owned),
        file: source.map(|(file, _)| file.to_owned()),
        line: source.map(|(_, line)| line),
        ..Frame::default()
    }
}

/// Two tasks are called from the same outer frames, one in the first call of `f`, one in the second: what is known.
fn check(outer: &[Frame], expected: &str) {
    let point = |task: &str, line: u32| ExecutionPoint {
        task: task.into(),
        frames: [outer, &[frame("f", None, Some(("f.c", line)))]].concat(),
        ..ExecutionPoint::default()
    };
    let map = map();
    let order = Order::new(&map);
    let [first, second] = [("0", 2), ("1", 3)].map(|(task, line)| order.locate(&point(task, line)));
    let verdict = order.compare(&first, &second);
    let found = match verdict.unknown_because() {
        Some(reason) => reason.to_string(),
        None => format!("{:?}", verdict.relation),
    };
    assert_eq!(found, expected, "{outer:?}");
    assert_eq!(
        order.compare(&second, &first).relation,
        verdict.relation.reversed()
    );
    // Two tasks at one place are in one execution of it only if they were called once.
    let same = order.compare(&first, &order.locate(&point("2", 2)));
    assert_eq!(
        same.relation == Relation::Equal,
        expected == "Before",
        "{outer:?}"
    );
}

#[test]
fn what_begins_a_program_or_a_thread_does_so_once() {
    let libc = Some("libc.so.6");
    check(&[], "Before");
    check(
        &[
            frame("_start", Some("app"), None),
            frame("__libc_start_main@@GLIBC_2.34", libc, None),
            frame("__libc_start_call_main", libc, None),
        ],
        "Before",
    );
    // A program and a library without symbols.
    check(
        &[frame("??", Some("app"), None), frame("??", libc, None)],
        "Before",
    );
    check(
        &[
            frame("__clone3", libc, None),
            frame("start_thread", libc, None),
            frame(
                "execute_native_thread_routine",
                Some("/usr/lib/libstdc++.so.6"),
                None,
            ),
            frame(
                "__invoke<void (*)()>",
                Some("app"),
                Some(("/usr/include/c++/12/bits/invoke.h", 96)),
            ),
        ],
        "Before",
    );
}

#[test]
fn what_the_map_does_not_have_may_call_again_and_again() {
    let starts = frame("__libc_start_call_main", Some("libc.so.6"), None);
    let fortran = [
        frame("main", None, Some(("m.f90", 1))),
        frame("MAIN__", None, Some(("m.f90", 4))),
    ];
    check(
        &[&[starts.clone()][..], &fortran].concat(),
        "main is not in the map, and calls functions that are",
    );
    check(
        &[starts.clone(), frame("Py_RunMain", Some("python3.11"), None)],
        "Py_RunMain is not in the map, and calls functions that are",
    );
    // A library that is called by a function without symbols is no part of the start.
    check(
        &[
            starts,
            frame("??", Some("app"), None),
            frame("qsort", Some("libc.so.6"), None),
        ],
        "?? is not in the map, and calls functions that are",
    );
    check(
        &[frame("f", None, Some(("body.inc", 2)))],
        "f is at body.inc:2, and the map has it in another file",
    );
}
