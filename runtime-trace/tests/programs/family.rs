//! Processes that fork, execute others, load libraries, end threads, and whose disk is full.

use crate::generate::{Leaving, program};
use crate::run::{Place, Step, Traced, build, command, compile, logs, traced, tracer};
use calltrace::Ended;
use std::collections::BTreeMap;
use std::process::Command;

/// Runs the program in one of its ways, to its end.
fn run(place: &Place, way: &str) -> BTreeMap<String, Traced> {
    let file = build(place, "gcc", &["-O1"], include_str!("family.c")).expect("there is gcc");
    let output = command(place, &file).arg(way).output().unwrap();
    assert!(output.status.success(), "{way}: {output:?}");
    traced(place)
}

/// Events in one line: `main(leaf())`.
fn line(events: &[Step]) -> String {
    let words = events.iter().map(|event| match event {
        Step::Enter(name) => format!("{name}("),
        Step::Exit => ")".to_owned(),
    });
    words.collect()
}

/// The only thread of a process.
fn only(process: &Traced) -> String {
    assert_eq!(process.threads.len(), 1);
    line(&process.first().events)
}

#[test]
fn children_that_are_forked_go_on_in_traces_of_their_own() {
    let place = Place::new();
    let processes = run(&place, "forks");
    let find = |begins: &str| {
        let mut found = processes
            .values()
            .filter(|process| only(process).contains(begins));
        let (one, other) = (found.next().expect(begins), found.next());
        assert!(other.is_none(), "{begins}");
        one
    };
    let parent = find("in_parent");
    assert_eq!(only(parent), "main(descend(leaf()in_parent(leaf())))");
    let child = find("in_child");
    assert_eq!(only(child), "main(descend(in_child(leaf())))");
    let grandchild = find("in_grandchild");
    assert_eq!(only(grandchild), "main(descend(in_grandchild(leaf()leaf())");
    for (process, from, inherited) in [
        (parent, None, 0),
        (child, Some(parent), 2),
        (grandchild, Some(child), 2),
    ] {
        let from = from.map(|process| process.pid);
        assert_eq!(process.forked_from, from);
        let about = process.first().about;
        assert_eq!((about.inherited, about.ignored), (inherited, 0));
    }
}

#[test]
fn a_program_that_is_executed_has_a_trace_of_its_own() {
    let place = Place::new();
    let processes = run(&place, "executes");
    let told = Vec::from_iter(
        processes
            .iter()
            .map(|(name, process)| (name.as_str(), only(process))),
    );
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].0.ends_with("-0") && told[1].0.ends_with("-1"), "{told:?}");
    assert_eq!(told[0].1, "main(executes(leaf()");
    assert_eq!(told[1].1, "main(in_second_image(leaf()))");
}

/// Two libraries that come to the same addresses.
pub(crate) fn plugins(place: &Place, options: &[&str]) {
    for (name, function) in [("first", "one"), ("second", "another")] {
        let text = format!(
            "static volatile int much;\n__attribute__((noinline)) static void {function}(void) {{ much = 3 * much + 1; }}\nvoid plugged(void) {{ {function}(); much++; }}\n"
        );
        std::fs::write(place.path().join("library.c"), text).unwrap();
        let status = Command::new("gcc")
            .args(["-O1", "-shared", "-fPIC", "-o"])
            .args([&format!("{name}.so"), "library.c"])
            .args(options)
            .current_dir(place.path())
            .status()
            .unwrap();
        assert!(status.success());
    }
}

/// One after the other.
#[test]
fn functions_of_libraries_that_come_and_go_are_told_apart() {
    let place = Place::new();
    plugins(&place, &["-finstrument-functions"]);
    let processes = run(&place, "plugs");
    let turn = "plugged(one())plugged(another())";
    let expected = format!("main(plugs({}))", turn.repeat(3));
    assert_eq!(only(processes.values().next().unwrap()), expected);
}

/// Libraries that nobody has prepared, loaded by a program that nobody has prepared, again and again.
#[test]
fn libraries_that_are_loaded_later_are_rewritten_as_well() {
    let place = Place::new();
    plugins(&place, &[]);
    let file = compile(&place, "gcc", &["-O1"], include_str!("family.c")).expect("there is gcc");
    let mut program = command(&place, &file);
    program.arg("plugs").env("HINDMOST_TRACE_REWRITE", "all");
    let output = program.output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let processes = traced(&place);
    let turn = "plugged(one())plugged(another())";
    // The program's own functions may have no room.
    let traced = only(processes.values().next().unwrap());
    assert!(traced.contains(&turn.repeat(3)), "{traced}");
    assert_eq!(traced.matches("plugged").count(), 6, "{traced}");
}

/// Where another thread might execute what is changed, nothing is.
#[test]
fn libraries_that_are_loaded_beside_a_thread_are_left_alone() {
    let place = Place::new();
    plugins(&place, &[]);
    let file = compile(&place, "gcc", &["-O1"], include_str!("family.c")).expect("there is gcc");
    let mut program = command(&place, &file);
    program
        .arg("beside")
        .env("HINDMOST_TRACE_REWRITE", "program:first.so");
    let output = program.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(
        said.matches("first.so is left as it is: another thread runs")
            .count(),
        1,
        "{said}"
    );
    let processes = traced(&place);
    let thread = processes.values().next().unwrap().first();
    let traced = line(&thread.events);
    assert!(
        traced.contains("plugs_beside_a_thread(") && !traced.contains("plugged"),
        "{traced}"
    );
}

#[test]
fn threads_that_end_give_all_memory_back() {
    let place = Place::new();
    let processes = run(&place, "threads");
    let threads = &processes.values().next().unwrap().threads;
    assert_eq!(threads.len(), 301);
    let ended = threads
        .values()
        .filter(|thread| thread.about.ended == Some(Ended::Thread));
    for thread in ended.clone() {
        assert_eq!(line(&thread.events), "thread(leaf())");
    }
    assert_eq!(
        ended.count(),
        300,
        "all but the first, which ends with the process"
    );
}

/// The trace ends where the disk is full, and says so; the program does not notice.
#[test]
fn a_full_disk_ends_the_trace_and_not_the_program() {
    let place = Place::new();
    let options = ["-O1", "-DTHREADS=0", "-DTURNS=700"];
    let file = build(&place, "gcc", &options, &program(2, Leaving::Jumps)).expect("there is gcc");
    // The file of the process, a header and a block have room, and nothing else.
    let script = "mkdir small kept && mount -t tmpfs -o size=1300k none small || exit 77
        HINDMOST_TRACE=small LD_PRELOAD=\"$1\" \"$2\"; status=$?
        cp small/* kept && mv kept traces; exit $status";
    let output = Command::new("unshare")
        .args(["-m", "sh", "-c", script, "sh"])
        .args([tracer(), file.clone()])
        .current_dir(place.path())
        .output()
        .unwrap();
    if output.status.code() == Some(77) || String::from_utf8_lossy(&output.stderr).contains("unshare failed")
    {
        eprintln!("left out: no file system can be mounted here: {output:?}");
        return;
    }
    assert!(output.status.success(), "{output:?}");
    let processes = traced(&place);
    let thread = processes.values().next().unwrap().first();
    assert_eq!(thread.about.ended, Some(Ended::NoRoom));
    let logs = logs(&place);
    let log = logs.values().next().unwrap();
    assert!(log.starts_with(&thread.events), "what is there is true");
    assert!(
        thread.events.len() > 10_000,
        "a block has room for more than {}",
        thread.events.len()
    );
    // A jump that leaves several functions counts once.
    let all = thread.events.len() as u64 + thread.about.lost;
    let noted = log.len() as u64;
    assert!((noted * 99 / 100..=noted).contains(&all), "{all} of {noted}");
}
