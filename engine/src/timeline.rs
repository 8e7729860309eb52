//! What the tasks of a job did, one event behind the other: the rings of the flight recorder, sorted into causal order.
//!
//! A ring names ranks of communicators, serial numbers and clocks of its own task. Here these become ranks of the world, groups that all members share and times since the
//! epoch; `causal` does the rest. What a file does not tell for certain ties nothing: a communicator whose members are not known, an operation whose flow the library decides.

mod last;
mod live;
mod sorting;
mod told;

use base::Id;
use causal::{Offsets, Reported, StreamId};
use recording::Recording;
use sorting::{Entry, Sorting, stream};
use std::borrow::Cow;
use std::collections::BTreeMap;

pub use causal::{Cause, Missing, Standing};
pub use condition::{Condition, Error as ConditionError, Holds, Watch};
pub use foreign::events::Trace;
pub use last::{Dated, LastEvents, LastOfTask, Until, last_events};
pub use live::{Live, Moment};
pub use recording::ring::{self, EXTENSION, Events, Step};
pub use sorting::{WindowPoint, since_epoch};
pub use told::timeline_of;

/// Ranks of a world, at most: a file that claims more is damaged.
const MOST_RANKS: u32 = 1 << 20;

/// After so many nanoseconds of the job it is looked whether any event waits for too long.
const LOOK_EACH: u64 = 250_000_000;

/// So often the window is measured.
const POINTS: usize = 1 << 12;

/// What one task has written.
#[derive(Clone, Copy, Debug)]
pub struct Source<'r> {
    /// Its recording, read after its events.
    pub recording: &'r Recording,
    /// Its events.
    pub events: &'r Events,
}

/// What an event gives events of other ranks, or takes from them ([`ring::Tie`]), in the words of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// Nothing.
    None,
    /// A message to this rank, with its tag; a signal over a window has none.
    To(u32, Option<i64>),
    /// One from this rank.
    From(u32, Option<i64>),
    /// A part of the operation of this number, with its root.
    Enters(u64, Option<u32>),
    /// The end of one.
    Leaves(u64, Option<u32>),
}

/// An event of the job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happening<'r> {
    /// The rank in the world.
    pub rank: u32,
    /// Its number in its task, counted from 0.
    pub sequence: u64,
    /// The thread, by the order in which threads first called MPI.
    pub thread: Option<u32>,
    /// When, in nanoseconds since the epoch: adjusted so that nothing is before what it depends on.
    pub time: i64,
    /// The same by the clock of its host.
    pub local: i64,
    /// What happens.
    pub step: Step,
    /// To which operation of MPI; none of a signal over a window.
    pub operation: Option<Cow<'r, str>>,
    /// The identity of its communicator, which its members share.
    pub communicator: Option<u64>,
    /// What it gives others, or takes from them.
    pub tie: Tie,
    /// The latest event that it depends on in another rank: its rank, number and adjusted time.
    pub cause: Option<(u32, u64, i64)>,
    /// How far the order around it holds.
    pub standing: Standing,
}

impl Happening<'_> {
    /// The same in the words of conditions.
    #[must_use]
    pub fn for_condition(&self) -> condition::Event<'_> {
        let message = |rank: u32, tag: Option<i64>| tag.map(|tag| (rank, tag));
        let (sends, receives) = match self.tie {
            Tie::To(rank, tag) => (message(rank, tag), None),
            Tie::From(rank, tag) => (None, message(rank, tag)),
            Tie::Enters(..) | Tie::Leaves(..) | Tie::None => (None, None),
        };
        condition::Event {
            rank: self.rank,
            thread: self.thread.unwrap_or(0),
            time: self.time,
            step: match self.step {
                Step::Begins => condition::Step::Begins,
                Step::Ends => condition::Step::Ends,
                Step::Starts | Step::Completes | Step::Signals => condition::Step::Other,
            },
            call: self.operation.as_deref(),
            sends,
            receives,
            is_after_loss: self.standing.lost_before > 0,
        }
    }

    /// The same, whatever becomes of the recording.
    #[must_use]
    pub fn into_owned(self) -> Happening<'static> {
        Happening {
            operation: self.operation.map(|operation| Cow::Owned(operation.into_owned())),
            ..self
        }
    }
}

/// A task whose events are there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane<'r> {
    /// Its rank.
    pub rank: u32,
    /// Its host.
    pub host: &'r str,
    /// Events that were written over before they were read.
    pub lost: u64,
}

/// The events of a job in causal order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline<'r> {
    /// The tasks, by rank.
    pub lanes: Vec<Lane<'r>>,
    /// The events.
    pub happenings: Vec<Happening<'r>>,
    /// The members of the communicators whose operations tie events, by their identities, in the order of their ranks there.
    pub communicators: BTreeMap<u64, Vec<u32>>,
    /// How large the window of the sort was, by the time of the events that came.
    pub points: Vec<WindowPoint>,
    /// Events whose tie contradicts others, or names what is not known: they stand by their own rank's order alone.
    pub untied: usize,
    /// Events that contradict others of their own rank and are left out.
    pub left_out: usize,
}

/// Sorts what tasks of one job have written. Tasks without a rank, and second ones of a rank, are left out.
#[must_use]
pub fn timeline<'r>(sources: &[Source<'r>]) -> Timeline<'r> {
    let mut tasks = Vec::from_iter(sources.iter().filter_map(|source| {
        let (rank, size) = source.recording.world?;
        (rank < size && rank < MOST_RANKS).then_some((rank, *source))
    }));
    tasks.sort_by_key(|(rank, _)| *rank);
    tasks.dedup_by_key(|(rank, _)| *rank);
    let size = tasks.iter().filter_map(|(_, source)| source.recording.world);
    // What was written over, or was not asked for, will not come.
    let is_whole = |source: &Source<'_>| {
        let first = source.events.events.first();
        source.events.lost.is_empty() && first.is_none_or(|first| first.sequence == 0)
    };
    let lacks_some = !tasks.iter().all(|(_, source)| is_whole(source));
    let job = Job {
        size: size.map(|(_, size)| size).max().unwrap_or(0).min(MOST_RANKS),
        tasks,
    };
    let sorting = settled(job.size, lacks_some, |corrections, patience| {
        job.sorted(corrections, patience)
    });
    job.timeline(&sorting)
}

/// A sort of so many streams, whose clocks are first taken as they are and then, where these turn out to be apart, put right by `corrections`. It is sorted again as well if some events will not come.
fn settled(
    streams: u32,
    lacks_some: bool,
    sorted: impl Fn(&BTreeMap<u32, i64>, Patience) -> Sorting,
) -> Sorting {
    // Clocks of hosts may be further apart than is waited for anything: nothing is given up before it is known how far.
    let sorting = sorted(&BTreeMap::new(), Patience::Endless);
    let mut offsets = Offsets::default();
    sorting.out.iter().for_each(|reported| offsets.observe(reported));
    let corrections = corrections(&offsets, streams);
    if lacks_some || !corrections.is_empty() {
        sorted(&corrections, Patience::Bounded)
    } else {
        sorting
    }
}

/// How much the clocks of streams are put forward; nothing of those whose clocks may be right.
fn corrections(offsets: &Offsets, streams: u32) -> BTreeMap<u32, i64> {
    let bounds = offsets.bounds(streams).unwrap_or_default();
    let known = (0..)
        .zip(bounds)
        .filter_map(|(stream, bound)| Some((stream, bound?)));
    let wrong = known.filter(|(_, bound)| !(bound.least..=bound.most).contains(&0));
    wrong
        .map(|(stream, bound)| (stream, bound.correction()))
        .collect()
}

/// Hands events to a sort by their time, measures its window, and looks for what has waited too long.
fn feed<E: Copy>(
    sorting: &mut Sorting,
    order: &[(i64, E)],
    patience: Patience,
    take: impl Fn(&mut Sorting, E, u64),
) {
    let begun = order.first().map_or(0, |(time, _)| *time);
    let mut looked = 0;
    let measured = (order.len() / POINTS).max(1);
    for (at, &(time, event)) in order.iter().enumerate() {
        let now = u64::try_from(time.saturating_sub(begun)).unwrap_or(0);
        take(sorting, event, now);
        if at % measured == 0 {
            sorting.points.push(WindowPoint::of(&sorting.sorter, time));
        }
        if now.saturating_sub(looked) >= LOOK_EACH && patience == Patience::Bounded {
            looked = now;
            sorting.expire(now);
        }
    }
    sorting.sorter.finish(&mut sorting.out);
}

/// How long events wait for what comes before them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Patience {
    /// Until all events are there.
    Endless,
    /// As long as in a job that runs, so that what waits for lost events stands where it was.
    Bounded,
}

/// The tasks of one job.
struct Job<'r> {
    size: u32,
    tasks: Vec<(u32, Source<'r>)>,
}

impl<'r> Job<'r> {
    /// All events: by the time at which they were written, each task's in their order.
    fn in_order_of_time(&self, corrections: &BTreeMap<u32, i64>) -> Vec<(i64, (usize, ring::Event))> {
        let mut order = Vec::new();
        for (task, (rank, source)) in self.tasks.iter().enumerate() {
            let mut latest = i64::MIN;
            let correction = corrections.get(rank).copied().unwrap_or(0);
            for &event in &source.events.events {
                let time = since_epoch(source.recording, event.time).saturating_add(correction);
                // Of threads that write at the same time the numbers decide.
                latest = latest.max(time);
                order.push((latest, (task, event)));
            }
        }
        order.sort_by_key(|(time, (task, event))| (*time, *task, event.sequence));
        order
    }

    fn sorted(&self, corrections: &BTreeMap<u32, i64>, patience: Patience) -> Sorting {
        let mut sorting = Sorting::new(self.size);
        for (&rank, &correction) in corrections {
            sorting.sorter.set_offset(stream(rank), correction);
        }
        let mut recorded = self.tasks.iter().map(|(rank, _)| *rank).peekable();
        for rank in 0..self.size {
            if recorded.next_if_eq(&rank).is_none() {
                sorting.sorter.end(stream(rank), &mut sorting.out);
            }
        }
        let order = self.in_order_of_time(corrections);
        feed(&mut sorting, &order, patience, |sorting, written, now| {
            let (rank, source) = self.tasks[written.0];
            sorting.take(rank, source.recording, written, now);
        });
        sorting
    }

    fn timeline(&self, sorting: &Sorting) -> Timeline<'r> {
        let lanes = self.tasks.iter().map(|(rank, source)| Lane {
            rank: *rank,
            host: &source.recording.host,
            lost: source.events.lost_count(),
        });
        let happenings = sorting.out.iter().map(|reported| {
            let (rank, source) = self.tasks[reported.event.what.task];
            happening(
                rank,
                |number| source.recording.operation(number),
                reported,
                rank_of,
            )
        });
        Timeline {
            lanes: lanes.collect(),
            happenings: happenings.collect(),
            communicators: sorting.communicators(),
            points: sorting.points.clone(),
            untied: sorting.untied,
            left_out: sorting.left_out,
        }
    }
}

/// The rank of a stream, where each rank of the world has one.
fn rank_of(stream: StreamId) -> u32 {
    stream.index() as u32
}

/// An event as it is put out, in the words of the world.
fn happening<'r>(
    rank: u32,
    name: impl Fn(u32) -> &'r str,
    reported: &Reported<Entry>,
    rank_of: impl Fn(StreamId) -> u32,
) -> Happening<'r> {
    let entry = reported.event.what;
    Happening {
        rank,
        sequence: reported.event.id.sequence,
        thread: entry.thread,
        time: reported.time,
        local: reported.event.time,
        step: entry.step,
        operation: entry.operation.map(|number| Cow::Borrowed(name(number))),
        communicator: entry.communicator,
        tie: entry.tie,
        cause: reported
            .cause
            .map(|cause| (rank_of(cause.id.stream), cause.id.sequence, cause.time)),
        standing: reported.standing,
    }
}
