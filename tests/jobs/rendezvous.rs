//! Large messages whose sender or receiver is stopped while they are on their way: the one that is stopped is named, alone or with the other end.

use crate::hindmost::{PATIENCE, my_turn};
use crate::waits::{Debug, made_of, ranks, start, waits};
use corpus::Mpi;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// How often each end is stopped.
const STOPS: u64 = 4;

/// Asks until the answer is such a one.
fn until(directory: &Path, is_it: impl Fn(&Value) -> bool) -> Value {
    let begun = Instant::now();
    loop {
        let answer = waits(directory);
        if let Some(answer) = answer.as_ref().filter(|answer| is_it(answer)) {
            return answer.clone();
        }
        assert!(begun.elapsed() < PATIENCE, "{answer:#?}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn pid_of(answer: &Value, rank: u64) -> Option<Pid> {
    let mut tasks = answer["tasks"].as_array()?.iter();
    let task = tasks.find(|task| task["rank"] == rank && task["stage"] == "running")?;
    Some(Pid::from_raw(i32::try_from(task["pid"].as_i64()?).ok()?))
}

fn all_stand(answer: &Value) -> bool {
    let tasks = answer["tasks"].as_array();
    tasks.is_some_and(|tasks| tasks.iter().all(|task| task["moves"] == false))
}

/// The messages from rank 0 to rank 1 that are on their way, by who stands in a call for them.
fn stand(answer: &Value) -> BTreeSet<u64> {
    let transfers = answer["transfers"].as_array().into_iter().flatten();
    let own = transfers.filter(|each| each["sender"] == 0 && each["receiver"] == 1 && each["tag"] == 7);
    own.filter_map(|each| each["who"].as_u64()).collect()
}

fn stopped_within_messages(mpi: Mpi) {
    let _turn = my_turn();
    let made = made_of(mpi, "rendezvous", Debug::None);
    let mut job = start(mpi, &made, "rendezvous", "");
    let answer = until(&job.directory, |answer| {
        (0..2).all(|rank| pid_of(answer, rank).is_some())
    });
    let ends = [0, 1].map(|rank| pid_of(&answer, rank).expect("it was there"));
    let mut on_their_way = 0;
    for turn in 0..2 * STOPS {
        let rank = turn % 2;
        // Each time at another place of the loop.
        thread::sleep(Duration::from_millis(5 + 13 * turn));
        kill(ends[rank as usize], Signal::SIGSTOP).expect("it is ours");
        let answer = until(&job.directory, |answer| {
            all_stand(answer) && answer["verdict"] == "awaited"
        });
        let awaited = ranks(&answer["awaited"]);
        assert!(awaited.contains(&(rank as usize)), "rank {rank}: {answer:#}");
        assert!(awaited.iter().all(|&rank| rank < 2), "rank {rank}: {answer:#}");
        assert!(ranks(&answer["stuck"]).is_empty(), "{answer:#}");
        if awaited.len() == 2 {
            assert!(answer["proven"] == false, "{answer:#}");
            assert!(!stand(&answer).is_empty(), "{answer:#}");
            on_their_way += 1;
        }
        kill(ends[rank as usize], Signal::SIGCONT).expect("it is ours");
    }
    assert!(on_their_way > 0, "no message was met on its way");
    job.end();
}

#[test]
fn who_is_stopped_within_a_message_is_named_under_open_mpi() {
    stopped_within_messages(Mpi::OpenMpi);
}

#[test]
fn who_is_stopped_within_a_message_is_named_under_mpich() {
    stopped_within_messages(Mpi::Mpich);
}
