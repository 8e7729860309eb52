//! Instructions that an optimising compiler has moved past a call, with the position that they had.
//!
//! Both compilers sink a computation to where its result is used: `int n = argc + 1;` in front of a loop that calls may become one instruction
//! behind it, which the line table marks as the beginning of the statement in front. A task that is stopped there is behind the loop. So the
//! position of an instruction of optimised code is believed only if it agrees with the calls around it. The machine code tells which calls may have been the last
//! before the instruction, and which may be the next. **The position agrees** with one of these if the source has a way between the two that makes no other call of the same code, and
//! that goes round a loop which holds the second if and only if the way in the machine code must.

use crate::calls_around::{CallsAround, Way};
use crate::code::CodeIndex;
use crate::code_calls::{CallsOfCode, Level, SourceAt};
use crate::code_flow::FunctionCode;
use crate::{ExecutionPoint, Frame, Order};
use base::IdVec;
use progress_map::{Binding, Function, FunctionId, LoopId, PointId};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::PoisonError;

impl Order<'_> {
    /// The frames of a stack whose positions are not believed because their code was moved past a call.
    pub(crate) fn displaced(
        &self,
        point: &ExecutionPoint,
        functions: &[Option<FunctionId>],
    ) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let frames = &point.frames;
        for innermost in 0..frames.len() {
            // Whoever is in a call is where the call is.
            let is_in_itself = frames.get(innermost + 1).is_none_or(|next| next.interrupted);
            if is_in_itself && !frames[innermost].inexact {
                let is_inlined = |frame: &&Frame| frame.inlined;
                let depth = frames[..=innermost].iter().rev().take_while(is_inlined).count();
                let outermost = innermost.saturating_sub(depth);
                if self.is_displaced(&frames[outermost], &functions[outermost..=innermost]) {
                    found.extend(outermost..=innermost);
                }
            }
        }
        found
    }

    /// Whether the instruction that a frame is at was moved past a call; `functions` are those of the map that it is in, outermost first.
    fn is_displaced(&self, frame: &Frame, functions: &[Option<FunctionId>]) -> bool {
        let mapped = functions.iter().flatten().next();
        let (Some(address), Some(&mapped)) = (frame.pc, mapped) else {
            return false;
        };
        let Some((at, binding)) = self.binding_at(frame, address, Some(mapped)) else {
            return false;
        };
        let Some(bound) = binding.function_at(address).filter(|bound| bound.optimised) else {
            return false;
        };
        if binding.code.blocks.is_empty() {
            return false;
        }
        let Some(block) = binding.code.block_at(address) else {
            // Its ways were not understood, or it calls nobody.
            return has_calls(binding, bound.start..bound.end);
        };
        let key = (at, address);
        let known = |index: &CodeIndex| {
            let displaced = index.displaced.lock().unwrap_or_else(PoisonError::into_inner);
            displaced.get(&key).copied()
        };
        if let Some(known) = known(&self.code) {
            return known;
        }
        let code = self.function_code(at, binding.code.blocks[block as usize].function);
        let calls = CallsOfCode::new(self, binding, &code);
        let found = !calls.agree(&code, block, &SourceAt::new(binding, &calls.inlined, address));
        let mut displaced = self.code.displaced.lock().unwrap_or_else(PoisonError::into_inner);
        displaced.insert(key, found);
        found
    }
}

/// Whether a binding knows of calls in some code.
fn has_calls(binding: &Binding, code: Range<u64>) -> bool {
    let sites = binding.sites.iter().map(|site| site.return_address);
    let calls = binding.calls.iter().map(|call| call.return_address);
    let of_mpi = binding.mpi_calls.iter().map(|call| call.return_address);
    sites
        .chain(calls)
        .chain(of_mpi)
        .any(|address| code.contains(&address))
}

impl CallsOfCode<'_> {
    /// Whether the position of an instruction of a block agrees with the calls that may be the last before it and those that may be the next.
    fn agree(&self, code: &FunctionCode, block: u32, at: &SourceAt) -> bool {
        let around = CallsAround::new(code, block, |block| self.sources.contains_key(&block));
        let mut before = around.before.iter();
        let mut after = around.after.iter();
        before.all(|(call, &way)| self.leads(&self.sources[call], at, way))
            && after.all(|(call, &way)| self.leads(at, &self.sources[call], way))
    }

    /// Whether the source leads from one instruction to another in this way, by no other call of the code.
    fn leads(&self, from: &SourceAt, to: &SourceAt, way: Way) -> bool {
        let shared = from.shared(to);
        let mut is_mapped = false;
        for depth in (0..shared).rev() {
            let Some(id) = from.levels[depth].function else {
                continue;
            };
            is_mapped = true;
            // An inlined function that both are in was left and entered anew.
            let is_left = depth + 1 < shared;
            let (starts, ends) = (self.points(from, depth), self.points(to, depth));
            let ways = self.ways((id, &from.levels[..=depth]), &starts, &ends);
            let is_led = match way {
                Way::Onward => ways.onward && !is_left,
                Way::Around => ways.around,
            };
            if is_led && self.is_left(from, depth + 1) && self.is_entered(to, depth + 1) {
                return true;
            }
        }
        !is_mapped
    }

    /// Whether the inlined functions from `depth` on lead from an instruction to their ends without a call.
    fn is_left(&self, from: &SourceAt, depth: usize) -> bool {
        self.inlined(from, depth).all(|(level, id, body)| {
            let exit = Vec::from_iter(body.points.ids().next_back());
            let at = self.points(from, level);
            self.ways((id, &from.levels[..=level]), &at, &exit).any()
        })
    }

    /// Whether the inlined functions from `depth` on lead from their entries to an instruction without a call.
    fn is_entered(&self, to: &SourceAt, depth: usize) -> bool {
        self.inlined(to, depth).all(|(level, id, body)| {
            let entry = Vec::from_iter(body.points.ids().next());
            let at = self.points(to, level);
            self.ways((id, &to.levels[..=level]), &entry, &at).any()
        })
    }

    /// The functions of the map among the levels of an instruction from `depth` on.
    fn inlined<'s>(
        &'s self,
        at: &'s SourceAt,
        depth: usize,
    ) -> impl Iterator<Item = (usize, FunctionId, &'s Function)> {
        let levels = at.levels.iter().enumerate().skip(depth);
        levels.filter_map(|(level, own)| {
            Some((level, own.function?, &self.order.map().functions[own.function?]))
        })
    }

    /// How the source leads from some points of an instance of a function to others, by none of the calls that the code makes in that instance.
    fn ways(&self, (id, instance): (FunctionId, &[Level]), starts: &[PointId], ends: &[PointId]) -> Reach {
        let body = &self.order.map().functions[id];
        let depth = instance.len() - 1;
        let mut is_end: IdVec<PointId, bool> = body.points.iter().map(|_| false).collect();
        let mut is_barred = is_end.clone();
        for call in self.sources.values() {
            let mut levels = call.levels.iter().zip(instance);
            if call.levels.len() == instance.len() && levels.all(|(own, other)| own.is_instance_of(other)) {
                let points = self.points(call, depth).into_iter();
                for point in points.filter(|&point| body.points[point].kind.is_call()) {
                    is_barred[point] = true;
                }
            }
        }
        for &end in ends {
            is_end[end] = true;
        }
        ways(body, starts, &is_end, &is_barred)
    }
}

/// How some points lead to others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Reach {
    /// Without coming back to the header of a loop that holds an end, or in no step at all.
    onward: bool,
    /// By coming back to one.
    around: bool,
}

impl Reach {
    fn any(self) -> bool {
        self.onward || self.around
    }
}

/// How `starts` lead to ends. A barred point may be a start or an end, and is in between nowhere.
fn ways(
    body: &Function,
    starts: &[PointId],
    is_end: &IdVec<PointId, bool>,
    is_barred: &IdVec<PointId, bool>,
) -> Reach {
    let mut seen: [IdVec<PointId, bool>; 2] = [0, 1].map(|_| body.points.iter().map(|_| false).collect());
    let mut holds_end: IdVec<LoopId, bool> = body.loops.iter().map(|_| false).collect();
    for (end, _) in is_end.iter_enumerated().filter(|(_, is_end)| **is_end) {
        for id in body.loops_around(end) {
            holds_end[id] = true;
        }
    }
    let mut found = Reach {
        onward: starts.iter().any(|&start| is_end[start]),
        around: false,
    };
    let mut work = Vec::from_iter(starts.iter().map(|&start| (start, false)));
    while let Some((point, is_around)) = work.pop() {
        for next in body.successors(point) {
            let mut around = body.loops_around(point);
            let comes_back = around.any(|id| body.loops[id].header == next && holds_end[id]);
            let is_around = is_around || comes_back;
            if std::mem::replace(&mut seen[usize::from(is_around)][next], true) {
                continue;
            }
            if is_end[next] {
                found.around |= is_around;
                found.onward |= !is_around;
            }
            if !is_barred[next] {
                work.push((next, is_around));
            }
        }
    }
    found
}
