//! The order of stopped tasks, held against what is known of their moments.
//!
//! Of a task in a call everything is known. One that was stopped between two calls is somewhere between two events: an
//! order is wrong when it is wrong for every moment in between, and equality when all of one stretch lies before all of
//! the other. Two stops of one run also have the order in which they were made.

use super::moments::{Runs, Stop};
use crate::oracle::case::Moment;
use crate::oracle::check::{self, Fault};
use crate::oracle::judge::{Unknown, Verdict};
use crate::oracle::pairs::{Draw, Pair};
use crate::oracle::rng::Rng;
use crate::oracle::truth::Truth;
use engine::{Analysis, Relation};
use snapshot::Task;

/// A judged pair of stops.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Index of the first stop.
    pub a: usize,
    /// Index of the second.
    pub b: usize,
    /// What the order says.
    pub verdict: Verdict,
    /// What is wrong with it.
    pub fault: Option<Fault>,
    /// Whether there is anything to be told.
    pub counts: bool,
}

/// Asks about `count` pairs of `stops`, in both directions.
#[must_use]
pub fn judge(map: &engine::Map, runs: &Runs, stops: &[Stop], count: usize, seed: u64) -> Vec<Judged> {
    let tasks: Vec<Task> = stops.iter().map(|stop| stop.task.clone()).collect();
    let comparer = Analysis::new(map, &tasks, base::RankSet::default());
    let verdict = |a: usize, b: usize| {
        let (relation, reason) = comparer.compare(a, b);
        match relation {
            Relation::Before => Verdict::Before,
            Relation::After => Verdict::After,
            Relation::Equal => Verdict::Equal,
            Relation::Incomparable => Verdict::Incomparable,
            Relation::Unknown => Verdict::Unknown(Unknown::plain(&reason)),
        }
    };
    let mut judged = Vec::new();
    for (a, b) in draw(stops, count, seed) {
        let (there, back) = (verdict(a, b), verdict(b, a));
        let mut fault = fault(runs, &stops[a], &stops[b], &there);
        let agree = match (&there, &back) {
            (Verdict::Unknown(_), Verdict::Unknown(_)) => true,
            _ => back == there.reversed(),
        };
        if !agree {
            fault = fault.or(Some(Fault::NotAntisymmetric));
        }
        // C leaves the order of operands open, but in one build their code has one.
        let is_order = matches!(there, Verdict::Before | Verdict::After);
        if fault == Some(Fault::OrderedOperands) && is_order && comparer.rests_on_code(a, b) {
            fault = None;
        }
        let counts = fault.is_some() || tells(runs, &stops[a], &stops[b]);
        judged.push(Judged {
            a,
            b,
            verdict: there,
            fault,
            counts,
        });
    }
    judged
}

/// Random pairs, half of them near in time.
fn draw(stops: &[Stop], count: usize, seed: u64) -> Vec<(usize, usize)> {
    let mut rng = Rng::new(seed ^ 0x570b);
    let mut pairs = Vec::new();
    for _ in 0..count {
        let a = rng.below(stops.len());
        // Stops of all runs lie round by round in the list.
        let b = if rng.chance(50) {
            (a + rng.below(17)).saturating_sub(8).min(stops.len() - 1)
        } else {
            rng.below(stops.len())
        };
        if a != b {
            pairs.push((a, b));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

fn tells(runs: &Runs, a: &Stop, b: &Stop) -> bool {
    if a.run == b.run {
        return true;
    }
    let (x, y) = (moment(a, a.first), moment(b, b.first));
    !matches!(runs.case.truth(x, y), Truth::Nothing | Truth::Unsequenced)
}

fn moment(stop: &Stop, event: usize) -> Moment {
    Moment { run: stop.run, event }
}

/// What is wrong with a verdict about two stops.
fn fault(runs: &Runs, a: &Stop, b: &Stop, verdict: &Verdict) -> Option<Fault> {
    let exact = a.in_call() && b.in_call();
    let of_events = |x: usize, y: usize, verdict: &Verdict| {
        let pair = Pair {
            a: moment(a, x),
            b: moment(b, y),
            draw: Draw::Uniform,
        };
        check::fault(&runs.case, &pair, runs.case.truth(pair.a, pair.b), verdict)
    };
    if a.run == b.run && a.first == b.first && a.last == b.last {
        // Two stops of one stretch, or one call seen twice.
        let order = a.number.cmp(&b.number);
        let wrong = match verdict {
            Verdict::Before => order.is_gt(),
            Verdict::After => order.is_lt(),
            Verdict::Incomparable => true,
            Verdict::Equal | Verdict::Unknown(_) => false,
        };
        return wrong.then_some(Fault::WrongOrder);
    }
    if exact {
        return of_events(a.first, b.first, verdict);
    }
    let truth = |x: usize, y: usize| runs.case.truth(moment(a, x), moment(b, y));
    match verdict {
        Verdict::Unknown(_) => None,
        // The earliest that the one can be, and the latest that the other can be.
        Verdict::Before => stretch(truth(a.first, b.last), of_events(a.first, b.last, verdict)),
        Verdict::After => stretch(truth(a.last, b.first), of_events(a.last, b.first, verdict)),
        Verdict::Equal => {
            let apart = matches!(truth(a.last, b.first), Truth::Before { .. })
                || matches!(truth(a.first, b.last), Truth::After { .. });
            apart.then_some(Fault::FalseEqual)
        }
        Verdict::Incomparable => {
            let apart = a.run == b.run && (a.last < b.first || b.last < a.first);
            apart.then_some(Fault::FalseIncomparable)
        }
    }
}

/// A fault of an order that holds between the nearest ends of two stretches holds for all that is in them, if there is
/// an order at all.
fn stretch(truth: Truth, fault: Option<Fault>) -> Option<Fault> {
    match truth {
        Truth::Before { .. } | Truth::After { .. } | Truth::Leaving { .. } => fault,
        _ => None,
    }
}

/// A pair with its fault, for people.
#[must_use]
pub fn describe(runs: &Runs, stops: &[Stop], judged: &Judged) -> String {
    let one = |stop: &Stop| {
        let frames: Vec<String> = stop.task.frames.iter().map(frame).collect();
        let truth = |event: usize| {
            format!(
                "  event {event} of run {}: {}",
                stop.run,
                stack(runs, stop.run, event)
            )
        };
        let mut known = truth(stop.first);
        if !stop.in_call() {
            known = format!("{known}\n{}", truth(stop.last));
        }
        format!("  stop {}\n{known}\n{}", stop.task.task, frames.join("\n"))
    };
    let (a, b) = (&stops[judged.a], &stops[judged.b]);
    let truth = |x, y| format!("{:?}", runs.case.truth(moment(a, x), moment(b, y)));
    let fault = judged.fault.map_or_else(String::new, |fault| fault.to_string());
    format!(
        "{fault}: said {}; truth {} to {}\n{}\n{}",
        judged.verdict,
        truth(a.first, b.last),
        truth(a.last, b.first),
        one(a),
        one(b)
    )
}

/// The stack of an event as the interpreter knows it.
fn stack(runs: &Runs, run: usize, event: usize) -> String {
    let event = &runs.case.runs[run][event];
    let frames = event.frames.iter().map(|frame| {
        let site = runs
            .case
            .layout
            .sites
            .get(frame.site)
            .copied()
            .unwrap_or_default();
        let name = &runs.case.program.functions[frame.function].name;
        format!("{name}:{}:{}", site.own.0, site.own.1)
    });
    let mut frames: Vec<String> = frames.collect();
    frames.extend(event.leaf.clone());
    frames.join(" ")
}

/// A frame as one line.
#[must_use]
pub fn frame(frame: &snapshot::Frame) -> String {
    let number = |n: Option<u32>| n.map_or("?".to_owned(), |n| n.to_string());
    let values = frame
        .values
        .iter()
        .map(|(name, value)| format!("{name}={}", serde_json::to_string(value).unwrap_or_default()));
    let missing = frame
        .missing
        .iter()
        .map(|(name, reason)| format!("{name}: {reason}"));
    let all: Vec<String> = values.chain(missing).collect();
    format!(
        "    {}{}:{}:{} @{:x} {}",
        if frame.inlined { "(inlined) " } else { "" },
        frame.function,
        number(frame.line),
        number(frame.column),
        frame.pc.unwrap_or(0),
        all.join(", ")
    )
}
