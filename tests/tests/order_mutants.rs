//! The oracle against deliberate faults: with any rule of the order broken it must find something wrong, soon.
//!
//! Rules can be broken in a command with debug assertions: one built for release, named by `HINDMOST_BIN`, would be right whatever is asked of it.

use base::mutant::Mutant;
use std::sync::atomic::{AtomicUsize, Ordering};
use tests::oracle::case::View;
use tests::oracle::generate::Profile;
use tests::oracle::judge::Command;
use tests::oracle::{Effort, check_seed};

/// Every mutant must be caught by the programs of this many seeds.
const SEEDS: u64 = 40;

/// The command, with rules that can be broken.
fn command() -> Command {
    Command::find().unwrap_or_else(|error| panic!("{error}"))
}

fn effort() -> Effort {
    Effort {
        pairs: 480,
        self_checks: 0,
        shrinking: 0,
    }
}

fn views(seed: u64) -> Vec<View> {
    vec![View::of_seed(seed, false), View::of_seed(seed, true)]
}

/// The first seed whose program shows that something is wrong, with the finding.
fn caught(command: &Command) -> Result<Option<(u64, Profile, String)>, String> {
    for seed in 0..SEEDS {
        for profile in [Profile::Hard, Profile::Plain] {
            let (case, outcome) = check_seed(profile, seed, command, &views(seed), effort())?;
            if let Some(first) = outcome.findings.iter().min_by_key(|finding| finding.fault) {
                return Ok(Some((seed, profile, first.describe(&case))));
            }
        }
    }
    Ok(None)
}

#[test]
fn every_broken_rule_is_caught() {
    let command = command();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut survivors = Vec::new();
        while let Some(mutant) = Mutant::ALL.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut broken = command.clone();
            broken.mutant = Some(mutant.name().to_owned());
            match caught(&broken).unwrap_or_else(|e| panic!("{}: {e}", mutant.name())) {
                Some((seed, profile, finding)) => {
                    println!(
                        "{}: caught by seed {seed}, {profile:?}\n{finding}\n",
                        mutant.name()
                    );
                }
                None => survivors.push(mutant.name()),
            }
        }
        survivors
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let survivors: Vec<&str> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let joined = threads.into_iter().map(|thread| match thread.join() {
            Ok(survivors) => survivors,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.flatten().collect()
    });
    assert!(
        survivors.is_empty(),
        "not caught within {SEEDS} seeds: {}",
        survivors.join(", ")
    );
}

/// What catches the mutants is their faults, not the build.
#[test]
fn without_a_mutant_the_same_command_is_right() {
    let command = command();
    for seed in 0..8 {
        let (case, outcome) = check_seed(Profile::Hard, seed, &command, &views(seed), effort())
            .unwrap_or_else(|e| panic!("{e}"));
        if let Some(first) = outcome.findings.first() {
            panic!("seed {seed}: {}", first.describe(&case));
        }
    }
}

/// A misspelt mutant must not pass for one that nobody catches.
#[test]
fn a_mutant_that_does_not_exist_is_an_error() {
    let mut broken = command();
    broken.mutant = Some("no-such-rule".to_owned());
    let error = check_seed(Profile::Hard, 0, &broken, &views(0), effort()).unwrap_err();
    assert!(error.contains("no-such-rule"), "{error}");
}
