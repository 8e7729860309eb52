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
//! A call that has an instruction of its own was not merged, unless code was copied before: then one copy may have
//! gone and another be left. So a call that shows the position of one point stands for every other that it may meet and that shows
//! no call in this copy of the function; where some position has more call instructions than the source has calls, for all that it may meet.

use crate::debug::Debug;
use crate::optimised::gcc;
use crate::walk::{Forest, NodeId, OriginId};
use base::IdVec;
use progress_map::{BoundMerge, Function, FunctionId, Map, PointId, PointKind};
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
    forest: &Forest,
    identified: &IdVec<OriginId, Option<FunctionId>>,
    position: impl Fn(FunctionId, u64) -> Option<Position>,
) -> Vec<BoundMerge> {
    let mut copies: BTreeMap<NodeId, BTreeMap<Position, usize>> = BTreeMap::new();
    let mut note = |node: NodeId, position: Position| {
        *copies.entry(node).or_default().entry(position).or_default() += 1;
    };
    for site in &forest.calls {
        if let (Some(id), Some(after)) = (identified[forest.nodes[site.node].origin], site.return_address)
            && let Some(position) = position(id, after.wrapping_sub(1))
        {
            note(site.node, position);
        }
    }
    for node in &forest.nodes {
        if let (Some(parent), Some(call)) = (node.parent, node.call) {
            note(parent, (call.line, call.column));
        }
    }
    let mut roots: IdVec<NodeId, NodeId> = IdVec::new();
    for (id, node) in forest.nodes.iter_enumerated() {
        // Parents have smaller ids.
        roots.push(node.parent.map_or(id, |parent| roots[parent]));
    }
    let mut found = BTreeSet::new();
    for (node, sites) in copies {
        let (root, origin) = (&forest.nodes[roots[node]], forest.nodes[node].origin);
        if let Some(id) = identified[origin]
            && root.optimised
            && gcc(debug, root.die.unit)
        {
            of_copy(&map.functions[id], &sites, |shown, other| {
                found.insert(BoundMerge {
                    function: id,
                    shown,
                    other,
                });
            });
        }
    }
    found.into_iter().collect()
}

/// What one copy of a function shows: `sites` counts the calls at each position.
fn of_copy(function: &Function, sites: &BTreeMap<Position, usize>, mut found: impl FnMut(PointId, PointId)) {
    let calls = || {
        function
            .points
            .iter_enumerated()
            .filter(|(_, point)| point.kind.is_call())
    };
    let mut copied = false;
    let mut shown: BTreeSet<PointId> = BTreeSet::new();
    let mut certain: BTreeSet<PointId> = BTreeSet::new();
    for (&position, &count) in sites {
        // gcc numbers a call nested in another call's arguments like the outer one.
        let outer = calls().filter(|(_, point)| (point.span.line, point.span.column) == position);
        let outer = Vec::from_iter(outer.map(|(_, point)| point.span));
        let here = calls().filter(|(_, point)| outer.iter().any(|outer| outer.contains(point.span)));
        let here = Vec::from_iter(here.map(|(id, _)| id));
        shown.extend(&here);
        copied |= count > here.len() && !here.is_empty();
        if count >= here.len() {
            certain.extend(here);
        }
    }
    let mut meetings = Meetings::new(function, &certain);
    for &one in &shown {
        for (other, point) in calls() {
            let is_open = copied || !certain.contains(&other);
            let is_alike = other != one && alike(&function.points[one].kind, &point.kind);
            if is_open && is_alike && meetings.meet(one, other) {
                found(one, other);
            }
        }
    }
}

/// Whether two calls may be of one function.
fn alike(a: &PointKind, b: &PointKind) -> bool {
    match (a, b) {
        (PointKind::Call(a), PointKind::Call(b)) => a == b,
        // Nobody knows what is called there.
        _ => true,
    }
}

/// Whether two calls may have a common continuation in one copy of a function.
struct Meetings<'f> {
    function: &'f Function,
    /// The calls that certainly are call instructions in this copy.
    certain: &'f BTreeSet<PointId>,
    known: BTreeMap<(PointId, PointId), bool>,
    /// How many more points may be looked at: beyond that, calls are taken to meet.
    budget: usize,
    /// By point: the number of the search that has reached it last.
    reached: IdVec<PointId, usize>,
    searches: usize,
}

impl<'f> Meetings<'f> {
    fn new(function: &'f Function, certain: &'f BTreeSet<PointId>) -> Self {
        Self {
            function,
            certain,
            known: BTreeMap::new(),
            budget: BUDGET,
            reached: function.points.iter().map(|_| 0).collect(),
            searches: 0,
        }
    }

    fn meet(&mut self, a: PointId, b: PointId) -> bool {
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let found = self.search(key);
        self.known.insert(key, found);
        found
    }

    /// Goes on from both in step: what one passes for certain the other must pass too, as far as its name tells.
    fn search(&mut self, (a, b): (PointId, PointId)) -> bool {
        let mut seen = BTreeSet::from([(a, b)]);
        let mut work = vec![(a, b)];
        while let Some((x, y)) = work.pop() {
            let Some(from_x) = self.ahead(x, (a, b)) else {
                return true;
            };
            let number = self.searches;
            let Some(from_y) = self.ahead(y, (a, b)) else {
                return true;
            };
            // What the second search has reached has its number now.
            if from_x.iter().any(|&point| self.reached[point] > number) {
                return true;
            }
            let function = self.function;
            let calls = |ahead: &[PointId]| {
                let calls = ahead.iter().copied();
                Vec::from_iter(calls.filter(|&point| function.points[point].kind.is_call()))
            };
            let (calls_x, calls_y) = (calls(&from_x), calls(&from_y));
            for &next_x in &calls_x {
                for &next_y in &calls_y {
                    let same = alike(&function.points[next_x].kind, &function.points[next_y].kind);
                    if same && seen.insert((next_x, next_y)) {
                        work.push((next_x, next_y));
                    }
                }
            }
        }
        false
    }

    /// What is reached from a point without passing a call that is certain, such calls included. Neither of the two that are
    /// asked about is passed: the way from one to the other leads to no common place.
    fn ahead(&mut self, from: PointId, (a, b): (PointId, PointId)) -> Option<Vec<PointId>> {
        self.searches += 1;
        let mut found = Vec::new();
        let mut work = vec![from];
        while let Some(point) = work.pop() {
            for next in self.function.successors(point) {
                let before = std::mem::replace(&mut self.reached[next], self.searches);
                if next == a || next == b || before == self.searches {
                    continue;
                }
                self.budget = self.budget.checked_sub(1)?;
                found.push(next);
                if !self.certain.contains(&next) {
                    work.push(next);
                }
            }
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Confidence, Id as _, Span};
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

    /// The pairs that are found when the calls on these lines have so many instructions.
    fn found(function: &Function, sites: &[(u32, usize)]) -> Vec<(usize, usize)> {
        let sites = sites.iter().map(|&(line, count)| ((line, 1), count)).collect();
        let mut pairs = Vec::new();
        of_copy(function, &sites, |one, other| {
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
}
