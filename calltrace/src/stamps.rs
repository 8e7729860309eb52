//! When things happened, and which message it was: what stands beside the events of a thread.
//!
//! A *stamp* stands behind so many events of the trace and tells the time there; of what a call of MPI did also what ties it to other tasks, by the numbers that the flight
//! recorder counts with. Stamps have a file of their own, of blocks as a trace has, so that a trace without them is as small as ever. Each is published by one store, as an event is.

use crate::blocks::{Blocks, Cursor, Kind};
use crate::layout::{BLOCK, BLOCKS, HEADER, ROOM, ended, head, header, stamp};
use crate::read::{Damage, Error};
use std::sync::atomic::{AtomicU64, Ordering, compiler_fence};

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// How many events of the trace come before.
    pub behind: u64,
    /// The monotonic clock of the host, in nanoseconds.
    pub time: u64,
    /// What it was.
    pub tie: Tie,
}

/// What ties a moment to other tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// Nothing.
    None,
    /// A message is sent.
    Sends(Message),
    /// One was received.
    Receives(Message),
    /// A part of a collective operation begins.
    Enters(Part),
    /// One has ended.
    Leaves(Part),
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// The identity of the communicator, which its members share.
    pub communicator: u64,
    /// The other end, as a rank of the communicator.
    pub peer: u32,
    /// The tag, or of a window the kind of the signal.
    pub tag: i64,
    /// Its number in its channel, counted from 0.
    pub ordinal: u64,
}

/// A part of a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The identity of the communicator, which its members share.
    pub communicator: u64,
    /// The root, as a rank of the communicator.
    pub root: Option<u32>,
    /// The number of the operation on its communicator, counted from 1.
    pub ordinal: u64,
}

/// The identity of `MPI_COMM_WORLD` in stamps.
pub const WORLD: u64 = stamp::WORLD;

const KIND: Kind = Kind {
    magic: stamp::MAGIC,
    version: stamp::VERSION,
};

/// Writes the header of a file of stamps, which is begun when both clocks show these nanoseconds.
pub fn describe(words: &[AtomicU64; HEADER], monotonic: u64, since_epoch: u64) {
    words[header::VERSION].store(stamp::VERSION, Ordering::Relaxed);
    words[header::BLOCK].store(BLOCK as u64, Ordering::Relaxed);
    words[stamp::MONOTONIC].store(monotonic, Ordering::Relaxed);
    words[stamp::SINCE_EPOCH].store(since_epoch, Ordering::Relaxed);
    words[header::MAGIC].store(stamp::MAGIC, Ordering::Release);
}

/// What the next stamp is relative to.
#[derive(Debug, Default)]
struct Base {
    behind: AtomicU64,
    time: AtomicU64,
    /// Communicators that the block has named.
    known: AtomicU64,
}

/// Why a stamp was not recorded: the block is full, or there is none. [`StampEncoder::begin`] another one, then record it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NeedsBlock;

/// Writes the stamps of one thread.
///
/// It may be broken off at any instruction and never come back to it: what it goes on from is what it has published last. So there are two bases, of which the number of published stamps
/// tells the one that counts.
#[derive(Debug, Default)]
pub struct StampEncoder<'a> {
    block: Option<&'a [AtomicU64; BLOCK]>,
    begun: usize,
    bases: [Base; 2],
    communicators: [AtomicU64; stamp::COMMUNICATORS],
}

impl<'a> StampEncoder<'a> {
    /// One that has no block yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Goes on in the next block of the file, which must be all zero, at a moment behind so many events. Whether it may: a file has as many blocks as a trace.
    pub fn begin(&mut self, block: &'a [AtomicU64; BLOCK], behind: u64, time: u64) -> bool {
        if self.begun == BLOCKS {
            return false;
        }
        self.begun += 1;
        let base = &self.bases[0];
        base.behind.store(behind, Ordering::Relaxed);
        base.time.store(time, Ordering::Relaxed);
        base.known.store(0, Ordering::Relaxed);
        block[head::FIRST].store(behind, Ordering::Relaxed);
        block[stamp::TIME].store(time, Ordering::Relaxed);
        block[head::MARK].store(self.begun as u64, Ordering::Release);
        self.block = Some(block);
        true
    }

    /// Records one: a reader sees it from now on. One that would stand before the last counts as at that moment.
    ///
    /// # Errors
    ///
    /// When there is no room. Nothing has changed then.
    pub fn record(&mut self, stamp: Stamp) -> Result<(), NeedsBlock> {
        let block = self.block.ok_or(NeedsBlock)?;
        let published = block[head::PUBLISHED].load(Ordering::Relaxed);
        let (used, count) = ((published & u64::from(u32::MAX)) as usize, published >> 32);
        let [base, next] = match count % 2 {
            0 => [&self.bases[0], &self.bases[1]],
            _ => [&self.bases[1], &self.bases[0]],
        };
        let get = |word: &AtomicU64| word.load(Ordering::Relaxed);
        let known = get(&base.known) as usize;
        let behind = stamp.behind.max(get(&base.behind));
        let time = stamp.time.max(get(&base.time));
        let mut bytes = Bytes::default();
        bytes.push_first(stamp.tie.kind(), behind - get(&base.behind));
        bytes.push_number(time - get(&base.time));
        let known = match stamp.tie {
            Tie::None => known,
            Tie::Sends(message) | Tie::Receives(message) => {
                let known = self.push_communicator(&mut bytes, message.communicator, known);
                bytes.push_number(message.peer.into());
                bytes.push_number(zigzag(message.tag));
                bytes.push_number(message.ordinal);
                known
            }
            Tie::Enters(part) | Tie::Leaves(part) => {
                let known = self.push_communicator(&mut bytes, part.communicator, known);
                bytes.push_number(part.root.map_or(0, |root| u64::from(root) + 1));
                bytes.push_number(part.ordinal);
                known
            }
        };
        if used + bytes.length > ROOM {
            return Err(NeedsBlock);
        }
        bytes.store(block, used);
        next.behind.store(behind, Ordering::Relaxed);
        next.time.store(time, Ordering::Relaxed);
        next.known.store(known as u64, Ordering::Relaxed);
        // A signal handler that breaks this off runs in the same thread: the compiler alone could change the order of these stores.
        compiler_fence(Ordering::SeqCst);
        let published = (count + 1) << 32 | (used + bytes.length) as u64;
        block[head::PUBLISHED].store(published, Ordering::Release);
        Ok(())
    }

    /// The communicator's number in the block, and its identity if it has none yet; how many are known then.
    fn push_communicator(&self, bytes: &mut Bytes, identity: u64, known: usize) -> usize {
        let all = &self.communicators[..known.min(stamp::COMMUNICATORS)];
        let found = all
            .iter()
            .position(|each| each.load(Ordering::Relaxed) == identity);
        bytes.push_number(found.unwrap_or(known) as u64);
        if found.is_some() {
            return known;
        }
        identity
            .to_le_bytes()
            .into_iter()
            .for_each(|byte| bytes.push(byte));
        let Some(place) = self.communicators.get(known) else {
            return known;
        };
        place.store(identity, Ordering::Relaxed);
        known + 1
    }
}

/// The bytes of one stamp: at most a first one, seven numbers, and an identity.
#[derive(Debug)]
struct Bytes {
    bytes: [u8; Self::MOST],
    length: usize,
}

impl Default for Bytes {
    fn default() -> Self {
        Self {
            bytes: [0; Self::MOST],
            length: 0,
        }
    }
}

impl Bytes {
    const MOST: usize = 80;

    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = byte;
            self.length += 1;
        }
    }

    fn push_number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.push(number as u8);
    }

    fn push_first(&mut self, kind: u8, events: u64) {
        match u8::try_from(events) {
            Ok(few) if few < stamp::MANY_EVENTS => self.push(few << stamp::KIND_BITS | kind),
            _ => {
                self.push(stamp::MANY_EVENTS << stamp::KIND_BITS | kind);
                self.push_number(events - u64::from(stamp::MANY_EVENTS));
            }
        }
    }

    /// Stores whole words, behind so many bytes that were published and stay what they are.
    fn store(&self, block: &[AtomicU64; BLOCK], used: usize) {
        let mut at = head::WORDS + used / 8;
        let before = used % 8;
        let kept = block[at].load(Ordering::Relaxed) & ((1 << (8 * before)) - 1);
        let (mut word, mut filled) = (kept, before);
        for &byte in &self.bytes[..self.length] {
            word |= u64::from(byte) << (8 * filled);
            filled += 1;
            if filled == 8 {
                block[at].store(word, Ordering::Relaxed);
                (word, filled, at) = (0, 0, at + 1);
            }
        }
        if filled > 0 {
            block[at].store(word, Ordering::Relaxed);
        }
    }
}

impl Tie {
    const fn kind(self) -> u8 {
        match self {
            Self::None => stamp::NOTHING,
            Self::Sends(_) => stamp::SENDS,
            Self::Receives(_) => stamp::RECEIVES,
            Self::Enters(_) => stamp::ENTERS,
            Self::Leaves(_) => stamp::LEAVES,
        }
    }
}

const fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

const fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// The stamps of a thread.
#[derive(Debug)]
pub struct Stamps<'a> {
    blocks: Blocks<'a>,
}

impl<'a> Stamps<'a> {
    /// Finds the blocks, of which the first ones may stand in a second file, as in [`Trace::of`](crate::Trace::of).
    ///
    /// # Errors
    ///
    /// When the bytes are no such file, or a head cannot be true.
    pub fn of(stamps: &'a [u8], packed: &'a [u8]) -> Result<Self, Error> {
        Blocks::read(stamps, packed, KIND).map(|blocks| Self { blocks })
    }

    /// Nanoseconds since the epoch at this moment of the monotonic clock.
    pub fn since_epoch(&self, time: u64) -> u64 {
        let begun = self.blocks.header(stamp::MONOTONIC);
        let since_epoch = self.blocks.header(stamp::SINCE_EPOCH);
        since_epoch.wrapping_add(time.wrapping_sub(begun))
    }

    /// Whether there was no room for more.
    pub fn is_cut(&self) -> bool {
        self.blocks.header(header::ENDED) == ended::NO_ROOM
    }

    /// How many bytes they take.
    pub fn bytes(&self) -> usize {
        self.blocks.bytes()
    }

    /// All of them, in their order.
    pub fn all(&self) -> AllStamps<'_> {
        AllStamps::new(&self.blocks, 0)
    }

    /// Those behind so many events or more. One block at most is read before them, or one frame of blocks.
    pub fn from(&self, event: u64) -> impl Iterator<Item = Result<Stamp, Damage>> + '_ {
        // Several blocks may begin behind the same event.
        let block = self.blocks.at(event.saturating_sub(1));
        let all = AllStamps::new(&self.blocks, block);
        all.skip_while(move |stamp| stamp.is_ok_and(|stamp| stamp.behind < event))
    }
}

/// Stamps one behind the other; nothing comes behind a [`Damage`].
#[derive(Debug)]
pub struct AllStamps<'a> {
    cursor: Cursor<'a>,
    block: usize,
    at: usize,
    behind: u64,
    time: u64,
    known: Vec<u64>,
    is_over: bool,
}

impl<'a> AllStamps<'a> {
    fn new(blocks: &'a Blocks<'a>, block: usize) -> Self {
        Self {
            cursor: Cursor::new(blocks),
            // The one before, which has nothing: the first is entered when the first stamp is asked for.
            block: block.wrapping_sub(1),
            at: 0,
            behind: 0,
            time: 0,
            known: Vec::new(),
            is_over: false,
        }
    }

    fn step(&mut self) -> Result<Option<Stamp>, Damage> {
        while self.at >= self.cursor.bytes().len() {
            let next = self.block.wrapping_add(1);
            let Some(head) = self.cursor.enter(next)? else {
                return Ok(None);
            };
            if head.first < self.behind {
                return Err(Damage::DoesNotFollow { block: next });
            }
            (self.block, self.at, self.behind, self.time) = (next, 0, head.first, head.depth);
            self.known.clear();
        }
        let damage = Damage::Token {
            block: self.block,
            at: self.at,
        };
        let bytes = self.cursor.bytes();
        let mut rest = &bytes[self.at..];
        let stamp = one(&mut rest, (self.behind, self.time), &mut self.known).ok_or(damage)?;
        self.at = bytes.len() - rest.len();
        (self.behind, self.time) = (stamp.behind, stamp.time);
        Ok(Some(stamp))
    }
}

impl Iterator for AllStamps<'_> {
    type Item = Result<Stamp, Damage>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let step = self.step();
        self.is_over = !matches!(step, Ok(Some(_)));
        step.transpose()
    }
}

fn one(rest: &mut &[u8], (behind, time): (u64, u64), known: &mut Vec<u64>) -> Option<Stamp> {
    let (&first, after) = rest.split_first()?;
    *rest = after;
    let mut events = u64::from(first >> stamp::KIND_BITS);
    if first >> stamp::KIND_BITS == stamp::MANY_EVENTS {
        events = events.checked_add(number(rest)?)?;
    }
    let behind = behind.checked_add(events)?;
    let time = time.checked_add(number(rest)?)?;
    let kind = first & ((1 << stamp::KIND_BITS) - 1);
    let tie = match kind {
        stamp::NOTHING => Tie::None,
        stamp::SENDS | stamp::RECEIVES => {
            let message = Message {
                communicator: communicator(rest, known)?,
                peer: number(rest)?.try_into().ok()?,
                tag: unzigzag(number(rest)?),
                ordinal: number(rest)?,
            };
            match kind {
                stamp::SENDS => Tie::Sends(message),
                _ => Tie::Receives(message),
            }
        }
        stamp::ENTERS | stamp::LEAVES => {
            let part = Part {
                communicator: communicator(rest, known)?,
                root: u32::try_from(number(rest)?).ok()?.checked_sub(1),
                ordinal: number(rest)?,
            };
            match kind {
                stamp::ENTERS => Tie::Enters(part),
                _ => Tie::Leaves(part),
            }
        }
        _ => return None,
    };
    Some(Stamp { behind, time, tie })
}

fn communicator(rest: &mut &[u8], known: &mut Vec<u64>) -> Option<u64> {
    let index = usize::try_from(number(rest)?).ok()?;
    if let Some(&identity) = known.get(index) {
        return Some(identity);
    }
    let (bytes, after) = rest.split_first_chunk::<8>()?;
    *rest = after;
    let identity = u64::from_le_bytes(*bytes);
    if index != known.len() {
        return None;
    }
    if index < stamp::COMMUNICATORS {
        known.push(identity);
    }
    Some(identity)
}

/// A number of 64 bits in LEB128.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}
