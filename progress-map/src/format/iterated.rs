//! Section `ITER`: over which objects iterators go. Not required: a reader that binds a map without it reads fewer variables.

use super::columns::Column;
use super::handed::LocalColumns;
use super::storage::{read_storage, write_storage};
use super::strings::{Sink, Source};
use crate::error::ReadError;
use crate::{Function, FunctionId, Iterated};
use base::{IdVec, Span};

const ITERATOR: LocalColumns = LocalColumns {
    function: Column(0),
    name: Column(1),
    line: Column(2),
};

pub(crate) fn write_iterated<'a>(
    sink: &mut Sink<'a, '_>,
    functions: &IdVec<FunctionId, Function>,
    iterated: &'a [Iterated],
) {
    let mut before = 0;
    for each in iterated {
        ITERATOR.write(sink, functions, &mut before, (each.function, &each.iterator));
        let line = functions
            .get(each.function)
            .map_or(0, |function| function.span.line);
        write_storage(sink, line, UNLISTED, &each.container);
    }
}

/// The object is listed under no name of its own.
const UNLISTED: &str = "";

/// `span` gives where each function stands.
pub(crate) fn read_iterated(
    mut source: Source<'_, '_>,
    span: &dyn Fn(FunctionId) -> Option<Span>,
) -> Result<Vec<Iterated>, ReadError> {
    let mut iterated = Vec::with_capacity(source.columns.left(ITERATOR.function));
    let mut before = 0;
    while source.columns.left(ITERATOR.function) > 0 {
        let (function, iterator) = ITERATOR.read(&mut source, &mut before, span)?;
        let line = span(function).map_or(0, |span| span.line);
        let container = read_storage(&mut source, line, UNLISTED)?;
        iterated.push(Iterated {
            function,
            iterator,
            container,
        });
    }
    source.columns.finish()?;
    Ok(iterated)
}
