//! Which messages the receives of a task took that named no sender, or no tag: what a second run has to follow to go the same way. The file stands beside the ring of events.
//!
//! It is an array of 64-bit words, little endian: [`HEADER`] words, then a slot of [`SLOT`] words for each receive or probe from anybody, or under any tag, in the order in which they begin, up to a fixed number. A question
//! (`MPI_Iprobe`) has one once it is answered. *Publication.* A slot's first word is stored last, when the operation begins, and again when its message is known. Other slots tell which requests were completed
//! ([`choices`](crate::choices)).

use crate::choices::{self, Choice};
use crate::layout::{does, peer, word};
use std::fmt;

/// What the file begins with: `hindmMAT` in ASCII.
pub const MAGIC: u64 = u64::from_le_bytes(*b"hindmMAT");
/// The version of this layout.
pub const VERSION: u64 = 2;
/// How the names of these files end.
pub const EXTENSION: &str = "matches";
/// The most slots.
pub const MOST: u64 = 1 << 22;

/// Words of the header.
pub const HEADER: usize = 16;
/// Words of the header, by their index.
pub mod header {
    /// [`MAGIC`](super::MAGIC); stored last.
    pub const MAGIC: usize = 0;
    /// [`VERSION`](super::VERSION).
    pub const VERSION: usize = 1;
    /// The process.
    pub const PID: usize = 2;
    /// When it began, as in a recording.
    pub const BIRTH: usize = 3;
    /// How many slots there are.
    pub const CAPACITY: usize = 4;
    /// How many slots operations and choices have taken; more than there are are lost.
    pub const BEGUN: usize = 5;
    /// The rank in `MPI_COMM_WORLD` plus one; 0 before `MPI_Init`.
    pub const RANK: usize = 6;
    /// The size of `MPI_COMM_WORLD`.
    pub const SIZE: usize = 7;
    /// As in a recording: not 0 in a world that was spawned.
    pub const SPAWNED: usize = 8;
}

/// Words of a slot.
pub const SLOT: usize = 4;
/// Words of a slot, by their index.
pub mod slot {
    /// From the lowest byte: [`BEGUN`](super::BEGUN), and [`MATCHED`](super::MATCHED) or [`CANCELLED`](super::CANCELLED), then a word of [`does`](crate::layout::does); in the upper half how many questions were not answered since the last
    /// slot of the communicator. Stored last.
    pub const WHAT: usize = 0;
    /// The identity of the communicator.
    pub const COMMUNICATOR: usize = 1;
    /// Who sent, a rank of the communicator.
    pub const SOURCE: usize = 2;
    /// The message's tag.
    pub const TAG: usize = 3;
}

/// The operation has begun.
pub const BEGUN: u64 = 1;
/// Its message is known.
pub const MATCHED: u64 = 2;
/// It was cancelled, and has taken none.
pub const CANCELLED: u64 = 4;

/// What an operation took that had left it open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Took {
    /// The message of this rank of the communicator, under this tag.
    Message(u32, i64),
    /// Nothing: it was cancelled.
    Cancelled,
    /// That was never known: it was not complete, or its request was freed before.
    Unknown,
}

/// A receive or probe that left open what it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    /// The identity of the communicator, which is the same in each run that makes the same communicators.
    pub communicator: u64,
    /// What it does, a word of [`does`].
    pub does: u64,
    /// How many questions from anybody were not answered since the operation before it in its communicator.
    pub polls: u32,
    /// What it took.
    pub took: Took,
}

impl Match {
    /// Whether it is a question that was answered.
    #[must_use]
    pub fn asks(&self) -> bool {
        self.does == does::ASKS_MESSAGE
    }
}

/// Why a file tells no matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// It does not begin as these files do.
    NoMatches,
    /// It is of a version that this reader does not know.
    Version(u64),
    /// It is shorter than it says, by these bytes in all.
    CutOff(usize),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMatches => f.write_str("it tells no matches"),
            Self::Version(version) => write!(
                f,
                "its matches are of version {version}, and this hindmost reads version {VERSION}"
            ),
            Self::CutOff(bytes) => write!(f, "its matches are cut off: it has {bytes} bytes"),
        }
    }
}

impl std::error::Error for Error {}

/// Whose matches a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whose {
    /// The process.
    pub pid: u32,
    /// When it began, as in its recording.
    pub birth: u64,
    /// Its rank, and the size of its world; `None` if MPI had not begun.
    pub world: Option<(u32, u32)>,
    /// Its world was spawned.
    pub is_spawned: bool,
}

/// What a task has recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matches {
    /// Whose they are.
    pub whose: Whose,
    /// In the order in which they began.
    pub matches: Vec<Match>,
    /// Which requests were completed, in the order of the calls of each thread.
    pub choices: Vec<Choice>,
    /// Slots for which there was no room any more.
    pub lost: u64,
}

/// The words of a whole file.
#[must_use]
pub const fn words(capacity: u64) -> usize {
    HEADER + capacity as usize * SLOT
}

/// Whose matches a file has, by its first [`HEADER`] words.
///
/// # Errors
///
/// It is no such file, or of another version.
pub fn whose(head: &[u8]) -> Result<Whose, Error> {
    if word(head, header::MAGIC) != MAGIC {
        return Err(Error::NoMatches);
    }
    match word(head, header::VERSION) {
        VERSION => {}
        other => return Err(Error::Version(other)),
    }
    let rank = u32::try_from(word(head, header::RANK))
        .ok()
        .and_then(|rank| rank.checked_sub(1));
    let size = u32::try_from(word(head, header::SIZE)).ok();
    Ok(Whose {
        pid: word(head, header::PID) as u32,
        birth: word(head, header::BIRTH),
        world: rank.zip(size).filter(|(rank, size)| rank < size),
        is_spawned: word(head, header::SPAWNED) != 0,
    })
}

impl Matches {
    /// Reads a file, whatever became of its task.
    ///
    /// # Errors
    ///
    /// Bytes that are no such file of this version, or not the whole of one.
    pub fn read(bytes: &[u8]) -> Result<Self, Error> {
        let whose = whose(bytes)?;
        let capacity = word(bytes, header::CAPACITY);
        if !(1..=MOST).contains(&capacity) {
            return Err(Error::NoMatches);
        }
        if bytes.len() < words(capacity) * 8 {
            return Err(Error::CutOff(bytes.len()));
        }
        let begun = word(bytes, header::BEGUN);
        let count = begun.min(capacity) as usize;
        let slots = (0..count).map(|index| HEADER + index * SLOT);
        let matches = slots.map_while(|at| matched(bytes, at));
        Ok(Self {
            whose,
            matches: matches.filter(|each| !choices::chooses(each.does)).collect(),
            choices: choices::read(bytes, count),
            lost: begun.saturating_sub(capacity),
        })
    }
}

/// The operation in a slot; none that was not yet written.
fn matched(bytes: &[u8], at: usize) -> Option<Match> {
    let what = word(bytes, at + slot::WHAT);
    if what & BEGUN == 0 {
        return None;
    }
    let source = u32::try_from(word(bytes, at + slot::SOURCE)).ok();
    let tag = word(bytes, at + slot::TAG) as i64;
    Some(Match {
        communicator: word(bytes, at + slot::COMMUNICATOR),
        does: what >> 8 & 0xff,
        polls: (what >> 32) as u32,
        took: match source.filter(|_| what & MATCHED != 0 && tag >= 0) {
            Some(source) => Took::Message(source, tag),
            None if what & CANCELLED != 0 => Took::Cancelled,
            None => Took::Unknown,
        },
    })
}

/// Whether an operation that does this, from this peer under this tag, leaves open what it takes, or whether anything is there that it asks for.
#[must_use]
pub fn is_open(what: u64, source: i64, tag: i64) -> bool {
    let takes = matches!(
        what,
        does::RECEIVES | does::EXCHANGES | does::PROBES | does::ASKS_MESSAGE
    );
    takes && (source == peer::ANYBODY || source >= 0 && (tag < 0 || what == does::ASKS_MESSAGE))
}
