//! The events of a job while it runs, of all its hosts, in causal order: what every command does that follows a job.

mod elsewhere;

use crate::host_args::{HostArgs, WhichHosts};
use crate::output::{self, Terminal};
use crate::whereabouts::{Plan, Whereabouts};
use base::RankSet;
use elsewhere::Elsewhere;
use engine::recorded::{Recording, Waiting};
use engine::timeline::{Events, Happening, Live, Moment, WindowPoint};
use project::{Failure, FirstLook, FollowedEvents, MappedFiles, OthersHere};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often other hosts are asked.
const PAUSE: Duration = Duration::from_millis(100);

/// How often it is asked where a job runs that has just been started.
const SOUGHT: Duration = Duration::from_millis(300);

/// A launcher that runs tells where its ranks are within this, if it does.
const STARTING: Duration = Duration::from_secs(5);

/// How often it is looked whether all hosts have told what they had.
const TURN: Duration = Duration::from_millis(20);

/// What has come in one step.
pub(crate) struct Step {
    /// Behind all that were given before.
    pub(crate) happenings: Vec<Happening<'static>>,
    /// How many events were read.
    pub(crate) read: u64,
    /// No task runs any more, and all is read.
    pub(crate) is_over: bool,
    /// What the user should know.
    pub(crate) notes: Vec<String>,
    /// How long ago everything was read that had been written then.
    pub(crate) behind: Duration,
}

/// A job that is followed.
pub(crate) struct FollowedJob {
    /// Where the tasks of this host have their recordings.
    paths: Vec<PathBuf>,
    here: Option<FollowedEvents>,
    elsewhere: Option<Elsewhere>,
    /// The launcher, as long as it is yet to tell which hosts it has.
    sought: Option<Sought>,
    live: Live,
    started: Instant,
    /// It was said that nothing is recorded.
    has_said: bool,
    /// A job that began before this, in nanoseconds since the epoch, is not the one that is meant: a directory may have recordings of others.
    begins: u64,
}

/// A job of which it is not known yet where it runs.
struct Sought {
    launcher: u32,
    args: HostArgs,
    asked: Option<Instant>,
    /// How long it is asked.
    patience: Duration,
    whose: Whose,
}

/// By whom a job was started.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// By this command, which knows when it ends.
    Ours,
    /// Before that.
    Named,
}

/// Who waits for whom by what all tasks have recorded can be asked of this again and again, from any thread.
#[derive(Clone)]
pub(crate) struct AskedForWaits {
    here: Vec<PathBuf>,
    elsewhere: Option<elsewhere::RecordingsOfAll>,
}

impl AskedForWaits {
    /// Nothing if no task has recorded anything.
    pub(crate) fn waiting(&self) -> Option<Waiting> {
        let first = match &self.elsewhere {
            Some(elsewhere) => elsewhere.look(&self.here)?,
            None => FirstLook::of_paths(&self.here, &Terminal::showing(false)).ok()?,
        };
        project::waiting(&first.again())
    }
}

impl FollowedJob {
    /// The job that these directories and recordings are of, or that this process is of; or the one that runs on hosts that are named.
    ///
    /// # Errors
    /// It is not recorded, or it cannot be told where it runs.
    pub(crate) fn of(names: &[PathBuf], which: &WhichHosts, args: &HostArgs) -> Result<Self, Failure> {
        let found = match (&which.hosts, &which.job) {
            (Some(path), _) => Some(Plan::listed(path, args)?.whereabouts()?),
            (None, Some(id)) => Some(Plan::of_batch(id, args)?.whereabouts()?),
            (None, None) => None,
        };
        let (found, launcher) = match found {
            Some(found) => (found, None),
            None => match whereabouts_of(names, args)? {
                Some(found) => found,
                None => return Self::in_directories(project::recordings_named(names)?),
            },
        };
        found.say_how();
        let paths = MappedFiles::of(&found.job).directories_of_recordings();
        let may_have_others = found.asked.is_empty() && !args.here && !found.job.missing.is_empty();
        if let (true, Some(launcher)) = (may_have_others, launcher) {
            // It has perhaps not got to telling which hosts it has.
            let mut job = Self::with_any_in(paths)?;
            job.sought = Some(Sought {
                launcher,
                args: args.clone(),
                asked: None,
                patience: STARTING,
                whose: Whose::Named,
            });
            return Ok(job);
        }
        found.notes.iter().for_each(|note| output::warn(note));
        if found.asked.is_empty() && paths.is_empty() {
            return Err(Failure::new("the job is not recorded")
                .hint("hindmost run --events -- mpirun … starts one that is"));
        }
        let mut job = Self::with_any_in(paths)?;
        if !found.asked.is_empty() {
            job.follow_elsewhere(found, args)?;
        }
        Ok(job)
    }

    /// The job that a launcher has just started, whose tasks record here into this directory. Where it runs is known when the launcher tells.
    /// It began after `begins`, in nanoseconds since the epoch.
    pub(crate) fn launched(launcher: u32, begins: u64, directory: &Path, args: &HostArgs) -> Self {
        let mut job = Self::new(vec![directory.to_owned()]);
        job.begins = begins;
        job.sought = (!args.here).then(|| Sought {
            launcher,
            args: args.clone(),
            asked: None,
            patience: args.deadline,
            whose: Whose::Ours,
        });
        job
    }

    fn new(paths: Vec<PathBuf>) -> Self {
        FollowedJob {
            paths,
            here: None,
            elsewhere: None,
            sought: None,
            live: Live::default(),
            started: Instant::now(),
            has_said: false,
            begins: 0,
        }
    }

    /// With what tasks of this host record in these directories, if there are any.
    fn with_any_in(paths: Vec<PathBuf>) -> Result<Self, Failure> {
        if paths.is_empty() {
            return Ok(Self::new(paths));
        }
        Self::in_directories(paths)
    }

    fn in_directories(paths: Vec<PathBuf>) -> Result<Self, Failure> {
        let here = FollowedEvents::new(&paths, &Terminal::showing(false))?;
        let mut job = Self::new(paths);
        job.here = Some(here);
        Ok(job)
    }

    fn follow_elsewhere(&mut self, found: Whereabouts, args: &HostArgs) -> Result<(), Failure> {
        let Whereabouts {
            job,
            asked,
            transport,
            ..
        } = found;
        let elsewhere = Elsewhere::start(asked, transport, args, (job.size, PAUSE))?;
        if let Some(here) = &self.here {
            elsewhere.is_of(here);
        }
        self.elsewhere = Some(elsewhere);
        Ok(())
    }

    /// Takes what was written since. The job is not over as long as `may_go_on`, whatever its tasks do.
    pub(crate) fn step(&mut self, may_go_on: bool) -> Step {
        self.seek_here();
        let mut notes = self.seek_elsewhere();
        // Asked before it is read: what a task wrote at its end is still seen.
        let is_running = may_go_on || self.is_running();
        let now = Instant::now();
        let mut heard = if self.sought.is_some() { self.started } else { now };
        let mut fresh = Vec::new();
        if let Some(elsewhere) = &self.elsewhere {
            let taken = elsewhere.take();
            heard = heard.min(taken.heard);
            notes.extend(taken.notes);
            for one in taken.fresh {
                if let (Some(correction), Some((rank, _))) = (one.correction, one.recording.world) {
                    self.live.correct(rank, correction);
                }
                fresh.push((one.recording, one.events));
            }
        }
        fresh.extend(self.read_here());
        if self.is_unrecorded() && !self.has_said {
            self.has_said = true;
            notes.push(
                "no task of the job has recorded events yet; hindmost run --events -- mpirun … starts one that does"
                    .to_owned(),
            );
        }
        let read = fresh.iter().map(|(_, events)| events.events.len() as u64).sum();
        let is_over = !is_running && fresh.is_empty();
        let since_start = |moment: Instant| {
            let elapsed = moment.saturating_duration_since(self.started).as_nanos();
            u64::try_from(elapsed).unwrap_or(u64::MAX)
        };
        let at = Moment {
            now: since_start(now),
            heard: since_start(heard),
        };
        let happenings = if is_over {
            self.live.finish()
        } else {
            self.live.feed(fresh, at)
        };
        Step {
            happenings: happenings.into_iter().map(Happening::into_owned).collect(),
            read,
            is_over,
            notes,
            behind: now.saturating_duration_since(heard),
        }
    }

    /// Whether all hosts have answered, and none has any events.
    fn is_unrecorded(&self) -> bool {
        let has_none = |elsewhere: &Elsewhere| elsewhere.ranks().is_some_and(|ranks| ranks.is_empty());
        let is_nowhere = self.elsewhere.as_ref().map_or(self.paths.is_empty(), has_none);
        self.here.is_none() && self.sought.is_none() && is_nowhere
    }

    /// What is new of the tasks here, and of those whose files are here, too, while their own hosts do not tell of them.
    fn read_here(&mut self) -> Vec<(Arc<Recording>, Events)> {
        let told = match &self.elsewhere {
            Some(elsewhere) => elsewhere.ranks(),
            None if self.sought.is_some() => None,
            None => Some(RankSet::default()),
        };
        let others = told.as_ref().map_or(OthersHere::None, OthersHere::AllBut);
        self.here.as_mut().map_or_else(Vec::new, |here| here.read(others))
    }

    /// The tasks here may only be starting.
    fn seek_here(&mut self) {
        if self.here.is_some() || self.paths.is_empty() {
            return;
        }
        let here = FollowedEvents::new(&self.paths, &Silent).ok();
        self.here = here.filter(|here| here.tasks().all(|task| task.started >= self.begins));
        if let (Some(here), Some(elsewhere)) = (&self.here, &self.elsewhere) {
            elsewhere.is_of(here);
        }
    }

    /// Looks for the hosts of the job, as long as they are not known; what the user should know.
    fn seek_elsewhere(&mut self) -> Vec<String> {
        let Some(sought) = &mut self.sought else {
            return Vec::new();
        };
        if sought.asked.is_some_and(|asked| asked.elapsed() < SOUGHT) {
            return Vec::new();
        }
        sought.asked = Some(Instant::now());
        let (launcher, args) = (sought.launcher, sought.args.clone());
        let (patience, whose) = (sought.patience, sought.whose);
        let mut has_none_here = false;
        if self.elsewhere.is_none() {
            let found = project::job_of(launcher).ok();
            if let Some(job) = &found
                && self.paths.is_empty()
            {
                self.paths = MappedFiles::of(job).directories_of_recordings();
            }
            let found = found.and_then(|job| Whereabouts::of_job(job, Some(launcher), None, &args).ok());
            if let Some(found) = found.filter(|found| !found.asked.is_empty()) {
                has_none_here = found.job.tasks.is_empty();
                if let Err(why) = self.follow_elsewhere(found, &args) {
                    self.sought = None;
                    return vec![format!("the ranks on other hosts are not followed: {why}")];
                }
            }
        }
        let has_all = self.here.as_ref().is_some_and(|here| {
            let size = here.tasks().find_map(|task| Some(task.world?.1));
            size.is_some_and(|size| here.ranks_here().len() >= u64::from(size))
        });
        let is_known = has_all || self.elsewhere.is_some() && (self.here.is_some() || has_none_here);
        if is_known {
            self.sought = None;
        } else if self.started.elapsed() > patience && (self.is_found() || whose == Whose::Named) {
            self.sought = None;
            if self.elsewhere.is_none() {
                return vec![
                    "the launcher does not tell where the other ranks run: those of this host are followed alone"
                        .to_owned(),
                ];
            }
        }
        Vec::new()
    }

    /// Whether any task runs, as far as is known.
    fn is_running(&self) -> bool {
        let is_here = self.here.as_ref().is_some_and(FollowedEvents::is_running);
        let is_elsewhere = self.elsewhere.as_ref().is_some_and(Elsewhere::is_running);
        // It may only be starting.
        let is_sought = self
            .sought
            .as_ref()
            .is_some_and(|sought| sought.whose == Whose::Named);
        is_here || is_elsewhere || is_sought
    }

    /// The tasks of this host.
    pub(crate) fn tasks_here(&self) -> impl Iterator<Item = &Recording> {
        self.here.iter().flat_map(FollowedEvents::tasks)
    }

    /// Whether tasks of other hosts are followed.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.elsewhere.is_some()
    }

    /// Whether anything of the job was found yet.
    pub(crate) fn is_found(&self) -> bool {
        self.here.is_some() || self.elsewhere.is_some()
    }

    /// How many ranks the job has, once one of them has told.
    pub(crate) fn size(&self) -> Option<u32> {
        self.live.size()
    }

    /// How many events were written over before they were read.
    pub(crate) fn lost(&self) -> u64 {
        self.live.lost()
    }

    /// How large the window of the sort was since this was asked last.
    pub(crate) fn take_points(&mut self) -> Vec<WindowPoint> {
        self.live.take_points()
    }

    /// By whom who waits for whom can be asked.
    pub(crate) fn waits(&self) -> AskedForWaits {
        AskedForWaits {
            here: self.paths.clone(),
            elsewhere: self.elsewhere.as_ref().map(Elsewhere::recordings),
        }
    }

    /// All that tasks have written up to now, and still have.
    ///
    /// # Errors
    /// None of them has events.
    pub(crate) fn whole(&mut self) -> Result<Vec<(Recording, Events)>, Failure> {
        while self.sought.is_some() {
            self.seek_elsewhere().iter().for_each(|note| output::warn(note));
            std::thread::sleep(TURN);
        }
        let Some(elsewhere) = &self.elsewhere else {
            return project::recorded_events(&self.paths, &Terminal::showing(false));
        };
        let mut all: BTreeMap<u32, (Arc<Recording>, Events)> = BTreeMap::new();
        loop {
            // Asked before it is taken, so that the last of it is.
            let has_all = elsewhere.has_caught_up();
            let taken = elsewhere.take();
            taken.notes.iter().for_each(|note| output::warn(note));
            for one in taken.fresh {
                let Some((rank, _)) = one.recording.world else {
                    continue;
                };
                match all.get_mut(&rank) {
                    Some((recording, events)) => {
                        *recording = one.recording;
                        events.events.extend(one.events.events);
                        events.lost.extend(one.events.lost);
                        events.next = one.events.next;
                    }
                    None => {
                        all.insert(rank, (one.recording, one.events));
                    }
                }
            }
            if has_all {
                break;
            }
            std::thread::sleep(TURN);
        }
        elsewhere.unheard().iter().for_each(|host| output::warn(host));
        let here = match &self.here {
            Some(_) => project::recorded_events(&self.paths, &Terminal::showing(false)).unwrap_or_default(),
            None => Vec::new(),
        };
        for (recording, events) in here {
            if let Some((rank, _)) = recording.world {
                all.entry(rank).or_insert_with(|| (Arc::new(recording), events));
            }
        }
        if all.is_empty() {
            return Err(Failure::new("no task of the job has recorded events").hint(
                "hindmost run --events -- mpirun … records them; what is left to say of its hosts is above",
            ));
        }
        let all = all.into_values();
        Ok(all
            .map(|(recording, events)| (Arc::unwrap_or_clone(recording), events))
            .collect())
    }
}

/// Where the job of a process runs, if that is all that is named; and the launcher, if it is one.
fn whereabouts_of(names: &[PathBuf], args: &HostArgs) -> Result<Option<(Whereabouts, Option<u32>)>, Failure> {
    let [name] = names else { return Ok(None) };
    let pid = name.to_str().and_then(|name| name.parse::<u32>().ok());
    let Some(pid) = pid.filter(|_| !name.exists()) else {
        return Ok(None);
    };
    let job = project::job_of(pid)?;
    let launcher = job.tasks.iter().all(|task| task.pid != pid).then_some(pid);
    let found = Whereabouts::of_job(job, launcher, None, args)?;
    Ok(Some((found, launcher)))
}

/// Says nothing of recordings that are not there yet.
struct Silent;

impl project::Listener for Silent {
    fn warn(&self, _: &str) {}

    fn making(&self, _: usize) -> Box<dyn Fn(engine::MapProgress) + Sync + '_> {
        Box::new(|_| ())
    }
}
