//! Where everything stands in the trace of a thread.
//!
//! The file is an array of 64-bit little-endian words: a header of [`HEADER`] words, then blocks of [`BLOCK`] words. Each block begins with the
//! words of [`head`], then come tokens as bytes.
//!
//! *Publication.* [`head::PUBLISHED`] tells how many bytes of tokens are valid and how many expected events have happened since. Each event stores
//! it once, after the bytes that it made. Bytes that were published never change.

/// What a trace begins with: `hindmTRC` in ASCII.
pub const MAGIC: u64 = u64::from_le_bytes(*b"hindmTRC");
/// The version of this layout. Files of other versions are refused.
pub const VERSION: u64 = 1;

/// Words of the file's header.
pub const HEADER: usize = 64;
/// Words of the header, by their index. The others are 0 and reserved.
pub mod header {
    /// [`MAGIC`](super::MAGIC); stored last, so that a file without it was not ready.
    pub const MAGIC: usize = 0;
    /// [`VERSION`](super::VERSION).
    pub const VERSION: usize = 1;
    /// Words of a block, [`BLOCK`](super::BLOCK).
    pub const BLOCK: usize = 2;
}

/// Words of a block with its head: 64 KiB.
pub const BLOCK: usize = 8192;
/// Blocks of a trace, at most: a block's number has 16 bits in the model.
pub const BLOCKS: usize = (1 << 16) - 1;
/// Words of a block, by their index.
pub mod head {
    /// Valid bytes of tokens in the lower 32 bits; above, how many events have happened since as they were expected.
    pub const PUBLISHED: usize = 0;
    /// How many events the blocks before have.
    pub const FIRST: usize = 1;
    /// How many functions the thread was in when the block began.
    pub const DEPTH: usize = 2;
    /// The block's number plus one; stored last. 0 in a block that has not begun.
    pub const MARK: usize = 3;
    /// Words of a head.
    pub const WORDS: usize = 4;
}

/// Bytes of tokens in a block, at most.
pub const ROOM: usize = (BLOCK - head::WORDS) * 8;

/// What the lower two bits of a token's first byte say of the event that ends it.
pub mod code {
    /// What followed the long context last, or, if that was expected, what followed it before.
    pub const OTHER_OF_LONG: u8 = 0;
    /// The first choice of the short context.
    pub const FIRST_OF_SHORT: u8 = 1;
    /// The second choice of the short context.
    pub const SECOND_OF_SHORT: u8 = 2;
    /// None of them: the event's number follows in LEB128.
    pub const LITERAL: u8 = 3;
    /// Bits of a code.
    pub const BITS: u32 = 2;
}
/// A token whose upper six bits are all set goes on with the rest of its run in LEB128.
pub const LONG_RUN: u32 = 63;
/// The longest run: what is above [`LONG_RUN`] has four bytes in LEB128.
pub const LONGEST_RUN: u32 = LONG_RUN + (1 << 28) - 1;
/// Bytes of a token, at most: the first, the rest of a run, a number of 24 bits.
pub const LONGEST_TOKEN: usize = 1 + 4 + 4;
