//! A tree as bytes: what a daemon sends of the tasks on its node.
//!
//! All numbers are LEB128 but the bits of floats. `HTR2`; the strings (count; length and bytes of each); the places; the
//! labels (place and values); the nodes in preorder. A node is its label (not of the root), a number that holds how many
//! children it has and what else follows, and, where stacks end, how many (if not as many as tasks) and the ranges of tasks,
//! by the distance from the end of the one before and by their length.
//!
//! Any bytes give a tree or an error. A tree that was read is in canonical form, whatever the writer did.

use crate::dictionary::{Dictionary, Entry};
use crate::label::{Label, LabelId, LabelKind, Number, PlaceId, Text};
use crate::set::TaskSet;
use crate::tree::{Ends, Tree};
use base::{NoNumber, Number as Coded, put_number, take_number};
use std::fmt;

/// What a tree as bytes begins with.
pub const MAGIC: &[u8; 4] = b"HTR2";

/// Stacks end at this node; the bits of its number below that of the children.
const ENDS: u64 = 1;
/// Their number is not that of their tasks: threads were read, or a task more than once.
const COUNTED: u64 = 2;

/// Why bytes are no tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireError {
    /// Where in the bytes.
    pub offset: usize,
    /// What is wrong there.
    pub reason: &'static str,
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.offset, self.reason)
    }
}

impl std::error::Error for WireError {}

impl Tree {
    /// The tree as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        put(&mut out, self.dictionary.strings.len() as u64);
        for string in &self.dictionary.strings {
            put_string(&mut out, string);
        }
        put(&mut out, self.dictionary.places.len() as u64);
        for place in &self.dictionary.places {
            put_place(&mut out, place);
        }
        put(&mut out, self.dictionary.len() as u64);
        for id in (0..self.dictionary.len()).map(LabelId::new) {
            put(&mut out, self.dictionary.place_id(id).0.into());
            put_values(&mut out, self.dictionary.values(id));
        }
        for node in self.nodes() {
            if let Some(label) = self.label_id(node) {
                put(&mut out, label.0.into());
            }
            let ranges = self.ends(node).ranges();
            let stacks = self.stacks_ending(node);
            let mut follows = 0;
            if stacks > 0 || !ranges.is_empty() {
                follows |= ENDS;
                if stacks != self.ends(node).len() {
                    follows |= COUNTED;
                }
            }
            put(&mut out, (self.children(node).count() as u64) << 2 | follows);
            if follows & ENDS == 0 {
                continue;
            }
            if follows & COUNTED > 0 {
                put(&mut out, stacks);
            }
            put(&mut out, ranges.len() as u64);
            let mut end = 0u32;
            for (first, last) in ranges {
                put(&mut out, u64::from(first - end));
                put(&mut out, u64::from(last - first));
                end = last;
            }
        }
        out
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    /// The first byte that does not fit the format.
    pub fn from_bytes(bytes: &[u8]) -> Result<Tree, WireError> {
        let (tree, end) = Self::from_front(bytes)?;
        if end < bytes.len() {
            return Err(WireError {
                offset: end,
                reason: "bytes behind the end",
            });
        }
        Ok(tree)
    }

    /// Reads a tree that something else may follow; also where that begins.
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes).
    pub fn from_front(bytes: &[u8]) -> Result<(Tree, usize), WireError> {
        let mut reader = Reader { bytes, at: 0 };
        if reader.take(4)? != MAGIC {
            return Err(WireError {
                offset: 0,
                reason: "not a partial tree of hindmost",
            });
        }
        let mut tree = Tree {
            dictionary: reader.dictionary()?,
            ..Tree::empty()
        };
        // Nodes take three bytes and more; what is too little grows.
        tree.nodes.reserve((bytes.len() - reader.at) / 8);
        // The open nodes, and how many children each still expects.
        let mut open: Vec<usize> = Vec::new();
        let mut expected: Vec<usize> = Vec::new();
        // The label of each open node's latest child.
        let mut latest: Vec<Option<LabelId>> = Vec::new();
        loop {
            let label = match latest.last_mut() {
                None => LabelId(0),
                Some(latest) => {
                    let label = reader.label_id(tree.dictionary.len())?;
                    if latest.is_some_and(|latest| latest >= label) {
                        return reader.fail("siblings are not sorted");
                    }
                    *latest = Some(label);
                    label
                }
            };
            let node = tree.len();
            tree.push(label);
            let head: u64 = reader.number()?;
            let Ok(children) = usize::try_from(head >> 2) else {
                return reader.fail("a number is too large");
            };
            if children > bytes.len() - reader.at {
                return reader.fail("a count is larger than what follows");
            }
            if head & ENDS > 0 {
                let counted = if head & COUNTED > 0 {
                    Some(reader.small()?)
                } else {
                    None
                };
                let tasks = reader.tasks()?;
                let count = u32::try_from(tasks.len()).unwrap_or(u32::MAX);
                tree.end_here(Ends {
                    tasks,
                    stacks: counted.unwrap_or(count),
                });
            }
            open.push(node);
            expected.push(children);
            latest.push(None);
            while let Some(left) = expected.last_mut() {
                if *left > 0 {
                    *left -= 1;
                    break;
                }
                expected.pop();
                latest.pop();
                let keep = open.len() - 1;
                tree.close(&mut open, keep);
            }
            if open.is_empty() {
                break;
            }
        }
        Ok((tree, reader.at))
    }
}

fn put(out: &mut Vec<u8>, value: u64) {
    put_number(out, value);
}

/// Writes a string as [`Reader::string`] reads it.
pub fn put_string(out: &mut Vec<u8>, string: &str) {
    put(out, string.len() as u64);
    out.extend_from_slice(string.as_bytes());
}

fn put_place(out: &mut Vec<u8>, place: &Label<Text>) {
    let flags = match place.kind {
        LabelKind::Frame => 0,
        LabelKind::Threads => 1,
        LabelKind::Unreadable => 2,
        LabelKind::Missing => 3,
    } | u8::from(place.inexact) << 2
        | u8::from(place.inlined) << 3
        | u8::from(place.file.is_some()) << 4
        | u8::from(place.module.is_some()) << 5
        | u8::from(place.pc.is_some()) << 6
        | u8::from(place.straight) << 7;
    out.push(flags);
    put(out, place.function.0.into());
    for text in [place.file, place.module].into_iter().flatten() {
        put(out, text.0.into());
    }
    put(out, place.line.into());
    put(out, place.column.into());
    if let Some(pc) = place.pc {
        put(out, pc);
    }
}

fn put_values(out: &mut Vec<u8>, values: &[(Text, Number)]) {
    put(out, values.len() as u64);
    for (name, value) in values {
        put(out, name.0.into());
        match *value {
            Number::Int(value) => {
                out.push(0);
                // As wide as the widest integer that the order knows.
                put_number(out, u128::zigzag(value));
            }
            Number::Float(value) => {
                out.push(1);
                out.extend_from_slice(&value.to_bits().to_le_bytes());
            }
            Number::Unread => out.push(2),
        }
    }
}

/// Reads bytes from front to back.
#[derive(Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Reads on from `at`.
    pub fn from(bytes: &'a [u8], at: usize) -> Self {
        let at = at.min(bytes.len());
        Self { bytes, at }
    }

    /// Whether nothing is left.
    pub fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// The error that something is wrong here.
    ///
    /// # Errors
    /// Always.
    pub fn fail<T>(&self, reason: &'static str) -> Result<T, WireError> {
        Err(WireError {
            offset: self.at,
            reason,
        })
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], WireError> {
        let Some((taken, _)) = self
            .bytes
            .get(self.at..)
            .and_then(|rest| rest.split_at_checked(count))
        else {
            return self.fail("the bytes end too early");
        };
        self.at += count;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, WireError> {
        let Some(&byte) = self.bytes.get(self.at) else {
            return self.fail("the bytes end too early");
        };
        self.at += 1;
        Ok(byte)
    }

    /// A number.
    ///
    /// # Errors
    /// When it is cut off, or larger than its type.
    pub fn number<N: Coded>(&mut self) -> Result<N, WireError> {
        take_number(self.bytes, &mut self.at).or_else(|why| {
            self.fail(match why {
                NoNumber::Cut => "the bytes end too early",
                NoNumber::TooLarge => "a number is too large",
            })
        })
    }

    fn small(&mut self) -> Result<u32, WireError> {
        u32::try_from(self.number::<u64>()?).or_else(|_| self.fail("a number is too large"))
    }

    /// A count of things that take a byte or more each.
    fn count(&mut self) -> Result<usize, WireError> {
        let count = self.small()? as usize;
        if count > self.bytes.len() - self.at {
            return self.fail("a count is larger than what follows");
        }
        Ok(count)
    }

    /// A string, with its length before it.
    ///
    /// # Errors
    /// When it is cut off, or no UTF-8.
    pub fn string(&mut self) -> Result<&'a str, WireError> {
        let length = self.count()?;
        std::str::from_utf8(self.take(length)?).or_else(|_| self.fail("a string is not UTF-8"))
    }

    fn text(&mut self, strings: usize) -> Result<Text, WireError> {
        let text = self.small()?;
        if text as usize >= strings {
            return self.fail("there is no string of that number");
        }
        Ok(Text(text))
    }

    fn label_id(&mut self, labels: usize) -> Result<LabelId, WireError> {
        let label = self.small()?;
        if label as usize >= labels {
            return self.fail("there is no label of that number");
        }
        Ok(LabelId(label))
    }

    fn dictionary(&mut self) -> Result<Dictionary, WireError> {
        let mut strings: Vec<Box<str>> = Vec::new();
        for _ in 0..self.count()? {
            let string = self.string()?;
            if strings.last().is_some_and(|last| &**last >= string) {
                return self.fail("strings are not sorted");
            }
            strings.push(string.into());
        }
        let mut dictionary = Dictionary {
            strings,
            ..Dictionary::default()
        };
        for _ in 0..self.count()? {
            let place = self.place(dictionary.strings.len())?;
            if dictionary.places.last().is_some_and(|last| *last >= place) {
                return self.fail("places are not sorted");
            }
            dictionary.places.push(place);
        }
        for _ in 0..self.count()? {
            self.one_label(&mut dictionary)?;
        }
        Ok(dictionary)
    }

    /// Reads a label to the end of the dictionary.
    fn one_label(&mut self, dictionary: &mut Dictionary) -> Result<(), WireError> {
        let place = self.small()?;
        if place as usize >= dictionary.places.len() {
            return self.fail("there is no place of that number");
        }
        let last = dictionary.len().checked_sub(1).map(LabelId::new);
        for _ in 0..self.count()? {
            let name = self.text(dictionary.strings.len())?;
            let value = self.value()?;
            dictionary.values.push((name, value));
        }
        dictionary.labels.push(Entry {
            place: PlaceId(place),
            values_end: u32::try_from(dictionary.values.len()).unwrap_or(u32::MAX),
        });
        let id = LabelId::new(dictionary.len() - 1);
        let key = |id: LabelId| (dictionary.place_id(id), dictionary.values(id));
        if last.is_some_and(|last| key(last) >= key(id)) {
            return self.fail("labels are not sorted");
        }
        Ok(())
    }

    fn value(&mut self) -> Result<Number, WireError> {
        match self.byte()? {
            0 => Ok(Number::Int(self.number::<u128>()?.unzigzag())),
            1 => {
                let mut bits = [0; 8];
                bits.copy_from_slice(self.take(8)?);
                Ok(Number::Float(f64::from_bits(u64::from_le_bytes(bits))))
            }
            2 => Ok(Number::Unread),
            _ => self.fail("a value of no known kind"),
        }
    }

    fn place(&mut self, strings: usize) -> Result<Label<Text>, WireError> {
        let flags = self.byte()?;
        let kind = match flags & 3 {
            0 => LabelKind::Frame,
            1 => LabelKind::Threads,
            2 => LabelKind::Unreadable,
            _ => LabelKind::Missing,
        };
        let function = self.text(strings)?;
        let has = |bit: u8| flags >> bit & 1 == 1;
        let file = if has(4) { Some(self.text(strings)?) } else { None };
        let module = if has(5) { Some(self.text(strings)?) } else { None };
        let (line, column) = (self.small()?, self.small()?);
        let pc = if has(6) { Some(self.number()?) } else { None };
        Ok(Label {
            kind,
            function,
            file,
            line,
            column,
            module,
            pc,
            inexact: has(2),
            inlined: has(3),
            straight: has(7),
            values: Box::default(),
        })
    }

    fn tasks(&mut self) -> Result<TaskSet, WireError> {
        let count = self.count()?;
        let mut ranges = Vec::new();
        let mut end = 0u32;
        for _ in 0..count {
            let first = self.small()?.checked_add(end);
            let length = self.small()?;
            let range = first.and_then(|first| Some((first, first.checked_add(length)?)));
            let Some((first, last)) = range else {
                return self.fail("a task number is too large");
            };
            if count == 1 {
                return Ok(TaskSet::range(first, last));
            }
            ranges.push((first, last));
            end = last;
        }
        Ok(TaskSet::from_ranges(ranges))
    }
}
