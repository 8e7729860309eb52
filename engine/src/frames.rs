//! The frames of a stack as a reader wants them: the program's own, with the values that order its loops, and one
//! line for whatever a library does below them.

use crate::answer::{Activity, LoopValue, Position};
use crate::beneath::{InMpi, in_mpi};
use crate::blocking::{self, is_blocking, is_test};
use crate::mpi;
use crate::paths::short_name;
use crate::readable;
use library::is_mpi_library;
use progress::{Beneath, Located, LocatedFrame, Value};
use progress_map::{Across, Function, LoopId, Map, PointId, PointKind};

/// One call on a stack, ready to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameView {
    /// The function's name; of a library, the entry point that the program called.
    pub function: String,
    /// Its name with its namespaces, classes and template arguments; `None` where that is `function`. Nothing is looked up by it.
    pub qualified: Option<String>,
    /// The source file: as the map spells it, or as recorded when the map does not hold the function.
    pub file: Option<String>,
    /// The file as short messages spell it.
    pub short_file: Option<String>,
    /// The line.
    pub line: Option<u32>,
    /// The column, in bytes from 1.
    pub column: Option<u32>,
    /// Values of the variables that order the loops around the frame, outermost loop first.
    pub values: Vec<(String, Value)>,
    /// Those of `values` that differ between the tasks of the class.
    pub differing: Vec<String>,
    /// Such variables that could not be read, with the reason.
    pub missing: Vec<(String, String)>,
    /// The call was inlined into the frame before.
    pub inlined: bool,
    /// The shared object, when the function is not in the map.
    pub module: Option<String>,
    /// The map holds the function.
    pub in_map: bool,
    /// How many library frames below this one are not shown.
    pub folded: usize,
    /// Where the order found it in the map, and the functions that it called and that have left no frame.
    pub stands: Vec<slicer::Stand>,
}

impl FrameView {
    /// The function's name; of one without a name, that of its library or program.
    pub fn name(&self) -> String {
        match (self.function.as_str(), &self.module) {
            ("" | "??", Some(module)) => module.split(".so").next().unwrap_or(module).to_owned(),
            (function, _) => function.to_owned(),
        }
    }
}

/// The frames of a stack whose source the map knows, as a slice wants them.
pub(crate) fn slice_frames(frames: &[FrameView]) -> Vec<slicer::SliceFrame> {
    let with_next = frames.iter().enumerate();
    let known = with_next.filter(|(_, frame)| !frame.stands.is_empty());
    let wanted = known.map(|(at, frame)| slicer::SliceFrame {
        stands: frame.stands.clone(),
        callee: frames.get(at + 1).map(|next| next.function.clone()),
    });
    wanted.collect()
}

/// The frames of a located task.
pub(crate) fn view(map: &Map, located: &Located, task: &snapshot::Task) -> Vec<FrameView> {
    let mut views: Vec<FrameView> = Vec::new();
    let (entry, entry_name) = match in_mpi(task, &task.frames) {
        InMpi::Inside { at, function } => (Some(at), Some(function)),
        _ => (None, None),
    };
    for (index, frame) in located.frames.iter().enumerate() {
        let Some(recorded) = located.origin[index].and_then(|at| task.frames.get(at)) else {
            // It is not on the stack any more.
            if let Some(caller) = views.last_mut().filter(|caller| !caller.stands.is_empty()) {
                caller.stands.extend(stand(map, frame, None));
            }
            continue;
        };
        let Some(id) = mpi::own_function(map, frame) else {
            // What a library does inside is its own business: its entry point stands for it, until it calls back, or MPI. What calls the first function of
            // the map is the program's, where it has lines.
            let is_below_map = views.iter().any(|view| view.in_map);
            let calls_mpi = located.origin[index] == entry && views.last().is_some_and(|view| !view.in_map);
            match views.last_mut() {
                _ if calls_mpi => views.push(library_frame(recorded, entry_name.clone())),
                Some(entry) if !entry.in_map && (is_below_map || !tells_line(recorded)) => entry.folded += 1,
                caller => {
                    let called_as = caller.and_then(|_| called_name(map, &located.frames[index - 1]));
                    views.push(library_frame(recorded, called_as));
                }
            }
            continue;
        };
        let function = &map.functions[id];
        let (values, missing) = loop_values(function, frame);
        views.push(FrameView {
            function: function.name.clone(),
            qualified: readable::qualified(recorded, Some(function)),
            file: Some(map.files[function.file].path.clone()),
            short_file: Some(short_name(map, function.file).to_owned()),
            line: recorded.line.filter(|&line| line > 0),
            column: recorded.column.filter(|&column| column > 0),
            values,
            differing: Vec::new(),
            missing,
            inlined: recorded.inlined,
            module: None,
            in_map: true,
            folded: 0,
            stands: Vec::from_iter(stand(map, frame, Some(recorded))),
        });
    }
    views
}

fn tells_line(recorded: &snapshot::Frame) -> bool {
    recorded.file.is_some() && recorded.line.is_some_and(|line| line > 0)
}

/// Where a frame is in the map. Where the order believes nothing of what was recorded (the code that leaves a scope has the position
/// of something else), a slice is of whatever the position means.
fn stand(map: &Map, frame: &LocatedFrame, recorded: Option<&snapshot::Frame>) -> Option<slicer::Stand> {
    let function = &map.functions[frame.function?];
    let file = &map.files[function.file];
    let mut points = Vec::from_iter(frame.places.iter().map(|place| place.point));
    points.dedup();
    if let (true, Some(recorded)) = (points.is_empty(), recorded) {
        let line = recorded.line?;
        points = function.narrowed(function.points_on(line).collect(), line, recorded.column);
    }
    let begins_at = |point: PointId| {
        let span = function.points[point].span;
        (point, span.line, span.column)
    };
    (!points.is_empty()).then(|| slicer::Stand {
        file: file.path.clone(),
        function: function.name.clone(),
        at: slicer::At::Points(slicer::Points {
            content_hash: file.hash,
            first_line: function.span.line,
            count: function.points.len(),
            points: points.into_iter().map(begins_at).collect(),
        }),
        is_any_round: frame.is_any_round,
    })
}

fn library_frame(recorded: &snapshot::Frame, called_as: Option<String>) -> FrameView {
    let unknown = matches!(recorded.function.as_str(), "" | "??");
    // MPI's profiling interface gives every function a second name; the program wrote the first.
    let profiling_name = called_as
        .as_ref()
        .is_some_and(|called| recorded.function.strip_prefix('P') == Some(called));
    // glibc's `pthread_join` ends in a jump to `__pthread_clockjoin_ex`, as other waits do.
    let left_for_another = called_as
        .as_deref()
        .is_some_and(|called| recorded.function.starts_with("__") && blocking::waits(called));
    let function = match called_as {
        Some(called) if unknown || profiling_name || left_for_another => called,
        _ => readable::readable(&recorded.function),
    };
    let is_own_name = recorded.function == function;
    let qualified = is_own_name.then(|| readable::qualified(recorded, None));
    let base_name = |path: &String| base::last_component(path).to_owned();
    FrameView {
        function,
        qualified: qualified.flatten(),
        short_file: recorded.file.as_ref().map(base_name),
        file: recorded.file.clone(),
        line: recorded.line.filter(|&line| line > 0),
        column: recorded.column.filter(|&column| column > 0),
        values: Vec::new(),
        differing: Vec::new(),
        missing: Vec::new(),
        inlined: recorded.inlined,
        module: recorded.module.as_ref().map(base_name),
        in_map: false,
        folded: 0,
        stands: Vec::new(),
    }
}

/// The name by which a frame's source calls the next one, when all its possible places agree.
fn called_name(map: &Map, frame: &LocatedFrame) -> Option<String> {
    let function = &map.functions[frame.function?];
    let mut names = frame
        .places
        .iter()
        .map(|place| &function.points[place.point].kind);
    let PointKind::Call(name) = names.next()? else {
        return None;
    };
    names
        .all(|kind| matches!(kind, PointKind::Call(other) if other == name))
        .then(|| name.clone())
}

/// The loops that a frame is certainly in, outermost first.
pub(crate) fn loops_around(function: &Function, frame: &LocatedFrame) -> Vec<LoopId> {
    let chain = |point: PointId| {
        let mut chain = Vec::from_iter(function.loops_around(point));
        chain.reverse();
        chain
    };
    let mut places = frame.places.iter();
    let Some(first) = places.next() else {
        return Vec::new();
    };
    let mut common = chain(first.point);
    for place in places {
        let other = chain(place.point);
        let shared = common.iter().zip(&other).take_while(|(a, b)| a == b).count();
        common.truncate(shared);
    }
    common
}

type Values = Vec<(String, Value)>;
type Missing = Vec<(String, String)>;

/// What was read, and what was not, of the variables that can order tasks in the loops around a frame.
fn loop_values(function: &Function, frame: &LocatedFrame) -> (Values, Missing) {
    let (mut values, mut missing) = (Values::new(), Missing::new());
    for id in loops_around(function, frame) {
        for lov in function.loops[id]
            .lovs
            .iter()
            .filter(|lov| lov.across != Across::Nothing)
        {
            if values.iter().any(|(name, _)| *name == lov.name) {
                continue;
            }
            if let Some(value) = frame.values.get(&lov.name) {
                values.push((lov.name.clone(), *value));
            } else if let Some(reason) = frame.missing.get(&lov.name)
                && missing.iter().all(|(name, _)| *name != lov.name)
            {
                missing.push((lov.name.clone(), reason.clone()));
            }
        }
    }
    (values, missing)
}

/// Where a located task stands in the program, as its frames show it.
pub(crate) fn position(map: &Map, located: &Located, frames: &[FrameView]) -> Position {
    let innermost = frames.iter().rposition(|frame| frame.in_map);
    let below = innermost.and_then(|at| frames.get(at + 1));
    let activity = match (below, &located.beneath) {
        (None, _) => Activity::Computing,
        (Some(_), Some(beneath)) if !beneath.begun => {
            Activity::Inside(format!("{} at its first instruction", beneath.operation))
        }
        (Some(_), Some(Beneath { operation, .. })) if is_blocking(operation) => {
            Activity::Blocked(operation.clone())
        }
        (Some(_), Some(Beneath { operation, .. })) if is_test(operation) => {
            Activity::Inside(operation.clone())
        }
        // MPI's own frame has no name, and the source tells the call.
        (Some(entry), _)
            if is_blocking(&entry.function) && entry.module.as_deref().is_some_and(is_mpi_library) =>
        {
            Activity::Blocked(entry.function.clone())
        }
        // Also a function that only has the name of an operation.
        (Some(entry), _) if base::is_mpi(&entry.function) => {
            let library = entry.module.as_deref().unwrap_or("a library");
            Activity::Inside(format!("{} of {library}", entry.name()))
        }
        (Some(entry), _) if is_blocking(&entry.function) => Activity::Blocked(entry.function.clone()),
        (Some(entry), _) => Activity::Inside(entry.name()),
    };
    let frame = innermost.map(|at| &frames[at]);
    Position {
        function: frame.map(|frame| frame.function.clone()).unwrap_or_default(),
        qualified: frame.and_then(|frame| frame.qualified.clone()),
        file: frame.and_then(|frame| frame.file.clone()).unwrap_or_default(),
        short_file: frame
            .and_then(|frame| frame.short_file.clone())
            .unwrap_or_default(),
        line: frame.and_then(|frame| frame.line).unwrap_or_default(),
        activity,
        iteration: iteration(map, located),
        call: None,
    }
}

/// Marks what differs between the first task of a class and another: equal tasks may have different values, when
/// only the distance from a start that differs by task tells the iteration.
pub(crate) fn mark_differences(
    map: &Map,
    other: &Located,
    frames: &mut [FrameView],
    position: &mut Position,
) {
    let theirs = iteration(map, other);
    for (mine, theirs) in position.iteration.iter_mut().zip(&theirs) {
        mine.differs |= mine.value != theirs.value;
    }
    let mapped = frames.iter_mut().filter(|frame| frame.in_map);
    // A frame that is not on the stack any more is not among those shown.
    let on_stack = other
        .frames
        .iter()
        .zip(&other.origin)
        .filter(|(_, origin)| origin.is_some());
    let own = on_stack.filter(|(frame, _)| mpi::own_function(map, frame).is_some());
    for (view, (frame, _)) in mapped.zip(own) {
        for (name, value) in &view.values {
            if frame.values.get(name) != Some(value) && !view.differing.contains(name) {
                view.differing.push(name.clone());
            }
        }
    }
}

/// Keeps of qualified names what two tasks of a class have in common: instances of one template are at one place of the code.
pub(crate) fn keep_shared_names(
    map: &Map,
    (mine, my_task): (&Located, &snapshot::Task),
    (theirs, their_task): (&Located, &snapshot::Task),
    frames: &mut [FrameView],
) {
    let mapped = frames.iter_mut().filter(|frame| frame.in_map);
    for ((view, mine), theirs) in mapped
        .zip(own_frames(map, mine, my_task))
        .zip(own_frames(map, theirs, their_task))
    {
        if mine.1.qualified != theirs.1.qualified {
            let of_source = snapshot::Frame {
                function: mine.1.function.clone(),
                ..snapshot::Frame::default()
            };
            view.qualified = readable::qualified(&of_source, Some(mine.0));
        }
    }
}

/// The frames of a task that the map holds, with their functions.
fn own_frames<'m, 't>(
    map: &'m Map,
    located: &'t Located,
    task: &'t snapshot::Task,
) -> impl Iterator<Item = (&'m Function, &'t snapshot::Frame)> + use<'m, 't> {
    let frames = located.frames.iter().zip(&located.origin);
    frames.filter_map(|(frame, origin)| {
        let recorded = task.frames.get((*origin)?)?;
        Some((&map.functions[mpi::own_function(map, frame)?], recorded))
    })
}

/// One value per loop around the stack, outermost first: of its best variable that was read.
pub(crate) fn iteration(map: &Map, located: &Located) -> Vec<LoopValue> {
    let mut iteration = Vec::new();
    for frame in &located.frames {
        let Some(id) = frame.function else { continue };
        let function = &map.functions[id];
        for id in loops_around(function, frame) {
            let best = function.loops[id]
                .lovs
                .iter()
                .filter(|lov| lov.across != Across::Nothing)
                .find_map(|lov| frame.values.get_key_value(&lov.name));
            if let Some((name, value)) = best {
                iteration.push(LoopValue {
                    function: function.name.clone(),
                    variable: name.clone(),
                    value: *value,
                    differs: false,
                });
            }
        }
    }
    iteration
}
