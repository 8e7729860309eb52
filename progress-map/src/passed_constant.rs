//! Constants that calls pass, where a function calls another one more than once.

use crate::{FunctionId, PointId};

/// A call passes a constant in a register of arguments, and another call of the same name in the same function passes another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PassedConstant {
    /// The function that calls.
    pub function: FunctionId,
    /// The call, a point of it.
    pub point: PointId,
    /// Which of the registers of whole numbers and addresses it is, from 0: rdi, rsi, rdx, rcx, r8, r9 (System V ABI for x86-64, section 3.2.3).
    pub register: u8,
    /// The lower 32 bits of the constant.
    pub value: i32,
}
