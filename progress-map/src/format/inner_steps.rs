//! Section `STEP`: where in a callee a step is made. Not required: a reader without it takes both sides of the call for possible.

use super::bytes::number;
use super::columns::{Column, Columns, ColumnsOut};
use crate::InnerStep;
use crate::error::ReadError;

const FUNCTION: Column = Column(0);
const POINT: Column = Column(1);
const CALLEE: Column = Column(2);
const AT: Column = Column(3);

pub(crate) fn write_inner_steps(out: &mut ColumnsOut, steps: &[InnerStep]) {
    let (mut function, mut callee) = (0, 0);
    for step in steps {
        out.at(FUNCTION).near32(function, number(step.function));
        function = number(step.function);
        out.at(POINT).unsigned(u64::from(number(step.point)));
        out.at(CALLEE).near32(callee, number(step.callee));
        callee = number(step.callee);
        out.at(AT).unsigned(u64::from(number(step.at)));
    }
}

pub(crate) fn read_inner_steps(mut columns: Columns<'_>) -> Result<Vec<InnerStep>, ReadError> {
    let mut steps = Vec::with_capacity(columns.left(FUNCTION));
    let (mut function, mut callee) = (0, 0);
    while columns.left(FUNCTION) > 0 {
        let cursor = columns.at(FUNCTION);
        function = cursor.near32(function)?;
        let caller = cursor.id(function)?;
        let cursor = columns.at(POINT);
        let number = cursor.u32()?;
        let point = cursor.id(number)?;
        let cursor = columns.at(CALLEE);
        callee = cursor.near32(callee)?;
        let called = cursor.id(callee)?;
        let cursor = columns.at(AT);
        let number = cursor.u32()?;
        steps.push(InnerStep {
            function: caller,
            point,
            callee: called,
            at: cursor.id(number)?,
        });
    }
    columns.finish()?;
    Ok(steps)
}
