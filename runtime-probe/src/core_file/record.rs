//! From cores to the records of a snapshot.

use super::file::Core;
use super::notes::Thread;
use crate::evaluate::Unknown;
use crate::fit;
use crate::frames::Builder;
use crate::locate::Locator;
use crate::modules::Modules;
use crate::unwind::unwind;
use progress_map::Map;
use snapshot::{Frames, Task};
use std::collections::BTreeMap;

/// The records of processes that have left cores, in the order of `cores`: what [`take`](crate::take) says of live
/// ones.
///
/// Never fails as a whole: what a core lacks is in its record.
pub fn take_cores(map: &Map, cores: &[Core]) -> Vec<Task> {
    let locators = Vec::from_iter(map.bindings().map(|binding| Locator::new(map, binding)));
    let mut modules = Modules::default();
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let mut records = Vec::new();
    for core in cores {
        let mut record = record(core, map, &locators, &mut modules);
        let count = names.entry(record.task.clone()).or_insert(0);
        *count += 1;
        // Two cores of one rank, or of one pid on two hosts.
        if *count > 1 {
            record.task = format!("{} ({})", record.task, core.path().display());
        }
        records.push(record);
    }
    records
}

/// How a core is called: by its rank, else its process, else its file.
fn name_of(core: &Core) -> String {
    match (core.rank(), core.pid()) {
        (Some(rank), _) => rank.to_string(),
        (None, Some(pid)) => format!("pid {pid}"),
        (None, None) => core.path().display().to_string(),
    }
}

fn record(core: &Core, map: &Map, locators: &[Locator<'_>], modules: &mut Modules) -> Task {
    let mut record = Task {
        task: name_of(core),
        rank: core.rank(),
        pid: core.pid(),
        ..Task::default()
    };
    let space = modules.space_of_core(core);
    let fit = fit::fit(core.executable().unwrap_or_default(), modules, &space, map);
    let bound = fit.locators(locators);
    let memory = core.memory();
    let read = |thread: &Thread| {
        let (stack, end) = unwind(modules, &space, thread.registers.clone(), &memory);
        let mut not_there = |address, length| Unknown::NotCopied { address, length };
        let mut builder = Builder {
            modules,
            bound: &bound,
            memory: &memory,
            not_copied: &mut not_there,
            unread: false,
        };
        let lost = |address| format!("the core does not hold the stack at {address:#x}");
        let error = end.in_words(&space, modules, "", &lost);
        (Frames::from(builder.build(&stack)), error)
    };
    let mut problems: Vec<String> = fit.problem.into_iter().collect();
    let main = core.main_thread();
    match main {
        None => problems.push("the core does not hold the main thread".to_owned()),
        Some(main) => {
            let (frames, error) = read(main);
            record.frames = frames;
            problems.extend(error);
        }
    }
    let mut others: Vec<&Thread> = core.notes.threads.iter().collect();
    others.retain(|thread| main.is_none_or(|main| main.tid != thread.tid));
    // Ids are given in the order of creation, until they wrap around.
    others.sort_by_key(|thread| thread.tid);
    for thread in others {
        let (frames, error) = read(thread);
        record.threads.push(snapshot::Thread {
            thread: thread.tid,
            frames,
            error,
            ..snapshot::Thread::default()
        });
    }
    let torn = space.torn(modules).or_else(|| {
        let path = core.path().display();
        core.bytes
            .is_torn()
            .then(|| format!("{path} was cut off while it was read: look again"))
    });
    if torn.is_some() {
        record.frames = Frames::default();
        for thread in &mut record.threads {
            thread.frames = Frames::default();
        }
        problems.extend(torn);
    }
    if let Some((there, whole)) = core.cut_off() {
        problems.push(format!(
            "{} is cut off: {there} of {whole} bytes are there",
            core.path().display()
        ));
    }
    record.error = (!problems.is_empty()).then(|| problems.join("; "));
    record
}
