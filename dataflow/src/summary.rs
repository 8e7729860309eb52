//! What a function does to a variable whose address it is given, or to a global, seen from the call.
//!
//! `advance(&i)` with `void advance(int *p) { *p = *p + 1; }` is as good a step as `i++`: the callee only reads and
//! writes through the pointer, forgets it, and on every path from entry to exit adds the same. A summary is that one
//! fact. A task that is stopped inside such a call may show the variable before or after the step.

use crate::calls::NodeId;
use crate::definitions::Definitions;
use crate::effects::{Target, children};
use crate::external::{is_library, writes_through};
use crate::flow::{Action, Flow};
use crate::packs::{place_among_parameters, single_parameters};
use crate::program::{FunctionIndex, Program};
use ir::{BinaryOp, Callee, ExprId, ExprKind, Function, LocalId, Type, UnaryOp, VarRef};
use progress_map::PointId;
use std::collections::{BTreeMap, BTreeSet};

/// What a call does to a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It does not change it.
    Leaves,
    /// It adds this constant, never zero, exactly once on every path.
    Adds(i64),
    /// It promises not to change it (`const int *`), and nothing more is known: it may keep the address.
    Promises,
    /// It may set it to anything before it returns.
    Sets,
    /// It may keep the address, or nothing is known.
    Keeps,
}

impl Effect {
    /// Whether the variable may have another value after the call.
    pub fn changes(self) -> bool {
        !matches!(self, Effect::Leaves | Effect::Promises)
    }

    /// The effect through several arguments that are one address.
    pub(crate) fn several(self) -> Self {
        match self {
            Effect::Adds(_) => Effect::Sets,
            other => other,
        }
    }
}

/// The effect of a library function on what its argument of that number points to.
pub(crate) fn of_library(name: &str, index: usize) -> Effect {
    match writes_through(name, index) {
        Some(_) => Effect::Sets,
        None => Effect::Keeps,
    }
}

/// Whether a function of the program that has this name may be another one in the program that runs: a tree may hold functions of MPI
/// for builds without it, which do nothing.
pub(crate) fn is_stood_in_for(name: &str) -> bool {
    base::is_mpi(name)
}

/// Calls deeper than this are taken to do anything: a chain so long passes no counter on.
const MAX_DEPTH: u32 = 64;

/// Effects through parameters, worked out when asked for and remembered.
#[derive(Default)]
pub(crate) struct Summaries {
    known: BTreeMap<(FunctionIndex, usize), Effect>,
    depth: u32,
}

impl Summaries {
    /// What a call of `name` from `unit` does to what its argument `index` points to.
    pub(crate) fn through_argument(
        &mut self,
        program: &Program<'_>,
        unit: usize,
        name: &str,
        index: usize,
    ) -> Effect {
        let callees = program.callees(unit, name);
        let known = callees.map(|callee| self.through(program, callee, index));
        match known.reduce(either) {
            None => of_library(name, index),
            Some(known) if is_stood_in_for(name) => either(known, of_library(name, index)),
            Some(known) => known,
        }
    }

    fn through(&mut self, program: &Program<'_>, id: FunctionIndex, index: usize) -> Effect {
        if let Some(&effect) = self.known.get(&(id, index)) {
            return effect;
        }
        if self.depth == MAX_DEPTH {
            return Effect::Keeps;
        }
        // A function that passes the pointer on to itself is not followed.
        self.known.insert((id, index), Effect::Keeps);
        self.depth += 1;
        let effect = match self.work_out(program, id, index) {
            Effect::Keeps if self.keeps_promise(program, id, index) => Effect::Promises,
            known => known,
        };
        self.depth -= 1;
        self.known.insert((id, index), effect);
        effect
    }

    fn work_out(&mut self, program: &Program<'_>, id: FunctionIndex, index: usize) -> Effect {
        let info = &program.functions[id];
        let function = info.function;
        if index >= single_parameters(function) {
            return Effect::Keeps;
        }
        let local = <LocalId as base::Id>::from_index(index);
        if function.confidence == base::Confidence::Partial
            || info.flow.distrust.is_some()
            || info.has_handlers()
            || !pointer_stays(function, &info.flow, &info.definitions, local)
        {
            return Effect::Keeps;
        }
        let mut steps: Vec<(PointId, i64)> = Vec::new();
        let (mut sets, mut promised) = (false, false);
        for (point, each) in info.flow.points.iter_enumerated() {
            match &each.action {
                Action::Assign {
                    target: Target::Memory,
                    by,
                    initial: false,
                } => match written_through(function, *by, local) {
                    Some(Some(step)) => steps.push((point, step)),
                    Some(None) => sets = true,
                    None => {}
                },
                Action::Call(call) => {
                    let ExprKind::Call {
                        callee: Callee::Named(name),
                        args,
                    } = &function.exprs[*call].kind
                    else {
                        continue;
                    };
                    let passed = args
                        .iter()
                        .enumerate()
                        .filter(|&(_, &arg)| carries(function, arg, local));
                    let passed: Vec<usize> = passed.map(|(index, _)| index).collect();
                    for &index in &passed {
                        let place = place_among_parameters(function, args, index);
                        let mut effect = self.through_argument(program, info.unit, name, place);
                        let is_cast = matches!(function.exprs[args[index]].kind, ExprKind::Cast(..));
                        if passed.len() > 1 || is_cast {
                            effect = effect.several();
                        }
                        match effect {
                            Effect::Leaves => {}
                            Effect::Promises => promised = true,
                            Effect::Adds(step) => steps.push((point, step)),
                            Effect::Sets => sets = true,
                            Effect::Keeps => return Effect::Keeps,
                        }
                    }
                }
                _ => {}
            }
        }
        match total(&info.flow, &steps, sets) {
            other if !promised => other,
            Effect::Leaves => Effect::Promises,
            // The promise is needed only for the claim that nothing else changes the variable. The changes found here do not need it.
            _ => Effect::Keeps,
        }
    }

    /// Whether a function promises not to change what its argument of that number points to, and is not seen to break the promise: it
    /// casts `const` away only for functions of the library or the program, and hands the pointer to none of these that is seen to
    /// change what it points to. Who loops over a variable and gives its address to such a function relies on the promise as well.
    fn keeps_promise(&mut self, program: &Program<'_>, id: FunctionIndex, index: usize) -> bool {
        let info = &program.functions[id];
        let function = info.function;
        if index >= single_parameters(function) {
            return false;
        }
        let local = <LocalId as base::Id>::from_index(index);
        if !function.locals[local].promises {
            return false;
        }
        let leads = |id: ExprId| leads_to_pointee(function, id, local);
        let is_cast = |id: ExprId| matches!(function.exprs[id].kind, ExprKind::Cast(..)) && leads(id);
        for each in info.flow.points.iter() {
            let broken = match each.action {
                Action::Assign { by, initial, .. } => {
                    initial && is_cast(by)
                        || written(function, by).is_some_and(|at| is_behind(function, at, local))
                }
                Action::Return(Some(value)) => is_cast(value),
                _ => false,
            };
            if broken {
                return false;
            }
        }
        for expr in function.exprs.iter() {
            let kept = match &expr.kind {
                ExprKind::Call {
                    callee: Callee::Named(name),
                    args,
                } => args.iter().enumerate().all(|(index, &arg)| {
                    !leads(arg)
                        || if program.is_known(info.unit, name) {
                            !matches!(
                                self.through_argument(
                                    program,
                                    info.unit,
                                    name,
                                    place_among_parameters(function, args, index)
                                ),
                                Effect::Sets | Effect::Adds(_)
                            )
                        } else {
                            !is_cast(arg) || is_library(name)
                        }
                }),
                ExprKind::Deref(_)
                | ExprKind::Index { .. }
                | ExprKind::Cast(..)
                | ExprKind::Unary(UnaryOp::Not, _)
                | ExprKind::And(..)
                | ExprKind::Or(..)
                | ExprKind::Binary(..) => true,
                _ => !children(expr).into_iter().any(is_cast),
            };
            if !kept {
                return false;
            }
        }
        true
    }
}

/// The effects of all functions that may assign a global which only visible assignments change, callees included. A
/// function that leads to one which calls itself, over others or not, sets it.
///
/// Callees are worked out before their callers, each function once.
pub(crate) fn on_global(program: &Program<'_>, name: &str) -> BTreeMap<FunctionIndex, Effect> {
    let (calls, graph) = (&program.calls, &program.call_graph);
    let mut known = Known::default();
    let mut changers = program.changers(name).to_vec();
    changers.sort_by_key(|&id| graph.part(calls.node(id)));
    for id in changers {
        let node = calls.node(id);
        let mut targets = graph.targets(node).iter();
        let effect = if graph.is_in_cycle(node) || targets.any(|target| known.stuck.contains(target)) {
            known.stuck.insert(node);
            known.stuck.extend(calls.node_of_name(id));
            Effect::Sets
        } else {
            global(program, id, name, &mut known)
        };
        known.effects.insert(id, effect);
    }
    known.effects
}

/// The effects on one global that are known.
#[derive(Default)]
struct Known {
    effects: BTreeMap<FunctionIndex, Effect>,
    /// Functions that may be called again while they are called, who leads to them, and their names.
    stuck: BTreeSet<NodeId>,
    /// What may be meant by a name, all together.
    by_node: BTreeMap<NodeId, Effect>,
}

impl Known {
    /// The combined effect of all functions that a node may stand for; the effect of each is known already.
    fn of(&mut self, program: &Program<'_>, node: NodeId) -> Effect {
        let effects = &self.effects;
        *self.by_node.entry(node).or_insert_with(|| {
            let functions = program.calls.functions(node);
            let each = functions.map(|id| effects.get(&id).copied().unwrap_or(Effect::Leaves));
            each.reduce(either).unwrap_or(Effect::Leaves)
        })
    }
}

/// The effect of one function; `known` has those of its callees, or they leave the global alone.
fn global(program: &Program<'_>, id: FunctionIndex, name: &str, known: &mut Known) -> Effect {
    let info = &program.functions[id];
    if info.function.confidence == base::Confidence::Partial
        || info.flow.distrust.is_some()
        || info.has_handlers()
    {
        return Effect::Sets;
    }
    let mut steps: Vec<(PointId, i64)> = Vec::new();
    let mut sets = false;
    let target = Target::Global(name.into());
    let is_self = |id: ExprId| names_global(info.function, id, name);
    for (point, each) in info.flow.points.iter_enumerated() {
        match &each.action {
            Action::Assign {
                target: written, by, ..
            } if *written == target => match constant_step(info.function, *by, &is_self) {
                Some(step) => steps.push((point, step)),
                None => sets = true,
            },
            Action::Call(call) => {
                let mut given = program.given_globals(id, *call).iter();
                sets |= given.any(|&(given, _)| given == name);
                match &info.function.exprs[*call].kind {
                    ExprKind::Call {
                        callee: Callee::Named(callee),
                        ..
                    } => {
                        let callees = program.calls.nodes(info.unit, callee);
                        let effects = callees.map(|node| known.of(program, node));
                        match effects.reduce(either) {
                            None | Some(Effect::Leaves) => {}
                            Some(Effect::Adds(step)) => steps.push((point, step)),
                            Some(Effect::Promises | Effect::Sets | Effect::Keeps) => sets = true,
                        }
                    }
                    _ => sets = true,
                }
            }
            _ => {}
        }
    }
    total(&info.flow, &steps, sets)
}

/// Whether an expression is the value of this global. A cast may leave a part of it only.
fn names_global(function: &Function, id: ExprId, name: &str) -> bool {
    matches!(&function.exprs[id].kind, ExprKind::Var(VarRef::Global(other)) if other == name)
}

fn either(a: Effect, b: Effect) -> Effect {
    match (a, b) {
        _ if a == b => a,
        (Effect::Keeps, _) | (_, Effect::Keeps) => Effect::Keeps,
        (Effect::Leaves, Effect::Promises) | (Effect::Promises, Effect::Leaves) => Effect::Promises,
        (Effect::Promises, _) | (_, Effect::Promises) => Effect::Keeps,
        _ => Effect::Sets,
    }
}

/// What single steps (sorted by point) add up to over the whole function.
pub(crate) fn total(flow: &Flow, steps: &[(PointId, i64)], sets: bool) -> Effect {
    let reachable: Vec<(PointId, i64)> = steps
        .iter()
        .copied()
        .filter(|&(at, _)| flow.reachable[at])
        .collect();
    match (sets, reachable.is_empty()) {
        (true, _) => Effect::Sets,
        (false, true) => Effect::Leaves,
        // Steps that cancel out are no step, and the value in between is another.
        (false, false) => match sum(flow, &reachable) {
            Some(step) if step != 0 => Effect::Adds(step),
            _ => Effect::Sets,
        },
    }
}

/// The sum of `steps` from entry to exit, when it is the same on every path.
fn sum(flow: &Flow, steps: &[(PointId, i64)]) -> Option<i64> {
    let mut known: BTreeMap<PointId, i64> = BTreeMap::from([(flow.entry(), 0)]);
    let mut work = vec![flow.entry()];
    while let Some(point) = work.pop() {
        let mut here = steps
            .iter()
            .filter(|&&(at, _)| at == point)
            .map(|&(_, step)| step);
        let after = here.try_fold(known[&point], i64::checked_add)?;
        for &succ in &flow.succs[point] {
            match known.get(&succ) {
                Some(&before) if before != after => return None,
                Some(_) => {}
                None => {
                    known.insert(succ, after);
                    work.push(succ);
                }
            }
        }
    }
    known.get(&flow.exit()).copied()
}

/// Whether an expression is the parameter's own value, perhaps cast.
fn carries(function: &Function, id: ExprId, param: LocalId) -> bool {
    match &function.exprs[id].kind {
        ExprKind::Var(VarRef::Local(local)) => *local == param,
        ExprKind::Cast(_, inner) => carries(function, *inner, param),
        _ => false,
    }
}

/// Whether an expression is an address in what the parameter points to.
fn leads_to_pointee(function: &Function, id: ExprId, param: LocalId) -> bool {
    match function.exprs[id].kind {
        ExprKind::Var(VarRef::Local(local)) => local == param,
        ExprKind::Cast(_, inner) => leads_to_pointee(function, inner, param),
        ExprKind::AddressOf(inner) => is_behind(function, inner, param),
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) | ExprKind::Conditional(_, a, b) => {
            leads_to_pointee(function, a, param) || leads_to_pointee(function, b, param)
        }
        _ => false,
    }
}

/// Whether an expression names a part of what the parameter points to.
fn is_behind(function: &Function, id: ExprId, param: LocalId) -> bool {
    match function.exprs[id].kind {
        ExprKind::Deref(base)
        | ExprKind::Index { base, .. }
        | ExprKind::Field {
            base, arrow: true, ..
        } => leads_to_pointee(function, function.object(base), param),
        ExprKind::Field {
            base, arrow: false, ..
        } => is_behind(function, function.object(base), param),
        _ => false,
    }
}

/// What an assignment assigns to.
fn written(function: &Function, by: ExprId) -> Option<ExprId> {
    match function.exprs[by].kind {
        ExprKind::Assign { target, .. } | ExprKind::Step { target, .. } => Some(target),
        _ => None,
    }
}

/// Whether the parameter occurs in an expression.
fn mentions(function: &Function, id: ExprId, param: LocalId) -> bool {
    let mut work = vec![id];
    while let Some(id) = work.pop() {
        if matches!(function.exprs[id].kind, ExprKind::Var(VarRef::Local(local)) if local == param) {
            return true;
        }
        work.extend(children(&function.exprs[id]));
    }
    false
}

/// Whether a pointer parameter is used only to read and write what it points to and to pass it on.
fn pointer_stays(function: &Function, flow: &Flow, definitions: &Definitions, param: LocalId) -> bool {
    let ty = function.locals[param].ty;
    if !matches!(ty, Type::Pointer | Type::Array)
        || !definitions.of(param).is_empty()
        || ty == Type::Pointer && definitions.escaped(param)
    {
        return false;
    }
    let stays_alone = flow.points.iter().all(|each| match each.action {
        Action::Assign {
            by, initial: true, ..
        } => !carries(function, by, param),
        Action::Return(Some(value)) => !carries(function, value, param),
        _ => true,
    });
    stays_alone
        && function.exprs.iter().all(|expr| {
            let carried = |id: &ExprId| carries(function, *id, param);
            match &expr.kind {
                ExprKind::Deref(_) | ExprKind::Unary(UnaryOp::Not, _) | ExprKind::Cast(..) => true,
                ExprKind::Index { index, .. } => !carried(index),
                ExprKind::Binary(op, ..) => op.compares() || !children(expr).iter().any(carried),
                ExprKind::And(..) | ExprKind::Or(..) => true,
                ExprKind::Call {
                    callee: Callee::Named(_),
                    ..
                } => true,
                ExprKind::AddressOf(inner) => !mentions(function, *inner, param),
                _ => !children(expr).iter().any(carried),
            }
        })
}

/// For an assignment through `param`: the constant that it adds, or `Some(None)` when it does something else. `None`
/// for assignments through other pointers, which cannot lead to a variable whose address only `param` holds.
fn written_through(function: &Function, by: ExprId, param: LocalId) -> Option<Option<i64>> {
    // Through a cast it may be another type's value that is changed.
    let is_param =
        |id: ExprId| matches!(function.exprs[id].kind, ExprKind::Var(VarRef::Local(local)) if local == param);
    let is_pointee = |id: ExprId| matches!(function.exprs[id].kind, ExprKind::Deref(base) if is_param(base));
    let target = written(function, by)?;
    if is_pointee(target) {
        return Some(constant_step(function, by, &is_pointee));
    }
    // `p[0] = …`, `p->x = …`
    let mut base = target;
    loop {
        if carries(function, base, param) {
            return Some(None);
        }
        base = match function.exprs[base].kind {
            ExprKind::Index { base, .. } | ExprKind::Field { base, .. } | ExprKind::Deref(base) => base,
            ExprKind::Cast(_, inner) | ExprKind::Comma(_, inner) => inner,
            _ => return None,
        };
    }
}

/// The constant that an assignment adds to what `is_self` names.
pub(crate) fn constant_step(
    function: &Function,
    by: ExprId,
    is_self: &dyn Fn(ExprId) -> bool,
) -> Option<i64> {
    let constant = |id: ExprId| match function.exprs[id].kind {
        ExprKind::Int(value) => Some(value),
        _ => None,
    };
    let signed = |op: BinaryOp, value: i64| match op {
        BinaryOp::Add => Some(value),
        BinaryOp::Sub => value.checked_neg(),
        _ => None,
    };
    match function.exprs[by].kind {
        ExprKind::Step { up, .. } => Some(if up { 1 } else { -1 }),
        ExprKind::Assign {
            op: Some(op), value, ..
        } => signed(op, constant(value)?),
        ExprKind::Assign { op: None, value, .. } => match function.exprs[value].kind {
            ExprKind::Binary(op, a, b) if is_self(a) => signed(op, constant(b)?),
            ExprKind::Binary(BinaryOp::Add, a, b) if is_self(b) => constant(a),
            _ => None,
        },
        _ => None,
    }
}
