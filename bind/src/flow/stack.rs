//! Slots of the stack that a function keeps numbers in while it calls others, when it has no register left for them.
//!
//! The unwind tables say at every instruction how far the stack pointer, or the frame pointer, is from the canonical frame address (CFA), so an
//! operand relative to them is a slot at a fixed distance from the CFA. Nobody but the function writes to a slot whose address has gone
//! nowhere. It may have gone somewhere if the address of what is at or below the slot was computed: an object that begins there may extend
//! to it. Objects above it cannot: C has no pointers to what is in front of an object. One slot may hold several things one after the other, also
//! of different sizes: what writes to a part of it, or to more than it, leaves another value in it.

use super::decode::Piece;
use super::file::UnwindEntry;
use crate::unwinding::{Cfa, Row};
use iced_x86::{Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register, UsedMemory};
use std::collections::BTreeMap;

/// The numbers of DWARF.
const STACK_POINTER: u16 = 7;
const FRAME_POINTER: u16 = 6;

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
    /// The lowest address that it computes, or writes to at a distance that is not fixed.
    escapes: Option<i64>,
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

    /// Where a register points to: `None` if that is not into the frame, `Some(None)` if it is not known where.
    fn pointer(&self, register: Register) -> Option<Option<i64>> {
        match register {
            Register::RSP => Some(self.stack_pointer),
            Register::RBP => self.frame_pointer.map(Some),
            _ => None,
        }
    }

    /// The slot that the memory operand of an instruction is, by its distance from the CFA.
    pub(crate) fn slot(&self, instruction: &Instruction) -> Option<i32> {
        let is_plain = instruction.memory_index() == Register::None;
        let base = self.pointer(instruction.memory_base()).filter(|_| is_plain)??;
        offset(base, instruction.memory_displacement64())
    }

    /// The slot that an access is to.
    pub(crate) fn slot_of(&self, used: &UsedMemory) -> Option<i32> {
        let base = self
            .pointer(used.base())
            .filter(|_| used.index() == Register::None)??;
        offset(base, used.displacement())
    }

    /// What an instruction does with the frame.
    pub(super) fn use_by(&self, factory: &mut InstructionInfoFactory, instruction: &Instruction) -> StackUse {
        let mut found = StackUse::default();
        let mut escape = |at: Option<i64>| {
            // Where it is not known what is meant, it may be anything.
            let at = at.unwrap_or(i64::MIN);
            found.escapes = Some(found.escapes.map_or(at, |known| known.min(at)));
        };
        let to_stack_pointer = instruction.op_count() > 0
            && instruction.op0_kind() == OpKind::Register
            && instruction.op0_register() == Register::RSP;
        match instruction.mnemonic() {
            _ if to_stack_pointer && instruction.mnemonic() != Mnemonic::Push => {}
            Mnemonic::Lea => {
                if let Some(base) = self.pointer(instruction.memory_base()) {
                    escape(base.and_then(|base| far_offset(base, instruction.memory_displacement64())));
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
                        escape(base);
                    }
                }
            }
        }
        for used in factory.info(instruction).used_memory() {
            let writes = !matches!(
                used.access(),
                OpAccess::None | OpAccess::NoMemAccess | OpAccess::Read | OpAccess::CondRead
            );
            let Some(base) = self.pointer(used.base()).filter(|_| writes) else {
                continue;
            };
            let start = base.and_then(|base| far_offset(base, used.displacement()));
            match start {
                Some(start) if used.index() == Register::None => {
                    // Below the stack pointer nothing is kept.
                    let is_kept = used.base() != Register::RSP || used.displacement().cast_signed() >= 0;
                    found.written.push((start, used.memory_size().size(), is_kept));
                }
                start => escape(start),
            }
        }
        found
    }
}

fn far_offset(base: i64, displacement: u64) -> Option<i64> {
    base.checked_add(displacement.cast_signed())
}

fn offset(base: i64, displacement: u64) -> Option<i32> {
    i32::try_from(far_offset(base, displacement)?).ok()
}

/// The slots of a function that it alone writes to, of 4 or 8 bytes, by the first byte; the size is that of the largest thing that is kept there.
pub(super) fn own_slots(whole: &[(&UnwindEntry, &Piece)]) -> BTreeMap<i32, usize> {
    let uses = || {
        whole
            .iter()
            .flat_map(|(_, piece)| piece.steps.values().map(|step| &step.stack))
    };
    let limit = uses().filter_map(|used| used.escapes).min().unwrap_or(0).min(0);
    let mut found: BTreeMap<i32, usize> = BTreeMap::new();
    for &(start, bytes, is_kept) in uses().flat_map(|used| &used.written) {
        let size = i64::try_from(bytes).unwrap_or(i64::MAX);
        if let (true, 4 | 8, Ok(slot)) = (is_kept, bytes, i32::try_from(start))
            && start.saturating_add(size) <= limit
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
