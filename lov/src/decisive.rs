//! Calls whose result decides whether others follow.
//!
//! A function that calls itself last may be a loop in optimised code, and then a frame of it may be that of any of its calls. In
//! `r = f(n - 1); if (r) return r; g();` the call of `f` is the last one on one way, and yet no compiler can make a jump of it: what is called next
//! depends on what it returns.
//!
//! **Decisive.** A call is decisive if each way from it to the exit on which nobody else is called passes a branch that *tests*
//! its result and has a *busy* side. A branch tests the result if it compares it with a constant, or asks whether it is zero:
//! nothing else goes into the decision. A side is busy if each way from there calls somebody by name before the function is left. The
//! calls that come first there are listed: a call of nothing (`trace()` of a build without traces) would be dropped, and the test with it,
//! which only the code of a build can tell.

use base::{Confidence, IdVec};
use dataflow::{Action, FlowKind, FunctionInfo, Target};
use ir::{Callee, ExprId, ExprKind, Function, LocalId, UnaryOp, VarRef};
use library::Value;
use library::symbols::is_builtin;
use progress_map::{DecisiveCall, Function as Mapped, FunctionId, PointId};
use std::collections::{BTreeMap, BTreeSet};

/// A decisive call, and what its result decides about.
pub(crate) type Decisive = (PointId, Vec<PointId>);

/// The decisive calls of a function, in order. None of one that was read in part: what was not understood may test or call anything.
pub(crate) fn calls(info: &FunctionInfo<'_>) -> Vec<Decisive> {
    if info.function.confidence == Confidence::Partial || info.flow.distrust.is_some() {
        return Vec::new();
    }
    let idle = idle_points(info);
    let points = info.flow.points.iter_enumerated();
    let last = points.filter_map(|(point, each)| match each.action {
        Action::Call(call) if info.flow.succs[point].iter().any(|&next| idle[next]) => Some((point, call)),
        _ => None,
    });
    last.filter(|&(point, _)| is_by_name(info, point))
        .filter_map(|(point, call)| Some((point, what_follows(info, &idle, point, call)?)))
        .collect()
}

/// By point: whether the exit is reached from there on some way without a call.
fn idle_points(info: &FunctionInfo<'_>) -> IdVec<PointId, bool> {
    let mut idle: IdVec<PointId, bool> = info.flow.points.iter().map(|_| false).collect();
    let mut work = vec![info.flow.exit()];
    while let Some(at) = work.pop() {
        let is_call = info.flow.points[at].kind == FlowKind::Call;
        if !is_call && !std::mem::replace(&mut idle[at], true) {
            work.extend_from_slice(&info.flow.preds[at]);
        }
    }
    idle
}

/// The calls that come first on the busy sides of the branches which test a call's result, if the call is decisive.
fn what_follows(
    info: &FunctionInfo<'_>,
    idle: &IdVec<PointId, bool>,
    point: PointId,
    call: ExprId,
) -> Option<Vec<PointId>> {
    let mut follow = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut work = Vec::from(&info.flow.succs[point]);
    while let Some(at) = work.pop() {
        if at == info.flow.exit() {
            return None;
        }
        if !idle[at] || !seen.insert(at) {
            continue;
        }
        let next = &info.flow.succs[at];
        let mut busy = next.iter().filter(|&&side| !idle[side]);
        if let Action::Branch(Some(condition)) = info.flow.points[at].action
            && tests(info, at, condition, call)
            && let Some(busy) = busy.find_map(|&side| first_calls(info, side))
        {
            follow.extend(busy);
        } else {
            work.extend_from_slice(next);
        }
    }
    // Without a test it is not the last call on any way.
    (!follow.is_empty()).then(|| follow.into_iter().collect())
}

/// The calls that come first on the ways from a busy side, if all are by name, of functions that are not known to do nothing but compute.
fn first_calls(info: &FunctionInfo<'_>, side: PointId) -> Option<BTreeSet<PointId>> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut work = vec![side];
    while let Some(at) = work.pop() {
        if !seen.insert(at) {
            continue;
        }
        match info.flow.points[at].kind {
            FlowKind::Call if is_by_name(info, at) => {
                found.insert(at);
            }
            FlowKind::Call => return None,
            _ => work.extend_from_slice(&info.flow.succs[at]),
        }
    }
    (!found.is_empty()).then_some(found)
}

/// Whether a function is called by its name, other than one of a library that has no effect but its value: such a call may be dropped.
fn is_by_name(info: &FunctionInfo<'_>, point: PointId) -> bool {
    let Some(Callee::Named(name)) = info.flow.points[point].callee(info.function) else {
        return false;
    };
    let name = name.as_str();
    let only_computes = library::function(name).is_some_and(|row| row.value == Value::OfArguments);
    !only_computes && !is_builtin(name)
}

/// Whether the branch at a point asks for the result of `call` and for nothing else.
fn tests(info: &FunctionInfo<'_>, at: PointId, condition: ExprId, call: ExprId) -> bool {
    let exprs = &info.function.exprs;
    let is_constant = |id: ExprId| matches!(exprs[value(info.function, id)].kind, ExprKind::Int(_));
    let asked = match exprs[value(info.function, condition)].kind {
        ExprKind::Unary(UnaryOp::Not, inner) => return tests(info, at, inner, call),
        ExprKind::Binary(op, a, b) if op.compares() && is_constant(b) => a,
        ExprKind::Binary(op, a, b) if op.compares() && is_constant(a) => b,
        _ => condition,
    };
    let asked = value(info.function, asked);
    match exprs[asked].kind {
        ExprKind::Assign {
            op: None,
            value: assigned,
            ..
        } => value(info.function, assigned) == call,
        ExprKind::Var(VarRef::Local(local)) => holds_result(info, at, local, call),
        _ => asked == call,
    }
}

/// Whether a local variable has the result of `call`, whichever way control came to a point.
fn holds_result(info: &FunctionInfo<'_>, at: PointId, local: LocalId, call: ExprId) -> bool {
    if info.definitions.escaped(local) {
        return false;
    }
    let reaching = info.definitions.reaching(&info.flow, local, at, None);
    let ([definition], false) = (reaching.points.as_slice(), reaching.entry) else {
        return false;
    };
    let Action::Assign {
        ref target,
        by,
        initial,
    } = info.flow.points[*definition].action
    else {
        return false;
    };
    let assigned = match info.function.exprs[by].kind {
        _ if initial => by,
        ExprKind::Assign { op: None, value, .. } => value,
        _ => return false,
    };
    *target == Target::Local(local) && value(info.function, assigned) == call
}

/// The expression whose value another one has, but for its type.
fn value(function: &Function, mut id: ExprId) -> ExprId {
    while let ExprKind::Cast(_, inner) | ExprKind::Comma(_, inner) = function.exprs[id].kind {
        id = inner;
    }
    id
}

/// The decisive calls, in the map's form, of functions that may call themselves last, directly or through others. The order needs no others.
pub(crate) fn of_recursive(
    functions: &IdVec<FunctionId, Mapped>,
    decisive: impl Iterator<Item = (FunctionId, Decisive)>,
) -> Vec<DecisiveCall> {
    let mut by_name: BTreeMap<&str, Vec<FunctionId>> = BTreeMap::new();
    for (id, function) in functions.iter_enumerated() {
        by_name.entry(&function.name).or_default().push(id);
    }
    let mut last_calls: BTreeMap<FunctionId, Vec<FunctionId>> = BTreeMap::new();
    let mut called_last = |id: FunctionId| {
        let called = last_calls.entry(id).or_insert_with(|| {
            let function = &functions[id];
            let named = function.last_calls();
            let named = named
                .iter()
                .filter_map(|&point| function.points[point].kind.callee());
            named
                .filter_map(|name| by_name.get(name))
                .flatten()
                .copied()
                .collect()
        });
        called.clone()
    };
    let mut is_recursive: BTreeMap<FunctionId, bool> = BTreeMap::new();
    let mut found = Vec::new();
    for (function, (point, follow)) in decisive {
        let recursive = is_recursive.entry(function).or_insert_with(|| {
            let mut seen = BTreeSet::new();
            let mut work = called_last(function);
            while let Some(at) = work.pop() {
                if at == function {
                    return true;
                }
                if seen.insert(at) {
                    work.extend(called_last(at));
                }
            }
            false
        });
        if *recursive {
            found.push(DecisiveCall {
                function,
                point,
                follow,
            });
        }
    }
    found.sort();
    found
}
