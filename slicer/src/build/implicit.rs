//! Which statements of C++ may call functions implicitly: where objects are made, copied, converted, handed over to
//! functions without source, and where they go out of scope.

use crate::build::cxx::{may_be_object, names_object};
use crate::build::values::Values;
use crate::graph::{Call, FunctionId, ImplicitCalls, NodeId};
use base::Id as _;
use dataflow::{Action, FunctionIndex, Target};
use ir::{Callee, ExprId, ExprKind, Function, Type, VarRef};
use progress_map::PointId;
use std::collections::BTreeSet;

/// The functions that may be called implicitly, and the nodes that may call them.
pub(super) fn implicit_calls(
    values: &Values<'_, '_>,
    calls: &[Call],
    node: &dyn Fn(FunctionIndex, PointId) -> NodeId,
) -> ImplicitCalls {
    let is_object = |id: &FunctionIndex| values.cxx.callable.binary_search(id).is_ok();
    let (objects, functions): (Vec<FunctionIndex>, Vec<FunctionIndex>) =
        values.cxx.implicit.iter().copied().partition(is_object);
    if objects.is_empty() && functions.is_empty() {
        return ImplicitCalls::default();
    }
    let mut sites: BTreeSet<NodeId> = BTreeSet::new();
    for (id, info) in values.program.functions.iter_enumerated() {
        if !values.cxx.is_cxx(id) {
            continue;
        }
        let function = info.function;
        let mut points: BTreeSet<ExprId> = BTreeSet::new();
        for each in info.flow.points.iter() {
            match each.action {
                Action::Assign {
                    by, initial: false, ..
                } => drop(points.insert(by)),
                Action::Call(call) => drop(points.insert(call)),
                _ => {}
            }
        }
        let global = |name: &str| values.type_of_global(info.unit, name);
        let names = |expr: ExprId| names_object(function, expr, &|part| points.contains(&part), &global);
        for (point, each) in info.flow.points.iter_enumerated() {
            let may_call = match &each.action {
                Action::None => false,
                Action::Branch(value) | Action::Return(value) => value.is_some_and(names),
                Action::Assign {
                    target, by, initial, ..
                } => {
                    let target = match target {
                        Target::Local(local) => may_be_object(function.locals[*local].ty),
                        _ => !*initial && is_object_place(values, function, *by, &global),
                    };
                    target || assigned(function, *by, *initial).is_some_and(names)
                }
                Action::Call(call) => {
                    let ExprKind::Call { args, callee } = &function.exprs[*call].kind else {
                        continue;
                    };
                    let here = node(id, point);
                    let at = calls.binary_search_by_key(&here, |call| call.node);
                    let outside = at.is_ok_and(|at| calls[at].callees.is_empty() || calls[at].hands_on);
                    let objects = args.iter().any(|&arg| names(arg));
                    // `delete` looks like a call of a pointer.
                    let is_object =
                        values.cxx.receiver(id, *call).is_some() || matches!(callee, Callee::Indirect(_));
                    objects || outside && (is_object || !args.is_empty())
                }
            };
            if may_call {
                sites.insert(node(id, point));
            }
        }
    }
    let of_graph =
        |ids: Vec<FunctionIndex>| Vec::from_iter(ids.iter().map(|id| FunctionId::from_index(id.index())));
    ImplicitCalls {
        functions: of_graph(functions),
        objects: of_graph(objects),
        sites: sites.into_iter().collect(),
    }
}

/// The value that is assigned.
fn assigned(function: &Function, by: ExprId, initial: bool) -> Option<ExprId> {
    match function.exprs[by].kind {
        _ if initial => Some(by),
        ExprKind::Assign { value, .. } => Some(value),
        _ => None,
    }
}

/// Whether an assignment may be to an object.
fn is_object_place(
    values: &Values<'_, '_>,
    function: &Function,
    by: ExprId,
    global: &dyn Fn(&str) -> Type,
) -> bool {
    let (ExprKind::Assign { target, .. } | ExprKind::Step { target, .. }) = function.exprs[by].kind else {
        return false;
    };
    match &function.exprs[target].kind {
        ExprKind::Var(VarRef::Local(local)) => may_be_object(function.locals[*local].ty),
        ExprKind::Var(VarRef::Global(name)) => may_be_object(global(name)),
        ExprKind::Field { name, .. } => {
            let mut members = values.program.members(name).peekable();
            members.peek().is_none() || members.any(|member| may_be_object(member.ty))
        }
        _ => true,
    }
}
