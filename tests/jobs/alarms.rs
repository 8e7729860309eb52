//! `hindmost watch` on jobs that are well, each busy in its own way, and on jobs that hang: no alarm for the first, one for each of the
//! second.
//!
//! The jobs are optimised, so that no counter tells that they go on. CI runs a few of them; all are run by
//! `cargo test -p tests --test jobs alarms -- --ignored --nocapture`.

use crate::hindmost::{hindmost, my_turn, out, run};
use corpus::{JobProcesses, Mpi};
use std::path::PathBuf;
use std::process::Command;

const WELL: [&str; 11] = [
    "file",
    "compute",
    "all-compute",
    "sleep",
    "pipe",
    "polling",
    "imbalance",
    "threads",
    "fast",
    "master",
    "nothing",
];

/// With the words that the alarm is to have.
const HANGS: [(&str, &str); 10] = [
    ("hang-cycle", "hung: all 3 tasks wait for each other in MPI"),
    ("hang-tag", "hung: all 3 tasks wait for each other in MPI"),
    ("hang-collectives", "hung: all 3 tasks wait for each other in MPI"),
    ("hang-loop", "rank 2 computes, all 2 others have waited for it"),
    (
        "hang-test",
        "rank 1 asks again and again by MPI_Iprobe, all 2 others",
    ),
    ("hang-thread", "rank 0 computes, all 2 others have waited for it"),
    ("hang-lock", "rank 0 sleeps in "),
    ("hang-pause", "rank 1 sleeps in pause outside of MPI"),
    ("hang-stopped", "rank 2 cannot run"),
    ("hang-pipe", "rank 0 is in read, all 2 others have waited for it"),
];

fn built(mpi: Mpi) -> PathBuf {
    let exe = out().join(format!("watch-kinds-{}", mpi.name()));
    let compiler = match mpi {
        Mpi::OpenMpi => "mpicc.openmpi",
        Mpi::Mpich => "mpicc.mpich",
    };
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/watch_kinds.c");
    let status = Command::new(compiler)
        .args(["-g", "-O3", "-pthread", "-o"])
        .arg(&exe)
        .arg(source)
        .status();
    assert!(status.unwrap().success());
    exe
}

/// What the watchdog says of a job until it ends, or, if it hangs, until it is ended by what the alarm runs.
fn watched(mpi: Mpi, kind: &str) -> (Option<i32>, String) {
    let exe = built(mpi);
    let processes = JobProcesses::new();
    let (name, token) = processes.variable();
    let (launcher, first): (_, &[&str]) = match mpi {
        Mpi::OpenMpi => ("mpirun.openmpi", &["--oversubscribe", "-x", name]),
        Mpi::Mpich => ("mpiexec.mpich", &[]),
    };
    // Busy tasks are given ten times as long.
    let output = run(hindmost()
        .args(["watch", "--every", "200ms", "--still", "1500ms", "--report"])
        .arg(out().join("alarm"))
        // Those that are stopped need another signal than the launcher passes on.
        .args([
            "--run",
            "kill -KILL $(grep -o '\"pid\":[0-9]*' $HINDMOST_REPORT.snapshot | cut -d: -f2)",
            "--",
            launcher,
        ])
        .args(first)
        .args(["-n", "3"])
        .arg(&exe)
        .arg(kind)
        .env(name, token)
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"));
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

fn is_well(mpi: Mpi, kind: &str) {
    let (code, said) = watched(mpi, kind);
    assert!(
        !said.contains("ALARM") && code == Some(0),
        "{mpi:?} {kind}: {code:?}\n{said}"
    );
}

fn is_found(mpi: Mpi, kind: &str, words: &str) {
    let (code, said) = watched(mpi, kind);
    let alarm = said.lines().find(|line| line.contains("ALARM"));
    let alarm = alarm.unwrap_or_else(|| panic!("{mpi:?} {kind}: {code:?}\n{said}"));
    assert!(alarm.contains(words), "{mpi:?} {kind}: {alarm}");
    assert_eq!(code, Some(4), "{mpi:?} {kind}: {said}");
    println!("{mpi:?} {kind}: {alarm}");
}

#[test]
fn who_computes_is_no_alarm_and_who_waits_for_ever_is() {
    let _turn = my_turn();
    is_well(Mpi::OpenMpi, "threads");
    is_well(Mpi::Mpich, "compute");
    is_found(Mpi::OpenMpi, HANGS[1].0, HANGS[1].1);
    is_found(Mpi::Mpich, HANGS[7].0, HANGS[7].1);
}

#[test]
#[ignore = "takes some eight minutes"]
fn fifty_five_jobs_that_are_well() {
    let _turn = my_turn();
    for _ in 0..2 {
        for mpi in [Mpi::OpenMpi, Mpi::Mpich] {
            WELL.iter().for_each(|kind| is_well(mpi, kind));
        }
    }
    WELL.iter().for_each(|kind| is_well(Mpi::OpenMpi, kind));
}

fn all_are_found(mpi: Mpi) {
    let _turn = my_turn();
    HANGS.iter().for_each(|(kind, words)| is_found(mpi, kind, words));
}

#[test]
#[ignore = "takes some three minutes"]
fn ten_jobs_that_hang_under_open_mpi() {
    all_are_found(Mpi::OpenMpi);
}

#[test]
#[ignore = "takes some three minutes"]
fn ten_jobs_that_hang_under_mpich() {
    all_are_found(Mpi::Mpich);
}
