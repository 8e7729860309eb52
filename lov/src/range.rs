//! Whether a variable stays within its type while its loop runs.
//!
//! A signed variable of 32 bits or more does: its overflow is undefined. Any other wraps around, and the order with it,
//! unless something holds it back: a condition that every iteration passes, or, for a counter of 64 bits from a constant
//! start, the life of the universe. Types that the front end could not see through are taken to be wide enough.
//!
//! One assumption remains, where a condition compares with something that is not constant: that this bound lies more
//! than [`SMALL`] away from the end of a type of 32 bits or more. A loop for which that is false does not end.

use crate::across;
use crate::candidate::{Candidate, Context};
use crate::step::constant;
use base::mutant::{Mutant, on};
use dataflow::Action;
use ir::{BinaryOp, ExprId, ExprKind, LoopKind, Type};
use progress_map::{Direction, PointId, Term};

/// Changes per iteration that are small beside a type of 32 bits.
const SMALL: i128 = 1 << 16;

/// What a condition that every iteration passes says of the variable.
#[derive(Clone, Copy)]
pub(crate) struct Bound {
    /// The comparison, the variable on its left.
    pub op: BinaryOp,
    /// Its other side, when that is a constant.
    pub constant: Option<i64>,
}

/// Least and largest value of a type that wraps around, and its width.
fn wrapping(ty: Type) -> Option<(i128, i128, u8)> {
    match ty {
        _ if on(Mutant::WrapIgnored) => None,
        Type::Int {
            signed: Some(true),
            bits: Some(32..),
        }
        | Type::Int { bits: None, .. } => None,
        Type::Int {
            signed,
            bits: Some(bits),
        } => {
            let values = 1i128 << bits;
            Some(match signed {
                Some(true) => (-values / 2, values / 2 - 1, bits),
                Some(false) => (0, values - 1, bits),
                // `char` is one or the other, by machine.
                None => (0, values / 2 - 1, bits),
            })
        }
        Type::Float { .. } | Type::Pointer | Type::Array | Type::Aggregate | Type::Unknown => None,
    }
}

/// Refuses a variable that constant steps may take around the end of its type.
pub(crate) fn constant_steps(
    context: Context<'_, '_>,
    candidate: &Candidate,
    steps: &[(PointId, i64)],
    direction: Direction,
) -> Result<(), String> {
    let Some((least, most, bits)) = wrapping(candidate.ty) else {
        return Ok(());
    };
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
    let held = !repeats
        && first_fits
        && bounds.iter().any(|bound| {
            let value = bound.constant.map(i128::from);
            // Compared with an unsigned variable, a negative number is a large one.
            if value.is_some_and(|value| value < least) {
                return false;
            }
            match (bound.op, direction, value) {
                (BinaryOp::Lt, Direction::Up, Some(value)) => value - 1 + stretch <= most,
                (BinaryOp::Le, Direction::Up, Some(value)) => value + stretch <= most,
                (BinaryOp::Lt | BinaryOp::Le, Direction::Up, None) => bits >= 32 && stretch <= SMALL,
                (BinaryOp::Gt, Direction::Down, Some(value)) => value + 1 - stretch >= least,
                (BinaryOp::Ge, Direction::Down, Some(value)) => value - stretch >= least,
                (BinaryOp::Ne, Direction::Down, Some(0)) => least == 0 && stretch == 1,
                _ => false,
            }
        });
    let forever = bits >= 64
        && direction == Direction::Up
        && !repeats
        && stretch <= SMALL
        && start.is_some_and(|start| (0..=i128::from(i64::MAX)).contains(&start));
    if held || forever {
        Ok(())
    } else {
        Err(refusal(bits))
    }
}

/// Refuses a variable that steps of unknown size may take around the end of its type.
pub(crate) fn variable_steps(
    context: Context<'_, '_>,
    candidate: &Candidate,
    step: Option<&Term>,
) -> Result<(), String> {
    let Some((_, _, bits)) = wrapping(candidate.ty) else {
        return Ok(());
    };
    let upward = matches!(step, Some(Term::Variable { negated: false, .. }));
    let bounded = bounds(context, candidate)
        .0
        .iter()
        .any(|bound| matches!(bound.op, BinaryOp::Lt | BinaryOp::Le));
    if upward && bounded && bits >= 32 {
        Ok(())
    } else {
        Err(refusal(bits))
    }
}

/// Refuses a variable that `x = factor * x + offset` may take around the end of its type. It starts positive.
pub(crate) fn growth(
    context: Context<'_, '_>,
    candidate: &Candidate,
    steps: impl Iterator<Item = (PointId, i64, i64)>,
) -> Result<(), String> {
    let Some((_, most, bits)) = wrapping(candidate.ty) else {
        return Ok(());
    };
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
    let held = tested_first
        && steps.iter().all(direct)
        && bounds.iter().any(|bound| match (bound.op, bound.constant) {
            (BinaryOp::Lt | BinaryOp::Le, Some(value)) if value >= 0 => {
                grown(value).is_some_and(|value| value <= most)
            }
            (BinaryOp::Lt | BinaryOp::Le, None) => bits >= 64,
            _ => false,
        });
    if held {
        Ok(())
    } else {
        Err("it is multiplied without a bound and may wrap around".to_owned())
    }
}

fn refusal(bits: u8) -> String {
    format!("a variable of {bits} bits may wrap around")
}

/// What holds for the variable in every iteration because the loop would end otherwise, and whether it already holds in
/// the first one.
pub(crate) fn bounds(context: Context<'_, '_>, candidate: &Candidate) -> (Vec<Bound>, bool) {
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
            Action::Branch(condition) if each.scope == scope => Some(condition),
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
    context: Context<'_, '_>,
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
        let same = dataflow::target_of(context.info.function, id) == candidate.target;
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
