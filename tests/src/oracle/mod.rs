//! The execution oracle: random programs that are run, as the judge of every verdict about their order.
//!
//! A seed becomes a program ([`generate`]); the program becomes the text that the analysis sees ([`layout`]) and,
//! independently, the events of its runs on several ranks ([`interp`]), each with the truth about its place in the
//! run ([`truth`]). A [`judge::Judge`] answers for pairs of events, seeing only what a debugger would show, and
//! [`check`] holds the answers against the truth. What fails is made smaller ([`shrink`]) before it is shown.

pub mod ast;
pub mod case;
pub mod check;
pub mod compiled;
pub mod externals;
pub mod generate;
pub mod interp;
pub mod judge;
pub mod layout;
pub mod pairs;
pub mod proof;
pub mod reach;
pub mod rng;
pub mod shrink;
pub mod stats;
pub mod truth;

use case::{Case, View};
use check::{Fault, Outcome};
use generate::Profile;
use judge::Judge;
use stats::Stats;
use std::ops::Range;

/// How much is asked.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Pairs drawn per program.
    pub pairs: usize,
    /// Pairs per run on which the oracle checks itself.
    pub self_checks: usize,
    /// The most programs tried while shrinking a failure; 0 shows it as it is.
    pub shrinking: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            pairs: 480,
            self_checks: 20_000,
            shrinking: 600,
        }
    }
}

/// What a campaign found.
#[derive(Clone, Debug, Default)]
pub struct Campaign {
    /// Numbers over all seeds.
    pub stats: Stats,
    /// One report per failing seed: the seed, the faults, the shrunk program.
    pub failures: Vec<(u64, String)>,
    /// Events recorded.
    pub events: usize,
    /// Pairs on which the execution index was held against time.
    pub self_checked: usize,
    /// Lines of program text.
    pub lines: usize,
}

/// Judges the program of one seed under `views`.
///
/// # Errors
/// When the oracle is at fault: an invalid program, or an execution index that contradicts time; or when the judge
/// fails altogether.
pub fn check_seed(
    profile: Profile,
    seed: u64,
    judge: &dyn Judge,
    views: &[View],
    effort: Effort,
) -> Result<(Case, Outcome), String> {
    let case =
        Case::of_profile(profile, seed).map_err(|e| format!("seed {seed}: invalid program: {}", e.reason))?;
    let sample = pairs::draw(&case, effort.pairs);
    let outcome = check::judge_case(&case, judge, &sample, views).map_err(|e| format!("seed {seed}: {e}"))?;
    Ok((case, outcome))
}

/// Judges the programs of many seeds, on every processor there is.
///
/// # Errors
/// As [`check_seed`], for the first seed that has one.
pub fn campaign(
    profile: Profile,
    seeds: Range<u64>,
    judge: &dyn Judge,
    views: impl Fn(u64) -> Vec<View> + Sync,
    effort: Effort,
) -> Result<Campaign, String> {
    let all = crate::seeds::in_parallel(seeds, |seed| one(profile, seed, judge, &views(seed), effort));
    let mut result = Campaign::default();
    for campaign in all {
        result.add(campaign?);
    }
    Ok(result)
}

/// The campaign of one seed.
fn one(
    profile: Profile,
    seed: u64,
    judge: &dyn Judge,
    views: &[View],
    effort: Effort,
) -> Result<Campaign, String> {
    let (case, outcome) = check_seed(profile, seed, judge, views, effort)?;
    let self_checked = case
        .self_check(effort.self_checks)
        .map_err(|e| format!("seed {seed}: execution index: {e}"))?;
    let first = outcome.findings.iter().map(|finding| finding.fault).min();
    let report = first.map(|first| (seed, report(&case, judge, views, effort, first, &outcome)));
    Ok(Campaign {
        stats: outcome.stats,
        failures: report.into_iter().collect(),
        events: case.runs.iter().map(Vec::len).sum(),
        self_checked,
        lines: case.layout.clean.lines().count(),
    })
}

impl Campaign {
    fn add(&mut self, other: Campaign) {
        self.stats.add(&other.stats);
        self.failures.extend(other.failures);
        self.events += other.events;
        self.self_checked += other.self_checked;
        self.lines += other.lines;
    }
}

/// The faults of a case in words, with a program as small as it could be made.
fn report(
    case: &Case,
    judge: &dyn Judge,
    views: &[View],
    effort: Effort,
    fault: Fault,
    outcome: &Outcome,
) -> String {
    let judged = |program: &ast::Program| -> Option<(Case, Outcome)> {
        let case = Case::new(case.profile, case.seed, program.clone()).ok()?;
        let sample = pairs::draw(&case, effort.pairs);
        let outcome = check::judge_case(&case, judge, &sample, views).ok()?;
        outcome
            .findings
            .iter()
            .any(|finding| finding.fault == fault)
            .then_some((case, outcome))
    };
    let small = shrink::shrink(&case.program, effort.shrinking, |program| {
        judged(program).is_some()
    });
    let found = judged(&small);
    let (case, outcome) = found
        .as_ref()
        .map_or((case, outcome), |(case, outcome)| (case, outcome));
    let first = outcome.findings.iter().find(|finding| finding.fault == fault);
    let text: Vec<String> = case
        .layout
        .clean
        .lines()
        .enumerate()
        .map(|(i, line)| format!("{:>4}  {line}", i + 1))
        .collect();
    format!(
        "seed {}: {} findings; {}\n{}\n",
        case.seed,
        outcome.findings.len(),
        first.map(|finding| finding.describe(case)).unwrap_or_default(),
        text.join("\n")
    )
}
