//! Registers and slots of the stack that hold what another one has held.

use super::decode::{DecodedInstruction, Piece};
use super::file::UnwindEntry;
use super::volatile::{EffectsAt, Made, MadeAt, VolatileCopy, follow};
use crate::registers::{Copy, Operand};
use progress_map::{LocationEffect, MachineLocation};
use std::collections::{BTreeMap, BTreeSet};

/// What a register or slot was made of: a register that calls preserve or a slot, plus a number, and whether that was done in 32 bits.
type Origin = (Operand, i64, bool);

/// Behind which instruction a register that calls do not preserve, as DWARF numbers it, holds the same as a place that they do, and whether that is known of the lower 32 bits alone.
pub(crate) type HeldAlike = BTreeMap<(u64, u8), (MachineLocation, bool)>;

/// What the instructions of a function do to registers that calls preserve, and to its `own` slots, where copies in other registers are looked through:
/// `j = i + 1; if (j == n) break; i = j` adds one to `i`, wherever `j` is. Copies are followed as long as control comes from one
/// instruction to the next; [`volatile`](super::volatile) follows the others.
pub(super) fn with_copies(
    whole: &[(&UnwindEntry, &Piece)],
    jumped_to: &BTreeSet<u64>,
    own: &BTreeMap<i32, usize>,
) -> (EffectsAt, HeldAlike) {
    let mut found = EffectsAt::new();
    let mut alike = HeldAlike::new();
    let (mut volatile, mut made) = (Vec::new(), MadeAt::new());
    let ways_in = ways_in(whole);
    for (_, piece) in whole {
        let mut copied = Copied {
            own,
            known: BTreeMap::new(),
        };
        let mut follows = None;
        for (&address, step) in &piece.steps {
            if follows != Some(address) || jumped_to.contains(&address) {
                copied.known.clear();
            }
            follows = step.falls.then_some(step.end);
            let known = copied.known_behind(step, piece.steps.get(&step.end));
            // Nobody comes to the jump, nor to where it leads, but by this comparison.
            let is_only = |at: u64| ways_in.get(&at) == Some(&1);
            if let Some((at, known)) = known.filter(|&(at, _)| is_only(step.end) && is_only(at)) {
                found.entry(at).or_default().extend(known);
            }
            volatile.extend(copied.volatile_copy(address, step));
            made.extend(copied.made_volatile(address, step));
            let effects = copied.after(step);
            alike.extend(copied.newly_alike(step));
            if !effects.is_empty() {
                found.entry(address).or_default().extend(effects);
            }
        }
    }
    follow(whole, &volatile, &made, &mut found);
    (found, alike)
}

/// By how many ways control comes to an instruction from others of the function, or from elsewhere.
fn ways_in(whole: &[(&UnwindEntry, &Piece)]) -> BTreeMap<u64, usize> {
    let mut ways: BTreeMap<u64, usize> = BTreeMap::new();
    for (frame, piece) in whole {
        let jumps = piece.steps.values().flat_map(|step| step.jumps.iter().copied());
        let falls = piece
            .steps
            .values()
            .filter_map(|step| step.falls.then_some(step.end));
        // An exception may lead to its pad from many calls.
        let pads = piece.pads.iter().flat_map(|pad| [pad.pad, pad.pad]);
        for to in jumps.chain(falls).chain(pads).chain([frame.code.start]) {
            *ways.entry(to).or_default() += 1;
        }
    }
    ways
}

/// Which registers and slots hold what others have held.
struct Copied<'o> {
    own: &'o BTreeMap<i32, usize>,
    known: BTreeMap<Operand, Origin>,
}

impl Copied<'_> {
    /// Whether only instructions that name it change it: a register, or a slot of the stack whose address goes nowhere.
    fn is_own(&self, operand: Operand) -> bool {
        match operand {
            Operand::Register(_) => true,
            Operand::Slot(offset) => self.own.contains_key(&offset),
        }
    }

    fn origin(&self, operand: Operand) -> Option<Origin> {
        let itself = || operand.preserved().map(|_| (operand, 0, false));
        self.known.get(&operand).copied().or_else(itself)
    }

    /// The copy that an instruction makes, if what takes part in it is the function's own.
    fn copy(&self, step: &DecodedInstruction) -> Option<Copy> {
        let copy = step.copies.copy;
        copy.filter(|copy| self.is_own(copy.to) && self.is_own(copy.from))
    }

    /// The copy that an instruction makes out of a register that calls do not preserve, of which it is not known here what it holds.
    fn volatile_copy(&self, at: u64, step: &DecodedInstruction) -> Option<VolatileCopy> {
        let copy = self.copy(step)?;
        let from = match copy.from {
            Operand::Register(from) if copy.from.is_volatile() && self.origin(copy.from).is_none() => from,
            _ => return None,
        };
        Some(VolatileCopy {
            at,
            from,
            to: copy.to.preserved()?,
            add: copy.add,
            half: copy.half,
        })
    }

    /// What an instruction puts into a register that calls do not preserve, with that register.
    fn made_volatile(&self, at: u64, step: &DecodedInstruction) -> Option<((u64, u8), Made)> {
        let is_volatile = |operand: Operand| match operand {
            Operand::Register(number) if operand.is_volatile() => Some(number),
            _ => None,
        };
        if let Some((to, value)) = step.copies.constant {
            return Some(((at, is_volatile(to)?), Made::Effect(LocationEffect::Set(value))));
        }
        let copy = self.copy(step)?;
        let to = is_volatile(copy.to)?;
        let made = match self.origin(copy.from) {
            Some((from, add, half)) => Made::Effect(LocationEffect::Copy {
                from: from.preserved()?,
                add: add.checked_add(copy.add)?,
                half: half || copy.half,
            }),
            None => Made::Of {
                from: is_volatile(copy.from)?,
                add: copy.add,
                half: copy.half,
            },
        };
        Some(((at, to), made))
    }

    /// What is held where control goes on from the jump `next`, which depends on what this step compares, and from which instruction on: the
    /// operand itself, and what it is a copy of.
    fn known_behind(
        &self,
        step: &DecodedInstruction,
        next: Option<&DecodedInstruction>,
    ) -> Option<(u64, Vec<(MachineLocation, LocationEffect)>)> {
        let (equal, next) = (step.copies.equal?, next?);
        let at = match (equal.jumps, &next.jumps[..]) {
            (true, &[target]) => target,
            (false, _) => next.end,
            _ => return None,
        };
        let itself = (equal.operand, 0, false);
        let origin = self.known.get(&equal.operand).copied();
        let same = [Some(itself), origin].into_iter().flatten();
        let same = same.filter(|&(operand, add, _)| add == 0 && self.is_own(operand));
        let known = same.filter_map(|(operand, _, of_copy)| {
            let half = equal.half || of_copy;
            let value = if half {
                equal.value & 0xffff_ffff
            } else {
                equal.value
            };
            Some((operand.preserved()?, LocationEffect::Known { value, half }))
        });
        Some((at, known.collect()))
    }

    /// What an instruction does, in terms of what was there before; then what it has copied is known.
    fn after(&mut self, step: &DecodedInstruction) -> Vec<(MachineLocation, LocationEffect)> {
        let is_own = |location: MachineLocation| match location {
            MachineLocation::Register(_) => true,
            MachineLocation::Slot(offset) => self.own.contains_key(&offset),
        };
        let mut effects = Vec::from_iter(step.effects.iter().copied().filter(|&(to, _)| is_own(to)));
        for (_, effect) in &mut effects {
            if effect.source().is_some_and(|from| !is_own(from)) {
                *effect = LocationEffect::Other;
            }
        }
        let copy = self.copy(step);
        let made = copy.and_then(|copy| {
            let (from, add, half) = self.origin(copy.from)?;
            Some((copy.to, (from, add.checked_add(copy.add)?, half || copy.half)))
        });
        if let Some((to, (from, add, half))) = made
            && let (Some(to), Some(from)) = (to.preserved(), from.preserved())
        {
            let effect = match (to == from, add) {
                (true, 0) => LocationEffect::Other,
                (true, step) => LocationEffect::Add { step, half },
                (false, add) => LocationEffect::Copy { from, add, half },
            };
            if let Some((_, known)) = effects.iter_mut().find(|(location, _)| *location == to) {
                *known = effect;
            }
        }
        for &(operand, bound) in step
            .copies
            .compared
            .iter()
            .filter(|(operand, _)| self.is_own(*operand))
        {
            let of = self.origin(operand).and_then(|(from, ..)| from.preserved());
            effects.extend(of.map(|location| (location, bound)));
        }
        for slot in step.stack.spoils(self.own) {
            let location = MachineLocation::Slot(slot);
            match effects.iter_mut().find(|(known, _)| *known == location) {
                Some((_, effect)) => *effect = LocationEffect::Other,
                None => effects.push((location, LocationEffect::Other)),
            }
        }
        self.forget(step);
        if let Some((to, origin)) = made.filter(|(to, (from, ..))| to != from) {
            self.known.insert(to, origin);
        }
        // What was copied as it is holds the same as the copy.
        if let Some(copy) = copy.filter(|copy| copy.add == 0 && copy.from.preserved().is_none())
            && copy.to.preserved().is_some()
        {
            self.known.insert(copy.from, (copy.to, 0, copy.half));
        }
        effects
    }

    /// The register that calls do not preserve and the place that hold the same since an instruction has copied one to the other.
    fn newly_alike(&self, step: &DecodedInstruction) -> Option<((u64, u8), (MachineLocation, bool))> {
        let copy = self.copy(step)?;
        let volatile = [copy.to, copy.from]
            .into_iter()
            .find(|operand| operand.is_volatile())?;
        let &(alike, add, half) = self.known.get(&volatile)?;
        match (volatile.location(), add) {
            (MachineLocation::Register(number), 0) => Some(((step.end, number), (alike.preserved()?, half))),
            _ => None,
        }
    }

    /// What an instruction changes holds no copy any more, nor are there copies of it.
    fn forget(&mut self, step: &DecodedInstruction) {
        // A call preserves some registers and leaves anything in the others.
        let changed = if step.call.is_some() {
            !PRESERVED
        } else {
            step.copies.changed
        };
        let slots = step.effects.iter().filter_map(|(location, _)| match location {
            MachineLocation::Slot(offset) => Some(*offset),
            MachineLocation::Register(_) => None,
        });
        let slots = Vec::from_iter(slots.chain(step.stack.spoils(self.own)));
        let is_changed = |operand: Operand| match operand {
            Operand::Register(number) => changed >> number & 1 == 1,
            Operand::Slot(offset) => slots.contains(&offset),
        };
        self.known
            .retain(|&copy, &mut (from, ..)| !is_changed(copy) && !is_changed(from));
    }
}

/// One bit for each register that calls preserve, by the numbers of the instruction set: rbx, rsp, rbp, r12 to r15.
pub(super) const PRESERVED: u16 = 0b1111_0000_0011_1000;
