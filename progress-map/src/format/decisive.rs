//! Section `DECI`: calls whose result decides whether others follow. Not required: a reader without it orders less, and nothing wrongly.

use super::bytes::number;
use super::columns::{Column, Columns, ColumnsOut};
use super::place::PlaceColumns;
use crate::DecisiveCall;
use crate::error::ReadError;

const CALL: PlaceColumns = PlaceColumns {
    function: Column(0),
    point: Column(1),
};
const COUNT: Column = Column(2);
const FOLLOW: Column = Column(3);

pub(crate) fn write_decisive(out: &mut ColumnsOut, calls: &[DecisiveCall]) {
    let mut function = 0;
    for call in calls {
        CALL.write(out, &mut function, (call.function, call.point));
        out.at(COUNT).size(call.follow.len());
        let mut before = number(call.point);
        for &point in &call.follow {
            out.at(FOLLOW).near32(before, number(point));
            before = number(point);
        }
    }
}

pub(crate) fn read_decisive(mut columns: Columns<'_>) -> Result<Vec<DecisiveCall>, ReadError> {
    let mut calls = Vec::with_capacity(columns.left(CALL.function));
    let mut before = 0;
    while columns.left(CALL.function) > 0 {
        let (function, point) = CALL.read(&mut columns, &mut before)?;
        let left = columns.left(FOLLOW);
        let count = columns.at(COUNT).count(left)?;
        let mut follow = Vec::with_capacity(count);
        let mut last = number(point);
        for _ in 0..count {
            let cursor = columns.at(FOLLOW);
            last = cursor.near32(last)?;
            follow.push(cursor.id(last)?);
        }
        calls.push(DecisiveCall {
            function,
            point,
            follow,
        });
    }
    columns.finish()?;
    Ok(calls)
}
