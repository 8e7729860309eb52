//! Blocks that nobody writes to any more, packed: what follows a trace when it has time.
//!
//! A thread encodes into blocks of one size, each with what it needs to be read alone. Whoever looks after them later, and no hook of the thread, packs those that are full into *frames*
//! behind each other in a second file, and gives the room of the first one back. So a block is in the one file, the other, or both, at every instant, and a reader who
//! reads the trace before what is packed finds all of them ([`Trace::of`](crate::Trace::of)). The last frame has the trace's header: what comes before it is whole, and the first file is
//! not needed any more.
//!
//! Packing is DEFLATE (RFC 1951), because that is in every language's library; tokens are sorted by the kinds of their bytes before ([`planes`]), where that is shorter.

mod planes;

use crate::layout::{BLOCK, BLOCKS, HEADER, ROOM, head, header};
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use std::ops::Range;

/// What the file begins with: `hindmTPK` in ASCII.
pub const MAGIC: u64 = u64::from_le_bytes(*b"hindmTPK");
/// The version of this layout.
pub const VERSION: u64 = 1;
/// Bytes of the file's head: [`MAGIC`], [`VERSION`], and when the process began, as its own file tells ([`Task::started`](crate::Task::started)).
pub const HEAD: usize = 24;
/// Bytes in front of a frame's content: how many that are, and their Adler-32 (RFC 1950, section 8.2).
const FRAME_HEAD: usize = 8;
/// Blocks of a frame, at most.
pub const MOST_BLOCKS: usize = 16;
/// How hard it is tried: slower levels save hardly anything.
const LEVEL: u8 = 9;
const WORD: usize = 8;
/// Words of a block's head that are kept: the others follow from where it stands.
const KEPT: [usize; 3] = [head::PUBLISHED, head::FIRST, head::DEPTH];
/// How the bytes of a frame's blocks stand in it.
const AS_THEY_ARE: u64 = 1;
const IN_PLANES: u64 = planes::PLANES as u64;

/// The head of a file for the trace of a thread whose process began then.
pub fn file_head(started: u64) -> [u8; HEAD] {
    let mut bytes = [0; HEAD];
    let (words, _) = bytes.as_chunks_mut::<WORD>();
    for (word, value) in words.iter_mut().zip([MAGIC, VERSION, started]) {
        *word = value.to_le_bytes();
    }
    bytes
}

/// When the process began whose blocks these bytes hold; `None` if they are none that this reader knows.
pub fn started(bytes: &[u8]) -> Option<u64> {
    let known = word(bytes, 0) == Some(MAGIC) && word(bytes, WORD) == Some(VERSION);
    known.then(|| word(bytes, 2 * WORD))?
}

/// A frame of these blocks, each [`BLOCK`] words that are not written any more, of which the first has this number.
///
/// `None` if there are none or too many of them, one has not begun or says what cannot be, or they would not come back as they are: then they stay where they stand.
pub fn frame(first: usize, blocks: &[&[u8]]) -> Option<Vec<u8>> {
    if blocks.is_empty() || blocks.len() > MOST_BLOCKS {
        return None;
    }
    let mut heads = Vec::new();
    let mut bytes = Vec::new();
    for (number, block) in (first..).zip(blocks) {
        let field = |at: usize| word(block, at * WORD);
        if field(head::MARK)? != number as u64 + 1 {
            return None;
        }
        for at in KEPT {
            heads.extend(field(at)?.to_le_bytes());
        }
        bytes.push(
            block
                .get(head::WORDS * WORD..)?
                .get(..used(field(head::PUBLISHED)?)?)?,
        );
    }
    let mut content = Vec::new();
    let before = [head::FIRST, head::DEPTH].map(|at| word(blocks[0], at * WORD).unwrap_or_default());
    for value in [first as u64, blocks.len() as u64, before[0], before[1]] {
        push_number(&mut content, value);
    }
    push_part(&mut content, &heads);
    let mut whole = Vec::new();
    push_number(&mut whole, AS_THEY_ARE);
    push_part(&mut whole, &bytes.concat());
    let mut best = whole;
    if let Some(planes) = planes::split(bytes.iter().copied()) {
        let mut sorted = Vec::new();
        push_number(&mut sorted, IN_PLANES);
        planes.iter().for_each(|plane| push_part(&mut sorted, plane));
        if sorted.len() < best.len() {
            best = sorted;
        }
    }
    content.extend(best);
    let frame = framed(&content);
    comes_back(&frame, first, &heads, &bytes).then_some(frame)
}

/// Whether a frame has these heads and bytes in it. Who packs gives up the only other copy.
fn comes_back(frame: &[u8], first: usize, heads: &[u8], bytes: &[&[u8]]) -> bool {
    let mut read = Packed {
        // What stands before it does not matter here.
        frames: Vec::from_iter(first.checked_sub(1).map(Frame::before)),
        ..Packed::default()
    };
    read.add(frame) == Some(frame.len())
        && read
            .frames
            .last()
            .and_then(Frame::unpack)
            .is_some_and(|unpacked| {
                let of_block =
                    |block: &UnpackedBlock| [block.published, block.first, block.depth].map(u64::to_le_bytes);
                unpacked.bytes == bytes.concat()
                    && unpacked
                        .blocks
                        .iter()
                        .flat_map(of_block)
                        .flatten()
                        .eq(heads.iter().copied())
            })
}

/// The frame that ends a file: the trace's header, which nobody changes any more. `None` if these bytes do not begin with one.
pub fn last_frame(trace: &[u8]) -> Option<Vec<u8>> {
    let mut content = vec![0; 4];
    push_part(&mut content, trace.get(..HEADER * WORD)?);
    Some(framed(&content))
}

/// All of a trace, as a whole file of a process that began then. `None` if it is none, or damaged.
pub fn whole(trace: &[u8], started: u64) -> Option<Vec<u8>> {
    let begun = (0..BLOCKS).map_while(|number| trace.get(place(number)));
    let begun = Vec::from_iter(
        begun
            .enumerate()
            .take_while(|(number, block)| is_begun(block, *number))
            .map(|(_, block)| block),
    );
    let mut bytes = file_head(started).to_vec();
    for (index, blocks) in begun.chunks(MOST_BLOCKS).enumerate() {
        bytes.extend(frame(index * MOST_BLOCKS, blocks)?);
    }
    bytes.extend(last_frame(trace)?);
    Some(bytes)
}

fn framed(content: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(FRAME_HEAD + content.len());
    frame.extend((content.len() as u32).to_le_bytes());
    frame.extend(adler32(content).to_le_bytes());
    frame.extend(content);
    frame
}

/// What a packed file holds.
#[derive(Debug, Default, Clone)]
pub struct Packed<'a> {
    /// Frames of blocks, in their order, from block 0 on without a gap.
    pub(crate) frames: Vec<Frame<'a>>,
    /// The trace's header, if the file is whole.
    pub(crate) header: Option<Vec<u8>>,
    /// Bytes up to the end of the last good frame: whoever goes on packing goes on there.
    pub length: usize,
}

/// Blocks that stand behind each other.
#[derive(Debug, Clone)]
pub(crate) struct Frame<'a> {
    pub(crate) blocks: Range<usize>,
    /// Events before the first of its blocks.
    pub(crate) first: u64,
    /// [`head::DEPTH`] of that block.
    pub(crate) depth: u64,
    parts: &'a [u8],
    /// Bytes that the frame takes.
    pub(crate) bytes: usize,
}

/// The blocks of a frame.
#[derive(Debug)]
pub(crate) struct Unpacked {
    pub(crate) blocks: Vec<UnpackedBlock>,
    pub(crate) bytes: Vec<u8>,
}

/// A block with where its bytes stand.
#[derive(Debug)]
pub(crate) struct UnpackedBlock {
    pub(crate) published: u64,
    pub(crate) first: u64,
    pub(crate) depth: u64,
    pub(crate) bytes: Range<usize>,
}

impl<'a> Packed<'a> {
    /// What these bytes hold, up to the first frame that is not whole: it may be being written. Nothing if they are no packed file.
    pub fn read(bytes: &'a [u8]) -> Self {
        let mut packed = Self::default();
        if started(bytes).is_none() {
            return packed;
        }
        packed.length = HEAD;
        while packed.header.is_none() {
            let Some(end) = packed.add(&bytes[packed.length..]) else {
                break;
            };
            packed.length += end;
        }
        packed
    }

    /// How many blocks are there.
    pub fn blocks(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.blocks.end)
    }

    /// Whether all of the trace is there, and nothing comes any more.
    pub fn is_whole(&self) -> bool {
        self.header.is_some()
    }

    /// Takes the frame that the bytes begin with; its length, if it is good.
    fn add(&mut self, bytes: &'a [u8]) -> Option<usize> {
        let (frame_head, rest) = bytes.split_at_checked(FRAME_HEAD)?;
        let (&length, sum) = frame_head.split_first_chunk::<4>()?;
        let content = rest.get(..u32::from_le_bytes(length) as usize)?;
        if sum != adler32(content).to_le_bytes() {
            return None;
        }
        let mut parts = content;
        let mut numbers = [0; 4];
        for number in &mut numbers {
            *number = take_number(&mut parts)?;
        }
        let [start, count, first, depth] = numbers;
        let taken = FRAME_HEAD + content.len();
        if count == 0 {
            self.header =
                Some(take_part(&mut parts, HEADER * WORD).filter(|header| header.len() == HEADER * WORD)?);
            return Some(taken);
        }
        let (start, count) = (usize::try_from(start).ok()?, usize::try_from(count).ok()?);
        let is_later = self.frames.last().is_none_or(|before| before.first <= first);
        if start != self.blocks() || !is_later || count > MOST_BLOCKS || start + count > BLOCKS {
            return None;
        }
        self.frames.push(Frame {
            blocks: start..start + count,
            first,
            depth,
            parts,
            bytes: taken,
        });
        Some(taken)
    }
}

impl Frame<'_> {
    /// A frame that ends with this block and has nothing in it.
    fn before(last: usize) -> Self {
        Self {
            blocks: last..last + 1,
            first: 0,
            depth: 0,
            parts: &[],
            bytes: 0,
        }
    }

    /// The blocks; `None` if it is damaged.
    pub(crate) fn unpack(&self) -> Option<Unpacked> {
        let mut parts = self.parts;
        let heads = take_part(&mut parts, self.blocks.len() * KEPT.len() * WORD)?;
        let mut blocks = Vec::new();
        let mut end = 0;
        let (heads, rest) = heads.as_chunks::<{ KEPT.len() * WORD }>();
        if !rest.is_empty() || heads.len() != self.blocks.len() {
            return None;
        }
        for kept in heads {
            let field = |at: usize| word(kept, at * WORD);
            let published = field(0)?;
            let bytes = end..end + used(published)?;
            end = bytes.end;
            blocks.push(UnpackedBlock {
                published,
                first: field(1)?,
                depth: field(2)?,
                bytes,
            });
        }
        let bytes = match take_number(&mut parts)? {
            AS_THEY_ARE => take_part(&mut parts, end)?,
            IN_PLANES => {
                let mut sorted = [const { Vec::new() }; planes::PLANES];
                for plane in &mut sorted {
                    *plane = take_part(&mut parts, end)?;
                }
                planes::join(&sorted, blocks.iter().map(|block| block.bytes.len()))?
            }
            _ => return None,
        };
        let is_told =
            blocks.first().map(|block| (block.first, block.depth)) == Some((self.first, self.depth));
        (bytes.len() == end && is_told).then_some(Unpacked { blocks, bytes })
    }
}

/// Whether the thread has said that it records no more, by the header of its file.
pub fn has_ended(header: &[u8]) -> bool {
    word(header, header::ENDED * WORD).is_some_and(|why| why != 0)
}

/// Whether a block of this number has begun, by its head ([`head_of`]).
pub fn is_begun(head: &[u8], number: usize) -> bool {
    word(head, head::MARK * WORD) == Some(number as u64 + 1)
}

/// The bytes of a block's head in the file of a trace.
pub fn head_of(number: usize) -> Range<usize> {
    let start = place(number).start;
    start..start + head::WORDS * WORD
}

/// Where the tokens of a block stand in the file of a trace, by the block's head ([`head_of`]). `None` if it has not begun, or says what cannot be.
pub fn tokens_of(head: &[u8], number: usize) -> Option<Range<usize>> {
    let published = word(head, head::PUBLISHED * WORD).filter(|_| is_begun(head, number))?;
    let start = head_of(number).end;
    Some(start..start + used(published)?)
}

/// The bytes of a block with its head in the file of a trace.
pub fn place(number: usize) -> Range<usize> {
    let start = (HEADER + number * BLOCK) * WORD;
    start..start + BLOCK * WORD
}

/// Bytes of a block that are used, by its first word.
fn used(published: u64) -> Option<usize> {
    let used = (published & u64::from(u32::MAX)) as usize;
    (used <= ROOM).then_some(used)
}

/// A part: twice its length, plus 1 where it is deflated, as which the number of bytes follows that it takes so; then the bytes.
fn push_part(to: &mut Vec<u8>, bytes: &[u8]) {
    let deflated = compress_to_vec(bytes, LEVEL);
    // The number of its bytes takes room, too.
    if deflated.len() + 3 < bytes.len() {
        push_number(to, 2 * bytes.len() as u64 + 1);
        push_number(to, deflated.len() as u64);
        to.extend(deflated);
    } else {
        push_number(to, 2 * bytes.len() as u64);
        to.extend(bytes);
    }
}

/// A part of at most so many bytes.
fn take_part(from: &mut &[u8], most: usize) -> Option<Vec<u8>> {
    let number = take_number(from)?;
    let length = usize::try_from(number >> 1)
        .ok()
        .filter(|length| *length <= most)?;
    let is_deflated = number & 1 == 1;
    let taken = if is_deflated {
        usize::try_from(take_number(from)?).ok()?
    } else {
        length
    };
    let (bytes, rest) = from.split_at_checked(taken)?;
    *from = rest;
    if !is_deflated {
        return Some(bytes.to_vec());
    }
    let inflated = decompress_to_vec_with_limit(bytes, length).ok()?;
    (inflated.len() == length).then_some(inflated)
}

fn push_number(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

fn take_number(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..63).step_by(7) {
        let (&byte, rest) = from.split_first()?;
        *from = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn adler32(bytes: &[u8]) -> u32 {
    const PRIME: u32 = 65521;
    // So many bytes do not overflow 32 bits before the remainder is taken.
    const AT_ONCE: usize = 5552;
    let (mut low, mut high) = (1_u32, 0_u32);
    for part in bytes.chunks(AT_ONCE) {
        for &byte in part {
            low += u32::from(byte);
            high += low;
        }
        low %= PRIME;
        high %= PRIME;
    }
    high << 16 | low
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    Some(u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::adler32;

    #[test]
    fn the_sum_is_that_of_zlib() {
        // As Python's zlib.adler32 has them.
        assert_eq!(adler32(b""), 1);
        assert_eq!(adler32(b"Wikipedia"), 0x11e6_0398);
        assert_eq!(adler32(&[0xff; 10_000]), 0xb623_eb2b);
    }
}
