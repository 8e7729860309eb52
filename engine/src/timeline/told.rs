//! Events that other tools recorded, sorted as those of the flight recorder are.
//!
//! Each rank that a trace has events of is a stream. Ranks that its communicators have beside these have ended, for the sort.

use super::sorting::{Entry, OrderOf, Sorting};
use super::{Lane, Patience, Tie, Timeline, feed, happening, settled};
use base::Id as _;
use causal::{EventId, Flow, GroupId, Link, Operation, StreamId};
use foreign::events::{self, NameId, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// Sorts what another tool has recorded. Nothing is given up: all is there.
#[must_use]
pub fn timeline_of(trace: &Trace) -> Timeline<'_> {
    let told = Told::new(trace);
    let sorting = settled(told.ranks.len() as u32, false, |corrections, _| {
        told.sorted(corrections)
    });
    told.timeline(&sorting)
}

struct Told<'t> {
    trace: &'t Trace,
    /// The ranks of the streams, ascending.
    ranks: Vec<u32>,
}

/// The groups of a sort.
struct Groups {
    /// All streams: messages have numbers that no other one has.
    everybody: Option<GroupId>,
    /// Those of the trace, whose members are known.
    told: Vec<Option<GroupId>>,
}

impl<'t> Told<'t> {
    fn new(trace: &'t Trace) -> Self {
        let lanes = trace.lanes.iter().map(|lane| lane.rank);
        let members = trace
            .groups
            .iter()
            .flat_map(|group| group.members.iter().copied());
        let ranks = BTreeSet::from_iter(lanes.chain(members));
        Self {
            trace,
            ranks: Vec::from_iter(ranks),
        }
    }

    fn stream(&self, rank: u32) -> Option<StreamId> {
        self.ranks.binary_search(&rank).ok().map(StreamId::from_index)
    }

    fn sorted(&self, corrections: &BTreeMap<u32, i64>) -> Sorting {
        let mut sorting = Sorting::new(self.ranks.len() as u32);
        for (&stream, &correction) in corrections {
            sorting
                .sorter
                .set_offset(StreamId::from_index(stream as usize), correction);
        }
        let present = BTreeSet::from_iter(self.trace.events.iter().map(|event| event.rank));
        for (index, rank) in self.ranks.iter().enumerate() {
            if !present.contains(rank) {
                sorting.sorter.end(StreamId::from_index(index), &mut sorting.out);
            }
        }
        let groups = self.groups(&mut sorting);
        feed(
            &mut sorting,
            &self.in_order_of_time(corrections),
            Patience::Endless,
            |sorting, event, now| self.take(sorting, &groups, event, now),
        );
        sorting
    }

    fn groups(&self, sorting: &mut Sorting) -> Groups {
        let everybody = Vec::from_iter((0..self.ranks.len()).map(StreamId::from_index));
        let everybody = sorting.sorter.define(&everybody).ok();
        let told = self.trace.groups.iter().map(|group| {
            let members = group.members.iter().map(|rank| self.stream(*rank));
            sorting.sorter.define(&members.collect::<Option<Vec<_>>>()?).ok()
        });
        Groups {
            told: told.collect(),
            everybody,
        }
    }

    /// All events, by their number in the trace: by their time, each rank's in their order.
    fn in_order_of_time(&self, corrections: &BTreeMap<u32, i64>) -> Vec<(i64, usize)> {
        let mut latest = vec![i64::MIN; self.ranks.len()];
        let mut order = Vec::with_capacity(self.trace.events.len());
        for (number, event) in self.trace.events.iter().enumerate() {
            let Some(stream) = self.stream(event.rank) else {
                continue;
            };
            let correction = corrections.get(&(stream.index() as u32)).copied().unwrap_or(0);
            let latest = &mut latest[stream.index()];
            *latest = (*latest).max(event.time.saturating_add(correction));
            order.push((*latest, number));
        }
        order.sort_by_key(|(time, number)| {
            let event = &self.trace.events[*number];
            (*time, event.rank, event.sequence)
        });
        order
    }

    fn take(&self, sorting: &mut Sorting, groups: &Groups, number: usize, now: u64) {
        let event = &self.trace.events[number];
        let Some(stream) = self.stream(event.rank) else {
            return;
        };
        let tie = match event.tie {
            events::Tie::None => Tie::None,
            events::Tie::Sends(message) => Tie::To(message.peer, message.tag),
            events::Tie::Receives(message) => Tie::From(message.peer, message.tag),
            events::Tie::Enters(part) => Tie::Enters(part.number, part.root),
            events::Tie::Leaves(part) => Tie::Leaves(part.number, part.root),
        };
        let entry = Entry {
            task: stream.index(),
            thread: event.thread,
            step: event.step,
            operation: event.name.map(|name| name.index() as u32),
            communicator: event
                .group
                .and_then(|group| self.trace.groups.get(group)?.identity),
            tie,
        };
        let id = EventId {
            stream,
            sequence: event.sequence,
        };
        sorting.place(id, event.time, self.link(groups, event, stream), entry, now);
    }

    /// What ties an event to others; `None` if it names what is not known.
    fn link(&self, groups: &Groups, event: &events::Event, own: StreamId) -> Option<Link> {
        let message = |message: events::Message, is_sent: bool| {
            let Some(ordinal) = message.number else {
                return Some(None);
            };
            let peer = self.stream(message.peer)?;
            let (from, to) = if is_sent { (own, peer) } else { (peer, own) };
            Some(Some(causal::Message {
                group: groups.everybody?,
                from,
                to,
                tag: 0,
                ordinal,
            }))
        };
        let operation = |part: events::Part| {
            let Some(function) = part.function else {
                return Some(None);
            };
            let root = || self.stream(part.root?);
            let Some(flow) = self.order_of(function).flow(root)? else {
                return Some(None);
            };
            Some(Some(Operation {
                group: (*groups.told.get(event.group?.index())?)?,
                ordinal: part.number,
                flow,
            }))
        };
        Some(match event.tie {
            events::Tie::None => Link::None,
            events::Tie::Sends(told) => message(told, true)?.map_or(Link::None, Link::Sends),
            events::Tie::Receives(told) => message(told, false)?.map_or(Link::None, Link::Receives),
            events::Tie::Enters(part) => operation(part)?.map_or(Link::None, Link::Enters),
            events::Tie::Leaves(part) => operation(part)?.map_or(Link::None, Link::Leaves),
        })
    }

    /// Whose part of an operation comes before whose, by its function.
    fn order_of(&self, function: NameId) -> OrderOf {
        let name = &*self.trace.names[function];
        // A fence that is said to tie its members ends an epoch, or begins one.
        if name == "MPI_Win_fence" {
            return OrderOf::All;
        }
        match library::function(name).map(|row| row.part) {
            Some(library::Part::Collective(flow)) => match flow {
                library::Flow::EveryPart => OrderOf::All,
                library::Flow::FromRoot => OrderOf::Root(Flow::FromRoot),
                library::Flow::ToRoot => OrderOf::Root(Flow::ToRoot),
                library::Flow::Prefix => OrderOf::Prefix,
                library::Flow::Neighbours | library::Flow::Management => OrderOf::Nobody,
            },
            _ => OrderOf::Nobody,
        }
    }

    fn timeline(&self, sorting: &Sorting) -> Timeline<'t> {
        let trace = self.trace;
        let name = |number: u32| &*trace.names[NameId::from_index(number as usize)];
        let rank_of = |stream: StreamId| self.ranks.get(stream.index()).copied().unwrap_or(u32::MAX);
        let happenings = sorting.out.iter().map(|reported| {
            let rank = rank_of(reported.event.id.stream);
            happening(rank, name, reported, rank_of)
        });
        let happenings = Vec::from_iter(happenings);
        let mut lost: BTreeMap<u32, u64> = BTreeMap::new();
        for happening in &happenings {
            *lost.entry(happening.rank).or_default() += happening.standing.lost_before;
        }
        let lanes = trace.lanes.iter().map(|lane| Lane {
            rank: lane.rank,
            host: &lane.host,
            lost: lost.get(&lane.rank).copied().unwrap_or(0),
        });
        let communicators = trace.groups.iter().filter(|group| !group.members.is_empty());
        Timeline {
            lanes: lanes.collect(),
            communicators: communicators
                .filter_map(|group| Some((group.identity?, group.members.clone())))
                .collect(),
            points: sorting.points.clone(),
            untied: sorting.untied,
            left_out: sorting.left_out,
            happenings,
        }
    }
}
