//! Variables that calls hand to their callees unchanged.
//!
//! When a compiler inlines a call it often keeps the callee's parameter and drops the variable that it came from. While
//! the call lasts the two have one value, if nothing changes either: the argument is the variable itself, no argument of the call
//! changes anything, nobody has the variable's address, and the callee neither assigns the parameter nor takes its address.
//!
//! The same goes for a pointer and the reference that `f(*p)` gives to `f(T &r)`, and for the object of `p->f()`: the compiler keeps the
//! address of one object under both names. A pointer that is set once, or a parameter that is never set, has that address whatever
//! else the arguments of the call do. Whether both names are addresses is for the debug info to say, which knows the types.
//!
//! What a callee hands on in its turn counts as well, inside and outside of its loops.

use crate::mpi::is_pure;
use crate::shown::{is_never_assigned, leads_to_one_object};
use base::{Confidence, Id as _, IdVec};
use dataflow::{Action, FunctionIndex, FunctionInfo, Program, Target};
use ir::{ExprId, ExprKind, Function, LocalId, Receiver, Type, VarRef};
use progress_map::{Function as Mapped, FunctionId, Handed, PointId, Storage};
use std::collections::{BTreeMap, BTreeSet};

/// An argument that a call hands on.
pub(crate) struct Candidate {
    pub(crate) point: PointId,
    pub(crate) variable: Storage,
    pub(crate) callee: FunctionIndex,
    pub(crate) parameter: Storage,
}

/// What the calls in loops of a function hand on, and what any of its calls does of what it was handed itself.
pub(crate) fn candidates(program: &Program<'_>, info: &FunctionInfo<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (point, each) in info.flow.points.iter_enumerated() {
        if let Action::Call(call) = each.action {
            of_call(program, info, point, call, &mut found);
        }
    }
    found
}

fn of_call(
    program: &Program<'_>,
    info: &FunctionInfo<'_>,
    point: PointId,
    call: ExprId,
    found: &mut Vec<Candidate>,
) {
    let function = info.function;
    let Some((callee, args)) = only_callee(program, info, call) else {
        return;
    };
    let other = &program.functions[callee];
    let changes_nothing = args.iter().all(|&arg| is_pure(function, arg));
    let mut add = |local: LocalId, parameter: LocalId, is_itself: bool| {
        let variable = &function.locals[local];
        let is_handed_on = info.loops.innermost[point].is_some() || is_handed_in(function, local);
        let is_same = is_itself && !variable.address_taken && changes_nothing && stays(other, parameter);
        let is_one_object = variable.ty == Type::Pointer
            && other.function.locals[parameter].ty == Type::Pointer
            && leads_to_one_object(info, local)
            && is_never_assigned(other, parameter);
        if is_handed_on && !variable.is_static && (is_same || is_one_object) {
            found.push(Candidate {
                point,
                variable: storage(function, local),
                callee,
                parameter: storage(other.function, parameter),
            });
        }
    };
    for (index, &argument) in args.iter().enumerate() {
        let parameter = LocalId::from_index(index);
        match function.exprs[argument].kind {
            ExprKind::Var(VarRef::Local(local)) => add(local, parameter, true),
            ExprKind::Deref(pointer) if other.function.language.is_cxx() => {
                if let Some(local) = pointer_of(function, pointer) {
                    add(local, parameter, false);
                }
            }
            _ => {}
        }
    }
    let object = match function.receivers.get(&call) {
        Some(&Receiver::At(object)) => pointer_of(function, object),
        Some(Receiver::This) => dataflow::this(function),
        None => None,
    };
    if let (Some(local), Some(this)) = (object, dataflow::this(other.function)) {
        add(local, this, false);
    }
}

/// The local pointer or reference that an expression is.
fn pointer_of(function: &Function, id: ExprId) -> Option<LocalId> {
    match function.exprs[id].kind {
        ExprKind::Var(VarRef::Local(local)) => (function.locals[local].ty == Type::Pointer).then_some(local),
        _ => None,
    }
}

fn is_handed_in(function: &Function, local: LocalId) -> bool {
    local.index() < function.params || function.locals[local].name == ir::THIS
}

/// The only function that a call may be of, if it is understood and takes what the call hands on, with the arguments.
fn only_callee<'p>(
    program: &Program<'_>,
    info: &FunctionInfo<'p>,
    call: ExprId,
) -> Option<(FunctionIndex, &'p [ExprId])> {
    let (name, args) = info.function.named_call(call)?;
    let mut callees = program.callees(info.unit, name);
    let callee = callees.next().filter(|_| callees.next().is_none())?;
    let other = &program.functions[callee];
    let is_known = other.function.confidence != Confidence::Partial && other.flow.distrust.is_none();
    (is_known && other.function.params == args.len()).then_some((callee, args))
}

/// Whether a parameter keeps the value that it was given.
fn stays(info: &FunctionInfo<'_>, parameter: LocalId) -> bool {
    let assigns = |action: &Action| match action {
        Action::Assign { target, .. } => match target {
            Target::Local(local) => *local == parameter,
            Target::Member(path) => path.root == VarRef::Local(parameter),
            Target::Global(_) | Target::Memory => false,
        },
        _ => false,
    };
    !info.function.locals[parameter].address_taken
        && !info.flow.points.iter().any(|point| assigns(&point.action))
}

/// A local variable as debug info names it.
pub(crate) fn storage(function: &Function, local: LocalId) -> Storage {
    let local = &function.locals[local];
    Storage::Local {
        name: local.name.clone(),
        line: local.span.line,
    }
}

/// Of all candidates those that order a loop around the call, and what their callees hand on, by the `ids` of the map.
pub(crate) fn of_wanted(
    ids: &BTreeMap<FunctionIndex, FunctionId>,
    candidates: impl Iterator<Item = (FunctionId, Vec<Candidate>)>,
    functions: &IdVec<FunctionId, Mapped>,
) -> Vec<Handed> {
    let mut found: BTreeSet<Handed> = BTreeSet::new();
    let mut by_caller: BTreeMap<(FunctionId, Storage), Vec<Handed>> = BTreeMap::new();
    for (id, candidates) in candidates {
        for candidate in candidates {
            let Some(&callee) = ids.get(&candidate.callee) else {
                continue;
            };
            let is_wanted = is_wanted(&functions[id], &candidate);
            let row = Handed {
                function: id,
                point: candidate.point,
                variable: candidate.variable,
                callee,
                parameter: candidate.parameter,
            };
            if is_wanted {
                found.insert(row.clone());
            }
            let by = (id, row.variable.clone());
            by_caller.entry(by).or_default().push(row);
        }
    }
    let mut work = Vec::from_iter(found.iter().cloned());
    while let Some(row) = work.pop() {
        for next in by_caller.get(&(row.callee, row.parameter)).into_iter().flatten() {
            if found.insert(next.clone()) {
                work.push(next.clone());
            }
        }
    }
    found.into_iter().collect()
}

/// Whether the variable, or something that it leads to, orders a loop around the call.
fn is_wanted(function: &Mapped, candidate: &Candidate) -> bool {
    let innermost = function
        .points
        .get(candidate.point)
        .and_then(|point| point.innermost_loop);
    let mut around = std::iter::successors(innermost, |&at| function.loops[at].parent);
    around.any(|at| {
        let mut lovs = function.loops[at].lovs.iter();
        lovs.any(|lov| lov.storage.local_root() == Some(&candidate.variable))
    })
}
