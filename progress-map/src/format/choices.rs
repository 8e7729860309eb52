//! Section `CHOI`: code of which every build holds one part. Not required: a reader without it orders less, and nothing wrongly.

use super::bytes::number;
use super::columns::{Column, Columns, ColumnsOut};
use crate::error::ReadError;
use crate::{Choice, FunctionId};

const FUNCTION: Column = Column(0);
const COUNT: Column = Column(1);
const FIRST: Column = Column(2);
const LENGTH: Column = Column(3);

pub(crate) fn write_choices(out: &mut ColumnsOut, choices: &[Choice]) {
    let (mut function, mut first) = (0, 0);
    for choice in choices {
        if number(choice.function) != function {
            first = 0;
        }
        out.at(FUNCTION).near32(function, number(choice.function));
        function = number(choice.function);
        out.at(COUNT).size(choice.bounds.len());
        let mut before = first;
        for (index, &bound) in choice.bounds.iter().enumerate() {
            let column = if index == 0 { FIRST } else { LENGTH };
            out.at(column).near32(before, number(bound));
            before = number(bound);
            if index == 0 {
                first = before;
            }
        }
    }
}

pub(crate) fn read_choices(mut columns: Columns<'_>) -> Result<Vec<Choice>, ReadError> {
    let mut choices = Vec::with_capacity(columns.left(FUNCTION));
    let (mut function, mut first) = (0, 0);
    while columns.left(FUNCTION) > 0 {
        let cursor = columns.at(FUNCTION);
        let next = cursor.near32(function)?;
        let id: FunctionId = cursor.id(next)?;
        if next != function {
            first = 0;
        }
        function = next;
        let left = columns.left(FIRST) + columns.left(LENGTH);
        let count = columns.at(COUNT).count(left)?;
        let mut bounds = Vec::with_capacity(count);
        let mut before = first;
        for index in 0..count {
            let cursor = columns.at(if index == 0 { FIRST } else { LENGTH });
            before = cursor.near32(before)?;
            bounds.push(cursor.id(before)?);
            if index == 0 {
                first = before;
            }
        }
        choices.push(Choice { function: id, bounds });
    }
    columns.finish()?;
    Ok(choices)
}
