//! Section `DECI`: calls whose result decides whether others follow. Not required: a reader without it orders less, and nothing wrongly.

use super::bytes::number;
use super::columns::{Column, Columns, ColumnsOut};
use crate::error::ReadError;
use crate::{DecisiveCall, FunctionId};

const FUNCTION: Column = Column(0);
const POINT: Column = Column(1);
const COUNT: Column = Column(2);
const FOLLOW: Column = Column(3);

pub(crate) fn write_decisive(out: &mut ColumnsOut, calls: &[DecisiveCall]) {
    let mut function = 0;
    for call in calls {
        out.at(FUNCTION).near32(function, number(call.function));
        function = number(call.function);
        out.at(POINT).unsigned(u64::from(number(call.point)));
        out.at(COUNT).size(call.follow.len());
        let mut before = number(call.point);
        for &point in &call.follow {
            out.at(FOLLOW).near32(before, number(point));
            before = number(point);
        }
    }
}

pub(crate) fn read_decisive(mut columns: Columns<'_>) -> Result<Vec<DecisiveCall>, ReadError> {
    let mut calls = Vec::with_capacity(columns.left(FUNCTION));
    let mut before = 0;
    while columns.left(FUNCTION) > 0 {
        let cursor = columns.at(FUNCTION);
        before = cursor.near32(before)?;
        let function: FunctionId = cursor.id(before)?;
        let cursor = columns.at(POINT);
        let number = cursor.u32()?;
        let point = cursor.id(number)?;
        let left = columns.left(FOLLOW);
        let count = columns.at(COUNT).count(left)?;
        let mut follow = Vec::with_capacity(count);
        let mut last = number;
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
