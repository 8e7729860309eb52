//! What is worked out once for all tasks that are alike is what comes out if every task is looked at for itself.

use super::waits::{self, in_mpich};
use super::{CREW, STEPS, awaited, map, tasks};
use crate::alike::Alike;
use crate::{Analysis, Earlier};
use base::{Random, RankSet};
use progress_map::{Binding, Map};
use snapshot::{Frame, Frames, Lock, ProcessState, RunState, Task, Thread, Value};
use std::collections::BTreeMap;
use std::time::Duration;

/// A program, and where its tasks may stand.
pub(super) struct Program {
    pub(super) map: Map,
    stacks: &'static [&'static str],
    /// Of threads besides the main one.
    threads: &'static [&'static str],
}

pub(super) fn programs() -> Vec<Program> {
    let bound = |source: &str| Map {
        binding: Some(Binding {
            executable: "/bin/air".to_owned(),
            build_id: vec![1],
            ..Binding::default()
        }),
        ..map(source)
    };
    let of = |map: Map, stacks, threads| Program { map, stacks, threads };
    vec![
        of(
            map(STEPS),
            &[
                "run:5 step=3,work:15 k=4,MPI_Recv:0",
                "run:5 step=3,work:15 k=5,MPI_Recv:0",
                "run:6 step=3,MPI_Allreduce:0",
                "run:6 step=2,MPI_Allreduce:0",
                "run:5 step=3,work:17",
                "run:9",
                "elsewhere:0,usleep:0",
            ],
            &["start_thread:0,epoll_wait:0", "run:9"],
        ),
        of(
            map(CREW),
            &[
                "main:13 it=3,pthread_join:0",
                "main:13 it=4,pthread_join:0",
                "main:15,pthread_join:0",
            ],
            &[
                "carry:3 i=4,a:0",
                "carry:4 i=4,b:0",
                "carry:4 i=4,MPI_Recv:0",
                "mix:9,c:0",
                "poll:0",
            ],
        ),
        of(
            map(waits::OPEN),
            &[
                "f:4,MPI_Allreduce:0",
                "f:5,MPI_Allreduce:0",
                "f:8,MPI_Barrier:0",
                "f:3,work:0",
                "f:3,??:0",
                "f:9,MPI_Recv:0",
            ],
            &["poll:0", "f:3,work:0"],
        ),
        of(
            map(awaited::STRAIGHT),
            &[
                "f:2,MPI_Recv:0",
                "f:4,MPI_Recv:0",
                "f:6,MPI_Sendrecv:0",
                "f:8,MPI_Ssend:0",
                "f:9,MPI_Barrier:0",
                "f:10,work:0",
            ],
            &["poll:0"],
        ),
        of(
            bound(STEPS),
            &[
                "run:6 step=3,MPI_Allreduce:0",
                "run:6 step=2,MPI_Allreduce:0",
                "run:9",
            ],
            &[],
        ),
        of(
            Map::default(),
            &["main:3,a:0", "main:4,MPI_Recv:0", "poll:0"],
            &["main:7,b:0"],
        ),
    ]
}

fn pick<T: Copy>(random: &mut Random, from: &[T]) -> T {
    from[random.below(from.len())]
}

fn one_in(random: &mut Random, count: usize) -> bool {
    random.below(count) == 0
}

/// The frames of a text, with arguments of MPI that were passed.
fn frames(random: &mut Random, text: &str) -> Frames {
    let mut task = match random.below(3) {
        0 => tasks(&[text]),
        _ => in_mpich(&[text]),
    }
    .remove(0);
    let passes = one_in(random, 2);
    let arguments = [2, 3, 5, 6].map(|at: u8| (at, random.below(3) as u64));
    task.frames.edit(|frames| {
        let calls_mpi = |at: &usize| frames[*at].function.contains("MPI");
        let caller = (1..frames.len()).find(calls_mpi).map(|at| at - 1);
        if let Some(caller) = caller.filter(|_| passes) {
            frames[caller].passed = BTreeMap::from(arguments);
        }
    });
    task.frames
}

fn state(random: &mut Random) -> Option<ProcessState> {
    const RUNS: [RunState; 8] = [
        RunState::Running,
        RunState::Running,
        RunState::Sleeping,
        RunState::Sleeping,
        RunState::Uninterruptible,
        RunState::Stopped,
        RunState::Traced,
        RunState::Ended,
    ];
    let kinds = if one_in(random, 3) { RUNS.len() } else { 4 };
    let run = pick(random, &RUNS[..kinds]);
    let call = (run == RunState::Sleeping).then(|| pick(random, &["futex", "poll", "restart_syscall"]));
    Some(ProcessState {
        run,
        system_call: call.map(str::to_owned),
        wait_channel: one_in(random, 4).then(|| "io_schedule".to_owned()),
        tracer: (run == RunState::Traced).then(|| random.below(2) as u32),
        ..ProcessState::default()
    })
    .filter(|_| !one_in(random, 6))
}

/// A task as many others may be.
fn prototype(random: &mut Random, program: &Program) -> Task {
    let stack = pick(random, program.stacks);
    let with_threads = if program.threads.is_empty() { 1 } else { 3 };
    let threads = (0..random.below(with_threads)).map(|_| {
        let stack = pick(random, program.threads);
        Thread {
            name: pick(random, &["crew", "crew", "other"]).to_owned(),
            frames: frames(random, stack),
            error: one_in(random, 12).then(|| "it has ended".to_owned()),
            state: state(random),
            ..Thread::default()
        }
    });
    let threads = threads.collect();
    let build = pick(random, &[("", ""), ("/bin/air", "01"), ("/bin/sea", "02")]);
    Task {
        frames: if one_in(random, 12) {
            Frames::default()
        } else {
            frames(random, stack)
        },
        error: one_in(random, 12).then(|| "its memory was not read".to_owned()),
        state: state(random),
        program: build.0.into(),
        build: build.1.into(),
        world: one_in(random, 2).then_some(1),
        threads,
        ..Task::default()
    }
}

/// Gives a task what is of it alone.
fn with_own(random: &mut Random, task: &mut Task, number: u32) {
    task.task = number.to_string();
    task.rank = Some(number);
    task.pid = Some(1000 + number);
    task.host = pick(random, &["", "node1", "node1", "node2"]).into();
    task.held_ns = Some(random.below(1000) as u64);
    if let Some(state) = &mut task.state {
        state.cpu_ms = Some(random.below(1000) as u64);
    }
    for (at, thread) in (1..).zip(&mut task.threads) {
        thread.thread = 5000 + number * 8 + at;
    }
    let owner = task.threads.first().map(|thread| thread.thread);
    if let Some(state) = task.state.as_mut().filter(|_| one_in(random, 8)) {
        state.lock = Some(Lock { address: 64, owner });
    }
    match random.below(24) {
        // Several moments of one rank.
        0 => task.rank = Some(number / 2),
        1 => task.rank = None,
        // A value that is no number is not even the same as itself.
        2 | 3 => task.frames.edit(|frames| spoil(random, frames, f64::NAN)),
        4 => task.frames.edit(|frames| spoil(random, frames, -0.0)),
        // The same frames, for themselves.
        5 => task.frames.edit(|_| ()),
        6 => task.world = Some(u64::from(number) << 4),
        _ => {}
    }
}

fn spoil(random: &mut Random, frames: &mut [Frame], value: f64) {
    let values = frames.iter_mut().flat_map(|frame| frame.values.values_mut());
    let mut values = Vec::from_iter(values);
    if !values.is_empty() {
        let at = random.below(values.len());
        *values[at] = Value::Float(value);
    }
}

/// Tasks of which many are alike, fewer than `most`.
pub(super) fn job(random: &mut Random, program: &Program, most: usize) -> Vec<Task> {
    let count = 1 + random.below(5);
    let prototypes = Vec::from_iter((0..count).map(|_| prototype(random, program)));
    let size = 1 + random.below(most) as u32;
    let tasks = (0..size).map(|number| {
        let mut task = prototypes[random.below(count)].clone();
        with_own(random, &mut task, number);
        task
    });
    tasks.collect()
}

/// The tasks as they were before: some were elsewhere, some were not there, and some are others by now.
fn before(random: &mut Random, tasks: &[Task]) -> Vec<Task> {
    let mut earlier = Vec::new();
    for task in tasks {
        let mut task = task.clone();
        match random.below(12) {
            0 => continue,
            1 => task.pid = Some(7),
            2 | 3 => task.frames = tasks[random.below(tasks.len())].frames.clone(),
            4 => task.frames = Frames::default(),
            5 => task.rank = None,
            _ => {}
        }
        if let Some(state) = &mut task.state {
            state.cpu_ms = state.cpu_ms.map(|spent| spent / 2);
        }
        earlier.push(task);
    }
    earlier
}

#[test]
fn tasks_that_are_alike_are_answered_for_as_if_each_were_alone() {
    let programs = programs();
    let (mut shared, mut placed, mut moved) = (0, 0, 0);
    for seed in 0..400 {
        let mut random = Random(seed);
        let program = &programs[random.below(programs.len())];
        let tasks = job(&mut random, program, 24);
        let earlier = before(&mut random, &tasks);
        let earlier = one_in(&mut random, 2).then_some(Earlier {
            tasks: &earlier,
            elapsed: Duration::from_secs(2),
        });
        let missing = RankSet::from_iter((0..random.below(3) as u32).map(|at| 40 + at));
        let analysis = || Analysis::new(&program.map, &tasks, missing.clone()).since(earlier);
        let alike = Alike::of(&tasks);
        shared += tasks.len() - alike.kinds;
        let (together, alone) = (analysis().answer(), analysis().one_by_one().answer());
        placed += together
            .classes
            .iter()
            .filter(|class| class.outside.is_none())
            .count();
        moved += usize::from(together.motion.is_some());
        // What is no number is not the same as itself, but is written in one way.
        let (together, alone) = (format!("{together:#?}"), format!("{alone:#?}"));
        assert_eq!(together, alone, "seed {seed}: {tasks:#?}");
        let pairs = Vec::from_iter((0..tasks.len()).map(|at| (at, random.below(tasks.len()))));
        assert_eq!(
            analysis().compare_all(&pairs),
            analysis().one_by_one().compare_all(&pairs),
            "seed {seed}"
        );
        let explained = |analysis: Analysis<'_>| format!("{:?}", analysis.explain(pairs[0].0, pairs[0].1));
        assert_eq!(
            explained(analysis()),
            explained(analysis().one_by_one()),
            "seed {seed}"
        );
    }
    assert!(
        shared > 900 && placed > 300 && moved > 100,
        "{shared} {placed} {moved}"
    );
}

#[test]
fn two_of_each_stack_are_looked_up() {
    let tasks = tasks(&["f:2,a:0", "f:3,b:0", "f:2,a:0", "f:2,a:0", "f:3,b:0", "f:2,a:0"]);
    let alike = Alike::of(&tasks);
    assert_eq!((alike.kinds, &alike.looked_up[..]), (2, &[0, 1, 2, 4][..]));
    let of = Vec::from_iter(
        alike
            .likes
            .iter()
            .map(|like| alike.looked_up[like.looked_up.index()]),
    );
    assert_eq!(of, [0, 1, 2, 0, 4, 0]);
}
