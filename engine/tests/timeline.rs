//! Events of hosts whose clocks are far apart, and of rings that have lost some.

use engine::recorded::{Recording, Stage};
use engine::timeline::{Events, Happening, Live, Missing, Moment, Source, Step, timeline};
use recording::layout::does;
use recording::model::Model;
use recording::ring::{Event, Numbered, Part, Tie};
use recording::{Communicator, Kind, Lost};
use std::sync::Arc;

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
            some.push((Arc::new(recording.clone()), events));
        }
        if some.is_empty() {
            break;
        }
        let happenings = live.feed(some, Moment::of(turn as u64));
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

/// What a job that is read as a whole comes to, and one that is followed: events that are put out, those that stand by their rank's order alone, and those that are left out.
fn both_ways(read: Vec<(Recording, Events)>, see: impl Fn(&[Happening<'_>])) -> (usize, usize, usize) {
    let whole = timeline(&sources(&read));
    see(&whole.happenings);
    let counts = (whole.happenings.len(), whole.untied, whole.left_out);
    let mut live = Live::default();
    let shared = read
        .iter()
        .map(|(recording, events)| (Arc::new(recording.clone()), events.clone()));
    let mut followed = Vec::from_iter(
        live.feed(shared.collect(), Moment::default())
            .into_iter()
            .map(Happening::into_owned),
    );
    followed.extend(live.finish().into_iter().map(Happening::into_owned));
    see(&followed);
    assert_eq!(followed.len(), counts.0);
    counts
}

/// The events of each rank in their order.
fn own_orders_hold(happenings: &[Happening<'_>]) {
    for rank in 0..RANKS {
        let own = happenings.iter().filter(|each| each.rank == rank);
        assert!(own.map(|each| each.sequence).is_sorted());
    }
}

/// Two ranks, each of which has received what the other sends afterwards.
#[test]
fn records_that_go_in_a_circle_say_so_once() {
    let mut writers = ring(0);
    for (rank, other) in [(0, 1), (1, 0)] {
        let message = Numbered {
            peer: other,
            tag: 5,
            ordinal: 0,
        };
        writers[rank].add(1000, Step::Ends, does::RECEIVES, Tie::Receives(message));
        writers[rank].add(2000, Step::Begins, does::SENDS, Tie::Sends(message));
    }
    let counts = both_ways(read(writers), |happenings| {
        own_orders_hold(happenings);
        let cycles = happenings
            .iter()
            .filter(|each| each.standing.missing == Missing::Cycle);
        assert_eq!(cycles.count(), 1, "{happenings:#?}");
    });
    assert_eq!(counts, (4, 0, 0));
}

#[test]
fn an_event_of_a_communicator_that_nobody_knows_is_tied_to_nothing() {
    let mut read = read(ring(20));
    for event in &mut read[1].1.events {
        if event.sequence == 33 {
            event.communicator = Some(99);
        }
    }
    let counts = both_ways(read, |happenings| {
        own_orders_hold(happenings);
        assert!(happenings.iter().all(|each| each.standing.is_in_order()));
        let untied = &happenings[place(happenings, 1, 33)];
        assert_eq!((untied.communicator, untied.cause), (None, None));
    });
    assert_eq!(counts, (240, 1, 0));
}

/// A rank whose process was started again, with a new number, writes events from the first on.
#[test]
fn a_second_process_of_a_rank_is_left_out() {
    let mut all = read(ring(20));
    let mut again = read(ring(20)).swap_remove(1);
    again.0.pid = 4711;
    all.push(again);
    let counts = both_ways(all, |happenings| check_order(happenings, 20));
    assert_eq!(counts, (240, 0, 0));
}

/// One time in the middle is a year later than those around it: that event is left out, and all others stand as they do without.
#[test]
fn a_time_that_jumps_a_year_is_left_out() {
    const YEAR: u64 = 365 * 24 * 3600 * SECOND;
    let mut read = read(ring(20));
    read[0].1.events[42].time += YEAR;
    let counts = both_ways(read, |happenings| {
        own_orders_hold(happenings);
        assert!(
            happenings
                .iter()
                .all(|each| (each.rank, each.sequence) != (0, 42))
        );
        let behind = &happenings[place(happenings, 0, 43)];
        assert_eq!(behind.standing.lost_before, 1);
        let begun = happenings.iter().map(|each| each.time).min().unwrap();
        assert!(
            happenings
                .iter()
                .all(|each| each.time.abs_diff(begun) < 2 * AHEAD)
        );
    });
    assert_eq!(counts, (239, 0, 1));
}

/// One record says that it is of a job of very many ranks. Those that are there are in order, and nobody waits for the rest. (A million take as much longer; `causal` refuses them in a test of its own.)
#[test]
fn ranks_that_one_record_claims_are_nobody() {
    let mut read = self::read(ring(20));
    read[1].0.world = Some((1, 100_000));
    let counts = both_ways(read, |happenings| check_order(happenings, 20));
    assert_eq!(counts, (240, 0, 0));
    // A rank that no job has is no rank.
    let mut read = self::read(ring(20));
    read[1].0.world = Some((4_000_000_000, u32::MAX));
    let (seen, ..) = both_ways(read, own_orders_hold);
    assert_eq!(seen, 160);
}

/// Part of what was written, as a follower reads it.
fn part(of: &(Recording, Events), numbers: std::ops::Range<u64>) -> (Arc<Recording>, Events) {
    let is_in = |event: &&Event| numbers.contains(&event.sequence);
    let events = Events {
        events: of.1.events.iter().filter(is_in).copied().collect(),
        next: numbers.end,
        ..Events::default()
    };
    (Arc::new(of.0.clone()), events)
}

/// The host of rank 2 is yet to answer: what waits for its events is held, however long that takes. Once it is known that it does not answer, they are put out after a second, and say so; what comes in the end says that it
/// was overtaken.
#[test]
fn what_waits_for_a_host_that_is_yet_to_answer_is_held() {
    let read = read(ring(2));
    let mut live = Live::default();
    let owned =
        |happenings: Vec<Happening<'_>>| Vec::from_iter(happenings.into_iter().map(Happening::into_owned));
    let first = live.feed(vec![part(&read[0], 0..8), part(&read[1], 0..8)], Moment::of(1));
    let mut seen = owned(first);
    // Rank 0 waits for the message of rank 2, and rank 1 for the meeting.
    assert_eq!(seen.len(), 4, "{seen:#?}");
    for now in 1..60 {
        let at = Moment {
            now: now * SECOND,
            heard: 1,
        };
        assert!(live.feed(Vec::new(), at).is_empty(), "after {now} s");
    }
    let at = Moment {
        now: 60 * SECOND,
        heard: 2 * SECOND,
    };
    let given_up = owned(live.feed(Vec::new(), at));
    assert!(!given_up.is_empty());
    assert!(given_up.iter().any(|each| each.standing.missing == Missing::Late));
    seen.extend(given_up);
    let late = owned(live.feed(vec![part(&read[2], 0..8)], Moment::of(61 * SECOND)));
    assert!(late.iter().any(|each| each.standing.overtaken), "{late:#?}");
    seen.extend(late);
    seen.extend(owned(live.finish()));
    assert_eq!(seen.len(), 24);
    own_orders_hold(&seen);
}

/// The clock of the host of rank 2 is ten minutes ahead, which is known before its first event.
#[test]
fn a_follower_puts_right_a_clock_of_which_it_is_told() {
    let read = read(ring(20));
    let mut live = Live::default();
    live.correct(2, 1000 - AHEAD as i64);
    let mut seen = Vec::new();
    for turn in 0..20 {
        let parts = read.iter().map(|of| part(of, turn * 4..turn * 4 + 4));
        let happenings = live.feed(parts.collect(), Moment::of(turn));
        seen.extend(happenings.into_iter().map(Happening::into_owned));
    }
    assert!(live.finish().is_empty());
    check_order(&seen, 20);
    let times = seen.iter().map(|each| each.time);
    let length = times.clone().max().unwrap() - times.min().unwrap();
    assert!(length.abs_diff(19 * SECOND as i64 / 2 + 9000) < 5000, "{length}");
}

/// One record says that it is of a job of a million ranks, and comes first. Who follows the job goes on with those that there are.
#[test]
fn a_follower_goes_on_though_one_record_claims_a_million_ranks() {
    let mut read = read(ring(4));
    read[0].0.world = Some((0, 1_000_000));
    let mut live = Live::default();
    let mut seen = Vec::new();
    for turn in 0..4 {
        let parts = read.iter().map(|of| part(of, turn * 4..turn * 4 + 4));
        let happenings = live.feed(parts.collect(), Moment::of(turn));
        seen.extend(happenings.into_iter().map(Happening::into_owned));
    }
    check_order(&seen, 4);
    assert_eq!(
        (seen.len(), live.size(), live.lanes().len()),
        (48, Some(1_000_000), 3)
    );
}
