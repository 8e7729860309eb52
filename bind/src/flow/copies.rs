//! Registers that hold what another one has held.

use super::decode::Piece;
use super::file::Frame;
use crate::registers::preserved_number;
use progress_map::RegisterEffect;
use std::collections::{BTreeMap, BTreeSet};

/// What the instructions of a function do to registers that calls preserve, where copies in other registers are looked through: `j = i + 1; if (j == n) break;
/// i = j` adds one to `i`, wherever `j` is. Copies are followed as long as control comes from one instruction to the next.
pub(super) fn with_copies(
    whole: &[(&Frame, &Piece)],
    jumped_to: &BTreeSet<u64>,
) -> BTreeMap<u64, Vec<(u8, RegisterEffect)>> {
    let mut found: BTreeMap<u64, Vec<(u8, RegisterEffect)>> = BTreeMap::new();
    for (_, piece) in whole {
        // By register: which one that calls preserve it was made of, what was added, and whether in 32 bits.
        let mut copied: [Option<(u8, i64, bool)>; 16] = [None; 16];
        let mut follows = None;
        for (&address, step) in &piece.steps {
            if follows != Some(address) || jumped_to.contains(&address) {
                copied = [None; 16];
            }
            follows = step.falls.then_some(step.end);
            let origin = |copied: &[Option<(u8, i64, bool)>; 16], register: u8| {
                let itself = preserved_number(register).map(|_| (register, 0, false));
                copied[usize::from(register)].or(itself)
            };
            let mut effects = step.effects.clone();
            let made = step.copies.copy.and_then(|copy| {
                let (from, add, half) = origin(&copied, copy.from)?;
                Some((copy.to, (from, add.checked_add(copy.add)?, half || copy.half)))
            });
            if let Some((to, (from, add, half))) = made
                && let (Some(to), Some(from)) = (preserved_number(to), preserved_number(from))
            {
                let effect = match (to == from, add) {
                    (true, 0) => RegisterEffect::Other,
                    (true, step) => RegisterEffect::Add { step, half },
                    (false, add) => RegisterEffect::Copy { from, add, half },
                };
                if let Some((_, known)) = effects.iter_mut().find(|(register, _)| *register == to) {
                    *known = effect;
                }
            }
            for &(register, bound) in &step.copies.compared {
                let of = origin(&copied, register).and_then(|(from, ..)| preserved_number(from));
                effects.extend(of.map(|register| (register, bound)));
            }
            // A call preserves some registers and leaves anything in the others.
            let changed = if step.call.is_some() {
                !PRESERVED
            } else {
                step.copies.changed
            };
            for register in (0..16u8).filter(|register| changed >> register & 1 == 1) {
                copied[usize::from(register)] = None;
                for known in &mut copied {
                    if known.is_some_and(|(from, ..)| from == register) {
                        *known = None;
                    }
                }
            }
            if let Some((to, (from, add, half))) = made.filter(|(to, (from, ..))| to != from) {
                copied[usize::from(to)] = Some((from, add, half));
            }
            if !effects.is_empty() {
                found.insert(address, effects);
            }
        }
    }
    found
}

/// One bit for each register that calls preserve, by the numbers of the instruction set: rbx, rsp, rbp, r12 to r15.
pub(super) const PRESERVED: u16 = 0b1111_0000_0011_1000;
