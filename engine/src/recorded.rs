//! What the flight recorder's files say about who waits for whom.
//!
//! `recording` tells what each task did, by its own numbers: ranks of communicators, serial numbers, handles. Here these become
//! ranks of the world and identities that all tasks share, which `waitgraph` reasons about. What a file does not tell for certain is
//! left open, never guessed: a send that may have been complete at once, a communicator whose members there was no room for.

mod involved;
mod lists;
mod messages;
mod neighbours;
mod task;
mod verdict;
mod windows;

use crate::past;
use crate::timeline::LastEvents;
use lists::Lists;
use recording::Kind;
use recording::layout::does;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use task::Task;
use waitgraph::recorded::Recorded;
use waitgraph::{WaitGraph, wait_graph};

pub use self::verdict::{Named, Verdict};
pub use crate::condensed::{Condensed, Link, Node, Part};
pub use crate::past::{Because, Before, Least, least_by_inference};
pub use crate::places::{Place, places};
pub use recording::{Error, Recording, Stage, matches};
pub use waitgraph::progress::View;
pub use waitgraph::recorded::{Collective, How, Identity, Lock, LockKind, Signal};
pub use waitgraph::{Certainty, Differ, Edge, ListId, Mismatch, Rank, Transfer, Whom, Why};

/// Nobody is called slow for less: a busy machine makes anybody wait so long.
const LEAST_SLOW: Duration = Duration::from_secs(1);

/// One recording, with what the caller knows of its process.
#[derive(Clone, Debug)]
pub struct Record {
    /// What was read.
    pub recording: Recording,
    /// It has called `MPI_Finalize` or `MPI_Abort`, or its process has ended while others of the job still run.
    pub is_gone: bool,
    /// It completed a call between two looks.
    pub moves: bool,
    /// The threads that its process has, by their numbers in the system; `None` if nobody knows.
    pub threads: Option<Vec<u32>>,
    /// The monotonic clock of its host in nanoseconds, when it was read or, of a job that is gone, when the last was heard of it.
    pub now: u64,
}

impl Record {
    /// Whether there may be threads that have not called MPI yet, and may do so while others are in a call: by `MPI_THREAD_MULTIPLE` alone. Those that the library has added to
    /// itself in `MPI_Init` are none of these.
    #[must_use]
    pub fn may_be_joined(&self) -> bool {
        let Some(at_init) = self.recording.threads_at_init else {
            return false;
        };
        let Some(threads) = &self.threads else {
            return true;
        };
        let has_called = |tid: &u32| self.recording.threads.iter().any(|thread| thread.tid == *tid);
        let others = threads.iter().filter(|tid| !has_called(tid)).count();
        at_init.before == 0 || others > at_init.behind.saturating_sub(at_init.before) as usize
    }
}

/// What a task does, for a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doing {
    /// Its rank.
    pub rank: u32,
    /// The operation that its first waiting thread is in, or asks for again and again.
    pub operation: Option<String>,
    /// What each of its threads that have called MPI is in, or asks for again and again, in their order; nothing for one outside of MPI. Empty if there is one thread.
    pub threads: Vec<Option<String>>,
    /// How often it has asked; `None` if it is in a call.
    pub polls: Option<u64>,
    /// For how long, in nanoseconds; outside of MPI, since its last call.
    pub for_ns: u64,
    /// How far it is.
    pub stage: Stage,
    /// It completed a call between two looks.
    pub moves: bool,
    /// See [`Record::is_gone`].
    pub is_gone: bool,
    /// The process.
    pub pid: u32,
    /// Its host.
    pub host: String,
    /// Some of what it did was not recorded.
    pub is_partial: bool,
    /// It may have threads that have not called MPI yet, and that may do so.
    pub may_be_joined: bool,
    /// Calls that it has completed, unanswered questions left out.
    pub completed: u64,
    /// The longest that a call, or a computation between two, ever lasted in it; nothing if its model is not whole, or of several threads.
    pub longest: Option<Duration>,
    /// How long the same lasted before: the call that it is in, or the computation that it is in. `None` if it was not there before, or if several threads call MPI.
    pub before: Option<Before>,
}

impl Doing {
    /// The operation of one of its threads, by its place among them.
    #[must_use]
    pub fn operation_of(&self, thread: usize) -> Option<&str> {
        let own = self.threads.get(thread).unwrap_or(&self.operation);
        own.as_deref()
    }

    /// Of a task with several threads that have called MPI, one at least is in it and one at least outside.
    #[must_use]
    pub fn has_threads_outside(&self) -> bool {
        self.threads.iter().any(Option::is_none) && self.threads.iter().any(Option::is_some)
    }
}

/// Who waits for whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// What each task does, by rank.
    pub tasks: Vec<Doing>,
    /// How many tasks the job has, by what they say.
    pub size: u32,
    /// What follows.
    pub graph: WaitGraph,
    /// The names of operations, by the numbers that the graph has.
    pub operations: Vec<String>,
    /// A short name for each communicator: `MPI_COMM_WORLD`, or how it was made and who is in it.
    pub communicators: BTreeMap<Identity, String>,
    /// Who of those that others wait for is probably furthest behind; nothing if that cannot be inferred, or if it is one alone.
    pub least: Option<Least>,
    /// The last events of each task, if events were recorded; whoever has read them adds them.
    pub last_events: Option<LastEvents>,
}

impl Waiting {
    /// The tasks that compute for much longer than they ever did there. While others go on they are slow, and nobody can tell more from outside.
    pub fn slow(&self) -> impl Iterator<Item = &Doing> {
        let is_slow = |task: &&Doing| {
            let time = Duration::from_nanos(task.for_ns);
            let is_much = |before: &Before| {
                let longest = before.longest.saturating_mul(crate::LONGER);
                before.is_exceeded_by(time) && time > longest.max(LEAST_SLOW)
            };
            let is_outside = task.operation.is_none() && task.stage == Stage::Running;
            is_outside && !task.moves && !task.is_gone && task.before.as_ref().is_some_and(is_much)
        };
        self.tasks.iter().filter(is_slow)
    }

    /// What a task does.
    #[must_use]
    pub fn task(&self, rank: Rank) -> Option<&Doing> {
        let at = self.tasks.binary_search_by_key(&rank.0, |task| task.rank).ok()?;
        self.tasks.get(at)
    }
}

/// Puts the recordings of one job together. Those of tasks that never came to `MPI_Init` are left out, and of several of one rank all but the first.
#[must_use]
pub fn waiting(records: &[Record]) -> Waiting {
    let operations: Vec<String> = {
        let names = records.iter().flat_map(|record| &record.recording.operations);
        names.cloned().collect::<BTreeSet<_>>().into_iter().collect()
    };
    let mut by_rank: BTreeMap<u32, &Record> = BTreeMap::new();
    for record in records {
        if let Some((rank, _)) = record.recording.world {
            by_rank.entry(rank).or_insert(record);
        }
    }
    let size = records
        .iter()
        .filter_map(|record| record.recording.world)
        .map(|(_, size)| size);
    let lists = Lists::default();
    let task = |(rank, record): (&u32, &&Record)| Task::new(*rank, record, &operations, &lists).recorded();
    let tasks: Vec<Recorded> = by_rank.iter().map(task).collect();
    let mut waiting = Waiting {
        size: size.max().unwrap_or(0),
        graph: wait_graph(&tasks),
        tasks: by_rank
            .iter()
            .map(|(rank, record)| doing(*rank, record))
            .collect(),
        communicators: names(by_rank.values().copied()),
        operations,
        least: None,
        last_events: None,
    };
    past::add_least(&mut waiting, &by_rank);
    waiting
}

/// The name of a reduction, by the number that collective operations have.
#[must_use]
pub fn reduction_name(number: u32) -> &'static str {
    let known = recording::layout::REDUCTIONS.get(number as usize);
    known.copied().unwrap_or("a reduction")
}

fn doing(rank: u32, record: &Record) -> Doing {
    let recording = &record.recording;
    let in_call = recording
        .threads
        .iter()
        .find_map(|thread| Some((thread.call.as_ref()?, None)));
    let polling = recording.threads.iter().find_map(|thread| {
        let polling = thread.polling.as_ref()?;
        Some((&polling.call, Some((polling.times, thread.last))))
    });
    let shown = match (in_call, polling) {
        (Some((call, _)), Some(polls)) if asks(call.does) => Some(polls),
        (Some(call), _) => Some(call),
        (None, polls) => polls,
    };
    let last = recording
        .threads
        .iter()
        .map(|thread| thread.last)
        .max()
        .unwrap_or(0);
    Doing {
        rank,
        operation: shown.map(|(call, _)| recording.operation(call.operation).to_owned()),
        threads: if recording.threads.len() > 1 {
            recording
                .threads
                .iter()
                .map(|thread| operation_of(recording, thread))
                .collect()
        } else {
            Vec::new()
        },
        polls: shown.and_then(|(_, polls)| polls).map(|(times, _)| times),
        for_ns: record.now.saturating_sub(match shown {
            Some((call, None)) => call.since,
            Some((_, Some((_, last)))) => last,
            None => last,
        }),
        stage: recording.stage,
        moves: record.moves,
        is_gone: record.is_gone,
        pid: recording.pid,
        host: recording.host.clone(),
        is_partial: is_partial(recording),
        may_be_joined: record.may_be_joined(),
        completed: recording.threads.iter().map(|thread| thread.completed).sum(),
        longest: past::longest(record),
        before: past::before(record),
    }
}

/// The operation that a thread is in, or asks for again and again.
fn operation_of(recording: &Recording, thread: &recording::Thread) -> Option<String> {
    let asked = thread.polling.as_ref().map(|polling| &polling.call);
    let call = thread.call.as_ref().or(asked)?;
    Some(recording.operation(call.operation).to_owned())
}

fn is_partial(recording: &Recording) -> bool {
    recording.lost.anything() || recording.damaged > 0
}

fn asks(what: u64) -> bool {
    matches!(what, does::ASKS_ALL | does::ASKS_ONE | does::ASKS_MESSAGE)
}

/// Names for communicators, from whoever knows them.
fn names<'r>(records: impl Iterator<Item = &'r Record>) -> BTreeMap<Identity, String> {
    let mut names = BTreeMap::new();
    for record in records {
        let recording = &record.recording;
        for each in &recording.communicators {
            names.entry(Identity(each.identity)).or_insert_with(|| {
                let of = |side: &recording::Members| base::RankSet::from_iter(side.iter().flatten()).brief();
                let sides = each.members.iter().chain(&each.remote).map(of);
                let ranks = Vec::from_iter(sides).join(" and ");
                let what = match each.kind {
                    Kind::Communicator => "communicator",
                    Kind::Window => "window",
                    Kind::File => "file",
                    Kind::Prepared => "persistent operation",
                };
                match each.made_by.map(|made_by| recording.operation(made_by)) {
                    None if each.members.as_ref().is_some_and(|members| members.len() == 1) => {
                        "MPI_COMM_SELF".to_owned()
                    }
                    None => "MPI_COMM_WORLD".to_owned(),
                    Some(made_by) => format!("the {what} of ranks {ranks} by {made_by}"),
                }
            });
        }
    }
    names
}
