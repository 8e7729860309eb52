//! Opening a core file: its memory by address, its notes, and what it says about the process.

use super::environment;
use super::notes::{Notes, Thread};
use crate::contents::Contents;
use crate::launcher::KINDS;
use crate::memory::Memory;
use object::LittleEndian;
use object::elf::{self, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Size of the header of an ELF file.
const ELF_HEADER: usize = 64;

/// Size of a segment's header.
const SEGMENT_HEADER: u64 = 56;

/// A core file.
pub struct Core {
    path: PathBuf,
    pub(crate) bytes: Arc<Contents>,
    /// Sorted by address.
    pub(crate) segments: Vec<Segment>,
    pub(crate) notes: Notes,
    environment: Option<Vec<u8>>,
    /// How many bytes the file should have by its own headers.
    whole: u64,
}

/// A mapped range of the process.
pub(crate) struct Segment {
    pub(crate) address: u64,
    /// Size in memory.
    pub(crate) size: u64,
    /// Where its bytes are in the file: fewer than `size` when the core leaves memory out or is cut off.
    pub(crate) file: std::ops::Range<usize>,
}

/// Why a file is not a core that can be read.
#[derive(Debug)]
pub enum CoreError {
    /// It could not be opened or mapped.
    Io(PathBuf, io::Error),
    /// It is something else.
    NotACore(PathBuf, String),
}

impl fmt::Display for CoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CoreError::Io(path, error) => write!(f, "cannot read {}: {error}", path.display()),
            CoreError::NotACore(path, what) => write!(f, "{} {what}", path.display()),
        }
    }
}

impl std::error::Error for CoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            CoreError::Io(_, error) => Some(error),
            CoreError::NotACore(..) => None,
        }
    }
}

impl Core {
    /// Opens a core file of an x86-64 Linux process, written by the kernel or by `gcore`. One that is cut off is
    /// opened as far as it goes.
    ///
    /// # Errors
    /// The file cannot be read, or is not such a core; the message says what it is.
    pub fn open(path: &Path) -> Result<Core, CoreError> {
        let io = |error| CoreError::Io(path.to_owned(), error);
        let file = regular_files::open(path).map_err(io)?;
        // An empty file cannot be mapped, and has its own word.
        let bytes = match file.metadata().map_err(io)?.len() {
            0 => Contents::Copied(Vec::new()),
            _ => Contents::map(&file).map_err(io)?,
        };
        let bytes = Arc::new(bytes);
        Self::parse(path, bytes)
    }

    pub(crate) fn parse(path: &Path, bytes: Arc<Contents>) -> Result<Core, CoreError> {
        let not = |what: &str| CoreError::NotACore(path.to_owned(), what.to_owned());
        let data: &[u8] = &bytes;
        let header = Self::header(path, data)?;
        let bad =
            |error: object::Error| CoreError::NotACore(path.to_owned(), format!("cannot be read: {error}"));
        let endian = LittleEndian;
        let mut segments = Vec::new();
        let mut notes = Notes::default();
        let mut whole = 0;
        for segment in header.program_headers(endian, data).map_err(bad)? {
            let start = segment.p_offset(endian);
            let end = start.saturating_add(segment.p_filesz(endian));
            whole = whole.max(end);
            if let Ok(Some(found)) = segment.notes(endian, data) {
                notes.add(found);
            }
            if segment.p_type(endian) == elf::PT_LOAD {
                let there = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(data.len());
                segments.push(Segment {
                    address: segment.p_vaddr(endian),
                    size: segment.p_memsz(endian),
                    file: there(start)..there(end),
                });
            }
        }
        segments.sort_by_key(|segment| segment.address);
        if notes.threads.is_empty() {
            return Err(if notes.foreign {
                not("is of a 32-bit process: only x86-64 is supported")
            } else {
                not("names no thread: it is damaged, or cut off within its first bytes")
            });
        }
        let mut core = Core {
            path: path.to_owned(),
            bytes,
            segments,
            notes,
            environment: None,
            whole,
        };
        core.environment = environment::of(&core);
        Ok(core)
    }

    /// The header of a core file of this machine.
    fn header<'b>(path: &Path, data: &'b [u8]) -> Result<&'b FileHeader64<LittleEndian>, CoreError> {
        let not = |what: &str| CoreError::NotACore(path.to_owned(), what.to_owned());
        if let Some(kind) = compressed(data) {
            return Err(not(&format!("is compressed ({kind}): unpack it first")));
        }
        match data.get(..5) {
            None if data.is_empty() => return Err(not("is empty: the disk may have been full")),
            Some([0x7f, b'E', b'L', b'F', class]) if *class == elf::ELFCLASS64.0 => {}
            Some([0x7f, b'E', b'L', b'F', _]) => {
                return Err(not("is of a 32-bit process: only x86-64 is supported"));
            }
            _ => return Err(not("is not a core file")),
        }
        if data.len() < ELF_HEADER {
            return Err(not(
                "is cut off within its first bytes: nothing can be read of it",
            ));
        }
        let bad =
            |error: object::Error| CoreError::NotACore(path.to_owned(), format!("cannot be read: {error}"));
        let header = FileHeader64::<LittleEndian>::parse(data).map_err(bad)?;
        let endian = LittleEndian;
        if header.e_type(endian) != elf::ET_CORE {
            return Err(not("is a program or a library, not a core file"));
        }
        if header.e_machine(endian) != elf::EM_X86_64 {
            return Err(not("is of another machine: only x86-64 is supported"));
        }
        let headers = header
            .e_phoff(endian)
            .saturating_add(u64::from(header.e_phnum(endian)) * SEGMENT_HEADER);
        if headers > data.len() as u64 {
            return Err(not(
                "is cut off within its first bytes: nothing can be read of it",
            ));
        }
        Ok(header)
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The process, on the host where it ran.
    pub fn pid(&self) -> Option<u32> {
        self.notes.pid
    }

    /// Its rank in the job, if its environment tells.
    pub fn rank(&self) -> Option<u32> {
        let environment = self.environment.as_deref()?;
        KINDS.iter().find_map(|kind| kind.rank(environment))
    }

    /// How many ranks the job has, if the environment tells.
    pub fn job_size(&self) -> Option<u32> {
        let environment = self.environment.as_deref()?;
        let kind = KINDS.iter().find(|kind| kind.rank(environment).is_some())?;
        kind.size(environment)
    }

    /// The program that ran, by the path under which it was mapped.
    pub fn executable(&self) -> Option<&str> {
        let headers = self.notes.auxiliary(libc::AT_PHDR)?;
        self.notes.file_at(headers).map(|file| file.path.as_str())
    }

    /// The build-id of that program, if the core tells.
    pub fn executable_build_id(&self) -> Option<Vec<u8>> {
        self.build_id_of(self.executable()?)
    }

    /// The signal that ended the process, if one did: its number, and the thread that took it when that is not the
    /// main one.
    pub fn signal(&self) -> Option<(u16, Option<u32>)> {
        // The kernel writes the thread that took it first.
        let thread = self.notes.threads.first().filter(|thread| thread.signal != 0)?;
        let is_main = self.main_thread().is_some_and(|main| main.tid == thread.tid);
        Some((thread.signal, (!is_main).then_some(thread.tid)))
    }

    /// The thread that started the process.
    pub(crate) fn main_thread(&self) -> Option<&Thread> {
        let threads = &self.notes.threads;
        let main = threads.iter().find(|thread| Some(thread.tid) == self.pid());
        let only = match &threads[..] {
            [only] => Some(only),
            _ => None,
        };
        main.or(only)
    }

    /// How many bytes there are of how many there should be, if the file is cut off.
    pub fn cut_off(&self) -> Option<(u64, u64)> {
        let there = self.bytes.len() as u64;
        (there < self.whole).then_some((there, self.whole))
    }

    /// The bytes at an address, up to the end of its segment or of what the core holds of it.
    pub(crate) fn bytes_at(&self, address: u64) -> Option<&[u8]> {
        let next = self
            .segments
            .partition_point(|segment| segment.address <= address);
        let segment = self.segments.get(next.checked_sub(1)?)?;
        let offset = usize::try_from(address - segment.address).ok()?;
        self.bytes.get(segment.file.clone())?.get(offset..)
    }

    /// The 8-byte word at an address.
    pub(crate) fn word(&self, address: u64) -> Option<u64> {
        Some(u64::from_le_bytes(
            self.bytes_at(address)?.get(..8)?.try_into().ok()?,
        ))
    }

    /// The build-id of a file that was mapped, out of its first page in memory, if the core holds that.
    pub(crate) fn build_id_of(&self, path: &str) -> Option<Vec<u8>> {
        let first = self
            .notes
            .files
            .iter()
            .find(|file| file.path == path && file.offset == 0)?;
        // What is behind it in memory need not be as it is in the file.
        const HEADERS: usize = 1 << 16;
        let page = self.bytes_at(first.start)?;
        let page = &page[..page.len().min(HEADERS)];
        let header = FileHeader64::<LittleEndian>::parse(page).ok()?;
        let segments = header.program_headers(LittleEndian, page).ok()?;
        // Offsets are those of the file, whose beginning this page is.
        let notes = segments
            .iter()
            .filter_map(|segment| segment.notes(LittleEndian, page).ok().flatten());
        for mut notes in notes {
            while let Ok(Some(note)) = notes.next() {
                if note.name() == elf::ELF_NOTE_GNU && note.n_type(LittleEndian) == elf::NT_GNU_BUILD_ID {
                    return Some(note.desc().to_vec());
                }
            }
        }
        None
    }

    /// All of its memory.
    pub(crate) fn memory(&self) -> Memory {
        let mut memory = Memory::default();
        for segment in self.segments.iter().filter(|segment| !segment.file.is_empty()) {
            memory.add_mapped(segment.address, Arc::clone(&self.bytes), segment.file.clone());
        }
        memory
    }
}

/// What packed the file, if something did: `systemd-coredump` and sites do.
fn compressed(bytes: &[u8]) -> Option<&'static str> {
    const KINDS: [(&[u8], &str); 5] = [
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"\x1f\x8b", "gzip"),
        (b"\xfd7zXZ", "xz"),
        (b"\x04\x22\x4d\x18", "lz4"),
        (b"BZh", "bzip2"),
    ];
    let found = KINDS.iter().find(|(magic, _)| bytes.starts_with(magic))?;
    Some(found.1)
}
