//! The values of listed variables in one frame.
//!
//! A value is given only if every step to it is known to hold at this very place in the code. In doubt the variable
//! is missing, with the reason: a wrong value would put tasks in a wrong order.

use crate::elf::Slice;
use crate::evaluate::{EvaluationContext, Unknown, word};
use gimli::{Location, Piece};
use progress_map::{BoundVariable, Encoding, PathStep};
use snapshot::Value;

/// Reads a variable at `address` (as linked).
pub(crate) fn read(
    variable: &BoundVariable,
    address: u64,
    context: &EvaluationContext<'_>,
) -> Result<Value, Unknown> {
    let location = variable
        .locations
        .iter()
        .find(|range| (range.start..range.end).contains(&address))
        .ok_or(Unknown::OptimisedOut)?;
    let pieces = context.pieces(&location.expression, None)?;
    let mut object = match pieces.as_slice() {
        [] => return Err(Unknown::OptimisedOut),
        [
            Piece {
                size_in_bits: None,
                location: Location::Address { address },
                ..
            },
        ] => Object::Memory(*address),
        pieces => Object::Pieces(pieces, 0),
    };
    for step in &variable.path {
        object = match (step, object) {
            (PathStep::Offset(bytes), Object::Memory(address)) => {
                Object::Memory(address.wrapping_add(*bytes))
            }
            (PathStep::Offset(bytes), Object::Pieces(pieces, at)) => {
                Object::Pieces(pieces, at.saturating_add(*bytes))
            }
            (PathStep::Deref, object) => match word(&object.bytes(8, context)?) {
                // Page zero is never mapped: say so without a second stop.
                pointer if pointer < 4096 => return Err(Unknown::Unmapped(pointer)),
                pointer => Object::Memory(pointer),
            },
        };
    }
    let size = match variable.encoding {
        Encoding::Signed(size) | Encoding::Unsigned(size) | Encoding::Float(size) => usize::from(size),
        Encoding::Address => 8,
    };
    if !matches!(size, 1 | 2 | 4 | 8) {
        return Err(Unknown::Expression("a number of unusual size"));
    }
    decode(&object.bytes(size, context)?, variable.encoding)
}

/// Whether the scope of a variable contains `address`, and its size for comparison with others of the same name.
pub(crate) fn scope_size(variable: &BoundVariable, address: u64) -> Option<u64> {
    if variable.scope.is_empty() {
        return Some(u64::MAX);
    }
    let inside = |&(start, end): &(u64, u64)| (start..end).contains(&address);
    variable.scope.iter().any(inside).then(|| {
        variable
            .scope
            .iter()
            .map(|(start, end)| end.saturating_sub(*start))
            .sum()
    })
}

/// Something that has bytes: in memory, or wherever the pieces of a location say, from an offset on.
enum Object<'p, 'e> {
    Memory(u64),
    Pieces(&'p [Piece<Slice<'e>>], u64),
}

impl Object<'_, '_> {
    fn bytes(&self, length: usize, context: &EvaluationContext<'_>) -> Result<Vec<u8>, Unknown> {
        match *self {
            Object::Memory(address) => Ok(context.read(address, length)?.to_vec()),
            Object::Pieces(pieces, mut offset) => {
                for piece in pieces {
                    let size = match piece.size_in_bits {
                        None => u64::MAX,
                        Some(bits) if bits % 8 == 0 && piece.bit_offset.unwrap_or(0) == 0 => bits / 8,
                        Some(_) => return Err(Unknown::Expression("a bit field in pieces")),
                    };
                    if offset < size {
                        if size - offset < length as u64 {
                            return Err(Unknown::Expression("a value split between places"));
                        }
                        return part(piece, offset, length, context);
                    }
                    offset -= size;
                }
                Err(Unknown::OptimisedOut)
            }
        }
    }
}

fn part(
    piece: &Piece<Slice<'_>>,
    offset: u64,
    length: usize,
    context: &EvaluationContext<'_>,
) -> Result<Vec<u8>, Unknown> {
    let bytes = match piece.location {
        Location::Empty => return Err(Unknown::OptimisedOut),
        Location::ImplicitPointer { .. } => return Err(Unknown::ImplicitPointer),
        Location::Address { address } => {
            return Ok(context.read(address.wrapping_add(offset), length)?.to_vec());
        }
        Location::Register { register } => context.registers.bytes(register.0)?,
        Location::Bytes { value } => value.slice().to_vec(),
        Location::Value { value } => match value {
            gimli::Value::F32(value) => value.to_le_bytes().to_vec(),
            gimli::Value::F64(value) => value.to_le_bytes().to_vec(),
            value => value.to_u64(u64::MAX)?.to_le_bytes().to_vec(),
        },
    };
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    start
        .checked_add(length)
        .and_then(|end| bytes.get(start..end))
        .map(<[u8]>::to_vec)
        .ok_or(Unknown::Expression("a value larger than its register"))
}

fn decode(bytes: &[u8], encoding: Encoding) -> Result<Value, Unknown> {
    let raw = word(bytes);
    let float = |value: f64| {
        // JSON has no other numbers, and they would not compare anyway.
        if value.is_finite() {
            Ok(Value::Float(value))
        } else {
            Err(Unknown::NotFinite)
        }
    };
    match encoding {
        Encoding::Signed(_) => {
            let unused = 64 - 8 * bytes.len() as u32;
            Ok(Value::Integer((raw << unused).cast_signed() >> unused))
        }
        Encoding::Unsigned(_) | Encoding::Address => {
            Ok(i64::try_from(raw).map_or(Value::Unsigned(raw), Value::Integer))
        }
        Encoding::Float(4) => float(f32::from_bits(raw as u32).into()),
        Encoding::Float(8) => float(f64::from_bits(raw)),
        Encoding::Float(_) => Err(Unknown::Expression("a floating-point number of unusual size")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;
    use crate::registers::Registers;
    use progress_map::{FunctionInstance, LocationRange};

    fn variable(expression: &[u8], path: &[PathStep], encoding: Encoding) -> BoundVariable {
        BoundVariable {
            instance: FunctionInstance::Concrete(0),
            name: "v".to_owned(),
            scope: Vec::new(),
            locations: vec![LocationRange {
                start: 0x10,
                end: 0x20,
                expression: expression.to_vec(),
            }],
            path: path.to_vec(),
            encoding,
        }
    }

    fn value(variable: &BoundVariable, address: u64) -> Result<Value, Unknown> {
        let mut registers = Registers::default();
        registers.set(3, Some(0xffff_fff6_0000_0005));
        registers.set(12, Some(0x1000));
        let mut memory = Memory::default();
        memory.add(0x1000, 0x2000u64.to_le_bytes().to_vec());
        memory.add(0x1008, (-2.5f64).to_le_bytes().to_vec());
        let context = EvaluationContext {
            registers: &registers,
            memory: &memory,
            cfa: None,
            frame_base: &[],
            bias: 0,
            callers: None,
        };
        read(variable, address, &context)
    }

    #[test]
    fn a_register_is_cut_to_the_size_and_extended() {
        let signed = variable(&[0x53], &[], Encoding::Signed(4));
        assert_eq!(value(&signed, 0x10), Ok(Value::Integer(5)));
        assert_eq!(value(&signed, 0x20), Err(Unknown::OptimisedOut));
        let high = variable(&[0x53], &[PathStep::Offset(4)], Encoding::Signed(4));
        assert_eq!(value(&high, 0x10), Ok(Value::Integer(-10)));
        let wide = variable(&[0x53], &[], Encoding::Unsigned(8));
        assert_eq!(value(&wide, 0x10), Ok(Value::Unsigned(0xffff_fff6_0000_0005)));
        let lost = variable(&[0x50], &[], Encoding::Signed(4));
        assert_eq!(value(&lost, 0x10), Err(Unknown::NotSaved(0)));
    }

    #[test]
    fn paths_go_through_memory() {
        // DW_OP_breg12 0: an object at 0x1000 whose second field is a double.
        let field = variable(&[0x7c, 0], &[PathStep::Offset(8)], Encoding::Float(8));
        assert_eq!(value(&field, 0x10), Ok(Value::Float(-2.5)));
        // The same object through a pointer in r12.
        let arrow = variable(
            &[0x5c],
            &[PathStep::Deref, PathStep::Offset(8)],
            Encoding::Float(8),
        );
        assert_eq!(value(&arrow, 0x10), Ok(Value::Float(-2.5)));
        // A pointer to what was not copied.
        let far = variable(
            &[0x7c, 0],
            &[PathStep::Deref, PathStep::Offset(4)],
            Encoding::Signed(2),
        );
        let missing = Unknown::NotCopied {
            address: 0x2004,
            length: 2,
        };
        assert_eq!(value(&far, 0x10), Err(missing));
    }

    #[test]
    fn constants_and_pieces() {
        // DW_OP_consts -7; DW_OP_stack_value
        let constant = variable(&[0x11, 0x79, 0x9f], &[], Encoding::Signed(4));
        assert_eq!(value(&constant, 0x10), Ok(Value::Integer(-7)));
        // DW_OP_implicit_value 2: 0x0102
        let implicit = variable(&[0x9e, 2, 2, 1], &[], Encoding::Unsigned(2));
        assert_eq!(value(&implicit, 0x10), Ok(Value::Integer(0x0102)));
        // DW_OP_piece 4 (nothing); DW_OP_reg3; DW_OP_piece 4
        let pieces = [0x93, 4, 0x53, 0x93, 4];
        let first = variable(&pieces, &[], Encoding::Signed(4));
        assert_eq!(value(&first, 0x10), Err(Unknown::OptimisedOut));
        let second = variable(&pieces, &[PathStep::Offset(4)], Encoding::Signed(4));
        assert_eq!(value(&second, 0x10), Ok(Value::Integer(5)));
        let both = variable(&pieces, &[PathStep::Offset(2)], Encoding::Signed(4));
        assert!(matches!(value(&both, 0x10), Err(Unknown::Expression(_))));
        assert_eq!(
            decode(&f64::NAN.to_le_bytes(), Encoding::Float(8)),
            Err(Unknown::NotFinite)
        );
    }
}
