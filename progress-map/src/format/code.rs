//! Section `BCOD`: the flow of the machine code. Not required: a reader without it orders less, and nothing wrongly.

use super::columns::{Column, Columns, ColumnsOut};
use crate::code::{CodeBlock, CodeWay, MachineCode, RegisterChange, RegisterEffect};
use crate::error::ReadError;

const START: Column = Column(0);
const LENGTH: Column = Column(1);
const FUNCTION: Column = Column(2);
const FROM: Column = Column(3);
const TO: Column = Column(4);
const CERTAIN: Column = Column(5);
const CHANGED_BLOCK: Column = Column(6);
const REGISTER: Column = Column(7);
const EFFECT: Column = Column(8);
const AMOUNT: Column = Column(9);
const COPIED: Column = Column(10);

const SET: u8 = 0;
const ADD: u8 = 1;
const ADD_HALF: u8 = 2;
const OTHER: u8 = 3;
/// Plus 1 if the lower half is, plus 2 if for any step.
const BOUNDED: u8 = 4;
const COPY: u8 = 8;
const COPY_HALF: u8 = 9;

pub(crate) fn write_code(columns: &mut ColumnsOut, code: &MachineCode) {
    let mut address = 0;
    for (number, block) in (0u32..).zip(&code.blocks) {
        columns.at(START).after64(address, block.start);
        columns.at(LENGTH).after64(block.start, block.end);
        columns.at(FUNCTION).near32(number, block.function);
        address = block.end;
    }
    let mut from = 0;
    for way in &code.ways {
        columns.at(FROM).after32(from, way.from);
        columns.at(TO).near32(way.from, way.to);
        columns.at(CERTAIN).byte(u8::from(way.certain));
        from = way.from;
    }
    let mut block = 0;
    for change in &code.changes {
        columns.at(CHANGED_BLOCK).after32(block, change.block);
        block = change.block;
        columns.at(REGISTER).byte(change.register);
        let (kind, amount) = match change.effect {
            RegisterEffect::Set(value) => (SET, Some(value)),
            RegisterEffect::Add { step, half } => (if half { ADD_HALF } else { ADD }, Some(step)),
            RegisterEffect::Other => (OTHER, None),
            RegisterEffect::Copy { from, add, half } => {
                columns.at(COPIED).byte(from);
                (if half { COPY_HALF } else { COPY }, Some(add))
            }
            RegisterEffect::Bounded { half, steps } => (BOUNDED + u8::from(half) + 2 * u8::from(steps), None),
        };
        columns.at(EFFECT).byte(kind);
        if let Some(amount) = amount {
            columns.at(AMOUNT).signed(amount);
        }
    }
}

pub(crate) fn read_code(mut columns: Columns<'_>) -> Result<MachineCode, ReadError> {
    let mut code = MachineCode {
        blocks: Vec::with_capacity(columns.left(START)),
        ways: Vec::with_capacity(columns.left(FROM)),
        changes: Vec::with_capacity(columns.left(CHANGED_BLOCK)),
    };
    let mut address = 0;
    let mut number = 0;
    while columns.left(START) > 0 {
        let start = columns.at(START).after64(address)?;
        let end = columns.at(LENGTH).after64(start)?;
        let function = columns.at(FUNCTION).near32(number)?;
        code.blocks.push(CodeBlock { start, end, function });
        (address, number) = (end, number + 1);
    }
    let mut from = 0;
    while columns.left(FROM) > 0 {
        from = columns.at(FROM).after32(from)?;
        let to = columns.at(TO).near32(from)?;
        let certain = columns.at(CERTAIN).byte()? != 0;
        code.ways.push(CodeWay { from, to, certain });
    }
    let mut block = 0;
    while columns.left(CHANGED_BLOCK) > 0 {
        block = columns.at(CHANGED_BLOCK).after32(block)?;
        let register = columns.at(REGISTER).byte()?;
        let kind = columns.at(EFFECT).byte()?;
        let effect = match kind {
            SET => RegisterEffect::Set(columns.at(AMOUNT).signed()?),
            ADD | ADD_HALF => RegisterEffect::Add {
                step: columns.at(AMOUNT).signed()?,
                half: kind == ADD_HALF,
            },
            OTHER => RegisterEffect::Other,
            4..=7 => RegisterEffect::Bounded {
                half: (kind - BOUNDED) & 1 != 0,
                steps: (kind - BOUNDED) & 2 != 0,
            },
            COPY | COPY_HALF => RegisterEffect::Copy {
                from: columns.at(COPIED).byte()?,
                add: columns.at(AMOUNT).signed()?,
                half: kind == COPY_HALF,
            },
            _ => {
                return Err(columns
                    .at(EFFECT)
                    .malformed("there is no such effect on a register"));
            }
        };
        code.changes.push(RegisterChange {
            block,
            register,
            effect,
        });
    }
    columns.finish()?;
    Ok(code)
}
