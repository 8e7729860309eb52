//! Location expressions, rewritten so that they need neither the unit nor its types.
//!
//! The probe evaluates an expression with registers, memory, a frame base and a CFA, nothing else. Operators that
//! index into the debug info are replaced by what they stand for. Conversions between integer types, which clang
//! writes for every sign or zero extension, are replaced by shifts and masks as long as nothing after them depends
//! on the type. Where something does (gcc divides the way that a pointer has come by the length of a step, in an unsigned type), the types
//! stay, named by what they are and not by where the unit describes them. The value of a register on entry stays, in
//! one spelling: what the caller passed is listed by `calls`. Of a value in pieces, `pieces` has chosen one before. Everything
//! else that needs more is refused with its reason: a variable that is not readable is better than one that is wrong.

mod rewriter;

use self::rewriter::Types;
use crate::debug::{Debug, Slice, UnitId};
use crate::stack::{ExpressionFrame, STACK_POINTER};
use crate::typed;
use gimli::{Expression, Operation, Reader as _};
use std::fmt;

/// Why an expression cannot be handed to the probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Inexpressible {
    /// The value at the function's entry of something that is no general register.
    EntryValue,
    /// The value is split: no one place has all of it.
    Pieces,
    /// The pointer was optimised away; only what it pointed to has a location.
    ImplicitPointer,
    /// Thread-local storage.
    ThreadLocal,
    /// Arithmetic in types that are no machine's, or that do not fit together.
    Typed,
    /// Relative to the stack pointer, in code where the compiler's meaning of it is not known.
    StackPointer,
    /// An address that is not part of the program: the linker dropped the variable.
    Dropped,
    /// A number made of the stack pointer: clang describes some variables on the stack by their address instead of by their value.
    StackAddress,
    /// An operator that compilers do not write for variables.
    Other,
    /// The bytes are not an expression.
    Damaged,
}

impl fmt::Display for Inexpressible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::EntryValue => "its value is only known to the caller (DW_OP_entry_value)",
            Self::Pieces => "its value is split between places (DW_OP_piece)",
            Self::ImplicitPointer => "the pointer was optimised away (DW_OP_implicit_pointer)",
            Self::ThreadLocal => "it is thread-local",
            Self::Typed => "its location needs arithmetic in an unusual type",
            Self::StackPointer => {
                "it is relative to the stack pointer, in code that moves it by amounts that are not recorded"
            }
            Self::Dropped => "the linker dropped it",
            Self::StackAddress => {
                "the compiler describes it by an address on the stack, which is no value of it"
            }
            Self::Other => "its location uses an unsupported operator",
            Self::Damaged => "its location is damaged",
        })
    }
}

/// What kind of place a rewritten expression ends in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LocationKind {
    /// An address in memory.
    Memory,
    /// A fixed address in memory, the same in every frame.
    Static(u64),
    /// A register or a computed value, of so many bytes: there is no address to add an offset to.
    Value(u64),
}

/// Rewrites an expression of `unit` that is to be evaluated in a frame, if it is one of a function.
pub(crate) fn rewrite(
    debug: &Debug<'_>,
    unit: UnitId,
    expression: Expression<Slice<'_>>,
    frame: Option<ExpressionFrame<'_, '_, '_>>,
) -> Result<(Vec<u8>, LocationKind), Inexpressible> {
    match rewriter::rewrite(Types::Dropped, debug, unit, expression, frame) {
        Err(Inexpressible::Typed) => {
            let (bytes, place) = rewriter::rewrite(Types::Kept, debug, unit, expression, frame)?;
            if typed::fit_together(&bytes) {
                Ok((bytes, place))
            } else {
                Err(Inexpressible::Typed)
            }
        }
        done => done,
    }
}

/// The general register whose value on entry is asked for.
fn entry_register(mut expression: Slice<'_>, encoding: gimli::Encoding) -> Option<u8> {
    match Operation::parse(&mut expression, encoding) {
        Ok(Operation::Register { register }) if expression.is_empty() => u8::try_from(register.0)
            .ok()
            .filter(|register| *register < GENERAL),
        _ => None,
    }
}

/// The general registers of the machine, without the program counter.
const GENERAL: u8 = 16;

/// How [`rewrite`] writes expressions.
pub(crate) const ENCODING: gimli::Encoding = gimli::Encoding {
    address_size: 8,
    format: gimli::Format::Dwarf32,
    version: 5,
};

/// What a rewritten expression depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The registers of the frame itself, sorted.
    pub(crate) registers: Vec<u16>,
    /// The registers whose value on entry it needs, sorted.
    pub(crate) entry: Vec<u8>,
    /// It follows a pointer to get at the place.
    pub(crate) reads_memory: bool,
    /// It depends on the frame's address.
    pub(crate) frame: bool,
    /// It gives a value that is nowhere kept.
    pub(crate) computed: bool,
    /// It is the content of a register.
    pub(crate) in_register: bool,
    /// It lies at or above the frame base.
    pub(crate) above_base: bool,
    /// It is one of several places that hold parts of the value.
    pub(crate) in_pieces: bool,
}

impl Facts {
    /// Whether the result depends on the address of the stack alone, and not on what is stored there.
    pub(crate) fn is_stack_address(&self) -> bool {
        // With another register in it, it may be the distance between a pointer and a variable on the stack.
        let of_stack = (self.registers.iter()).all(|&register| register == STACK_POINTER);
        let is_empty = self.registers.is_empty() && !self.frame;
        self.computed && !self.reads_memory && self.entry.is_empty() && of_stack && !is_empty
    }

    /// Whether it is an address that nothing but the frame's place decides, or a fixed one.
    pub(crate) fn is_address(&self) -> bool {
        !self.computed && !self.in_register && !self.reads_memory && self.entry.is_empty()
    }

    /// Whether the result is a number that does not depend on the frame.
    pub(crate) fn is_constant(&self) -> bool {
        self.computed
            && self.registers.is_empty()
            && self.entry.is_empty()
            && !self.frame
            && !self.reads_memory
    }
}

/// What an expression that [`rewrite`] made depends on; `None` when it is none.
pub(crate) fn facts(expression: &[u8]) -> Option<Facts> {
    let mut facts = Facts::default();
    let mut rest = Slice::new(expression, gimli::LittleEndian);
    while !rest.is_empty() {
        match Operation::parse(&mut rest, ENCODING).ok()? {
            Operation::Register { register } => {
                facts.registers.push(register.0);
                facts.in_register = true;
            }
            Operation::RegisterOffset { register, .. } => facts.registers.push(register.0),
            Operation::EntryValue { expression } => facts.entry.push(entry_register(expression, ENCODING)?),
            Operation::FrameOffset { offset } => {
                facts.frame = true;
                facts.above_base |= offset >= 0;
            }
            Operation::CallFrameCFA => facts.frame = true,
            Operation::Deref { .. } => facts.reads_memory = true,
            Operation::Piece { .. } => facts.in_pieces = true,
            Operation::StackValue | Operation::ImplicitValue { .. } => facts.computed = true,
            _ => {}
        }
    }
    facts.registers.sort_unstable();
    facts.registers.dedup();
    facts.entry.sort_unstable();
    facts.entry.dedup();
    Some(facts)
}

/// The register, and the number more, that an expression gives which is nothing else; the register itself has nothing more.
pub(crate) fn distance(expression: &[u8]) -> Option<(u16, i64)> {
    let mut rest = Slice::new(expression, gimli::LittleEndian);
    let mut next = || Operation::parse(&mut rest, ENCODING).ok();
    let found = match (next()?, next()) {
        (Operation::Register { register }, None) => (register.0, 0),
        (Operation::RegisterOffset { register, offset, .. }, Some(Operation::StackValue)) => {
            (register.0, offset)
        }
        _ => return None,
    };
    rest.is_empty().then_some(found)
}

/// The number that an expression gives which is nothing but a constant.
pub(crate) fn constant(expression: &[u8]) -> Option<i64> {
    let mut rest = Slice::new(expression, gimli::LittleEndian);
    let mut next = || Operation::parse(&mut rest, ENCODING).ok();
    let value = match next()? {
        Operation::UnsignedConstant { value } => i64::try_from(value).ok()?,
        Operation::SignedConstant { value } => value,
        _ => return None,
    };
    let is_value = matches!(next()?, Operation::StackValue);
    (is_value && rest.is_empty()).then_some(value)
}

/// An operator with one operand of eight bytes.
pub(crate) fn literal(bytes: &mut Vec<u8>, operator: gimli::DwOp, value: u64) {
    bytes.push(operator.0);
    bytes.extend_from_slice(&value.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(expression: &[u8]) -> Facts {
        facts(expression).expect("it is an expression")
    }

    #[test]
    fn a_number_made_of_the_stack_pointer_alone_is_an_address() {
        let check = |expression: &[u8], expected| {
            assert_eq!(known(expression).is_stack_address(), expected, "{expression:x?}");
        };
        // DW_OP_breg7 8, and DW_OP_fbreg -20, each with DW_OP_stack_value.
        check(&[0x77, 8, 0x9f], true);
        check(&[0x91, 0x6c, 0x9f], true);
        // A place; what is stored there; with another register; with a value on entry; a constant.
        check(&[0x77, 8], false);
        check(&[0x77, 8, 0x06, 0x9f], false);
        check(&[0x77, 8, 0x73, 0, 0x1c, 0x9f], false);
        check(&[0x77, 8, 0xa3, 1, 0x55, 0x22, 0x9f], false);
        check(&[0x30, 0x9f], false);
    }

    #[test]
    fn an_address_is_one_that_the_place_of_the_frame_decides() {
        let check = |expression: &[u8], expected| {
            assert_eq!(known(expression).is_address(), expected, "{expression:x?}");
        };
        check(&[0x91, 0x6c], true);
        check(&[0x76, 0x68], true);
        // A register; a number; behind a pointer; made of a value on entry.
        check(&[0x53], false);
        check(&[0x91, 0x6c, 0x9f], false);
        check(&[0x91, 0x6c, 0x06], false);
        check(&[0xa3, 1, 0x55, 0x23, 8], false);
    }

    #[test]
    fn what_is_no_expression_has_no_facts() {
        // DW_OP_fbreg without its offset; an unknown operator.
        assert_eq!(facts(&[0x91]), None);
        assert_eq!(facts(&[0xff]), None);
        // The value on entry of a register that is not a general one, or of what is no register.
        assert_eq!(facts(&[0xa3, 1, 0x60]), None);
        assert_eq!(facts(&[0xa3, 2, 0x75, 0]), None);
    }
}
