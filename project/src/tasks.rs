//! The tasks that one look has shown.

use base::RankSet;
use engine::{Analysis, Map, Outcome, Representatives};
use snapshot::Task;
use std::ops::Deref;

/// The tasks of one look. As a slice, those that there are records of.
pub enum Tasks {
    /// Every one.
    Each(Vec<Task>),
    /// A few that speak for all.
    Few(Representatives),
}

impl Tasks {
    /// A few of the tasks that `each` hands over, if these say all that there is to say of one look by this map; `missing` tells the ranks of which nothing was seen from those that were.
    pub fn few(
        map: &Map,
        missing: impl FnOnce(&RankSet) -> RankSet,
        each: impl FnOnce(&mut dyn FnMut(Task)),
    ) -> Option<Self> {
        let few = Representatives::of(each)?;
        let answer = Analysis::represented(map, &few, missing(few.ranks())).answer_of_all()?;
        // Another look is held against this one, task by task.
        let is_enough = answer.outcome != Outcome::Undecided && !answer.needs_second_look();
        is_enough.then_some(Tasks::Few(few))
    }

    /// The ranks of all of them.
    pub fn ranks(&self) -> RankSet {
        match self {
            Tasks::Each(tasks) => tasks.iter().filter_map(|task| task.rank).collect(),
            Tasks::Few(few) => few.ranks().clone(),
        }
    }

    /// What they come to by a map.
    pub fn analysis<'a>(&'a self, map: &'a Map, missing: RankSet) -> Analysis<'a> {
        match self {
            Tasks::Each(tasks) => Analysis::new(map, tasks, missing),
            Tasks::Few(few) => Analysis::represented(map, few, missing),
        }
    }
}

impl Deref for Tasks {
    type Target = [Task];

    fn deref(&self) -> &[Task] {
        match self {
            Tasks::Each(tasks) => tasks,
            Tasks::Few(few) => few.tasks(),
        }
    }
}
