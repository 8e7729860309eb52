//! The flow of machine code: which stretch of it may follow which, and what changes the registers that calls preserve.
//!
//! Debug info says where code comes from in the source, and of optimised code it says that vaguely. The instructions themselves
//! say exactly what may be executed after what. With them two tasks in one function can be put in order even where their lines
//! mean nothing any more.

use std::collections::BTreeMap;

/// The code of one program or shared object, as far as it could be decoded. A function that could not be is left out whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineCode {
    /// Stretches of instructions of which none but the first is jumped to and none but the last jumps or calls; sorted by
    /// `start`, not overlapping.
    pub blocks: Vec<CodeBlock>,
    /// What may follow what, sorted, none twice.
    pub ways: Vec<CodeWay>,
    /// What changes or compares registers that calls preserve and slots of the stack, sorted by block, one block each: such an
    /// instruction is a block of its own.
    pub changes: Vec<LocationChange>,
    /// Which functions of this code are called directly, sorted by block, one for each block at most.
    pub calls: Vec<CodeCall>,
    /// Calls by address of functions that have no blocks, mostly because they call nobody; sorted by block, one for each at most. Only those of functions with a
    /// decisive call ([`crate::DecisiveCall`]): nobody else asks.
    pub leaf_calls: Vec<LeafCall>,
}

/// Instructions that are executed one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeBlock {
    /// Address of the first, as linked.
    pub start: u64,
    /// Address after the last.
    pub end: u64,
    /// The function: the number of the first of its blocks. A function may be in several pieces.
    pub function: u32,
    /// The last of them makes a call that may come to MPI, or that is not known.
    pub communicates: bool,
}

/// One block may follow another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodeWay {
    /// The number of the first.
    pub from: u32,
    /// The number of the one that may follow.
    pub to: u32,
    /// It does in some run, as far as the code tells. Otherwise `from` ends in a call that may never return, and `to` may be
    /// reached by other ways alone; or it leaves the function by a jump, and what that leads to may jump to the function again.
    pub certain: bool,
}

/// A block ends in a call of a function by its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodeCall {
    /// The block.
    pub block: u32,
    /// The function that is entered by it, as [`CodeBlock::function`] numbers it.
    pub callee: u32,
}

/// A block ends in a call of a function that calls nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeafCall {
    /// The block.
    pub block: u32,
    /// The first address of the function that is entered by it.
    pub callee: u64,
}

/// Where a function keeps a number: while it calls others, or from one instruction to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MachineLocation {
    /// A register, as DWARF numbers it. Those that calls preserve are 3 (rbx), 6 (rbp) and 12 to 15; of the others only those changes are
    /// listed from which a value comes to a listed [`LocationEffect::Copy`], so what they hold is known there alone.
    Register(u8),
    /// A slot of its own frame, which nobody else writes to: so many bytes from the canonical frame address (CFA), below 0. It has 4 bytes
    /// if its effects are of the lower half, else 8.
    Slot(i32),
}

impl MachineLocation {
    /// Whether calls leave it as it is, so that it can still be read while they last.
    pub fn is_preserved(self) -> bool {
        match self {
            Self::Register(number) => matches!(number, 3 | 6 | 12..=15),
            Self::Slot(_) => true,
        }
    }
}

/// An instruction that has to do with such a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LocationChange {
    /// The block that consists of the instruction.
    pub block: u32,
    /// The place.
    pub location: MachineLocation,
    /// What becomes of it.
    pub effect: LocationEffect,
}

/// What an instruction does to a register or slot, or learns of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LocationEffect {
    /// It gets this value.
    Set(i64),
    /// This is added to it; if `half`, to its lower 32 bits, and the upper ones become zero.
    Add {
        /// What is added; not 0.
        step: i64,
        /// The lower 32 bits alone take part.
        half: bool,
    },
    /// What another place holds is added to it; if `half`, to its lower 32 bits, and the upper ones become zero.
    AddHeld {
        /// The other place.
        from: MachineLocation,
        /// The lower 32 bits alone take part.
        half: bool,
    },
    /// It gets what another place holds, and this more.
    Copy {
        /// The other place.
        from: MachineLocation,
        /// What is added; may be 0.
        add: i64,
        /// The lower 32 bits alone take part, and the upper ones become zero.
        half: bool,
    },
    /// It gets some other value.
    Other,
    /// It is kept as it is, and does not begin anew with 0 while control comes by here: it is held against something, and the jump that
    /// follows depends on that; or it holds a variable whose type has a sign, which the language forbids to leave its type.
    Bounded {
        /// This is known of the lower 32 bits.
        half: bool,
        /// Larger steps than 1 do not pass the bound unseen.
        steps: bool,
    },
    /// It is kept as it is, and holds this before the block is executed: the jump that leads here was taken because it does.
    Known {
        /// What it holds.
        value: i64,
        /// This is known of the lower 32 bits.
        half: bool,
    },
}

impl LocationEffect {
    /// Whether the instruction may be what counts in a loop.
    pub fn counts(self) -> bool {
        matches!(self, Self::Add { .. } | Self::AddHeld { .. } | Self::Copy { .. })
    }

    /// Whether another value may be there afterwards.
    pub fn changes(self) -> bool {
        !matches!(self, Self::Bounded { .. } | Self::Known { .. })
    }

    /// The other place that takes part.
    pub fn source(self) -> Option<MachineLocation> {
        match self {
            Self::Copy { from, .. } | Self::AddHeld { from, .. } => Some(from),
            _ => None,
        }
    }

    /// Whether the lower 32 bits alone take part; `None` where that makes no difference.
    pub fn is_half(self) -> Option<bool> {
        match self {
            Self::Add { half, .. } | Self::AddHeld { half, .. } | Self::Copy { half, .. } => Some(half),
            _ => None,
        }
    }
}

impl MachineCode {
    /// The block that an address lies in.
    pub fn block_at(&self, address: u64) -> Option<u32> {
        let after = self.blocks.partition_point(|block| block.start <= address);
        let at = after.checked_sub(1)?;
        let block = self.blocks.get(at).filter(|block| address < block.end)?;
        (block.start <= address).then_some(u32::try_from(at).ok()?)
    }

    /// What each function counts with and calls preserve, by the function's number, and whether that is in the lower 32 bits.
    pub fn counted(&self) -> BTreeMap<u32, BTreeMap<MachineLocation, bool>> {
        let mut found: BTreeMap<u32, BTreeMap<MachineLocation, bool>> = BTreeMap::new();
        for change in &self.changes {
            let Some(block) = self.blocks.get(change.block as usize) else {
                continue;
            };
            let counts = change.effect.counts().then_some(change.location);
            let held = match change.effect {
                LocationEffect::AddHeld { from, .. } => Some(from),
                _ => None,
            };
            let counted = counts.into_iter().chain(held);
            for location in counted.filter(|location| location.is_preserved()) {
                let of_function = found.entry(block.function).or_default();
                let half = of_function.entry(location).or_insert(true);
                *half &= change.effect.is_half().unwrap_or(true);
            }
        }
        found
    }

    /// What may follow a block.
    pub fn ways_from(&self, block: u32) -> &[CodeWay] {
        let first = self.ways.partition_point(|way| way.from < block);
        let count = self.ways[first..].partition_point(|way| way.from == block);
        &self.ways[first..first + count]
    }

    /// The function that the call at the end of a block enters, if the block ends in a call of one by its address.
    pub fn callee_of(&self, block: u32) -> Option<u32> {
        let at = self.calls.binary_search_by_key(&block, |call| call.block).ok()?;
        Some(self.calls[at].callee)
    }

    /// What a block does to registers and slots.
    pub fn changes_of(&self, block: u32) -> &[LocationChange] {
        let first = self.changes.partition_point(|change| change.block < block);
        let count = self.changes[first..].partition_point(|change| change.block == block);
        &self.changes[first..first + count]
    }
}
