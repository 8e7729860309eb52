//! How the storage of a variable is written: the base, then the steps from it, so that nothing recurses.

use super::columns::Column;
use super::strings::{Sink, Source};
use crate::error::ReadError;
use crate::{RangePart, Storage};

const SHAPE: Column = Column(44);
const NAME: Column = Column(45);
const LINE: Column = Column(46);
const STEP: Column = Column(47);
const MEMBER: Column = Column(48);

/// Most variables are plain ones that are called as they are listed.
const SHAPE_PLAIN_LOCAL: u64 = 0;
const SHAPE_PLAIN_GLOBAL: u64 = 1;
/// All others: this plus twice the number of steps, plus one for a global base.
const SHAPE_GENERAL: u64 = 2;

const STEP_POINTEE: u8 = 0;
const STEP_MEMBER: u8 = 1;
const STEP_ARROW: u8 = 2;
/// From the variable of a loop over a range; no other step leads to it.
const STEP_INDEX: u8 = 3;
const STEP_POSITION: u8 = 4;

/// More steps are refused: dropping or printing a [`Storage`] goes as deep as it nests.
pub(crate) const MAX_STEPS: usize = 64;

/// `listed` is the name under which the variable is listed, `line` the function's first.
pub(crate) fn write_storage<'a>(sink: &mut Sink<'a, '_>, line: u32, listed: &str, storage: &'a Storage) {
    let mut steps = Vec::new();
    let mut base = storage;
    let (global, name) = loop {
        match base {
            Storage::Member {
                base: inner,
                member,
                arrow,
            } => {
                let step = if *arrow { STEP_ARROW } else { STEP_MEMBER };
                steps.push((step, Some(member)));
                base = inner;
            }
            Storage::Pointee(inner) => {
                steps.push((STEP_POINTEE, None));
                base = inner;
            }
            Storage::Global { name } => break (true, name),
            Storage::Range {
                variable,
                line: declared,
                part,
            } => {
                let step = match part {
                    RangePart::Index => STEP_INDEX,
                    RangePart::Position => STEP_POSITION,
                };
                steps.push((step, None));
                sink.columns.at(LINE).near32(line, *declared);
                break (false, variable);
            }
            Storage::Local { name, line: declared } => {
                sink.columns.at(LINE).near32(line, *declared);
                break (false, name);
            }
        }
    };
    if steps.is_empty() && name == listed {
        let shape = if global {
            SHAPE_PLAIN_GLOBAL
        } else {
            SHAPE_PLAIN_LOCAL
        };
        sink.columns.at(SHAPE).unsigned(shape);
        return;
    }
    let shape = SHAPE_GENERAL + 2 * steps.len() as u64 + u64::from(global);
    sink.columns.at(SHAPE).unsigned(shape);
    sink.text(NAME, name);
    for (step, member) in steps.into_iter().rev() {
        sink.columns.at(STEP).byte(step);
        if let Some(member) = member {
            sink.text(MEMBER, member);
        }
    }
}

pub(crate) fn read_storage(
    source: &mut Source<'_, '_>,
    line: u32,
    listed: &str,
) -> Result<Storage, ReadError> {
    let cursor = source.columns.at(SHAPE);
    let shape = cursor.unsigned()?;
    let steps = shape.saturating_sub(SHAPE_GENERAL) / 2;
    if steps > MAX_STEPS as u64 {
        return Err(cursor.malformed("a variable is too many steps from its base"));
    }
    let name = if shape < SHAPE_GENERAL {
        let cursor = source.columns.at(SHAPE);
        source.budget.take(cursor.section(), listed.len())?;
        listed.to_owned()
    } else {
        source.text(NAME)?
    };
    let mut storage = if shape % 2 == 1 {
        Storage::Global { name }
    } else {
        let line = source.columns.at(LINE).near32(line)?;
        Storage::Local { name, line }
    };
    for _ in 0..steps {
        let step = source.columns.at(STEP).byte()?;
        storage = match (step, storage) {
            (STEP_INDEX | STEP_POSITION, Storage::Local { name, line }) => Storage::Range {
                variable: name,
                line,
                part: match step {
                    STEP_INDEX => RangePart::Index,
                    _ => RangePart::Position,
                },
            },
            (_, Storage::Range { .. }) => {
                return Err(source
                    .columns
                    .at(STEP)
                    .malformed("a step leads on from where a loop stands"));
            }
            (STEP_POINTEE, storage) => Storage::Pointee(Box::new(storage)),
            (STEP_MEMBER | STEP_ARROW, storage) => Storage::Member {
                base: Box::new(storage),
                member: source.text(MEMBER)?,
                arrow: step == STEP_ARROW,
            },
            _ => return Err(source.columns.at(STEP).malformed("no such step to a variable")),
        };
    }
    Ok(storage)
}
