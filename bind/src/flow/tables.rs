//! Jumps to computed addresses: what a `switch` becomes.

use super::decode::{Piece, Undecodable};
use super::file::{File, UnwindEntry};
use iced_x86::{Instruction, Mnemonic, OpKind, Register};
use std::collections::BTreeSet;
use std::ops::Range;

/// So many entries a table of jumps has at most.
const MOST_ENTRIES: usize = 100_000;

/// Tables of jumps: what a `switch` becomes.
#[derive(Default)]
pub(super) struct Tables {
    /// Addresses of data that instructions compute or use as a table.
    pub(super) relative: BTreeSet<u64>,
    pub(super) absolute: BTreeSet<u64>,
    /// Jumps to computed addresses.
    pub(super) jumps: Vec<u64>,
    /// Where the tables that are known lead.
    pub(super) targets: BTreeSet<u64>,
}

impl Tables {
    pub(super) fn note(&mut self, file: &File<'_, '_>, instruction: &Instruction) {
        let is_data = |address: &u64| !file.image.is_code(*address) && file.image.is_loaded(*address);
        if instruction.mnemonic() == Mnemonic::Lea && instruction.is_ip_rel_memory_operand() {
            self.relative
                .extend(Some(instruction.ip_rel_memory_address()).filter(is_data));
        }
        let has_memory = (0..instruction.op_count()).any(|at| instruction.op_kind(at) == OpKind::Memory);
        if has_memory
            && instruction.memory_base() == Register::None
            && instruction.memory_index() != Register::None
            && instruction.memory_index_scale() == 8
        {
            self.absolute
                .extend(Some(instruction.memory_displacement64()).filter(is_data));
        }
    }

    /// Finds where jumps to computed addresses lead. Whether there is more to decode.
    ///
    /// # Errors
    /// A table cannot be told from what follows it.
    pub(super) fn resolve(
        &mut self,
        file: &File<'_, '_>,
        frame: &UnwindEntry,
        piece: &mut Piece,
        work: &mut Vec<u64>,
    ) -> Result<bool, Undecodable> {
        if self.jumps.is_empty() {
            return Ok(false);
        }
        let mut targets = BTreeSet::new();
        // Where another table or a text begins, this one has ended.
        let next = |table: u64| {
            let data = [&self.relative, &self.absolute];
            let next = data.map(|data| data.range(table + 1..).next().copied());
            next.into_iter().flatten().min().unwrap_or(u64::MAX)
        };
        for &table in &self.relative {
            let entry = |bytes: [u8; 4]| table.wrapping_add_signed(i32::from_le_bytes(bytes).into());
            entries(file, frame, table..next(table), &entry, &mut targets)?;
        }
        for &table in &self.absolute {
            entries(file, frame, table..next(table), &u64::from_le_bytes, &mut targets)?;
        }
        for &jump in &self.jumps {
            if let Some(step) = piece.steps.get_mut(&jump) {
                step.jumps = targets.iter().copied().collect();
                step.jumps_anywhere = targets.is_empty();
                if step.is_of_table && !targets.is_empty() {
                    step.may_leave = None;
                }
            }
        }
        if targets == self.targets {
            return Ok(false);
        }
        work.extend(targets.iter().filter(|target| frame.code.contains(target)));
        self.targets = targets;
        Ok(true)
    }
}

/// Whether a computed jump leads to an entry of a table for certain, and not to a function that somebody has the address of: its address is read from memory by
/// an index, as it is, or as the distance from where the table begins. The instructions in front of it say so.
pub(super) fn is_of_table(
    second_last: Option<&Instruction>,
    last: Option<&Instruction>,
    jump: &Instruction,
) -> bool {
    let is_entry = |instruction: &Instruction, base: Register, size: u32| {
        let index = instruction.memory_index();
        instruction.memory_base() == base
            && index != Register::None
            && instruction.memory_index_scale() == size
    };
    if jump.op0_kind() == OpKind::Memory {
        return is_entry(jump, Register::None, 8);
    }
    let (Some(read), Some(sum)) = (second_last, last) else {
        return false;
    };
    let target = jump.op0_register();
    let is_sum = sum.mnemonic() == Mnemonic::Add
        && sum.op0_kind() == OpKind::Register
        && sum.op1_kind() == OpKind::Register
        && sum.op0_register() == target;
    let is_distance = read.mnemonic() == Mnemonic::Movsxd
        && read.op0_register() == target
        && read.op1_kind() == OpKind::Memory
        && read.memory_displacement64() == 0;
    is_sum && is_distance && is_entry(read, sum.op1_register(), 4)
}

/// Reads a table of jumps up to the first entry that leads out of the function.
pub(super) fn entries<const N: usize>(
    file: &File<'_, '_>,
    frame: &UnwindEntry,
    table: Range<u64>,
    target: &dyn Fn([u8; N]) -> u64,
    found: &mut BTreeSet<u64>,
) -> Result<(), Undecodable> {
    let Some(bytes) = file.image.bytes_from(table.start) else {
        return Ok(());
    };
    let length = usize::try_from(table.end - table.start).unwrap_or(usize::MAX);
    let bytes = &bytes[..length.min(bytes.len())];
    let belongs = |address: u64| {
        let cold = || {
            let at = file.frame_at(address)?;
            Some(file.names.cold.contains(&file.frames[at].code.start))
        };
        frame.code.contains(&address) || cold().unwrap_or(false)
    };
    for (at, entry) in bytes.as_chunks::<N>().0.iter().enumerate() {
        let address = target(*entry);
        if !belongs(address) {
            return Ok(());
        }
        if at == MOST_ENTRIES {
            return Err(Undecodable);
        }
        found.insert(address);
    }
    Ok(())
}
