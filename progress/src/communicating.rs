//! Loops each iteration of which makes a call of MPI.
//!
//! Whatever a compiler makes of a loop, such a call is an instruction that each iteration executes: the functions of MPI that communicate are
//! neither macros nor inlined. So code that can be gone round without coming to MPI is no iteration of such a loop.

use crate::locate::LocatedFrame;
use crate::{Order, flow};
use base::Confidence;
use progress_map::{Binding, FunctionId, LoopId, PointId, PointKind};
use std::collections::BTreeMap;

/// What a call instruction names: a function of MPI, by its name in C, or `None` for another function.
pub(crate) type MadeThere = Option<String>;

impl Order<'_> {
    /// Whether each iteration of every loop of the source around these frames, outermost first, makes a call of MPI that communicates, and that is none of what is `made_there`.
    /// `false` where that is not known, and where no loop is around them.
    pub(crate) fn every_iteration_communicates(
        &self,
        frames: &[&LocatedFrame],
        made_there: &[MadeThere],
    ) -> bool {
        let mut has_loop = false;
        for (depth, frame) in frames.iter().enumerate() {
            let Some(id) = frame.function.filter(|_| frame.obstacle.is_none()) else {
                return false;
            };
            if self.map().functions[id].confidence == Confidence::Partial {
                return false;
            }
            // The stack shows whom the call that the task is in has led to, whatever else has that name.
            let leads_to_mpi = frames.get(depth + 1).is_some_and(|next| match next.function {
                Some(callee) => {
                    made_there.is_empty()
                        && self.always_communicates(callee, self.communicating_calls(callee))
                }
                None => library::communicates(&next.name) && !is_made(&next.name, made_there),
            });
            for place in &frame.places {
                for around in self.map().functions[id].loops_around(place.point) {
                    has_loop = true;
                    let own_call = leads_to_mpi.then_some(place.point);
                    if !self.each_iteration_communicates((id, around), own_call, made_there) {
                        return false;
                    }
                }
            }
        }
        has_loop
    }

    /// What the call at the end of a block names; `None` where the instruction names nobody, or a part of one of these frames' functions that has become one of its own, which may
    /// make any of its calls.
    pub(crate) fn made_there(
        &self,
        binding: &Binding,
        block: u32,
        frames: &[&LocatedFrame],
    ) -> Option<MadeThere> {
        let named = binding.named_by(binding.code.blocks[block as usize].end)?;
        (!self.is_part_of(named, frames)).then(|| base::mpi_entry_point(named))
    }

    /// Whether a name is that of a function of these frames: a part of a function that has become one of its own has the name of the whole.
    pub(crate) fn is_part_of(&self, name: &str, frames: &[&LocatedFrame]) -> bool {
        let mut own = frames.iter().filter_map(|frame| frame.function);
        own.any(|id| self.map().functions[id].name == name)
    }

    /// Whether no iteration of a loop avoids the calls that communicate, of which `own_call` is one, and that are none of what is `made_there`.
    fn each_iteration_communicates(
        &self,
        (id, around): (FunctionId, LoopId),
        own_call: Option<PointId>,
        made_there: &[MadeThere],
    ) -> bool {
        let function = &self.map().functions[id];
        // What is called by another name may be inlined there.
        let is_other = |point: &PointId| match &function.points[*point].kind {
            PointKind::Call(name) => library::communicates(name) && !is_made(name, made_there),
            _ => false,
        };
        let calls = self.communicating_calls(id).iter().copied();
        let calls = Vec::from_iter(calls.filter(|point| made_there.is_empty() || is_other(point)));
        let in_loop = &function.loops[around];
        let header = in_loop.header;
        let avoids = |point| {
            !calls.contains(&point) && own_call != Some(point) && flow::lies_in(function, point, Some(around))
        };
        in_loop.reducible && (!avoids(header) || !function.reaches(header, header, avoids))
    }

    /// Whether nobody comes from the function's entry to its end without one of these calls.
    fn always_communicates(&self, id: FunctionId, calls: &[PointId]) -> bool {
        let function = &self.map().functions[id];
        let mut points = function.points.ids();
        let ends = points.next().zip(points.next_back());
        ends.is_some_and(|(entry, exit)| {
            function.confidence != Confidence::Partial
                && !function.reaches(entry, exit, |point| !calls.contains(&point))
        })
    }

    /// The calls of a function that are certain to communicate. Each function's are found by a search of its own, so that what is found
    /// does not depend on who was asked before.
    fn communicating_calls(&self, id: FunctionId) -> &[PointId] {
        self.communicating[id].get_or_init(|| {
            let mut search = Search {
                order: self,
                known: BTreeMap::new(),
            };
            search.calls_of(id)
        })
    }
}

/// Whether one of these instructions calls a function of MPI.
fn is_made(name: &str, made_there: &[MadeThere]) -> bool {
    let name = base::mpi_entry_point(name);
    name.is_none() || made_there.contains(&name)
}

/// Follows calls by name to those of MPI.
struct Search<'o, 'm> {
    order: &'o Order<'m>,
    /// The functions that were looked at. One that is being looked at is taken not to communicate.
    known: BTreeMap<FunctionId, bool>,
}

impl Search<'_, '_> {
    fn always_communicates(&mut self, id: FunctionId) -> bool {
        if let Some(&known) = self.known.get(&id) {
            return known;
        }
        self.known.insert(id, false);
        let calls = self.calls_of(id);
        let communicates = self.order.always_communicates(id, &calls);
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
        calls.retain(|&(_, name)| library::communicates(name) || self.communicates_by_name(id, name));
        calls.into_iter().map(|(point, _)| point).collect()
    }

    /// Whether a name in a function is that of one function only, which always communicates. In C++ others of the name may stand where nobody looks.
    fn communicates_by_name(&mut self, caller: FunctionId, name: &str) -> bool {
        let is_plain = |&id: &FunctionId| !self.order.map().functions[id].is_qualified();
        match self.order.functions_named(name) {
            [only] if is_plain(&caller) && is_plain(only) => self.always_communicates(*only),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ExecutionPoint, Frame};
    use base::{Id, Span};
    use progress_map::generate::bare_function;
    use progress_map::{BoundSite, CodeBlock, File, Function, Loop, LoopSource, Map, Point, ScopeId};

    /// A function that makes these calls, one a line from the second on; `""` is no call.
    fn function(name: &str, calls: &[&str], edges: &[(usize, usize)]) -> Function {
        let span = |line, end_line| Span {
            line,
            column: 1,
            end_line,
            end_column: 9,
        };
        let end = calls.len() as u32 + 2;
        let point = |(kind, span)| Point {
            kind,
            span,
            scope: ScopeId::from_index(0),
            innermost_loop: None,
            unsequenced: Vec::new(),
        };
        let called = (2..).zip(calls).map(|(line, &callee)| match callee {
            "" => (PointKind::Eval, span(line, line)),
            _ => (PointKind::Call(callee.to_owned()), span(line, line)),
        });
        let points = [(PointKind::Entry, span(1, end))].into_iter().chain(called);
        let points = points.chain([(PointKind::Exit, span(1, end))]);
        Function {
            points: Vec::from_iter(points.map(point)).into(),
            edges: edges
                .iter()
                .map(|&(from, to)| (PointId::from_index(from), PointId::from_index(to)))
                .collect(),
            ..bare_function(name, Id::from_index(0), span(1, end))
        }
    }

    /// `main` with a loop of a head and three calls, the second of which some iterations leave out; its task is in the call on line `line`.
    fn is_communicating(calls: [&str; 3], line: u32, reducible: bool, others: Vec<Function>) -> bool {
        is_communicating_beside(&[], calls, line, reducible, others)
    }

    /// The same, by other calls than those that are made elsewhere.
    fn is_communicating_beside(
        made_there: &[MadeThere],
        calls: [&str; 3],
        line: u32,
        reducible: bool,
        others: Vec<Function>,
    ) -> bool {
        let edges = [(0, 1), (1, 2), (1, 5), (2, 3), (2, 4), (3, 4), (4, 1)];
        let mut main = function("main", &["", calls[0], calls[1], calls[2]], &edges);
        for point in 1..5 {
            main.points[PointId::from_index(point)].innermost_loop = Some(LoopId::from_index(0));
        }
        main.loops = vec![Loop {
            parent: None,
            source: LoopSource::While,
            span: main.span,
            header: PointId::from_index(1),
            reducible,
            lovs: Vec::new(),
            refused: Vec::new(),
        }]
        .into();
        let path = "f.c".to_owned();
        let map = Map {
            files: vec![File { path, hash: [0; 32] }].into(),
            functions: [main].into_iter().chain(others).collect::<Vec<_>>().into(),
            ..Map::default()
        };
        let order = Order::new(&map);
        let frame = |function: &str, line| Frame {
            function: function.to_owned(),
            line,
            ..Frame::default()
        };
        let callee = calls[line as usize - 3];
        let located = order.locate(&ExecutionPoint {
            task: "0".to_owned(),
            frames: vec![frame("main", Some(line)), frame(callee, None)],
            ..ExecutionPoint::default()
        });
        // What it has called has a frame of the machine of its own, which is not asked about.
        order.every_iteration_communicates(&[&located.frames[0]], made_there)
    }

    #[test]
    fn a_call_of_mpi_in_each_iteration_is_one_of_the_loop() {
        let of = |calls| is_communicating(calls, 3, true, Vec::new());
        assert!(of(["work", "work", "MPI_Barrier"]));
        assert!(of(["PMPI_Send", "work", "work"]));
        // Only some iterations make it; it is no call that communicates, and may be a macro.
        assert!(!of(["work", "MPI_Barrier", "work"]));
        assert!(!of(["MPI_Wtime", "work", "MPI_Comm_rank"]));
        // A loop that is entered at two places has iterations that nobody knows.
        assert!(!is_communicating(
            ["work", "work", "MPI_Barrier"],
            3,
            false,
            Vec::new()
        ));
    }

    #[test]
    fn a_call_that_is_made_elsewhere_as_well_tells_nothing() {
        let of = |made_there: &[MadeThere], calls| {
            let callee = function("work", &["MPI_Barrier"], &[(0, 1), (1, 2)]);
            is_communicating_beside(made_there, calls, 3, true, vec![callee])
        };
        let mpi = |name: &str| Some(name.to_owned());
        let calls = ["other", "other", "MPI_Barrier"];
        assert!(of(&[mpi("MPI_Send"), None], calls));
        assert!(!of(&[mpi("MPI_Send"), mpi("MPI_Barrier")], calls));
        assert!(of(&[mpi("MPI_Send")], ["other", "other", "PMPI_Barrier"]));
        // The body of a function may be there without a call of it.
        assert!(of(&[], ["work", "other", "other"]));
        assert!(!of(&[mpi("MPI_Send")], ["work", "other", "other"]));
    }

    #[test]
    fn a_part_of_the_function_may_make_any_call_of_it() {
        let main = function("main", &["work"], &[(0, 1), (1, 2)]);
        let map = Map {
            functions: vec![main].into(),
            ..Map::default()
        };
        let order = Order::new(&map);
        let binding = |named: Option<&str>| {
            let mut binding = Binding::default();
            binding.code.blocks = vec![CodeBlock {
                start: 16,
                end: 32,
                function: 0,
                communicates: true,
            }];
            binding.sites = vec![BoundSite {
                return_address: 32,
                named: named.map(str::to_owned),
            }];
            binding
        };
        let located = order.locate(&ExecutionPoint {
            task: "0".to_owned(),
            frames: vec![Frame {
                function: "main".to_owned(),
                line: Some(2),
                ..Frame::default()
            }],
            ..ExecutionPoint::default()
        });
        let made = |named| order.made_there(&binding(named), 0, &[&located.frames[0]]);
        assert_eq!(made(Some("PMPI_Send")), Some(Some("MPI_Send".to_owned())));
        assert_eq!(made(Some("work")), Some(None));
        assert_eq!(made(Some("main")), None);
        assert_eq!(made(None), None);
    }

    #[test]
    fn a_callee_communicates_if_none_of_its_ways_avoids_it() {
        let of = |callee| is_communicating(["work", "other", "other"], 3, true, vec![callee]);
        assert!(of(function("work", &["MPI_Barrier"], &[(0, 1), (1, 2)])));
        assert!(!of(function("work", &["MPI_Barrier"], &[(0, 1), (0, 2), (1, 2)])));
        // It calls itself, and nobody else.
        assert!(!of(function("work", &["work"], &[(0, 1), (1, 2)])));
        let mut in_part = function("work", &["MPI_Barrier"], &[(0, 1), (1, 2)]);
        in_part.confidence = Confidence::Partial;
        assert!(!of(in_part));
        // Two functions of one name.
        let both = || function("work", &["MPI_Barrier"], &[(0, 1), (1, 2)]);
        assert!(!is_communicating(
            ["work", "other", "other"],
            4,
            true,
            vec![both(), both()]
        ));
    }
}
