//! Where exceptions are caught.

use crate::{FunctionId, Map, PointId};

/// The point at which a handler of exceptions begins. Nothing leads there but an exception, so that machine code comes to what the handler does
/// by a landing pad only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Handler {
    /// The function that catches.
    pub function: FunctionId,
    /// Where the handler begins, a point of it.
    pub point: PointId,
}

impl Map {
    /// Where the handlers of a function begin, in order.
    pub fn handlers_of(&self, function: FunctionId) -> impl Iterator<Item = PointId> {
        let first = self
            .handlers
            .partition_point(|handler| handler.function < function);
        let own = self.handlers[first..].iter();
        own.take_while(move |handler| handler.function == function)
            .map(|handler| handler.point)
    }
}
