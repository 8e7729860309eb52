//! What is called in one copy of a function, by its debug info and its machine code.

use super::{Build, Position, Root};
use crate::code::{CallForm, Code, InstructionIndex};
use crate::meetings::Names;
use crate::walk::{Forest, NodeId};
use progress_map::PointId;
use std::collections::BTreeMap;

/// A call instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallInstruction<'n> {
    /// The address after it.
    pub(super) after: u64,
    /// Its place in the code, if that was decoded.
    pub(super) step: Option<InstructionIndex>,
    pub(super) node: NodeId,
    pub(super) callee: Callee<'n>,
}

/// Whom a call instruction calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Callee<'n> {
    /// A function, by its name in the source.
    Named(&'n str),
    Pointer,
    /// Nothing is known but that it calls.
    Unknown,
}

impl Callee<'_> {
    /// Whether an instruction that calls it may be that call of the source.
    pub(super) fn may_be(self, names: &Names<'_>, point: PointId) -> bool {
        match self {
            Callee::Named(name) => names.may_call(point, name),
            Callee::Pointer => !names.only_names(point),
            Callee::Unknown => true,
        }
    }
}

/// The call instructions of a function: those that are described, and of decoded code all.
pub(super) fn calls_of<'n>(
    build: &Build<'n, '_, '_>,
    root: &Root<'_>,
    code: Option<&Code>,
) -> Vec<CallInstruction<'n>> {
    let described = root.sites.iter().filter_map(|site| {
        let callee = match site.target {
            Some(target) => build
                .names
                .get(&target)
                .map_or(Callee::Unknown, |name| Callee::Named(name)),
            None if site.by_pointer => Callee::Pointer,
            None => Callee::Unknown,
        };
        let after = site.return_address?;
        Some(CallInstruction {
            after,
            step: None,
            node: site.node,
            callee,
        })
    });
    let mut calls: BTreeMap<u64, CallInstruction<'n>> = BTreeMap::new();
    for call in described {
        let known = calls.entry(call.after).or_insert(call);
        if known.callee != call.callee {
            // Where two descriptions of one call contradict each other, neither is believed.
            known.callee = Callee::Unknown;
        }
    }
    for (step, what) in code.into_iter().flat_map(Code::calls) {
        let around = root.nodes.iter().rev().copied();
        let around = around.filter(|&node| {
            let ranges = &build.forest.nodes[node].ranges;
            ranges.iter().any(|range| range.contains(&what.address))
        });
        // Children come after their parents.
        let node = around
            .max_by_key(|&node| depth(build.forest, node))
            .unwrap_or(root.nodes[0]);
        let callee = match what.call {
            Some(CallForm::ThroughPointer) => Callee::Pointer,
            _ => Callee::Unknown,
        };
        let found = CallInstruction {
            after: what.end,
            step: Some(step),
            node,
            callee,
        };
        calls.entry(what.end).or_insert(found).step = Some(step);
    }
    calls.into_values().collect()
}

fn depth(forest: &Forest, node: NodeId) -> usize {
    std::iter::successors(forest.nodes[node].parent, |&node| forest.nodes[node].parent).count()
}

/// What is called in one copy of a function.
pub(super) struct Evidence<'n> {
    pub(super) calls: Vec<(CallInstruction<'n>, Option<Position>)>,
    /// The inlined calls, by position and name.
    pub(super) inlined: Vec<(Position, &'n str)>,
}

/// The call instructions and inlined calls at one position of one copy of a function.
#[derive(Default)]
pub(super) struct Sites<'n> {
    pub(super) count: usize,
    /// How many of them are of a function, by its name in the source.
    pub(super) named: BTreeMap<&'n str, usize>,
    /// How many are instructions that name none.
    pub(super) by_pointer: usize,
    /// Some are inlined.
    pub(super) inlined: bool,
}

impl<'n> Evidence<'n> {
    pub(super) fn sites(&self) -> BTreeMap<Position, Sites<'n>> {
        let mut sites: BTreeMap<Position, Sites<'n>> = BTreeMap::new();
        for &(call, position) in &self.calls {
            let Some(position) = position else { continue };
            let sites = sites.entry(position).or_default();
            sites.count += 1;
            match call.callee {
                Callee::Named(name) => *sites.named.entry(name).or_default() += 1,
                Callee::Pointer => sites.by_pointer += 1,
                Callee::Unknown => {}
            }
        }
        for &(position, name) in &self.inlined {
            let sites = sites.entry(position).or_default();
            sites.count += 1;
            sites.inlined = true;
            *sites.named.entry(name).or_default() += 1;
        }
        sites
    }
}
