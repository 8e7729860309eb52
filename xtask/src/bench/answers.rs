//! The time from the command to the whole answer.
//!
//! Wall times are of whole commands, as a user waits for them: hindmost once for all ranks, gdb and eu-stack once per
//! rank, one after another (neither takes more than one process).

use super::measure::{TIMES, eu_stack_on, gdb_on, median, median_wall, micro, poisson_with_map};
use crate::command::{self, shown, succeed};
use anyhow::{Context, Result, bail};
use corpus::{Job, JobPlan, Mpi, Stall};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const RANKS: u32 = 32;
pub(super) const STALL: Stall<'_> = Stall {
    rank: 8,
    iteration: 41,
    place: "get_norm",
};
/// How many ranks gdb looks at with `--quick`.
const QUICK_RANKS: usize = 4;

/// Starts a hung job, asks every tool about it, prints the table.
pub fn print(hindmost: &Path, directory: &Path, quick: bool) -> Result<()> {
    let (exe, map) = poisson_with_map(hindmost, directory)?;

    let plan = JobPlan {
        exe: &exe,
        mpi: Mpi::OpenMpi,
        ranks: RANKS,
        stall: Some(STALL),
        arguments: &[],
    };
    let mut job = plan.start()?;
    job.wait_hung(Duration::from_secs(120))?;
    println!(
        "\n## The whole answer, {RANKS} hung ranks: {}",
        shown(&plan.command())
    );

    let bound = with_map(hindmost, directory, &map, &job)?;
    let rows = [
        without_map(hindmost, directory, &job)?,
        gdb(&job, quick)?,
        eu_stack(&job)?,
    ];
    drop(job);

    println!("\n{:<28} {:>10} {:>9}  note", "tool", "wall", "ratio");
    for row in std::iter::once(&bound).chain(&rows) {
        let ratio = row.wall.as_secs_f64() / bound.wall.as_secs_f64();
        println!(
            "{:<28} {:>8.0} ms {ratio:>8.1}x  {}",
            row.name,
            row.wall.as_secs_f64() * 1e3,
            row.note
        );
    }
    println!();
    for row in std::iter::once(&bound).chain(&rows) {
        println!("{}: {}", row.name, row.commands);
    }
    Ok(())
}

/// One row of the first table.
struct Row {
    name: &'static str,
    wall: Duration,
    note: String,
    commands: String,
}

/// hindmost with the map of the build, and how long it held each rank.
fn with_map(hindmost: &Path, directory: &Path, map: &Path, job: &Job) -> Result<Row> {
    let snapshot = directory.join("poisson.snapshot");
    let mut find = Command::new(hindmost);
    find.arg("find")
        .arg("--map")
        .arg(map)
        .args(["--launcher", &job.launcher().to_string()]);
    let wall = median_wall(&mut find)?;

    // Saving the snapshot is not what is timed.
    let mut held = Vec::new();
    for _ in 0..TIMES {
        let mut saving = Command::new(hindmost);
        saving
            .arg("find")
            .arg("--map")
            .arg(map)
            .args(["--launcher", &job.launcher().to_string()]);
        succeed(saving.arg("--save").arg(&snapshot))?;
        let text = fs::read_to_string(&snapshot).context("hindmost wrote no snapshot")?;
        let (_, tasks) = snapshot::read(&text).context("the snapshot cannot be read")?;
        held.extend(tasks.iter().filter_map(|task| task.held_ns));
    }
    held.sort_unstable();
    let note = match (median(&held), held.last()) {
        (Some(middle), Some(longest)) => format!(
            "held each rank {:.1} us in the median, {:.1} us at most, over {} stops (its own clock)",
            micro(middle),
            micro(*longest),
            held.len()
        ),
        _ => "the snapshot does not say how long ranks were held".to_owned(),
    };
    Ok(Row {
        name: "hindmost, map of the build",
        wall,
        note,
        commands: shown(&find),
    })
}

/// hindmost on a job that nobody prepared: the first time, with nothing in its cache.
fn without_map(hindmost: &Path, directory: &Path, job: &Job) -> Result<Row> {
    let cache = directory.join("empty-cache");
    let mut find = Command::new(hindmost);
    find.env("XDG_CACHE_HOME", &cache)
        .args(["find", "--launcher", &job.launcher().to_string()]);
    let mut walls = Vec::new();
    for _ in 0..TIMES {
        let _ = fs::remove_dir_all(&cache);
        walls.push(succeed(&mut find)?.1);
    }
    walls.sort_unstable();
    let wall = median(&walls).context("nothing was measured")?;
    let note = "makes the map on the spot".to_owned();
    Ok(Row {
        name: "hindmost, nothing prepared",
        wall,
        note,
        commands: shown(&find),
    })
}

fn gdb(job: &Job, quick: bool) -> Result<Row> {
    let pids = Vec::from_iter(job.ranks().into_values());
    let looked_at = if quick {
        QUICK_RANKS.min(pids.len())
    } else {
        pids.len()
    };
    let start = Instant::now();
    for &pid in &pids[..looked_at] {
        let (output, _) = command::capture(&mut gdb_on(pid, "it"))?;
        let printed = String::from_utf8_lossy(&output.stdout);
        if !(printed.contains("poisson") && printed.contains(&format!(" = {}", STALL.iteration))) {
            bail!(
                "gdb does not show the stack of {pid} and the iteration: {printed}{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
    let measured = start.elapsed();
    let wall = measured.mul_f64(pids.len() as f64 / looked_at.max(1) as f64);
    let note = if looked_at < pids.len() {
        format!(
            "EXTRAPOLATED from {looked_at} ranks in {:.1} s",
            measured.as_secs_f64()
        )
    } else {
        format!("{:.1} s per rank", measured.as_secs_f64() / pids.len() as f64)
    };
    let commands = format!(
        "for each rank: {}",
        shown(&gdb_on(0, "it")).replace(" 0 ", " PID ")
    );
    Ok(Row {
        name: "gdb",
        wall,
        note,
        commands,
    })
}

fn eu_stack(job: &Job) -> Result<Row> {
    let pids = Vec::from_iter(job.ranks().into_values());
    let mut walls = Vec::new();
    for _ in 0..3 {
        let start = Instant::now();
        for &pid in &pids {
            // It reports threads that it cannot unwind by its status, and still prints the main one.
            let (output, _) = command::capture(&mut eu_stack_on(pid))?;
            if !String::from_utf8_lossy(&output.stdout).contains("main") {
                bail!(
                    "eu-stack shows no stack of {pid}: {}",
                    String::from_utf8_lossy(&output.stderr)
                );
            }
        }
        walls.push(start.elapsed());
    }
    walls.sort_unstable();
    let wall = median(&walls).context("nothing was measured")?;
    let commands = "for each rank: eu-stack -p PID".to_owned();
    Ok(Row {
        name: "eu-stack",
        wall,
        note: "no lines, no variables".to_owned(),
        commands,
    })
}
