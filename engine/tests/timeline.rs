//! Events of hosts whose clocks are far apart, and of rings that have lost some.

use engine::recorded::{Recording, Stage};
use engine::timeline::{Events, Happening, Live, Missing, Source, Step, timeline};
use recording::layout::does;
use recording::model::Model;
use recording::ring::{Event, Numbered, Part, Tie};
use recording::{Communicator, Kind, Lost};

const RANKS: u32 = 3;
/// The clock of the second host is ten minutes ahead.
const AHEAD: u64 = 600_000_000_000;
const SECOND: u64 = 1_000_000_000;

fn recording(rank: u32, started: u64) -> Recording {
    Recording {
        pid: 100 + rank,
        birth: 7,
        started,
        clock: 50,
        host: format!("host{}", rank / 2),
        job: "job".to_owned(),
        world: Some((rank, RANKS)),
        spawned: None,
        threads_at_init: None,
        stage: Stage::Running,
        operations: ["MPI_Send", "MPI_Recv", "MPI_Barrier"]
            .map(str::to_owned)
            .to_vec(),
        threads: Vec::new(),
        communicators: vec![Communicator {
            kind: Kind::Communicator,
            serial: 1,
            identity: 0xabc,
            parent: None,
            made_by: None,
            rank,
            members: Some((0..RANKS).map(Some).collect()),
            remote: None,
            neighbours: None,
            begun: 0,
            done: 0,
            last: None,
            freed: false,
        }],
        channels: Vec::new(),
        requests: Vec::new(),
        divisions: Vec::new(),
        model: Model::default(),
        lost: Lost::default(),
        damaged: 0,
    }
}

/// What a rank does, at which true time.
struct Writer {
    rank: u32,
    events: Vec<Event>,
}

impl Writer {
    fn add(&mut self, time: u64, step: Step, does: u64, tie: Tie) {
        let operation = match does {
            does::SENDS => 0,
            does::RECEIVES => 1,
            _ => 2,
        };
        self.events.push(Event {
            sequence: self.events.len() as u64,
            time,
            step,
            operation: Some(operation),
            does,
            thread: Some(0),
            communicator: Some(1),
            count: 1,
            tie,
        });
    }
}

/// Rounds of a ring: each rank sends to the next one, receives, and meets all others.
fn ring(rounds: u64) -> Vec<Writer> {
    let mut writers = Vec::from_iter((0..RANKS).map(|rank| Writer {
        rank,
        events: Vec::new(),
    }));
    for round in 0..rounds {
        let now = 1000 + round * SECOND / 2;
        for writer in &mut writers {
            let message = |peer: u32| Numbered {
                peer: peer % RANKS,
                tag: 5,
                ordinal: round,
            };
            let part = Part {
                root: None,
                ordinal: round + 1,
            };
            let (rank, skew) = (writer.rank, u64::from(writer.rank));
            writer.add(
                now + skew,
                Step::Begins,
                does::SENDS,
                Tie::Sends(message(rank + 1)),
            );
            let receives = Tie::Receives(message(rank + RANKS - 1));
            writer.add(now + 5000 + skew, Step::Ends, does::RECEIVES, receives);
            writer.add(
                now + 6000 + skew,
                Step::Begins,
                does::EVERY_PART,
                Tie::Enters(part),
            );
            writer.add(now + 9000 + skew, Step::Ends, does::EVERY_PART, Tie::Leaves(part));
        }
    }
    writers
}

/// The tasks as they are read: rank 2 is on a host of its own.
fn read(writers: Vec<Writer>) -> Vec<(Recording, Events)> {
    let read = writers.into_iter().map(|writer| {
        let skew = if writer.rank == 2 { AHEAD } else { 0 };
        let next = writer.events.last().map_or(0, |last| last.sequence + 1);
        let events = Events {
            next,
            events: writer.events,
            ..Events::default()
        };
        (recording(writer.rank, 1_000_000 * SECOND + skew), events)
    });
    read.collect()
}

fn sources(read: &[(Recording, Events)]) -> Vec<Source<'_>> {
    read.iter()
        .map(|(recording, events)| Source { recording, events })
        .collect()
}

fn place(happenings: &[Happening<'_>], rank: u32, sequence: u64) -> usize {
    let found = happenings
        .iter()
        .position(|each| (each.rank, each.sequence) == (rank, sequence));
    found.unwrap_or_else(|| panic!("event {sequence} of rank {rank} is missing"))
}

fn check_order(happenings: &[Happening<'_>], rounds: u64) {
    for round in 0..rounds {
        for rank in 0..RANKS {
            let before = (rank + RANKS - 1) % RANKS;
            let send = place(happenings, before, round * 4);
            assert!(
                send < place(happenings, rank, round * 4 + 1),
                "round {round}, rank {rank}"
            );
            let left = place(happenings, rank, round * 4 + 3);
            assert!((0..RANKS).all(|other| place(happenings, other, round * 4 + 2) < left));
        }
    }
    assert!(
        happenings.iter().all(|each| each.standing.is_in_order()),
        "{happenings:#?}"
    );
}

#[test]
fn clocks_far_apart_are_put_right() {
    let read = read(ring(20));
    let timeline = timeline(&sources(&read));
    assert_eq!(
        (timeline.happenings.len(), timeline.untied, timeline.left_out),
        (240, 0, 0)
    );
    check_order(&timeline.happenings, 20);
    // The messages leave some microseconds of doubt, of ten minutes.
    let first = timeline.happenings.iter().map(|each| each.time).min().unwrap();
    let last = timeline.happenings.iter().map(|each| each.time).max().unwrap();
    let length = 19 * SECOND as i64 / 2 + 9000;
    assert!((last - first).abs_diff(length) < 20_000, "{}", last - first);
}

/// A follower reads some events of some tasks at a time, and the order holds across its readings.
#[test]
fn events_that_are_followed_are_in_the_same_order() {
    let mut live = Live::default();
    let whole = read(ring(20));
    let mut seen: Vec<(u32, u64, bool)> = Vec::new();
    for turn in 0_usize.. {
        let mut some = Vec::new();
        for (index, (recording, events)) in whole.iter().enumerate() {
            // Each task at its own pace.
            let pace = [7, 3, 5][index];
            let part = events.events.chunks(pace).nth(turn).map(<[Event]>::to_vec);
            let part = part.unwrap_or_default();
            let Some(last) = part.last() else { continue };
            let next = last.sequence + 1;
            let events = Events {
                events: part,
                next,
                ..Events::default()
            };
            some.push((recording.clone(), events));
        }
        if some.is_empty() {
            break;
        }
        let happenings = live.feed(some, turn as u64);
        seen.extend(
            happenings
                .iter()
                .map(|each| (each.rank, each.sequence, each.standing.is_in_order())),
        );
    }
    assert!(live.finish().is_empty());
    assert_eq!(seen.len(), 240);
    assert!(seen.iter().all(|(.., is_in_order)| *is_in_order));
    let at = |rank: u32, sequence| seen.iter().position(|each| (each.0, each.1) == (rank, sequence));
    for round in 0..20 {
        for rank in 0..RANKS {
            assert!(at((rank + RANKS - 1) % RANKS, round * 4) < at(rank, round * 4 + 1));
        }
    }
}

/// Rank 0 has lost its first ten rounds: who receives its messages of these says so, where it stands in time, and nobody else does.
#[test]
fn what_was_written_over_is_said_where_it_is_missing() {
    let mut read = read(ring(20));
    let (_, events) = &mut read[0];
    events.events.drain(..40);
    events.lost.push(0..40);
    let timeline = timeline(&sources(&read));
    assert_eq!(timeline.lanes[0].lost, 40);
    assert_eq!(timeline.happenings.len(), 200);
    let first = place(&timeline.happenings, 0, 40);
    assert_eq!(timeline.happenings[first].standing.lost_before, 40);
    for each in &timeline.happenings {
        let misses = each.rank != 0 && each.sequence < 40;
        let needs_lost = match each.sequence % 4 {
            1 => each.rank == 1,
            3 => true,
            _ => false,
        };
        let says = each.standing.missing == Missing::Late;
        assert_eq!(says, misses && needs_lost, "{each:#?}");
    }
    check_order_of_rest(&timeline.happenings);
}

fn check_order_of_rest(happenings: &[Happening<'_>]) {
    for round in 10..20 {
        let left = place(happenings, 1, round * 4 + 3);
        assert!((0..RANKS).all(|rank| place(happenings, rank, round * 4 + 2) < left));
    }
}
