//! From a frame to the set of places in the program that it may stand for.
//!
//! A frame above the innermost is inside a call: only calls on its line qualify, of the callee that the next frame
//! names, and the column picks among them. gcc numbers a call nested in another call's arguments like the outer one,
//! so calls of the same name inside a chosen call stay in the set. The innermost frame may be anywhere on its line,
//! before or after the assignment of a point that assigns.

use crate::called::Standing;
use crate::{Beneath, CodeStack, ExecutionPoint, Frame, Obstacle, Order, SourceLine, Value};
use base::mutant::{Mutant, on};
use library::SharedObject;
use library::symbols::{self, Start, is_of_exceptions};
use progress_map::{BoundMerge, Function, FunctionId, LoopId, PointId, PointKind};
use std::collections::BTreeMap;
use std::fmt;

/// An execution point whose frames have been looked up in the map.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    /// How messages call the task.
    pub task: String,
    /// Its rank.
    pub rank: Option<u32>,
    /// Its process.
    pub pid: Option<u32>,
    /// Frames from the outermost mapped function inwards; unmapped callees of mapped ones included.
    pub frames: Vec<LocatedFrame>,
    /// For each located frame, its place in [`ExecutionPoint::frames`]; `None` for one that a tail call has removed from the
    /// stack and that the map gives back.
    pub origin: Vec<Option<usize>>,
    /// As [`ExecutionPoint::beneath`].
    pub beneath: Option<Beneath>,
    /// The instruction that it executes next, as linked, if that is known.
    pub next_instruction: Option<u64>,
    /// Its calls in machine code.
    pub code: CodeStack,
    /// Which part of the program's run it is in, if what began the program tells.
    pub stage: Option<Stage>,
    /// Why nothing can be said about the whole stack.
    pub obstacle: Option<Obstacle>,
}

/// The parts of a program's run, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Constructors are run, and `main` was not called yet.
    Init,
    /// `main` is under way; also if it has called `exit` itself.
    Main,
    /// `main` has returned, and destructors and what `atexit` was given are run.
    Exit,
}

/// A frame looked up in the map.
#[derive(Clone, Debug, PartialEq)]
pub struct LocatedFrame {
    /// Its function's name.
    pub name: String,
    /// The function in the map, if it is there.
    pub function: Option<FunctionId>,
    /// Where in it the frame may be, sorted; empty with an `obstacle` only.
    pub places: Vec<Place>,
    /// A frame follows, and its name is that of the call it was looked up by.
    pub callee_known: bool,
    /// Values of variables.
    pub values: BTreeMap<String, Value>,
    /// Variables that could not be read.
    pub missing: BTreeMap<String, String>,
    /// How many iterations of a loop the task has completed, by the machine code, where no variable tells that ([`crate::code_iterations`]).
    pub iterations: BTreeMap<LoopId, u64>,
    /// The call may be another than the one whose position is shown: the compiler may have made them one.
    pub may_be_merged: bool,
    /// Optimised code may have made a loop of the function's calls of itself, and the frame may be in any round of it. Holds
    /// beside any obstacle: code that is mixed may be a loop, too.
    pub is_any_round: bool,
    /// It is in none of the map's functions, and at a line of one of its files: what it does is not a library's business. Code of a lambda
    /// may be left in the library's function that called it, and a function may be written in a way that is not understood.
    pub is_of_program: bool,
    /// Of a function outside of the map: where it is, if that was recorded.
    pub outside: Option<SourceLine>,
    /// It is a function of the system, of a language or of MPI, which no map has and no program brings along, or was called by one, and is outside of the map.
    pub is_runtime: bool,
    /// Why no places are known.
    pub obstacle: Option<Obstacle>,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Init => "runs constructors before main",
            Self::Main => "is in main",
            Self::Exit => "has returned from main and runs what is left to do at exit",
        })
    }
}

impl Located {
    /// Whether no function of the stack is in the map.
    pub(crate) fn is_outside(&self) -> bool {
        self.frames.iter().all(|frame| frame.function.is_none())
    }

    /// Whether frame number `depth` and those below are outside of the map in a function of the program, in another language, or of a library that the
    /// program brings along: it may come to one operation of MPI, or to one of its lines, more than once.
    pub fn is_in_unknown_code(&self, depth: usize) -> bool {
        let mut unknown = self.frames[depth..]
            .iter()
            .take_while(|frame| !frame.is_runtime)
            .peekable();
        let calls_mpi = || {
            let called = self.beneath.as_ref().and_then(|beneath| beneath.entry);
            called.is_some() && called != self.origin.get(depth).copied().flatten()
        };
        unknown.peek().is_some() && (calls_mpi() || unknown.any(|frame| frame.outside.is_some()))
    }
}

/// A program point, before or after what it assigns takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The program point.
    pub point: PointId,
    /// Its assignments have been made. Only points that assign a loop-order variable have this side.
    pub after: bool,
}

/// What is known of what a frame does.
struct Below<'f> {
    /// The next frame.
    callee: Option<&'f Frame>,
    /// The address to which the instruction returns by which the next frame was called.
    call: Option<u64>,
    /// It is at an instruction that was moved past a call.
    is_displaced: bool,
}

impl Order<'_> {
    /// Looks an execution point up in the map.
    pub fn locate(&self, point: &ExecutionPoint) -> Located {
        let functions: Vec<_> = point.frames.iter().map(|frame| self.function_of(frame)).collect();
        let first = if self.is_of_code_alone() {
            self.first_of_code(point)
        } else {
            let mapped = functions.iter().position(Option::is_some);
            mapped.map(|mapped| first_of_program(&point.frames[..mapped]))
        };
        let obstacle = match (&point.incomplete, first) {
            (Some(reason), _) => Some(Obstacle::Incomplete(reason.clone())),
            (None, None) if point.frames.is_empty() => Some(Obstacle::NoStack(point.task.clone())),
            (None, None) => Some(Obstacle::NotInMap(point.task.clone())),
            (None, Some(first)) => begins_nowhere(&point.frames, first),
        };
        let first = first.unwrap_or(point.frames.len());
        let is_split = |index: usize| {
            let function = functions[index].filter(|_| functions.get(index + 1) == Some(&functions[index]));
            function.is_some_and(|id| self.is_head_of_split(id, &point.frames[index]))
        };
        let displaced = self.displaced(point, &functions);
        let (mut frames, mut origin) = (Vec::new(), Vec::new());
        for index in (first..point.frames.len()).filter(|&index| !is_split(index)) {
            let below = Below {
                callee: point.frames.get(index + 1),
                call: point.return_address(index),
                is_displaced: displaced.contains(&index),
            };
            let (mut frame, gone) = self.locate_frame(&point.frames[index], functions[index], &below);
            // What a library of the system calls is a part of it, unless it calls back.
            let is_below_runtime = frames.last().is_some_and(|outer: &LocatedFrame| outer.is_runtime);
            frame.is_runtime =
                functions[index].is_none() && (is_below_runtime || is_runtime(&point.frames[index]));
            frames.push(frame);
            origin.push(Some(index));
            for (function, call) in gone {
                frames.push(self.frame_put_back(function, call));
                origin.push(None);
            }
        }
        self.settle_steps(&mut frames);
        let code = match obstacle {
            None => self.code_stack(point, &functions, first),
            Some(_) => CodeStack::default(),
        };
        self.count_iterations(&mut frames, &origin, &code);
        let obstacle = obstacle.or_else(|| {
            let unknown = self.is_of_code_alone() && code.is_empty();
            unknown.then(|| Obstacle::CodeUnknown(point.task.clone()))
        });
        Located {
            task: point.task.clone(),
            rank: point.rank,
            pid: point.pid,
            frames,
            origin,
            beneath: point.beneath.clone(),
            next_instruction: point.next_instruction(),
            code,
            stage: stage_of(&point.frames),
            obstacle,
        }
    }

    /// A line of a function.
    pub(crate) fn line_of(&self, function: &Function, line: u32) -> SourceLine {
        SourceLine {
            file: self.map().files[function.file].path.clone(),
            line,
        }
    }

    /// Whether a frame that has one of its own function below it is the same call of it: gcc splits functions, inlines
    /// their head, and has it call the rest from a place where the source calls nothing.
    fn is_head_of_split(&self, id: FunctionId, frame: &Frame) -> bool {
        let body = &self.map().functions[id];
        let line = frame.line.unwrap_or(0);
        self.is_optimised(id) && line > 0 && body.calls_on(line).next().is_none()
    }

    /// The frame of a function that has called the next one last.
    fn frame_put_back(&self, function: FunctionId, call: PointId) -> LocatedFrame {
        let mut places = vec![Place {
            point: call,
            after: false,
        }];
        if self.assigning_points(function).binary_search(&call).is_ok() {
            places.push(Place {
                point: call,
                after: true,
            });
        }
        LocatedFrame {
            name: self.map().functions[function].name.clone(),
            function: Some(function),
            places,
            callee_known: true,
            values: BTreeMap::new(),
            missing: BTreeMap::new(),
            iterations: BTreeMap::new(),
            may_be_merged: false,
            // Of a function that may be a loop more than one way leads on.
            is_any_round: false,
            is_of_program: false,
            outside: None,
            is_runtime: false,
            obstacle: None,
        }
    }

    /// Looks a frame up. Beside it: the functions called from it that have left no frame, each with its last call.
    fn locate_frame(
        &self,
        frame: &Frame,
        function: Option<FunctionId>,
        below: &Below<'_>,
    ) -> (LocatedFrame, Vec<(FunctionId, PointId)>) {
        let mut located = LocatedFrame {
            name: frame.function.clone(),
            function,
            places: Vec::new(),
            callee_known: false,
            values: frame.values.clone(),
            missing: frame.missing.clone(),
            iterations: BTreeMap::new(),
            may_be_merged: false,
            is_any_round: function.is_some_and(|id| self.may_be_a_loop(id)),
            is_of_program: function.is_none() && self.is_in_mapped_file(frame),
            outside: match function {
                Some(_) => None,
                None => recorded_line(frame),
            },
            is_runtime: false,
            obstacle: None,
        };
        let Some(id) = function else {
            located.obstacle = self.in_included_file(frame);
            located.is_of_program |= located.obstacle.is_some();
            return (located, Vec::new());
        };
        self.note_unplaced(id, &mut located);
        match self.standing(id, frame, below) {
            Ok(mut standing) => {
                located.may_be_merged = self.add_merged((id, frame), &mut standing, below);
                located.places = self.places(id, &standing);
                located.callee_known = standing.callee_known;
                // It is at one of these points of some call of the function, perhaps a deeper one.
                if located.is_any_round {
                    let name = self.map().functions[id].name.clone();
                    located.obstacle = Some(Obstacle::MayBeDeeper(name));
                }
                (located, standing.gone)
            }
            Err(obstacle) => {
                located.obstacle = Some(obstacle);
                (located, Vec::new())
            }
        }
    }

    /// Notes of the loop-order variables of a function for which the binding has no place at all that nobody could have read them.
    fn note_unplaced(&self, id: FunctionId, located: &mut LocatedFrame) {
        if self.map().binding.is_none() {
            return;
        }
        let lovs = self.map().functions[id]
            .loops
            .iter()
            .flat_map(|around| &around.lovs);
        for lov in lovs {
            let is_told = located.values.contains_key(&lov.name) || located.missing.contains_key(&lov.name);
            if !is_told && !self.is_placed(id, &lov.name) {
                let why = "this build has no place for it that can be believed";
                located.missing.insert(lov.name.clone(), why.to_owned());
            }
        }
    }

    /// Whether a frame that is at no line of its function's file is one of a function of the map all the same, as far as the name tells.
    fn in_included_file(&self, frame: &Frame) -> Option<Obstacle> {
        let [_] = self.functions_named(&frame.function) else {
            return None;
        };
        Some(Obstacle::InIncludedFile {
            function: frame.function.clone(),
            at: recorded_line(frame)?,
        })
    }

    /// Whether a frame is at a line of a file of the map, in whatever function.
    pub fn is_in_mapped_file(&self, frame: &Frame) -> bool {
        let (Some(file), Some(_)) = (&frame.file, frame.line) else {
            return false;
        };
        let mut same = self.files_named(base::last_component(file));
        same.any(|path| base::may_be_one_file(path, file))
    }

    /// Where in its function a frame may be.
    fn standing(&self, id: FunctionId, frame: &Frame, below: &Below<'_>) -> Result<Standing, Obstacle> {
        let body = &self.map().functions[id];
        let line = frame
            .line
            .ok_or_else(|| Obstacle::NoLine(frame.function.clone()))?;
        if frame.inexact || below.is_displaced {
            return Err(Obstacle::Mixed(body.name.clone()));
        }
        let on_line = with_nested_calls(body, Vec::from_iter(body.points_on(line)));
        if on_line.is_empty() {
            return Err(Obstacle::NoPoint(self.line_of(body, line)));
        }
        let mut standing = match below.callee {
            Some(callee) => {
                let mut kinds = on_line.iter().map(|&point| &body.points[point].kind);
                if body.is_qualified()
                    && runs_on_the_way_out(&callee.function)
                    && kinds.any(|kind| *kind != PointKind::Exit)
                {
                    return Err(Obstacle::LeavesScope {
                        function: body.name.clone(),
                        callee: callee.function.clone(),
                    });
                }
                self.in_call(id, (line, frame), callee, on_line)?
            }
            None => Standing::anywhere(self.in_itself(id, (line, frame.column), on_line)),
        };
        standing.mutate(body, line);
        Ok(standing)
    }

    /// Adds the calls that the compiler may have made one with those that a frame shows, if they may have led to what is below it. Whether there are
    /// any, also such as the frame may be in anyhow.
    fn add_merged(
        &self,
        (id, frame): (FunctionId, &Frame),
        standing: &mut Standing,
        below: &Below<'_>,
    ) -> bool {
        let merged = standing
            .points
            .iter()
            .flat_map(|&point| self.merged_with(id, point, below.call));
        let passes_enough = |point: &PointId| {
            standing
                .behind_pointer
                .is_none_or(|callee| self.passes_enough(id, *point, callee))
        };
        let merged = merged.filter(|merge| passes_enough(&merge.other));
        // What is said of one instruction is said of an inlined call whose code goes on there: the frames below are none that it called.
        let (of_one, of_all): (Vec<&BoundMerge>, Vec<&BoundMerge>) =
            merged.partition(|merge| merge.return_address.is_some());
        let of_all = Vec::from_iter(of_all.into_iter().map(|merge| merge.other));
        let mut merged = match below.callee {
            Some(callee) => self.leading_to((id, frame, callee), &standing.points, of_all),
            None => of_all,
        };
        merged.extend(of_one.into_iter().map(|merge| merge.other));
        let is_merged = !merged.is_empty();
        standing.points.extend(merged);
        standing.points.sort_unstable();
        standing.points.dedup();
        is_merged
    }

    /// Whether a call passes as many arguments as a function has parameters, if it is one through a pointer and that is known.
    pub(crate) fn passes_enough(&self, id: FunctionId, point: PointId, callee: FunctionId) -> bool {
        let map = self.map();
        let call = map
            .pointer_calls
            .binary_search_by_key(&(id, point), |call| (call.function, call.point));
        let taken = map
            .address_taken
            .binary_search_by_key(&callee, |taken| taken.function);
        let (Ok(call), Ok(taken)) = (call, taken) else {
            return true;
        };
        let parameters = map.address_taken[taken].parameters;
        parameters.is_none_or(|parameters| map.pointer_calls[call].arguments >= parameters)
    }

    /// Where the innermost frame may be: the task is in the function itself.
    fn in_itself(
        &self,
        id: FunctionId,
        (line, column): (u32, Option<u32>),
        on_line: Vec<PointId>,
    ) -> Vec<PointId> {
        let body = &self.map().functions[id];
        let mut here = with_nested_calls(body, body.narrowed(on_line, line, column));
        // Code that prepares a call has the position of the call, and `i++` in `f(i++)` may not have been made there.
        let calls = Vec::from_iter(
            here.iter()
                .copied()
                .filter(|&point| body.points[point].kind.is_call()),
        );
        here.extend(body.within(&calls));
        let arms = self.arms_of(id, &here);
        here.extend_from_slice(&arms);
        here
    }

    /// The sides of the points at which a frame may be.
    fn places(&self, id: FunctionId, standing: &Standing) -> Vec<Place> {
        let body = &self.map().functions[id];
        let assigns = self.assigning_points(id);
        let mut places = Vec::new();
        for &point in &standing.points {
            places.push(Place { point, after: false });
            // Inside a call only what the call itself updates may have changed.
            let may_be_after = (!standing.inside_call || body.points[point].kind.is_call())
                && !on(Mutant::UpdateLineIsBefore);
            if may_be_after && assigns.binary_search(&point).is_ok() {
                places.push(Place { point, after: true });
            }
        }
        places
    }

    /// The calls in which a frame may be that shows the position of `point` and has called by the instruction that returns to the address `call`: the compiler may
    /// have made them one.
    fn merged_with(
        &self,
        id: FunctionId,
        point: PointId,
        call: Option<u64>,
    ) -> impl Iterator<Item = &BoundMerge> + '_ {
        self.map().bindings().flat_map(move |binding| {
            // Other tools tell addresses as they are in the process, which may be those of no code of the file.
            let call = call.filter(|address| binding.function_at(address.wrapping_sub(1)).is_some());
            let own = binding.merges_of(id).iter();
            own.filter(move |merge| merge.shown == point && merge.is_about(call))
        })
    }

    /// Whether the map is bound, and to none of the files that are called so.
    fn is_bound_elsewhere(&self, module: &str) -> bool {
        let is_it = |path: &str| base::last_component(path) == base::last_component(module);
        let mut bound = self.map().bindings().peekable();
        bound.peek().is_some() && !bound.any(|binding| is_it(&binding.executable))
    }

    /// The function of the map that a frame names: by name, then by file, then by line.
    pub(crate) fn function_of(&self, frame: &Frame) -> Option<FunctionId> {
        let mut candidates: Vec<FunctionId> = self.functions_named(&frame.function).to_vec();
        match (&frame.file, &frame.module) {
            (Some(file), _) => candidates.retain(|&id| {
                base::may_be_one_file(&self.map().files[self.map().functions[id].file].path, file)
            }),
            // A plugin's function may have the name of another's.
            (None, Some(module)) if !candidates.is_empty() && self.is_bound_elsewhere(module) => return None,
            (None, _) => {}
        }
        if candidates.len() > 1
            && let Some(line) = frame.line
        {
            candidates.retain(|&id| self.map().functions[id].span.covers_line(line));
            // A lambda within a lambda: on the lines that only the inner one can have code on, it is meant.
            let within = |id: FunctionId| {
                let span = self.map().functions[id].span;
                (span.line + 1..span.end_line).contains(&line).then_some(span)
            };
            let innermost = candidates.iter().copied().find(|&id| {
                let inside = |span: base::Span| {
                    let mut others = candidates.iter().filter(|&&other| other != id);
                    others.all(|&other| self.map().functions[other].span.contains(span))
                };
                within(id).is_some_and(inside)
            });
            if let Some(innermost) = innermost {
                candidates = vec![innermost];
            }
        }
        match candidates[..] {
            [only] => Some(only),
            _ => None,
        }
    }
}

fn is_runtime(frame: &Frame) -> bool {
    frame.module.as_deref().is_some_and(library::is_runtime_library)
        || frame.file.as_deref().is_some_and(library::is_header_of_cxx)
        || library::of_symbol(symbols::called_name(&frame.function)).is_some()
        || base::mpi_entry_point(&frame.function).is_some()
}

/// The line of a frame as it was recorded.
fn recorded_line(frame: &Frame) -> Option<SourceLine> {
    let (file, line) = (frame.file.clone()?, frame.line?);
    Some(SourceLine { file, line })
}

/// How many of these frames, which are outside of the first one in the map, are of what calls `main` or begins a thread: that is the system's business
/// and the same on every task. Other code outside of the map, a program's `main` in another language or an interpreter, may call what is in the map again and
/// again, so that it counts, though nothing is known of it.
fn first_of_program(outer: &[Frame]) -> usize {
    let mut numbers = 0..outer.len();
    numbers.find(|&at| !is_of_start(outer, at)).unwrap_or(outer.len())
}

/// A stack of the machine whose outermost function is neither `main` nor called by what begins programs and threads: that of a fiber, of which there may be
/// many, one after the other.
fn begins_nowhere(frames: &[Frame], first: usize) -> Option<Obstacle> {
    let outermost = frames.first().filter(|_| first == 0)?;
    let begins = outermost.function == "main" || symbols::starts(&outermost.function).is_some();
    (outermost.pc.is_some() && !begins).then(|| Obstacle::BeginsNowhere(outermost.function.clone()))
}

/// Which part of a program's run a stack is in: its outermost function that counts tells.
fn stage_of(frames: &[Frame]) -> Option<Stage> {
    let first = first_of_program(frames);
    let begins = |frame: &Frame| symbols::starts(&frame.function) == Some(Start::Program);
    match &*frames.get(first)?.function {
        called if symbols::ends_program(called) => Some(Stage::Exit),
        called if symbols::constructs(called) => Some(Stage::Init),
        "main" => (first == 0 || frames[..first].iter().any(begins)).then_some(Stage::Main),
        _ => None,
    }
}

/// Whether number `at` of the outermost frames is of what calls `main` or begins a thread.
pub(crate) fn is_of_start(frames: &[Frame], at: usize) -> bool {
    let is_library = |frame: &Frame| library::is_of_language(frame.module.as_deref(), frame.file.as_deref());
    let frame = &frames[at];
    // The entry of a program without symbols.
    let is_nameless = matches!(frame.function.as_str(), "" | "??");
    let calls_library = || frames.get(at + 1).is_some_and(is_library);
    // These call constructors and destructors, one after the other.
    let calls_many = symbols::ends_program(&frame.function) || symbols::constructs(&frame.function);
    symbols::starts(&frame.function).is_some()
        || is_library(frame) && !calls_many && (is_nameless || !calls_in_thread(frames, at))
        || at == 0 && is_nameless && calls_library()
}

/// Whether number `at` of the outermost frames, a function of the C library, was called by what begins a thread: such functions call timers' functions and
/// the destructors of what is the thread's own, and may do so again and again.
fn calls_in_thread(frames: &[Frame], at: usize) -> bool {
    let begins_thread = |frame: &Frame| symbols::starts(&frame.function) == Some(Start::Thread);
    let object = frames[at].module.as_deref().and_then(library::shared_object);
    object == Some(SharedObject::C) && frames[..at].iter().any(begins_thread)
}

/// Whether a function of this name may run while control leaves a scope, by whatever way: its end, a jump or an
/// exception.
fn runs_on_the_way_out(name: &str) -> bool {
    name.starts_with('~') || is_of_exceptions(name)
}

/// Adds the calls in the arguments of calls that are there: gcc numbers them like the outer call, line and column.
pub(crate) fn with_nested_calls(function: &Function, mut chosen: Vec<PointId>) -> Vec<PointId> {
    let is_call = |point: &PointId| function.points[*point].kind.is_call();
    let outer = Vec::from_iter(chosen.iter().copied().filter(is_call));
    if outer.is_empty() {
        return chosen;
    }
    chosen.extend(function.within(&outer).filter(is_call));
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}
