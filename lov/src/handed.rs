//! Variables that calls hand to their callees unchanged.
//!
//! When a compiler inlines a call it often keeps the callee's parameter and drops the variable that it came from. While
//! the call lasts the two have one value, if nothing changes either: the argument is the variable itself, no argument of the call
//! changes anything, nobody has the variable's address, and the callee neither assigns the parameter nor takes its address.

use crate::mpi::is_pure;
use base::{Confidence, Id as _};
use dataflow::{Action, FunctionIndex, FunctionInfo, Program, Target};
use ir::{ExprId, ExprKind, Function, LocalId, VarRef};
use progress_map::{Function as Mapped, PointId, Storage};

/// An argument that a call hands on.
pub(crate) struct Candidate {
    pub(crate) point: PointId,
    pub(crate) variable: Storage,
    pub(crate) callee: FunctionIndex,
    pub(crate) parameter: Storage,
}

/// What the calls in loops of a function hand on.
pub(crate) fn candidates(program: &Program<'_>, info: &FunctionInfo<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (point, each) in info.flow.points.iter_enumerated() {
        if let Action::Call(call) = each.action
            && info.loops.innermost[point].is_some()
        {
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
    for (index, &argument) in args.iter().enumerate() {
        let ExprKind::Var(VarRef::Local(local)) = function.exprs[argument].kind else {
            continue;
        };
        let parameter = LocalId::from_index(index);
        let variable = &function.locals[local];
        if !variable.address_taken && !variable.is_static && stays(other, parameter) {
            found.push(Candidate {
                point,
                variable: storage(function, local),
                callee,
                parameter: storage(other.function, parameter),
            });
        }
    }
}

/// The only function that a call may be of, if it is understood and takes what the call hands on, with the arguments; these only read.
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
    let fits = other.function.params == args.len() && args.iter().all(|&arg| is_pure(info.function, arg));
    (is_known && fits).then_some((callee, args))
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

/// Whether the variable orders a loop around the call.
pub(crate) fn is_wanted(function: &Mapped, candidate: &Candidate) -> bool {
    let innermost = function
        .points
        .get(candidate.point)
        .and_then(|point| point.innermost_loop);
    let mut around = std::iter::successors(innermost, |&at| function.loops[at].parent);
    around.any(|at| {
        function.loops[at]
            .lovs
            .iter()
            .any(|lov| lov.storage == candidate.variable)
    })
}
