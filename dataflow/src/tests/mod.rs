//! Flow, loops, deciders, definitions and sameness in small functions: one snippet for each construct, each source of values and each
//! reason for doubt.

mod same;
mod shape;
mod touch;
mod whole;

use crate::{FunctionIndex, FunctionInfo, Program};
use frontend::{Macros, Source};
use ir::Unit;

/// The front end's reading of a file of C.
fn unit(text: &str) -> Unit {
    let source = Source {
        path: "t.c",
        text: text.as_bytes(),
    };
    let macros = Macros::gather([source]);
    frontend::parse(&source, &macros)
}

/// Calls `each` for every function of a file, in the order of the source, and joins what it says.
fn of_functions(
    text: &str,
    each: impl Fn(&Program<'_>, FunctionIndex, &FunctionInfo<'_>) -> String,
) -> String {
    let units = [unit(text)];
    let program = Program::of_units(&units);
    let functions = program.functions.iter_enumerated();
    functions.map(|(id, info)| each(&program, id, info)).collect()
}
