//! How messages name tasks: by rank where a rank names one task, by the recorded name otherwise.

use base::RankSet;
use std::fmt;

/// A non-empty group of tasks, as a message names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Who {
    /// The tasks that a rank names.
    pub ranks: RankSet,
    /// The recorded names of the others: no rank, or a rank that several records share.
    pub names: Vec<String>,
}

/// How many names a message spells out before it only counts.
const SPELLED_OUT: usize = 8;

impl Who {
    /// The group of the given tasks; `shared` says whether several records carry one task's rank.
    pub(crate) fn new<'a>(
        tasks: impl IntoIterator<Item = &'a snapshot::Task>,
        shared: &dyn Fn(u32) -> bool,
    ) -> Self {
        let mut ranks = Vec::new();
        let mut names = Vec::new();
        for task in tasks {
            match task.rank {
                Some(rank) if !shared(rank) => ranks.push(rank),
                _ => names.push(task.task.clone()),
            }
        }
        Self {
            ranks: RankSet::from_iter(ranks),
            names,
        }
    }

    /// All tasks of several groups.
    pub(crate) fn of_all<'w>(groups: impl IntoIterator<Item = &'w Who>) -> Self {
        let mut ranks = Vec::new();
        let mut names = Vec::new();
        for group in groups {
            ranks.extend(group.ranks.iter());
            names.extend(group.names.iter().cloned());
        }
        names.sort();
        names.dedup();
        Self {
            ranks: RankSet::from_iter(ranks),
            names,
        }
    }

    /// How many tasks two groups share.
    pub(crate) fn in_common(&self, other: &Self) -> u64 {
        let ranks = self
            .ranks
            .iter()
            .filter(|&rank| other.ranks.contains(rank))
            .count();
        let names = self
            .names
            .iter()
            .filter(|name| other.names.contains(name))
            .count();
        (ranks + names) as u64
    }

    /// Whether two groups share a task.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.in_common(other) > 0
    }

    /// How many tasks there are.
    pub fn count(&self) -> u64 {
        self.ranks.len() + self.names.len() as u64
    }
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ranks.len() {
            0 => {}
            1 => write!(f, "rank {}", self.ranks)?,
            _ => write!(f, "ranks {}", self.ranks.brief())?,
        }
        if self.names.is_empty() {
            return Ok(());
        }
        if !self.ranks.is_empty() {
            f.write_str(" and ")?;
        }
        f.write_str(if self.names.len() == 1 { "task " } else { "tasks " })?;
        for (i, name) in self.names.iter().take(SPELLED_OUT).enumerate() {
            write!(f, "{}{name}", if i == 0 { "" } else { ", " })?;
        }
        match self.names.len().saturating_sub(SPELLED_OUT) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}
