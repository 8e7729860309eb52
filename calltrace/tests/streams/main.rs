//! Streams of calls, encoded and read again.
//!
//! What was encoded is known, so it is the oracle: whatever is read must be those events, at any moment and from any event on.

mod generate;
mod packing;
mod parlot;
mod phases;
mod python;
mod shapes;
mod stamps;
mod thread;

use calltrace::layout::{BLOCK, head};
use calltrace::{Damage, Encoder, Error, Event, Function, Refused, Tables, Trace};
use generate::{Rng, Shape, events};
use thread::{Thread, written};

const SEEDS: std::ops::Range<u64> = 0..12;

#[test]
fn what_is_read_is_what_happened() {
    for seed in SEEDS {
        let events = events(Shape::of(seed), seed, 20_000);
        assert!(all(&written(&events)) == events, "seed {seed}");
    }
}

/// Whoever records may count what was foretold, at any time: neither the file nor what the encoder says shows it.
#[test]
fn what_was_foretold_is_recorded_as_all_else() {
    let mut counted = 0;
    for seed in SEEDS {
        let mut rng = Rng(seed);
        let events = events(Shape::of(seed), seed, 60_000);
        let (thread, plain) = (Thread::new(), Thread::new());
        let (mut tables, mut plain_tables) = (Tables::new(), Tables::new());
        let mut encoder = Encoder::new(&mut tables);
        let mut reference = Encoder::new(&mut plain_tables);
        // Lanes that are left early, and some that are not.
        let seldom = 1 + rng.below(400);
        for (number, &event) in events.iter().enumerate() {
            if rng.below(seldom) > 0 && Thread::count(&mut encoder, event) {
                counted += 1;
            } else {
                thread.record(&mut encoder, event);
            }
            plain.record(&mut reference, event);
            if number < 2_000 || rng.below(50) == 0 {
                assert_eq!(
                    encoder.events(),
                    reference.events(),
                    "seed {seed}, event {number}"
                );
                assert_eq!(encoder.depth(), reference.depth(), "seed {seed}, event {number}");
            }
        }
        assert!(thread.bytes() == plain.bytes(), "seed {seed}");
    }
    assert!(counted > 100_000, "{counted} events show little");
}

#[test]
fn every_event_can_be_read_as_soon_as_it_was_recorded() {
    for seed in SEEDS {
        let mut rng = Rng(seed);
        let events = events(Shape::of(seed), seed, 1_000);
        let thread = Thread::new();
        let mut tables = Tables::new();
        let mut encoder = Encoder::new(&mut tables);
        let mut next = 0;
        for (done, &event) in events.iter().enumerate() {
            thread.record(&mut encoder, event);
            if done == next || done < 20 {
                assert!(
                    all(&thread.bytes()) == events[..=done],
                    "seed {seed}, event {done}"
                );
                next = done + rng.below(300) + 1;
            }
        }
    }
}

#[test]
fn a_copy_of_a_living_trace_ends_where_it_was_copied() {
    let events = events(Shape::Random, 1, 300_000);
    let thread = Thread::new();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut tables = Tables::new();
            let mut encoder = Encoder::new(&mut tables);
            for &event in &events {
                thread.record(&mut encoder, event);
            }
        });
        loop {
            let over = writer.is_finished();
            let bytes = thread.bytes();
            let trace = Trace::read(&bytes).expect("a living trace has good heads");
            let mut read = 0;
            for event in trace.events() {
                match event {
                    Ok(event) => assert_eq!(event, events[read], "event {read}"),
                    Err(Damage::DoesNotFollow { .. } | Damage::Missing { .. }) if !over => break,
                    Err(damage) => panic!("{damage}"),
                }
                read += 1;
            }
            if over {
                assert_eq!(read, events.len());
                break;
            }
        }
    });
}

#[test]
fn any_event_is_reached_through_the_index() {
    let events = events(Shape::Random, 5, 150_000);
    let bytes = written(&events);
    let trace = Trace::read(&bytes).expect("it is a trace");
    assert!(trace.blocks() > 2, "{} blocks show nothing", trace.blocks());
    let mut rng = Rng(9);
    for _ in 0..40 {
        let from = rng.below(events.len());
        let read: Result<Vec<_>, _> = trace.from(from as u64).take(100).collect();
        assert_eq!(
            read.expect("it is whole"),
            events[from..(from + 100).min(events.len())],
            "from {from}"
        );
    }
    assert_eq!(trace.from(events.len() as u64 + 5).count(), 0);
}

#[test]
fn nobody_leaves_more_than_was_entered() {
    let thread = Thread::new();
    let mut tables = Tables::new();
    let mut encoder = Encoder::new(&mut tables);
    assert_eq!(encoder.record(Event::Exit), Err(Refused::NeedsBlock));
    let enter = Event::Enter(Function::new(Function::LAST).expect("the last one is one"));
    thread.record(&mut encoder, enter);
    thread.record(&mut encoder, Event::Exit);
    assert_eq!(encoder.record(Event::Exit), Err(Refused::NothingToLeave));
    assert_eq!(all(&thread.bytes()), [enter, Event::Exit]);
}

#[test]
fn damage_is_named() {
    let bytes = written(&events(Shape::Random, 5, 150_000));
    let second = 8 * (calltrace::layout::HEADER + BLOCK);
    assert_eq!(Trace::read(&bytes[1..]).unwrap_err(), Error::NotATrace);
    assert_eq!(Trace::read(&bytes[..second - 64]).unwrap_err(), Error::CutOff(0));
    let changed = |at: usize, word: u64| {
        let mut bytes = bytes.clone();
        bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
        bytes
    };
    assert_eq!(Trace::read(&changed(8, 3)).unwrap_err(), Error::Version(3));
    assert_eq!(Trace::read(&changed(16, 2)).unwrap_err(), Error::BlockSize(2));
    let too_many = changed(second + 8 * head::PUBLISHED, u64::from(u32::MAX));
    assert_eq!(Trace::read(&too_many).unwrap_err(), Error::Block(1));
    let gap = changed(second + 8 * head::DEPTH, 0);
    let gap = Trace::read(&gap).expect("its heads are good");
    assert_eq!(
        gap.events().find_map(Result::err),
        Some(Damage::DoesNotFollow { block: 1 })
    );
}

/// The bytes of a trace, as its hooks make it and packed, against ParLOT's code of the same events and `zstd -3` of their 16-bit values.
#[test]
fn traces_are_smaller_than_others() {
    println!("stream, events: bytes, packed; ParLOT, zstd -3");
    for shape in Shape::ALL {
        let events = events(shape, 3, 200_000);
        let bytes = written(&events);
        let trace = Trace::read(&bytes).expect("it is a trace");
        let symbols = parlot::symbols(&events);
        let parlot = parlot::encoded(&symbols);
        let decoded = parlot::decoded(&parlot, symbols.len());
        assert!(decoded == symbols, "{shape:?}: the baseline must be a code");
        let raw: Vec<u8> = symbols.iter().flat_map(|symbol| symbol.to_le_bytes()).collect();
        let zstd = zstd::bulk::compress(&raw, 3).expect("memory suffices").len();
        let packed = calltrace::packed::whole(&bytes, 0).expect("it is whole");
        let packed = Trace::of(&[], &packed).expect("it is a trace").bytes();
        let (ours, parlot) = (trace.bytes(), parlot.len());
        println!("{shape:?}, {}: {ours}, {packed}; {parlot}, {zstd}", events.len());
        assert!(packed <= zstd, "{shape:?}: {packed} bytes against {zstd}");
        let least = if shape.is_irregular() { parlot / 2 } else { parlot };
        assert!(packed <= least, "{shape:?}: {packed} bytes against {parlot}");
        if shape != Shape::Random {
            assert!(ours < parlot, "{shape:?}: {ours} bytes against {parlot}");
        }
    }
}

fn all(bytes: &[u8]) -> Vec<Event> {
    let trace = Trace::read(bytes).expect("it is a trace");
    let events: Result<Vec<_>, _> = trace.events().collect();
    events.expect("it is whole")
}
