//! A trace in memory, as a thread writes it.

use calltrace::layout::{BLOCK, HEADER};
use calltrace::{Encoder, Event, Refused, Tables, encode};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

const BLOCKS: usize = 32;

/// Blocks that are made when they are needed.
pub struct Thread {
    header: [AtomicU64; HEADER],
    blocks: [OnceLock<Box<[AtomicU64; BLOCK]>>; BLOCKS],
}

impl Thread {
    pub fn new() -> Self {
        let thread = Self {
            header: [const { AtomicU64::new(0) }; HEADER],
            blocks: [const { OnceLock::new() }; BLOCKS],
        };
        encode::describe(&thread.header);
        thread
    }

    pub fn record<'a>(&'a self, encoder: &mut Encoder<'a>, event: Event) {
        match encoder.record(event) {
            Ok(()) => {}
            Err(Refused::NeedsBlock) => {
                let free = self.blocks.iter().find(|block| block.get().is_none());
                let free = free.expect("the test has so many blocks");
                let block = free.get_or_init(|| Box::new([const { AtomicU64::new(0) }; BLOCK]));
                encoder
                    .begin(block)
                    .expect("there are fewer blocks than a trace may have");
                encoder.record(event).expect("a new block has room");
            }
            Err(Refused::NothingToLeave) => panic!("the stream leaves more than it entered"),
        }
    }

    /// Records an event in a lane, if one can be opened that foretells it. Whether it did.
    pub fn count(encoder: &mut Encoder<'_>, event: Event) -> bool {
        encoder.open_lane().is_some_and(|lane| lane.count(event))
    }

    /// A copy from the first word to the last, as a reader of the file makes it.
    pub fn bytes(&self) -> Vec<u8> {
        let blocks = self.blocks.iter().map_while(|block| block.get());
        let words = self.header.iter().chain(blocks.flat_map(|block| block.iter()));
        words
            .flat_map(|word| word.load(Ordering::Acquire).to_le_bytes())
            .collect()
    }
}

/// The trace of these events.
pub fn written(events: &[Event]) -> Vec<u8> {
    let thread = Thread::new();
    let mut tables = Tables::new();
    let mut encoder = Encoder::new(&mut tables);
    for &event in events {
        thread.record(&mut encoder, event);
    }
    thread.bytes()
}
