//! Calls that gcc may have made one.
//!
//! Where two arms of a branch end alike, gcc keeps one copy of the code (`-ftree-tail-merge`, `-fcrossjumping`, both part of
//! `-O2`) and the line of one of them. A task that stands in such a call shows the position of an arm in which it is not. LLVM
//! gives merged code line 0, so that nothing is claimed of it.
//!
//! Two calls can only be merged where the same code leads on from both ([`meetings`](crate::meetings)).
//!
//! Two calls may share an instruction even if there are two instructions: the code may have been copied before it was merged. Only the
//! ways through the machine code show that they do not ([`stand_ins`](crate::stand_ins)), if all of it can be decoded ([`code`](crate::code)).
//!
//! Debug info nearly always says which function an instruction calls, so instructions are counted for each function on its own: two that call
//! `f` are no evidence for a call of `g`. For a macro that stays unexpanded, there must be an instruction for each call that it may make.

mod across;
mod copy;
mod evidence;

use crate::code::{Code, Decode, InstructionIndex};
use crate::debug::Debug;
use crate::effects::Effects;
use crate::elf::Image;
use crate::meetings::Names;
use crate::optimised::gcc;
use crate::passed::CalleeNames;
use crate::stand_ins::Copy;
use crate::walk::{CallSite, Forest, Node, NodeId, OriginId};
use across::{Called, of_several};
use base::IdVec;
use copy::{calls_at, of_copy, shown};
use evidence::{Clones, Evidence, calls_of};
use progress_map::{BoundMerge, FunctionId, Map};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// A line and a column.
type Position = (u32, u32);

/// What the calls of a build are told by.
pub(crate) struct Build<'b, 'i, 'd> {
    pub(crate) map: &'b Map,
    pub(crate) image: &'b Image<'i>,
    pub(crate) debug: &'b Debug<'d>,
    pub(crate) names: &'b CalleeNames,
    pub(crate) forest: &'b Forest,
    pub(crate) identified: &'b IdVec<OriginId, Option<FunctionId>>,
}

/// The pairs of calls of which the first may stand for the second; sorted. `position` gives line and column of an
/// address in the file of a function.
pub(crate) fn merges(
    build: &Build<'_, '_, '_>,
    position: impl Fn(FunctionId, u64) -> Option<Position> + Sync,
) -> Vec<BoundMerge> {
    let roots = roots(build);
    let effects = Effects::new(build.map);
    let decode = Decode::new(build.image);
    let clones = Clones::new(build.image);
    let found = roots.into_par_iter().flat_map_iter(|root| {
        let mut found = Vec::new();
        if root.is_mapped(build) {
            let code = root.code(build, &decode);
            of_root(build, (&effects, &clones), &root, &code, &position, &mut found);
        }
        found
    });
    let mut found: Vec<BoundMerge> = found.collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// A function with code, and what is inlined into it.
struct Root<'f> {
    /// The function first, parents before children.
    nodes: Vec<NodeId>,
    sites: Vec<&'f CallSite>,
}

/// The functions with code that gcc has optimised.
fn roots<'f>(build: &Build<'f, '_, '_>) -> Vec<Root<'f>> {
    let forest = build.forest;
    let mut root_of: IdVec<NodeId, NodeId> = IdVec::new();
    let mut roots: BTreeMap<NodeId, Root<'f>> = BTreeMap::new();
    for (id, node) in forest.nodes.iter_enumerated() {
        // Parents have smaller ids.
        let root = node.parent.map_or(id, |parent| root_of[parent]);
        root_of.push(root);
        let whole = &forest.nodes[root];
        if whole.optimised && gcc(build.debug, whole.die.unit) {
            let empty = || Root {
                nodes: Vec::new(),
                sites: Vec::new(),
            };
            roots.entry(root).or_insert_with(empty).nodes.push(id);
        }
    }
    for site in &forest.calls {
        if let Some(root) = roots.get_mut(&root_of[site.node]) {
            root.sites.push(site);
        }
    }
    roots.into_values().collect()
}

impl Root<'_> {
    /// Whether any of it is a function of the map.
    fn is_mapped(&self, build: &Build<'_, '_, '_>) -> bool {
        let mut origins = self.nodes.iter().map(|&node| build.forest.nodes[node].origin);
        origins.any(|origin| build.identified[origin].is_some())
    }

    /// Its machine code.
    fn code(&self, build: &Build<'_, '_, '_>, decode: &Decode<'_, '_>) -> RootCode {
        let forest = build.forest;
        let whole = &forest.nodes[self.nodes[0]];
        let jumps = self.sites.iter().filter(|site| site.is_jump);
        let tail_calls = jumps.filter_map(|site| site.after).collect();
        let decoded = whole
            .entry
            .and_then(|entry| decode.function(&whole.ranges, entry, &tail_calls));
        let is_copy = forest.origins[whole.origin].die != whole.die;
        RootCode {
            decoded,
            begins_at_entry: whole
                .entry
                .is_some_and(|entry| decode.begins_at_entry(entry, is_copy)),
        }
    }

    /// The calls that are inlined into each node, by position and name.
    fn inlined<'f>(&self, forest: &'f Forest) -> BTreeMap<NodeId, Vec<(Position, &'f str)>> {
        let mut inlined: BTreeMap<NodeId, Vec<(Position, &str)>> = BTreeMap::new();
        for node in self.nodes.iter().map(|&node| &forest.nodes[node]) {
            if let (Some(parent), Some(call)) = (node.parent, node.call) {
                let name = forest.origins[node.origin].name.as_str();
                let around = inlined.entry(parent).or_default();
                around.push(((call.line, call.column), name));
            }
        }
        inlined
    }
}

/// The machine code of a function.
struct RootCode {
    /// Its instructions, if all of them could be decoded.
    decoded: Option<Code>,
    /// It is entered at its entry only, with nothing of the source done.
    begins_at_entry: bool,
}

/// Finds the pairs of one function with code and of all that is inlined into it.
fn of_root(
    build: &Build<'_, '_, '_>,
    (effects, clones): (&Effects, &Clones),
    root: &Root<'_>,
    code: &RootCode,
    position: &impl Fn(FunctionId, u64) -> Option<Position>,
    found: &mut Vec<BoundMerge>,
) {
    let forest = build.forest;
    let calls = calls_of(build, clones, root, code.decoded.as_ref());
    let inlined = root.inlined(forest);
    let mut all = Vec::new();
    for &node in &root.nodes {
        let Node {
            origin,
            parent,
            ranges,
            ..
        } = &forest.nodes[node];
        let Some(function) = build.identified[*origin] else {
            continue;
        };
        let own = calls.iter().filter(|call| call.node == node);
        let own = own.map(|call| (*call, position(function, call.after.wrapping_sub(1))));
        let evidence = Evidence {
            calls: own.collect(),
            inlined: inlined.get(&node).cloned().unwrap_or_default(),
        };
        let names = Names::new(build.map, function);
        let shown = shown(&names, &evidence.sites());
        let inside = |step: InstructionIndex| {
            code.decoded.as_ref().is_some_and(|code| {
                let address = code.steps[step].address;
                ranges.iter().any(|range| range.contains(&address))
            })
        };
        let is_inlined = parent.is_some();
        let decoded = code
            .decoded
            .as_ref()
            .filter(|_| is_inlined || code.begins_at_entry);
        let copy = decoded.map(|code| Copy {
            code,
            inside: &inside,
            is_inlined,
        });
        of_copy(
            &names,
            &shown,
            effects,
            &evidence,
            copy.as_ref(),
            |shown, other| {
                found.push(BoundMerge {
                    function,
                    shown,
                    other,
                    return_address: None,
                });
            },
        );
        // A call that is made by a jump is there as well.
        let jumps = root.sites.iter().filter(|site| site.is_jump && site.node == node);
        let jumps = jumps.filter_map(|site| position(function, site.after?.wrapping_sub(1)));
        let jumped = jumps.flat_map(|at| calls_at(names.function, at));
        let shown = shown.all.iter().copied().chain(jumped).collect();
        all.push(Called {
            node,
            function,
            names,
            calls: evidence.calls,
            shown,
        });
    }
    of_several(build, code.decoded.as_ref(), &all, found);
}
