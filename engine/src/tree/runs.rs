//! What takes part in the order as one: execution points by themselves, or, of very many, runs of them.
//!
//! Of more than [`MAX_LEAVES`] execution points those that differ in values alone are taken together as a *run*, if
//! comparing each with the next shows that they follow one another: then the order, being transitive, is known of all. A run is
//! shown by its first points, its last ones, and what is between them in pieces that follow one another. One that is not in order is
//! kept apart as one whose members' order is unknown.

use super::leaves::Leaves;
use super::numbers::value_of;
use progress::{Located, Order, Relation};
use rayon::prelude::*;
use stacktree::{LabelId, Tree};
use std::ops::Range;

/// So many execution points are told apart; above, runs are made.
pub(crate) const MAX_LEAVES: usize = 1_024;

/// So many units are ordered; more nobody could read.
const MAX_UNITS: usize = 1_024;

/// So many leaves of one kind are shown one by one even then.
const SHOWN_APART: usize = 3;

/// What is between the first and the last points of all runs is shown in so many pieces.
const PIECES: usize = 10;

/// Leaves that take part in the order as one.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    /// Its leaves, least progressed first if they are in order.
    pub(crate) leaves: Vec<usize>,
    /// They are one execution point: any of them speaks for all.
    pub(crate) are_equal: bool,
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

    fn ordered(leaves: Vec<usize>, are_equal: bool) -> Self {
        Self {
            leaves,
            are_equal,
            disorder: None,
            is_mixed: false,
        }
    }
}

/// The units of a tree.
pub(crate) fn units(order: &Order<'_>, tree: &Tree, leaves: &Leaves) -> Vec<Unit> {
    if leaves.len() <= MAX_LEAVES {
        return (0..leaves.len()).map(Unit::alone).collect();
    }
    let kinds = leaves.by_kind();
    let run = Run {
        order,
        tree,
        leaves,
        pieces: PIECES.div_ceil(kinds.len()),
    };
    let mut units: Vec<Unit> = Vec::new();
    for kind in kinds {
        units.extend(run.units(kind));
        if units.len() > MAX_UNITS {
            return vec![too_many(leaves.len())];
        }
    }
    units
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

/// Makes units of leaves that differ in values alone.
struct Run<'a, 'm> {
    order: &'a Order<'m>,
    tree: &'a Tree,
    leaves: &'a Leaves,
    pieces: usize,
}

impl Run<'_, '_> {
    /// One kind, in the order of its values if each is before (or equal to) the next, rising or falling.
    fn units(&self, mut kind: Vec<usize>) -> Vec<Unit> {
        if kind.len() <= SHOWN_APART {
            return kind.into_iter().map(Unit::alone).collect();
        }
        let model = Moving::at(self, kind[0]);
        if let Some(reason) = self.disorder(&kind, &model) {
            kind.reverse();
            if self.disorder(&kind, &model).is_some() {
                kind.reverse();
                return vec![Unit {
                    leaves: kind,
                    are_equal: false,
                    disorder: Some(reason),
                    is_mixed: false,
                }];
            }
        }
        let (mut end, mut other) = (model.clone(), model);
        end.go_to(self, kind[0]);
        let is_equal = |other: &mut Moving, leaf: usize, end: &Moving| {
            other.go_to(self, leaf);
            self.order.compare(&end.located, &other.located).relation == Relation::Equal
        };
        let like_first = kind.iter().take_while(|&&leaf| is_equal(&mut other, leaf, &end));
        let head = like_first.count().max(1);
        end.go_to(self, kind[kind.len() - 1]);
        let behind = kind[head..].iter().rev();
        let tail = behind
            .take_while(|&&leaf| is_equal(&mut other, leaf, &end))
            .count();
        let last = kind.split_off(kind.len() - tail);
        let middle = kind.split_off(head);
        let mut units = vec![Unit::ordered(kind, true)];
        units.extend(self.between(middle, &mut end, &mut other));
        if !last.is_empty() {
            units.push(Unit::ordered(last, true));
        }
        units
    }

    /// What is between the ends of a run, in pieces; where one ends the next point is certainly ahead.
    fn between(&self, mut leaves: Vec<usize>, a: &mut Moving, b: &mut Moving) -> Vec<Unit> {
        let mut units: Vec<Unit> = Vec::new();
        for left in (1..=self.pieces).rev() {
            let mut at = leaves.len().div_ceil(left);
            while at > 0 && at < leaves.len() {
                a.go_to(self, leaves[at - 1]);
                b.go_to(self, leaves[at]);
                if self.order.compare(&a.located, &b.located).relation == Relation::Before {
                    break;
                }
                at += 1;
            }
            let rest = leaves.split_off(at);
            if !leaves.is_empty() {
                let is_one = leaves.len() == 1;
                units.push(Unit::ordered(leaves, is_one));
            }
            leaves = rest;
        }
        units
    }

    /// Why not each leaf is before (or equal to) the next, if so.
    fn disorder(&self, kind: &[usize], model: &Moving) -> Option<String> {
        /// So many comparisons are one piece of work.
        const PIECE: usize = 4096;
        let starts: Vec<usize> = (0..kind.len().saturating_sub(1)).step_by(PIECE).collect();
        let piece = |start: usize| {
            let range: Range<usize> = start..(start + PIECE).min(kind.len() - 1);
            let (mut a, mut b) = (model.clone(), model.clone());
            a.go_to(self, kind[range.start]);
            for at in range {
                b.go_to(self, kind[at + 1]);
                let verdict = self.order.compare(&a.located, &b.located);
                if !matches!(verdict.relation, Relation::Before | Relation::Equal) {
                    return Some(progress::sentence(
                        self.order.map(),
                        &verdict,
                        &a.located,
                        &b.located,
                    ));
                }
                std::mem::swap(&mut a, &mut b);
            }
            None
        };
        starts.into_par_iter().find_map_first(piece)
    }
}

/// A leaf as the order compares it, that becomes another one of its kind by taking over its values.
#[derive(Clone)]
struct Moving {
    located: Located,
    /// The label whose values each frame of the path has.
    labels: Vec<LabelId>,
}

impl Moving {
    fn at(run: &Run<'_, '_>, leaf: usize) -> Self {
        let path = run.leaves.path(leaf);
        Self {
            located: run.leaves.locate(run.order, run.tree, leaf, ""),
            labels: path.iter().filter_map(|&node| run.tree.label_id(node)).collect(),
        }
    }

    fn go_to(&mut self, run: &Run<'_, '_>, leaf: usize) {
        let dictionary = run.tree.dictionary();
        for (at, (&node, known)) in run.leaves.path(leaf).iter().zip(&mut self.labels).enumerate() {
            let Some(id) = run.tree.label_id(node).filter(|id| id != known) else {
                continue;
            };
            *known = id;
            let Some(frame) = self.located.origin.iter().position(|&origin| origin == Some(at)) else {
                continue;
            };
            for &(name, value) in dictionary.values(id) {
                let values = &mut self.located.frames[frame].values;
                if let (Some(place), Some(value)) = (values.get_mut(dictionary.text(name)), value_of(value)) {
                    *place = value;
                }
            }
        }
    }
}
