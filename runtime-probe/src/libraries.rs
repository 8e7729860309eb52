//! The shared objects of a process that a map can be made of.

use crate::core_file::Core;
use crate::elf::Module;
use crate::modules::{Modules, Space};
use std::path::PathBuf;

/// The shared objects that a process runs with and that carry debug info themselves, by their paths as the process sees
/// them, in order of address. Empty when the process cannot be looked at.
pub fn libraries_of(pid: u32) -> Vec<PathBuf> {
    let executable = crate::procfs::executable(pid).unwrap_or_default();
    let mut modules = Modules::default();
    match modules.space_of(pid) {
        Ok(space) => described(&modules, &space, &executable.display().to_string()),
        Err(_) => Vec::new(),
    }
}

/// All shared objects that a process runs with. Otherwise as [`libraries_of`].
pub fn all_libraries_of(pid: u32) -> Vec<PathBuf> {
    let executable = crate::procfs::executable(pid).unwrap_or_default();
    let mut modules = Modules::default();
    match modules.space_of(pid) {
        Ok(space) => paths(&modules, &space, &executable.display().to_string(), |_| true),
        Err(_) => Vec::new(),
    }
}

/// The same of a process that left a core.
pub fn libraries_of_core(core: &Core) -> Vec<PathBuf> {
    let mut modules = Modules::default();
    let space = modules.space_of_core(core);
    described(&modules, &space, core.executable().unwrap_or_default())
}

fn described(modules: &Modules, space: &Space, executable: &str) -> Vec<PathBuf> {
    paths(modules, space, executable, |module| module.has_debug_info)
}

fn paths(modules: &Modules, space: &Space, executable: &str, is_wanted: fn(&Module) -> bool) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for (module, _) in space.modules() {
        let module = modules.get(module);
        let path = PathBuf::from(&module.path);
        if is_wanted(module) && module.path != executable && !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}
