//! What tells, in machine code, how often a loop has been gone round.
//!
//! The loop is a strongly connected component with one header. Say that a register or slot holds `v` whenever control comes to the header. Then what every other
//! one holds behind each instruction is `v` plus some number, or not known; compilers move a counter about, from a register to the
//! stack and back, and add to it in several copies of the loop's end. If `v` has grown by one and the same amount on every way back to the header, and was one
//! constant on every way in, each place that holds `v` plus something tells how often the header was passed. (A linear induction variable of the
//! machine's code, as compilers know those of the source.)

use crate::code_flow::FunctionCode;
use crate::code_proof::CodePlace;
use progress_map::{LocationEffect, MachineLocation};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError};

/// How often the header of a component has been passed, by what its blocks hold.
#[derive(Debug)]
pub(crate) struct Counter {
    /// The block by which alone the component is entered.
    pub(crate) header: usize,
    /// What is held at the header when it is passed for the first time.
    start: i64,
    /// By how much more that is each time.
    step: Offset,
    /// All of that in the lower 32 bits.
    half: bool,
    /// By block: what holds the number at the header plus something, before the block is executed.
    known: Vec<Option<Held>>,
}

/// What registers and slots hold, as a distance from the number at the header.
type Held = BTreeMap<MachineLocation, Offset>;

/// A distance: a number, and so many times what another place holds, which nothing in the component changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Offset {
    add: i64,
    held: Option<(MachineLocation, i64)>,
}

impl Offset {
    const NONE: Offset = Offset { add: 0, held: None };

    fn plus(self, add: i64) -> Option<Self> {
        Some(Self {
            add: self.add.checked_add(add)?,
            ..self
        })
    }

    fn plus_held(self, from: MachineLocation) -> Option<Self> {
        let times = match self.held {
            None => 1,
            Some((known, times)) if known == from => times.checked_add(1)?,
            Some(_) => return None,
        };
        Some(Self {
            held: Some((from, times)),
            ..self
        })
    }

    /// The number that it is on a task, and not on every one.
    fn number(self, place: &CodePlace, half: bool) -> Option<i64> {
        let Some((from, times)) = self.held else {
            return Some(self.add);
        };
        let value = *place.held.get(&from)?;
        // The upper half of a register is nobody's.
        let value = if half {
            i64::from(value as u32 as i32)
        } else {
            value.cast_signed()
        };
        self.add.checked_add(value.checked_mul(times)?)
    }
}

impl FunctionCode {
    /// How often a component has been gone round on two tasks that are in it, and its header; `None` if nothing counts that.
    pub(crate) fn count(
        &self,
        component: &[bool],
        (at_a, a): (usize, &CodePlace),
        (at_b, b): (usize, &CodePlace),
    ) -> Option<(usize, u64, u64)> {
        self.counters(component).iter().find_map(|counter| {
            let (step, count_a) = counter.completed(at_a, a)?;
            let (step_of_b, count_b) = counter.completed(at_b, b)?;
            // Both must have counted alike.
            (step == step_of_b).then_some((counter.header, count_a, count_b))
        })
    }

    /// How often the header of a component was passed before a task that is in it came to its place, after the first time; `None` if nothing counts that by a
    /// step that is known.
    pub(crate) fn completed(&self, component: &[bool], at: usize, place: &CodePlace) -> Option<u64> {
        self.counters(component).iter().find_map(|counter| {
            let step = counter
                .step
                .number(place, counter.half)
                .filter(|&step| step != 0)?;
            counter.count(at, place, step)
        })
    }

    /// The counters of a component, which are looked for once.
    pub(crate) fn counters(&self, component: &[bool]) -> Arc<[Counter]> {
        // Whoever panicked with a lock left nothing half done: an entry is whole when it is put in.
        let known = || self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(component) {
            return Arc::clone(found);
        }
        let header = self.header(component);
        let found = header.into_iter().flat_map(|header| {
            let locations = self.changes.keys();
            locations.filter_map(move |&location| self.counter(component, header, location))
        });
        let found: Arc<[Counter]> = found.collect();
        known().insert(component.to_vec(), Arc::clone(&found));
        found
    }

    /// Lets the counters be looked for anew, after the ways have changed.
    pub(crate) fn forget_counters(&mut self) {
        self.counters
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    /// The number that a register or slot holds whenever control comes to the header, as a counter of the component.
    fn counter(&self, component: &[bool], header: usize, location: MachineLocation) -> Option<Counter> {
        // Most are not changed in the component, or hold anything before.
        if self.is_kept(component, location) {
            return None;
        }
        let (start, is_half) = self.start(component, location)?;
        // A number of 64 bits does not begin anew, and that its lower half is copied elsewhere takes nothing from that.
        let whole = || self.counter_of((component, header), (location, start), false);
        let whole = if is_half { None } else { whole() };
        whole.or_else(|| {
            let counter = self.counter_of((component, header), (location, start), true)?;
            (counter.half || !is_half).then_some(counter)
        })
    }

    /// The same, if it is `start` when control comes to the header for the first time; `halves`: it may be one of 32 bits.
    fn counter_of(
        &self,
        (component, header): (&[bool], usize),
        (location, start): (MachineLocation, i64),
        halves: bool,
    ) -> Option<Counter> {
        let known = self.held(component, header, location, halves);
        let mut step = None;
        let mut half = false;
        for (block, held) in known.iter().enumerate() {
            let Some(held) = held else { continue };
            let after = self.after(component, block, held, halves);
            for change in &self.at[block] {
                let counts = change.effect.counts() && after.contains_key(&change.location);
                half |= counts && change.effect.is_half() == Some(true);
            }
            if self.next[block].iter().any(|&(next, _)| next == header) {
                let grown = *after.get(&location)?;
                if step.is_some_and(|step| step != grown) {
                    return None;
                }
                step = Some(grown);
            }
        }
        let step = step.filter(|step| *step != Offset::NONE)?;
        let is_unit = matches!(
            step,
            Offset {
                add: 1 | -1,
                held: None
            }
        );
        // A number of 32 bits may begin anew after some seconds, unless the loop ends before.
        let is_bound = |block: &usize| {
            known[*block].as_ref().is_some_and(|held| {
                self.at[*block].iter().any(|change| {
                    let bounds = matches!(change.effect, LocationEffect::Bounded { half: true, steps } if steps || is_unit);
                    let after = || self.after(component, *block, held, halves);
                    bounds && (held.contains_key(&change.location) || after().contains_key(&change.location))
                })
            })
        };
        if half {
            let bounds = Vec::from_iter((0..self.blocks.len()).filter(is_bound));
            if !self.is_passed(component, header, &bounds) {
                return None;
            }
        }
        Some(Counter {
            header,
            start,
            step,
            half,
            known,
        })
    }

    /// What each block of the component holds before it is executed, as distances from what `location` holds at the header.
    fn held(
        &self,
        component: &[bool],
        header: usize,
        location: MachineLocation,
        halves: bool,
    ) -> Vec<Option<Held>> {
        let mut known: Vec<Option<Held>> = vec![None; self.blocks.len()];
        known[header] = Some([(location, Offset::NONE)].into());
        let mut work = vec![header];
        while let Some(at) = work.pop() {
            let Some(held) = &known[at] else { continue };
            let after = self.after(component, at, held, halves);
            for &(next, _) in &self.next[at] {
                if !component[next] || next == header {
                    continue;
                }
                match &mut known[next] {
                    Some(old) => {
                        let count = old.len();
                        old.retain(|location, offset| after.get(location) == Some(offset));
                        if old.len() < count {
                            work.push(next);
                        }
                    }
                    new => {
                        *new = Some(after.clone());
                        work.push(next);
                    }
                }
            }
        }
        known
    }

    /// What is held behind a block before which this is held; unless `halves` are followed, nothing is held any more where only 32 bits take part.
    fn after(&self, component: &[bool], block: usize, held: &Held, halves: bool) -> Held {
        let mut after = held.clone();
        for change in &self.at[block] {
            let own = held.get(&change.location).copied();
            let made = match change.effect {
                effect if !effect.changes() => continue,
                effect if effect.is_half() == Some(true) && !halves => None,
                LocationEffect::Add { step, .. } => own.and_then(|own| own.plus(step)),
                LocationEffect::AddHeld { from, .. } if self.is_kept(component, from) => {
                    own.and_then(|own| own.plus_held(from))
                }
                LocationEffect::Copy { from, add, .. } => held.get(&from).and_then(|from| from.plus(add)),
                LocationEffect::AddHeld { .. }
                | LocationEffect::Set(_)
                | LocationEffect::Other
                | LocationEffect::Bounded { .. }
                | LocationEffect::Known { .. } => None,
            };
            match made {
                Some(made) => after.insert(change.location, made),
                None => after.remove(&change.location),
            };
        }
        after
    }

    /// Whether nothing in the component changes a register or slot.
    fn is_kept(&self, component: &[bool], location: MachineLocation) -> bool {
        let mut changes = self.changes.get(&location).into_iter().flatten();
        !changes.any(|&(block, effect)| component[block] && effect.changes())
    }

    /// What a register or slot holds on every way into the component, if that is one number, and whether it is known of the lower 32 bits only.
    fn start(&self, component: &[bool], location: MachineLocation) -> Option<(i64, bool)> {
        let changes = self.changes.get(&location)?;
        let mut start = None;
        let mut is_half = false;
        let mut seen = BTreeSet::new();
        let inside = (0..self.blocks.len()).filter(|&block| component[block]);
        if inside.clone().any(|block| self.is_called(block)) {
            return None;
        }
        let mut work = Vec::from_iter(inside.flat_map(|block| &self.before[block]).copied());
        work.retain(|&before| !component[before]);
        while let Some(at) = work.pop() {
            if !seen.insert(at) {
                continue;
            }
            if component[at] {
                return None;
            }
            let here = || {
                changes
                    .iter()
                    .filter_map(|(block, effect)| (*block == at).then_some(*effect))
            };
            let mut changed = here().filter(|effect| effect.changes());
            let first = changed.next();
            if changed.next().is_some() {
                return None;
            }
            let known = here().find_map(|effect| match effect {
                LocationEffect::Known { value, half } => Some((value, half)),
                _ => None,
            });
            let (value, half) = match (first, known) {
                (Some(LocationEffect::Set(value)), _) => (value, false),
                (Some(_), _) => return None,
                (None, Some(known)) => known,
                // It holds what the caller has left in it.
                (None, None) if self.before[at].is_empty() || self.is_called(at) => return None,
                (None, None) => {
                    work.extend(&self.before[at]);
                    continue;
                }
            };
            if start.is_some_and(|start| start != value) {
                return None;
            }
            start = Some(value);
            is_half |= half;
        }
        Some((start?, is_half))
    }
}

impl Counter {
    /// What has to be known to count in a block, of what can be read while a call lasts.
    pub(crate) fn locations(&self, block: usize) -> BTreeSet<MachineLocation> {
        let held = self.known[block].iter().flatten();
        let of_offset = |offset: Offset| offset.held.map(|(location, _)| location);
        let here = held.flat_map(|(&location, &offset)| of_offset(offset).into_iter().chain([location]));
        let all = here.chain(of_offset(self.step));
        all.filter(|location| location.is_preserved()).collect()
    }

    /// By how much the number grows each time on a task, and how often the header has been passed before the task came to this place in the block, after the first time; `None` if that is not known.
    fn completed(&self, block: usize, place: &CodePlace) -> Option<(i64, u64)> {
        let step = self.step.number(place, self.half).filter(|&step| step != 0)?;
        Some((step, self.count(block, place, step)?))
    }

    /// How often the header has been passed before a task came to this place in the block, after the first time; `None` if that is not known, or what is held is
    /// none that `step` leads to.
    fn count(&self, block: usize, place: &CodePlace, step: i64) -> Option<u64> {
        let held = self.known[block].iter().flatten();
        let mut values = held.filter_map(|(location, offset)| {
            let value = place.held.get(location)?;
            Some((*value, offset.number(place, self.half)?))
        });
        let (value, offset) = values.next()?;
        let begun = self.start.wrapping_add(offset).cast_unsigned();
        let change = if step > 0 {
            value.wrapping_sub(begun)
        } else {
            begun.wrapping_sub(value)
        };
        let change = if self.half { change & 0xffff_ffff } else { change };
        let step = step.unsigned_abs();
        (change % step == 0).then_some(change / step)
    }
}
