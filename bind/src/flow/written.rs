//! What the code puts into registers that calls preserve, instruction by instruction.
//!
//! [`progress_map::MachineCode`] keeps of this only what counting needs. All of it is needed while a program is bound, to see whether a register still
//! holds the variable that debug info says it holds.

use super::decode::Piece;
use super::file::UnwindEntry;
use super::volatile::EffectsAt;
use progress_map::{LocationEffect, MachineLocation};

/// An instruction that puts something into a register that calls preserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RegisterWrite {
    /// Its address, as linked.
    pub(crate) start: u64,
    /// The address behind it.
    pub(crate) end: u64,
    /// The register, as DWARF numbers it.
    pub(crate) register: u8,
    /// It is neither a constant, nor the same or another place's content with a constant added.
    pub(crate) computed: bool,
}

/// All of them in one function, of which `effects` gives what its instructions do.
pub(super) fn written(whole: &[(&UnwindEntry, &Piece)], effects: &EffectsAt) -> Vec<RegisterWrite> {
    let mut found = Vec::new();
    for (&start, effects) in effects {
        let step = whole.iter().find_map(|(_, piece)| piece.steps.get(&start));
        let Some(step) = step else { continue };
        for &(location, effect) in effects {
            if let MachineLocation::Register(register) = location
                && location.is_preserved()
                && effect.changes()
            {
                found.push(RegisterWrite {
                    start,
                    end: step.end,
                    register,
                    computed: effect == LocationEffect::Other,
                });
            }
        }
    }
    found
}
