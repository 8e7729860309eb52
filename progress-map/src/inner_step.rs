//! Where in a callee the step is made that a loop takes by calling it.

use crate::{FunctionId, Map, PointId};

/// All that a call steps of the variables of the loops around it is stepped at one point of the function that it calls, on every way through that
/// exactly once; and it is memory that the caller's variables lead to. So a task inside the call has made the step or not, as
/// its next frame tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct InnerStep {
    /// The function that calls.
    pub function: FunctionId,
    /// The call, a point of it.
    pub point: PointId,
    /// The function that is called.
    pub callee: FunctionId,
    /// The point of it that steps: an assignment, or a call that does so in its turn.
    pub at: PointId,
}

impl Map {
    /// Where the call at `point` of `function` makes its step, if that is known.
    pub fn inner_step(&self, function: FunctionId, point: PointId) -> Option<&InnerStep> {
        let key = |step: &InnerStep| (step.function, step.point);
        let at = self
            .inner_steps
            .binary_search_by_key(&(function, point), key)
            .ok()?;
        self.inner_steps.get(at)
    }
}
