//! Whether every change of a variable in a loop can be seen.

use crate::candidate::{Candidate, LoopContext};
use base::mutant::{Mutant, on};
use dataflow::{Action, FlowKind, MemberPath, Target, Touch, target_of};
use ir::{Callee, ExprId, ExprKind, Function, Type, VarRef};
use progress_map::{Interference, Outsider, Storage};

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
