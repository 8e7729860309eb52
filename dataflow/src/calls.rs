//! Who may be called by which name.
//!
//! C++ gives hundreds of functions one name, and a call by it may mean any of them: pairs of a call and a callee would be
//! millions in a tree of a million lines. So the calls of a name are kept by name, and in the graph of calls
//! ([`CallGraph`]) a name has a node of its own between those who use it and the functions that everybody may mean by it.

use crate::flow::Action;
use crate::program::{FunctionIndex, FunctionInfo};
use base::{Id, IdVec, define_id};
use hashbrown::HashMap;
use ir::{Callee, ExprId, ExprKind, FunctionKind, Language};
use petgraph::graph::{DiGraph, NodeIndex};
use progress_map::PointId;

define_id!(
    /// A name that functions of the program have.
    NameId, "n"
);

define_id!(
    /// A node of the graph of calls: a function, or what all files may call by one name.
    NodeId, "c"
);

/// A call of a function by name: the caller, its point and its expression.
pub(crate) type Site = (FunctionIndex, PointId, ExprId);

/// The functions of a program by name, and the calls of each name.
#[derive(Debug, Default)]
pub(crate) struct Calls<'u> {
    numbers: HashMap<&'u str, NameId>,
    names: IdVec<NameId, Name>,
    places: IdVec<FunctionIndex, Linkage>,
}

#[derive(Debug, Default)]
struct Name {
    /// In order, so that those of one file stand together.
    functions: Vec<FunctionIndex>,
    /// A function of C++ has it: functions of other classes, and files, may be meant as well.
    shared: bool,
    /// The calls, by caller and point.
    sites: Vec<Site>,
}

#[derive(Debug)]
struct Linkage {
    unit: usize,
    is_static: bool,
    name: NameId,
}

impl<'u> Calls<'u> {
    /// The functions and their calls; `functions` stand by file.
    pub(crate) fn new(functions: &IdVec<FunctionIndex, FunctionInfo<'u>>) -> Self {
        let mut calls = Calls::default();
        for (id, info) in functions.iter_enumerated() {
            let function = info.function;
            let place = (info.unit, function.is_static);
            match function.kind {
                FunctionKind::Source | FunctionKind::Lambda => {
                    calls.add(id, &function.name, function.language, place)
                }
                // No call by a function's name means a macro, or what is evaluated before it.
                FunctionKind::Macro(_) | FunctionKind::DefaultArguments => {
                    let name = calls.names.push(Name::default());
                    calls.add_as(id, name, function.language, place);
                }
            }
        }
        for (caller, info) in functions.iter_enumerated() {
            for (point, each) in info.flow.points.iter_enumerated() {
                if let Action::Call(call) = each.action
                    && let ExprKind::Call {
                        callee: Callee::Named(name),
                        ..
                    } = &info.function.exprs[call].kind
                {
                    calls.add_site(name, (caller, point, call));
                }
            }
        }
        calls
    }

    /// Adds a function, behind those that stand before it.
    fn add(&mut self, id: FunctionIndex, name: &'u str, language: Language, place: (usize, bool)) {
        let next = self.names.next_id();
        let name = *self.numbers.entry(name).or_insert(next);
        if name == next {
            self.names.push(Name::default());
        }
        self.add_as(id, name, language, place);
    }

    /// Adds a function of a name that is known, in a file and `static` or not.
    fn add_as(&mut self, id: FunctionIndex, name: NameId, language: Language, place: (usize, bool)) {
        let (unit, is_static) = place;
        let known = &mut self.names[name];
        known.functions.push(id);
        known.shared |= language.shares_names();
        self.places.push(Linkage {
            unit,
            is_static,
            name,
        });
    }

    /// Adds a call, behind those that stand before it, if any function has the name.
    fn add_site(&mut self, name: &str, site: Site) {
        if let Some(&name) = self.numbers.get(name) {
            self.names[name].sites.push(site);
        }
    }

    /// All functions of a name.
    pub(crate) fn named(&self, name: &str) -> &[FunctionIndex] {
        match self.numbers.get(name) {
            Some(&name) => &self.names[name].functions,
            None => &[],
        }
    }

    /// The functions that a call of `name` from `unit` may mean: those of the same file first, else any of other files
    /// that is not `static`.
    pub(crate) fn callees(
        &self,
        unit: usize,
        name: &str,
    ) -> impl Iterator<Item = FunctionIndex> + use<'_, 'u> {
        let meant = self.numbers.get(name).map(|&name| self.meant(unit, name));
        let (functions, all) = meant.unwrap_or((&[], true));
        let meant =
            move |id: &FunctionIndex| all || self.is_meant_anywhere(*id) || self.places[*id].unit == unit;
        functions.iter().copied().filter(meant)
    }

    /// The functions among which those are that `unit` means by a name, and whether it is all of them.
    fn meant(&self, unit: usize, name: NameId) -> (&[FunctionIndex], bool) {
        let Name {
            functions, shared, ..
        } = &self.names[name];
        let here = self.within(functions, unit);
        if here.is_empty() || *shared {
            (functions, false)
        } else {
            (here, true)
        }
    }

    /// Those of `functions` that stand in `unit`.
    fn within<'f>(&self, functions: &'f [FunctionIndex], unit: usize) -> &'f [FunctionIndex] {
        let first = functions.partition_point(|&id| self.places[id].unit < unit);
        let count = functions[first..].partition_point(|&id| self.places[id].unit == unit);
        &functions[first..first + count]
    }

    fn is_meant_anywhere(&self, id: FunctionIndex) -> bool {
        !self.places[id].is_static
    }

    /// The calls that may mean a function, by caller and point.
    pub(crate) fn callers(&self, id: FunctionIndex) -> impl Iterator<Item = Site> + use<'_, 'u> {
        let place = &self.places[id];
        let name = &self.names[place.name];
        let meant = move |&(caller, ..): &Site| {
            let unit = self.places[caller].unit;
            let other = || name.shared || self.within(&name.functions, unit).is_empty();
            unit == place.unit || !place.is_static && other()
        };
        name.sites.iter().copied().filter(meant)
    }

    /// The node of a function.
    pub(crate) fn node(&self, id: FunctionIndex) -> NodeId {
        NodeId::from_index(id.index())
    }

    /// The node of the functions that all files mean by the name of this one, if it is among them.
    pub(crate) fn node_of_name(&self, id: FunctionIndex) -> Option<NodeId> {
        let name = self.places[id].name;
        self.is_meant_anywhere(id).then(|| self.name_node(name))
    }

    /// The node of a function's name, if all calls by the name may mean the function, and every other that it is the node
    /// of.
    pub(crate) fn node_of_shared_name(&self, id: FunctionIndex) -> Option<NodeId> {
        let shared = self.names[self.places[id].name].shared;
        self.node_of_name(id).filter(|_| shared)
    }

    /// How many nodes there are.
    pub(crate) fn node_count(&self) -> usize {
        self.places.len() + self.names.len()
    }

    fn name_node(&self, name: NameId) -> NodeId {
        NodeId::from_index(self.places.len() + name.index())
    }

    /// The function of a node, or the functions that everybody means by a name.
    pub(crate) fn functions(&self, node: NodeId) -> impl Iterator<Item = FunctionIndex> + use<'_, 'u> {
        let (function, name) = match node.index().checked_sub(self.places.len()) {
            None => (Some(FunctionIndex::from_index(node.index())), &[][..]),
            Some(name) => (None, &self.names[NameId::from_index(name)].functions[..]),
        };
        let everybodys = name.iter().copied().filter(|&id| self.is_meant_anywhere(id));
        function.into_iter().chain(everybodys)
    }

    /// The nodes that stand for what `unit` means by a name: together, [`callees`](Self::callees).
    pub(crate) fn nodes(&self, unit: usize, name: &str) -> impl Iterator<Item = NodeId> + use<'_, 'u> {
        let name = self.numbers.get(name).copied();
        name.into_iter().flat_map(move |name| self.nodes_of(unit, name))
    }

    fn nodes_of(&self, unit: usize, name: NameId) -> impl Iterator<Item = NodeId> + use<'_, 'u> {
        let (functions, all) = self.meant(unit, name);
        let (own, everybodys) = if all {
            (functions, None)
        } else {
            (self.within(functions, unit), Some(self.name_node(name)))
        };
        // Where the name stands for all that everybody may mean, those of the file's own are left.
        let own = own.iter().filter(move |&&id| all || self.places[id].is_static);
        own.map(|&id| self.node(id)).chain(everybodys)
    }

    /// The graph of all calls.
    pub(crate) fn graph(&self) -> CallGraph {
        let count = self.node_count();
        let mut edges: Vec<(NodeId, NodeId)> = Vec::new();
        for (name, known) in self.names.iter_enumerated() {
            let node = self.name_node(name);
            let everybodys = known.functions.iter().filter(|&&id| self.is_meant_anywhere(id));
            edges.extend(everybodys.map(|&id| (node, self.node(id))));
            let mut last = None;
            for &(caller, ..) in &known.sites {
                if last.replace(caller) != Some(caller) {
                    let nodes = self.nodes_of(self.places[caller].unit, name);
                    edges.extend(nodes.map(|node| (self.node(caller), node)));
                }
            }
        }
        CallGraph::new(count, edges)
    }
}

/// Calls as a graph of functions and names, in strongly connected parts.
#[derive(Debug, Default)]
pub(crate) struct CallGraph {
    /// Where the list of each node ends.
    ends: Vec<u32>,
    targets: Vec<NodeId>,
    /// The part of each node; whom it calls lies in the same part or in those of smaller numbers.
    part_of: IdVec<NodeId, u32>,
    /// The nodes by part.
    by_part: Vec<NodeId>,
    /// Whether each node is on a cycle of calls.
    cyclic: IdVec<NodeId, bool>,
}

impl CallGraph {
    fn new(count: usize, mut edges: Vec<(NodeId, NodeId)>) -> Self {
        edges.sort_unstable();
        let mut graph = DiGraph::<(), (), u32>::with_capacity(count, edges.len());
        for _ in 0..count {
            graph.add_node(());
        }
        let mut ends = vec![0; count];
        for (from, to) in &edges {
            graph.add_edge(NodeIndex::new(from.index()), NodeIndex::new(to.index()), ());
            ends[from.index()] += 1;
        }
        let mut end = 0;
        for each in &mut ends {
            end += *each;
            *each = end;
        }
        let mut part_of = vec![0; count];
        let mut by_part = Vec::with_capacity(count);
        let mut cyclic = vec![false; count];
        // Whom a part calls comes before it.
        for (number, part) in (0..).zip(petgraph::algo::kosaraju_scc(&graph)) {
            let several = part.len() > 1;
            for node in part {
                part_of[node.index()] = number;
                cyclic[node.index()] = several || graph.contains_edge(node, node);
                by_part.push(NodeId::from_index(node.index()));
            }
        }
        CallGraph {
            ends,
            targets: edges.into_iter().map(|(_, to)| to).collect(),
            part_of: part_of.into(),
            by_part,
            cyclic: cyclic.into(),
        }
    }

    /// Whom a node calls.
    pub(crate) fn targets(&self, node: NodeId) -> &[NodeId] {
        let index = node.index();
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.targets[start as usize..self.ends[index] as usize]
    }

    /// The number of a node's strongly connected part.
    pub(crate) fn part(&self, node: NodeId) -> usize {
        self.part_of[node] as usize
    }

    /// The strongly connected parts, whom they call before them.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &[NodeId]> {
        self.by_part.chunk_by(|&a, &b| self.part(a) == self.part(b))
    }

    /// Whether a node may be called again while it is called.
    pub(crate) fn is_in_cycle(&self, node: NodeId) -> bool {
        self.cyclic[node]
    }
}

#[cfg(test)]
mod tests;
