//! The two opinions side by side.

use super::ir::{Evolution, IrLoop};
use base::Confidence;
use progress_map::{
    Across, Cut, Function, Growth, Loop, LoopSource, Lov, LovClass, Map, PointKind, Refusal, Storage,
};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The best that the map says of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Ours {
    Same,
    Relative,
    Alone,
    Weak,
    None,
}

const OURS: [(Ours, &str); 5] = [
    (Ours::Same, "strict, same on all ranks"),
    (Ours::Relative, "strict, counted from its start"),
    (Ours::Alone, "strict on one rank"),
    (Ours::Weak, "weak"),
    (Ours::None, "none"),
];

const THEIRS: [(Evolution, &str); 4] = [
    (Evolution::Constant, "constant step"),
    (Evolution::Invariant, "invariant step"),
    (Evolution::Polynomial, "polynomial"),
    (Evolution::None, "none"),
];

/// Loops by both opinions, and the differences by kind.
pub struct Comparison {
    counts: BTreeMap<(Ours, Evolution), usize>,
    /// We say strict, they see no recurrence: by kind, the places.
    ours_only: BTreeMap<String, Vec<String>>,
    /// They see a recurrence, we have no strict variable.
    theirs_only: BTreeMap<String, Vec<String>>,
    /// They see a recurrence, ours cannot be compared across ranks.
    alone: BTreeMap<String, Vec<String>>,
    /// Loops of the map that are not in the IR, by why.
    not_in_ir: BTreeMap<String, usize>,
    /// Loops of the IR that are not in the map.
    not_in_map: Vec<String>,
}

type SourcePosition = (String, u32, u32);

impl Comparison {
    /// Compares the loops of a map with those of the IR.
    pub fn new(map: &Map, loops: &[IrLoop]) -> Self {
        let mut comparison = Comparison {
            counts: BTreeMap::new(),
            ours_only: BTreeMap::new(),
            theirs_only: BTreeMap::new(),
            alone: BTreeMap::new(),
            not_in_ir: BTreeMap::new(),
            not_in_map: Vec::new(),
        };
        let mut theirs: BTreeMap<SourcePosition, Vec<Evolution>> = BTreeMap::new();
        for each in loops {
            let place = (plain(&each.file), each.line, each.column);
            theirs.entry(place).or_default().push(each.evolution);
        }
        let mut ours: BTreeMap<SourcePosition, Vec<(&Function, &Loop)>> = BTreeMap::new();
        for function in &map.functions {
            for in_loop in &function.loops {
                let path = plain(&map.files[function.file].path);
                let place = (path, in_loop.span.line, in_loop.span.column);
                ours.entry(place).or_default().push((function, in_loop));
            }
        }
        for (place, mut here) in ours {
            let mut there = theirs.remove(&place).unwrap_or_default();
            // Several loops of one place come out of a macro; the better ones are taken for each other.
            here.sort_by_key(|(function, in_loop)| best(function, in_loop));
            there.sort();
            let mut there = there.into_iter();
            for (function, in_loop) in here {
                match there.next() {
                    Some(evolution) => comparison.pair(&place, function, in_loop, evolution),
                    None => {
                        let why = match in_loop.source {
                            LoopSource::Goto => "made by goto, which the IR does not mark",
                            _ => "in code that these flags leave out, or that never repeats",
                        };
                        *comparison.not_in_ir.entry(why.to_owned()).or_default() += 1;
                    }
                }
            }
        }
        comparison.not_in_map = theirs.into_keys().map(|place| shown(&place)).collect();
        comparison
    }

    fn pair(&mut self, place: &SourcePosition, function: &Function, in_loop: &Loop, evolution: Evolution) {
        let ours = best(function, in_loop);
        *self.counts.entry((ours, evolution)).or_default() += 1;
        let affine = matches!(evolution, Evolution::Constant | Evolution::Invariant);
        let (kinds, kind) = match ours {
            Ours::Same | Ours::Relative | Ours::Alone if evolution == Evolution::None => {
                (&mut self.ours_only, why_not_theirs(in_loop))
            }
            Ours::Alone if affine => (&mut self.alone, why_alone(in_loop)),
            Ours::Weak | Ours::None if affine => (&mut self.theirs_only, why_not_ours(function, in_loop)),
            _ => return,
        };
        kinds.entry(kind).or_default().push(shown(place));
    }

    /// Everything as text.
    pub fn table(&self, examples: usize) -> String {
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = write!(out, "\n{:<32}", "the map \\ scalar evolution");
        for (_, name) in THEIRS {
            let _ = write!(out, "{name:>16}");
        }
        let _ = writeln!(out, "{:>9}", "all");
        for (ours, name) in OURS {
            let row = THEIRS.map(|(theirs, _)| self.counts.get(&(ours, theirs)).copied().unwrap_or(0));
            let _ = write!(out, "{name:<32}");
            for count in row {
                let _ = write!(out, "{count:>16}");
            }
            let _ = writeln!(out, "{:>9}", row.iter().sum::<usize>());
        }
        for (why, count) in &self.not_in_ir {
            let _ = writeln!(out, "not in the IR: {count}: {why}");
        }
        kinds(
            &mut out,
            "strict here, no recurrence there",
            &self.ours_only,
            examples,
        );
        kinds(
            &mut out,
            "strict on one rank here, a recurrence there",
            &self.alone,
            examples,
        );
        kinds(
            &mut out,
            "a recurrence there, nothing strict here",
            &self.theirs_only,
            examples,
        );
        let _ = writeln!(out, "\nnot in the map: {}", self.not_in_map.len());
        for place in self.not_in_map.iter().take(examples) {
            let _ = writeln!(out, "  {place}");
        }
        out
    }
}

fn kinds(out: &mut String, title: &str, kinds: &BTreeMap<String, Vec<String>>, examples: usize) {
    let total: usize = kinds.values().map(Vec::len).sum();
    let _ = writeln!(out, "\n{title}: {total}");
    let mut sorted: Vec<_> = kinds.iter().collect();
    sorted.sort_by_key(|(kind, places)| (std::cmp::Reverse(places.len()), *kind));
    for (kind, places) in sorted {
        let some: Vec<&str> = places.iter().take(examples).map(String::as_str).collect();
        let _ = writeln!(out, "  {:>5}  {kind}: {}", places.len(), some.join(" "));
    }
}

fn best(function: &Function, in_loop: &Loop) -> Ours {
    // What is claimed there is never used.
    if function.confidence == Confidence::Partial {
        return Ours::None;
    }
    let each = in_loop.lovs.iter().map(|lov| match (lov.class, lov.across) {
        (LovClass::Strict, Across::SameSequence) => Ours::Same,
        (LovClass::Strict, Across::Relative) => Ours::Relative,
        (LovClass::Strict, Across::Nothing) => Ours::Alone,
        (LovClass::Weak, _) => Ours::Weak,
    });
    each.min().unwrap_or(Ours::None)
}

/// What there is to our best variable that scalar evolution does not follow.
fn why_not_theirs(in_loop: &Loop) -> String {
    let Some(lov) = in_loop.lovs.iter().min_by_key(|lov| lov.class == LovClass::Weak) else {
        return "no variable".to_owned();
    };
    let kind = match (&lov.storage, lov.growth, &lov.cut) {
        (_, Growth::Floating, _) => "floating point",
        (_, Growth::Multiplicative, _) => "grows or shrinks by a factor",
        (Storage::Member { .. } | Storage::Global { .. } | Storage::Pointee(_), ..) => "held in memory",
        (Storage::Range { .. }, ..) => "a loop over a range",
        (Storage::Local { .. }, _, Cut::Updates) => "several steps, or one on every path",
        (Storage::Local { .. }, _, Cut::Header { .. }) => "a local in memory, or its loop was made two",
    };
    kind.to_owned()
}

fn why_alone(in_loop: &Loop) -> String {
    let strict = in_loop.lovs.iter().filter(|lov| lov.class == LovClass::Strict);
    let lack = strict.filter_map(Lov::lack).next();
    lack.map_or_else(String::new, |lack| lack.to_string())
}

fn why_not_ours(function: &Function, in_loop: &Loop) -> String {
    if function.confidence == Confidence::Partial {
        return "function not fully understood".to_owned();
    }
    if !in_loop.reducible {
        return "several entries".to_owned();
    }
    let by_macro = function
        .points
        .iter()
        .any(|point| matches!(point.kind, PointKind::MacroCall(_)) && in_loop.span.contains(point.span));
    match &in_loop.refused[..] {
        [] if by_macro => "no variable; a macro in it was not expanded".to_owned(),
        [] => "no variable is seen to change".to_owned(),
        all => {
            // The likeliest counter is the one that came nearest; other candidates are what the body computes.
            let nearest = all.iter().min_by_key(|each| lack(&each.why));
            nearest.map_or_else(String::new, |refused| refused.why.code().to_owned())
        }
    }
}

/// What a refused variable lacks to be a counter, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Lack {
    /// All its steps are followed, and do not lead one way for certain.
    OneWay,
    /// Its steps are followed, and something may change it besides.
    NothingUnseen,
    /// An assignment is no step.
    Steps,
}

fn lack(why: &Refusal) -> Lack {
    match why {
        Refusal::FractionAdded { .. }
        | Refusal::StepTooLarge { .. }
        | Refusal::StepMayBeTooLarge { .. }
        | Refusal::MovesBothWays
        | Refusal::StepsCancelOut
        | Refusal::DirectionUnknown { .. }
        | Refusal::AddedAndMultiplied
        | Refusal::StartNotPositive
        | Refusal::GrowsWithoutBound
        | Refusal::StandsAtZero
        | Refusal::WrapsAround { .. } => Lack::OneWay,
        Refusal::Divided | Refusal::ReadInPart { .. } | Refusal::Interference(_) => Lack::NothingUnseen,
        Refusal::UnknownStep { .. } => Lack::Steps,
    }
}

fn plain(path: &str) -> String {
    path.trim_start_matches("./").to_owned()
}

fn shown((file, line, _): &SourcePosition) -> String {
    format!("{file}:{line}")
}
