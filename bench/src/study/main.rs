//! `recorder-study DIR`: whom each way of looking at the recordings of a hung job names, for `cargo xtask inject --recorder`.
//!
//! One line for each way, `name: ranks`: what `hindmost waits` says, and AutomaDeD's inference alone (sections 3 and 4) by the model of each task (DIST) and by one of all
//! tasks (SEMI-DIST), each once by Table 1 and once by turns of loops before that. Then what the models have: `states` and `edges` of the largest, `merged` edges of all together.

use engine::recorded::{Certainty, Named, Rank, Record, Recording, View, least_by_inference, waiting};
use std::collections::BTreeSet;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(directory) = std::env::args_os().nth(1) else {
        eprintln!("usage: recorder-study DIR");
        return ExitCode::from(2);
    };
    let files = match std::fs::read_dir(&directory) {
        Ok(files) => files,
        Err(error) => {
            eprintln!("{}: {error}", directory.display());
            return ExitCode::from(2);
        }
    };
    let records: Vec<Record> = files
        .flatten()
        .filter_map(|file| std::fs::read(file.path()).ok())
        .filter_map(|bytes| Recording::read(&bytes).ok())
        .filter(|recording| recording.world.is_some())
        .map(|recording| Record {
            recording,
            is_gone: false,
            moves: false,
            threads: None,
            now: 0,
        })
        .collect();
    let waiting = waiting(&records);
    let (named, certainty) = match waiting.named(&waiting.verdict()) {
        Some(Named { ranks, doubt: None }) => (ranks, Certainty::Proven),
        Some(Named { ranks, .. }) => (ranks, Certainty::Probable),
        None => (Vec::new(), Certainty::Probable),
    };
    line("recorder", &named);
    println!("certainty: {certainty:?}");
    for (name, view, turns) in [
        ("dist", View::Own, true),
        ("semi-dist", View::Merged, true),
        ("dist by Table 1", View::Own, false),
        ("semi-dist by Table 1", View::Merged, false),
    ] {
        line(
            name,
            &least_by_inference(&records, &waiting.graph.edges, view, turns),
        );
    }
    let models = records.iter().map(|record| &record.recording.model);
    let states = models.clone().map(|model| model.states.len()).max();
    let edges = models.clone().map(|model| model.edges.len()).max();
    let merged: BTreeSet<(u64, u64)> = models
        .flat_map(|model| model.edges.iter().map(|edge| (edge.from, edge.to)))
        .collect();
    println!("states: {}", states.unwrap_or(0));
    println!("edges: {}", edges.unwrap_or(0));
    println!("merged: {}", merged.len());
    ExitCode::SUCCESS
}

fn line(name: &str, ranks: &[Rank]) {
    let ranks: Vec<String> = ranks.iter().map(|rank| rank.0.to_string()).collect();
    println!("{name}: {}", ranks.join(" "));
}
