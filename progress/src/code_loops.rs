//! Where the order of machine code is not that of the source's iterations.
//!
//! Of two tasks in one loop of the source the one in the earlier iteration is behind, wherever in the body it is (SC'09 Def. 3.2).
//! Machine code may have no such loop any more: it was unrolled, or an arm that leaves it stands behind it. There a task in that arm comes
//! after everybody in the loop, also after those in later iterations. So what the flow of the code says holds only where
//! that cannot be: both tasks can come round in every loop of the source around both, or registers have told the
//! iterations of as many loops of the code.

use crate::code_proof::Around;
use crate::communicating::MadeThere;
use crate::flow::Region;
use crate::iteration::{self, Iteration};
use crate::locate::{Located, LocatedFrame};
use crate::{Order, flow};
use progress_map::{Binding, Function, FunctionId, Loop, LoopId, LovClass, PointId};
use std::collections::BTreeSet;
use std::ops::Range;

impl Order<'_> {
    /// Whether one of two tasks, whose stacks part in the frames `parting`, may be on its way out of a loop of the source around
    /// both, or be in another copy of it. `told`: how many loops of the code are known to be in the same iteration. `behind_loop`: whether a loop of which that is not known
    /// leads to one of the two. Then a loop of the source may have been taken apart, into one loop for each value of a variable that not every iteration changes.
    pub(crate) fn may_be_leaving(
        &self,
        a: (&Located, Range<usize>),
        b: (&Located, Range<usize>),
        told: usize,
        behind_loop: bool,
    ) -> bool {
        let (around_both, may_leave) = self.loops_around_both(a, b);
        (may_leave || behind_loop) && around_both > told
    }

    /// How many loops of the source may be around two tasks, whose stacks part in the frames `parting`, and whether one of the two may be on its way out of one.
    pub(crate) fn loops_around_both(
        &self,
        (a, parting_a): (&Located, Range<usize>),
        (b, parting_b): (&Located, Range<usize>),
    ) -> (usize, bool) {
        let (levels_a, levels_b) = (levels(a, &parting_a), levels(b, &parting_b));
        let mut around_both = 0;
        let mut may_leave = false;
        for (depth, (x, y)) in levels_a.iter().zip(&levels_b).enumerate() {
            let (Some(id), true) = (x.function, x.function == y.function) else {
                break;
            };
            let function = &self.map().functions[id];
            match (is_known(x), is_known(y)) {
                (true, true) => {
                    let (loops, leaves) = shared_loops(function, x, y);
                    around_both += loops;
                    may_leave |= leaves;
                    if x.places != y.places {
                        break;
                    }
                }
                // Somewhere in the function, or in what was inlined into it.
                (x_known, y_known) => {
                    let (rest_a, rest_b) = (&levels_a[depth..], &levels_b[depth..]);
                    let around = match (x_known, y_known) {
                        (true, _) => vec![rest_a],
                        (_, true) => vec![rest_b],
                        _ => vec![rest_a, rest_b],
                    };
                    let (loops, leaves) = self.any_loops(&around);
                    around_both += loops;
                    may_leave |= leaves;
                    break;
                }
            }
        }
        (around_both, may_leave)
    }

    /// How many loops may be around a task in one of the frames and around another one anywhere, and whether one of them may be
    /// left by a way on which something is done.
    fn any_loops(&self, around: &[&[&LocatedFrame]]) -> (usize, bool) {
        let (mut most, mut may_leave) = (0, false);
        for levels in around {
            let mut count = 0;
            for frame in *levels {
                let Some(function) = frame.function.map(|id| &self.map().functions[id]) else {
                    continue;
                };
                // All its calls may be one loop, and the frame in any round of it.
                let is_round = frame.is_any_round;
                count += usize::from(is_round);
                may_leave |= is_round;
                let places = frame.places.iter().map(|place| place.point);
                let points: Vec<PointId> = if frame.places.is_empty() || is_round {
                    function.points.ids().collect()
                } else {
                    places.collect()
                };
                count += points
                    .iter()
                    .map(|&point| function.loops_around(point).count())
                    .max()
                    .unwrap_or(0);
                let loops: BTreeSet<LoopId> = points
                    .iter()
                    .flat_map(|&point| function.loops_around(point))
                    .collect();
                may_leave |= loops.iter().any(|&id| {
                    let mut inside = function
                        .points
                        .ids()
                        .filter(|&point| lies_in(function, point, id));
                    inside.any(|point| !comes_round(function, point, id))
                });
            }
            most = most.max(count);
        }
        (most, may_leave)
    }
}

/// Whether a call on the way down to where two stacks part may be another call of the source than the one whose line it shows: compilers
/// join copies of calls, and `f(); if (c) { g(); f(); }` may have one instruction that is the second `f` after `g`, and the first for whoever
/// does not call `g`. That the code leads from `g` to it says nothing then.
pub(crate) fn may_be_another_call((task, parting): (&Located, Range<usize>)) -> bool {
    levels(task, &parting).iter().any(|frame| frame.may_be_merged)
}

impl Order<'_> {
    /// Whether registers tell less of a place than its source does: the code may come back to it in a loop of which no register tells the iteration, and that
    /// may be no loop of its own. `while (i < n) { …; if (again) continue; i++; }` has the code of `while (i < n) { do …; while (again); i++; }`, but a
    /// task that has gone round often with `i == 0` is ahead of one that is in its second iteration, with `i == 1`. `told` of the loops of the code around
    /// the place are known to be in the same iteration, or are counted; all are `around`.
    ///
    /// A loop of the code that lacks a call of MPI is no iteration of a loop of the source each of whose iterations makes that call.
    /// [`Order::every_iteration_communicates`] tells whether all loops around the other place are such; whatever is around both is among them.
    pub(crate) fn may_have_gone_round(
        &self,
        (task, parting): (&Located, Range<usize>),
        other: (&Located, Range<usize>),
        told: usize,
        (binding, around): (&Binding, &Around),
    ) -> bool {
        if told == 0 || around.loops <= told {
            return false;
        }
        let mut of_source = 0;
        for frame in levels(task, &parting) {
            let function = frame.function.filter(|_| frame.obstacle.is_none());
            let Some(function) = function.map(|id| &self.map().functions[id]) else {
                break;
            };
            let loops = frame
                .places
                .iter()
                .map(|place| function.loops_around(place.point).count());
            of_source += loops.min().unwrap_or(0);
        }
        let other = levels(other.0, &other.1);
        let every_iteration_lacks_none = || {
            let made = around.communicating.iter();
            let made: Option<Vec<MadeThere>> = made
                .map(|&block| self.made_there(binding, block, &other))
                .collect();
            made.is_none_or(|made| !self.every_iteration_communicates(&other, &made))
        };
        of_source < around.loops && every_iteration_lacks_none()
    }

    /// The loops of the source around two tasks, whose stacks part in these frames, of which variables do not tell that both are in one iteration, each with its function; `None` where
    /// it is not known where in the source both are.
    pub(crate) fn untold_around_both(
        &self,
        (a, parting_a): (&Located, Range<usize>),
        (b, parting_b): (&Located, Range<usize>),
    ) -> Option<BTreeSet<(FunctionId, LoopId)>> {
        let mut untold = BTreeSet::new();
        let (levels_a, levels_b) = (levels(a, &parting_a), levels(b, &parting_b));
        for (x, y) in levels_a.iter().zip(&levels_b) {
            let id = x.function.filter(|_| is_known(x) && is_known(y))?;
            if x.function != y.function {
                return None;
            }
            let function = &self.map().functions[id];
            for (&place_a, &place_b) in x.places.iter().flat_map(|a| y.places.iter().map(move |b| (a, b))) {
                let around: BTreeSet<LoopId> = function.loops_around(place_a.point).collect();
                let both = function
                    .loops_around(place_b.point)
                    .filter(|id| around.contains(id));
                let is_untold = |&in_loop: &LoopId| {
                    let found = iteration::compare(function, in_loop, (x, place_a), (y, place_b), false);
                    !matches!(&found, Iteration::Same { region: Region::Iteration(_), lov, .. } if lov.class == LovClass::Strict)
                };
                untold.extend(both.filter(is_untold).map(|in_loop| (id, in_loop)));
            }
            if x.places != y.places {
                return Some(untold);
            }
        }
        (!levels_a.is_empty() && levels_a.len() == levels_b.len()).then_some(untold)
    }
}

impl Order<'_> {
    /// Whether each iteration of every loop of the source around two tasks, whose stacks part in these frames, changes the same variables: one at least, and none
    /// only in some iterations. Else a register that is changed now and then could be taken for one that counts the iterations
    /// ([`Order::may_have_gone_round`]). Where nothing is known of one task, all loops around the other one are looked at: whatever is around both
    /// is among them. Where nothing is known of both that cannot be told. `untold` are those of which variables do not tell that both are in one iteration
    /// ([`Order::untold_around_both`]).
    pub(crate) fn every_iteration_counts(
        &self,
        (a, parting_a): (&Located, Range<usize>),
        (b, parting_b): (&Located, Range<usize>),
        untold: Option<&BTreeSet<(FunctionId, LoopId)>>,
    ) -> bool {
        if let Some(untold) = untold {
            return untold
                .iter()
                .all(|&(id, in_loop)| loop_counts(&self.map().functions[id].loops[in_loop]));
        }
        let (levels_a, levels_b) = (levels(a, &parting_a), levels(b, &parting_b));
        for (depth, (x, y)) in levels_a.iter().zip(&levels_b).enumerate() {
            match (is_known(x), is_known(y)) {
                (true, true) if x.function != y.function => return true,
                (true, true) => {
                    if !self.loops_count(x) || !self.loops_count(y) {
                        return false;
                    }
                    if x.places != y.places {
                        return true;
                    }
                }
                (false, false) => return false,
                (is_first, _) => {
                    let rest = if is_first {
                        &levels_a[depth..]
                    } else {
                        &levels_b[depth..]
                    };
                    return rest
                        .iter()
                        .all(|frame| is_known(frame) && self.loops_count(frame));
                }
            }
        }
        !levels_a.is_empty() && !levels_b.is_empty()
    }

    /// Whether each iteration of every loop around the places of a frame changes all the variables that any iteration changes.
    fn loops_count(&self, frame: &LocatedFrame) -> bool {
        let Some(function) = frame.function.map(|id| &self.map().functions[id]) else {
            return false;
        };
        let mut around = frame
            .places
            .iter()
            .flat_map(|place| function.loops_around(place.point));
        around.all(|id| loop_counts(&function.loops[id]))
    }
}

/// Whether each iteration of a loop changes all the variables that any iteration changes.
fn loop_counts(in_loop: &Loop) -> bool {
    let mut classes = in_loop.lovs.iter().map(|lov| lov.class);
    in_loop.reducible && !in_loop.lovs.is_empty() && classes.all(|class| class == LovClass::Strict)
}

/// Whether it is known where in its function a frame is.
pub(crate) fn is_known(frame: &LocatedFrame) -> bool {
    frame.function.is_some() && frame.obstacle.is_none() && !frame.places.is_empty()
}

/// Whether the map holds the source of the frames in which the stack of a task parts from another.
pub(crate) fn is_of_source((task, parting): &(&Located, Range<usize>)) -> bool {
    levels(task, parting)
        .first()
        .is_some_and(|frame| frame.function.is_some())
}

/// Whether two tasks in calls, whose stacks part in these frames, may be in one call of the source: compilers copy code, and join what has been
/// copied with other code. Of two places that stand for one and the same point, if one leads to the other, the source has a loop.
pub(crate) fn may_be_one_point(
    (a, parting_a): (&Located, Range<usize>),
    (b, parting_b): (&Located, Range<usize>),
) -> bool {
    let (levels_a, levels_b) = (levels(a, &parting_a), levels(b, &parting_b));
    for (x, y) in levels_a.iter().zip(&levels_b) {
        match (x.function, y.function) {
            // Of functions that the map does not hold the source says nothing to the contrary.
            (None, None) => return false,
            _ if x.function != y.function => return false,
            _ if x.places.is_empty() || y.places.is_empty() => return true,
            _ => {}
        }
        let is_shared = x.places.iter().any(|place| y.places.contains(place));
        match (is_shared, &x.places[..], &y.places[..]) {
            (false, ..) => return false,
            (true, [_], [_]) => {}
            _ => return true,
        }
    }
    false
}

/// The frames of the source that one frame of the machine holds.
pub(crate) fn levels<'l>(located: &'l Located, parting: &Range<usize>) -> Vec<&'l LocatedFrame> {
    let frames = located.frames.iter().zip(&located.origin);
    let inside = frames.filter(|(_, origin)| origin.is_some_and(|origin| parting.contains(&origin)));
    inside.map(|(frame, _)| frame).collect()
}

/// How many loops are around two frames of a function, and whether one of the two may be on its way out of one.
fn shared_loops(function: &Function, x: &LocatedFrame, y: &LocatedFrame) -> (usize, bool) {
    let (mut most, mut may_leave) = (0, false);
    for a in &x.places {
        for b in &y.places {
            let around: BTreeSet<LoopId> = function.loops_around(a.point).collect();
            let both = Vec::from_iter(function.loops_around(b.point).filter(|id| around.contains(id)));
            most = most.max(both.len());
            may_leave |= both
                .iter()
                .any(|&id| !comes_round(function, a.point, id) || !comes_round(function, b.point, id));
        }
    }
    (most, may_leave)
}

fn lies_in(function: &Function, point: PointId, id: LoopId) -> bool {
    flow::lies_in(function, point, Some(id))
}

/// Whether the loop can come round again after a point of it.
fn comes_round(function: &Function, point: PointId, id: LoopId) -> bool {
    let header = function.loops[id].header;
    function.reaches(point, header, |next| lies_in(function, next, id))
}
