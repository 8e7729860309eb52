//! What the recordings of a job tell the watchdog beside the stacks.
//!
//! A call that was completed between two looks shows that a task went on which was met at the same place by chance. What the tasks did before they were watched
//! tells how long pauses of this job last. And who can never go on by the semantics of MPI does not have to be waited for.

use crate::Who;
use crate::recorded::{Rank, Waiting};
use snapshot::Task;
use std::collections::BTreeMap;
use std::time::Duration;

#[derive(Debug, Default)]
pub(super) struct Heard {
    completed: BTreeMap<u32, u64>,
    /// No pause of the whole job was longer before, as far as recordings tell: while it lasted each task was in one call, or between two.
    pub(super) longest_pause: Option<Duration>,
    /// Those who can never go on, and for how long they have waited.
    pub(super) hopeless: Option<(Who, Duration)>,
}

impl Heard {
    pub(super) fn of(waiting: Option<&Waiting>, tasks: &[Task]) -> Self {
        let Some(waiting) = waiting else {
            return Heard::default();
        };
        let longest = tasks.iter().map(|task| waiting.task(Rank(task.rank?))?.longest);
        let all: Option<Vec<Duration>> = longest.collect();
        let proven = &waiting.graph.proven;
        let waits = proven
            .iter()
            .filter_map(|rank| waiting.task(*rank))
            .map(|task| Duration::from_nanos(task.for_ns));
        let who = Who {
            ranks: proven.iter().map(|rank| rank.0).collect(),
            names: Vec::new(),
        };
        Heard {
            completed: waiting
                .tasks
                .iter()
                .map(|task| (task.rank, task.completed))
                .collect(),
            longest_pause: all.and_then(|all| all.into_iter().min()),
            hopeless: waits.min().map(|lasted| (who, lasted)),
        }
    }

    /// How many calls a task has completed.
    pub(super) fn completed(&self, task: &Task) -> Option<u64> {
        self.completed.get(&task.rank?).copied()
    }
}
