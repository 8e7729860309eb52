//! Who is shown the address of a variable, or of what it leads to.

use crate::{FunctionId, PointId, Storage};

/// Somebody else gets an address that leads into an object: a local variable, or what a local pointer or reference leads to. An
/// optimising compiler that sees that nobody else knows an object may keep its memory behind the source: such a value
/// is believed only where somebody is shown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shown {
    /// The function that the variable is of.
    pub function: FunctionId,
    /// The call that gives the address; the function's entry, if its own caller has: then the variable is a parameter that leads
    /// to the same object as long as the function lasts.
    pub point: PointId,
    /// The variable, a [`Storage::Local`].
    pub variable: Storage,
    /// Who is called and with which parameter ([`Storage::Local`]) it leads to the object; nobody of the map: a function that may keep the
    /// address.
    pub to: Option<(FunctionId, Storage)>,
}
