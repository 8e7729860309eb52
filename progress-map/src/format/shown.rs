//! Section `SHOW`: who is shown the address of a variable. Not required: a reader that binds a map without it believes less.

use super::bytes::number;
use super::columns::Column;
use super::handed::{read_function, read_local, write_local};
use super::strings::{Sink, Source};
use crate::error::ReadError;
use crate::{Function, FunctionId, Shown};
use base::{IdVec, Span};

const FUNCTION: Column = Column(0);
const POINT: Column = Column(1);
const VARIABLE: Column = Column(2);
const VARIABLE_LINE: Column = Column(3);
const IS_IN_MAP: Column = Column(4);
const CALLEE: Column = Column(5);
const PARAMETER: Column = Column(6);
const PARAMETER_LINE: Column = Column(7);

pub(crate) fn write_shown<'a>(
    sink: &mut Sink<'a, '_>,
    functions: &IdVec<FunctionId, Function>,
    shown: &'a [Shown],
) {
    // A function that the map does not hold is for the reader to refuse.
    let line = |id: FunctionId| functions.get(id).map_or(0, |function| function.span.line);
    let (mut function, mut callee) = (0, 0);
    for each in shown {
        sink.columns.at(FUNCTION).near32(function, number(each.function));
        function = number(each.function);
        sink.columns.at(POINT).unsigned(u64::from(number(each.point)));
        write_local(sink, VARIABLE, VARIABLE_LINE, line(each.function), &each.variable);
        sink.columns.at(IS_IN_MAP).unsigned(u64::from(each.to.is_some()));
        if let Some((to, parameter)) = &each.to {
            sink.columns.at(CALLEE).near32(callee, number(*to));
            callee = number(*to);
            write_local(sink, PARAMETER, PARAMETER_LINE, line(*to), parameter);
        }
    }
}

/// `span` gives where each function stands.
pub(crate) fn read_shown(
    mut source: Source<'_, '_>,
    span: &dyn Fn(FunctionId) -> Option<Span>,
) -> Result<Vec<Shown>, ReadError> {
    let mut shown = Vec::with_capacity(source.columns.left(FUNCTION));
    let (mut function, mut callee) = (0, 0);
    while source.columns.left(FUNCTION) > 0 {
        let (of, line) = read_function(&mut source, FUNCTION, &mut function, span)?;
        let cursor = source.columns.at(POINT);
        let point = cursor.u32()?;
        let point = cursor.id(point)?;
        let variable = read_local(&mut source, VARIABLE, VARIABLE_LINE, line)?;
        let cursor = source.columns.at(IS_IN_MAP);
        let to = match cursor.u32()? {
            0 => None,
            1 => {
                let (to, line) = read_function(&mut source, CALLEE, &mut callee, span)?;
                Some((to, read_local(&mut source, PARAMETER, PARAMETER_LINE, line)?))
            }
            _ => return Err(cursor.malformed("neither in the map nor outside")),
        };
        shown.push(Shown {
            function: of,
            point,
            variable,
            to,
        });
    }
    source.columns.finish()?;
    Ok(shown)
}
