//! From a call of MPI to the calls that exchange messages with it.

use super::{Walk, side_of};
use crate::graph::{Message, MessageRole, NodeKind};
use crate::meet::{by_address, compete, fills, in_epoch, meet};

use crate::state::{CallingContext, Dependence, Predecessor, Side, State};

impl<'g> Walk<'g> {
    /// Whether the question about a call is why it has not come back, not what it brings: the task stands in it, or it is the
    /// other side of such a call.
    pub(super) fn is_awaited(&self, state: State) -> bool {
        let known = self.reached.get(&state);
        known.is_some_and(|known| known.kind == Dependence::Criterion || self.has_begun_it(*known))
            || self.is_missed(state)
    }

    /// Whether a call is the other side of the one that the task stands in.
    pub(super) fn is_missed(&self, state: State) -> bool {
        let step = |state: &State| self.reached.get(state);
        step(&state).is_some_and(|known| {
            let from = known.from.as_ref().and_then(step);
            known.kind == Dependence::Sends && from.is_some_and(|from| from.kind == Dependence::Criterion)
        })
    }

    /// Whether a call was reached because it wrote the request that the criterion waits for.
    fn has_begun_it(&self, reached: Predecessor) -> bool {
        let mut from = reached.from;
        while let Some(state) = from {
            let Some(step) = self.reached.get(&state) else {
                return false;
            };
            match state {
                State::Place(..) | State::Written(..) => {}
                State::At(_, node) if self.graph.nodes[node].kind == NodeKind::Argument => {}
                _ => return step.kind == Dependence::Criterion,
            }
            from = step.from;
        }
        false
    }

    /// What a call waits for, or gets, comes from other tasks; and what other calls of this task take, it does not get.
    pub(super) fn at_message(
        &mut self,
        state: State,
        context: CallingContext,
        message: &'g Message,
        distance: u32,
    ) {
        let graph = self.graph;
        // A task that stands in a send waits for who receives.
        let is_criterion = self
            .reached
            .get(&state)
            .is_some_and(|step| step.kind == Dependence::Criterion);
        // The sends that a blocked receive waits for are not set aside together with the arguments of the call.
        let is_sent = is_criterion && message.role != MessageRole::Collective;
        let distance = if is_sent {
            distance.saturating_sub(self.aside)
        } else {
            distance
        };
        let side = side_of(context);
        if !self.met.insert((side, message)) && !is_criterion {
            return;
        }
        let exchanging = std::mem::take(&mut self.exchanging);
        for &(other, theirs) in &exchanging {
            if meet(message, theirs)
                || is_criterion && meet(theirs, message)
                || self.uses_addresses && by_address(message, theirs)
            {
                let to = State::At(CallingContext::Elsewhere, other.node);
                self.go(state, to, distance + 2, Dependence::Sends, None);
                if let Some(function) = graph.nodes[other.node].function {
                    self.open(Side::Other, function, to, distance + 2);
                }
            }
            // Nothing but the address tells which variable is received.
            let kind = if fills(message, theirs) {
                Some(Dependence::Sets)
            } else if compete(message, theirs) {
                Some(Dependence::Takes)
            } else {
                in_epoch(message, theirs).then_some(Dependence::Epoch)
            };
            if let Some(kind) = kind {
                for context in self.contexts(side, other.node) {
                    let to = State::At(context, other.node);
                    self.go(state, to, distance + 3, kind, None);
                    if let (CallingContext::Called | CallingContext::Elsewhere, Some(function)) =
                        (context, graph.nodes[other.node].function)
                    {
                        self.open(side, function, to, distance + 3);
                    }
                }
            }
        }
        self.exchanging = exchanging;
    }
}
