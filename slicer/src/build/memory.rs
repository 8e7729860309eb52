//! Which local variables live in memory, so that pointers may read and write them, and which are plain values.

use dataflow::{FunctionInfo, operands};
use ir::{ExprId, ExprKind, Function, LocalId, Type, VarRef};

/// Where a local variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// Nothing but the statements that name it reads or writes it.
    Value,
    /// In memory, read and written as one value.
    Memory,
    /// In memory, an array or a structure: its name is an address.
    Aggregate,
    /// In memory of the caller: a parameter of a macro that assigns it.
    Borrowed,
}

/// The home of every local variable of a function, but for what macros do to them ([`MacroFacts::settle`](crate::build::macros::MacroFacts::settle)).
pub(crate) fn homes(info: &FunctionInfo<'_>) -> Vec<Home> {
    let function = info.function;
    let mut homes: Vec<Home> = function
        .locals
        .iter()
        .map(|local| match local.ty {
            Type::Array | Type::Aggregate => Home::Aggregate,
            _ if local.is_static || local.address_taken => Home::Memory,
            _ => Home::Value,
        })
        .collect();
    for expr in &function.exprs {
        match &expr.kind {
            // What has members is a structure, whatever its type is called.
            ExprKind::Field {
                base, arrow: false, ..
            } => {
                if let Some(local) = local(function, function.object(*base)) {
                    homes[index(local)] = Home::Aggregate;
                }
            }
            // An array behind a type's name is never given a value, and subscripts read some.
            ExprKind::Index { base, .. } | ExprKind::Deref(base) => {
                if let Some(local) = local(function, *base)
                    && function.locals[local].ty == Type::Unknown
                    && index(local) >= function.params
                    && info.definitions.of(local).is_empty()
                {
                    homes[index(local)] = Home::Aggregate;
                }
            }
            ExprKind::AddressOf(inner) => {
                if let Some(local) = local(function, *inner)
                    && homes[index(local)] == Home::Value
                {
                    homes[index(local)] = Home::Memory;
                }
            }
            ExprKind::Unknown(_) => {
                for part in operands(expr) {
                    if let Some(local) = local(function, part)
                        && homes[index(local)] == Home::Value
                    {
                        homes[index(local)] = Home::Memory;
                    }
                }
            }
            _ => {}
        }
    }
    for &argument in &function.by_address {
        if let Some(local) = local(function, argument)
            && homes[index(local)] == Home::Value
        {
            homes[index(local)] = Home::Memory;
        }
    }
    homes
}

/// The variable that an expression is, but for a type given to it.
fn local(function: &Function, id: ExprId) -> Option<LocalId> {
    match &function.exprs[id].kind {
        ExprKind::Var(VarRef::Local(local)) => Some(*local),
        ExprKind::Cast(_, inner) => local(function, *inner),
        _ => None,
    }
}

fn index(local: LocalId) -> usize {
    base::Id::index(local)
}
