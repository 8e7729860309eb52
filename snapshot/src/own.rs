//! What tasks with one stack differ in: who each is, and what is of it alone. The rest, their common stack, need be kept or sent once.

use crate::frames::{self, Frames, Passed};
use crate::{Lock, Name, ProcessState, Task};
use serde::{Deserialize, Serialize};

/// What is left of a task without the stack that it may share with others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Own {
    /// Its name; `None` where that is its rank in digits, as of nearly all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Its rank in the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    /// Its process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Its host, where that is not the one of the whole snapshot.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub host: Name,
    /// What stands for `MPI_COMM_WORLD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world: Option<u64>,
    /// Of its main thread.
    #[serde(default)]
    pub main: OwnThread,
    /// Of its other threads, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<OwnThread>,
}

/// What is of one thread alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OwnThread {
    /// Its thread id; 0 of a main thread.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub thread: u32,
    /// How long it was held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_ns: Option<u64>,
    /// System calls that a stop may have ended early.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<String>,
    /// The processor time that it has used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<u64>,
    /// The lock that it sleeps for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock: Option<Lock>,
    /// What calls of MPI have passed, by the number of their frame: addresses differ from process to process.
    #[serde(default, skip_serializing_if = "Passed::is_empty")]
    pub passed: Passed,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl OwnThread {
    /// Takes away what is of one thread alone.
    fn taken_from(state: &mut Option<ProcessState>, frames: &mut Frames) -> Self {
        let mut own = OwnThread {
            passed: frames.take_passed(),
            ..OwnThread::default()
        };
        if let Some(state) = state {
            own.cpu_ms = state.cpu_ms.take();
            own.lock = state.lock.take();
        }
        own
    }

    /// Whether this is of such a stack.
    fn fits(&self, state: Option<&ProcessState>, frames: &Frames) -> bool {
        let is_of_state = state.is_some() || self.cpu_ms.is_none() && self.lock.is_none();
        is_of_state && frames::fits(&self.passed, frames.len())
    }

    /// Puts back all but what it says of its thread itself.
    fn put_back(self, state: &mut Option<ProcessState>, frames: &mut Frames) {
        if let Some(state) = state {
            (state.cpu_ms, state.lock) = (self.cpu_ms, self.lock);
        }
        frames.put_passed_back(self.passed);
    }
}

impl Own {
    /// Whether this is of a task with such a stack, so that [`join`] puts them together.
    pub fn fits(&self, stack: &Task) -> bool {
        let mut threads = self.threads.iter().zip(&stack.threads);
        self.main.fits(stack.state.as_ref(), &stack.frames)
            && self.threads.len() == stack.threads.len()
            && threads.all(|(own, thread)| own.fits(thread.state.as_ref(), &thread.frames))
    }
}

/// Whether a name is a rank in digits.
pub fn is_named_by(name: &str, rank: u32) -> bool {
    // A sign or a zero in front are none that a number is written with.
    let as_written = name == "0" || name.starts_with(|first: char| matches!(first, '1'..='9'));
    as_written && name.parse() == Ok(rank)
}

/// Takes a task apart: the stack that others may have as well, as a task without a name, and what is its own.
pub fn split(mut task: Task) -> (Task, Own) {
    let main = OwnThread {
        held_ns: task.held_ns.take(),
        told: std::mem::take(&mut task.told),
        ..OwnThread::taken_from(&mut task.state, &mut task.frames)
    };
    let threads = (0..).zip(&mut task.threads).map(|(number, thread)| OwnThread {
        thread: std::mem::replace(&mut thread.thread, number),
        held_ns: thread.held_ns.take(),
        told: std::mem::take(&mut thread.told),
        ..OwnThread::taken_from(&mut thread.state, &mut thread.frames)
    });
    let threads = threads.collect();
    let own = Own {
        task: Some(std::mem::take(&mut task.task))
            .filter(|name| !task.rank.is_some_and(|rank| is_named_by(name, rank))),
        rank: task.rank.take(),
        pid: task.pid.take(),
        host: std::mem::take(&mut task.host),
        world: task.world.take(),
        main,
        threads,
    };
    (task, own)
}

/// Puts a task together again; `None` where its own part is of another stack.
pub fn join(stack: &Task, own: Own) -> Option<Task> {
    if !own.fits(stack) {
        return None;
    }
    let of_rank = || own.rank.map(|rank| rank.to_string()).unwrap_or_default();
    let mut task = Task {
        task: own.task.unwrap_or_else(of_rank),
        rank: own.rank,
        pid: own.pid,
        host: own.host,
        world: own.world,
        ..stack.clone()
    };
    let mut main = own.main;
    (task.held_ns, task.told) = (main.held_ns, std::mem::take(&mut main.told));
    main.put_back(&mut task.state, &mut task.frames);
    for (thread, mut own) in task.threads.iter_mut().zip(own.threads) {
        (thread.thread, thread.held_ns) = (own.thread, own.held_ns);
        thread.told = std::mem::take(&mut own.told);
        own.put_back(&mut thread.state, &mut thread.frames);
    }
    Some(task)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Frame, RunState, Thread};
    use std::collections::BTreeMap;

    fn task(rank: u32) -> Task {
        let frames = |first: u64| {
            let passed = BTreeMap::from([(0, first), (2, first + 8)]);
            let named = |function: &str| Frame {
                function: function.to_owned(),
                ..Frame::default()
            };
            Frames::from(vec![
                named("main"),
                Frame {
                    passed,
                    ..named("MPI_Recv")
                },
            ])
        };
        let state = Some(ProcessState {
            run: RunState::Sleeping,
            cpu_ms: Some(u64::from(rank) * 3),
            lock: Some(Lock::default()),
            ..ProcessState::default()
        });
        Task {
            task: rank.to_string(),
            rank: Some(rank),
            pid: Some(rank + 100),
            frames: frames(rank.into()),
            held_ns: Some(7 + u64::from(rank)),
            told: vec!["recv".to_owned()],
            state: state.clone(),
            world: Some(u64::from(rank) << 4),
            host: format!("node{rank}").into(),
            threads: vec![Thread {
                thread: rank + 200,
                frames: frames(1 + u64::from(rank)),
                state,
                ..Thread::default()
            }],
            ..Task::default()
        }
    }

    #[test]
    fn tasks_at_one_place_have_one_stack_and_are_put_together_as_they_were() {
        let (first, second) = (split(task(1)), split(task(2)));
        assert_eq!(first.0, second.0);
        assert_ne!(first.1, second.1);
        for (rank, (stack, own)) in [(1, first), (2, second)] {
            assert_eq!(join(&stack, own), Some(task(rank)));
        }
    }

    #[test]
    fn a_name_that_is_the_rank_is_told_by_it_alone() {
        for (name, rank, is_told) in [
            ("7", Some(7), true),
            ("0", Some(0), true),
            ("8", Some(7), false),
            ("07", Some(7), false),
            ("+7", Some(7), false),
            ("00", Some(0), false),
            ("", Some(7), false),
            ("rank 7", Some(7), false),
            ("7", None, false),
        ] {
            let task = Task {
                task: name.to_owned(),
                rank,
                ..Task::default()
            };
            let (stack, own) = split(task.clone());
            assert_eq!(own.task.is_none(), is_told, "{name}");
            assert_eq!(join(&stack, own), Some(task), "{name}");
        }
    }

    #[test]
    fn what_is_of_another_stack_is_not_put_into_this_one() {
        let (stack, own) = split(task(1));
        let fewer = Task {
            threads: Vec::new(),
            ..stack.clone()
        };
        let flat = Task {
            frames: Frames::default(),
            ..stack.clone()
        };
        assert!(own.fits(&stack) && !own.fits(&fewer) && !own.fits(&flat));
        assert_eq!((join(&fewer, own.clone()), join(&flat, own)), (None, None));
    }
}
