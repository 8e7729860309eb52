//! For which calls of the source an instruction may stand, as the machine code tells.
//!
//! Compilers copy code (jump threading, loops that are peeled or unrolled) and join what is alike. In
//!
//! ```c
//! if (c) a(); f(); if (c) f(); b();
//! ```
//!
//! gcc 12 makes two ways of it, one for each `c`; then the first call of one is followed by what follows the second call of the other, and
//! one instruction, with the line of one of them, is both. Counting does not show it: there are as many instructions as calls.
//!
//! **Rule.** The compiler keeps the order of calls that have effects. So the calls that a task makes on its way through the machine code are
//! those that it makes on a way through the source. Go through both in step, from the entry of both: from an instruction that stands
//! for `p`, the next call instruction stands for a call that follows `p` in the source, past such calls only that may have left no instruction.
//! An instruction and a call of the source that this walk never reaches together do not belong together.
//!
//! What lies ahead tells as well: after the call the machine code goes on somehow, and the source must be able to go on like that from the point that
//! the instruction stands for. If no way on agrees, it does not stand for that point. A call that may never return says nothing here.
//!
//! **Exceptions.** A handler is entered by an exception only, and an exception out of a call lands in a handler of the same function or leaves it. So a
//! way through the machine code that passes a landing pad is a way of the source that passes a handler, and the other way round; unless the
//! exception comes out of a call that was inlined, which may have caught it itself.

use crate::code::{Code, InstructionIndex};
use base::{Id as _, IdVec};
use petgraph::algo::toposort;
use petgraph::graphmap::{DiGraphMap, NodeTrait};
use progress_map::{Function, PointId};
use std::collections::{BTreeMap, BTreeSet};

#[cfg(test)]
mod tests;

mod code_ahead;
mod source_ahead;

use code_ahead::{CodeAhead, Segment, code_ahead};
use source_ahead::{SourceAhead, SourceFlow};

/// How many steps are taken for one copy of a function, at most.
const BUDGET: usize = 4_000_000;

/// The code of one copy of a function.
pub(crate) struct Copy<'c> {
    pub(crate) code: &'c Code,
    /// By instruction: it belongs to this copy, or to a call inlined into it.
    pub(crate) inside: &'c dyn Fn(InstructionIndex) -> bool,
    /// The copy is inlined: it is entered wherever its code is, and perhaps again and again.
    pub(crate) is_inlined: bool,
}

/// The source of a copy.
pub(crate) struct Source<'f> {
    pub(crate) function: &'f Function,
    /// Where its handlers of exceptions begin.
    pub(crate) handlers: &'f BTreeSet<PointId>,
    /// For each point, whether a task that passes it certainly executes a call instruction for it, in this place of the order.
    pub(crate) required: &'f IdVec<PointId, bool>,
    /// Last calls that may have become a jump back to the entry, sorted.
    pub(crate) may_begin_anew: &'f [PointId],
}

/// What a call instruction may be, as its name and position tell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fit {
    /// The calls of the source that it may be.
    pub(crate) points: BTreeSet<PointId>,
    /// It may be none of them.
    pub(crate) silent: bool,
    /// It is a call of this copy, and not of one that was inlined into it.
    pub(crate) is_own: bool,
    /// What it calls comes back, if no exception ends it.
    pub(crate) returns: bool,
}

/// Whether an exception was thrown since the last call that stands for a point of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Thrown {
    Not,
    /// Out of something that was inlined, which may have caught it as well.
    Inlined,
    /// Out of a call of this copy.
    Own,
}

impl Thrown {
    /// Whether a way of the source agrees that passes a handler, or none.
    fn agrees(self, caught: bool) -> bool {
        match self {
            Thrown::Not => !caught,
            Thrown::Inlined => true,
            Thrown::Own => caught,
        }
    }
}

/// How far the two walks have come together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    /// The call instruction; `None` at the entry.
    at: Option<InstructionIndex>,
    /// The last call of the source that an instruction stood for.
    point: PointId,
    thrown: Thrown,
}

/// A step of both walks.
struct Step {
    from: usize,
    to: usize,
    /// The instruction stands for the point there, and is not one that the source does not show.
    stands: bool,
    /// All calls on the way came back.
    is_regular: bool,
}

/// The pairs of call instructions and points that they may stand for. `fits` tells what an instruction may be by itself; `None` when
/// there is too much to look at, or the two do not agree.
pub(crate) fn stand_ins(
    copy: &Copy<'_>,
    source: &Source<'_>,
    mut fits: impl FnMut(InstructionIndex) -> Fit,
) -> Option<BTreeSet<(InstructionIndex, PointId)>> {
    let own = copy.code.calls().filter(|&(step, _)| (copy.inside)(step));
    let of_step: BTreeMap<InstructionIndex, Fit> = own.map(|(step, _)| (step, fits(step))).collect();
    let mut walk = Walk {
        copy,
        of_step: &of_step,
        flow: SourceFlow::new(source),
        code: BTreeMap::new(),
        source: BTreeMap::new(),
        states: Vec::new(),
        numbers: BTreeMap::new(),
        steps: Vec::new(),
        budget: BUDGET,
    };
    walk.explore()?;
    let found = walk.stand_ins()?;
    // An instruction that stands for a call, but for none that there is, shows that something is overlooked.
    let mut certain = of_step
        .iter()
        .filter(|(_, fit)| !fit.points.is_empty() && !fit.silent);
    let stands = |step: InstructionIndex| {
        found
            .range((step, entry())..)
            .next()
            .is_some_and(|pair| pair.0 == step)
    };
    certain.all(|(&step, _)| stands(step)).then_some(found)
}

/// Every function begins at its first point.
fn entry() -> PointId {
    PointId::from_index(0)
}

/// Whether some of these ways lead back to where they begin. The stack does not grow with their number, which may be that of a function's instructions.
fn go_round<N: NodeTrait>(ways: &[(N, N)]) -> bool {
    let graph: DiGraphMap<N, ()> = DiGraphMap::from_edges(ways);
    toposort(&graph, None).is_err()
}

struct Walk<'w> {
    copy: &'w Copy<'w>,
    of_step: &'w BTreeMap<InstructionIndex, Fit>,
    flow: SourceFlow<'w>,
    code: BTreeMap<Option<InstructionIndex>, CodeAhead>,
    source: BTreeMap<PointId, SourceAhead>,
    states: Vec<State>,
    /// By state, its place among them.
    numbers: BTreeMap<State, usize>,
    steps: Vec<Step>,
    budget: usize,
}

impl Walk<'_> {
    fn number(&mut self, state: State) -> usize {
        *self.numbers.entry(state).or_insert_with(|| {
            self.states.push(state);
            self.states.len() - 1
        })
    }

    /// All states that are reached, with the steps between them; `None` if there are too many.
    fn explore(&mut self) -> Option<()> {
        self.number(State {
            at: None,
            point: entry(),
            thrown: Thrown::Not,
        });
        let mut from = 0;
        while let Some(&state) = self.states.get(from) {
            self.look_ahead(state)?;
            let (mut steps, mut budget) = (Vec::new(), self.budget);
            for segment in &self.code[&state.at].next {
                for (to, stands) in self.reached_by(state, segment, &mut budget)? {
                    steps.push((to, stands, segment.is_regular));
                }
            }
            self.budget = budget;
            for (to, stands, is_regular) in steps {
                self.budget = self.budget.checked_sub(1)?;
                let to = self.number(to);
                self.steps.push(Step {
                    from,
                    to,
                    stands,
                    is_regular,
                });
            }
            from += 1;
        }
        Some(())
    }

    /// The states that a way to the next instruction leads to, each with whether the instruction stands for the point there.
    fn reached_by(&self, state: State, segment: &Segment, budget: &mut usize) -> Option<Vec<(State, bool)>> {
        let fit = &self.of_step[&segment.step];
        let thrown = state.thrown.max(segment.thrown);
        // Where the copy was left and entered again, nobody knows who caught what.
        let thrown = if segment.entered {
            thrown.min(Thrown::Inlined)
        } else {
            thrown
        };
        let reached = |point, thrown| State {
            at: Some(segment.step),
            point,
            thrown,
        };
        let anew = segment.entered && self.copy.is_inlined;
        let mut found = Vec::new();
        for start in [Some(state.point), anew.then(entry)].into_iter().flatten() {
            if fit.silent {
                found.push((reached(start, thrown), false));
            }
            for &(next, caught) in &self.source[&start].next {
                *budget = budget.checked_sub(1)?;
                if thrown.agrees(caught) && fit.points.contains(&next) {
                    found.push((reached(next, Thrown::Not), true));
                }
            }
        }
        Some(found)
    }

    /// Finds what lies ahead of a state.
    fn look_ahead(&mut self, state: State) -> Option<()> {
        if !self.code.contains_key(&state.at) {
            let ahead = code_ahead(self.copy, state.at, self.of_step, &mut self.budget)?;
            self.code.insert(state.at, ahead);
        }
        for origin in [state.point, entry()] {
            if !self.source.contains_key(&origin) {
                let ahead = self.flow.ahead(origin, &mut self.budget)?;
                self.source.insert(origin, ahead);
            }
        }
        Some(())
    }

    /// Whether both may end in a state, or go on without a call.
    fn may_end(&self, state: State) -> bool {
        let (code, source) = (&self.code[&state.at], &self.source[&state.point]);
        state.thrown != Thrown::Not
            || code.escapes
            || code.returns && source.ends
            || code.circles && source.circles
    }

    /// The states from which there is a way on.
    fn viable(&self) -> Vec<bool> {
        let mut viable = vec![true; self.states.len()];
        let mut ways = vec![0usize; self.states.len()];
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.states.len()];
        for step in self.steps.iter().filter(|step| step.is_regular) {
            ways[step.from] += 1;
            before[step.to].push(step.from);
        }
        let ends = Vec::from_iter(self.states.iter().map(|&state| self.may_end(state)));
        let stuck = |state: usize, ways: &[usize]| ways[state] == 0 && !ends[state];
        let mut work = Vec::from_iter((0..self.states.len()).filter(|&state| stuck(state, &ways)));
        while let Some(state) = work.pop() {
            if std::mem::replace(&mut viable[state], false) {
                for &from in &before[state] {
                    ways[from] -= 1;
                    if stuck(from, &ways) {
                        work.push(from);
                    }
                }
            }
        }
        viable
    }

    /// The pairs on ways from the entry that lead on; `None` if there is no such way at all.
    fn stand_ins(&self) -> Option<BTreeSet<(InstructionIndex, PointId)>> {
        let viable = self.viable();
        let mut of_state: Vec<Vec<&Step>> = self.states.iter().map(|_| Vec::new()).collect();
        for step in self.steps.iter().filter(|step| viable[step.to]) {
            of_state[step.from].push(step);
        }
        let mut found = BTreeSet::new();
        let mut reached = vec![false; self.states.len()];
        let mut work = vec![0];
        while let Some(state) = work.pop() {
            if std::mem::replace(&mut reached[state], true) {
                continue;
            }
            for step in &of_state[state] {
                let to = self.states[step.to];
                found.extend(to.at.filter(|_| step.stands).map(|at| (at, to.point)));
                work.push(step.to);
            }
        }
        viable[0].then_some(found)
    }
}
