//! Events while they come: what can be put out is, as soon as all that comes before it has been read.

use super::sorting::{Entry, Sorting, since_epoch};
use super::{Events, Happening, Lane, MOST_RANKS, happening};
use recording::Recording;

/// A job whose events are read again and again.
#[derive(Debug, Default)]
pub struct Live {
    /// None until the size of the world is known.
    sorting: Option<Sorting>,
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
                order.push((latest, Entry::new(task, event)));
            }
        }
        order.sort_by_key(|(time, entry)| (*time, entry.task, entry.event.sequence));
        let Some(sorting) = &mut self.sorting else {
            return Vec::new();
        };
        for (_, entry) in order {
            let (rank, recording, _) = &self.tasks[entry.task];
            sorting.take(*rank, recording, entry, now);
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

    /// The tasks that were seen, with what is lost of their events, by rank.
    #[must_use]
    pub fn lanes(&self) -> Vec<Lane<'_>> {
        let lane =
            |(rank, recording, lost): &'_ (u32, Recording, u64)| (*rank, recording.host.clone(), *lost);
        let _ = lane;
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
                happening(*rank, recording, reported)
            })
            .collect()
    }

    /// Where the task stands among those that are known, with what it says now.
    fn place_of(&mut self, recording: Recording, events: &Events) -> Option<usize> {
        let (rank, size) = recording
            .world
            .filter(|(rank, size)| rank < size && *rank < MOST_RANKS)?;
        self.sorting
            .get_or_insert_with(|| Sorting::new(size.min(MOST_RANKS)));
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
