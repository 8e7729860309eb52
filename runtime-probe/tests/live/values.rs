//! Values of loop variables in every frame, against gdb, at every level of optimisation.

use crate::cores::the_core_of;
use crate::gdb;
use crate::support::{Program, Target, compile, snap, snap_in, state, until};
use base::Span;
use progress_map::generate::{self, bare_function};
use progress_map::{File, FileId, Function, Loop, LoopSource, Lov, Map, Storage};
use snapshot::{Task, Value};
use std::fs;

/// A function of a test program: its name, the text its first line contains, and its variables: name, and where the
/// storage is (`None`: a local that is declared on the line that contains the given text).
pub type Listed<'a> = (&'a str, &'a str, &'a [(&'a str, Option<Storage>, &'a str)]);

/// A map, made by hand, that lists variables of one C file and is bound to its program.
pub fn map_of(program: &Program, functions: &[Listed<'_>]) -> Map {
    let source = fs::read_to_string(&program.source).unwrap();
    let line_of = |text: &str| {
        let line = source.lines().position(|line| line.contains(text));
        line.unwrap_or_else(|| panic!("no line contains {text}")) as u32 + 1
    };
    let mut map = Map::default();
    let file = map.files.push(File {
        path: program.source.display().to_string(),
        hash: [0; 32],
    });
    for (name, first, variables) in functions {
        let line = line_of(first);
        let end = source
            .lines()
            .skip(line as usize)
            .position(|text| text.starts_with('}'));
        let lov = |(name, storage, declared): &(&str, Option<Storage>, &str)| {
            let local = || Storage::Local {
                name: (*name).to_owned(),
                line: line_of(declared),
            };
            listed(name, storage.clone().unwrap_or_else(local))
        };
        let span = Span {
            line,
            column: 1,
            end_line: line + 1 + end.unwrap() as u32,
            end_column: 2,
        };
        map.functions
            .push(function(name, file, span, variables.iter().map(lov).collect()));
        generate::hand_in(&mut map);
    }
    let executable = fs::read(&program.path).unwrap();
    let path = program.path.display().to_string();
    bind::bind(&mut map, &executable, None, &path).unwrap();
    map
}

fn function(name: &str, file: FileId, span: Span, lovs: Vec<Lov>) -> Function {
    let header = base::Id::from_index(0);
    let looped = Loop {
        parent: None,
        source: LoopSource::For,
        span,
        header,
        reducible: true,
        lovs,
        refused: Vec::new(),
    };
    Function {
        loops: vec![looped].into(),
        ..bare_function(name, file, span)
    }
}

fn listed(name: &str, storage: Storage) -> Lov {
    Lov {
        storage,
        step: None,
        start: None,
        ..generate::lov(name)
    }
}

/// Stops it once it stands in `function`.
pub fn stop_in(target: &Target, function: &str) {
    snap_in(&Map::default(), target.pid(), function);
    target.signal("STOP");
    until("stopped", || state(target.pid()) == 'T');
}

pub fn shown(value: &Value) -> String {
    match value {
        Value::Integer(value) => value.to_string(),
        Value::Unsigned(value) => value.to_string(),
        Value::Float(value) => format!("{value:?}"),
        Value::Other(value) => value.to_string(),
    }
}

const NEST: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
volatile int gate = 1, sink;
__attribute__((noinline)) void block(void) {
    puts("ready"); fflush(stdout);
    while (gate) sink++;  /* the callers must believe that it returns */
}
__attribute__((noinline)) double leaf(int index, double weight) {
    double total = 0;
    for (int part = 0; part < 10; part++) {
        if (index == 5 && part == 3) block();
        total += weight * part + sink;
    }
    return total;
}
static inline __attribute__((always_inline)) double inner(int base, double t) {
    double total = 0;
    for (unsigned short it = 0; it < 9; it++) {
        total += leaf(it, t) * base;
        t += 0.25;
    }
    return total;
}
__attribute__((noinline)) double middle(long rounds) {
    double total = 0;
    for (long outer = 40; outer < 40 + rounds; outer++) {
        total += inner((int)outer, outer * 0.5);
    }
    return total;
}
int main(int argc, char **argv) {
    double total = 0;
    for (int step = 100; step > 90; step -= 3) {
        for (const char *cursor = argv[1]; *cursor; cursor++) {
            total += middle(*cursor - '0');
        }
    }
    return total > 0;
}
"#;

const NEST_VARIABLES: &[Listed<'_>] = &[
    (
        "leaf",
        "double leaf(",
        &[
            ("part", None, "int part"),
            ("index", None, "double leaf("),
            ("weight", None, "double leaf("),
        ],
    ),
    (
        "inner",
        "double inner(",
        &[
            ("it", None, "short it"),
            ("t", None, "double inner("),
            ("base", None, "double inner("),
        ],
    ),
    (
        "middle",
        "double middle(",
        &[("outer", None, "long outer"), ("rounds", None, "double middle(")],
    ),
    (
        "main",
        "int main(",
        &[("step", None, "int step"), ("cursor", None, "char *cursor")],
    ),
];

/// What of the map is sent to other hosts is enough to read the same there.
pub fn is_read_alike(map: &Map, target: &Target, task: &Task) {
    let sent = Map::from_bytes(&map.for_probe().to_bytes()).unwrap();
    assert_ne!(&sent, map);
    assert_eq!(snap(&sent, target.pid()).frames, task.frames);
}

/// Compares names, lines and values of all frames in the program with gdb's; returns how many values there were.
fn check(program: &Program, target: &Target, variables: &[Listed<'_>], context: &str) -> usize {
    let map = map_of(program, variables);
    let task = snap(&map, target.pid());
    assert_eq!(task.error, None, "{context}");
    the_core_of(target, program, &map, &task);
    is_read_alike(&map, target, &task);
    let names: Vec<&str> = variables
        .iter()
        .flat_map(|(_, _, list)| list.iter().map(|entry| entry.0))
        .collect();
    let own = |name: &str| name == "block" || variables.iter().any(|(function, _, _)| *function == name);
    let expected: Vec<_> = gdb::frames(target.pid(), &names)
        .into_iter()
        .filter(|frame| own(&frame.name))
        .collect();
    let found: Vec<_> = task
        .frames
        .iter()
        .rev()
        .filter(|frame| own(&frame.function))
        .collect();
    assert_eq!(found.len(), expected.len(), "{context}: {found:#?} {expected:#?}");
    let (mut values, mut missing) = (0, 0);
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found.function, expected.name, "{context}");
        assert_eq!(found.line, Some(expected.line), "{context}: {found:?}");
        assert_eq!(found.inlined, expected.inlined, "{context}: {found:?}");
        assert_eq!(found.file.as_deref(), program.source.to_str());
        for (name, value) in &found.values {
            // gdb's "optimised out" for a value that we have would be a claim without evidence.
            let theirs = expected.values.get(name).cloned().flatten();
            assert_eq!(Some(shown(value)), theirs, "{context}: {name} in {found:?}");
            values += 1;
        }
        for (name, reason) in &found.missing {
            // gdb has a little more: it computes values at the function's entry from what the caller passed.
            let theirs = expected.values.get(name).cloned().flatten();
            let is_parameter = ["index", "weight", "base", "t", "rounds"].contains(&name.as_str());
            assert!(
                theirs.is_none() || is_parameter,
                "{context}: {name} is missing ({reason}) in {found:?}"
            );
            if let Some(theirs) = theirs {
                println!("{context}: {name} of {} is {theirs}: {reason}", found.function);
                missing += 1;
            }
        }
    }
    println!("{context}: {values} values equal gdb's, {missing} more are known to gdb");
    values
}

#[test]
fn loop_variables_of_every_frame_equal_gdbs() {
    for compiler in ["gcc", "clang"] {
        for (level, at_least) in [("-O0", 10), ("-O1", 5), ("-O2", 4), ("-O3", 3)] {
            let program = compile(compiler, NEST, &format!("-g -no-pie {level}"));
            let target = program.start(&["342"]);
            stop_in(&target, "block");
            let context = format!("{compiler} {level}");
            let values = check(&program, &target, NEST_VARIABLES, &context);
            assert!(values >= at_least, "{context}: only {values} values");
        }
    }
}

#[test]
fn position_independent_code_too() {
    for flags in [
        "-g -O2 -fPIE -pie",
        "-g -O2 -static",
        "-g -O1 -static-pie -fPIE",
        // Two segments share a page of the file.
        "-g -O2 -fPIE -pie -fuse-ld=lld",
        "-g -O2 -no-pie -fuse-ld=lld",
    ] {
        let program = compile("gcc", NEST, flags);
        let target = program.start(&["9"]);
        stop_in(&target, "block");
        assert!(check(&program, &target, NEST_VARIABLES, flags) >= 3);
    }
}

const POINTERS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
struct clock { long pad; int tick; struct clock *next; };
struct run { struct clock *clock; double time; };
static long rounds = 1000;
int generation;
static struct run run;
volatile int gate = 1, sink;
__attribute__((noinline)) void block(void) {
    puts("ready"); fflush(stdout);
    while (gate) sink++;  /* the callers must believe that it returns */
}
__attribute__((noipa)) void drive(struct run *r) {
    for (r->clock->tick = 5; r->clock->tick < 90; r->clock->tick += 7) {
        generation += 2;
        rounds--;
        r->time += 0.5;
        r->clock->next->tick = r->clock->tick * 2;
        if (r->clock->tick == 26) block();
    }
}
int main(void) {
    run.clock = calloc(1, sizeof *run.clock);
    run.clock->next = calloc(1, sizeof *run.clock);
    drive(&run);
    return 0;
}
"#;

fn local(name: &str, line: u32) -> Storage {
    Storage::Local {
        name: name.to_owned(),
        line,
    }
}

fn member(base: Storage, member: &str) -> Storage {
    Storage::Member {
        base: Box::new(base),
        member: member.to_owned(),
        arrow: true,
    }
}

/// The map of `POINTERS`, whose variables lie behind up to three pointers.
fn pointers_map(program: &Program) -> Map {
    let line = POINTERS
        .lines()
        .position(|line| line.contains("void drive("))
        .unwrap() as u32
        + 1;
    let clock = member(local("r", line), "clock");
    let global = |name: &str| Storage::Global {
        name: name.to_owned(),
    };
    let variables = [
        ("r->clock->tick", Some(member(clock.clone(), "tick")), ""),
        ("r->time", Some(member(local("r", line), "time")), ""),
        (
            "r->clock->next->tick",
            Some(member(member(clock, "next"), "tick")),
            "",
        ),
        ("generation", Some(global("generation")), ""),
        ("rounds", Some(global("rounds")), ""),
    ];
    map_of(program, &[("drive", "void drive(", &variables)])
}

fn drive(task: &Task) -> Vec<String> {
    let frame = task
        .frames
        .iter()
        .find(|frame| frame.function == "drive")
        .unwrap();
    assert_eq!(frame.missing.len(), 0, "{frame:?}");
    frame
        .values
        .iter()
        .map(|(name, value)| format!("{name}={}", shown(value)))
        .collect()
}

#[test]
fn values_behind_pointers_and_static_ones() {
    for level in ["-g -O0", "-g -O2", "-g -O2 -no-pie"] {
        let program = compile("gcc", POINTERS, level);
        let target = program.start(&[]);
        let task = snap_in(&pointers_map(&program), target.pid(), "block");
        let expected = [
            "generation=8",
            "r->clock->next->tick=52",
            "r->clock->tick=26",
            "r->time=2.0",
            "rounds=996",
        ];
        assert_eq!(drive(&task), expected, "{level}");
        assert_eq!(task.error, None);
    }
}

#[test]
fn values_of_one_task_are_of_one_moment() {
    // The loop keeps two counters in step, on the heap and in a register: a torn snapshot would show them apart.
    const TORN: &str = r#"
#include <stdio.h>
#include <stdlib.h>
struct pair { long pad[9]; long beat; };
__attribute__((noinline)) static void pause_a_little(long n) { for (volatile long k = 0; k < 200 + n % 7; k++); }
__attribute__((noipa)) void dance(struct pair **where) {
    struct pair *old = *where;
    for (long it = 0; ; it++) {
        (*where)->beat = it;
        pause_a_little(it);
        if (it % 1000 == 0) { struct pair *fresh = malloc(sizeof *fresh); fresh->beat = it; *where = fresh; free(old); old = fresh; }
    }
}
int main(void) {
    struct pair *where = calloc(1, sizeof *where);
    puts("ready"); fflush(stdout);
    dance(&where);
}
"#;
    let program = compile("gcc", TORN, "-g -O1");
    let line = TORN
        .lines()
        .position(|line| line.contains("void dance("))
        .unwrap() as u32
        + 1;
    let beat = member(Storage::Pointee(Box::new(local("where", line))), "beat");
    let variables = [("it", None, "long it"), ("beat", Some(beat), "")];
    let map = map_of(&program, &[("dance", "void dance(", &variables)]);
    let target = program.start(&[]);
    snap_in(&map, target.pid(), "pause_a_little");
    let mut both = 0;
    for _ in 0..80 {
        let task = snap(&map, target.pid());
        let Some(frame) = task.frames.iter().find(|frame| frame.function == "dance") else {
            panic!("{task:?}")
        };
        let inside = task.frames.last().unwrap().function == "pause_a_little";
        if let (Some(Value::Integer(it)), Some(Value::Integer(beat)), true) =
            (frame.values.get("it"), frame.values.get("beat"), inside)
        {
            assert_eq!(it, beat, "{task:?}");
            both += 1;
        }
    }
    assert!(both > 20, "only {both} snapshots had both values");
}

#[test]
fn a_floating_point_counter_of_the_innermost_frame() {
    const FLOATS: &str = r#"
#include <stdio.h>
int main(void) {
    double t = 0.5;
    puts("ready"); fflush(stdout);
    for (;;) {
        t += 1e-3;
        if (t > 1e6) t = 0.5;
    }
}
"#;
    let program = compile("gcc", FLOATS, "-g -O2");
    let map = map_of(&program, &[("main", "int main(", &[("t", None, "double t")])]);
    let target = program.start(&[]);
    stop_in(&target, "main");
    let task = snap(&map, target.pid());
    let expected = gdb::frames(target.pid(), &["t"]);
    let frame = task.frames.last().unwrap();
    assert_eq!(frame.function, "main");
    let theirs = expected[0].values.get("t").cloned().flatten();
    assert_eq!(frame.values.get("t").map(shown), theirs, "{frame:?}");
}
