//! The shared objects of a job that a map can be made of. Ranks of one program may have loaded different ones: a plugin that only some use.

use crate::core_file::Core;
use crate::elf::Module;
use crate::modules::{Modules, Space};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The shared objects that processes run with and that carry debug info themselves, by their paths as the processes see them, each with the first process
/// that has it; those of the first process come first, in order of address. A process that cannot be looked at has none.
pub fn libraries_of(pids: &[u32]) -> Vec<(u32, PathBuf)> {
    of_processes(pids, |module| module.has_debug_info)
}

/// All shared objects that processes run with. Otherwise as [`libraries_of`].
pub fn all_libraries_of(pids: &[u32]) -> Vec<(u32, PathBuf)> {
    of_processes(pids, |_| true)
}

/// The paths of those that [`libraries_of`] gives, of processes that left cores.
pub fn libraries_of_cores(cores: &[&Core]) -> Vec<PathBuf> {
    let mut modules = Modules::default();
    let all = cores.iter().flat_map(|core| {
        let space = modules.space_of_core(core);
        let executable = core.executable().unwrap_or_default();
        let paths = paths(&modules, &space, executable, |module| module.has_debug_info);
        paths.into_iter().map(|path| ((), path))
    });
    each_once(all).into_iter().map(|((), path)| path).collect()
}

fn of_processes(pids: &[u32], is_wanted: fn(&Module) -> bool) -> Vec<(u32, PathBuf)> {
    let mut modules = Modules::default();
    each_once(pids.iter().flat_map(|&pid| {
        let executable = crate::procfs::executable(pid).unwrap_or_default();
        let space = modules.space_of(pid).unwrap_or_default();
        let paths = paths(&modules, &space, &executable.display().to_string(), is_wanted);
        paths.into_iter().map(move |path| (pid, path))
    }))
}

/// Each path with the first that has it.
fn each_once<T>(all: impl Iterator<Item = (T, PathBuf)>) -> Vec<(T, PathBuf)> {
    let mut known = BTreeSet::new();
    all.filter(|(_, path)| known.insert(path.clone())).collect()
}

/// The shared objects of an address space, in order of address.
fn paths(modules: &Modules, space: &Space, executable: &str, is_wanted: fn(&Module) -> bool) -> Vec<PathBuf> {
    let wanted = space.modules().map(|(module, _)| modules.get(module));
    let wanted = wanted.filter(|module| is_wanted(module) && module.path != executable);
    wanted.map(|module| PathBuf::from(&module.path)).collect()
}
