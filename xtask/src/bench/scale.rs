//! A million tasks: partial trees (`scale-bench`), and recorded stacks as a user reads them. It needs no MPI and no job.

use super::measure::used_by_printing;
use crate::command::{self, build_hindmost, cargo, succeed, work_directory};
use anyhow::Result;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How many tasks are recorded.
const TASKS: u32 = 1_000_000;

/// The kinds of job, as `scale-bench` knows them, and as people call them.
const KINDS: [(&str, &str); 4] = [
    ("runs", "64 classes, each of ranks in a row"),
    ("many", "64 classes, dealt in turn"),
    ("crowd", "10,000 classes, dealt in turn"),
    ("shuffled", "10,000 classes, dealt at random"),
];

/// Runs it; the tables go to standard output.
pub(super) fn run() -> Result<()> {
    let engines = command::build_bench("scale-bench")?;
    command::run(&mut Command::new(&engines))?;
    recorded(&engines)
}

/// How many nodes answer in `bench --nodes`.
const NODES: [u32; 2] = [1_000, 10_000];

/// Measures what a front end does with the answers of many nodes, and an answer for several hosts beside what it takes to reach them.
pub(super) fn run_nodes(sizes: &[u32]) -> Result<()> {
    let sizes = if sizes.is_empty() { &NODES[..] } else { sizes };
    let words = sizes.iter().map(u32::to_string);
    let hindmost = build_hindmost()?;
    command::run(
        Command::new(command::build_bench("scale-bench")?)
            .args(["nodes", "--reducer"])
            .arg(reducer(&hindmost)?)
            .args(words),
    )?;
    println!("\nAn answer for several hosts (namespaces of this machine, by ssh)\n");
    let mut probe = cargo();
    probe.args([
        "build",
        "--release",
        "--package",
        "runtime-probe",
        "--bin",
        "hindmost-probe",
    ]);
    command::run(&mut probe)?;
    let mut hosts = cargo();
    hosts.args(["test", "--package", "tests", "--test", "jobs"]);
    hosts.args(["clusters::timing", "--", "--ignored", "--nocapture"]);
    hosts.env("HINDMOST_BIN", hindmost);
    command::run(&mut hosts)
}

/// The reducer for Open MPI, of what is measured.
fn reducer(hindmost: &Path) -> Result<PathBuf> {
    command::run(cargo().args(["build", "--release", "--package", "runtime-reduce"]))?;
    let reducer = work_directory("bench")?.join("hindmost-reducer");
    let mut make = Command::new(hindmost);
    make.args(["build-reducer", "--mpicc", "mpicc.openmpi", "-o"]);
    succeed(make.arg(&reducer))?;
    Ok(reducer)
}

/// What commands take for recorded stacks.
fn recorded(engines: &Path) -> Result<()> {
    let hindmost = build_hindmost()?;
    let directory = work_directory("bench-scale")?;
    println!(
        "\n{TASKS} recorded tasks, read by a command: time, processor time, memory, bytes that it prints\n"
    );
    for (kind, of) in KINDS {
        succeed(
            Command::new(engines)
                .args([kind, &TASKS.to_string()])
                .arg(&directory),
        )?;
        let path = |name: &str| directory.join(name);
        let run = |arguments: &[&str]| {
            let mut command = Command::new(&hindmost);
            command.args(arguments).current_dir(&directory);
            command
        };
        succeed(&mut run(&["map", "solver.c", "-o", "app.hmap"]))?;
        let megabytes = fs::metadata(path("stacks.jsonl"))?.len() / 1_000_000;
        println!("{of} (a file of {megabytes} MB)");
        let commands: [(&str, &[&str]); 3] = [
            (
                "order",
                &["order", "--stacks", "stacks.jsonl", "--map", "app.hmap"],
            ),
            ("tree", &["tree", "stacks.jsonl", "--map", "app.hmap"]),
            (
                "tree --format html",
                &["tree", "stacks.jsonl", "--map", "app.hmap", "--format", "html"],
            ),
        ];
        for (name, arguments) in commands {
            let out = fs::File::create(path("out"))?;
            let used = used_by_printing(&mut run(arguments), out.into())?;
            println!(
                "  {name:<20} {:>6.2} s  {:>6.2} s  {:>5} MB  {:>9}",
                used.wall.as_secs_f64(),
                used.processor.as_secs_f64(),
                used.memory / 1_000_000,
                fs::metadata(path("out"))?.len(),
            );
        }
    }
    Ok(())
}
