//! Parameter packs of C++: one parameter that takes any number of arguments, and one argument that stands for all of these.

use crate::operands;
use ir::{ExprId, ExprKind, Function, LocalId, Type, VarRef};

/// The number of the parameter that takes all arguments from there on, if a function has one.
pub fn parameter_pack(function: &Function) -> Option<usize> {
    let params = function.locals.iter().take(function.params);
    params.into_iter().position(|local| local.is_pack)
}

/// The first of these arguments that may stand for several, or for none, so that it is not known which parameters those behind it are for.
pub fn pack_expansion(function: &Function, args: &[ExprId]) -> Option<usize> {
    if !function.language.is_cxx() {
        return None;
    }
    // An expansion is a value of a type that nobody knows.
    let expands = |arg: &ExprId| match function.exprs[*arg].kind {
        ExprKind::Cast(Type::Unknown, inner) => mentions_pack(function, inner),
        _ => false,
    };
    args.iter().position(expands)
}

/// The arguments that a parameter may get by its place: one, or all from one on.
pub fn arguments_for<'a>(
    caller: &Function,
    args: &'a [ExprId],
    pack: Option<usize>,
    parameter: usize,
) -> &'a [ExprId] {
    let open = [pack, pack_expansion(caller, args)].into_iter().flatten().min();
    match open.filter(|&open| open <= parameter) {
        Some(open) => args.get(open..).unwrap_or_default(),
        None => args.get(parameter..=parameter).unwrap_or_default(),
    }
}

/// The place of an argument among the parameters; one that no parameter has if an argument before it may stand for several.
pub(crate) fn place_among_parameters(caller: &Function, args: &[ExprId], index: usize) -> usize {
    match pack_expansion(caller, args) {
        Some(open) if open <= index => usize::MAX,
        _ => index,
    }
}

/// How many parameters a function has that take one argument each.
pub(crate) fn single_parameters(function: &Function) -> usize {
    parameter_pack(function).unwrap_or(function.params)
}

/// Whether a pack is named; what a lambda has captured may be one.
fn mentions_pack(function: &Function, expr: ExprId) -> bool {
    let is_pack = |local: LocalId| function.locals[local].is_pack;
    let mut work = vec![expr];
    while let Some(expr) = work.pop() {
        let node = &function.exprs[expr];
        match node.kind {
            ExprKind::Var(VarRef::Local(local)) if is_pack(local) => return true,
            ExprKind::Captured { .. } => return true,
            _ => work.extend(operands(node)),
        }
    }
    false
}
