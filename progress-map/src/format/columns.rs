//! A section's content: numbered columns, each deflated by itself.
//!
//! Values of one kind stand together, so that each kind gets Huffman codes of its own; that is worth far more than
//! deflating records in one piece. Columns also make sections extensible: a reader skips numbers that it does not
//! know, and a column that is not there is the same as an empty one.

use super::bytes::{Cursor, Out};
use crate::error::{ByteOffset, ReadError, Section};
use std::borrow::Cow;

/// The number of a column within its section.
#[derive(Clone, Copy)]
pub(crate) struct Column(pub(crate) u8);

/// One more than the highest column number that this version uses in any section.
const COLUMNS: usize = 64;

/// Deflate's best ratio is 1032:1; a column that claims more is refused before its buffer is allocated.
const DEFLATE_MAX_RATIO: usize = 1032;

/// Level 9 makes a map 1 % smaller and takes three times as long.
const LEVEL: u8 = 6;

/// Whether columns are deflated; without it, a mutated map reaches the decoders instead of failing to inflate.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    /// Where it makes the column smaller.
    Deflate,
    /// Never.
    Verbatim,
}

/// The columns of a section being written.
pub(crate) struct ColumnsOut {
    columns: Vec<Out>,
}

impl ColumnsOut {
    pub(crate) fn new() -> Self {
        Self {
            columns: (0..COLUMNS).map(|_| Out::default()).collect(),
        }
    }

    pub(crate) fn at(&mut self, column: Column) -> &mut Out {
        &mut self.columns[usize::from(column.0)]
    }

    /// How many bytes a reader inflates them to.
    pub(crate) fn len(&self) -> usize {
        self.columns.iter().map(|column| column.0.len()).sum()
    }

    /// The section's bytes.
    pub(crate) fn pack(&self, packing: Packing) -> Vec<u8> {
        let mut count = 0;
        let mut directory = Out::default();
        let mut data = Vec::new();
        for (number, column) in self.columns.iter().enumerate() {
            if column.0.is_empty() {
                continue;
            }
            let raw = column.0.len();
            let start = data.len();
            if packing == Packing::Deflate {
                let deflated = miniz_oxide::deflate::compress_to_vec(&column.0, LEVEL);
                if deflated.len() < raw {
                    data.extend_from_slice(&deflated);
                }
            }
            if data.len() == start {
                data.extend_from_slice(&column.0);
            }
            directory.size(number);
            directory.size(raw);
            directory.size(data.len() - start);
            count += 1;
        }
        let mut bytes = Out::default();
        bytes.size(count);
        bytes.bytes(&directory.0);
        bytes.bytes(&data);
        bytes.0
    }
}

/// How much memory reading may still take. It grows with the size of the file, so that a small file cannot claim
/// gigabytes by repeating one long string or by deflating zeros; see "Limits" in `docs/map-format.md`.
pub(crate) struct Budget {
    limit: u64,
    left: u64,
}

impl Budget {
    /// For a record of `length` bytes.
    pub(crate) fn new(length: usize) -> Self {
        let limit = (length as u64).saturating_mul(64).saturating_add(256 << 10);
        Self { limit, left: limit }
    }

    pub(crate) fn allows(&self, bytes: u64) -> bool {
        bytes <= self.left
    }

    pub(crate) fn take(&mut self, section: Section, bytes: usize) -> Result<(), ReadError> {
        match self.left.checked_sub(bytes as u64) {
            Some(left) => self.left = left,
            None => {
                return Err(ReadError::TooLarge {
                    section,
                    limit: self.limit,
                });
            }
        }
        Ok(())
    }
}

/// The columns of a section being read.
pub(crate) struct Columns<'a> {
    cursors: Vec<Cursor<'a>>,
    /// By column: it has been read from.
    read: Vec<bool>,
}

impl<'a> Columns<'a> {
    pub(crate) fn parse(section: Section, bytes: &'a [u8], budget: &mut Budget) -> Result<Self, ReadError> {
        let mut directory = Cursor::new(section, 0, Cow::Borrowed(bytes));
        let in_directory = |error| match error {
            ReadError::Malformed {
                place: ByteOffset::Column { section, offset, .. },
                what,
            } => ReadError::Malformed {
                place: ByteOffset::Section { section, offset },
                what,
            },
            other => other,
        };
        let entries = (|| {
            let left = directory.remaining();
            let count = directory.count(left)?;
            let mut entries = Vec::with_capacity(count);
            for _ in 0..count {
                let number = directory.unsigned()?;
                let raw = directory.unsigned()?;
                let stored = directory.count(left)?;
                if entries.last().is_some_and(|&(before, _, _)| number <= before) {
                    return Err(directory.malformed("column numbers do not ascend"));
                }
                entries.push((number, raw, stored));
            }
            Ok(entries)
        })()
        .map_err(in_directory)?;
        let mut cursors =
            Vec::from_iter((0..COLUMNS).map(|column| Cursor::new(section, column as u8, Cow::Borrowed(&[]))));
        let mut at = bytes.len() - directory.remaining();
        for (number, raw, stored) in entries {
            let malformed = |what| ReadError::Malformed {
                place: ByteOffset::Section {
                    section,
                    offset: at as u64,
                },
                what,
            };
            let data = bytes
                .get(at..)
                .and_then(|rest| rest.get(..stored))
                .ok_or_else(|| malformed("a column is longer than its section"))?;
            if let Some(cursor) = cursors.get_mut(number as usize) {
                let column = number as u8;
                let content = inflate(data, raw, section, budget).map_err(|error| match error {
                    Inflate::Damaged(what) => malformed(what),
                    Inflate::Budget(error) => error,
                })?;
                *cursor = Cursor::new(section, column, content);
            }
            at += stored;
        }
        if at != bytes.len() {
            let place = ByteOffset::Section {
                section,
                offset: at as u64,
            };
            let what = "the section is longer than its columns";
            return Err(ReadError::Malformed { place, what });
        }
        let read = vec![false; cursors.len()];
        Ok(Self { cursors, read })
    }

    pub(crate) fn at(&mut self, column: Column) -> &mut Cursor<'a> {
        let at = usize::from(column.0);
        self.read[at] = true;
        &mut self.cursors[at]
    }

    /// Bytes not read yet in one column: an upper bound for the number of elements that it can hold.
    pub(crate) fn left(&self, column: Column) -> usize {
        self.cursors[usize::from(column.0)].remaining()
    }

    /// Reads how many elements follow that each take at least one byte of `elements`.
    pub(crate) fn count(&mut self, counts: Column, elements: Column) -> Result<usize, ReadError> {
        let left = self.left(elements);
        self.at(counts).count(left)
    }

    /// Checks that nothing is left over in the columns that were read. Others are those that a later writer has added.
    pub(crate) fn finish(self) -> Result<(), ReadError> {
        let mut columns = self.cursors.iter().zip(&self.read);
        match columns.find(|(cursor, read)| **read && cursor.remaining() > 0) {
            Some((cursor, _)) => Err(cursor.malformed("the column is longer than its content")),
            None => Ok(()),
        }
    }
}

enum Inflate {
    Damaged(&'static str),
    Budget(ReadError),
}

fn inflate<'a>(
    data: &'a [u8],
    raw: u64,
    section: Section,
    budget: &mut Budget,
) -> Result<Cow<'a, [u8]>, Inflate> {
    let damaged = Inflate::Damaged("a column does not inflate to the length that it states");
    let Ok(raw) = usize::try_from(raw) else {
        return Err(damaged);
    };
    if raw < data.len() || raw / DEFLATE_MAX_RATIO > data.len() {
        return Err(damaged);
    }
    budget.take(section, raw).map_err(Inflate::Budget)?;
    if raw == data.len() {
        return Ok(Cow::Borrowed(data));
    }
    let mut content = vec![0; raw];
    let written = miniz_oxide::inflate::decompress_slice_iter_to_slice(
        &mut content,
        std::iter::once(data),
        false,
        true,
    );
    if written != Ok(raw) {
        return Err(damaged);
    }
    Ok(Cow::Owned(content))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Tag;

    #[test]
    fn columns_that_a_later_writer_has_added_are_skipped() {
        let mut out = ColumnsOut::new();
        out.at(Column(0)).unsigned(7);
        out.at(Column(50)).unsigned(8);
        let bytes = out.pack(Packing::Deflate);
        let section = Section {
            tag: Tag(*b"TEST"),
            ordinal: 0,
        };
        let read = |columns: &[u8]| {
            let mut parsed = Columns::parse(section, &bytes, &mut Budget::new(1000)).unwrap();
            assert_eq!(parsed.at(Column(0)).unsigned().unwrap(), 7);
            for &column in columns {
                parsed.at(Column(column));
            }
            parsed.finish()
        };
        assert!(read(&[]).is_ok());
        // Whoever knows a column has to read all of it.
        assert!(read(&[50]).is_err());
    }
}
