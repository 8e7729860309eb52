//! Section `BTAI`: tail calls in machine code. Not required: without it any function may have made any of its last calls without leaving a frame.

use super::columns::{Column, Columns, ColumnsOut};
use crate::error::ReadError;
use crate::{TailJump, TailTarget};

const AT: Column = Column(0);
const KIND: Column = Column(1);
const TARGET: Column = Column(2);

const FUNCTION: u8 = 0;
const LINKED: u8 = 1;
const ANYWHERE: u8 = 2;

pub(crate) fn write_tail_jumps(columns: &mut ColumnsOut, jumps: &[TailJump]) {
    let mut before = 0;
    for jump in jumps {
        columns.at(AT).after64(before, jump.at);
        before = jump.at;
        let kind = match jump.to {
            TailTarget::Function(target) => {
                columns.at(TARGET).near64(jump.at, target);
                FUNCTION
            }
            TailTarget::Linked => LINKED,
            TailTarget::Anywhere => ANYWHERE,
        };
        columns.at(KIND).byte(kind);
    }
}

pub(crate) fn read_tail_jumps(mut columns: Columns<'_>) -> Result<Vec<TailJump>, ReadError> {
    let mut jumps = Vec::with_capacity(columns.left(AT));
    let mut at = 0;
    while columns.left(AT) > 0 {
        at = columns.at(AT).after64(at)?;
        let cursor = columns.at(KIND);
        let to = match cursor.byte()? {
            FUNCTION => TailTarget::Function(columns.at(TARGET).near64(at)?),
            LINKED => TailTarget::Linked,
            ANYWHERE => TailTarget::Anywhere,
            _ => return Err(cursor.malformed("unknown kind of jump")),
        };
        jumps.push(TailJump { at, to });
    }
    columns.finish()?;
    Ok(jumps)
}
