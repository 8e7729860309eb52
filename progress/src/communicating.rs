//! Loops each iteration of which makes a call of MPI.
//!
//! Whatever a compiler makes of a loop, such a call is an instruction that each iteration executes: the functions of MPI that communicate are
//! neither macros nor inlined. So code that can be gone round without coming to MPI is no iteration of such a loop.

use crate::locate::LocatedFrame;
use crate::{Order, flow};
use base::{Confidence, Language};
use library::Part;
use progress_map::{FunctionId, LoopId, PointId, PointKind};
use std::collections::BTreeMap;

impl Order<'_> {
    /// Whether each iteration of every loop of the source around these frames, outermost first, makes a call of MPI that communicates. `false` where that is not
    /// known, and where no loop is around them.
    pub(crate) fn every_iteration_communicates(&self, frames: &[&LocatedFrame]) -> bool {
        let mut search = Search {
            order: self,
            known: BTreeMap::new(),
        };
        let mut has_loop = false;
        for (depth, frame) in frames.iter().enumerate() {
            let Some(id) = frame.function.filter(|_| frame.obstacle.is_none()) else {
                return false;
            };
            // The stack shows whom the call that the task is in has led to, whatever else has that name.
            let leads_to_mpi = frames.get(depth + 1).is_some_and(|next| match next.function {
                Some(callee) => search.always_communicates(callee),
                None => communicates(&next.name),
            });
            for place in &frame.places {
                for around in self.map().functions[id].loops_around(place.point) {
                    has_loop = true;
                    let own_call = leads_to_mpi.then_some(place.point);
                    if !search.each_iteration_communicates(id, around, own_call) {
                        return false;
                    }
                }
            }
        }
        has_loop
    }
}

/// Follows calls by name to those of MPI.
struct Search<'o, 'm> {
    order: &'o Order<'m>,
    /// The functions that were looked at. One that is being looked at is taken not to communicate.
    known: BTreeMap<FunctionId, bool>,
}

impl Search<'_, '_> {
    /// Whether no iteration of a loop avoids the calls that communicate, of which `own_call` is one.
    fn each_iteration_communicates(
        &mut self,
        id: FunctionId,
        around: LoopId,
        own_call: Option<PointId>,
    ) -> bool {
        let mut calls = self.calls_of(id);
        calls.extend(own_call);
        let function = &self.order.map().functions[id];
        let header = function.loops[around].header;
        let avoids = |point| !calls.contains(&point) && flow::lies_in(function, point, Some(around));
        !avoids(header) || !function.reaches(header, header, avoids)
    }

    /// Whether nobody comes from the function's entry to its end without such a call.
    fn always_communicates(&mut self, id: FunctionId) -> bool {
        if let Some(&known) = self.known.get(&id) {
            return known;
        }
        self.known.insert(id, false);
        let calls = self.calls_of(id);
        let function = &self.order.map().functions[id];
        let mut points = function.points.ids();
        let ends = points.next().zip(points.next_back());
        let communicates = ends.is_some_and(|(entry, exit)| {
            function.confidence != Confidence::Partial
                && !function.reaches(entry, exit, |point| !calls.contains(&point))
        });
        self.known.insert(id, communicates);
        communicates
    }

    /// The calls of a function that are certain to communicate.
    fn calls_of(&mut self, id: FunctionId) -> Vec<PointId> {
        let function = &self.order.map().functions[id];
        let named = function.points.iter_enumerated();
        let named = named.filter_map(|(point, what)| match &what.kind {
            PointKind::Call(name) => Some((point, name.as_str())),
            _ => None,
        });
        let mut calls = Vec::from_iter(named);
        calls.retain(|&(_, name)| communicates(name) || self.communicates_by_name(id, name));
        calls.into_iter().map(|(point, _)| point).collect()
    }

    /// Whether a name in a function is that of one function only, which always communicates. In C++ others of the name may stand where nobody looks.
    fn communicates_by_name(&mut self, caller: FunctionId, name: &str) -> bool {
        let is_of_c = |&id: &FunctionId| self.order.map().functions[id].language() == Language::C;
        match self.order.functions_named(name) {
            [only] if is_of_c(&caller) && is_of_c(only) => self.always_communicates(*only),
            _ => false,
        }
    }
}

/// Whether a function of this name is one of MPI's that communicate.
fn communicates(name: &str) -> bool {
    let name = base::mpi_name(name);
    library::function(name).is_some_and(|function| {
        base::is_mpi(name) && (function.is_point_to_point() || matches!(function.part, Part::Collective(_)))
    })
}
