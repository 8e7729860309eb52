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

/// Tasks with one stack, of which two have records.
struct Alike {
    /// The rank of the other record.
    second: u32,
    /// All that the first record stands for: everybody but the second.
    but_second: RankSet,
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
                let but_second = ranks.iter().filter(|&rank| rank != second).collect();
                alike.insert(first, Alike { second, but_second });
            }
        }
        let named = Self {
            alike,
            ..Self::of(&tasks)
        };
        (tasks, named)
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
        self.alike.values().map(|stack| stack.second).collect()
    }

    /// All tasks with the stack of the record of this rank.
    pub(crate) fn with_stack_of(&self, rank: u32) -> TaskSet {
        match self.alike.get(&rank) {
            Some(alike) => alike.but_second.iter().chain([alike.second]).collect(),
            None => TaskSet::one(rank),
        }
    }

    pub(crate) fn who<'t>(&self, tasks: impl IntoIterator<Item = &'t Task>) -> Who {
        let mut who = Who::new(tasks, &|rank| self.shared.contains(rank));
        if !self.alike.is_empty() {
            let all = who.ranks.iter().flat_map(|rank| self.stands_for(rank));
            who.ranks = all.collect();
        }
        who
    }

    fn stands_for(&self, rank: u32) -> Vec<u32> {
        self.alike
            .get(&rank)
            .map_or_else(|| vec![rank], |alike| alike.but_second.iter().collect())
    }

    /// The records of a task that has no place in the order.
    pub(crate) fn unreadable(&self, task: &Task, reason: &str, class: Option<usize>) -> Vec<Unreadable> {
        let all = task.rank.map_or_else(Vec::new, |rank| self.stands_for(rank));
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
        let more = |task: &Task| Some(self.alike.get(&task.rank?)?.but_second.len());
        let each = tasks.iter().map(|task| more(task).unwrap_or(1));
        usize::try_from(each.sum::<u64>()).unwrap_or(usize::MAX)
    }
}
