//! A program with its text and its runs: what a judge is asked about.

use super::ast::Program;
use super::generate::{self, Profile};
use super::interp::{self, Evaluation, Event, Invalid, Setting};
use super::layout::{self, Compiler, FILE, Layout};
use super::reach::{self, Loops};
use super::rng::{Rng, mix};
use super::truth::{self, Truth};
use std::collections::BTreeSet;

/// The ranks of every case.
pub const RANKS: [u32; 2] = [0, 1];

/// The most events of one run.
fn budget(profile: Profile) -> usize {
    match profile {
        Profile::Plain => 1_500,
        Profile::Hard => 700,
    }
}

/// A program with its text and its runs.
#[derive(Clone, Debug)]
pub struct Case {
    /// The kind of program.
    pub profile: Profile,
    /// The seed of program and runs.
    pub seed: u64,
    /// The program.
    pub program: Program,
    /// Its text.
    pub layout: Layout,
    /// By site: the loops that can come round again after it.
    coming_round: Vec<Loops>,
    /// The names of what some loop changes.
    counters: BTreeSet<String>,
    /// Its run on each of [`RANKS`].
    pub runs: Vec<Vec<Event>>,
}

/// A moment of a run: the index of the run and of the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Index of the run.
    pub run: usize,
    /// Index of the event.
    pub event: usize,
}

/// How much a debugger shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// Columns are known.
    pub columns: bool,
    /// The external function that a task is in is given as the last frame.
    pub leaf: bool,
    /// Whose numbering the positions follow.
    pub compiler: Compiler,
    /// So many per cent of the values could not be read.
    pub unreadable: u32,
    /// How frames name the source file.
    pub file: FileName,
    /// Only what changes in some loop was recorded.
    pub only_counters: bool,
}

/// How a recorder names the source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileName {
    /// As the analysis was given it.
    Given,
    /// With the directory in which the program was built.
    Absolute,
    /// Not at all.
    Absent,
}

impl View {
    /// The views under which the cases of `seed` are judged: by line, and with columns.
    #[must_use]
    pub fn of_seed(seed: u64, columns: bool) -> Self {
        let bits = mix(seed ^ 0x71e5);
        View {
            columns,
            leaf: bits & 1 == 0,
            compiler: if bits & 2 == 0 {
                Compiler::Gcc
            } else {
                Compiler::Clang
            },
            unreadable: 0,
            file: [FileName::Given, FileName::Absolute, FileName::Absent][(bits >> 2) as usize % 3],
            only_counters: bits >> 8 & 3 == 0,
        }
    }
}

impl Case {
    /// The case of the hard profile that belongs to `seed`.
    ///
    /// # Errors
    /// When the generator has made a program that is not valid.
    pub fn from_seed(seed: u64) -> Result<Self, Invalid> {
        Self::of_profile(Profile::Hard, seed)
    }

    /// The case of `profile` that belongs to `seed`.
    ///
    /// # Errors
    /// When the generator has made a program that is not valid.
    pub fn of_profile(profile: Profile, seed: u64) -> Result<Self, Invalid> {
        Self::new(profile, seed, generate::program(profile, seed))
    }

    /// `program` with the runs that belong to `seed`.
    ///
    /// # Errors
    /// When the program is not valid.
    pub fn new(profile: Profile, seed: u64, mut program: Program) -> Result<Self, Invalid> {
        let sites = program.number();
        let layout = layout::lay_out(&program, sites);
        let mut runs = Vec::new();
        for rank in RANKS {
            let mut events = interp::run(&program, Self::setting(profile, seed, rank))?;
            if profile == Profile::Plain {
                // A job hangs in calls.
                events.retain(|event| event.leaf.is_some());
            }
            runs.push(events);
        }
        let coming_round = reach::coming_round(&program, sites);
        let counters = program.counters();
        Ok(Self {
            profile,
            seed,
            program,
            coming_round,
            counters,
            layout,
            runs,
        })
    }

    /// How the program of `profile` and `seed` is run as `rank`.
    #[must_use]
    pub fn setting(profile: Profile, seed: u64, rank: u32) -> Setting {
        Setting {
            seed,
            rank,
            diverse: !mix(seed ^ 0xd1f).is_multiple_of(3),
            budget: budget(profile),
            evaluation: Evaluation::Random,
            c_view: false,
        }
    }

    /// The event of a moment.
    #[must_use]
    pub fn event(&self, moment: Moment) -> &Event {
        &self.runs[moment.run][moment.event]
    }

    /// The truth about two moments.
    #[must_use]
    pub fn truth(&self, a: Moment, b: Moment) -> Truth {
        let (x, y) = (self.event(a), self.event(b));
        if a.run == b.run {
            truth::same_run(x, y)
        } else {
            truth::across(x, y, &self.coming_round)
        }
    }

    /// Holds the execution index against time on `samples` random pairs of every run.
    ///
    /// # Errors
    /// The first disagreement.
    pub fn self_check(&self, samples: usize) -> Result<usize, String> {
        let mut rng = Rng::new(self.seed ^ 0x5e1f);
        let mut checked = 0;
        for events in &self.runs {
            let pairs: Vec<(usize, usize)> = (0..samples)
                .map(|_| (rng.below(events.len()), rng.below(events.len())))
                .collect();
            checked += truth::self_check(events, &pairs)?;
        }
        Ok(checked)
    }

    /// The line of frame `depth` of a moment, as `view` shows it.
    #[must_use]
    pub fn line(&self, moment: Moment, depth: usize, view: View) -> u32 {
        let frame = &self.event(moment).frames[depth];
        self.layout
            .sites
            .get(frame.site)
            .map_or(0, |site| site.position(view.compiler).0)
    }

    /// What a debugger records of a moment.
    #[must_use]
    pub fn record(&self, moment: Moment, view: View) -> snapshot::Task {
        let event = self.event(moment);
        let mut luck = Rng::new(mix(self.seed) ^ ((moment.run as u64) << 40) ^ moment.event as u64);
        let last = event.frames.len() - 1;
        let mut frames = Vec::new();
        for (depth, frame) in event.frames.iter().enumerate() {
            let site = self.layout.sites.get(frame.site).copied().unwrap_or_default();
            let (line, column) = site.position(view.compiler);
            // Which column a plain statement has is for each compiler to say.
            let known = view.columns && (depth < last || event.leaf.is_some());
            let values = frame.values.iter().filter(|(name, _)| {
                let wanted = !view.only_counters || self.counters.contains(name);
                // A die for each, so that one option does not change what the other one hides.
                !luck.chance(view.unreadable) && wanted
            });
            frames.push(snapshot::Frame {
                function: self.program.functions[frame.function].name.clone(),
                file: match view.file {
                    FileName::Given => Some(FILE.to_owned()),
                    FileName::Absolute => Some(format!("/build/job/{FILE}")),
                    FileName::Absent => None,
                },
                line: Some(line),
                column: known.then_some(column),
                values: values
                    .map(|(name, value)| (name.clone(), recorded(*value)))
                    .collect(),
                ..snapshot::Frame::default()
            });
        }
        if let Some(leaf) = event.leaf.as_ref().filter(|_| view.leaf) {
            frames.push(snapshot::Frame {
                function: leaf.clone(),
                ..snapshot::Frame::default()
            });
        }
        snapshot::Task {
            task: task_name(moment),
            rank: Some(RANKS[moment.run]),
            frames: frames.into(),
            ..snapshot::Task::default()
        }
    }
}

/// The name that a moment has in recorded stacks.
#[must_use]
pub fn task_name(moment: Moment) -> String {
    format!("r{}e{}", moment.run, moment.event)
}

fn recorded(value: interp::Seen) -> snapshot::Value {
    match value {
        interp::Seen::Int(value) => snapshot::Value::Integer(value),
        interp::Seen::Unsigned(value) => snapshot::Value::Unsigned(value),
        interp::Seen::Real(value) => snapshot::Value::Float(value),
    }
}
