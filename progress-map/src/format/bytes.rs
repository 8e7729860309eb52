//! The primitive codes: what one number, difference or option looks like in bytes.
//!
//! Every code is total: whatever value goes in comes out again, also values that no valid map holds, because all
//! differences are taken modulo the width of the type. Reading never panics: a number that is cut short, too long or
//! out of range is a [`ReadError::Malformed`] that names the byte.

use crate::error::{ByteOffset, ReadError, Section};
use base::{Id, NoNumber, Number, put_number, take_number};
use std::borrow::Cow;

/// More elements than any file has, and fewer than ids can number.
const MOST_ELEMENTS: usize = 1 << 31;

/// The place of a value in the list of all its kind, in which it stands.
pub(crate) fn place<T: PartialEq>(all: &[T], value: T) -> u8 {
    all.iter().position(|other| *other == value).unwrap_or_default() as u8
}

/// Bytes being written.
#[derive(Default)]
pub(crate) struct Out(pub(crate) Vec<u8>);

impl Out {
    pub(crate) fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    /// One of few values, as its place among all of them.
    pub(crate) fn one_of<T: PartialEq>(&mut self, all: &[T], value: T) {
        self.byte(place(all, value));
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// LEB128.
    pub(crate) fn unsigned(&mut self, value: u64) {
        put_number(&mut self.0, value);
    }

    /// A count or an index.
    pub(crate) fn size(&mut self, value: usize) {
        self.unsigned(value as u64);
    }

    /// Zigzag: 0, -1, 1, -2, … become 0, 1, 2, 3, …
    pub(crate) fn signed(&mut self, value: i64) {
        self.unsigned(u64::zigzag(value));
    }

    /// A `u32` that is usually near `base`: the signed difference.
    pub(crate) fn near32(&mut self, base: u32, value: u32) {
        self.signed(i64::from(value.wrapping_sub(base).cast_signed()));
    }

    /// A `u32` that is usually at or shortly after `base`: the unsigned difference.
    pub(crate) fn after32(&mut self, base: u32, value: u32) {
        self.unsigned(u64::from(value.wrapping_sub(base)));
    }

    /// A `u64` that is usually near `base`: the signed difference.
    pub(crate) fn near64(&mut self, base: u64, value: u64) {
        self.signed(value.wrapping_sub(base).cast_signed());
    }

    /// A `u64` that is usually at or shortly after `base`: the unsigned difference.
    pub(crate) fn after64(&mut self, base: u64, value: u64) {
        self.unsigned(value.wrapping_sub(base));
    }

    /// 0 for nothing, else the value plus one.
    pub(crate) fn option(&mut self, value: Option<u32>) {
        self.unsigned(value.map_or(0, |value| u64::from(value) + 1));
    }

    /// 0 for nothing, else one more than how far `parent` lies before `child`.
    pub(crate) fn parent(&mut self, child: u32, parent: Option<u32>) {
        self.option(parent.map(|parent| child.wrapping_sub(parent)));
    }
}

/// One inflated column being read.
pub(crate) struct Cursor<'a> {
    section: Section,
    column: u8,
    bytes: Cow<'a, [u8]>,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(section: Section, column: u8, bytes: Cow<'a, [u8]>) -> Self {
        Self {
            section,
            column,
            bytes,
            at: 0,
        }
    }

    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub(crate) fn section(&self) -> Section {
        self.section
    }

    /// The error for whatever stands just before the cursor.
    pub(crate) fn malformed(&self, what: &'static str) -> ReadError {
        let place = ByteOffset::Column {
            section: self.section,
            column: self.column,
            offset: self.at as u64,
        };
        ReadError::Malformed { place, what }
    }

    pub(crate) fn byte(&mut self) -> Result<u8, ReadError> {
        let byte = *self
            .bytes
            .get(self.at)
            .ok_or_else(|| self.malformed("the column ends too early"))?;
        self.at += 1;
        Ok(byte)
    }

    /// One of few values, from its place among all of them; `what` says that it is none.
    pub(crate) fn one_of<T: Copy>(&mut self, all: &[T], what: &'static str) -> Result<T, ReadError> {
        let place = self.byte()?;
        let found = all.get(usize::from(place)).copied();
        found.ok_or_else(|| self.malformed(what))
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&[u8], ReadError> {
        if count > self.remaining() {
            return Err(self.malformed("the column ends too early"));
        }
        self.at += count;
        Ok(&self.bytes[self.at - count..self.at])
    }

    /// Everything that is left.
    pub(crate) fn rest(&mut self) -> &[u8] {
        let start = std::mem::replace(&mut self.at, self.bytes.len());
        &self.bytes[start..]
    }

    pub(crate) fn unsigned(&mut self) -> Result<u64, ReadError> {
        take_number(&self.bytes, &mut self.at).map_err(|why| {
            self.malformed(match why {
                NoNumber::Cut => "the column ends too early",
                NoNumber::TooLarge => "a number has more than 64 bits",
            })
        })
    }

    pub(crate) fn u32(&mut self) -> Result<u32, ReadError> {
        let value = self.unsigned()?;
        u32::try_from(value).map_err(|_| self.malformed("a number has more than 32 bits"))
    }

    /// How many elements follow. Each takes at least one byte of `elements_left`, the bytes left in the column that
    /// holds them, so that a count never makes the reader allocate more than the file can fill.
    pub(crate) fn count(&mut self, elements_left: usize) -> Result<usize, ReadError> {
        let value = self.unsigned()?;
        match usize::try_from(value) {
            Ok(count) if count <= elements_left.min(MOST_ELEMENTS) => Ok(count),
            _ => Err(self.malformed("a count is larger than the data that it counts")),
        }
    }

    pub(crate) fn signed(&mut self) -> Result<i64, ReadError> {
        Ok(self.unsigned()?.unzigzag())
    }

    pub(crate) fn near32(&mut self, base: u32) -> Result<u32, ReadError> {
        let difference = self.signed()?;
        let difference =
            i32::try_from(difference).map_err(|_| self.malformed("a difference has more than 32 bits"))?;
        Ok(base.wrapping_add_signed(difference))
    }

    pub(crate) fn after32(&mut self, base: u32) -> Result<u32, ReadError> {
        Ok(base.wrapping_add(self.u32()?))
    }

    pub(crate) fn near64(&mut self, base: u64) -> Result<u64, ReadError> {
        Ok(base.wrapping_add_signed(self.signed()?))
    }

    pub(crate) fn after64(&mut self, base: u64) -> Result<u64, ReadError> {
        Ok(base.wrapping_add(self.unsigned()?))
    }

    pub(crate) fn option(&mut self) -> Result<Option<u32>, ReadError> {
        match self.unsigned()?.checked_sub(1) {
            None => Ok(None),
            Some(value) => match u32::try_from(value) {
                Ok(value) => Ok(Some(value)),
                Err(_) => Err(self.malformed("a number has more than 32 bits")),
            },
        }
    }

    pub(crate) fn parent(&mut self, child: u32) -> Result<Option<u32>, ReadError> {
        Ok(self.option()?.map(|distance| child.wrapping_sub(distance)))
    }

    /// The id with number `raw`; ids have no room for the two highest numbers.
    pub(crate) fn id<I: Id>(&self, raw: u32) -> Result<I, ReadError> {
        if raw >= u32::MAX - 1 {
            return Err(self.malformed("an id is out of range"));
        }
        Ok(I::from_index(raw as usize))
    }
}

/// An id's number: ids are made from `u32`s, so nothing is lost.
pub(crate) fn number(id: impl Id) -> u32 {
    id.index() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Tag;

    fn cursor(bytes: Vec<u8>) -> Cursor<'static> {
        let section = Section {
            tag: Tag(*b"TEST"),
            ordinal: 0,
        };
        Cursor::new(section, 0, Cow::Owned(bytes))
    }

    #[test]
    fn every_code_is_total() {
        let corners64 = [
            0,
            1,
            63,
            64,
            127,
            128,
            u64::MAX / 2,
            u64::MAX / 2 + 1,
            u64::MAX - 1,
            u64::MAX,
        ];
        let corners32 = [
            0,
            1,
            63,
            64,
            127,
            128,
            u32::MAX / 2,
            u32::MAX / 2 + 1,
            u32::MAX - 1,
            u32::MAX,
        ];
        let mut out = Out::default();
        for value in corners64 {
            out.unsigned(value);
            out.signed(value.cast_signed());
            for base in corners64 {
                out.near64(base, value);
                out.after64(base, value);
            }
        }
        for value in corners32 {
            out.option(Some(value));
            for base in corners32 {
                out.near32(base, value);
                out.after32(base, value);
                out.parent(base, Some(value));
            }
        }
        out.option(None);
        let mut cursor = cursor(out.0);
        for value in corners64 {
            assert_eq!(cursor.unsigned(), Ok(value));
            assert_eq!(cursor.signed(), Ok(value.cast_signed()));
            for base in corners64 {
                assert_eq!(cursor.near64(base), Ok(value));
                assert_eq!(cursor.after64(base), Ok(value));
            }
        }
        for value in corners32 {
            assert_eq!(cursor.option(), Ok(Some(value)));
            for base in corners32 {
                assert_eq!(cursor.near32(base), Ok(value));
                assert_eq!(cursor.after32(base), Ok(value));
                assert_eq!(cursor.parent(base), Ok(Some(value)));
            }
        }
        assert_eq!(cursor.option(), Ok(None));
        assert_eq!(cursor.remaining(), 0);
    }

    #[test]
    fn bad_numbers_are_refused() {
        assert!(cursor(vec![0x80]).unsigned().is_err());
        assert!(cursor(vec![0xff; 11]).unsigned().is_err());
        let mut too_long = vec![0xff; 9];
        too_long.push(2);
        assert!(cursor(too_long).unsigned().is_err());
        assert!(cursor(vec![0xff, 0xff, 0xff, 0xff, 0x10]).u32().is_err());
        assert!(cursor(vec![5, 0]).count(4).is_err());
        assert!(cursor(vec![]).id::<crate::PointId>(u32::MAX - 1).is_err());
        assert!(cursor(vec![1, 2]).take(3).is_err());
    }
}
