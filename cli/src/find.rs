//! `hindmost find`: a running job.

use crate::args::{AnswerFormat, FindArgs, ThreadChoice};
use crate::cores;
use crate::order;
use crate::output::{self, Status, Terminal};
use crate::page;
use crate::tree_args::TreeFormat;
use base::RankSet;
use engine::{Earlier, Map, NextStep, NoMap, Origin, Outcome};
use project::{Failure, JobMap, SourceFinder};
use runtime_probe::{Job, Options, ProbeError, ProcessTable, Threads};
use snapshot::{Header, Task};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

pub(crate) fn run(args: &FindArgs) -> anyhow::Result<Status> {
    if !args.cores.is_empty() {
        project::start_threads(None);
        return cores::run(args);
    }
    runtime_probe::die_without_memory();
    let mut job = find_job(args)?;
    let is_large = job.tasks.len() > engine::TASKS_FOR_ONE_THREAD;
    if is_large || args.tree.is_some() || args.slice {
        project::start_threads(None);
    }
    let found = project::map_of_job(args.map.as_deref(), &job, &Terminal::new())?;
    job.prefer(&found.map);
    let no_map = found.is_empty();
    if let Some(path) = &args.save_table {
        let launcher = args.launcher.or(match args.pids[..] {
            [only] if job.tasks.iter().all(|task| task.pid != only) => Some(only),
            _ => None,
        });
        project::write_atomically(path, job.table(launcher).to_text().as_bytes())?;
    }
    let options = Options {
        threads: match args.threads {
            ThreadChoice::Main => Threads::Main,
            ThreadChoice::All => Threads::All,
        },
        stopping: args.stop.stopping(),
        ..Options::default()
    };
    let take = || {
        let (header, mut records) = runtime_probe::take(&found.map, &job.tasks, options);
        warn_of_told(&records);
        // Of a program that is not the map's its own debug info tells at least the lines.
        let wants_lines = |task: &&mut Task| no_map || task.error.is_some();
        let mut without = Vec::from_iter(records.iter_mut().filter(wants_lines).map(std::mem::take));
        project::add_lines_of_job(&mut without, &job);
        let places = records
            .iter_mut()
            .filter(|task| task.frames.is_empty() && task.task.is_empty());
        places.zip(without).for_each(|(place, task)| *place = task);
        (header, records)
    };
    let (mut header, mut records) = take();
    // A moment later it is somewhere else, if it computes.
    for _ in 1..LOOKS {
        if !is_undecided_by_chance(&found.map, &records, &job.missing) {
            break;
        }
        std::thread::sleep(BETWEEN_LOOKS);
        (header, records) = take();
    }
    let mut first = None;
    if let Some(apart) = args.twice {
        let begun = Instant::now();
        std::thread::sleep(apart);
        let (second_header, second) = take();
        header = second_header;
        first = Some((std::mem::replace(&mut records, second), begun.elapsed()));
    }
    if first.is_none() && engine::answer(&found.map, &records, job.missing.clone()).needs_second_look() {
        let begun = Instant::now();
        std::thread::sleep(TO_COME_ON);
        let (second_header, second) = take();
        header = second_header;
        first = Some((std::mem::replace(&mut records, second), begun.elapsed()));
    }
    let mut samples = Vec::new();
    for _ in 1..args.samples.unwrap_or(1) {
        std::thread::sleep(args.every);
        let (next_header, next) = take();
        header = next_header;
        samples.push(std::mem::replace(&mut records, next));
    }
    let earlier = first.as_ref().map(|(tasks, elapsed)| Earlier {
        tasks,
        elapsed: *elapsed,
    });
    answer(
        args,
        found,
        &Seen {
            header,
            records,
            samples,
            missing: job.missing,
            ended: job.ended,
            notes: job.notes,
        },
        earlier,
    )
}

/// Says of which tasks a system call may have ended early because of us: nobody is to look for the cause elsewhere.
pub(crate) fn warn_of_told(records: &[Task]) {
    for record in records {
        let threads = record.threads.iter().flat_map(|thread| &thread.told);
        let calls: BTreeSet<&str> = record.told.iter().chain(threads).map(String::as_str).collect();
        if !calls.is_empty() {
            output::warn(&format!(
                "task {}: the stop may have ended a system call early, which the program can see (EINTR, or a short count): {}",
                record.task,
                Vec::from_iter(calls).join(", ")
            ));
        }
    }
}

/// How often a job is looked at where a look leaves the answer to chance, and how long apart.
const LOOKS: usize = 8;
const BETWEEN_LOOKS: Duration = Duration::from_millis(3);

/// How long tasks have to come on before they are taken to stand still, where the answer rests on that.
const TO_COME_ON: Duration = Duration::from_millis(100);

/// Whether a task was caught in an instruction that belongs to two statements, and nothing is decided: another look may find it in one
/// of them. All tasks are looked at anew then, since an order is of one moment.
fn is_undecided_by_chance(map: &Map, records: &[Task], missing: &RankSet) -> bool {
    let mut frames = records.iter().flat_map(|task| &task.frames);
    frames.any(|frame| frame.inexact)
        && engine::answer(map, records, missing.clone()).outcome == Outcome::Undecided
}

/// What was seen of a job.
pub(crate) struct Seen {
    pub(crate) header: Header,
    pub(crate) records: Vec<Task>,
    /// What was seen before that, for a tree over time.
    pub(crate) samples: Vec<Vec<Task>>,
    /// Ranks of which nothing was seen.
    pub(crate) missing: RankSet,
    /// Those of them that have ended.
    pub(crate) ended: RankSet,
    /// What the user should know about it.
    pub(crate) notes: Vec<String>,
}

/// What follows once there are stacks, wherever they come from.
pub(crate) fn answer(
    args: &FindArgs,
    found: JobMap,
    seen: &Seen,
    earlier: Option<Earlier<'_>>,
) -> anyhow::Result<Status> {
    let records = &seen.records;
    let on_stacks = records.iter().flat_map(|task| &task.frames);
    let lost = found.lost_on(on_stacks.map(|frame| frame.function.as_str()));
    let JobMap {
        map,
        path,
        mut warnings,
        none,
        reader,
        ..
    } = found;
    warnings.extend(lost);
    if let Some(path) = &args.save {
        project::write_atomically(path, snapshot::write(&seen.header, records).as_bytes())?;
    }
    let mut answer = engine::answer_since(&map, records, seen.missing.clone(), earlier);
    if args.threads == ThreadChoice::Main && answer.rests_on_mpi() {
        let clause = "no thread but the main ones, which alone were read, calls MPI";
        answer.assumptions.push(clause.to_owned());
    }
    if args.twice.is_none() {
        // Nobody has asked who moved; the answer has made use of it.
        answer.motion = None;
    }
    warnings.extend(seen.notes.iter().cloned());
    answer.explain_ended(&seen.ended);
    let is_live = args.cores.is_empty();
    let is_no_job = is_live && records.iter().all(|task| task.rank.is_none());
    if let Some(why) = &none {
        answer.explain_no_map(why);
        let programs: BTreeSet<&str> = records.iter().map(|task| task.program.as_str()).collect();
        if is_no_job && programs.len() > 1 {
            answer.explain_no_map(&NoMap {
                reason: "these are no ranks of a parallel job, as far as their environments tell, and run different programs"
                    .to_owned(),
                remedy: None,
            });
        }
    }
    answer.warnings.append(&mut warnings);
    project::check_advice(&mut answer, &SourceFinder::new(path.as_deref(), &reader));
    answer.advise(match is_live {
        true => Origin::Live,
        false => Origin::Recorded,
    });
    if is_no_job
        && let Outcome::NotPlaced | Outcome::NothingReadable = answer.outcome
        && let Some((pid, command)) = runtime_probe::launchers().into_iter().next()
    {
        answer.next = Some(NextStep::OtherJob { pid, command });
    }
    if let Some(format) = args
        .tree
        .filter(|&format| format != TreeFormat::Text || args.format == AnswerFormat::Json)
    {
        let format = if args.format == AnswerFormat::Json {
            TreeFormat::Json
        } else {
            format
        };
        let tree = tree_of(args, &map, seen);
        if format == TreeFormat::Html {
            let finder = SourceFinder::new(path.as_deref(), &reader);
            finder.fill(&map, &mut answer, None);
            let shown = crate::tree::shown(&tree, &args.shape)?;
            let hosts = hosts_of(seen, &tree);
            let slice = args
                .slice
                .then(|| crate::slice::for_page(&map, &answer, &args.job_slice, &finder));
            let slice = slice.flatten();
            let known = (Some(&answer), slice.as_ref());
            output::print_plain(&page::html(&map, &shown, known, &[], &hosts, &finder))?;
        } else {
            if args.slice {
                output::warn(crate::tree::NO_SLICE);
            }
            crate::tree::print(&tree, format, &args.shape, &answer.warnings)?;
        }
        return Ok(output::status_of(&answer));
    }
    let names = args.explain.as_deref();
    let mut explanation = names
        .map(|names| order::explain(&map, records, names))
        .transpose()?;
    let finder = SourceFinder::new(path.as_deref(), &reader);
    finder.fill(&map, &mut answer, explanation.as_mut());
    if args.slice && args.job_slice.shape.slice_format.is_document() {
        crate::slice::of_answer(&map, &answer, &args.job_slice, &finder)?;
        return Ok(output::status_of(&answer));
    }
    output::print_answer_of(&answer, explanation.as_ref(), args.format, &finder)?;
    if args.tree.is_some() {
        output::print("\n")?;
        crate::tree::print_below_answer(&tree_of(args, &map, seen), &args.shape)?;
    }
    if args.slice {
        output::print("\n")?;
        crate::slice::of_answer(&map, &answer, &args.job_slice, &finder)?;
    }
    if answer.outcome == Outcome::NothingReadable {
        output::error(&output::nothing_readable(&answer).into());
    }
    Ok(output::status_of(&answer))
}

/// Where the tasks that were seen run: all on one host, which the snapshot names.
fn hosts_of(seen: &Seen, tree: &engine::OrderedTree) -> Vec<(String, engine::TaskSet)> {
    let everyone = tree
        .nodes
        .first()
        .map(|root| root.tasks.clone())
        .unwrap_or_default();
    let missing: engine::TaskSet = match tree.names.are_ranks() {
        true => seen.missing.iter().collect(),
        false => engine::TaskSet::default(),
    };
    match seen.header.host.is_empty() {
        true => Vec::new(),
        false => vec![(seen.header.host.clone(), everyone.difference(&missing))],
    }
}

/// The prefix tree of what was seen.
fn tree_of(args: &FindArgs, map: &Map, seen: &Seen) -> engine::OrderedTree {
    let mut options = args.shape.options();
    let is_ordered = |task: &Task| !map.functions.is_empty() && task.error.is_none();
    if !seen.records.iter().any(is_ordered) {
        // Without a map every pair of branches would be said to have no known order.
        options.refine = engine::Refine::Nothing;
    }
    let job = if seen.samples.is_empty() {
        engine::job_tree(map, &seen.records, &seen.missing, &options)
    } else {
        let mut samples = seen.samples.clone();
        samples.push(seen.records.clone());
        engine::sampled_tree(map, &samples, &seen.missing, &options)
    };
    engine::order_tree(map, &job, &options)
}

fn find_job(args: &FindArgs) -> anyhow::Result<Job> {
    if let Some(path) = &args.table {
        let table = ProcessTable::parse(&project::read_text(path)?)
            .map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
        let job = Job::of_table(&table);
        if job.tasks.is_empty() {
            let hosts: BTreeSet<&str> = table.entries.iter().map(|entry| entry.host.as_str()).collect();
            return Err(Failure::new(format!(
                "{}: no task of it is on this host, {}",
                path.display(),
                runtime_probe::own_host()
            ))
            .hint(format!("its hosts are: {}", Vec::from_iter(hosts).join(", ")))
            .into());
        }
        return Ok(job);
    }
    let job = match (args.launcher, &args.pids[..]) {
        (Some(launcher), _) => {
            let job = discover(launcher)?;
            if let [only] = &job.tasks[..]
                && only.pid == launcher
                && only.rank.is_none()
            {
                return Err(Failure::new(format!(
                    "pid {launcher} ({}) is no launcher: there is no rank below it",
                    only.executable
                ))
                .hint("give the pid of mpirun, mpiexec or srun; or the pids of the tasks, without --launcher")
                .into());
            }
            job
        }
        (None, &[pid]) => discover(pid)?,
        (None, pids) => runtime_probe::job_of_pids(pids),
    };
    if job.tasks.is_empty() {
        return Err(Failure::new("the job has no task on this host").into());
    }
    Ok(job)
}

/// The job below a launcher, or of a single process.
pub(crate) fn job_of(pid: u32) -> Result<Job, Failure> {
    discover(pid)
}

fn discover(pid: u32) -> Result<Job, Failure> {
    runtime_probe::discover(pid).map_err(|error| {
        let failure = Failure::new(error.to_string());
        match error {
            ProbeError::NoProcess { .. } => {
                failure.hint("it may have ended; `pgrep -a mpirun` lists launchers")
            }
            ProbeError::NoRanks { .. } | ProbeError::Proc { .. } => failure,
        }
    })
}
