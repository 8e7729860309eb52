//! Stacks of tools that do not say how exact a line is.
//!
//! Where a task is inside a call, its line is that of the call. A task that computes in optimised code may be told any
//! line near by; hindmost's own probe marks such frames, others do not.

use progress_map::Map;
use snapshot::{Frames, Task};
use std::collections::BTreeSet;

/// Marks the innermost frames of functions that the map's build has optimised: their lines order nothing.
pub fn distrust_innermost_lines<'t>(map: &Map, tasks: impl IntoIterator<Item = &'t mut Task>) {
    let functions = map.bindings().flat_map(|binding| {
        let compiled = binding.functions.iter().filter(|function| function.optimised);
        let inlined = binding.inlines.iter().filter_map(|inline| inline.function);
        compiled.filter_map(|function| function.function).chain(inlined)
    });
    let optimised: BTreeSet<&str> = functions.map(|id| map.functions[id].name.as_str()).collect();
    let distrust = |frames: &mut Frames| {
        let last = frames.last().filter(|last| !last.inexact);
        if last.is_some_and(|last| optimised.contains(last.function.as_str())) {
            frames.edit(|frames| frames.last_mut().into_iter().for_each(|last| last.inexact = true));
        }
    };
    for task in tasks {
        distrust(&mut task.frames);
        task.threads
            .iter_mut()
            .for_each(|thread| distrust(&mut thread.frames));
    }
}
