//! Which of two places in the machine code of one function is passed first.
//!
//! Seen from a region (at first the whole function), blocks that can reach each other are one strongly connected component. Of two
//! places in different components, one may lead to the other, and then it comes first; or neither does, and they lie on branches.
//! Inside one component, which is a loop, registers and slots of the stack tell how often a task has gone round
//! ([`code_counter`](crate::code_counter)). If the counts are equal, the component becomes the next region, in which nothing leads to its
//! header: between two passages of it no cycle can be closed that contains it. This is the order of `compare` (SC'09 Def. 3.2) on instructions instead of statements.

use crate::Relation;
use crate::code_counter::Counter;
use crate::code_proof::{Around, CodeDoubt, CodePlace, CodeProof, LoopBefore};
use progress_map::{LocationChange, LocationEffect, MachineCode, MachineLocation};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

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
    /// By block: callers may enter the function there.
    called: Vec<bool>,
    /// By block: it ends in a call that may come to MPI.
    pub(crate) communicates: Vec<bool>,
    /// By block: the one that it is told by, itself or the header of which it is a copy ([`crate::header_copies`]).
    pub(crate) stands_in: Vec<usize>,
    /// By block: it is one of those that a copy may be passed instead of.
    pub(crate) has_copy: Vec<bool>,
    /// By register or slot: the blocks that have to do with it.
    pub(crate) changes: BTreeMap<MachineLocation, Vec<(usize, LocationEffect)>>,
    /// By block: what its instruction does to registers and slots.
    pub(crate) at: Vec<Vec<LocationChange>>,
    /// By component: what counts its iterations.
    pub(crate) counters: Mutex<BTreeMap<Vec<bool>, Arc<[Counter]>>>,
}

/// A part of the function.
#[derive(Clone)]
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

/// A loop of the code: a strongly connected component, in one iteration of the loops around it.
pub(crate) struct CodeLoop {
    /// By block.
    pub(crate) component: Vec<bool>,
    /// The block by which alone it is entered.
    pub(crate) header: usize,
    /// One iteration of it.
    iteration: Region,
}

/// Which paths through the code count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Paths {
    All,
    /// Those that control takes for certain: not past a call that may never return.
    Certain,
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
        let begins = Vec::from_iter(begins);
        // Code comes to each piece but the one that is called; where a loop comes back to that, any piece may be it.
        let is_first = |(begins, before): (&bool, &Vec<usize>)| *begins && before.is_empty();
        let called = Vec::from_iter(begins.iter().zip(&before).map(is_first));
        let called = if called.contains(&true) {
            called
        } else {
            begins.clone()
        };
        let mut code = Self {
            stands_in: (0..blocks.len()).collect(),
            has_copy: vec![false; blocks.len()],
            at: blocks
                .iter()
                .map(|&block| code.changes_of(block).to_vec())
                .collect(),
            begins,
            called,
            communicates: blocks
                .iter()
                .map(|&number| block(number).is_none_or(|block| block.communicates))
                .collect(),
            blocks,
            next,
            before,
            changes,
            counters: Mutex::default(),
        };
        code.join_copies_of_headers();
        code
    }

    /// The place of a block, by its number in [`MachineCode::blocks`], among those of the function; of a copy of a header that of the header.
    pub(crate) fn local(&self, block: u32) -> Option<usize> {
        let at = self.blocks.binary_search(&block).ok()?;
        Some(self.stands_in[at])
    }

    /// Whether a block, by its number in [`MachineCode::blocks`], is told by another one.
    fn is_copy(&self, block: u32) -> bool {
        let at = self.blocks.binary_search(&block);
        at.is_ok_and(|at| self.stands_in[at] != at)
    }

    /// Whether callers may enter the function by a block.
    pub(crate) fn is_called(&self, block: usize) -> bool {
        self.called[block]
    }

    /// How the first place stands to the second, if both are in one execution of the function.
    ///
    /// # Errors
    /// When that is not known.
    pub(crate) fn compare(&self, a: &CodePlace, b: &CodePlace) -> Result<(Relation, CodeProof), CodeDoubt> {
        let (Some(at_a), Some(at_b)) = (self.local(a.block), self.local(b.block)) else {
            return Err(CodeDoubt::NoCounter);
        };
        // Whoever passes a copy of a header does not pass the header.
        if [a, b].iter().any(|place| self.is_copy(place.block)) {
            return Err(CodeDoubt::WaysApart);
        }
        let mut region = self.whole();
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
                    behind_loop: self.loop_before(&region, at_a, &[]).max(self.loop_before(
                        &region,
                        at_b,
                        &[],
                    )),
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
                    behind_loop: self.loop_before(&region, at_a, &[]),
                    around: (Around::told(told), Around::told(told)),
                };
                return Ok((relation, proof));
            }
            let (header, count_a, count_b) = self
                .count(&component, (at_a, a), (at_b, b))
                .ok_or(CodeDoubt::NoCounter)?;
            let relation = match count_a.cmp(&count_b) {
                std::cmp::Ordering::Less => Relation::Before,
                std::cmp::Ordering::Greater => Relation::After,
                std::cmp::Ordering::Equal => {
                    region.narrow(component, header);
                    continue;
                }
            };
            let behind_loop = self.loop_before(&region, at_a, &component);
            region.narrow(component, header);
            let mut inside = (0..self.blocks.len()).filter(|&block| region.alive[block]);
            let proof = CodeProof::Counter {
                told,
                behind_loop,
                has_loops: inside.any(|block| self.is_cycle(&region, &self.component(&region, block), block)),
                around: self.around(&region, told + 1, (at_a, at_b)),
                a: count_a,
                b: count_b,
            };
            return Ok((relation, proof));
        }
        Err(CodeDoubt::NoCounter)
    }

    /// Whether who is in the block `at` of the code makes the call at the end of the block `call` next, without any branch in between, or has just come back from it.
    pub(crate) fn beside(&self, at: u32, call: u32) -> Option<Relation> {
        let (at, call) = (self.local(at)?, self.local(call)?);
        let only_next = |block: usize| match self.next[block][..] {
            [(next, _)] => Some(next),
            _ => None,
        };
        // In a loop without a branch it is as much behind the call as in front of it.
        let mut behind = only_next(call);
        for _ in 0..self.blocks.len() {
            match behind {
                Some(block) if block == call => return None,
                Some(block) => behind = only_next(block),
                None => break,
            }
        }
        if at == call {
            return Some(Relation::Before);
        }
        let comes_back = only_next(call) == Some(at) && self.before[at] == [call];
        comes_back.then_some(Relation::After)
    }

    /// The blocks that lead to this one, itself included, and end in a call that may come to MPI.
    pub(crate) fn communicating_before(&self, block: u32) -> impl Iterator<Item = u32> {
        let whole = self.whole();
        let at = self.local(block);
        let led_from = at.map_or_else(Vec::new, |at| self.led_from(&whole, at));
        let found = led_from.into_iter().zip(&self.communicates).zip(&self.blocks);
        found
            .filter(|((leads, communicates), _)| *leads && **communicates)
            .map(|(_, &block)| block)
    }

    /// The blocks that a block leads to, itself included; both by their places among the function's.
    pub(crate) fn led_to(&self, from: usize) -> Vec<bool> {
        self.reached(&self.whole(), from, Paths::All)
    }

    /// The blocks that one leads to by blocks that are `inside`.
    pub(crate) fn led_to_inside(
        &self,
        from: usize,
        inside: impl Fn(usize) -> bool,
    ) -> impl Iterator<Item = usize> {
        let alive = (0..self.blocks.len()).map(|block| block == from || inside(block));
        let reached = self.reached(&Region::of(alive.collect()), from, Paths::All);
        let all = reached.into_iter().enumerate();
        all.filter_map(|(block, reached)| reached.then_some(block))
    }

    fn whole(&self) -> Region {
        Region::of(vec![true; self.blocks.len()])
    }

    /// Whether a block ends in a call that may come to MPI.
    pub(crate) fn communicates(&self, block: u32) -> bool {
        let at = self.local(block);
        at.is_some_and(|at| self.communicates[at])
    }

    /// Whether blocks of the region that can be come back to, other than those of `own`, lead to this one.
    fn loop_before(&self, region: &Region, to: usize, own: &[bool]) -> LoopBefore {
        let is_own = |block: usize| own.get(block) == Some(&true);
        let led_from = self.led_from(region, to);
        let before = (0..self.blocks.len()).filter(|&block| led_from[block] && !is_own(block));
        let leading = before.filter(|&block| self.is_cycle(region, &self.component(region, block), block));
        let kinds = leading.map(|block| {
            if self.communicates[block] {
                LoopBefore::Communicates
            } else {
                LoopBefore::Silent
            }
        });
        kinds.max().unwrap_or(LoopBefore::None)
    }

    /// The loops around two blocks, of which the region lies within `known`: one more if the block can be come back to in it.
    fn around(&self, region: &Region, known: usize, (a, b): (usize, usize)) -> (Around, Around) {
        let of = |at: usize| {
            let component = self.component(region, at);
            if !self.is_cycle(region, &component, at) {
                return Around::told(known);
            }
            let inside = (0..self.blocks.len()).filter(|&block| component[block]);
            let communicating = inside.filter(|&block| self.communicates[block]);
            Around {
                loops: known + 1,
                communicating: communicating.map(|block| self.blocks[block]).collect(),
            }
        };
        (of(a), of(b))
    }

    /// The loops around a block, outermost first, until one has several entries.
    pub(crate) fn loops_around(&self, at: usize) -> Vec<CodeLoop> {
        let mut found = Vec::new();
        let mut region = self.whole();
        loop {
            let component = self.component(&region, at);
            let header = self.header(&component);
            let Some(header) = header.filter(|_| self.is_cycle(&region, &component, at)) else {
                return found;
            };
            region.narrow(component.clone(), header);
            found.push(CodeLoop {
                component,
                header,
                iteration: region.clone(),
            });
        }
    }

    /// How many loops are around both of two blocks, one in the other, until one has several entries; by ways that control takes for certain.
    pub(crate) fn loops_around_both(&self, a: u32, b: u32) -> usize {
        let (Some(a), Some(b)) = (self.local(a), self.local(b)) else {
            return 0;
        };
        let mut region = self.whole();
        let mut count = 0;
        while self.goes_on(&region, a, b) && self.goes_on(&region, b, a) {
            count += 1;
            let component = self.component(&region, a);
            let Some(header) = self.header(&component) else {
                break;
            };
            region.narrow(component, header);
        }
        count
    }

    /// Whether one block leads to another for certain, and that one never to the first.
    pub(crate) fn comes_before(&self, earlier: u32, later: u32) -> bool {
        let (Some(earlier), Some(later)) = (self.local(earlier), self.local(later)) else {
            return false;
        };
        let whole = self.whole();
        self.reached(&whole, earlier, Paths::Certain)[later]
            && !self.reached(&whole, later, Paths::All)[earlier]
    }

    /// Whether control certainly goes on from one block to another, by at least one step.
    fn goes_on(&self, region: &Region, from: usize, to: usize) -> bool {
        let mut next = self.next[from].iter();
        next.any(|&(next, certain)| {
            certain && region.leads(from, next) && self.reached(region, next, Paths::Certain)[to]
        })
    }

    /// Whether each iteration of a loop executes a block, and none does twice.
    pub(crate) fn is_passed_once(&self, in_loop: &CodeLoop, block: usize) -> bool {
        let inner = || self.component(&in_loop.iteration, block);
        in_loop.component[block]
            && !self.is_cycle(&in_loop.iteration, &inner(), block)
            && self.is_passed_always(in_loop, &[block])
    }

    /// Whether each iteration of a loop executes one of some blocks.
    pub(crate) fn is_passed_always(&self, in_loop: &CodeLoop, blocks: &[usize]) -> bool {
        self.is_passed(&in_loop.component, in_loop.header, blocks)
    }

    /// Whether a block comes after another one in one iteration of a loop.
    pub(crate) fn comes_after(&self, in_loop: &CodeLoop, earlier: usize, later: usize) -> bool {
        earlier != later && self.reached(&in_loop.iteration, earlier, Paths::All)[later]
    }

    /// The registers and slots that tell the iterations of the loops around a block.
    pub(crate) fn counters_at(&self, block: u32) -> BTreeSet<MachineLocation> {
        let mut found = BTreeSet::new();
        let Some(at) = self.local(block) else {
            return found;
        };
        for in_loop in self.loops_around(at) {
            let counters = self.counters(&in_loop.component);
            found.extend(counters.iter().flat_map(|counter| counter.locations(at)));
        }
        found
    }

    fn by_flow(&self, region: &Region, a: usize, b: usize) -> Result<Relation, CodeDoubt> {
        let leads = |from: usize, to: usize, paths: Paths| self.reached(region, from, paths)[to];
        match (leads(a, b, Paths::All), leads(b, a, Paths::All)) {
            (true, _) if leads(a, b, Paths::Certain) => Ok(Relation::Before),
            (_, true) if leads(b, a, Paths::Certain) => Ok(Relation::After),
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
        // A copy may have been passed instead.
        if self.has_copy[at] {
            return false;
        }
        let entries = self.entries(region);
        let without = |gone: &[bool]| Region {
            alive: region
                .alive
                .iter()
                .zip(gone)
                .map(|(alive, gone)| *alive && !*gone)
                .collect(),
            cut: region.cut.clone(),
            headers: region.headers.clone(),
        };
        let around = without(earlier);
        let mut reached = vec![false; self.blocks.len()];
        for &entry in entries.iter().filter(|&&entry| around.alive[entry]) {
            for (reached, also) in reached.iter_mut().zip(self.reached(&around, entry, Paths::All)) {
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
        let reached = self.reached(&past, at, Paths::All);
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
            region.alive[block]
                && self.stands_in[block] == block
                && (from_elsewhere || before.is_empty() || self.begins[block])
        };
        (0..self.blocks.len()).filter(is_entry).collect()
    }

    /// The blocks that `from` leads to in the region, itself included.
    fn reached(&self, region: &Region, from: usize, paths: Paths) -> Vec<bool> {
        let mut seen = vec![false; self.blocks.len()];
        let mut work = vec![from];
        seen[from] = true;
        while let Some(at) = work.pop() {
            for &(next, certain) in &self.next[at] {
                let leads = region.leads(at, next) && (certain || paths == Paths::All);
                if leads && !std::mem::replace(&mut seen[next], true) {
                    work.push(next);
                }
            }
        }
        seen
    }

    /// The blocks that lead to `to` in the region, itself included.
    fn led_from(&self, region: &Region, to: usize) -> Vec<bool> {
        let mut seen = vec![false; self.blocks.len()];
        let mut work = vec![to];
        seen[to] = true;
        while let Some(at) = work.pop() {
            for &before in &self.before[at] {
                if region.leads(before, at) && !std::mem::replace(&mut seen[before], true) {
                    work.push(before);
                }
            }
        }
        seen
    }

    /// The blocks of the region that lead to `at` and that it leads to: its strongly connected component.
    fn component(&self, region: &Region, at: usize) -> Vec<bool> {
        let forth = self.reached(region, at, Paths::All);
        let back = self.led_from(region, at);
        forth
            .iter()
            .zip(&back)
            .map(|(forth, back)| *forth && *back)
            .collect()
    }

    /// Whether the component can be gone round.
    fn is_cycle(&self, region: &Region, component: &[bool], at: usize) -> bool {
        let others = component.iter().filter(|inside| **inside).count() > 1;
        others
            || self.next[at]
                .iter()
                .any(|&(next, _)| next == at && region.leads(at, at))
    }

    /// The only block of the component that is entered from elsewhere.
    pub(crate) fn header(&self, component: &[bool]) -> Option<usize> {
        let entered = |block: &usize| {
            let from_elsewhere = || self.before[*block].iter().any(|&before| !component[before]);
            component[*block] && (self.is_called(*block) || from_elsewhere())
        };
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
mod tests;
