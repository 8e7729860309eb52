//! Calls whose result decides whether others follow.

use crate::{FunctionId, PointId};

/// A call whose result is tested before the function can return without calling anybody else, and the test has a side on which
/// another call follows in any case: `r = f(); if (r) return r; g();`.
///
/// As the result is not known before, no compiler can make a jump of the call: it has a frame while it lasts. That holds as long as
/// the code has the calls that follow; a test of nothing would be dropped.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DecisiveCall {
    /// The function that calls.
    pub function: FunctionId,
    /// The call, a point of it.
    pub point: PointId,
    /// The calls by name of which the result decides: of each such test those that come first on the side where one comes in any case.
    /// Sorted, never empty.
    pub follow: Vec<PointId>,
}
