//! From a read of memory to the objects that may be read, and from each to all that write it.

use super::Walk;
use crate::graph::{Labels, Memory, NodeId};
use crate::places::{Key, NameId, PlaceId};
use crate::state::{CallingContext, Dependence, Part, Side, State, Writers};
use base::Id as _;

/// How much farther away is what writes an object without saying which member, as functions of the library do: it has written all of it, or
/// another part.
const UNNAMED: u32 = 1;

impl<'g> Walk<'g> {
    /// Asks for a part of memory.
    pub(super) fn ask(
        &mut self,
        state: State,
        side: Side,
        place: PlaceId,
        key: Key,
        distance: u32,
        name: Option<NameId>,
    ) {
        let to = self.asked(side, place, key);
        self.go(state, to, distance, Dependence::Sets, name);
    }

    /// The state in which a part of memory is asked for.
    pub(super) fn asked(&self, side: Side, place: PlaceId, key: Key) -> State {
        let memory = &self.graph.memory;
        let (labels, structured) = (memory.labels[place.index()], memory.structured[place.index()]);
        State::Place(side, labels, structured, key)
    }

    pub(super) fn place(
        &mut self,
        state: State,
        side: Side,
        (labels, structured, key): (Labels, bool, Key),
        distance: u32,
    ) {
        let memory = &self.graph.memory;
        let name = self.reached.get(&state).and_then(|step| step.name);
        let mut ask = |writers: Writers, key: Key| {
            for part in parts_of(memory, key) {
                let unnamed = if part == Part::Unnamed { UNNAMED } else { 0 };
                let farther = unnamed + vagueness(concerned(memory, writers, part).len());
                let to = State::Written(side, writers, part);
                self.go(state, to, distance + farther, Dependence::Sets, name);
            }
        };
        match labels {
            Labels::Few(row) => {
                for &(object, member) in memory.few.of(row as usize) {
                    for part in Memory::parts(structured, member, key).into_iter().flatten() {
                        ask(Writers::Object(object), part);
                        ask(Writers::Many(memory.class_of[object]), part);
                        if let Some(&origin) = memory.origins.get(&object) {
                            ask(Writers::Object(origin), part);
                        }
                    }
                }
            }
            Labels::Many(row) => {
                for &(class, member) in memory.many.of(row as usize) {
                    for part in Memory::parts(structured, member, key).into_iter().flatten() {
                        ask(Writers::Class(class), part);
                    }
                }
            }
        }
    }

    pub(super) fn written(&mut self, state: State, side: Side, writers: Writers, part: Part, distance: u32) {
        let graph = self.graph;
        let name = self.reached.get(&state).and_then(|step| step.name);
        for &(_, node) in concerned(&graph.memory, writers, part) {
            for context in self.contexts(side, node) {
                let to = State::At(context, node);
                self.go(state, to, distance, Dependence::Sets, name);
                if let (CallingContext::Called | CallingContext::Elsewhere, Some(function)) =
                    (context, graph.nodes[node].function)
                {
                    self.open(side, function, to, distance);
                }
            }
        }
    }
}

/// What may be written where a part of an object is read.
pub(crate) fn parts_of(memory: &Memory, key: Key) -> impl Iterator<Item = Part> {
    let parts = match key {
        None => [Some(Part::All), None],
        Some(key) => [Some(Part::Named(key)), Some(Part::Unnamed)],
    };
    let related = key.into_iter().flat_map(|key| memory.related.of(key.index()));
    let related = related.map(|&other| Part::Named(other));
    parts.into_iter().flatten().chain(related)
}

/// The nodes of the writers that write this part.
pub(crate) fn concerned(memory: &Memory, writers: Writers, part: Part) -> &[(Key, NodeId)] {
    let all = match writers {
        Writers::Object(object) => memory.writers_of_object.of(object.index()),
        Writers::Many(class) => memory.writers_of_many.of(class.index()),
        Writers::Class(class) => memory.writers_of_class.of(class.index()),
    };
    let of_key = |key: Key| {
        let first = all.partition_point(|&(other, _)| other < key);
        let count = all[first..].partition_point(|&(other, _)| other == key);
        &all[first..first + count]
    };
    match part {
        Part::All => all,
        Part::Unnamed => of_key(None),
        Part::Named(key) => of_key(Some(key)),
    }
}

/// How much farther away each of so many is than the only one would be: the more may have written a part of memory, the
/// less each of them tells.
pub(super) fn vagueness(count: usize) -> u32 {
    count.checked_ilog2().unwrap_or(0) / 2
}
