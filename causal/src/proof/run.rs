//! Runs that could have been: processes that send, receive and take part in collective operations, with the events that they would write.

use super::Choices;
use crate::{Event, EventId, Flow, GroupId, Link, Message, Operation, StreamId};
use base::Id;
use std::collections::BTreeMap;

/// How large a run is.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Processes, at most.
    pub streams: usize,
    /// Events, about.
    pub events: usize,
    /// How many steps of a stream an event may come out of turn; 0 for streams that keep their order.
    pub shuffle: usize,
}

/// A run: its events in an order in which they happened.
#[derive(Clone, Debug)]
pub struct Run {
    /// How many processes.
    pub streams: u32,
    /// The members of each group. The first has all.
    pub groups: Vec<Vec<StreamId>>,
    /// The events.
    pub events: Vec<Event<()>>,
    shuffle: usize,
}

pub(super) fn group_of(link: Link) -> Option<GroupId> {
    match link {
        Link::None => None,
        Link::Sends(message) | Link::Receives(message) => Some(message.group),
        Link::Enters(operation) | Link::Leaves(operation) => Some(operation.group),
    }
}

/// What a process has done, as far as it decides what it may do next.
#[derive(Default)]
struct Process {
    sequence: u64,
    offset: i64,
    /// The clock's speed, in thousandths.
    speed: i64,
    /// For each group that it knows, the operations begun and ended.
    parts: BTreeMap<usize, (u64, u64)>,
}

struct Maker<'c, 'b> {
    choices: &'c mut Choices<'b>,
    run: Run,
    processes: Vec<Process>,
    /// Messages by group, sender, receiver and tag: sent and received.
    channels: BTreeMap<(usize, usize, usize, i64), (u64, u64)>,
    flows: BTreeMap<(usize, u64), Flow>,
    /// What a member of the group's operation knows once it has ended its part: the group made by it.
    made_by: BTreeMap<(usize, u64), usize>,
    time: i64,
}

impl Run {
    /// A run made by these choices.
    pub fn generate(choices: &mut Choices<'_>, shape: Shape) -> Run {
        let streams = 1 + choices.below(shape.streams);
        let everyone = Vec::from_iter((0..streams).map(StreamId::from_index));
        let mut process = |_| Process {
            offset: choices.below(20_000) as i64 - 10_000,
            speed: 900 + choices.below(200) as i64,
            parts: BTreeMap::from([(0, (0, 0))]),
            sequence: 0,
        };
        let processes = Vec::from_iter((0..streams).map(&mut process));
        let mut maker = Maker {
            choices,
            run: Run {
                streams: streams as u32,
                groups: vec![everyone],
                events: Vec::new(),
                shuffle: shape.shuffle,
            },
            processes,
            channels: BTreeMap::new(),
            flows: BTreeMap::new(),
            made_by: BTreeMap::new(),
            time: 0,
        };
        while maker.run.events.len() < shape.events && !maker.choices.is_over() {
            maker.step();
        }
        maker.run
    }

    /// An order in which the events are delivered: each stream in its order, or nearly so.
    pub fn delivery(&self, choices: &mut Choices<'_>) -> Vec<usize> {
        let mut streams: Vec<Vec<usize>> = vec![Vec::new(); self.streams as usize];
        for (index, event) in self.events.iter().enumerate().rev() {
            streams[event.id.stream.index()].push(index);
        }
        let mut order = Vec::new();
        while order.len() < self.events.len() {
            let first = choices.below(streams.len());
            let burst = 1 + choices.below(6);
            let all = streams.len();
            let stream = &mut streams[first];
            if stream.is_empty() {
                // Whoever has events is found although choices may be used up.
                let Some(other) = (0..all).find(|&other| !streams[other].is_empty()) else {
                    break;
                };
                streams.swap(first, other);
                continue;
            }
            for _ in 0..burst.min(stream.len()) {
                let early = choices.below(self.shuffle + 1).min(stream.len() - 1);
                order.push(stream.remove(stream.len() - 1 - early));
            }
        }
        order
    }
}

impl Maker<'_, '_> {
    fn step(&mut self) {
        let who = self.choices.below(self.processes.len());
        self.time += 1 + self.choices.below(100) as i64;
        match self.choices.below(8) {
            0 => self.add(who, Link::None),
            1 | 2 => self.send(who),
            3 | 4 => self.receive(who),
            5 => self.enter(who),
            _ => self.leave(who),
        }
    }

    fn add(&mut self, who: usize, link: Link) {
        let process = &mut self.processes[who];
        let time = process.offset + self.time * process.speed / 1000;
        let id = EventId {
            stream: StreamId::from_index(who),
            sequence: process.sequence,
        };
        process.sequence += 1;
        self.run.events.push(Event {
            id,
            time,
            link,
            what: (),
        });
    }

    /// One of the groups that a process knows.
    fn group(&mut self, who: usize) -> usize {
        let known = Vec::from_iter(self.processes[who].parts.keys().copied());
        known[self.choices.below(known.len())]
    }

    fn message((group, from, to, tag): (usize, usize, usize, i64), ordinal: u64) -> Message {
        Message {
            group: GroupId::from_index(group),
            from: StreamId::from_index(from),
            to: StreamId::from_index(to),
            tag,
            ordinal,
        }
    }

    fn send(&mut self, who: usize) {
        let group = self.group(who);
        let members = &self.run.groups[group];
        let to = members[self.choices.below(members.len())].index();
        let key = (group, who, to, self.choices.below(2) as i64);
        let sent = &mut self.channels.entry(key).or_default().0;
        let ordinal = *sent;
        *sent += 1;
        self.add(who, Link::Sends(Self::message(key, ordinal)));
    }

    fn receive(&mut self, who: usize) {
        let open = self
            .channels
            .iter()
            .filter(|(key, (sent, received))| key.2 == who && received < sent);
        let open = Vec::from_iter(open.map(|(key, _)| *key));
        if open.is_empty() {
            return;
        }
        let key = open[self.choices.below(open.len())];
        let Some((_, received)) = self.channels.get_mut(&key) else {
            return;
        };
        let ordinal = *received;
        *received += 1;
        self.add(who, Link::Receives(Self::message(key, ordinal)));
    }

    fn operation(&self, group: usize, ordinal: u64) -> Operation {
        Operation {
            group: GroupId::from_index(group),
            ordinal,
            flow: self.flows[&(group, ordinal)],
        }
    }

    fn enter(&mut self, who: usize) {
        let group = self.group(who);
        let members = &self.run.groups[group];
        let root = members[self.choices.below(members.len())];
        let flow = match self.choices.below(5) {
            0 => Flow::Everyone,
            1 => Flow::FromRoot(root),
            2 => Flow::ToRoot(root),
            3 => Flow::Neighbours,
            _ => Flow::Prefix,
        };
        let Some((begun, _)) = self.processes[who].parts.get_mut(&group) else {
            return;
        };
        let ordinal = *begun;
        *begun += 1;
        self.flows.entry((group, ordinal)).or_insert(flow);
        self.add(who, Link::Enters(self.operation(group, ordinal)));
    }

    fn leave(&mut self, who: usize) {
        let open = self.processes[who]
            .parts
            .iter()
            .filter(|(_, (begun, ended))| ended < begun);
        let open = Vec::from_iter(open.map(|(group, (_, ended))| (*group, *ended)));
        if open.is_empty() {
            return;
        }
        let (group, ordinal) = open[self.choices.below(open.len())];
        if !self.may_leave(who, group, ordinal) {
            return;
        }
        if let Some((_, ended)) = self.processes[who].parts.get_mut(&group) {
            *ended += 1;
        }
        let operation = self.operation(group, ordinal);
        self.add(who, Link::Leaves(operation));
        if operation.flow == Flow::Everyone {
            self.construct(who, (group, ordinal));
        }
    }

    fn may_leave(&self, who: usize, group: usize, ordinal: u64) -> bool {
        let members = &self.run.groups[group];
        let begun = |member: &StreamId| {
            let parts = &self.processes[member.index()].parts;
            parts.get(&group).is_some_and(|(begun, _)| *begun > ordinal)
        };
        let own = members
            .iter()
            .position(|member| member.index() == who)
            .unwrap_or(0);
        match self.flows[&(group, ordinal)] {
            Flow::Everyone => members.iter().all(begun),
            Flow::FromRoot(root) => begun(&root),
            Flow::ToRoot(root) => root.index() != who || members.iter().all(begun),
            Flow::Neighbours => own == 0 || begun(&members[own - 1]),
            Flow::Prefix => members[..own].iter().all(begun),
        }
    }

    /// Some barriers make a group of some members, in an order of its own.
    fn construct(&mut self, who: usize, operation: (usize, u64)) {
        if !self.made_by.contains_key(&operation) {
            if self.choices.below(4) != 0 || self.run.groups.len() > 6 {
                return;
            }
            let mut rest = self.run.groups[operation.0].clone();
            let size = 1 + self.choices.below(rest.len());
            let mut members = Vec::new();
            for _ in 0..size {
                members.push(rest.swap_remove(self.choices.below(rest.len())));
            }
            self.made_by.insert(operation, self.run.groups.len());
            self.run.groups.push(members);
        }
        let made = self.made_by[&operation];
        if self.run.groups[made].contains(&StreamId::from_index(who)) {
            self.processes[who].parts.insert(made, (0, 0));
        }
    }
}
