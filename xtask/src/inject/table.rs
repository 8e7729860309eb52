//! The table of all injections, for docs/order.md.

use super::job::Void;
use super::judge::Verdict;
use std::collections::BTreeMap;
use std::fmt::{Display, Write};

/// How the injections of one kind of build came out.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    proven: u32,
    probable: u32,
    behind: u32,
    undecided: u32,
    undecidable: u32,
    acquitted: u32,
    wrong_proven: u32,
    wrong_probable: u32,
}

/// Counts verdicts.
#[derive(Debug, Default)]
pub struct Table {
    builds: BTreeMap<String, Row>,
    programs: BTreeMap<String, Row>,
    kinds: BTreeMap<&'static str, Row>,
    reasons: BTreeMap<String, u32>,
    void: BTreeMap<&'static str, u32>,
}

impl Row {
    fn add(&mut self, verdict: &Verdict) {
        *match verdict {
            Verdict::Right { proven: true } => &mut self.proven,
            Verdict::Right { proven: false } => &mut self.probable,
            Verdict::Behind { .. } => &mut self.behind,
            Verdict::Undecided { .. } => &mut self.undecided,
            Verdict::Undecidable => &mut self.undecidable,
            Verdict::Acquitted => &mut self.acquitted,
            Verdict::Wrong { proven: true, .. } => &mut self.wrong_proven,
            Verdict::Wrong { proven: false, .. } => &mut self.wrong_probable,
        } += 1;
    }

    fn all(&self) -> u32 {
        let right = self.proven + self.probable + self.behind;
        right + self.undecided + self.undecidable + self.acquitted + self.wrong_proven + self.wrong_probable
    }

    fn print(&self, name: &str, text: &mut String) {
        let all = self.all();
        let part = |count: u32| {
            format!(
                "{count} ({:.0} %)",
                100.0 * f64::from(count) / f64::from(all.max(1))
            )
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| {name} | {all} | {} | {} | {} | {} | {} | {} | {} | {} |",
            part(self.proven),
            part(self.probable),
            self.behind,
            self.undecided,
            self.undecidable,
            self.acquitted,
            self.wrong_probable,
            self.wrong_proven
        );
    }
}

impl Table {
    /// Counts an answer.
    pub fn add(&mut self, build: &str, program: &str, kind: &'static str, verdict: &Verdict) {
        self.builds.entry(build.to_owned()).or_default().add(verdict);
        self.programs.entry(program.to_owned()).or_default().add(verdict);
        self.kinds.entry(kind).or_default().add(verdict);
        if let Verdict::Undecided { kind, .. } = verdict {
            *self.reasons.entry(kind.clone()).or_default() += 1;
        }
    }

    /// Counts an injection that came to nothing.
    pub fn add_void(&mut self, why: &Void) {
        *self.void.entry(why.kind()).or_default() += 1;
    }

    /// How many answers were wrong that were given as certain: proven ones, and that nobody is behind.
    pub fn wrong(&self) -> u32 {
        self.builds
            .values()
            .map(|row| row.wrong_proven + row.acquitted)
            .sum()
    }

    /// The tables, as Markdown.
    pub fn print(&self) -> String {
        let mut text = String::new();
        for (what, rows) in [
            (
                "build",
                Vec::from_iter(self.builds.iter().map(|(name, row)| (name.as_str(), row))),
            ),
            (
                "program",
                Vec::from_iter(self.programs.iter().map(|(name, row)| (name.as_str(), row))),
            ),
            (
                "stalled",
                Vec::from_iter(self.kinds.iter().map(|(name, row)| (*name, row))),
            ),
        ] {
            let _ = writeln!(
                text,
                "| {what} | injections | right, proven | right, probable | another, further behind | undecided | undecidable | wrongly nobody | wrong, probable | wrong, proven |\n|---|---|---|---|---|---|---|---|---|---|"
            );
            for (name, row) in rows {
                row.print(name, &mut text);
            }
            text.push('\n');
        }
        counted("Undecided, by reason", &self.reasons, &mut text);
        counted("Nothing to judge", &self.void, &mut text);
        text
    }
}

fn counted<K: Ord + Display>(title: &str, counts: &BTreeMap<K, u32>, text: &mut String) {
    if counts.is_empty() {
        return;
    }
    let _ = writeln!(text, "{title}:\n");
    let mut counts = Vec::from_iter(counts);
    counts.sort_by_key(|&(reason, count)| (std::cmp::Reverse(count), reason));
    for (reason, count) in counts {
        let _ = writeln!(text, "- {count}: {reason}");
    }
    text.push('\n');
}
