//! The blocks of a thread's file, wherever they stand: in the file, or packed.

use crate::layout::{BLOCK, BLOCKS, HEADER, ROOM, head, header};
use crate::packed::{Packed, Unpacked, UnpackedBlock};
use crate::read::{Damage, Error};
use std::borrow::Cow;

const WORD: usize = 8;

/// What a file begins with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    pub(crate) magic: u64,
    pub(crate) version: u64,
}

/// The blocks of a file: those that were packed, then the others.
#[derive(Debug)]
pub(crate) struct Blocks<'a> {
    packed: Packed<'a>,
    plain: Vec<Block<'a>>,
    /// The block behind all of these is in neither file, though a later one has begun.
    is_cut: bool,
    header: Cow<'a, [u8]>,
}

/// What a block's head says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// The upper half of [`head::PUBLISHED`].
    pub(crate) count: u32,
    /// [`head::FIRST`].
    pub(crate) first: u64,
    /// [`head::DEPTH`].
    pub(crate) depth: u64,
}

/// A block that has begun, in the file.
#[derive(Clone, Copy, Debug)]
struct Block<'a> {
    head: Head,
    bytes: &'a [u8],
}

impl<'a> Blocks<'a> {
    /// Finds all blocks.
    ///
    /// # Errors
    ///
    /// When the bytes are no such file, or a head cannot be true.
    pub(crate) fn read(file: &'a [u8], packed: &'a [u8], kind: Kind) -> Result<Self, Error> {
        let mut packed = Packed::read(packed);
        let (header, plain) = match packed.header.take() {
            Some(header) => (Cow::Owned(header), Vec::new()),
            None => (
                Cow::Borrowed(file.get(..HEADER * WORD).unwrap_or(file)),
                Vec::new(),
            ),
        };
        let is_whole = matches!(header, Cow::Owned(_));
        let mut blocks = Self {
            packed,
            plain,
            is_cut: false,
            header,
        };
        blocks.check(kind)?;
        if !is_whole {
            (blocks.plain, blocks.is_cut) = behind(file, &blocks.packed)?;
        }
        Ok(blocks)
    }

    fn check(&self, kind: Kind) -> Result<(), Error> {
        let field = |at| word(&self.header, at);
        if field(header::MAGIC) != Some(kind.magic) {
            return Err(Error::NotATrace);
        }
        match field(header::VERSION) {
            Some(version) if version == kind.version => {}
            other => return Err(other.map_or(Error::NotATrace, Error::Version)),
        }
        match field(header::BLOCK) {
            Some(words) if words == BLOCK as u64 => Ok(()),
            other => Err(other.map_or(Error::NotATrace, Error::BlockSize)),
        }
    }

    /// A word of the header; 0 where there is none.
    pub(crate) fn header(&self, at: usize) -> u64 {
        word(&self.header, at).unwrap_or_default()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.packed.blocks() + self.plain.len()
    }

    /// The heads that can be told without unpacking, each with its block's number: of packed ones that of each frame's first.
    pub(crate) fn heads(&self) -> impl Iterator<Item = (usize, Head)> {
        let packed = self.packed.frames.iter().map(|frame| {
            let head = Head {
                count: 0,
                first: frame.first,
                depth: frame.depth,
            };
            (frame.blocks.start, head)
        });
        let plain = self.plain.iter().map(|block| block.head);
        packed.chain((self.packed.blocks()..).zip(plain))
    }

    /// How many bytes what the blocks hold takes.
    pub(crate) fn bytes(&self) -> usize {
        let packed: usize = self.packed.frames.iter().map(|frame| frame.bytes).sum();
        packed + self.plain.iter().map(|block| block.bytes.len()).sum::<usize>()
    }

    /// The last block that is known, without unpacking, to begin at this event or before; 0 if none does.
    pub(crate) fn at(&self, event: u64) -> usize {
        let plain = self.plain.partition_point(|block| block.head.first <= event);
        let packed = self.packed.frames.partition_point(|frame| frame.first <= event);
        match (plain.checked_sub(1), packed.checked_sub(1)) {
            (Some(block), _) => self.packed.blocks() + block,
            (None, Some(frame)) => self.packed.frames[frame].blocks.start,
            (None, None) => 0,
        }
    }
}

/// The blocks behind those that were packed, and whether one is missing behind them.
fn behind<'a>(file: &'a [u8], packed: &Packed<'_>) -> Result<(Vec<Block<'a>>, bool), Error> {
    let all = file.get(HEADER * WORD..).ok_or(Error::NotATrace)?;
    let mut blocks: Vec<Block<'a>> = Vec::new();
    let mut least = packed.frames.last().map_or(0, |frame| frame.first);
    let numbered = all.chunks(BLOCK * WORD).take(BLOCKS).enumerate();
    let mut numbered = numbered.skip(packed.blocks());
    for (number, bytes) in numbered.by_ref() {
        let Some(block) = begun(number, bytes)? else {
            break;
        };
        if block.head.first < least {
            return Err(Error::Block(number));
        }
        least = block.head.first;
        blocks.push(block);
    }
    // A file may end inside a block that has not begun.
    let is_begun = |bytes: &[u8]| !matches!(word(bytes, head::MARK), None | Some(0));
    let is_cut = numbered.any(|(_, bytes)| is_begun(bytes));
    Ok((blocks, is_cut))
}

/// The words of a block, if it has begun.
fn begun(number: usize, bytes: &[u8]) -> Result<Option<Block<'_>>, Error> {
    match word(bytes, head::MARK) {
        None | Some(0) => return Ok(None),
        Some(mark) if mark == number as u64 + 1 => {}
        Some(_) => return Err(Error::Block(number)),
    }
    let field = |at| word(bytes, at).ok_or(Error::CutOff(number));
    let published = field(head::PUBLISHED)?;
    let used = (published & u64::from(u32::MAX)) as usize;
    if used > ROOM {
        return Err(Error::Block(number));
    }
    let head = Head {
        count: (published >> 32) as u32,
        first: field(head::FIRST)?,
        depth: field(head::DEPTH)?,
    };
    let bytes = bytes
        .get(head::WORDS * WORD..)
        .and_then(|bytes| bytes.get(..used));
    Ok(Some(Block {
        head,
        bytes: bytes.ok_or(Error::CutOff(number))?,
    }))
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at * WORD..)?.first_chunk()?;
    Some(u64::from_le_bytes(*bytes))
}

/// Goes from block to block.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    blocks: &'a Blocks<'a>,
    place: Place<'a>,
}

/// Where the bytes of a block stand.
#[derive(Debug)]
enum Place<'a> {
    InFile(&'a [u8]),
    /// Those of a block of a frame, by its index in it.
    InFrame(Unpacked, usize),
}

impl<'a> Cursor<'a> {
    /// At no block yet.
    pub(crate) fn new(blocks: &'a Blocks<'a>) -> Self {
        Self {
            blocks,
            place: Place::InFile(&[]),
        }
    }

    /// Goes to this block; `None` if there is no such block.
    ///
    /// # Errors
    ///
    /// When the frame that it is packed in is damaged, or it is in neither file though later ones have begun.
    pub(crate) fn enter(&mut self, number: usize) -> Result<Option<Head>, Damage> {
        let packed = &self.blocks.packed;
        if let Some(index) = number.checked_sub(packed.blocks()) {
            let Some(block) = self.blocks.plain.get(index) else {
                let is_missing = self.blocks.is_cut && number == self.blocks.len();
                return if is_missing {
                    Err(Damage::Missing { block: number })
                } else {
                    Ok(None)
                };
            };
            self.place = Place::InFile(block.bytes);
            return Ok(Some(block.head));
        }
        let frame = packed.frames.partition_point(|frame| frame.blocks.end <= number);
        let frame = &packed.frames[frame];
        let damage = Damage::Frame {
            block: frame.blocks.start,
        };
        let index = number - frame.blocks.start;
        match &mut self.place {
            // Blocks are read in their order: the frame is the one that is there.
            Place::InFrame(_, before) if index > 0 && *before + 1 == index => *before = index,
            place => *place = Place::InFrame(frame.unpack().ok_or(damage)?, index),
        }
        let Some(&UnpackedBlock {
            published,
            first,
            depth,
            ..
        }) = self.unpacked()
        else {
            return Err(damage);
        };
        Ok(Some(Head {
            count: (published >> 32) as u32,
            first,
            depth,
        }))
    }

    fn unpacked(&self) -> Option<&UnpackedBlock> {
        match &self.place {
            Place::InFrame(frame, index) => frame.blocks.get(*index),
            Place::InFile(_) => None,
        }
    }

    /// What the block holds.
    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.place {
            Place::InFile(bytes) => bytes,
            Place::InFrame(frame, index) => {
                let block = frame.blocks.get(*index);
                block.map_or(&[], |block| &frame.bytes[block.bytes.clone()])
            }
        }
    }
}
