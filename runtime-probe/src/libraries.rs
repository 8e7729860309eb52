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

/// The same of processes that left cores, without whose they are.
pub fn libraries_of_cores(cores: &[&Core]) -> Vec<PathBuf> {
    let mut modules = Modules::default();
    let mut known = BTreeSet::new();
    let mut found = Vec::new();
    for core in cores {
        let space = modules.space_of_core(core);
        let executable = core.executable().unwrap_or_default();
        let paths = paths(&modules, &space, executable, |module| module.has_debug_info);
        found.extend(paths.into_iter().filter(|path| known.insert(path.clone())));
    }
    found
}

fn of_processes(pids: &[u32], is_wanted: fn(&Module) -> bool) -> Vec<(u32, PathBuf)> {
    let mut modules = Modules::default();
    let mut known = BTreeSet::new();
    let mut found = Vec::new();
    for &pid in pids {
        let executable = crate::procfs::executable(pid).unwrap_or_default();
        let Ok(space) = modules.space_of(pid) else {
            continue;
        };
        let paths = paths(&modules, &space, &executable.display().to_string(), is_wanted);
        let new = paths.into_iter().filter(|path| known.insert(path.clone()));
        found.extend(new.map(|path| (pid, path)));
    }
    found
}

/// The shared objects of an address space, in order of address.
fn paths(modules: &Modules, space: &Space, executable: &str, is_wanted: fn(&Module) -> bool) -> Vec<PathBuf> {
    let wanted = space.modules().map(|(module, _)| modules.get(module));
    let wanted = wanted.filter(|module| is_wanted(module) && module.path != executable);
    wanted.map(|module| PathBuf::from(&module.path)).collect()
}
