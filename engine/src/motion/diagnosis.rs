//! The kind of trouble that two moments of a job show.

use super::{ClassMotion, Motion};
use crate::Who;
use crate::answer::Activity;
use crate::assemble::JobView;

/// What kind of trouble a job is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Diagnosis {
    /// All tasks wait for others, and none went on.
    Deadlock,
    /// Nobody went on; the hindmost computes without leaving its place (an endless loop, or one that takes long).
    InPlace,
    /// Nobody went on; the hindmost waits for something that is no other task's to give.
    Outside,
    /// Tasks that the others wait for cannot run.
    Halted,
    /// The hindmost went on: it is slow.
    Slow,
    /// The hindmost moves, and whether it goes on is not known.
    Moving,
    /// Others went on and the hindmost did not.
    LeftBehind,
    /// Nobody is behind, or nobody could be named, and all tasks went on.
    Running,
    /// None of these, or not known.
    Unclear,
}

/// The kind of trouble, in words.
pub(super) fn diagnose(
    job: &JobView<'_>,
    motions: &[Motion],
    classes: &[ClassMotion],
) -> (Diagnosis, String) {
    let seen = Seen::new(job, motions, classes);
    seen.all_came_on()
        .or_else(|| seen.some_halted())
        .or_else(|| seen.nobody_came_on())
        .or_else(|| seen.all_moved())
        .or_else(|| seen.of_hindmost())
        .unwrap_or_else(|| seen.unclear())
}

/// What two looks have shown of the tasks, for the steps of a diagnosis. Each step presumes that those before it have found nothing.
struct Seen<'j> {
    job: &'j JobView<'j>,
    total: u64,
    /// All tasks together.
    all: ClassMotion,
    /// The hindmost together, if some are named.
    hindmost: ClassMotion,
    members: Vec<usize>,
}

impl<'j> Seen<'j> {
    fn new(job: &'j JobView<'j>, motions: &[Motion], classes: &[ClassMotion]) -> Self {
        let mut seen = Self {
            job,
            total: motions.len() as u64,
            all: ClassMotion::default(),
            hindmost: ClassMotion::default(),
            members: Vec::new(),
        };
        for class in classes {
            seen.all.add(class);
        }
        for &class in job.hindmost_classes() {
            seen.hindmost.add(&classes[class]);
            seen.members
                .extend(job.classes.classes[class].members.iter().copied());
        }
        seen
    }

    fn everybody(&self) -> String {
        let read = if self.job.is_complete {
            ""
        } else {
            " that were seen"
        };
        match self.total {
            1 => format!("the only task{read}"),
            total => format!("all {total} tasks{read}"),
        }
    }

    fn who(&self) -> Who {
        Who::new(self.members.iter().map(|&at| self.job.tasks[at]), &|_| false)
    }

    /// Whether all of these are; those of one kind do the same.
    fn are_blocked(&self, mut tasks: impl Iterator<Item = usize>) -> bool {
        let is_first = |&task: &usize| self.job.likes[task].is_first();
        tasks.all(|task| !is_first(&task) || self.is_blocked(task))
    }

    fn is_blocked(&self, task: usize) -> bool {
        matches!(self.job.activity(task), Activity::Blocked(_))
    }

    /// Whether so many are all of the hindmost.
    fn is_all_hindmost(&self, count: u64) -> bool {
        count == self.members.len() as u64 && count > 0
    }

    fn all_came_on(&self) -> Option<(Diagnosis, String)> {
        if self.total == 0 || self.all.forward < self.total {
            return None;
        }
        if self.members.is_empty() || self.total == 1 {
            let far = self
                .all
                .from_to
                .as_ref()
                .map(|(from, to)| format!(" (one from {from} to {to})"));
            let text = format!(
                "the job runs: {} went on{}",
                self.everybody(),
                far.unwrap_or_default()
            );
            return Some((Diagnosis::Running, text));
        }
        let text = format!(
            "slow, not hung: {} went on{}, and so did all others",
            self.who(),
            from_to(&self.hindmost)
        );
        Some((Diagnosis::Slow, text))
    }

    fn some_halted(&self) -> Option<(Diagnosis, String)> {
        let (total, halted) = (self.total, self.all.halted);
        if halted == 0 {
            return None;
        }
        let text = match (total - halted, self.all.forward + self.all.moved) {
            (0, _) => format!("{} cannot run: the job is stopped as a whole", self.everybody()),
            (_, 0) => format!("{halted} of {total} tasks cannot run, and none of the others went on"),
            (others, moving) => {
                format!("{halted} of {total} tasks cannot run, while {moving} of the {others} others move")
            }
        };
        Some((Diagnosis::Halted, text))
    }

    fn nobody_came_on(&self) -> Option<(Diagnosis, String)> {
        let everybody = self.everybody();
        let all_wait = self.all.waiting == self.total && self.total > 1;
        if all_wait && self.are_blocked(0..self.job.tasks.len()) {
            return Some(if self.job.is_complete {
                let text = format!("deadlock: {everybody} wait for each other, and none went on");
                (Diagnosis::Deadlock, text)
            } else {
                // Whoever was not seen may be the one that all of them wait for.
                let text =
                    format!("{everybody} wait for others, and none went on; those not seen may hold them up");
                (Diagnosis::Unclear, text)
            });
        }
        let text = format!("{everybody} are where they were: hung, or at the same places again");
        (self.all.same_place == self.total && self.total > 0).then_some((Diagnosis::Unclear, text))
    }

    fn all_moved(&self) -> Option<(Diagnosis, String)> {
        let text = format!(
            "the job moves: {} are elsewhere, or have other values, than before",
            self.everybody()
        );
        let moved = self.all.forward + self.all.moved;
        let is_whole = self.total > 0 && moved == self.total && self.members.is_empty();
        is_whole.then_some((Diagnosis::Running, text))
    }

    fn of_hindmost(&self) -> Option<(Diagnosis, String)> {
        let Self { all, hindmost, .. } = self;
        let (who, rest) = (self.who(), self.rest());
        let (waiting, in_place) = (
            self.is_all_hindmost(hindmost.waiting),
            self.is_all_hindmost(hindmost.in_place),
        );
        if hindmost.forward > 0 {
            let text = format!("slow, not hung: {who} went on{}{rest}", from_to(hindmost));
            return Some((Diagnosis::Slow, text));
        }
        if all.forward > 0 && (waiting || in_place) {
            let does = if waiting { "stands" } else { "computes in place" };
            return Some((Diagnosis::LeftBehind, format!("{who} {does}{rest}")));
        }
        if hindmost.moved > 0 {
            let text = format!(
                "{who} moves{}, and whether it goes on is not known{rest}",
                from_to(hindmost)
            );
            return Some((Diagnosis::Moving, text));
        }
        if in_place {
            let text = match &hindmost.in_loop {
                Some(place) => {
                    format!("{who} computes in the loop at {place}, which is endless or long{rest}")
                }
                None => format!("{who} computes without leaving its place{rest}"),
            };
            return Some((Diagnosis::InPlace, text));
        }
        if waiting && !self.members.iter().any(|&task| self.is_blocked(task)) {
            let text = format!("{who} waits for something outside the job{rest}");
            return Some((Diagnosis::Outside, text));
        }
        waiting.then(|| (Diagnosis::Unclear, format!("{who} waits for another task{rest}")))
    }

    /// What the others did meanwhile.
    fn rest(&self) -> String {
        let others = self.total - self.members.len() as u64;
        let forward = self.all.forward - self.hindmost.forward;
        let unknown = self.all.unknown - self.hindmost.unknown;
        match (others, forward, unknown) {
            (0, _, _) => String::new(),
            (_, 0, 0) => ", and nobody else went on".to_owned(),
            (others, 0, unknown) => format!(", and of {unknown} of the {others} others it is not known"),
            (others, forward, _) => format!(", while {forward} of the {others} others went on"),
        }
    }

    fn unclear(&self) -> (Diagnosis, String) {
        let why = self.all.because.as_ref().map(|why| format!(" ({why})"));
        let text = format!(
            "{}: {}{}",
            self.everybody(),
            self.all.words(),
            why.unwrap_or_default()
        );
        (Diagnosis::Unclear, text)
    }
}

fn from_to(motion: &ClassMotion) -> String {
    motion
        .from_to
        .as_ref()
        .map(|(from, to)| format!(" from {from} to {to}"))
        .unwrap_or_default()
}
