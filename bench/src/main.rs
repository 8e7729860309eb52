//! `order-bench [DIR]`: what a comparison costs, how long many tasks take to be put in order, and the analysis of loops.
//!
//! No job is involved: the stacks are made for the map of a small program, as a probe would record them. `DIR` is a
//! tree of C files to analyse in place of generated ones.
//!
//! # How it works
//!
//! Engines by themselves, without a job: the cost of a comparison, 100,000 tasks into classes, the analysis of
//! loops. `cargo xtask bench` runs it. `tree-bench` judges the map of a real source tree: the grammar alone over
//! the same files, loops and functions by class with the largest causes of what is missing, and a bound map
//! against the line table and the call instructions of the build, looked up as the order looks up a frame. `cargo
//! xtask bench --tree DIR -- FLAGS` runs it beside compilers and ctags.

mod lovs;
mod order;
mod program;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let tree = std::env::args_os().nth(1).map(PathBuf::from);
    order::print();
    match lovs::print(tree.as_deref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("order-bench: {reason}");
            ExitCode::from(2)
        }
    }
}

/// Repetitions; the least time is printed, since whatever else the machine does only adds.
const TIMES: usize = 5;

/// The least time of several runs, and the last result.
fn least<T>(mut run: impl FnMut() -> T) -> (Duration, T) {
    let mut measure = || {
        let start = Instant::now();
        let result = std::hint::black_box(run());
        (start.elapsed(), result)
    };
    let (mut best, mut last) = measure();
    for _ in 1..TIMES {
        let (time, result) = measure();
        best = best.min(time);
        last = result;
    }
    (best, last)
}
