//! Where code may lead in the end: to MPI, and by tail calls back to the function that it is in.
//!
//! Both are asked of every function, and an interpreter has ten thousand that lead to each other. So both are found for all of them at
//! once, in time that grows with the jumps and calls: backward from what is not known, and by cycles of functions.

use super::decode::{Callee, of_library};
use super::function::Leaves;
use petgraph::graph::{DiGraph, NodeIndex};

/// What code may lead to.
#[derive(Debug)]
pub(super) struct Leads {
    /// By piece: whether it may come to MPI.
    pub(super) communicates: Vec<bool>,
    /// By the piece that stands for a function: whether tail calls may lead from it to itself.
    pub(super) returns_by_jumps: Vec<bool>,
}

/// A piece of code, by where it goes.
struct Ways {
    /// The pieces that it calls or jumps to; `None` if it may come to MPI by itself, or to what is not known.
    leads: Option<Vec<usize>>,
    /// The pieces that it jumps to; `None` if that is not known.
    jumps: Option<Vec<usize>>,
}

impl Leads {
    pub(super) fn of(leaves: &Leaves<'_, '_, '_>) -> Self {
        let ways = Vec::from_iter((0..leaves.pieces.len()).map(|at| Ways {
            leads: leaves.led_to(at),
            jumps: leaves.jumped_to(at),
        }));
        Self {
            communicates: leading(&Vec::from_iter(ways.iter().map(|ways| ways.leads.as_deref()))),
            returns_by_jumps: returning(&ways, leaves.function_of),
        }
    }
}

/// Which of these lead to one of them of which it is not known where it leads.
fn leading(ways: &[Option<&[usize]>]) -> Vec<bool> {
    let mut led_by: Vec<Vec<usize>> = vec![Vec::new(); ways.len()];
    for (at, to) in ways.iter().enumerate() {
        for &to in to.iter().copied().flatten() {
            led_by[to].push(at);
        }
    }
    let mut found = Vec::from_iter(ways.iter().map(Option::is_none));
    let mut work = Vec::from_iter((0..ways.len()).filter(|&at| found[at]));
    while let Some(at) = work.pop() {
        for &from in &led_by[at] {
            if !std::mem::replace(&mut found[from], true) {
                work.push(from);
            }
        }
    }
    found
}

/// Which functions tail calls may lead from to themselves. A function that is entered may be left by any of its pieces.
fn returning(ways: &[Ways], function_of: &[usize]) -> Vec<bool> {
    let mut of_functions: Vec<Option<Vec<usize>>> = vec![Some(Vec::new()); ways.len()];
    for (at, ways) in ways.iter().enumerate() {
        let function = function_of[at];
        match (&ways.jumps, &mut of_functions[function]) {
            (None, all) => *all = None,
            (Some(jumps), Some(all)) => {
                let others = jumps.iter().map(|&to| function_of[to]);
                all.extend(others.filter(|&to| to != function));
            }
            (Some(_), None) => {}
        }
    }
    let mut graph: DiGraph<(), ()> = DiGraph::new();
    for _ in &of_functions {
        graph.add_node(());
    }
    for (from, to) in of_functions.iter_mut().enumerate() {
        for to in to.iter_mut() {
            to.sort_unstable();
            to.dedup();
            for &to in to.iter() {
                graph.add_edge(NodeIndex::new(from), NodeIndex::new(to), ());
            }
        }
    }
    let mut found = leading(&Vec::from_iter(of_functions.iter().map(Option::as_deref)));
    for component in petgraph::algo::kosaraju_scc(&graph) {
        if component.len() > 1 {
            component
                .iter()
                .for_each(|function| found[function.index()] = true);
        }
    }
    found
}

impl Leaves<'_, '_, '_> {
    /// The pieces that one calls and jumps to; `None` if it may come to MPI by itself, or to what is not known.
    fn led_to(&self, at: usize) -> Option<Vec<usize>> {
        let called = |callee| match callee {
            Callee::OnItsOwn => Some(None),
            Callee::Returns | Callee::NeverReturns | Callee::Unknown => None,
            Callee::Here(address) => self.file.frame_at(address).map(Some),
        };
        let of_stub = |name: &str| (of_library(name)? == Callee::OnItsOwn).then_some(());
        self.gone_to(at, called, of_stub)
    }

    /// The pieces that one jumps to; `None` if it is not known where it jumps to, as of one that is not decoded.
    fn jumped_to(&self, at: usize) -> Option<Vec<usize>> {
        // A stub leads to another file, which does not jump back.
        self.gone_to(at, |_| Some(None), |_| Some(()))
    }

    /// The pieces that one jumps to, and those that it has `called`; `None` if that is not known of a jump, or by one of these: `of_stub` is asked about the name of
    /// each function of another file that it jumps to.
    fn gone_to(
        &self,
        at: usize,
        called: impl Fn(Callee) -> Option<Option<usize>>,
        of_stub: impl Fn(&str) -> Option<()>,
    ) -> Option<Vec<usize>> {
        #[cfg(test)]
        tests::GONE_THROUGH.set(tests::GONE_THROUGH.get() + 1);
        let piece = self.pieces[at].as_ref()?;
        let mut found = Vec::new();
        for step in piece.steps.values() {
            if step.jumps_anywhere {
                return None;
            }
            if let Some(callee) = step.call {
                found.extend(called(callee)?);
            }
            for &target in &step.jumps {
                match self.file.frame_at(target) {
                    Some(other) => found.push(other),
                    None => of_stub(self.file.names.of_stub(self.file.image, target)?)?,
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::of_first;
    use super::*;
    use std::cell::Cell;

    thread_local! {
        /// How many pieces were gone through.
        pub(super) static GONE_THROUGH: Cell<usize> = const { Cell::new(0) };
    }

    #[test]
    fn the_work_grows_with_the_code_and_not_with_its_square() {
        // 3,000 functions that call nothing and jump each to the next one; the last returns.
        let count = 3_000;
        let mut parts: Vec<&[u8]> = vec![&[0xeb, 0x00]; count - 1];
        parts.push(&[0xc3]);
        of_first(&parts, |leaves| {
            GONE_THROUGH.set(0);
            for function in 0..count {
                assert!(!leaves.may_be_entered_again(function));
                let start = leaves.file.frames[function].code.start;
                assert!(!leaves.may_communicate(Callee::Here(start)));
            }
            assert_eq!(GONE_THROUGH.get(), 2 * count);
        });
    }

    /// What one of `count` may come to, by the definition alone.
    fn reached(start: usize, ways: &[Option<Vec<usize>>]) -> Vec<bool> {
        let mut seen = vec![false; ways.len()];
        let mut work = ways[start].clone().unwrap_or_default();
        while let Some(at) = work.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                work.extend(ways[at].iter().flatten());
            }
        }
        seen
    }

    #[test]
    fn all_at_once_is_the_same_as_one_by_one() {
        let mut state = 1u32;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as usize % below
        };
        let (mut yes, mut no) = (0, 0);
        for _ in 0..2_000 {
            let count = 1 + random(9);
            let functions = 1 + random(count);
            // The first piece of a function stands for it.
            let function_of =
                Vec::from_iter((0..count).map(|at| if at < functions { at } else { random(functions) }));
            let jumps = Vec::from_iter((0..count).map(|_| {
                let to = Vec::from_iter((0..random(3)).map(|_| random(count)));
                (random(12) > 0).then_some(to)
            }));
            let slices = Vec::from_iter(jumps.iter().map(Option::as_deref));
            let unknown = leading(&slices);
            let of_functions = Vec::from_iter((0..functions).map(|function| {
                let members = (0..count).filter(|&at| function_of[at] == function);
                let mut all = Vec::new();
                for member in members {
                    all.extend(jumps[member].as_ref()?.iter().map(|&to| function_of[to]));
                }
                all.retain(|&to| to != function);
                Some(all)
            }));
            let ways = Vec::from_iter(jumps.iter().cloned().map(|jumps| Ways { leads: None, jumps }));
            let found = returning(&ways, &function_of);
            for at in 0..count {
                let reached = reached(at, &jumps);
                let expected = jumps[at].is_none() || (0..count).any(|to| reached[to] && jumps[to].is_none());
                assert_eq!(unknown[at], expected, "{at} of {jumps:?}");
            }
            for function in 0..functions {
                let reached = reached(function, &of_functions);
                let is_unknown = |to: usize| of_functions[to].is_none();
                let expected = is_unknown(function)
                    || reached[function]
                    || (0..functions).any(|to| reached[to] && is_unknown(to));
                assert_eq!(
                    found[function], expected,
                    "{function} of {jumps:?}, {function_of:?}"
                );
                *if expected { &mut yes } else { &mut no } += 1;
            }
        }
        assert!(yes > 1_000 && no > 1_000, "{yes}, {no}");
    }
}
