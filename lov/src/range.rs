//! Whether a variable stays within its type while its loop runs.
//!
//! Where the language forbids overflow, a variable that moves by a small part of its type's range in each iteration stays within it:
//! a program in which it overflows has undefined behaviour. Any other variable may wrap around, and then its values no longer tell
//! which iteration is the earlier one. Two things rule that out: a condition that every iteration passes, or, for a counter of
//! 64 bits from a constant start, that no machine runs long enough. Types that the front end could not see through are taken to be 32 bits wide and to have no
//! sign.
//!
//! One assumption remains, where a condition compares with something that is not constant: that this bound lies more
//! than [`SMALL`] away from the end of a type of 32 bits or more. A loop for which that is false does not end.

use crate::across;
use crate::candidate::{Candidate, LoopContext};
use crate::types::{constant, strip_keeping};
use base::mutant::{Mutant, on};
use dataflow::Action;
use ir::{BinaryOp, ExprId, ExprKind, LoopKind, Type};
use progress_map::{Direction, PointId, Refusal, Term};

/// Changes per iteration that are small beside a type of 32 bits.
const SMALL: i128 = 1 << 16;

/// The same where the language forbids that a bound is passed: more would be a program without meaning.
const BOUNDED: i128 = 1 << 24;

/// How many iterations a variable without a bound must have room for.
const ROOM: i128 = 1 << 14;

/// What a condition that every iteration passes says of the variable.
#[derive(Clone, Copy)]
pub(crate) struct Bound {
    /// The comparison, the variable on its left.
    pub op: BinaryOp,
    /// Its other side, when that is a constant.
    pub constant: Option<i64>,
}

/// The values of a type.
struct Limits {
    least: i128,
    most: i128,
    bits: u8,
    /// The language forbids a program to leave them.
    forbidden: bool,
    /// It may have no sign, or be narrower, for all that is known.
    guessed: bool,
}

/// What a variable of the type holds; `None` for what cannot wrap around.
fn limits(ty: Type) -> Option<Limits> {
    let of = |least: i128, most: i128, bits: u8| Limits {
        least,
        most,
        bits,
        forbidden: false,
        guessed: false,
    };
    let signed = |bits: u8| of(-(1 << (bits - 1)), (1 << (bits - 1)) - 1, bits);
    match ty {
        _ if on(Mutant::WrapIgnored) => None,
        Type::Int {
            signed: Some(true),
            bits,
        } => {
            let bits = bits.unwrap_or(32);
            Some(Limits {
                forbidden: bits >= 32,
                ..signed(bits)
            })
        }
        Type::Int {
            signed: Some(false),
            bits: Some(bits),
        } => Some(of(0, (1 << bits) - 1, bits)),
        // `char` is one or the other, by machine; so are enumerations.
        Type::Int { bits, .. } => {
            let bits = bits.unwrap_or(32);
            Some(of(0, (1 << (bits - 1)) - 1, bits))
        }
        Type::Unknown => Some(Limits {
            guessed: true,
            ..of(0, (1 << 31) - 1, 32)
        }),
        Type::Float { .. } | Type::Pointer | Type::Array | Type::Aggregate => None,
    }
}

/// Refuses a variable that constant steps may take around the end of its type.
pub(crate) fn constant_steps(
    context: LoopContext<'_, '_>,
    candidate: &Candidate,
    steps: &[(PointId, i64)],
    direction: Direction,
) -> Result<(), Refusal> {
    let Some(limits) = limits(candidate.ty) else {
        return Ok(());
    };
    let Limits {
        least,
        most,
        bits,
        forbidden,
        ..
    } = limits;
    let stretch: i128 = steps.iter().map(|&(_, step)| i128::from(step).abs()).sum();
    let start = match across::start_value(context, candidate) {
        Some(Term::Constant(start)) => Some(i128::from(start)),
        _ => None,
    };
    let repeats = steps
        .iter()
        .any(|&(point, _)| context.info.loops.innermost[point] != Some(context.in_loop));
    // A test at the end lets the first iteration pass untested.
    let (bounds, tested_first) = bounds(context, candidate);
    let first_fits = tested_first || start.is_some_and(|x| x - stretch >= least && x + stretch <= most);
    let few = if forbidden { BOUNDED } else { SMALL };
    let held = !repeats
        && first_fits
        && bounds.iter().any(|bound| {
            let value = bound.constant.map(i128::from);
            // Compared with an unsigned variable, a negative number is a large one.
            if value.is_some_and(|value| value < least) && !forbidden {
                return false;
            }
            match (bound.op, direction, value) {
                (BinaryOp::Lt, Direction::Up, Some(value)) => value - 1 + stretch <= most,
                (BinaryOp::Le, Direction::Up, Some(value)) => value + stretch <= most,
                (BinaryOp::Lt | BinaryOp::Le, Direction::Up, None) => bits >= 32 && stretch <= few,
                (BinaryOp::Gt, Direction::Down, Some(value)) => value + 1 - stretch >= least,
                // A comparison with zero (`i >= 0`) tells that the variable is signed: for an unsigned one it would always hold.
                (BinaryOp::Ge, Direction::Down, Some(0)) if limits.guessed => stretch <= SMALL,
                (BinaryOp::Ge, Direction::Down, Some(value)) => value - stretch >= least,
                (BinaryOp::Gt | BinaryOp::Ge, Direction::Down, None) if forbidden => stretch <= few,
                // What is above something that has no sign is not zero.
                (BinaryOp::Gt, Direction::Down, None) => least == 0 && stretch == 1,
                (BinaryOp::Ne, Direction::Down, Some(0)) => least == 0 && stretch == 1,
                _ => false,
            }
        });
    let forever = bits >= 64
        && direction == Direction::Up
        && !repeats
        && stretch <= SMALL
        && start.is_some_and(|start| (0..=i128::from(i64::MAX)).contains(&start));
    let has_room = match (direction, start) {
        (_, None) => stretch * (ROOM * 2) <= most,
        (Direction::Down, Some(start)) => start - stretch * ROOM >= least,
        (_, Some(start)) => start + stretch * ROOM <= most,
    };
    if held || forever || forbidden && has_room {
        Ok(())
    } else {
        Err(refusal(&limits))
    }
}

/// Refuses a variable that steps of unknown size may take around the end of its type.
pub(crate) fn variable_steps(
    context: LoopContext<'_, '_>,
    candidate: &Candidate,
    step: Option<&Term>,
) -> Result<(), Refusal> {
    let Some(limits) = limits(candidate.ty) else {
        return Ok(());
    };
    if limits.forbidden {
        // The size of the step is not known, but a variable that starts near the end of its type has no room for any step.
        let room = SMALL * ROOM;
        return match across::start_value(context, candidate) {
            Some(Term::Constant(start))
                if !(limits.least + room..=limits.most - room).contains(&i128::from(start)) =>
            {
                Err(refusal(&limits))
            }
            _ => Ok(()),
        };
    }
    let upward = matches!(step, Some(Term::Variable { negated: false, .. }));
    if upward && is_bounded_above(context, candidate) && limits.bits >= 32 {
        Ok(())
    } else {
        Err(refusal(&limits))
    }
}

/// Refuses a variable whose steps grow: their sum leaves 32 bits after some ten thousand.
pub(crate) fn growing_steps(
    context: LoopContext<'_, '_>,
    candidate: &Candidate,
    direction: Direction,
) -> Result<(), Refusal> {
    let Some(limits) = limits(candidate.ty) else {
        return Ok(());
    };
    let bounded = match direction {
        Direction::Up => is_bounded_above(context, candidate),
        _ => false,
    };
    if limits.forbidden && (limits.bits >= 64 || bounded) {
        Ok(())
    } else {
        Err(refusal(&limits))
    }
}

/// Whether the loop ends when the variable has grown.
fn is_bounded_above(context: LoopContext<'_, '_>, candidate: &Candidate) -> bool {
    let (bounds, _) = bounds(context, candidate);
    let above = |bound: &Bound| matches!(bound.op, BinaryOp::Lt | BinaryOp::Le);
    bounds.iter().any(above)
}

/// Refuses a variable that `x = factor * x + offset` may take around the end of its type, or shift out of it. It starts positive.
pub(crate) fn growth(
    context: LoopContext<'_, '_>,
    candidate: &Candidate,
    steps: impl Iterator<Item = (PointId, i64, i64)>,
) -> Result<(), Refusal> {
    if on(Mutant::WrapIgnored) {
        return Ok(());
    }
    let limits = limits(candidate.ty);
    let steps: Vec<(PointId, i64, i64)> = steps.collect();
    let direct =
        |&(point, ..): &(PointId, i64, i64)| context.info.loops.innermost[point] == Some(context.in_loop);
    let (bounds, tested_first) = bounds(context, candidate);
    let grown = |value: i64| {
        steps
            .iter()
            .try_fold(i128::from(value), |value, &(_, factor, offset)| {
                value
                    .checked_mul(i128::from(factor))?
                    .checked_add(i128::from(offset))
            })
    };
    // A number with a fraction becomes infinite and stays so.
    let fits = |value: i64| match &limits {
        Some(limits) => grown(value).is_some_and(|value| value <= limits.most),
        None => true,
    };
    let wide = limits
        .as_ref()
        .is_none_or(|limits| limits.forbidden || limits.bits >= 64);
    let first_fits = tested_first
        || matches!(across::start_value(context, candidate), Some(Term::Constant(start)) if fits(start));
    let held = first_fits
        && steps.iter().all(direct)
        && bounds.iter().any(|bound| match (bound.op, bound.constant) {
            (BinaryOp::Lt | BinaryOp::Le, Some(value)) if value >= 0 => fits(value),
            (BinaryOp::Lt | BinaryOp::Le, None) => wide,
            _ => false,
        });
    if held {
        Ok(())
    } else {
        Err(Refusal::GrowsWithoutBound)
    }
}

fn refusal(limits: &Limits) -> Refusal {
    Refusal::WrapsAround {
        bits: (!limits.guessed).then_some(limits.bits),
    }
}

/// What holds for the variable in every iteration because the loop would end otherwise, and whether it already holds in
/// the first one.
pub(crate) fn bounds(context: LoopContext<'_, '_>, candidate: &Candidate) -> (Vec<Bound>, bool) {
    let info = context.info;
    let statement = info
        .flow
        .loop_statements
        .iter()
        .find(|&&(_, _, header)| header == context.header());
    let Some(&(scope, kind, _)) = statement else {
        return (Vec::new(), false);
    };
    let mut conditions = context.points().iter().filter_map(|&point| {
        let each = &info.flow.points[point];
        match each.action {
            // `for (;; i += i < end() ? 1 : 2)` has a branch in the same scope that does not end the loop.
            Action::Branch(condition) if each.scope == scope && info.loops.ends(point, context.in_loop) => {
                Some(condition)
            }
            _ => None,
        }
    });
    let mut found = Vec::new();
    let mut tested_first = kind != LoopKind::DoWhile;
    // A condition with calls in it has several branches; which of them must hold is not worth working out.
    if let (Some(Some(condition)), None) = (conditions.next(), conditions.next()) {
        conjuncts(context, candidate, condition, &mut found, &mut tested_first);
    }
    (found, tested_first)
}

fn conjuncts(
    context: LoopContext<'_, '_>,
    candidate: &Candidate,
    condition: ExprId,
    found: &mut Vec<Bound>,
    tested_first: &mut bool,
) {
    // The variable itself, or with its own step: `x--` is tested before it moves, `--x` after.
    let mut is_self = |id: ExprId| {
        let (id, moved) = match *context.kind(id) {
            ExprKind::Step { target, prefix, .. } => (target, prefix),
            _ => (id, false),
        };
        // What is left of it behind a cast to a narrow type says nothing of the rest.
        let id = strip_keeping(context, candidate.ty, id);
        let same = !matches!(context.kind(id), ExprKind::Cast(..))
            && dataflow::target_of(context.info.function, id) == candidate.target;
        *tested_first &= !(same && moved);
        same
    };
    match *context.kind(condition) {
        ExprKind::And(a, b) => {
            conjuncts(context, candidate, a, found, tested_first);
            conjuncts(context, candidate, b, found, tested_first);
        }
        ExprKind::Binary(op, left, right) => {
            let turned = match op {
                BinaryOp::Lt => BinaryOp::Gt,
                BinaryOp::Le => BinaryOp::Ge,
                BinaryOp::Gt => BinaryOp::Lt,
                BinaryOp::Ge => BinaryOp::Le,
                BinaryOp::Eq | BinaryOp::Ne => op,
                _ => return,
            };
            let (op, other) = if is_self(left) {
                (op, right)
            } else if is_self(right) {
                (turned, left)
            } else {
                return;
            };
            found.push(Bound {
                op,
                constant: constant(context, other),
            });
        }
        _ if is_self(condition) => found.push(Bound {
            op: BinaryOp::Ne,
            constant: Some(0),
        }),
        _ => {}
    }
}
