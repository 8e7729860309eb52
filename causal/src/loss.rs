//! What never comes: events that were lost, streams that end, and what is given up after a deadline.

use crate::event::{EventId, Message, Missing, Reported, StreamId};
use crate::held::{Held, Hold, Standstill};
use crate::hub::Told;
use crate::node::Partner;
use crate::sort::{Half, Sorter};
use std::collections::BTreeMap;

/// What is told of a cause that is waited for no longer.
const fn given_up(missing: Missing) -> Told {
    Told { cause: None, missing }
}

impl<T> Sorter<T> {
    /// The events of a stream below this number that have not come will never come: a ring was full, a message was lost. The next one says how many are
    /// missing before it ([`crate::Standing::lost_before`]). What is tied to them stays held until it is given up ([`Sorter::expire`]): which ties they had is not known.
    pub fn lose(&mut self, of: StreamId, below: u64, out: &mut Vec<Reported<T>>) {
        self.skip(of, below);
        self.report_ready(out);
    }

    fn skip(&mut self, of: StreamId, below: u64) {
        if self.streams.get(of).is_none_or(|stream| stream.has_ended) {
            return;
        }
        loop {
            let stream = &mut self.streams[of];
            let next = stream.ahead.keys().next().copied().unwrap_or(u64::MAX).min(below);
            if next <= stream.front {
                break;
            }
            stream.lost += next - stream.front;
            stream.has_lost = true;
            stream.front = next;
            self.connect_ahead(of);
        }
    }

    /// A stream has ended: its process is gone, or its stream is cut off. Events that it would have had are waited for no longer, and those who do say so ([`Missing::Gone`]).
    pub fn end(&mut self, of: StreamId, out: &mut Vec<Reported<T>>) {
        let Some(stream) = self.streams.get(of).filter(|stream| !stream.has_ended) else {
            return;
        };
        let behind = stream
            .ahead
            .keys()
            .next_back()
            .map_or(stream.front, |last| last + 1);
        self.skip(of, behind);
        let stream = &mut self.streams[of];
        stream.has_ended = true;
        self.ended += 1;
        if let Some(tail) = stream.tail.take() {
            self.successor_came(tail);
        }
        self.give_up_messages(of);
        self.give_up_parts(of);
        self.report_ready(out);
    }

    fn give_up_messages(&mut self, of: StreamId) {
        let is_its = |half: Half, from, to| match half {
            Half::Sent(_) => to == of,
            Half::Awaited(_) | Half::Forced => from == of,
        };
        let all = self.messages.iter();
        let mut its = Vec::from_iter(
            all.filter(|(message, half)| is_its(**half, message.from, message.to))
                .map(|(message, half)| (*message, *half)),
        );
        // The order of the table is not the same each time.
        its.sort_unstable_by_key(|(message, _)| *message);
        for (message, half) in its {
            self.messages.remove(&message);
            match half {
                Half::Sent(send) => self.successor_came(send),
                Half::Awaited(receive) => self.tie_is_out(receive, given_up(Missing::Gone)),
                Half::Forced => {}
            }
        }
    }

    fn give_up_parts(&mut self, of: StreamId) {
        let mut operations = Vec::from_iter(self.operations.iter().map(|(key, hub)| (*key, *hub)));
        operations.sort_unstable();
        for (key, hub) in operations {
            let group = self.groups.of_operation(key.0);
            if let Some(place) = group.and_then(|group| group.place_of(of)) {
                self.give_up_part(hub, key, place);
            }
        }
    }

    /// Gives up what events that came before this moment wait for, where it has not come: they are put out and say so ([`Missing::Late`]). A gap in a stream is given up
    /// as lost; what waits for each other is broken up ([`Missing::Cycle`]). An event whose predecessor is here, and waits for what is younger, stays held with it.
    pub fn expire(&mut self, before: u64, out: &mut Vec<Reported<T>>) {
        loop {
            let held = self.held();
            let old = held.events.iter().filter(|event| event.arrived < before);
            let given_up = old.filter(|event| self.give_up(event, &held)).count();
            self.report_ready(out);
            if given_up == 0 && !self.break_cycle(&held, before) {
                break;
            }
            self.report_ready(out);
        }
        self.forget_lost(before);
    }

    /// All streams end, and whatever is held is put out.
    pub fn finish(&mut self, out: &mut Vec<Reported<T>>) {
        let streams = Vec::from_iter(self.streams.ids());
        for stream in streams {
            self.end(stream, out);
        }
        self.expire(u64::MAX, out);
    }

    /// Gives up what an event waits for, if it is nothing that is here; whether that changed anything.
    fn give_up(&mut self, held: &Held, all: &Standstill) -> bool {
        match &held.by[..] {
            [Hold::Gap(gap), ..] => {
                let is_open = self.streams[held.id.stream].front < gap.end;
                self.skip(held.id.stream, gap.end);
                is_open
            }
            [Hold::Message(message)] => {
                self.messages.insert(*message, Half::Forced);
                self.tie_is_out(held.node, given_up(Missing::Late));
                true
            }
            [Hold::Operation(group, ordinal)] => {
                let operation = all.operation((*group, *ordinal));
                let is_absent = operation
                    .zip(held.place)
                    .is_some_and(|(it, place)| it.lacks(place));
                is_absent && self.force_end(held, Missing::Late)
            }
            _ => false,
        }
    }

    fn force_end(&mut self, held: &Held, why: Missing) -> bool {
        let Partner::Takes(hub, place) = self.nodes[held.node].partner else {
            return false;
        };
        self.hubs[hub].force(place);
        self.nodes[held.node].partner = Partner::None;
        self.tie_is_out(held.node, given_up(why));
        true
    }

    /// Breaks up one cycle with an old event in it: the first of its events that waits for another stream does so no longer. Whether there was one.
    fn break_cycle(&mut self, held: &Standstill, before: u64) -> bool {
        let events: BTreeMap<EventId, &Held> = held.events.iter().map(|event| (event.id, event)).collect();
        let cycles = held.cycles();
        let is_old = |cycle: &&Vec<EventId>| cycle.iter().any(|id| events[id].arrived < before);
        let Some(cycle) = cycles.iter().find(is_old) else {
            return false;
        };
        let in_cycle = |id: &EventId| cycle.binary_search(id).is_ok();
        for event in cycle.iter().map(|id| events[id]) {
            for hold in &event.by {
                match hold {
                    Hold::Operation(group, ordinal) => {
                        let operation = held.operation((*group, *ordinal));
                        let is_held = operation.is_some_and(|it| it.held.iter().any(in_cycle));
                        if is_held && self.force_end(event, Missing::Cycle) {
                            return true;
                        }
                    }
                    Hold::Event(send) if in_cycle(send) => {
                        let send = &mut self.nodes[events[send].node];
                        if send.partner == Partner::Receive(event.node) {
                            send.partner = Partner::None;
                            send.standing.overtaken = true;
                            self.tie_is_out(event.node, given_up(Missing::Cycle));
                            return true;
                        }
                    }
                    _ => {}
                }
            }
        }
        false
    }

    /// Sends that came before this moment, are put out, and go to a stream that has lost events: the end of the receive may be among these, and is waited for no longer.
    fn forget_lost(&mut self, before: u64) {
        let is_over = |(message, half): (&Message, &Half)| match *half {
            Half::Sent(send) => {
                let node = &self.nodes[send];
                let is_old = node.is_reported() && node.arrived < before;
                (is_old && self.streams[message.to].has_lost).then_some((*message, send))
            }
            Half::Awaited(_) | Half::Forced => None,
        };
        let mut over = Vec::from_iter(self.messages.iter().filter_map(is_over));
        over.sort_unstable_by_key(|(message, _)| *message);
        for (message, send) in over {
            self.messages.remove(&message);
            self.successor_came(send);
        }
    }
}
