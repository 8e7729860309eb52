//! Why there is no binding, and what to do about it.

use crate::elf::DebugHints;
use std::fmt;

/// Why an executable could not be read or bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BindError {
    /// The file does not begin with the ELF magic.
    NotElf,
    /// ELF, but not 64-bit little-endian x86-64; says what it is.
    OtherMachine(String),
    /// An object or core file rather than an executable.
    NotLinked(&'static str),
    /// A separate debug file was given where the executable should be.
    DebugFileAlone,
    /// A header or section does not fit into the file.
    Damaged(String),
    /// Neither the executable nor the debug file has `.debug_info`.
    NoDebugInfo(DebugHints),
    /// The debug file given belongs to another build.
    WrongDebugFile {
        /// Build-id of the executable, in hexadecimal.
        executable: String,
        /// Build-id of the debug file, in hexadecimal; empty when it has none.
        debug: String,
    },
    /// The supplementary file given belongs to another build.
    WrongSupplementary {
        /// Build-id that the debug info names, in hexadecimal.
        needed: String,
        /// Build-id of the file, in hexadecimal; empty when it has none.
        found: String,
    },
    /// All units are skeletons, and none of the `.dwo` or `.dwp` files with their entries is there; names the first.
    SplitDwarf(String),
    /// There is neither a build-id nor a `.text` section: a binding could not be tied to this file.
    NoIdentity,
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotElf => f.write_str("not an ELF file: give the program itself, not a script that starts it"),
            Self::OtherMachine(what) => {
                write!(f, "{what}: only 64-bit little-endian x86-64 programs can be read")
            }
            Self::NotLinked(what) => write!(f, "{what}, not a program: give the linked executable"),
            Self::DebugFileAlone => f.write_str(
                "a separate debug file without code: give the executable, and this file as its debug file",
            ),
            Self::Damaged(what) => write!(f, "damaged or truncated: {what}: build or copy it again"),
            Self::NoDebugInfo(hints) => {
                f.write_str("no debug info: rebuild with -g")?;
                match &hints.debuglink {
                    Some(name) => write!(f, ", or put the debug file {name} beside it"),
                    None => Ok(()),
                }
            }
            Self::WrongDebugFile { executable, debug } => write!(
                f,
                "the debug file belongs to another build: its build-id is {}, the executable's is {executable}",
                if debug.is_empty() { "missing" } else { debug }
            ),
            Self::WrongSupplementary { needed, found } => write!(
                f,
                "the supplementary debug file belongs to another build: its build-id is {}, {needed} is needed",
                if found.is_empty() { "missing" } else { found }
            ),
            Self::SplitDwarf(name) => write!(
                f,
                "the debug info is in files of its own, and none of them is there, or none is of this build; the first is '{name}': map this build \
                 where it was built, or put a package of them (dwp) beside the program"
            ),
            Self::NoIdentity => f.write_str(
                "neither a build-id nor a .text section: nothing ties a map to this file; link with -Wl,--build-id",
            ),
        }
    }
}

impl std::error::Error for BindError {}

impl From<gimli::Error> for BindError {
    fn from(error: gimli::Error) -> Self {
        Self::Damaged(format!("debug info: {error}"))
    }
}

/// Why a map must not be used with an executable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The map has no binding.
    NotBound,
    /// The executable could not be read.
    Unreadable(BindError),
    /// The build-ids differ.
    BuildId {
        /// What the map was bound to, in hexadecimal.
        map: String,
        /// What the executable has, in hexadecimal.
        executable: String,
    },
    /// One of the two has no build-id, and the code differs.
    Text,
    /// Both have this build-id, in hexadecimal, and the code differs all the same: it was set by hand.
    Code(String),
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotBound => f.write_str("the map is not bound to an executable: make it again with --exe"),
            Self::Unreadable(error) => error.fmt(f),
            Self::BuildId { map, executable } => write!(
                f,
                "the map belongs to another build: it was bound to build-id {map}, the executable has {executable}; \
                 make the map again from this build"
            ),
            Self::Text => f.write_str(
                "the map belongs to another build: the executable's code differs; make the map again from this build",
            ),
            Self::Code(id) => write!(
                f,
                "the map belongs to another build: both have build-id {id}, but the executable's code differs; make the map again from \
                 this build, and let the linker choose the build-id"
            ),
        }
    }
}

impl std::error::Error for Mismatch {}

/// Bytes as lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    String::from_iter(bytes.iter().map(|byte| format!("{byte:02x}")))
}
