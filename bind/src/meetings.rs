//! Which calls may have a common continuation.
//!
//! Two calls can only be merged if the same code leads from both to a common place: *some point is reached from each of them,
//! past calls of the same functions in the same order, without passing the other*. In `f(); f();` none is, nor in
//! `if (a) f(); g(); if (b) f();`. Calls that the compiler may have dropped or inlined do not count among those passed, but all that are
//! call instructions in this copy of the function do.
//!
//! Calls of different functions are never merged. For some macros that stay unexpanded the map knows what they call
//! ([`Map::possibly_called_by_macro`]); any other macro, and a call through a pointer, may call any function.

use base::{Id as _, IdVec};
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use progress_map::{Function, FunctionId, Map, PassedConstant, PointId, PointKind};
use std::collections::{BTreeMap, BTreeSet};

/// How many points are looked at for one copy of a function, at most.
const BUDGET: usize = 2_000_000;

/// Who is called where in a function.
pub(crate) struct Names<'m> {
    pub(crate) function: &'m Function,
    /// For each point that is a call, the kind of that call.
    kinds: IdVec<PointId, Option<u32>>,
    /// For each kind, the functions that such a call may be of; `None` if it may be of any.
    called: Vec<Option<&'m [String]>>,
    /// For each pair of kinds, whether a call of either may be of the same function.
    alike: Vec<Vec<bool>>,
    /// The constants that calls pass.
    constants: &'m [PassedConstant],
    /// Where its handlers of exceptions begin.
    pub(crate) handlers: BTreeSet<PointId>,
}

impl<'m> Names<'m> {
    pub(crate) fn new(map: &'m Map, id: FunctionId) -> Self {
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
            constants: constants_of(map, id),
            handlers: map.handlers_of(id).collect(),
        }
    }

    /// Whether a call passes another constant than an instruction does, by register.
    pub(crate) fn contradicts(&self, point: PointId, passed: &[Option<i32>]) -> bool {
        let first = self.constants.partition_point(|each| each.point < point);
        let mut own = self.constants[first..]
            .iter()
            .take_while(|each| each.point == point);
        own.any(|each| {
            let there = passed.get(usize::from(each.register)).copied().flatten();
            there.is_some_and(|there| there != each.value)
        })
    }

    /// Whether a call is one by a name, or of a macro that calls by some.
    pub(crate) fn only_names(&self, point: PointId) -> bool {
        self.kinds[point].is_some_and(|kind| self.called[kind as usize].is_some())
    }

    /// Whether a call is by this name, as far as its own name tells.
    pub(crate) fn may_name(&self, point: PointId, name: &str) -> bool {
        let called = self.called(point);
        called.is_some_and(|called| called.iter().any(|each| each == name))
    }

    /// Whether a call may be of the function of this name: because the call names it, or because it may be of any function.
    pub(crate) fn may_call(&self, point: PointId, name: &str) -> bool {
        !self.only_names(point) || self.may_name(point, name)
    }

    /// The functions that a call may be of; `None` if it may be of any.
    pub(crate) fn called(&self, point: PointId) -> Option<&'m [String]> {
        self.kinds[point].and_then(|kind| self.called[kind as usize])
    }

    fn is_call(&self, point: PointId) -> bool {
        self.kinds[point].is_some()
    }

    /// Whether two calls may be of one function.
    pub(crate) fn alike(&self, a: PointId, b: PointId) -> bool {
        match (self.kinds[a], self.kinds[b]) {
            (Some(a), Some(b)) => self.alike[a as usize][b as usize],
            _ => true,
        }
    }
}

fn constants_of(map: &Map, id: FunctionId) -> &[PassedConstant] {
    let all = &map.passed_constants;
    let first = all.partition_point(|each| each.function < id);
    let count = all[first..].partition_point(|each| each.function == id);
    &all[first..first + count]
}

/// Whether two calls may have a common continuation in one copy of a function.
pub(crate) struct Meetings<'f> {
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
    pub(crate) fn new(names: &'f Names<'f>, certain: &BTreeSet<PointId>) -> Self {
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

    pub(crate) fn meet(&mut self, a: PointId, b: PointId) -> bool {
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

    /// Whether some point is reached from both, whichever calls are passed on the way. Where there is none, [`Self::search`], which
    /// passes fewer calls, finds none either.
    fn may_come_together(&mut self, (a, b): (PointId, PointId)) -> bool {
        let found = self.share(a, b, (a, b), Past::Calls);
        found.is_none_or(|(together, _, _)| together)
    }

    /// Follows the graph from both calls at the same time: where one way passes a call that is certainly an instruction, the other must
    /// pass one that may be of the same function.
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
        // The second search has marked each point that it reached with its own number, which is greater.
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
pub(crate) mod tests {
    use super::*;
    use base::{Id, Random, Span};
    use progress_map::generate::bare_function;
    use progress_map::{FileId, Point, Scope, ScopeId, ScopeKind};

    /// A function whose points are an entry, calls of the given names on lines 1, 2, ..., and an exit.
    pub(crate) fn function(calls: &[&str], edges: &[(usize, usize)]) -> Function {
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
            points,
            edges: edges.iter().map(|&(from, to)| (id(from), id(to))).collect(),
            scopes: vec![Scope {
                parent: None,
                kind: ScopeKind::Function,
                line: 0,
                end_line: 9,
            }]
            .into(),
            ..bare_function("f", FileId::from_index(0), line(0))
        }
    }

    /// A function of random edges and loops; its calls are of two functions.
    fn random(random: &mut Random) -> Function {
        let mut below = |limit: usize| random.below(limit);
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
        let mut state = Random(SEED);
        let (mut asked, mut cut) = (0, 0);
        for case in 0..4000 {
            let function = random(&mut state);
            let calls = function.points.iter_enumerated();
            let calls = Vec::from_iter(calls.filter(|(_, point)| point.kind.is_call()).map(|(id, _)| id));
            let certain = calls
                .iter()
                .copied()
                .filter(|id| (state.0 >> id.index()) & 1 == 1);
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
}
