//! Slices and flows of threads as events of ranks.

use super::build::{Names, is_of_mpi};
use super::chrome::Key;
use super::{Event, Message, NameId, Step, Tie, Trace};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A thread of a process, by their numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Thread {
    pub(super) process: Key,
    pub(super) thread: Key,
}

/// A flow: its category, name and id.
type Flow = (String, String, Key);

/// What happens at a moment.
#[derive(Clone, Debug)]
pub(super) enum Phase {
    /// A slice begins.
    Begins,
    /// The innermost open one ends.
    Ends,
    /// A slice begins that ends then.
    Lasts(i64),
    /// A flow begins.
    Gives(Flow),
    /// It comes by, and goes on.
    Passes(Flow),
    /// It ends.
    Takes(Flow),
}

#[derive(Debug)]
struct Moment {
    time: i64,
    phase: Phase,
    name: NameId,
}

/// All threads.
#[derive(Debug, Default)]
pub(super) struct Threads {
    names: Names,
    threads: BTreeMap<Thread, Vec<Moment>>,
    /// Slices of MPI's functions are there.
    has_mpi: bool,
}

/// An end of a flow, at an event.
struct End {
    time: i64,
    event: usize,
}

/// Where flows of one id begin, and where they end.
#[derive(Default)]
struct Ends {
    given: Vec<End>,
    taken: Vec<End>,
}

type Flows = BTreeMap<Flow, Ends>;

impl Threads {
    pub(super) fn add(&mut self, thread: Thread, time: i64, phase: Phase, name: &str) {
        self.has_mpi |= is_of_mpi(name);
        let name = self.names.id(name);
        self.threads
            .entry(thread)
            .or_default()
            .push(Moment { time, phase, name });
    }

    /// The events, of processes with these ranks and names.
    pub(super) fn trace(mut self, ranks: &BTreeMap<Key, u32>, names: &BTreeMap<Key, String>) -> Trace {
        let by_thread = ranks.len() == 1;
        let mut hosts = BTreeMap::new();
        let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
        let mut events = Vec::new();
        let mut flows = Flows::new();
        for (at, (thread, moments)) in (0..).zip(std::mem::take(&mut self.threads)) {
            let rank = if by_thread {
                at
            } else {
                ranks.get(&thread.process).copied().unwrap_or(0)
            };
            if let Some(name) = names.get(&thread.process) {
                hosts.insert(rank, name.clone());
            }
            let number = counts.entry(rank).or_default();
            self.thread(rank, *number, moments, &mut events, &mut flows);
            *number += 1;
        }
        tie(&mut events, flows);
        // Threads of one rank stand one behind the other so far.
        events.sort_by_key(|event| (event.rank, event.time));
        let trace = Trace {
            names: self.names.into_all(),
            events,
            ..Trace::default()
        };
        trace.count(&hosts)
    }

    /// Adds the events of one thread.
    fn thread(
        &self,
        rank: u32,
        thread: u32,
        moments: Vec<Moment>,
        events: &mut Vec<Event>,
        flows: &mut Flows,
    ) {
        let mut open: Vec<NameId> = Vec::new();
        for Moment { time, phase, name } in in_order(moments) {
            let mut push = |step: Step, name: NameId| {
                events.push(Event {
                    rank,
                    sequence: 0,
                    thread: Some(thread),
                    time,
                    step,
                    name: Some(name),
                    group: None,
                    tie: Tie::None,
                });
                End {
                    time,
                    event: events.len() - 1,
                }
            };
            let is_shown = |name: NameId| !self.has_mpi || is_of_mpi(self.names.name(name));
            match phase {
                Phase::Begins | Phase::Lasts(_) => {
                    open.push(name);
                    if is_shown(name) {
                        push(Step::Begins, name);
                    }
                }
                Phase::Ends => {
                    // One whose beginning is not there has begun before the trace.
                    if let Some(name) = open.pop().filter(|name| is_shown(*name)) {
                        push(Step::Ends, name);
                    }
                }
                Phase::Gives(flow) => {
                    let end = push(Step::Signals, name);
                    flows.entry(flow).or_default().given.push(end);
                }
                Phase::Takes(flow) => {
                    let end = push(Step::Completes, name);
                    flows.entry(flow).or_default().taken.push(end);
                }
                Phase::Passes(flow) => {
                    let (taken, given) = (push(Step::Completes, name), push(Step::Signals, name));
                    let ends = flows.entry(flow).or_default();
                    ends.taken.push(taken);
                    ends.given.push(given);
                }
            }
        }
    }
}

/// The moments of a thread by their time; slices that last as their beginnings and ends, each within the one around it.
fn in_order(moments: Vec<Moment>) -> Vec<Moment> {
    let (mut lasting, others): (Vec<_>, Vec<_>) = moments
        .into_iter()
        .partition(|moment| matches!(moment.phase, Phase::Lasts(_)));
    let end_of = |moment: &Moment| match moment.phase {
        Phase::Lasts(until) => until,
        _ => moment.time,
    };
    lasting.sort_by_key(|moment| (moment.time, Reverse(end_of(moment))));
    let mut all = Vec::new();
    let mut open: Vec<(i64, NameId)> = Vec::new();
    let end = |(time, name): (i64, NameId)| Moment {
        time,
        phase: Phase::Ends,
        name,
    };
    for moment in lasting {
        while let Some(ended) = open.pop_if(|(until, _)| *until <= moment.time) {
            all.push(end(ended));
        }
        // One that lasts longer than the one around it has a wrong end.
        let around = open.last().map_or(i64::MAX, |(until, _)| *until);
        open.push((end_of(&moment).min(around), moment.name));
        all.push(Moment {
            phase: Phase::Begins,
            ..moment
        });
    }
    all.extend(open.into_iter().rev().map(end));
    all.extend(others);
    all.sort_by_key(|moment| moment.time);
    all
}

/// Ties flows that lead from one rank to another.
fn tie(events: &mut [Event], flows: Flows) {
    let mut number = 0;
    for Ends { mut given, mut taken } in flows.into_values() {
        given.sort_by_key(|end| end.time);
        taken.sort_by_key(|end| end.time);
        for (given, taken) in given.iter().zip(&taken) {
            let (from, to) = (events[given.event].rank, events[taken.event].rank);
            if from == to {
                continue;
            }
            let message = |peer: u32| Message {
                peer,
                tag: None,
                number: Some(number),
            };
            events[given.event].tie = Tie::Sends(message(to));
            events[taken.event].tie = Tie::Receives(message(from));
            number += 1;
        }
    }
}
