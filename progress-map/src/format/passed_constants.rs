//! Section `CNST`: constants that calls pass. Not required: a reader that binds a map without it takes more calls for joined.

use super::columns::{Column, Columns, ColumnsOut};
use super::place::PlaceColumns;
use crate::PassedConstant;
use crate::error::ReadError;

const CALL: PlaceColumns = PlaceColumns {
    function: Column(0),
    point: Column(1),
};
const REGISTER: Column = Column(2);
const VALUE: Column = Column(3);

pub(crate) fn write_passed_constants(columns: &mut ColumnsOut, constants: &[PassedConstant]) {
    let mut before = 0;
    for each in constants {
        CALL.write(columns, &mut before, (each.function, each.point));
        columns.at(REGISTER).byte(each.register);
        columns.at(VALUE).signed(i64::from(each.value));
    }
}

pub(crate) fn read_passed_constants(mut columns: Columns<'_>) -> Result<Vec<PassedConstant>, ReadError> {
    let mut constants = Vec::with_capacity(columns.left(CALL.function));
    let mut before = 0;
    while columns.left(CALL.function) > 0 {
        let (function, point) = CALL.read(&mut columns, &mut before)?;
        let register = columns.at(REGISTER).byte()?;
        let cursor = columns.at(VALUE);
        let value = i32::try_from(cursor.signed()?);
        constants.push(PassedConstant {
            function,
            point,
            register,
            value: value.map_err(|_| cursor.malformed("a constant of more than 32 bits"))?,
        });
    }
    columns.finish()?;
    Ok(constants)
}
