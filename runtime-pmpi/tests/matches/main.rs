//! What open receives took is written down, and a second recorder lets the same calls take the same: random programs of one task, with an answer for each call that a made-up job gives.

mod choices;

use recording::layout::does;
use recording::matches::{Match, Matches, Took};
use runtime_pmpi::file::{create, create_matches, matches_of};
use runtime_pmpi::recorder::{Call, First, New, Outcome, Recorder, follows};
use runtime_pmpi::words::Words;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

/// The handles of two communicators.
const COMMUNICATORS: [u64; 2] = [77, 88];

fn call(what: u64, communicator: u64, source: i64, tag: i64) -> Call {
    Call {
        does: what as u32,
        communicator,
        thread: 1,
        destination: -1,
        send_tag: -1,
        source,
        receive_tag: tag,
        ..Call::default()
    }
}

fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&directory);
    directory
}

/// A recorder of rank 2 of 3, with room for so many matches; none without.
fn recorder(directory: &Path, room: Option<u64>) -> Recorder {
    let words = create(directory, b"Recv\n").expect("the directory is there");
    let index: Vec<AtomicU64> = (0..Recorder::index_words()).map(|_| AtomicU64::new(0)).collect();
    let mut recorder = Recorder::new(words, Words::new(Vec::leak(index))).able_to_follow();
    if let Some(room) = room {
        recorder = recorder.with_matches(create_matches(directory, room).expect("the directory is there"));
    }
    recorder.share(false);
    for (index, handle) in (0..).zip(COMMUNICATORS) {
        recorder.add_communicator(&New {
            handle,
            kind: 0,
            parent: 0,
            by_all: true,
            made_by: index,
            ordinal: index,
            rank: 2,
            members: &[0, 1, 2],
            remote: &[],
            neighbours: None,
        });
    }
    recorder.world(2, 3, 0);
    assert_eq!(recorder.thread(4_711, |_| true), 1);
    recorder
}

/// Numbers that look random, the same for each seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// A call of the program, and what came.
#[derive(Clone, Copy, Debug)]
struct Step {
    what: u64,
    communicator: u64,
    source: i64,
    tag: i64,
    came: (i64, i64),
    /// Questions without an answer before it.
    polls: u64,
    /// Completed by a request, after so many other steps.
    later: Option<usize>,
    /// Nothing ever comes.
    never: bool,
}

fn program(seed: u64) -> Vec<Step> {
    let mut chance = Chance(seed);
    let step = |_| {
        let what =
            [does::RECEIVES, does::EXCHANGES, does::PROBES, does::ASKS_MESSAGE][chance.below(4) as usize];
        let came = (chance.below(3) as i64, 5 + chance.below(3) as i64);
        let (source, tag) = match chance.below(4) {
            0 => came,
            1 => (-3, came.1),
            2 => (came.0, -1),
            _ => (-3, -1),
        };
        let asks = what == does::ASKS_MESSAGE;
        let later = (what == does::RECEIVES && chance.below(2) == 0).then(|| chance.below(6) as usize);
        Step {
            what,
            communicator: COMMUNICATORS[chance.below(2) as usize],
            source,
            tag,
            came,
            polls: if asks { chance.below(4) } else { 0 },
            later,
            never: later.is_some() && chance.below(5) == 0,
        }
    };
    (0..60).map(step).collect()
}

fn message((source, tag): (i64, i64)) -> Took {
    Took::Message(source as u32, tag)
}

/// Whether what it takes, or whether anything comes, depends on who is first.
fn is_open(step: &Step) -> bool {
    step.source < 0 || step.tag < 0 || step.what == does::ASKS_MESSAGE
}

/// Runs the program; `see` is shown what each step's call has become at its beginning.
fn execute(recorder: &Recorder, program: &[Step], mut see: impl FnMut(usize, &Call)) {
    let mut pending: Vec<(usize, u64, Step)> = Vec::new();
    for (number, step) in program.iter().enumerate() {
        let begun = || call(step.what, step.communicator, step.source, step.tag);
        for _ in 0..step.polls {
            let mut asked = begun();
            recorder.enter(&mut asked, &[]);
            see(number, &asked);
            recorder.leave(&asked, Outcome::Unanswered);
        }
        let mut made = begun();
        recorder.enter(&mut made, &[]);
        see(number, &made);
        let handle = 1_000 + number as u64;
        if let Some(later) = step.later {
            recorder.start(&made, handle);
            recorder.leave(&made, Outcome::Started);
            pending.push((number + later, handle, *step));
        } else {
            (made.source, made.receive_tag) = step.came;
            recorder.leave(&made, Outcome::Done);
        }
        for (_, handle, step) in pending.extract_if(.., |(when, ..)| *when <= number) {
            if step.never {
                recorder.cancelled(handle);
            } else {
                recorder.complete(handle, Some(step.came));
            }
        }
    }
}

fn read(directory: &Path) -> Matches {
    matches_of(directory, 2, 3).expect("its file is there")
}

#[test]
fn what_open_receives_took_is_read_and_followed() {
    for seed in 0..40 {
        let program = program(seed);
        let first = directory(&format!("first-{seed}"));
        execute(&recorder(&first, Some(1_000)), &program, |_, call| {
            assert_eq!(call.follows, follows::NOTHING);
        });
        let written = read(&first);
        let is_open = |step: &&Step| is_open(step);
        let expected = program.iter().filter(is_open).map(|step| {
            let took = if step.never {
                Took::Cancelled
            } else {
                message(step.came)
            };
            (step.what, took)
        });
        // What was under way at the end may have come or not.
        let told = written.matches.iter().map(|each| (each.does, each.took));
        for (told, expected) in told.zip(expected) {
            assert_eq!(told.0, expected.0, "seed {seed}");
            assert!(
                told.1 == expected.1 || told.1 == Took::Unknown,
                "seed {seed}: {told:?} {expected:?}"
            );
        }
        assert_eq!(written.matches.len(), program.iter().filter(is_open).count());
        follow(seed, &program, written.matches);
        let _ = std::fs::remove_dir_all(first);
    }
}

/// A second run is led to what the first one took; what that wrote is what the first wrote.
fn follow(seed: u64, program: &[Step], matches: Vec<Match>) {
    let directory = directory(&format!("second-{seed}"));
    let second = recorder(&directory, Some(1_000));
    second.follow(First::new(matches.clone(), Vec::new()));
    let mut asked = vec![0; program.len()];
    execute(&second, program, |number, call| {
        let step = program[number];
        let is_open = is_open(&step);
        asked[number] += 1;
        let expected = if !is_open {
            follows::NOTHING
        } else if asked[number] <= step.polls {
            follows::NOT_YET
        } else if step.never {
            follows::NEVER
        } else {
            follows::NAMED
        };
        let unknown = is_open && step.later.is_some() && call.follows == follows::NOTHING;
        assert!(
            call.follows == expected || unknown,
            "seed {seed}, step {number}: {step:?} {call:?}"
        );
        if call.follows == follows::NAMED {
            assert_eq!(
                (call.source, call.receive_tag),
                step.came,
                "seed {seed}, step {number}"
            );
        } else {
            assert_eq!((call.source, call.receive_tag), (step.source, step.tag));
        }
    });
    assert_eq!(read(&directory).matches, matches, "seed {seed}");
    let _ = std::fs::remove_dir_all(directory);
}

#[test]
fn a_prepared_receive_follows_at_each_start() {
    let places = [directory("prepared"), directory("prepared-again")];
    let came = [(2, 5), (0, 7), (1, 5), (0, 6)];
    let run = |recorder: &Recorder| -> Vec<Option<(i64, i64)>> {
        let mut prepares = call(does::OTHER, 77, -3, -1);
        recorder.enter(&mut prepares, &[]);
        prepares.does = does::RECEIVES as u32;
        recorder.prepare(&prepares, 900);
        recorder.leave(&prepares, Outcome::Started);
        let starts = came.into_iter().map(|came| {
            let named = match recorder.meet_start(900) {
                (follows::NAMED, source, tag) => Some((source, tag)),
                _ => None,
            };
            recorder.activate(900);
            // Only what takes its message anyway is not cancelled.
            assert_eq!(recorder.cancel(900), named.is_none());
            recorder.complete(900, Some(came));
            named
        });
        starts.collect()
    };
    let recorders = places.each_ref().map(|place| recorder(place, Some(100)));
    assert_eq!(run(&recorders[0]), [None; 4]);
    let written = read(&places[0]);
    assert_eq!(written.matches.len(), came.len());
    recorders[1].follow(First::new(written.matches.clone(), Vec::new()));
    assert_eq!(run(&recorders[1]), came.map(Some));
    assert_eq!(read(&places[1]).matches, written.matches);
    // The communicator is gone, so that nothing could be received in the place of what is prepared.
    recorders[1].remove_communicator(77, 0);
    assert_eq!(recorders[1].meet_start(900).0, follows::NOTHING);
    places
        .iter()
        .for_each(|place| drop(std::fs::remove_dir_all(place)));
}

#[test]
fn what_does_not_fit_is_not_followed() {
    let matched = |what: u64, came: Option<(u32, i64)>, polls: u32, communicator: u64| Match {
        communicator,
        does: what,
        polls,
        took: came.map_or(Took::Unknown, |(source, tag)| Took::Message(source, tag)),
    };
    let cases = [
        // Another operation, another tag, another sender.
        (
            matched(does::PROBES, Some((1, 5)), 0, 0),
            call(does::RECEIVES, 77, -3, -1),
        ),
        (
            matched(does::RECEIVES, Some((1, 5)), 0, 0),
            call(does::RECEIVES, 77, -3, 6),
        ),
        (
            matched(does::RECEIVES, Some((1, 5)), 0, 0),
            call(does::RECEIVES, 77, 2, -1),
        ),
        // More questions than there were before what comes next.
        (
            matched(does::RECEIVES, Some((1, 5)), 0, 0),
            call(does::ASKS_MESSAGE, 77, -3, -1),
        ),
    ];
    for (number, (first, mut other)) in cases.into_iter().enumerate() {
        let directory = directory(&format!("misfit-{number}"));
        let recorder = recorder(&directory, Some(100));
        // Whose identity the communicator has, a receive tells that is written down.
        let mut probe = call(does::RECEIVES, 77, -3, -1);
        recorder.enter(&mut probe, &[]);
        recorder.leave(&probe, Outcome::Failed);
        let identity = read(&directory).matches[0].communicator;
        let first = Match {
            communicator: identity,
            ..first
        };
        let then = matched(does::RECEIVES, Some((1, 5)), 0, identity);
        recorder.follow(First::new(vec![then, first, then], Vec::new()));
        let before = (other.source, other.receive_tag);
        recorder.enter(&mut other, &[]);
        assert_eq!(
            (other.follows, other.source, other.receive_tag),
            (follows::NOTHING, before.0, before.1),
            "{number}"
        );
        recorder.leave(&other, Outcome::Failed);
        // Nor is anything else.
        let mut fits = call(does::RECEIVES, 77, -3, -1);
        recorder.enter(&mut fits, &[]);
        assert_eq!(fits.follows, follows::NOTHING, "{number}");
        let _ = std::fs::remove_dir_all(directory);
    }
}

#[test]
fn beyond_the_room_nothing_is_written_and_that_is_counted() {
    let directory = directory("room");
    let recorder = recorder(&directory, Some(1));
    for source in 0..100 {
        let mut receive = call(does::RECEIVES, 77, -3, 5);
        recorder.enter(&mut receive, &[]);
        receive.source = source % 3;
        recorder.leave(&receive, Outcome::Done);
    }
    let matches = read(&directory);
    // Room is for 64 at least.
    assert_eq!((matches.matches.len(), matches.lost), (64, 36));
    assert_eq!(matches.matches[4].took, Took::Message(1, 5));
    assert_eq!(
        matches_of(&directory, 2, 4).unwrap_err(),
        "the first run had 3 ranks, and this one has 4"
    );
    assert!(
        matches_of(&directory, 1, 3)
            .unwrap_err()
            .contains("no record of rank 1")
    );
    let _ = std::fs::remove_dir_all(directory);
}
