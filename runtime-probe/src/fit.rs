//! Whether a map fits the program that runs.

use crate::modules::{ModuleId, Modules, Space};
use progress_map::Map;

/// The module that the map is bound to, with its bias; or why there is none, and what to do.
pub(crate) fn bound_module(
    executable: &str,
    modules: &Modules,
    space: &Space,
    map: &Map,
) -> Result<(ModuleId, u64), String> {
    let again = format!("map this build again with `hindmost map --exe {executable}`");
    let Some(binding) = &map.binding else {
        return Err(format!("the map is not bound to a build: {again}"));
    };
    let fits = |module: ModuleId| {
        let module = modules.get(module);
        if binding.build_id.is_empty() || module.build_id().is_empty() {
            module.text_hash() == Some(binding.text_hash)
        } else {
            module.build_id() == binding.build_id
        }
    };
    // Usually the executable, but it may have been started through the dynamic loader, and a map may be bound to a
    // shared object of the job as well.
    if let Some(found) = space.modules().find(|&(module, _)| fits(module)) {
        return Ok(found);
    }
    let main = space
        .modules()
        .find(|&(module, _)| modules.get(module).path == executable);
    let Some((module, _)) = main else {
        let why = space.unreadable().next().unwrap_or("it is not mapped");
        return Err(format!(
            "the executable {executable} could not be checked against the map: {why}"
        ));
    };
    let found = modules.get(module);
    Err(match (found.build_id(), binding.build_id.as_slice()) {
        ([], []) => format!(
            "the code of {executable} is not that of {}, to which the map is bound (neither has a build-id, and \
             their .text differs): {again}",
            binding.executable
        ),
        (found, mapped) => format!(
            "{executable} has {}, but the map is bound to {} ({}): {again}",
            build_id_text(found),
            build_id_text(mapped),
            binding.executable
        ),
    })
}

fn build_id_text(id: &[u8]) -> String {
    if id.is_empty() {
        return "no build-id".to_owned();
    }
    let hex: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("build-id {hex}")
}
