//! The shared objects of a job that a map can be made of. Ranks of one program may have loaded different ones: a plugin that only some use.

use crate::core_file::Core;
use crate::elf::Module;
use crate::modules::{Modules, Space};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// A shared object that a process has mapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Library {
    /// The process.
    pub pid: u32,
    /// Its path as that process sees it.
    pub path: PathBuf,
    /// The kernel's own link to what runs, where the file has been replaced or removed since: the path leads to another one, or to none. Only root may follow it.
    pub replaced: Option<PathBuf>,
}

/// The shared objects that processes run with and that carry debug info themselves, each with the first process
/// that has it; those of the first process come first, in order of address. A process that cannot be looked at has none.
pub fn libraries_of(pids: &[u32]) -> Vec<Library> {
    of_processes(pids, |module| module.has_debug_info)
}

/// All shared objects that processes run with. Otherwise as [`libraries_of`].
pub fn all_libraries_of(pids: &[u32]) -> Vec<Library> {
    of_processes(pids, |_| true)
}

/// The paths of those that [`libraries_of`] gives, of processes that left cores.
pub fn libraries_of_cores(cores: &[&Core]) -> Vec<PathBuf> {
    let mut modules = Modules::default();
    let mut known = BTreeSet::new();
    let mut all = Vec::new();
    for core in cores {
        let space = modules.space_of_core(core);
        let executable = core.executable().unwrap_or_default();
        let found = wanted(&modules, &space, executable, |module| module.has_debug_info);
        let paths = found.map(|(path, _)| PathBuf::from(path));
        all.extend(paths.filter(|path| known.insert(path.clone())));
    }
    all
}

fn of_processes(pids: &[u32], is_wanted: fn(&Module) -> bool) -> Vec<Library> {
    let mut modules = Modules::default();
    let mut known = BTreeSet::new();
    let mut all = Vec::new();
    for &pid in pids {
        let executable = crate::procfs::executable(pid).unwrap_or_default();
        let space = modules.space_of(pid).unwrap_or_default();
        for (path, (start, end)) in wanted(&modules, &space, &executable.display().to_string(), is_wanted) {
            if known.insert(path.to_owned()) {
                // The kernel marks a file that was replaced or removed since it was mapped.
                let own = path.strip_suffix(" (deleted)");
                let link = || PathBuf::from(format!("/proc/{pid}/map_files/{start:x}-{end:x}"));
                all.push(Library {
                    pid,
                    path: PathBuf::from(own.unwrap_or(path)),
                    replaced: own.map(|_| link()),
                });
            }
        }
    }
    all
}

/// The shared objects of an address space with where their code is mapped, in order of address.
fn wanted<'a>(
    modules: &'a Modules,
    space: &'a Space,
    executable: &'a str,
    is_wanted: fn(&Module) -> bool,
) -> impl Iterator<Item = (&'a str, (u64, u64))> {
    let all = space.mapped().map(|(module, range)| (modules.get(module), range));
    all.filter(move |(module, _)| is_wanted(module) && module.path != executable)
        .map(|(module, range)| (module.path.as_str(), range))
}
