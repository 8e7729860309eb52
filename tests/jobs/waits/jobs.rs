//! Jobs with the recorder that follow plans, and what `hindmost waits` says of them.

use super::plan::RANKS;
use crate::hindmost::{hindmost, once, out, run, said};
use corpus::{JobProcesses, Mpi};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The recorder of an MPI, and the program that follows plans.
pub(crate) fn made(mpi: Mpi) -> (PathBuf, PathBuf) {
    made_of(mpi, "plan", Debug::None)
}

/// Whether a program has debug info.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Debug {
    Info,
    None,
}

/// The recorder of an MPI, and a program of `plans`.
pub(crate) fn made_of(mpi: Mpi, program: &str, debug: Debug) -> (PathBuf, PathBuf) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("jobs/plans/{program}.c"));
    let (suffix, flags) = match debug {
        Debug::Info => ("-g", ["-O0", "-g", "-w", "-o"]),
        Debug::None => ("", ["-O1", "-g0", "-w", "-o"]),
    };
    let program = format!("{program}-{}{suffix}", mpi.name());
    let program = once(program.clone(), || {
        let program = out().join(program);
        let output = run(Command::new(format!("mpicc.{}", mpi.name()))
            .args(flags)
            .arg(&program)
            .arg(source));
        assert!(output.status.success(), "{}", said(&output));
        program
    });
    (recorder_of(mpi), program)
}

/// The recorder of an MPI, from the sources as they are. It is made once, for all tests.
pub(crate) fn recorder_of(mpi: Mpi) -> PathBuf {
    once(format!("recorder-{}.so", mpi.name()), || new_recorder_of(mpi))
}

fn new_recorder_of(mpi: Mpi) -> PathBuf {
    let mpicc = format!("mpicc.{}", mpi.name());
    let recorder = out().join(format!("recorder-{}.so", mpi.name()));
    let output = run(hindmost()
        .args(["recorder", "--mpicc", &mpicc, "-o"])
        .arg(&recorder)
        .arg("--runtime")
        .arg(tests::built::runtime("runtime_pmpi")));
    assert!(output.status.success(), "{}", said(&output));
    recorder
}

/// A job with the recorder.
pub(crate) struct Running {
    pub(super) processes: JobProcesses,
    pub(crate) launcher: Child,
    pub(crate) directory: PathBuf,
}

impl Running {
    pub(crate) fn end(&mut self) {
        self.processes.end();
        self.launcher.wait().unwrap_or_else(|error| panic!("{error}"));
    }
}

pub(crate) fn start(mpi: Mpi, made: &(PathBuf, PathBuf), name: &str, plan: &str) -> Running {
    start_with(mpi, made, name, plan, &[])
}

/// The same with further options of `run`.
pub(crate) fn start_with(
    mpi: Mpi,
    made: &(PathBuf, PathBuf),
    name: &str,
    plan: &str,
    options: &[&str],
) -> Running {
    start_ranks(mpi, made, name, RANKS, plan, options)
}

/// The same with so many ranks.
pub(crate) fn start_ranks(
    mpi: Mpi,
    made: &(PathBuf, PathBuf),
    name: &str,
    ranks: usize,
    plan: &str,
    options: &[&str],
) -> Running {
    let mut command = hindmost();
    command.env("PLAN", plan);
    start_as(mpi, made, name, ranks, (command, options))
}

/// A job that follows no plan, all processes of which load a library of `plans` first.
pub(crate) fn start_preloading(
    mpi: Mpi,
    made: &(PathBuf, PathBuf),
    library: &str,
    name: &str,
    options: &[&str],
) -> Running {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("jobs/plans/{library}.c"));
    let library = out().join(format!("{library}.so"));
    let output = run(Command::new("gcc")
        .args(["-O1", "-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(source));
    assert!(output.status.success(), "{}", said(&output));
    let mut command = hindmost();
    command.env("LD_PRELOAD", library);
    start_as(mpi, made, name, RANKS, (command, options))
}

fn start_as(
    mpi: Mpi,
    (recorder, program): &(PathBuf, PathBuf),
    name: &str,
    ranks: usize,
    (mut command, options): (Command, &[&str]),
) -> Running {
    let directory = out().join(format!("recorded-{}-{name}", mpi.name()));
    let _ = std::fs::remove_dir_all(&directory);
    let processes = JobProcesses::new();
    let (variable, value) = processes.variable();
    command
        .args(["run", "--recorder"])
        .arg(recorder)
        .arg("--record")
        .arg(&directory);
    command
        .args(options)
        .args(["--", &format!("mpirun.{}", mpi.name())]);
    if mpi == Mpi::OpenMpi {
        command.args(["--allow-run-as-root", "--oversubscribe"]);
    }
    command.args(["-np", &ranks.to_string()]).arg(program);
    command.env(variable, value);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let launcher = command
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    Running {
        processes,
        launcher,
        directory,
    }
}

pub(crate) fn fits(schema: &str, answer: &Value) {
    let schema = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    if let Err(error) = schema.validate(answer) {
        panic!("{}: {error}\n{answer:#}", error.instance_path());
    }
}

pub(crate) fn waits(directory: &Path) -> Option<Value> {
    let output = run(hindmost().args(["waits", "--format", "json"]).arg(directory));
    let answer: Value = serde_json::from_slice(&output.stdout).ok()?;
    fits(include_str!("../../../docs/schemas/waits.schema.json"), &answer);
    let expected = match (answer["verdict"].as_str(), answer["proven"].as_bool()) {
        (Some("nobody"), _) => 1,
        (_, Some(true)) => 0,
        _ => 3,
    };
    assert_eq!(output.status.code(), Some(expected), "{}", said(&output));
    Some(answer)
}

pub(crate) fn ranks(list: &Value) -> BTreeSet<usize> {
    let set: base::RankSet = list
        .as_str()
        .unwrap_or_default()
        .parse()
        .unwrap_or_else(|error| panic!("{list}: {error}"));
    set.iter().map(|rank| rank as usize).collect()
}

/// Who certainly waits for whom by an answer; who has a lock is never certain.
pub(crate) fn certain_edges(answer: &Value) -> BTreeSet<(usize, usize)> {
    edges(answer, |edge| edge["proven"] == true || edge["why"] == "lock")
}

/// Who waits for whom by an answer, also if it is not certain.
pub(crate) fn all_edges(answer: &Value) -> BTreeSet<(usize, usize)> {
    edges(answer, |_| true)
}

fn edges(answer: &Value, is_meant: impl Fn(&Value) -> bool) -> BTreeSet<(usize, usize)> {
    let edges = answer["edges"].as_array().into_iter().flatten();
    edges
        .filter(|edge| is_meant(edge))
        .filter_map(|edge| Some((edge["waiter"].as_u64()? as usize, edge["on"].as_u64()? as usize)))
        .collect()
}
