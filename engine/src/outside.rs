//! Stacks of which the map knows nothing: as a reader wants them, and alike ones together.
//!
//! Such a task has no place in the order of the code, but its stack was seen. Frames of the C library, of MPI and of the runtimes of
//! languages are folded into the function that the program called, because below it ranks that wait for the same thing stand in
//! different places from one moment to the next.

use crate::alike::{KindId, Like};
use crate::answer::{Activity, Position};
use crate::beneath::{InMpi, in_mpi};
use crate::blocking::is_blocking;
use crate::frames::FrameView;
use library::{Wait, function, is_runtime_library, symbols};
use snapshot::{Frame, RunState, Task};
use std::collections::BTreeMap;

/// Where a task stands that the map does not know, as far as its stack tells.
pub(crate) struct OutsideStack {
    pub(crate) frames: Vec<FrameView>,
    pub(crate) position: Position,
    /// Tasks with the same one are shown as a class.
    pub(crate) place: Vec<PlaceOfFrame>,
}

/// What tells the frames of two tasks apart: the function, and the instruction of its call. Where a task computes in a function, its
/// instruction changes all the time, and does not count.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PlaceOfFrame {
    function: String,
    module: Option<String>,
    call: Option<(Option<u64>, Option<u32>, Option<u32>)>,
}

/// A task that has no place in the order.
pub(crate) struct WithoutPlace<'t> {
    pub(crate) task: &'t Task,
    /// Why it has none.
    pub(crate) reason: String,
    pub(crate) like: Like,
}

/// Tasks that have no place in the order, and the same stack.
pub(crate) struct OutsideGroup<'t> {
    /// Never empty.
    pub(crate) tasks: Vec<&'t WithoutPlace<'t>>,
    /// What was seen of their stacks, if anything was.
    pub(crate) stack: Option<OutsideStack>,
}

/// Tasks that have no place in the order, those with the same stack together; without one, alone.
pub(crate) fn groups<'t>(others: &'t [WithoutPlace<'t>]) -> Vec<OutsideGroup<'t>> {
    let mut groups: Vec<OutsideGroup<'t>> = Vec::new();
    let mut known: BTreeMap<Vec<PlaceOfFrame>, usize> = BTreeMap::new();
    let mut of_kind: BTreeMap<KindId, Option<usize>> = BTreeMap::new();
    for other in others {
        let group = match of_kind.get(&other.like.kind) {
            Some(Some(group)) => *group,
            // Nothing was seen of it.
            Some(None) => groups.len(),
            None => {
                let stack = Some(stack(other.task)).filter(|stack| !stack.frames.is_empty());
                let group = stack
                    .as_ref()
                    .map(|stack| *known.entry(stack.place.clone()).or_insert(groups.len()));
                of_kind.insert(other.like.kind, group);
                if group == Some(groups.len()) {
                    groups.push(OutsideGroup {
                        tasks: Vec::new(),
                        stack,
                    });
                }
                group.unwrap_or(groups.len())
            }
        };
        match groups.get_mut(group) {
            Some(group) => group.tasks.push(other),
            None => groups.push(OutsideGroup {
                tasks: vec![other],
                stack: None,
            }),
        }
    }
    // The largest is where the job is; stable, so the order of the tasks breaks ties.
    groups.sort_by_key(|group| std::cmp::Reverse(group.tasks.len()));
    groups
}

/// The frames of a task as a reader wants them. Where its main thread has ended, those of the first of its threads that is in the program.
pub(crate) fn stack(task: &Task) -> OutsideStack {
    if !task.frames.is_empty() {
        return of_frames(task, &task.frames);
    }
    let is_own = |frame: &Frame| {
        let module = frame.module.as_deref().unwrap_or_default();
        symbols::starts(&frame.function).is_none() && !is_runtime_library(module)
    };
    let works = |frames: &&[Frame]| frames.iter().any(is_own);
    let mut stacks = task.threads.iter().map(|thread| &thread.frames[..]);
    of_frames(task, stacks.find(works).unwrap_or_default())
}

/// A frame that is shown of a stack of which the map knows nothing.
pub(crate) struct ShownFrame {
    /// Which of the recorded frames it is.
    pub(crate) index: usize,
    /// The operation of MPI that it is the entry point of.
    pub(crate) entry: Option<String>,
    /// It stands for all that libraries of the system, of MPI or of a language do below the program.
    pub(crate) is_runtime: bool,
    /// How many frames below it are not shown.
    pub(crate) folded: usize,
}

/// Which frames of such a stack are shown.
pub(crate) fn shown_frames(task: &Task, recorded: &[Frame]) -> Vec<ShownFrame> {
    let (operation, name) = match in_mpi(task, recorded) {
        InMpi::Inside { at, function } | InMpi::Named { at, function } => (Some(at), Some(function)),
        InMpi::Outside | InMpi::SomewhereInside | InMpi::Unknown => (None, None),
    };
    let mut shown: Vec<ShownFrame> = Vec::new();
    let mut last_is_runtime = None;
    // What calls `main` comes first, in stripped programs without a name of its own.
    let starts = recorded
        .iter()
        .rposition(|frame| symbols::starts(&frame.function).is_some())
        .map_or(0, |last| last + 1);
    for (index, frame) in recorded.iter().enumerate().skip(starts) {
        let entry = name.clone().filter(|_| operation == Some(index));
        let runtime = runtime_of(frame, entry.is_some(), last_is_runtime);
        if let (Some(runtime), Some(_), Some(above)) = (runtime, last_is_runtime, shown.last_mut()) {
            above.folded += 1;
            last_is_runtime = Some(runtime);
            // Code without a name, above one that has one, tells a reader nothing.
            if is_nameless(&recorded[above.index]) && above.entry.is_none() && !is_nameless(frame) {
                above.index = index;
            }
            continue;
        }
        shown.push(ShownFrame {
            index,
            entry,
            is_runtime: runtime.is_some(),
            folded: 0,
        });
        last_is_runtime = runtime;
    }
    shown
}

fn is_nameless(frame: &Frame) -> bool {
    matches!(frame.function.as_str(), "" | "??")
}

fn of_frames(task: &Task, recorded: &[Frame]) -> OutsideStack {
    let shown = shown_frames(task, recorded);
    let frames = shown.iter().map(|each| FrameView {
        folded: each.folded,
        ..view(&recorded[each.index], each.entry.clone())
    });
    let frames = Vec::from_iter(frames);
    let place = frames.iter().zip(&shown).map(|(view, each)| {
        let frame = &recorded[each.index];
        let is_innermost = each.index + 1 == recorded.len();
        PlaceOfFrame {
            function: view.function.clone(),
            module: view.module.clone(),
            call: (!each.is_runtime && !is_innermost).then_some((frame.pc, frame.line, frame.column)),
        }
    });
    OutsideStack {
        position: position(&frames, shown.last().is_some_and(|last| last.is_runtime)),
        place: place.collect(),
        frames,
    }
}

fn view(frame: &Frame, entry: Option<String>) -> FrameView {
    let base_name = |path: &String| base::last_component(path).to_owned();
    let function = entry.unwrap_or_else(|| crate::readable::readable(&frame.function));
    let is_own_name = function == frame.function;
    let qualified = is_own_name.then(|| crate::readable::qualified(frame, None));
    FrameView {
        function,
        qualified: qualified.flatten(),
        short_file: frame.file.as_ref().map(base_name),
        file: frame.file.clone(),
        line: frame.line.filter(|&line| line > 0),
        column: frame.column.filter(|&column| column > 0),
        values: Vec::new(),
        differing: Vec::new(),
        missing: Vec::new(),
        inlined: frame.inlined,
        module: frame.module.as_ref().map(base_name),
        in_map: false,
        folded: 0,
        stands: Vec::new(),
    }
}

fn position(frames: &[FrameView], ends_in_runtime: bool) -> Position {
    let (own, entry) = match frames {
        [own @ .., entry] if ends_in_runtime => (own.last(), Some(entry)),
        own => (own.last(), None),
    };
    let activity = match entry {
        None => Activity::Computing,
        Some(entry) if is_blocking(&entry.function) => Activity::Blocked(entry.function.clone()),
        Some(entry) => Activity::Inside(entry.name()),
    };
    Position {
        function: own.map(FrameView::name).unwrap_or_default(),
        qualified: own.and_then(|frame| frame.qualified.clone()),
        file: own.and_then(|frame| frame.file.clone()).unwrap_or_default(),
        short_file: own.and_then(|frame| frame.short_file.clone()).unwrap_or_default(),
        line: own.and_then(|frame| frame.line).unwrap_or_default(),
        activity,
        iteration: Vec::new(),
        call: None,
    }
}

/// Who sleeps in a system call does not compute, although no library's entry point tells so: the C library may be a part of the program.
pub(crate) fn with_system_call(mut position: Position, task: &Task) -> Position {
    let asleep = task
        .state
        .as_ref()
        .filter(|state| state.run == RunState::Sleeping);
    if let (Activity::Computing, Some(call)) = (&position.activity, asleep.and_then(|_| system_call(task))) {
        position.activity = Activity::Inside(call);
    }
    position
}

/// The system call that a task is in, as it was begun.
pub(crate) fn system_call(task: &Task) -> Option<String> {
    let call = task.state.as_ref()?.system_call.clone()?;
    Some(match call.as_str() {
        "restart_syscall" => begun_as(task).unwrap_or(call),
        _ => call,
    })
}

/// The call with a time limit that a task sleeps in, where the kernel has begun it again after a stop and calls it `restart_syscall`.
fn begun_as(task: &Task) -> Option<String> {
    let mut called = task
        .frames
        .iter()
        .map(|frame| symbols::called_name(&frame.function));
    let sleeps = |name: &&str| function(name).is_some_and(|row| row.wait == Wait::Time);
    called.find(sleeps).map(str::to_owned)
}

/// What folds a frame into the one above.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Runtime<'f> {
    /// It is in a library that no program is made of.
    Library,
    /// It is below an entry point of MPI that the linker has put into this executable or library: what is below it there cannot be told
    /// from the program.
    LinkedIn(&'f str),
}

fn runtime_of<'f>(frame: &'f Frame, is_mpi: bool, last: Option<Runtime<'f>>) -> Option<Runtime<'f>> {
    let module = frame.module.as_deref().unwrap_or_default();
    match last {
        Some(Runtime::LinkedIn(other)) if other == module => last,
        Some(Runtime::LinkedIn(_)) if is_runtime_library(module) => last,
        _ if is_runtime_library(module) => Some(Runtime::Library),
        _ if is_mpi => Some(Runtime::LinkedIn(module)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(frames: &[(&str, &str, u64)]) -> Task {
        let frame = |&(function, module, pc): &(&str, &str, u64)| Frame {
            function: function.to_owned(),
            module: Some(module.to_owned()),
            pc: Some(pc),
            ..Frame::default()
        };
        Task {
            frames: frames.iter().map(frame).collect(),
            ..Task::default()
        }
    }

    #[test]
    fn what_libraries_do_below_the_program_is_one_frame() {
        let waiting = |inner: &str| {
            stack(&task(&[
                ("_start", "/app", 1),
                ("__libc_start_main", "/lib/libc.so.6", 2),
                ("main", "/app", 3),
                ("??", "/app", 4),
                ("mpi_allreduce_", "/lib/libmpi_mpifh.so.40.30.0", 5),
                ("ompi_coll_base", "/lib/libmpi.so.40", 6),
                (inner, "/lib/openmpi/mca_btl_vader.so", 7),
            ]))
        };
        let one = waiting("poll");
        let names = Vec::from_iter(one.frames.iter().map(|frame| frame.function.as_str()));
        assert_eq!(names, ["main", "??", "MPI_Allreduce"]);
        assert_eq!(one.frames[2].folded, 2);
        assert_eq!(
            one.position.activity,
            Activity::Blocked("MPI_Allreduce".to_owned())
        );
        assert_eq!(one.position.function, "app");
        assert_eq!(one.place, waiting("sched_yield").place);
    }

    #[test]
    fn who_computes_in_one_function_is_alike_and_other_calls_are_not() {
        let at = |call, pc| stack(&task(&[("main", "/app", call), ("work", "/app", pc)])).place;
        assert_eq!(at(3, 10), at(3, 11));
        assert_ne!(at(3, 10), at(4, 10));
    }

    #[test]
    fn a_function_of_the_program_below_mpi_is_shown() {
        let stack = stack(&task(&[
            ("main", "/app", 3),
            ("PMPI_Allreduce", "/lib/libmpich.so.12", 5),
            ("??", "/lib/libmpich.so.12", 6),
            ("my_sum", "/app", 7),
        ]));
        assert_eq!(stack.position.activity, Activity::Computing);
        assert_eq!(stack.position.function, "my_sum");
        // Linked into the program, MPI's own functions cannot be told from it.
        let linked = super::stack(&task(&[
            ("main", "/app", 3),
            ("MPI_Barrier", "/app", 5),
            ("MPIDI_progress", "/app", 6),
        ]));
        assert_eq!(
            linked.position.activity,
            Activity::Blocked("MPI_Barrier".to_owned())
        );
        assert_eq!(linked.position.function, "main");
    }
}
