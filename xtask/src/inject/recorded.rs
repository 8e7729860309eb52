//! The study of the flight recorder: whom it names of a job with one stalled rank, and whom AutomaDeD's inference names on the same recordings.
//!
//! As in AutomaDeD's paper (its section 5.2.2) an answer is *accurate* if the stalled rank is among those who are named, and *precise* if nobody else is. An answer
//! that names nobody, or everybody, is neither. `recorder-study` of the crate `bench` looks at the recordings: xtask is built without the engines.

use super::job::Void;
use super::moment::Moment;
use super::subject::{Subject, Toolchain};
use super::{Hung, Injector, Options, builds, out_directory};
use crate::command::{self, succeed};
use crate::setup;
use anyhow::{Context, Result, ensure};
use corpus::Mpi;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// The ways of looking, by the names that `recorder-study` has for them.
const WAYS: [&str; 5] = [
    "recorder",
    "semi-dist",
    "dist",
    "semi-dist by Table 1",
    "dist by Table 1",
];

/// Runs the study; fails if the recorder calls a wrong answer proven.
pub(super) fn run(options: &Options) -> Result<()> {
    setup::ensure()?;
    let hindmost = command::build_hindmost_with_recorder()?;
    let study = command::build_bench("recorder-study")?;
    let mut injector = Injector::new(hindmost.clone(), out_directory(options)?)?;
    for mpi in [Mpi::OpenMpi, Mpi::Mpich] {
        let recorder = command::make_recorder(&hindmost, mpi, &injector.out)?;
        injector.recorders.insert(mpi.name(), recorder);
    }
    let builds = builds(options)?;
    let seeds = options.only.map_or(options.seeds, |seed| (seed, seed + 1));
    let mut tally = Tally::default();
    for seed in seeds.0..seeds.1 {
        let (subject, toolchain) = &builds[usize::try_from(seed % builds.len() as u64)?];
        one(&mut injector, &study, subject, *toolchain, seed, &mut tally)?;
    }
    println!("\n{}", tally.print());
    ensure!(
        tally.wrong == 0,
        "{} answers of the recorder that were given as proven are wrong",
        tally.wrong
    );
    Ok(())
}

/// Stalls a rank, looks at the recordings, and counts what was said.
fn one(
    injector: &mut Injector,
    study: &Path,
    subject: &Subject,
    toolchain: Toolchain,
    seed: u64,
    tally: &mut Tally,
) -> Result<()> {
    let mut moment = Moment::UNKNOWN;
    let hung = injector.hang(subject, toolchain, seed, &mut moment)?;
    let head = format!(
        "{seed}: {} {}, rank {} {} {}",
        subject.name,
        toolchain.name(),
        moment.rank,
        moment.kind.word(),
        moment.at
    );
    let said = match hung {
        Ok(Hung { job, records, .. }) => {
            let (output, _) = succeed(Command::new(study).arg(job.recordings()))?;
            if job.records()? == records {
                Ok(Said::read(&String::from_utf8_lossy(&output.stdout))?)
            } else {
                Err(Void::WentOn)
            }
        }
        Err(void) => Err(void),
    };
    match said {
        Ok(said) => {
            let named = |(way, ranks): (&String, &BTreeSet<u32>)| format!("{way} {ranks:?}");
            let named: Vec<String> = said.named.iter().map(named).collect();
            let wrong = said.is_proven && !said.named["recorder"].contains(&moment.rank);
            let mark = if wrong { " PROVEN AND WRONG" } else { "" };
            println!("{head}: {}{mark}", named.join(", "));
            tally.wrong += u32::from(wrong);
            tally.add(&subject.name, subject.ranks, moment.rank, &said);
        }
        Err(void) => {
            println!("{head}: nothing to judge: {void}");
            *tally.void.entry(void.kind()).or_default() += 1;
        }
    }
    Ok(())
}

/// What `recorder-study` says of a job.
struct Said {
    named: BTreeMap<String, BTreeSet<u32>>,
    /// The recorder's own answer is said to be proven.
    is_proven: bool,
    /// Of the largest model, and edges of all together.
    states: u64,
    edges: u64,
    merged: u64,
}

impl Said {
    fn read(text: &str) -> Result<Said> {
        let lines: BTreeMap<&str, &str> = text.lines().filter_map(|line| line.split_once(':')).collect();
        let line = |name: &str| {
            let found = lines.get(name).map(|line| line.trim());
            found.with_context(|| format!("recorder-study says nothing of {name}"))
        };
        let mut named = BTreeMap::new();
        for way in WAYS {
            let ranks: Result<BTreeSet<u32>, _> = line(way)?.split_whitespace().map(str::parse).collect();
            named.insert(way.to_owned(), ranks?);
        }
        Ok(Said {
            named,
            is_proven: line("certainty")? == "Proven",
            states: line("states")?.parse()?,
            edges: line("edges")?.parse()?,
            merged: line("merged")?.parse()?,
        })
    }
}

/// How one way of looking did.
#[derive(Clone, Copy, Default)]
struct Score {
    accurate: u32,
    precise: u32,
    silent: u32,
}

/// How the ways did for one program, or for all.
#[derive(Clone, Default)]
struct Row {
    all: u32,
    scores: BTreeMap<&'static str, Score>,
    states: u64,
    edges: u64,
    merged: u64,
}

#[derive(Default)]
struct Tally {
    programs: BTreeMap<String, Row>,
    total: Row,
    void: BTreeMap<&'static str, u32>,
    wrong: u32,
}

impl Tally {
    fn add(&mut self, program: &str, size: u32, stalled: u32, said: &Said) {
        for row in [
            self.programs.entry(program.to_owned()).or_default(),
            &mut self.total,
        ] {
            row.all += 1;
            row.states = row.states.max(said.states);
            row.edges = row.edges.max(said.edges);
            row.merged = row.merged.max(said.merged);
            for way in WAYS {
                let named = &said.named[way];
                let score = row.scores.entry(way).or_default();
                if named.is_empty() || named.len() == size as usize {
                    score.silent += 1;
                } else if named.contains(&stalled) {
                    score.accurate += 1;
                    score.precise += u32::from(named.len() == 1);
                }
            }
        }
    }

    /// The tables, as Markdown.
    fn print(&self) -> String {
        let mut text = format!(
            "accurate, precise, nobody or everybody named, in percent of the injections\n\n| program | injections | {} | states, edges, edges of all |\n|---|---|{}---|\n",
            WAYS.join(" | "),
            "---|".repeat(WAYS.len())
        );
        let total = ("all".to_owned(), &self.total);
        let programs = self.programs.iter().map(|(name, row)| (name.clone(), row));
        for (name, row) in programs.chain([total]) {
            let part = |count: u32| 100 * count / row.all.max(1);
            let cells = WAYS.map(|way| {
                let score = row.scores.get(way).copied().unwrap_or_default();
                format!(
                    "{}, {}, {}",
                    part(score.accurate),
                    part(score.precise),
                    part(score.silent)
                )
            });
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "| {name} | {} | {} | {}, {}, {} |",
                row.all,
                cells.join(" | "),
                row.states,
                row.edges,
                row.merged
            );
        }
        for (why, count) in &self.void {
            let _ = writeln!(text, "\n{count}: {why}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::{Said, Tally};

    fn said(recorder: &str) -> Said {
        let others = "dist: 0 1\nsemi-dist: 0\ndist by Table 1: 0 1 2 3\nsemi-dist by Table 1:\n";
        let rest = "certainty: Proven\nstates: 7\nedges: 9\nmerged: 10\n";
        Said::read(&format!("recorder: {recorder}\n{others}{rest}")).unwrap()
    }

    #[test]
    fn accuracy_and_precision_are_counted_apart() {
        let mut tally = Tally::default();
        tally.add("a", 4, 0, &said("0"));
        tally.add("a", 4, 3, &said("0 3"));
        let text = tally.print();
        let row = "| a | 2 | 100, 50, 0 | 50, 50, 0 | 50, 0, 0 | 0, 0, 100 | 0, 0, 100 | 7, 9, 10 |";
        assert!(text.contains(row), "{text}");
        assert!(Said::read("recorder: 0\n").is_err());
    }
}
