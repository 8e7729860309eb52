//! The file of a process: who it is, and which functions the numbers in its threads' traces stand for.
//!
//! The file is an array of 64-bit little-endian words: a header, then modules, then functions. Words are only ever added, each entry before the number that counts it, so
//! that a copy made at any moment is a valid file.

use std::fmt;
use std::ops::Range;

/// What the file begins with: `hindmTSK` in ASCII; stored last.
pub const MAGIC: u64 = u64::from_le_bytes(*b"hindmTSK");
/// The version of this layout.
pub const VERSION: u64 = 1;

/// Words of the header, by their index.
pub mod header {
    /// [`MAGIC`](super::MAGIC).
    pub const MAGIC: usize = 0;
    /// [`VERSION`](super::VERSION).
    pub const VERSION: usize = 1;
    /// The process.
    pub const PID: usize = 2;
    /// Which one of the files of processes with this number it is, from 0: programs that are executed one after the other have one number.
    pub const IMAGE: usize = 3;
    /// When the file was made, in nanoseconds since the epoch.
    pub const STARTED: usize = 4;
    /// The rank in the world plus one, as the launcher tells it; 0 if it does not.
    pub const RANK: usize = 5;
    /// Ranks of the world; 0 if not told.
    pub const SIZE: usize = 6;
    /// Threads that have begun a trace.
    pub const THREADS: usize = 7;
    /// Modules that are there.
    pub const MODULES: usize = 8;
    /// Functions that are there, at most: each has its own word, which is 0 until it is known.
    pub const FUNCTIONS: usize = 9;
    /// What there was no room for, bits of [`lost`](super::lost).
    pub const LOST: usize = 10;
    /// The process that this one was forked from; 0 if it was not, or has executed a program since.
    pub const FORKED_FROM: usize = 11;
    /// The host's name, [`TEXT`](super::TEXT) words.
    pub const HOST: usize = 16;
    /// The job's name, [`TEXT`](super::TEXT) words.
    pub const JOB: usize = 24;
}

/// What there was no room for.
pub mod lost {
    /// Threads: their events are missing.
    pub const THREADS: u64 = 1;
    /// Modules: their functions are known by address alone.
    pub const MODULES: u64 = 2;
    /// Functions: all others have the number [`OTHERS`](super::OTHERS).
    pub const FUNCTIONS: u64 = 4;
}

/// Words of a short text: host, job.
pub const TEXT: usize = 8;
/// Words of the header.
pub const HEADER: usize = 64;
/// Modules of a process, at most.
pub const MODULES: usize = 256;
/// Words of a module.
pub const MODULE: usize = 64;
/// Where the modules begin.
pub const MODULES_AT: usize = HEADER;
/// Functions of a process, at most: their numbers have 17 bits.
pub const FUNCTIONS: usize = 1 << 17;
/// Where the functions begin. The first word stands for [`OTHERS`].
pub const FUNCTIONS_AT: usize = MODULES_AT + MODULES * MODULE;
/// Words of the file.
pub const WORDS: usize = FUNCTIONS_AT + FUNCTIONS;
/// The number of all functions that there was no room for.
pub const OTHERS: u32 = FUNCTIONS as u32;

/// Words of a module, by their index.
pub mod module {
    /// Where it was loaded; addresses of its functions are relative to that.
    pub const BASE: usize = 0;
    /// Bytes of the build-id; 0 if it has none.
    pub const ID_LENGTH: usize = 1;
    /// The build-id.
    pub const ID: usize = 2;
    /// Bytes of a build-id, at most.
    pub const ID_MOST: usize = 32;
    /// Bytes of the path.
    pub const PATH_LENGTH: usize = 6;
    /// The path; of one that is too long, its end.
    pub const PATH: usize = 7;
    /// Bytes of a path, at most.
    pub const PATH_MOST: usize = (super::MODULE - PATH) * 8;
}

/// Bits of a function's word that hold its address; above stands its module's number plus one, 0 for none.
pub const ADDRESS_BITS: u32 = 48;

/// Why bytes are no file of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// They do not begin as one, or the process was not yet ready.
    NotATask,
    /// Another version of the layout.
    Version(u64),
    /// They end too early.
    CutOff,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotATask => f.write_str("this is no file of a traced process"),
            Self::Version(version) => {
                write!(
                    f,
                    "it is of version {version}, and this program reads version {VERSION}"
                )
            }
            Self::CutOff => f.write_str("it is cut off: copy the whole file"),
        }
    }
}

impl std::error::Error for Error {}

/// A file that functions are in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// Its build-id; empty if it has none.
    pub build_id: Vec<u8>,
    /// Its path where the process ran.
    pub path: String,
}

/// Where a function begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The module, by its index in [`Task::modules`]; `None` where it is not known.
    pub module: Option<usize>,
    /// The address, relative to where the module was loaded.
    pub address: u64,
}

/// A process that was traced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The process.
    pub pid: u32,
    /// Which one of the programs that it executed, from 0.
    pub image: u32,
    /// When it began, in nanoseconds since the epoch.
    pub started: u64,
    /// Its rank, if the launcher tells.
    pub rank: Option<u32>,
    /// How many ranks there are, if the launcher tells.
    pub size: Option<u32>,
    /// The process that it was forked from.
    pub forked_from: Option<u32>,
    /// Its host.
    pub host: String,
    /// Its job.
    pub job: String,
    /// Threads that have begun a trace.
    pub threads: u32,
    /// Bits of [`lost`].
    pub lost: u64,
    /// The files that its functions are in.
    pub modules: Vec<Module>,
    /// Its functions: number *n* is the one at index *n* - 1; `None` if the process was ended before it was known.
    pub functions: Vec<Option<Place>>,
}

/// The bytes of the modules and of the functions that the header of a file counts, or what its first [`HEADER`] words hold of one. All behind and between them is zero.
pub fn counted(header: &[u8]) -> [Range<usize>; 2] {
    let (words, _) = header.as_chunks::<8>();
    let count = |index: usize| words.get(index).map_or(0, |word| u64::from_le_bytes(*word));
    let bytes = |from: usize, count: u64, most: usize, words: usize| {
        let count = usize::try_from(count).unwrap_or(most).min(most);
        from * 8..(from + count * words) * 8
    };
    [
        bytes(MODULES_AT, count(header::MODULES), MODULES, MODULE),
        bytes(FUNCTIONS_AT, count(header::FUNCTIONS), FUNCTIONS, 1),
    ]
}

impl Task {
    /// Reads the file of a process.
    ///
    /// # Errors
    ///
    /// When the bytes are none.
    pub fn read(bytes: &[u8]) -> Result<Self, Error> {
        let (words, _) = bytes.as_chunks::<8>();
        let at = |index: usize| words.get(index).map(|word| u64::from_le_bytes(*word));
        if at(header::MAGIC) != Some(MAGIC) {
            return Err(Error::NotATask);
        }
        match at(header::VERSION) {
            Some(VERSION) => {}
            other => return Err(other.map_or(Error::NotATask, Error::Version)),
        }
        let word = |index: usize| at(index).ok_or(Error::CutOff);
        let small = |index: usize| word(index).map(|value| u32::try_from(value).unwrap_or(u32::MAX));
        let some = |value: u32| (value != 0).then_some(value);
        let count = |index: usize, most: usize| {
            word(index).map(|count| usize::try_from(count).unwrap_or(most).min(most))
        };
        let text = |from: usize, length: usize| {
            let bytes = bytes.get(from * 8..from * 8 + length).ok_or(Error::CutOff)?;
            let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(length);
            Ok(String::from_utf8_lossy(&bytes[..end]).into_owned())
        };
        let modules = (0..count(header::MODULES, MODULES)?).map(|number| {
            let from = MODULES_AT + number * MODULE;
            let id = count(from + module::ID_LENGTH, module::ID_MOST)?;
            let start = (from + module::ID) * 8;
            Ok(Module {
                build_id: bytes.get(start..start + id).ok_or(Error::CutOff)?.to_vec(),
                path: text(
                    from + module::PATH,
                    count(from + module::PATH_LENGTH, module::PATH_MOST)?,
                )?,
            })
        });
        let modules = modules.collect::<Result<Vec<_>, _>>()?;
        let functions = (0..count(header::FUNCTIONS, FUNCTIONS - 1)?).map(|number| {
            let place = word(FUNCTIONS_AT + number)?;
            let module = (place >> ADDRESS_BITS) as usize;
            Ok((place != 0).then(|| Place {
                module: module.checked_sub(1).filter(|&module| module < modules.len()),
                address: place & ((1 << ADDRESS_BITS) - 1),
            }))
        });
        let functions = functions.collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            pid: small(header::PID)?,
            image: small(header::IMAGE)?,
            started: word(header::STARTED)?,
            rank: some(small(header::RANK)?).map(|rank| rank - 1),
            size: some(small(header::SIZE)?),
            forked_from: some(small(header::FORKED_FROM)?),
            host: text(header::HOST, TEXT * 8)?,
            job: text(header::JOB, TEXT * 8)?,
            threads: small(header::THREADS)?,
            lost: word(header::LOST)?,
            modules,
            functions,
        })
    }
}
