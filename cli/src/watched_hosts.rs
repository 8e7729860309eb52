//! Where the tasks of a watched job are. Other hosts are connected to once, and stay so from look to look. The probes there are children of what reaches them, and end with the watch.
//!
//! A host that is lost is tried again, at first soon, since its ranks may only be starting, and then once a minute. A job without a launcher here has ended when its batch system knows it no longer, or
//! else when every host has said that it has no task of it: of a host that says nothing it is not known.

use crate::everywhere::{Everywhere, Unreached};
use crate::host_args::{HostArgs, WhichHosts};
use crate::output;
use crate::whereabouts::{Plan, Whereabouts};
use cluster::{Asked, BatchJob};
use project::Failure;
use runtime_probe::Job;
use snapshot::Task;
use std::fmt;
use std::time::{Duration, Instant};

/// How long after a host was lost it is tried again, at first and at last.
const SOON: Duration = Duration::from_secs(1);
const RARELY: Duration = Duration::from_secs(60);

/// After so many tries a host that is lost has not only been slow to start its ranks.
const WORTH_SAYING: u32 = 3;

/// What is watched.
pub(crate) enum Watched<'a> {
    /// The job of this launcher, or this process alone.
    Launcher(u32),
    /// The ranks on hosts that were listed.
    Hosts(Plan),
    /// A job of a batch system.
    Batch(&'a BatchJob, Plan),
}

impl<'a> Watched<'a> {
    /// The job that is on the hosts that the user names, if he names any.
    ///
    /// # Errors
    /// It cannot be told which hosts these are.
    pub(crate) fn of_hosts(which: &'a WhichHosts, args: &HostArgs) -> Result<Option<Self>, Failure> {
        Ok(match (&which.hosts, &which.job) {
            (Some(path), _) => Some(Watched::Hosts(Plan::listed(path, args)?)),
            (None, Some(id)) => Some(Watched::Batch(id, Plan::of_batch(id, args)?)),
            (None, None) => None,
        })
    }

    /// The process that is there as long as the job is.
    pub(crate) fn launcher(&self) -> Option<u32> {
        match self {
            Watched::Launcher(pid) => Some(*pid),
            Watched::Hosts(_) | Watched::Batch(..) => None,
        }
    }

    /// Where its tasks are by now. Nothing while none is known.
    fn whereabouts(&self, args: &HostArgs) -> Option<Whereabouts> {
        match self {
            Watched::Launcher(pid) => {
                let job = project::job_of(*pid).ok()?;
                Whereabouts::of_job(job, Some(*pid), None, args).ok()
            }
            Watched::Hosts(plan) | Watched::Batch(_, plan) => Some(plan.whereabouts_by_now()),
        }
    }
}

impl fmt::Display for Watched<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Watched::Launcher(pid) => write!(f, "the job of process {pid}"),
            Watched::Hosts(plan) if plan.hosts() == 1 => f.write_str("the job on the host that was listed"),
            Watched::Hosts(plan) => write!(f, "the job on the {} hosts that were listed", plan.hosts()),
            Watched::Batch(id, _) => write!(f, "job {id}"),
        }
    }
}

/// The tasks of a watched job, before anybody looks at them.
pub(crate) enum Reached<'h> {
    /// Those here; the hosts of the others, connected; what is known of both.
    Tasks(Box<Job>, Option<&'h mut Everywhere>, Vec<String>),
    /// None is known now.
    Nothing,
    /// The job has ended.
    Ended,
}

/// The hosts of a watched job.
pub(crate) struct WatchedHosts<'a> {
    args: &'a HostArgs,
    watched: Watched<'a>,
    connected: Option<Connected>,
    tried: Option<Instant>,
    pause: Duration,
    /// How often hosts were connected to.
    tries: u32,
    /// Why no host could be asked, as it was last said.
    said: String,
    /// Every process that was looked at last is gone, and no host is lost.
    all_gone: bool,
}

struct Connected {
    asked: Vec<Asked>,
    hosts: Everywhere,
}

impl<'a> WatchedHosts<'a> {
    /// Of a job that there is.
    ///
    /// # Errors
    /// It is on hosts that were named, and no task of it can be looked at there.
    pub(crate) fn new(args: &'a HostArgs, watched: Watched<'a>) -> Result<Self, Failure> {
        let mut new = WatchedHosts {
            args,
            watched,
            connected: None,
            tried: None,
            pause: SOON,
            tries: 0,
            said: String::new(),
            all_gone: false,
        };
        if let Watched::Hosts(plan) | Watched::Batch(_, plan) = &new.watched {
            let found = plan.whereabouts()?;
            found.say_how();
            if found.asked.is_empty() && found.job.tasks.is_empty() {
                let why = found.notes.into_iter().next();
                return Err(Failure::new(
                    why.unwrap_or_else(|| "the job has no rank on this host".to_owned()),
                ));
            }
            if !found.asked.is_empty() {
                new.connect(found.asked, found.transport, &found.job)?;
            }
        }
        Ok(new)
    }

    /// What is watched.
    pub(crate) fn watched(&self) -> &Watched<'a> {
        &self.watched
    }

    /// The tasks of the job by now, with the hosts connected.
    pub(crate) fn reach(&mut self) -> Reached<'_> {
        let Some(found) = self.watched.whereabouts(self.args) else {
            return Reached::Nothing;
        };
        let Whereabouts {
            job,
            asked,
            transport,
            notes,
        } = found;
        let is_listed = matches!(self.watched, Watched::Hosts(_));
        let has_none = asked.is_empty() && job.tasks.is_empty();
        if is_listed && (self.all_gone || has_none) {
            return Reached::Ended;
        }
        let is_time = self.tried.is_none_or(|tried| tried.elapsed() >= self.pause);
        let is_same = self
            .connected
            .as_ref()
            .is_some_and(|connected| connected.asked == asked);
        let has_lost = self
            .connected
            .as_ref()
            .is_some_and(|connected| connected.hosts.has_lost());
        let is_settled = if asked.is_empty() {
            !has_none
        } else {
            is_same && !has_lost
        };
        if is_time && !is_settled {
            if !self.is_known_to_batch() {
                return Reached::Ended;
            }
            match &mut self.connected {
                Some(connected) if is_same => {
                    connected.hosts.try_lost_again();
                    self.note_try();
                }
                _ if asked.is_empty() => self.note_try(),
                _ => match self.connect(asked, transport, &job) {
                    Ok(()) => {}
                    Err(Unreached::NoTask(_)) if is_listed => return Reached::Ended,
                    Err(error) => self.say(&Failure::from(error).to_string(), &job),
                },
            }
            if self.tries == WORTH_SAYING {
                let lost = self
                    .connected
                    .as_ref()
                    .map(|connected| connected.hosts.lost_notes());
                lost.into_iter().flatten().for_each(|note| output::warn(&note));
            }
        }
        match &mut self.connected {
            None if job.tasks.is_empty() => Reached::Nothing,
            connected => {
                let hosts = connected.as_mut().map(|connected| &mut connected.hosts);
                Reached::Tasks(Box::new(job), hosts, notes)
            }
        }
    }

    /// Whether a job of a batch system is still there, as far as that says; other jobs are not its business.
    fn is_known_to_batch(&mut self) -> bool {
        let Watched::Batch(id, plan) = &mut self.watched else {
            return true;
        };
        plan.renew(id, self.args).unwrap_or_else(|error| {
            // Its controller may be away for a while.
            output::warn(&error.to_string());
            true
        })
    }

    /// Connects to hosts in place of those that there were.
    fn connect(
        &mut self,
        asked: Vec<Asked>,
        transport: cluster::Transport,
        job: &Job,
    ) -> Result<(), Unreached> {
        self.connected = None;
        self.note_try();
        let launcher = self.watched.launcher();
        let mut hosts = Everywhere::connect(asked.clone(), transport, self.args, job, launcher)?;
        hosts.with_recordings = true;
        self.connected = Some(Connected { asked, hosts });
        Ok(())
    }

    /// The next is tried later than this.
    fn note_try(&mut self) {
        self.tried = Some(Instant::now());
        self.tries = self.tries.saturating_add(1);
        // One second, two, four, up to the last.
        self.pause = RARELY.min(SOON * (1 << (self.tries.min(7) - 1)));
    }

    /// Says once why no host can be asked.
    fn say(&mut self, why: &str, job: &Job) {
        if self.said != why {
            let so = if job.tasks.is_empty() {
                "they are tried again"
            } else {
                "what runs here is watched alone"
            };
            output::warn(&format!("{why}: {so}"));
            why.clone_into(&mut self.said);
        }
    }

    /// Takes notice of what a look has shown: processes that are gone there were perhaps replaced by others, which a new connection finds.
    pub(crate) fn heed(&mut self, records: &[Task]) {
        let is_gone = |task: &Task| task.error.is_some() && task.frames.is_empty() && task.state.is_none();
        let is_gone_there = |task: &Task| !task.host.is_empty() && task.error.is_some();
        let Some(connected) = &mut self.connected else {
            return;
        };
        self.all_gone = !connected.hosts.has_lost() && !records.is_empty() && records.iter().all(is_gone);
        if records.iter().any(is_gone_there) {
            connected.asked.clear();
        }
    }
}
