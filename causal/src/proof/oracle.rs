//! What the complete graph says: when each event can be put out at the earliest, and how long it has to be remembered.
//!
//! It knows the whole run, has an edge for each pair (p² of a collective operation), and goes through it once in an order in which it happened. It shares nothing with the sort but
//! the types of what goes in and comes out.

use super::run::Run;
use crate::{Event, EventId, Flow, Link, Missing, Reported, Sorter, Window};
use std::collections::{BTreeMap, BTreeSet};

/// Never.
const NEVER: usize = usize::MAX;

/// A collective operation: its members' beginnings and ends, by the place in the group.
#[derive(Default)]
struct Parts {
    enters: BTreeMap<usize, usize>,
    leaves: BTreeMap<usize, usize>,
}

/// The answers.
pub struct Oracle<'r> {
    run: &'r Run,
    lost: BTreeSet<EventId>,
    /// For each event those directly before it in other streams.
    causes: Vec<Vec<usize>>,
    /// For each event the one before it in its stream.
    before: Vec<Option<usize>>,
    /// The step at which it can be put out; `NEVER` if something before it is lost.
    earliest: Vec<usize>,
    /// The step at whose end it need not be remembered any more.
    forgotten: Vec<usize>,
    arrival: Vec<usize>,
    /// The first and last step of each operation's node.
    operations: Vec<(usize, usize)>,
    by_id: BTreeMap<EventId, usize>,
    /// By step, how many are put out by then.
    expected: Vec<usize>,
}

impl<'r> Oracle<'r> {
    /// Of a run delivered in this order, but for what is lost.
    #[must_use]
    pub fn new(run: &'r Run, delivery: &[usize], lost: &[usize]) -> Self {
        let count = run.events.len();
        let mut arrival = vec![NEVER; count];
        for (step, &event) in delivery.iter().enumerate() {
            arrival[event] = step;
        }
        let by_id = BTreeMap::from_iter((0..count).map(|event| (run.events[event].id, event)));
        let lost = lost.iter().map(|&event| run.events[event].id).collect();
        let mut oracle = Self {
            run,
            lost,
            causes: vec![Vec::new(); count],
            before: vec![None; count],
            earliest: arrival.clone(),
            forgotten: vec![NEVER; count],
            arrival,
            operations: Vec::new(),
            by_id,
            expected: Vec::new(),
        };
        oracle.connect();
        oracle
    }

    fn connect(&mut self) {
        let run = self.run;
        let mut sends = BTreeMap::new();
        let mut receive_of = BTreeMap::new();
        let mut parts: BTreeMap<_, (Flow, Parts)> = BTreeMap::new();
        for (index, event) in run.events.iter().enumerate() {
            let sequence = event.id.sequence.wrapping_sub(1);
            let stream = event.id.stream;
            self.before[index] = self.by_id.get(&EventId { stream, sequence }).copied();
            match event.link {
                Link::None => {}
                Link::Sends(message) => drop(sends.insert(message, index)),
                Link::Receives(message) => {
                    let send = sends[&message];
                    self.causes[index].push(send);
                    receive_of.insert(send, index);
                }
                Link::Enters(of) | Link::Leaves(of) => {
                    let members = &run.groups[base::Id::index(of.group)];
                    let place = members.iter().position(|&member| member == event.id.stream);
                    let place = place.expect("a run's operations are of members");
                    let (_, parts) = parts
                        .entry((of.group, of.ordinal))
                        .or_insert((of.flow, Parts::default()));
                    match event.link {
                        Link::Enters(_) => parts.enters.insert(place, index),
                        _ => parts.leaves.insert(place, index),
                    };
                }
            }
        }
        for ((group, _), (flow, parts)) in &parts {
            let members = &run.groups[base::Id::index(*group)];
            let place = |stream| members.iter().position(|&member| member == stream);
            for (&taker, &end) in &parts.leaves {
                let givers = parts.enters.iter().filter(|(giver, _)| {
                    let giver = **giver;
                    match *flow {
                        Flow::Everyone => members.len() > 1,
                        Flow::FromRoot(root) => place(root) == Some(giver) && giver != taker,
                        Flow::ToRoot(root) => place(root) == Some(taker) && giver != taker,
                        Flow::Neighbours => giver + 1 == taker,
                        Flow::Prefix => giver < taker,
                    }
                });
                self.causes[end].extend(givers.map(|(_, &begin)| begin));
            }
        }
        self.find_steps(&receive_of, &parts.into_values().collect::<Vec<_>>());
    }

    fn find_steps(&mut self, receive_of: &BTreeMap<usize, usize>, parts: &[(Flow, Parts)]) {
        let run = self.run;
        // A run is in an order in which it happened: all that is before an event is further in front.
        for index in 0..run.events.len() {
            let before = self.causes[index].iter().chain(&self.before[index]);
            let latest = before.map(|&event| self.earliest[event]).max();
            self.earliest[index] = self.earliest[index].max(latest.unwrap_or(0));
        }
        let mut next = vec![NEVER; run.events.len()];
        for (index, before) in self.before.iter().enumerate() {
            if let Some(before) = *before {
                next[before] = self.arrival[index];
            }
        }
        for (index, event) in run.events.iter().enumerate() {
            let mut last = self.earliest[index].max(next[index]);
            if matches!(event.link, Link::Sends(_)) {
                let received = receive_of
                    .get(&index)
                    .map_or(NEVER, |&receive| self.arrival[receive]);
                last = last.max(received);
            }
            self.forgotten[index] = last;
        }
        let all: Vec<usize> = self
            .earliest
            .iter()
            .copied()
            .filter(|&step| step != NEVER)
            .collect();
        self.expected = vec![0; run.events.len() + 1];
        for step in all {
            self.expected[step] += 1;
        }
        for step in 1..self.expected.len() {
            self.expected[step] += self.expected[step - 1];
        }
        for (flow, parts) in parts {
            self.operations.extend(self.life_of(*flow, parts));
        }
    }

    /// From the first to the last step that an operation's node is needed.
    fn life_of(&self, flow: Flow, parts: &Parts) -> Option<(usize, usize)> {
        let sample = parts.enters.values().next()?;
        let (Link::Enters(operation) | Link::Leaves(operation)) = self.run.events[*sample].link else {
            return None;
        };
        let members = &self.run.groups[base::Id::index(operation.group)];
        let last = members.len() - 1;
        if last == 0 {
            return None;
        }
        let root = |root| members.iter().position(|&member| member == root).unwrap_or(0);
        let (givers, takers): (Vec<usize>, Vec<usize>) = match flow {
            Flow::Everyone => ((0..=last).collect(), (0..=last).collect()),
            Flow::FromRoot(from) => (
                vec![root(from)],
                (0..=last).filter(|&place| place != root(from)).collect(),
            ),
            Flow::ToRoot(to) => (
                (0..=last).filter(|&place| place != root(to)).collect(),
                vec![root(to)],
            ),
            Flow::Neighbours | Flow::Prefix => ((0..last).collect(), (1..=last).collect()),
        };
        let told = |place: &usize| {
            parts
                .enters
                .get(place)
                .map_or(NEVER, |&event| self.earliest[event])
        };
        let here = |part: &BTreeMap<usize, usize>, place: &usize| {
            part.get(place).map_or(NEVER, |&event| self.arrival[event])
        };
        let first_giver = givers.iter().map(|place| here(&parts.enters, place)).min()?;
        let first_taker = takers.iter().map(|place| here(&parts.leaves, place)).min()?;
        let all_told = givers.iter().map(told).max()?;
        let all_here = takers.iter().map(|place| here(&parts.leaves, place)).max()?;
        Some((first_giver.min(first_taker), all_told.max(all_here)))
    }

    /// After this step just those events are put out, and just those remembered, that have to be: no later, no longer.
    pub fn check_step(&self, step: usize, sorter: &Sorter<()>, out: &[Reported<()>]) {
        let here = |event: &usize| self.arrival[*event] <= step;
        let mut remembered = Vec::from_iter(
            (0..self.run.events.len())
                .filter(|event| here(event) && self.forgotten[*event] > step)
                .map(|event| self.run.events[event].id),
        );
        remembered.sort_unstable();
        assert_eq!(sorter.remembered(), remembered, "remembered after step {step}");
        let unreported =
            (0..self.run.events.len()).filter(|event| here(event) && self.earliest[*event] > step);
        let alive = self
            .operations
            .iter()
            .filter(|(first, last)| *first <= step && *last > step);
        let window = Window {
            events: remembered.len(),
            unreported: unreported.count(),
            operations: alive.count(),
        };
        assert_eq!(sorter.window(), window, "after step {step}");
        self.check_earliest(step, out);
        assert_eq!(out.len(), self.expected[step], "after step {step}");
    }

    /// What can be put out is, at the latest after this step.
    pub fn check_earliest(&self, step: usize, out: &[Reported<()>]) {
        let mine = out
            .iter()
            .filter(|reported| self.earliest[self.by_id[&reported.event.id]] <= step);
        assert_eq!(mine.count(), self.expected[step], "after step {step}");
    }

    /// The events that are put out, with their places there.
    fn places(&self, out: &[Reported<()>]) -> BTreeMap<usize, usize> {
        let places = out.iter().enumerate();
        places
            .map(|(place, reported)| (self.by_id[&reported.event.id], place))
            .collect()
    }

    /// The output keeps the order, but for what says that it does not; and so do its times.
    pub fn check_order(&self, out: &[Reported<()>]) {
        let places = self.places(out);
        for (&event, &place) in &places {
            let is_late = out[place].standing.missing != Missing::Nothing;
            for (cause, is_own) in self.causes[event]
                .iter()
                .map(|cause| (*cause, false))
                .chain(self.before[event].map(|before| (before, true)))
            {
                let Some(&at) = places.get(&cause) else { continue };
                let is_allowed = is_late && !is_own && out[at].standing.overtaken;
                assert!(
                    at < place || is_allowed,
                    "{:?} is put out before {:?}",
                    out[place],
                    out[at]
                );
                assert!(at > place || is_late || out[at].time <= out[place].time);
            }
        }
    }

    /// Times are those of section 2.6, calculated from the complete graph, and causes are the latest.
    pub fn check_times(&self, out: &[Reported<()>]) {
        let places = self.places(out);
        let mut times = vec![0_i64; self.run.events.len()];
        let mut drifts = vec![0_i64; self.run.streams as usize];
        for (index, event) in self.run.events.iter().enumerate() {
            let Event { id, time, .. } = *event;
            let drift = &mut drifts[base::Id::index(id.stream)];
            for &before in self.causes[index].iter().chain(&self.before[index]) {
                *drift = (*drift).max(times[before] - time);
            }
            times[index] = time + *drift;
            let reported = &out[places[&index]];
            assert_eq!(reported.time, times[index], "{reported:?}");
            let latest = self.causes[index]
                .iter()
                .map(|&cause| (times[cause], self.run.events[cause].id));
            let told = reported.cause.map(|cause| (cause.time, cause.id));
            assert_eq!(told, latest.max(), "{reported:?}");
        }
    }

    /// Who says that something is missing before it is right, and whoever misses something says so.
    pub fn check_flags(&self, out: &[Reported<()>]) {
        for reported in out {
            let event = self.by_id[&reported.event.id];
            let is_lost = |cause: &usize| self.lost.contains(&self.run.events[*cause].id);
            let misses = self.causes[event].iter().any(is_lost);
            let says = reported.standing.missing != Missing::Nothing;
            // An operation may wait for members that have not begun at the end of the run.
            assert!(says || !misses, "{reported:?}");
            if self.earliest[event] != NEVER {
                assert!(!says && reported.standing.lost_before == 0, "{reported:?}");
            }
            let id = reported.event.id;
            let lost_before = (0..id.sequence).rev().take_while(|&sequence| {
                let stream = id.stream;
                self.lost.contains(&EventId { stream, sequence })
            });
            assert_eq!(
                reported.standing.lost_before,
                lost_before.count() as u64,
                "{reported:?}"
            );
        }
    }
}
