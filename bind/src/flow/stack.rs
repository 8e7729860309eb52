//! Slots of the stack that a function keeps numbers in while it calls others, when it has no register left for them.
//!
//! The unwind tables say at every instruction how far the stack pointer, or the frame pointer, is from the canonical frame address (CFA), so an
//! operand relative to them is a slot at a fixed distance from the CFA. Nobody but the function writes to a slot whose address has gone
//! nowhere. It may have gone somewhere if the address of what is at or below the slot was computed: an object that begins there may extend
//! to it; with an index, it may begin anywhere. Objects above it cannot: C has no pointers to what is in front of an object.
//! Where debug info tells which variables are in memory, and how large they are ([`objects`](crate::objects)), an address in one of them leads nowhere else, whatever is added
//! to it, and a slot is of none of them.
//!
//! A function whose frame has a part of variable size (arrays of variable length, `alloca`, arguments that are pushed beside a frame pointer) has that part
//! below all else, and reaches it by the stack pointer alone: what is addressed so is no slot, which the frame pointer leads to, and what begins there ends below the slots. Not so where the
//! function aligns the stack pointer itself, as compilers do where something needs more than the ABI's alignment: then variables are reached by the stack pointer, too.
//!
//! One slot may hold several things one after the other, also of different sizes: what writes to a part of it, or to more than it, leaves another value in it.

use super::decode::Piece;
use super::file::UnwindEntry;
use crate::stack::{FRAME_POINTER, STACK_POINTER};
use crate::unwinding::{Cfa, Row};
use iced_x86::{Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register, UsedMemory};
use std::collections::BTreeMap;
use std::ops::Range;

/// Where the pointers into the frame are while an instruction is executed, in bytes from the CFA, as far as that is known.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FrameAt {
    stack_pointer: Option<i64>,
    frame_pointer: Option<i64>,
    /// The function has a frame pointer somewhere.
    sets_frame_pointer: bool,
}

/// What an instruction does with the frame, other than reading from it.
#[derive(Clone, Debug, Default)]
pub(super) struct StackUse {
    /// What it writes: the first byte, how many, and whether that may be a slot.
    written: Vec<(i64, usize, bool)>,
    /// The addresses that it computes, or writes to at a distance that is not fixed.
    escapes: Vec<Pointer>,
    /// It aligns the stack pointer.
    aligns: bool,
}

/// Where a register that points into the frame points to.
#[derive(Clone, Copy, Debug)]
enum Pointer {
    /// So many bytes from the CFA.
    At(i64),
    /// Below all that has a fixed place, unless the function aligns the stack pointer.
    BelowFrame,
    /// An index away from so many bytes from the CFA.
    Indexed(i64),
    /// Nobody can tell.
    Unknown,
}

impl FrameAt {
    /// At `address`, by the rows of the function's unwind table, which are sorted.
    pub(super) fn new(rows: &[Row], address: u64) -> Self {
        let sets_frame_pointer = rows
            .iter()
            .any(|row| matches!(row.cfa, Cfa::Above(FRAME_POINTER, _)));
        let at = rows.partition_point(|row| row.code.end <= address);
        let row = rows.get(at).filter(|row| row.code.contains(&address));
        let mut frame = Self {
            sets_frame_pointer,
            ..Self::default()
        };
        match row.map(|row| row.cfa) {
            Some(Cfa::Above(STACK_POINTER, distance)) => frame.stack_pointer = distance.checked_neg(),
            Some(Cfa::Above(FRAME_POINTER, distance)) => frame.frame_pointer = distance.checked_neg(),
            _ => {}
        }
        frame
    }

    /// Where a register points to: `None` if that is not into the frame.
    fn pointer(&self, register: Register) -> Option<Pointer> {
        match register {
            Register::RSP => Some(match (self.stack_pointer, self.frame_pointer) {
                (Some(distance), _) => Pointer::At(distance),
                (None, Some(_)) => Pointer::BelowFrame,
                (None, None) => Pointer::Unknown,
            }),
            Register::RBP => self.frame_pointer.map(Pointer::At),
            _ => None,
        }
    }

    /// Where an address of these parts points to: `None` if that is not into the frame.
    fn address(&self, base: Register, index: Register, displacement: u64) -> Option<Pointer> {
        if let Some(into) = self.pointer(index) {
            return Some(into.computed_with());
        }
        let into = self.pointer(base)?.moved(displacement);
        Some(match (index, into) {
            (Register::None, into) => into,
            (_, Pointer::At(at)) => Pointer::Indexed(at),
            (_, into) => into.computed_with(),
        })
    }

    /// The slot at an address of these parts, by its distance from the CFA.
    fn fixed(&self, base: Register, index: Register, displacement: u64) -> Option<i32> {
        match self.address(base, index, displacement)? {
            Pointer::At(at) => i32::try_from(at).ok(),
            Pointer::BelowFrame | Pointer::Indexed(_) | Pointer::Unknown => None,
        }
    }

    /// The slot that the memory operand of an instruction is, by its distance from the CFA.
    pub(crate) fn slot(&self, instruction: &Instruction) -> Option<i32> {
        self.fixed(
            instruction.memory_base(),
            instruction.memory_index(),
            instruction.memory_displacement64(),
        )
    }

    /// The slot that an access is to.
    pub(crate) fn slot_of(&self, used: &UsedMemory) -> Option<i32> {
        self.fixed(used.base(), used.index(), used.displacement())
    }

    /// What an instruction does with the frame.
    pub(super) fn use_by(&self, factory: &mut InstructionInfoFactory, instruction: &Instruction) -> StackUse {
        let mut found = StackUse::default();
        let to_stack_pointer = instruction.op_count() > 0
            && instruction.op0_kind() == OpKind::Register
            && instruction.op0_register() == Register::RSP;
        match instruction.mnemonic() {
            mnemonic if to_stack_pointer && mnemonic != Mnemonic::Push => {
                found.aligns = mnemonic == Mnemonic::And;
            }
            Mnemonic::Lea => {
                let (base, index) = (instruction.memory_base(), instruction.memory_index());
                if let Some(address) = self.address(base, index, instruction.memory_displacement64()) {
                    found.escapes.push(address);
                }
            }
            mnemonic => {
                let first = u32::from(mnemonic != Mnemonic::Push);
                for at in first..instruction.op_count() {
                    if instruction.op_kind(at) != OpKind::Register {
                        continue;
                    }
                    let register = instruction.op_register(at);
                    let sets_frame_pointer = self.sets_frame_pointer
                        && mnemonic == Mnemonic::Mov
                        && register == Register::RSP
                        && instruction.op0_kind() == OpKind::Register
                        && instruction.op0_register() == Register::RBP;
                    if let Some(base) = self.pointer(register)
                        && !sets_frame_pointer
                    {
                        // What is made of the register is known only where it is copied as it is; nothing begins at the frame pointer, so that a copy of it is on the way to something lower.
                        let is_whole = mnemonic == Mnemonic::Mov && register == Register::RSP;
                        found
                            .escapes
                            .push(if is_whole { base } else { base.computed_with() });
                    }
                }
            }
        }
        for used in factory.info(instruction).used_memory() {
            let writes = !matches!(
                used.access(),
                OpAccess::None | OpAccess::NoMemAccess | OpAccess::Read | OpAccess::CondRead
            );
            let address = self.address(used.base(), used.index(), used.displacement());
            match address.filter(|_| writes) {
                Some(Pointer::At(start)) => {
                    // Below the stack pointer nothing is kept.
                    let is_kept = used.base() != Register::RSP || used.displacement().cast_signed() >= 0;
                    found.written.push((start, used.memory_size().size(), is_kept));
                }
                Some(address) => found.escapes.push(address),
                None => {}
            }
        }
        found
    }
}

impl Pointer {
    /// What is made of it and of a number that is not known, which may be negative: compilers let an index end at zero, and begin an object so much lower.
    fn computed_with(self) -> Self {
        match self {
            Self::At(_) | Self::Indexed(_) | Self::Unknown => Self::Unknown,
            // All of that is below the frame.
            Self::BelowFrame => Self::BelowFrame,
        }
    }

    /// So many bytes further.
    fn moved(self, displacement: u64) -> Self {
        match self {
            Self::At(base) => base
                .checked_add(displacement.cast_signed())
                .map_or(Self::Unknown, Self::At),
            Self::BelowFrame | Self::Indexed(_) | Self::Unknown => self,
        }
    }
}

/// The variables of a function that are in memory, as far as debug info tells of them.
struct Objects<'w> {
    /// One list for each piece of its code.
    lists: Option<Vec<&'w [Range<i64>]>>,
}

impl<'w> Objects<'w> {
    fn of(whole: &[(&'w UnwindEntry, &Piece)]) -> Self {
        let lists = whole.iter().map(|(entry, _)| entry.objects.as_deref());
        Self {
            lists: lists.collect(),
        }
    }

    fn overlap(&self, slot: Range<i64>) -> bool {
        let mut all = self.lists.iter().flatten().flat_map(|list| *list);
        all.any(|object| object.start < slot.end && slot.start < object.end)
    }

    /// The first byte of the frame that may be reached from an address that goes somewhere; `None` if nothing but a variable is.
    fn limit(&self, escape: Pointer) -> Option<i64> {
        match escape {
            Pointer::At(at) | Pointer::Indexed(at) if self.overlap(at..at.saturating_add(1)) => None,
            Pointer::BelowFrame => None,
            Pointer::At(at) => Some(at),
            Pointer::Indexed(_) | Pointer::Unknown => Some(i64::MIN),
        }
    }
}

/// The slots of a function that it alone writes to, of 4 or 8 bytes, by the first byte; the size is that of the largest thing that is kept there.
pub(super) fn own_slots(whole: &[(&UnwindEntry, &Piece)]) -> BTreeMap<i32, usize> {
    let uses = || {
        whole
            .iter()
            .flat_map(|(_, piece)| piece.steps.values().map(|step| &step.stack))
    };
    let escapes = || uses().flat_map(|used| &used.escapes);
    let is_below_frame = |escape: &Pointer| matches!(escape, Pointer::BelowFrame);
    if uses().any(|used| used.aligns) && escapes().any(is_below_frame) {
        return BTreeMap::new();
    }
    let objects = Objects::of(whole);
    let limit = escapes()
        .filter_map(|&escape| objects.limit(escape))
        .min()
        .unwrap_or(0)
        .min(0);
    let mut found: BTreeMap<i32, usize> = BTreeMap::new();
    for &(start, bytes, is_kept) in uses().flat_map(|used| &used.written) {
        let size = i64::try_from(bytes).unwrap_or(i64::MAX);
        if let (true, 4 | 8, Ok(slot)) = (is_kept, bytes, i32::try_from(start))
            && start.saturating_add(size) <= limit
            && !objects.overlap(start..start.saturating_add(size))
        {
            let known = found.entry(slot).or_default();
            *known = bytes.max(*known);
        }
    }
    found
}

impl StackUse {
    /// The slots of which an instruction writes some bytes, but not just what is kept there.
    pub(super) fn spoils<'s>(&'s self, own: &'s BTreeMap<i32, usize>) -> impl Iterator<Item = i32> + 's {
        self.written.iter().flat_map(move |&(start, bytes, is_kept)| {
            let end = start.saturating_add(i64::try_from(bytes).unwrap_or(i64::MAX));
            let bound = |at: i64| i32::try_from(at).unwrap_or(if at < 0 { i32::MIN } else { i32::MAX });
            let near = own.range(bound(start.saturating_sub(7))..bound(end));
            let is_hit = move |&(&slot, &size): &(&i32, &usize)| {
                let past = i64::from(slot).saturating_add(i64::try_from(size).unwrap_or(i64::MAX));
                past > start && !(is_kept && i64::from(slot) == start && matches!(bytes, 4 | 8))
            };
            near.filter(is_hit).map(|(&slot, _)| slot)
        })
    }
}
