//! What types keep of the values that are put into them, and what is constant.

use crate::candidate::{LoopContext, global_type};
use ir::{BinaryOp, ExprId, ExprKind, Type, UnaryOp, VarRef};

/// Whether adding a constant moves a variable by that constant: adding one that the type cannot hold is the same as a step back.
pub(crate) fn fits_step(ty: Type, value: i64) -> bool {
    match ty {
        Type::Int { bits: Some(bits), .. } if bits > 32 => true,
        Type::Float { .. } | Type::Pointer => true,
        _ => value.abs() <= i64::from(i32::MAX),
    }
}

/// Whether a variable certainly keeps fractions: a type that is not known may be one of whole numbers.
pub(crate) fn keeps_fractions(ty: Type) -> bool {
    matches!(ty, Type::Float { .. })
}

/// Whether an integer of the type `to` moves by all of what is added to it. Without a sign it wraps around, so that a negative amount of
/// its own width is one, too.
pub(crate) fn is_added_whole(from: Type, to: Type) -> bool {
    match (from, to) {
        (
            Type::Int { bits: Some(m), .. },
            Type::Int {
                signed: Some(false),
                bits: Some(n),
            },
        ) => m <= n,
        // Its type is not known, so it may hold fractions.
        (Type::Unknown, Type::Int { signed: Some(_), .. }) => false,
        _ => keeps(from, to),
    }
}

/// The type of an operand, by the names in it: of several members of one name, one that holds what each of them does.
pub(crate) fn type_of(context: LoopContext<'_, '_>, id: ExprId) -> Type {
    match context.kind(id) {
        ExprKind::Var(VarRef::Local(local)) => context.info.function.locals[*local].ty,
        ExprKind::Var(VarRef::Global(name)) => global_type(context, name),
        ExprKind::Field { name, .. } => {
            let types = context.program.members(name).map(|member| member.ty);
            types.reduce(wider).unwrap_or(Type::Unknown)
        }
        ExprKind::Int(_) => Type::Int {
            signed: Some(true),
            bits: Some(32),
        },
        ExprKind::Float(_) => Type::Float { bits: 64 },
        ExprKind::Cast(ty, _) => *ty,
        ExprKind::Unary(UnaryOp::Neg, inner) => type_of(context, *inner),
        ExprKind::Binary(
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem,
            left,
            right,
        ) => wider(type_of(context, *left), type_of(context, *right)),
        _ => Type::Unknown,
    }
}

/// A type that holds all values of both.
pub(crate) fn wider(a: Type, b: Type) -> Type {
    match (a, b) {
        (Type::Float { bits: m }, Type::Float { bits: n }) => Type::Float { bits: m.max(n) },
        (float @ Type::Float { .. }, Type::Int { .. }) | (Type::Int { .. }, float @ Type::Float { .. }) => {
            float
        }
        _ if keeps_known(a, b) => b,
        _ if keeps_known(b, a) => a,
        // One has a sign and the other one the width.
        (Type::Int { bits: Some(_), .. }, Type::Int { bits: Some(_), .. }) => Type::Int {
            signed: Some(true),
            bits: Some(64),
        },
        _ => Type::Unknown,
    }
}

/// Whether both are integers of known width, and the second holds every value of the first.
pub(crate) fn keeps_known(from: Type, to: Type) -> bool {
    let is_known = |ty| {
        matches!(
            ty,
            Type::Int {
                signed: Some(_),
                bits: Some(_)
            }
        )
    };
    from == to || is_known(from) && is_known(to) && keeps(from, to)
}

/// Whether a copy of the first type keeps every value of the second.
pub(crate) fn holds(copy: Type, original: Type) -> bool {
    match (copy, original) {
        (
            Type::Int {
                signed: s,
                bits: Some(a),
            },
            Type::Int {
                signed: t,
                bits: Some(b),
            },
        ) => s == t && a >= b,
        _ => copy == original,
    }
}

/// The value of a constant expression, as C computes it.
pub(crate) fn constant(context: LoopContext<'_, '_>, id: ExprId) -> Option<i64> {
    typed_constant(context, id).map(|(value, _)| value)
}

/// The value, and whether its type has no sign: what would be negative there is a large number, or wraps around.
pub(crate) fn typed_constant(context: LoopContext<'_, '_>, id: ExprId) -> Option<(i64, bool)> {
    match *context.kind(id) {
        ExprKind::Int(value) => Some((value, false)),
        ExprKind::Cast(ty, inner) => {
            let (value, _) = typed_constant(context, inner)?;
            let unsigned = matches!(
                ty,
                Type::Int {
                    signed: Some(false),
                    ..
                }
            );
            type_holds(ty, value).then_some((value, unsigned))
        }
        ExprKind::Unary(UnaryOp::Neg, inner) => match typed_constant(context, inner)? {
            (0, unsigned) => Some((0, unsigned)),
            (_, true) => None,
            (value, false) => Some((value.checked_neg()?, false)),
        },
        ExprKind::Binary(op, a, b) => {
            let ((a, left), (b, right)) = (typed_constant(context, a)?, typed_constant(context, b)?);
            let value = match op {
                BinaryOp::Add => a.checked_add(b),
                BinaryOp::Sub => a.checked_sub(b),
                BinaryOp::Mul => a.checked_mul(b),
                BinaryOp::Div => a.checked_div(b),
                _ => None,
            }?;
            let unsigned = left || right;
            // An operand of 32 bits may be all that has no sign.
            (!unsigned || (0..1 << 32).contains(&value)).then_some((value, unsigned))
        }
        _ => None,
    }
}

/// Whether a variable of this type can have this value. Types that the front end could not see through may be narrow.
pub(crate) fn type_holds(ty: Type, value: i64) -> bool {
    match ty {
        Type::Int {
            signed,
            bits: Some(bits @ 1..=63),
        } => {
            let least = if signed == Some(true) {
                -(1 << (bits - 1))
            } else {
                0
            };
            let most = (1 << (bits - u8::from(signed != Some(false)))) - 1;
            (least..=most).contains(&value)
        }
        Type::Int {
            signed,
            bits: Some(_),
        } => signed == Some(true) || value >= 0,
        Type::Float { .. } => value.abs() < 1 << 24,
        Type::Int { bits: None, .. } | Type::Unknown => (0..=127).contains(&value),
        Type::Pointer | Type::Array | Type::Aggregate => value == 0,
    }
}

/// Whether every value of the first type is one of the second, as far as the types are known.
pub(crate) fn keeps(from: Type, to: Type) -> bool {
    match (from, to) {
        (
            Type::Int {
                signed: Some(s),
                bits: Some(m),
            },
            Type::Int {
                signed: Some(t),
                bits: Some(n),
            },
        ) => s == t && m <= n || !s && m < n,
        (Type::Float { .. }, Type::Int { .. }) => false,
        _ => true,
    }
}

/// Takes away the casts that keep every value of a variable of the type `of`, whose value `id` is.
pub(crate) fn strip_keeping(context: LoopContext<'_, '_>, of: Type, mut id: ExprId) -> ExprId {
    while let ExprKind::Cast(ty, inner) = *context.kind(id) {
        let whole = match (of, ty) {
            (
                Type::Int {
                    signed: Some(_),
                    bits: Some(_),
                },
                Type::Int {
                    signed: Some(_),
                    bits: Some(_),
                },
            ) => keeps(of, ty),
            (Type::Float { bits: m }, Type::Float { bits: n }) => m <= n,
            _ => of == ty && of != Type::Unknown,
        };
        if !whole {
            break;
        }
        id = inner;
    }
    id
}

/// Takes away casts that keep a counter's value: those to narrow types may cut it off.
pub(crate) fn strip_casts(context: LoopContext<'_, '_>, mut id: ExprId) -> ExprId {
    while let ExprKind::Cast(ty, inner) = *context.kind(id) {
        let from = match *context.kind(inner) {
            ExprKind::Float(_) => Type::Float { bits: 64 },
            _ => type_of(context, inner),
        };
        match ty {
            Type::Int { bits: Some(bits), .. } if bits < 32 => break,
            Type::Float { .. } | Type::Array | Type::Aggregate => break,
            // `(int) n` of an unsigned `n` is what programs write; it keeps all that is not absurd.
            Type::Int { bits, .. } if !keeps(from, ty) && (bits != Some(32) || from_float(from)) => break,
            _ => id = inner,
        }
    }
    id
}

fn from_float(ty: Type) -> bool {
    matches!(ty, Type::Float { .. })
}
