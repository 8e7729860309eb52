//! The least that a slice may hold: what an event of a real run rested on.
//!
//! A random program is run by the oracle's interpreter, which notes what every executed piece rests on
//! ([`Dependences`]). For an event of that run, the lines that it rested on must be in the slice of its line, and in
//! the slice of its stack. This finds a line that is missing even where leaving it out would not have changed a value.

use super::generate;
use crate::oracle::ast::Program;
use crate::oracle::generate::{Profile, program};
use crate::oracle::interp::{Dependences, Evaluation, Event, Setting, run_traced};
use crate::oracle::layout::{FILE, Layout, lay_out};
use crate::oracle::rng::{Rng, mix};
use engine::{DependenceGraph, SliceFrame, SliceOptions, SourceFile, dependence_graph};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

/// What kind of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProgramKind {
    /// Full of data: [`generate`].
    Data,
    /// Full of control flow: the order's hard profile.
    Control,
    /// Textbook programs: the order's plain profile.
    Plain,
}

impl ProgramKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Data, Self::Control, Self::Plain];

    /// The program of a seed.
    #[must_use]
    pub fn program(self, seed: u64) -> Program {
        match self {
            Self::Data => generate::program(seed),
            Self::Control => program(Profile::Hard, seed),
            Self::Plain => program(Profile::Plain, seed),
        }
    }
}

/// The most events of one run.
const EVENTS: usize = 500;

/// How many events of a run are held against slices.
const VISITS: usize = 12;

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Programs.
    pub programs: usize,
    /// Events held against slices, of their line and of their stack.
    pub visits: usize,
    /// Slices that there should have been: with the reason.
    pub refused: usize,
    /// Lines of all dynamic slices together, and of the static ones of line and stack for the same events.
    pub dynamic_lines: usize,
    /// See there.
    pub line_lines: usize,
    /// See there.
    pub stack_lines: usize,
    /// Lines of the programs, as often.
    pub program_lines: usize,
    /// One line taken from slices of lines, at random: how often that would have been noticed.
    pub mutants: usize,
    /// See there.
    pub noticed: usize,
    /// One report for each program with a line missing.
    pub faults: Vec<(u64, String)>,
}

/// A program that is run.
struct Subject {
    program: Program,
    layout: Layout,
}

impl Subject {
    fn new(kind: ProgramKind, seed: u64) -> Self {
        let mut program = kind.program(seed);
        let sites = program.number();
        let layout = lay_out(&program, sites);
        Self { program, layout }
    }

    fn run(&self, seed: u64, rank: u32) -> Result<(Vec<Event>, Dependences), String> {
        let setting = Setting {
            seed,
            rank,
            diverse: true,
            budget: EVENTS,
            evaluation: Evaluation::Random,
            c_view: false,
        };
        run_traced(&self.program, setting, &self.layout.lines).map_err(|e| {
            format!(
                "seed {seed}: invalid program: {}\n{}",
                e.reason, self.layout.clean
            )
        })
    }

    fn graph(&self) -> DependenceGraph {
        let file = SourceFile {
            path: FILE.to_owned(),
            bytes: self.layout.clean.clone().into_bytes(),
        };
        dependence_graph(vec![file], None, &|_| {}).unwrap()
    }

    /// The line that an event is stopped at.
    fn line(&self, event: &Event) -> u32 {
        let site = event.frames.last().map_or(0, |frame| frame.site);
        self.layout.sites[site].own.0
    }

    fn stack(&self, event: &Event) -> Vec<SliceFrame> {
        let callees = self.positions(event).skip(1).map(|(name, _)| Some(name));
        let callees = callees.chain([event.leaf.as_deref()]);
        let frames = self.positions(event).zip(callees);
        frames
            .map(|((name, line), callee)| SliceFrame::on_line(FILE, name, line, callee))
            .collect()
    }

    /// The functions of a stack, outermost first, each with its line.
    fn positions<'e>(&'e self, event: &'e Event) -> impl Iterator<Item = (&'e str, u32)> {
        event.frames.iter().map(|frame| {
            let name = self.program.functions[frame.function].name.as_str();
            (name, self.layout.sites[frame.site].own.0)
        })
    }

    /// The text, with the lines of a slice marked, and those that are missing.
    fn show(&self, slice: &BTreeSet<u32>, missing: &BTreeMap<u32, Vec<u32>>) -> String {
        let lines = (1..).zip(self.layout.clean.lines()).map(|(line, text)| {
            let mark = match (slice.contains(&line), missing.contains_key(&line)) {
                (_, true) => "missing",
                (true, _) => "      |",
                _ => "       ",
            };
            format!("{line:>4} {mark} {text}\n")
        });
        lines.collect()
    }
}

/// Holds the slices of one program against a run of it.
///
/// # Errors
/// The generator made a program that is not valid.
pub fn check_seed(kind: ProgramKind, seed: u64) -> Result<Found, String> {
    let subject = Subject::new(kind, seed);
    let graph = subject.graph();
    let mut found = Found {
        programs: 1,
        ..Found::default()
    };
    let mut rng = Rng::new(mix(seed ^ 0x511ce));
    for rank in [0, 1] {
        let (events, dependences) = subject.run(seed, rank)?;
        for _ in 0..VISITS / 2 {
            if events.is_empty() {
                break;
            }
            let at = rng.below(events.len());
            let event = &events[at];
            let line = subject.line(event);
            let truth = dependences.slice(at);
            found.visits += 1;
            found.dynamic_lines += truth.len();
            found.program_lines += subject.layout.clean.lines().count();
            let of_line = graph.slice_at(FILE, line, None, SliceOptions::default());
            let of_stack = graph.slice_stack(&subject.stack(event), SliceOptions::default());
            for (slice, of) in [(of_line, "line"), (of_stack, "stack")] {
                let lines: BTreeSet<u32> = match slice {
                    Ok(slice) => slice.lines().into_iter().map(|(_, line)| line).collect(),
                    Err(why) => {
                        found.refused += 1;
                        found
                            .faults
                            .push((seed, format!("seed {seed}: line {line}: no slice: {why}")));
                        continue;
                    }
                };
                let missing: BTreeMap<u32, Vec<u32>> = truth
                    .iter()
                    .filter(|(line, _)| !lines.contains(line))
                    .map(|(line, chain)| (*line, chain.clone()))
                    .collect();
                if of == "line" {
                    found.line_lines += lines.len();
                    found.mutants += 1;
                    let all = Vec::from_iter(&lines);
                    let dropped = rng.below(all.len().max(1));
                    found.noticed +=
                        usize::from(all.get(dropped).is_some_and(|line| truth.contains_key(line)));
                } else {
                    found.stack_lines += lines.len();
                }
                if !missing.is_empty() && found.faults.is_empty() {
                    let chains = missing.iter().map(|(line, chain)| {
                        let chain = Vec::from_iter(chain.iter().map(u32::to_string));
                        format!("  line {line}: {}\n", chain.join(" rests on "))
                    });
                    let report = format!(
                        "{kind:?} seed {seed}, rank {rank}, event {at}: the slice of its {of} ({}) leaves out\n{}{}",
                        subject
                            .positions(event)
                            .map(|(name, line)| format!("{name}:{line}"))
                            .collect::<Vec<_>>()
                            .join(" > "),
                        String::from_iter(chains),
                        subject.show(&lines, &missing)
                    );
                    found.faults.push((seed, report));
                }
            }
        }
    }
    Ok(found)
}

/// The same for many seeds, on every processor there is.
///
/// # Errors
/// As [`check_seed`], for the first seed that has one.
pub fn campaign(kind: ProgramKind, seeds: Range<u64>) -> Result<Found, String> {
    let mut sum = Found::default();
    for found in crate::seeds::in_parallel(seeds, |seed| check_seed(kind, seed)) {
        sum.add(found?);
    }
    Ok(sum)
}

impl Found {
    fn add(&mut self, other: Found) {
        self.programs += other.programs;
        self.visits += other.visits;
        self.refused += other.refused;
        self.dynamic_lines += other.dynamic_lines;
        self.line_lines += other.line_lines;
        self.stack_lines += other.stack_lines;
        self.program_lines += other.program_lines;
        self.mutants += other.mutants;
        self.noticed += other.noticed;
        self.faults.extend(other.faults);
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mean = |lines: usize| lines as f64 / self.visits.max(1) as f64;
        writeln!(f, "programs                      {:>7}", self.programs)?;
        writeln!(f, "events held against slices    {:>7}", self.visits)?;
        writeln!(f, "  programs with a line missing{:>7}", self.faults.len())?;
        writeln!(
            f,
            "mean lines: rested on         {:>7.1}",
            mean(self.dynamic_lines)
        )?;
        writeln!(f, "  slice of the stack          {:>7.1}", mean(self.stack_lines))?;
        writeln!(f, "  slice of the line           {:>7.1}", mean(self.line_lines))?;
        writeln!(
            f,
            "  program                     {:>7.1}",
            mean(self.program_lines)
        )?;
        writeln!(
            f,
            "a line taken out: noticed     {:>6.0} %",
            100.0 * self.noticed as f64 / self.mutants.max(1) as f64
        )
    }
}
