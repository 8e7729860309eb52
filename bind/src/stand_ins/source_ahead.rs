//! What lies ahead of a point of the source, up to the next calls that certainly are instructions.

use super::{Source, go_round};
use base::IdVec;
use progress_map::{PointId, PointKind};
use std::collections::{BTreeMap, BTreeSet};

/// What lies ahead.
#[derive(Default)]
pub(super) struct SourceAhead {
    /// The calls that come next, past those that may have left no instruction, each with whether an exception was caught on the way.
    pub(super) next: BTreeSet<(PointId, bool)>,
    /// The function may end.
    pub(super) ends: bool,
    /// It may go round in a loop.
    pub(super) circles: bool,
}

/// What follows each point, with what compilers add.
pub(super) struct SourceFlow<'f> {
    source: &'f Source<'f>,
    succs: IdVec<PointId, Vec<PointId>>,
}

impl<'f> SourceFlow<'f> {
    pub(super) fn new(source: &'f Source<'f>) -> Self {
        let points = &source.function.points;
        let mut succs: IdVec<PointId, Vec<PointId>> = points.iter().map(|_| Vec::new()).collect();
        for &(from, to) in &source.function.edges {
            succs[from].push(to);
        }
        for &point in source.may_begin_anew {
            succs[point].push(super::entry());
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
        Self { source, succs }
    }

    /// What lies ahead of a point; `None` if that is too much.
    pub(super) fn ahead(&self, from: PointId, budget: &mut usize) -> Option<SourceAhead> {
        let points = &self.source.function.points;
        let after = |(point, caught): (PointId, bool)| {
            let next = self.succs[point].iter();
            next.map(move |&next| (next, caught || self.source.handlers.contains(&next)))
        };
        let mut found = SourceAhead::default();
        let mut passed: Vec<((PointId, bool), (PointId, bool))> = Vec::new();
        let mut seen = BTreeSet::new();
        let mut work = Vec::from_iter(after((from, false)));
        while let Some(here @ (point, _)) = work.pop() {
            if !seen.insert(here) {
                continue;
            }
            *budget = budget.checked_sub(1)?;
            let kind = &points[point].kind;
            if kind.is_call() {
                found.next.insert(here);
            }
            found.ends |= *kind == PointKind::Exit;
            if !self.source.required[point] {
                passed.extend(after(here).map(|next| (here, next)));
                work.extend(after(here));
            }
        }
        found.circles = go_round(&passed);
        // A macro may make a call more than once.
        if matches!(points[from].kind, PointKind::MacroCall(_)) {
            found.next.insert((from, false));
        }
        Some(found)
    }
}
