//! Tasks whose main threads wait at one point for threads of their own: which of these threads is behind its counterparts.
//!
//! A task is as far as its main thread, so that this changes no order between tasks; but where all main threads are equal, the
//! task whose thread is behind is the one to look at. Compared are like with like: the threads of the same number in their tasks, in the order in which they were created, with the
//! same name, begun by the same function of the program. A pool that has grown differently has no counterparts.
//! Main threads that are equal are in one iteration of all loops around them; where nothing tells which, one task's threads may
//! be at work for another iteration than the other's, and nothing is claimed.

use crate::alike::{KindId, Like, Turn};
use crate::answer::{FirstTask, Position};
use crate::assemble::first_task;
use crate::named::Named;
use crate::threads::{self, ThreadActivity};
use crate::{Relation, Who};
use progress::{Located, Order};
use progress_map::FunctionId;
use snapshot::Task;
use std::collections::BTreeMap;

/// Threads of some tasks that are behind their counterparts in the other tasks of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadsBehind {
    /// The tasks whose threads are behind.
    pub who: Who,
    /// The first of them.
    pub first: FirstTask,
    /// The tasks whose threads are known to be ahead of them, by the largest class of these.
    pub ahead: Who,
    /// The name of the threads.
    pub name: String,
    /// Where the first of those stands that are behind.
    pub position: Position,
    /// Why it is behind, as a sentence without its full stop.
    pub reason: String,
    /// A word for what decided, which stays the same from version to version.
    pub reason_code: &'static str,
}

/// One thread that is in the program's code, of one task.
struct Worker<'t> {
    task: &'t Task,
    kind: KindId,
    /// Its place in the task's list.
    number: usize,
    begun_by: FunctionId,
    located: Located,
}

/// What is known of the threads of tasks whose main threads are at one point, by the threads' number.
pub(crate) fn behind(order: &Order<'_>, tasks: &[(&Task, Like)], named: &Named) -> Vec<ThreadsBehind> {
    let [(first, _), others @ ..] = tasks else {
        return Vec::new();
    };
    if others.is_empty() {
        return Vec::new();
    }
    // As of main threads, the first two of a kind tell all.
    let told = Vec::from_iter(tasks.iter().filter(|(_, like)| like.turn != Turn::Further));
    let mut found: Vec<ThreadsBehind> = Vec::new();
    for (number, like) in first.threads.iter().enumerate() {
        let are_counterparts = told.iter().all(|(task, _)| {
            let thread = task.threads.get(number);
            task.threads.len() == first.threads.len() && thread.is_some_and(|thread| thread.name == like.name)
        });
        if !are_counterparts {
            continue;
        }
        let workers = told.iter().filter_map(|told| worker(order, told, number));
        let workers = Vec::from_iter(workers);
        let alike = workers.windows(2).all(|two| two[0].begun_by == two[1].begun_by);
        let Some(behind) = alike
            .then(|| of_number(order, &workers, (tasks, named)))
            .flatten()
        else {
            continue;
        };
        // A team whose threads are all behind in one task is one line.
        let same = |other: &ThreadsBehind| {
            (&other.who, &other.position.function, other.position.line)
                == (&behind.who, &behind.position.function, behind.position.line)
        };
        if !found.iter().any(same) {
            found.push(behind);
        }
    }
    found
}

fn worker<'t>(order: &Order<'_>, &(task, like): &(&'t Task, Like), number: usize) -> Option<Worker<'t>> {
    let (_, located) = threads::located(order, task, &task.threads[number]);
    if located.obstacle.is_some() {
        return None;
    }
    let begun_by = located.frames.iter().find_map(|frame| frame.function)?;
    Some(Worker {
        task,
        kind: like.kind,
        number,
        begun_by,
        located,
    })
}

/// Of counterparts, those that are behind the others.
fn of_number<'t>(
    order: &Order<'_>,
    workers: &[Worker<'t>],
    (tasks, named): (&[(&'t Task, Like)], &Named),
) -> Option<ThreadsBehind> {
    let located = Vec::from_iter(workers.iter().map(|worker| worker.located.clone()));
    let classes = progress::classify(order, &located);
    let &[hindmost] = classes.hindmost() else {
        return None;
    };
    let members = |class: usize| &classes.classes[class].members;
    let verdict = |class: usize| classes.verdict(order, &located, hindmost, class);
    let mut by_class: Vec<Vec<&Task>> = vec![Vec::new(); classes.classes.len()];
    let of_kind = (0..classes.classes.len()).flat_map(|class| {
        let workers = members(class).iter().map(|&at| &workers[at]);
        workers.map(move |worker| (worker.kind, class))
    });
    let of_kind: BTreeMap<KindId, usize> = of_kind.collect();
    for (task, like) in tasks {
        if let Some(&class) = of_kind.get(&like.kind) {
            by_class[class].push(task);
        }
    }
    let ahead = (0..classes.classes.len())
        .filter(|&class| class != hindmost && verdict(class).relation == Relation::Before)
        .max_by_key(|&class| by_class[class].iter().map(|task| named.weight(task)).sum::<u64>())?;
    let first = &workers[members(hindmost)[0]];
    let (at, other) = (&first.located, &located[members(ahead)[0]]);
    let thread = &first.task.threads[first.number];
    let ThreadActivity::Working(position) = threads::look(order, first.task, thread).0 else {
        return None;
    };
    let why = verdict(ahead);
    Some(ThreadsBehind {
        who: named.who(by_class[hindmost].iter().copied()),
        first: first_task(first.task),
        ahead: named.who(by_class[ahead].iter().copied()),
        name: thread.name.clone(),
        position,
        reason: progress::sentence(order.map(), &why, at, other),
        reason_code: why.proof.decided.code(),
    })
}
