//! Section `PTRC`: whom calls through pointers may lead to. Not required: a reader without it knows less often whom such a call led to.

use super::bytes::number;
use super::columns::{Column, Columns, ColumnsOut};
use super::place::PlaceColumns;
use crate::error::ReadError;
use crate::{AddressTaken, PointerCall};

const TARGET: Column = Column(0);
const PARAMETERS: Column = Column(1);
const CALL: PlaceColumns = PlaceColumns {
    function: Column(2),
    point: Column(3),
};
const ARGUMENTS: Column = Column(4);

pub(crate) fn write_pointer_calls(columns: &mut ColumnsOut, taken: &[AddressTaken], calls: &[PointerCall]) {
    let mut before = 0;
    for each in taken {
        columns.at(TARGET).near32(before, number(each.function));
        columns.at(PARAMETERS).option(each.parameters.map(u32::from));
        before = number(each.function);
    }
    let mut before = 0;
    for call in calls {
        CALL.write(columns, &mut before, (call.function, call.point));
        columns.at(ARGUMENTS).byte(call.arguments);
    }
}

pub(crate) fn read_pointer_calls(
    mut columns: Columns<'_>,
) -> Result<(Vec<AddressTaken>, Vec<PointerCall>), ReadError> {
    let mut taken = Vec::with_capacity(columns.left(TARGET));
    let mut before = 0;
    while columns.left(TARGET) > 0 {
        let cursor = columns.at(TARGET);
        before = cursor.near32(before)?;
        let function = cursor.id(before)?;
        let cursor = columns.at(PARAMETERS);
        let parameters = cursor.option()?.map(u8::try_from).transpose();
        taken.push(AddressTaken {
            function,
            parameters: parameters
                .map_err(|_| cursor.malformed("a function has more parameters than calls pass"))?,
        });
    }
    let mut calls = Vec::with_capacity(columns.left(CALL.function));
    let mut before = 0;
    while columns.left(CALL.function) > 0 {
        let (function, point) = CALL.read(&mut columns, &mut before)?;
        calls.push(PointerCall {
            function,
            point,
            arguments: columns.at(ARGUMENTS).byte()?,
        });
    }
    columns.finish()?;
    Ok((taken, calls))
}
