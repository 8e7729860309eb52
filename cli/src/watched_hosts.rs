//! The other hosts of a job that is watched: they are connected to once, and stay so from look to look. The probes there are children of what reaches them, and end with the watch.
//!
//! A host that is lost is tried again, at first soon, since its ranks may only be starting, and then once a minute.

use crate::everywhere::Everywhere;
use crate::host_args::HostArgs;
use crate::output;
use crate::whereabouts::Whereabouts;
use cluster::Asked;
use runtime_probe::Job;
use snapshot::Task;
use std::time::{Duration, Instant};

/// How long after a host was lost it is tried again, at first and at last.
const SOON: Duration = Duration::from_secs(1);
const RARELY: Duration = Duration::from_secs(60);

/// After so many tries a host that is lost has not only been slow to start its ranks.
const WORTH_SAYING: u32 = 3;

/// Those of a watched job.
pub(crate) struct WatchedHosts<'a> {
    args: &'a HostArgs,
    launcher: u32,
    connected: Option<Connected>,
    tried: Option<Instant>,
    pause: Duration,
    /// How often hosts were connected to.
    tries: u32,
    /// Why no host could be asked, as it was last said.
    said: String,
}

struct Connected {
    asked: Vec<Asked>,
    hosts: Everywhere,
}

impl<'a> WatchedHosts<'a> {
    pub(crate) fn new(args: &'a HostArgs, launcher: u32) -> Self {
        WatchedHosts {
            args,
            launcher,
            connected: None,
            tried: None,
            pause: SOON,
            tries: 0,
            said: String::new(),
        }
    }

    /// The tasks here, the hosts of the others, connected, and what is known of both before anybody looks. Nothing while no task is known.
    pub(crate) fn reach(&mut self, job: Job) -> Option<(Job, Option<&mut Everywhere>, Vec<String>)> {
        let found = Whereabouts::of_job(job, Some(self.launcher), None, self.args).ok()?;
        let Whereabouts {
            job,
            asked,
            transport,
            notes,
        } = found;
        if asked.is_empty() {
            self.connected = None;
            return Some((job, None, notes));
        }
        let is_time = self.tried.is_none_or(|tried| tried.elapsed() >= self.pause);
        let is_same = |connected: &Connected| connected.asked == asked;
        if !self.connected.as_ref().is_some_and(is_same) && is_time {
            self.connected = None;
            self.note_try();
            match Everywhere::connect(asked.clone(), transport, self.args, &job, Some(self.launcher)) {
                Ok(hosts) => {
                    self.connected = Some(Connected { asked, hosts });
                }
                Err(error) => self.say(&error.to_string()),
            }
        } else if is_time
            && let Some(connected) = &mut self.connected
            && connected.hosts.has_lost()
        {
            connected.hosts.try_lost_again();
            self.note_try();
        }
        if is_time && self.tries == WORTH_SAYING {
            let lost = self
                .connected
                .as_ref()
                .map(|connected| connected.hosts.lost_notes());
            lost.into_iter().flatten().for_each(|note| output::warn(&note));
        }
        let hosts = self.connected.as_mut().map(|connected| &mut connected.hosts);
        (hosts.is_some() || !job.tasks.is_empty()).then_some((job, hosts, notes))
    }

    /// The next is tried later than this.
    fn note_try(&mut self) {
        self.tried = Some(Instant::now());
        self.tries = self.tries.saturating_add(1);
        // One second, two, four, up to the last.
        self.pause = RARELY.min(SOON * (1 << (self.tries.min(7) - 1)));
    }

    /// Says once why no host can be asked.
    fn say(&mut self, why: &str) {
        if self.said != why {
            output::warn(&format!("{why}: what runs here is watched alone"));
            why.clone_into(&mut self.said);
        }
    }

    /// Takes notice of what a look has shown: processes that are gone there were perhaps replaced by others, which a new connection finds.
    pub(crate) fn heed(&mut self, records: &[Task]) {
        let is_gone = |task: &Task| !task.host.is_empty() && task.error.is_some();
        if records.iter().any(is_gone)
            && let Some(connected) = &mut self.connected
        {
            connected.asked.clear();
        }
    }
}
