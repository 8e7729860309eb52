//! The shared objects of a job that a map can be made of. Ranks of one program may have loaded different ones: a plugin that only some use.

use crate::core_file::Core;
use crate::elf::Module;
use crate::modules::{Modules, Space};
use crate::procfs::{path_as_mapped, path_before_replaced};
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
    let all = cores.iter().flat_map(|core| {
        let space = modules.space_of_core(core);
        let executable = core.executable().unwrap_or_default();
        let found = wanted(&modules, &space, executable, |module| module.has_debug_info);
        Vec::from_iter(found.map(|(path, _)| PathBuf::from(path)))
    });
    each_once(all, PathBuf::clone)
}

fn of_processes(pids: &[u32], is_wanted: fn(&Module) -> bool) -> Vec<Library> {
    let mut modules = Modules::default();
    let all = pids.iter().flat_map(|&pid| {
        let executable = crate::procfs::executable(pid).unwrap_or_default();
        let executable = executable.display().to_string();
        let space = modules.space_of(pid).unwrap_or_default();
        let found = wanted(&modules, &space, &executable, is_wanted);
        Vec::from_iter(found.map(|(path, (start, end))| {
            Library {
                pid,
                path: PathBuf::from(path_as_mapped(path)),
                replaced: path_before_replaced(path)
                    .map(|_| PathBuf::from(format!("/proc/{pid}/map_files/{start:x}-{end:x}"))),
            }
        }))
    });
    // One path may be that of what some processes run, and that of what others run no longer.
    each_once(all, |library| (library.path.clone(), library.replaced.is_some()))
}

/// Of those with the same key the first.
fn each_once<T, K: Ord>(all: impl Iterator<Item = T>, key: impl Fn(&T) -> K) -> Vec<T> {
    let mut known = BTreeSet::new();
    all.filter(|each| known.insert(key(each))).collect()
}

/// The shared objects of an address space that are its own with where their code is mapped, in order of address.
fn wanted<'a>(
    modules: &'a Modules,
    space: &'a Space,
    executable: &'a str,
    is_wanted: fn(&Module) -> bool,
) -> impl Iterator<Item = (&'a str, (u64, u64))> {
    let all = space.mapped().map(|(module, range)| (modules.get(module), range));
    // A job hangs in nothing that we have put into its processes.
    all.filter(move |(module, _)| is_wanted(module) && module.path != executable && !module.is_preload())
        .map(|(module, range)| (module.path.as_str(), range))
}
