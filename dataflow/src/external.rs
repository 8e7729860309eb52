//! What library functions do, as far as the order needs to know: questions to the tables of [`library`].
//!
//! A function that is neither in the map nor in these tables is unknown: it may change every global and its value may differ by task.

use base::is_mpi;
use library::{Access, Extent, Role, Value, function};

/// Whether a function belongs to a library that calls nothing of the program's (MPI reduction operators aside) and
/// knows none of its globals.
pub fn is_library(name: &str) -> bool {
    is_mpi(name) || function(name).is_some_and(|row| row.known && !row.calls_back())
}

/// What a library function's value is on different tasks; `None` for functions that are not in the tables.
pub(crate) fn call_value(name: &str) -> Option<Value> {
    match function(name) {
        Some(row) => row.known.then_some(row.value),
        // An error code.
        None => is_mpi(name).then_some(Value::Same),
    }
}

/// Whether a library function writes through argument `index` before it returns and keeps no pointer to it; the
/// value says whether what it writes is the same on every task.
///
/// `None` when it is not known to: the address must then be taken for escaped.
pub(crate) fn writes_through(name: &str, index: usize) -> Option<Value> {
    let argument = function(name).filter(|row| row.known)?.argument(index)?;
    match argument.access {
        Access::Writes if argument.same => Some(Value::Same),
        // What is only read stays what it was; taken for changed, which only loses precision.
        Access::Writes | Access::Reads => Some(Value::Differs),
        _ => None,
    }
}

/// How much a library function writes through an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Nothing.
    Nothing,
    /// The one object that the argument points to.
    One,
    /// As many as the argument of this number says, of the type that the next one names.
    Counted(usize),
    /// Any number of bytes.
    Any,
}

/// How much the library function `name` writes through its argument `index`, at once or later.
pub(crate) fn reach(name: &str, index: usize) -> Reach {
    let known = function(name).filter(|row| row.known);
    match known.and_then(|row| row.argument(index)) {
        Some(argument) if matches!(argument.access, Access::Writes | Access::WritesLater) => {
            match argument.extent {
                Extent::One => Reach::One,
                Extent::Counted => Reach::Counted(index + 1),
                Extent::Any => Reach::Any,
            }
        }
        Some(argument) if argument.access != Access::Calls => Reach::Nothing,
        _ => Reach::Any,
    }
}

/// Which argument is the communicator over which an MPI function makes a value equal.
pub(crate) fn communicator(name: &str) -> Option<usize> {
    function(name)?.role(Role::Communicator)
}
