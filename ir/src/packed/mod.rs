//! A unit as bytes: for keeping what was read of a file until the next time.
//!
//! Not an exchange format: no version stands in it, and whoever keeps such bytes keeps them with a mark of the program that
//! wrote them, or with [`LAYOUT`]. It is close to the smallest that is cheap to read: numbers of seven bits a byte, names once per unit, the place
//! of a node as its distance from the node before, operands as the distance back to them. A general format by `serde` (postcard, measured on
//! 1,051 files of hypre and CoMD) takes twice the room, 24.2 MB against 12.2, and as long to read before the first id is checked.
//!
//! **Contract.** `unpack(pack(unit))` is the unit. Any other bytes give a unit in which every id is in range and children
//! stand before parents, or [`Malformed`]; there is no panic, and no more room is taken than a fixed multiple of the bytes.

mod read;
mod write;

use crate::{BinaryOp, LoopKind, Type, UnaryOp, Unit};
use std::fmt;

/// The bytes are none that [`pack`] makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The byte at which that shows.
    pub at: usize,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a packed unit: byte {} cannot stand there", self.at)
    }
}

impl std::error::Error for Malformed {}

/// A number for how units are packed: programs with the same one read what the other has packed. It is made of the text of what
/// packs, so that nobody has to remember to change it; a change that moves no byte costs those who keep packed units no more than making them anew.
pub const LAYOUT: u32 = hash(
    include_bytes!("mod.rs"),
    hash(include_bytes!("write.rs"), 0x811c_9dc5),
);

/// FNV-1a of `bytes`, behind what `hash` is of.
const fn hash(bytes: &[u8], mut hash: u32) -> u32 {
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    hash
}

/// The bytes of a unit. Equal units have equal bytes.
#[must_use]
pub fn pack(unit: &Unit) -> Vec<u8> {
    write::unit(unit)
}

/// The unit of these bytes.
///
/// # Errors
/// When the bytes cannot have been made by [`pack`].
pub fn unpack(bytes: &[u8]) -> Result<Unit, Malformed> {
    read::unit(bytes)
}

/// The first byte of an expression or statement: what it is, and these.
const SAME_PLACE: u8 = 0x80;
const FROM_MACRO: u8 = 0x40;
const KIND: u8 = 0x3f;

/// The number that stands for an operator is its index.
const BINARY: [BinaryOp; 16] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::Shl,
    BinaryOp::Shr,
    BinaryOp::BitAnd,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
    BinaryOp::Lt,
    BinaryOp::Le,
    BinaryOp::Gt,
    BinaryOp::Ge,
    BinaryOp::Eq,
    BinaryOp::Ne,
];

const UNARY: [UnaryOp; 3] = [UnaryOp::Neg, UnaryOp::BitNot, UnaryOp::Not];

const LOOPS: [LoopKind; 3] = [LoopKind::While, LoopKind::DoWhile, LoopKind::For];

/// The types that are one byte without more; integers and floating-point numbers have a width behind it.
const PLAIN_TYPES: [Type; 4] = [Type::Pointer, Type::Array, Type::Aggregate, Type::Unknown];

/// First bytes of the other types.
mod type_code {
    /// Plus 0, 1, 2 for a sign that is unknown, absent, there; plus 3 when a width follows.
    pub(super) const INT: u8 = 4;
    pub(super) const FLOAT: u8 = 10;
}

/// Kinds of expressions.
mod expr_code {
    pub(super) const INT: u8 = 0;
    pub(super) const FLOAT: u8 = 1;
    pub(super) const STR: u8 = 2;
    pub(super) const LOCAL: u8 = 3;
    pub(super) const GLOBAL: u8 = 4;
    pub(super) const CONSTANT: u8 = 5;
    pub(super) const AND: u8 = 6;
    pub(super) const OR: u8 = 7;
    pub(super) const CONDITIONAL: u8 = 8;
    pub(super) const COMMA: u8 = 9;
    pub(super) const ASSIGN: u8 = 10;
    pub(super) const ASSIGN_OP: u8 = 11;
    /// Plus 1 for up, plus 2 for prefix.
    pub(super) const STEP: u8 = 12;
    pub(super) const CALL_NAMED: u8 = 16;
    pub(super) const CALL_MACRO: u8 = 17;
    pub(super) const CALL_INDIRECT: u8 = 18;
    pub(super) const FIELD: u8 = 19;
    pub(super) const ARROW: u8 = 20;
    pub(super) const INDEX: u8 = 21;
    pub(super) const DEREF: u8 = 22;
    pub(super) const ADDRESS_OF: u8 = 23;
    pub(super) const CAST: u8 = 24;
    pub(super) const LIST: u8 = 25;
    pub(super) const UNKNOWN: u8 = 26;
    /// Plus the operator.
    pub(super) const UNARY: u8 = 27;
    /// Plus the operator.
    pub(super) const BINARY: u8 = 32;
    pub(super) const BUILD_CHOICE: u8 = 48;
    pub(super) const CAPTURED: u8 = 49;
    pub(super) const UNSEEN: u8 = 50;
    pub(super) const THROW: u8 = 51;
    pub(super) const THROW_VALUE: u8 = 52;
}

/// Kinds of statements.
mod stmt_code {
    pub(super) const EXPR: u8 = 0;
    pub(super) const DECL: u8 = 1;
    pub(super) const BLOCK: u8 = 2;
    pub(super) const GROUP: u8 = 3;
    pub(super) const IF: u8 = 4;
    /// Plus the kind of loop, plus 3 when it is divided.
    pub(super) const LOOP: u8 = 5;
    pub(super) const SWITCH: u8 = 11;
    pub(super) const CASE: u8 = 12;
    pub(super) const DEFAULT: u8 = 13;
    pub(super) const LABEL: u8 = 14;
    pub(super) const GOTO: u8 = 15;
    pub(super) const COMPUTED_GOTO: u8 = 16;
    pub(super) const BREAK: u8 = 17;
    pub(super) const CONTINUE: u8 = 18;
    pub(super) const RETURN: u8 = 19;
    pub(super) const TRY: u8 = 20;
    pub(super) const THROW: u8 = 21;
    pub(super) const ALTERNATIVES: u8 = 22;
    pub(super) const EMPTY: u8 = 23;
    pub(super) const UNKNOWN: u8 = 24;
}
