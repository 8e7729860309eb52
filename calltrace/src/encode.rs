//! Events as tokens, each when it happens.
//!
//! A *token* is a run of expected events, which is only counted, and the event that ended it. The run that goes on stands in the published word
//! itself, so nothing waits in the encoder: what [`Encoder::record`] has accepted can be read, whatever becomes of the thread.

use crate::event::{Event, Symbol};
use crate::lane::{Lane, Open};
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
    /// What was foretold, if it was: then the events since then stand in the published word alone.
    open: Option<Open>,
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

impl Before {
    /// What comes until the end belongs to this event. A signal handler that breaks it off runs in the same thread: the compiler alone could change the order of these stores.
    #[inline(always)]
    fn begin(&self, symbol: Symbol, published: u64, events: u64, depth: u64) {
        self.published.store(published, Ordering::Relaxed);
        self.events.store(events, Ordering::Relaxed);
        self.depth.store(depth, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        self.event.store(u64::from(symbol.0) + 1, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
    }

    #[inline(always)]
    fn end(&self) {
        compiler_fence(Ordering::SeqCst);
        self.event.store(0, Ordering::Relaxed);
    }
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
            open: None,
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
        self.open = None;
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
        self.open = None;
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
    #[inline]
    pub fn depth(&self) -> u64 {
        match (&self.open, self.block) {
            (Some(open), Some(block)) => Open::depth(self.depth, self.model.foretold(open.passed(block))),
            _ => self.depth,
        }
    }

    /// How many events were recorded.
    #[inline]
    pub fn events(&self) -> u64 {
        match (&self.open, self.block) {
            (Some(open), Some(block)) => self.events + u64::from(open.passed(block)),
            _ => self.events,
        }
    }

    /// What is expected next, if several events are known: whoever records may count there what comes as it was foretold. Until an event is recorded
    /// otherwise, the lane stays the same.
    #[inline]
    pub fn open_lane(&mut self) -> Option<Lane<'_>> {
        let block = self.block?;
        if self.open.is_none() {
            let count = self.model.foretell(LONGEST_RUN - self.run);
            // A signal handler that breaks this off finds that nothing was foretold, or all.
            compiler_fence(Ordering::SeqCst);
            self.open = (count > 0).then_some(Open { run: self.run, count });
        }
        let open = self.open.as_ref()?;
        Some(Lane {
            published: &block[head::PUBLISHED],
            run: open.run,
            expected: self.model.foretold(open.count + 1),
        })
    }

    /// Records one event: a reader sees it from now on.
    ///
    /// # Errors
    ///
    /// When there is no room, or the event is an exit and there is nothing to leave. Nothing has changed then.
    #[inline(always)]
    pub fn record(&mut self, event: Event) -> Result<(), Refused> {
        let block = self.block.ok_or(Refused::NeedsBlock)?;
        if self.open.is_some() {
            self.end_lane(block);
        }
        let depth = match event {
            Event::Enter(_) => self.depth + 1,
            Event::Exit => self.depth.checked_sub(1).ok_or(Refused::NothingToLeave)?,
        };
        let symbol = Symbol::from(event);
        self.before
            .begin(symbol, self.published(), self.events, self.depth);
        let added = self.add(block, symbol);
        if added.is_ok() {
            block[head::PUBLISHED].store(self.published(), Ordering::Release);
            compiler_fence(Ordering::SeqCst);
            self.depth = depth;
            self.events += 1;
        }
        self.before.end();
        added
    }

    /// What the block's head says of it.
    #[inline(always)]
    fn published(&self) -> u64 {
        u64::from(self.run) << 32 | self.used as u64
    }

    /// Goes through what was recorded in a lane.
    #[inline(never)]
    fn end_lane(&mut self, block: &[AtomicU64; BLOCK]) {
        let (events, depth) = (self.events(), self.depth());
        let Some(open) = &self.open else { return };
        let passed = open.passed(block);
        let published = block[head::PUBLISHED].load(Ordering::Relaxed);
        // No event is recorded, and so it does not matter which is named.
        self.before
            .begin(Symbol::from(Event::Exit), published, events, depth);
        (self.run, self.events, self.depth) = (open.run + passed, events, depth);
        self.open = None;
        self.model.pass_foretold(passed);
        self.before.end();
    }

    #[inline(always)]
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
    #[inline(never)]
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
