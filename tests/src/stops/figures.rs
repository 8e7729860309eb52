//! How many stops, pairs and values there were, by compiler and level.

use super::build::Config;
use super::judge::Judged;
use super::moments::Stop;
use super::readings::Readings;
use crate::oracle::check::Fault;
use crate::oracle::judge::Verdict;
use std::collections::BTreeMap;
use std::fmt;

/// Pairs of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// Told rightly.
    pub right: usize,
    /// Told wrongly.
    pub wrong: usize,
    /// Not told.
    pub unknown: usize,
}

/// The numbers of one configuration.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// Programs that were built and stopped.
    pub programs: usize,
    /// Stops in calls of external functions.
    pub in_calls: usize,
    /// Stops at single instructions between them.
    pub between: usize,
    /// Pairs of stops that were both in calls.
    pub of_calls: Pairs,
    /// All other pairs.
    pub others: Pairs,
    /// What was read.
    pub readings: Readings,
    /// How often each fault was found.
    pub faults: BTreeMap<Fault, usize>,
}

/// Numbers by configuration.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// See above.
    pub of: BTreeMap<Config, Numbers>,
}

impl Numbers {
    /// Counts the stops of a program and the pairs of them.
    pub fn count(&mut self, stops: &[Stop], judged: &[Judged]) {
        self.programs += 1;
        self.in_calls += stops.iter().filter(|stop| stop.in_call()).count();
        self.between += stops.iter().filter(|stop| !stop.in_call()).count();
        for pair in judged {
            let of_calls = stops[pair.a].in_call() && stops[pair.b].in_call();
            let pairs = if of_calls {
                &mut self.of_calls
            } else {
                &mut self.others
            };
            if let Some(fault) = pair.fault {
                pairs.wrong += 1;
                *self.faults.entry(fault).or_default() += 1;
            } else if pair.counts {
                match pair.verdict {
                    Verdict::Unknown(_) => pairs.unknown += 1,
                    _ => pairs.right += 1,
                }
            }
        }
    }

    fn add(&mut self, other: &Numbers) {
        self.programs += other.programs;
        self.in_calls += other.in_calls;
        self.between += other.between;
        for (mine, more) in [
            (&mut self.of_calls, &other.of_calls),
            (&mut self.others, &other.others),
        ] {
            mine.right += more.right;
            mine.wrong += more.wrong;
            mine.unknown += more.unknown;
        }
        self.readings.add(&other.readings);
        for (fault, more) in &other.faults {
            *self.faults.entry(*fault).or_default() += more;
        }
    }
}

impl Figures {
    /// Adds the numbers of another program.
    pub fn add(&mut self, other: &Figures) {
        for (config, numbers) in &other.of {
            self.of.entry(*config).or_default().add(numbers);
        }
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = |pairs: &Pairs| format!("{} / {} / {}", pairs.right, pairs.wrong, pairs.unknown);
        writeln!(
            f,
            "{:<11} {:>8} {:>13} {:>22} {:>22} {:>20} {:>8} {:>16} {:>24} {:>14}",
            "build",
            "programs",
            "stops",
            "pairs of calls",
            "other pairs",
            "values",
            "between",
            "counters",
            "positions",
            "frames"
        )?;
        for (config, numbers) in &self.of {
            let read = &numbers.readings;
            writeln!(
                f,
                "{:<11} {:>8} {:>13} {:>22} {:>22} {:>20} {:>8} {:>16} {:>24} {:>14}",
                config.to_string(),
                numbers.programs,
                format!("{} + {}", numbers.in_calls, numbers.between),
                pairs(&numbers.of_calls),
                pairs(&numbers.others),
                format!(
                    "{} / {} / {}",
                    read.values_read, read.values_wrong, read.values_unreadable
                ),
                read.between_read,
                format!("{} / {}", read.counters_read, read.counters_unreadable),
                format!(
                    "{} / {} / {}",
                    read.same_column, read.other_column, read.other_line
                ),
                format!("{} -{} +{}", read.frames, read.frames_missing, read.frames_extra),
            )?;
            for (fault, number) in &numbers.faults {
                writeln!(f, "           {fault}: {number}")?;
            }
        }
        writeln!(
            f,
            "stops: in calls + between; pairs: right / wrong / unknown; values: right / wrong / unreadable,\n\
             right between two calls; counters: right / unreadable;\n\
             positions: line and column / line only / another line; frames: in truth, missing, extra"
        )
    }
}
