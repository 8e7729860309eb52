//! Loops in shared objects: part of the map, and of the order, like the program's own.

use crate::support::{Sandbox, Target};
use serde_json::Value;
use std::process::Command;

/// A program whose work is a library's. COUNTER is declared in the library.
const PROGRAM: &str = "\
#include <stdlib.h>
void work(int stop);
int main(int argc, char **argv)
{
    work(argc > 1 ? atoi(argv[1]) : 7);
    return 0;
}
";

fn library(declared: &str) -> String {
    format!(
        "\
#include <unistd.h>
volatile int gate = 1;
{declared}
void work(int stop)
{{
    for (count = 0; count < 100; count++) {{
        if (count == stop) {{
            if (write(1, \"x\", 1) != 1)
                return;
            while (gate)
                continue;
        }}
    }}
}}
"
    )
}

/// Builds both; the program refers to `also` of the library besides.
fn built(name: &str, declared: &str, program: &str, flags: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("work.c", library(declared));
    sandbox.write("app.c", program);
    sandbox.compile("work.c", "libwork.so", &["-g", "-O0", "-fPIC", "-shared"]);
    let root = sandbox.root.to_str().unwrap().to_owned();
    let (search, path) = (format!("-L{root}"), format!("-Wl,-rpath,{root}"));
    // The linker wants the library after what needs it.
    let all = [
        flags,
        &["-g", "-O0", &search, &path, "-Wl,--no-as-needed", "-lwork"],
    ]
    .concat();
    sandbox.compile("app.c", "app", &all);
    sandbox
}

/// The answer about two processes, 3 and 40 iterations on.
fn asked(sandbox: &Sandbox, arguments: &[&str]) -> (Value, Target, Target) {
    let early = sandbox.start("app", &["3"]);
    let late = sandbox.start("app", &["40"]);
    let pids = [early.pid(), late.pid()];
    let all = [&["find", "--format", "json"], arguments, &[&pids[0], &pids[1]]].concat();
    let answer = serde_json::from_str(&sandbox.run(&all).out).unwrap();
    (answer, early, late)
}

#[track_caller]
fn is_named(answer: &Value, early: &Target) {
    let hindmost = &answer["hindmost"][0];
    assert_eq!(hindmost["function"], "work", "{answer:#}");
    assert_eq!(hindmost["values"]["count"], 3, "{answer:#}");
    let functions = answer["classes"][0]["frames"].as_array().unwrap();
    let names = Vec::from_iter(functions.iter().map(|frame| frame["function"].as_str().unwrap()));
    assert_eq!(names, ["main", "work"], "{answer:#}");
    assert_eq!(
        answer["classes"][0]["tasks"][0].as_str(),
        Some(&*early.pid()),
        "{answer:#}"
    );
}

#[test]
fn a_librarys_loop_orders_tasks() {
    for declared in ["static int count;", "static volatile int count;"] {
        let sandbox = built("library", declared, PROGRAM, &[]);
        let (answer, early, _late) = asked(&sandbox, &[]);
        is_named(&answer, &early);
    }
}

#[test]
fn a_map_is_bound_to_a_program_and_its_libraries() {
    let sandbox = built("bound-library", "static int count;", PROGRAM, &[]);
    let made = sandbox.ok(&["map", "--exe", "app", "--library", "libwork.so"]);
    assert!(made.contains("bound to app and libwork.so"), "{made}");
    // Nothing but the map is needed any more.
    for file in ["app.c", "work.c"] {
        std::fs::remove_file(sandbox.path(file)).unwrap();
    }
    let (answer, early, _late) = asked(&sandbox, &["--map", "app.hmap"]);
    is_named(&answer, &early);

    // Another build of the library is told, and nothing is read of it.
    sandbox.write("work.c", library("static int count, other;"));
    sandbox.compile("work.c", "libwork.so", &["-g", "-O1", "-fPIC", "-shared"]);
    let (answer, ..) = asked(&sandbox, &["--map", "app.hmap"]);
    assert_eq!(answer["decided"], false, "{answer:#}");
    let said = answer["unreadable"].to_string() + &answer["undecided"].to_string();
    assert!(said.contains("libwork.so has build-id"), "{answer:#}");
}

#[test]
fn an_exported_variable_of_a_library_may_live_elsewhere() {
    // The program refers to it, so the linker gives it a place there, and the library's own stays zero.
    let program = format!("extern int count;\nint *also(void) {{ return &count; }}\n{PROGRAM}");
    let sandbox = built("exported", "int count;", &program, &["-no-pie", "-fno-pic"]);
    let (answer, ..) = asked(&sandbox, &[]);
    assert_eq!(answer["decided"], false, "{answer:#}");
    for class in answer["classes"].as_array().unwrap() {
        let frame = class["frames"].as_array().unwrap().last().unwrap();
        assert_eq!(frame["values"]["count"], Value::Null, "{answer:#}");
    }
}

/// Two processes whose library is built again while they hang: what they run has no name any more.
fn built_again(name: &str) -> (Sandbox, Target, Target) {
    let sandbox = built(name, "static int count;", PROGRAM, &[]);
    let (early, late) = (sandbox.start("app", &["3"]), sandbox.start("app", &["40"]));
    std::fs::remove_file(sandbox.path("libwork.so")).unwrap();
    sandbox.compile("work.c", "libwork.so", &["-g", "-O1", "-fPIC", "-shared"]);
    (sandbox, early, late)
}

#[test]
fn a_library_that_was_built_again_is_read_as_it_runs() {
    let (sandbox, early, late) = built_again("library-again");
    let said = sandbox.run(&["find", "--format", "json", &early.pid(), &late.pid()]);
    let answer = serde_json::from_str(&said.out).unwrap();
    is_named(&answer, &early);
    assert_eq!(answer["warnings"], serde_json::json!([]), "{answer:#}");
}

#[test]
fn a_library_that_runs_and_cannot_be_read_is_named() {
    let (sandbox, early, late) = built_again("library-lost");
    // As for whoever is not root: the kernel does not lead him to a file that has lost its name.
    let mut find = Command::new("setpriv");
    find.arg("--bounding-set=-sys_admin,-checkpoint_restore")
        .arg(env!("CARGO_BIN_EXE_hindmost"))
        .args(["find", "--format", "json", &early.pid(), &late.pid()])
        .env("XDG_CACHE_HOME", sandbox.path("cache"))
        .current_dir(&sandbox.root);
    let output = find.output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_ne!(answer["proven"], true, "{answer:#}");
    assert!(
        answer
            .to_string()
            .contains("libwork.so was replaced or removed since the job started"),
        "{answer:#}"
    );
}
