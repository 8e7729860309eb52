//! From a call of MPI to the calls that exchange messages with it.

use super::{Walk, side_of};
use crate::graph::{ByCaller, Message, MessageRole, NodeId, NodeKind};
use crate::meet::{
    as_called, by_address, compete, fills, in_epoch, meet, ways_to_receive, ways_to_send, ways_to_take,
};
use crate::state::{CallingContext, Dependence, Predecessor, Side, State};
use std::borrow::Cow;

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
            // What a variable is asked about may be on the way back to itself, and ways end there.
            if self.reached.origins.contains(&state) {
                return false;
            }
            match state {
                State::Place(..) | State::Written(..) => {}
                State::At(_, node) if self.graph.nodes[node].kind == NodeKind::Argument => {}
                _ => return step.kind == Dependence::Criterion,
            }
            from = step.from;
        }
        false
    }

    /// A message as it is where the calls on the stack lead to it.
    fn on_the_stack(&self, message: &'g Message, context: CallingContext) -> Cow<'g, Message> {
        let CallingContext::Stack(depth) = context else {
            return Cow::Borrowed(message);
        };
        let depth = usize::from(depth);
        let around = self.executed.stack[..depth].iter().zip(&self.within).rev();
        as_called(message, |calls| {
            // A macro has no frame of its own, and may be the caller.
            let on_the_way = around.clone().take(calls.len());
            calls.len() <= depth
                && on_the_way
                    .zip(calls)
                    .all(|((active, macros), call)| macros.is_empty() && active.points.contains(call))
        })
    }

    /// A call of MPI concerns another one, which some of the calls of the wrappers around it have led to, or any.
    fn leads(
        &mut self,
        state: State,
        side: Side,
        node: NodeId,
        ways: Option<Vec<&ByCaller>>,
        (kind, distance): (Dependence, u32),
    ) {
        if ways.as_ref().is_some_and(Vec::is_empty) {
            return;
        }
        for context in self.contexts(side, node) {
            let to = State::At(context, node);
            self.go(state, to, distance, kind, None);
            if let CallingContext::Stack(_) = context {
                continue;
            }
            match &ways {
                Some(ways) => ways
                    .iter()
                    .for_each(|way| self.enter_by(to, side, node, &way.calls, distance)),
                None => self.enter_by(to, side, node, &[], distance),
            }
        }
    }

    /// The function of a node was called by the first of these calls, whose function by the next, and so on; behind the last, from wherever
    /// that may have been.
    fn enter_by(&mut self, state: State, side: Side, node: NodeId, calls: &[NodeId], distance: u32) {
        let Some(function) = self.graph.nodes[node].function else {
            return;
        };
        let [call, around @ ..] = calls else {
            self.open(side, function, state, distance);
            return;
        };
        for context in self.contexts(side, *call) {
            self.site(state, function, (context, *call), distance + 1);
            if let CallingContext::Called | CallingContext::Elsewhere = context {
                self.enter_by(State::At(context, *call), side, *call, around, distance + 1);
            }
        }
    }

    /// What a call waits for, or gets, comes from other tasks; and what other calls of this task take, it does not get.
    pub(super) fn at_message(
        &mut self,
        state: State,
        context: CallingContext,
        message: &'g Message,
        distance: u32,
    ) {
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
        let narrowed = self.on_the_stack(message, context);
        let message: &Message = &narrowed;
        // One that is told apart by the stack is not asked for by any other way.
        if let Cow::Borrowed(message) = narrowed
            && !self.met.insert((side, message))
            && !is_criterion
        {
            return;
        }
        let exchanging = std::mem::take(&mut self.exchanging);
        for &(other, theirs) in &exchanging {
            let (from, to) = (meet(message, theirs), is_criterion && meet(theirs, message));
            if from || to || self.uses_addresses && by_address(message, theirs) {
                let sent = from.then(|| ways_to_send(message, theirs));
                let taken = to.then(|| ways_to_receive(message, theirs));
                let ways = [sent, taken].into_iter().flatten().collect::<Option<Vec<_>>>();
                let ways = ways.filter(|_| from || to).map(|ways| ways.concat());
                let how = (Dependence::Sends, distance + 2);
                self.leads(state, Side::Other, other.node, ways, how);
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
                let ways = (kind == Dependence::Takes).then(|| ways_to_take(message, theirs));
                self.leads(state, side, other.node, ways.flatten(), (kind, distance + 3));
            }
        }
        self.exchanging = exchanging;
    }
}
