//! Functions that a compiler has read more than once: the instances of a template.
//!
//! The map has one function for one place of the source. Instances that do the same are that function, with the types that they do not share
//! unknown. Where they do not, since a name means another function or a conversion another thing, the function is known in part only.

use base::{Cause, Confidence, Doubt};
use ir::{ExprKind, Function, Type};

/// Sorts functions, and joins those of one name at one place.
pub(crate) fn join(functions: &mut Vec<Function>) {
    functions.sort_by(|a, b| (a.span, &a.name).cmp(&(b.span, &b.name)));
    let mut joined: Vec<Function> = Vec::with_capacity(functions.len());
    for function in functions.drain(..) {
        match joined
            .last_mut()
            .filter(|last| last.span == function.span && last.name == function.name)
        {
            Some(last) => join_instance(last, &function),
            None => joined.push(function),
        }
    }
    *functions = joined;
}

fn join_instance(function: &mut Function, other: &Function) {
    if !is_alike(function, other) {
        if function.confidence != Confidence::Partial {
            function.confidence = Confidence::Partial;
            function.confidence_reason = Some(Doubt::at(Cause::CompiledDifferently, function.span.line));
        }
        return;
    }
    for (local, other) in function.locals.iter_mut().zip(other.locals.iter()) {
        local.ty = common(local.ty, other.ty);
        local.address_taken |= other.address_taken;
        local.promises &= other.promises;
        local.of_structures |= other.of_structures;
        if local.object != other.object {
            local.object = None;
        }
    }
    function.returns = common(function.returns, other.returns);
    for (expr, other) in function.exprs.iter_mut().zip(other.exprs.iter()) {
        if let (ExprKind::Cast(ty, _), ExprKind::Cast(other, _)) = (&mut expr.kind, &other.kind) {
            *ty = common(*ty, *other);
        }
    }
    if function.confidence != Confidence::Partial && other.confidence == Confidence::Partial {
        function.confidence = other.confidence;
        function.confidence_reason.clone_from(&other.confidence_reason);
    }
}

fn common(a: Type, b: Type) -> Type {
    if a == b { a } else { Type::Unknown }
}

/// Whether two functions do the same, but for types.
fn is_alike(a: &Function, b: &Function) -> bool {
    let same_expr = |(a, b): (&ir::Expr, &ir::Expr)| {
        let same = match (&a.kind, &b.kind) {
            (ExprKind::Cast(_, a), ExprKind::Cast(_, b)) => a == b,
            (a, b) => a == b,
        };
        same && a.span == b.span
    };
    let same_local = |(a, b): (&ir::Local, &ir::Local)| {
        a.name == b.name && a.span == b.span && a.counts_for == b.counts_for && a.is_static == b.is_static
    };
    a.exprs.len() == b.exprs.len()
        && a.stmts.len() == b.stmts.len()
        && a.locals.len() == b.locals.len()
        && (a.params, a.body, &a.receivers, &a.by_address) == (b.params, b.body, &b.receivers, &b.by_address)
        && a.exprs.iter().zip(b.exprs.iter()).all(same_expr)
        && a.locals.iter().zip(b.locals.iter()).all(same_local)
        && a.stmts
            .iter()
            .zip(b.stmts.iter())
            .all(|(a, b)| a.kind == b.kind && a.span == b.span)
}
