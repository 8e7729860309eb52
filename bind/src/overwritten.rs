//! Registers that are said to hold a loop variable, where the code of something else has put a value into them.
//!
//! gcc replaces a constant by a variable that has the same value on that way: `for (j = 0; …; j++) { switch (j) { case 0: if (i & 1 …) …; } }` comes to the
//! end of the first iteration only where `i & 1` is 1, so the next `j` may be `i & 1`, computed by the condition in the register of `j`. From there on gcc 12 names this
//! register for `j`, in front of `j++`. The update has no code that could tell.
//!
//! So in gcc's optimised code a register is not believed to hold a variable where on some way there the last that was put into the register was computed by code of a
//! point in the variable's loop that does not update it. A constant, a copy and a sum with a constant are the update itself, or what the compiler made of it.

use crate::flow::RegisterWrite;
use crate::locations::{registers, replace};
use crate::moved::{Compiler, is_changed, without};
use crate::points_at::PointsAt;
use crate::positions::Positions;
use progress_map::{Binding, BoundVariable, Function, FunctionId, MachineCode, Map, PathStep, PointId};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Leaves out what cannot be believed; returns how many variables have lost a part of their locations.
pub(crate) fn withhold(
    map: &Map,
    binding: &mut Binding,
    compiler: Compiler,
    writes: &[RegisterWrite],
) -> usize {
    if !compiler.is_gcc() {
        return 0;
    }
    let positions = Positions::new(binding);
    let code = Code {
        code: &binding.code,
        writes,
    };
    let mut points_at: BTreeMap<FunctionId, PointsAt<'_>> = BTreeMap::new();
    let mut changes = Vec::new();
    for (index, variable) in binding.variables.iter().enumerate() {
        let Some((id, range)) = positions.code(variable.instance) else {
            continue;
        };
        let function = &map.functions[id];
        if !positions.optimised(variable.instance) || !is_counted(function, variable) {
            continue;
        }
        let own: BTreeSet<u16> = variable.locations.iter().flat_map(registers).collect();
        let points_at = points_at.entry(id).or_insert_with(|| PointsAt::new(function));
        let mut foreign: BTreeMap<u8, Vec<RegisterWrite>> = BTreeMap::new();
        for &write in within(writes, range.0..range.1) {
            if !write.computed || !own.contains(&u16::from(write.register)) {
                continue;
            }
            let position = positions.at(variable.instance, function.file, write.start);
            let points = position.map_or(&[][..], |(line, column)| points_at.position(line, column));
            if is_of_something_else(function, variable, points) {
                foreign.entry(write.register).or_default().push(write);
            }
        }
        if foreign.is_empty() {
            continue;
        }
        let taken = foreign
            .iter()
            .map(|(&register, writes)| (u16::from(register), code.held_since(register, writes)));
        let taken: BTreeMap<u16, Vec<(u64, u64)>> = taken.collect();
        let kept = variable.locations.iter().flat_map(|location| {
            let mut gaps: Vec<(u64, u64)> = registers(location)
                .into_iter()
                .filter_map(|register| taken.get(&register))
                .flatten()
                .copied()
                .collect();
            gaps.sort_unstable();
            without(std::slice::from_ref(location), &gaps)
        });
        let kept = Vec::from_iter(kept);
        if kept != variable.locations {
            changes.push((index, kept));
        }
    }
    replace(binding, changes)
}

/// Whether the variable orders a loop that changes it. What lies behind a pointer is not in the pointer's register.
fn is_counted(function: &Function, variable: &BoundVariable) -> bool {
    !variable.path.contains(&PathStep::Deref) && is_changed(function, &variable.name)
}

/// Whether code of these points computes in a loop that the variable orders, and does not update the variable.
fn is_of_something_else(function: &Function, variable: &BoundVariable, points: &[PointId]) -> bool {
    let orders = |point: PointId| {
        function.loops_around(point).any(|id| {
            let mut lovs = function.loops[id].lovs.iter();
            lovs.any(|lov| lov.name == variable.name)
        })
    };
    let updates = |point: PointId| {
        let lovs = function.loops.iter().flat_map(|in_loop| &in_loop.lovs);
        let mut own = lovs.filter(|lov| lov.name == variable.name);
        own.any(|lov| lov.updates.contains(&point))
    };
    let mut points = points.iter().copied().peekable();
    points.peek().is_some() && points.all(|point| orders(point) && !updates(point))
}

/// The code of a program with what it puts into registers.
struct Code<'b> {
    code: &'b MachineCode,
    writes: &'b [RegisterWrite],
}

impl Code<'_> {
    /// Where a register may still hold what one of these instructions has put into it.
    fn held_since(&self, register: u8, puts: &[RegisterWrite]) -> Vec<(u64, u64)> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        let begin = |put: &RegisterWrite| Some((self.code.block_at(put.start)?, put.end));
        let mut open = Vec::from_iter(puts.iter().filter_map(begin));
        while let Some((block, start)) = open.pop() {
            let end = self.code.blocks[block as usize].end;
            let next = within(self.writes, start..end).find(|next| next.register == register);
            // A task at the address of the next instruction that changes the register has not executed it yet.
            let until = next.map_or(end, |next| next.end.min(end));
            if start < until {
                found.push((start, until));
            }
            if next.is_some() {
                continue;
            }
            for way in self.code.ways_from(block) {
                if seen.insert(way.to) {
                    open.push((way.to, self.code.blocks[way.to as usize].start));
                }
            }
        }
        found
    }
}

/// What instructions that begin in a range of addresses put into registers.
fn within(writes: &[RegisterWrite], range: Range<u64>) -> impl Iterator<Item = &RegisterWrite> {
    let first = writes.partition_point(|write| write.start < range.start);
    writes[first..]
        .iter()
        .take_while(move |write| write.start < range.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moved::tests::program;
    use progress_map::{CodeBlock, CodeWay};

    /// DW_OP_reg12.
    const HERE: &[u8] = &[0x5c];

    /// Where `i` is still said to be in register 12, of 32 to 96, if code of `line` puts something there in the middle; from each line control comes to the next, and from 5 to 2.
    fn left(optimised: bool, line: u32, register: u8, computed: bool) -> Vec<(u64, u64)> {
        let (map, mut binding) = program(optimised, HERE, false);
        let block = |line: u64| CodeBlock {
            start: line * 16,
            end: line * 16 + 16,
            function: 0,
            communicates: false,
        };
        binding.code.blocks = (1..=5).map(block).collect();
        let way = |(from, to)| CodeWay {
            from,
            to,
            certain: true,
        };
        binding.code.ways = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 1)].map(way).to_vec();
        let write = |line: u32, register: u8, computed: bool| RegisterWrite {
            start: u64::from(line) * 16 + 4,
            end: u64::from(line) * 16 + 8,
            register,
            computed,
        };
        // The update adds one.
        let mut writes = vec![write(4, 12, false)];
        if (line, register) != (4, 12) {
            writes.push(write(line, register, computed));
        } else {
            writes[0].computed = computed;
        }
        writes.sort_unstable();
        let changed = withhold(&map, &mut binding, Compiler::Gcc, &writes);
        let kept = binding.variables[0].locations.iter();
        let kept = Vec::from_iter(kept.map(|location| (location.start, location.end)));
        assert_eq!(changed == 1, kept != [(32, 96)]);
        kept
    }

    #[test]
    fn what_something_else_computes_is_no_value_until_the_update() {
        // From behind the instruction of line 3 to the end of that of line 4.
        assert_eq!(left(true, 3, 12, true), [(32, 56), (72, 96)]);
        // Round the loop.
        assert_eq!(left(true, 5, 12, true), [(72, 88)]);
    }

    #[test]
    fn updates_constants_and_other_registers_are_none_of_it() {
        assert_eq!(left(true, 4, 12, true), [(32, 96)]);
        assert_eq!(left(true, 3, 12, false), [(32, 96)]);
        assert_eq!(left(true, 3, 3, true), [(32, 96)]);
        assert_eq!(left(false, 3, 12, true), [(32, 96)]);
    }

    #[test]
    fn what_is_computed_in_front_of_the_loop_is_its_beginning() {
        assert_eq!(left(true, 1, 12, true), [(32, 96)]);
    }
}
