//! The last events of each task: how a job came to where it stands.

use super::{Happening, Source, Tie, timeline};
use std::collections::BTreeMap;
use std::time::Duration;

/// So many events of each task are kept.
const KEPT: usize = 8;

/// What times are counted back from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Until {
    /// The moment at which the events of a job that runs were read.
    #[default]
    Now,
    /// The last event of a job that is gone.
    LastEvent,
}

/// An event of the past.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dated {
    /// Its place among all that were read, in causal order.
    pub place: usize,
    /// How long ago, counted back from [`LastEvents::until`].
    pub ago: Duration,
    /// What happened.
    pub happening: Happening<'static>,
}

/// The last that is known of one task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastOfTask {
    /// Its rank.
    pub rank: u32,
    /// The end of the last receive of a message.
    pub received: Option<Dated>,
    /// The beginning of the last send of one.
    pub sent: Option<Dated>,
    /// The end of its part in the last collective operation.
    pub left: Option<Dated>,
    /// Its last events, at most eight, in their order.
    pub events: Vec<Dated>,
}

/// The last events of tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastEvents {
    /// Of each task that has recorded events, by rank.
    pub tasks: Vec<LastOfTask>,
    /// What times are counted back from.
    pub until: Until,
}

impl LastEvents {
    /// What is known of a rank.
    #[must_use]
    pub fn task(&self, rank: u32) -> Option<&LastOfTask> {
        let at = self.tasks.binary_search_by_key(&rank, |task| task.rank).ok()?;
        self.tasks.get(at)
    }

    /// The last events of these ranks together, at most so many, in causal order.
    #[must_use]
    pub fn of(&self, ranks: &[u32], most: usize) -> Vec<&Dated> {
        let tasks = ranks.iter().filter_map(|rank| self.task(*rank));
        let mut events = Vec::from_iter(tasks.flat_map(|task| &task.events));
        events.sort_by_key(|event| event.place);
        events.dedup_by_key(|event| event.place);
        events.split_off(events.len().saturating_sub(most))
    }
}

/// Sorts what tasks of one job have written, as [`timeline`] does, and keeps the last of each. `now` is when it was read, in nanoseconds since the epoch; nothing of a job that is gone.
#[must_use]
pub fn last_events(sources: &[Source<'_>], now: Option<i64>) -> LastEvents {
    let timeline = timeline(sources);
    let last = timeline.happenings.iter().map(|happening| happening.time).max();
    let until = now.or(last).unwrap_or(0);
    let mut tasks: BTreeMap<u32, LastOfTask> = BTreeMap::new();
    // From the last one backwards, so that only what is kept is made.
    for (place, happening) in timeline.happenings.iter().enumerate().rev() {
        let task = tasks.entry(happening.rank).or_insert_with(|| LastOfTask {
            rank: happening.rank,
            ..LastOfTask::default()
        });
        let dated = || Dated {
            place,
            // What the causal order has put forward may lie behind the moment of reading.
            ago: Duration::from_nanos(u64::try_from(until.saturating_sub(happening.time)).unwrap_or(0)),
            happening: happening.clone().into_owned(),
        };
        let kind = match happening.tie {
            Tie::From(_, Some(_)) => Some(&mut task.received),
            Tie::To(_, Some(_)) => Some(&mut task.sent),
            Tie::Leaves(..) => Some(&mut task.left),
            Tie::From(_, None) | Tie::To(_, None) | Tie::Enters(..) | Tie::None => None,
        };
        if let Some(last) = kind {
            last.get_or_insert_with(dated);
        }
        if task.events.len() < KEPT {
            task.events.push(dated());
        }
    }
    for task in tasks.values_mut() {
        task.events.reverse();
    }
    LastEvents {
        tasks: tasks.into_values().collect(),
        until: now.map_or(Until::LastEvent, |_| Until::Now),
    }
}
