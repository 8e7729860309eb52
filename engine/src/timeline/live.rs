//! Events while they come: what can be put out is, as soon as all that comes before it has been read.

use super::sorting::{Sorting, since_epoch, stream};
use super::{Events, Happening, Lane, MOST_RANKS, WindowPoint, happening, rank_of, ring};
use recording::Recording;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Each time that so many events have come, the window is measured.
const MEASURED: usize = 16;

/// A job whose events are read again and again.
#[derive(Debug, Default)]
pub struct Live {
    /// None until the size of the world is known.
    sorting: Option<Sorting>,
    size: u32,
    /// The tasks by the order in which they were first seen.
    tasks: Vec<Task>,
    /// Where each rank stands among them.
    places: BTreeMap<u32, usize>,
    /// How much clocks are put forward, by rank.
    corrections: BTreeMap<u32, i64>,
}

/// A task that was seen.
#[derive(Debug)]
struct Task {
    rank: u32,
    /// What is known of it.
    recording: Arc<Recording>,
    /// How many of its events are lost.
    lost: u64,
    /// How much its clock is put forward.
    correction: i64,
}

/// A moment on a clock in nanoseconds that never goes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// Now.
    pub now: u64,
    /// Up to when all that was written is read: less than now where a host is yet to answer.
    pub heard: u64,
}

impl Moment {
    /// Everything is read that was written until now.
    #[must_use]
    pub fn of(now: u64) -> Self {
        Moment { now, heard: now }
    }
}

impl Live {
    /// A rank's host has a clock that is put forward by so many nanoseconds, or back; before its first event.
    pub fn correct(&mut self, rank: u32, nanoseconds: i64) {
        self.corrections.insert(rank, nanoseconds);
    }

    /// Takes what was read since, and gives what can be put out now: in causal order, also behind what was given before. What is not there when all was read that was written within a second
    /// after what needs it had been written over, or its task is gone.
    ///
    /// Each recording knows all that its events name. A second process of one rank is left out.
    pub fn feed(&mut self, read: Vec<(Arc<Recording>, Events)>, at: Moment) -> Vec<Happening<'_>> {
        let Moment { now, heard } = at;
        let mut written = Vec::with_capacity(read.len());
        for (recording, events) in read {
            if let Some(task) = self.place_of(recording, &events) {
                written.push((task, events.events));
            }
        }
        written.sort_by_key(|(task, _)| *task);
        let Some(sorting) = &mut self.sorting else {
            return Vec::new();
        };
        for (at, (time, from, own)) in in_order_of_time(&written, &self.tasks).into_iter().enumerate() {
            let (task, events) = &written[from as usize];
            let Task { rank, recording, .. } = &self.tasks[*task];
            sorting.take(*rank, recording, (*task, events[own as usize]), now);
            if at % MEASURED == 0 {
                sorting.points.push(WindowPoint::of(&sorting.sorter, time));
            }
        }
        sorting.expire(heard.min(now));
        self.happenings()
    }

    /// All that is still held: the job is over.
    pub fn finish(&mut self) -> Vec<Happening<'_>> {
        if let Some(sorting) = &mut self.sorting {
            sorting.sorter.finish(&mut sorting.out);
        }
        self.happenings()
    }

    /// How large the window of the sort was since this was asked last, by the time of the events that came.
    pub fn take_points(&mut self) -> Vec<WindowPoint> {
        let sorting = self.sorting.as_mut();
        sorting
            .map(|sorting| std::mem::take(&mut sorting.points))
            .unwrap_or_default()
    }

    /// How many ranks the job has, once one of them has told.
    #[must_use]
    pub fn size(&self) -> Option<u32> {
        self.sorting.as_ref().map(|_| self.size)
    }

    /// The tasks that were seen, with what is lost of their events, by rank.
    #[must_use]
    pub fn lanes(&self) -> Vec<Lane<'_>> {
        let mut lanes = Vec::from_iter(self.tasks.iter().map(|task| Lane {
            rank: task.rank,
            host: &task.recording.host,
            lost: task.lost,
        }));
        lanes.sort_by_key(|lane| lane.rank);
        lanes
    }

    /// How many events were written over before they were read.
    #[must_use]
    pub fn lost(&self) -> u64 {
        let each = self.tasks.iter().map(|task| task.lost);
        each.fold(0, u64::saturating_add)
    }

    fn happenings(&mut self) -> Vec<Happening<'_>> {
        let Some(sorting) = &mut self.sorting else {
            return Vec::new();
        };
        let out = std::mem::take(&mut sorting.out);
        let tasks = &self.tasks;
        out.iter()
            .map(|reported| {
                let Task { rank, recording, .. } = &tasks[reported.event.what.task];
                happening(*rank, |number| recording.operation(number), reported, rank_of)
            })
            .collect()
    }

    /// Where the task stands among those that are known, with what it says now.
    fn place_of(&mut self, recording: Arc<Recording>, events: &Events) -> Option<usize> {
        let (rank, size) = recording
            .world
            .filter(|(rank, size)| rank < size && *rank < MOST_RANKS)?;
        let size = size.min(MOST_RANKS);
        if self.sorting.is_none() {
            self.size = size;
        }
        let sorting = self.sorting.get_or_insert_with(|| Sorting::new(size));
        let Some(&place) = self.places.get(&rank) else {
            let correction = self.corrections.get(&rank).copied().unwrap_or(0);
            sorting.sorter.set_offset(stream(rank), correction);
            self.places.insert(rank, self.tasks.len());
            self.tasks.push(Task {
                rank,
                recording,
                lost: events.lost_count(),
                correction,
            });
            return Some(self.tasks.len() - 1);
        };
        let task = &mut self.tasks[place];
        if (task.recording.pid, task.recording.birth) != (recording.pid, recording.birth) {
            return None;
        }
        task.lost = task.lost.saturating_add(events.lost_count());
        task.recording = recording;
        Some(place)
    }
}

/// Events by the time at which they were written, each task's in their order: the time, whose they are, and which of its events. They are large, and stay where they are.
fn in_order_of_time(written: &[(usize, Vec<ring::Event>)], tasks: &[Task]) -> Vec<(i64, u32, u32)> {
    let mut order = Vec::with_capacity(written.iter().map(|(_, events)| events.len()).sum());
    for (from, (task, events)) in (0..).zip(written) {
        let mut latest = i64::MIN;
        for (own, event) in (0..).zip(events) {
            let Task {
                recording,
                correction,
                ..
            } = &tasks[*task];
            latest = latest.max(since_epoch(recording, event.time).saturating_add(*correction));
            order.push((latest, from, own));
        }
    }
    order.sort_unstable();
    order
}
