//! Whether a map fits the program that runs.

use crate::elf::Module;
use crate::locate::Locator;
use crate::modules::{ModuleId, Modules, Space};
use progress_map::{Binding, Map};

/// A module of a task that the map is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bound {
    pub(crate) module: ModuleId,
    /// What is added to its linked addresses.
    pub(crate) bias: u64,
    /// Which of [`Map::bindings`] describes it.
    pub(crate) binding: usize,
}

/// What of a map fits a task.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fit {
    pub(crate) bound: Vec<Bound>,
    /// What does not, and what to do.
    pub(crate) problem: Option<String>,
}

impl Fit {
    /// The modules, each with its locator out of those of all bindings.
    pub(crate) fn locators<'a>(&self, all: &'a [Locator<'a>]) -> Vec<(ModuleId, &'a Locator<'a>)> {
        let of = |bound: &Bound| Some((bound.module, all.get(bound.binding)?));
        self.bound.iter().filter_map(of).collect()
    }
}

/// The modules that the map is bound to. A library that is not loaded is no problem: it may be by and by.
pub(crate) fn fit(executable: &str, modules: &Modules, space: &Space, map: &Map) -> Fit {
    let again = format!(
        "map this build again with `hindmost map --exe {}`",
        base::shell_word(executable)
    );
    // Who gives no map at all wants stacks with names alone.
    if map.binding.is_none() && map.functions.is_empty() {
        return Fit::default();
    }
    if map.binding.is_none() {
        let problem = format!("the map is not bound to a build: {again}");
        return Fit {
            problem: Some(problem),
            ..Fit::default()
        };
    }
    let mut fit = Fit::default();
    let mut problems = Vec::new();
    for (index, binding) in map.bindings().enumerate() {
        // Usually the first is the executable, but it may have been started through the dynamic loader, and a map may be
        // bound to a shared object of the job alone.
        let found = space
            .modules()
            .find(|&(module, _)| fits(binding, modules.get(module)));
        match found {
            Some((module, bias)) => fit.bound.push(Bound {
                module,
                bias,
                binding: index,
            }),
            None if index == 0 => problems.push(no_program(executable, modules, space, binding, &again)),
            None => problems.extend(other_library(modules, space, binding, &again)),
        }
    }
    fit.problem = (!problems.is_empty()).then(|| problems.join("; "));
    fit
}

fn fits(binding: &Binding, module: &Module) -> bool {
    if binding.build_id.is_empty() || module.build_id().is_empty() {
        module.text_hash() == Some(binding.text_hash)
    } else {
        // Whoever sets the build-id by hand gives different builds the same one: the code has to be the same as well, where it can be
        // found.
        module.build_id() == binding.build_id
            && module.text_hash().is_none_or(|hash| hash == binding.text_hash)
    }
}

/// Why the program is not the one that the map is bound to.
fn no_program(executable: &str, modules: &Modules, space: &Space, binding: &Binding, again: &str) -> String {
    let main = space
        .modules()
        .find(|&(module, _)| modules.get(module).path == executable);
    let Some((module, _)) = main else {
        let why = space.unreadable().next().unwrap_or("it is not mapped");
        return format!("the executable {executable} could not be checked against the map: {why}");
    };
    let found = modules.get(module);
    let name = |path: &str| base::last_component(path).to_owned();
    if name(executable) != name(&binding.executable) {
        return format!(
            "it runs {}, and the map is of {}: nothing but MPI orders tasks of different programs",
            name(executable),
            name(&binding.executable)
        );
    }
    match (found.build_id(), binding.build_id.as_slice()) {
        ([], []) => format!(
            "the code of {executable} is not that of {}, to which the map is bound (neither has a build-id, and \
             their .text differs): {again}",
            binding.executable
        ),
        (found, mapped) if found == mapped => format!(
            "the code of {executable} is not that of {}, to which the map is bound, although both have {} (it was set by \
             hand): {again}",
            binding.executable,
            build_id_text(found)
        ),
        (found, mapped) => format!(
            "{executable} has {}, but the map is bound to {} ({}): {again}",
            build_id_text(found),
            build_id_text(mapped),
            binding.executable
        ),
    }
}

/// That a library of the name is another build.
fn other_library(modules: &Modules, space: &Space, binding: &Binding, again: &str) -> Option<String> {
    let name = binding.executable.rsplit('/').next()?;
    let mut loaded = space.modules().map(|(module, _)| modules.get(module));
    let found = loaded.find(|module| module.name() == name)?;
    Some(format!(
        "{} has {}, but the map is bound to {} ({}): {again}",
        found.path,
        build_id_text(found.build_id()),
        build_id_text(&binding.build_id),
        binding.executable
    ))
}

fn build_id_text(id: &[u8]) -> String {
    if id.is_empty() {
        return "no build-id".to_owned();
    }
    let hex: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("build-id {hex}")
}
