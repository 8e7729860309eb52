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

use crate::code::{Code, InstructionIndex};
use base::{Id as _, IdVec};
use progress_map::{Function, PointId};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

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
}

/// The pairs of call instructions and points that they may stand for. `fits` tells what an instruction may be by itself; `None` when
/// there is too much to look at.
pub(crate) fn stand_ins(
    copy: &Copy<'_>,
    source: &Source<'_>,
    mut fits: impl FnMut(InstructionIndex) -> Fit,
) -> Option<BTreeSet<(InstructionIndex, PointId)>> {
    let entry = PointId::from_index(0);
    let mut budget = BUDGET;
    let mut of_step: BTreeMap<InstructionIndex, Fit> = BTreeMap::new();
    for (step, _) in copy.code.calls() {
        if (copy.inside)(step) {
            of_step.insert(step, fits(step));
        }
    }
    let mut next_steps: BTreeMap<Option<InstructionIndex>, Vec<(InstructionIndex, bool)>> = BTreeMap::new();
    let mut next_points: BTreeMap<PointId, BTreeSet<PointId>> = BTreeMap::new();
    let succs = successors(source);
    let mut reached: BTreeSet<(InstructionIndex, PointId)> = BTreeSet::new();
    let mut passed_by: BTreeSet<(InstructionIndex, PointId)> = BTreeSet::new();
    let mut work: Vec<(Option<InstructionIndex>, PointId)> = vec![(None, entry)];
    while let Some((from, point)) = work.pop() {
        if let Entry::Vacant(place) = next_steps.entry(from) {
            place.insert(calls_after(copy, from, &of_step, &mut budget)?);
        }
        for origin in [point, entry] {
            if let Entry::Vacant(place) = next_points.entry(origin) {
                place.insert(calls_ahead(source, &succs, origin, &mut budget)?);
            }
        }
        for &(step, entered) in &next_steps[&from] {
            let fit = &of_step[&step];
            let starts = [Some(point), (entered && copy.is_inlined).then_some(entry)];
            for start in starts.into_iter().flatten().filter(|_| fit.silent) {
                if passed_by.insert((step, start)) {
                    work.push((Some(step), start));
                }
            }
            let ahead = next_points[&point].iter();
            let anew = next_points[&entry].iter().filter(|_| entered && copy.is_inlined);
            for &next in ahead.chain(anew) {
                budget = budget.checked_sub(1)?;
                if fit.points.contains(&next) && reached.insert((step, next)) {
                    work.push((Some(step), next));
                }
            }
        }
    }
    Some(reached)
}

/// The calls of the source that come next in the machine code, each with whether the copy may have been entered on the way.
fn calls_after(
    copy: &Copy<'_>,
    from: Option<InstructionIndex>,
    of_step: &BTreeMap<InstructionIndex, Fit>,
    budget: &mut usize,
) -> Option<Vec<(InstructionIndex, bool)>> {
    let mut found = BTreeSet::new();
    let mut seen: BTreeSet<(InstructionIndex, bool)> = BTreeSet::new();
    let mut work: Vec<(InstructionIndex, bool)> = match from {
        None => vec![(copy.code.entry, true)],
        Some(from) => copy.code.after(from).map(|next| (next, false)).collect(),
    };
    while let Some((step, entered)) = work.pop() {
        let entered = entered || !(copy.inside)(step);
        if !seen.insert((step, entered)) {
            continue;
        }
        *budget = budget.checked_sub(1)?;
        if of_step.get(&step).is_some_and(|fit| !fit.points.is_empty()) {
            found.insert((step, entered));
        } else {
            work.extend(copy.code.after(step).map(|next| (next, entered)));
        }
    }
    Some(found.into_iter().collect())
}

/// What follows each point, with what compilers add.
fn successors(source: &Source<'_>) -> IdVec<PointId, Vec<PointId>> {
    let points = &source.function.points;
    let mut succs: IdVec<PointId, Vec<PointId>> = points.iter().map(|_| Vec::new()).collect();
    for &(from, to) in &source.function.edges {
        succs[from].push(to);
    }
    for &point in source.may_begin_anew {
        succs[point].push(PointId::from_index(0));
    }
    // Of operands whose order C leaves open, any may be the first.
    let mut groups: BTreeMap<u32, Vec<(PointId, u32)>> = BTreeMap::new();
    for (id, point) in points.iter_enumerated() {
        for operand in &point.unsequenced {
            groups
                .entry(operand.group)
                .or_default()
                .push((id, operand.operand));
        }
    }
    for group in groups.values() {
        for &(one, operand) in group {
            let others = group.iter().filter(|&&(_, other)| other != operand);
            succs[one].extend(others.map(|&(other, _)| other));
        }
    }
    succs
}

/// The calls that come next in the source, past those that may have left no instruction.
fn calls_ahead(
    source: &Source<'_>,
    succs: &IdVec<PointId, Vec<PointId>>,
    from: PointId,
    budget: &mut usize,
) -> Option<BTreeSet<PointId>> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut work = succs[from].clone();
    while let Some(point) = work.pop() {
        if !seen.insert(point) {
            continue;
        }
        *budget = budget.checked_sub(1)?;
        let kind = &source.function.points[point].kind;
        if kind.is_call() {
            found.insert(point);
        }
        if !source.required[point] {
            work.extend(&succs[point]);
        }
    }
    // A macro may make a call more than once.
    let is_macro = matches!(
        source.function.points[from].kind,
        progress_map::PointKind::MacroCall(_)
    );
    found.extend(is_macro.then_some(from));
    Some(found)
}
