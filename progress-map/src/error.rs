//! Why bytes are not a map, said so that the user knows what to do about it.

use std::fmt;

/// Why bytes could not be read as a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// The first eight bytes are not those of a map: another kind of file, or one that a text-mode copy has changed.
    NotAMap,
    /// The format version is higher than [`VERSION`](crate::VERSION): a newer hindmost wrote it.
    NewerVersion {
        /// The version that the record states.
        found: u32,
    },
    /// The format version is lower than [`VERSION`](crate::VERSION): an older hindmost wrote it.
    OlderVersion {
        /// The version that the record states.
        found: u32,
    },
    /// The record states more bytes than there are: a copy or a write was cut short.
    Truncated {
        /// How many bytes there are.
        have: u64,
        /// How many the record states, as far as it can be told.
        need: u64,
    },
    /// There is something after the record's end. Only [`records`](crate::records) takes several in a row.
    Trailing {
        /// Where the record ends.
        offset: u64,
    },
    /// The stored checksum is not that of the bytes: the file was changed or damaged after it was written.
    Checksum {
        /// The damaged part; `None` is the header with its section table.
        part: Option<Section>,
    },
    /// A section that a map must have is not there.
    Missing {
        /// Its tag.
        tag: Tag,
    },
    /// A section occurs twice that may occur once.
    Repeated {
        /// The second one.
        section: Section,
    },
    /// A section is marked as one that must be understood, and this hindmost does not know it.
    Unknown {
        /// The section.
        section: Section,
    },
    /// A length, a code or a reference in the bytes cannot be right although the checksum is: a faulty writer.
    Malformed {
        /// Where it stands.
        place: ByteOffset,
        /// What is wrong with it.
        what: &'static str,
    },
    /// Decoding would take more memory than the size of the file justifies (see `docs/map-format.md`, "Limits").
    TooLarge {
        /// The section that goes over the limit.
        section: Section,
        /// The limit in bytes.
        limit: u64,
    },
    /// The bytes decode, but to a map that breaks a promise of the types: a faulty writer.
    Invalid(Invalid),
}

/// The four letters that name a kind of section.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tag(pub [u8; 4]);

/// One section of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its kind.
    pub tag: Tag,
    /// Its place in the section table, from 0.
    pub ordinal: u32,
}

/// A place in the bytes of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOffset {
    /// In the header or section table: bytes from the record's start.
    Header {
        /// Bytes from the record's start.
        offset: u64,
    },
    /// In the column directory of a section: bytes from the section's start.
    Section {
        /// The section.
        section: Section,
        /// Bytes from the section's start.
        offset: u64,
    },
    /// In a column, once inflated.
    Column {
        /// The section.
        section: Section,
        /// The column's number.
        column: u8,
        /// Bytes from the start of the inflated column.
        offset: u64,
    },
}

/// A promise of the map's types that a map breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// Which part of the map, as a path: `function 3 'solve', loop 2`.
    pub part: String,
    /// What is wrong there.
    pub what: &'static str,
}

/// What helps against everything but a version that is too new: a map is cheap to make.
const AGAIN: &str = "make the map again with `hindmost map`";

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::NotAMap => write!(f, "not a progress map; make one with `hindmost map`"),
            ReadError::NewerVersion { found } => write!(
                f,
                "map format version {found} is newer than this hindmost reads ({}): update hindmost, or {AGAIN}",
                crate::VERSION
            ),
            ReadError::OlderVersion { found } => write!(
                f,
                "map format version {found} is older than this hindmost reads ({}): {AGAIN}",
                crate::VERSION
            ),
            ReadError::Truncated { have, need } => {
                write!(f, "map truncated at byte {have} of {need}: {AGAIN}")
            }
            ReadError::Trailing { offset } => {
                write!(f, "the map ends at byte {offset}, but the file goes on: {AGAIN}")
            }
            ReadError::Checksum { part: None } => {
                write!(f, "map damaged: checksum of the header differs; {AGAIN}")
            }
            ReadError::Checksum { part: Some(section) } => {
                write!(f, "map damaged: checksum of {section} differs; {AGAIN}")
            }
            ReadError::Missing { tag } => write!(f, "map incomplete: it has no section {tag}; {AGAIN}"),
            ReadError::Repeated { section } => {
                write!(f, "map malformed: {section} repeats an earlier one; {AGAIN}")
            }
            ReadError::Unknown { section } => write!(
                f,
                "the map needs a hindmost that understands {section}: update hindmost, or {AGAIN}"
            ),
            ReadError::Malformed { place, what } => write!(f, "map malformed at {place}: {what}; {AGAIN}"),
            ReadError::TooLarge { section, limit } => {
                write!(f, "map malformed: {section} inflates past {limit} bytes; {AGAIN}")
            }
            ReadError::Invalid(invalid) => write!(f, "map malformed: {invalid}; {AGAIN}"),
        }
    }
}

impl std::error::Error for ReadError {}

impl From<Invalid> for ReadError {
    fn from(invalid: Invalid) -> Self {
        ReadError::Invalid(invalid)
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.part, self.what)
    }
}

impl std::error::Error for Invalid {}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A tag of a foreign writer may hold any bytes.
        write!(f, "{}", self.0.escape_ascii())
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "section {} ({})", self.ordinal, self.tag)
    }
}

impl fmt::Display for ByteOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ByteOffset::Header { offset } => write!(f, "byte {offset} of the header"),
            ByteOffset::Section { section, offset } => write!(f, "byte {offset} of {section}"),
            ByteOffset::Column {
                section,
                column,
                offset,
            } => write!(f, "byte {offset} of column {column} of {section}"),
        }
    }
}
