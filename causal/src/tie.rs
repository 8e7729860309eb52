//! Where a new event belongs: the send of its message, the node of its operation.

use crate::error::Error;
use crate::event::{EventId, Link, Message, Missing, Operation, StreamId};
use crate::hub::{Hub, PlacedFlow, Shape, Told};
use crate::node::{HubId, NodeId, Partner};
use crate::sort::{Half, Sorter};
use hashbrown::hash_map::Entry;

impl<T> Sorter<T> {
    /// Connects an event with what its link names. All checks come before the first change.
    pub(crate) fn tie(&mut self, node: NodeId, id: EventId, link: Link) -> Result<(), Error> {
        match link {
            Link::None => Ok(()),
            Link::Sends(message) => {
                self.check_message(id, message, message.from)?;
                self.tie_send(node, id, message)
            }
            Link::Receives(message) => {
                self.check_message(id, message, message.to)?;
                self.tie_receive(node, id, message)
            }
            Link::Enters(operation) => {
                let (place, shape) = self.place_in(id, operation)?;
                if !shape.gives(place) {
                    return Ok(());
                }
                let hub = self.hub(id, operation, shape, |hub| hub.has_entered(place))?;
                self.hubs[hub].enter(place);
                self.nodes[node].partner = Partner::Gives(hub, place);
                Ok(())
            }
            Link::Leaves(operation) => {
                let (place, shape) = self.place_in(id, operation)?;
                if !shape.takes(place) {
                    return Ok(());
                }
                let hub = self.hub(id, operation, shape, |hub| hub.has_left(place))?;
                match self.hubs[hub].leave(place, node) {
                    Some(told) => self.note(node, told),
                    None => {
                        self.nodes[node].partner = Partner::Takes(hub, place);
                        self.nodes[node].waits_for += 1;
                    }
                }
                self.forget_hub_if_over(hub, (operation.group, operation.ordinal));
                Ok(())
            }
        }
    }

    fn check_message(&self, id: EventId, message: Message, own: StreamId) -> Result<(), Error> {
        let group = self.groups.get(message.group)?;
        if own != id.stream {
            return Err(Error::NotItsMessage(id));
        }
        match [message.from, message.to]
            .into_iter()
            .find(|&end| group.place_of(end).is_none())
        {
            Some(stranger) => Err(Error::NoMember(stranger, message.group)),
            None => Ok(()),
        }
    }

    fn tie_send(&mut self, node: NodeId, id: EventId, message: Message) -> Result<(), Error> {
        match self.messages.entry(message) {
            Entry::Vacant(_) if self.streams[message.to].has_ended => {}
            Entry::Vacant(entry) => {
                entry.insert(Half::Sent(node));
                self.nodes[node].awaits += 1;
            }
            Entry::Occupied(entry) => match *entry.get() {
                Half::Sent(_) => return Err(Error::ToldTwice(id)),
                Half::Awaited(receive) => {
                    entry.remove();
                    self.nodes[node].partner = Partner::Receive(receive);
                }
                Half::Forced => {
                    entry.remove();
                    self.nodes[node].standing.overtaken = true;
                }
            },
        }
        Ok(())
    }

    fn tie_receive(&mut self, node: NodeId, id: EventId, message: Message) -> Result<(), Error> {
        match self.messages.entry(message) {
            Entry::Vacant(_) if self.streams[message.from].has_ended => {
                self.nodes[node].standing.missing = Missing::Gone;
            }
            Entry::Vacant(entry) => {
                entry.insert(Half::Awaited(node));
                self.nodes[node].waits_for += 1;
            }
            Entry::Occupied(entry) => {
                let Half::Sent(send) = *entry.get() else {
                    return Err(Error::ToldTwice(id));
                };
                entry.remove();
                if self.nodes[send].is_reported() {
                    let told = Told {
                        cause: Some(self.nodes[send].as_cause()),
                        missing: Missing::Nothing,
                    };
                    self.note(node, told);
                } else {
                    self.nodes[send].partner = Partner::Receive(node);
                    self.nodes[node].waits_for += 1;
                }
                self.successor_came(send);
            }
        }
        Ok(())
    }

    fn place_in(&self, id: EventId, operation: Operation) -> Result<(u32, Shape), Error> {
        let (place, size) = self.groups.place(operation.group, id.stream)?;
        let root = |root| Ok(self.groups.place(operation.group, root)?.0);
        let flow = PlacedFlow::of(operation.flow, root)?;
        Ok((place, Shape { flow, size }))
    }

    /// The node of an operation, unless the member has told its part before.
    fn hub(
        &mut self,
        id: EventId,
        operation: Operation,
        shape: Shape,
        told: impl FnOnce(&Hub) -> bool,
    ) -> Result<HubId, Error> {
        if let Some(&found) = self.operations.get(&(operation.group, operation.ordinal)) {
            let hub = &self.hubs[found];
            return match hub.shape == shape {
                true if told(hub) => Err(Error::ToldTwice(id)),
                true => Ok(found),
                false => Err(Error::Contradicts(id, operation)),
            };
        }
        let mut hub = Hub::new(shape);
        if self.ended > 0 {
            let members = self.groups.get(operation.group)?.members();
            let gone = (0..)
                .zip(members)
                .filter(|(_, member)| self.streams[**member].has_ended);
            gone.for_each(|(place, _)| hub.give_up(place, &mut self.released));
        }
        let hub = self.hubs.insert(hub);
        self.groups.begin(operation.group);
        self.operations.insert((operation.group, operation.ordinal), hub);
        Ok(hub)
    }
}
