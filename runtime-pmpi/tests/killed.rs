//! A recording is whole at every instant: a process that records is killed at random moments, and what it leaves is read. Nothing in it contradicts itself,
//! and nothing is missing before the last completed call.
//!
//! The process is forked by this test's own program, started again; what it had completed it says by a file of its own. `HINDMOST_KILLS` sets how often.

#![expect(unsafe_code, reason = "processes are forked and killed")]

use recording::layout::does;
use recording::{Members, Recording};
use runtime_pmpi::file::create;
use runtime_pmpi::paths::own_stack;
use runtime_pmpi::recorder::{Call, NeighbourRanks, New, Outcome, Recorder};
use runtime_pmpi::words::Words;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

const WORLD: u64 = 77;
/// Calls of one round: a send, a receive under way, its completion, and a collective operation.
const ROUND: u64 = 4;

fn call(what: u64, destination: i64, source: i64) -> Call {
    Call {
        operation: what as u32,
        does: what as u32,
        communicator: WORLD,
        thread: 1,
        destination,
        send_tag: if destination < 0 { -1 } else { 3 },
        source,
        receive_tag: if source < 0 { -1 } else { 5 },
        count: 1,
        ..Call::default()
    }
}

fn make(recorder: &Recorder, handle: u64) {
    recorder.add_communicator(&New {
        handle,
        kind: 0,
        parent: 0,
        by_all: true,
        made_by: u64::from(handle != WORLD),
        ordinal: 0,
        rank: 2,
        members: &[0, 1, 2, 3, 9, 11],
        remote: &[],
        neighbours: (handle != WORLD).then_some(NeighbourRanks {
            sources: &[9, 3],
            destinations: &[],
        }),
    });
}

/// Records for ever.
fn record(directory: &Path) {
    let words = create(directory, b"Op0\nOp1\n").expect("the directory is there");
    let index: Vec<AtomicU64> = (0..Recorder::index_words()).map(|_| AtomicU64::new(0)).collect();
    let recorder = Recorder::new(words, Words::new(Vec::leak(index)));
    make(&recorder, WORLD);
    recorder.world(2, 12, 0);
    assert_eq!(recorder.thread(4_711, |_| true), 1);
    recorder.stack_is(1, own_stack());
    recorder.stage(2);
    let done = std::fs::OpenOptions::new()
        .create(true)
        .truncate(true)
        .write(true)
        .open(directory.join("done"));
    let done = done.expect("the directory can be written");
    for number in 0.. {
        let peer = (number / ROUND % 5) as i64;
        let mut call = match number % ROUND {
            0 => call(does::SENDS, peer, -1),
            1 => call(does::RECEIVES, -1, peer),
            2 => call(does::COMPLETES_ALL, -1, -1),
            _ => call(does::EVERY_PART, -1, -1),
        };
        let handle = 1_000 + number / ROUND;
        recorder.share((number / ROUND).is_multiple_of(2));
        let requests = if number % ROUND == 2 { &[handle][..] } else { &[] };
        // As if this loop were the caller: what lies above it on the stack is the path.
        call.frame = std::ptr::from_ref(&recorder) as u64;
        recorder.enter(&mut call, requests);
        match number % ROUND {
            1 => {
                recorder.start(&call, handle);
                recorder.leave(&call, Outcome::Started);
            }
            2 => {
                recorder.complete(handle, Some((peer, 5)));
                recorder.leave(&call, Outcome::Done);
            }
            _ => recorder.leave(&call, Outcome::Done),
        }
        // Communicators come and go, so that rows are used again.
        if number % 64 == 0 {
            make(&recorder, 5_000 + number);
            recorder.remove_communicator(5_000 + number, 0);
        }
        done.write_all_at(&(number + 1).to_le_bytes(), 0)
            .expect("eight bytes");
    }
}

/// How many of the first `calls` calls are of this kind, with this peer.
fn expected(calls: u64, kind: u64, peer: u32) -> u64 {
    (0..calls)
        .filter(|number| number % ROUND == kind && number / ROUND % 5 == u64::from(peer))
        .count() as u64
}

/// Checks what a process has left that is known to have completed `known` calls; how many it had.
fn check(bytes: &[u8], known: u64, context: &str) -> u64 {
    let recording = Recording::read(bytes).unwrap_or_else(|error| panic!("{context}: {error}"));
    assert_eq!(recording.damaged, 0, "{context}: {recording:?}");
    assert!(!recording.lost.anything(), "{context}: {:?}", recording.lost);
    let Some(thread) = recording.threads.first() else {
        assert_eq!(known, 0, "{context}: {recording:?}");
        return 0;
    };
    let completed = thread.completed;
    assert!(
        (known..=known + 1).contains(&completed),
        "{context}: {completed} of {known}"
    );
    for channel in &recording.channels {
        let kinds = if channel.received { (1, 2) } else { (0, 0) };
        let least = |kind| expected(completed, kind, channel.peer);
        // The call at hand may have been counted already.
        let most = |kind| expected(completed + 1, kind, channel.peer);
        assert!(
            (least(kinds.0)..=most(kinds.0)).contains(&channel.begun),
            "{context}: {channel:?} of {completed}"
        );
        assert!(
            (least(kinds.1)..=most(kinds.1)).contains(&channel.done),
            "{context}: {channel:?} of {completed}"
        );
        assert!(channel.done <= channel.begun, "{context}: {channel:?}");
    }
    let world = recording
        .communicators
        .iter()
        .find(|each| each.made_by.is_none())
        .expect("the world");
    let ranks = |ranks: &[u32]| ranks.iter().copied().map(Some).collect::<Members>();
    assert_eq!(world.members, Some(ranks(&[0, 1, 2, 3, 9, 11])), "{context}");
    let mut others = recording
        .communicators
        .iter()
        .filter(|each| each.made_by.is_some());
    let has_neighbours = |each: &recording::Communicator| {
        let neighbours = each.neighbours.as_ref();
        neighbours.is_some_and(|of| of.sources == ranks(&[9, 3]) && of.destinations.is_empty())
    };
    assert!(
        others.all(has_neighbours),
        "{context}: {:?}",
        recording.communicators
    );
    assert!(
        world.done <= world.begun && world.begun <= completed.div_ceil(ROUND) + 1,
        "{context}: {world:?}"
    );
    assert!(
        recording.requests.len() <= 1,
        "{context}: {:?}",
        recording.requests
    );
    let model = &recording.model;
    let entered: u64 = model.states.iter().map(|state| state.entered).sum();
    let left: u64 = model.edges.iter().map(|edge| edge.count).sum();
    assert!(
        (completed..=completed + 1).contains(&entered),
        "{context}: {model:?}"
    );
    assert!(
        (completed.saturating_sub(1)..=completed).contains(&left),
        "{context}: {model:?}"
    );
    assert!(
        model.states.len() <= 4 && model.edges.len() <= 4,
        "{context}: {model:?}"
    );
    completed
}

/// Two look at the file while it is written, again and again: each reads a recording that is whole, later looks show no less than earlier ones, and neither
/// disturbs the other or the task.
fn two_readers_at_once(file: &Path) {
    let look = || {
        let mut last = 0;
        for _ in 0..3 {
            let bytes = std::fs::read(file).expect("it is there");
            let recording = Recording::read(&bytes).expect("it is whole");
            assert!(!recording.lost.anything(), "{:?}", recording.lost);
            let completed = recording.threads.first().map_or(0, |thread| thread.completed);
            assert!(completed >= last, "{completed} after {last}");
            last = completed;
        }
        last
    };
    std::thread::scope(|scope| {
        let readers = [scope.spawn(look), scope.spawn(look)];
        for reader in readers {
            assert!(reader.join().expect("it reads") > 0);
        }
    });
}

/// The variable that tells this program that it is the one that forks those that are killed.
const NURSERY: &str = "HINDMOST_TEST_RECORDS";

/// Of so many kills one is not put off until a call is completed: it comes while the file is being made.
const EARLY: u64 = 8;

/// Of so many kills one comes after two have looked at the file.
const LOOKED_AT: u64 = 16;

/// Starts a process that records for ever, in no more time than a fork takes, kills it, and checks what it leaves; how many calls it had completed.
fn one_kill(directory: &Path, kill: u64) -> u64 {
    let _ = std::fs::remove_dir_all(directory);
    std::fs::create_dir_all(directory).expect("a directory");
    // SAFETY: the only other thread of this process waits for this one, and holds no lock.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "it cannot be forked");
    if child == 0 {
        let _ = std::panic::catch_unwind(|| record(directory));
        // SAFETY: nothing of this process is used any more.
        unsafe { libc::_exit(1) };
    }
    let file = directory.join(format!("hindmost-{child}.recording"));
    let done = || {
        let bytes = std::fs::read(directory.join("done")).ok()?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    };
    let is_early = kill % EARLY == 3;
    let begun = Instant::now();
    while !is_early && done().is_none() && begun.elapsed() < Duration::from_secs(200) {
        std::thread::sleep(Duration::from_micros(100));
    }
    if kill.is_multiple_of(LOOKED_AT) {
        let before = done().expect("it records");
        // A reader may look at any time; what it reads is from several instants.
        let bytes = std::fs::read(&file).expect("it is there");
        let seen = Recording::read(&bytes).expect("it is whole").threads[0].completed;
        assert!(seen >= before);
        two_readers_at_once(&file);
    }
    // Any time, without a source of chance but its own: microseconds differ from run to run.
    std::thread::sleep(Duration::from_micros(kill * 7_919 % 3_000));
    let mut status = 0;
    // SAFETY: the child is this process's own, and `status` is valid for writes for the length of the call.
    let is_killed = unsafe {
        libc::kill(child, libc::SIGKILL);
        libc::waitpid(child, &raw mut status, 0) == child && libc::WIFSIGNALED(status)
    };
    assert!(is_killed, "kill {kill}: it had ended before, {status}");
    let context = format!("kill {kill}");
    let left = std::fs::read(&file);
    match (done(), left) {
        (Some(known), left) => check(&left.expect("it stays"), known, &context),
        // What had not begun is nothing, or says that it had not begun.
        (None, Err(_)) => 0,
        (None, Ok(left)) => Recording::read(&left).map_or(0, |_| check(&left, 0, &context)),
    }
}

#[test]
fn killed_at_any_instant() {
    let kills = std::env::var("HINDMOST_KILLS").ok();
    let kills: u64 = kills.and_then(|kills| kills.parse().ok()).unwrap_or(200);
    if let Some(directory) = std::env::var_os(NURSERY) {
        let directory = Path::new(&directory);
        let completed: u64 = (0..kills).map(|kill| one_kill(directory, kill)).sum();
        assert!(completed > kills, "nothing was recorded");
        return;
    }
    // Where recordings are: in memory. In a process of its own, since the tests beside this one have threads, which a fork would leave in the middle of something.
    let memory = Path::new("/dev/shm");
    let beside = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let directory = if memory.is_dir() { memory } else { &beside };
    let directory = directory.join(format!("hindmost-killed-{}", std::process::id()));
    let own = std::env::current_exe().expect("a test has a file");
    let ended = Command::new(own)
        .args(["--exact", "killed_at_any_instant", "--test-threads=1"])
        .env(NURSERY, &directory)
        .output()
        .expect("it starts");
    let _ = std::fs::remove_dir_all(&directory);
    assert!(
        ended.status.success(),
        "{}{}",
        String::from_utf8_lossy(&ended.stdout),
        String::from_utf8_lossy(&ended.stderr)
    );
}

/// Once a second thread calls, nothing that both count is lost, though MPI was asked for one thread.
#[test]
fn threads_that_call_at_the_same_time_lose_no_count() {
    const CALLS: u64 = 20_000;
    let zeros = |count: usize| -> Words {
        let words: Vec<AtomicU64> = (0..count).map(|_| AtomicU64::new(0)).collect();
        Words::new(Vec::leak(words))
    };
    let file = vec![0_u8; recording::layout::WORDS * 8].leak();
    let words = zeros(recording::layout::WORDS);
    let recorder = Recorder::new(words, zeros(Recorder::index_words()));
    runtime_pmpi::file::describe(words, b"Op0\nOp1\n");
    words.publish(recording::layout::header::MAGIC, recording::layout::MAGIC);
    make(&recorder, WORLD);
    assert_eq!(recorder.thread(1, |_| true), 1);
    recorder.share(false);
    assert_eq!(recorder.thread(1, |_| true), 1);
    assert!(!recorder.is_shared());
    assert_eq!(recorder.thread(2, |_| true), 2);
    assert!(recorder.is_shared());
    std::thread::scope(|scope| {
        for thread in [1, 2] {
            let recorder = &recorder;
            scope.spawn(move || {
                for _ in 0..CALLS {
                    let mut call = call(does::SENDS, 4, -1);
                    call.thread = thread;
                    recorder.enter(&mut call, &[]);
                    recorder.leave(&call, Outcome::Done);
                }
            });
        }
    });
    for (index, bytes) in file.chunks_mut(8).enumerate() {
        bytes.copy_from_slice(&words.get(index).to_le_bytes());
    }
    let recording = Recording::read(file).expect("it is whole");
    let sent: Vec<(u64, u64)> = recording
        .channels
        .iter()
        .map(|each| (each.begun, each.done))
        .collect();
    assert_eq!(sent, [(2 * CALLS, 2 * CALLS)]);
}

/// A cancelled receive has taken nothing. One that is freed takes the next message of its channel; of which that is nobody knows where it takes of anybody, nor whether a send that was
/// cancelled was counted by its receiver: then it is said that counts are not whole.
#[test]
fn receives_that_are_given_up_keep_counts_right() {
    let counted = |started: &dyn Fn(&Recorder)| {
        let zeros = |count: usize| -> Words {
            let words: Vec<AtomicU64> = (0..count).map(|_| AtomicU64::new(0)).collect();
            Words::new(Vec::leak(words))
        };
        let words = zeros(recording::layout::WORDS);
        let recorder = Recorder::new(words, zeros(Recorder::index_words()));
        runtime_pmpi::file::describe(words, b"Op0\nOp1\n");
        words.publish(recording::layout::header::MAGIC, recording::layout::MAGIC);
        make(&recorder, WORLD);
        assert_eq!(recorder.thread(1, |_| true), 1);
        started(&recorder);
        let bytes = (0..recording::layout::WORDS).flat_map(|index| words.get(index).to_le_bytes());
        let recording = Recording::read(&Vec::from_iter(bytes)).expect("it is whole");
        assert!(recording.requests.is_empty(), "{:?}", recording.requests);
        let taken = recording.channels.iter().filter(|each| each.received);
        (
            taken.map(|each| each.done).sum::<u64>(),
            recording.lost.anything(),
        )
    };
    let start = |recorder: &Recorder, what: u64, destination: i64, source: i64| {
        let mut call = call(what, destination, source);
        recorder.enter(&mut call, &[]);
        recorder.start(&call, 9);
        recorder.leave(&call, Outcome::Started);
    };
    let receives = |recorder: &Recorder, source: i64| start(recorder, does::RECEIVES, -1, source);
    let cancelled = |recorder: &Recorder| {
        receives(recorder, 4);
        recorder.cancelled(9);
    };
    assert_eq!(counted(&cancelled), (0, false));
    let freed = |recorder: &Recorder| {
        receives(recorder, 4);
        recorder.free(9);
    };
    assert_eq!(counted(&freed), (1, false));
    let freed_of_anybody = |recorder: &Recorder| {
        receives(recorder, recording::layout::peer::ANYBODY);
        recorder.free(9);
    };
    assert_eq!(counted(&freed_of_anybody), (0, true));
    let cancelled_and_freed = |recorder: &Recorder| {
        receives(recorder, 4);
        recorder.cancel(9);
        recorder.free(9);
    };
    assert_eq!(counted(&cancelled_and_freed), (0, true));
    let cancelled_send = |recorder: &Recorder| {
        start(recorder, does::SENDS, 4, -1);
        recorder.cancelled(9);
    };
    assert_eq!(counted(&cancelled_send), (0, true));
}
