//! A function cut into blocks.

use super::Registers;
use super::copies::with_copies;
use super::decode::{DecodedInstruction, Piece};
use super::file::UnwindEntry;
use super::function::Leaves;
use super::stack::own_slots;
use super::written::written;
use progress_map::{LocationEffect, MachineLocation};
use std::collections::BTreeSet;
use std::ops::Range;

/// The blocks of one function, with ways between addresses at which blocks begin.
pub(super) struct FunctionBlocks {
    /// Each with whether it ends in a call that may come to MPI.
    pub(super) blocks: Vec<(Range<u64>, bool)>,
    pub(super) ways: Vec<(u64, u64, bool)>,
    pub(super) changes: Vec<(u64, MachineLocation, LocationEffect)>,
    pub(super) registers: Registers,
}

/// Cuts a function into blocks; `None` if a way leads into the middle of an instruction. `again`: it may be entered anew without having
/// been left.
pub(super) fn blocks(
    whole: &[(&UnwindEntry, &Piece)],
    again: bool,
    leaves: &mut Leaves<'_, '_, '_>,
) -> Option<FunctionBlocks> {
    let find = |address: u64| whole.iter().find_map(|(_, piece)| piece.steps.get(&address));
    let jumped_to = jumped_to(whole);
    if jumped_to.iter().any(|&target| find(target).is_none()) {
        return None;
    }
    let (effects, alike) = with_copies(whole, &jumped_to, &own_slots(whole));
    let effects_at = |address: u64| effects.get(&address).map_or(&[][..], Vec::as_slice);
    // What is only set or compared matters for those registers and slots alone that are counted with somewhere.
    let counting = effects.values().flatten().filter(|(_, effect)| effect.counts());
    let counted: BTreeSet<MachineLocation> = counting
        .flat_map(|&(location, effect)| effect.source().into_iter().chain([location]))
        .collect();
    let matters = |address: u64| {
        effects_at(address)
            .iter()
            .any(|(location, _)| counted.contains(location))
    };
    let mut found = FunctionBlocks {
        blocks: Vec::new(),
        ways: Vec::new(),
        changes: Vec::new(),
        registers: Registers {
            alike,
            writes: written(whole, &effects),
        },
    };
    for (_, piece) in whole {
        let mut start = None;
        let mut follows = None;
        for (&address, step) in &piece.steps {
            let begin = *start.get_or_insert(address);
            debug_assert!(follows.is_none_or(|follows| follows == address) || begin == address);
            let next = find(step.end);
            let ends = !step.falls
                || step.call.is_some()
                || !step.jumps.is_empty()
                || jumped_to.contains(&step.end)
                || matters(address)
                || next.is_none()
                || matters(step.end);
            follows = Some(step.end);
            if !ends {
                continue;
            }
            start = None;
            let communicates = step.call.is_some_and(|callee| leaves.may_communicate(callee));
            found.blocks.push((begin..step.end, communicates));
            for &(location, effect) in effects_at(address)
                .iter()
                .filter(|(location, _)| counted.contains(location))
            {
                found.changes.push((begin, location, effect));
            }
            if step.falls && next.is_some() {
                let certain = match step.call {
                    None => true,
                    Some(callee) => !jumped_to.contains(&step.end) || leaves.returns(callee),
                };
                found.ways.push((begin, step.end, certain));
            }
            let targets = targets(whole, piece, step, again);
            let ways = targets.into_iter();
            found
                .ways
                .extend(ways.map(|(target, certain)| (begin, target, certain)));
        }
    }
    Some(found)
}

/// The addresses in a function that control may come to other than from the instruction before.
fn jumped_to(whole: &[(&UnwindEntry, &Piece)]) -> BTreeSet<u64> {
    let inside = |address: u64| is_inside(whole, address);
    let mut found: BTreeSet<u64> = BTreeSet::new();
    for (frame, piece) in whole {
        let jumps = piece.steps.values().flat_map(|step| &step.jumps);
        found.extend(jumps.filter(|&&target| inside(target)));
        found.extend(piece.pads.iter().map(|pad| pad.pad).filter(|&pad| inside(pad)));
        found.insert(frame.code.start);
    }
    found
}

fn is_inside(whole: &[(&UnwindEntry, &Piece)], address: u64) -> bool {
    whole.iter().any(|(frame, _)| frame.code.contains(&address))
}

/// Where control may go from a step other than to the next one, and whether it does in some run: where it jumps, where the function may be entered `again`, and
/// where exceptions of what it calls land.
fn targets(
    whole: &[(&UnwindEntry, &Piece)],
    piece: &Piece,
    step: &DecodedInstruction,
    again: bool,
) -> Vec<(u64, bool)> {
    let inside = |address: &u64| is_inside(whole, *address);
    let jumps = step.jumps.iter().copied().filter(inside);
    let mut targets = Vec::from_iter(jumps.map(|target| (target, true)));
    if again && !step.falls && targets.is_empty() {
        targets.extend(whole.iter().map(|(frame, _)| (frame.code.start, false)));
    }
    if step.call.is_some() {
        let within = step.end - 1;
        let pads = piece.pads.iter().filter(|pad| pad.calls.contains(&within));
        targets.extend(pads.map(|pad| pad.pad).filter(inside).map(|pad| (pad, true)));
    }
    targets
}
