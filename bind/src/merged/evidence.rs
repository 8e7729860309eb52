//! What is called in one copy of a function, by its debug info and its machine code.

use super::{Build, Position, Root};
use crate::calls::{parameters, passed_in, passed_value};
use crate::code::{CallForm, Code, InstructionIndex};
use crate::debug::{Debug, Die, Entry};
use crate::elf::Image;
use crate::meetings::Names;
use crate::passed::index_of;
use crate::walk::{Forest, NodeId};
use object::{Object as _, ObjectSymbol as _};
use progress_map::PointId;
use std::collections::{BTreeMap, BTreeSet};

/// A call instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallInstruction<'n> {
    /// The address after it.
    pub(super) after: u64,
    /// Its place in the code, if that was decoded.
    pub(super) step: Option<InstructionIndex>,
    pub(super) node: NodeId,
    pub(super) callee: Callee<'n>,
    pub(super) passed: PassedNumbers,
}

/// By register of whole numbers and addresses, in the order of arguments: the constant that an instruction passes there, its lower half.
pub(super) type PassedNumbers = [Option<i32>; 6];

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
    clones: &Clones,
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
        // The copy of a function may have other parameters.
        let is_believed = matches!(callee, Callee::Named(name) if !clones.may_be(name));
        let passed = is_believed.then(|| passed(build.debug, site.die));
        Some(CallInstruction {
            after,
            step: None,
            node: site.node,
            callee,
            passed: passed.unwrap_or_default(),
        })
    });
    let mut calls: BTreeMap<u64, CallInstruction<'n>> = BTreeMap::new();
    for call in described {
        let known = calls.entry(call.after).or_insert(call);
        if known.callee != call.callee {
            // Where two descriptions of one call contradict each other, neither is believed.
            known.callee = Callee::Unknown;
        }
        if known.passed != call.passed {
            known.passed = PassedNumbers::default();
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
            passed: PassedNumbers::default(),
        };
        calls.entry(what.end).or_insert(found).step = Some(step);
    }
    calls.into_values().collect()
}

/// The constants that the call at an entry passes, as far as they are described.
fn passed(debug: &Debug<'_>, call: Die) -> PassedNumbers {
    let mut found = PassedNumbers::default();
    for entry in parameters(debug, call) {
        let index = passed_in(&entry).and_then(index_of);
        // What has no register comes on the stack.
        if let Some(place) = index.and_then(|index| found.get_mut(usize::from(index))) {
            *place = constant(debug, call, &entry);
        }
    }
    found
}

/// The constant that an entry says a parameter has.
fn constant(debug: &Debug<'_>, call: Die, entry: &Entry<'_>) -> Option<i32> {
    let mut operations = passed_value(entry)?.operations(debug.units[call.unit].encoding());
    let value = match operations.next().ok()?? {
        gimli::Operation::UnsignedConstant { value } => value,
        gimli::Operation::SignedConstant { value } => value.cast_unsigned(),
        _ => return None,
    };
    // Only the lower half counts.
    matches!(operations.next(), Ok(None)).then_some(value as u32 as i32)
}

/// The functions of which a build may have copies with other parameters (`f.constprop.0`, `f.isra.0`).
pub(super) struct Clones {
    /// Their names; `None` if the file does not name its local functions.
    names: Option<BTreeSet<String>>,
}

impl Clones {
    pub(super) fn new(image: &Image<'_>) -> Self {
        let (mut names, mut has_local) = (BTreeSet::new(), false);
        for symbol in image.file.symbols() {
            if symbol.kind() != object::SymbolKind::Text {
                continue;
            }
            has_local |= symbol.is_local();
            let split = symbol.name().ok().and_then(|name| name.split_once('.'));
            names.extend(split.map(|(name, _)| name.to_owned()));
        }
        Self {
            names: has_local.then_some(names),
        }
    }

    fn may_be(&self, name: &str) -> bool {
        let names = self.names.as_ref();
        !base::is_mpi(name) && names.is_none_or(|names| names.contains(name))
    }
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
