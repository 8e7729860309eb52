//! Functions that return memory which they allocate and do nothing else with.

use crate::build::callees::Callees;
use crate::build::locations::plain_variable;
use crate::build::macros::Macros;
use crate::effect::effect;
use base::Id as _;
use dataflow::{FunctionIndex, FunctionInfo, Program};
use ir::{BinaryOp, Callee, ExprId, ExprKind, StmtKind, UnaryOp, VarRef};
use std::collections::BTreeSet;

/// The functions of a program that return memory which they allocate and do nothing else with: each of their calls makes
/// memory of its own.
pub(crate) fn allocators(
    program: &Program<'_>,
    callees: &Callees<'_, '_>,
    macros: &Macros<'_>,
) -> Vec<FunctionIndex> {
    let mut known: BTreeSet<FunctionIndex> = BTreeSet::new();
    // Functions that wrap others are found in the next round.
    for _ in 0..4 {
        let before = known.len();
        for (id, info) in program.functions.iter_enumerated() {
            if !known.contains(&id) && only_allocates(callees, macros, info, &known) {
                known.insert(id);
            }
        }
        if known.len() == before {
            break;
        }
    }
    known.into_iter().collect()
}

fn only_allocates(
    callees: &Callees<'_, '_>,
    macros: &Macros<'_>,
    info: &FunctionInfo<'_>,
    known: &BTreeSet<FunctionIndex>,
) -> bool {
    let function = info.function;
    let allocates = |mut expr: ExprId| {
        loop {
            match &function.exprs[expr].kind {
                ExprKind::Cast(_, inner) => expr = *inner,
                ExprKind::Int(0) => return Some(false),
                ExprKind::Call {
                    callee: Callee::Macro(called),
                    ..
                } => {
                    let name = called.name.as_str();
                    let mut definitions = macros.of(name).iter();
                    let is_new = !definitions.as_slice().is_empty()
                        && definitions.all(|callee| known.contains(callee))
                        && !callees.any(info.unit, name);
                    return is_new.then_some(true);
                }
                ExprKind::Call {
                    callee: Callee::Named(name),
                    ..
                } => {
                    let mut callees = callees.of(info.unit, name).into_iter().peekable();
                    let is_new = match callees.peek() {
                        None => {
                            let effect = effect(name);
                            effect.allocates && effect.returns.is_none()
                        }
                        Some(_) => callees.all(|callee| known.contains(&callee)),
                    };
                    return is_new.then_some(true);
                }
                _ => return None,
            }
        }
    };
    let mut variable = None;
    let mut makes = false;
    for stmt in &function.stmts {
        let StmtKind::Return(Some(value)) = stmt.kind else {
            continue;
        };
        match plain_variable(function, value) {
            Some(local) if variable.is_none_or(|known| known == local) => variable = Some(local),
            Some(_) => return false,
            None => match allocates(value) {
                Some(new) => makes |= new,
                None => return false,
            },
        }
    }
    let Some(local) = variable else {
        return makes;
    };
    if local.index() < function.params
        || function.locals[local].is_static
        || function.locals[local].address_taken
    {
        return false;
    }
    // The variable is set from allocations, compared, returned, and given to library functions; no more.
    let mut harmless: BTreeSet<ExprId> = BTreeSet::new();
    let mut strip = |mut expr: ExprId| {
        while let ExprKind::Cast(_, inner) = function.exprs[expr].kind {
            expr = inner;
        }
        harmless.insert(expr);
    };
    for expr in &function.exprs {
        match &expr.kind {
            ExprKind::Assign {
                op: None,
                target,
                value,
            } if plain_variable(function, *target) == Some(local) => match allocates(*value) {
                Some(new) => {
                    makes |= new;
                    strip(*target);
                }
                None => return false,
            },
            ExprKind::Call {
                callee: Callee::Named(name),
                args,
            } if !callees.any(info.unit, name) && !effect(name).unknown && effect(name).copies.is_none() => {
                args.iter().for_each(|&arg| strip(arg));
            }
            ExprKind::Unary(UnaryOp::Not, a) => strip(*a),
            ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) => {
                strip(*a);
                strip(*b);
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                strip(*a);
                strip(*b);
            }
            _ => {}
        }
    }
    for stmt in &function.stmts {
        match stmt.kind {
            StmtKind::Decl {
                local: declared,
                init: Some(init),
            } if declared == local => match allocates(init) {
                Some(new) => makes |= new,
                None => return false,
            },
            StmtKind::Return(Some(value)) => strip(value),
            StmtKind::If { cond, .. } => strip(cond),
            _ => {}
        }
    }
    let uses = function.exprs.iter_enumerated();
    makes
        && uses
            .filter(|(_, expr)| expr.kind == ExprKind::Var(VarRef::Local(local)))
            .all(|(id, _)| harmless.contains(&id))
}
