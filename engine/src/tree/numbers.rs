//! Values of the order as the tree keeps them, and back.

use crate::Value;
use stacktree::Number;

/// A value as a label holds it.
pub(super) fn number_of(value: Value) -> Number {
    match value {
        Value::Int(value) => Number::Int(value),
        Value::Float(value) => Number::Float(value),
    }
}

/// The value that a label holds; none where it was not read.
pub(super) fn value_of(number: Number) -> Option<Value> {
    match number {
        Number::Int(value) => Some(Value::Int(value)),
        Number::Float(value) => Some(Value::Float(value)),
        Number::Unread => None,
    }
}
