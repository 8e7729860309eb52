//! What holds a variable: the flow of what was described last through the code of a function.

use super::Search;
use crate::expression::{constant, facts};
use crate::flow::location as machine_location;
use progress_map::{
    Encoding, LocationChange, LocationEffect, LocationRange, MachineCode, MachineLocation, Term,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// Larger functions are left alone: all of their blocks are gone through several times for each variable.
const MOST_BLOCKS: usize = 20_000;

/// The blocks of a function and what may follow what.
pub(super) struct FunctionCode<'b> {
    /// Their numbers in the code, ascending.
    pub(super) blocks: Vec<u32>,
    /// By block: those that may follow, by their index here.
    pub(super) next: Vec<Vec<usize>>,
    /// By block: by how many ways control comes there.
    ways_in: Vec<usize>,
    /// Those that nothing leads to.
    entries: Vec<usize>,
    changes: Vec<&'b [LocationChange]>,
    /// The registers and slots of which all changes are listed.
    listed: BTreeSet<MachineLocation>,
}

impl<'b> FunctionCode<'b> {
    /// Of these blocks; `counted` are the registers and slots of which all changes are listed.
    pub(super) fn new(
        code: &'b MachineCode,
        blocks: Vec<u32>,
        counted: Option<&BTreeMap<MachineLocation, bool>>,
    ) -> Option<Self> {
        if blocks.len() > MOST_BLOCKS {
            return None;
        }
        let next = blocks.iter().map(|&block| {
            let ways = code.ways_from(block).iter();
            Vec::from_iter(ways.filter_map(|way| blocks.binary_search(&way.to).ok()))
        });
        let next = Vec::from_iter(next);
        let mut ways_in = vec![0; blocks.len()];
        next.iter().flatten().for_each(|&to| ways_in[to] += 1);
        Some(Self {
            entries: (0..blocks.len())
                .filter(|&at| at == 0 || ways_in[at] == 0)
                .collect(),
            changes: blocks.iter().map(|&block| code.changes_of(block)).collect(),
            listed: counted?.keys().copied().collect(),
            ways_in,
            blocks,
            next,
        })
    }

    /// Whether a block changes nothing that is listed.
    pub(super) fn is_unchanging(&self, at: usize) -> bool {
        self.changes[at].is_empty()
    }
}

/// What is known before a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    /// What holds the value that was described last, and how much more: the step of the loop, behind an update. `None` as long as that value is the constant that the loop
    /// begins with.
    pub(super) holding: Option<BTreeMap<MachineLocation, i64>>,
    /// What may hold something that was made of it.
    made_of: BTreeSet<MachineLocation>,
    /// What holds which constant.
    constants: BTreeMap<MachineLocation, i64>,
    /// The addresses of which one was the last at which it was described.
    pub(super) from: BTreeSet<u64>,
}

/// What counts from the constant that the loop begins with, as long as nothing has told what the variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beginning {
    /// Something else.
    Another,
    /// It may be the variable.
    TheVariable,
}

impl Known {
    /// Whether something holds the variable.
    pub(super) fn is_held(&self) -> bool {
        self.holding.as_ref().is_some_and(|holding| !holding.is_empty())
    }

    /// Whether an update has shown since it was described.
    pub(super) fn is_updated(&self) -> bool {
        let holding = self.holding.as_ref();
        holding.is_some_and(|holding| holding.values().any(|&more| more != 0))
    }
}

/// What debug info says of a variable at an instruction.
pub(super) enum Description {
    /// It is in a register that calls preserve, or in a slot, of which all changes are known.
    In(MachineLocation),
    /// It is in a register that calls do not preserve, from this address on.
    Volatile { register: u8, since: u64 },
    /// It has this value.
    Constant(i64),
    /// It is elsewhere, or what is said is not believed.
    Other,
}

impl Search<'_, '_> {
    /// What is known before each block to which some way leads.
    ///
    /// On the way by which the loop begins, anything that counts from the constant with which it begins may be the variable. Not in a block to which others lead that tell what the variable
    /// is: so first everything is taken to count something else, and then, in blocks that only that way leads to, nothing is.
    pub(super) fn flow(&self) -> Vec<Option<Known>> {
        let mut known: Vec<Option<Known>> = vec![None; self.code.blocks.len()];
        for &entry in &self.code.entries {
            known[entry] = Some(Known::default());
        }
        self.settle(&mut known, self.code.entries.clone(), Beginning::Another);
        let is_of_beginning = |&at: &usize| known[at].as_ref().is_some_and(|known| known.holding.is_none());
        let of_beginning = (0..known.len()).filter(is_of_beginning).collect();
        self.settle(&mut known, of_beginning, Beginning::TheVariable);
        known
    }

    /// Goes through the blocks of `work` and all that follows from them until nothing changes any more: what is known only becomes less.
    fn settle(&self, known: &mut [Option<Known>], mut work: Vec<usize>, beginning: Beginning) {
        while let Some(at) = work.pop() {
            let Some(before) = &known[at] else { continue };
            let behind = self.behind(at, before, beginning);
            for &next in &self.code.next[at] {
                let joined = match &known[next] {
                    None => behind.clone(),
                    Some(old) => self.joined(old, &behind),
                };
                if known[next].as_ref() != Some(&joined) {
                    known[next] = Some(joined);
                    work.push(next);
                }
            }
        }
    }

    /// What is known behind a block before which this is.
    pub(super) fn behind(&self, at: usize, before: &Known, beginning: Beginning) -> Known {
        let mut known = before.clone();
        let block = self.block(at);
        self.describe_start(at, &mut known);
        for change in self.code.changes[at] {
            self.change(change, beginning, &mut known);
        }
        let last = block.end - 1;
        // Of an instruction that changes something, this would be what is known before it.
        if self.code.is_unchanging(at) {
            self.describe(last, block.start + 1..=last, true, &mut known);
        }
        // A place to which a register is copied in the middle of a stretch in which that is the variable holds the variable as well.
        if let Some(Description::Volatile { register, since }) = self.description(block.end)
            && since <= last
            && let Some(place) = self.alike(block.end, register)
            && let Some(holding) = &mut known.holding
        {
            holding.insert(place, 0);
        }
        known
    }

    pub(super) fn describe_start(&self, at: usize, known: &mut Known) {
        let start = self.block(at).start;
        let is_followed = self.code.ways_in[at] == 1;
        self.describe(start, start..=start, is_followed, known);
    }

    /// Takes in what debug info says at an address. Of a register that calls do not preserve, what it says is news only where the description begins, and that is in `here`; with
    /// `is_followed`, control comes to the address from the instruction before it and from nowhere else.
    fn describe(&self, address: u64, here: RangeInclusive<u64>, is_followed: bool, known: &mut Known) {
        let holding = match self.description(address) {
            None => return,
            Some(Description::Constant(value)) if value == self.start => {
                known.holding = None;
                known.made_of.clear();
                known.from.clear();
                return;
            }
            Some(Description::In(place)) => [(place, 0)].into(),
            Some(Description::Volatile { register, since }) => {
                if !here.contains(&since) {
                    // It was described so before.
                    return;
                }
                let alike = self.alike(since, register).filter(|_| is_followed);
                alike.map(|place| (place, 0)).into_iter().collect()
            }
            Some(Description::Constant(_) | Description::Other) => BTreeMap::new(),
        };
        known.made_of.clear();
        known.holding = Some(holding);
        known.from = [address].into();
    }

    /// How much more than what was described last is described at an address before which this is known.
    pub(super) fn described_more(&self, address: u64, before: &Known) -> Option<i64> {
        let place = match self.description(address)? {
            Description::In(place) => place,
            Description::Volatile { register, since } if since == address => self.alike(since, register)?,
            Description::Volatile { .. } | Description::Constant(_) | Description::Other => return None,
        };
        before.holding.as_ref()?.get(&place).copied()
    }

    /// The place that holds the variable behind an instruction because a register that calls do not preserve does.
    fn alike(&self, behind: u64, register: u8) -> Option<MachineLocation> {
        let &(place, half) = self.alike.get(&(behind, register))?;
        (self.code.listed.contains(&place) && !(half && self.is_wide())).then_some(place)
    }

    /// Whether the variable has more than 32 bits.
    fn is_wide(&self) -> bool {
        matches!(
            self.variable.encoding,
            Encoding::Signed(8) | Encoding::Unsigned(8)
        )
    }

    fn change(&self, change: &LocationChange, beginning: Beginning, known: &mut Known) {
        let place = change.location;
        if let LocationEffect::Known { value, .. } = change.effect {
            known.constants.insert(place, value);
        }
        if !change.effect.changes() {
            return;
        }
        let fits = |half: bool| !(half && self.is_wide());
        // A copy in 32 bits takes away what is above them.
        let copied = match change.effect {
            LocationEffect::Copy { from, add: 0, half } if fits(half) => Some(from),
            _ => None,
        };
        let step = match change.effect {
            LocationEffect::Add { step, half } if fits(half) => Some(step),
            _ => None,
        };
        let before = known.constants.get(&place).copied();
        let constant = match change.effect {
            LocationEffect::Set(value) => Some(value),
            LocationEffect::Add { .. } => before
                .zip(step)
                .and_then(|(before, step)| before.checked_add(step)),
            _ => copied.and_then(|from| known.constants.get(&from).copied()),
        };
        let from = match change.effect {
            LocationEffect::Add { .. } | LocationEffect::AddHeld { .. } => Some(place),
            effect => effect.source(),
        };
        let is_start =
            copied.is_none() && from.is_some_and(|from| known.constants.get(&from) == Some(&self.start));
        known.constants.remove(&place);
        known.constants.extend(constant.map(|constant| (place, constant)));

        let held = |place: &MachineLocation| known.holding.as_ref().and_then(|holding| holding.get(place));
        let (here, copy) = (
            held(&place).copied(),
            copied.and_then(|from| held(&from).copied()),
        );
        let is_made_of =
            copy.is_none() && from.is_some_and(|from| held(&from).is_some() || known.made_of.contains(&from));
        let is_update = match known.holding {
            Some(_) => is_made_of && here.is_some(),
            // It may be the first of all.
            None => is_start && beginning == Beginning::TheVariable,
        };
        if is_made_of {
            known.made_of.insert(place);
        } else {
            known.made_of.remove(&place);
        }
        if let Some(holding) = &mut known.holding {
            holding.remove(&place);
            holding.extend(copy.map(|more| (place, more)));
        }
        if is_update {
            // Copies of what it was may be of another iteration by now.
            let updated = step.filter(|&step| here == Some(0) && self.is_step(step));
            known.holding = Some(updated.map(|step| (place, step)).into_iter().collect());
        }
    }

    /// Whether an update adds so much.
    fn is_step(&self, added: i64) -> bool {
        matches!(self.lov.step, Some(Term::Constant(step)) if step != 0 && step.unsigned_abs() == added.unsigned_abs())
    }

    /// What holds on either of two ways.
    fn joined(&self, a: &Known, b: &Known) -> Known {
        let kept = |holding: &BTreeMap<MachineLocation, i64>,
                    is_so: &dyn Fn(&MachineLocation, i64) -> bool| {
            let all = holding.iter();
            let kept = all.filter(|&(place, &more)| is_so(place, more));
            Some(kept.map(|(&place, &more)| (place, more)).collect())
        };
        let at_start = |known: &Known, place: &MachineLocation, more: i64| {
            place.is_preserved() && known.constants.get(place).copied() == self.start.checked_add(more)
        };
        let holding = match (&a.holding, &b.holding) {
            (None, None) => None,
            (Some(a), Some(b)) => kept(a, &|place, more| b.get(place) == Some(&more)),
            (Some(holding), None) => kept(holding, &|place, more| at_start(b, place, more)),
            (None, Some(holding)) => kept(holding, &|place, more| at_start(a, place, more)),
        };
        let mut constants = a.constants.clone();
        constants.retain(|place, value| b.constants.get(place) == Some(value));
        Known {
            holding,
            made_of: &a.made_of | &b.made_of,
            constants,
            from: &a.from | &b.from,
        }
    }

    /// What debug info says at an address; `None` where it says nothing.
    pub(super) fn description(&self, address: u64) -> Option<Description> {
        let described = location_at(self.described, address)?;
        if facts(&described.expression).is_some_and(|facts| facts.is_constant()) {
            return Some(constant(&described.expression).map_or(Description::Other, Description::Constant));
        }
        let believed = location_at(&self.variable.locations, address);
        let place = believed.and_then(|location| {
            let frame_base = || Some(&self.binding.function_at(address)?.frame_base[..]);
            let place = machine_location(&location.expression, frame_base)?;
            match place {
                MachineLocation::Register(register) if !place.is_preserved() => Some(Description::Volatile {
                    register,
                    since: described.start,
                }),
                _ => self
                    .code
                    .listed
                    .contains(&place)
                    .then_some(Description::In(place)),
            }
        });
        Some(place.unwrap_or(Description::Other))
    }
}

/// The location that holds at an address, of some that are sorted and do not overlap.
fn location_at(locations: &[LocationRange], address: u64) -> Option<&LocationRange> {
    let after = locations.partition_point(|location| location.start <= address);
    let location = locations.get(after.checked_sub(1)?)?;
    (address < location.end).then_some(location)
}
