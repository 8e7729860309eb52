//! Who has not entered a collective operation, once for all that are in it.

use super::need::{HowMany, SetId, Sets};
use crate::Certainty;
use crate::recorded::{Collective, Identity, Needs};
use crate::state::Rank;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Members that have not entered, as far as they have come and as certain it is that they are waited for.
#[derive(Clone, Debug)]
pub(super) struct Absent {
    /// How many of the communicator's collective operations they have entered.
    pub(super) entered: u64,
    /// Whether the operation cannot end without them.
    pub(super) certainty: Certainty,
    /// Who they are, sorted.
    pub(super) ranks: Arc<[Rank]>,
    /// The set that they are.
    pub(super) set: SetId,
}

/// What was found of each operation, by its communicator and its number there.
#[derive(Debug, Default)]
pub(super) struct Absences(BTreeMap<(Identity, u64), Vec<Known>>);

/// Those of some members who are late, found once for all who name these.
#[derive(Debug)]
struct Known {
    members: Arc<[Rank]>,
    /// In the order of the members: the place among them, who it is, and how many operations it has entered.
    late: Vec<(usize, Rank, u64)>,
    /// The place of each member; made when somebody needs those before itself.
    places: Option<BTreeMap<Rank, usize>>,
    /// The groups for those who need the same of them.
    groups: BTreeMap<Key, Arc<[Absent]>>,
}

/// What one who is in an operation needs of those who are late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    All,
    Root(Rank),
    Nothing,
    /// The first so many of them.
    First(usize),
}

impl Key {
    /// Whether the one who is late in this place is needed.
    fn needs(self, place: usize, rank: Rank) -> bool {
        match self {
            Key::All => true,
            Key::Root(root) => rank == root,
            Key::Nothing => false,
            Key::First(count) => place < count,
        }
    }
}

impl Absences {
    /// Those who have not entered the operation that `waiter` is in, in groups. `entered` tells of a member how many it has entered, if that is known.
    pub(super) fn of(
        &mut self,
        sets: &mut Sets,
        waiter: Rank,
        collective: &Collective,
        entered: impl Fn(Rank) -> Option<u64>,
    ) -> Arc<[Absent]> {
        let is_late = |rank: Rank| entered(rank).filter(|entered| *entered < collective.ordinal);
        if let Needs::Neighbours(of) = &collective.needs {
            let neighbours = of.sources.iter().chain(&of.others).copied();
            let others = neighbours.filter(|rank| *rank != waiter);
            let late = others.filter_map(|rank| Some((rank, is_late(rank)?)));
            let is_needed = |_, rank| of.sources.binary_search(&rank).is_ok();
            return groups(sets, late, is_needed);
        }
        let known = self
            .0
            .entry((collective.communicator, collective.ordinal))
            .or_default();
        let is_same = |known: &Known| {
            Arc::ptr_eq(&known.members, &collective.members) || known.members == collective.members
        };
        let at = known.iter().position(is_same).unwrap_or_else(|| {
            let places = collective.members.iter().enumerate();
            known.push(Known {
                members: Arc::clone(&collective.members),
                late: places
                    .filter_map(|(place, rank)| Some((place, *rank, is_late(*rank)?)))
                    .collect(),
                places: None,
                groups: BTreeMap::new(),
            });
            known.len() - 1
        });
        let known = &mut known[at];
        let key = match &collective.needs {
            Needs::Root(root) => Key::Root(*root),
            Needs::Lower => Key::First(known.late_before(waiter)),
            Needs::All => Key::All,
            Needs::Nothing | Needs::Neighbours(_) => Key::Nothing,
        };
        let late = known.late.iter().map(|(_, rank, entered)| (*rank, *entered));
        let is_needed = |place, rank| key.needs(place, rank);
        // One that is late by its own record does not wait for itself: nobody shares that.
        if is_late(waiter).is_some() {
            return groups(sets, late.filter(|(rank, _)| *rank != waiter), is_needed);
        }
        let found = known.groups.entry(key);
        Arc::clone(found.or_insert_with(|| groups(sets, late, is_needed)))
    }
}

impl Known {
    /// How many of those who are late stand before this member.
    fn late_before(&mut self, member: Rank) -> usize {
        let places = self.places.get_or_insert_with(|| {
            let places = self.members.iter().enumerate();
            places.map(|(place, rank)| (*rank, place)).collect()
        });
        let place = places.get(&member).copied().unwrap_or(0);
        self.late.partition_point(|(of, ..)| *of < place)
    }
}

/// Those who are late, with how many they have entered; `is_needed` tells of each, by its place among them, whether the operation cannot end without it.
fn groups(
    sets: &mut Sets,
    late: impl Iterator<Item = (Rank, u64)>,
    is_needed: impl Fn(usize, Rank) -> bool,
) -> Arc<[Absent]> {
    let mut groups: BTreeMap<(u64, Certainty), Vec<Rank>> = BTreeMap::new();
    for (place, (rank, entered)) in late.enumerate() {
        let certainty = if is_needed(place, rank) {
            Certainty::Proven
        } else {
            Certainty::Probable
        };
        groups.entry((entered, certainty)).or_default().push(rank);
    }
    let groups = groups.into_iter().map(|((entered, certainty), mut ranks)| {
        ranks.sort_unstable();
        ranks.dedup();
        let ranks: Arc<[Rank]> = ranks.into();
        let set = sets.id(HowMany::All, &ranks);
        Absent {
            entered,
            certainty,
            ranks,
            set,
        }
    });
    groups.collect()
}
