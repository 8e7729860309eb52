//! Of the points at the position of a frame, those at which it can have called the next frame.
//!
//! The position and the callee's name together are stronger than either: of several calls on a line only those of that name qualify.
//! But the callee's frame may have come to be in other ways than by a call of its name there: through a pointer, by a macro
//! that was left as it is, by a tail call of what was called there, or by a call that C++ makes and nobody
//! wrote. Each way has its step below; together they leave out no point that may be the one.

use crate::{Frame, Obstacle, Order};
use base::mutant::{Mutant, on};
use base::{is_mpi, mpi_name};
use library::standard::{self, Fact};
use progress_map::{Function, FunctionId, Point, PointId, PointKind};

/// Where a frame may be in its function.
pub(crate) struct Standing {
    /// At one of these points.
    pub(crate) points: Vec<PointId>,
    /// The task is inside the call of the point, so that nothing which the point assigns with the call's result has been assigned yet.
    pub(crate) inside_call: bool,
    /// The next frame's function is the one that the points call.
    pub(crate) callee_known: bool,
    /// The functions that were called in between and have left no frame, outermost first, each with the call that replaced it.
    pub(crate) gone: Vec<(FunctionId, PointId)>,
    /// The function that a call through a pointer has led to, if that is known whichever call of the function made it.
    pub(crate) behind_pointer: Option<FunctionId>,
}

impl Standing {
    /// At any of these points, before, during or after what they do.
    pub(crate) fn anywhere(points: Vec<PointId>) -> Self {
        Self {
            points,
            inside_call: false,
            callee_known: false,
            gone: Vec::new(),
            behind_pointer: None,
        }
    }

    /// Breaks the look-up on request, so that tests can show that they would notice.
    pub(crate) fn mutate(&mut self, body: &Function, line: u32) {
        let first = if self.inside_call {
            Mutant::FirstCallTaken
        } else {
            Mutant::FirstPointTaken
        };
        if on(first) {
            self.points.truncate(1);
        }
        let is_header = body.loops.iter().any(|each| each.span.line == line);
        if on(Mutant::ForHeaderTrusted) && is_header {
            self.points
                .retain(|&point| body.points[point].innermost_loop.is_some());
        }
    }
}

/// A frame that has called the next one.
struct Call<'c> {
    id: FunctionId,
    body: &'c Function,
    frame: &'c Frame,
    line: u32,
    callee: &'c Frame,
}

impl Call<'_> {
    fn position(&self) -> (u32, Option<u32>) {
        (self.line, self.frame.column)
    }

    fn is_by_name(&self, point: PointId) -> bool {
        calls_by_name(&self.body.points[point], &self.callee.function)
    }
}

impl Order<'_> {
    /// Where a frame may be that has called the next one, `callee`; `on_line` are the points of its line.
    pub(crate) fn in_call(
        &self,
        id: FunctionId,
        (line, frame): (u32, &Frame),
        callee: &Frame,
        on_line: Vec<PointId>,
    ) -> Result<Standing, Obstacle> {
        let body = &self.map().functions[id];
        // C++ makes implicit calls: of constructors, operators, conversions. One of the name of a call on the line may not
        // be that call.
        let is_implicit = body.is_qualified() && self.may_be_implicit(callee);
        if let Some(head) = head_of_constructor(body, &on_line, (line, frame.column), is_implicit) {
            return Ok(Standing::anywhere(head));
        }
        if is_implicit {
            return Ok(Standing::anywhere(on_line));
        }
        let call = Call {
            id,
            body,
            frame,
            line,
            callee,
        };
        let near = calls_near(body, &on_line, call.position());
        let may_lead = |point: &PointId| self.may_lead(&call, *point);
        let candidates = Vec::from_iter(near.iter().copied().filter(may_lead));
        if candidates.iter().any(|&point| call.is_by_name(point)) {
            return Ok(self.by_name(&call, candidates));
        }
        if let Some((point, gone)) = self.only_call_into(body, &candidates, callee, call.position()) {
            return Ok(Standing {
                points: vec![point],
                inside_call: true,
                callee_known: true,
                gone,
                behind_pointer: None,
            });
        }
        if let Some(standing) = self.by_value(&call, &near) {
            return Ok(standing);
        }
        if self.function_of(callee).is_none() {
            return Ok(self.in_helper(body, on_line));
        }
        if body.is_qualified() {
            return Ok(Standing::anywhere(on_line));
        }
        // An alias, or a frame that a tail call removed: some call on the line, we do not know which.
        let is_call = |point: &PointId| body.points[*point].kind.is_call();
        let calls = Vec::from_iter(on_line.into_iter().filter(is_call));
        if calls.is_empty() {
            return Err(Obstacle::NoSuchCall {
                at: self.line_of(body, line),
                callee: callee.function.clone(),
            });
        }
        Ok(Standing::anywhere(calls))
    }

    /// Of calls that the compiler may have made one with those that a frame shows, the ones that may have led to the next frame. Where those that it
    /// shows do not explain it themselves, nothing is known of the others.
    pub(crate) fn leading_to(
        &self,
        (id, frame, callee): (FunctionId, &Frame, &Frame),
        shown: &[PointId],
        joined: Vec<PointId>,
    ) -> Vec<PointId> {
        let body = &self.map().functions[id];
        let call = Call {
            id,
            body,
            frame,
            line: frame.line.unwrap_or(0),
            callee,
        };
        let may_lead = |point: &PointId| match body.points[*point].kind {
            // Another macro is not the one that the frame shows, whose arguments call as well: it calls what it calls itself.
            PointKind::MacroCall(_) => {
                let callees = self.map().possibly_called_by_macro(id, *point);
                self.may_be_among(callees, &callee.function, frame.straight)
            }
            _ => self.may_lead(&call, *point),
        };
        if body.is_qualified() && self.may_be_implicit(callee) || !shown.iter().any(may_lead) {
            return joined;
        }
        joined.into_iter().filter(may_lead).collect()
    }

    /// Whether a point may have led to the callee in any way that is known.
    fn may_lead(&self, call: &Call<'_>, point: PointId) -> bool {
        // What was called may have made a tail call of the callee: then it is no longer there.
        let vanished =
            || !call.frame.straight && self.vanished_call(&call.body.points[point], &call.callee.function);
        call.is_by_name(point) || self.may_call_by_value(call, point) || vanished()
    }

    /// Where the frame may be if one of the candidates is a call of the callee's name.
    fn by_name(&self, call: &Call<'_>, candidates: Vec<PointId>) -> Standing {
        let points = narrow_calls(call.body, candidates, call.position());
        let is_call = |point: &PointId| !matches!(call.body.points[*point].kind, PointKind::MacroCall(_));
        let is_known = |&point: &PointId| {
            call.is_by_name(point)
                || self.may_call_by_value(call, point) && !self.may_have_vanished_into(&call.callee.function)
        };
        Standing {
            inside_call: points.iter().all(is_call),
            callee_known: points.iter().all(is_known),
            gone: Vec::new(),
            behind_pointer: None,
            points,
        }
    }

    /// Where the frame may be if one of the calls at its position names nobody.
    fn by_value(&self, call: &Call<'_>, near: &[PointId]) -> Option<Standing> {
        let by_value = |&point: &PointId| self.may_call_by_value(call, point);
        let points = Vec::from_iter(near.iter().copied().filter(by_value));
        if points.is_empty() {
            return None;
        }
        // A macro may assign and call in any order; a pointer's target is a call like any other.
        let is_call = |point: &PointId| call.body.points[*point].kind == PointKind::IndirectCall;
        let inside_call = points.iter().all(is_call);
        let points = narrow_calls(call.body, points, call.position());
        let way = match points[..] {
            [point] if inside_call => self.only_way_through_pointer((call.id, point), call.callee),
            _ if self.may_have_vanished_into(&call.callee.function) => None,
            _ => Some(Vec::new()),
        };
        Some(Standing {
            inside_call,
            callee_known: way.is_some(),
            behind_pointer: way.as_ref().and_then(|way| match way.first() {
                Some(&(function, _)) => Some(function),
                None => self.function_of(call.callee).filter(|_| inside_call),
            }),
            gone: way.unwrap_or_default(),
            points,
        })
    }

    /// Whether a point may call the function of the frame below it without naming it: through a pointer, or by a macro. Either
    /// may lead to the same function as a call by its name beside it.
    fn may_call_by_value(&self, call: &Call<'_>, point: PointId) -> bool {
        match call.body.points[point].kind {
            PointKind::IndirectCall => true,
            PointKind::MacroCall(_) => {
                self.macro_may_call(call.id, point, &call.callee.function, call.frame.straight)
            }
            _ => false,
        }
    }

    /// Where a frame may be that has called a function which the map does not have: a compiler's helper (`memcpy` for a
    /// structure) may be called by any point. But where the line calls a function of the map, that one may be gone: it made a tail call.
    fn in_helper(&self, body: &Function, on_line: Vec<PointId>) -> Standing {
        let calls_mapped = |&point: &PointId| match &body.points[point].kind {
            PointKind::Call(name) => !self.functions_named(name).is_empty(),
            _ => false,
        };
        Standing {
            callee_known: !on_line.iter().any(calls_mapped),
            ..Standing::anywhere(on_line)
        }
    }

    /// Whether the function of a frame may be called by a macro that is left as it is, and not by one of its arguments; `straight` if
    /// the frame's call is known to be by the callee's name, or through a pointer.
    fn macro_may_call(&self, id: FunctionId, point: PointId, callee: &str, straight: bool) -> bool {
        self.may_be_among(self.map().called_by_macro(id, point), callee, straight)
    }

    /// Whether the function of a frame may be called by one of the functions of these names, which a macro calls; `None` if that may be any.
    fn may_be_among(&self, callees: Option<&[String]>, callee: &str, straight: bool) -> bool {
        let Some(callees) = callees else {
            return true;
        };
        callees.iter().any(|name| {
            let same = name == callee || is_mpi(name) && mpi_name(name) == mpi_name(callee);
            let functions = self.functions_named(name).iter();
            same || !straight && functions.copied().any(|id| self.may_vanish_into(id, callee))
        })
    }

    /// Whether C++ may call the function of a frame where the source calls nothing, as far as its name tells.
    fn may_be_implicit(&self, callee: &Frame) -> bool {
        let name = callee.function.as_str();
        let constructs = |&id: &FunctionId| self.map().functions[id].is_constructor();
        standard::holds(name, Fact::InRangeLoops)
            || base::is_operator(name) && name != "operator()"
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
        callee: &Frame,
        position: (u32, Option<u32>),
    ) -> Option<(PointId, Vec<(FunctionId, PointId)>)> {
        let narrowed = narrow_calls(body, candidates.to_vec(), position);
        let [call] = narrowed[..] else {
            return None;
        };
        let PointKind::Call(name) = &body.points[call].kind else {
            return None;
        };
        // Of several of the name, as C++ has them, those that cannot have vanished are not meant.
        let named = self.functions_named(name).iter().copied();
        let named = named.filter(|&id| {
            self.may_vanish_into(id, &callee.function) && self.may_leave_to_code_of(id, callee)
        });
        let [called] = Vec::from_iter(named)[..] else {
            return None;
        };
        Some((call, self.only_way_into(called, &callee.function)?))
    }
}

/// The points of the head of a constructor, where a frame that is there may have called what no text of the head does: what the class says of members that
/// the list of initialisers leaves out (`int m = f();`) is evaluated there, and so are their constructors, at any position that the compiler gives them. Within the
/// text of a call stands nothing but that call.
fn head_of_constructor(
    body: &Function,
    on_line: &[PointId],
    (line, column): (u32, Option<u32>),
    is_implicit: bool,
) -> Option<Vec<PointId>> {
    let in_head = on_line
        .iter()
        .any(|&point| body.points[point].kind == PointKind::Entry);
    let of_a_call = |&point: &PointId| {
        let point = &body.points[point];
        point.kind.is_call() && column.is_some_and(|column| point.span.contains_position(line, column))
    };
    let is_explicit = !is_implicit && on_line.iter().any(of_a_call);
    (in_head && !is_explicit && body.is_constructor()).then(|| body.points_of_head().collect())
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

/// Of the points of a line, the calls at a position and those nested in them, or all calls where the position tells none. A call of the callee's name elsewhere on
/// the line is another one: this one made a tail call, or C++ calls in a default argument. gcc and clang give calls of C the position at which these begin. In C++
/// there are calls of other positions: g++ gives its own the position of the parenthesis, and what a default argument calls that of the call which takes it.
fn calls_near(body: &Function, on_line: &[PointId], (line, column): (u32, Option<u32>)) -> Vec<PointId> {
    let calls = on_line.iter().copied();
    let calls = Vec::from_iter(calls.filter(|&point| body.points[point].kind.is_call()));
    let at = match column.filter(|&column| column > 0) {
        Some(column) if body.is_qualified() => body.calls_at(&calls, line, column),
        Some(column) => Vec::from_iter(body.calls_beginning_at(line, column)),
        None => Vec::new(),
    };
    if at.is_empty() {
        return calls;
    }
    let inside = Vec::from_iter(body.within(&at));
    let is_inside = |call: &PointId| inside.binary_search(call).is_ok();
    calls.into_iter().filter(is_inside).collect()
}

/// Of calls of the right name on a line, those that the column may mean.
fn narrow_calls(body: &Function, calls: Vec<PointId>, (line, column): (u32, Option<u32>)) -> Vec<PointId> {
    let Some(column) = column.filter(|&column| column > 0 && calls.len() > 1) else {
        return calls;
    };
    let exact = body.calls_at(&calls, line, column);
    if exact.is_empty() {
        return calls;
    }
    if on(Mutant::NestedCallExcluded) {
        return exact;
    }
    let inside = Vec::from_iter(body.within(&exact));
    calls
        .into_iter()
        .filter(|call| inside.binary_search(call).is_ok())
        .collect()
}
