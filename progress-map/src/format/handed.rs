//! Section `HAND`: variables that calls hand to their callees unchanged. Not required: a reader without it loses nothing of the
//! order.

use super::bytes::number;
use super::columns::Column;
use super::strings::{Sink, Source};
use crate::error::ReadError;
use crate::{Function, FunctionId, Handed, Storage};
use base::{IdVec, Span};

const FUNCTION: Column = Column(0);
const POINT: Column = Column(1);
const VARIABLE: Column = Column(2);
const VARIABLE_LINE: Column = Column(3);
const CALLEE: Column = Column(4);
const PARAMETER: Column = Column(5);
const PARAMETER_LINE: Column = Column(6);

pub(crate) fn write_handed<'a>(
    sink: &mut Sink<'a, '_>,
    functions: &IdVec<FunctionId, Function>,
    handed: &'a [Handed],
) {
    // A call of a function that the map does not hold is for the reader to refuse.
    let line = |id: FunctionId| functions.get(id).map_or(0, |function| function.span.line);
    let (mut function, mut callee) = (0, 0);
    for each in handed {
        sink.columns.at(FUNCTION).near32(function, number(each.function));
        function = number(each.function);
        sink.columns.at(POINT).unsigned(u64::from(number(each.point)));
        write_local(sink, VARIABLE, VARIABLE_LINE, line(each.function), &each.variable);
        sink.columns.at(CALLEE).near32(callee, number(each.callee));
        callee = number(each.callee);
        write_local(
            sink,
            PARAMETER,
            PARAMETER_LINE,
            line(each.callee),
            &each.parameter,
        );
    }
}

/// Only local variables are handed on; anything else would come back as a local one of no name, and be found nowhere.
pub(crate) fn write_local<'a>(
    sink: &mut Sink<'a, '_>,
    name: Column,
    line: Column,
    near: u32,
    storage: &'a Storage,
) {
    let (text, at) = match storage {
        Storage::Local { name, line } => (name.as_str(), *line),
        _ => ("", 0),
    };
    sink.text(name, text);
    sink.columns.at(line).near32(near, at);
}

/// `span` gives where each function stands.
pub(crate) fn read_handed(
    mut source: Source<'_, '_>,
    span: &dyn Fn(FunctionId) -> Option<Span>,
) -> Result<Vec<Handed>, ReadError> {
    let mut handed = Vec::with_capacity(source.columns.left(FUNCTION));
    let (mut function, mut callee) = (0, 0);
    while source.columns.left(FUNCTION) > 0 {
        let (of, line) = read_function(&mut source, FUNCTION, &mut function, span)?;
        let cursor = source.columns.at(POINT);
        let point = cursor.u32()?;
        let point = cursor.id(point)?;
        let variable = read_local(&mut source, VARIABLE, VARIABLE_LINE, line)?;
        let (to, line) = read_function(&mut source, CALLEE, &mut callee, span)?;
        handed.push(Handed {
            function: of,
            point,
            variable,
            callee: to,
            parameter: read_local(&mut source, PARAMETER, PARAMETER_LINE, line)?,
        });
    }
    source.columns.finish()?;
    Ok(handed)
}

pub(crate) fn read_function(
    source: &mut Source<'_, '_>,
    column: Column,
    before: &mut u32,
    span: &dyn Fn(FunctionId) -> Option<Span>,
) -> Result<(FunctionId, u32), ReadError> {
    let cursor = source.columns.at(column);
    *before = cursor.near32(*before)?;
    let id: FunctionId = cursor.id(*before)?;
    let span = span(id).ok_or_else(|| cursor.malformed("there is no function of this number"))?;
    Ok((id, span.line))
}

pub(crate) fn read_local(
    source: &mut Source<'_, '_>,
    name: Column,
    line: Column,
    near: u32,
) -> Result<Storage, ReadError> {
    Ok(Storage::Local {
        name: source.text(name)?,
        line: source.columns.at(line).near32(near)?,
    })
}
