//! Functions that return memory which they allocate and do nothing else with.

use crate::build::callees::Callees;
use crate::build::locations::plain_variable;
use crate::build::macros::MacroFacts;
use crate::effect::effect;
use base::Id as _;
use dataflow::{FunctionIndex, FunctionInfo, Program};
use ir::{BinaryOp, Callee, ExprId, ExprKind, LocalId, StmtKind, UnaryOp, VarRef};
use std::collections::BTreeSet;

/// The functions of a program that return memory which they allocate and do nothing else with: each of their calls makes
/// memory of its own.
pub(crate) fn allocators(
    program: &Program<'_>,
    callees: &Callees<'_, '_>,
    macros: &MacroFacts<'_>,
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
    macros: &MacroFacts<'_>,
    info: &FunctionInfo<'_>,
    known: &BTreeSet<FunctionIndex>,
) -> bool {
    let body = Body {
        callees,
        macros,
        info,
        known,
    };
    let Some(returned) = body.returned() else {
        return false;
    };
    let Some(local) = returned.variable else {
        return returned.makes_new;
    };
    let own = &info.function.locals[local];
    if local.index() < info.function.params || own.is_static {
        return false;
    }
    let Some(is_set) = body.is_set_to_new(local) else {
        return false;
    };
    (returned.makes_new || is_set) && body.only_harmless_uses(local)
}

/// What a pointer gets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    /// Memory that was allocated just now.
    New,
    /// The null pointer.
    Null,
}

/// What a function returns, if that is one variable, new memory and null pointers only.
struct Returned {
    variable: Option<LocalId>,
    makes_new: bool,
}

/// A function that may do nothing but allocate.
struct Body<'b, 'c, 'u> {
    callees: &'b Callees<'c, 'u>,
    macros: &'b MacroFacts<'u>,
    info: &'b FunctionInfo<'u>,
    /// The functions that certainly do.
    known: &'b BTreeSet<FunctionIndex>,
}

impl Body<'_, '_, '_> {
    /// What an expression gives, unless it may be anything.
    fn given(&self, mut expr: ExprId) -> Option<Given> {
        let unit = self.info.unit;
        while let ExprKind::Cast(_, inner) = self.info.function.exprs[expr].kind {
            expr = inner;
        }
        let is_new = match &self.info.function.exprs[expr].kind {
            ExprKind::Int(0) => return Some(Given::Null),
            ExprKind::Call {
                callee: Callee::Macro(called),
                ..
            } => {
                let name = called.name.as_str();
                let definitions = self.macros.of(name);
                !definitions.is_empty()
                    && definitions.iter().all(|callee| self.known.contains(callee))
                    && !self.callees.any(unit, name)
            }
            ExprKind::Call {
                callee: Callee::Named(name),
                ..
            } => {
                let mut callees = self.callees.of(unit, name).into_iter().peekable();
                if callees.peek().is_some() {
                    callees.all(|callee| self.known.contains(&callee))
                } else {
                    let effect = effect(name);
                    effect.allocates && effect.returns.is_none()
                }
            }
            _ => false,
        };
        is_new.then_some(Given::New)
    }

    fn returned(&self) -> Option<Returned> {
        let function = self.info.function;
        let mut returned = Returned {
            variable: None,
            makes_new: false,
        };
        for stmt in &function.stmts {
            let StmtKind::Return(Some(value)) = stmt.kind else {
                continue;
            };
            match plain_variable(function, value) {
                Some(local) if returned.variable.is_none_or(|known| known == local) => {
                    returned.variable = Some(local);
                }
                Some(_) => return None,
                None => returned.makes_new |= self.given(value)? == Given::New,
            }
        }
        Some(returned)
    }

    /// Whether a variable is set to new memory somewhere; `None` if an assignment may set it to anything.
    fn is_set_to_new(&self, local: LocalId) -> Option<bool> {
        let function = self.info.function;
        let mut is_set = false;
        for expr in &function.exprs {
            if let ExprKind::Assign {
                op: None,
                target,
                value,
            } = expr.kind
                && plain_variable(function, target) == Some(local)
            {
                is_set |= self.given(value)? == Given::New;
            }
        }
        for stmt in &function.stmts {
            if let StmtKind::Decl {
                local: declared,
                init: Some(init),
            } = stmt.kind
                && declared == local
            {
                is_set |= self.given(init)? == Given::New;
            }
        }
        Some(is_set)
    }

    /// Whether a variable is set as a whole, compared, returned, and given to library functions that do not keep it; no more. A lambda that
    /// captures it, and whatever takes its address, names it elsewhere.
    fn only_harmless_uses(&self, local: LocalId) -> bool {
        let function = self.info.function;
        let mut harmless: BTreeSet<ExprId> = BTreeSet::new();
        let mut allow = |mut expr: ExprId| {
            while let ExprKind::Cast(_, inner) = function.exprs[expr].kind {
                expr = inner;
            }
            harmless.insert(expr);
        };
        for expr in &function.exprs {
            match &expr.kind {
                ExprKind::Assign { op: None, target, .. }
                    if plain_variable(function, *target) == Some(local) =>
                {
                    allow(*target)
                }
                ExprKind::Call {
                    callee: Callee::Named(name),
                    args,
                } if !self.callees.any(self.info.unit, name)
                    && !effect(name).unknown
                    && effect(name).copies.is_none() =>
                {
                    args.iter().for_each(|&arg| allow(arg));
                }
                ExprKind::Unary(UnaryOp::Not, a) => allow(*a),
                ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b)
                | ExprKind::And(a, b)
                | ExprKind::Or(a, b) => {
                    allow(*a);
                    allow(*b);
                }
                _ => {}
            }
        }
        for stmt in &function.stmts {
            match stmt.kind {
                StmtKind::Return(Some(value)) => allow(value),
                StmtKind::If { cond, .. } => allow(cond),
                _ => {}
            }
        }
        let mut uses = function.exprs.iter_enumerated();
        uses.all(|(id, expr)| expr.kind != ExprKind::Var(VarRef::Local(local)) || harmless.contains(&id))
    }
}
