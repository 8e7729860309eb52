//! Section `CNST`: constants that calls pass. Not required: a reader that binds a map without it takes more calls for joined.

use super::bytes::number;
use super::columns::{Column, Columns, ColumnsOut};
use crate::PassedConstant;
use crate::error::ReadError;

const FUNCTION: Column = Column(0);
const POINT: Column = Column(1);
const REGISTER: Column = Column(2);
const VALUE: Column = Column(3);

pub(crate) fn write_passed_constants(columns: &mut ColumnsOut, constants: &[PassedConstant]) {
    let mut before = 0;
    for each in constants {
        columns.at(FUNCTION).near32(before, number(each.function));
        columns.at(POINT).unsigned(u64::from(number(each.point)));
        columns.at(REGISTER).byte(each.register);
        columns.at(VALUE).signed(i64::from(each.value));
        before = number(each.function);
    }
}

pub(crate) fn read_passed_constants(mut columns: Columns<'_>) -> Result<Vec<PassedConstant>, ReadError> {
    let mut constants = Vec::with_capacity(columns.left(FUNCTION));
    let mut before = 0;
    while columns.left(FUNCTION) > 0 {
        let cursor = columns.at(FUNCTION);
        before = cursor.near32(before)?;
        let function = cursor.id(before)?;
        let cursor = columns.at(POINT);
        let point = cursor.u32()?;
        let point = cursor.id(point)?;
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
