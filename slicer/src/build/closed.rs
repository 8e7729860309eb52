//! Lambdas that no call but those which are known can lead to.
//!
//! A call of an object of unknown class may lead to any lambda, unless nobody else can have its object: it is given to an algorithm that
//! calls it and keeps nothing, or stands in a variable that is called by its name, or given to such an algorithm, and used for nothing
//! else. Whatever is not certain leaves a lambda to all calls.

use crate::build::callees::Callees;
use crate::build::cxx::Cxx;
use dataflow::{FunctionIndex, Program, operands};
use hashbrown::HashMap;
use ir::{Callee, ExprId, ExprKind, Function, FunctionKind, LocalId, ObjectType, StmtKind, VarRef};
use library::standard::{self, Fact};
use std::collections::BTreeSet;

/// The lambdas whose objects nobody unknown can have, each with the calls of algorithms that are given it.
pub(crate) fn closed_lambdas(
    program: &Program<'_>,
    callees: &Callees<'_, '_>,
    cxx: &Cxx,
) -> HashMap<FunctionIndex, Vec<(FunctionIndex, ExprId)>> {
    let mut at: HashMap<(usize, u32, u32), Vec<FunctionIndex>> = HashMap::new();
    let mut around: BTreeSet<FunctionIndex> = BTreeSet::new();
    for (id, info) in program.functions.iter_enumerated() {
        if info.function.kind == FunctionKind::Lambda {
            let span = info.function.span;
            at.entry((info.unit, span.line, span.column))
                .or_default()
                .push(id);
        }
        around.extend(cxx.around(id));
    }
    let mut closed = HashMap::new();
    for id in around {
        let info = &program.functions[id];
        let function = info.function;
        let uses = Uses {
            function,
            parents: parents(function),
            given_at_once: &|call, name| {
                standard::holds(name, Fact::CallsAtOnce)
                    && cxx.receiver(id, call).is_none()
                    && !function.receivers.contains_key(&call)
                    && !callees.any(info.unit, name)
            },
        };
        for (expr, each) in function.exprs.iter_enumerated() {
            let place = (info.unit, each.span.line, each.span.column);
            let Some([lambda]) = at.get(&place).map(Vec::as_slice) else {
                continue;
            };
            let stands_here = cxx.around(*lambda).last() == Some(&id);
            if stands_here
                && matches!(each.kind, ExprKind::List(_))
                && let Some(calls) = uses.given_to(expr)
            {
                closed.insert(*lambda, calls.into_iter().map(|call| (id, call)).collect());
            }
        }
    }
    closed
}

/// How a function uses its expressions.
struct Uses<'u, 'a> {
    function: &'u Function,
    /// By expression: the one that it is a part of.
    parents: HashMap<ExprId, ExprId>,
    /// Whether the call by this name calls what it is given, and keeps nothing of it.
    given_at_once: &'a dyn Fn(ExprId, &str) -> bool,
}

impl Uses<'_, '_> {
    /// The calls that are given the object which a lambda makes; `None` if anybody else may get it.
    fn given_to(&self, lambda: ExprId) -> Option<Vec<ExprId>> {
        if self.parents.contains_key(&lambda) {
            return Some(vec![self.call_given(lambda)?]);
        }
        let mut declarations = self.function.stmts.iter().filter_map(|stmt| match stmt.kind {
            StmtKind::Decl { local, init } if init == Some(lambda) => Some(local),
            _ => None,
        });
        let local = declarations.next()?;
        // A declaration may stand there twice.
        let is_only = declarations.all(|other| other == local);
        if is_only {
            self.variable_given_to(local)
        } else {
            None
        }
    }

    /// The call that is given an expression, and does not keep it.
    fn call_given(&self, expr: ExprId) -> Option<ExprId> {
        let &call = self.parents.get(&expr)?;
        let ExprKind::Call {
            callee: Callee::Named(name),
            args,
        } = &self.function.exprs[call].kind
        else {
            return None;
        };
        (args.contains(&expr) && (self.given_at_once)(call, name.as_str())).then_some(call)
    }

    /// The same of a variable that holds a lambda, and is called by its name besides. A lambda that captures it, and a call of a member of
    /// it (`f.operator()(1)`), use it otherwise.
    fn variable_given_to(&self, local: LocalId) -> Option<Vec<ExprId>> {
        let variable = &self.function.locals[local];
        let is_lambda = matches!(variable.object, Some(ObjectType::Lambda { .. }));
        let is_it = |expr: ExprId| self.function.exprs[expr].kind == ExprKind::Var(VarRef::Local(local));
        if !is_lambda {
            return None;
        }
        let is_callee = |expr: ExprId| {
            let call = self
                .parents
                .get(&expr)
                .map(|&call| &self.function.exprs[call].kind);
            matches!(call, Some(ExprKind::Call { callee: Callee::Indirect(called), .. }) if *called == expr)
        };
        let uses = self
            .function
            .exprs
            .ids()
            .filter(|&expr| is_it(expr) && !is_callee(expr));
        uses.map(|expr| self.call_given(expr)).collect()
    }
}

fn parents(function: &Function) -> HashMap<ExprId, ExprId> {
    let mut parents = HashMap::new();
    for (id, expr) in function.exprs.iter_enumerated() {
        parents.extend(operands(expr).into_iter().map(|part| (part, id)));
    }
    parents
}
