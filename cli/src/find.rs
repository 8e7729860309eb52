//! `hindmost find`: a running job.

use crate::args::{AnswerFormat, FindArgs, ThreadChoice};
use crate::cores;
use crate::executable::Executable;
use crate::failure::Failure;
use crate::files::{self, SourceFinder};
use crate::job_map::{Build, JobMap};
use crate::order;
use crate::output::{self, Status};
use crate::page;
use crate::symbolize;
use crate::threads;
use crate::tree_args::TreeFormat;
use base::RankSet;
use engine::{Earlier, Map, Origin, Outcome};
use runtime_probe::{Job, Options, ProbeError, ProcessTable, TaskRef, Threads};
use snapshot::{Header, Task};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub(crate) fn run(args: &FindArgs) -> anyhow::Result<Status> {
    if !args.cores.is_empty() {
        threads::start(None);
        return cores::run(args);
    }
    runtime_probe::die_without_memory();
    let mut job = find_job(args)?;
    let is_large = job.tasks.len() > engine::TASKS_FOR_ONE_THREAD;
    if is_large || args.tree.is_some() || args.slice {
        threads::start(None);
    }
    let found = find_map(args, &job)?;
    job.prefer(&found.map);
    let no_map = found.is_empty();
    if let Some(path) = &args.save_table {
        let launcher = args.launcher.or(match args.pids[..] {
            [only] if job.tasks.iter().all(|task| task.pid != only) => Some(only),
            _ => None,
        });
        files::write_atomically(path, job.table(launcher).to_text().as_bytes())?;
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
        if no_map {
            add_lines(&mut records, &job);
        }
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
        ..
    } = found;
    warnings.extend(lost);
    if let Some(path) = &args.save {
        files::write_atomically(path, snapshot::write(&seen.header, records).as_bytes())?;
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
    if let Some(why) = &none {
        answer.explain_no_map(why);
    }
    answer.warnings.append(&mut warnings);
    crate::advice::check(&mut answer, &SourceFinder::new(path.as_deref()));
    answer.advise(match args.cores.is_empty() {
        true => Origin::Live,
        false => Origin::Recorded,
    });
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
            let finder = SourceFinder::new(path.as_deref());
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
    let finder = SourceFinder::new(path.as_deref());
    finder.fill(&map, &mut answer, explanation.as_mut());
    if args.slice && args.job_slice.shape.slice_format.is_document() {
        crate::slice::of_answer(&map, &answer, &args.job_slice, &finder)?;
        return Ok(output::status_of(&answer));
    }
    output::print_answer_of(&answer, explanation.as_ref(), args.format, &finder)?;
    if args.tree.is_some() {
        output::print("\n")?;
        crate::tree::print(&tree_of(args, &map, seen), TreeFormat::Text, &args.shape, &[])?;
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
    let options = args.shape.options();
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
        let table = ProcessTable::parse(&files::read_text(path)?)
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

/// The map for the program that most tasks of the job run.
fn find_map(args: &FindArgs, job: &Job) -> anyhow::Result<JobMap> {
    map_of(args.map.as_deref(), job)
}

/// The map that was given, or else the one for the program that most tasks of the job run; none if there is none to be had.
///
/// # Errors
/// The map that was given does not fit.
pub(crate) fn map_of(given_map: Option<&Path>, job: &Job) -> anyhow::Result<JobMap> {
    let programs = programs(job);
    let mut first_error: Option<anyhow::Error> = None;
    for (path, tasks) in &programs {
        // Any task of the program will do, but the first may have ended by now.
        let executable = tasks
            .iter()
            .find_map(|task| Executable::of_process(task.pid, path).ok());
        let Some(executable) = executable else {
            let unread = tasks.first().map(|task| Executable::of_process(task.pid, path));
            first_error = first_error.or(unread.and_then(Result::err));
            continue;
        };
        let first = tasks.first().map(|task| task.pid);
        let build = Build::new(executable, move || first.map(libraries_of).unwrap_or_default());
        let found = match given_map {
            Some(given) => JobMap::given(given, &build),
            None => JobMap::found(&build, &further_roots(tasks)),
        };
        match found {
            Ok(found) => return Ok(found),
            // Of a job of several programs, the map may be of another; the most frequent one's error tells most.
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    if programs.is_empty() {
        return no_program(given_map, job);
    }
    let error = first_error.unwrap_or_else(|| Failure::new("no program of the job can be read").into());
    match given_map {
        Some(_) => Err(error),
        None => Ok(without_map(&error, &programs)),
    }
}

/// What can be known of a job without a map: the order of its code, if all tasks run one program.
fn without_map(why: &anyhow::Error, programs: &[(PathBuf, Vec<&TaskRef>)]) -> JobMap {
    let [(path, tasks)] = programs else {
        return JobMap::none(why);
    };
    let read = |task: &&TaskRef| Some((task.pid, Executable::of_process(task.pid, path).ok()?));
    let Some((pid, executable)) = tasks.iter().find_map(read) else {
        return JobMap::none(why);
    };
    let build = Build::new(executable, move || {
        let paths = runtime_probe::all_libraries_of(pid);
        // What a system brings along is not what a job hangs in, and its code is large.
        let is_of_system = |path: &Path| {
            ["/lib", "/lib64", "/usr/lib", "/usr/lib64"]
                .iter()
                .any(|root| path.starts_with(root))
        };
        let is_own =
            |path: &&PathBuf| !is_of_system(path) && !engine::is_runtime_library(&path.to_string_lossy());
        let own = paths.iter().filter(is_own);
        own.filter_map(|path| Executable::library_of_process(pid, path).ok())
            .collect()
    });
    JobMap::of_code(why, &build)
}

/// Adds lines from the debug info of what runs, as far as there is any.
pub(crate) fn add_lines(records: &mut [Task], job: &Job) {
    let is_named = |path: &str, name: &str| path.rsplit('/').next() == Some(name);
    symbolize::add_lines(records, &|name| {
        let runs = |task: &&TaskRef| {
            let path = task.executable.as_str();
            is_named(path.strip_suffix(" (deleted)").unwrap_or(path), name)
        };
        if let Some(task) = job.tasks.iter().find(runs) {
            return Executable::of_process(task.pid, Path::new(&task.executable)).ok();
        }
        let first = job.tasks.first()?;
        let libraries = runtime_probe::libraries_of(first.pid);
        let path = libraries
            .iter()
            .find(|path| is_named(&path.to_string_lossy(), name))?;
        Executable::library_of_process(first.pid, path).ok()
    });
}

/// The shared objects of a task that have debug info, as far as they can be read.
fn libraries_of(pid: u32) -> Vec<Executable> {
    let paths = runtime_probe::libraries_of(pid);
    let read = |path: &PathBuf| Executable::library_of_process(pid, path).ok();
    paths.iter().filter_map(read).collect()
}

/// No executable can be read: the probe knows why, task by task.
fn no_program(given_map: Option<&Path>, job: &Job) -> anyhow::Result<JobMap> {
    let map = match given_map {
        Some(path) => files::read_map(path)?,
        None => Map::default(),
    };
    Ok(JobMap {
        map,
        path: given_map.map(Path::to_owned),
        unbound: Vec::new(),
        none: None,
        warnings: vec![format!(
            "the executable of {} could not be read",
            match &job.tasks[..] {
                [only] => format!("pid {}", only.pid),
                _ => "no task".to_owned(),
            }
        )],
    })
}

/// The programs that the tasks run, most tasks first.
fn programs(job: &Job) -> Vec<(PathBuf, Vec<&TaskRef>)> {
    let mut by_path: BTreeMap<&str, Vec<&TaskRef>> = BTreeMap::new();
    for task in job.tasks.iter().filter(|task| !task.executable.is_empty()) {
        by_path.entry(&task.executable).or_default().push(task);
    }
    let mut programs: Vec<(PathBuf, Vec<&TaskRef>)> = by_path
        .into_iter()
        // The kernel marks a file that was replaced or removed since the process started.
        .map(|(path, tasks)| {
            (
                Path::new(path.strip_suffix(" (deleted)").unwrap_or(path)).to_owned(),
                tasks,
            )
        })
        .collect();
    programs.sort_by_key(|(_, tasks)| std::cmp::Reverse(tasks.len()));
    programs
}

/// Where a task would look for its sources: its working directory for relative paths, its own root in a container.
fn further_roots(tasks: &[&TaskRef]) -> Vec<PathBuf> {
    tasks
        .first()
        .map(|task| {
            ["cwd", "root"]
                .map(|link| PathBuf::from(format!("/proc/{}/{link}", task.pid)))
                .to_vec()
        })
        .unwrap_or_default()
}
