//! Who has not made a call yet, in code whose loops are not those of the source.
//!
//! A loop of the source may be no loop of the machine code, or several, so that of two tasks the one that the code leads from may be a later iteration
//! ([`code_loops`](crate::code_loops)). It is not if each iteration makes the call that the other one is in, and no instruction that may be that call
//! leads to where the first one is: then it has not made the call in this execution of the function. So it is in no iteration but the first one of each loop
//! around both, and in none of the places that follow the call there. As the code leads from it to the call, the source does, too: it is behind (SC'09 Def. 3.2).
//!
//! That takes knowing all instructions of the call. A function of MPI that communicates is neither a macro nor inlined, so that each copy of the call
//! still names it, and has its position or that of a call that was joined with it.

use crate::code::CodeFrame;
use crate::code_calls::CallsOfCode;
use crate::code_loops::levels;
use crate::locate::LocatedFrame;
use crate::rounds::calls_of;
use crate::{Located, Order, flow};
use base::{Confidence, mpi_name};
use progress_map::{Function, PointId, PointKind};
use std::cell::LazyCell;

/// Where a frame of the machine is in the source: in the innermost function that it holds, if each iteration of every loop of the source around it comes there.
struct InEachIteration<'o, 'l> {
    /// The functions that the frame holds, outermost first.
    frames: Vec<&'l LocatedFrame>,
    function: &'o Function,
    point: PointId,
}

impl Order<'_> {
    /// Whether a task in `frame` has not made the call yet that another one is in, `awaited` of its stack; both are in one execution of the function, whose code
    /// leads from the first to the second and not back.
    pub(crate) fn has_never_made(&self, frame: &CodeFrame, (task, awaited): (&Located, &CodeFrame)) -> bool {
        let Some(at) = self.in_each_iteration(task, awaited).filter(|_| awaited.in_call) else {
            return false;
        };
        let Some(binding) = self.map().bindings().nth(frame.binding) else {
            return false;
        };
        let is_by_name = at.frames.last().is_some_and(|innermost| innermost.callee_known);
        let called = match &at.function.points[at.point].kind {
            PointKind::Call(name) if is_by_name && library::communicates(name) => mpi_name(name),
            _ => return false,
        };
        let named_by = |block: u32| {
            let end = binding.code.blocks[block as usize].end;
            binding.named_by(end).map(mpi_name)
        };
        // A copy of the call is an instruction that names the same function. An instruction whose callee is not known may be a copy, too.
        let is_another = |block: u32| {
            named_by(block).is_some_and(|name| name != called && !self.is_part_of(name, &at.frames))
        };
        let code = self.function_code(frame.binding, frame.function);
        let calls = LazyCell::new(|| CallsOfCode::new(self, binding, &code));
        // Copies and joined code keep the position of some call that they are.
        let is_elsewhere = |block: u32| {
            let innermost = at.frames.last().and_then(|frame| frame.function);
            let source = calls.sources.get(&block);
            let at_depth = innermost.and_then(|id| Some((source?, source?.depth_of(id)?)));
            at_depth.is_some_and(|(source, depth)| {
                let points = calls.points(source, depth);
                source.levels[depth].line().is_some() && !points.is_empty() && !points.contains(&at.point)
            })
        };
        let mut before = code.communicating_before(frame.place.block);
        named_by(awaited.place.block) == Some(called)
            && before.all(|block| is_another(block) || is_elsewhere(block))
    }

    /// Whether the call of a function of the map that a frame is in is the first one of that point of the source, in this execution of the code: each iteration of every loop of the source
    /// around it makes the call, and no other instruction that makes it leads there. So whoever is in this instruction is in the first iteration of each of these loops.
    pub(crate) fn is_first_call(&self, task: &Located, frame: &CodeFrame) -> bool {
        let (Some(at), Some(binding)) = (
            self.in_each_iteration(task, frame),
            self.map().bindings().nth(frame.binding),
        ) else {
            return false;
        };
        let PointKind::Call(name) = &at.function.points[at.point].kind else {
            return false;
        };
        let callees = self.functions_named(name).iter().copied().collect();
        let code = self.function_code(frame.binding, frame.function);
        let to_mpi = self.coming_to_mpi(frame.binding);
        let Some(calls) = calls_of((binding, to_mpi), (frame.function, &code.blocks), &callees) else {
            return false;
        };
        let own = frame.place.block;
        let mut before = code.communicating_before(own);
        calls.contains(&own) && before.all(|block| block == own || !calls.contains(&block))
    }

    /// Whether each iteration of every loop of the source around a frame makes the call that it is in, and the call may come to MPI, so that code which cannot holds no copy of it.
    pub(crate) fn is_called_by_each_iteration(&self, task: &Located, frame: &CodeFrame) -> bool {
        let code = self.function_code(frame.binding, frame.function);
        code.communicates(frame.place.block) && self.in_each_iteration(task, frame).is_some()
    }

    /// Where a frame of the machine is, if each iteration of every loop of the source around it comes there.
    fn in_each_iteration<'l>(&self, task: &'l Located, frame: &CodeFrame) -> Option<InEachIteration<'_, 'l>> {
        let frames = levels(task, &frame.levels());
        // Of a function that the map does not hold it is not known which loops are around the call.
        if frames.len() != frame.levels().len() {
            return None;
        }
        let mut in_loop = false;
        let mut innermost = None;
        for frame in &frames {
            let function = &self.map().functions[frame.function?];
            let is_known = frame.obstacle.is_none() && !frame.may_be_merged && !frame.is_any_round;
            let &[place] = &frame.places[..] else { return None };
            // What is called in an iteration has to come there in each of its executions.
            let is_passed = each_iteration_passes(function, place.point)
                && (!in_loop || each_execution_passes(function, place.point));
            if !is_known || !is_passed || function.confidence == Confidence::Partial {
                return None;
            }
            in_loop |= function.loops_around(place.point).next().is_some();
            innermost = Some((function, place.point));
        }
        let (function, point) = innermost?;
        Some(InEachIteration {
            frames,
            function,
            point,
        })
    }
}

/// Whether no iteration of the loops around a point goes past it.
fn each_iteration_passes(function: &Function, point: PointId) -> bool {
    let mut around = function.loops_around(point);
    around.all(|id| {
        let in_loop = &function.loops[id];
        let avoids = |next| next != point && flow::lies_in(function, next, Some(id));
        let is_passed = in_loop.header == point || !function.reaches(in_loop.header, in_loop.header, avoids);
        in_loop.reducible && is_passed
    })
}

/// Whether nobody comes from a function's entry to its end but by a point.
fn each_execution_passes(function: &Function, point: PointId) -> bool {
    let mut points = function.points.ids();
    let ends = points.next().zip(points.next_back());
    ends.is_some_and(|(entry, exit)| !function.reaches(entry, exit, |next| next != point))
}
