//! Whether a variable's values on two tasks can be compared (SC'09 Def. 4.1 (3)).
//!
//! Three things can make the sequences differ: the start, the steps, and which updates a task makes. The last matters only
//! when paths differ in it; then the branches that choose must go the same way on every task.

use crate::candidate::{Candidate, LoopContext, storage};
use crate::classify::Shape;
use crate::stability::invariance;
use crate::step::Step;
use crate::term::{self, Sign};
use crate::types::{constant, keeps, strip_casts, type_holds, type_of};
use base::Language;
use base::mutant::{Mutant, on};
use dataflow::{Action, FlowKind, FunctionIndex, Sameness, Target, Touch};
use ir::{ExprId, ExprKind, LocalId, Type, VarRef};
use progress_map::{
    Across, Assumption, Cut, Growth, Interference, LovClass, PointId, Provenance, ProvenanceKind, Refusal,
    Term,
};
use std::collections::BTreeSet;

/// What the values on two tasks say about each other, and why.
pub(crate) struct Sharing {
    pub across: Across,
    pub assumption: Assumption,
    pub start: Option<Term>,
    /// What must be assumed so that `start`, read while the loop runs, is still the value on entry.
    pub start_touch: Touch,
    /// The weakest thing that the sameness on every task rests on; `None` if all is constant.
    pub provenance: Option<Provenance>,
}

pub(crate) fn sharing(
    context: LoopContext<'_, '_>,
    candidate: &Candidate,
    steps: &[(PointId, Step)],
    shape: &Shape,
) -> Result<Sharing, Refusal> {
    let (start, start_touch) = match start_of(context, &candidate.target) {
        Some((start, touch)) => (Some(start), touch),
        None => (None, Touch::Leaves),
    };
    let mut same = sameness_of_start(context, candidate);
    let amounts = steps.iter().filter_map(|&(point, ref step)| match step {
        Step::Add(_, Some(operand)) | Step::Vary { by: operand, .. } => Some((*operand, point)),
        // Constants are the same on every task.
        Step::Add(_, None) | Step::Grow { .. } | Step::Shrink => None,
    });
    let guarded = steps.iter().map(|&(point, _)| point);
    let guarded = guarded.filter(|_| !shape.uniform && !on(Mutant::WeakAcrossTasks));
    worsen(
        &mut same,
        context
            .program
            .single_valued_steps(context.effort, context.id, context.in_loop, amounts, guarded),
    );
    let Sameness {
        assumption,
        provenance,
    } = same;
    if assumption != Assumption::RankDependent && candidate.ty != Type::Pointer {
        return Ok(Sharing {
            across: Across::SameSequence,
            assumption,
            start,
            start_touch: Touch::Leaves,
            provenance,
        });
    }
    let countable = match &shape.cut {
        Cut::Header { .. } => true,
        // Steps may differ from task to task as long as each task's own are all the same and can be read.
        Cut::Updates => shape.uniform && shape.step.is_some() && shape.growth == Growth::Additive,
    };
    if shape.class == LovClass::Strict && countable && start.is_some() {
        return Ok(Sharing {
            across: Across::Relative,
            assumption: Assumption::Proven,
            start,
            start_touch,
            provenance,
        });
    }
    let assumption = Assumption::RankDependent;
    Ok(Sharing {
        across: Across::Nothing,
        assumption,
        start,
        start_touch: Touch::Leaves,
        provenance,
    })
}

fn worsen(same: &mut Sameness, other: Sameness) {
    if other.assumption > same.assumption {
        *same = other;
    }
}

/// That of a value which may differ by task, for a reason that needs no more words.
fn differs(kind: ProvenanceKind) -> Sameness {
    Sameness {
        assumption: Assumption::RankDependent,
        provenance: Some(Provenance::of(kind)),
    }
}

/// Whether the value on entry to the loop is the same on every task.
fn sameness_of_start(context: LoopContext<'_, '_>, candidate: &Candidate) -> Sameness {
    if let Target::Local(local) = candidate.target {
        return context
            .program
            .single_valued_on_entry(context.effort, context.id, local, context.in_loop);
    }
    match start_expression(context, &candidate.target) {
        Some(Start {
            there,
            at,
            value,
            trust,
        }) => {
            let mut same = match there.kind(value) {
                ExprKind::List(_) => sameness_of_part(there, candidate, at, value),
                _ => there.program.single_valued(there.effort, there.id, value, at),
            };
            if let Touch::Assumed(how) = trust {
                worsen(
                    &mut same,
                    Sameness {
                        assumption: Assumption::Assumed,
                        provenance: Some(Provenance::Kept(how)),
                    },
                );
            }
            same
        }
        None => differs(ProvenanceKind::UnknownStart),
    }
}

/// Whether a member of a structure that is set as a whole, `= {0.0, {1.0}, n}`, is the same on every task. Which of the values it gets
/// is not worked out: all of them must be, but for addresses where it is a number. What no value is given for is zero.
fn sameness_of_part(
    context: LoopContext<'_, '_>,
    candidate: &Candidate,
    at: PointId,
    whole: ExprId,
) -> Sameness {
    let is_number = matches!(candidate.ty, Type::Int { .. } | Type::Float { .. });
    let mut same = Sameness::proven();
    let mut work = vec![whole];
    while let Some(value) = work.pop() {
        match context.kind(value) {
            ExprKind::List(parts) => work.extend(parts),
            ExprKind::Str | ExprKind::AddressOf(_) if is_number => {}
            _ if is_scalar(context, value) => worsen(
                &mut same,
                context
                    .program
                    .single_valued(context.effort, context.id, value, at),
            ),
            // A structure inside of a structure: its members are not followed.
            _ => worsen(&mut same, differs(ProvenanceKind::StructureCopied)),
        }
    }
    same
}

/// Whether a value is certainly a number.
fn is_scalar(context: LoopContext<'_, '_>, value: ExprId) -> bool {
    let is_number = |ty: Type| matches!(ty, Type::Int { .. } | Type::Float { .. });
    match *context.kind(value) {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Constant => true,
        ExprKind::Var(VarRef::Local(local)) => is_number(context.info.function.locals[local].ty),
        ExprKind::Cast(ty, _) => is_number(ty),
        ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::And(..) | ExprKind::Or(..) => true,
        _ => false,
    }
}

/// Whether an assignment sets the whole local structure that `target` is a member of, to a list of values.
fn sets_whole(
    context: LoopContext<'_, '_>,
    written: &Target,
    by: ExprId,
    initial: bool,
    target: &Target,
) -> bool {
    let (Target::Local(local), Target::Member(path)) = (written, target) else {
        return false;
    };
    let value = match *context.kind(by) {
        _ if initial => by,
        ExprKind::Assign { op: None, value, .. } => value,
        _ => return false,
    };
    // In C++ a class may give its members other values than zero.
    let is_c = context.info.function.language == Language::C;
    let is_object = is_c && context.info.function.locals[*local].ty == Type::Aggregate;
    path.root == VarRef::Local(*local) && is_object && matches!(context.kind(value), ExprKind::List(_))
}

/// The value on entry to the loop, when it is a constant or can still be read while the loop runs.
pub(crate) fn start_value(context: LoopContext<'_, '_>, candidate: &Candidate) -> Option<Term> {
    start_of(context, &candidate.target).map(|(start, _)| start)
}

/// The value of `target` on entry to the loop, under the same conditions, and what must be assumed so that it can still be read.
pub(crate) fn start_of(context: LoopContext<'_, '_>, target: &Target) -> Option<(Term, Touch)> {
    let Start {
        there,
        at,
        value,
        trust,
    } = start_expression(context, target)?;
    if there.id != context.id {
        // The callee has returned, and its variables cannot be read any more: only a constant is of use.
        return Some((Term::Constant(constant(there, value)?), trust));
    }
    let (term, touch) = term::term(context, value, &|leaf| start_leaf(context, at, leaf))?;
    // A narrow variable holds only the low bits of the value.
    let whole = match (target, &term) {
        (Target::Local(local), Term::Constant(value)) => {
            let ty = context.info.function.locals[*local].ty;
            !matches!(ty, Type::Int { bits: Some(_), .. }) || type_holds(ty, *value)
        }
        (Target::Local(local), Term::Variable { .. }) => {
            let from = type_of(context, strip_casts(context, value));
            let to = context.info.function.locals[*local].ty;
            keeps(from, to) || keeps(to, from)
        }
        (Target::Local(local), Term::Arithmetic { .. }) => {
            let to = term::width(context.info.function.locals[*local].ty);
            let mut variables = term.variables().into_iter();
            variables.all(|(_, storage)| term::width(term::type_of(context, storage)) <= to)
        }
        (_, Term::Arithmetic { .. }) => false,
        _ => true,
    };
    whole.then_some((term, trust.max(touch)))
}

/// A variable read at `at` as a term that still has the same value wherever the loop reads it.
fn start_leaf(context: LoopContext<'_, '_>, at: PointId, value: ExprId) -> Option<(Term, Touch)> {
    match context.kind(value) {
        ExprKind::Float(value) => Some((Term::Float(*value), Touch::Leaves)),
        ExprKind::Var(VarRef::Local(local)) if never_changes_after(context, *local, at) => {
            let term = term::variable(context, storage(context, value)?, Sign::Plus)?;
            Some((term, Touch::Leaves))
        }
        ExprKind::Var(VarRef::Global(_)) => {
            let touch = global_since(context, value, at);
            let term = term::variable(context, storage(context, value)?, Sign::Plus)?;
            (!matches!(touch, Touch::May(_))).then_some((term, touch))
        }
        _ => None,
    }
}

/// Whether a global may have changed since `at`, wherever the loop reads it.
fn global_since(context: LoopContext<'_, '_>, value: ExprId, at: PointId) -> Touch {
    let flow = &context.info.flow;
    let target = dataflow::target_of(context.info.function, value);
    let mut touch = invariance(context, value);
    let mut seen = BTreeSet::from([at]);
    let mut work = vec![context.header()];
    while let Some(point) = work.pop() {
        for &pred in &flow.preds[point] {
            if !flow.reachable[pred] || !seen.insert(pred) {
                continue;
            }
            work.push(pred);
            match &flow.points[pred].action {
                Action::Assign { target: other, .. } if *other == target => {
                    return Touch::May(Interference::OnTheWay);
                }
                _ => touch = touch.max(context.program.may_change(context.id, pred, &target)),
            }
        }
    }
    touch
}

/// Whether a variable still has the value that it had at `at`, wherever the loop reads it.
fn never_changes_after(context: LoopContext<'_, '_>, local: LocalId, at: PointId) -> bool {
    let info = context.info;
    let variable = &info.function.locals[local];
    if info.definitions.escaped(local) || variable.is_static || variable.ty == Type::Array {
        return false;
    }
    // What reached `at` must be all that reaches the loop, and the loop must leave it alone.
    let there = info.definitions.reaching(&info.flow, local, at, None);
    let here = info
        .definitions
        .reaching(&info.flow, local, context.header(), None);
    let mut changes = info.loops.among(context.in_loop, info.definitions.of(local));
    let changed = changes.next().is_some();
    there == here && !changed
}

/// The one assignment that gives a variable its value on entry to a loop.
struct Start<'p, 'u> {
    /// The function that it stands in: that of the loop, or one that is called before.
    there: LoopContext<'p, 'u>,
    at: PointId,
    /// The value's expression; of a member whose structure is set as a whole, the list of all values.
    value: ExprId,
    /// Whether anything may have changed the variable between the assignment and the loop, and what is assumed so that nothing has.
    trust: Touch,
}

/// How deep the callees are followed that may give a variable its value.
const MAX_CALLS: u32 = 8;

/// The one assignment that gives `target` its value on entry to the loop.
fn start_expression<'p, 'u>(context: LoopContext<'p, 'u>, target: &Target) -> Option<Start<'p, 'u>> {
    let info = context.info;
    let preds = info.flow.preds[context.header()].iter().copied();
    let outside =
        preds.filter(|&pred| info.flow.reachable[pred] && !info.loops.contains(context.in_loop, pred));
    last_set(context, target, outside.collect(), MAX_CALLS)
}

/// The one assignment that gave `target` the value which it has after the points `work`, on whatever path control came there.
fn last_set<'p, 'u>(
    context: LoopContext<'p, 'u>,
    target: &Target,
    work: Vec<PointId>,
    calls: u32,
) -> Option<Start<'p, 'u>> {
    let way = match target {
        Target::Member(path) => path.way(),
        _ => Vec::new(),
    };
    let (setter, trust) = only_setter(context, target, &way, work)?;
    let at = match setter {
        Setter::Point(at) => at,
        Setter::Caller => return set_by_caller(context, target, trust, calls),
    };
    match &context.info.flow.points[at].action {
        Action::Assign {
            target: other,
            by,
            initial,
        } => {
            let value = assigned(context, *by, *initial)?;
            if way.first() == Some(other) && !sets_whole(context, other, *by, *initial, target) {
                let (callee, target) = context.program.made(context.id, value, target)?;
                return set_by_callee(context, callee, &target, trust, calls);
            }
            Some(Start {
                there: context,
                at,
                value,
                trust,
            })
        }
        Action::Call(_) => {
            let (callee, target) = context.program.passed(context.id, at, target)?;
            set_by_callee(context, callee, &target, trust, calls)
        }
        _ => None,
    }
}

/// Who gave a variable its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Setter {
    Point(PointId),
    /// Nobody in the function.
    Caller,
}

/// Who alone gave `target` the value which it has after the points `work`, and what must be assumed so that no point in between changes it.
fn only_setter(
    context: LoopContext<'_, '_>,
    target: &Target,
    way: &[Target],
    mut work: Vec<PointId>,
) -> Option<(Setter, Touch)> {
    let flow = &context.info.flow;
    let mut found: Option<Setter> = None;
    let mut trust = Touch::Leaves;
    let mut seen: BTreeSet<PointId> = BTreeSet::new();
    while let Some(point) = work.pop() {
        if !seen.insert(point) {
            continue;
        }
        let setter = match met(context, point, target, way)? {
            Met::Setter => Setter::Point(point),
            Met::Entry => Setter::Caller,
            Met::Bystander(touch) => {
                trust = trust.max(touch);
                let preds = flow.preds[point].iter().copied();
                work.extend(preds.filter(|&pred| flow.reachable[pred]));
                continue;
            }
        };
        if found.is_some_and(|known| known != setter) {
            return None;
        }
        found = Some(setter);
    }
    Some((found?, trust))
}

/// What a point does to a variable or member.
enum Met {
    /// It assigns to it.
    Setter,
    /// It is where the function begins.
    Entry,
    /// It does not change it, under an assumption if one is needed.
    Bystander(Touch),
}

/// What a point does to `target`, which is reached over the path `way`; `None` if it may change it in a way that is not followed.
fn met(context: LoopContext<'_, '_>, point: PointId, target: &Target, way: &[Target]) -> Option<Met> {
    let each = &context.info.flow.points[point];
    match &each.action {
        Action::Assign {
            target: other,
            by,
            initial,
        } if other == target || sets_whole(context, other, *by, *initial, target) => Some(Met::Setter),
        Action::Call(_) => match set_by_call(context, point, target) {
            Touch::May(_) => Some(Met::Setter),
            _ if way.iter().any(|each| may_lead_elsewhere(context, point, each)) => None,
            touch => Some(Met::Bystander(touch)),
        },
        Action::Assign {
            target: other,
            by,
            initial,
        } if way.first() == Some(other) => {
            // The object is made there, if it is not another one that the path leads to from there on.
            let value = assigned(context, *by, *initial)?;
            context.program.made(context.id, value, target)?;
            Some(Met::Setter)
        }
        Action::Assign { target: other, .. }
            if way.iter().any(|each| leads_elsewhere(other, each))
                || may_alias(context, point, other, target) =>
        {
            None
        }
        _ if each.kind == FlowKind::Entry => Some(Met::Entry),
        _ => Some(Met::Bystander(Touch::Leaves)),
    }
}

/// The value that an assignment or an initialisation gives; `None` for `+=` and `++`, which use the old value.
fn assigned(context: LoopContext<'_, '_>, by: ExprId, initial: bool) -> Option<ExprId> {
    match *context.kind(by) {
        _ if initial => Some(by),
        ExprKind::Assign { op: None, value, .. } => Some(value),
        _ => None,
    }
}

/// The one assignment that has given `target` its value when a function returns that is called.
fn set_by_callee<'p, 'u>(
    context: LoopContext<'p, 'u>,
    callee: FunctionIndex,
    target: &Target,
    trust: Touch,
    calls: u32,
) -> Option<Start<'p, 'u>> {
    if on(Mutant::CalleeUpdateIgnored) {
        return None;
    }
    let exit = context.program.functions[callee].flow.exit();
    last_set_in(context, callee, target, trust, vec![exit], calls)
}

/// As [`last_set`], one call further up or down, in another function.
fn last_set_in<'p, 'u>(
    context: LoopContext<'p, 'u>,
    id: FunctionIndex,
    target: &Target,
    trust: Touch,
    work: Vec<PointId>,
    calls: u32,
) -> Option<Start<'p, 'u>> {
    let there = LoopContext {
        id,
        info: &context.program.functions[id],
        ..context
    };
    let start = last_set(there, target, work, calls.checked_sub(1)?)?;
    Some(Start {
        trust: trust.max(start.trust),
        ..start
    })
}

/// The one assignment that has given a variable at file scope its value when a function begins, in whoever alone calls it.
fn set_by_caller<'p, 'u>(
    context: LoopContext<'p, 'u>,
    target: &Target,
    trust: Touch,
    calls: u32,
) -> Option<Start<'p, 'u>> {
    if !matches!(target, Target::Global(_)) {
        return None;
    }
    let (caller, point) = context.program.only_call(context.id)?;
    let flow = &context.program.functions[caller].flow;
    let preds = flow.preds[point].iter().copied();
    let before = preds.filter(|&pred| flow.reachable[pred]).collect();
    last_set_in(context, caller, target, trust, before, calls)
}

/// Whether the call at `point` may change a pointer or structure on the path to a member.
fn may_lead_elsewhere(context: LoopContext<'_, '_>, point: PointId, way: &Target) -> bool {
    matches!(context.program.may_change(context.id, point, way), Touch::May(_))
}

/// Whether an assignment may.
fn leads_elsewhere(written: &Target, way: &Target) -> bool {
    match (written, way) {
        (Target::Member(a), Target::Member(b)) => a.member == b.member,
        _ => written == way,
    }
}

/// Whether the call at `point` may set `target`.
fn set_by_call(context: LoopContext<'_, '_>, point: PointId, target: &Target) -> Touch {
    let sets = match target {
        Target::Local(local) => context.info.definitions.of(*local).contains(&point),
        _ => context.program.added_by_call(context.id, point, target).is_some(),
    };
    match target {
        _ if sets => Touch::May(Interference::SetByCall {
            line: context.line(point),
        }),
        Target::Local(_) => Touch::Leaves,
        _ => context.program.may_change(context.id, point, target),
    }
}

/// Whether the assignment of `written` at `point` may change `target`, which is something else by its name.
fn may_alias(context: LoopContext<'_, '_>, point: PointId, written: &Target, target: &Target) -> bool {
    match (written, target) {
        (Target::Member(a), Target::Member(b)) => a.member == b.member,
        (Target::Local(local), Target::Member(path)) => VarRef::Local(*local) == path.root,
        (Target::Global(name), Target::Member(path)) => VarRef::Global(*name) == path.root,
        // A write through a pointer, or to an element of an array, does not change a member whose address is never taken.
        (Target::Memory, Target::Member(path)) => {
            let program = context.program;
            program.is_exposed_member(&path.member) || program.changes_member(context.id, point, &path.member)
        }
        _ => false,
    }
}
