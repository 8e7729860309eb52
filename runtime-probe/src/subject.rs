//! One live process on its way through the rounds to its record: which of its threads are stopped, and when it has
//! become another program meanwhile. What a copy says is read in `thread`, which knows nothing of live processes.

use crate::diagnose;
use crate::fit;
use crate::locate::Locator;
use crate::modules::{Modules, Space};
use crate::outline::Outline;
use crate::procfs::{self, Identity, MarkOfExec};
use crate::state;
use crate::stop::{NotStill, Request, Still};
use crate::take::{Options, Threads};
use crate::tasks::TaskRef;
use crate::thread::{Process, Reader, Thread};
use crate::unwind::End;
use library::SharedObject;
use progress_map::Map;
use snapshot::{ProcessState, Task};

/// What a round works with.
pub(crate) struct Round<'a> {
    pub(crate) modules: &'a mut Modules,
    pub(crate) map: &'a Map,
    /// One for each binding of the map.
    pub(crate) locators: &'a [Locator<'a>],
    pub(crate) options: Options,
    /// There will be no further stop.
    pub(crate) last: bool,
}

/// A process on its way to a record.
pub(crate) struct Subject<'t> {
    task: &'t TaskRef,
    /// A thread that lives, through which `/proc` speaks of the process: the main one, unless that has ended.
    voice: u32,
    identity: Option<Identity>,
    /// Which start of which program it was at when its memory map was read.
    mark: MarkOfExec,
    state: Option<ProcessState>,
    /// As [`Task::world`].
    world: Option<u64>,
    /// What was read of it and not placed yet.
    outline: Option<Outline>,
    process: Process,
    /// The main thread first, if it lives; then in the order of creation.
    threads: Vec<Thread>,
    /// Why the process as a whole could not be read.
    error: Option<String>,
    /// Calls that a stop may have ended early, in threads that could not be copied.
    told: Vec<String>,
}

impl<'t> Subject<'t> {
    pub(crate) fn new(task: &'t TaskRef) -> Self {
        Subject {
            task,
            voice: task.pid,
            identity: None,
            mark: MarkOfExec::default(),
            state: None,
            world: None,
            outline: None,
            process: Process::default(),
            threads: Vec::new(),
            error: None,
            told: Vec::new(),
        }
    }

    /// Reads of the running process what does not depend on other processes.
    pub(crate) fn look(&mut self, options: Options) {
        self.threads.clear();
        self.error = None;
        match self.outline(options) {
            Ok(outline) => self.outline = Some(outline),
            Err(reason) => {
                self.outline = None;
                self.threads.clear();
                self.error = Some(reason);
            }
        }
    }

    /// Finds out which modules the process consists of, and what of the map fits them.
    pub(crate) fn place(&mut self, modules: &mut Modules, map: &Map) {
        if let Some(outline) = self.outline.take() {
            self.process.space = modules.space(self.voice, outline);
            self.world = world(&self.process.space, modules);
            self.fit(modules, map);
        }
    }

    /// Its memory map; its identity comes first, so that a program that replaces it meanwhile does not go unnoticed.
    fn outline(&mut self, options: Options) -> Result<Outline, String> {
        let pid = self.task.pid;
        let stat = procfs::stat(pid).map_err(|_| diagnose::gone(pid))?;
        if self.task.started != Some(stat.identity.started) {
            return Err(format!(
                "pid {pid} is another process by now: the one that was found has ended"
            ));
        }
        self.voice = pid;
        self.identity = Some(stat.identity);
        self.mark = MarkOfExec::of(pid);
        self.state = Some(state::of(pid, &stat));
        let ended = diagnose::ended(pid, &stat);
        // A process of one thread needs no list of them.
        if stat.threads > 1 && options.threads == Threads::All {
            self.add_threads();
            if let Some(first) = self.threads.first()
                && ended.is_some()
            {
                self.voice = first.tid;
                self.identity = procfs::stat(self.voice).ok().map(|stat| stat.identity);
                self.mark = MarkOfExec::of(self.voice);
                self.error.clone_from(&ended);
            }
        }
        if self.threads.is_empty() {
            if let Some(reason) = ended {
                return Err(reason);
            }
            self.threads.push(Thread {
                tid: pid,
                started: stat.identity.started,
                wants_stop: true,
                ..Thread::default()
            });
        }
        Outline::of(self.voice).map_err(|error| diagnose::refused(pid, &error))
    }

    /// Finds what of the map fits the modules that are loaded.
    fn fit(&mut self, modules: &Modules, map: &Map) {
        let executable = procfs::executable(self.voice).unwrap_or_default();
        let executable = executable.display().to_string();
        self.process.fit = fit::fit(&executable, modules, &self.process.space, map);
    }

    /// Adds the threads that are not known yet, to be stopped.
    fn add_threads(&mut self) {
        // A list that cannot be read leaves the main thread, whose own error tells why.
        for found in procfs::threads(self.task.pid).unwrap_or_default() {
            let known = |thread: &Thread| (thread.tid, thread.started) == (found.tid, found.started);
            if !self.threads.iter().any(known) {
                let is_main = found.tid == self.task.pid;
                self.threads.push(Thread {
                    tid: found.tid,
                    started: found.started,
                    state: (!is_main).then(|| state::of_thread(self.task.pid, found.tid, &found.stat)),
                    name: found.name,
                    wants_stop: true,
                    ..Thread::default()
                });
            }
        }
        let main = self.task.pid;
        self.threads.sort_by_key(|thread| thread.tid != main);
    }

    /// What to copy in the next stop; `statics` are those of each binding, as linked.
    pub(crate) fn requests<'s>(
        &'s self,
        statics: &'s [Vec<(u64, usize)>],
        limit: usize,
    ) -> impl Iterator<Item = Request<'s>> {
        let waiting = self.threads.iter().filter(|thread| thread.wants_stop);
        waiting.map(move |thread| {
            let planned = self.process.fit.bound.iter().flat_map(|bound| {
                let statics = statics.get(bound.binding).into_iter().flatten();
                statics.map(|&(address, length)| (address.wrapping_add(bound.bias), length))
            });
            Request {
                pid: thread.tid,
                writable: &self.process.space.writable,
                limit,
                is_main: thread.tid == self.task.pid,
                extra: planned.chain(thread.extra.iter().copied()).collect(),
                registers: thread.needs_registers,
            }
        })
    }

    /// Whether one of its threads is to be read a moment later, and not at once.
    pub(crate) fn waits_a_moment(&self) -> bool {
        let mut threads = self.threads.iter();
        threads.any(|thread| thread.wants_stop && thread.later.is_due)
    }

    /// Takes the copies that [`requests`](Self::requests) asked for, in the same order, and decides which threads are
    /// worth another stop.
    pub(crate) fn digest(
        &mut self,
        copies: &mut dyn Iterator<Item = Result<Still, NotStill>>,
        round: &mut Round<'_>,
    ) {
        let pid = self.task.pid;
        let stopped: Vec<usize> = (0..self.threads.len())
            .filter(|&at| self.threads[at].wants_stop)
            .collect();
        let copies: Vec<(usize, Result<Still, NotStill>)> = stopped.into_iter().zip(copies).collect();
        if copies.is_empty() {
            return;
        }
        if self.replaced() {
            self.begin_anew(copies, round);
            return;
        }
        let mut gone = Vec::new();
        let mut unknown_code = Vec::new();
        for (at, copy) in copies {
            let thread = &mut self.threads[at];
            thread.wants_stop = false;
            let same = || {
                let now = procfs::thread_stat(pid, thread.tid);
                now.is_ok_and(|now| now.identity.started == thread.started)
            };
            let is_main = thread.tid == pid;
            match copy {
                // Its id may be that of another thread by now, of another process even.
                _ if !is_main && !same() => gone.push(thread.tid),
                Ok(still) => {
                    let reader = Reader {
                        modules: round.modules,
                        locators: round.locators,
                        limit: round.options.limit,
                    };
                    let is_later = thread.later.is_due;
                    let (more, end) = thread.read(&still, &self.process, reader);
                    // What is read a moment later has the state of then, too.
                    if is_later && is_main {
                        let now = procfs::stat(pid).ok();
                        self.state = now.map(|now| state::of(pid, &now)).or(self.state.take());
                    } else if is_later {
                        let now = procfs::thread_stat(pid, thread.tid).ok();
                        let now = now.map(|now| state::of_thread(pid, thread.tid, &now));
                        thread.state = now.or(thread.state.take());
                    }
                    thread.wants_stop = more && !round.last;
                    if matches!(end, End::NoModule { .. }) {
                        unknown_code.push(at);
                    }
                }
                Err(why) => thread.fail(diagnose::not_still(thread.tid, &why, round.options.patience)),
            }
        }
        if round.last {
            self.threads.retain(|thread| !gone.contains(&thread.tid));
            return;
        }
        // Code that was loaded after the memory map was read.
        if !unknown_code.is_empty() {
            let known: Vec<_> = self.process.space.modules().collect();
            if let Ok(space) = round.modules.space_of(self.voice)
                && space.modules().ne(known.iter().copied())
            {
                self.process.space = space;
                self.fit(round.modules, round.map);
                for at in unknown_code {
                    self.threads[at].wants_stop = true;
                }
            }
        }
        self.threads.retain(|thread| !gone.contains(&thread.tid));
        let more_threads = round.options.threads == Threads::All
            && procfs::stat(self.voice).is_ok_and(|stat| {
                stat.threads as usize > self.threads.len() + usize::from(self.voice != pid)
            });
        if more_threads {
            self.add_threads();
        }
    }

    /// Looks at the program that has replaced the one that was prepared for.
    fn begin_anew(&mut self, copies: Vec<(usize, Result<Still, NotStill>)>, round: &mut Round<'_>) {
        // The copies may mix two programs, or be of one that was about to end: they say nothing but what the stops did.
        let stills = copies.into_iter().filter_map(|(_, copy)| copy.ok());
        self.told
            .extend(stills.filter_map(|still| still.told.map(state::name_of)));
        let threads = self.threads.iter_mut();
        self.told
            .extend(threads.flat_map(|thread| std::mem::take(&mut thread.told)));
        self.look(round.options);
        self.place(round.modules, round.map);
        if round.last {
            self.threads.clear();
            let pid = self.task.pid;
            self.error.get_or_insert_with(|| {
                format!("pid {pid} keeps replacing its program (exec) while it is read")
            });
        }
    }

    /// Whether the process or its program is no longer what was prepared for. One that has ended since was still it.
    fn replaced(&self) -> bool {
        let now = procfs::stat(self.voice);
        now.is_ok_and(|now| {
            let is_same = Some(now.identity) == self.identity && MarkOfExec::of(self.voice).may_be(self.mark);
            now.state != 'Z' && !is_same
        })
    }

    /// The record, as it is after the last round.
    pub(crate) fn finish(mut self, modules: &Modules) -> Task {
        let pid = self.task.pid;
        if let Some(torn) = self.process.space.torn(modules) {
            self.threads.iter_mut().for_each(|thread| thread.frames.clear());
            self.error = Some(torn);
        }
        let mut record = Task {
            task: self.task.name(),
            rank: self.task.rank,
            pid: Some(pid),
            state: self.state,
            program: self.task.executable.as_str().into(),
            world: self.world,
            ..Task::default()
        };
        record.told = self.told;
        let mut problems: Vec<String> = self.error.into_iter().collect();
        if problems.is_empty() {
            problems.extend(self.process.fit.problem);
        }
        for thread in self.threads {
            if thread.tid == pid {
                record.frames = thread.frames.into();
                record.held_ns = thread.held_ns;
                record.unstopped = thread.unstopped;
                record.told.extend(thread.told);
                problems.extend(thread.error);
            } else {
                record.threads.push(snapshot::Thread {
                    thread: thread.tid,
                    name: thread.name,
                    frames: thread.frames.into(),
                    error: thread.error,
                    held_ns: thread.held_ns,
                    unstopped: thread.unstopped,
                    told: thread.told,
                    state: thread.state,
                });
            }
        }
        record.error = (!problems.is_empty()).then(|| problems.join("; "));
        record
    }
}

/// The address that stands for `MPI_COMM_WORLD` in a process with Open MPI. A program that names it has its own copy, which the dynamic
/// linker prefers to the library's; it lies below all libraries.
fn world(space: &Space, modules: &Modules) -> Option<u64> {
    space.modules().enumerate().find_map(|(place, (id, bias))| {
        let module = modules.get(id);
        let is_mpi = matches!(library::shared_object(module.name()), Some(SharedObject::Mpi(_)));
        let may_define = place == 0 || is_mpi;
        let linked = may_define.then(|| module.world()).flatten()?;
        Some(linked.wrapping_add(bias))
    })
}
