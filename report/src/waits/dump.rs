//! The wait graph as AutomaDeD dumps its own, for its viewer.
//!
//! Five sections between `#START_…` and `#END_…`, each with a line for every *state*, a place where tasks are: whom it depends on (0 nobody, 1 the other, 2 the other depends on it,
//! as a matrix); its stack, innermost frame first, as `backtrace_symbols` writes frames; its tasks and their number; the same stack as lines of source; and whether it is in a
//! call or in the code behind one. The viewer takes those for least progressed whose line of the matrix has neither 1 nor 3. Commas and colons part fields there, so that
//! none may stand in a name. Of code the recorder knows files and addresses, no lines: these are given as `file+0x12:0`.

use crate::clean::clean;
use engine::recorded::{Least, Place, Waiting};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The dump. `places` are where the tasks are.
#[must_use]
pub fn waits_dump(waiting: &Waiting, places: &[Place]) -> String {
    let mut out = String::new();
    section(&mut out, "DEPENDENCY_GRAPH", matrix(waiting, places));
    let lines = |of: &dyn Fn(&Place) -> String| {
        Vec::from_iter(
            places
                .iter()
                .enumerate()
                .map(|(at, place)| format!("{at}{}", of(place))),
        )
    };
    section(
        &mut out,
        "STATES",
        lines(&|place| format!(":{}", Vec::from_iter(frames(place)).join("|"))),
    );
    section(
        &mut out,
        "TASK_LOC",
        lines(&|place| format!(":{}:{}", place.ranks, place.ranks.len())),
    );
    section(
        &mut out,
        "SOURCE_CODE_LINES",
        lines(&|place| format!(",{}", Vec::from_iter(source_lines(place)).join("\n"))),
    );
    let kind = |place: &Place| {
        let kind = if place.is_computing {
            "COMPUTATION"
        } else {
            "COMMUNICATION"
        };
        format!(":{kind}_CODE")
    };
    section(&mut out, "STATE_TYPES", lines(&kind));
    out
}

fn section(out: &mut String, name: &str, lines: Vec<String>) {
    let _ = writeln!(out, "#START_{name}");
    lines.iter().for_each(|line| out.push_str(&format!("{line}\n")));
    let _ = writeln!(out, "#END_{name}");
}

/// Which state depends on which: by exact waits, and where several are awaited by what was inferred of them.
fn matrix(waiting: &Waiting, places: &[Place]) -> Vec<String> {
    let groups = Vec::from_iter(places.iter().map(|place| place.ranks.clone()));
    let links = waiting.between(&groups).into_iter();
    let mut on: BTreeSet<(usize, usize)> = links
        .map(|link| (link.from, link.to))
        .filter(|&(from, to)| from != to && from < places.len() && to < places.len())
        .collect();
    let place_of = |rank: u32| groups.iter().position(|group| group.contains(rank));
    if let Some(Least { ranks, ahead, .. }) = &waiting.least
        && let (Some(ahead), Some(behind)) =
            (place_of(ahead.0), ranks.first().and_then(|rank| place_of(rank.0)))
        && ahead != behind
    {
        on.insert((ahead, behind));
    }
    let entry = |from: usize, to: usize| match (on.contains(&(from, to)), on.contains(&(to, from))) {
        (true, _) => "1,",
        (false, true) => "2,",
        (false, false) => "0,",
    };
    let row = |from: usize| (0..places.len()).map(|to| entry(from, to)).collect();
    (0..places.len()).map(row).collect()
}

/// The frames of a place, innermost first: the operation, then the call's return addresses.
fn frames(place: &Place) -> impl Iterator<Item = String> + '_ {
    let operation = place
        .operation
        .iter()
        .map(|operation| format!("({})", name(operation)));
    let path = place.path.iter().map(|(file, address)| {
        format!(
            "{}(+{address:#x}) [{address:#x}]",
            name(file.as_deref().unwrap_or("program"))
        )
    });
    operation.chain(path)
}

fn source_lines(place: &Place) -> impl Iterator<Item = String> + '_ {
    let operation = place
        .operation
        .iter()
        .map(|operation| format!("??:0|{}", name(operation)));
    let path = place
        .path
        .iter()
        .map(|(file, address)| format!("{}+{address:#x}:0|??", name(file.as_deref().unwrap_or("program"))));
    operation.chain(path)
}

/// A name without what parts fields or lines.
fn name(text: &str) -> String {
    let text = if text.is_empty() { "program" } else { text };
    clean(text)
        .chars()
        .map(|c| {
            if matches!(c, ',' | ':' | '|' | '#') {
                '_'
            } else {
                c
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::RankSet;

    /// As AutomaDeD's viewer reads it: the states that depend on nobody, and the tasks, frames and kind of each state.
    fn read(dump: &str) -> Vec<(bool, String, Vec<String>, String)> {
        let section = |name: &str| {
            let (_, rest) = dump.split_once(&format!("#START_{name}\n")).expect("it begins");
            Vec::from_iter(
                rest.split_once(&format!("#END_{name}\n"))
                    .expect("it ends")
                    .0
                    .lines(),
            )
        };
        let sum = |row: &str| {
            row.trim_end_matches(',')
                .split(',')
                .map(|entry| entry.parse::<u32>().expect("a number"))
                .filter(|&entry| entry != 2)
                .sum::<u32>()
        };
        let mut states = Vec::from_iter(
            section("DEPENDENCY_GRAPH")
                .iter()
                .map(|row| (sum(row) == 0, String::new(), Vec::new(), String::new())),
        );
        for line in section("TASK_LOC") {
            let [state, tasks, count] = line.split(':').collect::<Vec<_>>()[..] else {
                panic!("{line}")
            };
            let set: RankSet = tasks.parse().expect("a set");
            assert_eq!(set.len().to_string(), count);
            states[state.parse::<usize>().expect("a state")].1 = tasks.to_owned();
        }
        let mut at = None;
        for line in section("SOURCE_CODE_LINES") {
            let (state, frame) = line.split_once(',').map_or((None, line), |(state, frame)| {
                (state.parse::<usize>().ok(), frame)
            });
            at = state.or(at);
            states[at.expect("a state")].2.push(frame.to_owned());
        }
        for line in section("STATE_TYPES") {
            let (state, kind) = line.split_once(':').expect("a kind");
            states[state.parse::<usize>().expect("a state")].3 = kind.to_owned();
        }
        states
    }

    #[test]
    fn the_viewer_of_automaded_reads_whom_the_others_wait_for() {
        let place = |ranks: &str, operation: &str, is_computing| Place {
            ranks: ranks.parse().expect("a set"),
            operation: Some(operation.to_owned()),
            is_computing,
            path: vec![(Some("a,b:c\n|d".to_owned()), 0x10), (None, 0x20)],
        };
        let places = [place("0,2-3", "MPI_Recv", false), place("1", "MPI_Send", true)];
        let waiting = crate::waits::tests::messages(&[(0, 1), (2, 1), (3, 2)]);
        let dump = waits_dump(&waiting, &places);
        let found = read(&dump);
        let who = Vec::from_iter(
            found
                .iter()
                .map(|(is_least, tasks, _, kind)| (*is_least, &tasks[..], &kind[..])),
        );
        assert_eq!(
            who,
            [
                (false, "0,2-3", "COMMUNICATION_CODE"),
                (true, "1", "COMPUTATION_CODE")
            ],
            "{dump}"
        );
        assert_eq!(found[0].2.len(), 3, "{dump}");
        assert!(
            found[0].2[1].starts_with("a_b_c") && found[0].2[1].ends_with("+0x10:0|??"),
            "{dump}"
        );
    }
}
