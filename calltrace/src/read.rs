//! Any bytes as events.

mod events;

pub use events::Events;

use crate::blocks::{Blocks, Kind};
use crate::event::{Event, Symbol};
use crate::layout::{BLOCK, LONGEST_RUN, MAGIC, QUEUE, TAKEN_EVENTS_BITS, VERSION, ended, header};
use std::fmt;

/// Why bytes are no trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// They do not begin as a trace, or the thread was not yet ready.
    NotATrace,
    /// Another version of the layout.
    Version(u64),
    /// Blocks of another size, in words.
    BlockSize(u64),
    /// This block, counted from 0, ends in the middle.
    CutOff(usize),
    /// This block says what cannot be: too many bytes, or a beginning before the block before it.
    Block(usize),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotATrace => f.write_str("this is no trace of calls"),
            Self::Version(version) => {
                write!(
                    f,
                    "it is a trace of version {version}, and this program reads version {VERSION}"
                )
            }
            Self::BlockSize(words) => write!(f, "its blocks have {words} words instead of {BLOCK}"),
            Self::CutOff(block) => write!(f, "it is cut off in block {block}: copy the whole file"),
            Self::Block(block) => write!(f, "the head of block {block} is damaged"),
        }
    }
}

impl std::error::Error for Error {}

/// Why the events of a block cannot be told to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// A token ends behind the published bytes, or a number in it is too large.
    Token {
        /// The block, counted from 0.
        block: usize,
        /// Where the token begins, in bytes of the block's tokens.
        at: usize,
    },
    /// A block is not there, though later ones have begun: what it was packed into was not read, or read too early; or the copy of a living trace was overtaken.
    Missing {
        /// The block, counted from 0.
        block: usize,
    },
    /// The frame that a block is packed in does not hold what it says.
    Frame {
        /// The first block of the frame, counted from 0.
        block: usize,
    },
    /// The thread leaves a function and is in none.
    NothingToLeave {
        /// The event, counted from 0.
        event: u64,
    },
    /// The events or the depth that the block begins with do not follow from the block before. A copy of a living trace
    /// may be so: then more was written while it was made, and another copy is whole.
    DoesNotFollow {
        /// The block, counted from 0.
        block: usize,
    },
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Token { block, at } => write!(f, "the token at byte {at} of block {block} is damaged"),
            Self::Missing { block } => write!(
                f,
                "block {block} is not there, but later ones are: it may be in the file of packed blocks, which is to be copied behind the other"
            ),
            Self::Frame { block } => write!(f, "what block {block} is packed in is damaged"),
            Self::NothingToLeave { event } => {
                write!(f, "event {event} leaves a function, but the thread is in none")
            }
            Self::DoesNotFollow { block } => write!(
                f,
                "block {block} does not begin where the one before it ends: copy the file again if its program runs"
            ),
        }
    }
}

impl std::error::Error for Damage {}

/// The trace of a thread: what its blocks say of themselves. Their events are read when they are asked for.
#[derive(Debug)]
pub struct Trace<'a> {
    blocks: Blocks<'a>,
    about: About,
    queue: Vec<Symbol>,
    /// [`header::TAKEN`].
    taken: u64,
}

/// What the header of a trace says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct About {
    /// Why nothing comes any more; `None` while the thread records, and where its process was ended from outside.
    pub ended: Option<Ended>,
    /// Events that were not recorded, because the trace had ended.
    pub lost: u64,
    /// Exits that were supplied: of functions that an exception or `longjmp` has left.
    pub supplied: u64,
    /// Exits that fit no entry and were left out.
    pub ignored: u64,
    /// So many of the first events are functions that the thread was in when its process was forked.
    pub inherited: u64,
    /// The thread's number in the kernel; 0 if not told.
    pub tid: u32,
    /// Whether events of a signal handler are missing.
    pub is_overrun: bool,
}

/// Why a thread records no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The thread has ended.
    Thread,
    /// There was no room for the file, or it could not be opened any more.
    NoRoom,
    /// The trace has as many blocks as it can have.
    Full,
}

impl<'a> Trace<'a> {
    /// Reads the heads of all blocks of a trace of which nothing was packed.
    ///
    /// # Errors
    ///
    /// When the bytes are no trace, or a head cannot be true.
    pub fn read(trace: &'a [u8]) -> Result<Self, Error> {
        Self::of(trace, &[])
    }

    /// Reads the heads of all blocks, of which the first ones stand in a second file ([`crate::packed`]): the one of the same process
    /// ([`crate::packed::started`]), read after the first; empty if there is none. Without the first file the second one must be whole.
    ///
    /// # Errors
    ///
    /// When the bytes are no trace, or a head cannot be true.
    pub fn of(trace: &'a [u8], packed: &'a [u8]) -> Result<Self, Error> {
        let kind = Kind {
            magic: MAGIC,
            version: VERSION,
        };
        let blocks = Blocks::read(trace, packed, kind)?;
        for (number, head) in blocks.heads() {
            let begins = (number == 0) == (head.first == 0);
            if !begins || head.depth > head.first || head.count > LONGEST_RUN {
                return Err(Error::Block(number));
            }
        }
        let field = |at| blocks.header(at);
        let about = About {
            ended: match field(header::ENDED) {
                ended::THREAD => Some(Ended::Thread),
                ended::NO_ROOM => Some(Ended::NoRoom),
                ended::FULL => Some(Ended::Full),
                _ => None,
            },
            lost: field(header::LOST),
            supplied: field(header::SUPPLIED),
            ignored: field(header::IGNORED),
            inherited: field(header::INHERITED),
            tid: field(header::TID) as u32,
            is_overrun: field(header::OVERRUN) != 0,
        };
        let queued = usize::try_from(field(header::QUEUED)).unwrap_or(QUEUE).min(QUEUE);
        let queue = (0..queued).map_while(|at| Symbol::new(u32::try_from(field(header::QUEUE + at)).ok()?));
        let queue = queue.collect();
        let taken = field(header::TAKEN);
        Ok(Self {
            blocks,
            about,
            queue,
            taken,
        })
    }

    /// What its header says.
    pub fn about(&self) -> About {
        self.about
    }

    /// What a signal handler did that the thread has not come back from, and that interrupted it while an event was being recorded: it stands behind all
    /// [`Trace::events`], which were read to their end. Exits that fit nothing are left out.
    pub fn queued(&self, behind: &Events<'_>) -> impl Iterator<Item = Event> + '_ {
        let mut depth = behind.depth();
        let left = self.queue.get(self.taken_of_queue(behind)..).unwrap_or_default();
        left.iter().filter_map(move |symbol| {
            let event = symbol.event();
            depth = match event {
                Event::Enter(_) => depth + 1,
                Event::Exit => depth.checked_sub(1)?,
            };
            Some(event)
        })
    }

    /// How many events of the queue stand among the others already.
    fn taken_of_queue(&self, behind: &Events<'_>) -> usize {
        let Some(taken) = (self.taken >> TAKEN_EVENTS_BITS).checked_sub(1) else {
            return 0;
        };
        let taken = taken as usize;
        // An entry is recorded behind exits that it tells of.
        let has_more = behind.next_event() > self.taken & ((1 << TAKEN_EVENTS_BITS) - 1);
        let is_taken = has_more && self.queue.get(taken) == Some(&behind.last());
        taken + usize::from(is_taken)
    }

    /// How many blocks it has.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// How many bytes its events take.
    pub fn bytes(&self) -> usize {
        self.blocks.bytes()
    }

    /// All events in their order.
    pub fn events(&self) -> Events<'_> {
        self.from_block(0)
    }

    /// The events from this one on, counted from 0. Before it one block at most is read, or, where it is packed, one frame of blocks.
    pub fn from(&self, event: u64) -> impl Iterator<Item = Result<Event, Damage>> + '_ {
        let mut events = self.from_block(self.blocks.at(event));
        let mut damage = None;
        while events.next_event() < event {
            match events.next() {
                Some(Ok(_)) => {}
                Some(Err(met)) => {
                    damage = Some(Err(met));
                    break;
                }
                None => break,
            }
        }
        damage.into_iter().chain(events)
    }

    /// The events of this block, counted from 0, and of all behind it.
    pub fn from_block(&self, block: usize) -> Events<'_> {
        Events::new(&self.blocks, block)
    }
}
