//! Collective operations that do not fit together: tasks in the same one by number that have called different functions, or have said different things where all members, or
//! two of them, have to say the same.

use crate::recorded::{Collective, Division, Identity, Recorded};
use crate::state::Rank;
use std::collections::{BTreeMap, BTreeSet};

/// Two tasks are in the same collective operation by number, and it is not the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// One of the two; the one with the smallest rank, or the one that gives a portion.
    pub one: (Rank, Collective),
    /// The other. If they differ in a portion, one of the two may have left the operation.
    pub other: (Rank, Collective),
    /// In which respect they differ.
    pub differ: Differ,
}

/// In which respect two tasks are not in the same collective operation, the gravest first. What one of them does not tell is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Differ {
    /// They have called different functions.
    Operation,
    /// They have given different roots.
    Root,
    /// They give or take different numbers of bytes.
    Bytes,
    /// They reduce by different operations.
    Reduction,
    /// The first gives the other a portion of another size than that one takes of it.
    Portion {
        /// The bytes that are given.
        given: u64,
        /// The bytes that are taken.
        taken: u64,
    },
}

fn differ(one: &Collective, other: &Collective) -> Option<Differ> {
    let both = |one: Option<u64>, other: Option<u64>| one.zip(other).is_some_and(|(one, other)| one != other);
    if one.operation != other.operation {
        Some(Differ::Operation)
    } else if one.root != other.root {
        Some(Differ::Root)
    } else if both(one.bytes, other.bytes) {
        Some(Differ::Bytes)
    } else if both(one.reduction.map(u64::from), other.reduction.map(u64::from)) {
        Some(Differ::Reduction)
    } else {
        None
    }
}

/// All that are found, those first in which all have to say the same.
pub(super) fn mismatches(tasks: &[Recorded]) -> Vec<Mismatch> {
    let mut inside: Vec<(Rank, &Collective)> = Vec::new();
    for task in tasks {
        inside.extend(task.inside.iter().map(|collective| (task.rank, collective)));
    }
    inside.sort_by_key(|(rank, _)| *rank);
    let mut first: BTreeMap<(Identity, u64), Vec<(Rank, &Collective)>> = BTreeMap::new();
    let mut found = Vec::new();
    for (rank, collective) in &inside {
        let known = first
            .entry((collective.communicator, collective.ordinal))
            .or_default();
        let differs = known
            .iter()
            .find_map(|(one, of_one)| Some((*one, *of_one, differ(of_one, collective)?)));
        match differs {
            Some((one, of_one, differ)) => found.push(Mismatch {
                one: (one, of_one.clone()),
                other: (*rank, (*collective).clone()),
                differ,
            }),
            // The first, and those who tell what it does not.
            None if known.iter().all(|(_, other)| {
                (other.bytes, other.reduction) != (collective.bytes, collective.reduction)
            }) =>
            {
                known.push((*rank, collective));
            }
            None => {}
        }
    }
    found.extend(portions(tasks, &inside));
    found
}

/// Of each task that is in an operation the first other member that gives what it does not take, or takes what it does not give. Whoever has left the operation counts as
/// well: a member that got less than it wants stands alone in it.
fn portions(tasks: &[Recorded], inside: &[(Rank, &Collective)]) -> Vec<Mismatch> {
    let mut divided: BTreeMap<(Identity, u64), BTreeMap<Rank, &Division>> = BTreeMap::new();
    for task in tasks {
        for division in &task.divisions {
            let key = (division.communicator, division.ordinal);
            divided.entry(key).or_default().insert(task.rank, division);
        }
    }
    let mut found: Vec<Mismatch> = Vec::new();
    let mut known = BTreeSet::new();
    for (rank, collective) in inside {
        let key = (collective.communicator, collective.ordinal);
        let first = divided
            .get(&key)
            .and_then(|divisions| first_portion(*rank, divisions));
        let Some((one, other, differ)) = first else {
            continue;
        };
        if known.insert((key, one, other)) {
            found.push(Mismatch {
                one: (one, (*collective).clone()),
                other: (other, (*collective).clone()),
                differ,
            });
        }
    }
    found
}

/// The first portion of `rank`, or for it, in which two do not say the same: who gives, who takes, and what.
fn first_portion(rank: Rank, divisions: &BTreeMap<Rank, &Division>) -> Option<(Rank, Rank, Differ)> {
    let own = divisions.get(&rank)?;
    let mut peers = own.peers.ranks().iter().enumerate();
    peers.find_map(|(place, other)| {
        let theirs = divisions
            .get(other)
            .filter(|theirs| theirs.operation == own.operation)?;
        let own_place = own.peers.place_among(rank, &theirs.peers)?;
        let given = pair(own.gives.of(place), theirs.takes.of(own_place));
        let taken = pair(theirs.gives.of(own_place), own.takes.of(place));
        let given = given.map(|differ| (rank, *other, differ));
        given.or(taken.map(|differ| (*other, rank, differ)))
    })
}

/// What is given and what is taken, if both are known and differ.
fn pair(given: Option<u64>, taken: Option<u64>) -> Option<Differ> {
    let (given, taken) = given.zip(taken)?;
    (given != taken).then_some(Differ::Portion { given, taken })
}
