//! Counters that pass through registers which calls do not preserve.
//!
//! Compilers have a number in such a register where ways join: clang begins a loop with `i` in `eax`, which is 1 on the way in and `r13 + 1` on the
//! way back, and moves it to `r13` then. So a copy out of such a register is followed back to all instructions that may have made what it
//! copies. If each of them puts in a constant, or what a register that calls preserve or a slot holds and some number more, all of
//! these are effects of the function; if one does not, nothing is known of the copy, and nothing is listed.
//!
//! What else is done to such a register is not listed. Whoever follows it forwards may therefore believe that it holds what it no longer does,
//! but never at a copy that is listed: the last change before that is listed, on each way.

use super::decode::{DecodedInstruction, Piece};
use super::file::UnwindEntry;
use crate::registers::Operand;
use progress_map::{LocationEffect, MachineLocation};
use std::collections::{BTreeMap, BTreeSet};

/// A copy of what a register holds that calls do not preserve.
#[derive(Clone, Copy, Debug)]
pub(super) struct VolatileCopy {
    /// The instruction.
    pub(super) at: u64,
    /// The register, by its number in the instruction set.
    pub(super) from: u8,
    /// Where it goes: a register that calls preserve, or a slot.
    pub(super) to: MachineLocation,
    pub(super) add: i64,
    pub(super) half: bool,
}

/// What an instruction puts into a register that calls do not preserve.
#[derive(Clone, Copy, Debug)]
pub(super) enum Made {
    /// A constant, or what is held by a place that calls preserve, and some number more.
    Effect(LocationEffect),
    /// What another such register holds, or itself, and this more.
    Of { from: u8, add: i64, half: bool },
}

/// By instruction and register, what the one puts into the other.
pub(super) type MadeAt = BTreeMap<(u64, u8), Made>;

/// By instruction, what it does to the locations of a function.
pub(super) type EffectsAt = BTreeMap<u64, Vec<(MachineLocation, LocationEffect)>>;

/// Adds to the effects of a function those copies whose values are known, with the instructions that made the values.
pub(super) fn follow(
    whole: &[(&UnwindEntry, &Piece)],
    copies: &[VolatileCopy],
    made: &MadeAt,
    effects: &mut EffectsAt,
) {
    if copies.is_empty() {
        return;
    }
    let code = Code::new(whole);
    for copy in copies {
        let Some(makers) = code.makers(copy.from, copy.at, made) else {
            continue;
        };
        let taken = LocationEffect::Copy {
            from: Operand::Register(copy.from).location(),
            add: copy.add,
            half: copy.half,
        };
        put(effects, copy.at, copy.to, taken);
        for ((at, register), made) in makers {
            let location = Operand::Register(register).location();
            let effect = match made {
                Made::Effect(effect) => effect,
                Made::Of {
                    from,
                    add: step,
                    half,
                } if from == register => LocationEffect::Add { step, half },
                Made::Of { from, add, half } => LocationEffect::Copy {
                    from: Operand::Register(from).location(),
                    add,
                    half,
                },
            };
            put(effects, at, location, effect);
        }
    }
}

/// Says of a location what an instruction does to it, in the place of what was said of it before.
fn put(effects: &mut EffectsAt, at: u64, location: MachineLocation, effect: LocationEffect) {
    let here = effects.entry(at).or_default();
    let known = |&&mut (known, effect): &&mut (MachineLocation, LocationEffect)| {
        known == location && effect.changes()
    };
    match here.iter_mut().find(known) {
        Some((_, known)) => *known = effect,
        None => here.push((location, effect)),
    }
}

/// A function's instructions, with those that control comes from.
struct Code<'w> {
    steps: BTreeMap<u64, &'w DecodedInstruction>,
    /// By instruction: those of the function from which control comes to it.
    before: BTreeMap<u64, Vec<u64>>,
    /// Where control also comes from elsewhere: the start of the function, and where exceptions land.
    entered: BTreeSet<u64>,
}

impl<'w> Code<'w> {
    fn new(whole: &[(&'w UnwindEntry, &'w Piece)]) -> Self {
        let mut code = Self {
            steps: BTreeMap::new(),
            before: BTreeMap::new(),
            entered: BTreeSet::new(),
        };
        for (frame, piece) in whole {
            code.entered.insert(frame.code.start);
            code.entered.extend(piece.pads.iter().map(|pad| pad.pad));
            for (&at, step) in &piece.steps {
                code.steps.insert(at, step);
                let falls = step.falls.then_some(step.end);
                for to in step.jumps.iter().copied().chain(falls) {
                    code.before.entry(to).or_default().push(at);
                }
            }
        }
        code
    }

    /// The instructions that may have made what a register holds in front of an instruction, and what takes part in that; `None` if one of them
    /// makes something else of it.
    fn makers(&self, register: u8, at: u64, made: &MadeAt) -> Option<MadeAt> {
        let mut found = MadeAt::new();
        let mut seen = BTreeSet::new();
        let mut work = vec![(register, at)];
        while let Some((register, at)) = work.pop() {
            if !seen.insert((register, at)) {
                continue;
            }
            if self.entered.contains(&at) {
                return None;
            }
            // Where nothing is known to lead, something unknown does.
            for &before in self.before.get(&at)? {
                let step = self.steps.get(&before)?;
                if step.call.is_some() {
                    return None;
                }
                if step.copies.changed >> register & 1 == 0 {
                    work.push((register, before));
                    continue;
                }
                let made = *made.get(&(before, register))?;
                found.insert((before, register), made);
                if let Made::Of { from, .. } = made {
                    work.push((from, before));
                }
            }
        }
        Some(found)
    }
}
