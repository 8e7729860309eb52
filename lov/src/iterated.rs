//! Over which objects iterators go that the source names: what `index(it)` is counted from.

use crate::candidate::{Candidate, LoopContext};
use crate::mpi::storage;
use crate::stability::invariance;
use base::Confidence;
use dataflow::{FunctionInfo, Target, Touch};
use ir::{ExprId, ExprKind, Function};
use progress_map::Storage;

/// For each loop of a function that counts with an iterator which the source names: the iterator, and the object that it goes over, which is a variable, a
/// member, or what one of these points to.
pub(crate) fn containers(info: &FunctionInfo<'_>) -> Vec<(Storage, Storage)> {
    let function = info.function;
    if function.confidence == Confidence::Partial || info.flow.distrust.is_some() {
        return Vec::new();
    }
    let counted = function.locals.iter().filter_map(|local| {
        let container = object(function, local.container?)?;
        let iterator = crate::handed::storage(function, local.counts_for?);
        Some((iterator, container))
    });
    let mut all = Vec::from_iter(counted);
    all.sort();
    all.dedup();
    all
}

fn object(function: &Function, id: ExprId) -> Option<Storage> {
    let id = function.object(id);
    match function.exprs[id].kind {
        ExprKind::Deref(pointer) => Some(Storage::Pointee(Box::new(storage(
            function,
            function.object(pointer),
        )?))),
        _ => storage(function, id),
    }
}

/// Whether the loop changes a pointer by which the program reaches the object whose elements the candidate counts.
pub(crate) fn stays(context: LoopContext<'_, '_>, candidate: &Candidate) -> Touch {
    let function = context.info.function;
    let Target::Local(local) = candidate.target else {
        return Touch::Leaves;
    };
    let mut touch = Touch::Leaves;
    let mut next = function.locals[local].container;
    while let Some(id) = next {
        let (inner, is_pointer) = match function.exprs[id].kind {
            ExprKind::Comma(_, object) => (Some(object), false),
            ExprKind::Deref(pointer) => (Some(pointer), true),
            ExprKind::Field { base, arrow, .. } => (Some(function.object(base)), arrow),
            _ => (None, false),
        };
        if let (Some(pointer), true) = (inner, is_pointer) {
            touch = touch.max(invariance(context, pointer));
        }
        next = inner;
    }
    touch
}
