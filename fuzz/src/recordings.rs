//! What the flight recorder has written of a task, all the way to who waits for whom.

use engine::recorded::{Record, Recording, waiting};
use recording::layout::{
    FIRST_VERSION, SECOND_VERSION, UNKNOWN_MEMBER, WORDS_OF_FIRST, WORDS_OF_SECOND, does, header, peer,
};
use recording::{matches, ring};
use runtime_pmpi::recorder::{Call, NeighbourRanks, New, Outcome, Recorder};
use runtime_pmpi::words::Words;
use std::sync::atomic::{AtomicU64, Ordering};

/// Any bytes are a recording or an error; nothing in the answer acts on a terminal.
pub(crate) fn recording(bytes: &[u8]) {
    let recording = match Recording::read(bytes) {
        Ok(recording) => recording,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    // The same bytes as those of two tasks: whatever they say of each other is answered.
    let mut other = recording.clone();
    other.world = other.world.map(|(rank, size)| ((rank + 1) % size.max(1), size));
    let record = |recording| Record {
        recording,
        is_gone: false,
        moves: false,
        threads: None,
        now: 0,
    };
    let answer = waiting(&[record(recording), record(other)]);
    let text = report::waits_text(&answer, true);
    let foreign = text
        .chars()
        .find(|c| c.is_control() && !matches!(c, '\n' | '\u{1b}'));
    assert_eq!(foreign, None, "{text:?}");
    let json = report::waits_json(&answer);
    assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok(), "{json}");
}

/// Words of memory that stand for those of a file.
fn words(count: usize) -> &'static [AtomicU64] {
    Vec::leak((0..count).map(|_| AtomicU64::new(0)).collect())
}

fn bytes_of(words: &[AtomicU64]) -> Vec<u8> {
    let words = words.iter();
    words
        .flat_map(|word| word.load(Ordering::Relaxed).to_le_bytes())
        .collect()
}

/// What receives from anybody took, and one that has not ended; and which requests calls completed, the last of them in part: there is no room for more.
pub(crate) fn made_matches() -> Vec<u8> {
    const ROOM: u64 = 7;
    let file = words(matches::words(ROOM));
    runtime_pmpi::file::describe_matches(Words::new(file), ROOM);
    let index: Vec<AtomicU64> = (0..Recorder::index_words()).map(|_| AtomicU64::new(0)).collect();
    let own = Words::new(words(recording::layout::WORDS));
    let recorder = Recorder::new(own, Words::new(Vec::leak(index))).with_matches(Words::new(file));
    recorder.add_communicator(&New {
        handle: 9,
        kind: 0,
        parent: 0,
        by_all: true,
        made_by: 0,
        ordinal: 0,
        rank: 1,
        members: &[0, 1, 2, 3],
        remote: &[],
        neighbours: None,
    });
    recorder.world(1, 6, 0);
    for what in [does::RECEIVES, does::PROBES, does::ASKS_MESSAGE, does::RECEIVES] {
        let mut call = Call {
            does: what as u32,
            communicator: 9,
            source: peer::ANYBODY,
            receive_tag: -1,
            ..Call::default()
        };
        recorder.enter(&mut call, &[]);
        (call.source, call.receive_tag) = (2, 7);
        let outcome = match what {
            does::ASKS_MESSAGE => Outcome::Unanswered,
            _ => Outcome::Done,
        };
        recorder.leave(&call, outcome);
    }
    for (what, chosen) in [
        (does::ASKS_ALL, &[0][..]),
        (does::COMPLETES_ONE, &[]),
        (does::COMPLETES_ONE, &[1, 0]),
        (does::ASKS_ONE, &[0, 1, 2]),
    ] {
        let call = Call {
            does: what as u32,
            thread: 1,
            count: 3,
            ..Call::default()
        };
        recorder.chose(&call, chosen);
    }
    bytes_of(file)
}

/// A recording with something of everything, and its ring of events.
pub(crate) fn made() -> (Vec<u8>, Vec<u8>) {
    const EVENTS: u64 = ring::LEAST;
    let (words, ring) = (words(recording::layout::WORDS), words(ring::words(EVENTS)));
    runtime_pmpi::file::describe_ring(Words::new(ring), EVENTS);
    let index: Vec<AtomicU64> = (0..Recorder::index_words()).map(|_| AtomicU64::new(0)).collect();
    let recorder = Recorder::new(Words::new(words), Words::new(Vec::leak(index))).with_ring(Words::new(ring));
    let own = Words::new(words);
    runtime_pmpi::file::describe(
        own,
        b"MPI_Recv\nMPI_Barrier\nMPI_Waitall\nMPI_Neighbor_alltoall\n",
    );
    own.publish(header::MAGIC, recording::layout::MAGIC);
    recorder.world(1, 6, 0);
    recorder.stage(2);
    let thread = recorder.thread(42, |_| true);
    recorder.stack_is(thread, runtime_pmpi::paths::own_stack());
    for (handle, made_by, remote) in [(9, 0, &[][..]), (10, 2, &[]), (11, 3, &[4, 5])] {
        recorder.add_communicator(&New {
            handle,
            kind: 0,
            parent: if made_by == 0 { 0 } else { 9 },
            by_all: true,
            made_by,
            ordinal: made_by,
            rank: 1,
            members: &[0, 1, 2, 3],
            remote,
            neighbours: (handle == 10).then_some(NeighbourRanks {
                sources: &[0, UNKNOWN_MEMBER],
                destinations: &[2],
            }),
        });
    }
    // A window that is open to rank 0, and an access to the windows of ranks 2 and 3.
    recorder.add_communicator(&New {
        handle: 20,
        kind: 1,
        parent: 9,
        by_all: true,
        made_by: 2,
        ordinal: 7,
        rank: 1,
        members: &[0, 1, 2, 3],
        remote: &[],
        neighbours: None,
    });
    let epoch = Call {
        communicator: 20,
        kind: 1,
        thread,
        ..Call::default()
    };
    recorder.signal(20, recording::layout::signal::POSTS, &[0]);
    recorder.begin_epoch(&epoch, recording::layout::signal::COMPLETES, &[0]);
    recorder.begin_epoch(&epoch, recording::layout::signal::POSTS, &[2, 3]);
    recorder.lock(20, 2, recording::layout::signal::EXCLUDES);
    recorder.lock(20, -3, recording::layout::signal::SHARES_ALL);
    // What is done last is what the task stands in.
    let all = (0..16).chain([does::LOCKS as u32, does::SYNCHRONISES as u32, 16, 17]);
    for what in all {
        let mut call = Call {
            operation: if u64::from(what) == does::COLLECTIVE {
                3
            } else {
                what % 3
            },
            does: what,
            communicator: 9 + u64::from(what % 3),
            thread,
            destination: 1,
            send_tag: 7,
            source: -3,
            receive_tag: -1,
            count: 1,
            root: 1,
            frame: std::ptr::from_ref(&recorder) as u64,
            ..Call::default()
        };
        recorder.enter(&mut call, &[100, 101]);
        if u64::from(what) == does::TO_ROOT {
            recorder.divide(&call, &[5, 5, 0, 9, 1], 1);
            prepared(&recorder, call.ordinal);
        }
        // To one neighbour, of another and of nobody.
        if u64::from(what) == does::COLLECTIVE {
            recorder.divide(&call, &[5, 9, 9], 1);
        }
        recorder.start(&call, 100 + u64::from(what));
        if !matches!(what, 16 | 17) {
            recorder.leave(
                &call,
                if what % 2 == 0 {
                    Outcome::Started
                } else {
                    Outcome::Unanswered
                },
            );
        }
    }
    (bytes_of(words), bytes_of(ring))
}

/// What recorders of all versions write.
pub(crate) fn seeds() -> Vec<(String, Vec<u8>)> {
    let (bytes, _) = made();
    vec![
        (
            "first-version".to_owned(),
            of_version(&bytes, FIRST_VERSION, WORDS_OF_FIRST),
        ),
        (
            "second-version".to_owned(),
            of_version(&bytes, SECOND_VERSION, WORDS_OF_SECOND),
        ),
        ("everything".to_owned(), bytes),
    ]
}

/// An operation that is prepared, started, complete, and started again.
fn prepared(recorder: &Recorder, ordinal: u64) {
    let request = 400;
    recorder.add_communicator(&New {
        handle: request,
        kind: 3,
        parent: 9,
        by_all: true,
        made_by: 1,
        ordinal,
        rank: 1,
        members: &[0, 1, 2, 3],
        remote: &[],
        neighbours: None,
    });
    let call = Call {
        does: does::EVERY_PART as u32,
        communicator: request,
        kind: 3,
        ..Call::default()
    };
    recorder.prepare(&call, request);
    recorder.divide_at_start(request, &[5; 8], 4);
    recorder.activate(request);
    recorder.complete(request, None);
    recorder.activate(request);
}

/// The same as a recorder of an earlier version wrote it.
fn of_version(bytes: &[u8], version: u64, words: usize) -> Vec<u8> {
    let mut earlier = bytes[..words * 8].to_vec();
    let at = header::VERSION * 8;
    earlier[at..at + 8].copy_from_slice(&version.to_le_bytes());
    earlier
}

#[cfg(test)]
mod tests {
    use super::*;
    use recording::Members;

    #[test]
    fn recordings_of_earlier_versions_say_the_same_without_what_they_had_not() {
        let seeds = seeds();
        let read = |name: &str| {
            let seed = seeds.iter().find(|(seed, _)| seed == name);
            Recording::read(&seed.expect("it is a seed").1).expect("it is a recording")
        };
        let (first, second, mut now) = (read("first-version"), read("second-version"), read("everything"));
        assert_eq!(now.divisions.len(), 4);
        now.divisions.clear();
        assert_eq!(second, now);
        assert!(!now.model.states.is_empty() && first.model.states.is_empty());
        now.model = first.model.clone();
        now.threads.iter_mut().for_each(|thread| thread.state = None);
        assert!(first.threads.iter().all(|thread| thread.state.is_none()));
        assert_eq!(first, now);
    }

    #[test]
    fn communicators_with_the_same_members_have_equal_lists() {
        for (name, bytes) in seeds() {
            let recording = Recording::read(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
            let lists: Vec<_> = recording
                .communicators
                .iter()
                .filter_map(|each| each.members.as_ref())
                .collect();
            assert!(lists.len() > 2, "{name}");
            let four: Members = (0..4).map(Some).collect();
            assert!(lists.iter().all(|list| **list == four), "{name}");
        }
    }
}
