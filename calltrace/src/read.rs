//! Any bytes as events.

use crate::event::{Event, Symbol};
use crate::layout::{
    BLOCK, BLOCKS, HEADER, LONG_RUN, LONGEST_RUN, MAGIC, QUEUE, ROOM, TAKEN_EVENTS_BITS, VERSION, code,
    ended, head, header,
};
use crate::model::{Choice, Chosen, Model, Tables};
use std::fmt;

const WORD: usize = 8;

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

/// A block that has begun.
#[derive(Debug, Clone, Copy)]
struct Block<'a> {
    first: u64,
    depth: u64,
    tokens: &'a [u8],
    run: u32,
}

/// The trace of a thread: what its blocks say of themselves. Their events are read when they are asked for.
#[derive(Debug)]
pub struct Trace<'a> {
    blocks: Vec<Block<'a>>,
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
    /// Reads the heads of all blocks.
    ///
    /// # Errors
    ///
    /// When the bytes are no trace, or a head cannot be true.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Error> {
        if word(bytes, header::MAGIC) != Some(MAGIC) {
            return Err(Error::NotATrace);
        }
        match word(bytes, header::VERSION) {
            Some(VERSION) => {}
            other => return Err(other.map_or(Error::NotATrace, Error::Version)),
        }
        match word(bytes, header::BLOCK) {
            Some(words) if words == BLOCK as u64 => {}
            other => return Err(other.map_or(Error::NotATrace, Error::BlockSize)),
        }
        let all = bytes.get(HEADER * WORD..).ok_or(Error::NotATrace)?;
        let mut blocks: Vec<Block<'a>> = Vec::new();
        for (number, bytes) in all.chunks(BLOCK * WORD).take(BLOCKS).enumerate() {
            let Some(block) = begun(number, bytes)? else {
                break;
            };
            let least = blocks.last().map_or(0, |before| before.first);
            let begins = (number == 0) == (block.first == 0);
            if block.first < least || !begins || block.depth > block.first {
                return Err(Error::Block(number));
            }
            blocks.push(block);
        }
        let field = |at| word(bytes, at).unwrap_or_default();
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
        Ok(Self {
            blocks,
            about,
            queue,
            taken: field(header::TAKEN),
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
        let is_taken = has_more && self.queue.get(taken) == Some(&behind.model.last());
        taken + usize::from(is_taken)
    }

    /// How many blocks it has.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// How many bytes its events take.
    pub fn bytes(&self) -> usize {
        self.blocks.iter().map(|block| block.tokens.len()).sum()
    }

    /// The tokens of each block, as they stand in the file.
    pub fn tokens(&self) -> impl Iterator<Item = &'a [u8]> {
        self.blocks.iter().map(|block| block.tokens)
    }

    /// All events in their order.
    pub fn events(&self) -> Events<'_> {
        self.from_block(0)
    }

    /// The events from this one on, counted from 0. One block at most is read to get there.
    pub fn from(&self, event: u64) -> impl Iterator<Item = Result<Event, Damage>> + '_ {
        let block = self
            .blocks
            .partition_point(|block| block.first <= event)
            .saturating_sub(1);
        let mut events = self.from_block(block);
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
        let first = self.blocks.get(block);
        let mut model = Model::new(Box::<Tables>::default());
        model.begin(mark(block.min(BLOCKS - 1)));
        Events {
            blocks: &self.blocks,
            block,
            model,
            at: 0,
            left: 0,
            then: first.map_or(Then::Over, |_| Then::TokenFollows),
            event: first.map_or(0, |block| block.first),
            depth: first.map_or(0, |block| block.depth),
        }
    }
}

/// The words of a block, if it has begun.
fn begun(number: usize, bytes: &[u8]) -> Result<Option<Block<'_>>, Error> {
    // A file may end inside a block that has not begun.
    match word(bytes, head::MARK) {
        None | Some(0) => return Ok(None),
        Some(mark) if mark == number as u64 + 1 => {}
        Some(_) => return Err(Error::Block(number)),
    }
    let published = word(bytes, head::PUBLISHED).ok_or(Error::CutOff(number))?;
    let used = (published & u64::from(u32::MAX)) as usize;
    let run = (published >> 32) as u32;
    if used > ROOM || run > LONGEST_RUN {
        return Err(Error::Block(number));
    }
    let tokens = bytes[head::WORDS * WORD..]
        .get(..used)
        .ok_or(Error::CutOff(number))?;
    let field = |at| word(bytes, at).ok_or(Error::CutOff(number));
    Ok(Some(Block {
        first: field(head::FIRST)?,
        depth: field(head::DEPTH)?,
        tokens,
        run,
    }))
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at * WORD..)?.first_chunk()?;
    Some(u64::from_le_bytes(*bytes))
}

/// What comes behind the run of expected events.
#[derive(Debug, Clone, Copy)]
enum Then {
    TokenFollows,
    Chosen(Chosen),
    Literal(Symbol),
    BlockEnds,
    Over,
}

/// The events of a trace; nothing comes behind a [`Damage`].
#[derive(Debug)]
pub struct Events<'a> {
    blocks: &'a [Block<'a>],
    block: usize,
    model: Model<Box<Tables>>,
    /// Where the next token begins.
    at: usize,
    /// Expected events before `then`.
    left: u32,
    then: Then,
    event: u64,
    depth: u64,
}

impl Events<'_> {
    /// The number of the event that comes next, counted from 0.
    pub fn next_event(&self) -> u64 {
        self.event
    }

    /// How many functions the thread is in before the next event.
    pub fn depth(&self) -> u64 {
        self.depth
    }

    fn step(&mut self) -> Result<Option<Event>, Damage> {
        loop {
            if self.left > 0 {
                self.left -= 1;
                let symbol = self.model.expected();
                self.model.pass(symbol);
                return self.happened(symbol).map(Some);
            }
            let symbol = match self.then {
                Then::TokenFollows => {
                    self.token()?;
                    continue;
                }
                Then::BlockEnds => {
                    self.next_block()?;
                    continue;
                }
                Then::Over => return Ok(None),
                Then::Chosen(choice) => self.model.chosen(choice),
                Then::Literal(symbol) => symbol,
            };
            self.then = Then::TokenFollows;
            self.model.learn(symbol);
            return self.happened(symbol).map(Some);
        }
    }

    fn happened(&mut self, symbol: Symbol) -> Result<Event, Damage> {
        let event = symbol.event();
        self.depth = match event {
            Event::Enter(_) => self.depth + 1,
            Event::Exit => match self.depth.checked_sub(1) {
                Some(depth) => depth,
                None => return Err(Damage::NothingToLeave { event: self.event }),
            },
        };
        self.event += 1;
        Ok(event)
    }

    /// Reads the token at `at`, or takes the run that the block ends with.
    fn token(&mut self) -> Result<(), Damage> {
        let block = &self.blocks[self.block];
        let damage = Damage::Token {
            block: self.block,
            at: self.at,
        };
        let Some((&first, mut rest)) = block.tokens[self.at..].split_first() else {
            (self.left, self.then) = (block.run, Then::BlockEnds);
            return Ok(());
        };
        self.left = u32::from(first >> code::BITS);
        if self.left == LONG_RUN {
            self.left += number(&mut rest).ok_or(damage)?;
        }
        self.then = match Choice::of(first) {
            Choice::Literal => Then::Literal(number(&mut rest).and_then(Symbol::new).ok_or(damage)?),
            Choice::Chosen(choice) => Then::Chosen(choice),
        };
        self.at = block.tokens.len() - rest.len();
        Ok(())
    }

    fn next_block(&mut self) -> Result<(), Damage> {
        let Some(next) = self.blocks.get(self.block + 1) else {
            self.then = Then::Over;
            return Ok(());
        };
        self.block += 1;
        if (next.first, next.depth) != (self.event, self.depth) {
            return Err(Damage::DoesNotFollow { block: self.block });
        }
        self.at = 0;
        self.then = Then::TokenFollows;
        self.model.begin(mark(self.block));
        Ok(())
    }
}

impl Iterator for Events<'_> {
    type Item = Result<Event, Damage>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step();
        if step.is_err() {
            (self.left, self.then) = (0, Then::Over);
        }
        step.transpose()
    }
}

/// What entries of the model made in this block are marked with.
fn mark(block: usize) -> u16 {
    // `Trace::read` takes `BLOCKS` blocks at most, which 16 bits hold.
    (block + 1) as u16
}

/// A number of at most 28 bits in LEB128.
fn number(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    for shift in [0, 7, 14, 21] {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}
