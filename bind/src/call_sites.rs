//! The call instructions of a build that debug info describes: where they stand, whom they call, and whether the call can be told
//! from outside.
//!
//! A call that may come to a function of MPI is a *barrier*: nobody but MPI knows what that reads and writes. Whatever the compiler has found out
//! about the callee, it has found that memory which others know must be as the source has left it, and must be read again behind the call. A call
//! of a function of the program is one if each copy of its code holds a barrier: what a compiler knows of a function it knows of all its ways
//! together.

use crate::calls::{Targets, root_of};
use crate::functions::Piece;
use crate::handed::stands_at;
use crate::passed::CalleeNames;
use crate::walk::{Forest, NodeId, OriginId};
use base::{IdVec, Span};
use progress_map::{FunctionId, FunctionInstance};
use std::collections::{BTreeMap, BTreeSet};

/// Whom a call instruction calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Callee {
    /// A function of MPI, by the name of the call.
    Mpi(String),
    /// A function with code in this executable.
    Own(OriginId, Option<FunctionId>),
}

/// A call instruction.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// The address after it.
    pub(crate) return_address: u64,
    /// Its number in [`Forest::calls`].
    pub(crate) number: usize,
    /// The innermost instance that it is in.
    pub(crate) instance: FunctionInstance,
    /// Which function of the map that is.
    pub(crate) function: Option<FunctionId>,
    /// The function with code that it is in.
    pub(crate) root: NodeId,
    /// Line and column in the file of `function`.
    pub(crate) position: Option<(u32, u32)>,
    pub(crate) callee: Callee,
}

impl Site {
    /// Whether it stands where `span` is.
    pub(crate) fn is_at(&self, span: Span) -> bool {
        let position = self.position;
        position.is_some_and(|(line, column)| stands_at(span, line, column))
    }
}

/// All of them.
#[derive(Default)]
pub(crate) struct CallSites {
    /// Sorted by function and return address.
    pub(crate) sites: Vec<Site>,
    /// The functions with code, by function of the map.
    pub(crate) copies: BTreeMap<FunctionId, Vec<NodeId>>,
    /// The functions of the program whose calls are barriers.
    reaching: BTreeSet<OriginId>,
}

impl CallSites {
    pub(crate) fn new(
        forest: &Forest,
        targets: &Targets<'_>,
        names: &CalleeNames,
        identified: &IdVec<OriginId, Option<FunctionId>>,
        pieces: &IdVec<NodeId, Vec<Piece>>,
        position: impl Fn(FunctionId, u64) -> Option<(u32, u32)>,
    ) -> Self {
        let mut sites = Vec::new();
        let within = within(forest);
        for (number, call) in forest.calls.iter().enumerate() {
            let (Some(return_address), Some(target)) = (call.return_address, call.target) else {
                continue;
            };
            let called = match (targets.of(Some(target)), names.get(&target)) {
                (Some(origin), _) => Callee::Own(origin, identified[origin]),
                (None, Some(name)) if base::is_mpi(name) => Callee::Mpi(name.clone()),
                _ => continue,
            };
            let at = return_address.wrapping_sub(1);
            let root = root_of(forest, call.node);
            // clang describes the calls of inlined code as those of the function around it.
            let reaches = |node: &NodeId| forest.nodes[*node].ranges.iter().any(|range| range.contains(&at));
            let mut nodes = within.get(&root).into_iter().flatten().copied();
            // Parents come before children, and one child alone reaches there.
            let innermost = nodes.rfind(reaches).unwrap_or(root);
            let piece = pieces[innermost].iter().find(|(_, code)| code.contains(&at));
            let Some(&(instance, _)) = piece else { continue };
            let function = identified[forest.nodes[innermost].origin];
            sites.push(Site {
                return_address,
                number,
                instance,
                function,
                root,
                position: function.and_then(|id| position(id, at)),
                callee: called,
            });
        }
        let mut copies: BTreeMap<FunctionId, Vec<NodeId>> = BTreeMap::new();
        for (id, node) in forest.nodes.iter_enumerated() {
            if let (None, Some(function)) = (node.parent, identified[node.origin]) {
                copies.entry(function).or_default().push(id);
            }
        }
        sites.sort_by_key(|site| (site.function, site.return_address));
        let reaching = reaching(forest, &sites);
        Self {
            sites,
            copies,
            reaching,
        }
    }

    /// Those whose innermost function is `function`.
    pub(crate) fn of(&self, function: Option<FunctionId>) -> &[Site] {
        let first = self.sites.partition_point(|site| site.function < function);
        let count = self.sites[first..].partition_point(|site| site.function == function);
        &self.sites[first..first + count]
    }

    pub(crate) fn is_barrier(&self, site: &Site) -> bool {
        is_barrier(site, &self.reaching)
    }

    /// The addresses after the barriers, sorted.
    pub(crate) fn barriers(&self) -> Vec<u64> {
        let barriers = self.sites.iter().filter(|site| self.is_barrier(site));
        let mut barriers = Vec::from_iter(barriers.map(|site| site.return_address));
        barriers.sort_unstable();
        barriers.dedup();
        barriers
    }
}

/// Whether a call may come to MPI, if just these functions of the program do.
fn is_barrier(site: &Site, reaching: &BTreeSet<OriginId>) -> bool {
    match &site.callee {
        Callee::Mpi(_) => true,
        Callee::Own(origin, _) => reaching.contains(origin),
    }
}

/// What is inlined into each function with code, parents before children.
fn within(forest: &Forest) -> BTreeMap<NodeId, Vec<NodeId>> {
    let mut found: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for (id, node) in forest.nodes.iter_enumerated() {
        if node.parent.is_some() {
            found.entry(root_of(forest, id)).or_default().push(id);
        }
    }
    found
}

/// The functions each of whose copies holds a barrier.
fn reaching(forest: &Forest, sites: &[Site]) -> BTreeSet<OriginId> {
    let mut missing: BTreeMap<OriginId, BTreeSet<NodeId>> = BTreeMap::new();
    for (id, node) in forest.nodes.iter_enumerated() {
        if node.parent.is_none() {
            missing.entry(node.origin).or_default().insert(id);
        }
    }
    let mut found: BTreeSet<OriginId> = BTreeSet::new();
    loop {
        let before = found.len();
        for site in sites {
            if is_barrier(site, &found)
                && let Some(missing) = missing.get_mut(&forest.nodes[site.root].origin)
            {
                missing.remove(&site.root);
            }
        }
        found.extend(
            missing
                .iter()
                .filter(|(_, roots)| roots.is_empty())
                .map(|(&origin, _)| origin),
        );
        if found.len() == before {
            return found;
        }
    }
}
