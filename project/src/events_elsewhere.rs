//! The events of tasks on other hosts, as those hosts send them while the job runs.
//!
//! A host is believed of its own ranks alone: of those that the launcher's table says it has, or else of those that nobody has spoken of before. A rank of which another host speaks later is
//! no longer believed of either, since what was put out of it cannot be taken back. All of them have to be of one job: that of the tasks here, or else of the first that was heard of.
//!
//! A host's clock may be any. Between the question and the answer it was read once: if what it showed then was not within that time by our clock, it is put right by the middle of it.

use crate::recorded_elsewhere::{FromHost, copied};
use crate::recordings::{JobKey, job_of};
use base::RankSet;
use engine::recorded::Recording;
use engine::timeline::{Events, since_epoch};
use runtime_probe::recordings::NodeRecordings;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// No host has more tasks.
const MOST_TASKS: usize = 1 << 12;

/// When a host was asked, and when it had answered, in nanoseconds since the epoch by our own clock.
#[derive(Clone, Copy, Debug)]
pub struct AskedWithin {
    /// The question.
    pub from: i64,
    /// The answer.
    pub to: i64,
}

/// What is new of one task.
#[derive(Clone, Debug)]
pub struct Fresh {
    /// What its recording says.
    pub recording: Arc<Recording>,
    /// Its events.
    pub events: Events,
    /// By how many nanoseconds its host's clock is put forward, if that is wrong.
    pub correction: Option<i64>,
}

/// A task that was heard of.
#[derive(Clone, Debug)]
struct Known {
    host: String,
    recording: Arc<Recording>,
    is_alive: bool,
    /// Its host has more of its events.
    is_cut: bool,
    /// The next of its events: what was sent before a connection was lost comes once more with the next.
    next: u64,
    correction: Option<i64>,
}

/// What is known of the tasks on other hosts.
#[derive(Clone, Debug, Default)]
pub struct EventsElsewhere {
    /// The job, once it is known.
    job: Option<JobKey>,
    /// How many ranks it has, once that is known: the launcher tells, or else the first task that is believed.
    size: Option<u32>,
    /// The ranks of this host.
    here: RankSet,
    tasks: BTreeMap<u32, Known>,
    /// Which of these it is, by host, process and when that began.
    ranks: BTreeMap<(String, u32, u64), u32>,
    disputed: BTreeSet<u32>,
    /// How many tasks each host has.
    counts: BTreeMap<String, usize>,
    /// What was said once of each host.
    said: BTreeSet<(String, Doubt)>,
    notes: Vec<String>,
}

/// Why something was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Doubt {
    Damaged,
    NotItsOwn,
    OtherJob,
    Unreadable,
}

impl EventsElsewhere {
    /// Of a job of which these ranks are here; `size` is how many it has, where the launcher tells.
    #[must_use]
    pub fn new(here: RankSet, size: Option<u32>) -> Self {
        EventsElsewhere {
            here,
            size,
            ..EventsElsewhere::default()
        }
    }

    /// It is the job that these tasks are of, which run here.
    pub fn is_of(&mut self, here: &crate::FollowedEvents) {
        self.job = Some(here.job().clone());
        // It may not have come to MPI_Init yet.
        self.size = self.size.or(here.job().size);
        self.here = here.ranks_here();
    }

    /// Takes an answer.
    pub fn take(&mut self, from: FromHost<'_>, within: AskedWithin) -> Vec<Fresh> {
        let mut fresh = Vec::new();
        let FromHost { host, own, bytes } = from;
        let read = NodeRecordings::each(bytes, |task| {
            let part = task.events.map(copied);
            let events = part.as_ref().and_then(|part| part.events().ok());
            let Some((part, events)) = part.zip(events) else {
                self.doubt(host, Doubt::Unreadable);
                return;
            };
            let file = (!task.file.is_empty()).then(|| Recording::read(&task.file));
            let recording = match file {
                Some(Ok(recording)) => Some(recording),
                Some(Err(_)) => {
                    self.doubt(host, Doubt::Unreadable);
                    return;
                }
                None => None,
            };
            let heard = Heard {
                recording,
                is_cut: part.is_cut(),
                events,
                is_alive: task.is_alive,
                now: task.now,
            };
            fresh.extend(self.hear((host, own), heard, within));
        });
        if read.is_err() {
            self.doubt(host, Doubt::Damaged);
        }
        fresh
    }

    fn hear(
        &mut self,
        (host, own): (&str, Option<&RankSet>),
        heard: Heard,
        within: AskedWithin,
    ) -> Option<Fresh> {
        let process = (host.to_owned(), heard.events.pid, heard.events.birth);
        let rank = match (&heard.recording, self.ranks.get(&process)) {
            (_, Some(&rank)) => rank,
            (Some(recording), None) => self.admit((host, own), recording, process)?,
            // Its recording has come with no answer.
            (None, None) => return None,
        };
        if self.disputed.contains(&rank) {
            return None;
        }
        let known = self.tasks.get_mut(&rank);
        let Some(known) = known else {
            let recording = Arc::new(heard.recording?);
            let shown = since_epoch(&recording, heard.now);
            let correction = correction(shown, within);
            let next = heard.events.next;
            self.tasks.insert(
                rank,
                Known {
                    host: host.to_owned(),
                    recording: Arc::clone(&recording),
                    is_alive: heard.is_alive,
                    is_cut: heard.is_cut,
                    next,
                    correction,
                },
            );
            return Some(Fresh {
                recording,
                events: heard.events,
                correction,
            });
        };
        (known.is_alive, known.is_cut) = (heard.is_alive, heard.is_cut);
        if let Some(recording) = heard.recording
            && job_of(&recording) == job_of(&known.recording)
            && recording.world == known.recording.world
            && (recording.pid, recording.birth) == (known.recording.pid, known.recording.birth)
        {
            known.recording = Arc::new(recording);
        }
        let events = from_on(heard.events, known.next);
        known.next = known.next.max(events.next);
        (!events.events.is_empty() || !events.lost.is_empty()).then(|| Fresh {
            recording: Arc::clone(&known.recording),
            events,
            correction: known.correction,
        })
    }

    /// The rank of a task of which a host speaks for the first time, if it is believed.
    fn admit(
        &mut self,
        (host, own): (&str, Option<&RankSet>),
        recording: &Recording,
        process: (String, u32, u64),
    ) -> Option<u32> {
        let (rank, size) = recording.world?;
        let is_its = own.is_none_or(|own| own.contains(rank)) && !self.here.contains(rank) && rank < size;
        let has_room = self.counts.get(host).is_none_or(|&count| count < MOST_TASKS);
        if !is_its || !has_room || (recording.pid, recording.birth) != (process.1, process.2) {
            self.doubt(host, Doubt::NotItsOwn);
            return None;
        }
        let job = self.job.get_or_insert_with(|| job_of(recording));
        if !job.has(recording) || *self.size.get_or_insert(size) != size {
            self.doubt(host, Doubt::OtherJob);
            return None;
        }
        match self.tasks.get(&rank) {
            // A second process of a rank, or somebody else's.
            Some(known) if known.host == host => return None,
            Some(known) => {
                let other = known.host.clone();
                if self.disputed.insert(rank) {
                    self.notes.push(format!(
                        "hosts {} and {} both speak of rank {rank}: neither is believed of it any more",
                        base::clean(&other),
                        base::clean(host)
                    ));
                }
                return None;
            }
            None => {}
        }
        *self.counts.entry(host.to_owned()).or_default() += 1;
        self.ranks.insert(process, rank);
        Some(rank)
    }

    fn doubt(&mut self, host: &str, doubt: Doubt) {
        if !self.said.insert((host.to_owned(), doubt)) {
            return;
        }
        let why = match doubt {
            Doubt::Damaged => "some of the events that it sent are damaged",
            Doubt::NotItsOwn => "it spoke of ranks that are not its own",
            Doubt::OtherJob => "it spoke of tasks that are not of this job",
            Doubt::Unreadable => "some of what its tasks have recorded cannot be read",
        };
        self.notes
            .push(format!("host {}: {why}: that was left out", base::clean(host)));
    }

    /// The ranks of which hosts tell.
    #[must_use]
    pub fn ranks(&self) -> RankSet {
        self.tasks.keys().copied().collect()
    }

    /// The ranks of which this host tells.
    #[must_use]
    pub fn ranks_of(&self, host: &str) -> RankSet {
        let its = self.tasks.iter().filter(|(_, known)| known.host == host);
        its.map(|(&rank, _)| rank).collect()
    }

    /// The tasks that were heard of.
    pub fn tasks(&self) -> impl Iterator<Item = &Recording> {
        self.tasks.values().map(|known| &*known.recording)
    }

    /// Whether any task runs, as far as was heard last.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.tasks.values().any(|known| known.is_alive)
    }

    /// Whether this host has told all events that its tasks had written when it was asked last.
    #[must_use]
    pub fn has_told_all(&self, host: &str) -> bool {
        let mut its = self.tasks.values().filter(|known| known.host == host);
        its.all(|known| !known.is_cut)
    }

    /// Nothing more is heard of this host, so that nobody knows whether its tasks run.
    pub fn lose(&mut self, host: &str) {
        for known in self.tasks.values_mut().filter(|known| known.host == host) {
            known.is_alive = false;
        }
    }

    /// What the user should know, said since this was asked last.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }
}

/// What was heard of one task.
struct Heard {
    recording: Option<Recording>,
    events: Events,
    is_cut: bool,
    is_alive: bool,
    /// The monotonic clock of its host.
    now: u64,
}

/// By how much a clock is put forward that showed this time within that one.
fn correction(shown: i64, within: AskedWithin) -> Option<i64> {
    let (least, most) = (within.from.saturating_sub(shown), within.to.saturating_sub(shown));
    let is_right = (least..=most).contains(&0);
    (!is_right).then(|| least.midpoint(most))
}

/// The events from this number on.
fn from_on(mut events: Events, next: u64) -> Events {
    events.events.retain(|event| event.sequence >= next);
    events.lost.retain_mut(|lost| {
        lost.start = lost.start.max(next);
        lost.start < lost.end
    });
    events.next = events.next.max(next);
    events
}

#[cfg(test)]
mod tests;
