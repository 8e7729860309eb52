//! `scale-bench`: prefix trees of up to a million synthetic tasks, merged and put in order.
//!
//! As a benchmark of STAT does it, tasks are made up: so many, of so many classes, with stacks of a depth, a branching and a
//! spread of loop values. Groups of 256 are made into partial trees and bytes, as the probe of one node would send
//! them; that is not part of the time. Measured is what a front end does: read all partial trees, merge them, order
//! the result. Each size runs in a process of its own, so that its memory is its own.

mod job;
mod nodes;
#[path = "../own.rs"]
mod own;
mod recordings;

use engine::{Findings, JobTree, TreeOptions};
use job::Job;
use own::{peak_megabytes, processor_time};
use rayon::prelude::*;
use report::{Form, TreeText};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match &words[..] {
        [] => all(),
        [nodes, sizes @ ..] if nodes == "nodes" => of_nodes(sizes),
        [what, directory] if what == "recordings" => recordings::measure(Path::new(directory)),
        [kind, tasks] => number(tasks).and_then(|tasks| one(kind, tasks)),
        [kind, tasks, directory] => number(tasks).and_then(|tasks| record(kind, tasks, directory)),
        _ => Err("usage: scale-bench [nodes [--reducer FILE] SIZE… | recordings DIRECTORY | KIND TASKS [DIRECTORY]]".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("scale-bench: {reason}");
            ExitCode::from(2)
        }
    }
}

fn number(tasks: &str) -> Result<u32, String> {
    tasks
        .parse()
        .map_err(|_| format!("'{tasks}' is no number of tasks"))
}

/// What a front end does with the answers of nodes: of so many each, with a reducer or without, or one step of that.
fn of_nodes(words: &[String]) -> Result<(), String> {
    let (reducer, words) = match words {
        [option, reducer, sizes @ ..] if option == "--reducer" => (Some(Path::new(reducer)), sizes),
        words => (None, words),
    };
    if let [step, count, file, rest @ ..] = words
        && number(step).is_err()
    {
        return nodes::one(
            step,
            number(count)?,
            file,
            rest.first().map_or("", String::as_str),
        );
    }
    let sizes: Vec<u32> = words.iter().map(|word| number(word)).collect::<Result<_, _>>()?;
    nodes::all(&sizes, reducer)
}

/// The job as files: its program, and its recorded stacks.
fn record(kind: &str, tasks: u32, directory: &str) -> Result<(), String> {
    Job::new(kind, tasks)?
        .record(Path::new(directory))
        .map_err(|error| format!("{directory}: {error}"))
}

/// Every measurement, each in a process of its own.
fn all() -> Result<(), String> {
    println!(
        "Partial trees of {} tasks, read, merged and ordered ({} processors)\n",
        job::PER_NODE,
        std::thread::available_parallelism().map_or(1, usize::from)
    );
    println!(
        "{:>9}  {:<9} {:>8} {:>8} {:>8} {:>9} {:>9} {:>8} {:>7} {:>6} {:>9}",
        "tasks",
        "job",
        "merge",
        "order",
        "both",
        "processor",
        "per task",
        "memory",
        "nodes",
        "lines",
        "B/partial"
    );
    let me = std::env::current_exe().map_err(|error| error.to_string())?;
    for (kind, sizes) in [
        ("few", &[1_024, 16_384, 65_536, 212_992, 1_048_576][..]),
        ("many", &[1_024, 16_384, 65_536, 212_992, 1_048_576]),
        ("skewed", &[1_024, 16_384, 65_536, 212_992, 1_048_576]),
    ] {
        for &size in sizes {
            let status = Command::new(&me)
                .args([kind, &size.to_string()])
                .status()
                .map_err(|error| error.to_string())?;
            if !status.success() {
                return Err(format!("{kind} {size}: {status}"));
            }
        }
    }
    println!(
        "\nfew: 4 classes, one task behind; many: 64 classes, tasks dealt in turn; skewed: every task in an iteration of its own.\n\
         processor: user and system time of both; memory: the largest that the process had, the partial trees included."
    );
    Ok(())
}

fn one(kind: &str, tasks: u32) -> Result<(), String> {
    let job = Job::new(kind, tasks)?;
    let partial: Vec<Vec<u8>> = (0..job.nodes())
        .into_par_iter()
        .map(|node| job.partial(node))
        .collect();
    let bytes: usize = partial.iter().map(Vec::len).sum();
    // What making the tasks has taken does not count.
    let reset = std::fs::write("/proc/self/clear_refs", "5").is_ok();
    let (start, busy) = (Instant::now(), processor_time());
    let tree = JobTree::merged(&partial).map_err(|error| error.to_string())?;
    let merging = start.elapsed();
    let ordered = tree.ordered(&job.map, &TreeOptions::default());
    let whole = start.elapsed();
    let busy = processor_time().saturating_sub(busy);
    let found = Findings {
        tree: Some(ordered),
        ..Findings::of_map(&job.map)
    };
    let text = report::write(&found, Form::Tree(TreeText::default()), &|_| None).unwrap_or_default();
    let ordered = found.tree.as_ref().ok_or("no tree")?;
    let hindmost: u64 = ordered
        .classes
        .iter()
        .filter(|class| class.hindmost)
        .map(|class| class.tasks.len())
        .sum();
    let expected = job.hindmost();
    if hindmost != expected {
        return Err(format!(
            "{kind} {tasks}: {hindmost} hindmost tasks, not {expected}\n{text}"
        ));
    }
    let milliseconds = |time: std::time::Duration| time.as_secs_f64() * 1e3;
    println!(
        "{:>9}  {kind:<9} {:>5.0} ms {:>5.0} ms {:>5.0} ms {:>6.0} ms {:>6.0} ns {:>5} MB{} {:>6} {:>6} {:>9}",
        grouped(tasks),
        milliseconds(merging),
        milliseconds(whole - merging),
        milliseconds(whole),
        milliseconds(busy),
        whole.as_secs_f64() * 1e9 / f64::from(tasks),
        peak_megabytes(),
        if reset { " " } else { "*" },
        ordered.nodes.len(),
        text.lines().count(),
        bytes / partial.len(),
    );
    Ok(())
}

fn grouped(number: u32) -> String {
    let digits = number.to_string();
    let parts: Vec<String> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|part| String::from_utf8_lossy(part).into_owned())
        .collect();
    parts.join(",")
}
