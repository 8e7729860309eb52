//! The execution points of a tree, looked up in the map, and how they stand to each other.

use super::leaves::Leaves;
use super::runs::{self, Unit};
use super::ways::Ways;
use progress::{Located, Order, Relation, Verdict};
use rayon::prelude::*;
use stacktree::{NodeId, Tree};

/// The execution points of a tree and their order.
pub(crate) struct Points<'m> {
    pub(crate) order: Order<'m>,
    pub(crate) leaves: Leaves,
    pub(crate) units: Vec<Unit>,
    /// The first and the last leaf of each unit; of a unit of one leaf both are the same.
    ends: Vec<[usize; 2]>,
    located: Vec<Located>,
    /// How each unit stands to each other, row by row.
    relations: Vec<Relation>,
}

impl<'m> Points<'m> {
    pub(crate) fn new(order: Order<'m>, tree: &Tree, names: &(dyn Fn(NodeId) -> String + Sync)) -> Self {
        let leaves = Leaves::of(tree);
        let units = runs::units(&order, tree, &leaves);
        let mut shown: Vec<usize> = Vec::new();
        let mut ends: Vec<[usize; 2]> = Vec::new();
        for unit in &units {
            let first = shown.len();
            shown.push(unit.leaves[0]);
            if unit.leaves.len() > 1 {
                shown.push(unit.leaves[unit.leaves.len() - 1]);
            }
            ends.push([first, shown.len() - 1]);
        }
        let locate = |&leaf: &usize| leaves.locate(&order, tree, leaf, &names(leaves.nodes[leaf]));
        let located: Vec<Located> = shown.par_iter().map(locate).collect();
        let ways = Ways::new(&order, &located);
        let count = units.len();
        let relation = |a: usize, b: usize| {
            let sides = [(&units[a], ends[a]), (&units[b], ends[b])];
            relate(sides, &|x, y| ways.relation(&order, x, y))
        };
        let rows: Vec<Vec<Relation>> = (0..count)
            .into_par_iter()
            .map(|a| (0..a).map(|b| relation(a, b)).collect())
            .collect();
        let mut relations = vec![Relation::Equal; count * count];
        for (a, row) in rows.into_iter().enumerate() {
            for (b, relation) in row.into_iter().enumerate() {
                relations[a * count + b] = relation;
                relations[b * count + a] = relation.reversed();
            }
        }
        Self {
            order,
            leaves,
            units,
            ends,
            located,
            relations,
        }
    }

    /// Whether a unit takes part in the order.
    pub(crate) fn is_placed(&self, unit: usize) -> bool {
        self.located[self.ends[unit][0]].obstacle.is_none()
    }

    /// How one unit stands to another: a relation holds of all leaves of the one and all of the other.
    pub(crate) fn relation(&self, a: usize, b: usize) -> Relation {
        self.relations[a * self.units.len() + b]
    }

    /// Why it stands so, as a sentence without its full stop, and the word for what decided, if one comparison shows it.
    pub(crate) fn reason(&self, a: usize, b: usize) -> (String, Option<&'static str>) {
        let disorder = |unit: usize| self.units[unit].disorder.as_ref();
        if let Some(why) = disorder(a).or(disorder(b)) {
            return (why.clone(), None);
        }
        let ([first_a, last_a], [first_b, last_b]) = (self.ends[a], self.ends[b]);
        let (x, y) = match self.relation(a, b) {
            Relation::After => (first_a, last_b),
            Relation::Unknown if !(self.units[a].are_equal && self.units[b].are_equal) => {
                return (
                    "some of them are before and some after, or have no order".to_owned(),
                    None,
                );
            }
            _ => (last_a, first_b),
        };
        let (x, y) = (&self.located[x], &self.located[y]);
        let verdict = self.order.compare(x, y);
        (self.sentence(&verdict, x, y), Some(verdict.proof.decided.code()))
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

/// How all leaves of one unit stand to all of another, from how their ends do.
fn relate(
    [(a, [first_a, last_a]), (b, [first_b, last_b])]: [(&Unit, [usize; 2]); 2],
    relation: &dyn Fn(usize, usize) -> Relation,
) -> Relation {
    if a.disorder.is_some() || b.disorder.is_some() {
        return Relation::Unknown;
    }
    let forth = relation(last_a, first_b);
    if forth == Relation::Before || a.are_equal && b.are_equal {
        return forth;
    }
    match relation(first_a, last_b) {
        Relation::After => Relation::After,
        _ => Relation::Unknown,
    }
}
