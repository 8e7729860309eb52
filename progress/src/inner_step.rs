//! Whether a task has made the step that a call makes which it is inside of.
//!
//! `advance(s); exchange(s);` with `void advance(struct sim *s) { MPI_Barrier(…); s->i++; }`: a task in the barrier and one in `exchange` have the same `i`,
//! one before the step and one after it. A frame at the call of `advance` stands for both sides, until its next frame tells
//! ([`progress_map::InnerStep`]): where the callee's step leads to the place of that frame, it has been made, because then all
//! ways to it have passed the step; else it has not.
//!
//! This is asked only of tasks inside of MPI. There the memory that `s` leads to is as the source has left it; a task that computes in the callee
//! may have passed the line of the step without having stored it.

use crate::{LocatedFrame, Order};
use progress_map::{FunctionId, PointId};

impl Order<'_> {
    /// Takes away the sides of calls that the frames below rule out.
    pub(crate) fn settle_steps(&self, frames: &mut [LocatedFrame]) {
        if self.map().inner_steps.is_empty() {
            return;
        }
        for index in 0..frames.len() {
            let Some((frame, below)) = frames[index..].split_first_mut() else {
                return;
            };
            let Some(function) = frame.function else { continue };
            frame.places.retain(|place| {
                let side = self.has_stepped(function, place.point, below);
                side.is_none_or(|has_stepped| place.after == has_stepped)
            });
        }
    }

    /// Whether the step of a call has been made, as the frames below it tell.
    fn has_stepped(&self, function: FunctionId, call: PointId, below: &[LocatedFrame]) -> Option<bool> {
        let step = self.map().inner_step(function, call)?;
        let (next, further) = below.split_first()?;
        let in_mpi = further
            .iter()
            .any(|frame| frame.function.is_none() && base::is_mpi(&frame.name));
        let is_clear = next.function == Some(step.callee) && next.obstacle.is_none() && !next.is_any_round;
        if !in_mpi || !is_clear {
            return None;
        }
        let body = &self.map().functions[step.callee];
        let has_passed = |point: PointId| {
            if point == step.at {
                self.has_stepped(step.callee, point, further)
            } else {
                Some(body.reaches(step.at, point, |_| true))
            }
        };
        let mut sides = next.places.iter().map(|place| has_passed(place.point));
        let first = sides.next()??;
        sides.all(|side| side == Some(first)).then_some(first)
    }
}
