//! Programs that nobody has prepared, against what they wrote down themselves; what cannot be rewritten is left alone and listed.

use crate::generate::{Leaving, program};
use crate::run::{Place, Step, command, compile, logs, traced};
use crate::{THREADS, compare, signals};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Starts a program whose functions are rewritten.
fn rewriting(place: &Place, program: &Path) -> Command {
    let mut command = command(place, program);
    command.env("HINDMOST_TRACE_REWRITE", program.file_name().unwrap());
    command
}

/// Functions that were left as they were, with the reason, as the list beside the traces says.
fn left(place: &Place) -> BTreeMap<String, String> {
    let files = std::fs::read_dir(place.path().join("traces")).unwrap();
    let mut lists = files.map(|file| file.unwrap().path());
    let list = lists
        .find(|path| path.extension().unwrap() == "left")
        .expect("there is a list");
    let text = std::fs::read_to_string(list).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let left = BTreeMap::from_iter(rest.lines().map(|line| {
        let (name, why) = line.split_once(": ").unwrap();
        (name.to_owned(), why.to_owned())
    }));
    let count = rest.lines().count();
    assert!(first.contains(&format!(": {count} of ")), "{first}");
    left
}

/// The events of some functions alone.
fn only(events: &[Step], is_meant: &dyn Fn(&str) -> bool) -> Vec<Step> {
    let mut kept = Vec::new();
    let mut stack = Vec::new();
    for event in events {
        let is_kept = match event {
            Step::Enter(name) => {
                stack.push(is_meant(name));
                stack.last().copied()
            }
            Step::Exit => stack.pop(),
        };
        if is_kept == Some(true) {
            kept.push(event.clone());
        }
    }
    kept
}

fn check(seed: u64, leaving: Leaving, compiler: &str, options: &[&str]) -> usize {
    let place = Place::new();
    // What is inlined is no function any more, and one that is there in parts is several.
    let options = [options, &["-fno-inline", THREADS]].concat();
    let Some(file) = compile(&place, compiler, &options, &program(seed, leaving)) else {
        return 0;
    };
    let output = rewriting(&place, &file).output().unwrap();
    let what = format!("seed {seed} of {compiler} {options:?}");
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{what}: {output:?}"
    );
    let left = left(&place);
    let is_noted = |name: &str| name.starts_with("_ZN4HeldD") || name[1..].parse::<u32>().is_ok();
    let is_meant = |name: &str| is_noted(name) && !left.contains_key(name);
    let (processes, logs) = (traced(&place), logs(&place));
    let threads = &processes.values().next().expect("it is traced").threads;
    let mut compared = 0;
    let mut functions = BTreeSet::new();
    for (tid, log) in &logs {
        let thread = &threads[tid];
        let log = only(log, &is_meant);
        let same = crate::run::Thread {
            events: only(&thread.events, &is_meant),
            about: thread.about,
        };
        compare(&what, &same, &log);
        assert_eq!((thread.about.lost, thread.about.ignored), (0, 0), "{what}");
        compared += log.len();
        functions.extend(log.into_iter().filter_map(|step| match step {
            Step::Enter(name) => Some(name),
            Step::Exit => None,
        }));
    }
    assert!(
        functions.len() > 8,
        "{what}: only {functions:?} were rewritten: {left:?}"
    );
    compared
}

#[test]
fn programs_that_nobody_has_prepared() {
    let mut compared = 0;
    for seed in 0..2 {
        for optimised in ["-O0", "-O2", "-Os"] {
            compared += check(seed, Leaving::Jumps, "gcc", &[optimised, "-fno-partial-inlining"]);
        }
        compared += check(
            seed,
            Leaving::Jumps,
            "gcc",
            &["-O3", "-no-pie", "-fcf-protection", "-fno-ipa-cp"],
        );
        compared += check(seed, Leaving::Exceptions, "g++", &["-O2"]);
        compared += check(seed, Leaving::Jumps, "clang", &["-O2"]);
        compared += check(seed, Leaving::Exceptions, "clang++", &["-O1"]);
    }
    // Nothing but empty bytes at the beginning: the ends are rewritten.
    compared += check(1, Leaving::Jumps, "gcc", &["-O2", "-fpatchable-function-entry=5"]);
    assert!(compared > 100_000, "{compared} events show little");
}

#[test]
fn what_cannot_be_rewritten_is_left_alone_and_listed() {
    for (compiler, options) in [
        ("gcc", &["-O2"][..]),
        // Data stand between the code.
        ("gcc", &["-O2", "-no-pie", "-Wl,-z,noseparate-code"]),
        ("clang", &["-O2", "-w"]),
    ] {
        left_alone(compiler, options);
    }
}

fn left_alone(compiler: &str, options: &[&str]) {
    let place = Place::new();
    let Some(file) = compile(&place, compiler, options, include_str!("left_alone.c")) else {
        return;
    };
    let plain = Command::new(&file).output().unwrap();
    let output = rewriting(&place, &file).output().unwrap();
    assert_eq!(
        (output.status.code(), &output.stdout),
        (Some(0), &plain.stdout),
        "{output:?}"
    );
    let left = left(&place);
    for (name, why) in [
        ("too_short", "no room at its beginning"),
        ("shared", "it shares code with others"),
        ("shares", "it shares code with others"),
        ("again", "it jumps to its own beginning"),
        ("computed", "where it jumps to is computed"),
        ("ends_short", "no room at one of its ends"),
    ] {
        assert_eq!(left.get(name).map(String::as_str), Some(why), "{name}: {left:?}");
    }
    let processes = traced(&place);
    let events = &processes.values().next().unwrap().first().events;
    let entered = |wanted: &str| {
        let names = events
            .iter()
            .filter(|event| **event == Step::Enter(wanted.to_owned()));
        names.count()
    };
    for name in ["traced", "chooses", "calls", "near_filling", "with_filling"] {
        assert_eq!(entered(name), 10, "{name} of {compiler} {options:?}: {left:?}");
    }
    // And once where they are chosen.
    assert_eq!((entered("behind_it"), entered("follows")), (11, 11));
    assert_eq!(left.keys().map(|name| entered(name)).sum::<usize>(), 0);
}

#[test]
fn rewritten_programs_keep_their_registers() {
    let place = Place::new();
    let file = compile(&place, "gcc", &["-O1"], include_str!("registers.c")).expect("there is gcc");
    let output = rewriting(&place, &file).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(!traced(&place).is_empty());
}

#[test]
fn signals_at_any_instant_of_a_rewritten_program() {
    for (options, some_go_away) in [(&["-O2", "-DOTHER_STACK"][..], false), (&["-O2", "-DAWAY"], true)] {
        let place = Place::new();
        let options = [
            options,
            &[
                "-DSIGNALS",
                "-fno-inline",
                "-fno-optimize-sibling-calls",
                "-falign-functions=64",
                THREADS,
            ],
        ]
        .concat();
        let Some(file) = compile(&place, "gcc", &options, &program(0, Leaving::Jumps)) else {
            return;
        };
        let status = rewriting(&place, &file).status().unwrap();
        assert!(status.success(), "{options:?}: {status}");
        let handlers = std::fs::read_to_string(place.path().join("handlers")).unwrap();
        let handlers: usize = handlers.trim().parse().unwrap();
        let processes = traced(&place);
        let is_meant = |name: &str| ["busy", "handler", "inner", "innermost"].contains(&name);
        let events = only(&processes.values().next().unwrap().first().events, &is_meant);
        signals(
            &format!("rewritten, {options:?}"),
            &events,
            handlers,
            some_go_away,
        );
    }
}

/// A whole program of another language with threads, exceptions of its own and tests of its own: these very tests. What they have found before they find under the tracer.
#[test]
fn a_large_program_does_what_it_did() {
    let place = Place::new();
    let own = std::env::current_exe().unwrap();
    let output = rewriting(&place, &own)
        .args([
            "--exact",
            "rewritten::what_cannot_be_rewritten_is_left_alone_and_listed",
            "rewritten::a_panic_is_one",
            "--test-threads",
            "2",
        ])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("2 passed"), "{output:?}");
    assert!(left(&place).len() > 10);
}

#[test]
#[should_panic(expected = "as it should")]
fn a_panic_is_one() {
    panic!("as it should");
}
