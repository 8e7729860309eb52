//! What the measurements share.

use crate::command::succeed;
use anyhow::{Context, Result};
use std::process::Command;
use std::time::Duration;

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
