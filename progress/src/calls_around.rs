//! The calls around an instruction: in the code of one function, those that may be the last before it, and those that may be the next.

use crate::code_flow::FunctionCode;
use petgraph::algo::dominators::{Dominators, simple_fast};
use petgraph::graphmap::DiGraphMap;
use std::collections::{BTreeMap, BTreeSet};

/// How one place leads to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Without coming back to the header of a loop that the second place is in. A loop that is left on the way may come to its header once more or
    /// not: compilers copy its condition to the end of the body.
    Onward,
    /// Only by coming back to the header of a loop that the second place is in.
    Around,
}

/// The blocks that end in the calls around an instruction, each with how the code leads from one to the other.
#[derive(Default)]
pub(crate) struct CallsAround {
    /// Blocks whose call may be the last one made before the instruction.
    pub(crate) before: BTreeMap<u32, Way>,
    /// Blocks whose call may be the first one made after it.
    pub(crate) after: BTreeMap<u32, Way>,
}

impl CallsAround {
    /// Those around an instruction of a block that is not behind the block's own call; `is_call` says which blocks end in one.
    pub(crate) fn new(code: &FunctionCode, block: u32, is_call: impl Fn(u32) -> bool) -> Self {
        let Some(at) = code.local(block) else {
            return Self::default();
        };
        let is_call = |at: usize| is_call(code.blocks[at]);
        let loops = CodeLoops::new(code);
        let before = nearest_calls(code, at, is_call, |block| code.before[block].clone());
        let before = before
            .into_iter()
            .map(|call| (code.blocks[call], loops.way(call, at, is_call)));
        let before = before.collect();
        if is_call(at) {
            let after = BTreeMap::from([(block, Way::Onward)]);
            return Self { before, after };
        }
        let after = nearest_calls(code, at, is_call, |block| {
            Vec::from_iter(code.next[block].iter().map(|&(next, _)| next))
        });
        let after = after
            .into_iter()
            .map(|call| (code.blocks[call], loops.way(at, call, is_call)));
        Self {
            before,
            after: after.collect(),
        }
    }
}

/// The blocks of the calls that steps lead to from a block, itself left out, past no other call.
fn nearest_calls(
    code: &FunctionCode,
    at: usize,
    is_call: impl Fn(usize) -> bool,
    steps: impl Fn(usize) -> Vec<usize>,
) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut seen = vec![false; code.blocks.len()];
    let mut work = steps(at);
    while let Some(block) = work.pop() {
        if std::mem::replace(&mut seen[block], true) {
            continue;
        }
        if is_call(block) {
            found.insert(block);
        } else {
            work.extend(steps(block));
        }
    }
    found
}

/// The loops of a function's code.
struct CodeLoops<'c> {
    code: &'c FunctionCode,
    dominators: Dominators<Option<usize>>,
}

impl<'c> CodeLoops<'c> {
    fn new(code: &'c FunctionCode) -> Self {
        // `None` stands in front of the first block: the one that no other leads to, or, where that is the header of a loop, the first in memory.
        let mut graph: DiGraphMap<Option<usize>, ()> = DiGraphMap::new();
        graph.add_node(None);
        for block in 0..code.blocks.len() {
            for &(next, _) in &code.next[block] {
                graph.add_edge(Some(block), Some(next), ());
            }
            if code.before[block].is_empty() && code.stands_in[block] == block {
                graph.add_edge(None, Some(block), ());
            }
        }
        if graph.neighbors(None).next().is_none() && !code.blocks.is_empty() {
            graph.add_edge(None, Some(0), ());
        }
        Self {
            code,
            dominators: simple_fast(&graph, None),
        }
    }

    /// How a block leads to another, past no call; that it does is known.
    fn way(&self, from: usize, to: usize, is_call: impl Fn(usize) -> bool) -> Way {
        let led_to = self.code.led_to(to);
        let is_around = |block: usize| led_to[block] && self.dominates(block, to);
        let mut seen = vec![false; self.code.blocks.len()];
        let mut work = vec![from];
        while let Some(block) = work.pop() {
            for &(next, _) in &self.code.next[block] {
                // A step to a block that dominates the one it is made from comes back to the header of a loop.
                if self.dominates(next, block) && is_around(next) || std::mem::replace(&mut seen[next], true)
                {
                    continue;
                }
                if next == to {
                    return Way::Onward;
                }
                if !is_call(next) {
                    work.push(next);
                }
            }
        }
        Way::Around
    }

    fn dominates(&self, block: usize, other: usize) -> bool {
        let mut dominators = self.dominators.dominators(Some(other)).into_iter().flatten();
        dominators.any(|dominator| dominator == Some(block))
    }
}
