//! Which iteration of a loop of the source a task is in, where machine code tells and no variable does.
//!
//! A counter may be in a register although debug info does not say so, or says so of another variable. That tells how often a loop *of the code* has come round
//! ([`code_counter`](crate::code_counter)), which need not be a loop of the source: compilers peel and unroll loops, make one of two and two of one. What they
//! leave alone are calls that may come to MPI: each is made as often as the source makes it. So the two loops are one if a call holds them together, an
//! **anchor**. Each iteration of the loop of the source makes it exactly once, one instruction alone makes it, and that is executed exactly once in each iteration of the
//! loop of the code. Then both have come round as often as the anchor was executed, but for where they begin: the iteration of the source is that of
//! the code, one more if the task's instruction comes after the anchor, and one less if its point does.
//!
//! Of loops inside one another each has its own anchor, from the outermost on. An anchor of an outer loop that lies in the next loop of the code would
//! let one execution of that one be several of the source's.

use crate::code::{CodeFrame, CodeStack};
use crate::code_calls::{CallsOfCode, SourceAt};
use crate::code_flow::{CodeLoop, FunctionCode};
use crate::code_loops::is_known;
use crate::locate::{LocatedFrame, Place};
use crate::{Order, flow};
use progress_map::{Across, Function, FunctionId, Loop, LoopId, LovClass, PointId, PointKind, Refusal};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

/// A loop of the source around a task, with the loop of the code that it has become.
pub(crate) struct AnchoredLoop {
    /// How many inlined calls of the code are around it.
    depth: usize,
    in_loop: LoopId,
    component: Vec<bool>,
    /// How many more iterations of the source the task has completed than of the code: 0, 1 or -1.
    more: i64,
}

/// By binding, address and places there: the loops that are found in the code.
pub(crate) type AnchoredLoops = BTreeMap<(usize, u64, Vec<(FunctionId, Vec<Place>)>), Arc<[AnchoredLoop]>>;

impl Order<'_> {
    /// Notes in the frames of a stack which iterations the machine code tells of loops whose variables do not.
    pub(crate) fn count_iterations(
        &self,
        frames: &mut [LocatedFrame],
        origin: &[Option<usize>],
        code: &CodeStack,
    ) {
        for of_code in code.frames() {
            let is_own = |origin: &Option<usize>| origin.is_some_and(|at| of_code.levels().contains(&at));
            let Some(first) = origin.iter().position(is_own) else {
                continue;
            };
            // Of what is inlined into a function that is not known it is not known in which loops.
            if origin[first] != Some(of_code.levels().start) {
                continue;
            }
            let count = origin[first..].iter().take_while(|origin| is_own(origin)).count();
            let own = &mut frames[first..first + count];
            let known = own
                .iter()
                .take_while(|frame| is_known(frame) && !frame.is_any_round)
                .count();
            let own = &mut own[..known];
            if !own.iter().any(|frame| self.has_untold_loop(frame)) {
                continue;
            }
            for (depth, in_loop, completed) in self.completed(own, of_code) {
                own[depth].iterations.insert(in_loop, completed);
            }
        }
    }

    /// Whether no variable tells the iteration of some loop around a frame.
    fn has_untold_loop(&self, frame: &LocatedFrame) -> bool {
        let (Some(id), Some(place)) = (frame.function, frame.places.first()) else {
            return false;
        };
        let function = &self.map().functions[id];
        let mut around = function.loops_around(place.point);
        around.any(|in_loop| {
            !function.loops[in_loop].lovs.iter().any(|lov| {
                let is_comparable = lov.class == LovClass::Strict && lov.across != Across::Nothing;
                is_comparable && frame.values.contains_key(&lov.name)
            })
        })
    }

    /// The completed iterations of loops around a frame of the code, whose functions of the source are in these frames: by frame and loop.
    fn completed(&self, frames: &[LocatedFrame], of_code: &CodeFrame) -> Vec<(usize, LoopId, u64)> {
        let code = self.function_code(of_code.binding, of_code.function);
        let Some(at) = code.local(of_code.place.block) else {
            return Vec::new();
        };
        let loops = self.anchored_loops(frames, of_code, &code, at);
        let counted = loops.iter().filter_map(|each| {
            let of_code = code.completed(&each.component, at, &of_code.place)?;
            let of_source = of_code.checked_add_signed(each.more)?;
            Some((each.depth, each.in_loop, of_source))
        });
        counted.collect()
    }

    /// The loops of the source around a place in the code that are found there, outermost first.
    fn anchored_loops(
        &self,
        frames: &[LocatedFrame],
        of_code: &CodeFrame,
        code: &FunctionCode,
        at: usize,
    ) -> Arc<[AnchoredLoop]> {
        let levels = frames.iter();
        let levels = levels.filter_map(|frame| Some((frame.function?, frame.places.clone())));
        let key = (of_code.binding, of_code.place.address, levels.collect());
        // Whoever panicked with a lock left nothing half done: an entry is whole when it is put in.
        let known = || self.code.anchored.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(&key) {
            return Arc::clone(found);
        }
        let anchors = Anchors::new(self, of_code, code, at);
        let found: Arc<[AnchoredLoop]> = anchors
            .map(|anchors| anchors.find(&key.2))
            .into_iter()
            .flatten()
            .collect();
        known().insert(key, Arc::clone(&found));
        found
    }
}

/// The calls that are made in one instance of a function.
#[derive(Default)]
struct Made {
    /// By call of the source: the blocks that end in an instruction that may be it. A block that may be several calls stands twice with each.
    by: BTreeMap<PointId, Vec<usize>>,
    /// Blocks that end in a call of which debug info does not say where it stands: a compiler has made it of calls at several places. That each iteration
    /// makes one could come of a loop that was unrolled.
    unplaced: Vec<usize>,
}

/// The search for anchors around one place in the code of a function.
struct Anchors<'o> {
    code: &'o FunctionCode,
    calls: CallsOfCode<'o>,
    /// The source at the place.
    here: SourceAt,
    at: usize,
}

impl<'o> Anchors<'o> {
    fn new(order: &'o Order<'_>, of_code: &CodeFrame, code: &'o FunctionCode, at: usize) -> Option<Self> {
        let binding = order.map().bindings().nth(of_code.binding)?;
        let calls = CallsOfCode::new(order, binding, code);
        let here = SourceAt::new(binding, &calls.inlined, of_code.place.address);
        Some(Self {
            code,
            calls,
            here,
            at,
        })
    }

    /// The loops around the place that have anchors, outermost first, as long as each has one. `levels` are the functions of the source there and where in them it may be.
    fn find(&self, levels: &[(FunctionId, Vec<Place>)]) -> Vec<AnchoredLoop> {
        let mut found = Vec::new();
        let mut of_code = self.code.loops_around(self.at).into_iter();
        let mut outer: Option<usize> = None;
        for (depth, (id, places)) in levels.iter().enumerate() {
            if self
                .here
                .levels
                .get(depth)
                .is_none_or(|level| level.function != Some(*id))
            {
                return found;
            }
            let function = &self.calls.order.map().functions[*id];
            let Some(around) = loops_around_all(function, places) else {
                return found;
            };
            let made = self.made_at(*id, depth);
            for in_loop in around {
                let Some(of_code) = of_code.next() else {
                    return found;
                };
                let is_within = outer.is_some_and(|outer| of_code.component[outer]);
                if is_within || !has_iterations(&function.loops[in_loop]) {
                    return found;
                }
                let anchor = made.by.iter().find_map(|(&call, blocks)| {
                    let &[block] = &blocks[..] else { return None };
                    let is_one = self.is_anchor((function, in_loop, call), (&of_code, block), &made.unplaced);
                    let more =
                        is_one.then(|| self.more((function, in_loop, call), (&of_code, block), places))?;
                    Some((block, more?))
                });
                let Some((block, more)) = anchor else {
                    return found;
                };
                outer = Some(block);
                found.push(AnchoredLoop {
                    depth,
                    in_loop,
                    component: of_code.component,
                    more,
                });
            }
        }
        found
    }

    /// The calls that are made in the instance of a function at one depth around the place.
    fn made_at(&self, id: FunctionId, depth: usize) -> Made {
        let body = &self.calls.order.map().functions[id];
        let mut made = Made::default();
        for (number, source) in &self.calls.sources {
            if source.shared(&self.here) <= depth {
                continue;
            }
            let points = self.calls.points(source, depth).into_iter();
            let mut points = Vec::from_iter(points.filter(|&point| body.points[point].kind.is_call()));
            points.sort_unstable();
            points.dedup();
            let Some(block) = self.code.local(*number) else {
                continue;
            };
            if source.levels[depth].line().is_none() {
                made.unplaced.push(block);
            }
            let times = if points.len() > 1 { 2 } else { 1 };
            // Nobody knows how often a macro calls.
            let is_macro = |point: &PointId| matches!(body.points[*point].kind, PointKind::MacroCall(_));
            for point in points.into_iter().filter(|point| !is_macro(point)) {
                let blocks = made.by.entry(point).or_default();
                blocks.extend(std::iter::repeat_n(block, times));
            }
        }
        made
    }

    /// Whether a call, which one instruction alone makes, is made exactly once in each iteration of a loop of the source, and so is the instruction in a loop of the code.
    fn is_anchor(
        &self,
        (function, in_loop, call): (&Function, LoopId, PointId),
        (of_code, block): (&CodeLoop, usize),
        unplaced: &[usize],
    ) -> bool {
        let header = function.loops[in_loop].header;
        let inside = |point: PointId| flow::lies_in(function, point, Some(in_loop));
        let without = |next: PointId| inside(next) && next != call && next != header;
        let is_passed_once = function.points[call].innermost_loop == Some(in_loop)
            && (call == header || !function.reaches(header, header, without));
        // What is inlined elsewhere may have lost all that comes to MPI there.
        let is_inlined = || {
            let mut inlined = self.calls.inlined.iter();
            inlined.any(|&at| {
                let inline = &self.calls.binding.inlines[at as usize];
                let span = function.points[call].span;
                inline.call_file == Ok(function.file)
                    && (span.line..=span.end_line).contains(&inline.call_line)
            })
        };
        let may_be_copied = || self.code.is_passed_always(of_code, unplaced);
        is_passed_once && self.code.is_passed_once(of_code, block) && !is_inlined() && !may_be_copied()
    }

    /// How many more iterations of the source than of the code a task has completed that is at the place; `None` if its places do not agree on that.
    fn more(
        &self,
        (function, in_loop, call): (&Function, LoopId, PointId),
        (of_code, block): (&CodeLoop, usize),
        places: &[Place],
    ) -> Option<i64> {
        let header = function.loops[in_loop].header;
        let inside = |point: PointId| point != header && flow::lies_in(function, point, Some(in_loop));
        let is_after = |place: &Place| {
            place.point != header && place.point != call && function.reaches(call, place.point, inside)
        };
        let mut after = places.iter().map(is_after);
        let first = after.next()?;
        if !after.all(|after| after == first) {
            return None;
        }
        Some(i64::from(self.code.comes_after(of_code, block, self.at)) - i64::from(first))
    }
}

/// Whether a task makes all iterations of a loop, one after the other, and comes into it by one way.
fn has_iterations(in_loop: &Loop) -> bool {
    let is_divided = in_loop
        .refused
        .iter()
        .any(|refused| refused.why == Refusal::Divided);
    in_loop.reducible && !is_divided
}

/// The loops around a function's places, outermost first, if they are the same around each.
fn loops_around_all(function: &Function, places: &[Place]) -> Option<Vec<LoopId>> {
    let around = |place: &Place| {
        let mut loops = Vec::from_iter(function.loops_around(place.point));
        loops.reverse();
        loops
    };
    let mut all = places.iter().map(around);
    let first = all.next()?;
    all.all(|loops| loops == first).then_some(first)
}
