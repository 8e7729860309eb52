//! Room for far jumps, near windows that have room for short ones alone.

use super::plan::{Plan, Reach, Unsafe, Window};
use std::collections::BTreeMap;
use std::ops::Range;

/// What is left of the filling between functions: where each stretch begins, and where it ends.
pub(super) struct Islands(BTreeMap<u64, u64>);

impl Islands {
    /// The filling that no window of these plans takes.
    pub(super) fn new(filling: Vec<Range<u64>>, plans: &[Plan]) -> Self {
        let mut islands = Self(
            filling
                .into_iter()
                .map(|range| (range.start, range.end))
                .collect(),
        );
        for window in plans.iter().flat_map(Plan::windows) {
            islands.take(window.start..window.end());
        }
        islands
    }

    /// Takes these bytes out of the stretch that they begin in or reach into.
    fn take(&mut self, bytes: Range<u64>) {
        let Some((&start, &end)) = self.0.range(..bytes.end).next_back() else {
            return;
        };
        if end <= bytes.start {
            return;
        }
        self.0.remove(&start);
        if bytes.end < end {
            self.0.insert(bytes.end, end);
        }
    }

    /// Where each window of a plan jumps from far: from where it stands, or from an island that is taken for it.
    ///
    /// # Errors
    /// There is none near one of them.
    pub(super) fn reach(&mut self, plan: &Plan) -> Result<Vec<u64>, Unsafe> {
        let mut from = Vec::new();
        for window in plan.windows() {
            let at = match window.reach {
                Reach::Far => Some(window.start),
                Reach::Short => self.near(window),
            };
            let why = if from.is_empty() {
                Unsafe::BeginningTooShort
            } else {
                Unsafe::EndTooShort
            };
            from.push(at.ok_or(why)?);
        }
        Ok(from)
    }

    fn near(&mut self, window: &Window) -> Option<u64> {
        let behind = window.start + Reach::Short.bytes();
        let reached = behind.saturating_sub(i8::MIN.unsigned_abs().into())..=behind + i8::MAX as u64;
        let mut stretches = self.0.range(reached);
        let (&at, _) = stretches.find(|(start, end)| **end - **start >= Reach::Far.bytes())?;
        self.take(at..at + Reach::Far.bytes());
        Some(at)
    }
}
