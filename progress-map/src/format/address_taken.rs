//! Section `TAKN`: functions whose address is taken. Not required: a reader without it knows less often whom a call through a pointer led to.

use super::bytes::number;
use super::columns::{Column, Columns, ColumnsOut};
use crate::FunctionId;
use crate::error::ReadError;

const FUNCTION: Column = Column(0);

pub(crate) fn write_address_taken(columns: &mut ColumnsOut, functions: &[FunctionId]) {
    let mut before = 0;
    for &function in functions {
        columns.at(FUNCTION).near32(before, number(function));
        before = number(function);
    }
}

pub(crate) fn read_address_taken(mut columns: Columns<'_>) -> Result<Vec<FunctionId>, ReadError> {
    let mut functions = Vec::with_capacity(columns.left(FUNCTION));
    let mut before = 0;
    while columns.left(FUNCTION) > 0 {
        let cursor = columns.at(FUNCTION);
        before = cursor.near32(before)?;
        functions.push(cursor.id(before)?);
    }
    columns.finish()?;
    Ok(functions)
}
