//! Which of two places in the machine code of one function is passed first.
//!
//! Seen from a region (at first the whole function), blocks that can reach each other are one strongly connected component. Of two
//! places in different components, one may lead to the other, and then it comes first; or neither does, and they lie on branches.
//! Inside one component, which is a loop, registers and slots of the stack tell how often a task has gone round
//! ([`code_counter`](crate::code_counter)). If the counts are equal, the component becomes the next region, in which nothing leads to its
//! header: between two passages of it no cycle can be closed that contains it. This is the order of `compare` (SC'09 Def. 3.2) on instructions instead of statements.

use crate::Relation;
use progress_map::{LocationChange, LocationEffect, MachineCode, MachineLocation};
use std::collections::{BTreeMap, BTreeSet};

/// A place in the code of a function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CodePlace {
    /// Its block in [`MachineCode::blocks`].
    pub block: u32,
    /// In a call, the last byte of the call; otherwise the instruction that is executed next.
    pub address: u64,
    /// What registers that calls preserve and slots of the frame hold, as far as that is known.
    pub held: BTreeMap<MachineLocation, u64>,
}

/// What decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CodeProof {
    /// One place leads to the other, neither does, or they are one.
    Flow {
        /// In how many loops around both they are in the same iteration, as registers tell.
        told: usize,
        /// Whoever is at the later place has been at the earlier one, in whatever loop that is, and nobody leaves that loop without coming to
        /// the later place.
        passed: bool,
        /// Whether a loop, of which no register tells the iteration, leads to one of the two.
        behind_loop: bool,
        /// How many loops of the code are around each of the two, as far as was looked.
        around: (usize, usize),
    },
    /// A register has been changed more often.
    Counter {
        /// In how many loops around the one that it counts both are in the same iteration.
        told: usize,
        /// Whether that loop has others within, which are gone round without the register being changed.
        has_loops: bool,
        /// As in [`CodeProof::Flow`].
        around: (usize, usize),
        /// How often on the first task.
        a: u64,
        /// How often on the second task.
        b: u64,
    },
}

impl CodeProof {
    /// Whether it rests on a register's having counted the iterations of a loop of the code that may be gone round without the register being changed.
    pub(crate) fn is_past_uncounted_loops(&self) -> bool {
        match self {
            CodeProof::Flow {
                told, behind_loop, ..
            } => *told > 0 && *behind_loop,
            CodeProof::Counter { told, has_loops, .. } => *has_loops || *told > 0,
        }
    }

    /// The loops of the code in which registers tell the iterations of both tasks, and how many there are around each of the two.
    pub(crate) fn loops(&self) -> (usize, (usize, usize)) {
        match self {
            CodeProof::Flow { told, around, .. } => (*told, *around),
            CodeProof::Counter { told, around, .. } => (told + 1, *around),
        }
    }
}

/// Why nothing is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeDoubt {
    /// Both are in a loop, and no register that is known counts its iterations.
    NoCounter,
    /// The only way from one to the other goes through a call that may not return.
    MayNotReturn,
}

/// The graph of one function.
pub(crate) struct FunctionCode {
    /// The blocks' numbers in [`MachineCode::blocks`], sorted.
    pub(crate) blocks: Vec<u32>,
    /// By block: what may follow, and whether it does in some run.
    pub(crate) next: Vec<Vec<(usize, bool)>>,
    /// By block: what may come before.
    pub(crate) before: Vec<Vec<usize>>,
    /// By block: no other of the function stands right in front of it.
    begins: Vec<bool>,
    /// By register or slot: the blocks that have to do with it.
    pub(crate) changes: BTreeMap<MachineLocation, Vec<(usize, LocationEffect)>>,
    /// By block: what its instruction does to registers and slots.
    pub(crate) at: Vec<Vec<LocationChange>>,
}

/// A part of the function.
struct Region {
    alive: Vec<bool>,
    /// Behind these blocks the region ends.
    cut: Vec<bool>,
    /// Nothing in the region leads to these blocks: each is the header of a loop of which the region is one iteration.
    headers: Vec<bool>,
}

impl Region {
    fn of(alive: Vec<bool>) -> Self {
        Self {
            cut: vec![false; alive.len()],
            headers: vec![false; alive.len()],
            alive,
        }
    }

    /// One iteration of a component of the region.
    fn narrow(&mut self, component: Vec<bool>, header: usize) {
        self.alive = component;
        self.headers[header] = true;
    }

    /// Whether control may go on from one block to another.
    fn leads(&self, from: usize, to: usize) -> bool {
        self.alive[from] && self.alive[to] && !self.cut[from] && !self.headers[to]
    }
}

impl FunctionCode {
    /// The function that consists of `blocks`, sorted.
    pub(crate) fn new(code: &MachineCode, blocks: Vec<u32>) -> Self {
        let local = |block: u32| blocks.binary_search(&block).ok();
        let mut next = vec![Vec::new(); blocks.len()];
        let mut before = vec![Vec::new(); blocks.len()];
        let mut changes: BTreeMap<MachineLocation, Vec<(usize, LocationEffect)>> = BTreeMap::new();
        for (from, &block) in blocks.iter().enumerate() {
            for way in code.ways_from(block) {
                if let Some(to) = local(way.to) {
                    next[from].push((to, way.certain));
                    before[to].push(from);
                }
            }
            for change in code.changes_of(block) {
                changes
                    .entry(change.location)
                    .or_default()
                    .push((from, change.effect));
            }
        }
        let block = |number: u32| code.blocks.get(number as usize);
        let begins = blocks.iter().enumerate().map(|(at, &number)| {
            let last = at.checked_sub(1).and_then(|at| block(blocks[at]));
            last.map(|last| last.end) != block(number).map(|block| block.start)
        });
        Self {
            at: { blocks.iter() }
                .map(|&block| code.changes_of(block).to_vec())
                .collect(),
            begins: begins.collect(),
            blocks,
            next,
            before,
            changes,
        }
    }

    /// How the first place stands to the second, if both are in one execution of the function.
    ///
    /// # Errors
    /// When that is not known.
    pub(crate) fn compare(&self, a: &CodePlace, b: &CodePlace) -> Result<(Relation, CodeProof), CodeDoubt> {
        let local = |place: &CodePlace| self.blocks.binary_search(&place.block);
        let (Ok(at_a), Ok(at_b)) = (local(a), local(b)) else {
            return Err(CodeDoubt::NoCounter);
        };
        let mut region = Region::of(vec![true; self.blocks.len()]);
        for told in 0.. {
            let component = self.component(&region, at_a);
            if !component[at_b] {
                let relation = self.by_flow(&region, at_a, at_b)?;
                let other = || self.component(&region, at_b);
                let passed = match relation {
                    Relation::Before => self.is_passed_on_the_way(&region, (&component, at_a), &other()),
                    Relation::After => self.is_passed_on_the_way(&region, (&other(), at_b), &component),
                    _ => false,
                };
                let around = self.around(&region, told, (at_a, at_b));
                let proof = CodeProof::Flow {
                    told,
                    passed,
                    behind_loop: self.comes_from_loop(&region, at_a) || self.comes_from_loop(&region, at_b),
                    around,
                };
                return Ok((relation, proof));
            }
            if !self.is_cycle(&region, &component, at_a) {
                // One block, executed once.
                let relation = match a.address.cmp(&b.address) {
                    std::cmp::Ordering::Less => Relation::Before,
                    std::cmp::Ordering::Equal => Relation::Equal,
                    std::cmp::Ordering::Greater => Relation::After,
                };
                let proof = CodeProof::Flow {
                    told,
                    passed: true,
                    behind_loop: self.comes_from_loop(&region, at_a),
                    around: (told, told),
                };
                return Ok((relation, proof));
            }
            let (counter, count_a, count_b) = self
                .counters(&component, (at_a, a), (at_b, b))
                .next()
                .ok_or(CodeDoubt::NoCounter)?;
            let relation = match count_a.cmp(&count_b) {
                std::cmp::Ordering::Less => Relation::Before,
                std::cmp::Ordering::Greater => Relation::After,
                std::cmp::Ordering::Equal => {
                    region.narrow(component, counter.header);
                    continue;
                }
            };
            region.narrow(component, counter.header);
            let mut inside = (0..self.blocks.len()).filter(|&block| region.alive[block]);
            let proof = CodeProof::Counter {
                told,
                has_loops: inside.any(|block| self.is_cycle(&region, &self.component(&region, block), block)),
                around: self.around(&region, told + 1, (at_a, at_b)),
                a: count_a,
                b: count_b,
            };
            return Ok((relation, proof));
        }
        Err(CodeDoubt::NoCounter)
    }

    /// Whether a block of the region that can be come back to leads to this one, or is this one.
    fn comes_from_loop(&self, region: &Region, to: usize) -> bool {
        let alive = (0..self.blocks.len()).filter(|&block| region.alive[block]);
        { alive }
            .filter(|&block| self.is_cycle(region, &self.component(region, block), block))
            .any(|block| self.reached(region, block, false)[to])
    }

    /// How many loops are around two blocks, of which the region lies within `known`: one more if the block can be come back to in it.
    fn around(&self, region: &Region, known: usize, (a, b): (usize, usize)) -> (usize, usize) {
        let of = |at: usize| {
            let component = self.component(region, at);
            known + usize::from(self.is_cycle(region, &component, at))
        };
        (of(a), of(b))
    }

    /// The registers and slots that tell the iterations of the loops around a block.
    pub(crate) fn counters_at(&self, block: u32) -> BTreeSet<MachineLocation> {
        let mut found = BTreeSet::new();
        let Ok(at) = self.blocks.binary_search(&block) else {
            return found;
        };
        let mut region = Region::of(vec![true; self.blocks.len()]);
        loop {
            let component = self.component(&region, at);
            let counters = match self.is_cycle(&region, &component, at) {
                true => Vec::from_iter(self.all_counters(&component)),
                false => Vec::new(),
            };
            let Some(header) = counters.first().map(|counter| counter.header) else {
                return found;
            };
            found.extend(counters.iter().flat_map(|counter| counter.locations(at)));
            region.narrow(component, header);
        }
    }

    fn by_flow(&self, region: &Region, a: usize, b: usize) -> Result<Relation, CodeDoubt> {
        let leads = |from: usize, to: usize, certainly: bool| self.reached(region, from, certainly)[to];
        match (leads(a, b, false), leads(b, a, false)) {
            (true, _) if leads(a, b, true) => Ok(Relation::Before),
            (_, true) if leads(b, a, true) => Ok(Relation::After),
            (false, false) => Ok(Relation::Incomparable),
            _ => Err(CodeDoubt::MayNotReturn),
        }
    }

    /// Whether nobody comes to the component `later` in the region but through the component `earlier`, in which the block `at` is, and, if that can
    /// be gone round, nobody leaves it but for `later`.
    ///
    /// Where the source is not known this is what makes an order of the code one of the program. Of places that merely lead to one another,
    /// the later may be on the way out of a loop of the source that the earlier is still in (`if (failed) { report(); break; }`), or one of two calls of the
    /// source that share an instruction, of which the other one comes first.
    fn is_passed_on_the_way(&self, region: &Region, (earlier, at): (&[bool], usize), later: &[bool]) -> bool {
        let entries = self.entries(region);
        let without = |gone: &[bool]| Region {
            alive: { region.alive.iter().zip(gone) }
                .map(|(alive, gone)| *alive && !*gone)
                .collect(),
            cut: region.cut.clone(),
            headers: region.headers.clone(),
        };
        let around = without(earlier);
        let mut reached = vec![false; self.blocks.len()];
        for &entry in entries.iter().filter(|&&entry| around.alive[entry]) {
            for (reached, also) in reached.iter_mut().zip(self.reached(&around, entry, false)) {
                *reached |= also;
            }
        }
        if entries.is_empty()
            || reached
                .iter()
                .zip(later)
                .any(|(reached, later)| *reached && *later)
        {
            return false;
        }
        if !self.is_cycle(region, earlier, at) {
            return true;
        }
        let past = without(later);
        let reached = self.reached(&past, at, false);
        let leaves = |block: usize| {
            let next = &self.next[block];
            next.is_empty() || next.iter().any(|&(next, _)| !region.leads(block, next))
        };
        !(0..self.blocks.len()).any(|block| reached[block] && leaves(block))
    }

    /// The blocks by which control comes into a region.
    fn entries(&self, region: &Region) -> Vec<usize> {
        // What stands behind no other block of the function begins a piece of its code: one of those is where it is called.
        let is_entry = |&block: &usize| {
            let before = &self.before[block];
            let from_elsewhere = before.iter().any(|&before| !region.leads(before, block));
            region.alive[block] && (from_elsewhere || before.is_empty() || self.begins[block])
        };
        (0..self.blocks.len()).filter(is_entry).collect()
    }

    /// The blocks that `from` leads to in the region, itself included.
    fn reached(&self, region: &Region, from: usize, certainly: bool) -> Vec<bool> {
        let mut seen = vec![false; self.blocks.len()];
        let mut work = vec![from];
        seen[from] = true;
        while let Some(at) = work.pop() {
            for &(next, certain) in &self.next[at] {
                let leads = region.leads(at, next) && (certain || !certainly);
                if leads && !std::mem::replace(&mut seen[next], true) {
                    work.push(next);
                }
            }
        }
        seen
    }

    /// The blocks of the region that lead to `at` and that it leads to: its strongly connected component.
    fn component(&self, region: &Region, at: usize) -> Vec<bool> {
        let forth = self.reached(region, at, false);
        let mut back = vec![false; self.blocks.len()];
        let mut work = vec![at];
        back[at] = true;
        while let Some(at) = work.pop() {
            for &before in &self.before[at] {
                if region.leads(before, at) && !std::mem::replace(&mut back[before], true) {
                    work.push(before);
                }
            }
        }
        { forth.iter().zip(&back) }
            .map(|(forth, back)| *forth && *back)
            .collect()
    }

    /// Whether the component can be gone round.
    fn is_cycle(&self, region: &Region, component: &[bool], at: usize) -> bool {
        let others = component.iter().filter(|inside| **inside).count() > 1;
        others || { self.next[at].iter() }.any(|&(next, _)| next == at && region.leads(at, at))
    }

    /// The only block of the component that is entered from elsewhere.
    pub(crate) fn header(&self, component: &[bool]) -> Option<usize> {
        let entered =
            |block: &usize| component[*block] && self.before[*block].iter().any(|&before| !component[before]);
        let mut headers = (0..self.blocks.len()).filter(entered);
        headers.next().filter(|_| headers.next().is_none())
    }

    /// Whether the component cannot be gone round from `from` to itself without passing one of the `blocks`.
    pub(crate) fn is_passed(&self, component: &[bool], from: usize, blocks: &[usize]) -> bool {
        let mut region = Region::of(component.to_vec());
        for &block in blocks {
            region.cut[block] = true;
        }
        !self.is_cycle(&region, &self.component(&region, from), from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use progress_map::{CodeBlock, CodeWay, LocationChange};

    /// The next number below `below` of a fixed sequence.
    fn next(state: &mut u64, below: usize) -> usize {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) as usize % below
    }

    const LOCATIONS: [MachineLocation; 2] = [MachineLocation::Register(3), MachineLocation::Slot(-24)];

    /// A function of a few blocks, each of which may do something to a register.
    fn function(state: &mut u64) -> MachineCode {
        let count = 4 + next(state, 7);
        let blocks = (0..count as u64).map(|at| CodeBlock {
            start: 16 * at,
            end: 16 * at + 16,
            function: 0,
        });
        let mut code = MachineCode {
            blocks: blocks.collect(),
            ..MachineCode::default()
        };
        for from in 0..count as u32 - 1 {
            // Mostly on to the next one, so that there are loops within loops rather than knots.
            let mut to = vec![from + 1];
            match next(state, 5) {
                0 => to.push(next(state, count) as u32),
                1 => to.push(next(state, from as usize + 1) as u32),
                2 => to = vec![next(state, count) as u32, from + 1],
                _ => {}
            }
            code.ways.extend(to.into_iter().map(|to| CodeWay {
                from,
                to,
                certain: true,
            }));
            let location = LOCATIONS[next(state, 2)];
            let effect = match next(state, 8) {
                0 => LocationEffect::Set(next(state, 2) as i64),
                1 | 5 => LocationEffect::Add {
                    step: [1, 2, -1][next(state, 3)],
                    half: false,
                },
                2 => LocationEffect::Copy {
                    from: LOCATIONS[next(state, 2)],
                    add: 1,
                    half: false,
                },
                4 => LocationEffect::AddHeld {
                    from: LOCATIONS[next(state, 2)],
                    half: false,
                },
                3 if next(state, 4) == 0 => LocationEffect::Other,
                _ => continue,
            };
            code.changes.push(LocationChange {
                block: from,
                location,
                effect,
            });
        }
        code.ways.sort_unstable();
        code.ways.dedup();
        code
    }

    /// The places that one execution comes to, in their order.
    fn run(code: &MachineCode, state: &mut u64) -> Vec<CodePlace> {
        // What the caller has left in the registers is another number in every task.
        let mut held: BTreeMap<MachineLocation, u64> =
            LOCATIONS.map(|location| (location, next(state, 5) as u64)).into();
        let mut places = Vec::new();
        let mut block = 0;
        for _ in 0..80 {
            places.push(CodePlace {
                block,
                address: code.blocks[block as usize].start,
                held: held.clone(),
            });
            for change in code.changes_of(block) {
                let old = held[&change.location];
                let new = match change.effect {
                    LocationEffect::Set(value) => value.cast_unsigned(),
                    LocationEffect::Add { step, .. } => old.wrapping_add_signed(step),
                    LocationEffect::Copy { from, add, .. } => held[&from].wrapping_add_signed(add),
                    LocationEffect::AddHeld { from, .. } => old.wrapping_add(held[&from]),
                    LocationEffect::Other => next(state, 5) as u64,
                    LocationEffect::Bounded { .. } => old,
                };
                held.insert(change.location, new);
            }
            let ways = code.ways_from(block);
            match ways.len() {
                0 => break,
                count => block = ways[next(state, count)].to,
            }
        }
        places
    }

    impl FunctionCode {
        /// Whether the code leads from a block to itself.
        fn reached_again(&self, block: u32) -> bool {
            let whole = Region::of(vec![true; self.blocks.len()]);
            let at = block as usize;
            self.is_cycle(&whole, &self.component(&whole, at), at)
        }
    }

    /// `if (failed) { report(); return; } do { work(); } while (…); last();` around which all goes: who reports has not passed the loop.
    #[test]
    fn a_place_on_the_way_out_is_not_behind_the_loop() {
        let block = |at: u64| CodeBlock {
            start: 16 * at,
            end: 16 * at + 16,
            function: 0,
        };
        let way = |(from, to)| CodeWay {
            from,
            to,
            certain: true,
        };
        let passed = |ways: &[(u32, u32)], a: u32, b: u32| {
            let code = MachineCode {
                blocks: (0..6).map(block).collect(),
                ways: ways.iter().copied().map(way).collect(),
                changes: Vec::new(),
            };
            let graph = FunctionCode::new(&code, (0..6).collect());
            match graph.compare(&at(a, 0), &at(b, 0)) {
                Ok((Relation::Before, CodeProof::Flow { passed, .. })) => passed,
                other => panic!("{other:?}"),
            }
        };
        // 1 and 2 are the loop, 3 is left for from its middle, 4 comes behind it.
        let early_out = [(0, 1), (1, 2), (1, 3), (2, 1), (2, 4), (3, 5), (4, 5)];
        assert!(passed(&early_out, 0, 4));
        assert!(!passed(&early_out, 2, 3));
        assert!(!passed(&early_out, 2, 4));
        assert!(passed(&early_out, 2, 5));
        // Nor is who has gone round another way behind.
        let branch = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)];
        assert!(!passed(&branch, 1, 2));
        assert!(passed(&branch, 2, 3));
    }

    /// What is said of two places holds for all executions that come to both: those are run, and looked through.
    #[test]
    fn no_execution_contradicts_the_order() {
        let (mut ordered, mut counted, mut equal, mut through) = (0, 0, 0, 0);
        for seed in 0..200u64 {
            let mut state = seed;
            let code = function(&mut state);
            let runs = Vec::from_iter((0..12).map(|_| run(&code, &mut state)));
            let graph = FunctionCode::new(&code, (0..code.blocks.len() as u32).collect());
            // When each place was come to, run by run.
            let mut times: BTreeMap<&CodePlace, Vec<(usize, usize)>> = BTreeMap::new();
            for (run, places) in runs.iter().enumerate() {
                for (time, place) in places.iter().enumerate() {
                    times.entry(place).or_default().push((run, time));
                }
            }
            for (a, times_a) in &times {
                for (b, times_b) in &times {
                    let Ok((relation, proof)) = graph.compare(a, b) else {
                        continue;
                    };
                    let back = graph.compare(b, a).map(|(relation, _)| relation.reversed());
                    assert_eq!(back, Ok(relation), "seed {seed}: {a:?} and {b:?}");
                    let of_one_run = times_a.iter().flat_map(|&(run, time)| {
                        let same = times_b.iter().filter(move |(other, _)| *other == run);
                        same.map(move |&(_, other)| time.cmp(&other))
                    });
                    for order in of_one_run {
                        let fits = match relation {
                            Relation::Before => order.is_lt(),
                            Relation::After => order.is_gt(),
                            Relation::Equal => order.is_eq(),
                            Relation::Incomparable | Relation::Unknown => false,
                        };
                        assert!(fits, "seed {seed}: {a:?} is {relation:?} {b:?} in {code:?}");
                    }
                    // Who is at the later place has been at the earlier one, unless that is in a loop by itself.
                    let goes_round = graph.reached_again(a.block);
                    if let (Relation::Before, CodeProof::Flow { passed: true, .. }, false) =
                        (relation, &proof, goes_round)
                    {
                        through += 1;
                        for &(run, time) in times_b {
                            let earlier = runs[run][..time].iter().any(|place| place.block == a.block);
                            assert!(
                                earlier || a.block == b.block,
                                "seed {seed}: {b:?} without {a:?} in {code:?}"
                            );
                        }
                    }
                    ordered += usize::from(matches!(relation, Relation::Before | Relation::After));
                    equal += usize::from(relation == Relation::Equal);
                    counted += usize::from(matches!(proof, CodeProof::Counter { .. }));
                }
            }
        }
        assert!(
            ordered > 3_000 && counted > 100 && equal > 300 && through > 500,
            "{ordered} {counted} {equal} {through}"
        );
    }

    /// `i = 0; do { a(); i++; b(); } while (…); c();`, one block each.
    fn counting_loop(effect: LocationEffect, more: &[(u32, LocationEffect)]) -> FunctionCode {
        let block = |at: u64| CodeBlock {
            start: 16 * at,
            end: 16 * at + 16,
            function: 0,
        };
        let way = |(from, to)| CodeWay {
            from,
            to,
            certain: true,
        };
        let change = |(block, effect)| LocationChange {
            block,
            location: MachineLocation::Register(3),
            effect,
        };
        let mut changes = vec![(0, LocationEffect::Set(0)), (2, effect)];
        changes.extend(more);
        let mut code = MachineCode {
            blocks: (0..5).map(block).collect(),
            ways: [(0, 1), (1, 2), (2, 3), (3, 1), (3, 4)].map(way).to_vec(),
            changes: changes.into_iter().map(change).collect(),
        };
        code.changes.sort_unstable();
        FunctionCode::new(&code, (0..5).collect())
    }

    fn at(block: u32, i: u64) -> CodePlace {
        CodePlace {
            block,
            address: 16 * u64::from(block),
            held: [(MachineLocation::Register(3), i)].into(),
        }
    }

    fn add(half: bool) -> LocationEffect {
        LocationEffect::Add { step: 1, half }
    }

    fn relation(code: &FunctionCode, a: &CodePlace, b: &CodePlace) -> Option<Relation> {
        code.compare(a, b).ok().map(|(relation, _)| relation)
    }

    #[test]
    fn a_register_tells_the_iteration() {
        let code = counting_loop(add(false), &[]);
        assert_eq!(relation(&code, &at(3, 5), &at(1, 6)), Some(Relation::Before));
        // Behind the change of the iteration before.
        assert_eq!(relation(&code, &at(1, 5), &at(3, 5)), Some(Relation::After));
        assert_eq!(relation(&code, &at(1, 5), &at(3, 6)), Some(Relation::Before));
        assert_eq!(relation(&code, &at(3, 5), &at(3, 5)), Some(Relation::Equal));
        assert_eq!(relation(&code, &at(1, 7), &at(4, 7)), Some(Relation::Before));
    }

    #[test]
    fn thirty_two_bits_need_an_end() {
        assert_eq!(
            relation(&counting_loop(add(true), &[]), &at(3, 5), &at(1, 6)),
            None
        );
        let bounded = LocationEffect::Bounded {
            half: true,
            steps: false,
        };
        let code = counting_loop(add(true), &[(3, bounded)]);
        assert_eq!(relation(&code, &at(3, 5), &at(1, 6)), Some(Relation::Before));
        // The upper half of the register is nobody's.
        assert_eq!(
            relation(&code, &at(3, 5 | 1 << 40), &at(1, 6)),
            Some(Relation::Before)
        );
    }

    /// `i` goes from its register to a slot while the register is used for something else, comes back in another register, and grows there.
    #[test]
    fn a_counter_may_move_to_the_stack_and_back() {
        let (slot, other) = (MachineLocation::Slot(-40), MachineLocation::Register(12));
        let copy = |from| LocationEffect::Copy {
            from,
            add: 0,
            half: false,
        };
        let rbx = MachineLocation::Register(3);
        let effects = [
            (0, rbx, LocationEffect::Set(0)),
            (1, slot, copy(rbx)),
            (2, rbx, LocationEffect::Other),
            (3, other, copy(slot)),
            (4, other, add(false)),
            (5, rbx, copy(other)),
        ];
        let change = |&(block, location, effect): &(u32, MachineLocation, LocationEffect)| LocationChange {
            block,
            location,
            effect,
        };
        let code = MachineCode {
            blocks: { 0..7u64 }
                .map(|at| CodeBlock {
                    start: 16 * at,
                    end: 16 * at + 16,
                    function: 0,
                })
                .collect(),
            ways: [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 1), (5, 6)]
                .map(|(from, to)| CodeWay {
                    from,
                    to,
                    certain: true,
                })
                .to_vec(),
            changes: effects.iter().map(change).collect(),
        };
        let code = FunctionCode::new(&code, (0..7).collect());
        let at = |block: u32, held: (MachineLocation, u64)| CodePlace {
            block,
            address: 16 * u64::from(block),
            held: [held].into(),
        };
        // The same iteration, and the next one.
        assert_eq!(
            relation(&code, &at(3, (slot, 4)), &at(5, (other, 5))),
            Some(Relation::Before)
        );
        assert_eq!(
            relation(&code, &at(5, (other, 5)), &at(1, (rbx, 5))),
            Some(Relation::Before)
        );
        assert_eq!(
            relation(&code, &at(3, (slot, 5)), &at(4, (other, 4))),
            Some(Relation::After)
        );
        // What the register holds meanwhile is something else.
        assert_eq!(relation(&code, &at(3, (rbx, 4)), &at(5, (other, 5))), None);
        assert_eq!(code.counters_at(3), [slot].into());
    }

    #[test]
    fn what_else_changes_the_register_spoils_it() {
        for effect in [LocationEffect::Other, LocationEffect::Set(0)] {
            assert_eq!(
                relation(&counting_loop(add(false), &[(3, effect)]), &at(3, 5), &at(1, 6)),
                None
            );
        }
        // What adds to it once more makes larger steps of it, to which an odd number does not belong.
        let code = counting_loop(add(false), &[(3, add(false))]);
        assert_eq!(relation(&code, &at(3, 5), &at(1, 6)), Some(Relation::Before));
        assert_eq!(relation(&code, &at(3, 4), &at(1, 6)), None);
        // Nor is it known with what the loop begins.
        let code = counting_loop(add(false), &[(0, LocationEffect::Other)]);
        assert_eq!(relation(&code, &at(3, 5), &at(1, 6)), None);
    }
}
