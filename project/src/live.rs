//! The map of a running job, and the lines of its stacks: its programs and libraries are read as its processes see them.

use crate::build::{Build, Libraries};
use crate::collect::Sight;
use crate::executable::Executable;
use crate::failure::Failure;
use crate::job_map::JobMap;
use crate::listener::Listener;
use crate::symbolize;
use engine::Map;
use regular_files::{Reader, User};
use runtime_probe::{Job, Library, TaskRef, path_as_mapped};
use snapshot::Task;
use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The map that was given, or else the one for the program that most tasks of the job run; none if there is none to be had.
///
/// # Errors
/// The map that was given does not fit.
pub fn map_of_job(given_map: Option<&Path>, job: &Job, listener: &dyn Listener) -> Result<JobMap, Failure> {
    let programs = programs(job);
    let reader = &reader_of(job);
    let mut first_error: Option<Failure> = None;
    for (at, (path, tasks)) in programs.iter().enumerate() {
        match map_of_program(given_map, (path.as_path(), tasks.as_slice()), reader, listener) {
            Ok(mut found) => {
                let others = programs.iter().enumerate().filter(|(other, _)| *other != at);
                for (_, (path, tasks)) in others.take(MOST_PROGRAMS) {
                    match map_of_program(None, (path.as_path(), tasks.as_slice()), reader, listener) {
                        Ok(other) => found.add(other),
                        Err(error) => found.warnings.push(without_own_map(path, &error)),
                    }
                }
                return Ok(found);
            }
            // Of a job of several programs, the map may be of another; the most frequent one's error tells most.
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    if programs.is_empty() {
        return no_program(given_map, job, reader);
    }
    let error = first_error.unwrap_or_else(|| Failure::new("no program of the job can be read"));
    let first = programs.first();
    let error = match first.and_then(|(path, tasks)| Some((path, interpreted(path)?, tasks))) {
        Some((path, language, tasks)) => of_interpreter(path, language, tasks),
        None => error,
    };
    match given_map {
        Some(_) => Err(error),
        None => Ok(without_map(&error, (&programs, reader), listener)),
    }
}

/// Maps of so many further programs are looked for: a job of more has a program for each rank, say one that the rank has built.
const MOST_PROGRAMS: usize = 8;

/// That the tasks of one program of several have no map.
fn without_own_map(program: &Path, why: &Failure) -> String {
    format!(
        "there is no map of {} ({why}): the order among the tasks that run it is not known",
        program.display()
    )
}

/// The map of one program of a job.
fn map_of_program(
    given_map: Option<&Path>,
    (path, tasks): (&Path, &[&TaskRef]),
    reader: &Reader,
    listener: &dyn Listener,
) -> Result<JobMap, Failure> {
    // Any task of the program will do, but the first may have ended by now.
    let mut error = None;
    for task in tasks {
        match Executable::of_process(task.pid, path, reader) {
            Ok(executable) => {
                let libraries = || read_libraries(&runtime_probe::libraries_of(&pids_of(tasks)), reader);
                let build = Build::new(executable, libraries, reader);
                let found = match given_map {
                    Some(given) => JobMap::given(given, &build),
                    None => JobMap::found(&build, Some(&sight_of(task)), listener),
                };
                return found.map(|found| found.with_warnings_of(&build));
            }
            Err(failure) => error = error.or(Some(failure)),
        }
    }
    Err(error.unwrap_or_else(|| Failure::new(format!("no task runs {}", path.display()))))
}

/// Adds the maps of further programs, which tasks run on other hosts; of those that are here, too.
pub fn add_programs(found: &mut JobMap, programs: &[PathBuf], user: Option<User>, listener: &dyn Listener) {
    let reader = &user.map_or_else(Reader::default, |user| Reader::of([user]));
    for path in programs.iter().take(MOST_PROGRAMS) {
        let other = Executable::read_by(reader, path)
            .and_then(|executable| JobMap::found(&Build::alone(executable, reader), None, listener));
        match other {
            Ok(other) => found.add(other),
            Err(error) => found.warnings.push(without_own_map(path, &error)),
        }
    }
}

/// The map of a job none of whose tasks run on this host: that of the first of its `programs` that is here, too, and has one. The probes hold it against what runs where they are.
/// `user` is whose the job is, if that is known: with his rights the program is read, and what it names.
///
/// # Errors
/// The map that was given does not fit.
pub fn map_of_programs(
    given_map: Option<&Path>,
    programs: &[PathBuf],
    user: Option<User>,
    listener: &dyn Listener,
) -> Result<JobMap, Failure> {
    let reader = &user
        .clone()
        .map_or_else(Reader::default, |user| Reader::of([user]));
    let mut first = None;
    for (at, path) in programs.iter().enumerate() {
        let Ok(executable) = Executable::read_by(reader, path) else {
            continue;
        };
        let build = Build::alone(executable, reader);
        let found = match given_map {
            Some(given) => JobMap::given(given, &build),
            None => JobMap::found(&build, None, listener),
        };
        match found {
            Ok(mut found) => {
                let others = programs.iter().enumerate().filter(|(other, _)| *other != at);
                let others = Vec::from_iter(others.map(|(_, path)| path.clone()));
                add_programs(&mut found, &others, user, listener);
                return Ok(found);
            }
            Err(error) => first = first.or(Some((error, build))),
        }
    }
    match (first, given_map) {
        (Some((error, _)), Some(_)) => Err(error),
        (Some((error, build)), None) => Ok(JobMap::of_code(&error, &build, listener)),
        (None, Some(given)) => JobMap::unchecked(given, reader),
        (None, None) => {
            let names = Vec::from_iter(programs.iter().map(|path| path.display().to_string()));
            let why = Failure::new(format!("{} cannot be read on this host", names.join(", "))).hint(
                "give the program's map with --map, made where it was built: hindmost map --exe PROGRAM",
            );
            Ok(JobMap::none(&why, reader))
        }
    }
}

/// The language of the programs that an executable interprets, by its name.
fn interpreted(executable: &Path) -> Option<&'static str> {
    const LANGUAGES: [(&str, &str); 6] = [
        ("python", "Python"),
        ("julia", "Julia"),
        ("Rterm", "R"),
        ("perl", "Perl"),
        ("octave", "Octave"),
        ("ruby", "Ruby"),
    ];
    let name = executable.file_name()?.to_str()?;
    let starts = |&&(start, _): &&(&str, &str)| name.starts_with(start);
    LANGUAGES.iter().find(starts).map(|&(_, language)| language)
}

/// A debug build of an interpreter would tell nothing of the program that it runs.
fn of_interpreter(path: &Path, language: &str, tasks: &[&TaskRef]) -> Failure {
    let failure = Failure::new(format!(
        "{} runs a program in {language}, and maps are made of C and C++",
        path.display()
    ));
    let is_there = |tool: &str| {
        std::env::var_os("PATH")
            .is_some_and(|all| std::env::split_paths(&all).any(|path| path.join(tool).is_file()))
    };
    match tasks.first() {
        Some(first) if language == "Python" && is_there("py-spy") => failure.hint(format!(
            "`py-spy dump --pid {}` shows the lines of the program itself",
            first.pid
        )),
        _ => failure,
    }
}

/// What can be known of a job without a map: the order of its code, if all tasks run one program.
fn without_map(
    why: &Failure,
    (programs, reader): (&[(PathBuf, Vec<&TaskRef>)], &Reader),
    listener: &dyn Listener,
) -> JobMap {
    let [(path, tasks)] = programs else {
        return JobMap::none(why, reader);
    };
    let read = |task: &&TaskRef| Executable::of_process(task.pid, path, reader).ok();
    let Some(executable) = tasks.iter().find_map(read) else {
        return JobMap::none(why, reader);
    };
    let libraries = || {
        // What a system brings along is not what a job hangs in, and its code is large.
        let is_of_system = |path: &Path| {
            ["/lib", "/lib64", "/usr/lib", "/usr/lib64"]
                .iter()
                .any(|root| path.starts_with(root))
        };
        let is_own =
            |path: &Path| !is_of_system(path) && !engine::is_runtime_library(&path.to_string_lossy());
        let mut libraries = runtime_probe::all_libraries_of(&pids_of(tasks));
        libraries.retain(|library| is_own(&library.path));
        read_libraries(&libraries, reader)
    };
    let build = Build::new(executable, libraries, reader);
    JobMap::of_code(why, &build, listener).with_warnings_of(&build)
}

/// Adds lines from the debug info of what runs, as far as there is any.
pub(crate) fn add_lines_of_job(records: &mut [Task], job: &Job) {
    let reader = &reader_of(job);
    let is_named = |path: &str, name: &str| base::last_component(path) == name;
    let all = Vec::from_iter(job.tasks.iter().map(|task| task.pid));
    let libraries = LazyCell::new(move || runtime_probe::libraries_of(&all));
    symbolize::add_lines(records, &|name| {
        let runs = |task: &&TaskRef| is_named(path_as_mapped(&task.executable), name);
        if let Some(task) = job.tasks.iter().find(runs) {
            return Executable::of_process(task.pid, Path::new(&task.executable), reader).ok();
        }
        let library = libraries
            .iter()
            .find(|library| is_named(&library.path.to_string_lossy(), name))?;
        Executable::library_of_process(library, reader).ok()
    });
}

/// Shared objects of tasks, as far as they can be read.
fn read_libraries(found: &[Library], reader: &Reader) -> Libraries {
    let read = |library| Executable::library_of_process(library, reader);
    found.iter().map(read).collect()
}

fn pids_of(tasks: &[&TaskRef]) -> Vec<u32> {
    tasks.iter().map(|task| task.pid).collect()
}

/// No executable can be read: the probe knows why, task by task.
fn no_program(given_map: Option<&Path>, job: &Job, reader: &Reader) -> Result<JobMap, Failure> {
    let mut found = match given_map {
        Some(path) => JobMap::unchecked(path, reader)?,
        None => JobMap {
            map: Map::default(),
            used: None,
            path: None,
            file: None,
            unbound: Vec::new(),
            others: Vec::new(),
            none: None,
            reader: reader.clone(),
            compiled: engine::CompiledUnits::default(),
            warnings: Vec::new(),
        },
    };
    found.warnings.push(format!(
        "the executable of {} could not be read",
        match &job.tasks[..] {
            [only] => format!("pid {}", only.pid),
            _ => "no task".to_owned(),
        }
    ));
    Ok(found)
}

/// With whose rights files are read that the tasks name. They may all have ended by now, and their numbers be those of others.
fn reader_of(job: &Job) -> Reader {
    let users = Vec::from_iter(job.tasks.iter().filter_map(TaskRef::user));
    if users.is_empty() {
        Reader::of_nobody()
    } else {
        Reader::of(users)
    }
}

/// The programs that the tasks run, most tasks first.
fn programs(job: &Job) -> Vec<(PathBuf, Vec<&TaskRef>)> {
    let mut by_path: BTreeMap<&str, Vec<&TaskRef>> = BTreeMap::new();
    for task in job.tasks.iter().filter(|task| !task.executable.is_empty()) {
        by_path.entry(&task.executable).or_default().push(task);
    }
    let mut programs: Vec<(PathBuf, Vec<&TaskRef>)> = by_path
        .into_iter()
        .map(|(path, tasks)| (PathBuf::from(path_as_mapped(path)), tasks))
        .collect();
    programs.sort_by_key(|(_, tasks)| std::cmp::Reverse(tasks.len()));
    programs
}

/// By what a task sees its sources.
fn sight_of(task: &TaskRef) -> Sight {
    let of_task = |link: &str| PathBuf::from(format!("/proc/{}/{link}", task.pid));
    let namespace = |path: &Path| std::fs::read_link(path).ok();
    let inode = |path: &Path| std::fs::metadata(path).map(|root| (root.dev(), root.ino())).ok();
    let root = of_task("root");
    // A container need not have a root of its own: files may be mounted over others.
    let is_ours = namespace(&of_task("ns/mnt")) == namespace(Path::new("/proc/self/ns/mnt"))
        && inode(&root) == inode(Path::new("/"));
    Sight {
        root: (!is_ours).then_some(root),
        directory: of_task("cwd"),
    }
}
