//! Tasks that nothing tells apart but who they are.
//!
//! Of a large job nearly all tasks stand at a few places. What follows from what was seen of a task is worked out once for all of which the same was seen, and
//! an answer adds up of each task only what is its own: its rank, its process, its host, and the processor time that it has used.
//!
//! Two relations, each finer than the one before. Tasks have one *stack* if their main threads' frames, and all else that the order looks at, are the same: they
//! are at one place of it. Tasks are of one *kind* if nothing at all tells them apart but their own: what calls of MPI have passed, their other threads, and what
//! the kernel says of them are the same, too.
//!
//! Of each stack the first two tasks go through the order. More would change nothing: tasks of one stack are always in one class, a class is known by its first
//! task, and its first two tell whether tasks that look alike there are at one point. Both are among those two, whatever stacks the class has.

use snapshot::{Frames, ProcessState, Task};
use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// What was seen of a task, by its place among the kinds of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct KindId(u32);

/// A task that is looked up, by its place among those that are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LookedUpId(u32);

/// Which of the tasks of its kind a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The first one.
    First,
    /// The second one. A value that is no number is not even the same as itself, so that two of a kind may differ; more of them tell nothing new.
    Second,
    /// Any other.
    Further,
}

/// What a task is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Like {
    /// Its kind.
    pub(crate) kind: KindId,
    /// Which of that kind it is.
    pub(crate) turn: Turn,
    /// The task that was looked up for it: itself, or the first one with its stack.
    pub(crate) looked_up: LookedUpId,
}

impl KindId {
    /// As an index into what there is of each kind.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl LookedUpId {
    /// That of this index.
    pub(crate) fn new(index: usize) -> Self {
        Self(index as u32)
    }

    /// As an index into the tasks that were looked up.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Which tasks of a job are alike.
#[derive(Debug, Default)]
pub(crate) struct Alike {
    /// By task.
    pub(crate) likes: Vec<Like>,
    /// How many kinds there are.
    pub(crate) kinds: usize,
    /// The tasks that are looked up, in their order: the first two of each stack.
    pub(crate) looked_up: Vec<usize>,
}

impl Like {
    /// Whether the task is the first of its kind: it speaks for all others.
    pub(crate) fn is_first(self) -> bool {
        self.turn == Turn::First
    }
}

impl Alike {
    /// Every task is of a kind of its own: what is said then is what is to be said.
    #[cfg(test)]
    pub(crate) fn nobody(tasks: &[Task]) -> Self {
        let like = |at: u32| Like {
            kind: KindId(at),
            turn: Turn::First,
            looked_up: LookedUpId(at),
        };
        Self {
            likes: (0..tasks.len() as u32).map(like).collect(),
            kinds: tasks.len(),
            looked_up: (0..tasks.len()).collect(),
        }
    }

    /// Compares tasks with each other.
    pub(crate) fn of(tasks: &[Task]) -> Self {
        let stacks = numbered(tasks, stack_fingerprint, have_one_stack);
        let kinds = numbered(tasks, kind_fingerprint, are_of_one_kind);
        let (mut of_stack, mut of_kind) = (
            vec![(0_u32, LookedUpId(0)); stacks.count],
            vec![0_u32; kinds.count],
        );
        let (mut likes, mut looked_up) = (Vec::with_capacity(tasks.len()), Vec::new());
        for (task, (&stack, &kind)) in stacks.numbers.iter().zip(&kinds.numbers).enumerate() {
            let (seen, first) = &mut of_stack[stack as usize];
            let next = LookedUpId::new(looked_up.len());
            let own = match seen {
                0 | 1 => {
                    looked_up.push(task);
                    next
                }
                _ => *first,
            };
            if *seen == 0 {
                *first = own;
            }
            *seen += 1;
            let of_kind = &mut of_kind[kind as usize];
            likes.push(Like {
                kind: KindId(kind),
                turn: match of_kind {
                    0 => Turn::First,
                    1 => Turn::Second,
                    _ => Turn::Further,
                },
                looked_up: own,
            });
            *of_kind += 1;
        }
        Self {
            likes,
            kinds: kinds.count,
            looked_up,
        }
    }
}

/// Tasks by the number of what they are, in the order of the first of each.
struct Numbered {
    numbers: Vec<u32>,
    count: usize,
}

/// Nearly all tasks of a large job are like one of so many that came last and were like none of these.
const LAST: usize = 8;

/// Tasks that are the same.
struct Met {
    print: u64,
    first: u32,
    /// The last of them: tasks of one node share their frames, and are the quickest to compare.
    latest: u32,
}

fn numbered(
    tasks: &[Task],
    fingerprint: impl Fn(&Task) -> u64,
    are_same: impl Fn(&Task, &Task) -> bool,
) -> Numbered {
    // Who is the same as an earlier task has the number of that one's place. Each task is looked at once, while it is at hand: a million of them are not in any cache.
    let mut numbers = vec![0; tasks.len()];
    let mut last: VecDeque<Met> = VecDeque::with_capacity(LAST);
    let mut others: Vec<(u64, u32)> = Vec::new();
    for (at, task) in (0_u32..).zip(tasks) {
        let print = fingerprint(task);
        let mut met = last.iter_mut();
        let met = met.find(|met| met.print == print && are_same(&tasks[met.latest as usize], task));
        if let Some(met) = met {
            numbers[at as usize] = met.first;
            met.latest = at;
            continue;
        }
        numbers[at as usize] = at;
        others.push((print, at));
        last.truncate(LAST - 1);
        last.push_front(Met {
            print,
            first: at,
            latest: at,
        });
    }
    others.sort_unstable();
    for chunk in others.chunk_by(|a, b| a.0 == b.0) {
        let mut firsts: Vec<u32> = Vec::new();
        for &(_, at) in chunk {
            let is_same = |other: &u32| are_same(&tasks[*other as usize], &tasks[at as usize]);
            match firsts.iter().copied().find(is_same) {
                Some(known) => numbers[at as usize] = known,
                None => firsts.push(at),
            }
        }
    }
    let mut count = 0;
    for at in 0..numbers.len() {
        let first = numbers[at] as usize;
        numbers[at] = if first == at {
            count += 1;
            count - 1
        } else {
            numbers[first]
        };
    }
    Numbered {
        numbers,
        count: count as usize,
    }
}

fn stack_fingerprint(task: &Task) -> u64 {
    let mut hasher = DefaultHasher::new();
    task.frames.fingerprint().hash(&mut hasher);
    (&task.error, &task.program, &task.build).hash(&mut hasher);
    hasher.finish()
}

/// Whether the order cannot tell two tasks apart.
fn have_one_stack(a: &Task, b: &Task) -> bool {
    (&a.error, &a.program, &a.build) == (&b.error, &b.program, &b.build) && a.frames.are_alike(&b.frames)
}

pub(crate) fn kind_fingerprint(task: &Task) -> u64 {
    let mut hasher = DefaultHasher::new();
    stack_fingerprint(task).hash(&mut hasher);
    (task.world, task.unstopped, task.frames.all_passed()).hash(&mut hasher);
    task.state.as_ref().map(what_it_does).hash(&mut hasher);
    for thread in &task.threads {
        (thread.frames.fingerprint(), thread.frames.all_passed()).hash(&mut hasher);
        (&thread.name, &thread.error, thread.unstopped).hash(&mut hasher);
        thread.state.as_ref().map(what_it_does).hash(&mut hasher);
    }
    hasher.finish()
}

/// Whether nothing tells two tasks apart but what is of each of them alone.
pub(crate) fn are_of_one_kind(a: &Task, b: &Task) -> bool {
    let threads = || a.threads.iter().zip(&b.threads);
    have_one_stack(a, b)
        && a.frames.all_passed() == b.frames.all_passed()
        && (a.world, a.unstopped) == (b.world, b.unstopped)
        && do_the_same(a.state.as_ref(), b.state.as_ref())
        && a.threads.len() == b.threads.len()
        && threads().all(|(a, b)| {
            (&a.name, &a.error, a.unstopped) == (&b.name, &b.error, b.unstopped)
                && do_the_same(a.state.as_ref(), b.state.as_ref())
                && have_the_same_frames(&a.frames, &b.frames)
        })
}

fn have_the_same_frames(a: &Frames, b: &Frames) -> bool {
    a.all_passed() == b.all_passed() && a.are_alike(b)
}

fn do_the_same(a: Option<&ProcessState>, b: Option<&ProcessState>) -> bool {
    a.map(what_it_does) == b.map(what_it_does)
}

/// What the kernel says of a thread, but for the processor time that it has used.
fn what_it_does(state: &ProcessState) -> impl PartialEq + std::hash::Hash + '_ {
    let lock = state.lock.map(|lock| (lock.address, lock.owner));
    (
        state.run,
        &state.system_call,
        &state.wait_channel,
        state.tracer,
        lock,
    )
}
