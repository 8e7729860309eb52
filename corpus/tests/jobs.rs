//! The programs finish and check themselves; told to hang, they hang; dropped, they are gone.

use corpus::{Build, Job, JobPlan, Mpi, Program, Stall};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Jobs need both processors: one at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

const PATIENCE: Duration = Duration::from_secs(60);

fn out() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

fn start(program: Program, mpi: Mpi, ranks: u32, stall: Option<Stall<'_>>) -> Job {
    let exe = Build {
        program,
        mpi,
        flags: &["-g", "-O2", "-Wall", "-Wextra", "-Werror"],
    }
    .compile(out())
    .expect("compiles");
    JobPlan {
        exe: &exe,
        mpi,
        ranks,
        stall,
        arguments: &[],
    }
    .start()
    .expect("starts")
}

#[test]
fn programs_check_themselves() {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    for program in Program::ALL {
        let mut job = start(program, Mpi::OpenMpi, 4, None);
        let (success, output) = job.wait_end(PATIENCE).expect("ends");
        assert!(success, "{program:?}: {output}");
        assert!(output.contains("self-check passed"), "{program:?}: {output}");
    }
}

#[test]
fn a_hung_job_stays_hung_and_dies_with_its_owner() {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    for mpi in [Mpi::OpenMpi, Mpi::Mpich] {
        let begin = Instant::now();
        let stall = Stall {
            rank: 2,
            iteration: 41,
            place: "get_norm",
        };
        let mut job = start(Program::Poisson, mpi, 4, Some(stall));
        job.wait_hung(PATIENCE).expect("hangs");
        let hung = begin.elapsed();
        let ranks = job.ranks();
        assert_eq!(Vec::from_iter(ranks.keys().copied()), [0, 1, 2, 3]);
        assert!(
            job.output()
                .contains(&format!("stall: pid={} it=41 place=get_norm", ranks[&2]))
        );
        let before = job.heartbeat();
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(job.heartbeat(), before, "{mpi:?} was not hung");
        let launcher = job.launcher();
        let begin = Instant::now();
        drop(job);
        println!("{mpi:?}: hung after {hung:?}, gone after {:?}", begin.elapsed());
        for pid in ranks.values().chain([&launcher]) {
            assert!(!corpus::is_running(*pid), "{mpi:?}: process {pid} is left");
        }
    }
}

#[test]
fn a_stall_that_cannot_happen_is_refused() {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let stall = Stall {
        rank: 0,
        iteration: 1,
        place: "nowhere",
    };
    let mut job = start(Program::Ring, Mpi::OpenMpi, 2, Some(stall));
    let (success, output) = job.wait_end(PATIENCE).expect("ends");
    assert!(!success);
    assert!(output.contains("cannot stall at 'nowhere'"), "{output}");
}

#[test]
fn every_listed_place_is_marked_once() {
    for program in Program::ALL {
        let text = std::fs::read_to_string(program.source()).expect("reads");
        let listed = text
            .lines()
            .find_map(|line| line.split_once("stall_init(")?.1.split('"').nth(1))
            .expect("a stall_init with places");
        for place in listed.split(' ') {
            let mark = format!("/* STALL: {place} */");
            assert_eq!(text.matches(&mark).count(), 1, "{program:?} {place}");
            assert!(
                text.contains(&format!("stall_here(\"{place}\"")),
                "{program:?} {place}"
            );
        }
    }
}
