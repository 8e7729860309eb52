//! A look at the tasks of a job of several programs, or of several builds of one: each is read by the map of its own.
//!
//! The tasks of a program are looked at together, and one program after the other: nothing but MPI orders tasks of different programs, and what that says rests on who stands still.

use crate::contents::Contents;
use crate::elf::Module;
use crate::take::{Options, header, take};
use crate::tasks::TaskRef;
use progress_map::Map;
use snapshot::{Header, Task};
use std::collections::BTreeMap;
use std::path::Path;

/// Takes a snapshot of `tasks`, in their order, each by the first of the maps that is of its program; what no map is of is held against the first, and its record says what it runs instead.
///
/// Never fails as a whole: a task that could not be read has the reason in its record.
pub fn take_each(maps: &[&Map], tasks: &[TaskRef], options: Options) -> (Header, Vec<Task>) {
    let (first, others) = match maps {
        [] => return take(&Map::default(), tasks, options),
        [first, others @ ..] => (first, others),
    };
    if others.is_empty() {
        return take(first, tasks, options);
    }
    let build_of = |map: &Map| map.binding.as_ref().map(|binding| binding.build_id.clone());
    let builds = Vec::from_iter(maps.iter().map(|map| build_of(map).filter(|id| !id.is_empty())));
    let mut by_map: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut is_mapped = vec![false; tasks.len()];
    for (at, task) in tasks.iter().enumerate() {
        let own = build_id(task);
        let map = own.and_then(|own| builds.iter().position(|build| build.as_ref() == Some(&own)));
        is_mapped[at] = map.is_some();
        by_map.entry(map.unwrap_or(0)).or_default().push(at);
    }
    let mut records = vec![Task::default(); tasks.len()];
    let mut window = 0;
    for (map, members) in by_map {
        let some = Vec::from_iter(members.iter().map(|&at| tasks[at].clone()));
        let (header, taken) = take(maps[map], &some, options);
        window = window.max(header.window_us.unwrap_or(0));
        for (at, record) in members.into_iter().zip(taken) {
            let build = builds[map].iter().filter(|_| is_mapped[at]).flatten();
            records[at] = Task {
                build: build.map(|byte| format!("{byte:02x}")).collect::<String>().into(),
                ..record
            };
        }
    }
    tell_apart(&mut records);
    let header = Header {
        window_us: Some(window),
        ..header(tasks, None)
    };
    (header, records)
}

/// Two processes of one rank in different programs: their names must differ, as of one program they do already.
fn tell_apart(records: &mut [Task]) {
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for record in &*records {
        *names.entry(record.task.clone()).or_default() += 1;
    }
    let is_shared = |record: &&mut Task| names.get(&record.task).is_some_and(|&count| count > 1);
    for record in records.iter_mut().filter(is_shared) {
        if let Some(pid) = record.pid {
            record.task = format!("{} (pid {pid})", record.task);
        }
    }
}

/// The build-id of what a task runs, if that can be read and has one.
pub(crate) fn build_id(task: &TaskRef) -> Option<Vec<u8>> {
    let path = format!("/proc/{}/exe", task.pid);
    // Mapped, not copied: it may have gigabytes, and only its headers are read.
    let file = regular_files::open(Path::new(&path)).and_then(|file| Contents::map(&file));
    let module = Module::parse(&path, file.ok()?).ok()?;
    Some(module.build_id().to_vec()).filter(|id| !id.is_empty())
}
