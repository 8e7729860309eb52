//! Collective operations among the neighbours of a topology: of whom a task needs data, and how much goes between each pair.
//!
//! A task may be the neighbour of another several times over. All that goes from the one to the other is one portion here: what is given and what is taken
//! are the same then, whichever edge is which.

use super::Rank;
use super::task::Task;
use library::{Flow, Part};
use recording::{Communicator, Members};
use std::collections::BTreeMap;
use std::sync::Arc;
use waitgraph::recorded::{Division, Identity, Needs, Neighbours, Peers, Portions};

/// Whether an operation of this name is one among neighbours.
pub(super) fn is_among_neighbours(operation: &str) -> bool {
    library::function(operation).is_some_and(|function| function.part == Part::Collective(Flow::Neighbours))
}

/// What goes from a task to each of its destinations, and to it from each of its sources; `None` for amounts that are not known.
#[derive(Default)]
struct Amounts {
    given: BTreeMap<Rank, Option<u64>>,
    taken: BTreeMap<Rank, Option<u64>>,
}

impl Task<'_> {
    /// What the task needs of its neighbours in this operation of the communicator. One of whom it takes nothing need not have entered it.
    pub(super) fn needs_of_neighbours(&self, known: &Communicator, ordinal: u64) -> Needs {
        let Some(neighbours) = &known.neighbours else {
            return Needs::Nothing;
        };
        let mut divisions = self.recording().divisions.iter();
        let own = divisions.find(|each| (each.communicator, each.ordinal) == (known.serial, ordinal));
        let taken = own.and_then(|own| amounts(known, own)).unwrap_or_default().taken;
        let has_data = |rank: &Rank| {
            taken
                .get(rank)
                .is_some_and(|amount| amount.is_some_and(|bytes| bytes > 0))
        };
        let all = neighbours.sources.iter().chain(neighbours.destinations.iter());
        let mut all = Vec::from_iter(all.flatten().map(Rank));
        all.sort_unstable();
        all.dedup();
        all.retain(|rank| *rank != Rank(self.rank));
        let (sources, others): (Vec<Rank>, Vec<Rank>) = all.into_iter().partition(has_data);
        Needs::Neighbours(Arc::new(Neighbours { sources, others }))
    }

    /// How the task divides what it gives its neighbours, and takes of them.
    pub(super) fn division_among_neighbours(
        &self,
        known: &Communicator,
        division: &recording::Division,
    ) -> Option<Division> {
        let amounts = amounts(known, division)?;
        let mut peers = Vec::from_iter(amounts.given.keys().chain(amounts.taken.keys()).copied());
        peers.sort_unstable();
        peers.dedup();
        let portions = |of: &BTreeMap<Rank, Option<u64>>| {
            let portion = |peer: &Rank| of.get(peer).copied().flatten();
            Portions::OfMembers(peers.iter().map(portion).collect())
        };
        Some(Division {
            communicator: Identity(known.identity),
            ordinal: division.ordinal,
            operation: self.number_of(division.operation)?,
            gives: portions(&amounts.given),
            takes: portions(&amounts.taken),
            peers: Peers::Neighbours(peers.into()),
        })
    }
}

/// The amounts of a division; `None` if it is none among these neighbours.
fn amounts(known: &Communicator, division: &recording::Division) -> Option<Amounts> {
    let neighbours = known.neighbours.as_ref()?;
    Some(Amounts {
        given: by_rank(&neighbours.destinations, &division.gives)?,
        taken: by_rank(&neighbours.sources, &division.takes)?,
    })
}

/// The sum for each neighbour that is somebody.
fn by_rank(neighbours: &Members, portions: &recording::Portions) -> Option<BTreeMap<Rank, Option<u64>>> {
    let recording::Portions::OfMembers(portions) = portions else {
        return None;
    };
    if portions.len() != neighbours.len() {
        return None;
    }
    let mut sums: BTreeMap<Rank, Option<u64>> = BTreeMap::new();
    for (neighbour, portion) in neighbours.iter().zip(portions) {
        if let Some(rank) = neighbour {
            let sum = sums.entry(Rank(rank)).or_insert(Some(0));
            *sum = sum
                .zip(*portion)
                .and_then(|(sum, portion)| sum.checked_add(portion));
        }
    }
    Some(sums)
}
