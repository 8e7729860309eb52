//! Where in a callee the step is made that a loop takes by calling it: `advance(*s)` with `void advance(Sim &r) { MPI_Barrier(…); r.i++; }`.
//!
//! A task that is inside such a call has made the step or not. Its next frame tells, if there is one point of the callee that steps the variable: `dataflow`
//! counts it as a step only if each way through the callee makes the same sum of steps, and with one point that steps this holds for
//! each place in the callee: either all ways to it have passed the point or none.
//!
//! Listed are only members of what a local pointer or reference leads to: while the task is inside of MPI, such memory is as the source has left it (`bind`
//! asks whether others know it), while a variable in a register may be ahead or behind.

use crate::candidate::LoopContext;
use dataflow::{Action, FunctionIndex, Program, Target};
use ir::{Type, VarRef};
use progress_map::{FunctionId, InnerStep, PointId};
use std::collections::{BTreeMap, BTreeSet};

/// A function and a point of it.
pub(crate) type At = (FunctionIndex, PointId);

/// Calls that step a variable, with where that is done, if it is at one point.
pub(crate) type Stepped = Vec<(At, Option<At>)>;

/// Calls within calls are followed so far.
const MOST_CALLS: usize = 16;

/// What the calls among the updates of a variable do.
pub(crate) fn of_updates(context: LoopContext<'_, '_>, target: &Target, updates: &[PointId]) -> Stepped {
    let mut found = Vec::new();
    for &update in updates {
        let mut at = (context.id, update);
        let mut target = target.clone();
        for _ in 0..MOST_CALLS {
            let step = is_behind_pointer(context.program, at.0, &target)
                .then(|| context.program.step_in_callee(at.0, at.1, &target))
                .flatten();
            let Some((callee, there, point)) = step else {
                found.push((at, None));
                break;
            };
            found.push((at, Some((callee, point))));
            (at, target) = ((callee, point), there);
            if !matches!(
                context.program.functions[at.0].flow.points[at.1].action,
                Action::Call(_)
            ) {
                break;
            }
        }
    }
    found
}

fn is_behind_pointer(program: &Program<'_>, id: FunctionIndex, target: &Target) -> bool {
    let Target::Member(path) = target else {
        return false;
    };
    let VarRef::Local(local) = path.root else {
        return false;
    };
    program.functions[id].function.locals[local].ty == Type::Pointer
}

/// The calls of which all that they step is stepped at one point, by the ids of the map; sorted.
pub(crate) fn agreed(
    stepped: impl Iterator<Item = (At, Option<At>)>,
    ids: &BTreeMap<FunctionIndex, FunctionId>,
) -> Vec<InnerStep> {
    let mut all: BTreeMap<At, BTreeSet<Option<At>>> = BTreeMap::new();
    for (call, step) in stepped {
        all.entry(call).or_default().insert(step);
    }
    let mut found = Vec::new();
    for ((caller, point), steps) in all {
        let mut steps = steps.into_iter();
        if let (Some(Some((callee, at))), None) = (steps.next(), steps.next())
            && let (Some(&function), Some(&callee)) = (ids.get(&caller), ids.get(&callee))
        {
            found.push(InnerStep {
                function,
                point,
                callee,
                at,
            });
        }
    }
    found.sort();
    found
}
