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
pub const VERSION: u64 = 2;

/// Words of the file's header: a page, so that blocks are pages, too.
pub const HEADER: usize = 512;
/// Words of the header, by their index. The others are 0 and reserved.
pub mod header {
    /// [`MAGIC`](super::MAGIC); stored last, so that a file without it was not ready.
    pub const MAGIC: usize = 0;
    /// [`VERSION`](super::VERSION).
    pub const VERSION: usize = 1;
    /// Words of a block, [`BLOCK`](super::BLOCK).
    pub const BLOCK: usize = 2;
    /// Why nothing comes any more, a word of [`ended`](super::ended); 0 while the thread records.
    pub const ENDED: usize = 3;
    /// Events that were not recorded, because the trace had ended.
    pub const LOST: usize = 4;
    /// Exits that nobody has told of: of functions that an exception or `longjmp` has left.
    pub const SUPPLIED: usize = 5;
    /// Exits of functions that the thread was not in, which were not recorded.
    pub const IGNORED: usize = 6;
    /// So many of the first events are functions that the thread was in when its process was forked.
    pub const INHERITED: usize = 7;
    /// The thread's number in the kernel.
    pub const TID: usize = 8;
    /// How many events stand in the queue.
    pub const QUEUED: usize = 9;
    /// Whether the queue was too short for the events of a signal handler.
    pub const OVERRUN: usize = 10;
    /// While the events of the queue are being recorded behind the others: how many of them were, plus one, in the upper 16 bits; below, how many events the trace had then. Else 0.
    pub const TAKEN: usize = 11;
    /// The queue: what a signal handler did while an event was being recorded, behind all other events. 0 is an exit, else the function's number.
    pub const QUEUE: usize = 64;
}

/// Events of the queue, at most.
pub const QUEUE: usize = HEADER - header::QUEUE;

/// Lower bits of [`header::TAKEN`]: a trace has fewer events.
pub const TAKEN_EVENTS_BITS: u32 = 48;

/// Why a thread records no more.
pub mod ended {
    /// It has ended.
    pub const THREAD: u64 = 1;
    /// There is no room for the file, or it cannot be opened any more.
    pub const NO_ROOM: u64 = 2;
    /// The trace has as many blocks as it can have.
    pub const FULL: u64 = 3;
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

/// Where things stand in a file of stamps, which has the same header and blocks but for these.
pub mod stamp {
    /// What the file begins with: `hindmSTP` in ASCII.
    pub const MAGIC: u64 = u64::from_le_bytes(*b"hindmSTP");
    /// The version of its layout.
    pub const VERSION: u64 = 1;
    /// A word of the header: the monotonic clock, in nanoseconds, when the file was made.
    pub const MONOTONIC: usize = 9;
    /// A word of the header: nanoseconds since the epoch at that moment.
    pub const SINCE_EPOCH: usize = 10;
    /// A word of a block's head, where a trace has the depth: the monotonic clock when the block began. [`PUBLISHED`](super::head::PUBLISHED) has above the bytes how
    /// many stamps they are.
    pub const TIME: usize = super::head::DEPTH;
    /// The identity of `MPI_COMM_WORLD`, which all of its members know alike; those of others have bits above.
    pub const WORLD: u64 = 1;
    /// Communicators that a block names by number.
    pub const COMMUNICATORS: usize = 16;
    /// Bits of a stamp's first byte that tell what it is; above stands behind how many more events it is than the one before.
    pub const KIND_BITS: u32 = 3;
    /// So many events or more: the rest of their number follows.
    pub const MANY_EVENTS: u8 = 31;
    /// The time and nothing else.
    pub const NOTHING: u8 = 0;
    /// A message is sent.
    pub const SENDS: u8 = 1;
    /// A message was received.
    pub const RECEIVES: u8 = 2;
    /// A part of a collective operation begins.
    pub const ENTERS: u8 = 3;
    /// One has ended.
    pub const LEAVES: u8 = 4;
}
