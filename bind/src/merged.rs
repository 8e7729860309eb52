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

use crate::code::{CallForm, Code, Decode, StepIndex};
use crate::debug::Debug;
use crate::effects::Effects;
use crate::elf::Image;
use crate::meetings::{Meetings, Names};
use crate::optimised::gcc;
use crate::passed::CalleeNames;
use crate::stand_ins::{Copy, Fit, Source, stand_ins};
use crate::walk::{CallSite, Forest, NodeId, OriginId};
use base::IdVec;
use progress_map::{BoundMerge, Function, FunctionId, Map, PointId, PointKind};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

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
    let found = roots.into_par_iter().flat_map_iter(|root| {
        let mut found = Vec::new();
        of_root(
            build,
            &decode,
            &effects,
            &root,
            &position,
            |function, shown, other| {
                found.push(BoundMerge {
                    function,
                    shown,
                    other,
                });
            },
        );
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

/// Finds the pairs of one function with code and of all that is inlined into it.
fn of_root(
    build: &Build<'_, '_, '_>,
    decode: &Decode<'_, '_>,
    effects: &Effects,
    root: &Root<'_>,
    position: &impl Fn(FunctionId, u64) -> Option<Position>,
    mut found: impl FnMut(FunctionId, PointId, PointId),
) {
    let (forest, whole) = (build.forest, &build.forest.nodes[root.nodes[0]]);
    if root
        .nodes
        .iter()
        .all(|&node| build.identified[forest.nodes[node].origin].is_none())
    {
        return;
    }
    let is_jump = |site: &&&CallSite| site.is_jump;
    let tail_calls = root
        .sites
        .iter()
        .filter(is_jump)
        .filter_map(|site| site.after)
        .collect();
    let code = whole
        .entry
        .and_then(|entry| decode.function(&whole.ranges, entry, &tail_calls));
    let calls = calls_of(build, root, code.as_ref());
    let is_copy = forest.origins[whole.origin].die != whole.die;
    let begins = whole
        .entry
        .is_some_and(|entry| decode.begins_at_entry(entry, is_copy));
    let mut inlined: BTreeMap<NodeId, Vec<(Position, &str)>> = BTreeMap::new();
    for node in root.nodes.iter().map(|&node| &forest.nodes[node]) {
        if let (Some(parent), Some(call)) = (node.parent, node.call) {
            let name = forest.origins[node.origin].name.as_str();
            let around = inlined.entry(parent).or_default();
            around.push(((call.line, call.column), name));
        }
    }
    for &node in &root.nodes {
        let Some(id) = build.identified[forest.nodes[node].origin] else {
            continue;
        };
        let own = calls.iter().filter(|call| call.node == node);
        let own = own.map(|call| (call, position(id, call.after.wrapping_sub(1))));
        let inlined = inlined.get(&node).into_iter().flatten().copied();
        let evidence = Evidence {
            calls: own.map(|(call, position)| (*call, position)).collect(),
            inlined: inlined.collect(),
        };
        let inside = |step: StepIndex| {
            let ranges = &forest.nodes[node].ranges;
            code.as_ref().is_some_and(|code| {
                let address = code.steps[step].address;
                ranges.iter().any(|range| range.contains(&address))
            })
        };
        let is_inlined = forest.nodes[node].parent.is_some();
        let copy = code.as_ref().filter(|_| is_inlined || begins).map(|code| Copy {
            code,
            inside: &inside,
            is_inlined,
        });
        of_copy(
            build.map,
            id,
            effects,
            &evidence,
            copy.as_ref(),
            |shown, other| found(id, shown, other),
        );
    }
}

/// A call instruction.
#[derive(Clone, Copy, Debug)]
struct CallInstruction<'n> {
    /// The address after it.
    after: u64,
    /// Its place in the code, if that was decoded.
    step: Option<StepIndex>,
    node: NodeId,
    callee: Callee<'n>,
}

/// Whom a call instruction calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Callee<'n> {
    /// A function, by its name in the source.
    Named(&'n str),
    Pointer,
    /// Nothing is known but that it calls.
    Unknown,
}

/// The call instructions of a function: those that are described, and of decoded code all.
fn calls_of<'n>(build: &Build<'n, '_, '_>, root: &Root<'_>, code: Option<&Code>) -> Vec<CallInstruction<'n>> {
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
struct Evidence<'n> {
    calls: Vec<(CallInstruction<'n>, Option<Position>)>,
    /// The inlined calls, by position and name.
    inlined: Vec<(Position, &'n str)>,
}

/// The call instructions and inlined calls at one position of one copy of a function.
#[derive(Default)]
struct Sites<'n> {
    count: usize,
    /// How many of them are of a function, by its name in the source.
    named: BTreeMap<&'n str, usize>,
    /// How many are instructions that name none.
    by_pointer: usize,
    /// Some are inlined.
    inlined: bool,
}

impl<'n> Evidence<'n> {
    fn sites(&self) -> BTreeMap<Position, Sites<'n>> {
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

/// What one copy of a function shows of its calls.
struct Shown {
    /// The calls that some instruction or inlined call has the position of.
    all: BTreeSet<PointId>,
    /// Of them those that certainly are there.
    certain: BTreeSet<PointId>,
    /// Of these those that nothing but an instruction of its own stands for.
    own: BTreeSet<PointId>,
    /// Calls through pointers that are instructions through pointers.
    through_pointer: BTreeSet<PointId>,
}

/// The calls at a position, with those nested in them: gcc numbers a call nested in another call's arguments like the outer one.
fn calls_at(function: &Function, position: Position) -> Vec<PointId> {
    let calls = || {
        function
            .points
            .iter_enumerated()
            .filter(|(_, point)| point.kind.is_call())
    };
    let outer = calls().filter(|(_, point)| (point.span.line, point.span.column) == position);
    let outer = Vec::from_iter(outer.map(|(_, point)| point.span));
    let here = calls().filter(|(_, point)| outer.iter().any(|outer| outer.contains(point.span)));
    here.map(|(id, _)| id).collect()
}

fn shown(names: &Names<'_>, sites: &BTreeMap<Position, Sites<'_>>) -> Shown {
    let function = names.function;
    let is_cxx = function.language().is_cxx();
    let mut shown = Shown {
        all: BTreeSet::new(),
        certain: BTreeSet::new(),
        own: BTreeSet::new(),
        through_pointer: BTreeSet::new(),
    };
    for (&position, found) in sites {
        let Sites { count, named, .. } = found;
        let here = calls_at(function, position);
        shown.all.extend(&here);
        // Where the compiler knows what a pointer leads to, the instruction names that.
        let is_called = |name: &&str| here.iter().any(|&point| names.may_name(point, name));
        let all_called = named.keys().all(is_called);
        if found.by_pointer > 0 && all_called {
            let indirect = |point: &&PointId| function.points[**point].kind == PointKind::IndirectCall;
            shown.through_pointer.extend(here.iter().filter(indirect));
        }
        if here.is_empty() {
            continue;
        }
        if named.values().sum::<usize>() + found.by_pointer < *count {
            // Of some instructions nothing is known but that they call.
            if *count >= here.len() {
                shown.certain.extend(here);
            }
            continue;
        }
        let callers = |name: &str| here.iter().filter(|&&point| names.may_call(point, name)).count();
        let unnamed = here.iter().filter(|&&point| !names.only_names(point)).count();
        // Of some functions there may be an instruction for each call all the same, and so of pointers.
        let has_all = |name: &str| named.get(name).is_some_and(|&count| count >= callers(name));
        for &point in &here {
            let has_own = match &function.points[point].kind {
                PointKind::Call(name) => has_all(name),
                PointKind::IndirectCall => found.by_pointer >= unnamed,
                // It may make several calls: each of them must be there. Where it is a function, and no macro, it calls that; where
                // neither shows, nothing does.
                PointKind::MacroCall(own) => names.called(point).is_some_and(|called| {
                    let others = || called.iter().filter(|name| *name != own);
                    let shows = if named.contains_key(own.as_str()) {
                        has_all(own)
                    } else {
                        others().next().is_some()
                    };
                    shows && others().all(|name| has_all(name))
                }),
                _ => false,
            };
            if has_own {
                shown.certain.insert(point);
                // An instruction of another name may stand for any call here. C++ makes implicit calls.
                let alone = |name: &str| named.get(name).is_some_and(|&count| count == callers(name));
                let is_plain = match &function.points[point].kind {
                    PointKind::Call(name) => !is_cxx || alone(name),
                    _ => !is_cxx,
                };
                if all_called && !found.inlined && is_plain {
                    shown.own.insert(point);
                }
            }
        }
    }
    shown
}

/// What one copy of a function shows: the calls at each position. `copy` is its code, where it could be decoded.
fn of_copy(
    map: &Map,
    id: FunctionId,
    effects: &Effects,
    evidence: &Evidence<'_>,
    copy: Option<&Copy<'_>>,
    mut found: impl FnMut(PointId, PointId),
) {
    let function = &map.functions[id];
    let calls = Vec::from_iter(
        function
            .points
            .iter_enumerated()
            .filter(|(_, point)| point.kind.is_call())
            .map(|(id, _)| id),
    );
    let names = Names::new(map, id);
    let sites = evidence.sites();
    let shown = shown(&names, &sites);
    // What a macro calls it may leave out: it is nothing that is passed for certain.
    let is_macro = |point: &PointId| matches!(function.points[*point].kind, PointKind::MacroCall(_));
    let passed = shown
        .certain
        .iter()
        .copied()
        .filter(|point| !is_macro(point))
        .collect();
    let mut meetings = Meetings::new(&names, &passed);
    let mut pairs: BTreeMap<PointId, BTreeSet<PointId>> = BTreeMap::new();
    for &one in &shown.all {
        for &other in &calls {
            // An instruction that names a function is never one with another that does not.
            let differ = shown.through_pointer.contains(&one) && names.only_names(other);
            if !differ && other != one && names.alike(one, other) && meetings.meet(one, other) {
                pairs.entry(one).or_default().insert(other);
            }
        }
    }
    if pairs.is_empty() {
        return;
    }
    let instructions = copy.and_then(|copy| {
        let required = function.points.iter_enumerated().map(|(id, point)| {
            shown.own.contains(&id)
                && !is_macro(&id)
                && point.unsequenced.is_empty()
                && effects.has(&point.kind)
        });
        stand_ins_of(
            function,
            &names,
            effects,
            evidence,
            copy,
            required.collect(),
            &pairs,
        )
    });
    let Some(instructions) = instructions else {
        for (&one, others) in &pairs {
            others.iter().for_each(|&other| found(one, other));
        }
        return;
    };
    // Where a call is inlined, no instruction tells which it is.
    let inlined: BTreeSet<PointId> = evidence
        .inlined
        .iter()
        .flat_map(|&(position, _)| calls_at(function, position))
        .collect();
    for (one, others) in pairs {
        for other in others {
            if inlined.contains(&one) || instructions.contains(&(one, other)) {
                found(one, other);
            }
        }
    }
}

/// The pairs of calls of which some instruction has the position of the first and may be the second; `None` if the code does not tell.
fn stand_ins_of(
    function: &Function,
    names: &Names<'_>,
    effects: &Effects,
    evidence: &Evidence<'_>,
    copy: &Copy<'_>,
    mut required: IdVec<PointId, bool>,
    pairs: &BTreeMap<PointId, BTreeSet<PointId>>,
) -> Option<BTreeSet<(PointId, PointId)>> {
    // A last call may have become a jump to the entry of its own function, or of one that leads there.
    let own_name = function.name.as_str();
    let mut may_begin_anew = function.last_calls();
    may_begin_anew.retain(|&point| match &function.points[point].kind {
        PointKind::Call(name) => name == own_name || !required[point] && effects.is_in_map(name),
        _ => !required[point],
    });
    for &point in &may_begin_anew {
        required[point] = false;
    }
    let source = Source {
        function,
        required: &required,
        may_begin_anew: &may_begin_anew,
    };
    let mut of_step: BTreeMap<StepIndex, (Callee<'_>, Vec<PointId>)> = BTreeMap::new();
    for &(call, position) in &evidence.calls {
        let here = position
            .map(|position| calls_at(function, position))
            .unwrap_or_default();
        of_step.insert(call.step?, (call.callee, here));
    }
    let may_be = |callee: Callee<'_>, point: PointId| match callee {
        Callee::Named(name) => names.may_call(point, name),
        Callee::Pointer => !names.only_names(point),
        Callee::Unknown => true,
    };
    // Calls without effects are moved about.
    let moves = |callee: Callee<'_>| matches!(callee, Callee::Named(name) if !effects.of_name(name));
    let fits = |step: StepIndex| {
        let Some((callee, here)) = of_step.get(&step) else {
            return Fit::default();
        };
        if moves(*callee) {
            return Fit::default();
        }
        let calls = function
            .points
            .iter_enumerated()
            .filter(|(_, point)| point.kind.is_call());
        let fitting = calls.map(|(id, _)| id).filter(|&point| may_be(*callee, point));
        let is_strange = !here.iter().any(|&point| may_be(*callee, point));
        let is_near = |point: &PointId| {
            is_strange
                || here.contains(point)
                || here
                    .iter()
                    .any(|one| pairs.get(one).is_some_and(|others| others.contains(point)))
        };
        Fit {
            points: fitting.filter(is_near).collect(),
            silent: is_strange || function.language().is_cxx(),
        }
    };
    let reached = stand_ins(copy, &source, fits)?;
    let mut found = BTreeSet::new();
    for &(step, other) in &reached {
        let (_, here) = &of_step[&step];
        found.extend(here.iter().map(|&one| (one, other)));
    }
    for (callee, here) in of_step.values().filter(|(callee, _)| moves(*callee)) {
        for &one in here.iter().filter(|&&one| may_be(*callee, one)) {
            found.extend(pairs.get(&one).into_iter().flatten().map(|&other| (one, other)));
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meetings::tests::function;
    use base::Id;
    use progress_map::FileId;

    /// Instructions on a line, of which nothing is known but that they call.
    fn unnamed(line: u32, count: usize) -> Vec<(u32, Callee<'static>)> {
        vec![(line, Callee::Unknown); count]
    }

    /// The pairs that are found in code that could not be decoded.
    fn pairs(map: &Map, instructions: &[(u32, Callee<'_>)]) -> Vec<(usize, usize)> {
        let calls = instructions.iter().enumerate().map(|(at, &(line, callee))| {
            let call = CallInstruction {
                after: at as u64,
                step: None,
                node: NodeId::from_index(0),
                callee,
            };
            (call, Some((line, 1)))
        });
        let evidence = Evidence {
            calls: calls.collect(),
            inlined: Vec::new(),
        };
        let mut pairs = Vec::new();
        of_copy(
            map,
            Id::from_index(0),
            &Effects::new(map),
            &evidence,
            None,
            |one, other| pairs.push((one.index(), other.index())),
        );
        pairs
    }

    /// The pairs that are found when the calls on these lines have so many instructions.
    fn found(function: &Function, sites: &[(u32, usize)]) -> Vec<(usize, usize)> {
        let map = Map {
            functions: vec![function.clone()].into(),
            ..Map::default()
        };
        let instructions = sites.iter().flat_map(|&(line, count)| unnamed(line, count));
        pairs(&map, &Vec::from_iter(instructions))
    }

    #[test]
    fn of_two_arms_that_end_alike_one_may_stand_for_the_other() {
        // if (…) { second(); first(); } else { first(); }
        let arms = function(
            &["second", "first", "first"],
            &[(0, 1), (0, 3), (1, 2), (2, 4), (3, 4)],
        );
        assert_eq!(found(&arms, &[(1, 1), (3, 1)]), [(3, 2)]);
        // Both are there, but code may have been copied: one of the copies may have gone.
        assert_eq!(found(&arms, &[(1, 1), (2, 1), (3, 1)]), [(2, 3), (3, 2)]);
        // Calls of different functions are never one.
        let differ = function(
            &["second", "third", "first"],
            &[(0, 1), (0, 3), (1, 2), (2, 4), (3, 4)],
        );
        assert_eq!(found(&differ, &[(1, 1), (3, 1)]), []);
    }

    #[test]
    fn calls_one_after_the_other_are_never_one() {
        // do { first(); first(); } while (…);
        let edges = [(0, 1), (1, 2), (2, 1), (2, 3)];
        assert_eq!(found(&function(&["first", "first"], &edges), &[(1, 1)]), []);
        // if (…) first(); second(); if (…) first();
        let edges = [(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4)];
        let parted = function(&["first", "second", "first"], &edges);
        assert_eq!(found(&parted, &[(1, 1), (2, 1)]), []);
        // If the call between is gone, nobody knows.
        assert_eq!(found(&parted, &[(1, 1)]), [(1, 3)]);
    }

    #[test]
    fn arms_that_end_with_the_same_calls_are_followed() {
        // if (…) { first(); second(); } else { first(); second(); }
        let edges = [(0, 1), (0, 3), (1, 2), (2, 5), (3, 4), (4, 5)];
        let arms = function(&["first", "second", "first", "second"], &edges);
        assert_eq!(found(&arms, &[(1, 1), (2, 1)]), [(1, 3), (2, 4)]);
        // With another call behind it, it is not the same code.
        let arms = function(&["first", "second", "first", "third"], &edges);
        assert_eq!(found(&arms, &[(1, 1), (2, 1), (4, 1)]), []);
    }

    #[test]
    fn a_macro_stands_for_what_it_calls_only() {
        // if (…) { second(); first(); } else { CHECK(); }
        let edges = [(0, 1), (0, 3), (1, 2), (2, 4), (3, 4)];
        let mut arms = function(&["second", "first", "CHECK"], &edges);
        arms.points[PointId::from_index(3)].kind = PointKind::MacroCall("CHECK".to_owned());
        let found = |macros: Vec<progress_map::MacroCalls>| {
            let map = Map {
                functions: vec![arms.clone()].into(),
                macros,
                ..Map::default()
            };
            pairs(&map, &[(1, Callee::Unknown), (2, Callee::Unknown)])
        };
        let calls = |name: &str| {
            vec![progress_map::MacroCalls {
                file: FileId::from_index(0),
                name: "CHECK".to_owned(),
                callees: vec![name.to_owned()],
            }]
        };
        assert_eq!(found(Vec::new()), [(2, 3)]);
        assert_eq!(found(calls("first")), [(2, 3)]);
        assert_eq!(found(calls("fail")), []);
    }

    #[test]
    fn an_instruction_that_names_a_function_is_its_call() {
        // if (…) { second(); CHECK(first()); } else { first(); }
        let edges = [(0, 1), (0, 4), (1, 2), (2, 3), (3, 5), (4, 5)];
        let mut arms = function(&["second", "first", "CHECK", "first"], &edges);
        arms.points[PointId::from_index(3)].kind = PointKind::MacroCall("CHECK".to_owned());
        arms.points[PointId::from_index(3)].span = arms.points[PointId::from_index(2)].span;
        let map = Map {
            functions: vec![arms].into(),
            may_call: vec![progress_map::MacroCalls {
                file: FileId::from_index(0),
                name: "CHECK".to_owned(),
                callees: vec!["fail".to_owned()],
            }],
            ..Map::default()
        };
        let found = |name: &'static str| {
            let calls = [
                (1, Callee::Unknown),
                (2, Callee::Named(name)),
                (4, Callee::Unknown),
            ];
            pairs(&map, &calls)
        };
        // What the macro calls has gone.
        assert_eq!(found("first"), [(2, 4), (4, 2)]);
        assert_eq!(found("fail"), [(2, 4), (4, 2)]);
    }

    #[test]
    fn an_instruction_through_a_pointer_is_no_call_by_name() {
        // if (…) { second(); (*call)(); } else { first(); }
        let edges = [(0, 1), (0, 3), (1, 2), (2, 4), (3, 4)];
        let mut arms = function(&["second", "", "first"], &edges);
        arms.points[PointId::from_index(2)].kind = PointKind::IndirectCall;
        let map = Map {
            functions: vec![arms].into(),
            ..Map::default()
        };
        let found = |there: &[Callee<'static>]| {
            let there = there.iter().map(|&callee| (2, callee));
            pairs(&map, &Vec::from_iter(unnamed(1, 1).into_iter().chain(there)))
        };
        assert_eq!(found(&[Callee::Pointer]), []);
        // The compiler knew where the pointer leads.
        assert_eq!(found(&[Callee::Named("first")]), [(2, 3)]);
        assert_eq!(found(&[Callee::Pointer, Callee::Named("first")]), [(2, 3)]);
        // Nothing is described.
        assert_eq!(found(&[Callee::Unknown]), [(2, 3)]);
    }

    #[test]
    fn instructions_are_counted_by_whom_they_call() {
        // if (…) { second(); first(); CHECK(); } else { first(); CHECK(); }, each arm on a line
        let edges = [(0, 1), (0, 4), (1, 2), (2, 3), (3, 6), (4, 5), (5, 6)];
        let mut arms = function(&["second", "first", "CHECK", "first", "CHECK"], &edges);
        for (at, line) in [(2, 1), (3, 1), (5, 4)] {
            arms.points[PointId::from_index(at)].span = arms.points[PointId::from_index(line)].span;
        }
        for at in [3, 5] {
            arms.points[PointId::from_index(at)].kind = PointKind::MacroCall("CHECK".to_owned());
        }
        let map = Map {
            functions: vec![arms].into(),
            may_call: vec![progress_map::MacroCalls {
                file: FileId::from_index(0),
                name: "CHECK".to_owned(),
                callees: vec!["fail".to_owned(), "note".to_owned()],
            }],
            ..Map::default()
        };
        let names = Names::new(&map, Id::from_index(0));
        let certain = |then: &[(&'static str, usize)], other: &[(&'static str, usize)]| {
            let sites = |named: &[(&'static str, usize)]| Sites {
                count: named.iter().map(|(_, count)| count).sum(),
                named: named.iter().copied().collect(),
                ..Sites::default()
            };
            let sites = BTreeMap::from([((1, 1), sites(then)), ((4, 1), sites(other))]);
            let certain = shown(&names, &sites).certain;
            Vec::from_iter(certain.iter().map(|point| point.index()))
        };
        let all = [("first", 1), ("fail", 1), ("note", 1)];
        let whole = [("second", 1), all[0], all[1], all[2]];
        assert_eq!(certain(&whole, &all), [1, 2, 3, 4, 5]);
        // As many instructions as calls, but none of them is of `first`.
        assert_eq!(
            certain(&[whole[0], ("fail", 1), ("note", 1)], &all[1..]),
            [1, 3, 5]
        );
        // One of the macro's calls is in the other arm.
        assert_eq!(certain(&[whole[0], all[0], all[1]], &all[..1]), [1, 2, 4]);
    }
}
