//! Two signals behind exactly so many instructions.

use crate::generate::Rng;
use crate::run::{Place, Step, build, command, traced};
use std::path::Path;

/// What may have been called within a function: each in this order, and each left out or cut off only if the second handler ran.
fn called_by(name: &str) -> &'static [&'static str] {
    match name {
        "first" => &["inner", "inner"],
        "second" | "third" => &["inner"],
        "inner" => &["innermost"],
        "busy" => &["busy", "inner"],
        _ => &[],
    }
}

/// How it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Second {
    /// The handler of the second signal jumps to the main program.
    Jumps,
    /// The second signal kills.
    Kills,
    /// The handler of the second signal returns.
    Returns,
}

/// How often these functions were entered, as the program itself has counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ran {
    first: usize,
    second: usize,
    after: usize,
    busy: usize,
    third: usize,
}

/// Holds a trace against what was run.
fn check(what: &str, end: Second, events: &[Step], ran: Ran) {
    let mut stack: Vec<(&str, Vec<&str>)> = vec![("", Vec::new())];
    let mut entered = Vec::new();
    for event in events {
        match event {
            Step::Enter(name) => {
                entered.push(name.as_str());
                stack.last_mut().unwrap().1.push(name);
                stack.push((name, Vec::new()));
            }
            Step::Exit => {
                let (name, mut called) = stack.pop().expect("no more is left than was entered");
                // Handlers come anywhere.
                called.retain(|called| !["first", "second", "third"].contains(called));
                let expected = called_by(name);
                let is_whole = called == expected || name == "busy" && called == ["inner"];
                let is_cut = ran.second > 1 && expected.starts_with(&called);
                assert!(is_whole || is_cut, "{what}: {name} called {called:?}: {events:?}");
            }
        }
    }
    if end != Second::Kills {
        assert_eq!(stack.len(), 1, "{what}: all was left: {events:?}");
    }
    let counts = |name: &str| entered.iter().filter(|entered| **entered == name).count();
    // The hook of an entry comes before the program counts: what was ended between the two was only traced.
    let compare = |name: &str, ran: usize, may_be_more: bool| {
        let traced = counts(name);
        let most = ran + usize::from(may_be_more);
        assert!(
            (ran..=most).contains(&traced),
            "{what}: {name} traced {traced} times, ran {ran} times: {events:?}"
        );
    };
    compare("first", ran.first, true);
    compare("second", ran.second, false);
    compare("after", ran.after, end == Second::Kills);
    compare("busy", ran.busy, true);
    compare("third", ran.third, false);
}

/// Runs the program with two signals behind so many steps, the second of this number, after so many rounds; holds its trace against what it ran.
fn run(place: &Place, file: &Path, behind: [u64; 2], (end, signal): (Second, i32), rounds: u32) -> Ran {
    let what = format!("{behind:?}, {end:?}, {rounds}");
    let output = command(place, file)
        .args(behind.map(|steps| steps.to_string()))
        .args([signal.to_string(), rounds.to_string()])
        .output()
        .unwrap();
    assert!(output.status.success(), "{what}: {output:?}");
    let ran = String::from_utf8(output.stdout).unwrap();
    let ran = Vec::from_iter(ran.split_whitespace().map(|count| count.parse().unwrap()));
    let ran = match ran[..] {
        [first, second, after, busy, third] => Ran {
            first,
            second,
            after,
            busy,
            third,
        },
        _ => panic!("five counts"),
    };
    let processes = traced(place);
    let thread = processes.values().next().unwrap().first();
    check(&what, end, &thread.events, ran);
    std::fs::remove_dir_all(place.path().join("traces")).unwrap();
    ran
}

#[test]
fn a_second_signal_while_the_first_is_taken_up() {
    let times = std::env::var("HINDMOST_STEPPED").map_or(40, |times| times.parse().unwrap());
    let seed = std::env::var("HINDMOST_SEED").map_or(27, |seed| seed.parse().unwrap());
    println!("HINDMOST_SEED={seed}");
    let mut rng = Rng(seed);
    let place = Place::new();
    let file = build(&place, "gcc", &["-O1"], include_str!("stepped.c")).expect("there is gcc");
    let mut both_came = 0;
    for turn in 0..times {
        let second = match turn % 2 {
            0 => (Second::Jumps, libc::SIGUSR2),
            _ => (Second::Kills, libc::SIGKILL),
        };
        // What is foretold takes fewer steps.
        let (rounds, most) = match turn / 2 % 2 {
            0 => (0, [1200, 1800]),
            _ => (60, [400, 1800]),
        };
        let ran = run(&place, &file, most.map(|most| rng.below(most)), second, rounds);
        // What happens once before it is single-stepped counts, too.
        both_came += usize::from(ran.first == 2 && (ran.second == 2 || ran.after == 1));
    }
    assert!(
        both_came > times / 4,
        "both signals came {both_came} times of {times}"
    );
}

/// After so many steps most builds of the tracer are within a hook: of events that are foretold, which take few.
const IN_A_HOOK: [u64; 3] = [294, 306, 312];

/// The first signal interrupts a hook; at one of these steps that hook is busy no more, and has not yet taken what the handler has queued.
#[test]
fn a_second_signal_in_front_of_what_the_first_has_queued() {
    let place = Place::new();
    let file = build(&place, "gcc", &["-O1"], include_str!("stepped.c")).expect("there is gcc");
    for first in IN_A_HOOK {
        for steps in 1140..1220 {
            run(&place, &file, [first, steps], (Second::Jumps, libc::SIGUSR2), 60);
        }
    }
}

/// The first signal interrupts a hook, and the second one its handler, anywhere while that queues a call.
#[test]
fn a_second_signal_while_the_first_is_queued() {
    let place = Place::new();
    let file = build(&place, "gcc", &["-O1"], include_str!("stepped.c")).expect("there is gcc");
    for first in IN_A_HOOK {
        for steps in (60..300).step_by(3) {
            run(
                &place,
                &file,
                [first, steps],
                (Second::Returns, libc::SIGWINCH),
                60,
            );
        }
    }
}
