//! How rows are written, and how they are found.

pub(crate) use crate::function::{Function, Value};
use crate::{c, cxx, gfortran, mpi, threads};
use std::sync::LazyLock;

/// Writes rows: a name, the arguments in words of `argument.rs`, after `;` those that may follow in any number, and words for the whole
/// (the methods of [`Function`]). In front stands what the functions return on different tasks, where no word of a row says otherwise.
macro_rules! table {
    ($value:expr; $($name:literal ($($argument:ident)* $(; $more:ident)?) $($word:ident)*;)*) => {
        &[$(Function::new($name, &[$($argument),*], table!(@more $($more)?), $value)$(.$word())*),*]
    };
    (@more) => { None };
    (@more $more:ident) => { Some($more) };
}
pub(crate) use table;

/// All rows, by name.
pub(crate) static SORTED: LazyLock<Box<[&'static Function]>> = LazyLock::new(|| {
    let tables = [
        c::FUNCTIONS,
        cxx::FUNCTIONS,
        gfortran::FUNCTIONS,
        threads::FUNCTIONS,
    ];
    let mut rows: Vec<&Function> = tables.into_iter().chain(mpi::CHAPTERS).flatten().collect();
    rows.sort_unstable_by_key(|row| row.name);
    rows.into()
});

/// The row of this very name.
pub(crate) fn row(name: &str) -> Option<&'static Function> {
    let at = SORTED.binary_search_by_key(&name, |row| row.name).ok()?;
    Some(SORTED[at])
}
