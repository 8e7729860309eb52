//! A job that has left core files: the map of its program, the lines of its stacks, and how it ended.

use crate::build::Build;
use crate::cache;
use crate::executable::Executable;
use crate::failure::Failure;
use crate::job_map::JobMap;
use crate::listener::Listener;
use crate::symbolize;
use base::RankSet;
use regular_files::Reader;
use runtime_probe::{Core, libraries_of_cores, path_as_mapped};
use snapshot::Task;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Which signals the processes took, one line for each: the one that another rank's crash sent to all others is
/// told from the crash. That they ended by it is not said: a debugger writes cores of processes that go on.
pub fn signals_of_cores(cores: &[Core]) -> Vec<String> {
    let mut by_signal: BTreeMap<(u16, bool), Vec<&Core>> = BTreeMap::new();
    for core in cores {
        if let Some((signal, thread)) = core.signal() {
            by_signal
                .entry((signal, thread.is_some()))
                .or_default()
                .push(core);
        }
    }
    let line = |((signal, in_worker), cores): ((u16, bool), Vec<&Core>)| {
        let ranks: RankSet = cores.iter().filter_map(|core| core.rank()).collect();
        let mut who: Vec<String> = match ranks.len() {
            0 => Vec::new(),
            1 => vec![format!("rank {ranks}")],
            _ => vec![format!("ranks {ranks}")],
        };
        let nameless = cores.iter().filter(|core| core.rank().is_none());
        who.extend(nameless.map(|core| core.path().display().to_string()));
        let whose = if in_worker {
            ", in another thread than the main one"
        } else {
            ""
        };
        format!("{} took {}{whose}", who.join(", "), signal_name(signal))
    };
    by_signal.into_iter().map(line).collect()
}

/// The name of a signal on Linux.
fn signal_name(signal: u16) -> String {
    const NAMES: [&str; 31] = [
        "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE",
        "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ",
        "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
    ];
    match signal.checked_sub(1).and_then(|at| NAMES.get(usize::from(at))) {
        Some(name) => format!("SIG{name}"),
        None => format!("signal {signal}"),
    }
}

/// The ranks that left no core.
pub fn ranks_without_core(cores: &[Core]) -> RankSet {
    let Some(size) = cores.iter().find_map(Core::job_size) else {
        return RankSet::default();
    };
    let present: BTreeSet<u32> = cores.iter().filter_map(Core::rank).collect();
    (0..size).filter(|rank| !present.contains(rank)).collect()
}

/// The map for the program that most of the cores are of.
pub fn map_of_cores(
    given: Option<&Path>,
    cores: &[Core],
    listener: &dyn Listener,
) -> Result<JobMap, Failure> {
    let mut by_path: BTreeMap<&str, Vec<&Core>> = BTreeMap::new();
    for core in cores {
        if let Some(path) = core.executable() {
            by_path.entry(path).or_default().push(core);
        }
    }
    let mut programs: Vec<_> = by_path.into_iter().collect();
    programs.sort_by_key(|(_, cores)| std::cmp::Reverse(cores.len()));
    let mut first_error = None;
    for (path, cores) in programs {
        match map_for(given, path, &cores, listener) {
            Ok(found) => return Ok(found),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    let error = first_error.unwrap_or_else(|| Failure::new("no core names the program that left it"));
    match given {
        Some(_) => Err(error),
        None => Ok(JobMap::none(&error, &reader_of(cores))),
    }
}

/// Adds lines from the debug info of the programs that left the cores, as far as these builds are still here.
pub fn add_lines_of_cores(records: &mut [Task], cores: &[Core]) {
    let reader = reader_of(cores);
    symbolize::add_lines(records, &|name| {
        let of_name = |core: &&Core| {
            let path = core.executable().map(Path::new);
            path.and_then(Path::file_name).is_some_and(|last| last == name)
        };
        let core = cores.iter().find(of_name)?;
        let executable = Executable::read_by(&reader, Path::new(core.executable()?)).ok()?;
        let is_the_same = core.executable_build_id().as_deref() == Some(&executable.identity.build_id[..]);
        is_the_same.then_some(executable)
    });
}

/// A core belongs to the user of its process, and names files as that process did.
fn reader_of<'c>(cores: impl IntoIterator<Item = &'c Core>) -> Reader {
    Reader::of_owners(cores.into_iter().map(Core::path))
}

fn map_for(
    given: Option<&Path>,
    path: &str,
    cores: &[&Core],
    listener: &dyn Listener,
) -> Result<JobMap, Failure> {
    let path = Path::new(path_as_mapped(path));
    let reader = &reader_of(cores.iter().copied());
    let executable = Executable::read_by(reader, path)?;
    let is_another = |core: &&Core| match core.executable_build_id() {
        Some(build_id) => build_id != executable.identity.build_id,
        // A program that is newer than its core did not leave it.
        None => executable.modified > cache::modified(core.path()),
    };
    if cores.iter().all(is_another) {
        let failure = Failure::new(format!(
            "{} is no longer the program that left {}: it was built again",
            path.display(),
            cores
                .first()
                .map_or_else(Default::default, |core| core.path().display().to_string())
        ));
        return Err(failure
            .hint("the code of a program is not in its core: put the build that ran back in its place"));
    }
    let libraries = || {
        let paths = libraries_of_cores(cores);
        let read = |path: &PathBuf| Executable::read_by(reader, path);
        paths.iter().map(read).collect()
    };
    let build = Build::new(executable, libraries, reader);
    let found = match given {
        Some(given) => JobMap::given(given, &build),
        None => JobMap::found(&build, None, listener),
    };
    found.map(|found| found.with_warnings_of(&build))
}
