//! What stands on a stack outside of the first function that the map has.

mod common;

use common::function;
use progress::{ExecutionPoint, Frame, Order, Relation};
use progress_map::{Binding, Map, PointKind};

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
    // A destructor of what is the thread's own runs for each object.
    check(
        &[
            frame("start_thread", Some("libc.so.6"), None),
            frame("__call_tls_dtors", Some("libc.so.6"), None),
        ],
        "__call_tls_dtors is not in the map, and calls functions that are",
    );
    // So does one that is run at exit, also where the library has no symbols but those that programs call.
    check(
        &[
            frame("??", Some("app"), None),
            frame("??", Some("libc.so.6"), None),
            frame("exit", Some("libc.so.6"), None),
            frame("??", Some("libc.so.6"), None),
        ],
        "exit is not in the map, and calls functions that are",
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

#[test]
fn what_runs_outside_of_main_comes_before_or_after_it() {
    let map = map();
    let order = Order::new(&map);
    let libc = |name: &str| frame(name, Some("/lib/libc.so.6"), None);
    let f = || frame("f", None, Some(("f.c", 2)));
    let stack = |outer: &[&str], inner: Vec<Frame>| {
        let begun = ["_start", "__libc_start_main"].iter().chain(outer);
        let frames = begun.map(|name| libc(name)).chain(inner).collect();
        order.locate(&ExecutionPoint {
            frames,
            ..ExecutionPoint::default()
        })
    };
    let constructed = stack(&["call_init"], vec![f()]);
    let in_main = stack(
        &["__libc_start_call_main"],
        vec![frame("main", None, Some(("main.f90", 7))), f()],
    );
    let at_exit = stack(
        &["__libc_start_call_main", "exit", "__run_exit_handlers"],
        vec![f()],
    );
    let run = [&constructed, &in_main, &at_exit];
    for (i, a) in run.iter().enumerate() {
        for (j, b) in run.iter().enumerate() {
            let expected = match i.cmp(&j) {
                std::cmp::Ordering::Less => Relation::Before,
                // Nothing is known of what a `main` in another language calls again and again, nor of constructors and destructors of several objects.
                std::cmp::Ordering::Equal => Relation::Unknown,
                std::cmp::Ordering::Greater => Relation::After,
            };
            assert_eq!(order.compare(a, b).relation, expected, "{i} {j}");
        }
    }
}

#[test]
fn a_stack_of_its_own_may_be_one_of_many() {
    let map = map();
    let order = Order::new(&map);
    let outermost = |name: &str, pc: Option<u64>| {
        let frames = vec![Frame {
            pc,
            ..frame(name, None, Some(("f.c", 2)))
        }];
        let located = order.locate(&ExecutionPoint {
            frames,
            ..ExecutionPoint::default()
        });
        located.obstacle.map(|obstacle| obstacle.to_string())
    };
    let fiber = "its stack begins in f, as that of a fiber does: how often that was called is not known";
    assert_eq!(outermost("f", Some(0x1000)).as_deref(), Some(fiber));
    // Stacks that others wrote down may leave out what calls the program's functions.
    assert_eq!(outermost("f", None), None);
}

#[test]
fn a_function_of_another_shared_object_is_not_the_one_of_its_name() {
    let bound = |executable: &str| {
        let binding = Binding {
            executable: executable.to_owned(),
            ..Binding::default()
        };
        Map {
            binding: Some(binding),
            ..map()
        }
    };
    let is_found = |map: &Map, module: Option<&str>| {
        let located = Order::new(map).locate(&ExecutionPoint {
            frames: vec![frame("f", module, None)],
            ..ExecutionPoint::default()
        });
        located
            .frames
            .first()
            .is_some_and(|frame| frame.function.is_some())
    };
    assert!(is_found(&bound("/opt/app"), Some("app")));
    assert!(is_found(&bound("/opt/app"), None));
    assert!(!is_found(&bound("/opt/app"), Some("/opt/plugin.so")));
    // A map that was made of sources alone may be of anything.
    assert!(is_found(&map(), Some("/opt/plugin.so")));
}
