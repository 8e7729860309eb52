//! The case study of AutomaDeD (section 5.1) as a program that hangs for real (`plans/pio.c`): who is behind, who waits for whom, and which code is to be looked at.

use crate::hindmost::{PATIENCE, hindmost, my_turn, run, said};
use crate::waits::{Debug, made_of, start};
use corpus::Mpi;
use serde_json::Value;
use std::time::{Duration, Instant};

fn hangs_and_is_explained(mpi: Mpi) {
    let _turn = my_turn();
    let made = made_of(mpi, "pio", Debug::Info);
    let mut job = start(mpi, &made, "pio", "");
    let begun = Instant::now();
    let text = loop {
        let output = run(hindmost().arg("waits").arg(&job.directory));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if text.contains("Deadlock") && text.contains("ranks 0-2,4 wait in MPI_Barrier") {
            break text;
        }
        assert!(begun.elapsed() < PATIENCE, "{}", said(&output));
        std::thread::sleep(Duration::from_millis(100));
    };
    let launcher = job.launcher.id().to_string();
    let json = |arguments: &[&str]| -> Value {
        let output = run(hindmost().arg("find").args(arguments).arg(&launcher));
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)))
    };
    let answer = json(&["--format", "json"]);
    let slice = json(&["--slice", "--all", "--slice-format", "json"]);
    let outwards = json(&["--slice", "--next=9", "--slice-format", "json"]);
    job.end();
    grows_outwards(&outwards);
    for line in [
        "Deadlock: ranks 0,3 wait for each other, and nobody else can end it",
        "rank 3 waits in MPI_Recv for message 3 of rank 0 (tag 7, MPI_COMM_WORLD): rank 0 has sent 2",
        "ranks 0-2,4 wait in MPI_Barrier, number 1 of MPI_COMM_WORLD, for rank 3, which has entered 0",
    ] {
        assert!(text.contains(line), "no '{line}' in:\n{text}");
    }
    assert_eq!(
        (&answer["named"], &answer["proven"]),
        (&Value::from("3"), &Value::from(true)),
        "{answer:#}"
    );
    // The tag that both sets share, and the answer that takes the request of the other set.
    let source = include_str!("plans/pio.c");
    let statements = slice["statements"].as_array().cloned().unwrap_or_default();
    for wanted in [
        "return is_fixed ? tag",
        "answer(own_writer, set);\n                answered++",
    ] {
        let line = source.find(wanted).map(|at| source[..at].lines().count() as u64);
        let is_there = statements
            .iter()
            .any(|statement| statement["line"].as_u64() == line);
        assert!(is_there, "line {line:?} is not in {slice:#}");
    }
}

/// Class by class along the waits: first the one that is named, then rank 0, which it waits for in a ring, and those who wait in the barrier.
fn grows_outwards(slice: &Value) {
    let schema = include_str!("../../docs/schemas/slice.schema.json");
    let schema: Value = serde_json::from_str(schema).unwrap_or_else(|error| panic!("{error}"));
    let schema = jsonschema::validator_for(&schema).unwrap_or_else(|error| panic!("{error}"));
    assert!(schema.is_valid(slice), "{slice:#}");
    let steps = slice["steps"].as_array().cloned().unwrap_or_default();
    let (first, later) = steps.split_first().unwrap_or_else(|| panic!("{slice:#}"));
    assert_eq!(
        (&first["ranks"], &first["waits_for"]),
        (&Value::from("3"), &Value::from(Vec::<u64>::new())),
        "{slice:#}"
    );
    let waits = |step: &Value| step["waits_for"].as_array().is_some_and(|on| !on.is_empty());
    assert!(!later.is_empty() && later.iter().all(waits), "{slice:#}");
    let ranks = steps
        .iter()
        .flat_map(|step| step["ranks"].as_str()?.parse::<base::RankSet>().ok());
    assert_eq!(ranks.map(|ranks| ranks.len()).sum::<u64>(), 5, "{slice:#}");
}

#[test]
fn the_case_study_is_explained_under_open_mpi() {
    hangs_and_is_explained(Mpi::OpenMpi);
}

#[test]
fn the_case_study_is_explained_under_mpich() {
    hangs_and_is_explained(Mpi::Mpich);
}

/// With tags of its own for each set the same program ends: the tags are what it hangs by.
#[test]
fn the_case_study_ends_with_tags_of_its_own() {
    let _turn = my_turn();
    let made = made_of(Mpi::OpenMpi, "pio", Debug::Info);
    let mut job = start(Mpi::OpenMpi, &made, "pio-fixed", "fixed");
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = job.launcher.try_wait().unwrap_or_else(|error| panic!("{error}")) {
            break status;
        }
        assert!(begun.elapsed() < PATIENCE, "it hangs");
        std::thread::sleep(Duration::from_millis(50));
    };
    job.end();
    assert!(status.success(), "{status}");
}
