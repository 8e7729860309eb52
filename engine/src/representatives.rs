//! A few tasks of each kind in place of all tasks of a very large job.
//!
//! An answer adds up of each task its rank, its host, its process and the processor time that it has used; all else follows from its kind (`alike`). Of a kind it names
//! the first processes, and of all processor times the least and the largest. So the first tasks of a kind, with those that have used the least and the most, say what
//! all of them say, if the first one is known to stand for the ranks of the rest. Tasks are handed over one by one and let go: a million of them are kept as sets of ranks and a few records.

use crate::alike::{are_of_one_kind, kind_fingerprint};
use crate::hosts::HostRanks;
use crate::named::Named;
use crate::state::PIDS;
use base::RankSet;
use snapshot::{Name, Task};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Tasks that speak for all of a job.
pub struct Representatives {
    /// In the order of their ranks.
    pub(crate) tasks: Vec<Task>,
    /// For whom each of them speaks.
    pub(crate) named: Arc<Named>,
    /// The hosts of all tasks.
    pub(crate) hosts: Vec<HostRanks>,
    ranks: RankSet,
}

impl Representatives {
    /// Those of the tasks that `each` hands over, one after the other. `None` if there is a task that has something to say of itself which an answer would miss: one that has no rank, the rank of another
    /// one, a name that is not its rank, no process, or a system call that was ended early; or if tasks do not come in the order of their ranks.
    pub fn of(each: impl FnOnce(&mut dyn FnMut(Task))) -> Option<Self> {
        let mut chosen = Chosen::default();
        let mut all = Ok(());
        each(&mut |task| {
            if all.is_ok() {
                all = chosen.add(task);
            }
        });
        all.ok().map(|()| chosen.finish())
    }

    /// The tasks.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// The ranks for which they speak.
    pub fn ranks(&self) -> &RankSet {
        &self.ranks
    }
}

/// A task has something to say that nobody else can say for it.
struct SpeaksForItself;

/// Ranks that come in their order.
#[derive(Default)]
struct Ranges(Vec<(u32, u32)>);

impl Ranges {
    fn push(&mut self, rank: u32) {
        match self.0.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(rank) => *last = rank,
            _ => self.0.push((rank, rank)),
        }
    }
}

impl From<Ranges> for RankSet {
    fn from(Ranges(ranges): Ranges) -> Self {
        RankSet::from_ranges(ranges)
    }
}

/// Tasks of one kind.
#[derive(Default)]
struct OfKind {
    /// The first ones.
    first: Vec<Task>,
    /// The least and the largest processor time of any of them.
    spent: Option<(u64, u64)>,
    /// Who has used so little, and so much, if that is none of the first.
    least: Option<Task>,
    most: Option<Task>,
    ranks: Ranges,
}

impl OfKind {
    fn add(&mut self, rank: u32, task: Task) {
        self.ranks.push(rank);
        let spent = task.state.as_ref().and_then(|state| state.cpu_ms);
        let (is_least, is_most) = match (spent, self.spent) {
            (None, _) => (false, false),
            (Some(_), None) => (true, true),
            (Some(spent), Some((least, most))) => (spent < least, spent > most),
        };
        if let Some(spent) = spent {
            let (least, most) = self.spent.unwrap_or((spent, spent));
            self.spent = Some((least.min(spent), most.max(spent)));
        }
        let is_first = self.first.len() < PIDS;
        if is_least {
            self.least = (!is_first).then(|| task.clone());
        }
        if is_most {
            self.most = (!is_first).then(|| task.clone());
        }
        if is_first {
            self.first.push(task);
        }
    }
}

/// Nearly all tasks of a large job are of one of so many kinds that were met last.
const LAST: usize = 8;

#[derive(Default)]
struct Chosen {
    kinds: Vec<OfKind>,
    /// Kinds by what they are likely to be told by.
    by_print: BTreeMap<u64, Vec<usize>>,
    /// Those that were looked up there last.
    last: VecDeque<usize>,
    /// Each host with ranks that follow one another; a host may be there more than once.
    hosts: Vec<(Name, Ranges)>,
    ranks: Ranges,
}

impl Chosen {
    fn add(&mut self, task: Task) -> Result<(), SpeaksForItself> {
        let rank = task.rank.ok_or(SpeaksForItself)?;
        let is_next = self.ranks.0.last().is_none_or(|&(_, last)| last < rank);
        let was_told = |thread: &snapshot::Thread| !thread.told.is_empty();
        let says_more = task.pid.is_none() || !task.told.is_empty() || task.threads.iter().any(was_told);
        if !is_next || says_more || !snapshot::is_named_by(&task.task, rank) {
            return Err(SpeaksForItself);
        }
        self.ranks.push(rank);
        match self.hosts.last_mut() {
            Some((host, ranks)) if *host == task.host => ranks.push(rank),
            _ => self.hosts.push((task.host.clone(), Ranges(vec![(rank, rank)]))),
        }
        let kind = self.kind_of(&task);
        self.kinds[kind].add(rank, task);
        Ok(())
    }

    /// The kind of a task, by its place.
    fn kind_of(&mut self, task: &Task) -> usize {
        let is_alike = |kind: &usize| are_of_one_kind(&self.kinds[*kind].first[0], task);
        if let Some(kind) = self.last.iter().copied().find(is_alike) {
            return kind;
        }
        let known = self.by_print.entry(kind_fingerprint(task)).or_default();
        let kind = known.iter().copied().find(is_alike).unwrap_or_else(|| {
            known.push(self.kinds.len());
            self.kinds.push(OfKind::default());
            self.kinds.len() - 1
        });
        self.last.truncate(LAST - 1);
        self.last.push_front(kind);
        kind
    }

    fn finish(self) -> Representatives {
        let mut tasks: Vec<Task> = Vec::new();
        let mut kinds = Vec::new();
        for kind in self.kinds {
            let mut chosen = kind.first;
            // One task may have used the least and the most, where the first ones do not tell theirs.
            for further in [kind.least, kind.most].into_iter().flatten() {
                if chosen.iter().all(|known| known.rank != further.rank) {
                    chosen.push(further);
                }
            }
            let ranks = Vec::from_iter(chosen.iter().filter_map(|task| task.rank));
            kinds.push((ranks, RankSet::from(kind.ranks)));
            tasks.extend(chosen);
        }
        tasks.sort_by_key(|task| task.rank);
        let mut hosts: BTreeMap<Name, Vec<(u32, u32)>> = BTreeMap::new();
        for (host, Ranges(ranks)) in self.hosts {
            if !host.is_empty() {
                hosts.entry(host).or_default().extend(ranks);
            }
        }
        let hosts = hosts.into_iter().map(|(host, ranks)| HostRanks {
            host: host.to_string(),
            ranks: RankSet::from_ranges(ranks),
        });
        Representatives {
            tasks,
            named: Arc::new(Named::of_kinds(kinds)),
            hosts: hosts.collect(),
            ranks: self.ranks.into(),
        }
    }
}
