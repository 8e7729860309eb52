//! Loop variables that are said to be one number before a jump, and another one behind it.
//!
//! gcc keeps `c + 1` in a register where it counts down with `while (c-- > 0)`, and describes `c` by the register and a distance from it. The update changes the distance and the
//! instruction changes it back; at `-Os` gcc 12 has been seen to describe the body, to which the loop jumps back, as if the update came twice. A jump executes
//! nothing of the source, and changes no register: where the distance differs behind it, one of the two is wrong.
//!
//! So in gcc's optimised code a variable is not believed to be at any distance from a register from which it has two distances at the two ends of a jump.

use crate::expression::distance;
use crate::locations::replace;
use crate::moved::Compiler;
use crate::positions::Positions;
use progress_map::{Binding, BoundVariable, LocationRange};
use std::collections::BTreeSet;

/// Leaves out what cannot be believed; returns how many variables have lost a part of their locations.
pub(crate) fn withhold(binding: &mut Binding, compiler: Compiler) -> usize {
    if !compiler.is_gcc() {
        return 0;
    }
    let positions = Positions::new(binding);
    let code = &binding.code;
    let jumps = code.ways.iter().filter_map(|way| {
        let (from, to) = (
            code.blocks[way.from as usize].end,
            code.blocks[way.to as usize].start,
        );
        (from != to).then(|| (from - 1, to))
    });
    // By their last byte, and where they lead to.
    let mut jumps = Vec::from_iter(jumps);
    jumps.sort_unstable();
    let mut changes = Vec::new();
    for (index, variable) in binding.variables.iter().enumerate() {
        if !positions.optimised(variable.instance) {
            continue;
        }
        let doubtful = doubtful(variable, &jumps);
        if doubtful.is_empty() {
            continue;
        }
        let is_believed = |location: &&LocationRange| {
            distance(&location.expression).is_none_or(|(register, _)| !doubtful.contains(&register))
        };
        let left = variable.locations.iter().filter(is_believed);
        changes.push((index, left.cloned().collect()));
    }
    replace(binding, changes)
}

/// The registers from which a variable has two distances at the two ends of a jump.
fn doubtful(variable: &BoundVariable, jumps: &[(u64, u64)]) -> BTreeSet<u16> {
    let told = variable.locations.iter().filter_map(|location| {
        let (register, distance) = distance(&location.expression)?;
        Some((location.start..location.end, register, distance))
    });
    let told = Vec::from_iter(told);
    let mut found = BTreeSet::new();
    for (range, register, distance) in &told {
        let first = jumps.partition_point(|&(from, _)| from < range.start);
        let jumps = jumps[first..].iter().take_while(|&&(from, _)| from < range.end);
        for (_, to) in jumps {
            let other = told.iter().find(|(range, ..)| range.contains(to));
            if other.is_some_and(|(_, of, other)| of == register && other != distance) {
                found.insert(*register);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moved::tests::program;
    use progress_map::{CodeBlock, CodeWay};

    /// DW_OP_breg12 and so many more; DW_OP_stack_value.
    fn more(distance: i8) -> [u8; 3] {
        [0x7c, distance.cast_unsigned() & 0x7f, 0x9f]
    }

    /// How many locations are left of a variable that is told by `body` from 32 to 64, where a jump leads to from 79, and by `end` from 64 to 80.
    fn left(compiler: Compiler, body: &[u8], end: &[u8]) -> usize {
        let (_, mut binding) = program(true, body, false);
        let locations = &mut binding.variables[0].locations;
        locations[0].end = 64;
        locations.push(LocationRange {
            start: 64,
            end: 80,
            expression: end.to_vec(),
        });
        binding.code.blocks = [(32, 64), (64, 80)]
            .map(|(start, end)| CodeBlock {
                start,
                end,
                function: 0,
                communicates: false,
            })
            .to_vec();
        binding.code.ways = [(0, 1), (1, 0)]
            .map(|(from, to)| CodeWay {
                from,
                to,
                certain: true,
            })
            .to_vec();
        withhold(&mut binding, compiler);
        binding.variables[0].locations.len()
    }

    #[test]
    fn two_distances_from_one_register_at_a_jump_are_none() {
        assert_eq!(left(Compiler::Gcc, &more(-2), &more(-1)), 0);
        assert_eq!(left(Compiler::Gcc, &more(-1), &more(-1)), 2);
        // What others say is looked at elsewhere.
        assert_eq!(left(Compiler::Other, &more(-2), &more(-1)), 2);
        // DW_OP_reg12, DW_OP_reg3: the one is no number more, the other another register.
        assert_eq!(left(Compiler::Gcc, &[0x5c], &more(-1)), 0);
        assert_eq!(left(Compiler::Gcc, &[0x53], &more(-1)), 2);
    }
}
