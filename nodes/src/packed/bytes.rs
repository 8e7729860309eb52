//! Numbers and texts, one after the other.

use base::{put_number, take_number};

pub(super) fn put_signed(out: &mut Vec<u8>, value: i64) {
    put_number(out, ((value << 1) ^ (value >> 63)).cast_unsigned());
}

pub(super) fn put_text(out: &mut Vec<u8>, text: &str) {
    put_number(out, text.len() as u64);
    out.extend(text.as_bytes());
}

/// What is left of what was written. Behind its end everything is zero.
pub(super) struct Bytes<'b> {
    all: &'b [u8],
    at: usize,
}

impl<'b> Bytes<'b> {
    pub(super) fn of(all: &'b [u8]) -> Self {
        Self { all, at: 0 }
    }

    pub(super) fn byte(&mut self) -> u8 {
        let byte = self.all.get(self.at).copied().unwrap_or_default();
        self.at += 1;
        byte
    }

    pub(super) fn number(&mut self) -> u64 {
        take_number(self.all, &mut self.at).unwrap_or_default()
    }

    pub(super) fn signed(&mut self) -> i64 {
        let folded = self.number();
        (folded >> 1).cast_signed() ^ -(folded & 1).cast_signed()
    }

    pub(super) fn text(&mut self) -> String {
        let length = self.number() as usize;
        let rest = self.all.get(self.at..).unwrap_or_default();
        let text = rest.get(..length).unwrap_or(rest);
        self.at += text.len();
        String::from_utf8_lossy(text).into_owned()
    }

    /// How many bytes were read.
    pub(super) fn read(&self) -> usize {
        self.at
    }
}
