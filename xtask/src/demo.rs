//! The whole story in one command: a 32-rank job hangs, hindmost names the rank that holds it up.

use crate::command::{self, build_hindmost, shown, work_directory};
use crate::setup;
use anyhow::{Context, Result, ensure};
use corpus::{Build, Job, JobPlan, Mpi, Program, Stall};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const RANKS: u32 = 32;
const STALL: Stall<'_> = Stall {
    rank: 8,
    iteration: 41,
    place: "get_norm",
};

/// Runs the demo; fails unless the right rank, line and iteration were named.
pub fn run() -> Result<()> {
    setup::ensure()?;
    let hindmost = build_hindmost()?;
    let start = Instant::now();
    let directory = work_directory("demo")?;

    let exe = compile(&directory)?;
    let job = hang(&exe)?;
    let launcher = job.launcher().to_string();

    println!("\n# Nobody prepared anything: one command");
    show(Command::new(&hindmost).args(["find", "--launcher", &launcher]))?;

    println!(
        "\n# With a map that was made when the program was built, no source and no debug info is needed"
    );
    let map = directory.join("poisson.hmap");
    show(
        Command::new(&hindmost)
            .args(["map", "-o"])
            .arg(&map)
            .arg("--exe")
            .arg(&exe)
            .args([Program::Poisson.source(), corpus::directory().join("stall.c")]),
    )?;
    let mut find = Command::new(&hindmost);
    find.arg("find")
        .arg("--map")
        .arg(&map)
        .args(["--launcher", &launcher]);
    show(&mut find)?;

    println!("\n# For other programs");
    find.args(["--format", "json"]);
    let (output, time) = command::succeed(&mut find)?;
    println!(
        "$ {}   ({} bytes, {:.2} s)",
        shown(&find),
        output.stdout.len(),
        time.as_secs_f64()
    );
    let answer = serde_json::from_slice(&output.stdout).context("the answer is not JSON")?;
    verify(&answer)?;
    drop(job);

    println!(
        "\nRight: rank {} was the hindmost. The job is gone. {:.1} s in all.",
        STALL.rank,
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

fn compile(directory: &Path) -> Result<PathBuf> {
    println!("\n# A Poisson solver, compiled as usual");
    let build = Build {
        program: Program::Poisson,
        mpi: Mpi::OpenMpi,
        flags: &["-g", "-O2"],
    };
    let exe = build.compile(directory)?;
    println!("$ {}", shown(&build.command(&exe)));
    Ok(exe)
}

/// Starts the job and waits until it hangs.
fn hang(exe: &Path) -> Result<Job> {
    println!(
        "\n# It hangs: rank {} never comes out of get_norm in iteration {}",
        STALL.rank, STALL.iteration
    );
    let plan = JobPlan {
        exe,
        mpi: Mpi::OpenMpi,
        ranks: RANKS,
        stall: Some(STALL),
        arguments: &[],
    };
    println!("$ {} &", shown(&plan.command()));
    let launched = Instant::now();
    let mut job = plan.start()?;
    job.wait_hung(Duration::from_secs(120))?;
    println!(
        "hung after {:.1} s; the launcher is process {}",
        launched.elapsed().as_secs_f64(),
        job.launcher()
    );
    Ok(job)
}

/// Runs a command that is to succeed, with its output in view and the time that it took.
fn show(command: &mut Command) -> Result<()> {
    let start = Instant::now();
    command::run(command)?;
    println!("({:.2} s)", start.elapsed().as_secs_f64());
    Ok(())
}

/// The job itself says where it hangs; hold the answer against that.
fn verify(answer: &Value) -> Result<()> {
    let hindmost = answer["hindmost"]
        .as_array()
        .context("the answer lists no hindmost")?;
    ensure!(
        answer["tasks"] == RANKS,
        "the answer is about {} tasks instead of {RANKS}",
        answer["tasks"]
    );
    ensure!(hindmost.len() == 1, "{} hindmost instead of one", hindmost.len());
    let named = &hindmost[0];
    let line = Program::Poisson.stall_line(STALL.place)?;
    ensure!(
        named["ranks"].as_str() == Some(&STALL.rank.to_string()),
        "wrong rank: {named}"
    );
    ensure!(
        named["function"] == STALL.place && named["line"] == line,
        "wrong place: {named}"
    );
    ensure!(
        named["values"]["it"] == STALL.iteration,
        "wrong iteration: {named}"
    );
    Ok(())
}
