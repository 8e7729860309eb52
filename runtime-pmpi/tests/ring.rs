//! The ring of events is read while it is written: what is read is whole, in order and complete but for what is said to be lost.

use recording::layout::does;
use recording::ring::{self, Event, Events, Numbered, Part, Step, Tie};
use runtime_pmpi::file::{create, create_ring};
use runtime_pmpi::recorder::{Call, New, Outcome, Recorder};
use runtime_pmpi::words::Words;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const WORLD: u64 = 77;

fn call(operation: u32, what: u64) -> Call {
    Call {
        operation,
        does: what as u32,
        communicator: WORLD,
        thread: 1,
        destination: -1,
        send_tag: -1,
        source: -1,
        receive_tag: -1,
        ..Call::default()
    }
}

/// A recorder with a ring for so many events, and the ring's file.
fn recorder(name: &str, capacity: u64) -> (Recorder, PathBuf) {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&directory);
    let words = create(&directory, b"Send\nRecv\nBarrier\nTest\n").expect("the directory is there");
    let ring = create_ring(&directory, capacity).expect("the directory is there");
    let index: Vec<AtomicU64> = (0..Recorder::index_words()).map(|_| AtomicU64::new(0)).collect();
    let recorder = Recorder::new(words, Words::new(Vec::leak(index))).with_ring(ring);
    recorder.share(false);
    recorder.add_communicator(&New {
        handle: WORLD,
        kind: 0,
        parent: 0,
        by_all: true,
        made_by: 0,
        ordinal: 0,
        rank: 2,
        members: &[0, 1, 2],
        remote: &[],
        neighbours: None,
    });
    assert_eq!(recorder.thread(4_711, |_| true), 1);
    (
        recorder,
        directory.join(format!("hindmost-{}.events", std::process::id())),
    )
}

fn read(file: &Path, from: u64) -> Events {
    let first = std::fs::read(file).unwrap();
    let again = std::fs::read(file).unwrap();
    Events::read(&first, &again, from).unwrap()
}

fn send(recorder: &Recorder, to: i64) {
    let mut send = Call {
        destination: to,
        send_tag: 3,
        count: 10,
        ..call(0, does::SENDS)
    };
    recorder.enter(&mut send, &[]);
    recorder.leave(&send, Outcome::Done);
}

#[test]
fn calls_are_events_with_their_ties() {
    let (recorder, file) = recorder("ring", 64);
    send(&recorder, 1);
    send(&recorder, 1);
    // From anybody: matched when it ends.
    let mut receive = Call {
        source: -3,
        ..call(1, does::RECEIVES)
    };
    recorder.enter(&mut receive, &[]);
    (receive.source, receive.receive_tag) = (0, 9);
    recorder.leave(&receive, Outcome::Done);
    let mut barrier = call(2, does::EVERY_PART);
    recorder.enter(&mut barrier, &[]);
    recorder.leave(&barrier, Outcome::Started);
    recorder.start(&barrier, 500);
    // Asked in vain, and once with an answer.
    for outcome in [Outcome::Unanswered, Outcome::Unanswered, Outcome::Done] {
        let mut test = call(3, does::ASKS_ONE);
        recorder.enter(&mut test, &[500]);
        if outcome == Outcome::Done {
            recorder.complete(500, None);
        }
        recorder.leave(&test, outcome);
    }
    let events = read(&file, 0);
    let seen = Vec::from_iter(
        events
            .events
            .iter()
            .map(|event| (event.step, event.operation, event.tie)),
    );
    let message = |peer, tag, ordinal| Numbered { peer, tag, ordinal };
    let part = Part {
        root: None,
        ordinal: 1,
    };
    assert_eq!(
        seen,
        [
            (Step::Begins, Some(0), Tie::Sends(message(1, 3, 0))),
            (Step::Ends, Some(0), Tie::None),
            (Step::Begins, Some(0), Tie::Sends(message(1, 3, 1))),
            (Step::Ends, Some(0), Tie::None),
            (Step::Begins, Some(1), Tie::None),
            (Step::Ends, Some(1), Tie::Receives(message(0, 9, 0))),
            (Step::Begins, Some(2), Tie::Enters(part)),
            (Step::Ends, Some(2), Tie::None),
            (Step::Completes, Some(2), Tie::Leaves(part)),
            (Step::Ends, Some(3), Tie::None),
        ]
    );
    let sequences = events.events.iter().map(|event: &Event| event.sequence);
    assert!(sequences.eq(0..10));
    assert_eq!((events.next, events.lost_count()), (10, 0));
    assert!(events.events.is_sorted_by_key(|event| event.time));
    assert_eq!(events.events[0].communicator, Some(1));
    assert_eq!((events.events[0].thread, events.events[0].count), (Some(0), 10));
    // Read on from there, and with what was written over.
    assert_eq!(read(&file, 10).events, []);
    (0..100).for_each(|_| send(&recorder, 1));
    let events = read(&file, 10);
    assert_eq!(
        (events.lost_count(), events.events.len(), events.next),
        (136, 64, 210)
    );
}

#[test]
fn no_ring_is_refused() {
    let refused = |bytes: &[u8]| Events::read(bytes, bytes, 0).unwrap_err();
    assert_eq!(refused(&[]), ring::Error::NoRing);
    let (_, file) = recorder("refused", 64);
    let mut bytes = std::fs::read(&file).unwrap();
    assert_eq!(refused(&bytes[..1000]), ring::Error::CutOff(1000));
    bytes[8] = 7;
    assert_eq!(refused(&bytes), ring::Error::Version(7));
}

/// Whoever writes never waits for whoever reads: what is written over is lost and counted, and no event is half of one and half of another.
#[test]
fn events_are_whole_while_they_are_written() {
    let (recorder, file) = recorder("live", 64);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for _ in 0..200 {
                // Bursts that are larger than the ring, and pauses in which all can be read.
                (0..60).for_each(|_| send(&recorder, 1));
                std::thread::yield_now();
            }
            is_over.store(true, Ordering::Release);
        });
        let (mut next, mut seen, mut lost) = (0, 0, 0);
        loop {
            let was_over = is_over.load(Ordering::Acquire);
            let events = read(&file, next);
            lost += events.lost_count();
            for event in &events.events {
                assert!(event.sequence >= next);
                next = event.sequence + 1;
                seen += 1;
                // Every other event is the beginning of the next message.
                let expected = match event.sequence % 2 {
                    0 => Tie::Sends(Numbered {
                        peer: 1,
                        tag: 3,
                        ordinal: event.sequence / 2,
                    }),
                    _ => Tie::None,
                };
                assert_eq!(event.tie, expected, "{event:?}");
            }
            next = events.next;
            if was_over {
                break;
            }
        }
        writer.join().unwrap();
        assert_eq!(seen + lost, 200 * 60 * 2);
    });
}
