//! Variables that no loop changes, described by registers that the code changes.
//!
//! `int i = first; while (…) i++;` needs no second register: gcc 12 keeps `i` where `first` is, and with `-O2` and `-O3` goes on
//! saying that `first` is there after `i++`. The order counts the steps from such a start, and must not take it for a value that moves with the
//! counter.
//!
//! So in optimised code a register is not believed to hold such a variable where the code changes that register, or where debug info
//! puts a variable there that a loop changes. Nor is it believed if it is given for the whole function: a compiler that has not lost track
//! gives a range that begins behind the code which sets the variable.

use crate::locations::{ALWAYS, registers, replace};
use crate::positions::Positions;
use progress_map::{Binding, BoundVariable, LocationRange, MachineLocation, Map};
use std::collections::BTreeMap;

/// Leaves out what cannot be believed; returns how many variables have lost a part of their locations.
pub(crate) fn withhold(map: &Map, binding: &mut Binding) -> usize {
    let positions = Positions::new(binding);
    let counts = |variable: &BoundVariable| {
        let function = positions.code(variable.instance);
        let loops = function.map(|(id, _)| map.functions[id].loops.iter());
        let mut lovs = loops.into_iter().flatten().flat_map(|in_loop| &in_loop.lovs);
        lovs.any(|lov| lov.name == variable.name)
    };
    let variables = binding.variables.iter().enumerate();
    let (moving, steady): (Vec<_>, Vec<_>) = variables
        .filter(|(_, variable)| positions.optimised(variable.instance))
        .partition(|(_, variable)| counts(variable));
    // By register: where it holds what a loop changes, and where code changes it.
    let mut taken: BTreeMap<u16, Vec<(u64, u64)>> = BTreeMap::new();
    for (_, variable) in moving {
        let whole = positions
            .code(variable.instance)
            .map_or(ALWAYS, |(_, range)| range);
        for location in &variable.locations {
            let range = match (location.start, location.end) {
                ALWAYS => whole,
                range => range,
            };
            for register in registers(location) {
                taken.entry(register).or_default().push(range);
            }
        }
    }
    let mut written: BTreeMap<u16, Vec<(u64, u64)>> = BTreeMap::new();
    for change in &binding.code.changes {
        if let MachineLocation::Register(register) = change.location
            && change.effect.changes()
        {
            let block = &binding.code.blocks[change.block as usize];
            let blocks = written.entry(u16::from(register)).or_default();
            blocks.push((block.start, block.end));
        }
    }
    for ranges in taken.values_mut().chain(written.values_mut()) {
        ranges.sort_unstable();
        ranges.dedup();
    }
    let is_doubtful = |location: &LocationRange| {
        let (start, end) = (location.start, location.end);
        registers(location).into_iter().any(|register| {
            let none = &Vec::new();
            let overlaps = |&(from, to): &(u64, u64)| from < end && start < to;
            let lies_within = |&(from, to): &(u64, u64)| start <= from && to <= end;
            (start, end) == ALWAYS || taken.get(&register).unwrap_or(none).iter().any(overlaps) || {
                let written = written.get(&register).unwrap_or(none);
                let first = written.partition_point(|&(from, _)| from < start);
                written[first..]
                    .iter()
                    .take_while(|&&(from, _)| from < end)
                    .any(lies_within)
            }
        })
    };
    let mut changes = Vec::new();
    for (index, variable) in steady {
        let believed = variable.locations.iter();
        let believed = Vec::from_iter(believed.filter(|location| !is_doubtful(location)).cloned());
        if believed.len() < variable.locations.len() {
            changes.push((index, believed));
        }
    }
    replace(binding, changes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moved::tests::program;
    use progress_map::{CodeBlock, LocationChange, LocationEffect};

    /// DW_OP_reg12, DW_OP_reg3.
    const HERE: &[u8] = &[0x5c];
    const ELSEWHERE: &[u8] = &[0x53];

    /// Where `first`, which no loop changes, is believed: `i` is in register 12 from 48 to 96, and code changes register 3 in a block from 64 to 80.
    fn left(optimised: bool, (start, end): (u64, u64), expression: &[u8]) -> bool {
        let (map, mut binding) = program(optimised, HERE, false);
        binding.variables[0].locations[0].start = 48;
        let mut first = binding.variables[0].clone();
        first.name = "first".to_owned();
        first.locations = vec![LocationRange {
            start,
            end,
            expression: expression.to_vec(),
        }];
        binding.variables.push(first);
        binding.code.blocks = vec![CodeBlock {
            start: 64,
            end: 80,
            function: 0,
            communicates: false,
        }];
        binding.code.changes = vec![LocationChange {
            block: 0,
            location: MachineLocation::Register(3),
            effect: LocationEffect::Add { step: 1, half: true },
        }];
        let kept = withhold(&map, &mut binding) == 0;
        assert_eq!(kept, !binding.variables[1].locations.is_empty());
        assert!(!binding.variables[0].locations.is_empty());
        kept
    }

    #[test]
    fn the_register_of_a_counter_is_no_start() {
        assert!(left(true, (16, 48), HERE));
        assert!(!left(true, (16, 56), HERE));
        assert!(left(false, (16, 56), HERE));
    }

    #[test]
    fn a_register_that_code_changes_holds_nothing_that_stays() {
        assert!(left(true, (16, 64), ELSEWHERE));
        // It is set in front of its range, in one block with it.
        assert!(left(true, (72, 96), ELSEWHERE));
        assert!(!left(true, (16, 96), ELSEWHERE));
    }

    #[test]
    fn no_register_holds_one_value_all_over_a_function() {
        assert!(!left(true, ALWAYS, ELSEWHERE));
        // DW_OP_fbreg -20.
        assert!(left(true, ALWAYS, &[0x91, 0x6c]));
        assert!(left(false, ALWAYS, ELSEWHERE));
    }
}
