//! Jobs of which not all ranks are recorded, and processes that cannot make their file: they go on as without the recorder, and nothing wrong is said of anybody.

use crate::hindmost::{PATIENCE, hindmost, my_turn, out, run, said};
use crate::waits::{
    Debug, Kinds, RANKS, certain_edges, made_of, random_plan, ranks, recorder_of, seeds, start, text, truth,
    waits,
};
use corpus::Mpi;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// A script that prepares what a rank is started with.
fn script(name: &str, text: &str) -> PathBuf {
    let file = out().join(name);
    std::fs::write(&file, format!("#!/bin/sh\n{text}\n")).unwrap_or_else(|error| panic!("{error}"));
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&file, executable).unwrap_or_else(|error| panic!("{error}"));
    file
}

/// A script that starts the program, without the recorder in this rank.
fn without_recorder(program: &Path, left_out: usize) -> PathBuf {
    script(
        &format!("in-part-{left_out}.sh"),
        &format!(
            "[ \"${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}\" = {left_out} ] && unset LD_PRELOAD HINDMOST_RECORD\nexec '{}'",
            program.display()
        ),
    )
}

/// Everybody who is recorded and hangs by the plan is in its last call.
fn all_have_come(answer: &Value, blocked: impl Iterator<Item = usize>) -> bool {
    let tasks = answer["tasks"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_in_call = |rank: usize| {
        let mut own = tasks.iter().filter(|task| task["rank"] == rank);
        own.any(|task| {
            task["operation"].is_string() && task["moves"] == false && task["seconds"].as_f64() > Some(1.0)
        })
    };
    tasks.len() == RANKS - 1 && blocked.into_iter().all(is_in_call)
}

/// One rank of each plan is not recorded. Nobody is called stuck who is not, whatever that rank does, no wait is certain that is none, and the rank is named.
fn one_rank_is_not_recorded(mpi: Mpi) {
    let _turn = my_turn();
    let (recorder, program) = made_of(mpi, "plan", Debug::None);
    for seed in seeds(5_000..5_004) {
        let plan = random_plan(seed, Kinds::Messages);
        let truth = truth(&plan);
        let left_out = seed as usize % RANKS;
        let made = (recorder.clone(), without_recorder(&program, left_out));
        let mut job = start(mpi, &made, &format!("in-part-{seed}"), &text(&plan));
        let begun = Instant::now();
        loop {
            let seen = waits(&job.directory);
            let place = || {
                format!(
                    "{} seed {seed} without {left_out}: {truth:?}\n{seen:#?}",
                    mpi.name()
                )
            };
            if let Some(answer) = &seen {
                assert!(ranks(&answer["stuck"]).is_subset(&truth.stuck), "{}", place());
                let blocked = truth.blocked.iter().copied().filter(|rank| *rank != left_out);
                if all_have_come(answer, blocked) {
                    assert!(certain_edges(answer).is_subset(&truth.edges), "{}", place());
                    assert!(
                        answer["verdict"] != "awaited" || answer["proven"] == false,
                        "{}",
                        place()
                    );
                    break;
                }
            }
            assert!(begun.elapsed() < PATIENCE, "{}", place());
            std::thread::sleep(Duration::from_millis(200));
        }
        let output = run(hindmost().arg("waits").arg(&job.directory));
        job.end();
        let told = format!("of rank {left_out} there is no recording");
        assert!(said(&output).contains(&told) || String::from_utf8_lossy(&output.stdout).contains(&told));
    }
}

#[test]
fn one_rank_is_not_recorded_under_open_mpi() {
    one_rank_is_not_recorded(Mpi::OpenMpi);
}

#[test]
fn one_rank_is_not_recorded_under_mpich() {
    one_rank_is_not_recorded(Mpi::Mpich);
}

/// A job ends as it does without the recorder, and each rank says in one line why there is no recording of it.
fn no_file_can_be_made(mpi: Mpi) {
    let _turn = my_turn();
    let (recorder, program) = made_of(mpi, "plan", Debug::None);
    let mut job = Command::new(format!("mpirun.{}", mpi.name()));
    if mpi == Mpi::OpenMpi {
        job.args(["--allow-run-as-root", "--oversubscribe"]);
    }
    job.args(["-np", &RANKS.to_string(), "env"])
        .arg(format!("LD_PRELOAD={}", recorder.display()))
        .arg("HINDMOST_RECORD=/proc/none")
        .arg(program)
        .env("PLAN", [" B0,0,0 F0,0,0"; RANKS].join("|"));
    let output = run(&mut job);
    let lines = said(&output);
    let told = lines.lines().filter(|line| {
        line.starts_with("hindmost: nothing is recorded of process") && line.contains("could not be made")
    });
    assert_eq!((output.status.code(), told.count()), (Some(0), RANKS), "{lines}");
}

/// A program with MPI in itself calls its own functions: the job ends as ever, and one line says why there is no recording of it.
#[test]
fn a_program_with_mpi_in_itself_goes_on_under_mpich() {
    let _turn = my_turn();
    let mpi = Mpi::Mpich;
    let (recorder, program) = made_of(mpi, "plan", Debug::None);
    let library = |name: &str| {
        let output = run(Command::new("gcc").arg(format!("-print-file-name={name}")));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    // What the shared library needs, the static one needs as well.
    let needed = run(Command::new("ldd").arg(library("libmpich.so")));
    let needed = String::from_utf8_lossy(&needed.stdout).into_owned();
    let needed = needed.lines().filter_map(|line| line.split_whitespace().nth(2));
    let linked = program.with_extension("static");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("jobs/plans/plan.c");
    let output = run(Command::new("gcc")
        .args(["-w", "-I/usr/include/x86_64-linux-gnu/mpich", "-o"])
        .arg(&linked)
        .arg(source)
        .arg(library("libmpich.a"))
        .args(needed.filter(|file| !file.contains("/libc.so"))));
    assert!(output.status.success(), "{}", said(&output));
    let records = out().join("recorded-static");
    let output = run(hindmost()
        .args(["run", "--recorder"])
        .arg(recorder)
        .arg("--record")
        .arg(&records)
        .args(["--", "mpirun.mpich", "-np", &RANKS.to_string()])
        .arg(linked)
        .env("PLAN", [" B0,0,0 F0,0,0"; RANKS].join("|")));
    let lines = said(&output);
    let told = lines.lines().filter(|line| line.contains("it has MPI in itself"));
    assert_eq!((output.status.code(), told.count()), (Some(0), 1), "{lines}");
    let output = run(hindmost().arg("waits").arg(&records));
    assert!(
        said(&output).contains("there is no recording"),
        "{}",
        said(&output)
    );
}

/// A launcher, and whatever else is started with the recorder and calls no MPI, runs as without it: nothing is looked up there, nothing said and nothing made.
#[test]
fn launchers_are_left_alone() {
    let _turn = my_turn();
    for mpi in [Mpi::OpenMpi, Mpi::Mpich] {
        let records = out().join("recorded-launcher");
        let output = run(Command::new(format!("mpirun.{}", mpi.name()))
            .arg("--version")
            .env("LD_PRELOAD", recorder_of(mpi))
            .env("LD_DEBUG", "symbols,files")
            .env("HINDMOST_RECORD", &records));
        let lines = said(&output);
        assert!(lines.contains("/recorder-"), "it is not loaded: {lines}");
        assert!(!lines.contains("symbol=PMPI_Init;"), "{}", mpi.name());
        assert!(!lines.contains("hindmost:"), "{lines}");
        assert!(output.status.success() && !records.exists());
    }
}

#[test]
fn no_file_can_be_made_under_open_mpi() {
    no_file_can_be_made(Mpi::OpenMpi);
}

#[test]
fn no_file_can_be_made_under_mpich() {
    no_file_can_be_made(Mpi::Mpich);
}
