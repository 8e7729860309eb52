//! Over which object an iterator goes that the source names.

use crate::{FunctionId, Storage};

/// A loop counts the elements of an object in front of those that its iterator has come to, as a [`Storage::Range`] of that iterator.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Iterated {
    /// The function that the loop is in.
    pub function: FunctionId,
    /// The iterator, a [`Storage::Local`]. It has begun with the object's first element.
    pub iterator: Storage,
    /// The object; no [`Storage::Range`].
    pub container: Storage,
}
