//! What the measurements share.

use crate::command::{shown, succeed};
use anyhow::{Context, Result, bail};
use corpus::{Build, Mpi, Program};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Repetitions of what is fast; the median is printed.
pub const TIMES: usize = 7;

/// gdb on one process: its stack, and one variable in every frame that has such a one. (A frame that was inlined
/// cannot be chosen by its name.)
pub fn gdb_on(pid: u32, variable: &str) -> Command {
    let mut gdb = Command::new("gdb");
    gdb.args(["-nx", "-batch", "-p", &pid.to_string(), "-ex", "bt"]);
    gdb.arg("-ex")
        .arg(format!("frame apply all -s -q print {variable}"));
    gdb
}

/// eu-stack on one process.
pub fn eu_stack_on(pid: u32) -> Command {
    let mut eu_stack = Command::new("eu-stack");
    eu_stack.args(["-p", &pid.to_string()]);
    eu_stack
}

/// Says on what machine the figures are measured, and how much it has to do besides.
pub fn print_machine() {
    println!(
        "{} processors, load {}",
        std::thread::available_parallelism().map_or(1, usize::from),
        std::fs::read_to_string("/proc/loadavg")
            .unwrap_or_default()
            .trim()
    );
}

pub fn median_wall(command: &mut Command) -> Result<Duration> {
    let mut walls = Vec::new();
    for _ in 0..TIMES {
        walls.push(succeed(command)?.1);
    }
    walls.sort_unstable();
    median(&walls).context("nothing was measured")
}

pub fn best(times: usize, mut measure: impl FnMut() -> Result<Duration>) -> Result<Duration> {
    let mut walls = Vec::new();
    for _ in 0..times {
        walls.push(measure()?);
    }
    walls.into_iter().min().context("nothing was measured")
}

pub fn median<T: Copy>(sorted: &[T]) -> Option<T> {
    sorted.get(sorted.len() / 2).copied()
}

pub fn micro(ns: u64) -> f64 {
    ns as f64 / 1e3
}

/// What one run of a program used.
pub struct Usage {
    pub wall: Duration,
    /// Of all its threads.
    pub processor: Duration,
    /// The most memory that it held at once, in bytes.
    pub memory: u64,
}

/// How often a running program's memory and time are read. Both only grow, so what the last reading missed is small.
const READING: Duration = Duration::from_millis(2);

/// Runs a program to its end; what it prints is dropped.
pub fn used_by(command: &mut Command) -> Result<Usage> {
    used_by_printing(command, Stdio::null())
}

/// Runs a program to its end, with a place for what it prints.
pub fn used_by_printing(command: &mut Command, out: Stdio) -> Result<Usage> {
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start {:?}", command.get_program()))?;
    let (mut processor, mut memory) = (Duration::ZERO, 0);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        memory = memory.max(peak(child.id()).unwrap_or(0));
        processor = processor.max(ticks(child.id()).unwrap_or_default());
        thread::sleep(READING);
    };
    if !status.success() {
        bail!("{} failed ({status})", shown(command));
    }
    Ok(Usage {
        wall: start.elapsed(),
        processor,
        memory,
    })
}

/// `VmHWM` of a process.
fn peak(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// User and system time of a process.
fn ticks(pid: u32) -> Option<Duration> {
    Some(times(&format!("/proc/{pid}/stat"))?.0)
}

/// User and system time of all programs that we have run, and they, to their end.
pub fn time_of_children() -> Option<Duration> {
    Some(times("/proc/self/stat")?.1)
}

/// The time of a process and that of its children; in hundredths of a second, as every Linux counts them for programs.
fn times(stat: &str) -> Option<(Duration, Duration)> {
    let stat = fs::read_to_string(stat).ok()?;
    let fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let ticks: Vec<u64> = fields.take(4).map_while(|field| field.parse().ok()).collect();
    let &[user, system, children_user, children_system] = ticks.as_slice() else {
        return None;
    };
    let time = |ticks| Duration::from_millis(10 * ticks);
    Some((time(user + system), time(children_user + children_system)))
}

/// Builds the program of the comparisons, and makes its map; returns both.
pub(super) fn poisson_with_map(hindmost: &Path, directory: &Path) -> Result<(PathBuf, PathBuf)> {
    let build = Build {
        program: Program::Poisson,
        mpi: Mpi::OpenMpi,
        flags: &["-g", "-O2"],
    };
    let exe = build.compile(directory)?;
    let map = directory.join("poisson.hmap");
    let sources = [Program::Poisson.source(), corpus::directory().join("stall.c")];
    let mut make = Command::new(hindmost);
    make.args(["map", "-o"]).arg(&map).arg("--exe").arg(&exe);
    succeed(make.args(sources))?;
    Ok((exe, map))
}
