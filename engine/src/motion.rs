//! Two moments of a job: who came on in between, who stands, who computes without leaving its place.
//!
//! A hung job and a slow one look alike in one snapshot. Of the same task at two moments the order tells whether it
//! came on, by the same rules that order different tasks; whatever it cannot tell stays unknown here too.

use crate::answer::Activity;
use crate::assemble::JobView;
use crate::paths::short_name;
use crate::{Relation, Who, frames, stacks};
use progress::{Located, Verdict};
use progress_map::LoopId;
use snapshot::Task;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

/// The moment before.
#[derive(Clone, Copy, Debug)]
pub struct Earlier<'a> {
    /// The tasks as they were, by the same names.
    pub tasks: &'a [Task],
    /// How long before.
    pub elapsed: Duration,
}

/// What one task did between two moments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Motion {
    /// It came on. The values of the outermost loop that it came on in, as `it=41`, before and after; `None` when it came
    /// on within one iteration, or outside of loops.
    Forward(Option<(String, String)>),
    /// It waits at the same point of the same iteration.
    Waiting,
    /// It executes the program's code, at the same point of the same iteration; or in the same loop, in which nothing
    /// counts: then the place of that loop.
    InPlace(Option<String>),
    /// Not known, with the reason.
    Unknown(String),
}

/// What the tasks of one class did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassMotion {
    /// Tasks that came on.
    pub forward: u64,
    /// Tasks that wait where they waited.
    pub waiting: u64,
    /// Tasks that compute where they computed.
    pub in_place: u64,
    /// Tasks of which it is not known.
    pub unknown: u64,
    /// The loop in which the first of those computes that are in one that nothing counts.
    pub in_loop: Option<String>,
    /// How far the first that came on did.
    pub from_to: Option<(String, String)>,
    /// Why it is not known of the first of which it is not.
    pub because: Option<String>,
}

/// What kind of trouble a job is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Diagnosis {
    /// All tasks wait for others, and none came on.
    Deadlock,
    /// Nobody came on; the hindmost computes without leaving its place (an endless loop, or one that takes long).
    InPlace,
    /// Nobody came on; the hindmost waits for something that is no other task's to give.
    Outside,
    /// The hindmost came on: it is slow.
    Slow,
    /// Others came on and the hindmost did not.
    LeftBehind,
    /// Nobody is behind, or nobody could be named, and all tasks came on.
    Running,
    /// None of these, or not known.
    Unclear,
}

/// What a job did between two moments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobMotion {
    /// How long the two moments are apart.
    pub elapsed: Duration,
    /// The kind of trouble.
    pub diagnosis: Diagnosis,
    /// The same as a sentence without its full stop.
    pub sentence: String,
    /// Per class of the answer.
    pub classes: Vec<ClassMotion>,
}

/// Compares every task with itself.
pub(crate) fn of(job: &JobView<'_>, earlier: Earlier<'_>) -> JobMotion {
    let before: BTreeMap<&str, &Task> = earlier
        .tasks
        .iter()
        .map(|task| (task.task.as_str(), task))
        .collect();
    let motions: Vec<Motion> = (0..job.tasks.len())
        .map(|at| match before.get(job.tasks[at].task.as_str()) {
            Some(task) if task.pid == job.tasks[at].pid => motion(job, task, at),
            Some(_) => Motion::Unknown("another process has its rank by now".to_owned()),
            None => Motion::Unknown("it was not there the first time".to_owned()),
        })
        .collect();
    let classes: Vec<ClassMotion> = job
        .classes
        .classes
        .iter()
        .map(|class| ClassMotion::of(class.members.iter().map(|&at| &motions[at])))
        .collect();
    let (diagnosis, sentence) = diagnose(job, &motions, &classes);
    JobMotion {
        elapsed: earlier.elapsed,
        diagnosis,
        sentence,
        classes,
    }
}

fn motion(job: &JobView<'_>, before: &Task, at: usize) -> Motion {
    let first = job.order.locate(&stacks::execution_point(before));
    let second = &job.located[at];
    if let Some(obstacle) = first.obstacle {
        return Motion::Unknown(format!("the first time, {obstacle}"));
    }
    let verdict = job.order.compare(&first, second);
    match verdict.relation {
        Relation::Before => {
            let then = frames::iteration(job.map, &first);
            let now = frames::iteration(job.map, second);
            let moved = then
                .iter()
                .zip(&now)
                .take_while(|(a, b)| (&a.function, &a.variable) == (&b.function, &b.variable))
                .find(|(a, b)| a.value != b.value);
            let shown = |value: &crate::LoopValue| format!("{}={}", value.variable, value.value);
            Motion::Forward(moved.map(|(a, b)| (shown(a), shown(b))))
        }
        Relation::Equal => match job.activity(at) {
            // Its other threads compute, for all that is known.
            Activity::Computing | Activity::Joining(_) => Motion::InPlace(None),
            Activity::Blocked(_) | Activity::Inside(_) => Motion::Waiting,
        },
        // Time does not run backwards: a loop around both was entered anew, and nothing readable tells so.
        Relation::After => Motion::Unknown("it is at an earlier point of what it seems to repeat".to_owned()),
        Relation::Incomparable | Relation::Unknown => match uncounted_loop(job, &first, at, &verdict) {
            Some(place) => Motion::InPlace(Some(place)),
            None => Motion::Unknown(progress::sentence(job.map, &verdict, &first, second)),
        },
    }
}

/// Where the loop is in which the task's own code was at both moments, if nothing counts in it: `poisson.c:85`.
///
/// The task has not left it. All around it was found to be the same point of the same iterations, which is passed
/// once, and a loop that lies in no other undecided one is entered once from there.
fn uncounted_loop(job: &JobView<'_>, first: &Located, at: usize, verdict: &Verdict) -> Option<String> {
    let second = &job.located[at];
    let depth = verdict.proof.depth;
    let innermost = |located: &Located| located.frames.len() == depth + 1;
    if verdict.relation != Relation::Unknown || !innermost(first) || !innermost(second) {
        return None;
    }
    let id = verdict.proof.function?;
    let function = &job.map.functions[id];
    let loops = |located: &Located| frames::loops_around(function, &located.frames[depth]);
    let is_told = |of: &LoopId| {
        let mut same = verdict.proof.same.iter();
        same.any(|same| (same.function, same.in_loop) == (id, *of))
    };
    // The outermost that nothing tells is the one that could not be decided.
    let undecided = loops(first).into_iter().find(|of| !is_told(of))?;
    if !loops(second).contains(&undecided) || !function.loops[undecided].lovs.is_empty() {
        return None;
    }
    let line = function.loops[undecided].span.line;
    Some(format!("{}:{line}", short_name(job.map, function.file)))
}

impl ClassMotion {
    fn of<'a>(motions: impl Iterator<Item = &'a Motion>) -> Self {
        let mut sum = Self::default();
        for motion in motions {
            match motion {
                Motion::Forward(from_to) => {
                    sum.forward += 1;
                    sum.from_to = sum.from_to.or_else(|| from_to.clone());
                }
                Motion::Waiting => sum.waiting += 1,
                Motion::InPlace(in_loop) => {
                    sum.in_place += 1;
                    sum.in_loop = sum.in_loop.take().or_else(|| in_loop.clone());
                }
                Motion::Unknown(why) => {
                    sum.unknown += 1;
                    sum.because.get_or_insert_with(|| why.clone());
                }
            }
        }
        sum
    }

    /// What the class did, in a few words: `moving, it=41 to it=44`.
    pub fn words(&self) -> String {
        let total = self.forward + self.waiting + self.in_place + self.unknown;
        let mut parts = Vec::new();
        for (count, words) in [
            (self.forward, "moving"),
            (self.in_place, "computing in place"),
            (self.waiting, "stuck"),
            (self.unknown, "moving or stuck"),
        ] {
            if count == 0 {
                continue;
            }
            let mut part = if count == total {
                String::new()
            } else {
                format!("{count} ")
            };
            part.push_str(words);
            if words == "moving"
                && let Some((from, to)) = &self.from_to
            {
                let _ = write!(part, " (from {from} to {to})");
            }
            parts.push(part);
        }
        parts.join(", ")
    }

    fn add(&mut self, other: &Self) {
        self.forward += other.forward;
        self.waiting += other.waiting;
        self.in_place += other.in_place;
        self.unknown += other.unknown;
        self.from_to = self.from_to.take().or_else(|| other.from_to.clone());
        self.because = self.because.take().or_else(|| other.because.clone());
        self.in_loop = self.in_loop.take().or_else(|| other.in_loop.clone());
    }
}

fn diagnose(job: &JobView<'_>, motions: &[Motion], classes: &[ClassMotion]) -> (Diagnosis, String) {
    let mut all = ClassMotion::default();
    for class in classes {
        all.add(class);
    }
    let total = motions.len() as u64;
    let read = if job.is_whole { "" } else { " that could be read" };
    let everybody = match total {
        1 => format!("the only task{read}"),
        _ => format!("all {total} tasks{read}"),
    };
    let mut hindmost = ClassMotion::default();
    let mut members = Vec::new();
    for &class in job.hindmost_classes() {
        hindmost.add(&classes[class]);
        members.extend(job.classes.classes[class].members.iter().copied());
    }
    let who = Who::new(members.iter().map(|&at| job.tasks[at]), &|_| false);
    let blocked = |at: usize| matches!(job.activity(at), Activity::Blocked(_));
    if total > 0 && all.forward == total {
        let far = all
            .from_to
            .as_ref()
            .map(|(from, to)| format!(" (one from {from} to {to})"));
        let far = far.unwrap_or_default();
        if members.is_empty() || total == 1 {
            return (
                Diagnosis::Running,
                format!("the job runs: {everybody} came on{far}"),
            );
        }
        return (
            Diagnosis::Slow,
            format!(
                "slow, not hung: {who} came on{}, and so did all others",
                from_to(&hindmost)
            ),
        );
    }
    if all.waiting == total && total > 1 && (0..motions.len()).all(blocked) {
        return (
            Diagnosis::Deadlock,
            format!("deadlock: {everybody} wait for each other, and none came on"),
        );
    }
    let others = total - members.len() as u64;
    let rest = match (
        others,
        all.forward - hindmost.forward,
        all.unknown - hindmost.unknown,
    ) {
        (0, _, _) => String::new(),
        (_, 0, 0) => ", and nobody else came on".to_owned(),
        (others, 0, unknown) => format!(", and of {unknown} of the {others} others it is not known"),
        (others, forward, _) => format!(", while {forward} of the {others} others came on"),
    };
    let part = |count: u64| count == members.len() as u64 && count > 0;
    if hindmost.forward > 0 {
        let came = format!("slow, not hung: {who} came on{}{rest}", from_to(&hindmost));
        return (Diagnosis::Slow, came);
    }
    if all.forward > 0 && (part(hindmost.waiting) || part(hindmost.in_place)) {
        let does = if part(hindmost.waiting) {
            "stands"
        } else {
            "computes in place"
        };
        return (Diagnosis::LeftBehind, format!("{who} {does}{rest}"));
    }
    if part(hindmost.in_place) {
        let text = match hindmost.in_loop {
            Some(place) => format!("{who} computes in the loop at {place}, which is endless or long{rest}"),
            None => format!("{who} computes without leaving its place{rest}"),
        };
        return (Diagnosis::InPlace, text);
    }
    if part(hindmost.waiting) && !members.iter().any(|&at| blocked(at)) {
        let text = format!("{who} waits for something outside the job{rest}");
        return (Diagnosis::Outside, text);
    }
    if part(hindmost.waiting) {
        return (Diagnosis::Unclear, format!("{who} waits for another task{rest}"));
    }
    let counts = all.words();
    let why = all.because.map(|why| format!(" ({why})")).unwrap_or_default();
    (Diagnosis::Unclear, format!("{everybody}: {counts}{why}"))
}

fn from_to(motion: &ClassMotion) -> String {
    motion
        .from_to
        .as_ref()
        .map(|(from, to)| format!(" from {from} to {to}"))
        .unwrap_or_default()
}
