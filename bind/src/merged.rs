//! Calls that gcc may have made one.
//!
//! Where two arms of a branch end alike, gcc keeps one copy of the code (`-ftree-tail-merge`, `-fcrossjumping`, both part of
//! `-O2`) and the line of one of them. A task that stands in such a call shows the position of an arm in which it is not. LLVM
//! gives merged code line 0, so that nothing is claimed of it.
//!
//! Two calls can only be merged if the same code leads from both to a common place: *some point is reached from each of them,
//! past calls of the same functions in the same order, without passing the other*. In `f(); f();` none is, nor in
//! `if (a) f(); g(); if (b) f();`. Calls that the compiler may have dropped or inlined do not count among those passed, but all that are
//! call instructions in this copy of the function do: debug info describes them (`DW_TAG_call_site`).
//!
//! Calls of different functions are never one. What a macro calls that stays unexpanded is known for some
//! ([`Map::possibly_called_by_macro`]); of others, and behind pointers, it may be anything.
//!
//! A call that has an instruction of its own was not merged, unless code was copied before: then one copy may have
//! gone and another be left. So a call that shows the position of one point stands for every other that it may meet and that shows
//! no call in this copy of the function; where some position has more call instructions than the source has calls, for all that it may meet.
//! What an instruction calls is described as a rule, so they are counted by whom they call: two for `f` and none for `g` are none for `g`. Of
//! a macro that stays unexpanded each call that it may make must be there.

use crate::debug::Debug;
use crate::optimised::gcc;
use crate::passed::CalleeNames;
use crate::walk::{Forest, NodeId, OriginId};
use base::{Id as _, IdVec};
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use progress_map::{BoundMerge, Function, FunctionId, Map, PointId, PointKind};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// How many points are looked at for one copy of a function, at most.
const BUDGET: usize = 2_000_000;

/// A line and a column.
type Position = (u32, u32);

/// The pairs of calls of which the first may stand for the second; sorted. `position` gives line and column of an
/// address in the file of a function.
pub(crate) fn merges(
    map: &Map,
    debug: &Debug<'_>,
    names: &CalleeNames,
    forest: &Forest,
    identified: &IdVec<OriginId, Option<FunctionId>>,
    position: impl Fn(FunctionId, u64) -> Option<Position>,
) -> Vec<BoundMerge> {
    let mut copies: BTreeMap<NodeId, BTreeMap<Position, Sites<'_>>> = BTreeMap::new();
    let mut note = |node: NodeId, position: Position, name, by_pointer| {
        let sites = copies.entry(node).or_default().entry(position).or_default();
        sites.count += 1;
        sites.by_pointer += usize::from(by_pointer);
        if let Some(name) = name {
            *sites.named.entry(name).or_default() += 1;
        }
    };
    for site in &forest.calls {
        if let (Some(id), Some(after)) = (identified[forest.nodes[site.node].origin], site.return_address)
            && let Some(position) = position(id, after.wrapping_sub(1))
        {
            let name = site.target.and_then(|target| names.get(&target));
            let name = name.map(String::as_str);
            note(site.node, position, name, site.by_pointer);
        }
    }
    for node in &forest.nodes {
        if let (Some(parent), Some(call)) = (node.parent, node.call) {
            let name = Some(forest.origins[node.origin].name.as_str());
            note(parent, (call.line, call.column), name, false);
        }
    }
    let mut roots: IdVec<NodeId, NodeId> = IdVec::new();
    for (id, node) in forest.nodes.iter_enumerated() {
        // Parents have smaller ids.
        roots.push(node.parent.map_or(id, |parent| roots[parent]));
    }
    let pairs = |(node, sites): (NodeId, BTreeMap<Position, Sites<'_>>)| {
        let mut found = Vec::new();
        let (root, origin) = (&forest.nodes[roots[node]], forest.nodes[node].origin);
        if let Some(id) = identified[origin]
            && root.optimised
            && gcc(debug, root.die.unit)
        {
            of_copy(map, id, &sites, |shown, other| {
                found.push(BoundMerge {
                    function: id,
                    shown,
                    other,
                });
            });
        }
        found
    };
    let mut found: Vec<BoundMerge> = copies.into_par_iter().flat_map_iter(pairs).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The call instructions and inlined calls at one position of one copy of a function.
#[derive(Default)]
struct Sites<'n> {
    count: usize,
    /// How many of them are of a function, by its name in the source.
    named: BTreeMap<&'n str, usize>,
    /// How many are instructions that name none.
    by_pointer: usize,
}

/// What one copy of a function shows: the calls at each position.
fn of_copy(
    map: &Map,
    id: FunctionId,
    sites: &BTreeMap<Position, Sites<'_>>,
    mut found: impl FnMut(PointId, PointId),
) {
    let function = &map.functions[id];
    let calls = || {
        function
            .points
            .iter_enumerated()
            .filter(|(_, point)| point.kind.is_call())
    };
    let mut copied = false;
    let mut shown: BTreeSet<PointId> = BTreeSet::new();
    let mut certain: BTreeSet<PointId> = BTreeSet::new();
    let names = Names::new(map, id);
    // Calls through pointers that are instructions through pointers in this copy.
    let mut through_pointer: BTreeSet<PointId> = BTreeSet::new();
    for (&position, found) in sites {
        let Sites { count, named, .. } = found;
        // gcc numbers a call nested in another call's arguments like the outer one.
        let outer = calls().filter(|(_, point)| (point.span.line, point.span.column) == position);
        let outer = Vec::from_iter(outer.map(|(_, point)| point.span));
        let here = calls().filter(|(_, point)| outer.iter().any(|outer| outer.contains(point.span)));
        let here = Vec::from_iter(here.map(|(id, _)| id));
        shown.extend(&here);
        // Where the compiler knows what a pointer leads to, the instruction names that.
        let is_called = |name: &&str| here.iter().any(|&point| names.may_name(point, name));
        if found.by_pointer > 0 && named.keys().all(is_called) {
            let indirect = |point: &&PointId| function.points[**point].kind == PointKind::IndirectCall;
            through_pointer.extend(here.iter().filter(indirect));
        }
        if here.is_empty() {
            continue;
        }
        if named.values().sum::<usize>() + found.by_pointer < *count {
            // Of some instructions nothing is known but that they call.
            copied |= *count > here.len();
            if *count >= here.len() {
                certain.extend(here);
            }
            continue;
        }
        let callers = |name: &str| here.iter().filter(|&&point| names.may_call(point, name)).count();
        let unnamed = here.iter().filter(|&&point| !names.only_names(point)).count();
        // A name that no call may have is what the compiler put in the place of another.
        let in_excess = |(name, &count): (&&str, &usize)| count > callers(name) && callers(name) > 0;
        copied |= *count > here.len() || named.iter().any(in_excess) || found.by_pointer > unnamed;
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
                    let shows = match named.contains_key(own.as_str()) {
                        true => has_all(own),
                        false => others().next().is_some(),
                    };
                    shows && others().all(|name| has_all(name))
                }),
                _ => false,
            };
            if has_own {
                certain.insert(point);
            }
        }
    }
    // What a macro calls it may leave out: it is nothing that is passed for certain.
    let is_macro = |point: &PointId| matches!(function.points[*point].kind, PointKind::MacroCall(_));
    let passed = certain.iter().copied().filter(|point| !is_macro(point)).collect();
    let mut meetings = Meetings::new(&names, &passed);
    for &one in &shown {
        for (other, _) in calls() {
            let is_open = copied || !certain.contains(&other);
            // An instruction that names a function is never one with another that does not.
            let differ = through_pointer.contains(&one) && names.only_names(other);
            if is_open && !differ && other != one && names.alike(one, other) && meetings.meet(one, other) {
                found(one, other);
            }
        }
    }
}

/// Who is called where in a function.
struct Names<'m> {
    function: &'m Function,
    /// By point: which of the kinds of calls it is, if it is one.
    kinds: IdVec<PointId, Option<u32>>,
    /// The functions that calls of a kind may call themselves; `None` where nobody knows.
    called: Vec<Option<&'m [String]>>,
    /// By two kinds: whether both may call one function.
    alike: Vec<Vec<bool>>,
}

impl<'m> Names<'m> {
    fn new(map: &'m Map, id: FunctionId) -> Self {
        let function = &map.functions[id];
        let mut numbers: BTreeMap<(bool, &str), u32> = BTreeMap::new();
        let mut kinds: IdVec<PointId, Option<u32>> = IdVec::new();
        let mut called: Vec<Option<&[String]>> = Vec::new();
        for (point, what) in function.points.iter_enumerated() {
            let (key, names) = match &what.kind {
                PointKind::Call(name) => ((true, name.as_str()), Some(std::slice::from_ref(name))),
                PointKind::MacroCall(name) => {
                    ((false, name.as_str()), map.possibly_called_by_macro(id, point))
                }
                kind if kind.is_call() => ((false, ""), None),
                _ => {
                    kinds.push(None);
                    continue;
                }
            };
            let kind = *numbers.entry(key).or_insert_with(|| {
                called.push(names);
                called.len() as u32 - 1
            });
            kinds.push(Some(kind));
        }
        let both = |a: &Option<&[String]>, b: &Option<&[String]>| match (a, b) {
            (Some(a), Some(b)) => a.iter().any(|name| b.contains(name)),
            _ => true,
        };
        let alike = called
            .iter()
            .map(|a| called.iter().map(|b| both(a, b)).collect())
            .collect();
        Self {
            function,
            kinds,
            called,
            alike,
        }
    }

    /// Whether a call is one by a name, or of a macro that calls by some.
    fn only_names(&self, point: PointId) -> bool {
        self.kinds[point].is_some_and(|kind| self.called[kind as usize].is_some())
    }

    /// Whether a call is by this name, as far as its own name tells.
    fn may_name(&self, point: PointId, name: &str) -> bool {
        let called = self.called(point);
        called.is_some_and(|called| called.iter().any(|each| each == name))
    }

    /// Whether a call may be of the function of this name: nobody knows of whom, or it is by the name.
    fn may_call(&self, point: PointId, name: &str) -> bool {
        !self.only_names(point) || self.may_name(point, name)
    }

    /// The functions that a call may be of; `None` where nobody knows.
    fn called(&self, point: PointId) -> Option<&'m [String]> {
        self.kinds[point].and_then(|kind| self.called[kind as usize])
    }

    fn is_call(&self, point: PointId) -> bool {
        self.kinds[point].is_some()
    }

    /// Whether two calls may be of one function.
    fn alike(&self, a: PointId, b: PointId) -> bool {
        match (self.kinds[a], self.kinds[b]) {
            (Some(a), Some(b)) => self.alike[a as usize][b as usize],
            _ => true,
        }
    }
}

/// Whether two calls may have a common continuation in one copy of a function.
struct Meetings<'f> {
    names: &'f Names<'f>,
    /// By point: it certainly is a call instruction in this copy.
    certain: IdVec<PointId, bool>,
    known: BTreeMap<(PointId, PointId), bool>,
    /// How many more points may be looked at: beyond that, calls are taken to meet.
    budget: usize,
    /// What each point is followed by.
    succs: IdVec<PointId, Vec<PointId>>,
    /// What every way to the exit passes.
    ends: Ends,
    /// By point: the number of the search that has reached it last.
    reached: IdVec<PointId, usize>,
    searches: usize,
}

impl<'f> Meetings<'f> {
    fn new(names: &'f Names<'f>, certain: &BTreeSet<PointId>) -> Self {
        let points = &names.function.points;
        let mut succs: IdVec<PointId, Vec<PointId>> = points.iter().map(|_| Vec::new()).collect();
        for &(from, to) in &names.function.edges {
            succs[from].push(to);
        }
        Self {
            names,
            certain: points.ids().map(|point| certain.contains(&point)).collect(),
            known: BTreeMap::new(),
            budget: BUDGET,
            succs,
            ends: Ends::new(names.function),
            reached: points.iter().map(|_| 0).collect(),
            searches: 0,
        }
    }

    fn meet(&mut self, a: PointId, b: PointId) -> bool {
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let found = !self.ends.is_behind(key.0, key.1)
            && !self.ends.is_behind(key.1, key.0)
            && self.may_come_together(key)
            && self.search(key);
        self.known.insert(key, found);
        found
    }

    /// Whether some point is reached from both, whatever is called on the way. Where none is, no search in step finds one.
    fn may_come_together(&mut self, (a, b): (PointId, PointId)) -> bool {
        let found = self.share(a, b, (a, b), Past::Calls);
        found.is_none_or(|(together, _, _)| together)
    }

    /// Goes on from both in step: what one passes for certain the other must pass too, as far as its name tells.
    fn search(&mut self, (a, b): (PointId, PointId)) -> bool {
        let mut seen = BTreeSet::from([(a, b)]);
        let mut work = vec![(a, b)];
        while let Some((x, y)) = work.pop() {
            let Some((together, from_x, from_y)) = self.share(x, y, (a, b), Past::NoCall) else {
                return true;
            };
            if together {
                return true;
            }
            let calls = |ahead: &[PointId]| {
                let calls = ahead.iter().copied();
                Vec::from_iter(calls.filter(|&point| self.names.is_call(point)))
            };
            let (calls_x, calls_y) = (calls(&from_x), calls(&from_y));
            for &next_x in &calls_x {
                for &next_y in &calls_y {
                    if self.names.alike(next_x, next_y) && seen.insert((next_x, next_y)) {
                        work.push((next_x, next_y));
                    }
                }
            }
        }
        false
    }

    /// What lies ahead of `x` and of `y`, and whether they have a point of that in common; `None` when the budget is used up.
    #[allow(clippy::type_complexity, reason = "two lists and their relation")]
    fn share(
        &mut self,
        x: PointId,
        y: PointId,
        asked: (PointId, PointId),
        past: Past,
    ) -> Option<(bool, Vec<PointId>, Vec<PointId>)> {
        let from_x = self.ahead(x, asked, past)?;
        let number = self.searches;
        let from_y = self.ahead(y, asked, past)?;
        // What the second search has reached has its number now.
        let together = from_x.iter().any(|&point| self.reached[point] > number);
        Some((together, from_x, from_y))
    }

    /// What is reached from a point, past calls that are certain or up to these, them included. Neither of the two that are
    /// asked about is passed: the way from one to the other leads to no common place.
    fn ahead(&mut self, from: PointId, (a, b): (PointId, PointId), past: Past) -> Option<Vec<PointId>> {
        self.searches += 1;
        let mut found = Vec::new();
        let mut work = vec![from];
        while let Some(point) = work.pop() {
            for &next in &self.succs[point] {
                let before = std::mem::replace(&mut self.reached[next], self.searches);
                if next == a || next == b || before == self.searches {
                    continue;
                }
                self.budget = self.budget.checked_sub(1)?;
                found.push(next);
                if past == Past::Calls || !self.certain[next] {
                    work.push(next);
                }
            }
        }
        Some(found)
    }
}

/// How far a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Past {
    /// Past all calls.
    Calls,
    /// Up to calls that certainly are instructions.
    NoCall,
}

/// What every way to the exit passes, for a quick answer about the many calls that stand one behind the other.
struct Ends {
    /// By point: its number and that of the last point that cannot get to the exit without it, in the tree of post-dominators. Empty
    /// where some point does not get to the exit at all.
    ranges: IdVec<PointId, (u32, u32)>,
    /// The points outside all loops.
    once: IdVec<PointId, bool>,
}

impl Ends {
    fn new(function: &Function) -> Self {
        let node = |point: PointId| NodeIndex::<u32>::new(point.index());
        let mut graph: DiGraph<(), (), u32> = DiGraph::new();
        for _ in &function.points {
            graph.add_node(());
        }
        for &(from, to) in &function.edges {
            graph.add_edge(node(to), node(from), ());
        }
        let points = || function.points.ids();
        let mut ranges = IdVec::new();
        if let Some(exit) = points().next_back() {
            let tree = simple_fast(&graph, node(exit));
            let mut below: Vec<Vec<NodeIndex<u32>>> = vec![Vec::new(); function.points.len()];
            for point in points() {
                if let Some(above) = tree.immediate_dominator(node(point)) {
                    below[above.index()].push(node(point));
                }
            }
            ranges = numbered(&below, node(exit).index());
        }
        Ends {
            ranges,
            once: points()
                .map(|point| function.points[point].innermost_loop.is_none())
                .collect(),
        }
    }

    /// Whether every way from `a` to the exit passes `b`, and none leads back to `b`. Then no point that is reached from `a` before `b`
    /// is reached from `b`: it would have to lead to `b` again.
    fn is_behind(&self, a: PointId, b: PointId) -> bool {
        let (Some(&(number, _)), Some(&(first, last))) = (self.ranges.get(a), self.ranges.get(b)) else {
            return false;
        };
        self.once[b] && first < number && number <= last
    }
}

/// Numbers the nodes of a tree, each before those below it; by node, its number and the last one below it. Nothing where some node
/// is not in the tree.
fn numbered(below: &[Vec<NodeIndex<u32>>], root: usize) -> IdVec<PointId, (u32, u32)> {
    let mut ranges = vec![(0, 0); below.len()];
    let mut next = 0;
    let mut work = vec![(root, false)];
    while let Some((at, done)) = work.pop() {
        if done {
            ranges[at].1 = next - 1;
            continue;
        }
        ranges[at].0 = next;
        next += 1;
        work.push((at, true));
        work.extend(below[at].iter().map(|child| (child.index(), false)));
    }
    if next as usize == below.len() {
        ranges.into()
    } else {
        IdVec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Confidence, Id, Span};
    use progress_map::{FileId, Point, Scope, ScopeId, ScopeKind};

    /// A function whose points are an entry, calls of the given names on lines 1, 2, ..., and an exit.
    fn function(calls: &[&str], edges: &[(usize, usize)]) -> Function {
        let line = |line: usize| Span {
            line: line as u32,
            column: 1,
            end_line: line as u32,
            end_column: 9,
        };
        let point = |kind: PointKind, at: usize| Point {
            kind,
            span: line(at),
            scope: ScopeId::from_index(0),
            innermost_loop: None,
            unsequenced: Vec::new(),
        };
        let mut points: IdVec<PointId, Point> = IdVec::new();
        points.push(point(PointKind::Entry, 0));
        for (at, name) in calls.iter().enumerate() {
            points.push(point(PointKind::Call((*name).to_owned()), at + 1));
        }
        points.push(point(PointKind::Exit, calls.len() + 1));
        let id = PointId::from_index;
        Function {
            name: "f".to_owned(),
            linkage_name: None,
            file: FileId::from_index(0),
            is_static: false,
            span: line(0),
            confidence: Confidence::Clean,
            confidence_reason: None,
            points,
            edges: edges.iter().map(|&(from, to)| (id(from), id(to))).collect(),
            scopes: vec![Scope {
                parent: None,
                kind: ScopeKind::Function,
                line: 0,
                end_line: 9,
            }]
            .into(),
            loops: IdVec::new(),
        }
    }

    fn unnamed(count: usize) -> Sites<'static> {
        Sites {
            count,
            ..Sites::default()
        }
    }

    /// The pairs that are found when the calls on these lines have so many instructions.
    fn found(function: &Function, sites: &[(u32, usize)]) -> Vec<(usize, usize)> {
        let sites = sites.iter().map(|&(line, count)| ((line, 1), unnamed(count)));
        let sites = sites.collect();
        let mut pairs = Vec::new();
        let map = Map {
            functions: vec![function.clone()].into(),
            ..Map::default()
        };
        of_copy(&map, Id::from_index(0), &sites, |one, other| {
            pairs.push((one.index(), other.index()))
        });
        pairs
    }

    #[test]
    fn of_two_arms_that_end_alike_one_may_stand_for_the_other() {
        // if (…) { second(); first(); } else { first(); }
        let arms = function(
            &["second", "first", "first"],
            &[(0, 1), (0, 3), (1, 2), (2, 4), (3, 4)],
        );
        assert_eq!(found(&arms, &[(1, 1), (3, 1)]), [(3, 2)]);
        // Both are there.
        assert_eq!(found(&arms, &[(1, 1), (2, 1), (3, 1)]), []);
        // Both are there, but so is a copy of one of them: another may have gone.
        assert_eq!(found(&arms, &[(1, 2), (2, 1), (3, 1)]), [(2, 3), (3, 2)]);
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

    /// A function of random edges and loops; its calls are of two functions.
    fn random(state: &mut u64) -> Function {
        let mut below = |limit: usize| {
            *state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (*state >> 33) as usize % limit
        };
        let count = 4 + below(9);
        let names = Vec::from_iter((0..count - 2).map(|_| ["one", "two", ""][below(3)]));
        let mut edges = BTreeSet::new();
        for from in 0..count - 1 {
            edges.insert((from, from + 1 + below(count - 1 - from)));
            for _ in 0..below(2) {
                edges.insert((from, from + 1 + below(count - 1 - from)));
            }
            if from > 0 && below(4) == 0 {
                edges.insert((from, 1 + below(from)));
            }
        }
        // Everything is entered.
        for to in 1..count {
            if !edges.iter().any(|&(_, into)| into == to) {
                edges.insert((to - 1, to));
            }
        }
        let edges = Vec::from_iter(edges);
        let mut function = function(&names, &edges);
        let reaches = |from: usize, to: usize| {
            let (mut seen, mut work) = (vec![false; count], vec![from]);
            while let Some(at) = work.pop() {
                for &(_, next) in edges.iter().filter(|&&(source, _)| source == at) {
                    if !std::mem::replace(&mut seen[next], true) {
                        work.push(next);
                    }
                }
            }
            seen[to]
        };
        for at in 0..count {
            let point = &mut function.points[PointId::from_index(at)];
            if matches!(&point.kind, PointKind::Call(name) if name.is_empty()) {
                point.kind = PointKind::Eval;
            }
            if reaches(at, at) {
                point.innermost_loop = Some(Id::from_index(0));
            }
        }
        function
    }

    #[test]
    fn short_cuts_say_what_the_search_says() {
        const SEED: u64 = 0x5eed_0001;
        let mut state = SEED;
        let (mut asked, mut cut) = (0, 0);
        for case in 0..4000 {
            let function = random(&mut state);
            let calls = function.points.iter_enumerated();
            let calls = Vec::from_iter(calls.filter(|(_, point)| point.kind.is_call()).map(|(id, _)| id));
            let certain = calls.iter().copied().filter(|id| (state >> id.index()) & 1 == 1);
            let certain: BTreeSet<PointId> = certain.collect();
            let map = Map {
                functions: vec![function].into(),
                ..Map::default()
            };
            let names = Names::new(&map, Id::from_index(0));
            for &a in &calls {
                for &b in calls.iter().filter(|&&b| b > a) {
                    let mut meetings = Meetings::new(&names, &certain);
                    let found = meetings.meet(a, b);
                    let searched = Meetings::new(&names, &certain).search((a, b));
                    assert_eq!(
                        found, searched,
                        "seed {SEED:#x}, case {case}: {a:?} {b:?} {map:?}"
                    );
                    asked += 1;
                    let ends = &meetings.ends;
                    cut += usize::from(ends.is_behind(a, b) || ends.is_behind(b, a));
                }
            }
        }
        assert!(asked > 10_000 && cut > 1000, "{asked} pairs, {cut} cut short");
    }

    #[test]
    fn a_macro_stands_for_what_it_calls_only() {
        // if (…) { second(); first(); } else { CHECK(); }
        let edges = [(0, 1), (0, 3), (1, 2), (2, 4), (3, 4)];
        let mut arms = function(&["second", "first", "CHECK"], &edges);
        arms.points[PointId::from_index(3)].kind = PointKind::MacroCall("CHECK".to_owned());
        let sites = BTreeMap::from([((1, 1), unnamed(1)), ((2, 1), unnamed(1))]);
        let found = |macros: Vec<progress_map::MacroCalls>| {
            let map = Map {
                functions: vec![arms.clone()].into(),
                macros,
                ..Map::default()
            };
            let mut pairs = Vec::new();
            of_copy(&map, Id::from_index(0), &sites, |one, other| {
                pairs.push((one.index(), other.index()))
            });
            pairs
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
            let both = Sites {
                count: 1,
                named: BTreeMap::from([(name, 1)]),
                by_pointer: 0,
            };
            let sites = BTreeMap::from([((1, 1), unnamed(1)), ((2, 1), both), ((4, 1), unnamed(1))]);
            let mut pairs = Vec::new();
            of_copy(&map, Id::from_index(0), &sites, |one, other| {
                pairs.push((one.index(), other.index()))
            });
            pairs
        };
        // What the macro calls has gone.
        assert_eq!(found("first"), []);
        assert_eq!(found("fail"), [(4, 2)]);
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
        let found = |by_pointer, named: &[(&'static str, usize)]| {
            let call = Sites {
                count: 1,
                named: named.iter().copied().collect(),
                by_pointer: usize::from(by_pointer),
            };
            let sites = BTreeMap::from([((1, 1), unnamed(1)), ((2, 1), call)]);
            let mut pairs = Vec::new();
            of_copy(&map, Id::from_index(0), &sites, |one, other| {
                pairs.push((one.index(), other.index()))
            });
            pairs
        };
        assert_eq!(found(true, &[]), []);
        // The compiler knew where the pointer leads.
        assert_eq!(found(false, &[("first", 1)]), [(2, 3)]);
        assert_eq!(found(true, &[("first", 1)]), [(2, 3)]);
        // Nothing is described.
        assert_eq!(found(false, &[]), [(2, 3)]);
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
        let found = |then: &[(&'static str, usize)], other: &[(&'static str, usize)]| {
            let sites = |named: &[(&'static str, usize)]| Sites {
                count: named.iter().map(|(_, count)| count).sum(),
                named: named.iter().copied().collect(),
                by_pointer: 0,
            };
            let sites = BTreeMap::from([((1, 1), sites(then)), ((4, 1), sites(other))]);
            let mut pairs = Vec::new();
            of_copy(&map, Id::from_index(0), &sites, |one, other| {
                pairs.push((one.index(), other.index()))
            });
            pairs
        };
        let all = [("first", 1), ("fail", 1), ("note", 1)];
        let whole = [("second", 1), all[0], all[1], all[2]];
        // More instructions than points: they may be copies.
        assert_eq!(found(&whole, &all), [(2, 4), (3, 5), (4, 2), (5, 3)]);
        // As many instructions as calls, but none of them is of `first`.
        assert_eq!(
            found(&[whole[0], ("fail", 1), ("note", 1)], &all[1..]),
            [(2, 4), (4, 2)]
        );
        // One of the macro's calls is in the other arm.
        assert_eq!(found(&[whole[0], all[0], all[1]], &all[..1]), [(3, 5), (5, 3)]);
        // `first` was copied: one of them may have gone from the other arm.
        assert_eq!(
            found(&[whole[0], ("first", 2), ("fail", 1), ("note", 1)], &all),
            [(2, 4), (3, 5), (4, 2), (5, 3)]
        );
    }
}
