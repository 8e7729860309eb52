//! What a task does at one look of the watchdog.
//!
//! A stack in MPI polls: below the entry point it is in other places each time, and uses a processor, and none of that is work. So a
//! task *waits* while the main thread is in a call that waits for others; it is *busy* while some thread of the program is elsewhere and
//! runs, or sleeps in a call that ends by itself (a timer, a file, a socket); else it is *asleep*. Threads that are nowhere in the
//! program (of MPI, of OpenMP without work) do not count.

use crate::beneath::{InMpi, in_mpi};
use crate::blocking::{is_blocking, waits_for_threads};
use library::{Part, is_runtime_library, of_symbol, system_calls};
use snapshot::{Frame, ProcessState, RunState, Task, Thread, Value};
use std::collections::BTreeMap;

/// What a task does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    /// Its main thread waits in MPI for other tasks.
    Waits {
        /// Some other thread of it is busy.
        with_busy: bool,
        /// Only other tasks of the job can end the call: not a file, a server, or a job that is yet to be started.
        on_tasks_alone: bool,
    },
    /// Some thread of the program works, or will go on by itself.
    Busy(Business),
    /// All threads sleep outside of MPI, in the named system call if that is known.
    Asleep(Option<String>),
    /// It cannot run: stopped by a signal or a debugger, or ended.
    Halted,
    /// Its stack was not seen, or not to its end.
    Unseen,
}

/// What keeps a task busy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Business {
    /// The program's code, or a library below it.
    Computes,
    /// It asks again and again whether others have done their part, by this function.
    Polls(String),
    /// A system call that ends by itself, or when a device or a peer outside of the job has done its part.
    SystemCall(String),
    /// An operation on a file that MPI does for it.
    File(String),
}

/// Where a thread stands: what must stay the same for the thread to stand still. Of values, only those that are known both times tell
/// anything, since a sleeping thread is read without its registers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct StackFingerprint {
    calls: Vec<CallFingerprint>,
    /// The processor time of the whole task and of those of its threads that do not count, in milliseconds, where it tells anything: of
    /// a task outside of MPI.
    spent: Option<(u64, u64)>,
}

/// What the clocks of the kernel may be wrong by, in milliseconds.
const ROUNDING: u64 = 20;

#[derive(Clone, Debug, Default, PartialEq)]
struct CallFingerprint {
    function: String,
    at: (Option<u64>, Option<u32>, Option<u32>),
    values: BTreeMap<String, Value>,
}

impl StackFingerprint {
    fn of(frames: &[Frame]) -> Self {
        let call = |frame: &Frame| CallFingerprint {
            function: frame.function.clone(),
            at: (frame.pc, frame.line, frame.column),
            values: frame.values.clone(),
        };
        StackFingerprint {
            calls: frames.iter().map(call).collect(),
            spent: None,
        }
    }

    /// In a function at the end of these frames, wherever within it: what is below its entry turns in a circle.
    fn within(frames: &[Frame], function: String) -> Self {
        let mut place = StackFingerprint::of(frames);
        place.calls.push(CallFingerprint {
            function,
            ..CallFingerprint::default()
        });
        place
    }

    /// Whether a thread that was there is elsewhere now, or has worked in between.
    pub(super) fn differs(&self, now: &Self) -> bool {
        let is_other = |(was, is): (&CallFingerprint, &CallFingerprint)| {
            let is_changed = |(name, value)| is.values.get(name).is_some_and(|other| other != value);
            was.function != is.function || was.at != is.at || was.values.iter().any(is_changed)
        };
        let has_worked = match (self.spent, now.spent) {
            // Two clocks that both run are not read at the same instant: their difference would tell nothing.
            (Some((was, others_were)), Some((is, others_are))) => {
                others_were == others_are && is > was + ROUNDING
            }
            _ => false,
        };
        has_worked || self.calls.len() != now.calls.len() || self.calls.iter().zip(&now.calls).any(is_other)
    }
}

/// What a task does, and where its main thread stands while it waits or sleeps.
pub(super) fn of(task: &Task) -> (Doing, StackFingerprint) {
    let state = task.state.as_ref();
    let has_threads = !task.threads.is_empty();
    match state.map(|state| state.run) {
        Some(RunState::Stopped | RunState::Traced) => return (Doing::Halted, StackFingerprint::default()),
        Some(RunState::Ended) if !has_threads => return (Doing::Halted, StackFingerprint::default()),
        _ => {}
    }
    // Without its outer frames a stack looks like another one.
    // A main thread that has ended has none, and its task lives on by its other threads.
    let has_ended = state.is_some_and(|state| state.run == RunState::Ended);
    if task.error.is_some() || task.frames.is_empty() && !has_ended {
        return (Doing::Unseen, StackFingerprint::default());
    }
    let (main, place) = thread(task, &task.frames, state);
    let (own, helpers): (Vec<&Thread>, Vec<&Thread>) = task
        .threads
        .iter()
        .partition(|thread| is_of_program(&thread.frames));
    let others = own
        .iter()
        .map(|other| thread(task, &other.frames, other.state.as_ref()));
    let others: Vec<(Doing, StackFingerprint)> = others.collect();
    let busy = others.iter().find(|(doing, _)| matches!(doing, Doing::Busy(_)));
    match (main, busy) {
        (Doing::Waits { on_tasks_alone, .. }, busy) => {
            let with_busy = busy.is_some();
            (
                Doing::Waits {
                    with_busy,
                    on_tasks_alone,
                },
                place,
            )
        }
        (Doing::Asleep(_), Some((busy, _))) => (busy.clone(), StackFingerprint::default()),
        (Doing::Asleep(call), None) => {
            // Whoever joins threads that are in MPI waits in MPI.
            if let Some(in_mpi) = others
                .iter()
                .find(|(doing, _)| matches!(doing, Doing::Waits { .. }))
            {
                return in_mpi.clone();
            }
            let mut place = place;
            place
                .calls
                .extend(others.into_iter().flat_map(|(_, place)| place.calls));
            let spent_by = |thread: &&Thread| thread.state.as_ref().and_then(|state| state.cpu_ms);
            let by_helpers = helpers.iter().filter_map(spent_by).sum();
            place.spent = state.and_then(|state| state.cpu_ms).map(|all| (all, by_helpers));
            (Doing::Asleep(call), place)
        }
        (main, _) => (main, place),
    }
}

/// What one thread does.
fn thread(task: &Task, frames: &[Frame], state: Option<&ProcessState>) -> (Doing, StackFingerprint) {
    match in_mpi(task, frames) {
        InMpi::Inside { at, function } | InMpi::Named { at, function } if !calls_back(frames, at) => {
            let row = of_symbol(&function);
            if row.is_some_and(|row| row.part == Part::File) {
                return (Doing::Busy(Business::File(function)), StackFingerprint::default());
            }
            if !is_blocking(&function) {
                return (
                    Doing::Busy(Business::Polls(function)),
                    StackFingerprint::default(),
                );
            }
            let waits = Doing::Waits {
                with_busy: false,
                on_tasks_alone: row.is_none_or(|row| !row.with_other_jobs),
            };
            return (waits, StackFingerprint::within(&frames[..at], function));
        }
        InMpi::SomewhereInside => {
            let own = frames.iter().rposition(is_own).map_or(0, |last| last + 1);
            let waits = Doing::Waits {
                with_busy: false,
                on_tasks_alone: false,
            };
            return (waits, StackFingerprint::of(&frames[..own]));
        }
        _ => {}
    }
    let place = StackFingerprint::of(frames);
    let waits_for_others = frames
        .iter()
        .rev()
        .take_while(|frame| !is_own(frame))
        .find_map(|frame| waits_for_threads(&frame.function, frame.module.as_deref()));
    if let Some(call) = waits_for_others {
        // Inside the runtime a thread may turn in a circle while it waits.
        let own = frames.iter().rposition(is_own).map_or(0, |last| last + 1);
        return (Doing::Asleep(Some(call)), StackFingerprint::of(&frames[..own]));
    }
    let Some(state) = state else {
        return (Doing::Busy(Business::Computes), StackFingerprint::default());
    };
    match (state.run, &state.system_call) {
        (RunState::Sleeping, Some(call)) if ends_only_by_the_program(call) => {
            (Doing::Asleep(Some(call.clone())), place)
        }
        (RunState::Sleeping | RunState::Uninterruptible, Some(call)) => (
            Doing::Busy(Business::SystemCall(call.clone())),
            StackFingerprint::default(),
        ),
        (RunState::Uninterruptible, None) => {
            let call = state
                .wait_channel
                .clone()
                .unwrap_or_else(|| "the kernel".to_owned());
            (
                Doing::Busy(Business::SystemCall(call)),
                StackFingerprint::default(),
            )
        }
        (RunState::Sleeping, None) => (Doing::Asleep(None), place),
        (RunState::Ended, _) => (Doing::Asleep(None), StackFingerprint::default()),
        _ => (Doing::Busy(Business::Computes), StackFingerprint::default()),
    }
}

/// Whether nothing ends a system call but the program itself, or a signal.
fn ends_only_by_the_program(call: &str) -> bool {
    system_calls::by_name(call).is_some_and(|call| call.awaits.only_the_program())
}

/// Whether MPI has called a function of the program, an operation for a reduction for example, below the entry point at `at`.
fn calls_back(frames: &[Frame], at: usize) -> bool {
    let has_modules = frames.iter().any(|frame| frame.module.is_some());
    let entry = &frames[at].module;
    has_modules
        && frames[at + 1..]
            .iter()
            .any(|frame| is_own(frame) && frame.module != *entry)
}

/// Whether a frame is of the program, or of a library that programs are made of.
fn is_own(frame: &Frame) -> bool {
    library::symbols::starts(&frame.function).is_none()
        && !frame.module.as_deref().is_some_and(is_runtime_library)
}

/// Whether a thread is in the program at all.
fn is_of_program(frames: &[Frame]) -> bool {
    frames.iter().any(is_own)
}
