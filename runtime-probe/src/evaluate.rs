//! DWARF expressions over copied memory and the known registers of one frame.
//!
//! Used for both kinds: the rules of unwind tables and the locations of variables. Whatever an expression needs that
//! is not known ends it with the reason.

use crate::callers::Callers;
use crate::elf::Slice;
use crate::memory::Memory;
use crate::registers::{self, Registers};
use gimli::{EndianSlice, EvaluationResult, Expression, LittleEndian, Piece, UnitOffset, Value, ValueType};
use progress_map::Encoding;
use std::fmt;

/// What an expression may refer to.
pub(crate) struct EvaluationContext<'a> {
    /// Registers of the frame.
    pub(crate) registers: &'a Registers,
    /// Memory of the task.
    pub(crate) memory: &'a Memory,
    /// The frame's canonical frame address.
    pub(crate) cfa: Option<u64>,
    /// The expression of the function's frame base; empty when there is none.
    pub(crate) frame_base: &'a [u8],
    /// What is added to addresses of the module.
    pub(crate) bias: u64,
    /// The frames around it, for what they passed; `None` for rules of unwind tables, which need none.
    pub(crate) callers: Option<Callers<'a>>,
}

/// Why a value is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// No location is given for this place in the code.
    OptimisedOut,
    /// The build describes no local variables at all.
    NoVariables,
    /// The place in the code lies outside the variable's scope.
    OutOfScope,
    /// It is in a register that callees were free to overwrite.
    NotSaved(u16),
    /// It is in a register that the thread keeps while it sleeps, and the thread was not stopped.
    NotRead(u16),
    /// It is in memory that was not copied.
    NotCopied {
        /// First byte needed.
        address: u64,
        /// Number of bytes.
        length: usize,
    },
    /// It is in a stack frame that the function has already given up.
    Released,
    /// The task says that nothing is mapped there.
    Unmapped(u64),
    /// A second stop found the pointer changed.
    Moved,
    /// Only the value at the function's entry is described.
    EntryValue,
    /// It is thread-local.
    ThreadLocal,
    /// A pointer to something that itself has no place in memory.
    ImplicitPointer,
    /// Not a number that can be compared (NaN, infinity).
    NotFinite,
    /// The frame's own address is not known.
    NoFrameAddress,
    /// The expression cannot be evaluated.
    Expression(&'static str),
    /// The expression is malformed.
    Malformed(gimli::Error),
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unknown::OptimisedOut => f.write_str("optimised out here"),
            Unknown::NoVariables => {
                f.write_str("the build's debug info has no variables: compile with -g, not -g1")
            }
            Unknown::OutOfScope => f.write_str("not in scope here"),
            Unknown::NotSaved(register) => write!(
                f,
                "its register, {}, was not saved by the callees",
                registers::name(*register)
            ),
            Unknown::NotRead(register) => write!(
                f,
                "its register, {}, was not read: the thread sleeps in a call that a stop would disturb",
                registers::name(*register)
            ),
            Unknown::NotCopied { address, .. } => write!(f, "the memory at {address:#x} was not copied"),
            Unknown::Released => f.write_str("its stack frame has already been given up"),
            Unknown::Unmapped(address) => write!(f, "it would be at {address:#x}, which cannot be read"),
            Unknown::Moved => f.write_str("moved while it was read"),
            Unknown::EntryValue => f.write_str(
                "only its value at the function's entry is described, which its caller has not kept",
            ),
            Unknown::ThreadLocal => f.write_str("thread-local variables are not read"),
            Unknown::ImplicitPointer => f.write_str("what it points to was optimised out"),
            Unknown::NotFinite => f.write_str("not a finite number"),
            Unknown::NoFrameAddress => f.write_str("the address of its stack frame is not known"),
            Unknown::Expression(what) => write!(f, "its location uses {what}, which is not supported"),
            Unknown::Malformed(error) => write!(f, "its location is malformed: {error}"),
        }
    }
}

impl From<gimli::Error> for Unknown {
    fn from(error: gimli::Error) -> Self {
        match error {
            gimli::Error::TypeMismatch | gimli::Error::UnsupportedTypeOperation => {
                Unknown::Expression("an operation on types")
            }
            other => Unknown::Malformed(other),
        }
    }
}

impl EvaluationContext<'_> {
    /// Evaluates `expression`, with `initial` on its stack if given, to the pieces that it describes. An empty one
    /// describes nothing.
    pub(crate) fn pieces<'e>(
        &self,
        expression: &'e [u8],
        initial: Option<u64>,
    ) -> Result<Vec<Piece<Slice<'e>>>, Unknown> {
        if expression.is_empty() {
            return Ok(Vec::new());
        }
        // Compilers write no expression that jumps back, so that each of its bytes begins at most one operation that is executed. An expression that
        // takes more steps never ends, or was made to keep the probe busy in every frame.
        let most = u32::try_from(expression.len()).unwrap_or(u32::MAX);
        let encoding = gimli::Encoding {
            address_size: 8,
            format: gimli::Format::Dwarf32,
            version: 5,
        };
        let expression = Expression(EndianSlice::new(expression, LittleEndian));
        let mut evaluation = expression.evaluation(encoding);
        evaluation.set_max_iterations(most);
        if let Some(initial) = initial {
            evaluation.set_initial_value(initial);
        }
        let mut state = evaluation.evaluate()?;
        loop {
            state = match state {
                EvaluationResult::Complete => return Ok(evaluation.result()),
                EvaluationResult::RequiresMemory {
                    address,
                    size,
                    space: None,
                    base_type,
                } => {
                    let bytes = self.read(address, usize::from(size))?;
                    evaluation.resume_with_memory(of_type(word(bytes), base_type)?)?
                }
                EvaluationResult::RequiresRegister { register, base_type } => {
                    let value = self.registers.require(register.0)?;
                    evaluation.resume_with_register(of_type(value, base_type)?)?
                }
                EvaluationResult::RequiresBaseType(base_type) => {
                    evaluation.resume_with_base_type(value_type(base_type)?)?
                }
                EvaluationResult::RequiresFrameBase => {
                    let base = self.frame_base()?;
                    evaluation.resume_with_frame_base(base)?
                }
                EvaluationResult::RequiresCallFrameCfa => {
                    evaluation.resume_with_call_frame_cfa(self.cfa.ok_or(Unknown::NoFrameAddress)?)?
                }
                EvaluationResult::RequiresRelocatedAddress(address) => {
                    evaluation.resume_with_relocated_address(address.wrapping_add(self.bias))?
                }
                EvaluationResult::RequiresEntryValue(of) => {
                    // One byte: DW_OP_reg0 and those that follow.
                    let register = match of.0.slice() {
                        [one] => one.checked_sub(gimli::DW_OP_reg0.0).ok_or(Unknown::EntryValue)?,
                        _ => return Err(Unknown::EntryValue),
                    };
                    let callers = self.callers.as_ref().ok_or(Unknown::EntryValue)?;
                    let value = callers.on_entry(register, self.memory)?;
                    evaluation.resume_with_entry_value(Value::Generic(value))?
                }
                EvaluationResult::RequiresTls(_) => return Err(Unknown::ThreadLocal),
                EvaluationResult::RequiresMemory { .. } => {
                    return Err(Unknown::Expression("another address space"));
                }
                EvaluationResult::RequiresAtLocation(_) | EvaluationResult::RequiresParameterRef(_) => {
                    return Err(Unknown::Expression("another entry of the debug info"));
                }
                EvaluationResult::RequiresIndexedAddress { .. } => {
                    return Err(Unknown::Expression("the address table of the debug info"));
                }
                EvaluationResult::RequiresWasmLocal { .. }
                | EvaluationResult::RequiresWasmGlobal { .. }
                | EvaluationResult::RequiresWasmStack { .. } => {
                    return Err(Unknown::Expression("WebAssembly"));
                }
            };
        }
    }

    /// Evaluates an expression whose result is an address or a value, not a place: a rule of an unwind table.
    pub(crate) fn address(&self, expression: &[u8], initial: Option<u64>) -> Result<u64, Unknown> {
        match self.pieces(expression, initial)?.as_slice() {
            [piece] => match piece.location {
                gimli::Location::Address { address } => Ok(address),
                gimli::Location::Value { value } => Ok(value.to_u64(u64::MAX)?),
                // A frame base that is a register means that register's content.
                gimli::Location::Register { register } => self.registers.require(register.0),
                _ => Err(Unknown::OptimisedOut),
            },
            [] => Err(Unknown::OptimisedOut),
            _ => Err(Unknown::Expression("several pieces")),
        }
    }

    /// Copied memory, or why there is none.
    pub(crate) fn read(&self, address: u64, length: usize) -> Result<&[u8], Unknown> {
        self.memory
            .read(address, length)
            .ok_or(Unknown::NotCopied { address, length })
    }

    fn frame_base(&self) -> Result<u64, Unknown> {
        if self.frame_base.is_empty() {
            return Err(Unknown::NoFrameAddress);
        }
        // The frame base must not refer to itself.
        let inner = EvaluationContext {
            frame_base: &[],
            ..*self
        };
        inner.address(self.frame_base, None)
    }
}

/// The low bytes of a word as a value of the type that a bound map gives this number.
fn of_type(word: u64, number: UnitOffset) -> Result<Value, Unknown> {
    match value_type(number)? {
        ValueType::Generic => Ok(Value::Generic(word)),
        other => Ok(Value::parse(
            other,
            EndianSlice::new(&word.to_le_bytes(), LittleEndian),
        )?),
    }
}

/// The type that a bound map gives this number.
fn value_type(number: UnitOffset) -> Result<ValueType, Unknown> {
    const NONE: Unknown = Unknown::Expression("a type of the debug info");
    let encoding = u8::try_from(number.0).ok().and_then(Encoding::of_number);
    let (encoding, bytes) = match encoding.ok_or(NONE)? {
        Encoding::Address => return Ok(ValueType::Generic),
        Encoding::Signed(bytes) => (gimli::DW_ATE_signed, bytes),
        Encoding::Unsigned(bytes) => (gimli::DW_ATE_unsigned, bytes),
        Encoding::Float(bytes) => (gimli::DW_ATE_float, bytes),
    };
    ValueType::from_encoding(encoding, bytes.into()).ok_or(NONE)
}

/// Little-endian bytes, at most eight, as an unsigned number.
pub(crate) fn word(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .take(8)
        .rev()
        .fold(0, |value, &byte| value << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluate(expression: &[u8], frame_base: &[u8]) -> Result<u64, Unknown> {
        let mut registers = Registers::default();
        registers.set(3, Some(0x1000));
        let mut memory = Memory::default();
        memory.add(0x1008, vec![0x11, 0x22, 0x33, 0x44, 0, 0, 0, 0]);
        let context = EvaluationContext {
            registers: &registers,
            memory: &memory,
            cfa: Some(0x7000),
            frame_base,
            bias: 0x5500_0000,
            callers: None,
        };
        context.address(expression, None)
    }

    #[test]
    fn registers_memory_and_relocation() {
        // DW_OP_breg3 8; DW_OP_deref
        assert_eq!(evaluate(&[0x73, 8, 0x06], &[]), Ok(0x4433_2211));
        // DW_OP_addr 0x4010
        assert_eq!(
            evaluate(&[0x03, 0x10, 0x40, 0, 0, 0, 0, 0, 0], &[]),
            Ok(0x5500_4010)
        );
        // DW_OP_fbreg -20 over DW_OP_call_frame_cfa
        assert_eq!(evaluate(&[0x91, 0x6c], &[0x9c]), Ok(0x7000 - 20));
    }

    #[test]
    fn arithmetic_is_in_the_types_that_are_named() {
        const U64: u8 = 33;
        const I32: u8 = 16;
        // DW_OP_const1s -16, DW_OP_convert U64, DW_OP_lit8, DW_OP_convert U64, DW_OP_div, DW_OP_convert generic: no sign.
        let divided = [0x09, 0xf0, 0xa8, U64, 0x38, 0xa8, U64, 0x1b, 0xa8, 0, 0x9f];
        assert_eq!(evaluate(&divided, &[]), Ok((u64::MAX - 15) / 8));
        // The same in the generic type, which has one when it is divided.
        assert_eq!(
            evaluate(&[0x09, 0xf0, 0x38, 0x1b, 0x9f], &[]),
            Ok((-2_i64).cast_unsigned())
        );
        // DW_OP_regval_type r3 I32, DW_OP_const_type I32 -1, DW_OP_plus.
        let typed = [0xa5, 3, I32, 0xa4, I32, 4, 0xff, 0xff, 0xff, 0xff, 0x22, 0x9f];
        assert_eq!(evaluate(&typed, &[]), Ok(0xfff));
        // DW_OP_breg3 8, DW_OP_deref_type 4 I32.
        assert_eq!(evaluate(&[0x73, 8, 0xa6, 4, I32, 0x9f], &[]), Ok(0x4433_2211));
        // Operands of two types, a type that there is not.
        let mixed = [0x09, 0xf0, 0xa8, U64, 0x38, 0x1b, 0x9f];
        assert!(matches!(evaluate(&mixed, &[]), Err(Unknown::Expression(_))));
        assert!(matches!(
            evaluate(&[0x31, 0xa8, 7, 0x9f], &[]),
            Err(Unknown::Expression(_))
        ));
    }

    #[test]
    fn what_is_not_known_is_named() {
        assert_eq!(evaluate(&[0x70, 0], &[]), Err(Unknown::NotSaved(0)));
        assert_eq!(
            evaluate(&[0x73, 0, 0x06], &[]),
            Err(Unknown::NotCopied {
                address: 0x1000,
                length: 8
            })
        );
        assert_eq!(evaluate(&[0x91, 0], &[]), Err(Unknown::NoFrameAddress));
        // A frame base that refers to itself.
        assert_eq!(evaluate(&[0x91, 0], &[0x91, 0]), Err(Unknown::NoFrameAddress));
        // DW_OP_entry_value(DW_OP_reg5)
        assert_eq!(evaluate(&[0xa3, 1, 0x55, 0x9f], &[]), Err(Unknown::EntryValue));
        // DW_OP_skip -3: for ever.
        assert!(matches!(
            evaluate(&[0x2f, 0xfd, 0xff], &[]),
            Err(Unknown::Malformed(_))
        ));
        assert_eq!(evaluate(&[], &[]), Err(Unknown::OptimisedOut));
    }
}
