//! The types that location expressions name.
//!
//! A unit describes them by entries of its own. A rewritten expression names a type by a number that says what it is
//! ([`Encoding::number`]), so that the probe needs no debug info.

use crate::debug::{Debug, Die};
use gimli::{EvaluationResult, Expression, Value, ValueType};
use progress_map::Encoding;

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Integer {
    /// The generic type, as wide as an address and of no sign.
    Address,
    /// Of so many bits, 1 to 64.
    Signed(u8),
    /// Of so many bits, 1 to 64.
    Unsigned(u8),
}

/// The type that the entry `die` describes, if it is an integer. Offset 0 stands for the generic one.
pub(crate) fn integer(debug: &Debug<'_>, die: Die) -> Option<Integer> {
    if die.offset.0 == 0 {
        return Some(Integer::Address);
    }
    let (encoding, bits) = described(debug, die)?;
    match encoding {
        _ if !(1..=64).contains(&bits) => None,
        gimli::DW_ATE_signed | gimli::DW_ATE_signed_char => Some(Integer::Signed(bits)),
        gimli::DW_ATE_unsigned | gimli::DW_ATE_unsigned_char | gimli::DW_ATE_address => {
            Some(Integer::Unsigned(bits))
        }
        _ => None,
    }
}

/// The number of the type that the entry `die` describes, if processors compute in it.
pub(crate) fn number(debug: &Debug<'_>, die: Die) -> Option<u8> {
    if die.offset.0 == 0 {
        return Some(Encoding::Address.number());
    }
    let machine = |bits: u8| matches!(bits, 8 | 16 | 32 | 64).then_some(bits / 8);
    let encoding = match integer(debug, die) {
        Some(Integer::Address) => Encoding::Address,
        Some(Integer::Signed(bits)) => Encoding::Signed(machine(bits)?),
        Some(Integer::Unsigned(bits)) => Encoding::Unsigned(machine(bits)?),
        None => match described(debug, die)? {
            (gimli::DW_ATE_float, bits @ (32 | 64)) => Encoding::Float(bits / 8),
            _ => return None,
        },
    };
    Some(encoding.number())
}

/// Encoding and width in bits of a base type.
fn described(debug: &Debug<'_>, die: Die) -> Option<(gimli::DwAte, u8)> {
    let entry = debug.entry(die)?;
    let number = |name| entry.attr_value(name).and_then(|value| value.udata_value());
    let bytes = number(gimli::DW_AT_byte_size);
    let bits = number(gimli::DW_AT_bit_size).or_else(|| bytes?.checked_mul(8))?;
    match entry.attr_value(gimli::DW_AT_encoding)? {
        gimli::AttributeValue::Encoding(encoding) => Some((encoding, u8::try_from(bits).ok()?)),
        _ => None,
    }
}

/// Whether the operators of a rewritten expression get what they ask for: two operands of one type, integers where bits
/// are meant. It is computed once, with made-up registers and memory; of a jump one way only is looked at.
pub(crate) fn fit_together(expression: &[u8]) -> bool {
    // Small and odd: no division by zero, no address that overflows.
    const ANYTHING: u64 = 0x1357;
    const MAX_OPERATIONS: u32 = 10_000;
    let encoding = gimli::Encoding {
        address_size: 8,
        format: gimli::Format::Dwarf32,
        version: 5,
    };
    let anything = |base_type: gimli::UnitOffset| {
        let of = value_type(base_type)?;
        Value::from_u64(of, ANYTHING)
    };
    let mut evaluation =
        Expression(gimli::EndianSlice::new(expression, gimli::LittleEndian)).evaluation(encoding);
    evaluation.set_max_iterations(MAX_OPERATIONS);
    let mut state = evaluation.evaluate();
    loop {
        let next = match state {
            Ok(EvaluationResult::RequiresMemory { base_type, .. }) => {
                anything(base_type).and_then(|value| evaluation.resume_with_memory(value))
            }
            Ok(EvaluationResult::RequiresRegister { base_type, .. }) => {
                anything(base_type).and_then(|value| evaluation.resume_with_register(value))
            }
            Ok(EvaluationResult::RequiresBaseType(base_type)) => {
                value_type(base_type).and_then(|of| evaluation.resume_with_base_type(of))
            }
            Ok(EvaluationResult::RequiresFrameBase) => evaluation.resume_with_frame_base(ANYTHING),
            Ok(EvaluationResult::RequiresCallFrameCfa) => evaluation.resume_with_call_frame_cfa(ANYTHING),
            Ok(EvaluationResult::RequiresRelocatedAddress(address)) => {
                evaluation.resume_with_relocated_address(address)
            }
            Ok(EvaluationResult::RequiresEntryValue(_)) => {
                evaluation.resume_with_entry_value(Value::Generic(ANYTHING))
            }
            // What depends on the values is not known here.
            Ok(EvaluationResult::Complete) | Err(gimli::Error::DivisionByZero) => return true,
            _ => return false,
        };
        state = next;
    }
}

/// The type that a number in a rewritten expression stands for.
fn value_type(number: gimli::UnitOffset) -> gimli::Result<ValueType> {
    let encoding = u8::try_from(number.0).ok().and_then(Encoding::of_number);
    let (encoding, bytes) = match encoding {
        Some(Encoding::Address) => return Ok(ValueType::Generic),
        Some(Encoding::Signed(bytes)) => (gimli::DW_ATE_signed, bytes),
        Some(Encoding::Unsigned(bytes)) => (gimli::DW_ATE_unsigned, bytes),
        Some(Encoding::Float(bytes)) => (gimli::DW_ATE_float, bytes),
        None => return Err(gimli::Error::UnsupportedTypeOperation),
    };
    ValueType::from_encoding(encoding, bytes.into()).ok_or(gimli::Error::UnsupportedTypeOperation)
}
