//! Section `HAND`: variables that calls hand to their callees unchanged. Not required: a reader without it loses nothing of the
//! order.

use super::bytes::number;
use super::columns::Column;
use super::strings::{Sink, Source};
use crate::error::ReadError;
use crate::{Function, FunctionId, Handed, PointId, Storage};
use base::{IdVec, Span};

/// A variable in front of a call, by what [`POINT`] says of the call.
pub(crate) const VARIABLE: LocalColumns = LocalColumns {
    function: Column(0),
    name: Column(2),
    line: Column(3),
};
pub(crate) const POINT: Column = Column(1);
const PARAMETER: LocalColumns = LocalColumns {
    function: Column(4),
    name: Column(5),
    line: Column(6),
};

/// Where a local variable stands: its function, near the one before, its name, and its line near the first of the function.
#[derive(Clone, Copy)]
pub(crate) struct LocalColumns {
    pub(crate) function: Column,
    pub(crate) name: Column,
    pub(crate) line: Column,
}

pub(crate) fn write_handed<'a>(
    sink: &mut Sink<'a, '_>,
    functions: &IdVec<FunctionId, Function>,
    handed: &'a [Handed],
) {
    let (mut function, mut callee) = (0, 0);
    for each in handed {
        VARIABLE.write(sink, functions, &mut function, (each.function, &each.variable));
        sink.columns.at(POINT).unsigned(u64::from(number(each.point)));
        PARAMETER.write(sink, functions, &mut callee, (each.callee, &each.parameter));
    }
}

/// `span` gives where each function stands.
pub(crate) fn read_handed(
    mut source: Source<'_, '_>,
    span: &dyn Fn(FunctionId) -> Option<Span>,
) -> Result<Vec<Handed>, ReadError> {
    let mut handed = Vec::with_capacity(source.columns.left(VARIABLE.function));
    let (mut function, mut callee) = (0, 0);
    while source.columns.left(VARIABLE.function) > 0 {
        let (function, variable) = VARIABLE.read(&mut source, &mut function, span)?;
        let point = read_point(&mut source)?;
        let (callee, parameter) = PARAMETER.read(&mut source, &mut callee, span)?;
        handed.push(Handed {
            function,
            point,
            variable,
            callee,
            parameter,
        });
    }
    source.columns.finish()?;
    Ok(handed)
}

/// The point of a call.
pub(crate) fn read_point(source: &mut Source<'_, '_>) -> Result<PointId, ReadError> {
    let cursor = source.columns.at(POINT);
    let point = cursor.u32()?;
    cursor.id(point)
}

impl LocalColumns {
    /// `before` is the function of the row before. Only local variables stand here; anything else would come back as a local one of no name, and
    /// be found nowhere.
    pub(crate) fn write<'a>(
        self,
        sink: &mut Sink<'a, '_>,
        functions: &IdVec<FunctionId, Function>,
        before: &mut u32,
        (function, storage): (FunctionId, &'a Storage),
    ) {
        sink.columns.at(self.function).near32(*before, number(function));
        *before = number(function);
        let (text, at) = match storage {
            Storage::Local { name, line } => (name.as_str(), *line),
            _ => ("", 0),
        };
        sink.text(self.name, text);
        // A function that the map does not hold is for the reader to refuse.
        let near = functions.get(function).map_or(0, |function| function.span.line);
        sink.columns.at(self.line).near32(near, at);
    }

    pub(crate) fn read(
        self,
        source: &mut Source<'_, '_>,
        before: &mut u32,
        span: &dyn Fn(FunctionId) -> Option<Span>,
    ) -> Result<(FunctionId, Storage), ReadError> {
        let cursor = source.columns.at(self.function);
        *before = cursor.near32(*before)?;
        let function: FunctionId = cursor.id(*before)?;
        let span = span(function).ok_or_else(|| cursor.malformed("there is no function of this number"))?;
        let name = source.text(self.name)?;
        let line = source.columns.at(self.line).near32(span.line)?;
        Ok((function, Storage::Local { name, line }))
    }
}
