//! Who has not entered a collective operation, once for all that are in it.

use crate::Certainty;
use crate::recorded::{Collective, Identity, Needs};
use crate::state::Rank;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::need::SetId;

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

/// What was found of each operation.
#[derive(Debug, Default)]
pub(super) struct Absences {
    known: BTreeMap<(Identity, u64, Needs), Vec<Known>>,
    /// All sets, by their number.
    pub(super) sets: Vec<Arc<[Rank]>>,
}

#[derive(Debug)]
struct Known {
    members: Arc<[Rank]>,
    absent: Arc<[Absent]>,
}

impl Absences {
    /// Those who have not entered the operation that `waiter` is in, in groups. `entered` tells of a member how many it has entered, if that is known.
    pub(super) fn of(
        &mut self,
        waiter: Rank,
        collective: &Collective,
        entered: impl Fn(Rank) -> Option<u64>,
    ) -> Arc<[Absent]> {
        let is_late = |rank: Rank| entered(rank).filter(|entered| *entered < collective.ordinal);
        // For whom it waits depends on the waiter itself: nobody shares that. One that is late by its own record does not wait for itself.
        let of_late = |rank: &Rank| Some((*rank, is_late(*rank)?)).filter(|_| *rank != waiter);
        match &collective.needs {
            Needs::Neighbours(of) => {
                let neighbours = of.sources.iter().chain(&of.others);
                return self.groups(waiter, collective, neighbours.filter_map(of_late));
            }
            needs if *needs == Needs::Lower || is_late(waiter).is_some() => {
                let members = collective.members.iter();
                return self.groups(waiter, collective, members.filter_map(of_late));
            }
            _ => {}
        }
        let needs = collective.needs.clone();
        let key = (collective.communicator, collective.ordinal, needs);
        let is_same = |known: &&Known| {
            Arc::ptr_eq(&known.members, &collective.members) || known.members == collective.members
        };
        if let Some(known) = self.known.get(&key).and_then(|known| known.iter().find(is_same)) {
            return Arc::clone(&known.absent);
        }
        let members = collective.members.iter().copied();
        let absent = self.groups(
            waiter,
            collective,
            members.filter_map(|rank| Some((rank, is_late(rank)?))),
        );
        self.known.entry(key).or_default().push(Known {
            members: Arc::clone(&collective.members),
            absent: Arc::clone(&absent),
        });
        absent
    }

    fn groups(
        &mut self,
        waiter: Rank,
        collective: &Collective,
        late: impl Iterator<Item = (Rank, u64)>,
    ) -> Arc<[Absent]> {
        let mut groups: BTreeMap<(u64, Certainty), Vec<Rank>> = BTreeMap::new();
        let lower: BTreeSet<Rank> = match collective.needs {
            Needs::Lower => {
                let members = collective.members.iter().copied();
                members.take_while(|rank| *rank != waiter).collect()
            }
            Needs::All | Needs::Root(_) | Needs::Nothing | Needs::Neighbours(_) => BTreeSet::new(),
        };
        for (rank, entered) in late {
            let is_needed = match &collective.needs {
                Needs::All => true,
                Needs::Root(root) => rank == *root,
                Needs::Nothing => false,
                Needs::Lower => lower.contains(&rank),
                Needs::Neighbours(of) => of.sources.binary_search(&rank).is_ok(),
            };
            let certainty = if is_needed {
                Certainty::Proven
            } else {
                Certainty::Probable
            };
            groups.entry((entered, certainty)).or_default().push(rank);
        }
        let groups = groups.into_iter().map(|((entered, certainty), mut ranks)| {
            ranks.sort_unstable();
            let ranks: Arc<[Rank]> = ranks.into();
            self.sets.push(Arc::clone(&ranks));
            Absent {
                entered,
                certainty,
                ranks,
                set: SetId(self.sets.len() - 1),
            }
        });
        groups.collect()
    }
}
