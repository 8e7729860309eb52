//! Answers as lines of text, where what carries them takes nothing else.

use nodes::to_lines;
use std::io::{self, Write};

/// Writes what it is given as lines of text ([`to_lines`]).
pub struct AsLines<W>(pub W);

impl<W: Write> Write for AsLines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(to_lines(bytes).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
