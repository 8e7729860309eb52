//! What the map knows about a loop, in words.

use progress_map::{
    Across, Assumption, Cut, Direction, Function, Growth, LoopId, LoopSource, Lov, LovClass, Refused,
};

/// A loop with its candidates.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopView {
    /// Which loop of the function: tells several loops of one line apart.
    pub id: LoopId,
    /// `while`, `do`, `for` or `goto`.
    pub statement: &'static str,
    /// Its line.
    pub line: u32,
    /// Entered at one point only; otherwise nothing in it is ordered.
    pub reducible: bool,
    /// Variables that order it, best first.
    pub lovs: Vec<LovView>,
    /// Variables that change in it but do not order it, with the reason.
    pub refused: Vec<Refused>,
}

/// A loop-order variable in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LovView {
    /// The expression as in the source.
    pub name: String,
    /// `strict` or `weak`.
    pub class: &'static str,
    /// `up`, `down` or `as its step`.
    pub direction: &'static str,
    /// How one step moves it.
    pub growth: &'static str,
    /// What values on two tasks say about each other.
    pub across: &'static str,
    /// `proven`, `assumed` or `rank-dependent`.
    pub assumption: &'static str,
    /// The value on entry.
    pub start: Option<String>,
    /// The increment.
    pub step: Option<String>,
    /// Where the loop is cut to see the order within one iteration.
    pub cut: &'static str,
    /// Lines of its updates, in order, without duplicates.
    pub updated_at: Vec<u32>,
    /// Why it was accepted, and as what.
    pub because: String,
    /// Words for the parts of that reason, which stay the same from version to version.
    pub because_codes: Vec<&'static str>,
}

/// A loop of `function` in words.
pub(crate) fn loop_view(function: &Function, id: LoopId) -> LoopView {
    let in_loop = &function.loops[id];
    LoopView {
        id,
        statement: match in_loop.source {
            LoopSource::While => "while",
            LoopSource::DoWhile => "do",
            LoopSource::For => "for",
            LoopSource::Goto => "goto",
        },
        line: in_loop.span.line,
        reducible: in_loop.reducible,
        lovs: in_loop.lovs.iter().map(|lov| lov_view(function, lov)).collect(),
        refused: in_loop.refused.clone(),
    }
}

fn lov_view(function: &Function, lov: &Lov) -> LovView {
    let mut updated_at: Vec<u32> = lov
        .updates
        .iter()
        .map(|&at| function.points[at].span.line)
        .collect();
    updated_at.sort_unstable();
    updated_at.dedup();
    LovView {
        name: lov.name.clone(),
        class: class_word(lov.class),
        direction: match lov.direction {
            Direction::Up => "up",
            Direction::Down => "down",
            Direction::SignOfStep => "as its step",
        },
        growth: match lov.growth {
            Growth::Additive => "additive",
            Growth::Multiplicative => "multiplicative",
            Growth::Floating => "floating",
        },
        across: across_word(lov.across),
        assumption: match lov.assumption {
            Assumption::Proven => "proven",
            Assumption::Assumed => "assumed",
            Assumption::RankDependent => "rank-dependent",
        },
        start: lov.start.as_ref().map(ToString::to_string),
        step: lov.step.as_ref().map(ToString::to_string),
        cut: match lov.cut {
            Cut::Header { .. } => "header",
            Cut::Updates => "updates",
        },
        updated_at,
        because: lov.because(),
        because_codes: lov.grounds.codes(),
    }
}

/// The word for a class.
pub(crate) fn class_word(class: LovClass) -> &'static str {
    match class {
        LovClass::Strict => "strict",
        LovClass::Weak => "weak",
    }
}

/// The words for what values on two tasks say about each other.
pub(crate) fn across_word(across: Across) -> &'static str {
    match across {
        Across::SameSequence => "same sequence on every task",
        Across::Relative => "relative to its start",
        Across::Nothing => "not comparable across tasks",
    }
}
