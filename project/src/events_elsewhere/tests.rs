use super::*;
use base::Random;
use engine::timeline::{Happening, Live, Moment};
use nodes::{RingPart, TaskRecording};
use recording::layout::{
    COMMUNICATORS_AT, MAGIC, MEMBERS_AT, NAMES_AT, VERSION, WORDS, communicator, does, header,
};
use recording::ring::{self, slot, tie};

const SECOND: i64 = 1_000_000_000;
/// Our own clock when hosts are asked: long after the epoch.
const ASKED: i64 = 1_000_000 * SECOND;
const WITHIN: AskedWithin = AskedWithin {
    from: ASKED,
    to: ASKED + SECOND / 100,
};
/// The monotonic clock of all hosts when their tasks began, and when they answer.
const BEGUN: u64 = 7 * SECOND as u64;
const ANSWERS: u64 = 9 * SECOND as u64;

/// A task of a job of `size` ranks, whose host's clock is ahead by so many nanoseconds.
#[derive(Clone, Copy)]
struct Maker {
    rank: u32,
    size: u32,
    job: u64,
    ahead: i64,
}

impl Maker {
    fn of(rank: u32) -> Self {
        Maker {
            rank,
            size: 4,
            job: 0x62_6f6a,
            ahead: 0,
        }
    }

    fn file(self) -> Vec<u8> {
        let mut words = vec![0_u64; WORDS];
        words[header::MAGIC] = MAGIC;
        words[header::VERSION] = VERSION;
        words[header::PID] = 100 + u64::from(self.rank);
        words[header::BIRTH] = 5;
        // It shows the middle of the question when it answers, if it is right.
        let begun = ASKED + SECOND / 200 - (ANSWERS - BEGUN) as i64;
        words[header::STARTED] = (begun + self.ahead) as u64;
        words[header::CLOCK] = BEGUN;
        words[header::RANK] = u64::from(self.rank) + 1;
        words[header::SIZE] = u64::from(self.size);
        words[header::JOB] = self.job;
        let names = b"MPI_Send\nMPI_Recv\n";
        words[header::NAMES] = names.len() as u64;
        for (word, bytes) in words[NAMES_AT..].iter_mut().zip(names.chunks(8)) {
            let mut whole = [0; 8];
            whole[..bytes.len()].copy_from_slice(bytes);
            *word = u64::from_le_bytes(whole);
        }
        let world = &mut words[COMMUNICATORS_AT..];
        world[communicator::SERIAL] = 1;
        world[communicator::IDENTITY] = 77;
        world[communicator::HANDLE] = 1;
        world[communicator::RANK] = u64::from(self.rank);
        // One run of members: all ranks.
        world[communicator::MEMBERS] = 1 << 32;
        words[MEMBERS_AT] = u64::from(self.size) << 32;
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Its events from number `from` on: it sends to the next rank and receives from the one before, turn by turn, each a millisecond long.
    fn events(self, from: u64, behind: u64) -> Vec<u8> {
        let count = (behind - from).max(1);
        let mut words = vec![0_u64; ring::words(count)];
        for (index, value) in [
            (ring::header::MAGIC, ring::MAGIC),
            (ring::header::VERSION, ring::VERSION),
            (ring::header::PID, 100 + u64::from(self.rank)),
            (ring::header::BIRTH, 5),
            (ring::header::CAPACITY, count),
            (ring::header::WRITTEN, behind),
        ] {
            words[index] = value;
        }
        for number in from..behind {
            let (turn, receives) = (number / 2, number % 2);
            let peer = (self.rank + if receives == 1 { self.size - 1 } else { 1 }) % self.size;
            let at = ring::HEADER + (number % count) as usize * ring::SLOT;
            let place = &mut words[at..at + ring::SLOT];
            place[slot::SEQUENCE] = number + 1;
            place[slot::TIME] = BEGUN + turn * 1_000_000 + receives * 500_000 + u64::from(self.rank) * 1000;
            let [step, tie, does] = if receives == 1 {
                [ring::Step::Ends as u64, tie::RECEIVES, does::RECEIVES]
            } else {
                [ring::Step::Begins as u64, tie::SENDS, does::SENDS]
            };
            place[slot::WHAT] = step | tie << 8 | does << 16 | receives << 32;
            place[slot::WHERE] = 1 | 1 << 32;
            place[slot::PEER] = u64::from(peer);
            place[slot::TAG] = 7;
            place[slot::ORDINAL] = turn;
        }
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn sent(self, all: &mut NodeRecordings, events: std::ops::Range<u64>) {
        let is_first = events.start == 0;
        let added = all.add(&TaskRecording {
            is_alive: true,
            now: ANSWERS,
            file: if is_first { self.file() } else { Vec::new() }.into(),
            events: Some(RingPart {
                from: events.start,
                rows: self.events(events.start, events.end).into(),
            }),
            ..TaskRecording::default()
        });
        assert!(added);
    }
}

/// An answer with events of these tasks.
fn answer(makers: &[Maker], events: std::ops::Range<u64>) -> Vec<u8> {
    let mut all = NodeRecordings::default();
    makers
        .iter()
        .for_each(|maker| maker.sent(&mut all, events.clone()));
    all.to_bytes()
}

fn from<'h>(host: &'h str, own: Option<&'h RankSet>, bytes: &'h [u8]) -> FromHost<'h> {
    FromHost { host, own, bytes }
}

fn ranks(fresh: &[Fresh]) -> Vec<u32> {
    fresh.iter().map(|one| one.recording.world.unwrap().0).collect()
}

#[test]
fn a_host_tells_of_no_ranks_but_its_own_and_of_no_other_job() {
    let own: RankSet = (1..3).collect();
    let mut all = EventsElsewhere::new(RankSet::from_iter([0]), Some(4));
    let other_job = Maker {
        job: 0x72_6568_746f,
        ..Maker::of(2)
    };
    // A million ranks of which the launcher does not know.
    let huge = Maker {
        size: 1_000_000,
        ..Maker::of(2)
    };
    let sent = answer(&[Maker::of(0), Maker::of(1), Maker::of(3), huge], 0..4);
    assert_eq!(ranks(&all.take(from("a", Some(&own), &sent), WITHIN)), [1]);
    assert_eq!(
        all.take_notes(),
        [
            "host a: it spoke of ranks that are not its own: that was left out",
            "host a: it spoke of tasks that are not of this job: that was left out",
        ]
    );
    let sent = answer(&[other_job], 0..4);
    assert!(all.take(from("a", Some(&own), &sent), WITHIN).is_empty());
    // It is said once.
    assert!(all.take_notes().is_empty());
    assert_eq!(
        ranks(&all.take(from("a", Some(&own), &answer(&[Maker::of(2)], 0..2)), WITHIN)),
        [2]
    );
    assert_eq!((all.ranks(), all.ranks_of("b")), (own, RankSet::default()));
}

#[test]
fn of_a_rank_of_which_two_hosts_speak_neither_is_believed_any_more() {
    let mut all = EventsElsewhere::default();
    let first = answer(&[Maker::of(1), Maker::of(2)], 0..4);
    assert_eq!(ranks(&all.take(from("a", None, &first), WITHIN)), [1, 2]);
    let second = answer(&[Maker::of(2), Maker::of(3)], 0..4);
    assert_eq!(ranks(&all.take(from("b", None, &second), WITHIN)), [3]);
    assert_eq!(
        all.take_notes(),
        ["hosts a and b both speak of rank 2: neither is believed of it any more"]
    );
    let more = answer(&[Maker::of(1), Maker::of(2)], 4..6);
    assert_eq!(ranks(&all.take(from("a", None, &more), WITHIN)), [1]);
}

#[test]
fn what_is_sent_again_after_a_connection_was_lost_comes_once() {
    let mut all = EventsElsewhere::default();
    let numbers = |fresh: &[Fresh]| {
        let events = fresh.iter().flat_map(|one| &one.events.events);
        Vec::from_iter(events.map(|event| event.sequence))
    };
    let first = all.take(from("a", None, &answer(&[Maker::of(1)], 0..4)), WITHIN);
    assert_eq!(numbers(&first), [0, 1, 2, 3]);
    // A new probe knows of nothing that was sent before.
    let again = all.take(from("a", None, &answer(&[Maker::of(1)], 0..6)), WITHIN);
    assert_eq!(numbers(&again), [4, 5]);
    // Its ring has lost some in the meantime, those included that had come.
    let mut late = NodeRecordings::default();
    late.add(&TaskRecording {
        events: Some(RingPart {
            from: 0,
            rows: Maker::of(1).events(8, 10).into(),
        }),
        ..TaskRecording::default()
    });
    let late = all.take(from("a", None, &late.to_bytes()), WITHIN);
    assert_eq!(numbers(&late), [8, 9]);
    assert_eq!(late[0].events.lost.first(), Some(&(6..8)));
    assert!(!all.is_running());
}

/// Whatever is altered of an answer, others' tasks are what they were, and nothing is read beyond its end.
#[test]
fn a_damaged_answer_does_no_harm() {
    let mut random = Random(28);
    let good = answer(&[Maker::of(0), Maker::of(1)], 0..12);
    let own: RankSet = (0..2).collect();
    let [other, later] = [0..4, 4..6].map(|events| answer(&[Maker::of(3)], events));
    for _ in 0..30 {
        let mut all = EventsElsewhere::new(RankSet::default(), Some(4));
        assert_eq!(all.take(from("b", None, &other), WITHIN).len(), 1);
        let mut bytes = good.clone();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len());
            bytes[at] = random.below(256) as u8;
        }
        if random.below(3) == 0 {
            bytes.truncate(random.below(bytes.len()));
        }
        let fresh = all.take(from("a", Some(&own), &bytes), WITHIN);
        assert!(ranks(&fresh).iter().all(|&rank| own.contains(rank)));
        let more = all.take(from("b", None, &later), WITHIN);
        assert_eq!(more[0].events.events.len(), 2);
        let mut live = Live::default();
        let read = fresh
            .into_iter()
            .chain(more)
            .map(|one| (one.recording, one.events));
        live.feed(read.collect(), Moment::of(1));
        live.finish();
    }
}

/// The clock of host b is ten minutes ahead, and that of host c right: events stand in causal order, at times that are near the truth.
#[test]
fn the_clock_of_a_host_is_put_right_by_when_it_answers() {
    const AHEAD: i64 = 600 * SECOND;
    let mut all = EventsElsewhere::new(RankSet::default(), Some(4));
    let ahead = |rank: u32| Maker {
        ahead: AHEAD,
        ..Maker::of(rank)
    };
    let mut live = Live::default();
    let mut seen: Vec<Happening<'static>> = Vec::new();
    for part in [0..10, 10..40, 40..60] {
        let mut fresh = all.take(
            from("b", None, &answer(&[ahead(2), ahead(3)], part.clone())),
            WITHIN,
        );
        fresh.extend(all.take(
            from("c", None, &answer(&[Maker::of(0), Maker::of(1)], part)),
            WITHIN,
        ));
        let mut read = Vec::new();
        for one in fresh {
            let (rank, _) = one.recording.world.unwrap();
            let correction = one.correction.unwrap_or(0);
            assert!(
                correction.abs_diff(if rank < 2 { 0 } else { -AHEAD }) < 1000,
                "{correction}"
            );
            assert_eq!(one.correction.is_some(), rank >= 2);
            live.correct(rank, correction);
            read.push((one.recording, one.events));
        }
        let now = live.feed(read, Moment::of(1)).into_iter();
        seen.extend(now.map(Happening::into_owned));
    }
    seen.extend(live.finish().into_iter().map(Happening::into_owned));
    assert_eq!(seen.len(), 240);
    assert!(seen.iter().all(|one| one.standing.is_in_order()));
    let place = |rank: u32, sequence: u64| {
        seen.iter()
            .position(|one| (one.rank, one.sequence) == (rank, sequence))
            .unwrap()
    };
    for rank in 0..4 {
        for turn in 0..30 {
            assert!(place((rank + 3) % 4, turn * 2) < place(rank, turn * 2 + 1));
        }
    }
    let times = seen.iter().map(|one| one.time);
    let length = times.clone().max().unwrap() - times.min().unwrap();
    assert!((length - 29_500_000).abs() < 100_000, "{length}");
}
