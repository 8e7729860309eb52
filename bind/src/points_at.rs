//! The points of a function that code at a position may stand for, whatever may happen there.
//!
//! The position is looked up as `progress` looks up that of a frame, but without knowing whether a call is under way there, and of
//! what. So where a call begins, the call and its arguments stand for all that may happen.

use progress_map::{Function, PointId, PointKind};
use std::collections::BTreeMap;

/// Answers for one function, and keeps its answers: many rows of the line table have one position, many variables ask about the same rows, and a
/// function may have thousands of points.
pub(crate) struct PointsAt<'m> {
    function: &'m Function,
    known: BTreeMap<(u32, u32), Vec<PointId>>,
}

impl<'m> PointsAt<'m> {
    pub(crate) fn new(function: &'m Function) -> Self {
        Self {
            function,
            known: BTreeMap::new(),
        }
    }

    /// In ascending order; none if the line is none of the function's.
    pub(crate) fn position(&mut self, line: u32, column: u32) -> &[PointId] {
        let known = self.known.entry((line, column));
        known.or_insert_with(|| found(self.function, line, column))
    }
}

fn found(function: &Function, line: u32, column: u32) -> Vec<PointId> {
    let by_name_or_pointer = |call: &PointId| !matches!(function.points[*call].kind, PointKind::MacroCall(_));
    let calls = function.calls_beginning_at(line, column);
    let calls = Vec::from_iter(calls.filter(by_name_or_pointer));
    if !calls.is_empty() {
        return function.within(&calls).collect();
    }
    let here = function.points_on(line);
    let with_text = here.filter(|&point| function.points[point].kind.has_text());
    function.narrowed(with_text.collect(), line, Some(column))
}
