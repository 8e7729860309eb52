//! What the kernel says of the tasks: who runs, who sleeps in which system call, and who cannot run at all.

use crate::answer::Position;
use crate::{Who, outside};
use snapshot::{RunState, Task};
use std::collections::BTreeMap;

/// What the kernel says of the tasks of one class.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassState {
    /// Its tasks by what their main threads do, most tasks first.
    pub groups: Vec<StateGroup>,
    /// The processes of its first tasks.
    pub pids: Vec<u32>,
    /// The least and the largest processor time that any of its tasks has used so far, in milliseconds.
    pub cpu_ms: Option<(u64, u64)>,
    /// The same of what each has used since an earlier moment.
    pub cpu_ms_since: Option<(u64, u64)>,
    /// Who holds the lock that the first of its tasks which waits for one waits for.
    pub lock: Option<LockHolder>,
}

/// The thread that holds a lock for which the main thread of its process waits.
#[derive(Clone, Debug, PartialEq)]
pub struct LockHolder {
    /// The thread, by the kernel's number.
    pub thread: u32,
    /// Where it stands, if its stack was read.
    pub position: Option<Position>,
}

/// Tasks of one class whose main threads do the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateGroup {
    /// How many.
    pub tasks: u64,
    /// What they do.
    pub run: RunState,
    /// The system call that they sleep in.
    pub system_call: Option<String>,
    /// The function of the kernel that they sleep in, where no signal can wake them.
    pub wait_channel: Option<String>,
}

/// Tasks that cannot run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Halted {
    /// The tasks.
    pub who: Who,
    /// Why.
    pub why: HaltedBy,
    /// The first of their processes.
    pub pid: Option<u32>,
    /// The host that it runs on, where the job runs on several.
    pub host: String,
}

/// Why a task cannot run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HaltedBy {
    /// A signal has stopped it.
    Signal,
    /// A tracer has stopped it: a debugger, as a rule. Its process, if that is known.
    Tracer(Option<u32>),
    /// It waits in the kernel for what no signal interrupts: the function of the kernel, if that is known.
    Kernel(Option<String>),
    /// Its process, or at least its main thread, has ended.
    Ended,
}

/// How many processes of a class are named.
pub(crate) const PIDS: usize = 4;

/// The state of a class. `count` tells how many tasks a record stands for, and `earlier` the processor time of a task at an earlier moment.
pub(crate) fn of_class(
    tasks: &[&Task],
    count: &dyn Fn(&Task) -> u64,
    earlier: &dyn Fn(&Task) -> Option<u64>,
) -> Option<ClassState> {
    let mut groups: Vec<StateGroup> = Vec::new();
    for task in tasks {
        let Some(state) = &task.state else { continue };
        let system_call = outside::system_call(task);
        let known = groups.iter_mut().find(|group| {
            (group.run, &group.system_call, &group.wait_channel)
                == (state.run, &system_call, &state.wait_channel)
        });
        match known {
            Some(group) => group.tasks += count(task),
            None => groups.push(StateGroup {
                tasks: count(task),
                run: state.run,
                system_call,
                wait_channel: state.wait_channel.clone(),
            }),
        }
    }
    if groups.is_empty() {
        return None;
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.tasks));
    let cpu = |task: &&Task| task.state.as_ref()?.cpu_ms;
    let since = |task: &&Task| cpu(task)?.checked_sub(earlier(task)?);
    Some(ClassState {
        groups,
        pids: tasks.iter().filter_map(|task| task.pid).take(PIDS).collect(),
        cpu_ms: extremes(tasks.iter().filter_map(cpu)),
        cpu_ms_since: extremes(tasks.iter().filter_map(since)),
        lock: tasks.iter().find_map(|task| lock_holder(task)),
    })
}

fn lock_holder(task: &Task) -> Option<LockHolder> {
    let holder = task.state.as_ref()?.lock?.owner?;
    let thread = task.threads.iter().find(|thread| thread.thread == holder);
    let frames = thread
        .map(|thread| &thread.frames)
        .filter(|frames| !frames.is_empty());
    let position = frames.map(|frames| {
        let alone = Task {
            frames: frames.clone(),
            program: task.program.clone(),
            ..Task::default()
        };
        outside::stack(&alone).position
    });
    Some(LockHolder {
        thread: holder,
        position,
    })
}

fn extremes(values: impl Iterator<Item = u64>) -> Option<(u64, u64)> {
    values.fold(None, |known, value| match known {
        None => Some((value, value)),
        Some((least, most)) => Some((least.min(value), most.max(value))),
    })
}

/// Whether a task cannot run, and why.
pub(crate) fn halted_by(task: &Task) -> Option<HaltedBy> {
    let state = task.state.as_ref()?;
    match state.run {
        RunState::Stopped => Some(HaltedBy::Signal),
        RunState::Traced => Some(HaltedBy::Tracer(state.tracer)),
        RunState::Uninterruptible => Some(HaltedBy::Kernel(state.wait_channel.clone())),
        // With threads left it lives on.
        RunState::Ended if task.threads.is_empty() => Some(HaltedBy::Ended),
        _ => None,
    }
}

/// The tasks that cannot run, by the reason.
pub(crate) fn halted<'t>(tasks: &'t [Task], who: &dyn Fn(&[&'t Task]) -> Who) -> Vec<Halted> {
    let mut groups: Vec<(HaltedBy, Vec<&Task>)> = Vec::new();
    // Each task may have a debugger of its own.
    let mut known: BTreeMap<HaltedBy, usize> = BTreeMap::new();
    for task in tasks {
        let Some(why) = halted_by(task) else { continue };
        let group = *known.entry(why.clone()).or_insert(groups.len());
        match groups.get_mut(group) {
            Some((_, members)) => members.push(task),
            None => groups.push((why, vec![task])),
        }
    }
    let halted = groups.into_iter().map(|(why, members)| Halted {
        who: who(&members),
        why,
        pid: members.first().and_then(|task| task.pid),
        host: members
            .first()
            .map(|task| task.host.to_string())
            .unwrap_or_default(),
    });
    halted.collect()
}
