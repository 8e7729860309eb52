//! Two moments of a job: who went on in between, who stands, who computes without leaving its place.
//!
//! A hung job and a slow one look alike in one snapshot. Of the same task at two moments the order tells whether it
//! went on, by the same rules that order different tasks; whatever it cannot tell stays unknown here too.

mod diagnosis;

pub use diagnosis::Diagnosis;
use diagnosis::diagnose;

use crate::alike::{Alike, KindId};
use crate::answer::Activity;
use crate::assemble::JobView;
use crate::outside::{OutsideGroup, WithoutPlace};
use crate::paths::short_name;
use crate::state::HaltedBy;
use crate::{Relation, frames, stacks, state};
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
    /// It went on. The values of the outermost loop that it went on in, as `it=41`, before and after; `None` when it went
    /// on within one iteration, or outside of loops.
    Forward(Option<(String, String)>),
    /// It waits at the same point of the same iteration.
    Waiting,
    /// It executes the program's code, at the same point of the same iteration; or in the same loop, in which nothing
    /// counts: then the place of that loop.
    InPlace(Option<String>),
    /// Its stack or its values are others, and whether it went on is not known. The first value that is another, before and after.
    Moved(Option<(String, String)>),
    /// It is where it was, and nothing tells whether it has been elsewhere in between.
    SamePlace,
    /// It cannot run: it is stopped, or it has ended.
    Halted,
    /// Not known, with the reason.
    Unknown(String),
}

/// What the tasks of one class did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassMotion {
    /// Tasks that went on.
    pub forward: u64,
    /// Tasks that wait where they waited.
    pub waiting: u64,
    /// Tasks that compute where they computed.
    pub in_place: u64,
    /// Tasks whose stack or values are others, forward or not.
    pub moved: u64,
    /// Tasks that are where they were, perhaps again.
    pub same_place: u64,
    /// Tasks that cannot run.
    pub halted: u64,
    /// Tasks of which it is not known.
    pub unknown: u64,
    /// The loop of the first task that computes in a loop without a counter.
    pub in_loop: Option<String>,
    /// How far the first that went on did.
    pub from_to: Option<(String, String)>,
    /// Of the first task of which it is not known whether it went on: why not.
    pub because: Option<String>,
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

/// The tasks at an earlier moment, by their names.
pub(crate) struct Before<'a> {
    sorted: Vec<&'a Task>,
}

impl<'a> Before<'a> {
    pub(crate) fn of(tasks: &'a [Task]) -> Self {
        let mut sorted = Vec::from_iter(tasks);
        // Stable: of several with one name the first comes first.
        sorted.sort_by(|a, b| a.task.cmp(&b.task));
        Self { sorted }
    }

    pub(crate) fn named(&self, name: &str) -> impl Iterator<Item = &'a Task> {
        let first = self.sorted.partition_point(|task| task.task.as_str() < name);
        let same = self.sorted[first..].iter().copied();
        same.take_while(move |task| task.task == name)
    }
}

/// Compares every task with itself. `without_place` are the tasks that have no place in the order.
pub(crate) fn of(job: &JobView<'_>, earlier: Earlier<'_>, without_place: &[OutsideGroup<'_>]) -> JobMotion {
    let mut watched = Watched::new(earlier);
    let mut motions: Vec<Motion> = (0..job.tasks.len()).map(|at| watched.placed(job, at)).collect();
    let mut classes: Vec<ClassMotion> = job
        .classes
        .classes
        .iter()
        .map(|class| ClassMotion::of(class.members.iter().map(|&at| &motions[at])))
        .collect();
    for group in without_place {
        let of_group = group.tasks.iter().map(|other| watched.outside(other));
        let of_group = Vec::from_iter(of_group);
        if group.stack.is_some() {
            classes.push(ClassMotion::of(of_group.iter()));
        }
        motions.extend(of_group);
    }
    let (diagnosis, sentence) = diagnose(job, &motions, &classes);
    JobMotion {
        elapsed: earlier.elapsed,
        diagnosis,
        sentence,
        classes,
    }
}

/// A kind of task at two moments: then, now, and whether both are of one rank.
type Pair = (KindId, KindId, bool);

/// The tasks at the earlier moment, and what is known of those that were alike then and are so now.
struct Watched<'a> {
    before: BTreeMap<&'a str, (&'a Task, KindId)>,
    known: BTreeMap<Pair, Motion>,
    known_outside: BTreeMap<Pair, Motion>,
}

impl<'a> Watched<'a> {
    fn new(earlier: Earlier<'a>) -> Self {
        let alike = Alike::of(earlier.tasks);
        let kinds = alike.likes.iter().map(|like| like.kind);
        let tasks = earlier.tasks.iter().zip(kinds);
        Self {
            before: tasks
                .map(|(task, kind)| (task.task.as_str(), (task, kind)))
                .collect(),
            known: BTreeMap::new(),
            known_outside: BTreeMap::new(),
        }
    }

    fn seen_before(&self, now: &Task) -> Result<(&'a Task, KindId), Motion> {
        match self.before.get(now.task.as_str()) {
            Some(&(task, kind)) if task.pid == now.pid => Ok((task, kind)),
            Some(_) => Err(Motion::Unknown("another process has its rank by now".to_owned())),
            None => Err(Motion::Unknown("it was not there the first time".to_owned())),
        }
    }

    fn placed(&mut self, job: &JobView<'_>, at: usize) -> Motion {
        let now = job.tasks[at];
        let (before, then) = match self.seen_before(now) {
            Ok(seen) => seen,
            Err(unknown) => return unknown,
        };
        let is_one_rank = before.rank.is_some() && before.rank == now.rank;
        let pair = (then, job.likes[at].kind, is_one_rank);
        if let Some(known) = self.known.get(&pair) {
            return known.clone();
        }
        let motion = motion(job, before, at);
        // Why it is not known may name the task.
        if !matches!(motion, Motion::Unknown(_)) {
            self.known.insert(pair, motion.clone());
        }
        motion
    }

    fn outside(&mut self, other: &WithoutPlace<'_>) -> Motion {
        match self.seen_before(other.task) {
            Err(unknown) => unknown,
            Ok((before, then)) => {
                let known = self.known_outside.entry((then, other.like.kind, true));
                known
                    .or_insert_with(|| motion_outside(before, other.task))
                    .clone()
            }
        }
    }
}

/// What a task did that has no place in the order: its stack alone tells.
fn motion_outside(before: &Task, now: &Task) -> Motion {
    if state::halted_by(now).is_some() {
        return Motion::Halted;
    }
    if now.frames.is_empty() {
        return Motion::Unknown("its stack was not seen".to_owned());
    }
    match differs(before, now) {
        Some(values) => Motion::Moved(values),
        None => Motion::SamePlace,
    }
}

fn motion(job: &JobView<'_>, before: &Task, at: usize) -> Motion {
    if matches!(
        state::halted_by(job.tasks[at]),
        Some(HaltedBy::Signal | HaltedBy::Tracer(_) | HaltedBy::Ended)
    ) {
        return Motion::Halted;
    }
    let first = job.order.locate(&stacks::execution_point(job.map, before));
    // Two stacks of one rank are two moments of one task.
    let second = &stacks::renamed(job.located(at), job.tasks[at]);
    if let Some(obstacle) = first.obstacle {
        return Motion::Unknown(format!("the first time, {obstacle}"));
    }
    let verdict = job.order.compare(&first, second);
    // A task whose stack or values differ has moved, even if the order cannot tell whether it went forward. A task of which nothing
    // differs was not seen to move.
    let otherwise = || match differs(before, job.tasks[at]) {
        Some(values) => Motion::Moved(values),
        None => Motion::SamePlace,
    };
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
        Relation::After => otherwise(),
        Relation::Incomparable | Relation::Unknown => match uncounted_loop(job, &first, at, &verdict) {
            Some(place) => Motion::InPlace(Some(place)),
            None => otherwise(),
        },
    }
}

/// Whether a task is elsewhere than it was, or has other values; then with the first value that is another. What MPI and the other
/// runtimes do inside a call of the program does not count: there ranks poll.
fn differs(before: &Task, now: &Task) -> Option<Option<(String, String)>> {
    let own = |task: &'_ Task| -> usize {
        let entry = task.frames.iter().position(|frame| {
            base::mpi_entry_point(&frame.function).is_some()
                || (frame.module.as_deref()).is_some_and(library::is_runtime_library)
        });
        // What calls `main` is in a library, too: the last frame of the program counts.
        let last = task.frames.iter().rposition(|frame| {
            base::mpi_entry_point(&frame.function).is_none()
                && !frame.module.as_deref().is_some_and(library::is_runtime_library)
        });
        entry.map_or(task.frames.len(), |entry| {
            entry.max(last.map_or(0, |last| last + 1))
        })
    };
    let (then, since) = (&before.frames[..own(before)], &now.frames[..own(now)]);
    let mut values = then.iter().zip(since).flat_map(|(a, b)| {
        let in_both = a.values.iter();
        in_both.filter_map(|(name, was)| Some((name, was, b.values.get(name)?)))
    });
    let changed = values.find(|(_, was, is)| was != is);
    let place = |frame: &snapshot::Frame| (frame.function.clone(), frame.pc, frame.line, frame.column);
    let moved = changed.is_some()
        || then.len() != since.len()
        || then.iter().zip(since).any(|(a, b)| place(a) != place(b));
    moved.then(|| changed.map(|(name, was, is)| (shown(name, was), shown(name, is))))
}

fn shown(name: &str, value: &snapshot::Value) -> String {
    match value {
        snapshot::Value::Integer(value) => format!("{name}={value}"),
        snapshot::Value::Unsigned(value) => format!("{name}={value}"),
        snapshot::Value::Float(value) => format!("{name}={value}"),
        snapshot::Value::Other(value) => format!("{name}={value}"),
    }
}

/// Where the loop is in which the task's own code was at both moments, if nothing counts in it: `poisson.c:85`.
///
/// The task has not left it. All around it was found to be the same point of the same iterations, which is passed
/// once, and a loop that lies in no other undecided one is entered once from there.
fn uncounted_loop(job: &JobView<'_>, first: &Located, at: usize, verdict: &Verdict) -> Option<String> {
    let second = job.located(at);
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
    /// Whether some task of the class went on, or is elsewhere.
    pub(crate) fn has_moved(&self) -> bool {
        self.forward + self.moved > 0
    }

    /// Whether every task of the class was seen to stand still, in the call that it was in.
    pub(crate) fn stood_still(&self) -> bool {
        let others = self.forward + self.moved + self.in_place + self.same_place + self.halted + self.unknown;
        self.waiting > 0 && others == 0
    }

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
                Motion::Moved(from_to) => {
                    sum.moved += 1;
                    sum.from_to = sum.from_to.take().or_else(|| from_to.clone());
                }
                Motion::SamePlace => sum.same_place += 1,
                Motion::Halted => sum.halted += 1,
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
        let total = self.forward
            + self.waiting
            + self.in_place
            + self.moved
            + self.same_place
            + self.halted
            + self.unknown;
        let mut parts = Vec::new();
        let from_to = self.from_to.as_ref();
        for (count, words, from_to) in [
            (self.forward, "moving", from_to),
            (self.moved, "moving, forward or not", from_to),
            (self.in_place, "computing in place", None),
            (self.waiting, "stuck", None),
            (self.same_place, "at the same place", None),
            (self.halted, "unable to run", None),
            (self.unknown, "moving or stuck", None),
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
            if let Some((from, to)) = from_to {
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
        self.moved += other.moved;
        self.same_place += other.same_place;
        self.halted += other.halted;
        self.unknown += other.unknown;
        self.from_to = self.from_to.take().or_else(|| other.from_to.clone());
        self.because = self.because.take().or_else(|| other.because.clone());
        self.in_loop = self.in_loop.take().or_else(|| other.in_loop.clone());
    }
}
