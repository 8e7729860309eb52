//! Blocks that were packed: at every instant of the packing all events are there.

use crate::generate::{Rng, Shape, events};
use crate::thread::written;
use calltrace::layout::{BLOCK, HEADER, head};
use calltrace::packed::{self, MOST_BLOCKS, Packed};
use calltrace::{Damage, Event, Trace};

const STARTED: u64 = 77;

fn all(trace: &[u8], packed: &[u8]) -> Vec<Event> {
    let trace = Trace::of(trace, packed).expect("it is a trace");
    let events: Result<Vec<_>, _> = trace.events().collect();
    events.expect("it is whole")
}

fn block(trace: &[u8], number: usize) -> &[u8] {
    &trace[packed::place(number)]
}

/// The moments of a packing that takes so many blocks at once: what stands in both files after each step.
pub fn moments(trace: &[u8], at_once: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
    let blocks = Trace::read(trace).expect("it is a trace").blocks();
    let mut plain = trace.to_vec();
    let mut packed = packed::file_head(STARTED).to_vec();
    let mut all = vec![(plain.clone(), Vec::new()), (plain.clone(), packed.clone())];
    for first in (0..blocks).step_by(at_once) {
        let numbers = first..(first + at_once).min(blocks);
        let of_frame = Vec::from_iter(numbers.clone().map(|number| block(trace, number)));
        let frame = packed::frame(first, &of_frame).expect("they are good blocks");
        // The frame is written piece by piece.
        all.push((plain.clone(), [&packed[..], &frame[..frame.len() / 2]].concat()));
        packed.extend(frame);
        all.push((plain.clone(), packed.clone()));
        numbers.for_each(|number| plain[packed::place(number)].fill(0));
        all.push((plain.clone(), packed.clone()));
    }
    packed.extend(packed::last_frame(&plain).expect("there is a header"));
    all.push((plain, packed.clone()));
    all.push((Vec::new(), packed));
    all
}

#[test]
fn nothing_is_missing_while_a_trace_is_packed() {
    for shape in Shape::ALL {
        let events = events(shape, 6, 150_000);
        let trace = written(&events);
        for at_once in [1, 3, MOST_BLOCKS] {
            for (step, (plain, packed)) in moments(&trace, at_once).iter().enumerate() {
                assert!(
                    all(plain, packed) == events,
                    "{shape:?}, {at_once} at once, step {step}"
                );
            }
        }
    }
}

#[test]
fn any_event_of_a_packed_trace_is_reached_through_the_index() {
    let events = events(Shape::Random, 5, 150_000);
    let trace = written(&events);
    let mut rng = Rng(4);
    for (plain, packed) in moments(&trace, 2) {
        let trace = Trace::of(&plain, &packed).expect("it is a trace");
        for _ in 0..6 {
            let from = rng.below(events.len());
            let read: Result<Vec<_>, _> = trace.from(from as u64).take(50).collect();
            assert_eq!(
                read.expect("it is whole"),
                events[from..(from + 50).min(events.len())],
                "from {from}"
            );
        }
    }
}

#[test]
fn blocks_that_are_nowhere_are_missed() {
    let events = events(Shape::Random, 5, 150_000);
    let (plain, packed) = moments(&written(&events), 2).swap_remove(4);
    assert!(all(&plain, &packed) == events);
    let trace = Trace::of(&plain, &[]).expect("its header is good");
    let read = Vec::from_iter(trace.events());
    assert_eq!(read, [Err(Damage::Missing { block: 0 })]);
    // What is not whole says so itself: without the rest there is no header.
    assert!(Trace::of(&[], &packed).is_err());
    assert_eq!(packed::started(&packed), Some(STARTED));
    assert_eq!(packed::started(&packed[1..]), None);
}

#[test]
fn what_was_broken_off_is_packed_anew() {
    let trace = written(&events(Shape::Data, 5, 50_000));
    let whole = packed::whole(&trace, STARTED).expect("it is a trace");
    let read = Packed::read(&whole);
    assert!(read.is_whole() && read.length == whole.len());
    for length in 0..whole.len() {
        let read = Packed::read(&whole[..length]);
        assert!(!read.is_whole() && read.length <= length, "of {length} bytes");
        let is_up_to_a_frame = read.length == 0 || Packed::read(&whole[..read.length]).length == read.length;
        assert!(is_up_to_a_frame, "of {length} bytes");
    }
}

/// What no encoder writes comes back all the same, or is not packed at all.
#[test]
fn damaged_blocks_stay_what_they_are() {
    let trace = written(&events(Shape::Random, 5, 60_000));
    let mut rng = Rng(3);
    let mut packed_all_the_same = 0;
    for _ in 0..300 {
        let mut damaged = block(&trace, 1).to_vec();
        let at = rng.below(damaged.len());
        damaged[if rng.below(4) == 0 { at % 32 } else { at }] = rng.bits() as u8;
        let Some(frame) = packed::frame(1, &[&damaged]) else {
            continue;
        };
        packed_all_the_same += 1;
        let first = packed::frame(0, &[block(&trace, 0)]).expect("it is good");
        let file = [&packed::file_head(STARTED)[..], &first, &frame].concat();
        let header = &trace[..HEADER * 8];
        let plain = [header, block(&trace, 0), &damaged].concat();
        let (Ok(ours), Ok(plain)) = (Trace::of(header, &file), Trace::read(&plain)) else {
            continue;
        };
        let (ours, plain) = (Vec::from_iter(ours.events()), Vec::from_iter(plain.events()));
        assert!(ours == plain);
    }
    assert!(packed_all_the_same > 100, "{packed_all_the_same} show little");
    let mut beyond = block(&trace, 0).to_vec();
    beyond[8 * head::PUBLISHED..][..8].copy_from_slice(&u64::from(8 * BLOCK as u32).to_le_bytes());
    assert_eq!(
        packed::frame(0, &[&beyond]),
        None,
        "it says that it is longer than a block is"
    );
}

/// What was written is read up to somewhere, and nothing else.
#[test]
fn damage_of_a_packed_file_is_seen() {
    let trace = written(&events(Shape::Data, 5, 20_000));
    let header = &trace[..HEADER * 8];
    let whole = packed::whole(&trace, STARTED).expect("it is a trace");
    let expected = all(&trace, &[]);
    let mut rng = Rng(8);
    for _ in 0..2_000 {
        let mut bytes = whole.clone();
        let at = rng.below(bytes.len());
        bytes[at] ^= 1 << rng.below(8);
        let Ok(trace) = Trace::of(header, &bytes) else {
            continue;
        };
        let read = Vec::from_iter(trace.events().map_while(Result::ok));
        assert!(expected.starts_with(&read), "at {at}");
    }
}
