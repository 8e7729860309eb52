//! Taking a snapshot: the phases, and which tasks need a second stop.
//!
//! Rounds. In the first all threads of all tasks are stopped once. Unwinding and evaluating the copies tells what else is needed: a
//! word behind a pointer, or the stack that a signal handler's own stack interrupted. The threads that need more are
//! stopped again, with those addresses planned; so are threads that were created meanwhile. Each round evaluates everything anew on its own copy, so all values
//! of a thread are of one moment; a pointer that has changed in between leads to memory that was not copied, and its
//! variable is missing.

use crate::at_once;
use crate::gather::{Stopping, gather};
use crate::locate::Locator;
use crate::modules::Modules;
use crate::plan;
use crate::proctable::own_host;
use crate::stop::{Manner, Request};
use crate::subject::{Round, Subject};
use crate::tasks::{TaskRef, size_of};
use progress_map::Map;
use snapshot::{Header, Task, VERSION};
use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How a snapshot is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Bytes of each stack to copy at most (256 MiB in any case); outer frames beyond are missing, and the record says so.
    pub limit: usize,
    /// How long to wait for tasks to stop, all together. One that sleeps uninterruptibly never does.
    pub patience: Duration,
    /// Which threads of each task to read.
    pub threads: Threads,
    /// When to stop them.
    pub stopping: Stopping,
    /// How much later a thread is read again, three times at most, that sleeps where only a stop could show all and must not be: who sleeps for moments only is elsewhere by then.
    pub moment: Duration,
}

/// Which threads of a task are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threads {
    /// The main one.
    Main,
    /// All that live. Each is released as soon as it is copied, like any other: none is held until its fellows have
    /// stopped, which on a busy machine would take as long as the scheduler likes.
    #[default]
    All,
}

impl Default for Options {
    /// 1 MiB, which holds all but the largest automatic arrays, 2 seconds, all threads, a stop only where it does no harm, and a millisecond.
    fn default() -> Self {
        Options {
            limit: 1 << 20,
            patience: Duration::from_secs(2),
            threads: Threads::All,
            stopping: Stopping::Sparing,
            moment: Duration::from_millis(1),
        }
    }
}

/// One look for the stack, one for registers, and one for each pointer on the longest path that is worth following (`a->b->c->n`).
const ROUNDS: usize = 5;

/// More than any stack that a program could walk through: the buffer for it has to be there.
const MOST_STACK: usize = 1 << 28;

/// So many bytes of stacks are copied at one time. A process may have thirty thousand threads that all stand a megabyte deep in stacks that they have never touched: it needs
/// no memory for that, we would.
const ALL_STACKS: usize = 1 << 30;

/// Lowers the limits of stacks until all of them together have room: the main threads' to half of it, and the others' to the other half.
fn share(requests: &mut [Request<'_>]) {
    for is_main in [true, false] {
        let count = requests
            .iter()
            .filter(|request| request.is_main == is_main)
            .count();
        let each = ALL_STACKS / 2 / count.max(1);
        let all = requests.iter_mut().filter(|request| request.is_main == is_main);
        all.for_each(|request| request.limit = request.limit.min(each));
    }
}

/// Takes a snapshot of `tasks`, in their order.
///
/// Never fails as a whole: a task that could not be read has the reason in its record.
pub fn take(map: &Map, tasks: &[TaskRef], options: Options) -> (Header, Vec<Task>) {
    let locators = Vec::from_iter(map.bindings().map(|binding| Locator::new(map, binding)));
    let mut modules = Modules::default();
    let mut subjects: Vec<Subject<'_>> = tasks.iter().map(Subject::new).collect();
    // Memory maps are half of the work of a snapshot. Some at a time: each may have sixty thousand lines with paths of four thousand bytes.
    const AT_A_TIME: usize = 64;
    for some in subjects.chunks_mut(AT_A_TIME) {
        at_once::for_each(some, |subject| subject.look(options));
        for subject in some {
            subject.place(&mut modules, map);
        }
    }

    let manner = Manner {
        patience: options.patience,
        // They are worth the extra microsecond only if some variable could be in them.
        vectors: map.bindings().any(plan::has_floats),
        stopping: options.stopping,
    };
    let statics = Vec::from_iter(map.bindings().map(plan::statics));
    let mut window: Option<(Instant, Instant)> = None;
    for round in 1..=ROUNDS {
        if subjects.iter().any(Subject::waits_a_moment) {
            std::thread::sleep(options.moment);
        }
        let mut requests: Vec<Request<'_>> = subjects
            .iter()
            .flat_map(|subject| subject.requests(&statics, options.limit.min(MOST_STACK)))
            .collect();
        share(&mut requests);
        if requests.is_empty() {
            break;
        }
        let gathered = gather(&requests, manner);
        let mut copies = gathered.copies.into_iter();
        if let Some((begun, ended)) = gathered.window {
            window = Some((window.map_or(begun, |(first, _)| first), ended));
        }
        let mut round = Round {
            modules: &mut modules,
            map,
            locators: &locators,
            options,
            last: round == ROUNDS,
        };
        for subject in &mut subjects {
            subject.digest(&mut copies, &mut round);
        }
    }

    let mut names = BTreeMap::new();
    for task in tasks {
        *names.entry(task.name()).or_insert(0) += 1;
    }
    let records = subjects.into_iter().map(|subject| {
        let mut record = subject.finish(&modules);
        // Two processes of one rank: the names must differ.
        if names.get(&record.task).is_some_and(|&count| count > 1)
            && let Some(pid) = record.pid
        {
            record.task = format!("{} (pid {pid})", record.task);
        }
        record
    });
    (header(tasks, window), records.collect())
}

/// What is said of tasks that were all read within `window`.
pub(crate) fn header(tasks: &[TaskRef], window: Option<(Instant, Instant)>) -> Header {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok();
    Header {
        hindmost_snapshot: VERSION,
        host: own_host(),
        window_us: Some(window.map_or(0, |(begun, ended)| {
            u64::try_from((ended - begun).as_micros()).unwrap_or(u64::MAX)
        })),
        size: size_of(tasks),
        taken: since.map(|since| since.as_secs()),
        launcher: None,
        job: String::new(),
    }
}
