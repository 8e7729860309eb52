//! How messages name tasks, and how many tasks each record stands for.

use crate::Who;
use crate::answer::Unreadable;
use base::RankSet;
use snapshot::Task;
use stacktree::TaskSet;
use std::collections::BTreeMap;

/// What the records of a job stand for.
#[derive(Default)]
pub(crate) struct Named {
    /// Ranks that more than one record carries: several moments of one task.
    shared: RankSet,
    /// What a record stands for besides its own rank, by that rank.
    alike: BTreeMap<u32, Alike>,
}

/// Tasks that are alike, of which a few have records.
struct Alike {
    /// The ranks of the other records: each stands for itself alone.
    others: Vec<u32>,
    /// All that the first record stands for: everybody but these.
    rest: RankSet,
}

impl Alike {
    /// Of all these ranks a few others than the first have records.
    fn of(others: Vec<u32>, all: &RankSet) -> Self {
        let rest = all.without(&others.iter().copied().collect());
        Self { others, rest }
    }
}

impl Named {
    /// Every record stands for itself.
    pub(crate) fn of(tasks: &[Task]) -> Self {
        let mut ranks: Vec<u32> = tasks.iter().filter_map(|task| task.rank).collect();
        ranks.sort_unstable();
        let shared = ranks
            .windows(2)
            .filter(|pair| pair[0] == pair[1])
            .map(|pair| pair[0]);
        Self {
            shared: RankSet::from_iter(shared),
            alike: BTreeMap::new(),
        }
    }

    /// The records of stacks that stand for many ranks each: two of every stack, since two tell whether tasks that look alike are at one
    /// point.
    pub(crate) fn of_alike(stacks: &[(Task, RankSet)]) -> (Vec<Task>, Self) {
        let mut tasks: Vec<Task> = Vec::new();
        let mut alike: BTreeMap<u32, Alike> = BTreeMap::new();
        for (task, ranks) in stacks {
            let mut each = ranks.iter();
            let first = each.next();
            let second = each.next();
            if first.is_none() {
                tasks.push(task.clone());
            }
            for rank in [first, second].into_iter().flatten() {
                tasks.push(Task {
                    task: rank.to_string(),
                    rank: Some(rank),
                    ..task.clone()
                });
            }
            if let (Some(first), Some(second)) = (first, second) {
                alike.insert(first, Alike::of(vec![second], ranks));
            }
        }
        let named = Self {
            alike,
            ..Self::of(&tasks)
        };
        (tasks, named)
    }

    /// Records of which each but the first of its kind stands for itself. Of a kind there are the ranks of its records, and all ranks.
    pub(crate) fn of_kinds(kinds: impl IntoIterator<Item = (Vec<u32>, RankSet)>) -> Self {
        let alike = kinds.into_iter().filter_map(|(records, all)| {
            let (first, others) = records.split_first()?;
            Some((*first, Alike::of(others.to_vec(), &all)))
        });
        Self {
            shared: RankSet::default(),
            alike: alike.filter(|(_, alike)| alike.rest.len() > 1).collect(),
        }
    }

    /// Whether a record stands for one moment of one task, so that ranks tell tasks.
    pub(crate) fn are_of_one_moment(&self) -> bool {
        self.shared.is_empty()
    }

    /// Whether no record stands for more than its own task.
    pub(crate) fn are_single(&self) -> bool {
        self.alike.is_empty()
    }

    /// The ranks of records that are the second of their stack.
    pub(crate) fn seconds(&self) -> RankSet {
        let stacks = self.alike.values();
        stacks.flat_map(|stack| stack.others.iter().copied()).collect()
    }

    /// All tasks with the stack of the record of this rank.
    pub(crate) fn with_stack_of(&self, rank: u32) -> TaskSet {
        match self.alike.get(&rank) {
            Some(alike) => alike.rest.iter().chain(alike.others.iter().copied()).collect(),
            None => TaskSet::one(rank),
        }
    }

    pub(crate) fn who<'t>(&self, tasks: impl IntoIterator<Item = &'t Task>) -> Who {
        let mut who = Who::new(tasks, &|rank| self.shared.contains(rank));
        if !self.alike.is_empty() {
            let all = who.ranks.iter().flat_map(|rank| self.stands_for(rank));
            who.ranks = RankSet::from_ranges(all);
        }
        who
    }

    /// The ranks that the record of a rank stands for.
    fn stands_for(&self, rank: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let alike = self.alike.get(&rank);
        let itself = alike.is_none().then_some((rank, rank));
        let all = alike.into_iter().flat_map(|alike| alike.rest.ranges());
        all.copied().chain(itself)
    }

    /// How many tasks a record stands for.
    pub(crate) fn weight(&self, task: &Task) -> u64 {
        let alike = task.rank.and_then(|rank| self.alike.get(&rank));
        alike.map_or(1, |alike| alike.rest.len())
    }

    /// The records of a task that has no place in the order.
    pub(crate) fn unreadable(&self, task: &Task, reason: &str, class: Option<usize>) -> Vec<Unreadable> {
        let ranges = task.rank.into_iter().flat_map(|rank| self.stands_for(rank));
        let all = Vec::from_iter(ranges.flat_map(|(first, last)| first..=last));
        let one = |name: String, rank: Option<u32>, pid: Option<u32>| Unreadable {
            task: name,
            rank,
            pid,
            error: reason.to_owned(),
            class,
        };
        match &all[..] {
            [] | [_] => vec![one(task.task.clone(), task.rank, task.pid)],
            many => Vec::from_iter(many.iter().map(|&rank| one(rank.to_string(), Some(rank), None))),
        }
    }

    /// How many tasks these stand for.
    pub(crate) fn count(&self, tasks: &[Task]) -> usize {
        let each = tasks.iter().map(|task| self.weight(task));
        usize::try_from(each.sum::<u64>()).unwrap_or(usize::MAX)
    }
}
