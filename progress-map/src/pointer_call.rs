//! Calls through pointers: whom they may lead to, and how many arguments they pass.

use crate::{FunctionId, PointId};

/// A function whose address the program takes, so that a pointer may lead to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AddressTaken {
    /// The function.
    pub function: FunctionId,
    /// How many parameters it has a use for, so that no call passes fewer; `None` if that is not known, as in C++.
    pub parameters: Option<u8>,
}

/// A call of C through a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PointerCall {
    /// The function that calls.
    pub function: FunctionId,
    /// The call, a point of it.
    pub point: PointId,
    /// How many arguments it passes.
    pub arguments: u8,
}
