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
use waitgraph::{Certainty, Differ, Edge, Mismatch, Rank, WaitGraph, Why, wait_graph};

/// Counts of what was seen, so that a test of nothing fails.
#[derive(Debug, Default)]
struct Seen {
    stuck: usize,
    cycles: usize,
    edges: usize,
    /// Waits of one thread while another of its task goes on.
    partly: usize,
    deadlocks: usize,
    /// Tasks that a library holds up which need not.
    held: usize,
    /// Tasks that are proven to be stuck though threads of others have called nothing yet.
    beside_silent: usize,
}

/// The tasks that are said to be held by each other, or by one that is gone, if the library holds them up.
fn likely_held(graph: &WaitGraph) -> Vec<Rank> {
    let orphans = graph.likely.orphans.iter().map(|(waiter, _)| *waiter);
    graph
        .likely
        .cycles
        .iter()
        .flatten()
        .copied()
        .chain(orphans)
        .collect()
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
        // Waits in which the library may let the waiter go on close no cycle.
        let is_sure =
            |edge: &&Edge| !matches!(edge.why, Why::Entry { .. }) || edge.certainty == Certainty::Proven;
        let own = graph.edges.iter().filter(is_sure);
        let own = own.filter(|edge| cycle.contains(&edge.waiter));
        let outside = |on: &Rank| graph.stuck.contains(on) && !cycle.contains(on);
        let leads_out = own.flat_map(|edge| edge.on.iter()).any(|on| outside(&on));
        assert_eq!(leads_out, at >= graph.closed, "seed {seed}: {graph:?}");
    }
    let held = likely_held(&graph);
    assert!(
        graph.stuck.is_empty() || held.is_empty(),
        "seed {seed}: {graph:?}"
    );
    // What depends on the library is so with one that holds up everybody.
    let has_silent = records.iter().any(|task| task.may_be_joined);
    let held = held.into_iter().filter(|_| machine.holds && !has_silent);
    let held = Vec::from_iter(held);
    seen.held += held.len();
    // A thread that has called nothing yet may free anybody: then only what is proven holds.
    let claimed = if has_silent { &graph.proven } else { &graph.stuck };
    seen.beside_silent += usize::from(has_silent) * claimed.len();
    for trial in 0..12 {
        let mut random = Random(seed ^ trial << 40);
        let mut later = machine.clone();
        later.sleep = false;
        later.run(&mut random, 400, |_| true);
        for stuck in claimed.iter().chain(&held) {
            for thread in machine.threads(stuck.0 as usize) {
                assert_eq!(
                    later.at[thread], machine.at[thread],
                    "seed {seed}: {stuck:?} went on\n{records:#?}\n{graph:#?}"
                );
            }
        }
    }
    if all_moved && !has_silent {
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
        let in_cycle_or_orphan = !graph.cycles.is_empty() || !graph.orphans.is_empty();
        if machine.holds {
            assert!(
                left.is_empty() || in_cycle_or_orphan || !held.is_empty(),
                "seed {seed}: nobody moves\n{records:#?}\n{graph:#?}"
            );
        } else {
            assert_eq!(
                graph.stuck, left,
                "seed {seed}: nobody moves\n{records:#?}\n{graph:#?}"
            );
            assert!(left.is_empty() || in_cycle_or_orphan, "seed {seed}: {graph:?}");
        }
    }
    for edge in &graph.edges {
        let alternatives = matches!(
            edge.why,
            Why::Message {
                alternatives: true,
                ..
            }
        );
        let mut called = machine.threads(edge.waiter.0 as usize);
        if called.len() > 1 {
            called.retain(|&thread| !machine.is_silent(thread));
        }
        let thread = called[edge.thread];
        let is_one_of = matches!(machine.step(thread), None | Some(Statement::WaitAny));
        if alternatives || edge.certainty != Certainty::Proven || is_one_of {
            continue;
        }
        seen.edges += 1;
        seen.partly += usize::from(graph.partly.contains(&edge.waiter));
        for (trial, on) in (0..6).flat_map(|trial| edge.on.iter().map(move |on| (trial, on.0 as usize))) {
            let mut random = Random(seed ^ trial << 41);
            let mut later = machine.clone();
            later.sleep = false;
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
        held,
        beside_silent,
    } = seen;
    assert!(
        stuck > 5_000
            && cycles > 500
            && edges > 10_000
            && partly > 200
            && deadlocks > 2_000
            && held > 300
            && beside_silent > 50,
        "{seen:?}"
    );
}
