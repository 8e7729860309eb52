//! What a node stands for, and the dictionary that keeps each of them once.
//!
//! A dictionary is sorted: strings by their bytes, labels by their fields. So a label's number tells how it sorts, joining
//! two dictionaries keeps the order of each, and equal trees have equal numbers.

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
    /// A string of a [`Dictionary`].
    Text
}
id! {
    /// A label of a [`Dictionary`].
    LabelId
}

/// What a node of the tree stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
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
    fn key(&self) -> (u8, i128) {
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
    pub kind: Kind,
    /// The function's name, or the reason of [`Kind::Unreadable`].
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
    /// Values of variables, sorted by name.
    pub values: Box<[(T, Number)]>,
}

impl<T> Label<T> {
    fn map<'a, U>(&'a self, text: impl Fn(&'a T) -> U) -> Label<U> {
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
        if self.kind != Kind::Frame || granularity == Granularity::Point {
            return label;
        }
        label.values = Box::default();
        label.column = 0;
        label.inexact = false;
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

/// The strings and labels of a tree, each once, sorted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dictionary {
    pub(crate) strings: Vec<Box<str>>,
    pub(crate) labels: Vec<Label<Text>>,
}

impl Dictionary {
    /// The labels, each once, of any sequence of them; and for each of the sequence its number.
    pub fn new<'a>(labels: impl IntoIterator<Item = &'a Label<&'a str>>) -> (Self, Vec<LabelId>) {
        let given = Vec::from_iter(labels);
        let mut strings: Vec<&str> = Vec::new();
        for label in &given {
            strings.push(label.function);
            strings.extend(label.file);
            strings.extend(label.module);
            strings.extend(label.values.iter().map(|&(name, _)| name));
        }
        strings.sort_unstable();
        strings.dedup();
        let text = |wanted: &&str| Text::new(strings.binary_search(wanted).unwrap_or_default());
        let mut numbered: Vec<(Label<Text>, usize)> = given
            .iter()
            .enumerate()
            .map(|(at, label)| (label.map(text), at))
            .collect();
        numbered.sort_unstable();
        let mut of = vec![LabelId(0); given.len()];
        let mut labels: Vec<Label<Text>> = Vec::new();
        for (label, at) in numbered {
            if labels.last() != Some(&label) {
                labels.push(label);
            }
            of[at] = LabelId::new(labels.len() - 1);
        }
        let strings = strings.into_iter().map(Box::from).collect();
        (Self { strings, labels }, of)
    }

    /// How many labels there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// A string.
    pub fn text(&self, text: Text) -> &str {
        self.strings.get(text.index()).map_or("", |string| string)
    }

    /// A label, with its strings.
    pub fn label(&self, id: LabelId) -> Label<&str> {
        self.labels[id.index()].map(|&text| self.text(text))
    }

    /// A label, with its strings by number.
    pub fn raw(&self, id: LabelId) -> &Label<Text> {
        &self.labels[id.index()]
    }

    /// The number of a label that is in it.
    pub fn find(&self, label: &Label<&str>) -> Option<LabelId> {
        let resolved = |raw: &Label<Text>| raw.map(|&text| self.text(text));
        let found = self.labels.binary_search_by(|raw| resolved(raw).cmp(label));
        found.ok().map(LabelId::new)
    }

    /// One dictionary of all, and for each of them where its labels went; that keeps their order.
    pub(crate) fn join(all: &[&Dictionary]) -> (Self, Vec<Vec<LabelId>>) {
        if let [first, rest @ ..] = all
            && rest.iter().all(|other| other == first)
        {
            // Daemons of one job mostly see the same code.
            let same: Vec<LabelId> = (0..first.len()).map(LabelId::new).collect();
            return ((*first).clone(), vec![same; all.len()]);
        }
        let mut strings: Vec<&str> = all
            .iter()
            .flat_map(|each| each.strings.iter().map(|s| &**s))
            .collect();
        strings.sort_unstable();
        strings.dedup();
        let mut moved: Vec<Vec<Label<Text>>> = Vec::with_capacity(all.len());
        for each in all {
            let texts: Vec<Text> = each
                .strings
                .iter()
                .map(|string| Text::new(strings.binary_search(&&**string).unwrap_or_default()))
                .collect();
            let labels = each.labels.iter();
            moved.push(
                labels
                    .map(|label| label.map(|text| texts[text.index()]))
                    .collect(),
            );
        }
        let places = moved.iter().enumerate();
        let mut places: Vec<(usize, usize)> = places
            .flat_map(|(source, labels)| (0..labels.len()).map(move |at| (source, at)))
            .collect();
        // What came sorted stays so: the stable sort finds these runs and merges them.
        places.sort_by(|&(a, x), &(b, y)| moved[a][x].cmp(&moved[b][y]));
        let mut of: Vec<Vec<LabelId>> = all.iter().map(|each| vec![LabelId(0); each.len()]).collect();
        let mut labels: Vec<Label<Text>> = Vec::new();
        for (source, at) in places {
            let label = std::mem::take(&mut moved[source][at]);
            if labels.last() != Some(&label) {
                labels.push(label);
            }
            of[source][at] = LabelId::new(labels.len() - 1);
        }
        let strings = strings.into_iter().map(Box::from).collect();
        (Self { strings, labels }, of)
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
