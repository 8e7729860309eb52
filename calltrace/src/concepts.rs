//! Who has what in common: formal concepts (Ganter and Wille, "Formal Concept Analysis", 1999, sections 1.1 and 2.1), as ParLOT's authors group threads by pieces of their traces (its section 5).
//!
//! A *context* says which objects have which attributes. The *intent* of a set of objects is what all of them have, the *extent* of a set of attributes who has all of these; a
//! *concept* is a pair of an extent and an intent that belong to each other. Concepts are ordered by their extents: they form a lattice, which does not depend on the order in which
//! objects come.

use std::collections::{BTreeMap, BTreeSet};

/// A set of objects with all that they have in common, and nobody else has all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Concept {
    /// The objects, in their order.
    pub extent: Vec<usize>,
    /// The attributes, in their order.
    pub intent: Vec<usize>,
    /// The attributes that no larger extent has in common.
    pub own: Vec<usize>,
    /// The concepts with the smallest larger extents, by their indices.
    pub above: Vec<usize>,
}

/// The concepts of a context, those with the largest extents first, of equally large ones the one with the first objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lattice {
    /// The concepts.
    pub concepts: Vec<Concept>,
    /// There were too many: these are those of single kinds of objects, and the one of all.
    pub is_cut: bool,
}

/// Concepts that are told apart, at most: there may be as many as subsets of objects.
const MOST: usize = 1_000;

type Intent = BTreeSet<usize>;

impl Lattice {
    /// The lattice of objects, each with its attributes; these are told apart by number.
    pub fn of(objects: &[Intent]) -> Self {
        // Objects that have the same are one, and what they are called does not matter: so no order does.
        let kinds: BTreeSet<&Intent> = objects.iter().collect();
        let mut intents: BTreeSet<Intent> = BTreeSet::new();
        let mut is_cut = false;
        for kind in &kinds {
            let meets = intents.iter().map(|intent| intent & *kind);
            let new = Vec::from_iter(meets.filter(|meet| !intents.contains(meet)));
            intents.extend(new);
            intents.insert((*kind).clone());
            if intents.len() > MOST {
                is_cut = true;
                break;
            }
        }
        if is_cut {
            let mut all = kinds.iter();
            let first = all.next().map(|kind| (*kind).clone()).unwrap_or_default();
            let of_all = all.fold(first, |common, kind| &common & *kind);
            intents = kinds.iter().map(|kind| (*kind).clone()).chain([of_all]).collect();
        }
        let mut lattice = Self {
            concepts: intents
                .into_iter()
                .map(|intent| concept(objects, intent))
                .collect(),
            is_cut,
        };
        let key = |concept: &Concept| (std::cmp::Reverse(concept.extent.len()), concept.extent.clone());
        lattice.concepts.sort_by_cached_key(key);
        lattice.relate();
        lattice
    }

    /// Finds what is above what, and what belongs to whom first.
    fn relate(&mut self) {
        let extents = Vec::from_iter(
            self.concepts
                .iter()
                .map(|concept| Intent::from_iter(concept.extent.iter().copied())),
        );
        // Where the lattice is whole each attribute is first met in one concept: the largest extent that has it.
        let mut met: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for index in 0..self.concepts.len() {
            let mut above: Vec<usize> = Vec::new();
            // The smallest ones first: what is above one of them is not directly above this.
            for other in (0..index).rev() {
                let is_larger = extents[index].is_subset(&extents[other]);
                if is_larger
                    && !above
                        .iter()
                        .any(|between| extents[*between].is_subset(&extents[other]))
                {
                    above.push(other);
                }
            }
            above.reverse();
            let concept = &mut self.concepts[index];
            concept.above = above;
            for &attribute in &concept.intent {
                let owners = met.entry(attribute).or_default();
                if !owners
                    .iter()
                    .any(|owner| extents[index].is_subset(&extents[*owner]))
                {
                    owners.push(index);
                    concept.own.push(attribute);
                }
            }
        }
    }
}

fn concept(objects: &[Intent], intent: Intent) -> Concept {
    let extent = objects
        .iter()
        .enumerate()
        .filter(|(_, has)| intent.is_subset(has));
    Concept {
        extent: extent.map(|(object, _)| object).collect(),
        intent: intent.into_iter().collect(),
        own: Vec::new(),
        above: Vec::new(),
    }
}
