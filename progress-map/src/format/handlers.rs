//! Section `CTCH`: where handlers of exceptions begin. Not required: a reader that binds the map without it orders less of optimised code.

use super::columns::{Column, Columns, ColumnsOut};
use super::place::PlaceColumns;
use crate::Handler;
use crate::error::ReadError;

const BEGIN: PlaceColumns = PlaceColumns {
    function: Column(0),
    point: Column(1),
};

pub(crate) fn write_handlers(columns: &mut ColumnsOut, handlers: &[Handler]) {
    let mut before = 0;
    for handler in handlers {
        BEGIN.write(columns, &mut before, (handler.function, handler.point));
    }
}

pub(crate) fn read_handlers(mut columns: Columns<'_>) -> Result<Vec<Handler>, ReadError> {
    let mut handlers = Vec::with_capacity(columns.left(BEGIN.function));
    let mut before = 0;
    while columns.left(BEGIN.function) > 0 {
        let (function, point) = BEGIN.read(&mut columns, &mut before)?;
        handlers.push(Handler { function, point });
    }
    columns.finish()?;
    Ok(handlers)
}
