//! The variables that a loop assigns, and those that it reads.

use base::mutant::{Mutant, on};
use dataflow::{
    Action, Effort, FunctionIndex, FunctionInfo, MemberPath, Program, Target, operands, target_of,
};
use ir::{ExprId, ExprKind, Function, LocalId, Type, VarRef};
use progress_map::{LoopId, PointId, RangePart, Storage};
use std::collections::{BTreeMap, BTreeSet};

/// A loop under analysis.
#[derive(Clone, Copy)]
pub(crate) struct LoopContext<'p, 'u> {
    pub program: &'p Program<'u>,
    pub id: FunctionIndex,
    pub info: &'p FunctionInfo<'u>,
    pub in_loop: LoopId,
    /// Of all questions about the function.
    pub effort: &'p Effort,
}

impl<'p> LoopContext<'p, '_> {
    /// The points of the loop, inner loops included, sorted.
    pub fn points(&self) -> &'p [PointId] {
        &self.info.loops.loops[self.in_loop].points
    }

    pub fn header(&self) -> PointId {
        self.info.loops.loops[self.in_loop].header
    }

    pub fn kind(&self, id: ExprId) -> &'p ExprKind {
        &self.info.function.exprs[id].kind
    }

    pub fn line(&self, point: PointId) -> u32 {
        self.info.flow.points[point].span.line
    }
}

/// A variable that a loop assigns.
pub(crate) struct Candidate {
    pub target: Target,
    pub name: String,
    pub storage: Storage,
    pub ty: Type,
    /// The assignments inside the loop: point and expression, sorted by point. A call that adds a constant counts as an assignment.
    pub assignments: Vec<(PointId, ExprId)>,
}

impl Candidate {
    fn new(name: String, storage: Storage, ty: Type, target: Target, at: PointId, by: ExprId) -> Self {
        Candidate {
            target,
            name,
            storage,
            ty,
            assignments: vec![(at, by)],
        }
    }
}

/// The globals that a function names and that some function of the program changes.
pub(crate) fn globals_read<'u>(program: &Program<'_>, info: &FunctionInfo<'u>) -> BTreeSet<&'u str> {
    let exprs = info.function.exprs.iter();
    exprs
        .filter_map(|expr| match &expr.kind {
            ExprKind::Var(VarRef::Global(name)) => Some(name.as_str()),
            _ => None,
        })
        .filter(|name| program.is_changed_global(name))
        .collect()
}

/// The variables that the loop assigns, by name; `read` are the globals that its function names.
pub(crate) fn candidates(context: LoopContext<'_, '_>, read: &BTreeSet<&str>) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for &point in context.points() {
        let Action::Assign { target, by, initial } = &context.info.flow.points[point].action else {
            continue;
        };
        let lvalue = match *context.kind(*by) {
            _ if *initial => None,
            ExprKind::Assign { target, .. } | ExprKind::Step { target, .. } => Some(target),
            _ => None,
        };
        if let Some(known) = found.iter_mut().find(|each| each.target == *target) {
            known.assignments.push((point, *by));
            continue;
        }
        let Some((name, storage, ty)) = describe(context, target, lvalue) else {
            continue;
        };
        found.push(Candidate::new(name, storage, ty, target.clone(), point, *by));
    }
    stepped_by_calls(context, read, &mut found);
    found.sort_by(|a, b| (&a.name, &a.storage).cmp(&(&b.name, &b.storage)));
    found
}

/// Adds the calls that step a variable: `advance(&i)`, or a function that counts in a global which this one reads.
fn stepped_by_calls(context: LoopContext<'_, '_>, read: &BTreeSet<&str>, found: &mut Vec<Candidate>) {
    let named = members_named(context);
    for &point in context.points() {
        let Action::Call(call) = context.info.flow.points[point].action else {
            continue;
        };
        for (target, lvalue) in &named {
            if context.program.added_by_call(context.id, point, target).is_none() {
                continue;
            }
            if let Some(known) = found.iter_mut().find(|each| each.target == *target) {
                known.assignments.push((point, call));
                known.assignments.sort_unstable();
            } else if let Some((name, storage, ty)) = describe(context, target, Some(*lvalue)) {
                found.push(Candidate::new(name, storage, ty, target.clone(), point, call));
            }
        }
        for target in context.program.changed_by_call(context.id, point, read) {
            // A variable that a call may set to any value is worth reporting only if a branch of the loop tests it.
            let added = context.program.added_by_call(context.id, point, &target);
            if added.is_none() && (on(Mutant::CalleeUpdateIgnored) || !decides(context, &target)) {
                continue;
            }
            if let Some(known) = found.iter_mut().find(|each| each.target == target) {
                known.assignments.push((point, call));
                known.assignments.sort_unstable();
            } else if let Some((name, storage, ty)) = describe(context, &target, None) {
                found.push(Candidate::new(name, storage, ty, target, point, call));
            }
        }
    }
}

/// Whether a branch of the loop tests the variable.
fn decides(context: LoopContext<'_, '_>, target: &Target) -> bool {
    tested(context).any(|tested| tested == *target)
}

/// The members that the loop names, with an expression that names each.
fn members_named(context: LoopContext<'_, '_>) -> BTreeMap<Target, ExprId> {
    let values = context
        .points()
        .iter()
        .filter_map(|&point| match context.info.flow.points[point].action {
            Action::Assign { by: value, .. } | Action::Call(value) | Action::Branch(Some(value)) => {
                Some(value)
            }
            Action::Return(value) => value,
            _ => None,
        });
    named_in(context.info.function, values)
        .filter(|(target, _)| matches!(target, Target::Member(_)))
        .collect()
}

/// What the branches of the loop test.
fn tested<'c>(context: LoopContext<'c, '_>) -> impl Iterator<Item = Target> + use<'c> {
    let function: &'c Function = context.info.function;
    let points: &'c [PointId] = context.points();
    let info = &context.info.flow.points;
    let conditions = points.iter().filter_map(|&point| match info[point].action {
        Action::Branch(condition) => condition,
        _ => None,
    });
    let conditions: Vec<ExprId> = conditions.collect();
    named_in(function, conditions.into_iter()).map(|(target, _)| target)
}

/// What expressions and their operands name.
fn named_in(
    function: &Function,
    values: impl Iterator<Item = ExprId>,
) -> impl Iterator<Item = (Target, ExprId)> {
    values.flat_map(move |value| {
        let mut found = Vec::new();
        let mut work = vec![value];
        while let Some(id) = work.pop() {
            found.push((target_of(function, id), id));
            work.extend(operands(&function.exprs[id]));
        }
        found
    })
}

fn describe(
    context: LoopContext<'_, '_>,
    target: &Target,
    lvalue: Option<ExprId>,
) -> Option<(String, Storage, Type)> {
    match target {
        Target::Local(local) => {
            let variable = &context.info.function.locals[*local];
            let storage = local_storage(context.info.function, *local)?;
            Some((variable.name.clone(), storage, variable.ty))
        }
        Target::Global(name) => {
            let storage = Storage::Global {
                name: name.to_string(),
            };
            Some((name.to_string(), storage, global_type(context, name)))
        }
        Target::Member(named) => {
            let MemberPath { path, member, .. } = &**named;
            let storage = storage(context, lvalue?)?;
            Some((path.to_string(), storage, member_type(context, member)))
        }
        Target::Memory => None,
    }
}

/// The type of a member, known by its name alone: of several, the one that holds least.
fn member_type(context: LoopContext<'_, '_>, name: &str) -> Type {
    let types = context.program.members(name).map(|member| member.ty);
    types.reduce(narrower).unwrap_or(Type::Unknown)
}

fn narrower(a: Type, b: Type) -> Type {
    match (a, b) {
        (Type::Int { bits: m, signed }, Type::Int { bits: n, .. }) => {
            let (m, n) = (m.unwrap_or(u8::MAX), n.unwrap_or(u8::MAX));
            // Of two types of one width, the unsigned one is the stricter: it wraps around at zero.
            if n < m || n == m && signed == Some(true) {
                b
            } else {
                a
            }
        }
        (Type::Float { bits: m }, Type::Float { bits: n }) => Type::Float { bits: m.min(n) },
        _ if a == b => a,
        (
            Type::Int {
                bits: Some(..=16), ..
            },
            _,
        ) => a,
        (
            _,
            Type::Int {
                bits: Some(..=16), ..
            },
        ) => b,
        _ => Type::Unknown,
    }
}

pub(crate) fn global_type(context: LoopContext<'_, '_>, name: &str) -> Type {
    let here = &context.program.units[context.info.unit];
    let everywhere = context.program.units.iter();
    std::iter::once(here)
        .chain(everywhere)
        .flat_map(|unit| &unit.globals)
        .find(|global| global.name == name)
        .map_or(Type::Unknown, |global| global.ty)
}

/// How debug info names a local variable; not at all one that a compiler has made for itself.
fn local_storage(function: &Function, local: LocalId) -> Option<Storage> {
    let local = &function.locals[local];
    let line = local.span.line;
    match local.counts_for {
        Some(variable) => Some(Storage::Range {
            variable: function.locals[variable].name.clone(),
            line,
            part: RangePart::Index,
        }),
        None if local.name.is_empty() => None,
        None => Some(Storage::Local {
            name: local.name.clone(),
            line,
        }),
    }
}

/// How debug info names what an lvalue denotes.
pub(crate) fn storage(context: LoopContext<'_, '_>, id: ExprId) -> Option<Storage> {
    match context.kind(id) {
        ExprKind::Var(VarRef::Local(local)) => local_storage(context.info.function, *local),
        ExprKind::Var(VarRef::Global(name)) => Some(Storage::Global {
            name: name.to_string(),
        }),
        ExprKind::Field { base, name, arrow } => Some(Storage::Member {
            base: Box::new(storage(context, context.info.function.object(*base))?),
            member: name.to_string(),
            arrow: *arrow,
        }),
        _ => None,
    }
}
