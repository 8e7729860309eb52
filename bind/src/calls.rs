//! What calls passed: the way to a value that only the caller still has.
//!
//! `DW_OP_entry_value` describes a variable by what a register held when the function was entered. Debug info also says, call by
//! call, what the caller put there (`DW_AT_call_value`), in terms of what it keeps across the call. The two belong together if
//! the frame was entered by that very call. Its return address says so, unless functions have made jumps of calls in tail
//! position since: `f` calls `g`, and `g` jumps to `h`, whose frame returns into `f`. So the call must name the function whose
//! frame it is, and that function must have no way back to itself by such jumps. Functions whose jumps are not all described,
//! or lead to where nothing is described, could have one.
//!
//! An expression that reads memory is not taken: the callee may have changed what is there.

use crate::debug::{Debug, Die, Entry, Slice, UnitId};
use crate::expression::{facts, rewrite};
use crate::functions::Piece;
use crate::stack::{ExpressionFrame, Frames};
use crate::walk::{Forest, NodeId, OriginId};
use base::IdVec;
use progress_map::{BoundCall, BoundVariable, FunctionInstance, Passed};
use std::collections::{BTreeMap, BTreeSet};

/// The calls of functions some of whose variables need them, or whose values on entry `also` asks for; sorted by return address.
pub(crate) fn bind_calls(
    debug: &Debug<'_>,
    forest: &Forest,
    frames: &Frames<'_, '_, '_>,
    pieces: &IdVec<NodeId, Vec<Piece>>,
    variables: &[BoundVariable],
    also: Vec<(OriginId, u8)>,
    targets: &Targets<'_>,
) -> Vec<BoundCall> {
    let mut work = needed(forest, pieces, variables);
    work.extend(also);
    if work.is_empty() {
        return Vec::new();
    }
    let jumps = Jumps::new(debug, forest, targets);
    let mut to: BTreeMap<OriginId, Vec<usize>> = BTreeMap::new();
    for (index, call) in forest.calls.iter().enumerate() {
        if let (Some(origin), Some(_)) = (targets.of(call.target), call.return_address) {
            to.entry(origin).or_default().push(index);
        }
    }
    let records = records(forest, pieces);
    let mut done: BTreeSet<(OriginId, u8)> = BTreeSet::new();
    let mut found: BTreeMap<u64, Found> = BTreeMap::new();
    while let Some((origin, register)) = work.pop() {
        if !done.insert((origin, register)) || jumps.may_return(origin) {
            continue;
        }
        for &index in to.get(&origin).map_or(&[][..], Vec::as_slice) {
            let call = &forest.calls[index];
            let Some(address) = call.return_address else {
                continue;
            };
            let Some((expression, entry)) =
                passed(debug, call.die, register, frames.of_call(call.node, address))
            else {
                continue;
            };
            // What the caller passed on was passed to it.
            let caller = forest.nodes[root_of(forest, call.node)].origin;
            work.extend(entry.into_iter().map(|register| (caller, register)));
            let at = found.entry(address).or_default();
            at.origins.insert(origin);
            at.passed.entry(register).or_default().insert(expression);
        }
    }
    // Where two descriptions of one call contradict each other, neither is believed.
    let mut calls = Vec::new();
    for (return_address, found) in found {
        if let [origin] = Vec::from_iter(found.origins)[..] {
            let passed = found
                .passed
                .into_iter()
                .filter_map(|(register, mut expressions)| {
                    let expression = expressions.pop_first().filter(|_| expressions.is_empty())?;
                    Some(Passed { register, expression })
                });
            calls.push(BoundCall {
                return_address,
                callees: records.get(&origin).cloned().unwrap_or_default(),
                passed: passed.collect(),
            });
        }
    }
    calls
}

/// What was found of one call.
#[derive(Default)]
struct Found {
    origins: BTreeSet<OriginId>,
    passed: BTreeMap<u8, BTreeSet<Vec<u8>>>,
}

/// The functions and registers whose values on entry some variable is described by.
fn needed(
    forest: &Forest,
    pieces: &IdVec<NodeId, Vec<Piece>>,
    variables: &[BoundVariable],
) -> Vec<(OriginId, u8)> {
    let mut node_of: BTreeMap<FunctionInstance, NodeId> = BTreeMap::new();
    for (node, pieces) in pieces.iter_enumerated() {
        node_of.extend(pieces.iter().map(|&(instance, _)| (instance, node)));
    }
    let mut needed = BTreeSet::new();
    for variable in variables {
        let Some(&node) = node_of.get(&variable.instance) else {
            continue;
        };
        let origin = forest.nodes[root_of(forest, node)].origin;
        let entry = variable
            .locations
            .iter()
            .filter_map(|location| facts(&location.expression));
        needed.extend(
            entry
                .flat_map(|facts| facts.entry)
                .map(|register| (origin, register)),
        );
    }
    needed.into_iter().collect()
}

/// The function around an inlined call.
pub(crate) fn root_of(forest: &Forest, node: NodeId) -> NodeId {
    // Parents have smaller ids.
    std::iter::successors(Some(node), |&node| forest.nodes[node].parent)
        .last()
        .unwrap_or(node)
}

/// The records of the functions with code, by source function.
fn records(forest: &Forest, pieces: &IdVec<NodeId, Vec<Piece>>) -> BTreeMap<OriginId, Vec<u32>> {
    let mut records: BTreeMap<OriginId, Vec<u32>> = BTreeMap::new();
    for (id, node) in forest.nodes.iter_enumerated() {
        let own = pieces[id].iter().filter_map(|(instance, _)| match instance {
            FunctionInstance::Concrete(index) => Some(*index),
            _ => None,
        });
        records.entry(node.origin).or_default().extend(own);
    }
    records.values_mut().for_each(|records| records.sort_unstable());
    records
}

/// The value that the call described by `die` has passed in `register`, and the values on entry that it is made of.
fn passed(
    debug: &Debug<'_>,
    die: Die,
    register: u8,
    frame: ExpressionFrame<'_, '_, '_>,
) -> Option<(Vec<u8>, Vec<u8>)> {
    let parameters = parameters(debug, die);
    let mut of_register = parameters
        .iter()
        .filter(|entry| passed_in(entry) == Some(PassedIn::Register(register)));
    let entry = of_register.next()?;
    of_register
        .next()
        .is_none()
        .then(|| value_of(debug, die.unit, entry, frame))?
}

/// What debug info says of the parameters of the call described by `die`, one entry each.
pub(crate) fn parameters<'a>(debug: &Debug<'a>, die: Die) -> Vec<Entry<'a>> {
    let mut parameters = Vec::new();
    let Ok(mut cursor) = debug.units[die.unit].entries_at_offset(die.offset) else {
        return parameters;
    };
    if !matches!(cursor.next_dfs(), Ok(Some(call)) if call.has_children()) {
        return parameters;
    }
    while let Ok(Some(entry)) = cursor.next_dfs() {
        if entry.depth() <= 0 {
            break;
        }
        let is_parameter = matches!(
            entry.tag(),
            gimli::DW_TAG_call_site_parameter | gimli::DW_TAG_GNU_call_site_parameter
        );
        if entry.depth() == 1 && is_parameter {
            parameters.push(entry.clone());
        }
    }
    parameters
}

/// Where a parameter is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PassedIn {
    /// In a register, by its DWARF number.
    Register(u8),
    /// On the stack, so many bytes above where the stack pointer is when the call is made.
    Stack(u64),
}

/// Where the parameter that `entry` describes is passed.
pub(crate) fn passed_in(entry: &Entry<'_>) -> Option<PassedIn> {
    let gimli::AttributeValue::Exprloc(expression) = entry.attr_value(gimli::DW_AT_location)? else {
        return None;
    };
    match *expression.0.slice() {
        // One byte: DW_OP_reg0 and those that follow.
        [one] => {
            let register = one.checked_sub(gimli::DW_OP_reg0.0)?;
            (register < 16).then_some(PassedIn::Register(register))
        }
        // The stack pointer is register 7; 64 bytes of arguments fit one signed byte of LEB128.
        [operator, offset @ 0..64] if operator == gimli::DW_OP_breg7.0 => {
            Some(PassedIn::Stack(offset.into()))
        }
        _ => None,
    }
}

/// The expression for the value of the parameter that `entry` describes.
pub(crate) fn passed_value<'a>(entry: &Entry<'a>) -> Option<gimli::Expression<Slice<'a>>> {
    let value = entry
        .attr_value(gimli::DW_AT_call_value)
        .or_else(|| entry.attr_value(gimli::DW_AT_GNU_call_site_value))?;
    match value {
        gimli::AttributeValue::Exprloc(expression) => Some(expression),
        _ => None,
    }
}

/// The value in `frame` that `entry` describes, and the values on entry that it is made of; none if memory would have to be read for it.
pub(crate) fn value_of(
    debug: &Debug<'_>,
    unit: UnitId,
    entry: &Entry<'_>,
    frame: ExpressionFrame<'_, '_, '_>,
) -> Option<(Vec<u8>, Vec<u8>)> {
    let (bytes, _) = rewrite(debug, unit, passed_value(entry)?, Some(frame)).ok()?;
    let facts = facts(&bytes)?;
    (!facts.reads_memory).then_some((bytes, facts.entry))
}

/// From entries that calls name to functions with code.
pub(crate) struct Targets<'f> {
    forest: &'f Forest,
    debug_names: BTreeMap<Die, OriginId>,
}

impl<'f> Targets<'f> {
    /// A call into another unit names a declaration: the one function that is visible there and has that name is meant.
    pub(crate) fn new(debug: &Debug<'_>, forest: &'f Forest) -> Self {
        let name_of = |die: Die| -> Option<String> {
            let chain = debug.origins(die);
            let is_external = chain.iter().any(|(_, entry)| {
                entry.attr_value(gimli::DW_AT_external) == Some(gimli::AttributeValue::Flag(true))
            });
            let string = |name| debug.string_along(&chain, name);
            let name = string(gimli::DW_AT_linkage_name).or_else(|| string(gimli::DW_AT_name));
            name.filter(|_| is_external)
        };
        let mut with_code: BTreeMap<String, BTreeSet<OriginId>> = BTreeMap::new();
        let roots = forest.nodes.iter().filter(|node| node.parent.is_none());
        for origin in BTreeSet::from_iter(roots.map(|node| node.origin)) {
            if let Some(name) = name_of(forest.origins[origin].die) {
                with_code.entry(name).or_default().insert(origin);
            }
        }
        let mut debug_names = BTreeMap::new();
        for target in forest.calls.iter().filter_map(|call| call.target) {
            if forest.known.contains_key(&target) || debug_names.contains_key(&target) {
                continue;
            }
            let origins = name_of(target).and_then(|name| with_code.get(&name));
            if let Some(&[origin]) = origins.map(|set| Vec::from_iter(set.iter().copied())).as_deref() {
                debug_names.insert(target, origin);
            }
        }
        Self { forest, debug_names }
    }

    pub(crate) fn of(&self, target: Option<Die>) -> Option<OriginId> {
        let target = target?;
        let known = self.forest.known.get(&target);
        known.or_else(|| self.debug_names.get(&target)).copied()
    }
}

/// Which functions may come to run again in the place of their own frame.
struct Jumps {
    /// Where the jumps of a function lead; `None` for a function of which that is not known.
    to: BTreeMap<OriginId, Option<BTreeSet<OriginId>>>,
}

impl Jumps {
    fn new(debug: &Debug<'_>, forest: &Forest, targets: &Targets<'_>) -> Self {
        let mut to: BTreeMap<OriginId, Option<BTreeSet<OriginId>>> = BTreeMap::new();
        for node in forest.nodes.iter().filter(|node| node.parent.is_none()) {
            let entry = debug.entry(node.die);
            let complete = [
                gimli::DW_AT_call_all_calls,
                gimli::DW_AT_call_all_tail_calls,
                gimli::DW_AT_GNU_all_call_sites,
                gimli::DW_AT_GNU_all_tail_call_sites,
            ];
            let is_described = entry.is_some_and(|entry| complete.iter().any(|&mark| entry.has_attr(mark)));
            let jumps = to.entry(node.origin).or_insert_with(|| Some(BTreeSet::new()));
            // Code that was not optimised has no such jumps.
            if !is_described && node.optimised {
                *jumps = None;
            }
        }
        for call in forest.calls.iter().filter(|call| call.is_jump) {
            let from = forest.nodes[root_of(forest, call.node)].origin;
            match (to.get_mut(&from), targets.of(call.target)) {
                (Some(Some(jumps)), Some(target)) => drop(jumps.insert(target)),
                (Some(jumps), _) => *jumps = None,
                (None, _) => {}
            }
        }
        Self { to }
    }

    /// Whether jumps may lead from a function back to it.
    fn may_return(&self, origin: OriginId) -> bool {
        let mut seen = BTreeSet::new();
        let mut work = vec![origin];
        while let Some(at) = work.pop() {
            let Some(Some(jumps)) = self.to.get(&at) else {
                return true;
            };
            for &next in jumps {
                if next == origin {
                    return true;
                }
                if seen.insert(next) {
                    work.push(next);
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Id as _;

    /// Whether function 0 may come to run again in the place of its own frame, given where the jumps of each function lead.
    fn check(jumps: &[Option<&[usize]>], expected: bool) {
        let origins = |to: &[usize]| to.iter().map(|&to| OriginId::from_index(to)).collect();
        let to = jumps.iter().enumerate();
        let to = to.map(|(from, to)| (OriginId::from_index(from), to.map(origins)));
        let jumps = Jumps { to: to.collect() };
        assert_eq!(
            jumps.may_return(OriginId::from_index(0)),
            expected,
            "{:?}",
            jumps.to
        );
    }

    #[test]
    fn a_function_whose_jumps_are_not_all_known_may_run_again() {
        check(&[Some(&[])], false);
        check(&[Some(&[1]), Some(&[])], false);
        check(&[Some(&[0])], true);
        check(&[Some(&[1]), Some(&[0])], true);
        // Others go round without it.
        check(&[Some(&[1]), Some(&[2]), Some(&[1])], false);
        check(&[None], true);
        check(&[Some(&[1]), None], true);
        // It jumps to a function that has no code here.
        check(&[Some(&[1])], true);
    }
}
