//! What the flight recorder writes down of what tasks did before, against a program that makes known calls on known paths (`plans/paths.c`).

use crate::hindmost::{PATIENCE, hindmost, my_turn, run};
use crate::waits::{Debug, RANKS, made_of, start};
use corpus::Mpi;
use engine::recorded::Recording;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// What the tasks have recorded so far.
fn recordings(directory: &Path) -> Vec<Recording> {
    let files = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let bytes = files.filter_map(|file| std::fs::read(file.path()).ok());
    bytes.filter_map(|bytes| Recording::read(&bytes).ok()).collect()
}

/// Whether a rank has come to the end of what it does: all of its calls are complete, but for the one in which rank 0 stays.
fn is_done(recording: &Recording) -> bool {
    let is_first = recording.world.is_some_and(|(rank, _)| rank == 0);
    let thread = recording.threads.first();
    // MPI_Init, and five barriers a turn. What a thread is in is written last, so that the model has the call by then.
    thread.is_some_and(|thread| thread.completed >= 501 && thread.call.is_some() == is_first)
}

fn model_of(mpi: Mpi) {
    let _turn = my_turn();
    let made = made_of(mpi, "paths", Debug::None);
    let mut job = start(mpi, &made, "paths", "");
    let begun = Instant::now();
    let recordings = loop {
        let found = recordings(&job.directory);
        if found.len() == RANKS && found.iter().all(is_done) {
            break found;
        }
        assert!(begun.elapsed() < PATIENCE, "{found:#?}");
        std::thread::sleep(Duration::from_millis(50));
    };
    job.end();
    let mut keys: BTreeMap<u64, usize> = BTreeMap::new();
    for recording in &recordings {
        check(recording);
        for state in &recording.model.states {
            *keys.entry(state.key).or_default() += 1;
        }
    }
    // Six states of all, whatever the address space of each, and one of rank 0 alone.
    let of_all = keys.values().filter(|tasks| **tasks == RANKS).count();
    assert_eq!((of_all, keys.len()), (5, 6), "{recordings:#?}");
}

/// Whether the model tells what the program has done.
fn check(recording: &Recording) {
    let model = &recording.model;
    let is_first = recording.world.is_some_and(|(rank, _)| rank == 0);
    assert!(!recording.lost.model && recording.damaged == 0, "{recording:#?}");
    let mut entered: Vec<u64> = model.states.iter().map(|state| state.entered).collect();
    entered.sort_unstable();
    let expected: &[u64] = if is_first {
        &[1, 1, 50, 50, 100, 300]
    } else {
        &[1, 50, 50, 100, 300]
    };
    assert_eq!(entered, expected, "{model:#?}");
    let mut counts: Vec<u64> = model.edges.iter().map(|edge| edge.count).collect();
    counts.sort_unstable();
    let expected: &[u64] = if is_first {
        &[1, 1, 49, 50, 50, 50, 100, 200]
    } else {
        &[1, 49, 50, 50, 50, 100, 200]
    };
    assert_eq!(counts, expected, "{model:#?}");
    for state in &model.states {
        let names = state
            .path
            .iter()
            .filter_map(|(module, _)| model.modules.get((*module)?));
        assert!(
            names.count() == state.path.len() && state.path.len() > 2,
            "{model:#?}"
        );
        let left: u64 = model
            .edges
            .iter()
            .filter(|edge| edge.from == state.key)
            .map(|edge| edge.count)
            .sum();
        assert_eq!(state.regions.count, left, "{model:#?}");
    }
    let now = recording.threads[0].state.and_then(|key| model.state(key));
    let now = now.expect("a task is in a state, or behind one");
    // Rank 0 is in its last call, the others behind a call at the ninth or third level.
    assert_eq!(now.entered, if is_first { 1 } else { 50 }, "{model:#?}");
}

#[test]
fn a_model_has_the_calls_of_each_path_under_open_mpi() {
    model_of(Mpi::OpenMpi);
}

#[test]
fn a_model_has_the_calls_of_each_path_under_mpich() {
    model_of(Mpi::Mpich);
}

/// Two ranks compute, and all others wait for both: what they did before tells which of them is behind.
fn furthest_behind(mpi: Mpi) {
    let _turn = my_turn();
    let made = made_of(mpi, "turns", Debug::None);
    let mut job = start(mpi, &made, "turns", "");
    let begun = Instant::now();
    let behind = "Of these, rank 1 is probably furthest behind: in a loop that both are in, it has come to MPI_Allreduce 42 times, and rank 2 43 times";
    loop {
        let output = run(hindmost().arg("waits").arg(&job.directory));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        // Somebody may still be on its way to the barrier when the two already compute for longer than ever.
        let is_whole = text.starts_with("Ranks 0,3-4 wait for ranks 1-2")
            && text.contains(behind)
            && text.matches("longer than ever: at most").count() >= 2;
        if is_whole {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "{text}");
        std::thread::sleep(Duration::from_millis(100));
    }
    let launcher = job.launcher.id().to_string();
    let found = run(hindmost().args(["find", "--format", "json"]).arg(launcher));
    job.end();
    let found: Value = serde_json::from_slice(&found.stdout).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(found["waits"]["least"]["ranks"], "1", "{found}");
    // The stacks are those of a job that is not recorded.
    let frames = found["classes"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|class| class["frames"].as_array().unwrap());
    let named = frames.filter(|frame| {
        frame["module"]
            .as_str()
            .is_some_and(|module| module.contains("recorder"))
    });
    assert_eq!(named.count(), 0, "{found}");
    // The code's order knows it, too; whoever says it, what is inferred is not called proven.
    assert!(found["by"] != "recorder" || found["proven"] == false, "{found}");
}

#[test]
fn who_computes_is_told_apart_by_turns_under_open_mpi() {
    furthest_behind(Mpi::OpenMpi);
}

#[test]
fn who_computes_is_told_apart_by_turns_under_mpich() {
    furthest_behind(Mpi::Mpich);
}
