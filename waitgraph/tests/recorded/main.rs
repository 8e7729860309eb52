//! The wait graph against executed programs: random programs of messages, requests and collective operations are run by an interpreter of
//! MPI's semantics in random schedules and frozen at random moments. Whoever is said to be stuck must never go on, in any of many
//! continuations; when nobody can move, all that are left must be said to be stuck; and while `on` does nothing, nobody who waits for it alone goes on.

mod machine;
mod records;
mod scale;
mod sizes;
mod transfers;

use base::Random;
use machine::{Machine, Statement};
use std::collections::BTreeMap;
use std::sync::Arc;
use waitgraph::recorded::{
    Channel, Collective, Division, From, How, Identity, Item, Peers, Portions, Presence, Receive, Recorded,
    Waits,
};
use waitgraph::{Certainty, Differ, Mismatch, Rank, Why, wait_graph};

/// Counts of what was seen, so that a test of nothing fails.
#[derive(Debug, Default)]
struct Seen {
    stuck: usize,
    cycles: usize,
    edges: usize,
    /// Waits of one thread while another of its task goes on.
    partly: usize,
    deadlocks: usize,
}

fn check(seed: u64, seen: &mut Seen) {
    let mut random = Random(seed);
    let mut machine = Machine::random(&mut random);
    let moves = random.below(120);
    let all_moved = machine.run(&mut random, moves, |_| true) > 0;
    let tasks = machine.programs.len().min(machine.entered.len());
    let records: Vec<Recorded> = (0..tasks).map(|task| machine.record(task)).collect();
    let graph = wait_graph(&records);
    seen.stuck += graph.stuck.len();
    seen.cycles += graph.cycles.len();
    assert!(
        graph.missing.is_empty() && graph.mismatches.is_empty(),
        "seed {seed}: {graph:?}"
    );
    // Whoever is stuck is held by somebody who cannot go on either, in the end by a closed group or by one that is gone.
    assert!(
        graph.stuck.is_empty() || graph.closed > 0 || !graph.orphans.is_empty(),
        "seed {seed}: {graph:?}"
    );
    for (at, cycle) in graph.cycles.iter().enumerate() {
        let own = graph.edges.iter().filter(|edge| cycle.contains(&edge.waiter));
        let outside = |on: &Rank| graph.stuck.contains(on) && !cycle.contains(on);
        let leads_out = own.flat_map(|edge| edge.on.iter()).any(|on| outside(&on));
        assert_eq!(leads_out, at >= graph.closed, "seed {seed}: {graph:?}");
    }
    for trial in 0..12 {
        let mut random = Random(seed ^ trial << 40);
        let mut later = machine.clone();
        later.run(&mut random, 400, |_| true);
        for stuck in &graph.stuck {
            for thread in machine.threads(stuck.0 as usize) {
                assert_eq!(
                    later.at[thread], machine.at[thread],
                    "seed {seed}: {stuck:?} went on\n{records:#?}\n{graph:#?}"
                );
            }
        }
    }
    if all_moved {
        let done = |task: usize| {
            machine
                .threads(task)
                .iter()
                .filter(|&&thread| machine.is_done(thread))
                .count()
        };
        let left = (0..tasks).filter(|&task| done(task) < machine.threads(task).len());
        let left: Vec<Rank> = left.map(|task| Rank(task as u32)).collect();
        seen.deadlocks += usize::from(!left.is_empty());
        // A thread that is at its program's end is outside of MPI like any other, and may do anything.
        if left.iter().any(|rank| done(rank.0 as usize) > 0) {
            return;
        }
        // Which message a receive has taken that takes several is known only once it is complete: behind such a one a message may have come.
        let is_open = |task: &Recorded| {
            let open = |each: &Receive| each.tag.is_none() || matches!(each.from, From::AnyOf(_));
            let takers = task.posted.iter().filter(|each| open(each)).count();
            let mut threads = machine.threads(task.rank.0 as usize).into_iter();
            let alone = task.posted.len() == 1
                && threads.any(|thread| matches!(machine.step(thread), Some(Statement::Receive(..))));
            takers > 0 && !alone
        };
        if records.iter().any(is_open) {
            return;
        }
        assert_eq!(
            graph.stuck, left,
            "seed {seed}: nobody moves\n{records:#?}\n{graph:#?}"
        );
        assert!(
            left.is_empty() || !graph.cycles.is_empty() || !graph.orphans.is_empty(),
            "seed {seed}: {graph:?}"
        );
    }
    for edge in &graph.edges {
        let alternatives = matches!(
            edge.why,
            Why::Message {
                alternatives: true,
                ..
            }
        );
        let thread = machine.threads(edge.waiter.0 as usize)[edge.thread];
        let is_one_of = matches!(machine.step(thread), None | Some(Statement::WaitAny));
        if alternatives || edge.certainty != Certainty::Proven || is_one_of {
            continue;
        }
        seen.edges += 1;
        seen.partly += usize::from(graph.partly.contains(&edge.waiter));
        for (trial, on) in (0..6).flat_map(|trial| edge.on.iter().map(move |on| (trial, on.0 as usize))) {
            let mut random = Random(seed ^ trial << 41);
            let mut later = machine.clone();
            later.run(&mut random, 400, |task| task != on);
            assert_eq!(
                later.at[thread], machine.at[thread],
                "seed {seed}: {edge:?}\n{records:#?}"
            );
        }
    }
}

#[test]
fn who_is_stuck_never_goes_on() {
    let mut seen = Seen::default();
    for seed in 0..12_000 {
        check(seed, &mut seen);
    }
    let Seen {
        stuck,
        cycles,
        edges,
        partly,
        deadlocks,
    } = seen;
    assert!(
        stuck > 5_000 && cycles > 500 && edges > 10_000 && partly > 200 && deadlocks > 2_000,
        "{seen:?}"
    );
}
