//! What a walk has reached, and in which order it goes on.
//!
//! A whole slice of a large program has millions of states. Nearly all are statements outside the stack: these are looked up
//! by their node, the rest by hash. Tables of the size of the program cost nothing until they are touched, so that a short walk stays short.
//! Distances are small, so the queue has a list for each; in a list, the state that came first is first.

use crate::graph::NodeId;
use crate::state::{CallingContext, Dependence, Predecessor, State};
use base::Id as _;
use hashbrown::HashMap;

/// All that a criterion depends on.
#[derive(Debug, Default)]
pub(crate) struct Reached {
    /// All states, in the order in which they were reached first, and how they were reached.
    records: Vec<(State, Predecessor)>,
    /// By node, where [`CallingContext::Called`] stands in the records, from 1; 0 where it was not reached.
    called: Vec<u32>,
    /// The same for [`CallingContext::Elsewhere`].
    elsewhere: Vec<u32>,
    /// The same for all other states. It is only asked for single states, never listed, so that its order cannot show.
    others: HashMap<State, u32>,
    /// The walk ended before its end: only what is as near as this is known for certain.
    pub(crate) up_to: Option<u32>,
    /// Where a walk from what a variable is there began: these states are on the way back to themselves, but ways end there.
    pub(crate) origins: Vec<State>,
    /// All steps, of a walk that keeps them: from where, to where, and why.
    pub(crate) trail: Vec<(State, State, Dependence)>,
}

impl Reached {
    /// Nothing yet, in a program of so many nodes.
    pub(crate) fn new(nodes: usize) -> Self {
        Reached {
            called: vec![0; nodes],
            elsewhere: vec![0; nodes],
            ..Reached::default()
        }
    }

    /// How a state was reached.
    pub(crate) fn get(&self, state: &State) -> Option<&Predecessor> {
        let at = match *state {
            State::At(CallingContext::Called, node) => self.called[node.index()],
            State::At(CallingContext::Elsewhere, node) => self.elsewhere[node.index()],
            _ => self.others.get(state).copied().unwrap_or(0),
        };
        let at = at.checked_sub(1)?;
        self.records.get(at as usize).map(|(_, step)| step)
    }

    /// Notes a way to a state, unless one is known that is no longer. Tells whether it was noted.
    pub(crate) fn note(&mut self, state: State, step: Predecessor) -> bool {
        let slot = match state {
            State::At(CallingContext::Called, node) => &mut self.called[node.index()],
            State::At(CallingContext::Elsewhere, node) => &mut self.elsewhere[node.index()],
            _ => self.others.entry(state).or_insert(0),
        };
        let Some(at) = slot.checked_sub(1) else {
            self.records.push((state, step));
            *slot = self.records.len() as u32;
            return true;
        };
        let known = &mut self.records[at as usize].1;
        let is_nearer = step.distance < known.distance;
        if is_nearer {
            *known = step;
        }
        is_nearer
    }

    /// All states that were reached.
    pub(crate) fn states(&self) -> impl Iterator<Item = State> + '_ {
        self.records.iter().map(|(state, _)| *state)
    }

    /// The statements that were reached, nearest first.
    pub(crate) fn statements(&self) -> Vec<(u32, CallingContext, NodeId)> {
        let at = |(state, step): &(State, Predecessor)| match *state {
            State::At(context, node) => Some((step.distance, context, node)),
            _ => None,
        };
        let mut all: Vec<_> = self.records.iter().filter_map(at).collect();
        all.sort_unstable();
        all
    }
}

/// States that are still to be gone on from, nearest first.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    /// By distance.
    lists: Vec<Vec<State>>,
    distance: usize,
    /// How many of the list at that distance are done.
    done: usize,
}

impl Queue {
    /// Adds a state; none is nearer than the one that was taken last.
    pub(crate) fn push(&mut self, distance: u32, state: State) {
        let distance = distance as usize;
        if self.lists.len() <= distance {
            self.lists.resize_with(distance + 1, Vec::new);
        }
        self.lists[distance].push(state);
    }

    /// The next state, with its distance.
    pub(crate) fn pop(&mut self) -> Option<(u32, State)> {
        loop {
            let list = self.lists.get_mut(self.distance)?;
            if let Some(&state) = list.get(self.done) {
                self.done += 1;
                return Some((self.distance as u32, state));
            }
            *list = Vec::new();
            self.done = 0;
            self.distance += 1;
        }
    }
}
