//! String tables: every string once, the most used ones first.
//!
//! The static half and the binding have a table each, so that binding a map leaves the static bytes alone and the
//! probe reads no more than the binding. Often used strings get the small numbers: those fit one byte and are what
//! Huffman codes shorten most.

use super::bytes::Cursor;
use super::columns::{Budget, Column, Columns, ColumnsOut};
use crate::error::ReadError;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

const LENGTH: Column = Column(0);
const BYTES: Column = Column(1);

/// A table being made. What refers to it is written twice: first to count the uses, then with the final numbers.
#[derive(Default)]
pub(crate) struct Interner<'a> {
    /// Number and uses by content; numbers are in order of first use until [`Self::settle`] changes them.
    strings: BTreeMap<Cow<'a, [u8]>, (u32, u32)>,
}

impl<'a> Interner<'a> {
    /// Counts a use of `bytes`.
    fn count(&mut self, bytes: Cow<'a, [u8]>, more: u32) {
        let next = self.strings.len() as u32;
        let (_, uses) = self.strings.entry(bytes).or_insert((next, 0));
        *uses = uses.saturating_add(more);
    }

    /// Counts the uses of a table whose strings are first used behind those of this one.
    pub(crate) fn join(&mut self, later: Interner<'a>) {
        let mut strings = Vec::from_iter(later.strings);
        strings.sort_unstable_by_key(|&(_, (number, _))| number);
        for (bytes, (_, uses)) in strings {
            self.count(bytes, uses);
        }
    }

    /// Gives the final numbers: most used first, then in order of first use.
    pub(crate) fn settle(&mut self) {
        let mut order = Vec::from_iter(self.strings.values_mut());
        order.sort_by_key(|(number, uses)| (std::cmp::Reverse(*uses), *number));
        for (number, (old, _)) in (0..).zip(order) {
            *old = number;
        }
    }

    /// How many bytes the strings have with every use counted: what a reader that copies them will allocate.
    pub(crate) fn copied(&self) -> u64 {
        let sizes = self.strings.iter();
        sizes
            .map(|(bytes, &(_, uses))| bytes.len() as u64 * u64::from(uses))
            .sum()
    }

    pub(crate) fn columns(&self) -> ColumnsOut {
        let mut order = Vec::from_iter(self.strings.iter().map(|(bytes, &(number, _))| (number, bytes)));
        order.sort_unstable();
        let mut out = ColumnsOut::new();
        for (_, bytes) in order {
            out.at(LENGTH).size(bytes.len());
            out.at(BYTES).bytes(bytes);
        }
        out
    }
}

/// A table that was read.
pub(crate) struct Strings {
    content: Content,
    /// Where each string ends.
    ends: Vec<u32>,
}

/// All strings, one after the other. As a rule they are text, and looking at that once is enough.
enum Content {
    Text(String),
    Bytes(Vec<u8>),
}

impl Content {
    fn bytes(&self) -> &[u8] {
        match self {
            Content::Text(text) => text.as_bytes(),
            Content::Bytes(bytes) => bytes,
        }
    }
}

impl Strings {
    pub(crate) fn read(mut columns: Columns<'_>) -> Result<Self, ReadError> {
        let mut ends = Vec::with_capacity(columns.left(LENGTH));
        let mut end = 0u32;
        while columns.left(LENGTH) > 0 {
            let length = columns.at(LENGTH).u32()?;
            end = end
                .checked_add(length)
                .filter(|&end| end as usize <= columns.left(BYTES))
                .ok_or_else(|| columns.at(LENGTH).malformed("a string is longer than its table"))?;
            ends.push(end);
        }
        let bytes = columns.at(BYTES).take(end as usize)?.to_vec();
        columns.finish()?;
        let content = match String::from_utf8(bytes) {
            Ok(text) => Content::Text(text),
            Err(error) => Content::Bytes(error.into_bytes()),
        };
        Ok(Self { content, ends })
    }

    /// The content of entry `number`, which was just read at `cursor`.
    pub(crate) fn bytes(
        &self,
        number: u32,
        cursor: &Cursor<'_>,
        budget: &mut Budget,
    ) -> Result<Vec<u8>, ReadError> {
        let range = self
            .range(number as usize)
            .ok_or_else(|| cursor.malformed("there is no string of this number"))?;
        budget.take(cursor.section(), range.len())?;
        Ok(self.content.bytes()[range].to_vec())
    }

    /// Entry `number`, which was just read at `cursor`, as text. It is charged as if it were copied: whether it is must not
    /// decide which maps can be read.
    pub(crate) fn checked(
        &self,
        number: u32,
        cursor: &Cursor<'_>,
        budget: &mut Budget,
    ) -> Result<&str, ReadError> {
        let range = self
            .range(number as usize)
            .ok_or_else(|| cursor.malformed("there is no string of this number"))?;
        budget.take(cursor.section(), range.len())?;
        self.text_at(range)
            .ok_or_else(|| cursor.malformed("the string of this number is not UTF-8"))
    }

    fn text_at(&self, range: Range<usize>) -> Option<&str> {
        match &self.content {
            Content::Text(text) => text.get(range),
            Content::Bytes(bytes) => std::str::from_utf8(bytes.get(range)?).ok(),
        }
    }

    /// Entry `number`, which has been [`Self::checked`].
    pub(crate) fn known(&self, number: u32) -> &str {
        let range = self.range(number as usize);
        range.and_then(|range| self.text_at(range)).unwrap_or_default()
    }

    fn range(&self, number: usize) -> Option<Range<usize>> {
        let end = *self.ends.get(number)? as usize;
        let start = match number.checked_sub(1) {
            Some(before) => self.ends[before] as usize,
            None => 0,
        };
        Some(start..end)
    }
}

/// What every decoder needs: the columns, the strings that they refer to, and the memory left to spend.
pub(crate) struct Source<'a, 'b> {
    pub(crate) columns: Columns<'a>,
    pub(crate) strings: &'b Strings,
    pub(crate) budget: &'b mut Budget,
    /// What is read now is only in the way of what is wanted: texts are checked, but not copied.
    pub(crate) skipping: bool,
}

impl Source<'_, '_> {
    /// Reads a string number at `column` and copies the string, unless it is being skipped.
    pub(crate) fn text(&mut self, column: Column) -> Result<String, ReadError> {
        let number = self.columns.at(column).u32()?;
        let text = self
            .strings
            .checked(number, self.columns.at(column), self.budget)?;
        Ok(if self.skipping {
            String::new()
        } else {
            text.to_owned()
        })
    }

    /// Reads a string number at `column`, and leaves the string where it is.
    pub(crate) fn text_number(&mut self, column: Column) -> Result<u32, ReadError> {
        let number = self.columns.at(column).u32()?;
        self.strings
            .checked(number, self.columns.at(column), self.budget)?;
        Ok(number)
    }

    /// The same for a table entry that need not be text.
    pub(crate) fn blob(&mut self, column: Column) -> Result<Vec<u8>, ReadError> {
        let number = self.columns.at(column).u32()?;
        self.strings.bytes(number, self.columns.at(column), self.budget)
    }
}

/// Which number stands for a string.
pub(crate) enum Numbers<'a, 'b> {
    /// None yet: uses are counted, and what is written is thrown away.
    Counting(&'b mut Interner<'a>),
    /// The final one, of a table that has counted all uses and is settled.
    Settled(&'b Interner<'a>),
}

impl<'a> Numbers<'a, '_> {
    /// The same for one section.
    pub(crate) fn again(&mut self) -> Numbers<'a, '_> {
        match self {
            Numbers::Counting(strings) => Numbers::Counting(strings),
            Numbers::Settled(strings) => Numbers::Settled(strings),
        }
    }
}

/// The other side: the columns being written and the table that they refer to.
pub(crate) struct Sink<'a, 'b> {
    pub(crate) columns: ColumnsOut,
    numbers: Numbers<'a, 'b>,
}

impl<'a, 'b> Sink<'a, 'b> {
    pub(crate) fn new(numbers: Numbers<'a, 'b>) -> Self {
        Self {
            columns: ColumnsOut::new(),
            numbers,
        }
    }

    /// The number of `bytes`.
    pub(crate) fn number(&mut self, bytes: impl Into<Cow<'a, [u8]>>) -> u32 {
        let bytes = bytes.into();
        match &mut self.numbers {
            Numbers::Counting(strings) => {
                strings.count(bytes, 1);
                0
            }
            Numbers::Settled(strings) => {
                let known = strings.strings.get(&*bytes);
                debug_assert!(known.is_some(), "a string was not counted");
                known.map_or(0, |&(number, _)| number)
            }
        }
    }

    pub(crate) fn text(&mut self, column: Column, text: &'a str) {
        self.blob(column, text.as_bytes());
    }

    pub(crate) fn blob(&mut self, column: Column, bytes: &'a [u8]) {
        let number = self.number(bytes);
        self.columns.at(column).unsigned(u64::from(number));
    }
}
