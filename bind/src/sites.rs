//! Whom call instructions name.
//!
//! In optimised code a function that calls another one last leaves its frame to it. Where a macro or a call beside the one that is
//! meant might have led to the function of a frame that way, the position in the source does not tell which call the task is in.
//! The instruction does: debug info says whom it calls, or that it calls through a pointer. That is listed for calls whose position has several
//! calls in the source.

use crate::passed::CalleeNames;
use crate::walk::{Forest, OriginId};
use base::IdVec;
use progress_map::{BoundSite, FunctionId, Map};
use std::collections::BTreeMap;

/// A line and a column.
type Position = (u32, u32);

/// The calls whose position has several, sorted by return address. `position` gives line and column of an address in the file of a
/// function.
pub(crate) fn bind_sites(
    map: &Map,
    names: &CalleeNames,
    forest: &Forest,
    identified: &IdVec<OriginId, Option<FunctionId>>,
    position: impl Fn(FunctionId, u64) -> Option<Position>,
) -> Vec<BoundSite> {
    let mut crowded: BTreeMap<(FunctionId, Position), bool> = BTreeMap::new();
    let mut found: BTreeMap<u64, Option<Option<String>>> = BTreeMap::new();
    for call in &forest.calls {
        let (Some(id), Some(return_address)) =
            (identified[forest.nodes[call.node].origin], call.return_address)
        else {
            continue;
        };
        let Some(position) = position(id, return_address.wrapping_sub(1)) else {
            continue;
        };
        let crowded = crowded.entry((id, position));
        let (line, _) = position;
        if !*crowded.or_insert_with(|| map.functions[id].calls_on(line).nth(1).is_some()) {
            continue;
        }
        let named = match call.target {
            Some(target) => match names.get(&target) {
                Some(name) => Some(name.clone()),
                None => continue,
            },
            None if call.by_pointer => None,
            None => continue,
        };
        // Where two descriptions of one call contradict each other, neither is believed.
        let known = found.entry(return_address).or_insert_with(|| Some(named.clone()));
        if known.as_ref() != Some(&named) {
            *known = None;
        }
    }
    let sites = found.into_iter().filter_map(|(return_address, named)| {
        Some(BoundSite {
            return_address,
            named: named?,
        })
    });
    sites.collect()
}
