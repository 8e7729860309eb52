//! Values that only a caller still has (`DW_OP_entry_value`): read where that is certain, equal to gdb's and to the truth.

use crate::gdb;
use crate::support::{Program, compile, snap};
use crate::values::{Listed, map_of, shown, stop_in};
use snapshot::{Frame, Task};
use std::collections::BTreeMap;

const PASSED: &str = r#"
#include <stdio.h>
volatile int gate = 1, sink;
__attribute__((noinline)) void block(void) {
    puts("ready"); fflush(stdout);
    while (gate) sink++;  /* the callers must believe that it returns */
}
/* Nothing is needed after the call. */
__attribute__((noinline)) int sweep(int first, long stride, unsigned char far) {
    sink += (int)stride + far;
    if (first == 9) block();
    return sink;
}
/* Passes on what it was given. */
__attribute__((noinline)) int pass(int first, int deeper) {
    return sweep(first, deeper, 200) + 1;
}
/* Each frame takes the place of the one before. */
__attribute__((noinline)) int odd(int n);
__attribute__((noinline)) int even(int n) {
    sink += n;
    if (n == 0) { block(); return sink; }
    return odd(n - 1);
}
__attribute__((noinline)) int odd(int n) {
    sink -= n;
    if (n == 0) { block(); return -sink; }
    return even(n - 1);
}
/* So does this one's callee, once. */
__attribute__((noinline)) int target(int got) {
    sink += got;
    block();
    return sink;
}
__attribute__((noinline)) int wrapper(int got) {
    return target(got + 5);
}
int main(int argc, char **argv) {
    int total = 0;
    if (argv[1][0] == 'p') {
        for (int i = 1; i < 9; i++) total += pass(i * 3, argc + i);
    }
    if (argv[1][0] == 'e') total += even(argc + 4) + 1;
    if (argv[1][0] == 'w') total += wrapper(argc) + 1;
    return total;
}
"#;

const LISTED: &[Listed<'_>] = &[
    (
        "sweep",
        "int sweep(",
        &[
            ("first", None, "int sweep("),
            ("stride", None, "int sweep("),
            ("far", None, "int sweep("),
        ],
    ),
    (
        "pass",
        "int pass(",
        &[("first", None, "int pass("), ("deeper", None, "int pass(")],
    ),
    ("even", "int even(int n) {", &[("n", None, "int even(int n) {")]),
    ("odd", "int odd(int n) {", &[("n", None, "int odd(int n) {")]),
    ("target", "int target(", &[("got", None, "int target(")]),
    ("wrapper", "int wrapper(", &[("got", None, "int wrapper(")]),
    ("main", "int main(", &[("i", None, "int i = 1")]),
];

const BUILDS: [(&str, &str); 6] = [
    ("gcc", "-g -O2"),
    ("gcc", "-g -O3 -gdwarf-4"),
    ("gcc", "-g -O2 -flto"),
    ("gcc", "-g -O1 -no-pie"),
    ("clang", "-gdwarf-5 -O2"),
    ("clang", "-gdwarf-4 -O3"),
];

fn stopped(program: &Program, mode: &str) -> (Task, Vec<gdb::GdbFrame>) {
    let map = map_of(program, LISTED);
    let target = program.start(&[mode]);
    stop_in(&target, "block");
    let names = ["first", "stride", "far", "deeper", "n", "got", "i"];
    (snap(&map, target.pid()), gdb::frames(target.pid(), &names))
}

fn values(frame: &Frame) -> BTreeMap<&str, String> {
    frame
        .values
        .iter()
        .map(|(name, value)| (name.as_str(), shown(value)))
        .collect()
}

#[test]
fn what_the_caller_passed_is_read() {
    for (compiler, flags) in BUILDS {
        let context = format!("{compiler} {flags}");
        let (task, theirs) = stopped(&compile(compiler, PASSED, flags), "p");
        // i is 3; the values are the program's.
        let truth = BTreeMap::from([
            ("sweep", vec![("first", "9"), ("stride", "5"), ("far", "200")]),
            ("pass", vec![("first", "9"), ("deeper", "5")]),
            ("main", vec![("i", "3")]),
        ]);
        let mut read = 0;
        for frame in &task.frames {
            let Some(truth) = truth.get(frame.function.as_str()) else {
                continue;
            };
            let gdbs = theirs.iter().find(|other| other.name == frame.function).unwrap();
            for (name, value) in values(frame) {
                assert!(
                    truth.contains(&(name, value.as_str())),
                    "{context}: {name} = {value}"
                );
                assert_eq!(
                    gdbs.values.get(name).cloned().flatten().as_ref(),
                    Some(&value),
                    "{context}: {name}"
                );
                read += 1;
            }
            for (name, why) in &frame.missing {
                let gdbs = gdbs.values.get(name).cloned().flatten();
                let is_right = gdbs
                    .as_ref()
                    .is_some_and(|value| truth.contains(&(name.as_str(), value.as_str())));
                assert!(
                    !is_right,
                    "{context}: gdb knows {name} of {}, we do not: {why}",
                    frame.function
                );
            }
        }
        println!("{context}: {read} of 6 values");
        // clang says of most of them that they are in registers which the call has overwritten.
        let at_least = if compiler == "gcc" { 6 } else { 2 };
        assert!(read >= at_least, "{context}: {:?}", task.frames);
    }
}

#[test]
fn what_a_jump_has_changed_is_not_believed() {
    for (compiler, flags) in BUILDS {
        let context = format!("{compiler} {flags}");
        let program = compile(compiler, PASSED, flags);
        // `main` has passed 6, and `even` and `odd` count down to 0: in one frame, or in seven where calls stay calls.
        let (task, _) = stopped(&program, "e");
        let own = task
            .frames
            .iter()
            .filter(|frame| ["even", "odd"].contains(&frame.function.as_str()));
        let own = Vec::from_iter(own);
        assert!(matches!(own.len(), 1 | 7), "{context}: {own:?}");
        for (above, frame) in own.iter().rev().enumerate() {
            if let Some(value) = values(frame).get("n") {
                assert_eq!(*value, above.to_string(), "{context}: {frame:?}");
            }
        }
        // `main` has passed 2 to `wrapper`, and that 7.
        let (task, _) = stopped(&program, "w");
        for frame in &task.frames {
            if let Some(value) = values(frame).get("got") {
                let truth = if frame.function == "target" { "7" } else { "2" };
                assert_eq!(value, truth, "{context}: {frame:?}");
            }
        }
    }
}
