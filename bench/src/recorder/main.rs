//! `recorder-bench`: the analysis of what very many tasks have recorded.
//!
//! The tasks are made up: so many, with 1,000 states each, a loop with branches, of which the counts differ from one of 1,000 models to the next;
//! 64 ranks at different places are asked about. What is measured is the inference (SEMI-DIST): equal models are merged, one chain is made of all, and those who are asked
//! about are compared. Each size runs in a process of its own, so that its memory is its own.

#[path = "../own.rs"]
mod own;

use own::{peak_megabytes, processor_time};
use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Instant;
use waitgraph::Rank;
use waitgraph::chain::State;
use waitgraph::progress::{Model, Past, View, inferred, least_progressed};

const STATES: u32 = 1_000;
const MODELS: u32 = 1_000;
const ASKED: u32 = 64;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.first().map(|tasks| tasks.parse()) {
        None => all(),
        Some(Ok(tasks)) => {
            one(tasks);
            ExitCode::SUCCESS
        }
        Some(Err(_)) => {
            eprintln!("usage: recorder-bench [TASKS]");
            ExitCode::from(2)
        }
    }
}

fn all() -> ExitCode {
    println!(
        "inference of {ASKED} ranks among tasks with {STATES} states each, of {MODELS} models: time, processor time, memory"
    );
    for tasks in ["1024", "32768", "100000", "1000000"] {
        let own = std::env::current_exe();
        let status = own.and_then(|own| Command::new(own).arg(tasks).status());
        if !status.is_ok_and(|status| status.success()) {
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// A loop over all states in which each second one may be passed by; the turns differ between models.
fn model(number: u32) -> Model {
    let turns = 100 + u64::from(number % 7);
    let mut steps = Vec::new();
    let mut visits = BTreeMap::new();
    for state in 0..STATES {
        let passed = u64::from((number + state) % 5);
        let next = |by: u32| State((state + by) % STATES);
        steps.push((State(state), next(1), turns - passed));
        if state.is_multiple_of(2) && passed > 0 {
            steps.push((State(state), next(2), passed));
        }
        visits.insert(State(state), turns + u64::from(state < number % STATES));
    }
    Model { steps, visits }
}

fn one(tasks: u32) {
    let models: Vec<Arc<Model>> = (0..MODELS).map(|number| Arc::new(model(number))).collect();
    let pasts: Vec<Past> = (0..tasks)
        .map(|rank| Past {
            rank: Rank(rank),
            model: Arc::clone(&models[(rank % MODELS) as usize]),
            at: State(rank * 7 % STATES),
        })
        .collect();
    let asked: BTreeSet<Rank> = (0..ASKED).map(|number| Rank(number * (tasks / ASKED))).collect();
    let (begun, before) = (Instant::now(), processor_time());
    let found = inferred(&pasts, &asked, View::Merged);
    let pairs: Vec<(Rank, Rank)> = found.iter().map(|each| (each.ahead, each.behind)).collect();
    let least = least_progressed(&Vec::from_iter(asked), &pairs, &[]);
    println!(
        "  {tasks:>9} tasks  {:>7.3} s  {:>7.3} s  {:>6} MB  ({} pairs, {} least)",
        begun.elapsed().as_secs_f64(),
        (processor_time() - before).as_secs_f64(),
        peak_megabytes(),
        found.len(),
        least.len(),
    );
}
