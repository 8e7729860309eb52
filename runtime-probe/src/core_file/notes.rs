//! The notes of a core file: threads with their registers, mapped files, auxiliary vector.
//!
//! Layouts are those of Linux on x86-64 (`elfcore.h`, `core(5)`); `gcore` writes the same.

use crate::registers::Registers;
use object::LittleEndian;
use object::elf::{self, FileHeader64};
use object::read::elf::NoteIterator;

/// One thread.
pub(crate) struct Thread {
    /// Its thread id; the process's own for the main thread.
    pub(crate) tid: u32,
    /// The signal that it had taken when the core was written; 0 for none.
    pub(crate) signal: u16,
    /// Its registers.
    pub(crate) registers: Registers,
}

/// A part of a file that was mapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MappedFile {
    /// First address.
    pub(crate) start: u64,
    /// Address after the last.
    pub(crate) end: u64,
    /// Offset in the file, in bytes.
    pub(crate) offset: u64,
    /// Its path when the process mapped it.
    pub(crate) path: String,
}

/// What the notes say.
#[derive(Default)]
pub(crate) struct Notes {
    /// Process id.
    pub(crate) pid: Option<u32>,
    /// In the order of the notes: the thread that died, or that the debugger looked at, comes first.
    pub(crate) threads: Vec<Thread>,
    /// Sorted by address.
    pub(crate) files: Vec<MappedFile>,
    /// Type and value, as the kernel passed them to the program, without the end mark.
    pub(crate) auxiliary: Vec<(u64, u64)>,
    /// The process ran in 32-bit mode, or on another machine's registers.
    pub(crate) foreign: bool,
}

/// Size of `struct elf_prstatus`.
const STATUS_SIZE: usize = 336;
const STATUS_SIGNAL: usize = 12;
const STATUS_TID: usize = 32;
const STATUS_REGISTERS: usize = 112;
/// Offset of the process id in `struct elf_prpsinfo`.
const PROCESS_PID: usize = 24;
/// Offset of xmm0 in the FXSAVE image that `NT_PRFPREG` holds.
const FXSAVE_XMM: usize = 160;

impl Notes {
    /// Adds the notes of one segment, as far as they can be read.
    pub(crate) fn add(&mut self, mut notes: NoteIterator<'_, FileHeader64<LittleEndian>>) {
        while let Ok(Some(note)) = notes.next() {
            let bytes = note.desc();
            match (note.name(), note.n_type(LittleEndian)) {
                (b"CORE", elf::NT_PRSTATUS) => match thread(bytes) {
                    Some(thread) => self.threads.push(thread),
                    None => self.foreign = true,
                },
                // The registers of the thread whose status stands before.
                (b"CORE", elf::NT_PRFPREG) => {
                    if let (Some(thread), Some(vectors)) = (
                        self.threads.last_mut(),
                        bytes
                            .get(FXSAVE_XMM..FXSAVE_XMM + 256)
                            .and_then(|bytes| <[u8; 256]>::try_from(bytes).ok()),
                    ) {
                        thread.registers.set_vectors(Box::new(vectors));
                    }
                }
                (b"CORE", elf::NT_PRPSINFO) => self.pid = u32_at(bytes, PROCESS_PID),
                (b"CORE", elf::NT_FILE) => self.files = mapped_files(bytes).unwrap_or_default(),
                (b"CORE", elf::NT_AUXV) => self.auxiliary = auxiliary(bytes),
                _ => {}
            }
        }
        self.files.retain(|file| file.start < file.end);
        self.files.sort_by_key(|file| file.start);
    }

    /// The value of an entry of the auxiliary vector.
    pub(crate) fn auxiliary(&self, kind: u64) -> Option<u64> {
        self.auxiliary
            .iter()
            .find(|entry| entry.0 == kind)
            .map(|entry| entry.1)
    }

    /// The mapped file part that holds `address`.
    pub(crate) fn file_at(&self, address: u64) -> Option<&MappedFile> {
        let next = self.files.partition_point(|file| file.end <= address);
        self.files.get(next).filter(|file| file.start <= address)
    }
}

fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    let bytes = bytes.get(offset..)?.get(..4)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

fn u64_at(bytes: &[u8], offset: usize) -> Option<u64> {
    let bytes = bytes.get(offset..)?.get(..8)?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}

/// `None` for the status of a 32-bit thread, which is shorter or has another code segment.
fn thread(status: &[u8]) -> Option<Thread> {
    const WORDS: usize = 27;
    const CODE_SEGMENT: usize = 17;
    const USER_CODE_64: u64 = 0x33;
    if status.len() != STATUS_SIZE {
        return None;
    }
    let mut words = [0; WORDS];
    for (index, word) in words.iter_mut().enumerate() {
        *word = u64_at(status, STATUS_REGISTERS + 8 * index)?;
    }
    if words[CODE_SEGMENT] != USER_CODE_64 {
        return None;
    }
    Some(Thread {
        tid: u32_at(status, STATUS_TID)?,
        signal: u16::from_le_bytes(status.get(STATUS_SIGNAL..STATUS_SIGNAL + 2)?.try_into().ok()?),
        registers: Registers::of_core(&words),
    })
}

/// Four times as many mappings as Linux lets a process have by default; what is beyond has no code that is known.
const MOST_FILES: usize = 1 << 18;

/// Count and page size, a start, an end and an offset in pages for each, then as many names.
fn mapped_files(bytes: &[u8]) -> Option<Vec<MappedFile>> {
    const ENTRY: usize = 24;
    let count = usize::try_from(u64_at(bytes, 0)?).ok()?;
    let page = u64_at(bytes, 8)?;
    let names_at = count.checked_mul(ENTRY)?.checked_add(16)?;
    let mut names = bytes.get(names_at..)?.split(|&byte| byte == 0);
    let mut files = Vec::new();
    for index in 0..count.min(MOST_FILES) {
        let entry = 16 + ENTRY * index;
        files.push(MappedFile {
            start: u64_at(bytes, entry)?,
            end: u64_at(bytes, entry + 8)?,
            offset: u64_at(bytes, entry + 16)?.checked_mul(page)?,
            path: String::from_utf8_lossy(names.next()?).into_owned(),
        });
    }
    Some(files)
}

/// The kernel passes some twenty. Each place of the stack is compared with all of them.
const MOST_AUXILIARY: usize = 64;

fn auxiliary(bytes: &[u8]) -> Vec<(u64, u64)> {
    let entry = |pair: &[u8]| Some((u64_at(pair, 0)?, u64_at(pair, 8)?));
    let entries = bytes.chunks_exact(16).filter_map(entry);
    entries
        .take_while(|&(kind, _)| kind != libc::AT_NULL)
        .take(MOST_AUXILIARY)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files_note(names: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for word in [2u64, 4096, 0x1000, 0x3000, 1, 0x5000, 0x6000, 0] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(names);
        bytes
    }

    #[test]
    fn mapped_files_have_offsets_in_bytes() {
        let files = mapped_files(&files_note(b"/a b\0/c\0")).unwrap();
        assert_eq!(files.len(), 2);
        assert_eq!((files[0].offset, files[0].path.as_str()), (4096, "/a b"));
        assert_eq!((files[1].end, files[1].path.as_str()), (0x6000, "/c"));
        let notes = Notes {
            files,
            ..Notes::default()
        };
        assert_eq!(notes.file_at(0x2fff).map(|file| file.start), Some(0x1000));
        assert_eq!(notes.file_at(0x3000), None);
    }

    #[test]
    fn a_note_that_is_cut_off_or_lies_gives_nothing() {
        let whole = files_note(b"/a\0/c\0");
        for length in 0..64 {
            assert_eq!(mapped_files(&whole[..length]), None);
        }
        let mut many = whole.clone();
        many[..8].copy_from_slice(&u64::MAX.to_le_bytes());
        assert_eq!(mapped_files(&many), None);
        assert!(thread(&[0; STATUS_SIZE]).is_none());
        assert!(thread(&[0x33; 100]).is_none());
    }
}
