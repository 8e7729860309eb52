//! What the functions of libraries do, as far as somebody asks: one row a function, argued once, for C, C++, MPI and threads.
//!
//! Everybody who must know what a call does that has no source asks here: what it writes (`dataflow`, `slicer`), whether its result is the same
//! on every task (`dataflow`), what it sends, receives or waits for (`slicer`, `engine`), which of its arguments say with whom (`lov`, `bind`).
//! A function without a row is unknown: whoever asks takes it to do anything. Being in a table only makes answers more precise, so what
//! is not certain of a function is left out of its row, or the function out of the tables.
//!
//! To add a function, add a line to the table of its library (`src/c.rs`, `cxx.rs`, `gfortran.rs`, `threads.rs`, `mpi/`):
//!
//! ```text
//! "MPI_Recv" (OUT_N COUNT TYPE SOURCE RECV_TAG COMM STATUS) receives waits;
//! ```
//!
//! its name, one word for each argument (`src/argument.rs` says what they mean), and the words that are true of the whole (the end of `src/function.rs`).
//! `cargo test -p library` finds rows that contradict themselves, each other or the `mpi.h` of the machine; misspelt words do not compile. What a row changes,
//! a snippet in `dataflow/src/tests/touch.rs` shows.
//!
//! Fortran's spellings, `PMPI_` and `_c` are found by rule. Who asks: `dataflow::external`, `slicer::effect`, `slicer::build::message`, `lov::mpi`,
//! `bind::passed` and `engine::{blocking,waits,sends}`.
//!
//! Besides functions, there is a table of each of these:
//!
//! - which shared objects no program brings along, and what they are: `src/objects.rs`;
//! - what threads wait for that sleep in a system call, and what a stop does to them: `src/system_calls.rs`;
//! - what a name of C++ tells whose class nobody knows: `src/standard.rs`;
//! - what names tell that only libraries and compilers give: `src/symbols.rs`;
//! - what was measured of implementations of MPI, and what numbers they give its constants: `src/mpi/{measured,constants}.rs`.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod argument;
mod c;
mod cxx;
mod function;
pub mod gfortran;
mod mpi;
mod objects;
pub mod standard;
pub mod symbols;
pub mod system_calls;
mod table;
#[cfg(test)]
mod tests;
mod threads;

pub use argument::{Access, Argument, Extent, Role};
pub use function::{
    EpochCall, Exit, Flow, Function, Handling, HiddenState, Part, Returned, Timing, Value, Wait,
};

pub use mpi::{constant, measured};
pub use objects::{
    SharedObject, implementation, is_header_of_cxx, is_mpi_library, is_of_language, is_runtime_library,
    shared_object, without_ending,
};

use table::row;

/// The function that a program in C or C++ calls by this name. Of MPI also by its name for profiling (`PMPI_Send`), and with counts of any size
/// (`MPI_Send_c`): these are the same functions.
pub fn function(name: &str) -> Option<&'static Function> {
    let plain = base::mpi_name(name);
    row(plain)
        .or_else(|| row(plain.strip_suffix("_c").filter(|_| base::is_mpi(plain))?))
        .or_else(|| row(name.strip_prefix(STANDARD)?))
}

/// What stands before the name of a function that is called as one of the standard library's, where the program has one of that name, too.
pub const STANDARD: &str = "std::";

/// The function of MPI that a program in Fortran calls by this name, in any case and with the ending of a specific procedure (`MPI_SEND`,
/// `mpi_send_f08`, `pmpi_send`). Its arguments are those of C, each by reference, and one more for the error code; of `MPI_Init_thread`, which in C has the program's
/// arguments first, nothing is told.
pub fn fortran(name: &str) -> Option<&'static Function> {
    let lower = name.to_ascii_lowercase();
    // What a symbol of Fortran shows by its underscore, a name in its source does not have to.
    of_symbol(&format!("{}_", lower.trim_end_matches('_')))
        .filter(|row| base::is_mpi(row.name) && row.name != "MPI_Init_thread")
}

/// The function that a symbol is an entry point of: by the names that C knows, and of MPI also by those of the Fortran bindings (`mpi_send_`,
/// `MPI_SEND`, `ompi_send_f`, `mpi_send_f08_`).
pub fn of_symbol(symbol: &str) -> Option<&'static Function> {
    function(symbol).or_else(|| function(&base::mpi_entry_point(symbol)?))
}

/// Whether a call of this function may return again, with control behind it (`setjmp`, `vfork`, `swapcontext`).
pub fn returns_twice(name: &str) -> bool {
    function(name).is_some_and(|row| row.exit == Exit::Twice)
}

/// Whether a function of this name is one of MPI's that communicate. A call of one is neither a macro nor inlined, so that each copy of it in machine code is an
/// instruction that calls it.
pub fn communicates(name: &str) -> bool {
    let name = base::mpi_name(name);
    function(name).is_some_and(|function| {
        base::is_mpi(name) && (function.is_point_to_point() || matches!(function.part, Part::Collective(_)))
    })
}

/// What the arguments of an MPI function mean that tell what a task in it waits for or with whom it exchanges messages, in their order.
pub fn roles(name: &str) -> impl Iterator<Item = (u8, Role)> {
    let row = function(name).filter(|row| base::is_mpi(row.name));
    let telling = row.filter(|row| row.wait != Wait::Nobody || row.is_point_to_point());
    let arguments = telling.map_or(&[][..], |row| row.arguments);
    arguments
        .iter()
        .zip(0..)
        .filter_map(|(argument, index)| Some((index, argument.role?)))
}
