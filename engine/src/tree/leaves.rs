//! The execution points of a tree, looked up in the map, and how they stand to each other.
//!
//! A leaf is a node where stacks end. Leaves that differ in values alone share one look-up. Up to [`MAX_LEAVES`]
//! leaves each is compared by itself. Of more, those that differ in values alone are taken together as a *run*, if
//! comparing each with the next shows that they follow one another: then the order, being transitive, is known of all
//! by the first and the last of them. A run that is not in order is kept apart as one whose members' order is unknown.

use progress::{Located, Order, Relation, Value, Verdict};
use rayon::prelude::*;
use stacktree::{Kind, NodeId, Number, Tree};
use std::ops::Range;

/// So many execution points are told apart; above, runs are made.
pub(crate) const MAX_LEAVES: usize = 400;

/// So many leaves of one kind are shown one by one even then.
const SHOWN_APART: usize = 3;

/// The execution points of a tree, in the order of their nodes.
pub(crate) struct Leaves {
    /// The node of each.
    pub(crate) nodes: Vec<NodeId>,
    /// The nodes from the root to each, all in one vector; the root itself is left out.
    paths: Vec<NodeId>,
    /// Where each leaf's path is in `paths`.
    path_ends: Vec<usize>,
}

impl Leaves {
    /// All nodes at which stacks of main threads end that could be read.
    pub(crate) fn of(tree: &Tree) -> Self {
        let mut leaves = Self {
            nodes: Vec::new(),
            paths: Vec::new(),
            path_ends: Vec::new(),
        };
        let mut open: Vec<(NodeId, usize)> = Vec::new();
        for node in tree.nodes().skip(1) {
            while open.last().is_some_and(|&(_, end)| end <= node.index()) {
                open.pop();
            }
            open.push((node, tree.subtree(node).end));
            let outermost = tree.label_id(open[0].0).map(|id| tree.dictionary().raw(id).kind);
            if tree.ends(node).is_empty() || outermost != Some(Kind::Frame) {
                continue;
            }
            leaves.nodes.push(node);
            leaves.paths.extend(open.iter().map(|&(node, _)| node));
            leaves.path_ends.push(leaves.paths.len());
        }
        leaves
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The nodes from the outermost frame to a leaf.
    pub(crate) fn path(&self, leaf: usize) -> &[NodeId] {
        let start = leaf.checked_sub(1).map_or(0, |before| self.path_ends[before]);
        &self.paths[start..self.path_ends[leaf]]
    }

    /// Whether two leaves differ in values alone.
    fn are_alike(&self, tree: &Tree, a: usize, b: usize) -> bool {
        let (a, b) = (self.path(a), self.path(b));
        a.len() == b.len()
            && a.iter()
                .zip(b)
                .all(|(&a, &b)| match (tree.label_id(a), tree.label_id(b)) {
                    (Some(x), Some(y)) if x != y => {
                        let (x, y) = (tree.dictionary().raw(x), tree.dictionary().raw(y));
                        let mut values = x.values.iter().zip(&y.values);
                        let same_names = x.values.len() == y.values.len()
                            && values.all(|(a, b)| {
                                a.0 == b.0 && (a.1 == Number::Unread) == (b.1 == Number::Unread)
                            });
                        (x.kind, x.function, x.file, x.line, x.column, x.module, x.pc)
                            == (y.kind, y.function, y.file, y.line, y.column, y.module, y.pc)
                            && (x.inexact, x.inlined) == (y.inexact, y.inlined)
                            && same_names
                    }
                    _ => true,
                })
    }

    /// A leaf as the order compares it.
    pub(crate) fn locate(&self, order: &Order<'_>, tree: &Tree, leaf: usize, name: &str) -> Located {
        let frames = self
            .path(leaf)
            .iter()
            .filter_map(|&node| tree.label(node))
            .map(|label| {
                let values = label.values.iter().filter_map(|&(name, value)| {
                    let value = match value {
                        Number::Int(value) => Value::Int(value),
                        Number::Float(value) => Value::Float(value),
                        Number::Unread => return None,
                    };
                    Some((name.to_owned(), value))
                });
                progress::Frame {
                    function: label.function.to_owned(),
                    file: label.file.map(str::to_owned),
                    line: (label.line > 0).then_some(label.line),
                    column: (label.column > 0).then_some(label.column),
                    inexact: label.inexact,
                    values: values.collect(),
                    ..progress::Frame::default()
                }
            });
        order.locate(&progress::ExecutionPoint {
            task: name.to_owned(),
            // One leaf stands for many tasks: two leaves are never two moments of one.
            rank: None,
            pid: None,
            frames: frames.collect(),
            incomplete: None,
        })
    }

    /// Gives `located`, which was made for a leaf that is alike, the values of another.
    fn revalue(&self, tree: &Tree, leaf: usize, located: &mut Located) {
        for (at, &node) in self.path(leaf).iter().enumerate() {
            let Some(id) = tree.label_id(node) else { continue };
            let Some(frame) = located.origin.iter().position(|&origin| origin == Some(at)) else {
                continue;
            };
            for &(name, value) in &tree.dictionary().raw(id).values {
                if let Some(place) = located.frames[frame].values.get_mut(tree.dictionary().text(name)) {
                    match value {
                        Number::Int(value) => *place = Value::Int(value),
                        Number::Float(value) => *place = Value::Float(value),
                        Number::Unread => {}
                    }
                }
            }
        }
    }
}

/// Leaves that take part in the order as one.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    /// Its leaves, least progressed first if they are in order.
    pub(crate) leaves: Vec<usize>,
    /// They are one execution point: any of them speaks for all.
    are_equal: bool,
    /// Why their own order is unknown, if it is.
    pub(crate) disorder: Option<String>,
    /// They are of many kinds, with nothing in common: each is shown by itself, without an order.
    pub(crate) is_mixed: bool,
}

impl Unit {
    fn alone(leaf: usize) -> Self {
        Self {
            leaves: vec![leaf],
            are_equal: true,
            disorder: None,
            is_mixed: false,
        }
    }
}

/// The execution points of a tree and their order.
pub(crate) struct Points<'m> {
    pub(crate) order: Order<'m>,
    pub(crate) leaves: Leaves,
    pub(crate) units: Vec<Unit>,
    /// The first and the last leaf of each unit.
    ends: Vec<[Located; 2]>,
    /// How each unit stands to each other, row by row.
    relations: Vec<Relation>,
}

impl<'m> Points<'m> {
    pub(crate) fn new(order: Order<'m>, tree: &Tree, names: &(dyn Fn(NodeId) -> String + Sync)) -> Self {
        let leaves = Leaves::of(tree);
        let units: Vec<Unit> = if leaves.len() <= MAX_LEAVES {
            (0..leaves.len()).map(Unit::alone).collect()
        } else {
            runs(&order, tree, &leaves)
        };
        let locate = |leaf: usize| leaves.locate(&order, tree, leaf, &names(leaves.nodes[leaf]));
        let ends: Vec<[Located; 2]> = units
            .par_iter()
            .map(|unit| [locate(unit.leaves[0]), locate(unit.leaves[unit.leaves.len() - 1])])
            .collect();
        let mut points = Self {
            order,
            leaves,
            units,
            ends,
            relations: Vec::new(),
        };
        let count = points.units.len();
        let rows: Vec<Vec<Relation>> = (0..count)
            .into_par_iter()
            .map(|a| (0..a).map(|b| points.verdict(a, b).0).collect())
            .collect();
        points.relations = vec![Relation::Equal; count * count];
        for (a, row) in rows.into_iter().enumerate() {
            for (b, relation) in row.into_iter().enumerate() {
                points.relations[a * count + b] = relation;
                points.relations[b * count + a] = relation.reversed();
            }
        }
        points
    }

    /// Why a unit takes no part in the order, if it does not.
    pub(crate) fn obstacle(&self, unit: usize) -> Option<&str> {
        self.ends[unit][0].obstacle.as_deref()
    }

    /// How one unit stands to another: a relation holds of all leaves of the one and all of the other.
    pub(crate) fn relation(&self, a: usize, b: usize) -> Relation {
        self.relations[a * self.units.len() + b]
    }

    /// Why it stands so, as a sentence without its full stop.
    pub(crate) fn reason(&self, a: usize, b: usize) -> String {
        match self.verdict(a, b).1 {
            Because::Unit(reason) => reason.to_owned(),
            Because::Leaves(x, y) => self.sentence(&self.order.compare(x, y), x, y),
        }
    }

    fn verdict(&self, a: usize, b: usize) -> (Relation, Because<'_>) {
        let [first_a, last_a] = &self.ends[a];
        let [first_b, last_b] = &self.ends[b];
        if let Some(why) = self.units[a]
            .disorder
            .as_ref()
            .or(self.units[b].disorder.as_ref())
        {
            return (Relation::Unknown, Because::Unit(why));
        }
        let forth = self.order.compare(last_a, first_b).relation;
        if forth == Relation::Before || self.units[a].are_equal && self.units[b].are_equal {
            return (forth, Because::Leaves(last_a, first_b));
        }
        let back = self.order.compare(first_a, last_b).relation;
        if back == Relation::After {
            return (back, Because::Leaves(first_a, last_b));
        }
        let reason = "some of them are before and some after, or have no order";
        (Relation::Unknown, Because::Unit(reason))
    }

    fn sentence(&self, verdict: &Verdict, a: &Located, b: &Located) -> String {
        let mut text = progress::sentence(self.order.map(), verdict, a, b);
        if verdict.relation != Relation::Unknown
            && let Some(clause) = progress::assumption(verdict)
        {
            text = format!("{text}, {clause}");
        }
        text
    }
}

/// What a relation between two units rests on.
enum Because<'a> {
    /// Something about one of them.
    Unit(&'a str),
    /// How these leaves stand to each other.
    Leaves(&'a Located, &'a Located),
}

/// Leaves that differ in values alone, each kind a run.
fn runs(order: &Order<'_>, tree: &Tree, leaves: &Leaves) -> Vec<Unit> {
    // Leaves of one kind stand behind each other but where a value of an outer frame parts them.
    let mut kinds: Vec<Vec<usize>> = Vec::new();
    let mut last: Option<usize> = None;
    for leaf in 0..leaves.len() {
        let known = match last {
            Some(at) if leaves.are_alike(tree, kinds[at][0], leaf) => Some(at),
            _ => kinds
                .iter()
                .position(|kind| leaves.are_alike(tree, kind[0], leaf)),
        };
        last = Some(known.unwrap_or(kinds.len()));
        match known {
            Some(at) => kinds[at].push(leaf),
            // So many kinds have no order that anybody could read; what is left over is one kind without an order.
            None if kinds.len() == MAX_LEAVES => return vec![too_many(leaves.len())],
            None => kinds.push(vec![leaf]),
        }
    }
    let runs = kinds.into_iter().flat_map(|kind| run(order, tree, leaves, kind));
    runs.collect()
}

fn too_many(count: usize) -> Unit {
    Unit {
        leaves: (0..count).collect(),
        are_equal: false,
        disorder: Some(format!(
            "there are {count} different execution points, too many kinds to compare"
        )),
        is_mixed: true,
    }
}

/// One kind, in the order of its values if each is before (or equal to) the next, rising or falling. A run is shown by
/// its first and its last point, so these are units of their own.
fn run(order: &Order<'_>, tree: &Tree, leaves: &Leaves, mut kind: Vec<usize>) -> Vec<Unit> {
    if kind.len() <= SHOWN_APART {
        return kind.into_iter().map(Unit::alone).collect();
    }
    let model = leaves.locate(order, tree, kind[0], "");
    if let Some(reason) = follows(order, tree, leaves, &kind, &model) {
        kind.reverse();
        if follows(order, tree, leaves, &kind, &model).is_some() {
            kind.reverse();
            return vec![Unit {
                leaves: kind,
                are_equal: false,
                disorder: Some(reason),
                is_mixed: false,
            }];
        }
    }
    let (mut a, mut b) = (model.clone(), model);
    leaves.revalue(tree, kind[0], &mut a);
    let is_equal = |b: &mut Located, leaf: usize| {
        leaves.revalue(tree, leaf, b);
        order.compare(&a, b).relation == Relation::Equal
    };
    let head = kind
        .iter()
        .take_while(|&&leaf| is_equal(&mut b, leaf))
        .count()
        .max(1);
    leaves.revalue(tree, kind[kind.len() - 1], &mut a);
    let is_equal = |b: &mut Located, leaf: usize| {
        leaves.revalue(tree, leaf, b);
        order.compare(&a, b).relation == Relation::Equal
    };
    let rest = kind.len() - head;
    let tail = kind
        .iter()
        .rev()
        .take(rest)
        .take_while(|&&leaf| is_equal(&mut b, leaf))
        .count();
    let last = kind.split_off(kind.len() - tail);
    let middle = kind.split_off(head);
    let parts = [(kind, true), (middle, false), (last, true)];
    let unit = |(leaves, are_equal)| Unit {
        leaves,
        are_equal,
        disorder: None,
        is_mixed: false,
    };
    parts
        .into_iter()
        .filter(|(leaves, _)| !leaves.is_empty())
        .map(unit)
        .collect()
}

/// Why not each leaf is before (or equal to) the next, if so.
fn follows(
    order: &Order<'_>,
    tree: &Tree,
    leaves: &Leaves,
    kind: &[usize],
    model: &Located,
) -> Option<String> {
    /// So many comparisons are one piece of work.
    const PIECE: usize = 4096;
    let starts: Vec<usize> = (0..kind.len().saturating_sub(1)).step_by(PIECE).collect();
    let piece = |start: usize| {
        let range: Range<usize> = start..(start + PIECE).min(kind.len() - 1);
        let (mut a, mut b) = (model.clone(), model.clone());
        leaves.revalue(tree, kind[range.start], &mut a);
        for at in range {
            leaves.revalue(tree, kind[at + 1], &mut b);
            let verdict = order.compare(&a, &b);
            if !matches!(verdict.relation, Relation::Before | Relation::Equal) {
                return Some(progress::sentence(order.map(), &verdict, &a, &b));
            }
            std::mem::swap(&mut a, &mut b);
        }
        None
    };
    starts.into_par_iter().find_map_first(piece)
}
