//! The file of a thread, mapped piece by piece.

#![expect(unsafe_code, reason = "pieces are given back")]

use crate::system::{self, File, NoFile, PATH, give_back};
use calltrace::layout::{BLOCK, HEADER, header};
use std::sync::atomic::{AtomicU64, Ordering};

/// Blocks that are mapped at once, at most: a megabyte. A trace begins with one, and doubles.
const MOST_AT_ONCE: usize = 16;

/// The file of one thread.
pub(crate) struct Blocks {
    file: File,
    header: &'static [AtomicU64; HEADER],
    /// The piece that is mapped.
    piece: &'static [AtomicU64],
    /// Blocks of it that were handed out.
    used: usize,
    /// The blocks of earlier pieces.
    before: usize,
}

impl Blocks {
    /// Makes a file of the calling thread, whose header `describe` writes.
    pub(crate) fn create(name: [u8; PATH], describe: impl FnOnce(&[AtomicU64; HEADER])) -> Option<Self> {
        let file = match File::create(name) {
            Ok(file) => file,
            Err(NoFile::IsThere | NoFile::Refused) => return None,
        };
        let header: &[AtomicU64; HEADER] = file.map(0, HEADER)?.try_into().ok()?;
        header[header::TID].store(system::tid().into(), Ordering::Relaxed);
        describe(header);
        Some(Self {
            file,
            header,
            piece: &[],
            used: 0,
            before: 0,
        })
    }

    pub(crate) fn header(&self) -> &'static [AtomicU64; HEADER] {
        self.header
    }

    /// The next block, all zero. The one before is not used any more. `None` if there is no room.
    pub(crate) fn next(&mut self) -> Option<&'static [AtomicU64; BLOCK]> {
        if self.used * BLOCK == self.piece.len() {
            let all = self.before + self.used;
            let count = all.clamp(1, MOST_AT_ONCE);
            let piece = self.file.map(HEADER + all * BLOCK, count * BLOCK)?;
            self.give_back_piece();
            (self.piece, self.used, self.before) = (piece, 0, all);
        }
        let block = self.piece.get(self.used * BLOCK..)?.first_chunk::<BLOCK>()?;
        self.used += 1;
        Some(block)
    }

    fn give_back_piece(&mut self) {
        let piece = std::mem::take(&mut self.piece);
        if !piece.is_empty() {
            // SAFETY: the piece is a mapping of its own, and the encoder has the last of its blocks no more.
            unsafe { give_back(piece.as_ptr().cast_mut().cast(), piece.len() * 8) };
        }
    }

    /// Gives all memory back; the file stays.
    ///
    /// # Safety
    ///
    /// Nobody uses the header or a block any more.
    pub(crate) unsafe fn end(&mut self) {
        self.give_back_piece();
        let header = std::ptr::from_ref(self.header).cast_mut();
        // SAFETY: the header is a mapping of its own; the rest is the caller's promise.
        unsafe { give_back(header.cast(), HEADER * 8) };
    }
}
