//! From a frame to the set of places in the program that it may stand for.
//!
//! A frame above the innermost is inside a call: only calls on its line qualify, of the callee that the next frame
//! names, and the column picks among them. gcc numbers a call nested in another call's arguments like the outer one,
//! so calls of the same name inside a chosen call stay in the set. The innermost frame may be anywhere on its line,
//! before or after the assignment of a point that assigns.

use crate::{Beneath, CodeStack, ExecutionPoint, Frame, Obstacle, Order, SourceLine, Value};
use base::mutant::{Mutant, on};
use base::{is_mpi, mpi_name};
use progress_map::{Function, FunctionId, Point, PointId, PointKind, ScopeKind};
use std::collections::BTreeMap;

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
    /// Its calls in machine code.
    pub code: CodeStack,
    /// Why nothing can be said about the whole stack.
    pub obstacle: Option<Obstacle>,
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
    /// Why no places are known.
    pub obstacle: Option<Obstacle>,
}

/// A program point, before or after what it assigns takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The program point.
    pub point: PointId,
    /// Its assignments have been made. Only points that assign a loop-order variable have this side.
    pub after: bool,
}

impl Order<'_> {
    /// Looks an execution point up in the map.
    pub fn locate(&self, point: &ExecutionPoint) -> Located {
        let functions: Vec<_> = point.frames.iter().map(|frame| self.function_of(frame)).collect();
        // What calls `main` is the system's business and the same on every task.
        let first = if self.is_of_code_alone() {
            self.first_of_code(point)
        } else {
            functions.iter().position(Option::is_some)
        };
        let obstacle = match (&point.incomplete, first) {
            (Some(reason), _) => Some(Obstacle::Incomplete(reason.clone())),
            (None, None) if point.frames.is_empty() => Some(Obstacle::NoStack(point.task.clone())),
            (None, None) => Some(Obstacle::NotInMap(point.task.clone())),
            (None, Some(_)) => None,
        };
        let first = first.unwrap_or(point.frames.len());
        let is_split = |index: usize| {
            let function = functions[index].filter(|_| functions.get(index + 1) == Some(&functions[index]));
            function.is_some_and(|id| self.is_head_of_split(id, &point.frames[index]))
        };
        let (mut frames, mut origin) = (Vec::new(), Vec::new());
        for index in (first..point.frames.len()).filter(|&index| !is_split(index)) {
            let callee = point.frames.get(index + 1);
            let mut gone = Vec::new();
            frames.push(self.locate_frame(&point.frames[index], functions[index], callee, &mut gone));
            origin.push(Some(index));
            for (function, call) in gone {
                frames.push(self.frame_put_back(function, call));
                origin.push(None);
            }
        }
        let code = match obstacle {
            None => self.code_stack(point, &functions, first),
            Some(_) => CodeStack::default(),
        };
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
            code,
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
        let mut on_line = body.points.iter().filter(|point| stands_on(body, point, line));
        self.is_optimised(id) && line > 0 && !on_line.any(is_call)
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
            obstacle: None,
        }
    }

    /// Looks a frame up. The functions called from it that have left no frame go to `gone`, each with its last call.
    fn locate_frame(
        &self,
        frame: &Frame,
        function: Option<FunctionId>,
        callee: Option<&Frame>,
        gone: &mut Vec<(FunctionId, PointId)>,
    ) -> LocatedFrame {
        let mut located = LocatedFrame {
            name: frame.function.clone(),
            function,
            places: Vec::new(),
            callee_known: false,
            values: frame.values.clone(),
            missing: frame.missing.clone(),
            obstacle: None,
        };
        let Some(id) = function else {
            return located;
        };
        let Some(line) = frame.line else {
            located.obstacle = Some(Obstacle::NoLine(frame.function.clone()));
            return located;
        };
        let body = &self.map().functions[id];
        if frame.inexact {
            located.obstacle = Some(Obstacle::Mixed(body.name.clone()));
            return located;
        }
        if self.may_be_a_loop(id) {
            located.obstacle = Some(Obstacle::MayBeDeeper(body.name.clone()));
            return located;
        }
        let on_line: Vec<PointId> = body
            .points
            .iter_enumerated()
            .filter(|(_, point)| stands_on(body, point, line))
            .map(|(id, _)| id)
            .collect();
        let on_line = with_nested_calls(body.points.as_slice(), on_line);
        if on_line.is_empty() {
            located.obstacle = Some(Obstacle::NoPoint(self.line_of(body, line)));
            return located;
        }
        let is_cxx = body.language().is_cxx();
        if let Some(callee) = callee.filter(|_| is_cxx)
            && runs_on_the_way_out(&callee.function)
            && on_line
                .iter()
                .any(|&point| body.points[point].kind != PointKind::Exit)
        {
            located.obstacle = Some(Obstacle::LeavesScope {
                function: body.name.clone(),
                callee: callee.function.clone(),
            });
            return located;
        }
        let points = |ids: &[PointId], keep: &dyn Fn(PointId) -> bool| -> Vec<PointId> {
            ids.iter().copied().filter(|&id| keep(id)).collect()
        };
        let mut inside_call = false;
        let mut chosen = if let Some(callee) = callee {
            let by_name = |point: &Point| calls_by_name(point, &callee.function);
            // What was called may have made a tail call of the callee: then it is no longer there.
            let vanished = |point: &Point| !frame.straight && self.vanished_call(point, &callee.function);
            // A pointer or a macro may lead to the same function as a call by its name beside it.
            let hidden = |point: PointId| match body.points[point].kind {
                PointKind::IndirectCall => true,
                PointKind::MacroCall(_) => self.macro_may_call(id, point, &callee.function, frame.straight),
                _ => false,
            };
            let named = points(&on_line, &|p| {
                by_name(&body.points[p]) || vanished(&body.points[p]) || hidden(p)
            });
            // A call of that name elsewhere on the line is another call, and this one made a tail call.
            let named = within_calls_at(body.points.as_slice(), named, line, frame.column);
            // C++ makes implicit calls: of constructors, operators, conversions. One of the name
            // of a call on the line may not be that call.
            let implicit = is_cxx && self.may_be_implicit(callee);
            if implicit {
                on_line
            } else if named.iter().any(|&p| by_name(&body.points[p])) {
                let chosen = narrow_calls(body.points.as_slice(), named, line, frame.column);
                inside_call = chosen
                    .iter()
                    .all(|&p| !matches!(body.points[p].kind, PointKind::MacroCall(_)));
                located.callee_known = chosen.iter().all(|&p| {
                    by_name(&body.points[p]) || hidden(p) && !self.may_have_vanished_into(&callee.function)
                });
                chosen
            } else if let Some((call, way)) =
                self.only_call_into(body, &named, &callee.function, (line, frame.column))
            {
                inside_call = true;
                located.callee_known = true;
                *gone = way;
                vec![call]
            } else {
                let through_pointer = points(&on_line, &hidden);
                let callee_mapped = self.function_of(callee).is_some();
                if !through_pointer.is_empty() {
                    // A macro may assign and call in any order; a pointer's target is a call like any other.
                    inside_call = through_pointer
                        .iter()
                        .all(|&p| body.points[p].kind == PointKind::IndirectCall);
                    located.callee_known = !self.may_have_vanished_into(&callee.function);
                    narrow_calls(body.points.as_slice(), through_pointer, line, frame.column)
                } else if callee_mapped && is_cxx {
                    on_line
                } else if callee_mapped {
                    // An alias, or a frame that a tail call removed: some call on the line, we do not know which.
                    let calls = points(&on_line, &|p| is_call(&body.points[p]));
                    if calls.is_empty() {
                        located.obstacle = Some(Obstacle::NoSuchCall {
                            at: self.line_of(body, line),
                            callee: callee.function.clone(),
                        });
                        return located;
                    }
                    calls
                } else {
                    // A compiler's helper (memcpy for a structure) may be called by any point. But where the line calls
                    // a function of the map, that one may be gone: it made a tail call.
                    located.callee_known = !on_line.iter().any(|&p| match &body.points[p].kind {
                        PointKind::Call(name) => !self.functions_named(name).is_empty(),
                        _ => false,
                    });
                    on_line
                }
            }
        } else {
            let mut here = narrow_column(body.points.as_slice(), on_line, line, frame.column);
            let prepared = in_arguments_of(body.points.as_slice(), &here);
            here.extend_from_slice(&prepared);
            let arms = self.arms_of(id, &here);
            here.extend_from_slice(&arms);
            here
        };
        if on(Mutant::FirstCallTaken) && inside_call || on(Mutant::FirstPointTaken) && !inside_call {
            chosen.truncate(1);
        }
        if on(Mutant::ForHeaderTrusted) {
            chosen.retain(|&p| {
                let headers = body.loops.iter().filter(|each| each.span.line == line);
                headers.count() == 0 || body.points[p].innermost_loop.is_some()
            });
        }
        let others = chosen.iter().flat_map(|&point| self.merged_with(id, point));
        let others = Vec::from_iter(others);
        chosen.extend(others);
        chosen.sort_unstable();
        chosen.dedup();
        let assigns = self.assigning_points(id);
        for point in chosen {
            located.places.push(Place { point, after: false });
            // Inside a call only what the call itself updates may have changed.
            let may_be_after =
                (!inside_call || is_call(&body.points[point])) && !on(Mutant::UpdateLineIsBefore);
            if may_be_after && assigns.binary_search(&point).is_ok() {
                located.places.push(Place { point, after: true });
            }
        }
        located
    }

    /// Whether the function of a frame may be called by a macro that is left as it is, and not by one of its arguments; `straight` if
    /// the frame's call is known to be by the callee's name, or through a pointer.
    fn macro_may_call(&self, id: FunctionId, point: PointId, callee: &str, straight: bool) -> bool {
        let Some(callees) = self.map().called_by_macro(id, point) else {
            return true;
        };
        callees.iter().any(|name| {
            let same = name == callee || is_mpi(name) && mpi_name(name) == mpi_name(callee);
            let functions = self.functions_named(name).iter();
            same || !straight && functions.copied().any(|id| self.may_vanish_into(id, callee))
        })
    }

    /// The calls in which a frame may be that shows the position of `point`: the compiler may have made them one.
    pub(crate) fn merged_with(&self, id: FunctionId, point: PointId) -> impl Iterator<Item = PointId> + '_ {
        self.map().bindings().flat_map(move |binding| {
            let own = binding.merges_of(id).iter();
            own.filter(move |merge| merge.shown == point)
                .map(|merge| merge.other)
        })
    }

    /// Whether C++ may call the function of a frame where the source calls nothing, as far as its name tells.
    fn may_be_implicit(&self, callee: &Frame) -> bool {
        let name = callee.function.as_str();
        let constructs = |id: &FunctionId| {
            let qualified = self.map().functions[*id].linkage_name.as_deref();
            qualified.is_some_and(|qualified| base::constructs(qualified, name))
        };
        matches!(name, "begin" | "end")
            || name.strip_prefix("operator").is_some_and(|rest| {
                rest != "()" && !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
                    || rest.starts_with(' ')
            })
            || self.functions_named(name).iter().any(constructs)
    }

    /// Whether a point calls a function that may have vanished into `callee`.
    fn vanished_call(&self, point: &Point, callee: &str) -> bool {
        let PointKind::Call(name) = &point.kind else {
            return false;
        };
        let candidates = self.functions_named(name).iter();
        candidates.copied().any(|id| self.may_vanish_into(id, callee))
    }

    /// Of the calls at a position that may have led to `callee` without being a call of it, the only one, and how.
    fn only_call_into(
        &self,
        body: &Function,
        candidates: &[PointId],
        callee: &str,
        (line, column): (u32, Option<u32>),
    ) -> Option<(PointId, Vec<(FunctionId, PointId)>)> {
        let narrowed = narrow_calls(body.points.as_slice(), candidates.to_vec(), line, column);
        let [call] = narrowed[..] else {
            return None;
        };
        let PointKind::Call(name) = &body.points[call].kind else {
            return None;
        };
        let [called] = *self.functions_named(name) else {
            return None;
        };
        Some((call, self.only_way_into(called, callee)?))
    }

    /// The function of the map that a frame names: by name, then by file, then by line.
    fn function_of(&self, frame: &Frame) -> Option<FunctionId> {
        let mut candidates: Vec<FunctionId> = self.functions_named(&frame.function).to_vec();
        if let Some(file) = &frame.file {
            candidates.retain(|&id| {
                base::may_be_one_file(&self.map().files[self.map().functions[id].file].path, file)
            });
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
            let innermost = { candidates.iter().copied() }.find(|&id| {
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

/// Whether a function of this name may run while control leaves a scope, by whatever way: its end, a jump or an
/// exception.
fn runs_on_the_way_out(name: &str) -> bool {
    name.starts_with('~') || name.starts_with("_Unwind_") || name.starts_with("__cxa_")
}

/// Whether a point's code may carry the line number `line`.
fn stands_on(function: &Function, point: &Point, line: u32) -> bool {
    match point.kind {
        PointKind::Entry => {
            // The prologue is anywhere between the first line of the head and the opening brace.
            let brace = function
                .scopes
                .iter()
                .find(|scope| scope.kind == ScopeKind::Block);
            (point.span.line..=brace.map_or(point.span.line, |block| block.line)).contains(&line)
        }
        PointKind::Exit => point.span.end_line == line,
        // No code stands for a join.
        _ => !point.span.is_empty() && point.span.covers_line(line),
    }
}

fn is_call(point: &Point) -> bool {
    point.kind.is_call()
}

/// Whether a point is a call of the function that a frame names; an MPI function's frame may carry its profiling
/// name.
fn calls_by_name(point: &Point, frame_function: &str) -> bool {
    match &point.kind {
        PointKind::Call(name) => {
            name == frame_function || is_mpi(name) && mpi_name(name) == mpi_name(frame_function)
        }
        _ => false,
    }
}

/// Of calls on a line, those that are at the column or nested in a call there; all when no call begins at the column.
fn within_calls_at(
    points: &[Point],
    mut calls: Vec<PointId>,
    line: u32,
    column: Option<u32>,
) -> Vec<PointId> {
    let at = |point: &&Point| is_call(point) && (point.span.line, Some(point.span.column)) == (line, column);
    let spans = Vec::from_iter(points.iter().filter(at).map(|point| point.span));
    calls.retain(|&call| {
        let span = points[base::Id::index(call)].span;
        spans.is_empty() || spans.iter().any(|at| at.contains(span))
    });
    calls
}

/// Of calls of the right name on a line, those that the column may mean.
fn narrow_calls(points: &[Point], calls: Vec<PointId>, line: u32, column: Option<u32>) -> Vec<PointId> {
    let Some(column) = column.filter(|&column| column > 0 && calls.len() > 1) else {
        return calls;
    };
    let span = |id: PointId| points[base::Id::index(id)].span;
    let exact: Vec<PointId> = calls
        .iter()
        .copied()
        .filter(|&c| (span(c).line, span(c).column) == (line, column))
        .collect();
    if exact.is_empty() {
        return calls;
    }
    calls
        .into_iter()
        .filter(|&c| {
            let nested = !on(Mutant::NestedCallExcluded);
            exact
                .iter()
                .any(|&e| e == c || nested && span(e).contains(span(c)))
        })
        .collect()
}

/// Of points on a line, those that the column may mean: all that contain it, or the whole line when none does.
fn narrow_column(points: &[Point], on_line: Vec<PointId>, line: u32, column: Option<u32>) -> Vec<PointId> {
    let Some(column) = column.filter(|&column| column > 0) else {
        return on_line;
    };
    let contains = |id: &PointId| {
        let point = &points[base::Id::index(*id)];
        let span = point.span;
        (span.line, span.column) <= (line, column)
            && (line, column) < (span.end_line, span.end_column)
            && !matches!(point.kind, PointKind::Entry | PointKind::Exit)
    };
    let exact: Vec<PointId> = on_line.iter().copied().filter(contains).collect();
    if exact.is_empty() {
        on_line
    } else {
        with_nested_calls(points, exact)
    }
}

/// What the arguments of the calls among `here` do: code that prepares a call has the position of the call, and `i++` in `f(i++)` may
/// not have been made there.
fn in_arguments_of(points: &[Point], here: &[PointId]) -> Vec<PointId> {
    let calls = here.iter().map(|&id| &points[base::Id::index(id)]);
    let spans = Vec::from_iter(calls.filter(|point| is_call(point)).map(|point| point.span));
    let inside = points.iter().enumerate().filter(|(_, point)| {
        let has_code = !matches!(point.kind, PointKind::Entry | PointKind::Exit);
        has_code
            && spans
                .iter()
                .any(|span| *span != point.span && span.contains(point.span))
    });
    inside.map(|(at, _)| base::Id::from_index(at)).collect()
}

/// Adds the calls in the arguments of calls that are there: gcc numbers them like the outer call, line and column.
fn with_nested_calls(points: &[Point], mut chosen: Vec<PointId>) -> Vec<PointId> {
    let outer: Vec<_> = chosen
        .iter()
        .map(|&id| &points[base::Id::index(id)])
        .filter(|point| is_call(point))
        .map(|point| point.span)
        .collect();
    if outer.is_empty() {
        return chosen;
    }
    let nested = points.iter().enumerate().filter(|(_, point)| {
        is_call(point)
            && outer
                .iter()
                .any(|span| *span != point.span && span.contains(point.span))
    });
    chosen.extend(nested.map(|(index, _)| <PointId as base::Id>::from_index(index)));
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}
