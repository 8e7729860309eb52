//! `hindmost until`: follows a job's events in causal order until a condition over its ranks comes true, and takes a snapshot then, or stops the ranks for a debugger.

use crate::args::{Cli, Command};
use crate::find;
use crate::followed::FollowedJob;
use crate::output::{self, Status};
use crate::recorder::{Job, cannot_start};
use crate::until_args::UntilArgs;
use clap::Parser as _;
use engine::timeline::{Condition, Happening, Holds, Timeline, Watch, timeline_of};
use project::{Failure, HaltedTasks};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::ffi::OsString;
use std::io::{self, BufRead as _, Write as _};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How often is looked for new events.
const PAUSE: Duration = Duration::from_millis(20);

/// Nobody waits longer for the events of the job's beginning, while nothing of it is recorded, without a word.
const SILENT: Duration = Duration::from_secs(10);

/// What is not there by then is not waited for (`engine::timeline`), so that the time that has passed for sure is so much less.
const HELD: Duration = Duration::from_secs(1);

pub(crate) fn run(args: &UntilArgs) -> anyhow::Result<Status> {
    let condition = Condition::parse(&args.condition, &engine::is_call_of_mpi).map_err(|error| {
        // There is nowhere left to report that standard error is gone.
        let _ = writeln!(io::stderr(), "{}", error.shown(&args.condition));
        Failure::new(format!("the condition cannot be read: {}", error.wrong))
    })?;
    let ends = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // Tasks that are stopped are let go before this ends.
        signal_hook::flag::register(signal, Arc::clone(&ends))?;
    }
    let mut until = Until {
        args,
        ends,
        lines: None,
        times: 0,
        began: None,
        watch: None,
        condition,
    };
    if let Some(path) = &args.recordings
        && let Some(trace) = project::foreign_events(path)?
    {
        until.over(&timeline_of(&trace))?;
        return Ok(until.status());
    }
    if args.command.is_empty() {
        let named = Vec::from_iter(args.recordings.clone());
        let job = FollowedJob::of(&named, &args.which, &args.reach)?;
        until.follow(job, None)?;
        return Ok(until.status());
    }
    let mut job = Job::of(&args.command)?;
    let directory = job.record(&args.recording, Some(args.events))?;
    let mut command = job.into_command();
    if args.stop {
        // What is typed is for this program.
        command.stdin(Stdio::null());
    }
    let begins = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let begins = u64::try_from(begins.as_nanos()).unwrap_or(u64::MAX);
    let mut child = command.spawn().map_err(|error| cannot_start(&command, &error))?;
    let followed = FollowedJob::launched(child.id(), begins, &directory, &args.reach);
    let outcome = until.follow(followed, Some(&mut child));
    if until.ends.load(Ordering::Relaxed) || outcome.is_err() || args.end && until.times > 0 {
        end(&child);
    }
    let ended = child.wait();
    outcome?;
    match ended {
        Ok(status) if !status.success() && !args.end => output::note(&format!("the job has ended: {status}")),
        Ok(_) => {}
        Err(error) => return Err(Failure::new(format!("cannot wait for the job: {error}")).into()),
    }
    Ok(until.status())
}

/// Asks a launcher to end its job.
fn end(launcher: &Child) {
    if let Some(pid) = i32::try_from(launcher.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    {
        // It may have ended by itself.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    }
}

struct Until<'a> {
    args: &'a UntilArgs,
    condition: Condition,
    /// This program was asked to end.
    ends: Arc<AtomicBool>,
    /// Lines of standard input, where somebody may be asked for one.
    lines: Option<Receiver<()>>,
    /// How often the condition has come true.
    times: usize,
    /// When the first event was.
    began: Option<i64>,
    /// None until the size of the job is known.
    watch: Option<Watch>,
}

/// An event at which the condition came true, as text, or nothing but the time that passed.
struct Came {
    at: Option<String>,
    truths: Vec<(String, base::RankSet)>,
}

impl Until<'_> {
    fn status(&self) -> Status {
        if self.times > 0 {
            Status::Done
        } else {
            Status::Undecided
        }
    }

    /// Shows the events of a file, which are there as a whole.
    fn over(&mut self, timeline: &Timeline<'_>) -> anyhow::Result<()> {
        if self.args.stop || self.args.save.is_some() {
            return Err(
                Failure::new("a file of events has no tasks that could be stopped or looked at")
                    .hint("without --stop and --save it is said when the condition has come true")
                    .into(),
            );
        }
        let size = timeline.lanes.last().map_or(0, |lane| lane.rank + 1);
        let came = self.watch_for(size, &timeline.happenings, None);
        let told = if self.args.again { came.len() } else { 1 };
        self.say(&came[..told.min(came.len())])
    }

    /// Follows a job until the condition has come true as often as is wanted, or the job has ended.
    fn follow(&mut self, mut job: FollowedJob, mut child: Option<&mut Child>) -> anyhow::Result<()> {
        let begun = Instant::now();
        let mut has_said = false;
        loop {
            let is_there = child
                .as_deref_mut()
                .is_some_and(|child| matches!(child.try_wait(), Ok(None)));
            let now = SystemTime::now();
            let step = job.step(is_there);
            let is_asked_to_end = self.ends.load(Ordering::Relaxed);
            if !is_asked_to_end {
                step.notes.iter().for_each(|note| output::warn(note));
            }
            let came = match job.size() {
                Some(size) => self.watch_for(size, &step.happenings, now.checked_sub(step.behind)),
                None => Vec::new(),
            };
            if !came.is_empty() {
                self.tell(&came, &job, child.as_deref())?;
                if !self.args.again {
                    return Ok(());
                }
            }
            if step.is_over || is_asked_to_end {
                return Ok(());
            }
            if begun.elapsed() > SILENT && !job.is_found() && !has_said {
                has_said = true;
                output::note("no task has recorded anything yet");
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Shows events of so many ranks to the condition, and what the time is, if it passes.
    fn watch_for(&mut self, size: u32, happenings: &[Happening<'_>], now: Option<SystemTime>) -> Vec<Came> {
        if self.watch.is_none() {
            let beyond = self.condition.ranks_beyond(size);
            if !beyond.is_empty() {
                output::warn(&format!(
                    "the condition asks about ranks {beyond}, and the job has ranks 0-{}",
                    size.saturating_sub(1)
                ));
            }
        }
        let watch = self
            .watch
            .get_or_insert_with(|| Watch::new(&self.condition, size));
        let mut came = Vec::new();
        for happening in happenings {
            let began = *self.began.get_or_insert(happening.time);
            if watch.observe(&happening.for_condition()) == Holds::ComesTrue {
                came.push(Came {
                    at: Some(report::timeline_line(happening, began)),
                    truths: watch.truths().to_vec(),
                });
            }
        }
        let passed = now
            .and_then(|now| now.checked_sub(HELD))
            .and_then(|passed| passed.duration_since(UNIX_EPOCH).ok());
        let passed = passed.and_then(|passed| i64::try_from(passed.as_nanos()).ok());
        if let (Some(passed), Some(_)) = (passed, self.began)
            && watch.pass(passed) == Holds::ComesTrue
        {
            came.push(Came {
                at: None,
                truths: watch.truths().to_vec(),
            });
        }
        came
    }

    /// Says that the condition has come true.
    fn say(&mut self, told: &[Came]) -> anyhow::Result<()> {
        self.times += told.len();
        for each in told {
            let mut text = format!("The condition has come true: {}\n", self.condition);
            for (fact, ranks) in &each.truths {
                text.push_str(&format!("  {fact}: {}\n", ranks.brief()));
            }
            match &each.at {
                Some(event) => text.push_str(&format!("  at {}\n", event.trim_start())),
                None => text.push_str("  at no event, as time passed\n"),
            }
            output::print(&text)?;
        }
        Ok(())
    }

    /// Says that the condition has come true, and looks at the job or stops it.
    fn tell(&mut self, came: &[Came], job: &FollowedJob, child: Option<&Child>) -> anyhow::Result<()> {
        // First of all: each moment more takes the tasks further away.
        let halted = self.args.stop.then(|| HaltedTasks::halt(job.tasks_here()));
        if halted.is_some() && job.is_elsewhere() {
            output::warn("the tasks of other hosts are not stopped, and go on until they wait for these");
        }
        let told = if self.args.again { came } else { &came[..1] };
        self.say(told)?;
        let looked_at = match (child, self.args.stop) {
            (_, true) if self.args.save.is_none() => Ok(()),
            (Some(child), _) => self.look(vec![child.id().to_string().into()]),
            (None, _) => self.look(self.named(job)),
        };
        if let Err(error) = looked_at {
            // The job may have ended by now; what was said stands.
            output::warn(&format!("the job could not be looked at: {error}"));
        }
        match halted {
            Some(halted) => self.wait_for_user(halted),
            None => Ok(()),
        }
    }

    /// The job that is followed in the words of `hindmost find`.
    fn named(&self, job: &FollowedJob) -> Vec<OsString> {
        let which = self.args.which.words();
        if !which.is_empty() {
            return which;
        }
        match &self.args.recordings {
            // By its launcher, or a process.
            Some(name) if job.is_elsewhere() => vec![name.into()],
            _ => job.tasks_here().map(|task| task.pid.to_string().into()).collect(),
        }
    }

    /// The answer of `hindmost find` about the job that these words name, with its stacks kept.
    fn look(&self, named: Vec<OsString>) -> anyhow::Result<()> {
        let mut words: Vec<OsString> = vec!["hindmost".into(), "find".into()];
        words.extend(named);
        words.extend(self.args.reach.words());
        if let Some(map) = &self.args.map {
            words.extend(["--map".into(), map.into()]);
        }
        if let Some(prefix) = &self.args.save {
            let mut path = prefix.clone().into_os_string();
            path.push(format!("-{}.snapshot", self.times));
            words.extend(["--save".into(), path]);
        }
        let Command::Find(find) = Cli::try_parse_from(words)?.command else {
            return Ok(());
        };
        find::run(&find)?;
        Ok(())
    }

    /// Leaves tasks stopped until a line is read, somebody else lets them go on, or this program is to end.
    fn wait_for_user(&mut self, halted: HaltedTasks) -> anyhow::Result<()> {
        let mut text = format!("Stopped: {} tasks\n", halted.tasks().len());
        for task in halted.tasks() {
            let rank = task
                .world
                .map_or("a task".to_owned(), |(rank, _)| format!("rank {rank}"));
            text.push_str(&format!("  {rank}: gdb -p {}\n", task.pid));
        }
        text.push_str("They go on when a line is entered, or when they are continued (kill -CONT).\n");
        output::print(&text)?;
        let lines = self.lines.get_or_insert_with(lines_of_input);
        while lines.try_recv().is_ok() {
            // What was entered before was not meant for this stop.
        }
        while halted.stand() && !self.ends.load(Ordering::Relaxed) {
            if lines.recv_timeout(PAUSE).is_ok() {
                break;
            }
        }
        drop(halted);
        output::note("the tasks go on");
        Ok(())
    }
}

/// Standard input, a message for each line; nothing behind its end.
fn lines_of_input() -> Receiver<()> {
    let (told, lines) = channel();
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            if line.is_err() || told.send(()).is_err() {
                return;
            }
        }
        // The sender stays, so that the end of the input is no line.
        std::thread::park();
    });
    lines
}
