//! Section `SHOW`: who is shown the address of a variable. Not required: a reader that binds a map without it believes less.

use super::bytes::number;
use super::columns::Column;
use super::handed::{LocalColumns, POINT, VARIABLE, read_point};
use super::strings::{Sink, Source};
use crate::error::ReadError;
use crate::{Function, FunctionId, Shown};
use base::{IdVec, Span};

const IS_IN_MAP: Column = Column(4);
const PARAMETER: LocalColumns = LocalColumns {
    function: Column(5),
    name: Column(6),
    line: Column(7),
};

pub(crate) fn write_shown<'a>(
    sink: &mut Sink<'a, '_>,
    functions: &IdVec<FunctionId, Function>,
    shown: &'a [Shown],
) {
    let (mut function, mut callee) = (0, 0);
    for each in shown {
        VARIABLE.write(sink, functions, &mut function, (each.function, &each.variable));
        sink.columns.at(POINT).unsigned(u64::from(number(each.point)));
        sink.columns.at(IS_IN_MAP).unsigned(u64::from(each.to.is_some()));
        if let Some((to, parameter)) = &each.to {
            PARAMETER.write(sink, functions, &mut callee, (*to, parameter));
        }
    }
}

/// `span` gives where each function stands.
pub(crate) fn read_shown(
    mut source: Source<'_, '_>,
    span: &dyn Fn(FunctionId) -> Option<Span>,
) -> Result<Vec<Shown>, ReadError> {
    let mut shown = Vec::with_capacity(source.columns.left(VARIABLE.function));
    let (mut function, mut callee) = (0, 0);
    while source.columns.left(VARIABLE.function) > 0 {
        let (function, variable) = VARIABLE.read(&mut source, &mut function, span)?;
        let point = read_point(&mut source)?;
        let cursor = source.columns.at(IS_IN_MAP);
        let to = match cursor.u32()? {
            0 => None,
            1 => Some(PARAMETER.read(&mut source, &mut callee, span)?),
            _ => return Err(cursor.malformed("neither in the map nor outside")),
        };
        shown.push(Shown {
            function,
            point,
            variable,
            to,
        });
    }
    source.columns.finish()?;
    Ok(shown)
}
