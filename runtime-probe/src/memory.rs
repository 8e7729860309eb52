//! Memory of a task as it was copied while the task stood still, or as a core file keeps it.

use crate::contents::Contents;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Memory is mapped in pages of so many bytes, or a multiple.
pub(crate) const PAGE: u64 = 4096;

/// Copied address ranges. What was not copied cannot be read: there is no way back to the running task.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// In the order in which they were copied, the stack first; they may overlap, with equal bytes.
    copied: Vec<(u64, Bytes)>,
    /// Of a core, sorted by address: there may be very many.
    mapped: Vec<(u64, Bytes)>,
}

/// The bytes of one range.
enum Bytes {
    Copied(Vec<u8>),
    /// Of a file that may be far larger than memory.
    Mapped(Arc<Contents>, Range<usize>),
}

impl Bytes {
    fn get(&self) -> &[u8] {
        match self {
            Bytes::Copied(bytes) => bytes,
            Bytes::Mapped(file, range) => file.get(range.clone()).unwrap_or_default(),
        }
    }

    /// Bytes from an address on, of a range that begins at `start`.
    fn at(&self, start: u64, address: u64, length: usize) -> Option<&[u8]> {
        let from = usize::try_from(address.checked_sub(start)?).ok()?;
        self.get().get(from..from.checked_add(length)?)
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.get().len())
    }
}

impl Memory {
    /// Adds the bytes found at `address`.
    pub(crate) fn add(&mut self, address: u64, bytes: Vec<u8>) {
        self.copied.push((address, Bytes::Copied(bytes)));
    }

    /// Adds a range of a file that was memory at `address`, which lies behind all that were added so.
    pub(crate) fn add_mapped(&mut self, address: u64, file: Arc<Contents>, range: Range<usize>) {
        self.mapped.push((address, Bytes::Mapped(file, range)));
    }

    /// How many bytes were copied.
    pub(crate) fn size(&self) -> usize {
        let sizes = self
            .copied
            .iter()
            .chain(&self.mapped)
            .map(|(_, bytes)| bytes.get().len());
        sizes.fold(0, usize::saturating_add)
    }

    /// `length` bytes at `address`, if all of them were copied.
    pub(crate) fn read(&self, address: u64, length: usize) -> Option<&[u8]> {
        let mut copied = self.copied.iter();
        let copied = copied.find_map(|(start, bytes)| bytes.at(*start, address, length));
        copied.or_else(|| {
            let after = self.mapped.partition_point(|&(start, _)| start <= address);
            let (start, bytes) = self.mapped.get(after.checked_sub(1)?)?;
            bytes.at(*start, address, length)
        })
    }

    /// The 8-byte word at `address`, if it was copied.
    pub(crate) fn word(&self, address: u64) -> Option<u64> {
        let bytes = self.read(address, 8)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_copied_ranges_are_read() {
        let mut memory = Memory::default();
        memory.add(0x1000, (0..16).collect());
        memory.add(u64::MAX - 3, vec![1, 2, 3]);
        assert_eq!(memory.word(0x1008), Some(0x0f0e_0d0c_0b0a_0908));
        assert_eq!(memory.read(0x1009, 8), None);
        assert_eq!(memory.read(0xfff, 1), None);
        assert_eq!(memory.read(u64::MAX - 3, 3), Some(&[1, 2, 3][..]));
        assert_eq!(memory.read(u64::MAX, 8), None);
        let file = Arc::new(Contents::Copied((0..32).collect()));
        memory.add_mapped(0x10, Arc::clone(&file), 0..8);
        memory.add_mapped(0x20, file, 16..32);
        assert_eq!(memory.read(0x12, 2), Some(&[2, 3][..]));
        assert_eq!(memory.read(0x21, 1), Some(&[17][..]));
        assert_eq!((memory.read(0x12, 8), memory.read(0x8, 1)), (None, None));
    }
}
