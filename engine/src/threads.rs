//! The threads of a task besides its main one: what each does, alike ones together.
//!
//! They take no part in the order: a task is as far as its main thread. A main thread that waits for the task's own
//! threads says little, though: then what they do is what the task does. A thread that is nowhere in the program's code
//! is a helper: of an OpenMP runtime that has no work for it, or of MPI.

use crate::alike::{KindId, Like, Turn};
use crate::answer::{Activity, FirstTask, Position};
use crate::assemble::first_task;
use crate::frames::{self, FrameView};
use crate::named::Named;
use crate::{Who, mpi, outside, stacks};
use library::SharedObject;
use progress::{Located, Order};
use progress_map::Map;
use snapshot::{Task, Thread};
use std::collections::BTreeMap;

/// Threads of the tasks of one class that do the same.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadGroup {
    /// The tasks that have such threads.
    pub who: Who,
    /// The first of these tasks.
    pub first: FirstTask,
    /// How many threads there are, in all these tasks.
    pub threads: u64,
    /// The name of the first of them.
    pub name: String,
    /// What they do.
    pub doing: ThreadActivity,
    /// The stack of the first, outermost first; empty for helpers.
    pub frames: Vec<FrameView>,
}

/// What a thread does.
#[derive(Clone, Debug, PartialEq)]
pub enum ThreadActivity {
    /// It is in the program's code, or in a library below that.
    Working(Position),
    /// It is in a library that did not call the program: its name, without the ending.
    Helper(String),
    /// It could not be read.
    Unreadable(String),
}

/// The threads of some tasks, those that work first.
pub(crate) fn groups<'a>(order: &Order<'_>, tasks: &[(&'a Task, Like)], named: &Named) -> Vec<ThreadGroup> {
    let mut groups: Vec<(ThreadGroup, Vec<&'a Task>)> = Vec::new();
    // The group of each thread of the first task of a kind.
    let mut of_kind: BTreeMap<KindId, Vec<usize>> = BTreeMap::new();
    for &(task, like) in tasks {
        for (number, thread) in task.threads.iter().enumerate() {
            let known = match like.turn {
                Turn::First => None,
                Turn::Second | Turn::Further => of_kind.get(&like.kind).and_then(|of| of.get(number)),
            };
            let seen = (like.turn != Turn::Further).then(|| look(order, task, thread));
            let known = match (known, &seen) {
                (Some(&group), _) => Some(group),
                (None, Some((doing, frames))) => groups
                    .iter()
                    .position(|(group, _)| is_alike(group, doing, frames)),
                (None, None) => None,
            };
            if like.is_first() {
                let group = known.unwrap_or(groups.len());
                of_kind.entry(like.kind).or_default().push(group);
            }
            match (known.and_then(|group| groups.get_mut(group)), seen) {
                (Some((group, members)), seen) => {
                    group.threads += named.weight(task);
                    if let Some((doing, frames)) = seen {
                        mark_differences(group, &doing, &frames);
                    }
                    if !members.last().is_some_and(|last| std::ptr::eq(*last, task)) {
                        members.push(task);
                    }
                }
                (None, Some((doing, frames))) => {
                    let group = ThreadGroup {
                        who: Who::default(),
                        first: first_task(task),
                        threads: named.weight(task),
                        name: thread.name.clone(),
                        doing,
                        frames,
                    };
                    groups.push((group, vec![task]));
                }
                // Of a task that is not the first of its kind the group is known.
                (None, None) => {}
            }
        }
    }
    let mut groups = Vec::from_iter(groups.into_iter().map(|(group, members)| ThreadGroup {
        who: named.who(members),
        ..group
    }));
    groups.sort_by_key(|group| match group.doing {
        ThreadActivity::Working(Position {
            activity: Activity::Computing,
            ..
        }) => 0,
        ThreadActivity::Working(_) => 1,
        ThreadActivity::Unreadable(_) => 2,
        ThreadActivity::Helper(_) => 3,
    });
    groups
}

/// Whether some thread of a task besides its main one is in the program's code.
pub(crate) fn works(order: &Order<'_>, task: &Task) -> bool {
    task.threads.iter().any(|thread| {
        let (alone, located) = located(order, task, thread);
        located.frames.iter().any(|frame| frame.function.is_some()) || is_in_source(order, &alone)
    })
}

/// Whether some frame of a thread is in the program's source, in a function that the map does not have.
fn is_in_source(order: &Order<'_>, alone: &Task) -> bool {
    let point = stacks::execution_point(order.map(), alone);
    point.frames.iter().any(|frame| order.is_in_mapped_file(frame))
}

/// Where the first thread of a task stands that is in the program's code: file and line.
pub(crate) fn working_place(order: &Order<'_>, task: &Task) -> Option<(String, u32)> {
    let works = |thread: &Thread| match look(order, task, thread).0 {
        ThreadActivity::Working(position) if position.line > 0 => Some(position),
        _ => None,
    };
    let mut working = Vec::from_iter(task.threads.iter().filter_map(works));
    working.sort_by_key(|position| position.activity != Activity::Computing);
    let first = working.into_iter().next()?;
    Some((first.file, first.line))
}

pub(crate) fn located(order: &Order<'_>, task: &Task, thread: &Thread) -> (Task, Located) {
    // Without a rank: two threads of one task are not two moments of it.
    let alone = Task {
        task: format!("{} thread {}", task.task, thread.thread),
        frames: thread.frames.clone(),
        error: thread.error.clone(),
        program: task.program.clone(),
        ..Task::default()
    };
    let located = order.locate(&stacks::execution_point(order.map(), &alone));
    (alone, located)
}

pub(crate) fn look(order: &Order<'_>, task: &Task, thread: &Thread) -> (ThreadActivity, Vec<FrameView>) {
    let (alone, located) = located(order, task, thread);
    if located.frames.iter().any(|frame| frame.function.is_some()) {
        let map: &Map = order.map();
        let frames = frames::view(map, &located, &alone);
        let mut position = frames::position(map, &located, &frames);
        position.call = mpi::call(map, &located, &alone);
        return (ThreadActivity::Working(position), frames);
    }
    // Without a map, whoever is in the program's own file does its work.
    let is_own = |module: &String| {
        !task.program.is_empty() && base::last_component(module) == base::last_component(&task.program)
    };
    let in_program = thread
        .frames
        .iter()
        .any(|frame| frame.module.as_ref().is_some_and(is_own));
    let is_unmapped = order.map().functions.is_empty() && in_program;
    if is_unmapped || is_in_source(order, &alone) {
        let stack = outside::stack(&alone);
        return (ThreadActivity::Working(stack.position), stack.frames);
    }
    let doing = match (&thread.error, thread.frames.is_empty()) {
        (Some(error), true) => ThreadActivity::Unreadable(error.clone()),
        _ => ThreadActivity::Helper(library(thread)),
    };
    (doing, Vec::new())
}

/// The library that a thread belongs to: the outermost that is not the C library's part in every thread.
fn library(thread: &Thread) -> String {
    let mut names = thread.frames.iter().filter_map(|frame| frame.module.as_deref());
    let is_own = |path: &&str| !library::shared_object(path).is_some_and(SharedObject::is_in_every_process);
    let own = names.clone().find(is_own);
    own.or(names.next())
        .map_or("an unknown library", library::without_ending)
        .to_owned()
}

fn is_alike(group: &ThreadGroup, doing: &ThreadActivity, frames: &[FrameView]) -> bool {
    let same_kind = match (&group.doing, doing) {
        (ThreadActivity::Working(_), ThreadActivity::Working(_)) => true,
        (one, other) => one == other,
    };
    let place = |frame: &FrameView| (frame.in_map, frame.line, frame.column);
    let same_frame = |(one, other): (&FrameView, &FrameView)| {
        one.function == other.function && one.file == other.file && place(one) == place(other)
    };
    same_kind && group.frames.len() == frames.len() && group.frames.iter().zip(frames).all(same_frame)
}

/// Marks the values in which another thread differs.
fn mark_differences(group: &mut ThreadGroup, doing: &ThreadActivity, frames: &[FrameView]) {
    for (mine, theirs) in group.frames.iter_mut().zip(frames) {
        if mine.qualified != theirs.qualified {
            mine.qualified = None;
        }
        for (name, value) in &mine.values {
            let same = theirs
                .values
                .iter()
                .any(|(other, theirs)| other == name && theirs == value);
            if !same && !mine.differing.contains(name) {
                mine.differing.push(name.clone());
            }
        }
    }
    if let (ThreadActivity::Working(mine), ThreadActivity::Working(theirs)) = (&mut group.doing, doing) {
        if mine.qualified != theirs.qualified {
            mine.qualified = None;
        }
        for (mine, theirs) in mine.iteration.iter_mut().zip(&theirs.iteration) {
            mine.differs |= mine.value != theirs.value;
        }
        mine.call = mpi::shared(&[mine.call.take(), theirs.call.clone()]);
    }
}
