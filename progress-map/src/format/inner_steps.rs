//! Section `STEP`: where in a callee a step is made. Not required: a reader without it takes both sides of the call for possible.

use super::columns::{Column, Columns, ColumnsOut};
use super::place::PlaceColumns;
use crate::InnerStep;
use crate::error::ReadError;

const CALL: PlaceColumns = PlaceColumns {
    function: Column(0),
    point: Column(1),
};
const STEP: PlaceColumns = PlaceColumns {
    function: Column(2),
    point: Column(3),
};

pub(crate) fn write_inner_steps(out: &mut ColumnsOut, steps: &[InnerStep]) {
    let (mut function, mut callee) = (0, 0);
    for step in steps {
        CALL.write(out, &mut function, (step.function, step.point));
        STEP.write(out, &mut callee, (step.callee, step.at));
    }
}

pub(crate) fn read_inner_steps(mut columns: Columns<'_>) -> Result<Vec<InnerStep>, ReadError> {
    let mut steps = Vec::with_capacity(columns.left(CALL.function));
    let (mut before, mut before_callee) = (0, 0);
    while columns.left(CALL.function) > 0 {
        let (function, point) = CALL.read(&mut columns, &mut before)?;
        let (callee, at) = STEP.read(&mut columns, &mut before_callee)?;
        steps.push(InnerStep {
            function,
            point,
            callee,
            at,
        });
    }
    columns.finish()?;
    Ok(steps)
}
