//! Section `BCOD`: the flow of the machine code. Not required: a reader without it orders less, and nothing wrongly.

use super::columns::{Column, Columns, ColumnsOut};
use crate::code::{
    CodeBlock, CodeCall, CodeWay, LeafCall, LocationChange, LocationEffect, MachineCode, MachineLocation,
};
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
const SLOT: Column = Column(11);
const COPIED_SLOT: Column = Column(12);
const CALLING: Column = Column(13);
const CALLEE: Column = Column(14);
const LEAF_CALLING: Column = Column(15);
const LEAF: Column = Column(16);
const COMMUNICATING: Column = Column(17);

const SET: u8 = 0;
const ADD: u8 = 1;
const ADD_HALF: u8 = 2;
const OTHER: u8 = 3;
/// Plus 1 if the lower half is, plus 2 if for any step.
const BOUNDED: u8 = 4;
const COPY: u8 = 8;
const COPY_HALF: u8 = 9;
const ADD_HELD: u8 = 10;
const ADD_HELD_HALF: u8 = 11;
const KNOWN: u8 = 12;
const KNOWN_HALF: u8 = 13;

/// Stands for a slot of the stack where a register's number would be.
const IS_SLOT: u8 = 0xff;

fn write_location(columns: &mut ColumnsOut, location: MachineLocation, (register, slot): (Column, Column)) {
    match location {
        MachineLocation::Register(number) => columns.at(register).byte(number),
        MachineLocation::Slot(offset) => {
            columns.at(register).byte(IS_SLOT);
            columns.at(slot).signed(i64::from(offset));
        }
    }
}

fn read_location(
    columns: &mut Columns<'_>,
    (register, slot): (Column, Column),
) -> Result<MachineLocation, ReadError> {
    match columns.at(register).byte()? {
        IS_SLOT => {
            let offset = columns.at(slot).signed()?;
            let offset = i32::try_from(offset);
            offset
                .map(MachineLocation::Slot)
                .map_err(|_| columns.at(slot).malformed("no frame has such a slot"))
        }
        number => Ok(MachineLocation::Register(number)),
    }
}

pub(crate) fn write_code(columns: &mut ColumnsOut, code: &MachineCode) {
    let mut address = 0;
    for (number, block) in (0u32..).zip(&code.blocks) {
        columns.at(START).after64(address, block.start);
        columns.at(LENGTH).after64(block.start, block.end);
        columns.at(FUNCTION).near32(number, block.function);
        address = block.end;
    }
    let communicating = (0u32..).zip(&code.blocks).filter(|(_, block)| block.communicates);
    let communicating = Vec::from_iter(communicating.map(|(number, _)| number));
    columns.at(COMMUNICATING).size(communicating.len());
    let mut before = 0;
    for number in communicating {
        columns.at(COMMUNICATING).after32(before, number);
        before = number;
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
        write_location(columns, change.location, (REGISTER, SLOT));
        let (kind, amount) = match change.effect {
            LocationEffect::Set(value) => (SET, Some(value)),
            LocationEffect::Add { step, half } => (if half { ADD_HALF } else { ADD }, Some(step)),
            LocationEffect::Other => (OTHER, None),
            LocationEffect::Copy { from, add, half } => {
                write_location(columns, from, (COPIED, COPIED_SLOT));
                (if half { COPY_HALF } else { COPY }, Some(add))
            }
            LocationEffect::AddHeld { from, half } => {
                write_location(columns, from, (COPIED, COPIED_SLOT));
                (if half { ADD_HELD_HALF } else { ADD_HELD }, None)
            }
            LocationEffect::Known { value, half } => (if half { KNOWN_HALF } else { KNOWN }, Some(value)),
            LocationEffect::Bounded { half, steps } => (BOUNDED + u8::from(half) + 2 * u8::from(steps), None),
        };
        columns.at(EFFECT).byte(kind);
        if let Some(amount) = amount {
            columns.at(AMOUNT).signed(amount);
        }
    }
    let mut block = 0;
    for call in &code.calls {
        columns.at(CALLING).after32(block, call.block);
        columns.at(CALLEE).near32(call.block, call.callee);
        block = call.block;
    }
    let (mut block, mut callee) = (0, 0);
    for call in &code.leaf_calls {
        columns.at(LEAF_CALLING).after32(block, call.block);
        columns.at(LEAF).near64(callee, call.callee);
        (block, callee) = (call.block, call.callee);
    }
}

/// Which blocks end in a call that may come to MPI. Of a map that does not say so, all may.
fn read_communicating(columns: &mut Columns<'_>, blocks: &mut [CodeBlock]) -> Result<(), ReadError> {
    if columns.left(COMMUNICATING) == 0 {
        blocks.iter_mut().for_each(|block| block.communicates = true);
        return Ok(());
    }
    let count = columns.count(COMMUNICATING, COMMUNICATING)?;
    let cursor = columns.at(COMMUNICATING);
    let mut number = 0;
    for _ in 0..count {
        number = cursor.after32(number)?;
        match blocks.get_mut(number as usize) {
            Some(block) => block.communicates = true,
            None => return Err(cursor.malformed("there is no block of this number")),
        }
    }
    Ok(())
}

pub(crate) fn read_code(mut columns: Columns<'_>) -> Result<MachineCode, ReadError> {
    let mut code = MachineCode {
        blocks: Vec::with_capacity(columns.left(START)),
        ways: Vec::with_capacity(columns.left(FROM)),
        changes: Vec::with_capacity(columns.left(CHANGED_BLOCK)),
        calls: Vec::with_capacity(columns.left(CALLING)),
        leaf_calls: Vec::with_capacity(columns.left(LEAF_CALLING)),
    };
    let mut address = 0;
    let mut number = 0;
    while columns.left(START) > 0 {
        let start = columns.at(START).after64(address)?;
        let end = columns.at(LENGTH).after64(start)?;
        let function = columns.at(FUNCTION).near32(number)?;
        code.blocks.push(CodeBlock {
            start,
            end,
            function,
            communicates: false,
        });
        (address, number) = (end, number + 1);
    }
    read_communicating(&mut columns, &mut code.blocks)?;
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
        let location = read_location(&mut columns, (REGISTER, SLOT))?;
        let effect = read_effect(&mut columns)?;
        code.changes.push(LocationChange {
            block,
            location,
            effect,
        });
    }
    let mut block = 0;
    while columns.left(CALLING) > 0 {
        block = columns.at(CALLING).after32(block)?;
        let callee = columns.at(CALLEE).near32(block)?;
        code.calls.push(CodeCall { block, callee });
    }
    let (mut block, mut callee) = (0, 0);
    while columns.left(LEAF_CALLING) > 0 {
        block = columns.at(LEAF_CALLING).after32(block)?;
        callee = columns.at(LEAF).near64(callee)?;
        code.leaf_calls.push(LeafCall { block, callee });
    }
    columns.finish()?;
    Ok(code)
}

fn read_effect(columns: &mut Columns<'_>) -> Result<LocationEffect, ReadError> {
    let kind = columns.at(EFFECT).byte()?;
    Ok(match kind {
        SET => LocationEffect::Set(columns.at(AMOUNT).signed()?),
        ADD | ADD_HALF => LocationEffect::Add {
            step: columns.at(AMOUNT).signed()?,
            half: kind == ADD_HALF,
        },
        OTHER => LocationEffect::Other,
        4..=7 => LocationEffect::Bounded {
            half: (kind - BOUNDED) & 1 != 0,
            steps: (kind - BOUNDED) & 2 != 0,
        },
        COPY | COPY_HALF => LocationEffect::Copy {
            from: read_location(columns, (COPIED, COPIED_SLOT))?,
            add: columns.at(AMOUNT).signed()?,
            half: kind == COPY_HALF,
        },
        ADD_HELD | ADD_HELD_HALF => LocationEffect::AddHeld {
            from: read_location(columns, (COPIED, COPIED_SLOT))?,
            half: kind == ADD_HELD_HALF,
        },
        KNOWN | KNOWN_HALF => LocationEffect::Known {
            value: columns.at(AMOUNT).signed()?,
            half: kind == KNOWN_HALF,
        },
        _ => {
            return Err(columns
                .at(EFFECT)
                .malformed("there is no such effect on a register"));
        }
    })
}
