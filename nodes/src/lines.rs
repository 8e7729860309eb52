//! A stream of bytes as lines of text, for what carries nothing else: `clush` parts all that comes into lines, and `flux exec` ends each at its first zero.
//!
//! A line is the base64 of some of the bytes, which are those of all lines one after the other. Nothing else is added: what is a whole message, and whether it was altered, is told by its frame. An empty line stands for no
//! bytes, so that a carrier may end lines as it likes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::fmt;

/// So many bytes are in a line at most: carriers keep a line until they have its end. A multiple of three, so that only the last line of a message is filled up.
const IN_A_LINE: usize = 3 << 10;

/// A line that is longer, in characters, is none of ours.
const LONGEST: usize = IN_A_LINE / 3 * 4 + 2;

/// A text that is no such line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotLines;

impl fmt::Display for NotLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("something else than lines of base64")
    }
}

impl std::error::Error for NotLines {}

/// Bytes as lines, each with its end.
pub fn to_lines(bytes: &[u8]) -> String {
    let mut lines = String::with_capacity(bytes.len() / 2 * 3);
    for piece in bytes.chunks(IN_A_LINE) {
        STANDARD.encode_string(piece, &mut lines);
        lines.push('\n');
    }
    lines
}

/// Takes lines apart as they come.
#[derive(Debug, Default)]
pub struct FromLines {
    /// What has come of a line without its end.
    begun: Vec<u8>,
}

impl FromLines {
    /// The bytes of all lines that are whole with this piece.
    ///
    /// # Errors
    /// A line is none of ours. What was in the piece is lost.
    pub fn bytes_of(&mut self, piece: &[u8]) -> Result<Vec<u8>, NotLines> {
        let mut bytes = Vec::new();
        let mut rest = piece;
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            self.begun.extend_from_slice(&rest[..end]);
            rest = &rest[end + 1..];
            let line = std::mem::take(&mut self.begun);
            if line.len() > LONGEST {
                return Err(NotLines);
            }
            STANDARD
                .decode_vec(line.trim_ascii(), &mut bytes)
                .map_err(|_| NotLines)?;
        }
        self.begun.extend_from_slice(rest);
        if self.begun.len() > LONGEST {
            return Err(NotLines);
        }
        Ok(bytes)
    }

    /// Whether the last line has its end.
    pub fn is_whole(&self) -> bool {
        self.begun.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A generator of bytes that are the same in every run.
    fn bytes(length: usize) -> Vec<u8> {
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let next = |_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()[3]
        };
        (0..length).map(next).collect()
    }

    #[test]
    fn whatever_comes_in_whatever_pieces_is_the_same_again() {
        for length in [0, 1, 2, 3, 4, IN_A_LINE - 1, IN_A_LINE, IN_A_LINE + 1, 50_000] {
            let sent = bytes(length);
            let lines = to_lines(&sent);
            assert!(lines.lines().all(|line| line.len() <= LONGEST && line.is_ascii()));
            for at_a_time in [1, 7, 4096, usize::MAX] {
                let mut taken = FromLines::default();
                let pieces = lines.as_bytes().chunks(at_a_time.min(lines.len().max(1)));
                let came = pieces.flat_map(|piece| taken.bytes_of(piece).unwrap());
                assert_eq!(Vec::from_iter(came), sent, "{length} in pieces of {at_a_time}");
                assert!(taken.is_whole());
            }
        }
    }

    #[test]
    fn ends_of_lines_as_others_write_them_and_empty_lines_do_no_harm() {
        let lines = to_lines(b"one").replace('\n', "\r\n\r\n\n");
        assert_eq!(
            FromLines::default().bytes_of(lines.as_bytes()),
            Ok(b"one".to_vec())
        );
    }

    #[test]
    fn what_is_no_line_of_ours_is_refused_and_not_kept_without_an_end() {
        for other in [
            "node1: b25l\n",
            "b25\n",
            "b25l=\n",
            "b25l b25l\n",
            "\u{e9}\n",
            "\0\n",
        ] {
            assert_eq!(
                FromLines::default().bytes_of(other.as_bytes()),
                Err(NotLines),
                "{other:?}"
            );
        }
        let mut taken = FromLines::default();
        let endless = (0..10).try_for_each(|_| taken.bytes_of(&[b'A'; 1024]).map(drop));
        assert_eq!(endless, Err(NotLines));
    }
}
