//! The claims of a map against the truth.

use super::run::{Pass, Runs};
use super::sheet::{Mark, MarkedLoop, Sheet};
use super::truth::{Truth, agree, sequences, ways};
use progress_map::{Across, Assumption, Cut, Direction, Growth, Lov, LovClass, Map, Term, TermOp};
use std::fmt;

/// The best that the map claims of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claim {
    /// Strict, values the same on every rank.
    StrictSame(Assumption),
    /// Strict, and the number of its steps can be told on every rank.
    StrictRelative,
    /// Strict on one rank.
    StrictAlone,
    /// Never the other way.
    Weak,
    /// Nothing.
    Refused,
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Claim::StrictSame(Assumption::Proven) => "strict-same",
            Claim::StrictSame(_) => "strict-same, assumed",
            Claim::StrictRelative => "strict-relative",
            Claim::StrictAlone => "strict, one rank",
            Claim::Weak => "weak",
            Claim::Refused => "refused",
        })
    }
}

/// A marked loop: what is true of it, what is claimed, and what is false.
#[derive(Clone, Debug)]
pub struct Score {
    /// The function around the loop.
    pub function: String,
    /// The variable that the loop is about.
    pub variable: String,
    /// What is true of it, in the world where unknown functions return the same on every rank.
    pub truth: Truth,
    /// Some variable of the loop tells the iteration on all ranks, or tells it by steps from its start.
    pub winnable: bool,
    /// The best claim.
    pub claim: Claim,
    /// The variable of that claim, and why; or what was refused, with the reasons.
    pub because: String,
    /// Claims that a run contradicts.
    pub contradictions: Vec<String>,
}

impl Score {
    /// The claim orders iterations of different ranks.
    #[must_use]
    pub fn is_won(&self) -> bool {
        matches!(self.claim, Claim::StrictSame(_) | Claim::StrictRelative)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let same = match (self.truth.same, self.truth.countable) {
            (true, _) => "same",
            (false, true) => "countable",
            (false, false) => "differs",
        };
        let truth = format!("{:?} {same}", self.truth.motion);
        write!(
            f,
            "{:<26} {:<17} {:<21} {}",
            self.function,
            truth,
            self.claim.to_string(),
            self.because
        )
    }
}

/// Judges every mark of a sheet.
///
/// # Errors
/// When a mark is not in the map, or a variable that the map lists is not marked.
pub fn score(sheet: &Sheet, map: &Map, runs: &Runs) -> Result<Vec<Score>, String> {
    sheet
        .marks
        .iter()
        .map(|mark| {
            let place = mark.place(map)?;
            let in_loop = place.in_loop();
            if let Some(lov) = in_loop
                .lovs
                .iter()
                .find(|lov| !mark.variables.contains(&lov.name))
            {
                return Err(format!("{}: '{}' is not marked", mark.function, lov.name));
            }
            let contradictions = in_loop
                .lovs
                .iter()
                .filter_map(|lov| {
                    let found = contradictions(lov, place, runs);
                    // One run is enough to see what is wrong.
                    let why = found.first()?;
                    let more = found.len() - 1;
                    Some(format!("{} {}: {why} (and {more} more)", mark.function, lov.name))
                })
                .collect();
            let (claim, because) = best(place);
            let truth = |name: &String| Truth::of(runs, 0, &mark.function, name);
            Ok(Score {
                function: mark.function.clone(),
                variable: mark.variables[0].clone(),
                truth: truth(&mark.variables[0]),
                winnable: mark.variables.iter().any(|name| truth(name).tells_iterations()),
                claim,
                because,
                contradictions,
            })
        })
        .collect()
}

/// What a map claims of the loops of a sheet: by mark, the best claim, and where a run contradicts one. What is claimed in a function
/// that was read in part counts like everything else: nothing may be claimed there.
///
/// # Errors
/// When a mark is not in the map.
pub fn claims(sheet: &Sheet, map: &Map, runs: &Runs) -> Result<Vec<(Claim, Vec<String>)>, String> {
    let of = |mark: &Mark| {
        let place = mark.place(map)?;
        let lovs = place.in_loop().lovs.iter();
        // A variable that is not marked is the loop's own business: `left` counts for itself.
        let marked = lovs.filter(|lov| mark.variables.contains(&lov.name));
        let false_claims = marked.filter_map(|lov| {
            let found = contradictions(lov, place, runs);
            let why = found.first()?;
            Some(format!("{}: {why}; {}", lov.name, lov.because()))
        });
        let false_claims = false_claims.collect();
        Ok((best(place).0, false_claims))
    };
    sheet.marks.iter().map(of).collect()
}

fn best(place: MarkedLoop<'_>) -> (Claim, String) {
    let of = |lov: &Lov| match (lov.class, lov.across) {
        (LovClass::Strict, Across::SameSequence) => Claim::StrictSame(lov.assumption),
        (LovClass::Strict, Across::Relative) => Claim::StrictRelative,
        (LovClass::Strict, Across::Nothing) => Claim::StrictAlone,
        (LovClass::Weak, _) => Claim::Weak,
    };
    if place.function.confidence == base::Confidence::Partial {
        // What is claimed there is never used.
        let reason = place.function.confidence_reason.clone().unwrap_or_default();
        return (Claim::Refused, format!("not fully understood: {reason}"));
    }
    let in_loop = place.in_loop();
    match in_loop.lovs.iter().min_by_key(|lov| of(lov)) {
        Some(lov) => (of(lov), format!("{}: {}", lov.name, lov.because())),
        None if !in_loop.reducible => (Claim::Refused, "the loop has several entries".to_owned()),
        None => {
            let reasons = in_loop.refused.iter();
            let words = Vec::from_iter(reasons.map(|each| format!("{}: {}", each.name, each.why)));
            (Claim::Refused, words.join("; "))
        }
    }
}

/// Where the claim is false.
fn contradictions(lov: &Lov, place: MarkedLoop<'_>, runs: &Runs) -> Vec<String> {
    let mut found = Vec::new();
    for (world, logs) in runs.iter().enumerate() {
        let function = &place.function.name;
        let ranks = Vec::from_iter(logs.iter().map(|log| log.activations(function, &lov.name)));
        for (rank, activations) in ranks.iter().enumerate() {
            let on_rank = activations.iter().find_map(|passes| alone(lov, place, passes));
            found.extend(on_rank.map(|why| format!("world {world}, rank {rank}: {why}")));
        }
        let across = |activations: &Vec<Vec<&Pass>>| -> Vec<Vec<f64>> {
            match lov.across {
                Across::Relative => activations
                    .iter()
                    .map(|passes| counts(lov, place, passes))
                    .collect(),
                Across::SameSequence | Across::Nothing => sequences(activations, &lov.name),
            }
        };
        if lov.across == Across::Nothing {
            continue;
        }
        let first = across(&ranks[0]);
        for (rank, activations) in ranks.iter().enumerate().skip(1) {
            let pairs = across(activations);
            let differing = pairs.iter().zip(&first).find(|(mine, first)| !agree(mine, first));
            found.extend(differing.map(|(mine, first)| {
                format!(
                    "world {world}: {:?}, but ranks 0 and {rank} have {first:?} and {mine:?}",
                    lov.across
                )
            }));
        }
    }
    found
}

/// What of the claim is false on one rank, if anything is.
fn alone(lov: &Lov, place: MarkedLoop<'_>, passes: &[&Pass]) -> Option<String> {
    let values: Vec<f64> = passes
        .iter()
        .filter_map(|pass| pass.get(&lov.name).copied())
        .collect();
    let sign = passes.first().and_then(|pass| term(lov.step.as_ref(), pass));
    // The order itself refuses floating-point values so far out that the step is lost in rounding (`Growth::Floating`).
    let spacing = |pair: &[f64]| 2.0 * f64::EPSILON * pair[0].abs().max(pair[1].abs());
    let lost = |pair: &[f64]| !sign.is_some_and(|step| step.abs() > spacing(pair));
    if lov.growth == Growth::Floating && values.windows(2).any(lost) {
        return None;
    }
    let (up, down, not_down, not_up) = ways(&values);
    let holds = match (lov.class, lov.direction, sign) {
        (LovClass::Strict, Direction::Up, _) => up,
        (LovClass::Strict, Direction::Down, _) => down,
        (LovClass::Weak, Direction::Up, _) => not_down,
        (LovClass::Weak, Direction::Down, _) => not_up,
        // A step of zero orders nothing, and the order knows it.
        (LovClass::Strict, Direction::SignOfStep, Some(step)) => {
            step > 0.0 && up || step < 0.0 && down || step == 0.0
        }
        (LovClass::Weak, Direction::SignOfStep, Some(step)) => {
            step > 0.0 && not_down || step < 0.0 && not_up || step == 0.0
        }
        (_, Direction::SignOfStep, None) => false,
    };
    if !holds {
        return Some(format!(
            "{:?} {:?}, but it has {values:?}",
            lov.class, lov.direction
        ));
    }
    if let Cut::Header { per_iteration, .. } = lov.cut {
        let exact = values
            .windows(2)
            .all(|pair| pair[1] - pair[0] == per_iteration as f64);
        if !exact {
            return Some(format!("moves by {per_iteration}, but it has {values:?}"));
        }
    }
    // By a step of zero nothing is counted, and the order knows it.
    if lov.across == Across::Relative && sign != Some(0.0) {
        let counts = counts(lov, place, passes);
        // Counted from the start of the loop, where the cut is its header; else by updates, which are as many in each iteration.
        let first = counts.first().copied().unwrap_or_default();
        let by = counts.get(1).map_or(1.0, |second| second - first);
        let steady = counts
            .iter()
            .enumerate()
            .all(|(pass, count)| *count == first + by * pass as f64);
        let whole = counts.iter().all(|count| count.fract() == 0.0);
        let from_header = matches!(lov.cut, Cut::Header { .. });
        if counts.len() != values.len() || !steady || !whole || from_header && (first != 0.0 || by != 1.0) {
            return Some(format!("Relative, but {values:?} gives the counts {counts:?}"));
        }
    }
    None
}

/// How many steps from its start the variable is at each pass, as the map says that they are counted.
fn counts(lov: &Lov, place: MarkedLoop<'_>, passes: &[&Pass]) -> Vec<f64> {
    let offset = match &lov.cut {
        Cut::Header { offsets, .. } => offsets
            .iter()
            .find(|&&(point, _)| point == place.point)
            .map_or(0.0, |&(_, offset)| offset as f64),
        Cut::Updates => 0.0,
    };
    let count = |pass: &&Pass| {
        let value = pass.get(&lov.name)?;
        let start = term(lov.start.as_ref(), pass)?;
        let step = match lov.cut {
            Cut::Header { per_iteration, .. } => per_iteration as f64,
            Cut::Updates => term(lov.step.as_ref(), pass)?,
        };
        (lov.growth == Growth::Additive && step != 0.0).then(|| (value - offset - start) / step)
    };
    passes.iter().filter_map(count).collect()
}

fn term(asked: Option<&Term>, pass: &Pass) -> Option<f64> {
    match asked? {
        Term::Constant(value) => Some(*value as f64),
        Term::Float(value) => Some(*value),
        Term::Variable { name, negated, .. } => {
            let value = *pass.get(name)?;
            Some(if *negated { -value } else { value })
        }
        Term::Arithmetic { op, operands } => {
            let [left, right] = [term(Some(&operands[0]), pass)?, term(Some(&operands[1]), pass)?];
            Some(match op {
                TermOp::Add => left + right,
                TermOp::Sub => left - right,
                TermOp::Mul => left * right,
                TermOp::Div => (left / right).trunc(),
                TermOp::Rem => left % right,
            })
        }
    }
}
