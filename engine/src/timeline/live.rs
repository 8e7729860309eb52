//! Events while they come: what can be put out is, as soon as all that comes before it has been read.

use super::sorting::{Sorting, since_epoch};
use super::{Events, Happening, Lane, MOST_RANKS, WindowPoint, happening, rank_of};
use recording::Recording;

/// Each time that so many events have come, the window is measured.
const MEASURED: usize = 16;

/// A job whose events are read again and again.
#[derive(Debug, Default)]
pub struct Live {
    /// None until the size of the world is known.
    sorting: Option<Sorting>,
    size: u32,
    /// The tasks by the order in which they were first seen, with what is known of them and how many of their events are lost.
    tasks: Vec<(u32, Recording, u64)>,
}

impl Live {
    /// Takes what was read since, and gives what can be put out now: in causal order, also behind what was given before. `now` is a clock in nanoseconds that never goes back: what is not there within a second
    /// after what needs it had been written over, or its task is gone.
    ///
    /// Each recording was read after its events. A second process of one rank is left out.
    pub fn feed(&mut self, read: Vec<(Recording, Events)>, now: u64) -> Vec<Happening<'_>> {
        let mut order = Vec::new();
        for (recording, events) in read {
            let Some(task) = self.place_of(recording, &events) else {
                continue;
            };
            let mut latest = i64::MIN;
            for &event in &events.events {
                latest = latest.max(since_epoch(&self.tasks[task].1, event.time));
                order.push((latest, (task, event)));
            }
        }
        order.sort_by_key(|(time, (task, event))| (*time, *task, event.sequence));
        let Some(sorting) = &mut self.sorting else {
            return Vec::new();
        };
        for (at, (time, written)) in order.into_iter().enumerate() {
            let (rank, recording, _) = &self.tasks[written.0];
            sorting.take(*rank, recording, written, now);
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
    fn place_of(&mut self, recording: Recording, events: &Events) -> Option<usize> {
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
