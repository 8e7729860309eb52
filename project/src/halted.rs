//! Tasks that are stopped because their user asks for it, to look at them with a debugger, and let go again.

use crate::recordings::{runs, state};
use engine::recorded::Recording;
use rustix::process::{Pid, Signal, kill_process};

/// Tasks of this host that are stopped, by the signal that a terminal stops them with. They go on when this is dropped, if not before.
#[derive(Debug)]
pub struct HaltedTasks {
    tasks: Vec<Recording>,
}

impl HaltedTasks {
    /// Stops those of these that run on this host; whoever cannot be stopped is left out.
    #[must_use]
    pub fn halt<'r>(tasks: impl IntoIterator<Item = &'r Recording>) -> Self {
        let tasks = tasks.into_iter().filter(|task| signal(task, Signal::STOP));
        Self {
            tasks: tasks.cloned().collect(),
        }
    }

    /// Those that were stopped.
    #[must_use]
    pub fn tasks(&self) -> &[Recording] {
        &self.tasks
    }

    /// Whether some of them still stand: others may let them go on, or end them.
    #[must_use]
    pub fn stand(&self) -> bool {
        self.tasks.iter().any(stands)
    }
}

impl Drop for HaltedTasks {
    fn drop(&mut self) {
        for task in &self.tasks {
            signal(task, Signal::CONT);
        }
    }
}

/// Sends a signal to the process of a recording, and to no other that has its number by now; whether it was sent.
fn signal(task: &Recording, signal: Signal) -> bool {
    let pid = i32::try_from(task.pid).ok().and_then(Pid::from_raw);
    runs(task) && pid.is_some_and(|pid| kill_process(pid, signal).is_ok())
}

/// Whether a task is stopped by a signal, or held by a debugger.
fn stands(task: &Recording) -> bool {
    matches!(state(task), Some('T' | 't'))
}
