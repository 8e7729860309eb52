//! The probe by itself: how large it is, how long it holds tasks, what it needs, at growing numbers of ranks.

use super::measure::{median, micro, poisson_with_map, used_by};
use crate::command::shown;
use crate::ship;
use anyhow::{Context, Result};
use corpus::{JobPlan, Mpi, Stall};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Snapshots per job: enough for a 99th percentile of all holds.
const SNAPSHOTS: usize = 30;

/// Prints the table.
pub fn print(hindmost: &Path, directory: &Path) -> Result<()> {
    let probe = ship::probe()?;
    let size = fs::metadata(&probe)
        .with_context(|| probe.display().to_string())?
        .len();
    println!("\n## The probe: {size} bytes, static and stripped\n");
    println!(
        "{:<8} {:>12} {:>12} {:>12} {:>12} {:>12} {:>10}",
        "ranks", "held median", "99th", "longest", "all stopped", "wall", "memory"
    );
    let (exe, map) = poisson_with_map(hindmost, directory)?;
    let mut last = String::new();
    for ranks in [8, 32, 128] {
        let plan = JobPlan {
            exe: &exe,
            mpi: Mpi::OpenMpi,
            ranks,
            stall: Some(Stall {
                rank: 5,
                iteration: 41,
                place: "get_norm",
            }),
            arguments: &[],
        };
        let mut job = plan.start()?;
        job.wait_hung(Duration::from_secs(300))?;
        last = row(&probe, &map, directory, job.launcher(), ranks)?;
    }
    println!("\n{last}");
    Ok(())
}

/// Takes snapshots of one job and prints its line; returns the command.
fn row(probe: &Path, map: &Path, directory: &Path, launcher: u32, ranks: u32) -> Result<String> {
    let snapshot = directory.join("probe.snapshot");
    let mut take = Command::new(probe);
    take.arg("--map")
        .arg(map)
        .args(["--launcher", &launcher.to_string(), "-o"])
        .arg(&snapshot);
    let (mut held, mut windows, mut walls, mut memory) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for _ in 0..SNAPSHOTS {
        let usage = used_by(&mut take)?;
        walls.push(usage.wall);
        memory = memory.max(usage.memory);
        let text = fs::read_to_string(&snapshot).context("the probe wrote no snapshot")?;
        let (header, tasks) = snapshot::read(&text).context("the snapshot cannot be read")?;
        windows.extend(header.window_us);
        held.extend(tasks.iter().filter_map(|task| task.held_ns));
    }
    held.sort_unstable();
    windows.sort_unstable();
    walls.sort_unstable();
    let late = held.get(held.len() * 99 / 100).copied();
    println!(
        "{ranks:<8} {:>9.1} us {:>9.1} us {:>9.1} us {:>9.1} ms {:>9.1} ms {:>7.1} MB",
        micro(median(&held).unwrap_or_default()),
        micro(late.unwrap_or_default()),
        micro(held.last().copied().unwrap_or_default()),
        median(&windows).unwrap_or_default() as f64 / 1e3,
        median(&walls).unwrap_or_default().as_secs_f64() * 1e3,
        memory as f64 / 1e6,
    );
    Ok(shown(&take).replace(&launcher.to_string(), "PID"))
}
