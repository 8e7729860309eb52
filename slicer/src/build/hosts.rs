//! Procedures of Fortran that stand in another one: they name its variables.
//!
//! The program form has such a variable as what a lambda has captured, by the variable's name ([`ir::ExprKind::Captured`]). Whose it is tells the full name of
//! the procedure, which begins with that of its host: no procedure stands deeper (Fortran 2018, 15.6.2.1).

use dataflow::{FunctionIndex, Program};
use ir::{Function, Language};

/// The hosts, of these functions of its file, of a function; one at most.
pub(crate) fn hosts(
    program: &Program<'_>,
    of_file: &[FunctionIndex],
    function: &Function,
) -> Vec<FunctionIndex> {
    let scope = function
        .linkage_name
        .as_deref()
        .filter(|_| function.language == Language::Fortran);
    let Some((scope, _)) = scope.and_then(|name| name.rsplit_once("::")) else {
        return Vec::new();
    };
    let is_host = |other: &FunctionIndex| {
        let other = program.functions[*other].function;
        other.linkage_name.as_deref().unwrap_or(&other.name) == scope
    };
    of_file.iter().copied().filter(is_host).collect()
}
