//! What has to happen before waits end, and who can go on: the least fixpoint.
//!
//! Each task, and each set of tasks that others wait for together, is a node. A node that is not met names those that it is held by, and is looked at
//! again when one of them is met; so each is looked at a few times only, whatever the length of a chain of waits.

use crate::state::Rank;
use crate::whom::{ListId, Whom};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What has to happen before a wait ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// Nothing that others have to do: it ends by itself, or nobody knows.
    Nothing,
    /// It never ends.
    Never,
    /// The task does something.
    Rank(Rank),
    /// Tasks of a set that several wait for do something.
    Set(SetId),
    /// All of these.
    All(Vec<Need>),
    /// One of these.
    One(Vec<Need>),
}

/// A set of tasks in the table of those that others wait for together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SetId(usize);

/// How many of a set have to do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum HowMany {
    /// All of them.
    All,
    /// One of them.
    One,
}

/// The sets that others wait for together, each once.
#[derive(Debug, Default)]
pub(super) struct Sets {
    known: BTreeMap<(ListId, HowMany), SetId>,
    all: Vec<(HowMany, Arc<[Rank]>)>,
}

impl Sets {
    /// The number of a set. A list lives as long as the table, so that no other takes its place.
    pub(super) fn id(&mut self, how_many: HowMany, list: &Arc<[Rank]>) -> SetId {
        let key = (Whom::all(Arc::clone(list)).id(), how_many);
        *self.known.entry(key).or_insert_with(|| {
            self.all.push((how_many, Arc::clone(list)));
            SetId(self.all.len() - 1)
        })
    }

    /// What has to happen, by the number of the set.
    pub(super) fn needs(&self, of_rank: impl Fn(Rank) -> Need) -> Vec<Need> {
        let need = |(how_many, list): &(HowMany, Arc<[Rank]>)| {
            let needs = list.iter().map(|rank| of_rank(*rank)).collect();
            match how_many {
                HowMany::All => Need::All(needs),
                HowMany::One => Need::One(needs),
            }
        };
        self.all.iter().map(need).collect()
    }
}

/// What the tasks need, each with what its threads do: it goes on if one of them does, or if it has none.
pub(super) struct Needs<'n> {
    /// By rank.
    pub(super) tasks: &'n [(Rank, Vec<Need>)],
    /// What the sets need.
    pub(super) sets: &'n [Need],
}

impl Needs<'_> {
    /// The tasks that can never go on, sorted. Whoever is not among the tasks may do anything.
    pub(super) fn stuck(&self) -> Vec<Rank> {
        let nodes = self.tasks.len() + self.sets.len();
        let mut is_met = vec![false; nodes];
        let mut held_by: Vec<Vec<usize>> = vec![Vec::new(); nodes];
        // Last in, first out: tasks come before the sets that they are in.
        let mut open: Vec<usize> = (0..nodes).rev().collect();
        while let Some(node) = open.pop() {
            if is_met[node] {
                continue;
            }
            match self.holders(node, &is_met) {
                None => {
                    is_met[node] = true;
                    open.append(&mut held_by[node]);
                }
                Some(holders) => holders.into_iter().for_each(|by| held_by[by].push(node)),
            }
        }
        let tasks = self.tasks.iter().zip(is_met);
        tasks
            .filter(|(_, is_met)| !is_met)
            .map(|((rank, _), _)| *rank)
            .collect()
    }

    /// Nodes one of which has to be met before this one can be; `None` if it is met.
    fn holders(&self, node: usize, is_met: &[bool]) -> Option<Vec<usize>> {
        let mut holders = Vec::new();
        let needs: &[Need] = match self.tasks.get(node) {
            Some((_, needs)) if needs.is_empty() => return None,
            Some((_, needs)) => needs,
            None => std::slice::from_ref(self.sets.get(node - self.tasks.len())?),
        };
        let meets = |need: &Need| self.meets(need, is_met, &mut holders);
        if needs.iter().any(meets) {
            return None;
        }
        Some(holders)
    }

    /// Whether the need is met; if not, those are added that it is held by.
    fn meets(&self, need: &Need, is_met: &[bool], holders: &mut Vec<usize>) -> bool {
        let mut is_there = |node: usize| {
            if !is_met[node] {
                holders.push(node);
            }
            is_met[node]
        };
        match need {
            Need::Nothing => true,
            Need::Never => false,
            Need::Rank(rank) => match self.tasks.binary_search_by_key(rank, |(rank, _)| *rank) {
                Ok(node) => is_there(node),
                Err(_) => true,
            },
            Need::Set(set) => is_there(self.tasks.len() + set.0),
            // One that is not met is enough to watch.
            Need::All(needs) => needs.iter().all(|need| self.meets(need, is_met, holders)),
            Need::One(needs) => needs.iter().any(|need| self.meets(need, is_met, holders)),
        }
    }
}
