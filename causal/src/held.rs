//! What is held, and by what: of a job that stands still this is the answer, of a stream that was cut off it names what is missing.

use crate::event::{EventId, GroupId, Link, Message, StreamId};
use crate::hub::{PlacedFlow, Shape};
use crate::node::{HubId, NodeId, Partner};
use crate::sort::{Half, Sorter};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::BTreeMap;
use std::ops::Range;

/// What an event waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Events of its own stream that have not come, by their sequence numbers.
    Gap(Range<u64>),
    /// An event that is here and held itself: the one before it, or the send of its message.
    Event(EventId),
    /// The beginning of the send of its message, which has not come.
    Message(Message),
    /// A collective operation, by its group and number: see [`Standstill::operations`].
    Operation(GroupId, u64),
}

/// An event that is not put out yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Which.
    pub id: EventId,
    /// When it came, on the caller's clock ([`Sorter::advance`]).
    pub arrived: u64,
    /// What it waits for: one thing at least.
    pub by: Vec<Hold>,
    pub(crate) node: NodeId,
    /// Its place in the operation that it waits for.
    pub(crate) place: Option<u32>,
}

/// A collective operation for which events are held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldOperation {
    /// Its group.
    pub group: GroupId,
    /// Its number.
    pub ordinal: u64,
    /// Members whose beginning has not come, in the order of the group.
    pub absent: Vec<StreamId>,
    /// Beginnings that are here and held themselves.
    pub held: Vec<EventId>,
    /// The places of these in the group.
    places: Vec<(u32, EventId)>,
    absent_places: Vec<u32>,
    shape: Shape,
}

impl HeldOperation {
    /// Whether the end at this place waits for a beginning that has not come.
    pub(crate) fn lacks(&self, taker: u32) -> bool {
        match self.shape.flow {
            PlacedFlow::Neighbours => taker > 0 && self.absent_places.binary_search(&(taker - 1)).is_ok(),
            PlacedFlow::Prefix => self.absent_places.first().is_some_and(|&giver| giver < taker),
            _ => !self.absent_places.is_empty(),
        }
    }

    /// Where among `places` the beginnings stand that the end at this place waits for: all up to here if the flow is a prefix or of everyone, this one else.
    fn last_giver(&self, taker: u32) -> Option<usize> {
        if !self.shape.is_by_place() {
            return self.places.len().checked_sub(1);
        }
        let last = self
            .places
            .partition_point(|(place, _)| *place < taker)
            .checked_sub(1)?;
        self.shape.binds(self.places[last].0, taker).then_some(last)
    }
}

/// All that is held, in the order of the ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standstill {
    /// The events.
    pub events: Vec<Held>,
    /// The operations that some of them wait for.
    pub operations: Vec<HeldOperation>,
}

impl Standstill {
    /// Each set of events that wait for each other by what their records say, so that some of these are wrong.
    #[must_use]
    pub fn cycles(&self) -> Vec<Vec<EventId>> {
        let mut graph = DiGraph::<Option<EventId>, ()>::new();
        let events: BTreeMap<EventId, _> = self
            .events
            .iter()
            .map(|held| (held.id, graph.add_node(Some(held.id))))
            .collect();
        let link = |graph: &mut DiGraph<_, ()>, from, to: Option<&NodeIndex>| {
            if let Some(to) = to {
                graph.add_edge(from, *to, ());
            }
        };
        // A node for each beginning of an operation, which stands for all before it as well unless the flow is between neighbours.
        let mut givers = BTreeMap::new();
        for operation in &self.operations {
            let key = (operation.group, operation.ordinal);
            let mut before = None;
            for (index, (_, id)) in operation.places.iter().enumerate() {
                let node = graph.add_node(None);
                link(&mut graph, node, events.get(id));
                link(&mut graph, node, before.as_ref());
                givers.insert((key, index), node);
                before = (operation.shape.flow != PlacedFlow::Neighbours).then_some(node);
            }
        }
        for held in &self.events {
            for hold in &held.by {
                let to = match hold {
                    Hold::Event(id) => events.get(id),
                    Hold::Operation(group, ordinal) => self
                        .operation((*group, *ordinal))
                        .and_then(|operation| operation.last_giver(held.place?))
                        .and_then(|index| givers.get(&((*group, *ordinal), index))),
                    Hold::Gap(_) | Hold::Message(_) => None,
                };
                link(&mut graph, events[&held.id], to);
            }
        }
        let mut cycles = Vec::new();
        for component in kosaraju_scc(&graph)
            .into_iter()
            .filter(|component| component.len() > 1)
        {
            let mut ids = Vec::from_iter(component.iter().filter_map(|&node| graph[node]));
            ids.sort_unstable();
            cycles.push(ids);
        }
        cycles.sort_unstable();
        cycles
    }

    pub(crate) fn operation(&self, key: (GroupId, u64)) -> Option<&HeldOperation> {
        let found = self
            .operations
            .binary_search_by_key(&key, |it| (it.group, it.ordinal))
            .ok()?;
        self.operations.get(found)
    }
}

impl<T> Sorter<T> {
    /// What is held, and by what. It takes time in proportion to the window.
    #[must_use]
    pub fn held(&self) -> Standstill {
        let mut before: BTreeMap<NodeId, Vec<Hold>> = BTreeMap::new();
        for (id, stream) in self.streams.iter_enumerated() {
            let mut from = stream.front;
            for (&sequence, &node) in &stream.ahead {
                let holds = before.entry(node).or_default();
                if from > stream.front {
                    let sequence = from - 1;
                    holds.push(Hold::Event(EventId { stream: id, sequence }));
                }
                if from < sequence {
                    holds.push(Hold::Gap(from..sequence));
                }
                from = sequence + 1;
            }
        }
        let mut operations: BTreeMap<(GroupId, u64), HeldOperation> = BTreeMap::new();
        for (_, node) in self.nodes.iter() {
            let Some(event) = &node.event else { continue };
            if let Some(next) = node.next {
                before.entry(next).or_default().push(Hold::Event(node.id));
            }
            match (node.partner, event.link) {
                (Partner::Receive(receive), _) => {
                    before.entry(receive).or_default().push(Hold::Event(node.id));
                }
                (Partner::Gives(hub, place), Link::Enters(of)) => {
                    let entry = operations.entry((of.group, of.ordinal));
                    let operation = entry.or_insert_with(|| self.held_operation((of.group, of.ordinal), hub));
                    operation.places.push((place, node.id));
                }
                (Partner::Takes(hub, _), Link::Leaves(of)) => {
                    let key = (of.group, of.ordinal);
                    operations
                        .entry(key)
                        .or_insert_with(|| self.held_operation(key, hub));
                }
                _ => {}
            }
        }
        let mut events = Vec::new();
        for (id, node) in self.nodes.iter() {
            let Some(event) = &node.event else { continue };
            let mut by = before.remove(&id).unwrap_or_default();
            match event.link {
                Link::Receives(message) if self.messages.get(&message) == Some(&Half::Awaited(id)) => {
                    by.push(Hold::Message(message));
                }
                Link::Leaves(of) if matches!(node.partner, Partner::Takes(..)) => {
                    by.push(Hold::Operation(of.group, of.ordinal));
                }
                _ => {}
            }
            events.push(Held {
                id: node.id,
                arrived: node.arrived,
                by,
                node: id,
                place: match node.partner {
                    Partner::Takes(_, place) => Some(place),
                    _ => None,
                },
            });
        }
        events.sort_unstable_by_key(|held| held.id);
        let mut operations = Vec::from_iter(operations.into_values());
        for operation in &mut operations {
            operation.places.sort_unstable();
            operation.held.extend(operation.places.iter().map(|(_, id)| *id));
            operation.held.sort_unstable();
        }
        Standstill { events, operations }
    }

    fn held_operation(&self, (group, ordinal): (GroupId, u64), hub: HubId) -> HeldOperation {
        let members = self
            .groups
            .of_operation(group)
            .map_or(&[][..], |group| group.members());
        let absent = Vec::from_iter(self.hubs[hub].absent());
        HeldOperation {
            group,
            ordinal,
            absent: absent
                .iter()
                .filter_map(|&place| members.get(place as usize).copied())
                .collect(),
            held: Vec::new(),
            places: Vec::new(),
            absent_places: absent,
            shape: self.hubs[hub].shape,
        }
    }
}
