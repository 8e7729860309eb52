//! How often the tasks of a running job are looked at, and what all looks together have shown.
//!
//! One look may leave the order to chance: a task can be caught in an instruction that belongs to two statements. And where the answer
//! rests on who stands still, a second look tells. All tasks are looked at anew each time, since an order is of one moment.

use crate::job_map::JobMap;
use crate::live::add_lines_of_job;
use crate::tasks::Tasks;
use base::RankSet;
use engine::{Analysis, Answer, Map, Outcome};
use runtime_probe::{Job, Options};
use snapshot::{Header, Task};
use std::time::{Duration, Instant};

/// One look at the tasks of a job. What the map does not tell of a stack, debug info does: of all tasks if there is no map, else of those that
/// run something else or could not be read whole.
pub fn take_tasks(found: &JobMap, job: &Job, options: Options) -> (Header, Vec<Task>) {
    let (header, mut records) = runtime_probe::take_each(&found.maps(), &job.tasks, options);
    let no_map = found.is_empty();
    let wants_lines = |task: &&mut Task| no_map || task.error.is_some();
    let mut without = Vec::from_iter(records.iter_mut().filter(wants_lines).map(std::mem::take));
    add_lines_of_job(&mut without, job);
    let places = records
        .iter_mut()
        .filter(|task| task.frames.is_empty() && task.task.is_empty());
    places.zip(without).for_each(|(place, task)| *place = task);
    (header, records)
}

/// How often a job is looked at where a look leaves the answer to chance, and how long apart.
const LOOKS: usize = 8;
const BETWEEN_LOOKS: Duration = Duration::from_millis(3);

/// How long tasks are given to go on; those that have not by then are taken to stand still, where the answer rests on that.
const TO_COME_ON: Duration = Duration::from_millis(100);

/// What the user wants beside what it takes to tell something.
#[derive(Clone, Copy, Debug)]
pub struct WantedLooks {
    /// A second look so much later.
    pub apart: Option<Duration>,
    /// So many samples in all.
    pub samples: u32,
    /// How long apart these are.
    pub every: Duration,
}

/// How a job is looked at once.
#[derive(Clone, Copy)]
pub struct Look<'l> {
    /// So that every task has a record.
    pub each: &'l dyn Fn() -> (Header, Vec<Task>),
    /// So that those have one that say all: a few, where no other look is held against this one.
    pub enough: &'l dyn Fn() -> (Header, Tasks),
}

/// What several looks at a job have shown.
pub struct Looks {
    /// What the last look says of itself.
    pub header: Header,
    /// What it has shown.
    pub records: Tasks,
    /// What was seen before that, and how long before.
    pub first: Option<(Vec<Task>, Duration)>,
    /// What was seen in between, where several samples are wanted.
    pub samples: Vec<Vec<Task>>,
}

impl Looks {
    /// As many looks as are wanted, or as it takes to tell something.
    pub fn taken(wanted: WantedLooks, map: &Map, missing: &RankSet, look: Look<'_>) -> Self {
        let is_last = wanted.apart.is_none() && wanted.samples <= 1;
        let (header, records) = if is_last { (look.enough)() } else { each(look) };
        let mut looks = Looks {
            header,
            records,
            first: None,
            samples: Vec::new(),
        };
        // A moment later it is somewhere else, if it computes.
        for _ in 1..LOOKS {
            match &looks.records {
                Tasks::Each(records) if is_undecided_by_chance(map, records, missing) => {}
                Tasks::Each(_) | Tasks::Few(_) => break,
            }
            looks.again(
                BETWEEN_LOOKS,
                || if is_last { (look.enough)() } else { each(look) },
            );
        }
        let begun = Instant::now();
        let apart = wanted.apart.or_else(|| match &looks.records {
            Tasks::Each(records) => answer_of(map, records, missing)
                .needs_second_look()
                .then_some(TO_COME_ON),
            Tasks::Few(_) => None,
        });
        if let Some(apart) = apart {
            let before = looks.again(apart, || each(look));
            looks.first = before.map(|before| (before, begun.elapsed()));
        }
        for _ in 1..wanted.samples {
            let before = looks.again(wanted.every, || each(look));
            looks.samples.extend(before);
        }
        looks
    }

    /// Another look after a pause; gives what the one before has shown, if that was every task.
    fn again(&mut self, pause: Duration, take: impl FnOnce() -> (Header, Tasks)) -> Option<Vec<Task>> {
        std::thread::sleep(pause);
        let (header, records) = take();
        self.header = header;
        match std::mem::replace(&mut self.records, records) {
            Tasks::Each(before) => Some(before),
            Tasks::Few(_) => None,
        }
    }
}

/// A look at every task.
fn each(look: Look<'_>) -> (Header, Tasks) {
    let (header, records) = (look.each)();
    (header, Tasks::Each(records))
}

/// Whether a task was caught in an instruction that belongs to two statements, and nothing is decided: another look may find it in one
/// of them.
fn is_undecided_by_chance(map: &Map, records: &[Task], missing: &RankSet) -> bool {
    let mut frames = records.iter().flat_map(|task| &task.frames);
    frames.any(|frame| frame.inexact) && answer_of(map, records, missing).outcome == Outcome::Undecided
}

/// What one look says.
fn answer_of(map: &Map, records: &[Task], missing: &RankSet) -> Answer {
    Analysis::new(map, records, missing.clone()).answer()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn looks(inexact: bool, samples: u32) -> (u32, Looks) {
        let taken = Cell::new(0);
        let take = || {
            taken.set(taken.get() + 1);
            let frame = snapshot::Frame {
                function: "main".to_owned(),
                inexact,
                ..snapshot::Frame::default()
            };
            let task = |rank: u32| Task {
                task: rank.to_string(),
                rank: Some(rank),
                frames: vec![frame.clone()].into(),
                ..Task::default()
            };
            (Header::default(), vec![task(0), task(1)])
        };
        let wanted = WantedLooks {
            apart: Some(Duration::ZERO),
            samples,
            every: Duration::ZERO,
        };
        let look = Look {
            each: &take,
            enough: &|| unreachable!("more than one look is wanted"),
        };
        let looks = Looks::taken(wanted, &Map::default(), &RankSet::default(), look);
        (taken.get(), looks)
    }

    #[test]
    fn each_sample_and_the_second_moment_are_looks_of_their_own() {
        let (taken, looks) = looks(false, 3);
        assert_eq!(taken, 4);
        assert_eq!(looks.samples.len(), 2);
        assert_eq!(looks.first.map(|(tasks, _)| tasks.len()), Some(2));
    }
}
