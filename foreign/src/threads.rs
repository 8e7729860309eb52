//! Threads as tools print them, one after the other: of one process, or of several, as where gdb looks at several or outputs were joined to one file.

use crate::{Error, MAX_FRAMES};
use snapshot::{Frame, Task, Thread};
use std::collections::BTreeMap;

/// A thread as it was printed.
#[derive(Default)]
pub(crate) struct Printed {
    /// gdb's number of the process, where it looks at several.
    pub(crate) inferior: u32,
    pub(crate) id: u32,
    pub(crate) is_main: bool,
    /// Innermost first.
    pub(crate) frames: Vec<Frame>,
}

/// All that were printed so far.
pub(crate) struct Threads {
    /// Each with the process in which it was printed, as an index of `processes`.
    printed: Vec<(usize, Printed)>,
    /// Their ids, where the tool tells them.
    processes: Vec<Option<u32>>,
}

impl Threads {
    pub(crate) fn new() -> Self {
        Threads {
            printed: Vec::new(),
            processes: vec![None],
        }
    }

    fn process(&self) -> usize {
        self.processes.len() - 1
    }

    /// What follows is of a process of this id.
    pub(crate) fn begin_process(&mut self, pid: Option<u32>) {
        let current = self.process();
        if self
            .printed
            .last()
            .is_some_and(|&(process, _)| process == current)
        {
            self.processes.push(pid);
        } else {
            self.processes[current] = pid;
        }
    }

    /// The id of the process whose threads are printed.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.processes[self.process()]
    }

    pub(crate) fn push(&mut self, thread: Printed) {
        self.printed.push((self.process(), thread));
    }

    /// The thread that is printed, if this process has one.
    pub(crate) fn last(&mut self) -> Option<&mut Printed> {
        let current = self.process();
        let last = self
            .printed
            .last_mut()
            .filter(|&&mut (process, _)| process == current);
        last.map(|(_, thread)| thread)
    }

    /// Takes the thread of this process that has an id.
    pub(crate) fn take(&mut self, id: u32) -> Option<Printed> {
        let current = self.process();
        let mut all = self.printed.iter();
        let at = all.position(|(process, thread)| *process == current && thread.id == id)?;
        Some(self.printed.remove(at).1)
    }

    /// The frame that was printed last.
    pub(crate) fn last_frame(&mut self) -> Option<&mut Frame> {
        self.last()?.frames.last_mut()
    }

    /// Adds a frame, which stands on line `number`, to the thread that is printed; to one without a name if there is none.
    pub(crate) fn add_frame(&mut self, frame: Frame, number: usize) -> Result<(), Error> {
        if self.last().is_none() {
            self.push(Printed::default());
        }
        let Some(thread) = self.last() else {
            return Ok(());
        };
        thread.frames.push(frame);
        if thread.frames.len() > MAX_FRAMES {
            return Err(Error::new(
                number,
                format!("a stack of more than {MAX_FRAMES} frames"),
            ));
        }
        Ok(())
    }

    /// A task for each process: `task` of `rank` if there is one alone. Of several nobody knows the ranks, and they are numbered. `None` if no
    /// thread has a frame.
    pub(crate) fn tasks(self, task: &str, rank: Option<u32>) -> Option<Vec<Task>> {
        let mut processes: BTreeMap<(usize, u32), Vec<Printed>> = BTreeMap::new();
        for (process, thread) in self.printed {
            if !thread.frames.is_empty() {
                processes
                    .entry((process, thread.inferior))
                    .or_default()
                    .push(thread);
            }
        }
        let is_one = processes.len() == 1;
        let each = (1..).zip(processes).map(|(number, ((process, _), threads))| {
            let (name, rank) = if is_one {
                (task.to_owned(), rank)
            } else {
                (format!("{task}.{number}"), None)
            };
            task_of(threads, self.processes[process], name, rank)
        });
        Some(Vec::from_iter(each)).filter(|tasks| !tasks.is_empty())
    }
}

fn task_of(mut threads: Vec<Printed>, pid: Option<u32>, task: String, rank: Option<u32>) -> Task {
    let main = threads.iter().position(|thread| thread.is_main).unwrap_or(0);
    let main = threads.remove(main);
    let outermost_first = |frames: Vec<Frame>| frames.into_iter().rev().collect();
    Task {
        task,
        rank,
        pid,
        frames: outermost_first(main.frames),
        threads: threads
            .into_iter()
            .map(|thread| Thread {
                thread: thread.id,
                frames: outermost_first(thread.frames),
                ..Thread::default()
            })
            .collect(),
        ..Task::default()
    }
}
