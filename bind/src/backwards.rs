//! Loop variables that debug info lets move against their direction.
//!
//! gcc keeps `c + 1` in a register where it counts down with `while (c-- > 0)`, and describes `c` by the register and a distance from it. The update changes the distance, and the
//! instruction that counts changes it back. At `-Os` gcc 12 has been seen to describe the body as if the update came twice in each iteration; where the loop begins again the
//! description is right, so that `c` rises by one there, for a moment, although nothing is executed and all that the source does is to count it down.
//!
//! So in optimised code a variable is not believed to be at any distance from a register from which it once moves the wrong way: from one instruction to the next, across a jump, or
//! at one address, where no instruction changes the register.

use crate::expression::distance;
use crate::flow::RegisterWrite;
use crate::locations::replace;
use crate::positions::Positions;
use progress_map::{
    Binding, BoundVariable, Direction, Function, Growth, LocationRange, MachineCode, MachineLocation, Map,
};
use std::collections::BTreeSet;

/// Leaves out what cannot be believed; returns how many variables have lost a part of their locations.
///
/// `momentary` has for each variable where it is between two instructions. `writes` are all instructions that put something into registers that calls preserve; what other registers
/// hold is not looked at.
pub(crate) fn withhold(
    map: &Map,
    binding: &mut Binding,
    momentary: &[Vec<LocationRange>],
    writes: &[RegisterWrite],
) -> usize {
    let positions = Positions::new(binding);
    let code = Code::new(&binding.code, writes);
    let mut changes = Vec::new();
    for (index, (variable, momentary)) in binding.variables.iter().zip(momentary).enumerate() {
        let Some((id, _)) = positions.code(variable.instance) else {
            continue;
        };
        let Some(direction) = direction(&map.functions[id], &variable.name) else {
            continue;
        };
        if !positions.optimised(variable.instance) {
            continue;
        }
        let doubtful = code.doubtful(&States::new(variable, momentary), direction);
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

/// Which way a variable moves in all loops that it orders.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Up,
    Down,
}

/// The way in which a variable moves by sums, if all loops that it orders agree on one.
fn direction(function: &Function, name: &str) -> Option<Way> {
    let lovs = function.loops.iter().flat_map(|in_loop| &in_loop.lovs);
    let own = lovs.filter(|lov| lov.name == name && !lov.updates.is_empty());
    let mut ways = own.map(|lov| match (lov.growth, lov.direction) {
        (Growth::Additive, Direction::Up) => Some(Way::Up),
        (Growth::Additive, Direction::Down) => Some(Way::Down),
        _ => None,
    });
    let first = ways.next()??;
    ways.all(|way| way == Some(first)).then_some(first)
}

/// What a variable is said to be: the register, and the number more; `None` for anything else.
type State = Option<(u16, i64)>;

/// What is said of a variable, for a moment or longer.
struct States {
    /// By their ranges.
    lasting: Vec<(u64, u64, State)>,
    /// By their addresses, in the order in which they come.
    momentary: Vec<(u64, State)>,
}

impl States {
    fn new(variable: &BoundVariable, momentary: &[LocationRange]) -> Self {
        let lasting = variable.locations.iter();
        let lasting = lasting.map(|location| (location.start, location.end, distance(&location.expression)));
        let momentary = momentary.iter();
        let momentary = momentary.map(|moment| (moment.start, distance(&moment.expression)));
        Self {
            lasting: lasting.collect(),
            momentary: momentary.collect(),
        }
    }

    /// What holds at the instruction at this address.
    fn at(&self, address: u64) -> State {
        let after = self.lasting.partition_point(|&(start, ..)| start <= address);
        let &(_, end, state) = self.lasting.get(after.checked_sub(1)?)?;
        state.filter(|_| address < end)
    }

    /// What holds one after the other when control comes to an address.
    fn coming_to(&self, address: u64) -> impl Iterator<Item = State> {
        let first = self.momentary.partition_point(|&(at, _)| at < address);
        self.momentary[first..]
            .iter()
            .take_while(move |&&(at, _)| at == address)
            .map(|&(_, state)| state)
            .chain([self.at(address)])
    }

    /// All addresses at which something else may be said than before.
    fn addresses(&self) -> BTreeSet<u64> {
        let lasting = self.lasting.iter().map(|&(start, ..)| start);
        let momentary = self.momentary.iter().map(|&(at, _)| at);
        lasting.chain(momentary).collect()
    }
}

/// The code of a program, with what it puts into registers.
struct Code<'b> {
    code: &'b MachineCode,
    /// By the address behind the instruction.
    written: BTreeSet<(u64, u8)>,
    /// From the last byte of a block to the first of another.
    ways: Vec<(u64, u64)>,
}

impl<'b> Code<'b> {
    fn new(code: &'b MachineCode, writes: &[RegisterWrite]) -> Self {
        let ways = code.ways.iter().map(|way| {
            let from = code.blocks[way.from as usize].end;
            (from.saturating_sub(1), code.blocks[way.to as usize].start)
        });
        let mut ways = Vec::from_iter(ways);
        ways.sort_unstable();
        Self {
            code,
            written: writes.iter().map(|write| (write.end, write.register)).collect(),
            ways,
        }
    }

    /// The registers from which a variable is said to be at distances by which it moves the wrong way.
    fn doubtful(&self, states: &States, direction: Way) -> BTreeSet<u16> {
        let mut found = BTreeSet::new();
        let mut check = |before: State, after: State| {
            if let (Some((register, before)), Some((other, after))) = (before, after)
                && register == other
                && match direction {
                    Way::Up => after < before,
                    Way::Down => after > before,
                }
            {
                found.insert(register);
            }
        };
        let comes = |from: u64, to: u64| {
            let before = states.at(from).filter(|&(register, _)| {
                let register = u8::try_from(register).ok();
                register.is_some_and(|register| {
                    MachineLocation::Register(register).is_preserved()
                        && !self.written.contains(&(from + 1, register))
                })
            });
            (before, states.coming_to(to).next().flatten())
        };
        for address in states.addresses() {
            let held = Vec::from_iter(states.coming_to(address));
            for pair in held.windows(2) {
                check(pair[0], pair[1]);
            }
            let within = self.code.block_at(address);
            if within.is_some_and(|block| self.code.blocks[block as usize].start < address) {
                let (before, after) = comes(address - 1, address);
                check(before, after);
            }
        }
        for &(start, end, state) in &states.lasting {
            if state.is_none() {
                continue;
            }
            let first = self.ways.partition_point(|&(from, _)| from < start);
            for &(from, to) in self.ways[first..].iter().take_while(|&&(from, _)| from < end) {
                let (before, after) = comes(from, to);
                check(before, after);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moved::tests::program;
    use progress_map::{CodeBlock, CodeWay};

    /// DW_OP_breg12 and so many more, or DW_OP_breg0, which no call preserves; DW_OP_stack_value.
    fn more(register: u16, distance: i8) -> Vec<u8> {
        let code = 0x70 + u8::try_from(register).expect("a small number");
        vec![code, distance.cast_unsigned() & 0x7f, 0x9f]
    }

    /// The distances that a variable which is counted up has in the body of its loop, from 32 to 64, for a moment at 64, where control falls into the rest, and from there to 80, where it
    /// jumps back.
    struct Told {
        body: i8,
        momentary: Option<i8>,
        end: i8,
        register: u16,
        /// An instruction behind the body puts something into the register.
        written: bool,
        optimised: bool,
    }

    const TOLD: Told = Told {
        body: 1,
        momentary: None,
        end: 1,
        register: 12,
        written: false,
        optimised: true,
    };

    /// Whether it is believed.
    fn is_believed(told: &Told) -> bool {
        let (map, mut binding) = program(told.optimised, &more(told.register, told.body), false);
        let locations = &mut binding.variables[0].locations;
        locations[0].end = 64;
        locations.push(LocationRange {
            start: 64,
            end: 80,
            expression: more(told.register, told.end),
        });
        let momentary = told.momentary.map(|distance| LocationRange {
            start: 64,
            end: 64,
            expression: more(told.register, distance),
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
        let write = RegisterWrite {
            start: 60,
            end: 64,
            register: u8::try_from(told.register).expect("a small number"),
            computed: false,
        };
        let writes = Vec::from_iter(told.written.then_some(write));
        let momentary = [Vec::from_iter(momentary)];
        let changed = withhold(&map, &mut binding, &momentary, &writes);
        let left = binding.variables[0].locations.len();
        assert_eq!((changed, left), if changed == 0 { (0, 2) } else { (1, 0) });
        changed == 0
    }

    #[test]
    fn what_is_counted_up_does_not_fall_where_nothing_is_executed() {
        assert!(is_believed(&TOLD));
        // The update, which the jump back may well have behind it.
        assert!(!is_believed(&Told { end: 2, ..TOLD }));
        assert!(!is_believed(&Told { end: 0, ..TOLD }));
        // For a moment, in front of the update and behind it.
        let moment = |momentary, end| Told {
            momentary: Some(momentary),
            end,
            ..TOLD
        };
        assert!(is_believed(&moment(1, 1)));
        assert!(!is_believed(&moment(0, 1)));
        assert!(!is_believed(&moment(2, 1)));
        // Code that is not optimised is believed, and what calls may change is not looked at.
        assert!(is_believed(&Told {
            optimised: false,
            ..moment(0, 1)
        }));
        assert!(is_believed(&Told {
            register: 0,
            ..moment(0, 1)
        }));
    }

    #[test]
    fn what_an_instruction_changes_may_make_up_for_it() {
        let written = Told {
            written: true,
            momentary: Some(0),
            ..TOLD
        };
        assert!(is_believed(&written));
        // At one address nothing is executed.
        assert!(!is_believed(&Told { end: -1, ..written }));
    }
}
