//! Which pairs of moments are asked about.
//!
//! Uniform pairs are mostly easy. Nearly all errors show between moments that are near in time and between moments
//! on the same line, so those are drawn as often.

use super::case::{Case, Moment, View};
use super::generate::Profile;
use super::rng::Rng;
use super::truth::IndexStep;
use std::collections::BTreeMap;

/// How a pair was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Draw {
    /// Any two moments.
    Uniform,
    /// At most twelve events apart; of different runs, at most twelve apart in their own counts.
    Near,
    /// Same depth of the stack, same innermost function and line.
    SameLine,
    /// In the same statement of `main`, each as often as any other: a short loop gets its share beside long ones. Of hard
    /// programs only.
    SamePart,
    /// Part of a triple.
    Triple,
}

impl Draw {
    /// Whether such pairs count in the figures.
    #[must_use]
    pub fn is_counted(self) -> bool {
        !matches!(self, Draw::Triple | Draw::SamePart)
    }
}

/// Two moments, and how they were drawn.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The first.
    pub a: Moment,
    /// The second.
    pub b: Moment,
    /// How they were drawn.
    pub draw: Draw,
}

/// The pairs of a case, and triples as indices of three pairs (a, b), (b, c), (a, c).
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// All pairs.
    pub pairs: Vec<Pair>,
    /// Triples.
    pub triples: Vec<[usize; 3]>,
}

/// Draws about `count` pairs, a quarter of them of different runs.
#[must_use]
pub fn draw(case: &Case, count: usize) -> Sample {
    let view = View::of_seed(case.seed, false);
    let mut rng = Rng::new(case.seed ^ 0xd4a3);
    let mut sample = Sample::default();
    if case.runs.iter().any(Vec::is_empty) {
        return sample;
    }
    let lines = by_line(case, view);
    let parts = by_part(case);
    let groups = Groups {
        lines: lines.values().filter(|group| group.len() > 1).collect(),
        parts: parts.values().filter(|group| group.len() > 1).collect(),
    };
    let draws: &[Draw] = match case.profile {
        Profile::Plain => &[Draw::Uniform, Draw::Near, Draw::SameLine],
        Profile::Hard => &[
            Draw::Uniform,
            Draw::Near,
            Draw::SameLine,
            Draw::SamePart,
            Draw::SamePart,
        ],
    };
    for index in 0..count {
        let draw = draws[index % draws.len()];
        let across = index % 4 == 3;
        if let Some((a, b)) = pair(case, &mut rng, draw, across, &groups)
            && a != b
        {
            sample.pairs.push(Pair { a, b, draw });
        }
    }
    for _ in 0..count / 12 {
        let near = |rng: &mut Rng, from: Moment| {
            let run = if rng.chance(20) {
                rng.below(case.runs.len())
            } else {
                from.run
            };
            let event = (from.event + rng.below(25))
                .saturating_sub(12)
                .min(case.runs[run].len() - 1);
            Moment { run, event }
        };
        let a = any(case, &mut rng);
        let b = near(&mut rng, a);
        let c = near(&mut rng, b);
        if a != b && b != c && a != c {
            let first = sample.pairs.len();
            for (a, b) in [(a, b), (b, c), (a, c)] {
                let draw = Draw::Triple;
                sample.pairs.push(Pair { a, b, draw });
            }
            sample.triples.push([first, first + 1, first + 2]);
        }
    }
    sample
}

fn by_line(case: &Case, view: View) -> BTreeMap<(usize, usize, u32), Vec<Moment>> {
    let mut lines: BTreeMap<(usize, usize, u32), Vec<Moment>> = BTreeMap::new();
    for (run, events) in case.runs.iter().enumerate() {
        for (event, recorded) in events.iter().enumerate() {
            let moment = Moment { run, event };
            let last = recorded.frames.len() - 1;
            let key = (
                last,
                recorded.frames[last].function,
                case.line(moment, last, view),
            );
            lines.entry(key).or_default().push(moment);
        }
    }
    lines
}

/// By statement of `main`.
fn by_part(case: &Case) -> BTreeMap<usize, Vec<Moment>> {
    let mut parts: BTreeMap<usize, Vec<Moment>> = BTreeMap::new();
    for (run, events) in case.runs.iter().enumerate() {
        for (event, recorded) in events.iter().enumerate() {
            if let [_, IndexStep::Child { index, .. }, ..] = recorded.index[..] {
                parts.entry(index).or_default().push(Moment { run, event });
            }
        }
    }
    parts
}

/// Moments that have something in common.
struct Groups<'a> {
    lines: Vec<&'a Vec<Moment>>,
    parts: Vec<&'a Vec<Moment>>,
}

/// Any moment; tasks hang in calls far more often than in plain statements.
fn any(case: &Case, rng: &mut Rng) -> Moment {
    let run = rng.below(case.runs.len());
    any_of(case, rng, run)
}

fn any_of(case: &Case, rng: &mut Rng, run: usize) -> Moment {
    let events = &case.runs[run];
    let mut event = rng.below(events.len());
    for _ in 0..4 {
        if events[event].leaf.is_some() || rng.chance(10) {
            break;
        }
        event = rng.below(events.len());
    }
    Moment { run, event }
}

fn pair(
    case: &Case,
    rng: &mut Rng,
    draw: Draw,
    across: bool,
    groups: &Groups<'_>,
) -> Option<(Moment, Moment)> {
    let a = any(case, rng);
    let run = if across { 1 - a.run } else { a.run };
    match draw {
        Draw::Uniform => Some((a, any_of(case, rng, run))),
        Draw::Near | Draw::Triple => {
            let event = (a.event + rng.below(25))
                .saturating_sub(12)
                .min(case.runs[run].len() - 1);
            Some((a, Moment { run, event }))
        }
        Draw::SameLine | Draw::SamePart => {
            let groups = if draw == Draw::SameLine {
                &groups.lines
            } else {
                &groups.parts
            };
            if groups.is_empty() {
                return None;
            }
            let group = rng.pick(groups);
            for _ in 0..8 {
                let (a, b) = (*rng.pick(group), *rng.pick(group));
                if (a.run != b.run) == across && a != b {
                    return Some((a, b));
                }
            }
            None
        }
    }
}
