//! What a compiler means by the stack pointer in the places that it describes.
//!
//! gcc's frame base is the canonical frame address (CFA), which the unwind tables give at every instruction, and where it says
//! `DW_OP_breg7` it means the register as it is there. LLVM's frame base may be the register itself, and by both LLVM means *the
//! stack pointer as the prologue left it*: while a call with more than six arguments is prepared, it pushes them, and for so
//! long every such place is off by what was pushed. So the places of LLVM's code are put in terms of the CFA, which stays where it is
//! while a function runs.
//!
//! How far below the CFA the prologue leaves the stack pointer is read from the unwind entry of the function:
//!
//! - Without a frame pointer all rows are relative to the stack pointer. LLVM writes where registers are saved at the end of
//!   the prologue, so the first row with such a rule has the distance. A function that saves none moves the stack pointer once in
//!   its prologue: the first row that differs from that of the entry has it. In both, arguments are pushed later.
//! - With a frame pointer the tables do not follow the stack pointer. They need not where the frame base is the frame pointer,
//!   whose distance the rows have. LLVM uses the stack pointer beside it where it aligns a frame by more than the ABI does: then the code
//!   behind the row that makes it the frame pointer is `push`es, one `and`, one `sub`, and is decoded.
//! - Anything else is refused, but in code that was not optimised, which pushes no arguments.
//!
//! What a call is said to pass is a step harder: LLVM repeats the address that the instruction names, and that one may stand between two
//! pushes. It is believed for calls that push nothing.

use crate::calls::root_of;
use crate::debug::Debug;
use crate::elf::Image;
use crate::optimised::{gcc, llvm};
use crate::unwinding::{Cfa, Row, Unwinding, unwinding};
use crate::walk::{Forest, Node, NodeId};
use base::put_number;
use std::cell::OnceCell;

/// The frame pointer, by its DWARF number.
pub(crate) const FRAME_POINTER: u16 = 6;
/// The stack pointer, by its DWARF number.
pub(crate) const STACK_POINTER: u16 = 7;

/// What an expression means by the stack pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StackPointer {
    /// What the register holds at that instruction.
    AsItIs,
    /// What it held at the end of the prologue.
    Settled(Settled),
    /// Nobody can tell.
    Unknown,
}

/// Where the stack pointer is at the end of the prologue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settled {
    /// So many bytes below the CFA.
    Below(u64),
    /// `saved` bytes below the CFA, then aligned by `mask`, then `size` bytes lower.
    Aligned { saved: u64, mask: i64, size: u64 },
}

impl Settled {
    /// An expression for the address that lies `offset` bytes above it.
    pub(crate) fn address(self, offset: i64) -> Vec<u8> {
        let mut bytes = vec![gimli::DW_OP_call_frame_cfa.0];
        let distance = match self {
            Settled::Below(distance) => distance,
            Settled::Aligned { saved, mask, size } => {
                add(&mut bytes, saved.cast_signed().wrapping_neg());
                bytes.push(gimli::DW_OP_const8s.0);
                bytes.extend_from_slice(&mask.to_le_bytes());
                bytes.push(gimli::DW_OP_and.0);
                size
            }
        };
        add(&mut bytes, offset.wrapping_sub(distance.cast_signed()));
        bytes
    }
}

/// Adds a number to the address on top.
fn add(bytes: &mut Vec<u8>, number: i64) {
    match number {
        0 => {}
        1.. => {
            bytes.push(gimli::DW_OP_plus_uconst.0);
            put_number(bytes, number.unsigned_abs());
        }
        _ => {
            bytes.push(gimli::DW_OP_constu.0);
            put_number(bytes, number.unsigned_abs());
            bytes.push(gimli::DW_OP_minus.0);
        }
    }
}

/// The frames of all functions of a build.
pub(crate) struct Frames<'f, 'a, 'i> {
    image: &'f Image<'i>,
    debug: &'f Debug<'a>,
    forest: &'f Forest,
    /// Read when an expression first needs them.
    tables: OnceCell<Unwinding>,
}

/// The frame in which an expression is evaluated: that of a function, or of what is inlined into it.
#[derive(Clone, Copy)]
pub(crate) struct ExpressionFrame<'f, 'a, 'i> {
    frames: &'f Frames<'f, 'a, 'i>,
    root: &'f Node,
    /// The expression is a value that is passed by the call that returns there.
    call: Option<u64>,
}

impl<'f, 'a, 'i> Frames<'f, 'a, 'i> {
    pub(crate) fn new(image: &'f Image<'i>, debug: &'f Debug<'a>, forest: &'f Forest) -> Self {
        Self {
            image,
            debug,
            forest,
            tables: OnceCell::new(),
        }
    }

    /// The frame of the function that `node` is, or is inlined into.
    pub(crate) fn of(&'f self, node: NodeId) -> ExpressionFrame<'f, 'a, 'i> {
        ExpressionFrame {
            frames: self,
            root: &self.forest.nodes[root_of(self.forest, node)],
            call: None,
        }
    }

    /// The same frame, for what the call in `node` passes that returns to `address`.
    pub(crate) fn of_call(&'f self, node: NodeId, address: u64) -> ExpressionFrame<'f, 'a, 'i> {
        ExpressionFrame {
            call: Some(address),
            ..self.of(node)
        }
    }
}

impl<'f> ExpressionFrame<'f, '_, '_> {
    /// The frame base as the probe evaluates it; empty when nobody can tell what it is.
    pub(crate) fn base(self) -> Vec<u8> {
        let register = |number: u16| [gimli::DW_OP_reg0.0 + number as u8];
        let base = &self.root.frame_base;
        if *base == register(STACK_POINTER) {
            return match self.pointer() {
                StackPointer::AsItIs => base.clone(),
                StackPointer::Settled(settled) => settled.address(0),
                StackPointer::Unknown => Vec::new(),
            };
        }
        if *base == register(FRAME_POINTER)
            && let Some(distance) = frame_pointer(self.entry())
        {
            // The register is the caller's in front of the prologue and behind the epilogue.
            return Settled::Below(distance).address(0);
        }
        base.clone()
    }

    /// Where the frame pointer points to, in optimised code whose frame base is the CFA: places relative to it are put in terms of the CFA, like those that the machine code is
    /// known to change.
    pub(crate) fn frame_pointer(self) -> Option<Settled> {
        let is_cfa = self.root.frame_base == [gimli::DW_OP_call_frame_cfa.0];
        let distance = || frame_pointer(self.entry());
        let known = if is_cfa && self.root.optimised {
            distance()
        } else {
            None
        };
        known.map(Settled::Below)
    }

    /// What its expressions mean by the stack pointer.
    pub(crate) fn pointer(self) -> StackPointer {
        let Frames { debug, image, .. } = self.frames;
        let unit = self.root.die.unit;
        if gcc(debug, unit) {
            // A function with a frame pointer moves the other one about, by amounts that its tables do not have.
            let mut rows = self.pieces().flatten().peekable();
            let follows = rows.peek().is_some() && rows.all(|row| row.cfa.is_above(STACK_POINTER));
            return if follows {
                StackPointer::AsItIs
            } else {
                StackPointer::Unknown
            };
        }
        if !llvm(debug, unit) {
            return StackPointer::Unknown;
        }
        match settled(self.entry(), |address, length| image.code_at(address, length)) {
            Some(settled) if self.stands(settled) => StackPointer::Settled(settled),
            None if !self.root.optimised => StackPointer::AsItIs,
            _ => StackPointer::Unknown,
        }
    }

    /// Whether the stack pointer is where the prologue left it, if the expression belongs to a call.
    fn stands(self, settled: Settled) -> bool {
        let Some(address) = self.call else { return true };
        let mut rows = self.pieces().flatten();
        let at_call = rows.find(|row| row.code.contains(&address.wrapping_sub(1)));
        match (settled, at_call.map(|row| row.cfa)) {
            (Settled::Below(settled), Some(Cfa::Above(STACK_POINTER, now))) => now.cast_unsigned() == settled,
            _ => false,
        }
    }

    /// What the tables say of the pieces of the function, those that have an entry.
    fn pieces(self) -> impl Iterator<Item = &'f [Row]> {
        let tables = self.frames.tables.get_or_init(|| {
            let roots = self
                .frames
                .forest
                .nodes
                .iter()
                .filter(|node| node.parent.is_none());
            let mut starts = Vec::from_iter(roots.flat_map(|node| &node.ranges).map(|range| range.start));
            starts.sort_unstable();
            unwinding(self.frames.image, &starts)
        });
        self.root
            .ranges
            .iter()
            .filter_map(|range| tables.get(&range.start).map(Vec::as_slice))
    }

    /// What the tables say of the piece that is called: at its start the CFA is above the return address and nothing else.
    fn entry(self) -> &'f [Row] {
        let is_called = |rows: &&[Row]| {
            rows.first()
                .is_some_and(|row| row.cfa == Cfa::Above(STACK_POINTER, 8))
        };
        self.pieces().find(is_called).unwrap_or_default()
    }
}

impl Cfa {
    fn is_above(self, register: u16) -> bool {
        matches!(self, Cfa::Above(found, _) if found == register)
    }
}

/// How far below the CFA the frame pointer is, if the function has one.
fn frame_pointer(rows: &[Row]) -> Option<u64> {
    let distances = rows.iter().filter_map(|row| match row.cfa {
        Cfa::Above(FRAME_POINTER, distance) => Some(distance),
        _ => None,
    });
    let mut distances = distances.collect::<Vec<_>>();
    distances.dedup();
    match distances[..] {
        [only] => u64::try_from(only).ok(),
        _ => None,
    }
}

/// Where LLVM's prologue leaves the stack pointer. `code` gives so many bytes of the program at an address.
fn settled<'c>(rows: &[Row], code: impl Fn(u64, usize) -> Option<&'c [u8]>) -> Option<Settled> {
    let first = rows.first()?;
    if rows.iter().all(|row| row.cfa.is_above(STACK_POINTER)) {
        let row = rows
            .iter()
            .find(|row| row.saves)
            .or_else(|| rows.iter().find(|row| row.cfa != first.cfa));
        return match row.unwrap_or(first).cfa {
            Cfa::Above(_, distance) => Some(Settled::Below(u64::try_from(distance).ok()?)),
            Cfa::Otherwise => None,
        };
    }
    let made = rows.iter().find(|row| row.cfa.is_above(FRAME_POINTER))?;
    // The longest prologue: five registers of two bytes each, and two instructions of seven.
    let length = usize::try_from(rows.last()?.code.end.checked_sub(made.code.start)?).ok()?;
    let (pushes, mask, size) = aligning(code(made.code.start, length.min(24))?)?;
    let saved = frame_pointer(rows)?.checked_add(8 * pushes)?;
    Some(Settled::Aligned { saved, mask, size })
}

/// `push`es, `and $mask, %rsp`, `sub $size, %rsp`: how many there are, and the two numbers.
fn aligning(code: &[u8]) -> Option<(u64, i64, u64)> {
    let mut rest = code;
    let mut pushes = 0;
    loop {
        rest = match *rest {
            [0x50..=0x57, ..] => &rest[1..],
            [0x41, 0x50..=0x57, ..] => &rest[2..],
            _ => break,
        };
        pushes += 1;
    }
    let (mask, rest) = immediate(rest, 0xe4)?;
    let (size, _) = immediate(rest, 0xec)?;
    // A power of two, and a frame that grows downwards.
    let alignment = mask.checked_neg().filter(|&alignment| alignment > 0)?;
    let size = u64::try_from(size).ok()?;
    (alignment.cast_unsigned().is_power_of_two()).then_some((pushes, mask, size))
}

/// The number that an instruction of 64 bits with the ModR/M byte `operand` has, of one or four bytes, and what follows it.
fn immediate(code: &[u8], operand: u8) -> Option<(i64, &[u8])> {
    match *code {
        [0x48, 0x83, found, number, ref rest @ ..] if found == operand => {
            Some((i64::from(number.cast_signed()), rest))
        }
        [0x48, 0x81, found, a, b, c, d, ref rest @ ..] if found == operand => {
            Some((i64::from(i32::from_le_bytes([a, b, c, d])), rest))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of sixteen bytes each.
    fn rows(rows: &[(u16, i64, bool)]) -> Vec<Row> {
        let row = |(at, &(register, offset, saves)): (u64, &(u16, i64, bool))| Row {
            code: 16 * at..16 * at + 16,
            cfa: Cfa::Above(register, offset),
            saves,
        };
        (0..).zip(rows).map(row).collect()
    }

    fn without_code(table: &[(u16, i64, bool)]) -> Option<Settled> {
        settled(&rows(table), |_, _| None)
    }

    #[test]
    fn arguments_are_pushed_behind_the_prologue() {
        // Two pushes, a frame of 16 bytes, two arguments, and back.
        let saving = [
            (7, 8, false),
            (7, 16, false),
            (7, 24, false),
            (7, 40, true),
            (7, 48, true),
            (7, 56, true),
            (7, 40, true),
            (7, 8, true),
        ];
        assert_eq!(without_code(&saving), Some(Settled::Below(40)));
        let saving_none = [(7, 8, false), (7, 16, false), (7, 24, false), (7, 16, false)];
        assert_eq!(without_code(&saving_none), Some(Settled::Below(16)));
        assert_eq!(without_code(&saving_none[..1]), Some(Settled::Below(8)));
        assert_eq!(without_code(&[]), None);
        // A stack that is probed page by page.
        assert_eq!(
            without_code(&[(7, 8, false), (11, 4104, false), (7, 4112, true)]),
            None
        );
    }

    #[test]
    fn a_frame_that_is_aligned_is_read_from_its_code() {
        // push %r15, push %rbx, and $-64,%rsp, sub $0x100,%rsp.
        let code = [
            0x41, 0x57, 0x53, 0x48, 0x83, 0xe4, 0xc0, 0x48, 0x81, 0xec, 0, 1, 0, 0, 0x90,
        ];
        assert_eq!(aligning(&code), Some((2, -64, 0x100)));
        // Something else in between, no frame, a mask that is none, a cut.
        assert_eq!(aligning(&[0x53, 0x90, 0x48, 0x83, 0xe4, 0xc0]), None);
        assert_eq!(aligning(&code[..7]), None);
        assert_eq!(aligning(&[0x48, 0x83, 0xe4, 0xc1, 0x48, 0x83, 0xec, 0x10]), None);
        assert_eq!(aligning(&code[..12]), None);
        let table = rows(&[
            (7, 8, false),
            (7, 16, false),
            (6, 16, false),
            (6, 16, true),
            (7, 8, true),
        ]);
        let at = |address: u64, length: usize| (address == 32).then(|| &code[..length.min(code.len())]);
        let aligned = Settled::Aligned {
            saved: 32,
            mask: -64,
            size: 0x100,
        };
        assert_eq!(settled(&table, at), Some(aligned));
        assert_eq!(frame_pointer(&table), Some(16));
    }

    #[test]
    fn an_address_is_put_in_terms_of_the_frame() {
        let (cfa, constu, minus) = (
            gimli::DW_OP_call_frame_cfa.0,
            gimli::DW_OP_constu.0,
            gimli::DW_OP_minus.0,
        );
        assert_eq!(Settled::Below(40).address(16), [cfa, constu, 24, minus]);
        assert_eq!(Settled::Below(40).address(40), [cfa]);
        assert_eq!(
            Settled::Below(40).address(48),
            [cfa, gimli::DW_OP_plus_uconst.0, 8]
        );
    }
}
