//! Jobs whose ranks are not those of the one `MPI_COMM_WORLD` that `MPI_Init` makes: programs of sessions, and processes that were spawned.

use crate::hindmost::{PATIENCE, hindmost, my_turn, run, said};
use crate::waits::{Debug, made_of, start};
use corpus::Mpi;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Asks about recordings until this is said.
fn asked(paths: &[PathBuf], is_said: impl Fn(&str) -> bool) {
    let begun = Instant::now();
    loop {
        let output = run(hindmost().arg("waits").args(paths));
        if is_said(&said(&output)) {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "{}", said(&output));
        std::thread::sleep(Duration::from_millis(200));
    }
}

const DEADLOCK: &str = "Deadlock: ranks 0-1 wait for each other, and nobody else can end it";

#[test]
fn a_program_of_sessions_is_recorded() {
    let _turn = my_turn();
    let made = made_of(Mpi::Mpich, "worlds", Debug::None);
    let mut job = start(Mpi::Mpich, &made, "session", "session");
    let waits_in = "ranks 2-4 wait in MPI_Barrier, number 2 of the communicator of ranks 0-4 by MPI_Comm_create_from_group, for ranks 0-1";
    asked(std::slice::from_ref(&job.directory), |text| {
        text.contains(DEADLOCK) && text.contains(waits_in)
    });
    job.end();
}

/// The recordings in a directory that are newer than the first five: those of the spawned.
fn spawned(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut files = Vec::from_iter(entries.map(|entry| entry.path()));
    let made = |path: &PathBuf| std::fs::metadata(path).and_then(|file| file.created()).ok();
    files.sort_by_key(made);
    files.split_off(files.len().min(crate::waits::RANKS))
}

#[test]
fn a_world_that_was_spawned_is_not_mixed_with_the_jobs_own() {
    let _turn = my_turn();
    let made = made_of(Mpi::OpenMpi, "worlds", Debug::None);
    let mut job = start(Mpi::OpenMpi, &made, "spawn", "spawn");
    asked(std::slice::from_ref(&job.directory), |text| {
        text.contains(DEADLOCK)
            && text.contains("ranks 2-4 wait in MPI_Barrier")
            && text.contains("2 recordings of another")
    });
    // Of the others rank 1 waits for rank 0, which waits for somebody of the first world.
    asked(&spawned(&job.directory), |text| {
        text.contains("rank 1 waits in MPI_Barrier, number 1 of MPI_COMM_WORLD, for rank 0")
            && !text.contains("Deadlock")
    });
    job.end();
}
