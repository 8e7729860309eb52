//! How much was decided, and why the rest was not.

use super::case::View;
use super::check::Fault;
use super::judge::Verdict;
use super::pairs::{Draw, Pair};
use super::truth::Truth;
use std::collections::BTreeMap;
use std::fmt;

/// What a row of the table is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    /// Columns were given.
    pub columns: bool,
    /// Some values could not be read.
    pub sparse: bool,
    /// The moments are of different runs.
    pub across: bool,
    /// How the pairs were drawn.
    pub draw: Draw,
}

/// The numbers of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Pairs about which there is a truth to be told.
    pub pairs: usize,
    /// Told rightly.
    pub right: usize,
    /// Told wrongly.
    pub wrong: usize,
    /// Not told.
    pub unknown: usize,
}

/// Numbers by row, and unknowns by the kind of their reasons.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    rows: BTreeMap<Row, Numbers>,
    reasons: BTreeMap<(bool, bool, String), usize>,
    faults: BTreeMap<Fault, usize>,
}

impl Stats {
    /// Counts one verdict.
    pub fn count(&mut self, view: View, pair: &Pair, truth: Truth, verdict: &Verdict, fault: Option<Fault>) {
        let row = Row {
            columns: view.columns,
            sparse: view.unreadable > 0,
            across: pair.a.run != pair.b.run,
            draw: pair.draw,
        };
        if let Some(fault) = fault {
            *self.faults.entry(fault).or_default() += 1;
        }
        if matches!(truth, Truth::Nothing | Truth::Unsequenced) && fault.is_none() {
            return;
        }
        let numbers = self.rows.entry(row).or_default();
        numbers.pairs += 1;
        match (verdict, fault) {
            (_, Some(_)) => numbers.wrong += 1,
            (Verdict::Unknown(unknown), None) => {
                numbers.unknown += 1;
                if !row.sparse && row.draw.is_counted() {
                    *self
                        .reasons
                        .entry((row.columns, row.across, unknown.kind.clone()))
                        .or_default() += 1;
                }
            }
            _ => numbers.right += 1,
        }
    }

    /// Adds the numbers of another case.
    pub fn add(&mut self, other: &Stats) {
        for (row, more) in &other.rows {
            let numbers = self.rows.entry(*row).or_default();
            numbers.pairs += more.pairs;
            numbers.right += more.right;
            numbers.wrong += more.wrong;
            numbers.unknown += more.unknown;
        }
        for (reason, more) in &other.reasons {
            *self.reasons.entry(reason.clone()).or_default() += more;
        }
        for (fault, more) in &other.faults {
            *self.faults.entry(*fault).or_default() += more;
        }
    }

    /// The sum over all rows of one view and kind of pair. Sparse ones are left out, and pairs that are drawn to find
    /// errors rather than to stand for all: triples, and those of one part.
    #[must_use]
    pub fn total(&self, columns: bool, across: bool) -> Numbers {
        let mut sum = Numbers::default();
        for (row, numbers) in &self.rows {
            if (row.columns, row.across, row.sparse) == (columns, across, false) && row.draw.is_counted() {
                sum.pairs += numbers.pairs;
                sum.right += numbers.right;
                sum.wrong += numbers.wrong;
                sum.unknown += numbers.unknown;
            }
        }
        sum
    }

    /// How often each fault was found.
    #[must_use]
    pub fn faults(&self) -> &BTreeMap<Fault, usize> {
        &self.faults
    }
}

impl Numbers {
    /// Per cent of the pairs that were told rightly.
    #[must_use]
    pub fn decided(&self) -> f64 {
        percent(self.right, self.pairs)
    }
}

fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        100.0 * part as f64 / whole as f64
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<8} {:<7} {:<10} {:>9} {:>9} {:>7} {:>8} {:>9}",
            "view", "pairs", "drawn", "number", "right", "wrong", "unknown", "decided"
        )?;
        let view = |columns: bool, sparse: bool| match (columns, sparse) {
            (_, true) => "sparse",
            (true, _) => "columns",
            (false, _) => "line",
        };
        let kind = |across: bool| if across { "across" } else { "same" };
        let mut line = |view: &str, kind: &str, draw: &str, n: Numbers| {
            let decided = n.decided();
            writeln!(
                f,
                "{view:<8} {kind:<7} {draw:<10} {:>9} {:>9} {:>7} {:>8} {decided:>8.1}%",
                n.pairs, n.right, n.wrong, n.unknown
            )
        };
        for (row, numbers) in &self.rows {
            let draw = format!("{:?}", row.draw);
            line(view(row.columns, row.sparse), kind(row.across), &draw, *numbers)?;
        }
        for (columns, across) in [(false, false), (false, true), (true, false), (true, true)] {
            let sum = self.total(columns, across);
            if sum.pairs > 0 {
                line(view(columns, false), kind(across), "all", sum)?;
            }
        }
        for (fault, number) in &self.faults {
            writeln!(f, "{fault}: {number}")?;
        }
        let mut reasons: Vec<_> = self.reasons.iter().collect();
        reasons.sort_by_key(|(reason, number)| (reason.0, reason.1, std::cmp::Reverse(**number)));
        for ((columns, across, reason), number) in reasons {
            let all = self.total(*columns, *across).pairs;
            let share = percent(*number, all);
            writeln!(
                f,
                "{:<8} {:<7} {number:>7} {share:>5.1}%  {reason}",
                view(*columns, false),
                kind(*across)
            )?;
        }
        Ok(())
    }
}
