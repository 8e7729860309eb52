//! The sort itself: an event is placed into the graph as it comes, put out as soon as all that comes before it is, and forgotten as soon as all that comes
//! directly after it has come and noticed (Figure 2 of the paper).

use crate::error::{Error, Refused};
use crate::event::{Event, EventId, GroupId, Link, Message, Missing, Reported, Standing, StreamId};
use crate::group::Groups;
use crate::hub::{Hub, Told};
use crate::node::{HubId, Node, NodeId, Partner};
use crate::slab::Slab;
use base::{Id, IdVec};
use hashbrown::HashMap;
use std::collections::{BTreeMap, VecDeque};

/// How much is kept and believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Events that are remembered at once, at most.
    pub events: usize,
    /// How far behind the next event of its stream one may be that comes out of turn.
    pub ahead: u64,
    /// How many nanoseconds may lie between an event and the one of its stream that came before it.
    pub jump: u64,
}

impl Default for Limits {
    /// Some gigabytes at most, and a hundred days.
    fn default() -> Self {
        Self {
            events: 1 << 24,
            ahead: 1 << 20,
            jump: 100 * 24 * 3600 * 1_000_000_000,
        }
    }
}

/// How large the part of the graph is that has to be kept (Figure 3 of the paper).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Events.
    pub events: usize,
    /// Those of them that are not put out.
    pub unreported: usize,
    /// Collective operations under way, which are a node each.
    pub operations: usize,
}

/// One half of a message whose other half is not here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    /// The send has begun.
    Sent(NodeId),
    /// The receive has ended.
    Awaited(NodeId),
    /// The receive was put out without the send.
    Forced,
}

#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// The next event that has not come.
    pub(crate) front: u64,
    /// The last before it, while its successor has not come.
    pub(crate) tail: Option<NodeId>,
    /// Events behind a gap.
    pub(crate) ahead: BTreeMap<u64, NodeId>,
    /// Events lost since `tail`.
    pub(crate) lost: u64,
    /// Whether any were ever lost.
    pub(crate) has_lost: bool,
    /// When the last that came was.
    latest: Option<i64>,
    /// How much its clock is put forward (section 2.6).
    drift: i64,
    pub(crate) has_ended: bool,
}

/// Events of many streams, in any order of arrival, to one stream in causal order.
///
/// It has no clock of its own: see [`Sorter::advance`].
#[derive(Debug)]
pub struct Sorter<T> {
    pub(crate) streams: IdVec<StreamId, Stream>,
    pub(crate) groups: Groups,
    pub(crate) nodes: Slab<NodeId, Node<T>>,
    pub(crate) hubs: Slab<HubId, Hub>,
    pub(crate) messages: HashMap<Message, Half>,
    pub(crate) operations: HashMap<(GroupId, u64), HubId>,
    ready: VecDeque<NodeId>,
    pub(crate) released: Vec<(NodeId, Told)>,
    limits: Limits,
    now: u64,
    unreported: usize,
    pub(crate) ended: usize,
}

impl<T> Sorter<T> {
    /// A sort of so many streams.
    #[must_use]
    pub fn new(streams: u32, limits: Limits) -> Self {
        Self {
            streams: (0..streams).map(|_| Stream::default()).collect(),
            groups: Groups::default(),
            nodes: Slab::new(),
            hubs: Slab::new(),
            messages: HashMap::new(),
            operations: HashMap::new(),
            ready: VecDeque::new(),
            released: Vec::new(),
            limits,
            now: 0,
            unreported: 0,
            ended: 0,
        }
    }

    /// One more stream: a process that was started later.
    pub fn open(&mut self) -> StreamId {
        self.streams.push(Stream::default())
    }

    /// Puts a stream's clock forward, or back, by so many nanoseconds: what is known of it before its first event ([`crate::Offsets`]). Later it would let its times run backwards, and is
    /// left out.
    pub fn set_offset(&mut self, stream: StreamId, nanoseconds: i64) {
        if let Some(stream) = self.streams.as_mut_slice().get_mut(stream.index())
            && stream.latest.is_none()
        {
            stream.drift = nanoseconds;
        }
    }

    /// A group of these streams, in their order: before the first event that names it.
    ///
    /// # Errors
    ///
    /// Members that are no streams or are there twice, or none.
    pub fn define(&mut self, members: &[StreamId]) -> Result<GroupId, Error> {
        self.groups.define(members, self.streams.len())
    }

    /// Forgets a group: no event that names it follows.
    pub fn retire(&mut self, group: GroupId) {
        self.groups.retire(group);
    }

    /// It is now so late, in a unit of the caller's: what comes from now on has come at this moment. It never goes back.
    pub fn advance(&mut self, now: u64) {
        self.now = self.now.max(now.min(u64::MAX - 1));
    }

    /// How large the graph is.
    #[must_use]
    pub fn window(&self) -> Window {
        Window {
            events: self.nodes.len(),
            unreported: self.unreported,
            operations: self.hubs.len(),
        }
    }

    /// The events that are remembered, in the order of their ids.
    #[must_use]
    pub fn remembered(&self) -> Vec<EventId> {
        let mut ids = Vec::from_iter(self.nodes.iter().map(|(_, node)| node.id));
        ids.sort_unstable();
        ids
    }

    /// Takes an event, and adds to `out` what can be put out now.
    ///
    /// # Errors
    ///
    /// The event, and why it contradicts what is known. Nothing has changed then.
    pub fn observe(&mut self, event: Event<T>, out: &mut Vec<Reported<T>>) -> Result<(), Box<Refused<T>>> {
        if let Err(why) = self.check(&event) {
            return Err(Box::new(Refused { event, why }));
        }
        let (id, time, link) = (event.id, event.time, event.link);
        let node = self.nodes.insert(Node {
            id,
            event: Some(event),
            arrived: self.now,
            waits_for: 1,
            awaits: 1,
            next: None,
            partner: Partner::None,
            time: i64::MIN,
            local: time,
            cause: None,
            standing: Standing::default(),
        });
        if let Err(why) = self.tie(node, id, link) {
            let event = self.nodes[node].event.take();
            self.nodes.remove(node);
            return match event {
                Some(event) => Err(Box::new(Refused { event, why })),
                None => Ok(()),
            };
        }
        self.unreported += 1;
        self.streams[id.stream].latest = Some(time);
        self.follow(node, id);
        self.report_ready(out);
        Ok(())
    }

    /// Whether the event may be the stream's.
    fn check(&self, event: &Event<T>) -> Result<(), Error> {
        let id = event.id;
        let stream = self
            .streams
            .get(id.stream)
            .ok_or(Error::UnknownStream(id.stream))?;
        if stream.has_ended {
            return Err(Error::Ended(id));
        }
        if id.sequence < stream.front || stream.ahead.contains_key(&id.sequence) {
            let is_later = stream.latest.is_some_and(|latest| event.time > latest);
            return Err(match id.sequence {
                0 if is_later => Error::Restarted(id.stream),
                _ => Error::Passed(id, stream.front),
            });
        }
        if id.sequence - stream.front > self.limits.ahead {
            return Err(Error::TooFarAhead(id, stream.front));
        }
        let jump = stream.latest.map_or(0, |latest| latest.abs_diff(event.time));
        if jump > self.limits.jump {
            return Err(Error::TimeJumps(id, jump));
        }
        if self.nodes.len() >= self.limits.events {
            return Err(Error::Full);
        }
        Ok(())
    }

    /// Puts an event behind the one before it in its stream, if that is here, and all those behind it that waited for it.
    fn follow(&mut self, node: NodeId, id: EventId) {
        let stream = &mut self.streams[id.stream];
        if id.sequence != stream.front {
            stream.ahead.insert(id.sequence, node);
            return;
        }
        self.connect(node, id);
        self.connect_ahead(id.stream);
    }

    /// Connects the events of a stream that came early, as far as there is no gap.
    pub(crate) fn connect_ahead(&mut self, of: StreamId) {
        loop {
            let stream = &mut self.streams[of];
            let front = stream.front;
            let Some(entry) = stream.ahead.first_entry().filter(|entry| *entry.key() == front) else {
                return;
            };
            let (sequence, node) = entry.remove_entry();
            self.connect(node, EventId { stream: of, sequence });
        }
    }

    /// The event is the next one of its stream.
    fn connect(&mut self, node: NodeId, id: EventId) {
        let stream = &mut self.streams[id.stream];
        stream.front = id.sequence + 1;
        let before = stream.tail.replace(node);
        self.nodes[node].standing.lost_before = std::mem::take(&mut stream.lost);
        if let Some(before) = before {
            let predecessor = &mut self.nodes[before];
            if predecessor.is_reported() {
                let time = predecessor.time;
                self.predecessor_is_out(node, time);
            } else {
                predecessor.next = Some(node);
            }
            self.successor_came(before);
        } else {
            self.predecessor_is_out(node, i64::MIN);
        }
    }

    /// Notes what an event's tie leads from.
    pub(crate) fn note(&mut self, node: NodeId, told: Told) {
        let node = &mut self.nodes[node];
        node.cause = told.cause;
        node.time = told.cause.map_or(node.time, |cause| node.time.max(cause.time));
        if told.missing != Missing::Nothing {
            node.standing.missing = told.missing;
        }
    }

    pub(crate) fn tie_is_out(&mut self, node: NodeId, told: Told) {
        self.note(node, told);
        self.predecessor_is_out(node, i64::MIN);
    }

    /// One of an event's predecessors is put out, at this time, or given up.
    fn predecessor_is_out(&mut self, id: NodeId, time: i64) {
        let node = &mut self.nodes[id];
        node.time = node.time.max(time);
        node.waits_for -= 1;
        if node.waits_for == 0 {
            self.ready.push_back(id);
        }
    }

    /// One of an event's successors has come, or will never come.
    pub(crate) fn successor_came(&mut self, node: NodeId) {
        self.nodes[node].awaits -= 1;
        self.forget_if_over(node);
    }

    fn forget_if_over(&mut self, id: NodeId) {
        let node = &self.nodes[id];
        if node.is_reported() && node.awaits == 0 {
            self.nodes.remove(id);
        }
    }

    pub(crate) fn forget_hub_if_over(&mut self, hub: HubId, operation: (GroupId, u64)) {
        if self.hubs[hub].is_over() {
            self.operations.remove(&operation);
            self.groups.end(operation.0);
            self.hubs.remove(hub);
        }
    }

    /// Puts out what waits for nothing any more.
    pub(crate) fn report_ready(&mut self, out: &mut Vec<Reported<T>>) {
        while let Some(node) = self.ready.pop_front() {
            self.report(node, out);
        }
    }

    fn report(&mut self, id: NodeId, out: &mut Vec<Reported<T>>) {
        let node = &mut self.nodes[id];
        let Some(event) = node.event.take() else {
            return;
        };
        let stream = &mut self.streams[node.id.stream];
        stream.drift = stream.drift.max(node.time.saturating_sub(event.time));
        // Beyond what an i64 holds the sum is no later than the predecessors.
        node.time = event.time.saturating_add(stream.drift).max(node.time);
        if let Partner::Gives(hub, place) = node.partner {
            node.standing.overtaken |= self.hubs[hub].is_overtaken(place);
        }
        let (time, next, partner, told) = (
            node.time,
            node.next,
            node.partner,
            Told {
                cause: Some(node.as_cause()),
                missing: Missing::Nothing,
            },
        );
        let (cause, standing, link) = (node.cause, node.standing, event.link);
        out.push(Reported {
            event,
            time,
            cause,
            standing,
        });
        self.unreported -= 1;
        if let Some(next) = next {
            self.predecessor_is_out(next, time);
        }
        match (partner, link) {
            (Partner::Receive(receive), _) => self.tie_is_out(receive, told),
            (Partner::Gives(hub, place), Link::Enters(operation)) => {
                self.hubs[hub].tell(place, told, &mut self.released);
                self.pass_on_released();
                self.forget_hub_if_over(hub, (operation.group, operation.ordinal));
            }
            _ => {}
        }
        self.forget_if_over(id);
    }

    /// Ends of an operation that need not wait for it any longer.
    fn pass_on_released(&mut self) {
        let mut released = std::mem::take(&mut self.released);
        for (node, told) in released.drain(..) {
            self.nodes[node].partner = Partner::None;
            self.tie_is_out(node, told);
        }
        self.released = released;
    }

    /// A member of an operation under way will never tell its part.
    pub(crate) fn give_up_part(&mut self, hub: HubId, operation: (GroupId, u64), place: u32) {
        self.hubs[hub].give_up(place, &mut self.released);
        self.pass_on_released();
        self.forget_hub_if_over(hub, operation);
    }
}
