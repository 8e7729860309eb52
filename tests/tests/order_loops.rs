//! The scoreboard: what the map claims of loop variables, against what they do.
//!
//! Every sheet of `loops/` is built with its marks turned into logging and run as three ranks. A claim that a run
//! contradicts fails the test: a strict variable that is not, a sequence that differs by rank, a count of steps
//! that is not the iteration. So does a score below the floors at the end of this file. The table is printed with
//! `--nocapture`, with the loops that are lost and what the map refuses them for.

use progress_map::Map;
use tests::loops::{Score, Sheet, run, score};
use tests::oracle::judge::Command;

fn scores(sheet: &Sheet) -> Vec<Score> {
    let command = Command::find().unwrap_or_else(|e| panic!("{e}"));
    let dir = command.directory(0).unwrap();
    let bytes = std::fs::read(command.map(&dir.path, &sheet.text).unwrap()).unwrap();
    let map = Map::from_bytes(&bytes).unwrap();
    let runs = run(sheet, &map, &dir.path).unwrap_or_else(|e| panic!("{e}"));
    score(sheet, &map, &runs).unwrap_or_else(|e| panic!("{e}"))
}

/// Prints the table, fails on a false claim, and returns how many loops can be won and how many are, as `counts` says which
/// of them do.
fn judge(sheet: &Sheet, counts: fn(&Score) -> bool) -> (usize, usize) {
    let scores = scores(sheet);
    println!(
        "{:<26} {:<17} {:<21} because",
        sheet.name, "first variable", "best claim"
    );
    for score in &scores {
        println!("{score}");
    }
    let winnable = scores.iter().filter(|score| counts(score));
    let lost: Vec<&Score> = winnable.clone().filter(|score| !score.is_won()).collect();
    let all = winnable.count();
    let won = all - lost.len();
    println!("won {won} of {all}; lost:");
    for score in &lost {
        println!("  {} {}: {}", score.function, score.variable, score.because);
    }
    let false_claims = Vec::from_iter(scores.iter().flat_map(|score| &score.contradictions));
    assert!(
        false_claims.is_empty(),
        "{} false claims in {}:\n{false_claims:#?}",
        false_claims.len(),
        sheet.name
    );
    (all, won)
}

/// The loops with a measured truth: in 26 of them the first variable is strict over the whole run and the same on all
/// ranks.
#[test]
fn numbered_loops() {
    let sheet = Sheet::new("numbered.c", include_str!("loops/numbered.c"));
    assert_eq!(sheet.marks.len(), 42);
    let (all, won) = judge(&sheet, |score| score.truth.is_strict_and_same());
    assert_eq!(all, 26, "the runs do not show what was measured");
    assert!(won >= NUMBERED, "won only {won} of {all}");
}

#[test]
fn plain_loops() {
    let sheet = Sheet::new("plain.c", include_str!("loops/plain.c"));
    let (all, won) = judge(&sheet, |score| score.winnable);
    assert!(won >= PLAIN, "won only {won} of {all}");
}

/// How many of the numbered loops must be won.
const NUMBERED: usize = 24;
/// How many of the plain loops must be won.
const PLAIN: usize = 50;

/// Loops made to be claimed wrongly; what is won of them does not matter.
#[test]
fn tricky_loops() {
    let sheet = Sheet::new("tricky.c", include_str!("loops/tricky.c"));
    judge(&sheet, |score| score.winnable);
}

/// Loops as programs have them.
#[test]
fn kinds_of_loops() {
    let sheet = Sheet::new("kinds.c", include_str!("loops/kinds.c"));
    let (all, won) = judge(&sheet, |score| score.winnable);
    assert!(won >= KINDS, "won only {won} of {all}");
}

/// Loops whose variables move in callees, with starts and communicators that come from elsewhere.
#[test]
fn loops_with_callees() {
    let sheet = Sheet::new("callees.c", include_str!("loops/callees.c"));
    let (all, won) = judge(&sheet, |score| score.winnable);
    assert!(won >= CALLEES, "won only {won} of {all}");
}

/// How many of those with callees must be won.
const CALLEES: usize = 23;

/// Loops that count in structures, and in globals, that other functions set and step.
#[test]
fn loops_with_state_that_is_handed_on() {
    let sheet = Sheet::new("members.c", include_str!("loops/members.c"));
    let (all, won) = judge(&sheet, |score| score.winnable);
    assert!(won >= MEMBERS, "won only {won} of {all}");
}

/// How many of those that are handed on must be won.
const MEMBERS: usize = 12;

/// Loops whose iterations are divided among threads, compiled with OpenMP.
#[test]
fn openmp_loops() {
    let sheet = Sheet::new("openmp.c", include_str!("loops/openmp.c"));
    judge(&sheet, |score| score.winnable);
}

/// How many of the kinds must be won.
const KINDS: usize = 50;
