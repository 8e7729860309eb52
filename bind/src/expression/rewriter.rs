//! Rewrites one expression, operation by operation.
//!
//! What an expression has come to so far is a [`LocationKind`]. Every operation makes it anew; a register or a finished value
//! ends the expression.

use super::{GENERAL, Inexpressible, LocationKind, entry_register, literal};
use crate::debug::{Debug, Die, Slice, UnitId};
use crate::stack::{ExpressionFrame, FRAME_POINTER, STACK_POINTER, StackPointer};
use crate::typed::{self, Integer};
use gimli::{Expression, Operation, Reader as _, Register, UnitOffset};

/// What becomes of the types that an expression names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Types {
    /// They go: every value is an address-sized integer.
    Dropped,
    /// They stay, each by the number of its encoding.
    Kept,
}

/// The length in bytes of what the probe keeps of a vector register.
const VECTOR: u64 = 16;

/// Rewrites an expression of `unit`; see [`super::rewrite`].
pub(super) fn rewrite(
    types: Types,
    debug: &Debug<'_>,
    unit: UnitId,
    expression: Expression<Slice<'_>>,
    frame: Option<ExpressionFrame<'_, '_, '_>>,
) -> Result<(Vec<u8>, LocationKind), Inexpressible> {
    let encoding = debug.units[unit].encoding();
    let mut rest = expression.0;
    let mut rewriter = Rewriter {
        types,
        debug,
        unit,
        frame,
        bytes: Vec::with_capacity(rest.len()),
        place: LocationKind::Memory,
        typed: Typed::No,
        jumps: Jumps::default(),
        operations: 0,
    };
    while !rest.is_empty() {
        let before = rest;
        let operation = Operation::parse(&mut rest, encoding).map_err(|_| Inexpressible::Damaged)?;
        let raw = &before.slice()[..before.len() - rest.len()];
        let end = expression.0.len() - rest.len();
        rewriter
            .jumps
            .starts
            .push((end - raw.len(), rewriter.bytes.len()));
        rewriter.add(operation, raw, end)?;
    }
    if rewriter.operations == 0 {
        // An empty expression says that the variable is optimised out here.
        return Err(Inexpressible::Other);
    }
    let Rewriter {
        mut bytes,
        mut jumps,
        place,
        ..
    } = rewriter;
    jumps.starts.push((expression.0.len(), bytes.len()));
    jumps.write(&mut bytes)?;
    Ok((bytes, place))
}

/// An expression of which a part has been rewritten.
struct Rewriter<'r, 'd, 'a, 'i> {
    types: Types,
    debug: &'r Debug<'d>,
    unit: UnitId,
    frame: Option<ExpressionFrame<'r, 'a, 'i>>,
    /// What that part has become.
    bytes: Vec<u8>,
    place: LocationKind,
    typed: Typed,
    jumps: Jumps,
    /// How many operations that part has.
    operations: usize,
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

impl Rewriter<'_, '_, '_, '_> {
    /// Adds an operation, whose bytes are `raw` and end at `end` of the whole.
    fn add(&mut self, operation: Operation<Slice<'_>>, raw: &[u8], end: usize) -> Result<(), Inexpressible> {
        self.operations += 1;
        if matches!(self.place, LocationKind::Value(_)) {
            // A register or a finished value ends an expression.
            return Err(Inexpressible::Damaged);
        }
        let is_narrow = self.typed == Typed::Narrow;
        if is_narrow && !matches!(operation, Operation::Convert { .. } | Operation::StackValue) {
            return Err(Inexpressible::Typed);
        }
        let last = std::mem::replace(&mut self.place, LocationKind::Memory);
        match operation {
            Operation::Register { register } => {
                let length = self.register(register)?;
                self.ends(length, raw);
            }
            Operation::ImplicitValue { data } => self.ends(data.len() as u64, raw),
            Operation::StackValue => self.ends(8, raw),
            Operation::RegisterOffset {
                register,
                offset,
                base_type,
            } => self.register_offset(register, offset, base_type, raw)?,
            Operation::FrameOffset { .. } if self.frame.is_none_or(|frame| frame.base().is_empty()) => {
                return Err(Inexpressible::StackPointer);
            }
            Operation::Address { address } => {
                self.place = self.fixed(address);
                self.keep(raw);
            }
            Operation::AddressIndex { index } => {
                let address = self.indexed(index)?;
                self.place = self.fixed(address);
                literal(&mut self.bytes, gimli::DW_OP_addr, address);
            }
            Operation::ConstantIndex { index } => {
                let value = self.indexed(index)?;
                literal(&mut self.bytes, gimli::DW_OP_const8u, value);
            }
            Operation::PlusConstant { value } => {
                if let LocationKind::Static(address) = last {
                    self.place = LocationKind::Static(address.wrapping_add(value));
                }
                self.keep(raw);
            }
            Operation::Convert { base_type } => self.convert(base_type)?,
            Operation::Reinterpret { base_type } => {
                let number = self.number(base_type)?;
                self.keep(&[gimli::DW_OP_reinterpret.0, number]);
            }
            Operation::TypedLiteral { base_type, value } => {
                let length = u8::try_from(value.len()).map_err(|_| Inexpressible::Damaged)?;
                let number = self.number(base_type)?;
                self.keep(&[gimli::DW_OP_const_type.0, number, length]);
                self.keep(value.slice());
            }
            Operation::Deref { space: true, .. } => return Err(Inexpressible::Other),
            Operation::Deref { base_type, size, .. } if base_type.0 != 0 => {
                let number = self.number(base_type)?;
                self.keep(&[gimli::DW_OP_deref_type.0, size, number]);
            }
            Operation::Bra { target } | Operation::Skip { target } => {
                let target = end
                    .checked_add_signed(target.into())
                    .ok_or(Inexpressible::Damaged)?;
                self.keep(raw);
                self.jumps.found.push((self.bytes.len(), target));
            }
            Operation::EntryValue { expression } => {
                let encoding = self.debug.units[self.unit].encoding();
                let register = entry_register(expression, encoding).ok_or(Inexpressible::EntryValue)?;
                self.keep(&[gimli::DW_OP_entry_value.0, 1, gimli::DW_OP_reg0.0 + register]);
            }
            Operation::Piece { .. } => return Err(Inexpressible::Pieces),
            Operation::ImplicitPointer { .. } => return Err(Inexpressible::ImplicitPointer),
            Operation::TLS => return Err(Inexpressible::ThreadLocal),
            plain => match sense(&plain) {
                Some(Sense::OfBits) => self.keep(raw),
                Some(Sense::OfNumbers) if self.typed == Typed::No => self.keep(raw),
                Some(Sense::OfNumbers) => return Err(Inexpressible::Typed),
                None => return Err(Inexpressible::Other),
            },
        }
        Ok(())
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The operation finishes a value of so many bytes.
    fn ends(&mut self, length: u64, raw: &[u8]) {
        self.place = LocationKind::Value(length);
        self.keep(raw);
    }

    /// The length of the value that a register is.
    fn register(&self, register: Register) -> Result<u64, Inexpressible> {
        if self.operations > 1 {
            return Err(Inexpressible::Damaged);
        }
        if register.0 == STACK_POINTER && self.stack_pointer() != StackPointer::AsItIs {
            return Err(Inexpressible::StackPointer);
        }
        Ok(if register.0 < GENERAL.into() { 8 } else { VECTOR })
    }

    /// The content of a register plus a number: an address, or, with a type, a value.
    fn register_offset(
        &mut self,
        register: Register,
        offset: i64,
        base_type: UnitOffset,
        raw: &[u8],
    ) -> Result<(), Inexpressible> {
        let is_typed = base_type.0 != 0;
        if register.0 == STACK_POINTER {
            match self.stack_pointer() {
                StackPointer::AsItIs => {}
                StackPointer::Settled(settled) if !is_typed => {
                    self.bytes.extend(settled.address(offset));
                    return Ok(());
                }
                StackPointer::Settled(_) | StackPointer::Unknown => return Err(Inexpressible::StackPointer),
            }
        }
        if !is_typed {
            let frame = self.frame.filter(|_| register.0 == FRAME_POINTER);
            match frame.and_then(ExpressionFrame::frame_pointer) {
                Some(frame_pointer) => self.bytes.extend(frame_pointer.address(offset)),
                None => self.keep(raw),
            }
            return Ok(());
        }
        let register = u8::try_from(register.0).ok().filter(|register| *register < 0x80);
        let register = register.ok_or(Inexpressible::Typed)?;
        let number = self.number(base_type)?;
        self.keep(&[gimli::DW_OP_regval_type.0, register, number]);
        Ok(())
    }

    /// What the expression means by the stack pointer.
    fn stack_pointer(&self) -> StackPointer {
        self.frame.map_or(StackPointer::Unknown, ExpressionFrame::pointer)
    }

    /// The place of an expression that has come to push `address`: fixed if that is all of it.
    fn fixed(&self, address: u64) -> LocationKind {
        if self.operations == 1 {
            LocationKind::Static(address)
        } else {
            LocationKind::Memory
        }
    }

    /// The address, or number, that the unit has in its table of addresses.
    fn indexed(&self, index: gimli::DebugAddrIndex) -> Result<u64, Inexpressible> {
        let unit = &self.debug.units[self.unit];
        let address = self.debug.dwarf(self.unit).address(unit, index);
        address.map_err(|_| Inexpressible::Damaged)
    }

    fn base_type(&self, offset: UnitOffset) -> Die {
        Die {
            unit: self.unit,
            offset,
        }
    }

    /// The number of a type that is kept.
    fn number(&self, base_type: UnitOffset) -> Result<u8, Inexpressible> {
        let number = match self.types {
            Types::Dropped => None,
            Types::Kept => typed::number(self.debug, self.base_type(base_type)),
        };
        number.ok_or(Inexpressible::Typed)
    }

    /// A conversion of the top of the stack. Where types are dropped, the top is kept sign- or zero-extended to the width of an
    /// address.
    fn convert(&mut self, base_type: UnitOffset) -> Result<(), Inexpressible> {
        if self.types == Types::Kept {
            let number = self.number(base_type)?;
            self.keep(&[gimli::DW_OP_convert.0, number]);
            return Ok(());
        }
        let integer = typed::integer(self.debug, self.base_type(base_type));
        self.typed = convert(integer.ok_or(Inexpressible::Typed)?, self.typed, &mut self.bytes);
        Ok(())
    }
}

/// What an operator that stays as it is makes of its operands.
enum Sense {
    /// The low bits of the result depend on low bits only, whatever the types are.
    OfBits,
    /// The result depends on the numbers that the operands are in their types.
    OfNumbers,
}

/// The sense of an operator that stays as it is; none of one that compilers do not write for variables.
fn sense(operation: &Operation<Slice<'_>>) -> Option<Sense> {
    match operation {
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
        | Operation::Ne => Some(Sense::OfNumbers),
        Operation::Deref { .. }
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
        | Operation::CallFrameCFA => Some(Sense::OfBits),
        _ => None,
    }
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
    fn write(&self, bytes: &mut [u8]) -> Result<(), Inexpressible> {
        for &(end, target) in &self.found {
            let at = self.starts.binary_search_by_key(&target, |&(before, _)| before);
            let (_, now) = self.starts[at.map_err(|_| Inexpressible::Damaged)?];
            // Expressions are lists of bytes in memory: far below the limits of a signed number.
            let distance = i16::try_from(now as i64 - end as i64).map_err(|_| Inexpressible::Damaged)?;
            bytes[end - 2..end].copy_from_slice(&distance.to_le_bytes());
        }
        Ok(())
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
