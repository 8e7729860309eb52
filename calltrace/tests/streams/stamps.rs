//! Stamps: what was recorded is read, at any moment, from any event on, packed or not.

use crate::generate::Rng;
use calltrace::layout::{BLOCK, HEADER};
use calltrace::stamps::{self, Message, NeedsBlock, Part, Stamp, StampEncoder, Stamps, Tie};
use calltrace::{Error, packed};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Stamps as a job makes them: many of few communicators, few of many, now and then a number that is as large as it can be.
fn generated(seed: u64, count: usize) -> Vec<Stamp> {
    let mut rng = Rng(seed);
    let (mut behind, mut time) = (0, rng.bits() >> 20);
    let mut one = || {
        behind += match rng.below(20) {
            0 => rng.bits() >> 40,
            1..4 => 0,
            _ => rng.below(40) as u64,
        };
        time += match rng.below(30) {
            0 => rng.bits() >> 30,
            _ => rng.below(1 << 20) as u64,
        };
        let communicator = match rng.below(10) {
            0 => rng.bits(),
            _ => 1 + rng.below(20) as u64,
        };
        let ordinal = rng.bits() >> rng.below(64);
        let peer = (rng.bits() >> rng.below(64)) as u32 / 2;
        let tag = if rng.below(50) == 0 {
            i64::MIN
        } else {
            rng.below(1000) as i64 - 3
        };
        let message = Message {
            communicator,
            peer,
            tag,
            ordinal,
        };
        let part = Part {
            communicator,
            root: (rng.below(2) == 0).then_some(peer),
            ordinal,
        };
        let tie = match rng.below(6) {
            0 => Tie::Sends(message),
            1 => Tie::Receives(message),
            2 => Tie::Enters(part),
            3 => Tie::Leaves(part),
            _ => Tie::None,
        };
        Stamp { behind, time, tie }
    };
    Vec::from_iter((0..count).map(|_| one()))
}

/// A file in memory.
struct File {
    header: [AtomicU64; HEADER],
    blocks: Vec<OnceLock<Box<[AtomicU64; BLOCK]>>>,
}

impl File {
    fn new() -> Self {
        let file = Self {
            header: [const { AtomicU64::new(0) }; HEADER],
            blocks: (0..64).map(|_| OnceLock::new()).collect(),
        };
        stamps::describe(&file.header, 1_000, 500_000);
        file
    }

    fn record<'a>(&'a self, encoder: &mut StampEncoder<'a>, stamp: Stamp) {
        if encoder.record(stamp) == Err(NeedsBlock) {
            let free = self.blocks.iter().find(|block| block.get().is_none());
            let free = free.expect("the test has so many blocks");
            let block = free.get_or_init(|| Box::new([const { AtomicU64::new(0) }; BLOCK]));
            assert!(encoder.begin(block, stamp.behind, stamp.time));
            encoder.record(stamp).expect("a new block has room");
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let blocks = self.blocks.iter().map_while(|block| block.get());
        let words = self.header.iter().chain(blocks.flat_map(|block| block.iter()));
        words
            .flat_map(|word| word.load(Ordering::Acquire).to_le_bytes())
            .collect()
    }
}

pub fn written(all: &[Stamp]) -> Vec<u8> {
    let file = File::new();
    let mut encoder = StampEncoder::new();
    all.iter().for_each(|&stamp| file.record(&mut encoder, stamp));
    file.bytes()
}

pub fn some(seed: u64, count: usize) -> Vec<Stamp> {
    generated(seed, count)
}

fn read(plain: &[u8], packed: &[u8]) -> Vec<Stamp> {
    let stamps = Stamps::of(plain, packed).expect("they are stamps");
    let all: Result<Vec<_>, _> = stamps.all().collect();
    all.expect("they are whole")
}

#[test]
fn what_is_read_is_what_was_recorded() {
    for seed in 0..6 {
        let all = generated(seed, 30_000);
        let bytes = written(&all);
        assert!(bytes.len() > 8 * (HEADER + 3 * BLOCK), "few blocks show little");
        assert!(read(&bytes, &[]) == all, "seed {seed}");
        let packed = packed::whole(&bytes, 5).expect("it is whole");
        assert!(read(&[], &packed) == all, "seed {seed}, packed");
        let first = packed::frame(0, &[&bytes[packed::place(0)], &bytes[packed::place(1)]]);
        let in_part = [&packed::file_head(5)[..], &first.expect("they are good")].concat();
        let mut rest = bytes.clone();
        (0..2).for_each(|number| rest[packed::place(number)].fill(0));
        assert!(read(&rest, &in_part) == all, "seed {seed}, packed in part");
        let stamps = Stamps::of(&bytes, &[]).expect("they are stamps");
        assert_eq!(stamps.since_epoch(1_500), 500_500);
        let mut rng = Rng(seed);
        for _ in 0..20 {
            let event = all[rng.below(all.len())].behind + rng.below(2) as u64;
            let expected = all.iter().copied().skip_while(|stamp| stamp.behind < event);
            let found = stamps.from(event).map(Result::unwrap);
            assert!(found.take(30).eq(expected.take(30)), "seed {seed}, from {event}");
        }
    }
}

#[test]
fn every_stamp_can_be_read_as_soon_as_it_was_recorded() {
    let all = generated(9, 300);
    let file = File::new();
    let mut encoder = StampEncoder::new();
    for (done, &stamp) in all.iter().enumerate() {
        file.record(&mut encoder, stamp);
        assert!(read(&file.bytes(), &[]) == all[..=done], "stamp {done}");
    }
}

#[test]
fn time_does_not_go_back() {
    let file = File::new();
    let mut encoder = StampEncoder::new();
    let stamp = |behind, time| Stamp {
        behind,
        time,
        tie: Tie::None,
    };
    file.record(&mut encoder, stamp(5, 100));
    file.record(&mut encoder, stamp(4, 90));
    assert_eq!(read(&file.bytes(), &[]), [stamp(5, 100); 2]);
}

/// Damage anywhere: what comes before it is read, and nothing else goes wrong.
#[test]
fn any_bytes_are_stamps_or_not() {
    let bytes = written(&generated(3, 400));
    let used = 8 * (HEADER + calltrace::layout::head::WORDS) + Stamps::of(&bytes, &[]).unwrap().bytes();
    let mut rng = Rng(1);
    let mut damaged = 0;
    for _ in 0..2_000 {
        let mut bytes = bytes[..used].to_vec();
        let at = 8 * HEADER + rng.below(used - 8 * HEADER);
        bytes[at] = rng.bits() as u8;
        if let Ok(stamps) = Stamps::of(&bytes, &[]) {
            damaged += usize::from(stamps.all().any(|stamp| stamp.is_err()));
        }
    }
    assert!(damaged > 10, "{damaged} show little");
    assert_eq!(Stamps::of(&bytes[8..], &[]).unwrap_err(), Error::NotATrace);
}
