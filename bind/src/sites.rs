//! Whom call instructions name.
//!
//! In optimised code a function that calls another one last leaves its frame to it. Where a macro or a call beside the one that is
//! meant might have led to the function of a frame that way, the position in the source does not tell which call the task is in.
//! The instruction does: debug info says whom it calls, or that it calls through a pointer. That is listed for calls whose position has several
//! calls in the source, and for all calls of functions in which MPI communicates: the order asks which instructions may be copies of such a call.

use crate::calls::root_of;
use crate::passed::CalleeNames;
use crate::walk::{Forest, NodeId, OriginId};
use base::IdVec;
use progress_map::{BoundSite, FunctionId, Map};
use std::collections::{BTreeMap, BTreeSet};

/// A line and a column.
type Position = (u32, u32);

/// The calls whose position has several, and those of functions in which MPI communicates, sorted by return address. `position` gives line and column of an address in the file of a
/// function.
pub(crate) fn bind_sites(
    map: &Map,
    names: &CalleeNames,
    forest: &Forest,
    identified: &IdVec<OriginId, Option<FunctionId>>,
    position: impl Fn(FunctionId, u64) -> Option<Position>,
) -> Vec<BoundSite> {
    let communicating = communicating(names, forest);
    let mut crowded: BTreeMap<(FunctionId, Position), bool> = BTreeMap::new();
    let mut found: BTreeMap<u64, Option<Option<&str>>> = BTreeMap::new();
    for call in &forest.calls {
        let (Some(id), Some(return_address)) =
            (identified[forest.nodes[call.node].origin], call.return_address)
        else {
            continue;
        };
        let named = match call.target {
            Some(target) => match names.get(&target) {
                Some(name) => Some(name.as_str()),
                None => continue,
            },
            None if call.by_pointer => None,
            None => continue,
        };
        let mut is_crowded = || {
            let position = position(id, return_address.wrapping_sub(1))?;
            let crowded = crowded.entry((id, position));
            let (line, _) = position;
            Some(*crowded.or_insert_with(|| map.functions[id].calls_on(line).nth(1).is_some()))
        };
        if !communicating.contains(&root_of(forest, call.node)) && is_crowded() != Some(true) {
            continue;
        }
        // Where two descriptions of one call contradict each other, neither is believed.
        let known = found.entry(return_address).or_insert(Some(named));
        if known.as_ref() != Some(&named) {
            *known = None;
        }
    }
    let sites = found.into_iter().filter_map(|(return_address, named)| {
        Some(BoundSite {
            return_address,
            named: named?.map(str::to_owned),
        })
    });
    sites.collect()
}

/// The functions in whose code a function of MPI that communicates is called by its name.
fn communicating(names: &CalleeNames, forest: &Forest) -> BTreeSet<NodeId> {
    let communicates = |target| names.get(&target).is_some_and(|name| library::communicates(name));
    let calls = forest.calls.iter();
    let communicating = calls.filter(|call| call.target.is_some_and(communicates));
    communicating.map(|call| root_of(forest, call.node)).collect()
}
