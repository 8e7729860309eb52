//! Functions and lines for stacks of which no map knows anything, from the debug info of what runs.
//!
//! Without the sources there is no order, but a line tells a reader where to look all the same.

use crate::executable::Executable;
use engine::CodeLine;
use snapshot::{Frame, Task};
use std::collections::{BTreeMap, BTreeSet};

/// Gives the frames of the tasks the lines that debug info has for them, and the frames that were inlined. `module` finds a module by the
/// name that frames have.
pub(crate) fn add_lines(tasks: &mut [Task], module: &dyn Fn(&str) -> Option<Executable>) {
    let mut wanted: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    for frames in tasks.iter().flat_map(stacks) {
        for (index, frame) in frames.iter().enumerate() {
            if let (Some(name), Some(address)) = (nameless_module(frame), looked_up(frames, index)) {
                wanted.entry(name.to_owned()).or_default().insert(address);
            }
        }
    }
    let mut found: BTreeMap<(String, u64), Vec<CodeLine>> = BTreeMap::new();
    for (name, addresses) in wanted {
        let Some(executable) = module(&name) else { continue };
        let addresses = Vec::from_iter(addresses);
        let lines = executable.code_lines(&addresses);
        found.extend(
            addresses
                .into_iter()
                .map(|address| (name.clone(), address))
                .zip(lines),
        );
    }
    if found.values().all(Vec::is_empty) {
        return;
    }
    for task in tasks {
        task.frames.edit(|frames| *frames = with_lines(frames, &found));
        for thread in &mut task.threads {
            thread.frames.edit(|frames| *frames = with_lines(frames, &found));
        }
    }
}

fn stacks(task: &Task) -> impl Iterator<Item = &[Frame]> {
    let threads = task.threads.iter().map(|thread| &thread.frames[..]);
    std::iter::once(&task.frames[..]).chain(threads)
}

/// The module of a frame that has no line yet, if lines of it would tell a reader something.
fn nameless_module(frame: &Frame) -> Option<&str> {
    let module = frame.module.as_deref()?;
    (frame.line.is_none() && !engine::is_runtime_library(module)).then_some(module)
}

/// The address that a frame is looked up by: in front of where a call returns to.
fn looked_up(frames: &[Frame], index: usize) -> Option<u64> {
    let pc = frames[index].pc?;
    let below = frames.get(index + 1);
    let interrupted = below.is_none_or(|below| below.function == "<signal handler called>");
    Some(if interrupted { pc } else { pc.saturating_sub(1) })
}

fn with_lines(frames: &[Frame], found: &BTreeMap<(String, u64), Vec<CodeLine>>) -> Vec<Frame> {
    let mut all = Vec::new();
    for (index, frame) in frames.iter().enumerate() {
        let key = nameless_module(frame)
            .map(str::to_owned)
            .zip(looked_up(frames, index));
        let chain = key.and_then(|key| found.get(&key)).map_or(&[][..], Vec::as_slice);
        if chain.is_empty() {
            all.push(frame.clone());
            continue;
        }
        for (depth, line) in chain.iter().enumerate() {
            let mut each = frame.clone();
            // The symbol of what was compiled on its own is as good a name, and without the marks of C++.
            if depth > 0 || matches!(frame.function.as_str(), "" | "??") {
                each.function = line.function.clone().unwrap_or_else(|| "??".to_owned());
            }
            each.file.clone_from(&line.file);
            each.line = line.line;
            each.column = line.column;
            each.inlined = depth > 0;
            all.push(each);
        }
    }
    all
}
