//! Corners of MPI in which the flight recorder once said what is not so, or not what is: several in one job, each in ranks of its own.

use crate::hindmost::{PATIENCE, hindmost, my_turn, run, said};
use crate::waits::{Debug, Running, certain_edges, made_of, ranks, start_ranks, waits};
use corpus::Mpi;
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

const RANKS: usize = 14;

/// Asks about a job until this is so.
fn until(job: &Running, is_so: impl Fn(&Value) -> bool) -> Value {
    let begun = Instant::now();
    loop {
        let seen = waits(&job.directory);
        match seen {
            Some(answer) if is_so(&answer) => return answer,
            seen => assert!(begun.elapsed() < PATIENCE, "{seen:#?}"),
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn corners(mpi: Mpi) {
    let _turn = my_turn();
    let made = made_of(mpi, "corners", Debug::None);
    let mut job = start_ranks(mpi, &made, "corners", RANKS, "", &[]);
    // Who waits for whom for certain. Rank 5 waits for rank 4, which has its message and does not receive it: that may be MPI's business.
    let edges = BTreeSet::from([
        (0, 1),
        (1, 0),
        (2, 3),
        (3, 2),
        (6, 7),
        (7, 6),
        (8, 10),
        (9, 8),
        (11, 13),
        (12, 13),
    ]);
    let stuck = BTreeSet::from([0, 1, 2, 3, 6, 7]);
    let answer = until(&job, |answer| {
        let has_all = answer["tasks"]
            .as_array()
            .is_some_and(|tasks| tasks.len() == RANKS);
        has_all && certain_edges(answer) == edges && ranks(&answer["stuck"]) == stuck
    });
    assert_eq!(answer["verdict"], "deadlock", "{answer:#}");
    let on_its_way = &answer["transfers"][0];
    assert_eq!(
        (&on_its_way["sender"], &on_its_way["receiver"]),
        (&5.into(), &4.into()),
        "{answer:#}"
    );
    job.end();
}

#[test]
fn corners_under_open_mpi() {
    corners(Mpi::OpenMpi);
}

#[test]
fn corners_under_mpich() {
    corners(Mpi::Mpich);
}

/// By `MPI_THREAD_MULTIPLE` a thread that has called nothing yet may free anybody; one that is the library's does not. Once the job is gone nobody knows.
#[test]
fn a_thread_that_has_called_nothing_leaves_a_deadlock_unproven() {
    let _turn = my_turn();
    let made = made_of(Mpi::OpenMpi, "unseen", Debug::None);
    for (plan, line) in [
        ("0", "Deadlock: ranks 0-1 wait for each other"),
        (
            "1",
            "Probably a deadlock: ranks 0-1 wait for each other; MPI_THREAD_MULTIPLE lets",
        ),
    ] {
        let mut job = start_ranks(Mpi::OpenMpi, &made, "unseen", 2, plan, &[]);
        until(&job, |answer| answer["verdict"] == "deadlock");
        let text = said(&run(hindmost().arg("waits").arg(&job.directory)));
        assert!(text.contains(line), "{text}");
        job.end();
        let answer = waits(&job.directory).expect("the recordings stay");
        assert_eq!(answer["proven"], false, "{answer:#}");
    }
}
