//! Calls through pointers: how many arguments they pass, and how many parameters whoever may be called has.
//!
//! Only of C: in C++ the object, defaults and packs of arguments are not counted.

use dataflow::{Action, FunctionIndex, FunctionInfo, Program};
use ir::{Callee, ExprKind, Function};
use progress_map::PointId;

/// The functions that a pointer may lead to, each with how many parameters it has. What has no name in its head, or stands behind
/// `...`, is not counted.
pub(crate) fn targets(program: &Program<'_>) -> Vec<(FunctionIndex, Option<u8>)> {
    let taken = program.address_taken().iter();
    let parameters = |function: &Function| {
        let counted = (!function.language.is_cxx()).then_some(function.params)?;
        u8::try_from(counted).ok()
    };
    taken
        .map(|&index| (index, parameters(program.functions[index].function)))
        .collect()
}

/// The calls of a function through pointers, in the order of its points, each with how many arguments it passes.
pub(crate) fn calls(info: &FunctionInfo<'_>) -> Vec<(PointId, u8)> {
    let function = info.function;
    if function.language.is_cxx() {
        return Vec::new();
    }
    let points = info.flow.points.iter_enumerated();
    let calls = points.filter_map(|(point, each)| {
        let Action::Call(call) = each.action else {
            return None;
        };
        match &function.exprs[call].kind {
            ExprKind::Call {
                callee: Callee::Indirect(_),
                args,
            } => Some((point, u8::try_from(args.len()).ok()?)),
            _ => None,
        }
    });
    calls.collect()
}
