//! Events while they come: what can be put out is, as soon as all that comes before it has been read.

use super::sorting::{Sorting, since_epoch};
use super::{Events, Happening, Lane, MOST_RANKS, WindowPoint, happening, rank_of, ring};
use recording::Recording;
use std::sync::Arc;

/// Each time that so many events have come, the window is measured.
const MEASURED: usize = 16;

/// A job whose events are read again and again.
#[derive(Debug, Default)]
pub struct Live {
    /// None until the size of the world is known.
    sorting: Option<Sorting>,
    size: u32,
    /// The tasks by the order in which they were first seen, with what is known of them and how many of their events are lost.
    tasks: Vec<(u32, Arc<Recording>, u64)>,
}

impl Live {
    /// Takes what was read since, and gives what can be put out now: in causal order, also behind what was given before. `now` is a clock in nanoseconds that never goes back: what is not there within a second
    /// after what needs it had been written over, or its task is gone.
    ///
    /// Each recording knows all that its events name. A second process of one rank is left out.
    pub fn feed(&mut self, read: Vec<(Arc<Recording>, Events)>, now: u64) -> Vec<Happening<'_>> {
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
            let (rank, recording, _) = &self.tasks[*task];
            sorting.take(*rank, recording, (*task, events[own as usize]), now);
            if at % MEASURED == 0 {
                sorting.points.push(WindowPoint::of(&sorting.sorter, time));
            }
        }
        sorting.expire(now);
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
        let mut lanes = Vec::from_iter(self.tasks.iter().map(|(rank, recording, lost)| Lane {
            rank: *rank,
            host: &recording.host,
            lost: *lost,
        }));
        lanes.sort_by_key(|lane| lane.rank);
        lanes
    }

    fn happenings(&mut self) -> Vec<Happening<'_>> {
        let Some(sorting) = &mut self.sorting else {
            return Vec::new();
        };
        let out = std::mem::take(&mut sorting.out);
        let tasks = &self.tasks;
        out.iter()
            .map(|reported| {
                let (rank, recording, _) = &tasks[reported.event.what.task];
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
            (self.sorting, self.size) = (Some(Sorting::new(size)), size);
        }
        let known = self.tasks.iter().position(|(known, ..)| *known == rank);
        let Some(place) = known else {
            self.tasks.push((rank, recording, events.lost_count()));
            return Some(self.tasks.len() - 1);
        };
        let (_, before, lost) = &mut self.tasks[place];
        if (before.pid, before.birth) != (recording.pid, recording.birth) {
            return None;
        }
        *lost += events.lost_count();
        *before = recording;
        Some(place)
    }
}

/// Events by the time at which they were written, each task's in their order: the time, whose they are, and which of its events. They are large, and stay where they are.
fn in_order_of_time(
    written: &[(usize, Vec<ring::Event>)],
    tasks: &[(u32, Arc<Recording>, u64)],
) -> Vec<(i64, u32, u32)> {
    let mut order = Vec::with_capacity(written.iter().map(|(_, events)| events.len()).sum());
    for (from, (task, events)) in (0..).zip(written) {
        let mut latest = i64::MIN;
        for (own, event) in (0..).zip(events) {
            latest = latest.max(since_epoch(&tasks[*task].1, event.time));
            order.push((latest, from, own));
        }
    }
    order.sort_unstable();
    order
}
