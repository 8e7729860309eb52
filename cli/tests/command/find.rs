//! `hindmost find` on real processes, one by one; jobs under MPI are tested in `tests`.

use crate::support::{Sandbox, Target};
use expect_test::expect;
use serde_json::Value;
use std::process::Command;

/// Says a byte in the iteration given, and stays there.
const SPIN: &str = "\
#include <stdlib.h>
#include <unistd.h>

static volatile int gate = 1;

static void work(int stop)
{
    int i;
    for (i = 0; i < 100; i++) {
        if (i == stop) {
            if (write(1, \"x\", 1) != 1)
                return;
            while (gate)
                continue;
        }
    }
}

int main(int argc, char **argv)
{
    work(argc > 1 ? atoi(argv[1]) : 7);
    return 0;
}
";

fn built(name: &str, flags: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("spin.c", SPIN);
    sandbox.compile("spin.c", "spin", flags);
    sandbox
}

fn find(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let arguments = [&["find", "--format", "json"], arguments].concat();
    serde_json::from_str(&sandbox.ok(&arguments)).unwrap()
}

#[track_caller]
fn is_in_iteration(answer: &Value, i: u32, target: &Target) {
    let hindmost = &answer["hindmost"][0];
    assert_eq!(hindmost["function"], "work", "{answer:#}");
    assert_eq!(hindmost["values"]["i"], i, "{answer:#}");
    assert!(
        [13, 14].contains(&hindmost["line"].as_u64().unwrap()),
        "{answer:#}"
    );
    let name = &answer["classes"][0]["tasks"][0];
    assert_eq!(name.as_str(), Some(&*target.pid()), "{answer:#}");
}

#[test]
fn a_program_that_nobody_prepared() {
    let sandbox = built("unprepared", &["-g", "-O1"]);
    let mut early = sandbox.start("spin", &["3"]);
    let mut late = sandbox.start("spin", &["40"]);
    let pids = [early.pid(), late.pid()];
    let arguments = [pids[0].as_str(), pids[1].as_str()];
    is_in_iteration(&find(&sandbox, &arguments), 3, &early);

    // The second time the map comes from the cache: the source is not needed any more.
    assert!(
        sandbox
            .path("cache/hindmost")
            .read_dir()
            .unwrap()
            .next()
            .is_some()
    );
    std::fs::remove_file(sandbox.path("spin.c")).unwrap();
    let answer = find(&sandbox, &arguments);
    is_in_iteration(&answer, 3, &early);
    assert_eq!(answer["warnings"].as_array().map(Vec::len), Some(0), "{answer:#}");
    assert!(early.is_running() && late.is_running());
}

#[test]
fn the_map_beside_the_program_is_found() {
    let sandbox = built("beside", &["-g", "-O0"]);
    sandbox.ok(&["map", "--no-cache", "--quiet", "--exe", "spin"]);
    std::fs::remove_file(sandbox.path("spin.c")).unwrap();
    let target = sandbox.start("spin", &["5"]);
    is_in_iteration(&find(&sandbox, &[&target.pid()]), 5, &target);
    assert!(!sandbox.path("cache").exists());
}

#[test]
fn an_unbound_map_is_bound_in_memory() {
    let sandbox = built("on-the-fly", &["-g", "-O0"]);
    sandbox.ok(&["map", "--quiet", "spin.c"]);
    let target = sandbox.start("spin", &["5"]);
    is_in_iteration(&find(&sandbox, &["--map", "app.hmap", &target.pid()]), 5, &target);
}

#[test]
fn a_snapshot_is_ordered_again_later() {
    let sandbox = built("snapshot", &["-g", "-O0"]);
    let early = sandbox.start("spin", &["3"]);
    let late = sandbox.start("spin", &["40"]);
    sandbox.ok(&["map", "--quiet", "spin.c"]);
    let map = ["--map", "app.hmap"];
    let pids = [early.pid(), late.pid()];
    let live = find(
        &sandbox,
        &[&map[..], &["--save", "snap", &pids[0], &pids[1]]].concat(),
    );
    drop((early, late));
    let arguments = [&["order", "--stacks", "snap", "--format", "json"], &map[..]].concat();
    let later: Value = serde_json::from_str(&sandbox.ok(&arguments)).unwrap();
    assert_eq!(live["hindmost"], later["hindmost"]);
}

#[test]
fn a_source_newer_than_the_program() {
    let sandbox = built("newer", &["-g", "-O0"]);
    let target = sandbox.start("spin", &["3"]);
    let touched = Command::new("touch")
        .args(["-d", "+1 hour", "spin.c"])
        .current_dir(&sandbox.root)
        .status();
    assert!(touched.unwrap().success());
    let answer = sandbox.run(&["find", "--format", "json", &target.pid()]).out;
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let warning = answer["warnings"][0].as_str().unwrap();
    assert!(
        warning.contains("spin.c is newer than the executable"),
        "{warning}"
    );
    // What was read of single files is kept, by their content; the map that is not of this build is not.
    let kept = std::fs::read_dir(sandbox.path("cache/hindmost"));
    let kept = kept.into_iter().flatten().flatten().map(|entry| entry.path());
    let maps: Vec<_> = kept
        .filter(|path| path.extension().is_some_and(|end| end == "hmap"))
        // That of the code alone is of this build.
        .filter(|path| !path.to_string_lossy().ends_with(".code.hmap"))
        .collect();
    assert!(maps.is_empty(), "such a map is not kept: {maps:?}");
}

#[test]
fn a_map_of_another_build() {
    let sandbox = built("another", &["-g", "-O0"]);
    sandbox.ok(&["map", "--quiet", "-o", "old.hmap", "--exe", "spin"]);
    sandbox.compile("spin.c", "spin", &["-g", "-O2"]);
    let target = sandbox.start("spin", &["3"]);
    let message = sandbox.refused(&["find", "--map", "old.hmap", &target.pid()]);
    assert!(
        message.contains("old.hmap: the map belongs to another build"),
        "{message}"
    );
    assert!(message.contains("build-id"), "{message}");
    assert!(message.contains("hint: hindmost map --exe"), "{message}");
}

#[test]
fn a_program_without_debug_info() {
    let sandbox = built("no-debug", &["-O0"]);
    let target = sandbox.start("spin", &["3"]);
    let run = sandbox.run(&["find", &target.pid()]);
    assert_eq!((run.code, run.err.as_str()), (Some(1), ""), "{}", run.out);
    let words = "One process, and no other to compare it with: ";
    assert!(run.out.starts_with(words), "{}", run.out);
    assert!(
        run.out.contains("computing in work") && !run.out.contains("rebuild"),
        "{}",
        run.out
    );
    sandbox.ok(&["map", "--quiet", "spin.c"]);
    let message = sandbox.refused(&["find", "--map", "app.hmap", &target.pid()]);
    assert!(message.contains("no debug info"), "{message}");
}

#[test]
fn processes_that_are_none() {
    let sandbox = Sandbox::new("no-process");
    let mut child = Command::new("true").spawn().unwrap();
    let pid = child.id().to_string();
    let mut state = String::new();
    while !state.contains("State:\tZ") {
        state = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    }
    let message = sandbox.refused(&["find", &pid]);
    assert!(message.contains(&pid) && message.contains("zombie"), "{message}");
    child.wait().unwrap();
    let message = sandbox.refused(&["find", &pid]).replace(&pid, "PID");
    expect![[r#"
        hindmost: error: no process has pid PID on this host (or in this container)
        hint: it may have ended; `pgrep -a mpirun` lists launchers
    "#]]
    .assert_eq(&message);
    let message = sandbox.refused(&["find", "--launcher", &pid]);
    assert!(message.contains(&pid), "{message}");
    let message = sandbox.refused(&["find", &pid, "999999999"]);
    assert!(message.contains(&pid), "{message}");
}

#[test]
fn a_launcher_that_is_none() {
    let sandbox = built("no-launcher", &["-g"]);
    let target = sandbox.start("spin", &["3"]);
    let message = sandbox.refused(&["find", "--launcher", &target.pid()]);
    assert!(
        message.contains("is no launcher") && message.contains("hint: "),
        "{message}"
    );
}

#[test]
fn a_line_of_arguments_that_makes_no_sense() {
    let sandbox = Sandbox::new("arguments");
    for arguments in [
        &["find"][..],
        &["find", "x"],
        &["find", "--launcher", "1", "2"],
        &["order", "--map", "a"],
        &["frob"],
        &["show"],
    ] {
        assert_eq!(sandbox.run(arguments).code, Some(2), "{arguments:?}");
    }
    for arguments in [
        &["--help"][..],
        &["find", "--help"],
        &["order", "--help"],
        &["map", "--help"],
    ] {
        assert!(sandbox.ok(arguments).contains("Exit status"), "{arguments:?}");
    }
    for arguments in [&["--help"][..], &["find", "--help"], &["order", "--help"]] {
        assert!(
            sandbox.ok(arguments).contains("3 it is named as probable"),
            "{arguments:?}"
        );
    }
}

/// As PETSc checks what its functions return: a macro that some builds have as a function, and an error handler that is called last, through a
/// pointer.
const CHECKED: &str = "\
#include <unistd.h>

#ifdef WITH_FUNCTIONS
int CHECK(int code);
#else
#define CHECK(...) do { int code = (__VA_ARGS__); if (code) return fail(code); } while (0)
#endif

static volatile int gate = 1;
int (*handler)(int);

__attribute__((noipa)) int fail(int code)
{
    return handler(code);
}

__attribute__((noipa)) int wait_for(int told)
{
    if (told && write(1, \"x\", 1) == 1)
        while (gate)
            continue;
    return 0;
}

__attribute__((noipa)) int first(int told)
{
    int code = wait_for(told);
    gate = 1;
    return code;
}

__attribute__((noipa)) int second(int told)
{
    int code = wait_for(told);
    gate = 2;
    return code;
}

__attribute__((noipa)) int solve(int early)
{
    CHECK(first(early));
    CHECK(second(!early));
    return 0;
}

int main(int argc, char **argv)
{
    CHECK(solve(argc > 1 && argv[1][0] == 'e'));
    return 0;
}
";

#[test]
fn an_error_handler_behind_a_pointer_has_not_led_anywhere() {
    let sandbox = Sandbox::new("checked");
    sandbox.write("checked.c", CHECKED);
    for flags in [&["-g", "-O2"][..], &["-g", "-O2", "-gdwarf-4"], &["-g", "-O0"]] {
        sandbox.compile("checked.c", "checked", flags);
        let early = sandbox.start("checked", &["early"]);
        let late = sandbox.start("checked", &["late"]);
        let answer = find(&sandbox, &[&late.pid(), &early.pid()]);
        assert_eq!(
            answer["classes"][0]["tasks"][0],
            early.pid(),
            "{flags:?} {answer:#}"
        );
        assert_eq!(answer["hindmost"].as_array().map(Vec::len), Some(1), "{answer:#}");
    }
}
