//! What a node stands for.

use std::cmp::Ordering;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name(pub(crate) u32);

        impl $name {
            pub(crate) fn new(index: usize) -> Self {
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }

            /// The place in its column.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// A string of a [`Dictionary`](crate::Dictionary).
    Text
}
id! {
    /// A label without its values, of a [`Dictionary`](crate::Dictionary).
    PlaceId
}
id! {
    /// A label of a [`Dictionary`](crate::Dictionary).
    LabelId
}

/// What a node of the tree stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum LabelKind {
    /// A call on a stack.
    #[default]
    Frame,
    /// Above the stacks of threads besides the main ones.
    Threads,
    /// Tasks whose stack could not be read; `function` is the reason.
    Unreadable,
    /// Tasks of which nothing is known at all.
    Missing,
}

/// The value of a variable in a frame.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// An integer or an address.
    Int(i128),
    /// A floating-point number.
    Float(f64),
    /// It could not be read.
    Unread,
}

impl Number {
    /// Integers sort before floats, floats as IEEE's total order does: labels need some order, not a meaning.
    pub(crate) fn key(&self) -> (u8, i128) {
        match *self {
            Number::Int(value) => (0, value),
            Number::Float(value) => {
                let bits = value.to_bits() as i64;
                // Negative numbers sort the other way round.
                let turned = bits ^ (((bits >> 63) as u64) >> 1) as i64;
                (1, turned.into())
            }
            Number::Unread => (2, 0),
        }
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Number {}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// What tells a node from its siblings; `T` is how a string is held.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label<T> {
    /// What it stands for.
    pub kind: LabelKind,
    /// The function's name, or the reason of [`LabelKind::Unreadable`].
    pub function: T,
    /// Its source file.
    pub file: Option<T>,
    /// The line, from 1; 0 when unknown.
    pub line: u32,
    /// The column, from 1; 0 when unknown.
    pub column: u32,
    /// The shared object or program.
    pub module: Option<T>,
    /// The program counter, relative to the module.
    pub pc: Option<u64>,
    /// The position is near the truth only.
    pub inexact: bool,
    /// The call was inlined into the frame before.
    pub inlined: bool,
    /// The call is not one by name of a function that has left its frame to the next one's.
    pub straight: bool,
    /// Values of variables, sorted by name.
    pub values: Box<[(T, Number)]>,
}

impl<T: PartialEq> Label<T> {
    /// Whether the two differ in values alone.
    pub(crate) fn is_at(&self, other: &Self) -> bool {
        (self.kind, &self.function, &self.file, self.line, self.column)
            == (other.kind, &other.function, &other.file, other.line, other.column)
            && (&self.module, self.pc) == (&other.module, other.pc)
            && (self.inexact, self.inlined, self.straight) == (other.inexact, other.inlined, other.straight)
    }
}

impl<T> Label<T> {
    pub(crate) fn map<'a, U>(&'a self, text: impl Fn(&'a T) -> U) -> Label<U> {
        Label {
            kind: self.kind,
            function: text(&self.function),
            file: self.file.as_ref().map(&text),
            line: self.line,
            column: self.column,
            module: self.module.as_ref().map(&text),
            pc: self.pc,
            inexact: self.inexact,
            inlined: self.inlined,
            straight: self.straight,
            values: self
                .values
                .iter()
                .map(|(name, value)| (text(name), *value))
                .collect(),
        }
    }
}

/// How finely nodes are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Granularity {
    /// By function (and whether it is the program's or of a module).
    Function,
    /// By function, file and line.
    Line,
    /// By module and offset in it.
    Module,
    /// By function and program counter.
    Pc,
    /// By program point, with the values of the variables that order its loops: all that is known.
    Point,
}

impl<T: Clone> Label<T> {
    /// The label as this granularity sees it.
    pub fn at(&self, granularity: Granularity) -> Self {
        let mut label = self.clone();
        if self.kind != LabelKind::Frame || granularity == Granularity::Point {
            return label;
        }
        label.values = Box::default();
        label.column = 0;
        label.inexact = false;
        label.straight = false;
        match granularity {
            Granularity::Function => {
                (label.line, label.pc, label.inlined) = (0, None, false);
            }
            Granularity::Line => {
                label.pc = None;
            }
            // Without a place in a module, the function and line have to do.
            Granularity::Module if label.module.is_some() && label.pc.is_some() => {
                (label.file, label.line) = (None, 0);
            }
            Granularity::Module | Granularity::Pc | Granularity::Point => {}
        }
        label
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_sort_as_they_are() {
        let sorted = [
            Number::Int(-3),
            Number::Int(7),
            Number::Float(f64::NEG_INFINITY),
            Number::Float(-1.5),
            Number::Float(0.0),
            Number::Float(2.0),
            Number::Float(f64::INFINITY),
            Number::Unread,
        ];
        for pair in sorted.windows(2) {
            assert!(pair[0] < pair[1], "{pair:?}");
        }
        assert_eq!(
            Number::Float(f64::NAN),
            Number::Float(f64::NAN),
            "a label is equal to itself"
        );
    }
}
