//! Events as tokens, each when it happens.
//!
//! A *token* is a run of expected events, which is only counted, and the event that ended it. The run that goes on stands in the published word
//! itself, so nothing waits in the encoder: what [`Encoder::record`] has accepted can be read, whatever becomes of the thread.

use crate::event::{Event, Symbol};
use crate::layout::{
    BLOCK, BLOCKS, HEADER, LONG_RUN, LONGEST_RUN, LONGEST_TOKEN, MAGIC, ROOM, VERSION, code, head, header,
};
use crate::model::{Model, Tables};
use std::sync::atomic::{AtomicU64, Ordering, compiler_fence};

/// Why an event was not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// The block is full, or there is none: [`Encoder::begin`] another one, then record the event again.
    NeedsBlock,
    /// The thread is in no function that it could leave. Recording it would make a trace that nobody can parse.
    NothingToLeave,
}

/// The trace has [`BLOCKS`] blocks and takes no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceFull;

/// Writes the header of a trace.
pub fn describe(words: &[AtomicU64; HEADER]) {
    words[header::VERSION].store(VERSION, Ordering::Relaxed);
    words[header::BLOCK].store(BLOCK as u64, Ordering::Relaxed);
    words[header::MAGIC].store(MAGIC, Ordering::Release);
}

/// The encoder of one thread.
#[derive(Debug)]
pub struct Encoder<'a> {
    model: Model<&'a mut Tables>,
    block: Option<&'a [AtomicU64; BLOCK]>,
    begun: usize,
    events: u64,
    depth: u64,
    used: usize,
    run: u32,
    /// The bytes of the word that `used` stands in.
    tail: u64,
    before: Before,
}

/// The event that is being recorded, and what held before it.
#[derive(Debug, Default)]
struct Before {
    /// Its number plus one; 0 while none is being recorded.
    event: AtomicU64,
    published: AtomicU64,
    events: AtomicU64,
    depth: AtomicU64,
}

impl<'a> Encoder<'a> {
    /// An encoder of a new trace, with tables that no other trace has used.
    pub fn new(tables: &'a mut Tables) -> Self {
        Self {
            model: Model::new(tables),
            block: None,
            begun: 0,
            events: 0,
            depth: 0,
            used: 0,
            run: 0,
            tail: 0,
            before: Before::default(),
        }
    }

    /// Goes on in the next block of the file, which must be all zero.
    ///
    /// # Errors
    ///
    /// When the trace has as many blocks as it can have: it has ended.
    pub fn begin(&mut self, block: &'a [AtomicU64; BLOCK]) -> Result<(), TraceFull> {
        if self.begun == BLOCKS {
            return Err(TraceFull);
        }
        self.begun += 1;
        self.model.begin(self.begun as u16);
        (self.used, self.run, self.tail) = (0, 0, 0);
        block[head::FIRST].store(self.events, Ordering::Relaxed);
        block[head::DEPTH].store(self.depth, Ordering::Relaxed);
        block[head::MARK].store(self.begun as u64, Ordering::Release);
        self.block = Some(block);
        Ok(())
    }

    /// Makes the encoder whole again after [`Encoder::record`] was broken off anywhere within it: a signal handler has interrupted it and went elsewhere by
    /// `longjmp`. The event was recorded or not, as [`Encoder::depth`] says now; the next one needs a new block. Where no event was being recorded nothing changes.
    pub fn break_off(&mut self) {
        compiler_fence(Ordering::SeqCst);
        let event = self.before.event.swap(0, Ordering::Relaxed);
        let Some(symbol) = event.checked_sub(1) else {
            return;
        };
        self.events = self.before.events.load(Ordering::Relaxed);
        self.depth = self.before.depth.load(Ordering::Relaxed);
        let published = self
            .block
            .take()
            .map(|block| block[head::PUBLISHED].load(Ordering::Relaxed));
        if published.is_some_and(|published| published != self.before.published.load(Ordering::Relaxed)) {
            self.events += 1;
            self.depth = match symbol {
                0 => self.depth.saturating_sub(1),
                _ => self.depth + 1,
            };
        }
    }

    /// How many functions the thread is in.
    pub fn depth(&self) -> u64 {
        self.depth
    }

    /// How many events were recorded.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Records one event: a reader sees it from now on.
    ///
    /// # Errors
    ///
    /// When there is no room, or the event is an exit and there is nothing to leave. Nothing has changed then.
    #[inline]
    pub fn record(&mut self, event: Event) -> Result<(), Refused> {
        let block = self.block.ok_or(Refused::NeedsBlock)?;
        let depth = match event {
            Event::Enter(_) => self.depth + 1,
            Event::Exit => self.depth.checked_sub(1).ok_or(Refused::NothingToLeave)?,
        };
        let symbol = Symbol::from(event);
        let published = u64::from(self.run) << 32 | self.used as u64;
        self.before.published.store(published, Ordering::Relaxed);
        self.before.events.store(self.events, Ordering::Relaxed);
        self.before.depth.store(self.depth, Ordering::Relaxed);
        // A signal handler that breaks this off runs in the same thread: the compiler alone could change the order of these stores.
        compiler_fence(Ordering::SeqCst);
        self.before
            .event
            .store(u64::from(symbol.0) + 1, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        let added = self.add(block, symbol);
        if added.is_ok() {
            block[head::PUBLISHED].store(u64::from(self.run) << 32 | self.used as u64, Ordering::Release);
            compiler_fence(Ordering::SeqCst);
            self.depth = depth;
            self.events += 1;
        }
        compiler_fence(Ordering::SeqCst);
        self.before.event.store(0, Ordering::Relaxed);
        added
    }

    #[inline]
    fn add(&mut self, block: &[AtomicU64; BLOCK], symbol: Symbol) -> Result<(), Refused> {
        if symbol != self.model.expected() {
            return self.token(block, symbol);
        }
        if self.run == LONGEST_RUN {
            return Err(Refused::NeedsBlock);
        }
        self.run += 1;
        self.model.pass(symbol);
        Ok(())
    }

    /// Ends the run with an event that was not expected.
    fn token(&mut self, block: &[AtomicU64; BLOCK], symbol: Symbol) -> Result<(), Refused> {
        if self.used + LONGEST_TOKEN > ROOM {
            return Err(Refused::NeedsBlock);
        }
        let choice = self.model.choice(symbol);
        let mut token = Token::default();
        let run = self.run.min(LONG_RUN);
        token.push((run << code::BITS) as u8 | choice.code());
        if run == LONG_RUN {
            token.push_number(self.run - LONG_RUN);
        }
        if choice.code() == code::LITERAL {
            token.push_number(symbol.0);
        }
        self.append(block, token);
        self.run = 0;
        self.model.learn(symbol);
        Ok(())
    }

    /// Stores whole words only. Bytes of the first that were there before stay what they are, so that a reader who comes between sees no change.
    fn append(&mut self, block: &[AtomicU64; BLOCK], token: Token) {
        let mut at = head::WORDS + self.used / 8;
        let before = (self.used % 8) as u32;
        let mut left = u128::from(self.tail) | token.bytes << (8 * before);
        let mut length = before + token.length;
        while length >= 8 {
            block[at].store(left as u64, Ordering::Relaxed);
            left >>= 64;
            at += 1;
            length -= 8;
        }
        self.tail = left as u64;
        if length > 0 {
            block[at].store(self.tail, Ordering::Relaxed);
        }
        self.used += token.length as usize;
    }
}

const _: () = assert!(
    LONGEST_TOKEN + 7 <= 16,
    "a token and what stands before it fit into one number"
);

/// A token of at most [`LONGEST_TOKEN`] bytes: with the seven that may stand before it in a word, these are 16.
#[derive(Default)]
struct Token {
    bytes: u128,
    length: u32,
}

impl Token {
    fn push(&mut self, byte: u8) {
        self.bytes |= u128::from(byte) << (8 * self.length);
        self.length += 1;
    }

    fn push_number(&mut self, mut number: u32) {
        while number >= 0x80 {
            self.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.push(number as u8);
    }
}
