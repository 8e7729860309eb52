//! Expressions that can be worked out again while the loop runs: starts and steps such as `rank * chunk`.

use crate::candidate::{LoopContext, global_type};
use crate::stability::hidden_name;
use crate::types::{self, constant, keeps, strip_casts, typed_constant};
use dataflow::Touch;
use ir::{BinaryOp, ExprId, ExprKind, Type};
use progress_map::{Storage, Term, TermOp};

/// A term for `value`, and what it rests on that it still has the same value. `leaf` gives the terms of variables.
pub(crate) fn term(
    context: LoopContext<'_, '_>,
    value: ExprId,
    leaf: &dyn Fn(ExprId) -> Option<(Term, Touch)>,
) -> Option<(Term, Touch)> {
    nested(context, value, leaf, 0)
}

fn nested(
    context: LoopContext<'_, '_>,
    value: ExprId,
    leaf: &dyn Fn(ExprId) -> Option<(Term, Touch)>,
    depth: usize,
) -> Option<(Term, Touch)> {
    if let Some(constant) = constant(context, value) {
        return Some((Term::Constant(constant), Touch::Leaves));
    }
    if let ExprKind::Cast(ty, inner) = *context.kind(value)
        && !keeps(types::type_of(context, inner), ty)
    {
        return None;
    }
    let value = strip_casts(context, value);
    let ExprKind::Binary(op, left, right) = *context.kind(value) else {
        return leaf(value);
    };
    let op = match op {
        BinaryOp::Add => TermOp::Add,
        BinaryOp::Sub => TermOp::Sub,
        BinaryOp::Mul => TermOp::Mul,
        BinaryOp::Div => TermOp::Div,
        _ => return None,
    };
    if depth == Term::MAX_DEPTH {
        return None;
    }
    let operand = |id| {
        // If one operand is unsigned, the whole computation is, and wraps around at zero.
        if typed_constant(context, id).is_some_and(|(_, unsigned)| unsigned) {
            return None;
        }
        let (term, touch) = nested(context, id, leaf, depth + 1)?;
        // Only where the language forbids the overflow that we would not see.
        let mut variables = term.variables().into_iter();
        let exact = !matches!(term, Term::Float(_))
            && variables.all(|(_, storage)| width(type_of(context, storage)).is_some());
        exact.then_some((term, touch))
    };
    let ((left, left_touch), (right, right_touch)) = (operand(left)?, operand(right)?);
    let operands = Box::new([left, right]);
    Some((Term::Arithmetic { op, operands }, left_touch.max(right_touch)))
}

/// Whether an operand is added or taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    Plus,
    Minus,
}

impl Sign {
    pub(crate) fn other(self) -> Self {
        match self {
            Sign::Plus => Sign::Minus,
            Sign::Minus => Sign::Plus,
        }
    }
}

/// The term of a variable, unless its name means another one somewhere in the loop.
pub(crate) fn variable(context: LoopContext<'_, '_>, storage: Storage, sign: Sign) -> Option<Term> {
    hidden_name(context, &storage).is_none().then(|| Term::Variable {
        name: storage.to_string(),
        storage,
        negated: sign == Sign::Minus,
    })
}

/// The type of a variable; unknown for what is reached through another.
pub(crate) fn type_of(context: LoopContext<'_, '_>, storage: &Storage) -> Type {
    match storage {
        Storage::Local { name, line } => {
            let mut locals = context.info.function.locals.iter();
            locals
                .find(|local| (&local.name, local.span.line) == (name, *line))
                .map_or(Type::Unknown, |local| local.ty)
        }
        Storage::Global { name } => global_type(context, name),
        Storage::Member { .. } | Storage::Pointee(_) | Storage::Range { .. } => Type::Unknown,
    }
}

/// The width of a signed integer of at least 32 bits, whose overflow the language forbids.
pub(crate) fn width(ty: Type) -> Option<u8> {
    match ty {
        Type::Int {
            signed: Some(true),
            bits: Some(bits @ 32..),
        } => Some(bits),
        _ => None,
    }
}
