//! Copies of the code by which a loop is entered.
//!
//! In `for (i = 0; i < n; i++) { if (i == 1) start(); if (left) f(); else g(); … }` compilers copy the second test behind `start()`, where it is known that the first one has
//! held. Who comes back to the loop by that copy does not pass the header, so that the loop looks like one within another, the inner one with two entries, and nothing tells
//! its iterations. But all that follows a test follows its copy too: **what led to the copy is taken to lead to the header**. The ways between all other blocks stay the
//! same. A loop of the source that goes round within another looks alike (`do { do { if (left) … } while (again); } while (more);`), and must not be taken for one with it: so that
//! is done only where then some register or slot has counted every iteration. What stands in a copy itself is not told.

use crate::code_flow::FunctionCode;
use progress_map::{LocationEffect, MachineLocation};
use std::collections::BTreeMap;

/// What is known of registers and slots at an instruction that changes none.
type Facts = Vec<(MachineLocation, LocationEffect)>;

impl FunctionCode {
    /// Lets the headers of loops stand for their copies.
    pub(crate) fn join_copies_of_headers(&mut self) {
        let mut alike: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        for block in 0..self.blocks.len() {
            let mut targets = Vec::from_iter(self.next[block].iter().map(|&(to, _)| to));
            targets.sort_unstable();
            if targets.len() > 1 && self.facts(block).is_some() {
                alike.entry(targets).or_default().push(block);
            }
        }
        for tests in alike.into_values().filter(|tests| tests.len() > 1) {
            for &test in &tests {
                for own in self.loops_around(test) {
                    let Some(way) = self.straight(own.header, test) else {
                        continue;
                    };
                    for &other in tests.iter().filter(|&&other| own.component[other]) {
                        if let Some(copy) = self.copy_of(&way, other) {
                            self.join(&copy, &way);
                        }
                    }
                }
            }
        }
    }

    /// What a block knows; `None` if it does something, or goes on uncertainly.
    fn facts(&self, block: usize) -> Option<Facts> {
        let does_nothing = !self.communicates[block]
            && self.next[block].iter().all(|&(_, certain)| certain)
            && !self.at[block].iter().any(|change| change.effect.changes());
        let facts = self.at[block]
            .iter()
            .map(|change| (change.location, change.effect));
        does_nothing.then(|| facts.collect())
    }

    /// The blocks from the header of a loop to its first branch, if that is `test` and they do nothing.
    fn straight(&self, header: usize, test: usize) -> Option<Vec<usize>> {
        let mut way = vec![header];
        while *way.last()? != test {
            let last = *way.last()?;
            match self.next[last][..] {
                [(next, _)] if self.facts(last).is_some() && !way.contains(&next) => way.push(next),
                _ => return None,
            }
        }
        Some(way)
    }

    /// The blocks that end in `test` and know what those of a way to another test know, the last one first.
    fn copy_of(&self, way: &[usize], test: usize) -> Option<Vec<usize>> {
        let mut left: Facts = Vec::new();
        for &block in way {
            left.extend(self.facts(block)?);
        }
        let mut copy = Vec::new();
        let mut at = test;
        loop {
            let own = self.facts(at)?;
            if way.contains(&at) || copy.contains(&at) || self.is_called(at) || !left.ends_with(&own) {
                return None;
            }
            left.truncate(left.len() - own.len());
            copy.push(at);
            if left.is_empty() {
                return Some(copy);
            }
            match self.before[at][..] {
                [before] if self.next[before].len() == 1 => at = before,
                _ => return None,
            }
        }
    }

    /// Lets what leads to a copy lead to the header, if then something has counted the iterations of its loop.
    fn join(&mut self, copy: &[usize], way: &[usize]) {
        let Some((&first, &header)) = copy.last().zip(way.first()) else {
            return;
        };
        let (next, before) = (self.next.clone(), self.before.clone());
        for &block in copy {
            for (to, _) in std::mem::take(&mut self.next[block]) {
                self.before[to].retain(|&from| from != block);
            }
        }
        for from in std::mem::take(&mut self.before[first]) {
            for (to, _) in &mut self.next[from] {
                if *to == first {
                    *to = header;
                }
            }
            self.next[from].sort_unstable();
            self.next[from].dedup_by_key(|(to, _)| *to);
            if !self.before[header].contains(&from) {
                self.before[header].push(from);
            }
        }
        let loops = self.loops_around(header);
        let joined = loops.iter().find(|each| each.header == header);
        if joined.is_some_and(|joined| !self.counters(&joined.component).is_empty()) {
            for &block in copy {
                self.stands_in[block] = header;
            }
            for &block in way {
                self.has_copy[block] = true;
            }
        } else {
            (self.next, self.before) = (next, before);
        }
        self.forget_counters();
    }
}
