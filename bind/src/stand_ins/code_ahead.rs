//! What lies ahead of a call instruction, up to the next calls that may stand for one of the source.

use super::{Copy, Fit, Thrown, go_round};
use crate::code::{Code, End, InstructionIndex};
use std::collections::{BTreeMap, BTreeSet};

/// What lies ahead.
#[derive(Default)]
pub(super) struct CodeAhead {
    pub(super) next: BTreeSet<Segment>,
    /// The function may return, or an inlined copy be left.
    pub(super) returns: bool,
    /// Nobody knows where it may go on.
    pub(super) escapes: bool,
    /// It may go round in a loop.
    pub(super) circles: bool,
}

/// A way to the next call that may stand for one of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Segment {
    pub(super) step: InstructionIndex,
    /// The copy may have been entered on the way.
    pub(super) entered: bool,
    pub(super) thrown: Thrown,
    /// All calls on the way came back.
    pub(super) is_regular: bool,
}

/// What lies ahead of a call instruction, or of the entry.
pub(super) fn code_ahead(
    copy: &Copy<'_>,
    from: Option<InstructionIndex>,
    of_step: &BTreeMap<InstructionIndex, Fit>,
    budget: &mut usize,
) -> Option<CodeAhead> {
    let mut found = CodeAhead::default();
    let mut regular: Vec<(InstructionIndex, InstructionIndex)> = Vec::new();
    let mut seen: BTreeSet<Segment> = BTreeSet::new();
    let mut work = match from {
        None => vec![Segment {
            step: copy.code.entry,
            entered: true,
            thrown: Thrown::Not,
            is_regular: true,
        }],
        Some(step) => {
            let here = Segment {
                step,
                entered: false,
                thrown: Thrown::Not,
                is_regular: true,
            };
            found.leave(copy.code, here, of_step.get(&step))
        }
    };
    while let Some(mut here) = work.pop() {
        if !(copy.inside)(here.step) {
            here.entered = true;
            found.returns |= here.is_regular && copy.is_inlined;
        }
        if !seen.insert(here) {
            continue;
        }
        *budget = budget.checked_sub(1)?;
        let fit = of_step.get(&here.step);
        if fit.is_some_and(|fit| !fit.points.is_empty()) {
            found.next.insert(here);
            continue;
        }
        let ahead = found.leave(copy.code, here, fit);
        if here.is_regular {
            let next = ahead.iter().filter(|next| next.is_regular);
            regular.extend(next.map(|next| (here.step, next.step)));
        }
        work.extend(ahead);
    }
    found.circles = go_round(&regular);
    Some(found)
}

impl CodeAhead {
    /// Goes on from an instruction.
    fn leave(&mut self, code: &Code, here: Segment, fit: Option<&Fit>) -> Vec<Segment> {
        let step = &code.steps[here.step];
        if here.is_regular {
            self.returns |= step.next.end == Some(End::Returns);
            let comes_back =
                step.call.is_none() || code.comes_back(here.step) || fit.is_some_and(|fit| fit.returns);
            self.escapes |= step.next.end == Some(End::Otherwise) || !comes_back;
        }
        let mut ahead = Vec::from_iter(
            [step.next.behind, step.next.jump]
                .into_iter()
                .flatten()
                .map(|step| Segment { step, ..here }),
        );
        let thrown = match fit {
            Some(fit) if fit.is_own => Thrown::Own,
            _ => Thrown::Inlined,
        };
        ahead.extend(step.next.pad.map(|pad| Segment {
            step: pad,
            thrown: here.thrown.max(thrown),
            // A call that cannot come back goes on here or nowhere.
            is_regular: here.is_regular && step.next.behind.is_none(),
            ..here
        }));
        ahead
    }
}
