//! Section `CTCH`: where handlers of exceptions begin. Not required: a reader that binds the map without it orders less of optimised code.

use super::bytes::number;
use super::columns::{Column, Columns, ColumnsOut};
use crate::Handler;
use crate::error::ReadError;

const FUNCTION: Column = Column(0);
const POINT: Column = Column(1);

pub(crate) fn write_handlers(columns: &mut ColumnsOut, handlers: &[Handler]) {
    let mut before = 0;
    for handler in handlers {
        columns.at(FUNCTION).near32(before, number(handler.function));
        columns.at(POINT).unsigned(u64::from(number(handler.point)));
        before = number(handler.function);
    }
}

pub(crate) fn read_handlers(mut columns: Columns<'_>) -> Result<Vec<Handler>, ReadError> {
    let mut handlers = Vec::with_capacity(columns.left(FUNCTION));
    let mut before = 0;
    while columns.left(FUNCTION) > 0 {
        let cursor = columns.at(FUNCTION);
        before = cursor.near32(before)?;
        let function = cursor.id(before)?;
        let cursor = columns.at(POINT);
        let point = cursor.u32()?;
        handlers.push(Handler {
            function,
            point: cursor.id(point)?,
        });
    }
    columns.finish()?;
    Ok(handlers)
}
