//! The truth: what order two moments really have.
//!
//! Two moments of one run have the order of their time stamps. For two runs there is no common clock, and the
//! structural execution index takes its place: per frame the way down the syntax tree, with true iteration counts
//! and phases (header before body, arguments before call). Its order is lexicographic. That it is the right one is
//! not assumed: [`self_check`] holds it against the time stamps of each run.

use super::ast::Stmt;
use super::interp::Event;
use super::reach::Loops;
use std::cmp::Ordering;

/// A step down the execution index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexStep {
    /// Into a called function.
    Frame,
    /// Into a statement of a sequence.
    Child {
        /// Which one.
        index: usize,
        /// Whether it can leave the sequence by a jump, so that later statements need not be reached from it.
        jumps: bool,
    },
    /// Into a part of a construct; parts are executed in this order.
    Phase(u8),
    /// Into one of several parts of which one is executed.
    Arm(u8),
    /// Into an iteration, counted from 0.
    Round(u32),
    /// Into an iteration of a loop made by `goto`.
    Jump(u32),
    /// Into one of several operands that C leaves unsequenced.
    Operand(u8),
    /// Into the body of a `switch`.
    Entry {
        /// The case that was entered.
        at: usize,
        /// Bit k: case k falls into the next.
        falls: u32,
    },
    /// Before (0), in (1), after (2) the effect of one statement.
    Micro(u8),
    /// A part of a construct without structure, numbered in the order in which this run executed it.
    Moment(u32),
}

impl IndexStep {
    /// The step into statement `index` of a sequence.
    #[must_use]
    pub fn child(index: usize, stmt: &Stmt) -> Self {
        IndexStep::Child {
            index,
            jumps: stmt.jumps(),
        }
    }
}

impl Stmt {
    /// Whether executing the statement can continue elsewhere than after it.
    #[must_use]
    pub fn jumps(&self) -> bool {
        let any = |stmts: &[Stmt]| stmts.iter().any(Stmt::jumps);
        match self {
            Stmt::Break | Stmt::Continue | Stmt::Return(_) | Stmt::GotoAgain(_) | Stmt::GotoEnd(_) => true,
            Stmt::If(_, yes, no) => any(yes) || no.as_deref().is_some_and(any),
            Stmt::While(_, body)
            | Stmt::Do(body, _)
            | Stmt::ForMacro(_, _, body)
            | Stmt::Again(_, body, _)
            | Stmt::Until(_, body)
            | Stmt::Block(body)
            | Stmt::OneLine(body)
            | Stmt::Macro(_, body) => any(body),
            Stmt::For(parts) => any(&parts.body),
            Stmt::Switch(_, cases) => cases.iter().any(|case| any(&case.body)),
            Stmt::TwoEntries(parts) => any(&parts.first) || any(&parts.second),
            Stmt::Expr(..) | Stmt::Decl(..) | Stmt::AddMacro(..) => false,
        }
    }
}

/// How two moments really stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// The first comes first. `escapes` when the way from the first to the second may be cut off by a jump: then they may
    /// also be called incomparable.
    Before {
        /// See above.
        escapes: bool,
    },
    /// The second comes first; `escapes` as above, seen from the second.
    After {
        /// See above.
        escapes: bool,
    },
    /// The same execution of the same point, as far as a debugger can tell points apart: one of the two may be before
    /// and the other after the effect of one statement.
    Same(Ordering),
    /// In different branches of one execution of a construct.
    Branches,
    /// The earlier case of a `switch` falls through into the later one, but this run entered at the later one.
    FallsInto {
        /// The first moment is in the earlier case.
        first: bool,
    },
    /// In different iterations of a loop, and the one in the earlier iteration is on its way out (see [`super::reach`]): it
    /// is behind, unless one says that who has left a loop cannot be compared with who has not. When `both` are on their
    /// way out they may even be equal.
    Leaving {
        /// The first moment is in the earlier iteration.
        first: bool,
        /// See above.
        both: bool,
    },
    /// In operands that C leaves unsequenced.
    Unsequenced,
    /// There is no order to hold a verdict against.
    Nothing,
}

/// The truth about two moments of one run: their time.
#[must_use]
pub fn same_run(a: &Event, b: &Event) -> Truth {
    match structural(a, b) {
        // Which operand came first is this run's choice, not the program's.
        (known @ (Truth::Unsequenced | Truth::Same(_)), _) => known,
        _ if a.time < b.time => Truth::Before { escapes: false },
        _ => Truth::After { escapes: false },
    }
}

/// The truth about moments of two runs: their execution indices. `coming_round` comes from [`super::reach`].
#[must_use]
pub fn across(a: &Event, b: &Event, coming_round: &[Loops]) -> Truth {
    let truth = match structural(a, b) {
        (_, true) => Truth::Nothing,
        (truth, false) => truth,
    };
    let (earlier, later) = match truth {
        Truth::Before { .. } => (a, b),
        Truth::After { .. } => (b, a),
        other => return other,
    };
    let at = a
        .index
        .iter()
        .zip(&b.index)
        .position(|(x, y)| x != y)
        .unwrap_or(0);
    // A loop made by `goto` has no extent in the syntax: who is on the way out of it is simply after it.
    let frame_start = earlier.index[..at]
        .iter()
        .rposition(|step| *step == IndexStep::Frame)
        .unwrap_or(0);
    for (place, step) in earlier.index.iter().enumerate().take(at + 1).skip(frame_start) {
        let left = !comes_round(earlier, place, coming_round) && comes_round(later, place, coming_round);
        if matches!(step, IndexStep::Jump(_)) && left {
            return Truth::Nothing;
        }
    }
    let iterations = matches!(
        earlier.index.get(at),
        Some(IndexStep::Round(_) | IndexStep::Jump(_))
    );
    if !iterations || comes_round(earlier, at, coming_round) {
        return truth;
    }
    Truth::Leaving {
        first: matches!(truth, Truth::Before { .. }),
        both: !comes_round(later, at, coming_round),
    }
}

/// Whether the loop whose iteration is step `at` of the event's index can come round again.
fn comes_round(event: &Event, at: usize, coming_round: &[Loops]) -> bool {
    let way = &event.index[..at];
    let frame = way
        .iter()
        .filter(|step| **step == IndexStep::Frame)
        .count()
        .saturating_sub(1);
    let in_frame = way.iter().rev().take_while(|step| **step != IndexStep::Frame);
    let depth = in_frame
        .filter(|step| matches!(step, IndexStep::Round(_) | IndexStep::Jump(_)))
        .count();
    let site = event.frames.get(frame).map_or(0, |frame| frame.site);
    coming_round
        .get(site)
        .is_some_and(|loops| loops >> depth.min(63) & 1 == 1)
}

/// The order of two execution indices, and whether it holds only within one run.
fn structural(a: &Event, b: &Event) -> (Truth, bool) {
    let pairs = a.index.iter().zip(&b.index);
    let Some(at) = pairs.clone().position(|(x, y)| x != y) else {
        return (Truth::Same(Ordering::Equal), false);
    };
    let ordered = |ordering: Ordering| {
        let escapes = |event: &Event| {
            let rest = event.index[at..]
                .iter()
                .take_while(|step| **step != IndexStep::Frame);
            rest.into_iter()
                .any(|step| matches!(step, IndexStep::Child { jumps: true, .. }))
        };
        match ordering {
            Ordering::Less => Truth::Before { escapes: escapes(a) },
            Ordering::Equal => Truth::Same(Ordering::Equal),
            Ordering::Greater => Truth::After { escapes: escapes(b) },
        }
    };
    match (a.index[at], b.index[at]) {
        (IndexStep::Child { index: x, .. }, IndexStep::Child { index: y, .. }) => (ordered(x.cmp(&y)), false),
        (IndexStep::Phase(x), IndexStep::Phase(y)) => (ordered(x.cmp(&y)), false),
        (IndexStep::Round(x), IndexStep::Round(y)) | (IndexStep::Jump(x), IndexStep::Jump(y)) => {
            (ordered(x.cmp(&y)), false)
        }
        (IndexStep::Moment(x), IndexStep::Moment(y)) => (ordered(x.cmp(&y)), true),
        (IndexStep::Arm(_), IndexStep::Arm(_)) => (Truth::Branches, false),
        (IndexStep::Operand(_), IndexStep::Operand(_)) => (Truth::Unsequenced, false),
        // Before and after the effect of a statement without a call: one point for every debugger.
        (IndexStep::Micro(x), IndexStep::Micro(y)) => (Truth::Same(x.cmp(&y)), false),
        (IndexStep::Entry { falls, .. }, IndexStep::Entry { .. }) => entries(a, b, at, falls),
        _ => (Truth::Nothing, false),
    }
}

/// Two executions of a `switch` that entered it at different cases.
fn entries(a: &Event, b: &Event, at: usize, falls: u32) -> (Truth, bool) {
    let case = |event: &Event| match event.index.get(at + 1) {
        Some(IndexStep::Child { index, .. }) => *index,
        _ => 0,
    };
    let (x, y) = (case(a), case(b));
    let connected = |from: usize, to: usize| (from..to).all(|case| falls >> case & 1 == 1);
    match x.cmp(&y) {
        Ordering::Less if connected(x, y) => (Truth::FallsInto { first: true }, false),
        Ordering::Greater if connected(y, x) => (Truth::FallsInto { first: false }, false),
        // Where both are in one case it no longer matters where they came in.
        Ordering::Equal => {
            let inside = |event: &Event| Event {
                index: event.index[at + 1..].to_vec(),
                frames: Vec::new(),
                leaf: None,
                time: event.time,
            };
            structural(&inside(a), &inside(b))
        }
        _ => (Truth::Branches, false),
    }
}

/// Holds the execution index against the time stamps of one run: all neighbours in time and `samples` other pairs.
///
/// # Errors
/// The first pair on which they disagree: an error in the oracle itself.
pub fn self_check(events: &[Event], samples: &[(usize, usize)]) -> Result<usize, String> {
    let neighbours = (1..events.len()).map(|i| (i - 1, i));
    let mut checked = 0;
    for (i, j) in neighbours.chain(samples.iter().copied()) {
        let (Some(a), Some(b)) = (events.get(i), events.get(j)) else {
            continue;
        };
        let (truth, _) = structural(a, b);
        let agrees = match truth {
            Truth::Before { .. } => a.time < b.time,
            Truth::After { .. } => a.time > b.time,
            Truth::Same(order) => a.time.cmp(&b.time) == order,
            Truth::Unsequenced => true,
            Truth::Branches | Truth::FallsInto { .. } | Truth::Leaving { .. } | Truth::Nothing => false,
        };
        if !agrees {
            return Err(format!(
                "{truth:?} at times {} and {}: {:?} {:?}",
                a.time, b.time, a.index, b.index
            ));
        }
        checked += 1;
    }
    Ok(checked)
}
