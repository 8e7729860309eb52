//! Location expressions, rewritten so that they need neither the unit nor its types.
//!
//! The probe evaluates an expression with registers, memory, a frame base and a CFA, nothing else. Operators that
//! index into the debug info are replaced by what they stand for. Conversions between integer types, which clang
//! writes for every sign or zero extension, are replaced by shifts and masks as long as nothing after them depends
//! on the type. Where something does (gcc divides the way that a pointer has come by the length of a step, in an unsigned type), the types
//! stay, named by what they are and not by where the unit describes them. The value of a register on entry stays, in
//! one spelling: what the caller passed is listed by `calls`. Of a value in pieces, `pieces` has chosen one before. Everything
//! else that needs more is refused with its reason: a variable that is not readable is better than one that is wrong.

use crate::debug::{Debug, Die, Slice, UnitId};
use crate::stack::{Frame, STACK_POINTER, StackPointer};
use crate::typed::{self, Integer};
use gimli::{Expression, Operation, Reader as _};
use std::fmt;

/// Why an expression cannot be handed to the probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Refusal {
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
    /// Relative to the stack pointer where nobody can tell what the compiler means by it.
    StackPointer,
    /// An address that is not part of the program: the linker dropped the variable.
    Dropped,
    /// A number made of the stack pointer: clang describes some variables that it keeps on the stack by where they are, and
    /// not by what stands there.
    StackAddress,
    /// An operator that compilers do not write for variables.
    Other,
    /// The bytes are not an expression.
    Damaged,
}

impl fmt::Display for Refusal {
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
pub(crate) enum Place {
    /// An address in memory.
    Memory,
    /// A fixed address in memory, the same in every frame.
    Static(u64),
    /// A register or a computed value, of so many bytes: there is no address to add an offset to.
    Value(u64),
}

/// What the values on the stack may be besides address-sized integers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Typed {
    /// Nothing.
    No,
    /// The top is an integer narrower than an address, kept sign- or zero-extended: only its end is known to be right.
    Narrow,
    /// Some are 64-bit integers of a sign: operators that ask for the sign would differ.
    Wide,
}

/// What becomes of the types that an expression names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Types {
    /// They go: every value is an address-sized integer.
    Dropped,
    /// They stay, each by the number of its encoding.
    Kept,
}

/// Rewrites an expression of `unit` that is to be evaluated in a frame, if it is one of a function.
pub(crate) fn rewrite(
    debug: &Debug<'_>,
    unit: UnitId,
    expression: Expression<Slice<'_>>,
    frame: Option<Frame<'_, '_, '_>>,
) -> Result<(Vec<u8>, Place), Refusal> {
    match rewrite_by(Types::Dropped, debug, unit, expression, frame) {
        Err(Refusal::Typed) => {
            let (bytes, place) = rewrite_by(Types::Kept, debug, unit, expression, frame)?;
            if typed::fit_together(&bytes) {
                Ok((bytes, place))
            } else {
                Err(Refusal::Typed)
            }
        }
        done => done,
    }
}

fn rewrite_by(
    types: Types,
    debug: &Debug<'_>,
    unit: UnitId,
    expression: Expression<Slice<'_>>,
    frame: Option<Frame<'_, '_, '_>>,
) -> Result<(Vec<u8>, Place), Refusal> {
    let pointer = || frame.map_or(StackPointer::Unknown, Frame::pointer);
    let encoding = debug.units[unit].encoding();
    let mut rest = expression.0;
    let mut bytes = Vec::with_capacity(rest.len());
    let mut place = Place::Memory;
    let mut typed = Typed::No;
    let mut jumps = Jumps::default();
    let mut operations = 0;
    while !rest.is_empty() {
        let before = rest;
        let operation = Operation::parse(&mut rest, encoding).map_err(|_| Refusal::Damaged)?;
        let raw = &before.slice()[..before.len() - rest.len()];
        let end = expression.0.len() - rest.len();
        jumps.starts.push((end - raw.len(), bytes.len()));
        operations += 1;
        if matches!(place, Place::Value(_)) {
            // A register or a finished value ends an expression.
            return Err(Refusal::Damaged);
        }
        if typed == Typed::Narrow && !matches!(operation, Operation::Convert { .. } | Operation::StackValue) {
            return Err(Refusal::Typed);
        }
        let last = std::mem::replace(&mut place, Place::Memory);
        let number_of = |base_type| match types {
            Types::Dropped => Err(Refusal::Typed),
            Types::Kept => typed::number(
                debug,
                Die {
                    unit,
                    offset: base_type,
                },
            )
            .ok_or(Refusal::Typed),
        };
        match operation {
            Operation::Register { .. } if operations > 1 => return Err(Refusal::Damaged),
            Operation::Register { register }
                if register.0 == STACK_POINTER && pointer() != StackPointer::AsItIs =>
            {
                return Err(Refusal::StackPointer);
            }
            Operation::RegisterOffset {
                register,
                offset,
                base_type,
            } if register.0 == STACK_POINTER && pointer() != StackPointer::AsItIs => match pointer() {
                StackPointer::Settled(settled) if base_type.0 == 0 => bytes.extend(settled.address(offset)),
                _ => return Err(Refusal::StackPointer),
            },
            Operation::FrameOffset { .. } if frame.is_none_or(|frame| frame.base().is_empty()) => {
                return Err(Refusal::StackPointer);
            }
            Operation::Register { register } => {
                place = Place::Value(if register.0 < GENERAL.into() { 8 } else { VECTOR });
                bytes.extend_from_slice(raw);
            }
            Operation::ImplicitValue { data } => {
                place = Place::Value(data.len() as u64);
                bytes.extend_from_slice(raw);
            }
            Operation::StackValue => {
                place = Place::Value(8);
                bytes.extend_from_slice(raw);
            }
            Operation::Address { address } => {
                place = fixed(address, operations);
                bytes.extend_from_slice(raw);
            }
            Operation::AddressIndex { index } => {
                let address = debug.dwarf(unit).address(&debug.units[unit], index);
                let address = address.map_err(|_| Refusal::Damaged)?;
                place = fixed(address, operations);
                literal(&mut bytes, gimli::DW_OP_addr, address);
            }
            Operation::ConstantIndex { index } => {
                let value = debug.dwarf(unit).address(&debug.units[unit], index);
                literal(
                    &mut bytes,
                    gimli::DW_OP_const8u,
                    value.map_err(|_| Refusal::Damaged)?,
                );
            }
            Operation::Convert { base_type } if types == Types::Kept => {
                bytes.extend_from_slice(&[gimli::DW_OP_convert.0, number_of(base_type)?]);
            }
            Operation::Convert { base_type } => {
                let integer = typed::integer(
                    debug,
                    Die {
                        unit,
                        offset: base_type,
                    },
                );
                typed = convert(integer.ok_or(Refusal::Typed)?, typed, &mut bytes);
            }
            Operation::Reinterpret { base_type } => {
                bytes.extend_from_slice(&[gimli::DW_OP_reinterpret.0, number_of(base_type)?]);
            }
            Operation::TypedLiteral { base_type, value } => {
                let length = u8::try_from(value.len()).map_err(|_| Refusal::Damaged)?;
                bytes.extend_from_slice(&[gimli::DW_OP_const_type.0, number_of(base_type)?, length]);
                bytes.extend_from_slice(value.slice());
            }
            Operation::Deref { space: true, .. } => return Err(Refusal::Other),
            Operation::Deref { base_type, size, .. } if base_type.0 != 0 => {
                bytes.extend_from_slice(&[gimli::DW_OP_deref_type.0, size, number_of(base_type)?]);
            }
            Operation::RegisterOffset {
                register, base_type, ..
            } if base_type.0 != 0 => {
                let register = u8::try_from(register.0).ok().filter(|register| *register < 0x80);
                let register = register.ok_or(Refusal::Typed)?;
                bytes.extend_from_slice(&[gimli::DW_OP_regval_type.0, register, number_of(base_type)?]);
            }
            Operation::Bra { target } | Operation::Skip { target } => {
                let target = end.checked_add_signed(target.into()).ok_or(Refusal::Damaged)?;
                bytes.extend_from_slice(raw);
                jumps.found.push((bytes.len(), target));
            }
            Operation::Abs
            | Operation::Div
            | Operation::Mod
            | Operation::Shr
            | Operation::Shra
            | Operation::Eq
            | Operation::Ge
            | Operation::Gt
            | Operation::Le
            | Operation::Lt
            | Operation::Ne => {
                if typed != Typed::No {
                    return Err(Refusal::Typed);
                }
                bytes.extend_from_slice(raw);
            }
            Operation::Deref { .. }
            | Operation::RegisterOffset { .. }
            | Operation::Drop
            | Operation::Pick { .. }
            | Operation::Swap
            | Operation::Rot
            | Operation::And
            | Operation::Minus
            | Operation::Mul
            | Operation::Neg
            | Operation::Not
            | Operation::Or
            | Operation::Plus
            | Operation::Shl
            | Operation::Xor
            | Operation::UnsignedConstant { .. }
            | Operation::SignedConstant { .. }
            | Operation::FrameOffset { .. }
            | Operation::Nop
            | Operation::CallFrameCFA => bytes.extend_from_slice(raw),
            Operation::PlusConstant { value } => {
                if let Place::Static(address) = last {
                    place = Place::Static(address.wrapping_add(value));
                }
                bytes.extend_from_slice(raw);
            }
            Operation::Piece { .. } => return Err(Refusal::Pieces),
            Operation::EntryValue { expression } => {
                let register = entry_register(expression, encoding).ok_or(Refusal::EntryValue)?;
                bytes.extend_from_slice(&[gimli::DW_OP_entry_value.0, 1, gimli::DW_OP_reg0.0 + register]);
            }
            Operation::ImplicitPointer { .. } => return Err(Refusal::ImplicitPointer),
            Operation::TLS => return Err(Refusal::ThreadLocal),
            _ => return Err(Refusal::Other),
        }
    }
    if operations == 0 {
        // An empty expression says that the variable is optimised out here.
        return Err(Refusal::Other);
    }
    jumps.starts.push((expression.0.len(), bytes.len()));
    jumps.write(&mut bytes)?;
    Ok((bytes, place))
}

/// The jumps of an expression whose operations change their lengths.
#[derive(Default)]
struct Jumps {
    /// Where each operation begins, before and now; the end is one too.
    starts: Vec<(usize, usize)>,
    /// By jump: where it ends now, and where it led before.
    found: Vec<(usize, usize)>,
}

impl Jumps {
    fn write(&self, bytes: &mut [u8]) -> Result<(), Refusal> {
        for &(end, target) in &self.found {
            let at = self.starts.binary_search_by_key(&target, |&(before, _)| before);
            let (_, now) = self.starts[at.map_err(|_| Refusal::Damaged)?];
            // Expressions are lists of bytes in memory: far below the limits of a signed number.
            let distance = i16::try_from(now as i64 - end as i64).map_err(|_| Refusal::Damaged)?;
            bytes[end - 2..end].copy_from_slice(&distance.to_le_bytes());
        }
        Ok(())
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

/// The length in bytes of what the probe keeps of a vector register.
const VECTOR: u64 = 16;

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
}

impl Facts {
    /// Whether the result is computed of where the stack is, and of nothing that stands there.
    pub(crate) fn is_stack_address(&self) -> bool {
        // With another register it may be how far a pointer has come from there.
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
    let encoding = gimli::Encoding {
        address_size: 8,
        format: gimli::Format::Dwarf32,
        version: 5,
    };
    let mut facts = Facts::default();
    let mut rest = Slice::new(expression, gimli::LittleEndian);
    while !rest.is_empty() {
        match Operation::parse(&mut rest, encoding).ok()? {
            Operation::Register { register } => {
                facts.registers.push(register.0);
                facts.in_register = true;
            }
            Operation::RegisterOffset { register, .. } => facts.registers.push(register.0),
            Operation::EntryValue { expression } => facts.entry.push(entry_register(expression, encoding)?),
            Operation::FrameOffset { .. } | Operation::CallFrameCFA => facts.frame = true,
            Operation::Deref { .. } => facts.reads_memory = true,
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

/// The place of an expression so far that ends in pushing `address`: fixed if that is all of it.
fn fixed(address: u64, operations: usize) -> Place {
    if operations == 1 {
        Place::Static(address)
    } else {
        Place::Memory
    }
}

/// Rewrites a conversion of the top of the stack, which is kept sign- or zero-extended to the width of an address.
fn convert(to: Integer, typed: Typed, bytes: &mut Vec<u8>) -> Typed {
    match to {
        // Other values on the stack stay as they are.
        Integer::Address => match typed {
            Typed::Narrow => Typed::No,
            other => other,
        },
        Integer::Signed(64) | Integer::Unsigned(64) => Typed::Wide,
        Integer::Signed(bits) => {
            // The generic type's DW_OP_shra fills with the sign.
            for shift in [gimli::DW_OP_shl, gimli::DW_OP_shra] {
                bytes.extend_from_slice(&[gimli::DW_OP_const1u.0, 64 - bits, shift.0]);
            }
            Typed::Narrow
        }
        Integer::Unsigned(bits) => {
            literal(bytes, gimli::DW_OP_const8u, (1 << bits) - 1);
            bytes.push(gimli::DW_OP_and.0);
            Typed::Narrow
        }
    }
}

/// An operator with one operand of eight bytes.
pub(crate) fn literal(bytes: &mut Vec<u8>, operator: gimli::DwOp, value: u64) {
    bytes.push(operator.0);
    bytes.extend_from_slice(&value.to_le_bytes());
}
