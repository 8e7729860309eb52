//! The C shim between a program and one MPI library, written from that library's own header.
//!
//! Handles, constants and statuses are each MPI's own business, so nothing that was compiled once serves two of them. The shim is small and
//! made by rule: [`shim`] takes the text of `mpi.h` as the library's compiler preprocesses it, finds the functions that the library
//! offers for profiling ([`prototype`]), asks the crate `library` what each of them does, and writes one function in C for each that takes part in
//! communication. What these call is `runtime-pmpi`, which knows no type of MPI.
//!
//! Each is there under its name for profiling, too (`PMPI_Send`): the Fortran layers of the libraries call that one, mostly, and so all bindings
//! are recorded by the same functions. A call that comes through both names is counted once, as is any call that a library makes within its own.
//! Under both names stands one jump ([`wrapper::entries`], `entries.c`), which in a program of another MPI leads to that one's function.
//!
//! Functions that complete requests, begin and end MPI, and free handles (`written.c`, which follow a first run by `followed.c`), and the epochs of windows (`windows.c`), are written
//! by hand: they are few, and each is its own case.
//!
//! The crate does no I/O: text in, text out.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod prototype;
mod wrapper;

use prototype::Prototype;

/// A shim could not be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The text declares none of the functions that every MPI has; this one is missing.
    NoMpi(&'static str),
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoMpi(name) => write!(
                f,
                "the compiler's mpi.h does not declare {name}: is it the compiler of an MPI library, with its profiling interface?"
            ),
        }
    }
}

impl std::error::Error for Error {}

/// What the hand-written part of the shim calls.
const NEEDED: [&str; 10] = [
    "PMPI_Init",
    "PMPI_Init_thread",
    "PMPI_Finalize",
    "PMPI_Waitall",
    "PMPI_Test_cancelled",
    "PMPI_Comm_group",
    "PMPI_Group_translate_ranks",
    "PMPI_Comm_test_inter",
    "PMPI_Get_library_version",
    "PMPI_Win_get_group",
];

/// The text of the shim in C, for the MPI library whose `mpi.h` is `header` after preprocessing (`mpicc -E -P`). It includes `mpi.h` itself.
///
/// # Errors
///
/// If the text is no header of an MPI library.
pub fn shim(header: &str) -> Result<String, Error> {
    let prototypes = prototype::all(header);
    let has = |name: &str| prototypes.iter().any(|prototype| prototype.name == name);
    if let Some(missing) = NEEDED.into_iter().find(|name| !has(name)) {
        return Err(Error::NoMpi(missing));
    }
    let by_hand = wrapper::by_hand(WRITTEN);
    let wrapped: Vec<&Prototype> = prototypes
        .iter()
        .filter(|prototype| by_hand.contains(&prototype.function()) || wrapper::is_wrapped(prototype))
        .collect();
    let mut text = String::from(PRELUDE);
    for prototype in prototypes.iter().filter(|prototype| !wrapped.contains(prototype)) {
        text.push_str(&format!("#pragma weak {}\n", prototype.name));
    }
    text.push_str("enum {\n");
    for prototype in &wrapped {
        text.push_str(&format!("    HINDMOST_{},\n", prototype.function()));
    }
    text.push_str("    HINDMOST_FUNCTIONS\n};\nstatic void *hindmost_real[HINDMOST_FUNCTIONS];\nstatic const char hindmost_names[] =\n");
    for prototype in &wrapped {
        text.push_str(&format!("    \"{}\\n\"\n", prototype.function()));
    }
    text.push_str("    ;\n");
    for prototype in &wrapped {
        text.push_str(&wrapper::renamed(prototype));
    }
    text.push_str(WRITTEN);
    for prototype in &wrapped {
        if !by_hand.contains(&prototype.function()) {
            text.push_str(&wrapper::write(prototype));
        }
    }
    text.push_str(&wrapper::entries(&wrapped));
    text.push_str(ENTRIES);
    Ok(text)
}

/// Whether calls of the function of this name are recorded, where the MPI library has it.
#[must_use]
pub fn is_recorded(name: &str) -> bool {
    wrapper::by_hand(WRITTEN).contains(name) || library::function(name).is_some_and(wrapper::communicates)
}

const PRELUDE: &str = include_str!("prelude.c");
const WRITTEN: &str = concat!(
    include_str!("followed.c"),
    include_str!("written.c"),
    include_str!("windows.c")
);
const ENTRIES: &str = include_str!("entries.c");
