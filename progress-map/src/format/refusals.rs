//! Section `BODY`: why a candidate does not order its loop, and how variables may change unseen.
//!
//! A code, then what the code needs: a line, a number, a term, names. [`PATH`] is followed by another code, of what may change the path.

use super::bytes::place;
use super::columns::Column;
use super::lovs::{read_term, write_term};
use super::strings::{Sink, Source};
use crate::error::ReadError;
use crate::{Interference, Outsider, Refusal};
use base::{Cause, Doubt, Span};

/// Column 33 had sentences in version 1.
pub(super) const CODE: Column = Column(61);
const LINE: Column = Column(58);
const VALUE: Column = Column(59);
pub(super) const NAME: Column = Column(60);

const DIVIDED: u8 = 0;
const UNKNOWN_STEP: u8 = 1;
const FRACTION_ADDED: u8 = 2;
const STEP_TOO_LARGE: u8 = 3;
const STEP_MAY_BE_TOO_LARGE: u8 = 4;
const MOVES_BOTH_WAYS: u8 = 5;
const STEPS_CANCEL_OUT: u8 = 6;
const DIRECTION_UNKNOWN: u8 = 7;
const ADDED_AND_MULTIPLIED: u8 = 8;
const START_NOT_POSITIVE: u8 = 9;
const GROWS_WITHOUT_BOUND: u8 = 10;
const STANDS_AT_ZERO: u8 = 11;
const WRAPS_AROUND: u8 = 12;
const READ_IN_PART: u8 = 13;

const NO_VARIABLE: u8 = 32;
const THROUGH_POINTER: u8 = 33;
const STATIC: u8 = 34;
const ADDRESS_TAKEN: u8 = 35;
const MEMBER_ADDRESS_TAKEN: u8 = 36;
const UNION: u8 = 37;
const ROOT_THROUGH_POINTER: u8 = 38;
const OTHER_PATH: u8 = 39;
const PATH_ASSIGNED: u8 = 40;
const POINTER_WRITE: u8 = 41;
const HIDDEN: u8 = 42;
const UNSEQUENCED: u8 = 43;
const IN_LOOP: u8 = 44;
const ON_THE_WAY: u8 = 45;
const SET_BY_CALL: u8 = 46;
const BY_FUNCTION: u8 = 47;
const WRITTEN_OVER: u8 = 48;
const BY_MACRO: u8 = 49;
const UNMAPPED: u8 = 50;
const CALLS_BACK: u8 = 51;
const PROMISED: u8 = 52;
const UNMAPPED_LEAVES: u8 = 53;
const RANGE_KEPT: u8 = 54;

const PATH: u8 = 55;

/// More levels of paths are refused: dropping or printing an [`Interference`] goes as deep as it nests. The analysis makes one.
const MAX_PATHS: usize = 4;

/// An outsider that has no name is written as the empty one.
fn name_of(outsider: &Outsider) -> &str {
    match outsider {
        Outsider::Named(name) => name,
        Outsider::BehindPointer => "",
    }
}

/// Writes the name that a refusal needs.
fn named<'a>(sink: &mut Sink<'a, '_>, name: &'a str, code: u8) -> u8 {
    sink.text(NAME, name);
    code
}

fn outsider(name: String) -> Outsider {
    if name.is_empty() {
        Outsider::BehindPointer
    } else {
        Outsider::Named(name)
    }
}

/// Writes and reads the reasons of one loop, why its variables are accepted and why others are refused. Lines are near the one before, at
/// first near the loop's.
pub(super) struct Reasons {
    near: u32,
    function: Span,
}

impl Reasons {
    pub(super) fn new(line: u32, function: Span) -> Self {
        Self { near: line, function }
    }

    pub(super) fn write<'a>(&mut self, sink: &mut Sink<'a, '_>, why: &'a Refusal) {
        let code = match why {
            Refusal::Divided => DIVIDED,
            Refusal::ReadInPart { because } => {
                self.write_doubt(sink, because.as_ref());
                READ_IN_PART
            }
            Refusal::Interference(how) => return self.write_interference(sink, how),
            Refusal::UnknownStep { line } => self.at(sink, *line, UNKNOWN_STEP),
            Refusal::FractionAdded { line } => self.at(sink, *line, FRACTION_ADDED),
            Refusal::StepTooLarge { line, value } => {
                sink.columns.at(VALUE).signed(*value);
                self.at(sink, *line, STEP_TOO_LARGE)
            }
            Refusal::StepMayBeTooLarge { line } => self.at(sink, *line, STEP_MAY_BE_TOO_LARGE),
            Refusal::MovesBothWays => MOVES_BOTH_WAYS,
            Refusal::StepsCancelOut => STEPS_CANCEL_OUT,
            Refusal::DirectionUnknown { step } => {
                write_term(sink, self.function, Some(step));
                DIRECTION_UNKNOWN
            }
            Refusal::AddedAndMultiplied => ADDED_AND_MULTIPLIED,
            Refusal::StartNotPositive => START_NOT_POSITIVE,
            Refusal::GrowsWithoutBound => GROWS_WITHOUT_BOUND,
            Refusal::StandsAtZero => STANDS_AT_ZERO,
            Refusal::WrapsAround { bits } => {
                sink.columns.at(VALUE).signed(bits.unwrap_or(0).into());
                WRAPS_AROUND
            }
        };
        sink.columns.at(CODE).byte(code);
    }

    /// 0 for none, else one plus the place of its cause; its line and its name.
    fn write_doubt<'a>(&mut self, sink: &mut Sink<'a, '_>, doubt: Option<&'a Doubt>) {
        let cause = doubt.map_or(0, |doubt| i64::from(place(Cause::ALL, doubt.cause)) + 1);
        sink.columns.at(VALUE).signed(cause);
        self.write_line(sink, doubt.map_or(0, |doubt| doubt.line));
        sink.text(NAME, doubt.map_or("", |doubt| &doubt.name));
    }

    /// A cause that this version does not know is none.
    fn read_doubt(&mut self, source: &mut Source<'_, '_>) -> Result<Option<Doubt>, ReadError> {
        let cause = source.columns.at(VALUE).signed()?;
        let line = self.read_line(source)?;
        let name = source.text(NAME)?;
        let cause = usize::try_from(cause)
            .ok()
            .and_then(|cause| Cause::ALL.get(cause.checked_sub(1)?));
        Ok(cause.map(|&cause| Doubt { cause, name, line }))
    }

    pub(super) fn write_interference<'a>(&mut self, sink: &mut Sink<'a, '_>, how: &'a Interference) {
        let code = match how {
            Interference::NoVariable => NO_VARIABLE,
            Interference::ThroughPointer => THROUGH_POINTER,
            Interference::Static => STATIC,
            Interference::AddressTaken => ADDRESS_TAKEN,
            Interference::MemberAddressTaken { member } => named(sink, member, MEMBER_ADDRESS_TAKEN),
            Interference::Union { member } => named(sink, member, UNION),
            Interference::RootThroughPointer { root } => named(sink, root, ROOT_THROUGH_POINTER),
            Interference::OtherPath { line } => self.at(sink, *line, OTHER_PATH),
            Interference::PathAssigned { line } => self.at(sink, *line, PATH_ASSIGNED),
            Interference::PointerWrite { line } => self.at(sink, *line, POINTER_WRITE),
            Interference::Path(how) => {
                sink.columns.at(CODE).byte(PATH);
                return self.write_interference(sink, how);
            }
            Interference::Hidden { line } => self.at(sink, *line, HIDDEN),
            Interference::Unsequenced { line } => self.at(sink, *line, UNSEQUENCED),
            Interference::InLoop => IN_LOOP,
            Interference::OnTheWay => ON_THE_WAY,
            Interference::SetByCall { line } => self.at(sink, *line, SET_BY_CALL),
            Interference::ByFunction { function } => named(sink, function, BY_FUNCTION),
            Interference::WrittenOver { function } => named(sink, function, WRITTEN_OVER),
            Interference::ByMacro { name } => named(sink, name, BY_MACRO),
            Interference::Unmapped(outsider) => named(sink, name_of(outsider), UNMAPPED),
            Interference::CallsBack { outsider, function } => {
                sink.text(NAME, name_of(outsider));
                named(sink, function, CALLS_BACK)
            }
            Interference::Promised { callee } => named(sink, name_of(callee), PROMISED),
            Interference::UnmappedLeaves(outsider) => named(sink, name_of(outsider), UNMAPPED_LEAVES),
            Interference::RangeKept => RANGE_KEPT,
        };
        sink.columns.at(CODE).byte(code);
    }

    /// Writes the line that a refusal names.
    fn at(&mut self, sink: &mut Sink<'_, '_>, line: u32, code: u8) -> u8 {
        self.write_line(sink, line);
        code
    }

    pub(super) fn write_line(&mut self, sink: &mut Sink<'_, '_>, line: u32) {
        sink.columns.at(LINE).near32(self.near, line);
        self.near = line;
    }

    pub(super) fn read(&mut self, source: &mut Source<'_, '_>) -> Result<Refusal, ReadError> {
        let code = source.columns.at(CODE).byte()?;
        Ok(match code {
            DIVIDED => Refusal::Divided,
            UNKNOWN_STEP => Refusal::UnknownStep {
                line: self.read_line(source)?,
            },
            FRACTION_ADDED => Refusal::FractionAdded {
                line: self.read_line(source)?,
            },
            STEP_TOO_LARGE => Refusal::StepTooLarge {
                value: source.columns.at(VALUE).signed()?,
                line: self.read_line(source)?,
            },
            STEP_MAY_BE_TOO_LARGE => Refusal::StepMayBeTooLarge {
                line: self.read_line(source)?,
            },
            MOVES_BOTH_WAYS => Refusal::MovesBothWays,
            STEPS_CANCEL_OUT => Refusal::StepsCancelOut,
            DIRECTION_UNKNOWN => match read_term(source, self.function, 0)? {
                Some(step) => Refusal::DirectionUnknown { step },
                None => return Err(source.columns.at(CODE).malformed("a step that is none")),
            },
            ADDED_AND_MULTIPLIED => Refusal::AddedAndMultiplied,
            START_NOT_POSITIVE => Refusal::StartNotPositive,
            GROWS_WITHOUT_BOUND => Refusal::GrowsWithoutBound,
            STANDS_AT_ZERO => Refusal::StandsAtZero,
            WRAPS_AROUND => Refusal::WrapsAround {
                bits: match source.columns.at(VALUE).signed()? {
                    0 => None,
                    bits => match u8::try_from(bits) {
                        Ok(bits) => Some(bits),
                        Err(_) => return Err(source.columns.at(VALUE).malformed("no width of a type")),
                    },
                },
            },
            READ_IN_PART => Refusal::ReadInPart {
                because: self.read_doubt(source)?,
            },
            _ => Refusal::Interference(self.interference(source, code, 0)?),
        })
    }

    pub(super) fn read_interference(
        &mut self,
        source: &mut Source<'_, '_>,
    ) -> Result<Interference, ReadError> {
        let code = source.columns.at(CODE).byte()?;
        self.interference(source, code, 0)
    }

    fn interference(
        &mut self,
        source: &mut Source<'_, '_>,
        code: u8,
        paths: usize,
    ) -> Result<Interference, ReadError> {
        Ok(match code {
            NO_VARIABLE => Interference::NoVariable,
            THROUGH_POINTER => Interference::ThroughPointer,
            STATIC => Interference::Static,
            ADDRESS_TAKEN => Interference::AddressTaken,
            MEMBER_ADDRESS_TAKEN => Interference::MemberAddressTaken {
                member: source.text(NAME)?,
            },
            UNION => Interference::Union {
                member: source.text(NAME)?,
            },
            ROOT_THROUGH_POINTER => Interference::RootThroughPointer {
                root: source.text(NAME)?,
            },
            OTHER_PATH => Interference::OtherPath {
                line: self.read_line(source)?,
            },
            PATH_ASSIGNED => Interference::PathAssigned {
                line: self.read_line(source)?,
            },
            POINTER_WRITE => Interference::PointerWrite {
                line: self.read_line(source)?,
            },
            HIDDEN => Interference::Hidden {
                line: self.read_line(source)?,
            },
            UNSEQUENCED => Interference::Unsequenced {
                line: self.read_line(source)?,
            },
            IN_LOOP => Interference::InLoop,
            ON_THE_WAY => Interference::OnTheWay,
            SET_BY_CALL => Interference::SetByCall {
                line: self.read_line(source)?,
            },
            BY_FUNCTION => Interference::ByFunction {
                function: source.text(NAME)?,
            },
            WRITTEN_OVER => Interference::WrittenOver {
                function: source.text(NAME)?,
            },
            BY_MACRO => Interference::ByMacro {
                name: source.text(NAME)?,
            },
            UNMAPPED => Interference::Unmapped(outsider(source.text(NAME)?)),
            CALLS_BACK => Interference::CallsBack {
                outsider: outsider(source.text(NAME)?),
                function: source.text(NAME)?,
            },
            PROMISED => Interference::Promised {
                callee: outsider(source.text(NAME)?),
            },
            UNMAPPED_LEAVES => Interference::UnmappedLeaves(outsider(source.text(NAME)?)),
            RANGE_KEPT => Interference::RangeKept,
            PATH if paths < MAX_PATHS => {
                let code = source.columns.at(CODE).byte()?;
                Interference::Path(Box::new(self.interference(source, code, paths + 1)?))
            }
            _ => return Err(source.columns.at(CODE).malformed("no such refusal")),
        })
    }

    pub(super) fn read_line(&mut self, source: &mut Source<'_, '_>) -> Result<u32, ReadError> {
        self.near = source.columns.at(LINE).near32(self.near)?;
        Ok(self.near)
    }
}
