//! What MPI proves of the classes where the order of the code leaves open who is behind.
//!
//! From the stacks to `waitgraph`: what a task does is told by the outermost entry point of MPI on its stack. Nothing is guessed. A task is
//! outside of MPI only if its whole stack is seen and no frame can be one of MPI's, and it is in an operation on `MPI_COMM_WORLD` only
//! where the map says so of every call that may have led there.

use crate::alike::Like;
use crate::assemble::JobView;
use crate::beneath::{InMpi, has_not_begun, in_mpi};
use crate::mpi::{self, WrittenCall};
use crate::state;
use library::{Flow, Function, Part, Timing, is_runtime_library, measured};
use progress::Located;
use progress_map::Map;
use snapshot::{Frame, Task, Thread};
use waitgraph::{Activity, Certainty, Communicator, Completion, Data, Rank};

/// One class has not entered an operation that another one cannot leave before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotEntered {
    /// The class that has not.
    pub(crate) who: usize,
    /// The class that waits.
    pub(crate) whom: usize,
    /// How sure that is.
    pub(crate) certainty: Certainty,
}

/// A task of a class.
#[derive(Clone, Copy)]
pub(crate) struct Member<'a> {
    pub(crate) task: &'a Task,
    /// Its place in the map, if it has one.
    pub(crate) located: Option<&'a Located>,
    pub(crate) like: Like,
}

/// All that MPI proves of the classes, given by their members; `has_moved` tells which classes were seen to move.
pub(crate) fn not_entered(
    job: &JobView<'_>,
    classes: &[Vec<Member<'_>>],
    has_moved: &dyn Fn(usize) -> bool,
) -> Vec<NotEntered> {
    let mut known = Vec::new();
    let mut tasks = Vec::new();
    for (class, members) in classes.iter().enumerate() {
        let of_each_kind = members.iter().filter(|member| member.like.is_first());
        let mut waits = of_each_kind.map(|&member| of_task(job.map, member));
        let Some(Some(first)) = waits.next() else { continue };
        if !waits.all(|wait| wait.as_ref() == Some(&first)) {
            continue;
        }
        let halted = members
            .iter()
            .any(|member| state::halted_by(member.task).is_some());
        known.push(class);
        tasks.push(waitgraph::Task {
            // A class stands for its members, which all do the same.
            rank: rank(class),
            stands_still: !halted && !has_moved(class),
            threads: first,
        });
    }
    // Where a library was not measured to let all leave, nothing is known of the data.
    let facts = waitgraph::behind(&tasks, Completion::Independent);
    let class = |of: Rank| known.iter().copied().find(|class| rank(*class) == of);
    let facts = facts.into_iter().filter_map(|fact| {
        let (who, whom) = (class(fact.who)?, class(fact.whom)?);
        Some(NotEntered {
            who,
            whom,
            certainty: fact.certainty,
        })
    });
    facts.collect()
}

/// What a verdict by MPI takes for granted, unless all that wait were seen to stand still.
pub(crate) fn assumptions(stood_still: bool) -> Vec<String> {
    let mut clauses = vec!["MPI lets all leave an operation that all have entered".to_owned()];
    if !stood_still {
        clauses.push(
            "those that wait stand still, and do not go through the same call again and again".to_owned(),
        );
    }
    clauses
}

/// `waitgraph` tells tasks apart by their rank; here each class is one, in `MPI_COMM_WORLD` like all others.
fn rank(class: usize) -> Rank {
    Rank(u32::try_from(class).unwrap_or(u32::MAX))
}

/// What each thread of a task was seen to do, as MPI sees it; nothing if it was not seen whole.
fn of_task(map: &Map, member: Member<'_>) -> Option<Vec<Activity>> {
    let task = member.task;
    if !is_whole(&task.frames, &task.error) {
        return None;
    }
    let mut threads = vec![match in_mpi(task, &task.frames) {
        InMpi::Outside => Activity::Outside,
        InMpi::Inside { .. } if has_not_begun(task) => Activity::Outside,
        InMpi::Inside { at, function } => inside(map, member, at, &function),
        InMpi::Named { .. } | InMpi::SomewhereInside | InMpi::Unknown => Activity::Unknown,
    }];
    threads.extend(task.threads.iter().map(|thread| {
        if is_outside(task, thread) {
            Activity::Outside
        } else {
            Activity::Unknown
        }
    }));
    Some(threads)
}

/// Whether the whole of a stack was seen.
pub(crate) fn is_whole(frames: &[Frame], error: &Option<String>) -> bool {
    !frames.is_empty() && error.is_none() && frames.iter().all(|frame| !frame.guessed)
}

/// Whether no thread of a task but its main one can be in MPI.
pub(crate) fn threads_are_outside(task: &Task) -> bool {
    task.threads.iter().all(|thread| is_outside(task, thread))
}

fn is_outside(task: &Task, thread: &Thread) -> bool {
    match in_mpi(task, &thread.frames) {
        // A thread of a library's own makes no calls for the program.
        InMpi::Outside | InMpi::SomewhereInside if is_helper(&thread.frames) => true,
        InMpi::Outside => is_whole(&thread.frames, &thread.error),
        _ => false,
    }
}

/// What a task does in `function`, an operation of MPI that it has entered by the frame `at`.
fn inside(map: &Map, member: Member<'_>, at: usize, function: &str) -> Activity {
    let Member { task, located, .. } = member;
    let row = library::function(function);
    let Some(operation) = row.and_then(operation) else {
        return if row.is_some_and(Function::is_point_to_point) {
            Activity::PointToPoint
        } else {
            Activity::Unknown
        };
    };
    let below = &task.frames[at..];
    let calls_back = |frame: &Frame| is_of_program(frame, &task.frames[at]);
    let in_user_function =
        below.iter().any(calls_back) || located.is_some_and(|located| is_called_back(map, located, at));
    let (communicator, data) = match located {
        Some(located) => written(map, located, task, at, function),
        None => (Communicator::Unknown, Data::Unknown),
    };
    let library = library::implementation(below.iter().filter_map(|frame| frame.module.as_deref()));
    let data = match library.filter(|&library| measured::completes(library, function)) {
        None => Data::Unknown,
        Some(library) if data == Data::Unknown && measured::waits_for_data_only(library, function) => {
            Data::EveryPart
        }
        Some(_) => data,
    };
    Activity::Collective {
        operation: match operation {
            Operation::Complete => waitgraph::Operation::Complete(data),
            Operation::Partial => waitgraph::Operation::Partial,
        },
        communicator,
        in_user_function,
    }
}

/// Whether a thread is nowhere in the program, nor in a library that may be a part of it.
pub(crate) fn is_helper(frames: &[Frame]) -> bool {
    let is_runtime = |frame: &Frame| frame.module.as_deref().is_some_and(is_runtime_library);
    !frames.is_empty() && frames.iter().all(is_runtime)
}

/// Whether a frame below an entry point of MPI is the program's again: a reduction that it supplied, or another function that MPI calls.
fn is_of_program(frame: &Frame, entry: &Frame) -> bool {
    let module = frame.module.as_deref().unwrap_or_default();
    !is_runtime_library(module) && frame.module != entry.module
}

/// The same, where MPI is a part of the program's file: what the map knows is no part of MPI.
fn is_called_back(map: &Map, located: &Located, entry: usize) -> bool {
    let frames = located.frames.iter().zip(&located.origin);
    let mut inner = frames.filter(|(_, origin)| origin.is_some_and(|origin| origin > entry));
    inner.any(|(frame, _)| mpi::own_function(map, frame).is_some())
}

/// Who must have entered a collective operation before somebody leaves.
#[derive(Clone, Copy)]
enum Operation {
    /// All, if each part has data.
    Complete,
    /// Some may leave early.
    Partial,
}

/// What an entry point waits for. Communicator management is collective too, but what its parts exchange is the library's business.
fn operation(row: &Function) -> Option<Operation> {
    if row.timing != Timing::AtOnce {
        return None;
    }
    match row.part {
        Part::Collective(Flow::EveryPart) => Some(Operation::Complete),
        Part::Collective(Flow::FromRoot | Flow::ToRoot | Flow::Prefix) => Some(Operation::Partial),
        _ => None,
    }
}

/// The communicator of the call that a task is in, and whether each part has data, as far as every call in the source agrees that may
/// be this one.
fn written(map: &Map, located: &Located, task: &Task, entry: usize, function: &str) -> (Communicator, Data) {
    let calls = mpi::calls_that_may_be(map, located, task, entry, function);
    let is_world = |call: &WrittenCall| call.communicator.as_deref() == Some("MPI_COMM_WORLD");
    let communicator = if calls.is_empty() || !calls.iter().all(is_world) {
        Communicator::Unknown
    } else {
        Communicator::World
    };
    let counts = Vec::from_iter(calls.iter().map(|call| call.count));
    let data = if counts.is_empty() || counts.contains(&None) {
        Data::Unknown
    } else if counts.iter().all(|count| *count > Some(0)) {
        Data::EveryPart
    } else if counts.iter().all(|count| *count == Some(0)) {
        Data::SomeEmpty
    } else {
        Data::Unknown
    };
    (communicator, data)
}
