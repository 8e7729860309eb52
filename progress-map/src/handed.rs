//! Variables that calls hand to their callees unchanged.

use crate::{FunctionId, PointId, Storage};

/// A call gives a loop-order variable to a parameter, and neither changes while it lasts: if the call is inlined, whoever knows
/// the parameter knows the variable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Handed {
    /// The function that calls.
    pub function: FunctionId,
    /// The call, a point of it.
    pub point: PointId,
    /// The variable, a [`Storage::Local`].
    pub variable: Storage,
    /// The function that is called.
    pub callee: FunctionId,
    /// Its parameter, a [`Storage::Local`].
    pub parameter: Storage,
}
