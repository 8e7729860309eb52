//! The variables that a loop assigns, and whether every change of one can be seen.

use base::mutant::{Mutant, on};
use dataflow::{
    Action, Effort, FlowKind, FunctionIndex, FunctionInfo, MemberPath, Program, Target, Touch, operands,
    target_of,
};
use ir::{Callee, ExprId, ExprKind, Function, LocalId, Type, VarRef};
use progress_map::{Interference, LoopId, Outsider, PointId, RangePart, Storage};
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
            let storage = local_storage(context.info.function, *local);
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

/// How debug info names a local variable.
fn local_storage(function: &Function, local: LocalId) -> Storage {
    let local = &function.locals[local];
    let line = local.span.line;
    match local.counts_for {
        Some(variable) => Storage::Range {
            variable: function.locals[variable].name.clone(),
            line,
            part: RangePart::Index,
        },
        None => Storage::Local {
            name: local.name.clone(),
            line,
        },
    }
}

/// How debug info names what an lvalue denotes.
pub(crate) fn storage(context: LoopContext<'_, '_>, id: ExprId) -> Option<Storage> {
    match context.kind(id) {
        ExprKind::Var(VarRef::Local(local)) => Some(local_storage(context.info.function, *local)),
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

/// Whether some change of the candidate inside the loop may go unseen.
pub(crate) fn hidden_change(context: LoopContext<'_, '_>, candidate: &Candidate) -> Touch {
    match hidden_by_order(context, candidate) {
        Some(reason) => Touch::May(reason),
        None => unstable_storage(context, &candidate.target),
    }
}

/// Why C, or the name of the candidate, leaves open which value is seen, if so.
fn hidden_by_order(context: LoopContext<'_, '_>, candidate: &Candidate) -> Option<Interference> {
    if let Some(reason) = hidden_name(context, &candidate.storage) {
        return Some(reason);
    }
    let updates = || candidate.assignments.iter().map(|&(point, _)| point);
    for &point in context.points() {
        let each = &context.info.flow.points[point];
        if each.kind != FlowKind::Call {
            continue;
        }
        // A call that C may run before or after the update shows either value.
        for update in updates().filter(|&update| update != point) {
            let other = &context.info.flow.points[update].unsequenced;
            let open = !on(Mutant::OpenUpdateTrusted)
                && each
                    .unsequenced
                    .iter()
                    .any(|x| other.iter().any(|y| x.group == y.group && x.operand != y.operand));
            if open {
                let line = context.line(update);
                return Some(Interference::Unsequenced { line });
            }
        }
    }
    None
}

/// Why the name of a storage may mean another variable somewhere in the loop: values are recorded by name.
pub(crate) fn hidden_name(context: LoopContext<'_, '_>, storage: &Storage) -> Option<Interference> {
    let (name, own_line) = match storage {
        _ if on(Mutant::ShadowIgnored) => return None,
        Storage::Local { name, line } => (name.clone(), Some(*line)),
        Storage::Range { line, .. } => (storage.to_string(), Some(*line)),
        Storage::Global { name } => (name.clone(), None),
        Storage::Member { base, .. } | Storage::Pointee(base) => return hidden_name(context, base),
    };
    let spans = || {
        context
            .points()
            .iter()
            .map(|&point| context.info.flow.points[point].span)
    };
    let first = spans().map(|span| span.line).min()?;
    let last = spans().map(|span| span.end_line).max()?;
    let mut same_name = context
        .info
        .function
        .locals
        .iter()
        .filter(|local| local.name == name);
    let hiding = match own_line {
        // Debug info tells variables of one name apart by their line only.
        Some(own) if same_name.clone().filter(|local| local.span.line == own).count() > 1 => same_name.next(),
        Some(own) => {
            same_name.find(|local| local.span.line != own && (first..=last).contains(&local.span.line))
        }
        None => same_name.next(),
    }?;
    Some(Interference::Hidden {
        line: hiding.span.line,
    })
}

/// Whether what `target` names may change inside the loop other than by its own assignments and calls that add a
/// constant.
pub(crate) fn unstable_storage(context: LoopContext<'_, '_>, target: &Target) -> Touch {
    let info = context.info;
    let adds = |point| context.program.added_by_call(context.id, point, target).is_some();
    match target {
        Target::Memory => return Touch::May(Interference::NoVariable),
        Target::Local(local) => {
            let variable = &info.function.locals[*local];
            let promised = info.definitions.promised(*local);
            if info.definitions.escaped(*local) && promised.is_none() {
                return Touch::May(Interference::ThroughPointer);
            }
            if variable.is_static && !on(Mutant::StaticIsLocal) {
                return Touch::May(Interference::Static);
            }
            let mut inside = info.loops.among(context.in_loop, info.definitions.of(*local));
            let by_call = inside
                .find(|&point| matches!(info.flow.points[point].action, Action::Call(_)) && !adds(point));
            return match (by_call, promised) {
                (Some(point), _) => Touch::May(Interference::SetByCall {
                    line: context.line(point),
                }),
                (None, Some(call)) => Touch::Assumed(Interference::Promised {
                    callee: callee(info.function, call),
                }),
                (None, None) => Touch::Leaves,
            };
        }
        Target::Global(name) if context.program.is_exposed_global(name) => {
            return Touch::May(Interference::AddressTaken);
        }
        Target::Global(_) => {}
        Target::Member(named) => {
            let MemberPath { path, root, member } = &**named;
            let shares = |name: &&str| context.program.members(name).any(|member| member.in_union);
            if let Some(name) = path.split("->").flat_map(|part| part.split('.')).find(shares) {
                return Touch::May(Interference::Union {
                    member: name.to_owned(),
                });
            }
            if context.program.is_exposed_member(member) {
                return Touch::May(Interference::MemberAddressTaken {
                    member: member.to_string(),
                });
            }
            if let Some(reason) = unstable_path(context, path, root, member) {
                return Touch::May(reason);
            }
            let way = way_changed(context, named);
            if way != Touch::Leaves {
                return way.max(by_calls(context, target));
            }
        }
    }
    by_calls(context, target)
}

/// Whether calls of the loop may change what `target` names, but for those that add a constant.
fn by_calls(context: LoopContext<'_, '_>, target: &Target) -> Touch {
    let program = context.program;
    let each = context.points().iter().map(|&point| {
        if program.added_by_call(context.id, point, target).is_some() {
            // The step itself is known; what else the callee may do to the variable is not.
            program.trusted_in_call(context.id, point, target)
        } else {
            program.may_change(context.id, point, target)
        }
    });
    each.max().unwrap_or(Touch::Leaves)
}

/// Whether calls of the loop may lead the path to a member elsewhere: they set a pointer on the way to it.
fn way_changed(context: LoopContext<'_, '_>, path: &MemberPath) -> Touch {
    let way = path.way();
    let way = way.iter().filter(|each| !matches!(each, Target::Local(_)));
    let each = way.map(|target| match by_calls(context, target) {
        Touch::May(how) => Touch::May(Interference::Path(Box::new(how))),
        other => other,
    });
    each.max().unwrap_or(Touch::Leaves)
}

/// The function that a call names.
fn callee(function: &Function, call: ExprId) -> Outsider {
    match &function.exprs[call].kind {
        ExprKind::Call {
            callee: Callee::Named(name),
            ..
        } => Outsider::Named(name.to_string()),
        _ => Outsider::BehindPointer,
    }
}

/// Why the path to a member may lead elsewhere, or another path to the same place.
fn unstable_path(
    context: LoopContext<'_, '_>,
    path: &str,
    root: &VarRef,
    member: &str,
) -> Option<Interference> {
    let info = context.info;
    let components: Vec<&str> = path.split("->").flat_map(|part| part.split('.')).collect();
    if let VarRef::Local(local) = root {
        let variable = &info.function.locals[*local];
        let is_object = variable.ty == Type::Aggregate;
        if info.definitions.escaped(*local) && !is_object {
            return Some(Interference::RootThroughPointer {
                root: variable.name.clone(),
            });
        }
    }
    for &point in context.points() {
        let Action::Assign { target, by, initial } = &info.flow.points[point].action else {
            continue;
        };
        let line = context.line(point);
        match target {
            Target::Member(other) if other.path == path => {}
            Target::Member(other) if other.member == member => {
                return Some(Interference::OtherPath { line });
            }
            Target::Member(other) if components.contains(&other.member.as_str()) => {
                return Some(Interference::PathAssigned { line });
            }
            Target::Local(local) if VarRef::Local(*local) == *root => {
                return Some(Interference::PathAssigned { line });
            }
            Target::Global(name) if VarRef::Global(*name) == *root => {
                return Some(Interference::PathAssigned { line });
            }
            Target::Memory if !initial => {
                let written = match *context.kind(*by) {
                    ExprKind::Assign { target, .. } | ExprKind::Step { target, .. } => context.kind(target),
                    _ => continue,
                };
                // A write to an element of an array of numbers does not change a member whose address is never taken.
                if !matches!(written, ExprKind::Index { .. }) {
                    return Some(Interference::PointerWrite { line });
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether the loop leaves alone what `id` names: a variable, a member path, or all that an expression is computed from.
pub(crate) fn invariance(context: LoopContext<'_, '_>, id: ExprId) -> Touch {
    match *context.kind(id) {
        ExprKind::Int(_) => return Touch::Leaves,
        ExprKind::Binary(_, left, right) => {
            return invariance(context, left).max(invariance(context, right));
        }
        ExprKind::Cast(_, inner) => return invariance(context, inner),
        _ => {}
    }
    let target = target_of(context.info.function, id);
    let changed = context.points().iter().any(|&point| {
        let assigned = matches!(&context.info.flow.points[point].action, Action::Assign { target: other, .. } if *other == target);
        assigned || context.program.added_by_call(context.id, point, &target).is_some()
    });
    if changed {
        return Touch::May(Interference::InLoop);
    }
    unstable_storage(context, &target)
}

/// The same, with what must be assumed for it.
pub(crate) fn is_invariant(context: LoopContext<'_, '_>, id: ExprId) -> bool {
    !matches!(invariance(context, id), Touch::May(_))
}
