//! Reachability in one region of a function: the function itself, or one epoch of a loop.
//!
//! A region's graph has a node for every point that lies directly in it and one for every loop directly inside it.
//! A point that assigns has two nodes, before and after. How the region's own loop is cut:
//!
//! - at the header: edges back into the header are left out; what remains is one iteration;
//! - at the updates of a variable: the step from before to after such a point is left out; what remains is one
//!   epoch, the stretch between two assignments, which may span the header.

use crate::Place;
use base::Id;
use progress_map::{Function, LoopId, PointId};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A region and how its loop is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Region<'m> {
    /// The whole function: every cycle lies in some loop.
    Function,
    /// One iteration of a loop.
    Iteration(LoopId),
    /// One epoch of a variable that these points (sorted) assign.
    Epoch(LoopId, &'m [PointId]),
}

impl Region<'_> {
    fn of_loop(self) -> Option<LoopId> {
        match self {
            Region::Function => None,
            Region::Iteration(id) | Region::Epoch(id, _) => Some(id),
        }
    }

    /// The region without what it borrows: of an epoch the first variable of its loop that these points assign.
    fn key(self, function: &Function) -> Option<Key> {
        Some(match self {
            Region::Function => Key::Function,
            Region::Iteration(id) => Key::Iteration(id),
            Region::Epoch(id, updates) => {
                let mut variables = function.loops[id].lovs.iter();
                Key::Epoch(id, variables.position(|lov| lov.updates == updates)?)
            }
        })
    }
}

/// Which region of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Function,
    Iteration(LoopId),
    Epoch(LoopId, usize),
}

/// A node of a region's graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Node {
    /// A place directly in the region.
    Place(Place),
    /// A loop directly inside the region.
    Inner(LoopId),
}

/// The node that stands for `place` in the region of `outer`; the place lies in `outer`.
pub(crate) fn node_of(function: &Function, outer: Option<LoopId>, place: Place) -> Node {
    let mut child = None;
    let mut at = function.points[place.point].innermost_loop;
    while at != outer {
        let Some(id) = at else {
            // Not inside `outer` at all: callers descend only into loops that contain the place.
            return Node::Place(place);
        };
        child = at;
        at = function.loops[id].parent;
    }
    child.map_or(Node::Place(place), Node::Inner)
}

/// What is reached in the regions of one function. Each two of many tasks are compared, and they stand at few places.
#[derive(Default)]
pub(crate) struct Ways {
    found: Mutex<BTreeMap<(Key, Node), Arc<Reached>>>,
}

impl Ways {
    /// Whether `to` can be reached from `from` in the region's graph by at least one step.
    pub(crate) fn lead(&self, function: &Function, region: Region<'_>, from: Node, to: Node) -> bool {
        let Some(key) = region.key(function) else {
            return Reached::new(function, region, from).contains(function, to);
        };
        let found = || self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let known = found().get(&(key, from)).cloned();
        let reached = known.unwrap_or_else(|| {
            let reached = Arc::new(Reached::new(function, region, from));
            found().insert((key, from), Arc::clone(&reached));
            reached
        });
        reached.contains(function, to)
    }
}

/// Nodes of a region's graph, a bit for each that there may be.
struct Reached {
    words: Vec<u64>,
}

impl Reached {
    /// What can be reached from `from` by at least one step.
    fn new(function: &Function, region: Region<'_>, from: Node) -> Self {
        let search = Search {
            function,
            region,
            outer: region.of_loop(),
        };
        let nodes = 2 * function.points.len() + function.loops.len();
        let mut reached = Self {
            words: vec![0; nodes.div_ceil(64)],
        };
        let mut work = vec![from];
        while let Some(node) = work.pop() {
            search.successors(node, |next| {
                if reached.insert(function, next) {
                    work.push(next);
                }
            });
        }
        reached
    }

    /// The word of a node, and its bit in there.
    fn place(function: &Function, node: Node) -> (usize, u64) {
        let slot = match node {
            Node::Place(place) => 2 * place.point.index() + usize::from(place.after),
            Node::Inner(id) => 2 * function.points.len() + id.index(),
        };
        (slot / 64, 1 << (slot % 64))
    }

    /// Whether the node is new.
    fn insert(&mut self, function: &Function, node: Node) -> bool {
        let (word, bit) = Self::place(function, node);
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        is_new
    }

    fn contains(&self, function: &Function, node: Node) -> bool {
        let (word, bit) = Self::place(function, node);
        self.words[word] & bit != 0
    }
}

/// Whether `point` lies in the loop `outer`; everything lies in the function, `None`.
pub(crate) fn lies_in(function: &Function, point: PointId, outer: Option<LoopId>) -> bool {
    outer.is_none_or(|outer| function.loops_around(point).any(|at| at == outer))
}

struct Search<'f, 'm> {
    function: &'f Function,
    region: Region<'m>,
    outer: Option<LoopId>,
}

impl Search<'_, '_> {
    fn successors(&self, node: Node, mut visit: impl FnMut(Node)) {
        match node {
            Node::Place(place) if !place.after && self.is_cut_at(place.point) => {
                // The step over the assignment ends the epoch.
            }
            Node::Place(place) if !place.after => visit(Node::Place(Place { after: true, ..place })),
            Node::Place(place) => self.leave(place.point, node, &mut visit),
            Node::Inner(id) => {
                for point in self.function.points.ids() {
                    if lies_in(self.function, point, Some(id)) {
                        self.leave(point, node, &mut visit);
                    }
                }
            }
        }
    }

    fn is_cut_at(&self, point: PointId) -> bool {
        matches!(self.region, Region::Epoch(_, updates) if updates.binary_search(&point).is_ok())
    }

    /// Follows the edges out of `point`, which `node` stands for.
    fn leave(&self, point: PointId, node: Node, visit: &mut impl FnMut(Node)) {
        for target in self.function.successors(point) {
            if let Some(outer) = self.outer {
                if !lies_in(self.function, target, self.outer) {
                    continue;
                }
                if matches!(self.region, Region::Iteration(_)) && target == self.function.loops[outer].header
                {
                    continue;
                }
            }
            let next = node_of(
                self.function,
                self.outer,
                Place {
                    point: target,
                    after: false,
                },
            );
            if next != node {
                visit(next);
            }
        }
    }
}
