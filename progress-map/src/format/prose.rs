//! Reasons for the user, which name lines: the words go to the string table, the numbers to a column.
//!
//! "line 193 does not move it by a step that is known" is otherwise another string for every line. On real code this
//! makes the static half a tenth smaller.

use super::columns::Column;
use super::strings::{Sink, Source};
use crate::error::ReadError;
use std::borrow::Cow;

const NUMBER: Column = Column(49);

/// Stands in the string table for a number; a text that contains it has 0 for it in [`NUMBER`].
const GAP: char = '\0';

/// The texts of one loop.
pub(crate) struct Prose {
    /// The number before, at first the loop's first line.
    near: u32,
}

impl Prose {
    pub(crate) fn new(line: u32) -> Self {
        Self { near: line }
    }

    pub(crate) fn write<'a>(&mut self, sink: &mut Sink<'a, '_>, column: Column, text: &'a str) {
        let mut words = String::new();
        let mut rest = text;
        let mut in_word = false;
        while let Some(next) = rest.chars().next() {
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let number = if in_word || digits == 0 {
                None
            } else {
                number(&rest[..digits], &rest[digits..])
            };
            let taken = if let Some(number) = number {
                let difference = i64::from(number.wrapping_sub(self.near).cast_signed());
                sink.columns.at(NUMBER).gap(Some(difference));
                self.near = number;
                words.push(GAP);
                digits
            } else {
                if next == GAP {
                    sink.columns.at(NUMBER).gap(None);
                }
                words.push(next);
                next.len_utf8()
            };
            in_word = is_word(next);
            rest = &rest[taken..];
        }
        let number = sink.number(Cow::Owned(words.into_bytes()));
        sink.columns.at(column).unsigned(u64::from(number));
    }

    pub(crate) fn read(&mut self, source: &mut Source<'_, '_>, column: Column) -> Result<String, ReadError> {
        let words = source.words(column)?;
        if !words.contains(GAP) {
            return Ok(words.to_owned());
        }
        let mut text = String::new();
        for (index, part) in words.split(GAP).enumerate() {
            if index > 0 {
                match source.columns.at(NUMBER).gap()? {
                    Some(difference) => {
                        self.near = self.near.wrapping_add_signed(difference);
                        text.push_str(&self.near.to_string());
                    }
                    None => text.push(GAP),
                }
            }
            text.push_str(part);
        }
        Ok(text)
    }
}

/// The number that `digits` are, if they stand alone and are what that number prints as.
fn number(digits: &str, after: &str) -> Option<u32> {
    let stands_alone = !after.chars().next().is_some_and(is_word);
    let is_plain = digits == "0" || !digits.starts_with('0');
    digits.parse().ok().filter(|_| stands_alone && is_plain)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn only_plain_numbers_are_taken_out() {
        assert_eq!(number("193", " does"), Some(193));
        assert_eq!(number("0", ""), Some(0));
        assert_eq!(number("4294967295", "."), Some(u32::MAX));
        assert_eq!(number("4294967296", ""), None);
        assert_eq!(number("007", ""), None);
        assert_eq!(number("2", "nd"), None);
    }
}
