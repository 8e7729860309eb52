//! Programs under the tracer: what it has written, read by `calltrace`, against what they wrote down themselves.

mod family;
mod generate;
mod places;
mod python;
mod rewritten;
mod run;
mod stepped;

use calltrace::Ended;
use generate::{Leaving, Rng, program};
use run::{Place, Step, Thread, build, command, logs, traced};
use std::time::Duration;

/// Runs a program to its end and holds all its threads against their logs; how many events were compared.
fn check(seed: u64, leaving: Leaving, compiler: &str, options: &[&str]) -> usize {
    let place = Place::new();
    let Some(file) = build(&place, compiler, options, &program(seed, leaving)) else {
        return 0;
    };
    let status = command(&place, &file).status().unwrap();
    assert!(
        status.success(),
        "seed {seed} of {compiler} {options:?}: {status}"
    );
    let (processes, logs) = (traced(&place), logs(&place));
    assert_eq!(processes.len(), 1, "there is one process");
    let threads = &processes.values().next().unwrap().threads;
    assert_eq!(
        Vec::from_iter(threads.keys()),
        Vec::from_iter(logs.keys()),
        "seed {seed}: the same threads"
    );
    for (tid, log) in &logs {
        let thread = &threads[tid];
        compare(&format!("seed {seed} of {compiler} {options:?}"), thread, log);
        assert_eq!(thread.about.lost, 0);
        assert_eq!(thread.about.ignored, 0);
    }
    assert!(
        threads
            .values()
            .filter(|thread| thread.about.ended == Some(Ended::Thread))
            .count()
            == threads.len() - 1,
        "all threads have ended but the first, which ends with the process"
    );
    logs.values().map(Vec::len).sum()
}

fn compare(what: &str, thread: &Thread, log: &[Step]) {
    let events = &thread.events;
    if events == log {
        return;
    }
    let same = events.iter().zip(log).take_while(|(a, b)| a == b).count();
    let near = |steps: &[Step]| steps[same.saturating_sub(6)..steps.len().min(same + 6)].to_vec();
    panic!(
        "{what}: event {same} of {} and {}: traced {:?}, noted {:?}",
        events.len(),
        log.len(),
        near(events),
        near(log)
    );
}

const THREADS: &str = "-DTHREADS=2";

#[test]
fn functions_that_are_left_by_longjmp() {
    let mut compared = 0;
    for seed in 0..3 {
        // A function that was inlined into the one that a jump lands in has the same frame, so that nothing tells that it was left: nothing is inlined at -O3.
        for options in [
            &["-O0", THREADS][..],
            &["-O2", THREADS],
            &["-O3", "-fno-inline", THREADS],
        ] {
            compared += check(seed, Leaving::Jumps, "gcc", options);
        }
        compared += check(seed, Leaving::Jumps, "clang", &["-O2", THREADS]);
    }
    assert!(compared > 100_000, "{compared} events show little");
}

#[test]
fn functions_that_are_left_by_exceptions() {
    let mut compared = 0;
    for seed in 0..3 {
        for optimised in ["-O0", "-O3"] {
            compared += check(seed, Leaving::Exceptions, "g++", &[optimised, THREADS]);
        }
        let options = ["-O2", "-fno-inline", THREADS];
        compared += check(seed, Leaving::Exceptions, "clang++", &options);
    }
    assert!(compared > 100_000, "{compared} events show little");
}

/// Handlers that come at any instant, also while an event is recorded: what they did lies within the rest, whole, and the rest is as it would be without them.
#[test]
fn signals_at_any_instant() {
    for (options, some_go_away) in [
        (&["-O0", "-DSIGNALS", THREADS][..], false),
        (&["-O2", "-DSIGNALS", "-DOTHER_STACK", THREADS], false),
        (&["-O2", "-DSIGNALS", "-DAWAY", THREADS], true),
        (&["-O2", "-DSIGNALS", "-DAWAY", "-DOTHER_STACK", THREADS], true),
    ] {
        let place = Place::new();
        let Some(file) = build(&place, "gcc", options, &program(0, Leaving::Jumps)) else {
            return;
        };
        let status = command(&place, &file).status().unwrap();
        assert!(status.success(), "{options:?}: {status}");
        let processes = traced(&place);
        let thread = processes.values().next().unwrap().first();
        let handlers = std::fs::read_to_string(place.path().join("handlers")).unwrap();
        let handlers: usize = handlers.trim().parse().unwrap();
        assert!(handlers > 20, "{handlers} signals show little");
        signals(&format!("{options:?}"), &thread.events, handlers, some_go_away);
    }
}

fn signals(what: &str, events: &[Step], handlers: usize, some_go_away: bool) {
    let mut stack: Vec<(&str, Vec<&str>)> = vec![("", Vec::new())];
    let mut seen = 0;
    for event in events {
        match event {
            Step::Enter(name) => {
                stack.last_mut().unwrap().1.push(name);
                stack.push((name, Vec::new()));
            }
            Step::Exit => {
                let (name, called) = stack.pop().expect("a trace leaves no more than it entered");
                let is_whole = match name {
                    "handler" => {
                        seen += 1;
                        called == ["inner", "innermost"] || some_go_away && called == ["inner"]
                    }
                    "inner" => called == ["innermost"; 2],
                    "innermost" => called.is_empty(),
                    "busy" => called.iter().all(|name| ["busy", "handler"].contains(name)),
                    other => panic!("{what}: {other} was not called"),
                };
                let may_be_left = some_go_away && name == "busy";
                assert!(is_whole || may_be_left, "{what}: {name} called {called:?}");
            }
        }
    }
    let inside = Vec::from_iter(stack.iter().skip(1).map(|(name, _)| name));
    assert!(inside.is_empty(), "{what}: {inside:?} were not left");
    assert_eq!(seen, handlers, "{what}");
    let own = Vec::from_iter(stack[0].1.iter().filter(|name| **name == "busy"));
    // A handler that goes elsewhere may come in front of the call.
    let least = 4000 - if some_go_away { handlers / 3 } else { 0 };
    assert!(
        (least..=4000).contains(&own.len()),
        "{what}: main called it 4000 times, not {}",
        own.len()
    );
}

/// Whatever the instant: what a killed process leaves is what it did up to there.
#[test]
fn a_killed_process_leaves_all_it_did() {
    let kills = std::env::var("HINDMOST_KILLS").map_or(60, |count| count.parse().unwrap());
    let mut rng = Rng(std::process::id().into());
    let place = Place::new();
    let text = program(5, Leaving::Jumps);
    let file = build(&place, "gcc", &["-O1", "-DFOR_EVER", THREADS], &text).expect("there is gcc");
    let mut events = 0;
    for _ in 0..kills {
        let mut child = command(&place, &file).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(1_000 + rng.below(30_000)));
        child.kill().unwrap();
        child.wait().unwrap();
        let processes = traced(&place);
        let logs = logs(&place);
        for (tid, log) in &logs {
            let threads = processes.values().next().map(|process| &process.threads);
            let empty = Vec::new();
            let thread = threads.and_then(|threads| threads.get(tid));
            let traced = thread.map_or(&empty, |thread| &thread.events);
            let same = traced.iter().zip(log).take_while(|(a, b)| a == b).count();
            // The hook of an entry comes before the note, that of an exit behind it. A jump that leaves several functions is one event of the tracer's at its first note.
            assert!(
                same == traced.len() && log.len() - same <= 1 || same == log.len(),
                "{same} of {} and {}",
                traced.len(),
                log.len()
            );
            events += same;
        }
        std::fs::remove_dir_all(place.path().join("traces")).unwrap();
        for tid in logs.keys() {
            std::fs::remove_file(place.path().join(format!("log.{tid}"))).unwrap();
        }
    }
    assert!(events > 1_000, "{events} events show little");
}
