//! How very many execution points stand to each other, from few comparisons.
//!
//! The order is decided by the outermost frame in which two stacks differ. So stacks are put into a tree once more, of
//! frames as they were *looked up*: two points part at two siblings of that tree, and where comparing any two points below
//! them was decided no deeper than there, that is what comparing any other two below the same siblings says. A node
//! holds all that a comparison may look at up to its depth: the frame, and of the next one whether there is one, whether the
//! map knows its function, and if not whether anything further in is known. Everything else is compared by itself.
//!
//! Siblings that differ in values alone, each of which is before the next by one and the same variable, are a chain: of them
//! no other pairs are compared.

use progress::{Decided, Located, LocatedFrame, Obstacle, Order, Place, Relation, Value};
use progress_map::FunctionId;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The relations between points.
pub(crate) struct Ways<'p> {
    points: &'p [Located],
    /// The nodes from the outermost frame to the innermost of each point.
    nodes: Vec<Vec<usize>>,
    tree: Vec<Node>,
    /// What is known of any two siblings, by their parent's number; the last one is that of the outermost frames.
    tables: Vec<Table>,
}

struct Node {
    parent: usize,
    /// Its place among its siblings.
    place: usize,
    depth: usize,
    /// A point below it.
    point: usize,
}

/// How siblings stand, row by row; `None` where points have to be compared.
struct Table {
    count: usize,
    of: Vec<Option<Relation>>,
}

/// What a comparison can see of a frame, but for its values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Look<'p> {
    name: &'p str,
    function: Option<FunctionId>,
    places: &'p [Place],
    callee_known: bool,
    missing: Vec<(&'p str, &'p str)>,
    obstacle: Option<&'p Obstacle>,
    /// The frame of a function outside the map, with one inside the map further in.
    calls_back: bool,
    /// Who is further in it is not known.
    in_unknown_code: bool,
    next: Next,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    Nothing,
    Mapped,
    Outside,
    OutsideAndBack,
}

/// Values as a key: integers before floats, each by size.
type Values<'p> = Vec<(&'p str, bool, i128)>;

impl<'p> Look<'p> {
    fn of(point: &'p Located, depth: usize) -> (Self, Values<'p>) {
        let frame = &point.frames[depth];
        let is_mapped = |frame: &LocatedFrame| frame.function.is_some();
        let comes_back = |from: usize| point.frames[from..].iter().any(is_mapped);
        let next = match point.frames.get(depth + 1) {
            None => Next::Nothing,
            Some(next) if is_mapped(next) => Next::Mapped,
            Some(_) if comes_back(depth + 1) => Next::OutsideAndBack,
            Some(_) => Next::Outside,
        };
        let missing = frame.missing.iter();
        let look = Self {
            name: &frame.name,
            function: frame.function,
            places: &frame.places,
            callee_known: frame.callee_known,
            missing: missing.map(|(name, why)| (name.as_str(), why.as_str())).collect(),
            obstacle: frame.obstacle.as_ref(),
            calls_back: !is_mapped(frame) && comes_back(depth),
            in_unknown_code: !is_mapped(frame) && point.is_in_unknown_code(depth),
            next,
        };
        let values = frame.values.iter().map(|(name, value)| match *value {
            Value::Int(value) => (name.as_str(), false, value),
            Value::Float(value) => {
                let bits = value.to_bits() as i64;
                // Negative numbers sort the other way round.
                let turned = bits ^ (((bits >> 63) as u64) >> 1) as i64;
                (name.as_str(), true, turned.into())
            }
        });
        (look, values.collect())
    }
}

impl<'p> Ways<'p> {
    pub(crate) fn new(order: &Order<'_>, points: &'p [Located]) -> Self {
        let mut tree: Vec<Node> = Vec::new();
        let mut nodes: Vec<Vec<usize>> = vec![Vec::new(); points.len()];
        let mut tables: BTreeMap<usize, Table> = BTreeMap::new();
        // Points that have the same frames down to some node, which is to be given children.
        let mut todo: Vec<(usize, usize, Vec<usize>)> = vec![(usize::MAX, 0, (0..points.len()).collect())];
        while let Some((parent, depth, members)) = todo.pop() {
            let deeper = members
                .iter()
                .filter(|&&point| points[point].frames.len() > depth);
            let mut looks: Vec<(Look<'p>, Values<'p>, usize)> = deeper
                .map(|&point| {
                    let (look, values) = Look::of(&points[point], depth);
                    (look, values, point)
                })
                .collect();
            looks.sort();
            let first = tree.len();
            // Where siblings that differ in values alone begin.
            let mut kinds: Vec<usize> = Vec::new();
            for kind in looks.chunk_by(|a, b| a.0 == b.0) {
                kinds.push(tree.len() - first);
                for group in kind.chunk_by(|a, b| a.1 == b.1) {
                    let below: Vec<usize> = group.iter().map(|&(.., point)| point).collect();
                    for &point in &below {
                        nodes[point].push(tree.len());
                    }
                    todo.push((tree.len(), depth + 1, below.clone()));
                    tree.push(Node {
                        parent,
                        place: tree.len() - first,
                        depth,
                        point: below[0],
                    });
                }
            }
            if tree.len() > first + 1 {
                tables.insert(parent, Table::of(order, points, &tree[first..], &kinds));
            }
        }
        // The outermost frames have no parent.
        let mut by_parent: Vec<Table> = Vec::new();
        for parent in (0..tree.len()).chain([usize::MAX]) {
            by_parent.push(tables.remove(&parent).unwrap_or_else(Table::nothing));
        }
        Self {
            points,
            nodes,
            tree,
            tables: by_parent,
        }
    }

    /// How one point stands to another, as [`Order::compare`] says or as follows from what it says.
    pub(crate) fn relation(&self, order: &Order<'_>, a: usize, b: usize) -> Relation {
        let compared = || order.compare(&self.points[a], &self.points[b]).relation;
        if self.points[a].obstacle.is_some() || self.points[b].obstacle.is_some() {
            return compared();
        }
        let mut ways = self.nodes[a].iter().zip(&self.nodes[b]);
        let Some((&x, &y)) = ways.find(|(x, y)| x != y) else {
            return compared();
        };
        let table = &self.tables[self.tree[x].parent.min(self.tree.len())];
        let known = table.of[self.tree[x].place * table.count + self.tree[y].place];
        known.unwrap_or_else(compared)
    }
}

impl Table {
    fn nothing() -> Self {
        Self {
            count: 0,
            of: Vec::new(),
        }
    }

    /// Compares siblings; from `kinds` on to the next one they differ in values alone, and are sorted by these.
    fn of(order: &Order<'_>, points: &[Located], siblings: &[Node], kinds: &[usize]) -> Self {
        let count = siblings.len();
        let point = |at: usize| &points[siblings[at].point];
        // The relation of any points below two siblings, if it was decided no further in.
        let decided = |a: usize, b: usize| {
            let verdict = order.compare(point(a), point(b));
            let is_known = point(a).obstacle.is_none()
                && point(b).obstacle.is_none()
                && verdict.proof.depth <= siblings[a].depth;
            is_known.then_some((verdict.relation, verdict.proof.decided))
        };
        let mut chains: Vec<Option<Relation>> = Vec::new();
        let mut kind_of: Vec<usize> = Vec::with_capacity(count);
        for (number, &start) in kinds.iter().enumerate() {
            let end = kinds.get(number + 1).copied().unwrap_or(count);
            kind_of.extend(std::iter::repeat_n(number, end - start));
            chains.push(chain(start..end, &decided));
        }
        let rows: Vec<Vec<Option<Relation>>> = (0..count)
            .into_par_iter()
            .map(|a| {
                let row = (0..a).map(|b| match chains[kind_of[a]] {
                    Some(rising) if kind_of[a] == kind_of[b] => Some(rising.reversed()),
                    _ => decided(a, b).map(|(relation, _)| relation),
                });
                row.collect()
            })
            .collect();
        let mut of = vec![Some(Relation::Equal); count * count];
        for (a, row) in rows.into_iter().enumerate() {
            for (b, relation) in row.into_iter().enumerate() {
                of[a * count + b] = relation;
                of[b * count + a] = relation.map(Relation::reversed);
            }
        }
        Self { count, of }
    }
}

/// How each of some siblings stands to all later ones, if one variable puts every one of them before (or after) the next.
fn chain(
    siblings: std::ops::Range<usize>,
    decided: &(dyn Fn(usize, usize) -> Option<(Relation, Decided)> + Sync),
) -> Option<Relation> {
    if siblings.len() < 3 {
        return None;
    }
    let mut found = None;
    for at in siblings.start..siblings.end - 1 {
        let (relation, Decided::Iteration { in_loop, name, .. }) = decided(at, at + 1)? else {
            return None;
        };
        if !matches!(relation, Relation::Before | Relation::After) {
            return None;
        }
        match &found {
            None => found = Some((relation, in_loop, name)),
            Some(first) if *first == (relation, in_loop, name) => {}
            Some(_) => return None,
        }
    }
    found.map(|(relation, ..)| relation)
}
