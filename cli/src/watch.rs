//! `hindmost watch`: looks at a job now and then, and writes the report when it stands still.
//!
//! What a look means is `engine`'s to judge (`engine::Watchdog`); here are the clock, the processes and the words. Before an alarm the
//! job is looked at many times in a row: one that turns quickly around one call may have been met in it by chance each time. An alarm is taken
//! back when the job goes on. What a look costs is measured and said at the end.

use crate::output::{self, Status, Terminal};
use crate::watch_args::WatchArgs;
use crate::watch_report;
use crate::watched_hosts::{Reached, Watched, WatchedHosts};
use crate::watched_map::WatchedMap;
use crate::whereabouts::Whereabouts;
use base::RankSet;
use engine::recorded::Waiting;
use engine::{Patience, Pause, Sight, Watchdog};
use project::{Failure, Seen};
use runtime_probe::Options;
use snapshot::Task;
use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant, SystemTime};

/// Without a given time the job must stand still at least so long.
const LEAST: Duration = Duration::from_secs(60);

/// So many times longer tasks may be busy while others wait for them.
const BUSY: u32 = 10;

/// How often, and how far apart, a job is looked at before an alarm.
const CONFIRMATIONS: u32 = 20;
const BETWEEN: Duration = Duration::from_millis(50);

pub(crate) fn run(args: &WatchArgs) -> anyhow::Result<Status> {
    let mut started = match args.command.split_first() {
        Some((program, rest)) => Some(
            Command::new(program)
                .args(rest)
                .spawn()
                .map_err(|error| Failure::new(format!("cannot start {program}: {error}")))?,
        ),
        None => None,
    };
    // Only now: the job has the environment that it was given.
    runtime_probe::die_without_memory();
    let watched = match (&started, args.launcher) {
        (Some(child), _) => Watched::Launcher(child.id()),
        (None, Some(pid)) => {
            // A wrong number is to be known now.
            Whereabouts::of_job(project::job_of(pid)?, Some(pid), None, &args.hosts)?;
            Watched::Launcher(pid)
        }
        (None, None) => {
            Watched::of_hosts(&args.which, &args.hosts)?.ok_or_else(|| Failure::new("nothing to watch"))?
        }
    };
    let mut watch = Watch::new(args, watched)?;
    let watched = watch.until_the_end(started.as_mut());
    if let (Err(error), true) = (&watched, started.is_some()) {
        let (causes, _) = output::in_words(error);
        output::warn(&format!("{causes}: the job goes on unwatched"));
    }
    let ended = started.map(|mut child| child.wait()).transpose();
    watched?;
    let ended = ended.map_err(|error| Failure::new(format!("cannot wait for the job: {error}")))?;
    output::note(&watch.cost.said());
    Ok(match (watch.alarm, ended) {
        (None, Some(status)) => exit_as(status),
        (None, None) => Status::Done,
        (Some(_), Some(status)) if status.success() => {
            output::note("the job has ended well after all: the alarm is taken back");
            Status::Done
        }
        (Some(_), status) => {
            if let Some(status) = status {
                output::note(&format!("the job has ended after the alarm: {status}"));
            }
            Status::Alarmed
        }
    })
}

/// Ends as the job has ended, as a shell would say it.
fn exit_as(status: ExitStatus) -> Status {
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    match code {
        Some(0) => Status::Done,
        code => std::process::exit(code.unwrap_or(2)),
    }
}

struct Watch<'a> {
    args: &'a WatchArgs,
    begun: Instant,
    dog: Watchdog,
    /// Where the tasks of the job are.
    hosts: WatchedHosts<'a>,
    /// The job was seen to have ended.
    has_ended: bool,
    map: WatchedMap<'a>,
    /// The tasks that were there at the last look, to say how many are watched.
    tasks: usize,
    /// An alarm that was given and not taken back.
    alarm: Option<Pause>,
    /// The processes of the tasks that were there at the alarm.
    alarmed: BTreeSet<Process>,
    /// After an alarm, some task went on by the last look.
    went_on: bool,
    /// Tasks that were said to be slow, with the calls that they had completed by then.
    slow: BTreeSet<(u32, u64)>,
    cost: Cost,
}

/// A process by its host, which is empty where all are on one, and its pid there.
type Process = (String, u32);

/// What one look has shown.
struct Look {
    seen: Seen,
    sight: Sight,
}

impl Look {
    /// The processes of the tasks whose stacks were read: one that is being ended has none any more.
    fn alive(&self) -> impl Iterator<Item = Process> + '_ {
        let alive = self.seen.records.iter().filter(|task| !task.frames.is_empty());
        alive.filter_map(|task| Some((task.host.to_string(), task.pid?)))
    }
}

impl<'a> Watch<'a> {
    fn new(args: &'a WatchArgs, watched: Watched<'a>) -> Result<Self, Failure> {
        let still = args.still.map_or(Patience::Learned(LEAST), Patience::Given);
        let busy = match (args.busy, args.still) {
            (Some(limit), _) => Patience::Given(limit),
            (None, still) => Patience::Learned(still.unwrap_or(LEAST) * BUSY),
        };
        let hosts = WatchedHosts::new(&args.hosts, watched)?;
        output::note(&format!(
            "watching {}: a look every {}; threads asleep are read in their sleep, others are stopped for microseconds; an alarm when \
             nobody computes and nothing moves for {}, or when a few compute and all others wait for them for {}; the report goes to {}.txt",
            hosts.watched(),
            seconds(args.every),
            said(still),
            said(busy),
            args.report.display(),
        ));
        Ok(Watch {
            args,
            begun: Instant::now(),
            dog: Watchdog::new(still, busy),
            hosts,
            has_ended: false,
            map: WatchedMap::new(args.map.as_deref()),
            tasks: 0,
            alarm: None,
            alarmed: BTreeSet::new(),
            went_on: false,
            slow: BTreeSet::new(),
            cost: Cost::default(),
        })
    }

    /// Watches until the job ends, or, of a job that runs anyway, until the first alarm.
    fn until_the_end(&mut self, mut started: Option<&mut Child>) -> anyhow::Result<()> {
        while !self.wait(self.args.every, started.as_deref_mut())? {
            let Some(look) = self.look()? else { continue };
            self.take_back(&look);
            let pause = match look.sight {
                Sight::GoesOn => {
                    self.say_who_is_slow(look.seen.waiting.as_ref());
                    continue;
                }
                Sight::Pauses(pause) => pause,
            };
            // What is certain only after an alarm is worth another one.
            let is_known = self
                .alarm
                .as_ref()
                .is_some_and(|alarm| alarm.is_hung() >= pause.is_hung());
            if !pause.is_too_long || is_known || self.map.is_worth_waiting() {
                continue;
            }
            let Some((look, pause)) = self.confirmed(started.as_deref_mut())? else {
                continue;
            };
            self.alarmed = look.alive().collect();
            let why = self.words(&pause);
            watch_report::write(self.args, self.map.now(), &look.seen, &why)?;
            self.alarm = Some(pause);
            if started.is_none() && !self.args.go_on {
                break;
            }
        }
        Ok(())
    }

    /// Takes the alarm back if the job has gone on, and is whole at the look after that, each task the process that it was: tasks that are being ended
    /// move, too, and what a launcher starts to end a job is none of them.
    fn take_back(&mut self, look: &Look) {
        let is_whole = self.alarm.is_some() && self.alarmed.is_subset(&look.alive().collect());
        if self.went_on && is_whole {
            self.alarm = None;
            output::note("the job goes on: the alarm is taken back");
        }
        self.went_on = is_whole && self.alarm.is_some() && look.sight == Sight::GoesOn;
    }

    /// Says once of each computation that it takes much longer than ever, while others go on.
    fn say_who_is_slow(&mut self, waiting: Option<&Waiting>) {
        for task in waiting.into_iter().flat_map(Waiting::slow) {
            if let Some(before) = &task.before
                && self.slow.insert((task.rank, task.completed))
            {
                output::note(&format!(
                    "rank {} computes for {:.1} s, where it never took longer than {:.1} s; others go on: it is slow, not hung",
                    task.rank,
                    Duration::from_nanos(task.for_ns).as_secs_f64(),
                    before.longest.as_secs_f64(),
                ));
            }
        }
    }

    /// Looks many times in a row: nothing if some task goes on, or the job ends, or if it is no longer too long.
    fn confirmed(&mut self, mut started: Option<&mut Child>) -> anyhow::Result<Option<(Look, Pause)>> {
        let mut last = None;
        for _ in 0..CONFIRMATIONS {
            if self.wait(BETWEEN, started.as_deref_mut())? {
                return Ok(None);
            }
            let Some(look) = self.look()? else { return Ok(None) };
            match &look.sight {
                Sight::Pauses(pause) if pause.is_too_long => {
                    let pause = pause.clone();
                    last = Some((look, pause));
                }
                _ => return Ok(None),
            }
        }
        Ok(last)
    }

    /// Waits for the next look; whether the job has ended by then.
    fn wait(&mut self, every: Duration, started: Option<&mut Child>) -> anyhow::Result<bool> {
        let end = Instant::now() + every;
        let launcher = self.hosts.watched().launcher();
        let mut started = started;
        loop {
            let ended = match (&mut started, launcher) {
                (Some(child), _) => !matches!(child.try_wait(), Ok(None)),
                (None, Some(pid)) => !std::path::Path::new(&format!("/proc/{pid}")).exists(),
                (None, None) => self.has_ended,
            };
            let left = end.saturating_duration_since(Instant::now());
            if ended || left.is_zero() {
                return Ok(ended);
            }
            self.map.take_made()?;
            // The end of a job is noticed soon, at no cost worth measuring.
            std::thread::sleep(left.min(Duration::from_millis(200)));
        }
    }

    fn words(&self, pause: &Pause) -> String {
        let ago = self.begun.elapsed().saturating_sub(pause.since);
        let since = SystemTime::now().checked_sub(ago).map_or_else(String::new, clock);
        pause.sentence(&since)
    }

    /// One look. Nothing while the job has not come so far that it has tasks, or is about to end.
    fn look(&mut self) -> anyhow::Result<Option<Look>> {
        let begun = Instant::now();
        let (mut job, mut hosts, mut notes) = match self.hosts.reach() {
            Reached::Tasks(job, hosts, notes) => (*job, hosts, notes),
            Reached::Nothing => return Ok(None),
            Reached::Ended => {
                self.has_ended = true;
                return Ok(None);
            }
        };
        self.map.heed(&job, hosts.as_deref_mut())?;
        let found = self.map.now();
        job.prefer(&found.maps());
        let options = Options {
            stopping: self.args.stop.stopping(),
            ..Options::default()
        };
        let mapped = project::MappedFiles::of(&job);
        let first = project::FirstLook::of_job(&job, &mapped, &Terminal::showing(false));
        let (waiting, (header, records)) = match &mut hosts {
            // Each host looks at what its tasks record and at their stacks, and is asked for the former once all have: whoever completes no call in between is in the same one in both.
            Some(hosts) => {
                let taken = hosts.take(found, &job, options);
                let recorded = first.beside(hosts.recordings());
                (project::waiting(&recorded.again()), taken)
            }
            // Before the stacks: what these show is later, and nobody who goes on in between is taken to wait.
            None => {
                let waiting = project::waiting(&first.again());
                let taken = if self.map.is_found() {
                    project::take_tasks(found, &job, options)
                } else {
                    // Where functions are in the source, nobody asks yet, and debug information is big.
                    runtime_probe::take_each(&[], &job.tasks, options)
                };
                (waiting, taken)
            }
        };
        if let Some(hosts) = hosts {
            let seen = records.iter().filter_map(|task| task.rank).collect();
            (job.missing, job.ended) = (hosts.missing(&seen), RankSet::default());
            notes.extend(hosts.notes());
        }
        self.hosts.heed(&records);
        project::interrupted_calls(&records).for_each(|text| output::warn(&text));
        if records.len() != self.tasks {
            self.tasks = records.len();
            let tasks = if self.tasks == 1 { "task" } else { "tasks" };
            let by = match &waiting {
                Some(waiting) => format!(", with what {} of them record", waiting.tasks.len()),
                None => String::new(),
            };
            output::note(&format!("{} {tasks} watched{by}", self.tasks));
        }
        let (is_complete, at) = (job.missing.is_empty(), self.begun.elapsed());
        let sight = self.dog.look(&records, waiting.as_ref(), is_complete, at);
        self.cost.add(begun.elapsed(), &records);
        let seen = Seen {
            header,
            records: project::Tasks::Each(records),
            samples: Vec::new(),
            notes,
            missing: job.missing,
            ended: job.ended,
            waiting,
            traced: Vec::new(),
        };
        Ok(Some(Look { seen, sight }))
    }
}

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

fn said(patience: Patience) -> String {
    match patience {
        Patience::Given(limit) => seconds(limit),
        Patience::Learned(least) => format!(
            "{} (or {} times as long as ever before it went on)",
            seconds(least),
            engine::LONGER
        ),
    }
}

/// The time of day, in UTC: where a job runs, the local time is anybody's guess.
fn clock(time: SystemTime) -> String {
    let seconds = time
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |time| time.as_secs());
    let (hours, minutes) = (seconds / 3600 % 24, seconds / 60 % 60);
    format!("{hours:02}:{minutes:02}:{:02} UTC", seconds % 60)
}

/// What looking has cost.
#[derive(Default)]
struct Cost {
    looks: u32,
    busy: Duration,
    held_ns: u64,
    holds: u64,
}

impl Cost {
    fn add(&mut self, busy: Duration, records: &[Task]) {
        self.looks += 1;
        self.busy += busy;
        for held in records.iter().filter_map(|task| task.held_ns) {
            self.held_ns += held;
            self.holds += 1;
        }
    }

    fn said(&self) -> String {
        let mean = |sum: f64, count: f64| if count > 0.0 { sum / count } else { 0.0 };
        format!(
            "looked {} times, {:.1} ms each; a task was held {:.0} µs per look",
            self.looks,
            mean(self.busy.as_secs_f64() * 1e3, self.looks.into()),
            mean(self.held_ns as f64 / 1e3, self.holds as f64),
        )
    }
}
