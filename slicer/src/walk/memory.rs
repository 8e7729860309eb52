//! From a read of memory to the objects that may be read, and from each to all that write it.

use super::Walk;
use crate::graph::{Labels, Memory, MemoryAccess, NodeId, NodeKind, Purpose};
use crate::places::Key;
use crate::state::{CallingContext, Dependence, Part, Side, State, Writers, WrittenBy};
use base::Id as _;

/// How much farther away is what writes an object without saying which member, as functions of the library do: it has written all of it, or
/// another part. Where a member is read as a whole, so is what writes anything else of the object around it.
const UNNAMED: u32 = 1;

/// How much farther away is what writes one of very many objects, or is read as one of them: which of them it is, nobody knows.
const ONE_OF_MANY: u32 = 2;

impl<'g> Walk<'g> {
    /// Asks for a part of memory.
    pub(super) fn ask(&mut self, state: State, side: Side, access: &MemoryAccess, distance: u32) {
        let to = self.asked(side, access);
        self.go(state, to, distance, Dependence::Sets, access.name);
    }

    /// The state in which a part of memory is asked for.
    pub(super) fn asked(&self, side: Side, access: &MemoryAccess) -> State {
        let memory = &self.graph.memory;
        let at = access.place.index();
        let by = match access.purpose {
            Purpose::Request if !self.has_own_requests => WrittenBy::Library,
            Purpose::Request | Purpose::Value | Purpose::Choice => WrittenBy::Anybody,
        };
        State::Place(side, memory.labels[at], memory.structured[at], access.key, by)
    }

    pub(super) fn place(
        &mut self,
        state: State,
        side: Side,
        (labels, structured, key): (Labels, bool, Key),
        by: WrittenBy,
        distance: u32,
    ) {
        let memory = &self.graph.memory;
        let name = self.reached.get(&state).and_then(|step| step.name);
        let mut ask = |writers: Writers, member: Key, key: Key| {
            let of_many = match writers {
                Writers::Object(_) => 0,
                Writers::Many(_) | Writers::Class(_) => ONE_OF_MANY,
            };
            for part in parts_of(memory, key) {
                let is_around = member.is_some() && key.is_none();
                let unnamed = u32::from(part == Part::Unnamed || is_around) * UNNAMED;
                let farther = of_many + unnamed + vagueness(concerned(memory, writers, part).len());
                let to = State::Written(side, writers, part, by);
                self.go(state, to, distance + farther, Dependence::Sets, name);
            }
        };
        match labels {
            Labels::Few(row) => {
                for &(object, member) in memory.few.of(row as usize) {
                    for part in Memory::parts(structured, member, key).into_iter().flatten() {
                        ask(Writers::Object(object), member, part);
                        ask(Writers::Many(memory.class_of[object]), member, part);
                        if let Some(&origin) = memory.origins.get(&object) {
                            ask(Writers::Object(origin), member, part);
                        }
                    }
                }
            }
            Labels::Many(row) => {
                for &(class, member) in memory.many.of(row as usize) {
                    for part in Memory::parts(structured, member, key).into_iter().flatten() {
                        ask(Writers::Class(class), member, part);
                    }
                }
            }
        }
    }

    pub(super) fn written(
        &mut self,
        state: State,
        side: Side,
        (writers, part): (Writers, Part),
        by: WrittenBy,
        distance: u32,
    ) {
        let graph = self.graph;
        let name = self.reached.get(&state).and_then(|step| step.name);
        for &(_, node) in concerned(&graph.memory, writers, part) {
            if by == WrittenBy::Library && graph.nodes[node].kind != NodeKind::Call {
                // A statement of the program.
                continue;
            }
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
