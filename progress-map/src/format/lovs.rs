//! Section `BODY`: the order variables of a loop.

use super::bytes::number;
use super::columns::Column;
use super::grounds::{read_grounds, write_grounds};
use super::refusals::Reasons;
use super::storage::{read_storage, write_storage};
use super::strings::{Sink, Source};
use crate::error::ReadError;
use crate::{Across, Assumption, Cut, Direction, Function, Growth, Lov, LovClass, Term, TermOp};
use base::Span;

const NAME: Column = Column(29);
pub(super) const TRAITS: Column = Column(30);
const UPDATES: Column = Column(34);
const UPDATE: Column = Column(35);
const CUT: Column = Column(36);
const OFFSET_POINT: Column = Column(37);
const OFFSET: Column = Column(38);
const PER_ITERATION: Column = Column(39);
const TERM: Column = Column(40);
const CONSTANT: Column = Column(41);
const FLOAT: Column = Column(42);
const TERM_NAME: Column = Column(43);
const UNSIGNED_BITS: Column = Column(57);

pub(super) fn write_lov<'a>(
    sink: &mut Sink<'a, '_>,
    function: &Function,
    header: u32,
    reasons: &mut Reasons,
    lov: &'a Lov,
) {
    sink.text(NAME, &lov.name);
    sink.columns.at(TRAITS).byte(traits(lov));
    write_grounds(sink, reasons, &lov.grounds);
    write_storage(sink, function.span.line, &lov.name, &lov.storage);
    let out = &mut sink.columns;
    out.at(UPDATES).size(lov.updates.len());
    let mut before = header;
    for update in &lov.updates {
        out.at(UPDATE).near32(before, number(*update));
        before = number(*update);
    }
    match &lov.cut {
        Cut::Updates => out.at(CUT).byte(0),
        Cut::Header {
            offsets,
            per_iteration,
        } => {
            out.at(CUT).size(offsets.len() + 1);
            let mut before = header;
            for (point, offset) in offsets {
                out.at(OFFSET_POINT).near32(before, number(*point));
                out.at(OFFSET).signed(*offset);
                before = number(*point);
            }
            out.at(PER_ITERATION).signed(*per_iteration);
        }
    }
    for term in [&lov.step, &lov.start] {
        write_term(sink, function.span, term.as_ref());
    }
    sink.columns
        .at(UNSIGNED_BITS)
        .byte(lov.unsigned_bits.unwrap_or(0));
}

pub(super) fn read_lov(
    source: &mut Source<'_, '_>,
    function: Span,
    header: u32,
    reasons: &mut Reasons,
) -> Result<Lov, ReadError> {
    let name = source.text(NAME)?;
    let traits = source.columns.at(TRAITS).byte()?;
    let grounds = read_grounds(source, reasons)?;
    let storage = read_storage(source, function.line, &name)?;
    let columns = &mut source.columns;
    let count = columns.count(UPDATES, UPDATE)?;
    let mut updates = Vec::with_capacity(count);
    let mut before = header;
    for _ in 0..count {
        before = columns.at(UPDATE).near32(before)?;
        updates.push(columns.at(UPDATE).id(before)?);
    }
    let most = columns.left(OFFSET) + 1;
    let cut = match columns.at(CUT).count(most)?.checked_sub(1) {
        None => Cut::Updates,
        Some(count) => {
            let mut offsets = Vec::with_capacity(count);
            let mut before = header;
            for _ in 0..count {
                before = columns.at(OFFSET_POINT).near32(before)?;
                let point = columns.at(OFFSET_POINT).id(before)?;
                offsets.push((point, columns.at(OFFSET).signed()?));
            }
            let per_iteration = columns.at(PER_ITERATION).signed()?;
            Cut::Header {
                offsets,
                per_iteration,
            }
        }
    };
    let (class, direction, growth, across, assumption) = from_traits(traits).ok_or_else(|| {
        source
            .columns
            .at(TRAITS)
            .malformed("no such traits of a variable")
    })?;
    let step = read_term(source, function, 0)?;
    let start = read_term(source, function, 0)?;
    let unsigned_bits = match source.columns.at(UNSIGNED_BITS).byte()? {
        0 => None,
        bits @ 1..=64 => Some(bits),
        _ => {
            let column = source.columns.at(UNSIGNED_BITS);
            return Err(column.malformed("an integer of more than 64 bits"));
        }
    };
    Ok(Lov {
        name,
        storage,
        class,
        direction,
        growth,
        across,
        assumption,
        grounds,
        cut,
        updates,
        step,
        start,
        unsigned_bits,
    })
}

/// Five small codes in one byte. They depend on each other so much that together they take hardly more room than one.
fn traits(lov: &Lov) -> u8 {
    let class = match lov.class {
        LovClass::Strict => 0,
        LovClass::Weak => 1,
    };
    let direction = match lov.direction {
        Direction::Up => 0,
        Direction::Down => 1,
        Direction::SignOfStep => 2,
    };
    let growth = match lov.growth {
        Growth::Additive => 0,
        Growth::Multiplicative => 1,
        Growth::Floating => 2,
    };
    let across = match lov.across {
        Across::SameSequence => 0,
        Across::Relative => 1,
        Across::Nothing => 2,
    };
    let assumption = match lov.assumption {
        Assumption::Proven => 0,
        Assumption::Assumed => 1,
        Assumption::RankDependent => 2,
    };
    class + 2 * (direction + 3 * (growth + 3 * (across + 3 * assumption)))
}

type Traits = (LovClass, Direction, Growth, Across, Assumption);

fn from_traits(byte: u8) -> Option<Traits> {
    let class = [LovClass::Strict, LovClass::Weak][usize::from(byte % 2)];
    let mut rest = byte / 2;
    let mut next = || {
        let digit = usize::from(rest % 3);
        rest /= 3;
        digit
    };
    let direction = [Direction::Up, Direction::Down, Direction::SignOfStep][next()];
    let growth = [Growth::Additive, Growth::Multiplicative, Growth::Floating][next()];
    let across = [Across::SameSequence, Across::Relative, Across::Nothing][next()];
    let assumption = [Assumption::Proven, Assumption::Assumed, Assumption::RankDependent][next()];
    (rest == 0).then_some((class, direction, growth, across, assumption))
}

const TERM_NONE: u8 = 0;
const TERM_CONSTANT: u8 = 1;
const TERM_FLOAT: u8 = 2;
const TERM_VARIABLE: u8 = 3;
const TERM_NEGATED: u8 = 4;
/// The first of five: the operators in the order of [`OPERATORS`].
const TERM_ARITHMETIC: u8 = 5;

const OPERATORS: [TermOp; 5] = [TermOp::Add, TermOp::Sub, TermOp::Mul, TermOp::Div, TermOp::Rem];

/// A term stands before its operands.
pub(super) fn write_term<'a>(sink: &mut Sink<'a, '_>, function: Span, term: Option<&'a Term>) {
    if let Some(Term::Arithmetic { op, operands }) = term {
        let number = OPERATORS.iter().position(|each| each == op).unwrap_or_default();
        sink.columns.at(TERM).byte(TERM_ARITHMETIC + number as u8);
        for operand in operands.iter() {
            write_term(sink, function, Some(operand));
        }
        return;
    }
    let code = match term {
        None | Some(Term::Arithmetic { .. }) => TERM_NONE,
        Some(Term::Constant(value)) => {
            sink.columns.at(CONSTANT).signed(*value);
            TERM_CONSTANT
        }
        Some(Term::Float(value)) => {
            sink.columns.at(FLOAT).bytes(&value.to_bits().to_le_bytes());
            TERM_FLOAT
        }
        Some(Term::Variable {
            name,
            storage,
            negated,
        }) => {
            sink.text(TERM_NAME, name);
            write_storage(sink, function.line, name, storage);
            if *negated { TERM_NEGATED } else { TERM_VARIABLE }
        }
    };
    sink.columns.at(TERM).byte(code);
}

pub(super) fn read_term(
    source: &mut Source<'_, '_>,
    function: Span,
    depth: usize,
) -> Result<Option<Term>, ReadError> {
    let code = source.columns.at(TERM).byte()?;
    Ok(match code {
        TERM_NONE => None,
        TERM_CONSTANT => Some(Term::Constant(source.columns.at(CONSTANT).signed()?)),
        TERM_FLOAT => {
            let mut bits = [0; 8];
            bits.copy_from_slice(source.columns.at(FLOAT).take(8)?);
            Some(Term::Float(f64::from_bits(u64::from_le_bytes(bits))))
        }
        TERM_VARIABLE | TERM_NEGATED => {
            let name = source.text(TERM_NAME)?;
            let storage = read_storage(source, function.line, &name)?;
            Some(Term::Variable {
                name,
                storage,
                negated: code == TERM_NEGATED,
            })
        }
        _ => {
            let operator = OPERATORS.get(usize::from(code - TERM_ARITHMETIC));
            let Some(&op) = operator.filter(|_| depth < Term::MAX_DEPTH) else {
                return Err(source.columns.at(TERM).malformed("no such kind of term"));
            };
            let mut operand = || {
                read_term(source, function, depth + 1)?
                    .ok_or_else(|| source.columns.at(TERM).malformed("an operand is missing"))
            };
            Some(Term::Arithmetic {
                op,
                operands: Box::new([operand()?, operand()?]),
            })
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traits_are_a_number_below_162() {
        let mut lov = crate::generate::lov("i");
        for byte in 0..162 {
            let (class, direction, growth, across, assumption) = from_traits(byte).unwrap();
            (lov.class, lov.direction, lov.growth) = (class, direction, growth);
            (lov.across, lov.assumption) = (across, assumption);
            assert_eq!(traits(&lov), byte);
        }
        assert!((162..=255).all(|byte| from_traits(byte).is_none()));
    }
}
