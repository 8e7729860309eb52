//! `hindmost watch`: looks at a job now and then, and writes the report when it stands still.
//!
//! A job stands still when every stack ends where it ended the time before: same program point, same values, same library
//! call. One task that moves is enough to go on waiting. What a look costs is measured and said at the end.

use crate::args::Format;
use crate::find;
use crate::output::{self, Status, Terminal};
use crate::page;
use crate::watch_args::WatchArgs;
use project::{Failure, JobMap, SourceFinder};
use runtime_probe::{Job, Options};
use snapshot::{Header, Task};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// Without a given time the job must stand still at least so long.
const LEAST: Duration = Duration::from_secs(60);

/// And so many times longer than it ever did before it went on.
const LONGER: u32 = 10;

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
    let pid = match (&started, args.launcher) {
        (Some(child), _) => child.id(),
        (None, Some(pid)) => {
            // A wrong number is to be known now.
            find::job_of(pid)?;
            pid
        }
        (None, None) => return Err(Failure::new("nothing to watch").into()),
    };
    // Only now: the job has the environment that it was given.
    runtime_probe::die_without_memory();
    let watched = watch(args, pid, started.as_mut());
    let ended = started.map(|mut child| child.wait());
    let hung = watched?;
    if let Some(status) = ended {
        let code = status
            .map_err(|error| Failure::new(format!("cannot wait for the job: {error}")))?
            .code();
        // A job that failed by itself says so with its own status.
        if let Some(code) = code.filter(|&code| code != 0 && !hung) {
            std::process::exit(code);
        }
    }
    Ok(if hung { Status::Undecided } else { Status::Done })
}

/// What the watchdog remembers.
struct Stillness {
    since: Instant,
    last: Option<engine::JobTree>,
    /// The longest pause after which the job went on.
    longest: Duration,
}

/// Watches until the job ends, or a report is written; whether one was.
fn watch(args: &WatchArgs, pid: u32, mut started: Option<&mut Child>) -> anyhow::Result<bool> {
    let mut map: Option<JobMap> = None;
    let mut searched = BTreeSet::new();
    let mut cost = Cost::default();
    let mut hung = false;
    let mut still = Stillness {
        since: Instant::now(),
        last: None,
        longest: Duration::ZERO,
    };
    while !wait(args.every, pid, started.as_deref_mut()) {
        let begun = Instant::now();
        // The job may not have come so far that it has tasks, or be about to end.
        let Ok(mut job) = find::job_of(pid) else { continue };
        if job.tasks.is_empty() {
            continue;
        }
        let programs: BTreeSet<String> = job.tasks.iter().map(|task| task.executable.clone()).collect();
        // At its start a job may still be the shell that starts the program.
        if map.as_ref().is_none_or(JobMap::is_empty) && programs != searched {
            searched = programs;
            let found = project::map_of_job(args.map.as_deref(), &job, &Terminal::new())?;
            if let Some(why) = &found.none {
                output::warn(&format!(
                    "{}: the job is watched by its stacks alone, and nobody will be proven to be behind",
                    why.reason
                ));
            }
            map = Some(found);
        }
        let Some(found) = &map else { continue };
        job.prefer(&found.map);
        let (header, mut records) = runtime_probe::take(
            &found.map,
            &job.tasks,
            Options {
                stopping: args.stop.stopping(),
                ..Options::default()
            },
        );
        find::warn_of_told(&records);
        if found.is_empty() {
            project::add_lines_of_job(&mut records, &job);
        }
        // The threads of a runtime or of MPI may turn in a circle for ever.
        let options = engine::TreeOptions {
            threads: false,
            ..engine::TreeOptions::default()
        };
        let tree = engine::job_tree(&found.map, &records, &job.missing, &options);
        cost.add(begun.elapsed(), &records);
        if still.last.as_ref().is_some_and(|last| last.tree == tree.tree) && !records.is_empty() {
            let limit = args.still.unwrap_or_else(|| LEAST.max(still.longest * LONGER));
            if still.since.elapsed() >= limit && !hung {
                hung = true;
                report(args, found, &job, (&header, &records), still.since.elapsed())?;
                if !args.go_on {
                    break;
                }
            }
        } else {
            if still.last.is_some() {
                still.longest = still
                    .longest
                    .max(still.since.elapsed().saturating_sub(args.every));
            }
            if hung {
                output::note("the job goes on");
                hung = false;
            }
            still.since = begun;
            still.last = Some(tree);
        }
    }
    output::note(&cost.said());
    Ok(hung)
}

/// Waits for the next look; whether the job has ended by then.
fn wait(every: Duration, pid: u32, started: Option<&mut Child>) -> bool {
    let end = Instant::now() + every;
    let mut started = started;
    loop {
        let ended = match &mut started {
            Some(child) => !matches!(child.try_wait(), Ok(None)),
            None => !std::path::Path::new(&format!("/proc/{pid}")).exists(),
        };
        let left = end.saturating_duration_since(Instant::now());
        if ended || left.is_zero() {
            return ended;
        }
        // The end of a job is noticed soon, at no cost worth measuring.
        std::thread::sleep(left.min(Duration::from_millis(200)));
    }
}

fn report(
    args: &WatchArgs,
    found: &JobMap,
    job: &Job,
    (header, records): (&Header, &[Task]),
    still: Duration,
) -> anyhow::Result<()> {
    let mut answer = engine::answer(&found.map, records, job.missing.clone());
    answer
        .warnings
        .extend(found.warnings.iter().chain(&job.notes).cloned());
    if let Some(why) = &found.none {
        answer.explain_no_map(why);
    }
    answer.advise(engine::Origin::Live);
    let finder = SourceFinder::new(found.path.as_deref());
    finder.fill(&found.map, &mut answer, None);
    let options = args.shape.options();
    let tree = engine::order_tree(
        &found.map,
        &engine::job_tree(&found.map, records, &job.missing, &options),
        &options,
    );
    let text = format!(
        "no task has moved for {} s\n\n{}\n{}",
        still.as_secs(),
        report::answer_text(&answer),
        report::tree_text(&tree, report::TreeText::default())
    );
    let path = |ending: &str| -> PathBuf {
        let mut path = args.report.clone().into_os_string();
        path.push(ending);
        path.into()
    };
    project::write_atomically(&path(".snapshot"), snapshot::write(header, records).as_bytes())?;
    project::write_atomically(&path(".json"), report::answer_json(&answer, None).as_bytes())?;
    project::write_atomically(
        &path(".tree.json"),
        report::tree_json(&tree, &answer.warnings).as_bytes(),
    )?;
    let page = page::html(&found.map, &tree, (Some(&answer), None), &[], &[], &finder);
    project::write_atomically(&path(".html"), page.as_bytes())?;
    project::write_atomically(&path(".txt"), output::without_styles(&text).as_bytes())?;
    output::print_answer(&answer, None, Format::Text)?;
    output::note(&format!(
        "no task has moved for {} s: the report is in {} and {}",
        still.as_secs(),
        path(".txt").display(),
        path(".html").display()
    ));
    if let Some(command) = &args.run {
        let status = Command::new("sh")
            .args(["-c", command])
            .env("HINDMOST_REPORT", &args.report)
            .status();
        match status {
            Ok(status) if status.success() => {}
            Ok(status) => output::warn(&format!("--run: {status}")),
            Err(error) => output::warn(&format!("--run: {error}")),
        }
    }
    Ok(())
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
