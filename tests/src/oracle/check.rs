//! Holds verdicts against the truth.

use super::case::{Case, Moment, View, task_name};
use super::judge::{Judge, Question, Verdict};
use super::pairs::{Pair, Sample};
use super::stats::Stats;
use super::truth::Truth;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

/// What is wrong with a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// Before for after, or after for before: the worst.
    WrongOrder,
    /// A task that is leaving a loop is put after one that is further in it.
    LeavingAhead,
    /// Equal for two different executions.
    FalseEqual,
    /// Incomparable for two moments that have an order.
    FalseIncomparable,
    /// An order, or equality, of operands that C leaves unsequenced.
    OrderedOperands,
    /// An order of exclusive branches, though no value in sight differs.
    OrderedBranches,
    /// Asked the other way round, it does not say the reverse.
    NotAntisymmetric,
    /// a before b, b before c, but a not before c.
    NotTransitive,
    /// The proof of the verdict does not hold.
    Unproven,
}

/// A verdict that does not stand.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What is wrong.
    pub fault: Fault,
    /// Under which view.
    pub view: View,
    /// The moments concerned.
    pub a: Moment,
    /// See `a`.
    pub b: Moment,
    /// The truth.
    pub truth: Truth,
    /// The verdict.
    pub verdict: Verdict,
    /// More about it.
    pub note: String,
}

/// What came out for one case.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// All that is wrong.
    pub findings: Vec<Finding>,
    /// How much was decided.
    pub stats: Stats,
}

/// Asks `judge` about `sample` under each view, every pair in both directions.
///
/// # Errors
/// When the judge fails altogether.
pub fn judge_case(
    case: &Case,
    judge: &dyn Judge,
    sample: &Sample,
    views: &[View],
) -> Result<Outcome, String> {
    let mut places: BTreeMap<Moment, usize> = BTreeMap::new();
    let mut moments = Vec::new();
    for moment in sample.pairs.iter().flat_map(|pair| [pair.a, pair.b]) {
        places.entry(moment).or_insert_with(|| {
            moments.push(moment);
            moments.len() - 1
        });
    }
    let there = sample.pairs.iter().map(|pair| (places[&pair.a], places[&pair.b]));
    let pairs: Vec<(usize, usize)> = there.flat_map(|(a, b)| [(a, b), (b, a)]).collect();
    let questions: Vec<Question> = views
        .iter()
        .map(|&view| Question {
            view,
            moments: moments.clone(),
            pairs: pairs.clone(),
        })
        .collect();
    let answers = judge.judge(case, &questions)?;
    let mut outcome = Outcome::default();
    for (question, pair, note) in judge.flaws(case, &questions, &answers)? {
        let (a, b) = pairs[pair];
        outcome.findings.push(Finding {
            fault: Fault::Unproven,
            view: questions[question].view,
            a: moments[a],
            b: moments[b],
            truth: case.truth(moments[a], moments[b]),
            verdict: answers[question][pair].clone(),
            note,
        });
    }
    for (&view, verdicts) in views.iter().zip(&answers) {
        for (index, pair) in sample.pairs.iter().enumerate() {
            one(
                case,
                view,
                pair,
                &verdicts[2 * index],
                &verdicts[2 * index + 1],
                &mut outcome,
            );
        }
        for triple in &sample.triples {
            let of = |pair: usize| (&sample.pairs[pair], &verdicts[2 * pair]);
            if let Some((pair, verdict)) = intransitive(triple.map(of)) {
                outcome.findings.push(Finding {
                    fault: Fault::NotTransitive,
                    view,
                    a: pair.a,
                    b: pair.b,
                    truth: case.truth(pair.a, pair.b),
                    verdict: verdict.clone(),
                    note: String::new(),
                });
            }
        }
    }
    Ok(outcome)
}

fn one(case: &Case, view: View, pair: &Pair, verdict: &Verdict, reverse: &Verdict, outcome: &mut Outcome) {
    let truth = case.truth(pair.a, pair.b);
    let fault = fault(case, pair, truth, verdict);
    outcome.stats.count(view, pair, truth, verdict, fault);
    let mut report = |fault, verdict: &Verdict| {
        outcome.findings.push(Finding {
            fault,
            view,
            a: pair.a,
            b: pair.b,
            truth,
            verdict: verdict.clone(),
            note: String::new(),
        });
    };
    if let Some(fault) = fault {
        report(fault, verdict);
    }
    // Reasons may name the two sides in their order.
    let agree = match (verdict, reverse) {
        (Verdict::Unknown(_), Verdict::Unknown(_)) => true,
        _ => *reverse == verdict.reversed(),
    };
    if !agree {
        report(Fault::NotAntisymmetric, reverse);
    }
}

/// What is wrong with `verdict` when `truth` holds, if anything.
pub(crate) fn fault(case: &Case, pair: &Pair, truth: Truth, verdict: &Verdict) -> Option<Fault> {
    let same_run = pair.a.run == pair.b.run;
    match (truth, verdict) {
        (_, Verdict::Unknown(_)) | (Truth::Nothing, _) => None,
        (Truth::Before { .. } | Truth::FallsInto { first: true }, Verdict::Before)
        | (Truth::After { .. } | Truth::FallsInto { first: false }, Verdict::After) => None,
        (Truth::Before { escapes: true } | Truth::After { escapes: true }, Verdict::Incomparable) => None,
        (Truth::FallsInto { .. } | Truth::Branches | Truth::Unsequenced, Verdict::Incomparable) => None,
        (Truth::Before { .. } | Truth::After { .. } | Truth::Same(_), Verdict::Incomparable) => {
            Some(Fault::FalseIncomparable)
        }
        (Truth::Same(_), Verdict::Equal) => None,
        (Truth::Leaving { both: true, .. }, Verdict::Equal) if same_place(case, pair) => None,
        (Truth::Leaving { .. }, Verdict::Incomparable)
        | (Truth::Leaving { first: true, .. }, Verdict::Before)
        | (Truth::Leaving { first: false, .. }, Verdict::After) => None,
        // Two that are both out have the order of what follows the loop, and no oracle of their own.
        (Truth::Leaving { both: true, .. }, Verdict::Before | Verdict::After) => None,
        (
            Truth::Leaving { .. } | Truth::Before { escapes: true } | Truth::After { escapes: true },
            Verdict::Before | Verdict::After,
        ) => Some(Fault::LeavingAhead),
        // Before and after the effect of one statement: an order is right if it is this one.
        (Truth::Same(Ordering::Less), Verdict::Before) => None,
        (Truth::Same(Ordering::Greater), Verdict::After) => None,
        (
            Truth::Before { .. } | Truth::After { .. } | Truth::FallsInto { .. } | Truth::Same(_),
            Verdict::Before | Verdict::After,
        ) => Some(Fault::WrongOrder),
        (Truth::Unsequenced, _) => Some(Fault::OrderedOperands),
        (_, Verdict::Equal) => Some(Fault::FalseEqual),
        // A loop variable that one arm has moved already and the other not yet may order them.
        (Truth::Branches, _) if !same_run && values_differ(case, pair) => None,
        (Truth::Branches, _) => Some(Fault::OrderedBranches),
    }
}

/// Whether both moments are in the same calls.
fn same_place(case: &Case, pair: &Pair) -> bool {
    let sites = |moment| case.event(moment).frames.iter().map(|frame| frame.site);
    sites(pair.a).eq(sites(pair.b))
}

/// Whether any value differs in the frames that both moments share.
fn values_differ(case: &Case, pair: &Pair) -> bool {
    let (a, b) = (case.event(pair.a), case.event(pair.b));
    a.frames.iter().zip(&b.frames).any(|(x, y)| {
        x.function == y.function
            && x.values.iter().any(|(name, value)| {
                y.values
                    .iter()
                    .any(|(other, known)| other == name && known != value && name != "rank")
            })
    })
}

fn intransitive<'a>(pairs: [(&'a Pair, &'a Verdict); 3]) -> Option<(&'a Pair, &'a Verdict)> {
    let [(_, ab), (_, bc), (pair, ac)] = pairs;
    let expected = match (ab, bc) {
        (Verdict::Before, Verdict::Before | Verdict::Equal) | (Verdict::Equal, Verdict::Before) => {
            Verdict::Before
        }
        (Verdict::After, Verdict::After | Verdict::Equal) | (Verdict::Equal, Verdict::After) => {
            Verdict::After
        }
        (Verdict::Equal, Verdict::Equal) => Verdict::Equal,
        _ => return None,
    };
    (ac.is_decided() && *ac != expected).then_some((pair, ac))
}

impl Finding {
    /// The finding with its stacks, as a report to a human.
    #[must_use]
    pub fn describe(&self, case: &Case) -> String {
        let stack = |moment| {
            let task = case.record(moment, self.view);
            let frames: Vec<String> = task
                .frames
                .iter()
                .map(|frame| {
                    let at = match (frame.line, frame.column) {
                        (Some(line), Some(column)) => format!(":{line}:{column}"),
                        (Some(line), None) => format!(":{line}"),
                        _ => String::new(),
                    };
                    let value = |value: &snapshot::Value| serde_json::to_string(value).unwrap_or_default();
                    let local = frame
                        .values
                        .iter()
                        .map(|(name, v)| format!("{name}={}", value(v)));
                    format!(
                        "    {}{at}  {}",
                        frame.function,
                        local.collect::<Vec<_>>().join(" ")
                    )
                })
                .collect();
            format!(
                "  {} at time {}\n{}",
                task_name(moment),
                case.event(moment).time,
                frames.join("\n")
            )
        };
        format!(
            "{}: said {}, truth {:?}{}{}\n{}\n{}",
            self.fault,
            self.verdict,
            self.truth,
            if self.note.is_empty() { "" } else { ": " },
            self.note,
            stack(self.a),
            stack(self.b)
        )
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::WrongOrder => "wrong order",
            Fault::LeavingAhead => "leaving put ahead",
            Fault::FalseEqual => "false equal",
            Fault::FalseIncomparable => "false incomparable",
            Fault::OrderedOperands => "ordered operands",
            Fault::OrderedBranches => "ordered branches",
            Fault::NotAntisymmetric => "not antisymmetric",
            Fault::NotTransitive => "not transitive",
            Fault::Unproven => "proof does not hold",
        })
    }
}
