//! Comparing two execution points, frame by frame and pair by pair.

use crate::arms::{self, Arms};
use crate::beneath;
use crate::code::CodeIndex;
use crate::flow::{self, Node, Region, Ways};
use crate::iteration::{self, Iteration};
use crate::locate::{Located, LocatedFrame, Place};
use crate::reason::Reason;
use crate::tail;
use crate::tail_jumps::TailJumps;
use crate::verdict::{Decided, Proof, Relation, SameEpoch, Verdict};
use base::mutant::{Mutant, on};
use base::{Confidence, IdVec};
use progress_map::{
    Assumption, Cut, FileId, Function, FunctionId, LoopId, Lov, LovClass, Map, PointId, PointKind,
};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock, PoisonError};

/// A map prepared for comparisons.
pub struct Order<'m> {
    map: &'m Map,
    /// Function ids sorted by name, for lookup.
    by_name: Vec<FunctionId>,
    /// The points of each function that assign some loop-order variable, sorted; made when first asked for.
    assigning: IdVec<FunctionId, OnceLock<Vec<PointId>>>,
    /// Functions whose calls may have left no frame.
    optimised: IdVec<FunctionId, bool>,
    /// What each function calls last; made when first asked for.
    last_calls: IdVec<FunctionId, OnceLock<Vec<PointId>>>,
    /// The calls of each function that are certain to communicate; made when first asked for.
    pub(crate) communicating: IdVec<FunctionId, OnceLock<Vec<PointId>>>,
    /// The calls that leave the frame of their caller where it is ([`crate::kept`]); found when first asked for.
    pub(crate) kept: OnceLock<BTreeSet<(FunctionId, PointId)>>,
    /// The variables that the bindings have places for; found when first asked for.
    placed: OnceLock<BTreeMap<FunctionId, BTreeSet<String>>>,
    /// The arms of each function's decisions.
    arms: IdVec<FunctionId, Arms>,
    /// What leads to what in each function.
    pub(crate) ways: IdVec<FunctionId, Ways>,
    /// Whether each function may be a loop of its calls of itself ([`crate::tail`]); found when first asked for.
    pub(crate) rounds: IdVec<FunctionId, OnceLock<bool>>,
    /// What the optimised functions call last; made when first asked for.
    pub(crate) vanished_into: OnceLock<BTreeSet<String>>,
    /// The names by which the functions of the map call others, of MPI's functions those that the standard gives.
    pub(crate) called: OnceLock<BTreeSet<String>>,
    /// Where the code of functions leaves their frames; found when first asked for.
    pub(crate) tail_jumps: OnceLock<TailJumps>,
    /// The files that have functions, by the last components of their paths; made when first asked for.
    files: OnceLock<BTreeMap<String, BTreeSet<FileId>>>,
    /// What the machine code of the bindings tells.
    pub(crate) code: CodeIndex,
}

/// How two stacks compare by the source: what the frames at a depth have decided.
struct Outcome {
    depth: usize,
    /// The function of both frames there.
    function: Option<FunctionId>,
    relation: Relation,
    decided: Decided,
}

impl Outcome {
    fn unknown(depth: usize, function: Option<FunctionId>, reason: impl Into<Reason>) -> Self {
        Self {
            depth,
            function,
            relation: Relation::Unknown,
            decided: Decided::Nothing(reason.into()),
        }
    }

    /// What it tells that tasks are in different parts of the program's run, if they are.
    fn by_stage(a: &Located, b: &Located) -> Option<Self> {
        match (a.stage, b.stage) {
            (Some(a), Some(b)) if a != b => Some(Self {
                depth: 0,
                function: None,
                relation: if a < b { Relation::Before } else { Relation::After },
                decided: Decided::Stages { a, b },
            }),
            _ => None,
        }
    }

    /// All frames above `depth` are at the same points, and none that counts is below.
    fn same_point(a: &Located, depth: usize) -> Self {
        let last = depth.checked_sub(1);
        Self {
            depth: last.unwrap_or(0),
            function: last.and_then(|last| a.frames[last].function),
            relation: Relation::Equal,
            decided: Decided::SamePoint,
        }
    }

    /// One task is inside a call at a point where the other stands. That one has not made the call yet, or is back from it: the
    /// point of the program is the same, and yet one of the two may be what the other waits for.
    fn call_under_way(depth: usize, inside: &Located, outside: &Located, callee: &LocatedFrame) -> Self {
        let reason = Reason::CallUnderWay {
            inside: inside.task.clone(),
            outside: outside.task.clone(),
            callee: callee.name.clone(),
        };
        Self::unknown(depth, None, reason)
    }
}

impl<'m> Order<'m> {
    /// Prepares a map.
    pub fn new(map: &'m Map) -> Self {
        let mut by_name: Vec<FunctionId> = map.functions.ids().collect();
        by_name.sort_by(|&a, &b| (&map.functions[a].name, a).cmp(&(&map.functions[b].name, b)));
        let later = || map.functions.iter().map(|_| OnceLock::new()).collect();
        Self {
            map,
            by_name,
            assigning: later(),
            optimised: tail::optimised(map),
            rounds: map.functions.iter().map(|_| OnceLock::new()).collect(),
            vanished_into: OnceLock::new(),
            called: OnceLock::new(),
            tail_jumps: OnceLock::new(),
            files: OnceLock::new(),
            code: CodeIndex::default(),
            kept: OnceLock::new(),
            placed: OnceLock::new(),
            last_calls: later(),
            communicating: later(),
            arms: map.functions.iter().map(|_| Arms::default()).collect(),
            ways: map.functions.iter().map(|_| Ways::default()).collect(),
        }
    }

    /// The map.
    pub fn map(&self) -> &'m Map {
        self.map
    }

    /// The functions of that name, in map order.
    pub(crate) fn functions_named(&self, name: &str) -> &[FunctionId] {
        let name_of = |&id: &FunctionId| self.map.functions[id].name.as_str();
        let first = self.by_name.partition_point(|id| name_of(id) < name);
        let count = self.by_name[first..].partition_point(|id| name_of(id) == name);
        &self.by_name[first..first + count]
    }

    /// The paths of the files with this last component that have functions.
    pub(crate) fn files_named(&self, name: &str) -> impl Iterator<Item = &str> {
        let files = self.files.get_or_init(|| {
            let mut files: BTreeMap<String, BTreeSet<FileId>> = BTreeMap::new();
            for function in &self.map.functions {
                let name = base::last_component(&self.map.files[function.file].path);
                files.entry(name.to_owned()).or_default().insert(function.file);
            }
            files
        });
        let found = files.get(name).into_iter().flatten();
        found.map(|&file| self.map.files[file].path.as_str())
    }

    /// Whether some binding has a place for a variable of a function.
    pub(crate) fn is_placed(&self, id: FunctionId, name: &str) -> bool {
        let placed = self.placed.get_or_init(|| {
            let mut placed: BTreeMap<FunctionId, BTreeSet<String>> = BTreeMap::new();
            for binding in self.map.bindings() {
                for variable in &binding.variables {
                    if let Some(id) = binding.function_of(variable.instance) {
                        placed.entry(id).or_default().insert(variable.name.clone());
                    }
                }
            }
            placed
        });
        placed.get(&id).is_some_and(|names| names.contains(name))
    }

    /// Whether some of a function's code was optimised.
    pub(crate) fn is_optimised(&self, id: FunctionId) -> bool {
        self.optimised[id]
    }

    /// The calls of a function that may be its last, sorted.
    pub(crate) fn last_calls(&self, id: FunctionId) -> &[PointId] {
        self.last_calls[id].get_or_init(|| self.map.functions[id].last_calls())
    }

    /// The points of the arms of those of `points` that are decisions, sorted.
    pub(crate) fn arms_of(&self, id: FunctionId, points: &[PointId]) -> Arc<[PointId]> {
        let function = &self.map.functions[id];
        let decisions = points.iter().filter(|&&point| arms::is_decision(function, point));
        let decisions = Vec::from_iter(decisions.copied());
        if decisions.is_empty() {
            return Arc::default();
        }
        // Whoever panicked with it left nothing half done: an entry is whole when it is put in.
        let mut known = self.arms[id].lock().unwrap_or_else(PoisonError::into_inner);
        let entry = known.entry(decisions);
        let arms = entry.or_insert_with_key(|decisions| arms::arms(function, decisions).into());
        Arc::clone(arms)
    }

    /// The points of a function that assign some loop-order variable, sorted.
    pub(crate) fn assigning_points(&self, id: FunctionId) -> &[PointId] {
        self.assigning[id].get_or_init(|| {
            let function = &self.map.functions[id];
            let lovs = function.loops.iter().flat_map(|in_loop| &in_loop.lovs);
            let mut points: Vec<PointId> = lovs.flat_map(|lov| lov.updates.iter().copied()).collect();
            points.sort_unstable();
            points.dedup();
            points
        })
    }

    /// Whether the source puts two tasks at one point of one iteration.
    pub(crate) fn equal_by_source(&self, a: &Located, b: &Located) -> bool {
        let mut walk = Walk::of(a, b);
        self.walk(&mut walk, a, b).relation == Relation::Equal
    }

    /// How `a` stands to `b` (SC'09 Def. 3.1 to 3.4, on control flow). See the crate's promise.
    pub fn compare(&self, a: &Located, b: &Located) -> Verdict {
        let mut walk = Walk::of(a, b);
        let Outcome {
            depth,
            function,
            mut relation,
            mut decided,
        } = self.walk(&mut walk, a, b);
        let is_ordered = matches!(relation, Relation::Before | Relation::After);
        if is_ordered
            && !matches!(decided, Decided::Stages { .. })
            && let Some(contradicted) = self.contradicted((a, b), depth, relation)
        {
            relation = Relation::Unknown;
            let name = self.map.functions[contradicted].name.clone();
            decided = Decided::Nothing(Reason::NotAsBuilt(name));
        } else if relation == Relation::Unknown
            && let Ok(found) = self
                .compare_code(a, b, 0)
                .or_else(|_| self.compare_code(a, b, depth))
        {
            relation = found.relation;
            decided = Decided::Code(found);
        }
        Verdict {
            relation,
            assumption: walk.assumption,
            trusts_outside: walk.trusts_outside,
            proof: Proof {
                depth,
                function,
                same: walk.same,
                decided,
            },
        }
    }

    /// From the outermost frames inwards, until something decides.
    fn walk(&self, walk: &mut Walk, a: &Located, b: &Located) -> Outcome {
        if let Some(obstacle) = a.obstacle.as_ref().or(b.obstacle.as_ref()) {
            return Outcome::unknown(0, None, obstacle.clone());
        }
        if let Some(outcome) = Outcome::by_stage(a, b) {
            return outcome;
        }
        let inner_first = on(Mutant::InnerFramesFirst).then(|| a.frames.len().min(b.frames.len()));
        let mut depth = inner_first.map_or(0, |frames| frames.saturating_sub(1));
        loop {
            let (frame_a, frame_b) = match (a.frames.get(depth), b.frames.get(depth)) {
                (Some(frame_a), Some(frame_b)) => (frame_a, frame_b),
                (None, None) => {
                    return self
                        .beside_one_call(a, b, depth)
                        .unwrap_or_else(|| Outcome::same_point(a, depth));
                }
                (Some(callee), None) => return Outcome::call_under_way(depth, a, b, callee),
                (None, Some(callee)) => return Outcome::call_under_way(depth, b, a, callee),
            };
            let function = match (frame_a.function, frame_b.function) {
                (Some(x), Some(y)) if x == y => x,
                (None, None) if depth == 0 && [a, b].into_iter().all(Located::is_outside) => {
                    return Outcome::unknown(depth, None, Reason::NothingInMap);
                }
                (None, None) => return self.compare_beneath(depth, a, b),
                _ => return self.compare_callees(depth, a, b),
            };
            depth = match self.compare_at(walk, function, depth, (a, b)) {
                None => depth + 1,
                Some(outcome) if outcome.relation == Relation::Unknown => {
                    let by_code = self.past_by_code(a, b, depth);
                    match by_code.or_else(|| self.past_joined_calls(walk, function, depth, (a, b))) {
                        Some(next) => next,
                        None => return outcome,
                    }
                }
                Some(outcome) => return outcome,
            };
        }
    }

    /// What is said of two tasks that compute at one point, their last frame before `depth`, at different instructions: where something is called there, one of
    /// them may be back from it and the other on its way into it. Nothing where they are at one point for all that is known.
    fn beside_one_call(&self, a: &Located, b: &Located, depth: usize) -> Option<Outcome> {
        let apart = a.next_instruction.is_some() && a.next_instruction != b.next_instruction;
        let last = depth.checked_sub(1).filter(|_| apart)?;
        let id = a.frames[last].function?;
        let function = &self.map.functions[id];
        let places = a.frames[last].places.iter().chain(&b.frames[last].places);
        let mut kinds = places.map(|place| &function.points[place.point].kind);
        kinds.any(PointKind::is_call).then(|| {
            let tasks = [a, b].map(|side| side.task.clone());
            Outcome::unknown(last, Some(id), Reason::BesideOneCall(tasks))
        })
    }

    /// Compares the frames of one function at a depth; nothing where the tasks are in one call there, and the next frames go on.
    fn compare_at(
        &self,
        walk: &mut Walk,
        function: FunctionId,
        depth: usize,
        (a, b): (&Located, &Located),
    ) -> Option<Outcome> {
        let (frame_a, frame_b) = (&a.frames[depth], &b.frames[depth]);
        let unknown = |reason: Reason| Some(Outcome::unknown(depth, Some(function), reason));
        if let Some(obstacle) = frame_a.obstacle.as_ref().or(frame_b.obstacle.as_ref()) {
            return unknown(obstacle.clone().into());
        }
        let body = &self.map.functions[function];
        if body.confidence == Confidence::Partial {
            return unknown(Reason::ReadInPart {
                function: body.name.clone(),
                why: body.confidence_reason.clone(),
            });
        }
        let (relation, decided) = self.compare_frames(walk, function, frame_a, frame_b);
        if relation != Relation::Equal {
            return Some(Outcome {
                depth,
                function: Some(function),
                relation,
                decided,
            });
        }
        let [next_a, next_b] = [a, b].map(|side| side.frames.get(depth + 1));
        let is_known =
            |frame: &LocatedFrame, next: Option<&LocatedFrame>| frame.callee_known || next.is_none();
        let goes_on = next_a.is_some() || next_b.is_some();
        if goes_on && !(is_known(frame_a, next_a) && is_known(frame_b, next_b)) {
            return unknown(Reason::FrameMissing(body.name.clone()));
        }
        // A macro may make a call more than once.
        let is_mapped = |next: &LocatedFrame| next.function.is_some();
        if let (Some(next_a), Some(next_b)) = (next_a, next_b)
            && (is_mapped(next_a) || is_mapped(next_b))
            && self.in_macro(body, frame_a)
        {
            return unknown(Reason::CallInMacro(body.name.clone()));
        }
        None
    }

    /// Where two tasks are in one call instruction that may be any of several calls, and the source tells that they are in one execution of it: the number of the
    /// first frame of what is called.
    fn past_joined_calls(
        &self,
        walk: &mut Walk,
        function: FunctionId,
        depth: usize,
        (a, b): (&Located, &Located),
    ) -> Option<usize> {
        let frames = (a.frames.get(depth)?, b.frames.get(depth)?);
        let callee = a.frames.get(depth + 1)?.name.as_str();
        if self.map.functions[function].confidence == Confidence::Partial {
            return None;
        }
        self.past_one_instruction((a, b), depth, || {
            self.is_executed_once(walk, function, frames, callee)
        })
    }

    /// Compares two tasks in a function that the map does not have, called from one point of the program. Below it the
    /// stacks are a library's business, unless the library calls back.
    fn compare_beneath(&self, depth: usize, a: &Located, b: &Located) -> Outcome {
        if let Some(obstacle) = [a, b].iter().find_map(|side| side.frames[depth].obstacle.clone()) {
            return Outcome::unknown(depth, None, obstacle);
        }
        let name = &a.frames[depth].name;
        let is_mapped = |frame: &LocatedFrame| frame.function.is_some() || frame.is_of_program;
        if [a, b]
            .iter()
            .any(|side| side.frames[depth..].iter().any(is_mapped))
        {
            return Outcome::unknown(depth, None, Reason::CallsBack(name.clone()));
        }
        let entry = |task: &Located| task.origin.get(depth).copied().flatten();
        if [a, b].iter().any(|side| side.is_in_unknown_code(depth)) {
            return Outcome::unknown(depth, None, Reason::NotInMap(name.clone()));
        }
        // A macro may make a call more than once.
        let caller = depth.checked_sub(1).map(|last| &a.frames[last]);
        let is_one_call = caller.is_some_and(|caller| {
            let body = caller.function.map(|id| &self.map.functions[id]);
            body.is_some_and(|body| !self.in_macro(body, caller))
        });
        match beneath::relation((a, entry(a)), (b, entry(b))) {
            Some((Relation::Equal, _)) => Outcome::same_point(a, depth),
            Some((relation, operation)) if is_one_call => Outcome {
                depth,
                function: None,
                relation,
                decided: Decided::NotBegun(operation.to_owned()),
            },
            _ => {
                let reason = Reason::Beneath {
                    function: name.clone(),
                    a: (a.task.clone(), a.beneath.clone()),
                    b: (b.task.clone(), b.beneath.clone()),
                };
                Outcome::unknown(depth, None, reason)
            }
        }
    }

    /// Compares two tasks in different functions, called from one point of the program.
    fn compare_callees(&self, depth: usize, a: &Located, b: &Located) -> Outcome {
        let [name_a, name_b] = [a, b].map(|side| side.frames[depth].name.clone());
        if depth > 0 && self.parted_by_pointer(&a.frames[depth - 1], &b.frames[depth - 1]) {
            return Outcome {
                depth,
                function: None,
                relation: Relation::Incomparable,
                decided: Decided::Callees { a: name_a, b: name_b },
            };
        }
        Outcome::unknown(depth, None, Reason::Part(name_a, name_b))
    }

    /// Whether a frame may be inside a macro that is left as it is.
    fn in_macro(&self, body: &Function, frame: &LocatedFrame) -> bool {
        let kind = |place: &Place| &body.points[place.point].kind;
        frame
            .places
            .iter()
            .any(|place| matches!(kind(place), PointKind::MacroCall(_)))
    }

    /// Whether two frames are inside one call through a pointer: what it pointed to is then like a branch.
    fn parted_by_pointer(&self, a: &LocatedFrame, b: &LocatedFrame) -> bool {
        let (Some(function), [place_a], [place_b]) = (a.function, &a.places[..], &b.places[..]) else {
            return false;
        };
        place_a == place_b
            && self.map.functions[function].points[place_a.point].kind == PointKind::IndirectCall
    }

    /// Compares two frames of one function. `Equal` means the same point of the same iterations.
    fn compare_frames(
        &self,
        walk: &mut Walk,
        id: FunctionId,
        a: &LocatedFrame,
        b: &LocatedFrame,
    ) -> (Relation, Decided) {
        let function = &self.map.functions[id];
        let mut result: Option<(Relation, Decided, Vec<SameEpoch>)> = None;
        for &place_a in &a.places {
            for &place_b in &b.places {
                // Both tasks run one build.
                if self.map.never_together(id, place_a.point, place_b.point) {
                    continue;
                }
                let mut same = Vec::new();
                let (relation, decided) =
                    self.compare_places(walk, id, (a, place_a), (b, place_b), &mut same);
                if relation == Relation::Unknown {
                    return (relation, decided);
                }
                match &result {
                    None => result = Some((relation, decided, same)),
                    // Places of which no build has two are equal one by one.
                    Some((earlier, ..))
                        if *earlier == relation && (relation != Relation::Equal || place_a == place_b) => {}
                    Some(_) => {
                        return (
                            Relation::Unknown,
                            Decided::Nothing(self.ambiguous(function, a, b)),
                        );
                    }
                }
            }
        }
        match result {
            Some((relation, decided, same)) => {
                walk.same.extend(same);
                (relation, decided)
            }
            None => (
                Relation::Unknown,
                Decided::Nothing(Reason::NoPosition(function.name.clone())),
            ),
        }
    }

    fn ambiguous(&self, function: &Function, a: &LocatedFrame, b: &LocatedFrame) -> Reason {
        let wider = if a.places.len() >= b.places.len() { a } else { b };
        let spans = wider.places.iter().map(|place| function.points[place.point].span);
        let line = spans.map(|span| span.line).max().unwrap_or_default();
        Reason::SeveralPoints(self.line_of(function, line))
    }

    /// Compares two places of one function, from the outermost loop around both inwards.
    fn compare_places(
        &self,
        walk: &mut Walk,
        id: FunctionId,
        (frame_a, a): (&LocatedFrame, Place),
        (frame_b, b): (&LocatedFrame, Place),
        same: &mut Vec<SameEpoch>,
    ) -> (Relation, Decided) {
        let function = &self.map.functions[id];
        let nothing = |reason: Reason| (Relation::Unknown, Decided::Nothing(reason));
        let mut region = Region::Function;
        let mut outer = None;
        loop {
            let node_a = flow::node_of(function, outer, a);
            let node_b = flow::node_of(function, outer, b);
            if node_a == node_b && self.may_recur(id, region, node_a) {
                let variable = same.last().map(|same| same.name.clone());
                return nothing(Reason::MayRecur(variable.unwrap_or_default()));
            }
            let inner = match (node_a, node_b) {
                (Node::Inner(x), Node::Inner(y)) if x == y => x,
                _ if a == b => return (Relation::Equal, Decided::SamePoint),
                _ if unsequenced(function, a.point, b.point) => {
                    let line = function.points[a.point].span.line;
                    return nothing(Reason::Unsequenced(self.line_of(function, line)));
                }
                _ => return self.by_flow(id, region, (node_a, a), (node_b, b)),
            };
            match self.compare_iterations(walk, (id, inner), (frame_a, a), (frame_b, b), same) {
                ControlFlow::Continue(next) => (region, outer) = (next, Some(inner)),
                ControlFlow::Break(decided) => return decided,
            }
        }
    }

    /// Compares the iterations of a loop in which two places are. Where they are the same, the comparison goes on in the part of
    /// the loop that is returned.
    pub(crate) fn compare_iterations(
        &self,
        walk: &mut Walk,
        (id, in_loop): (FunctionId, LoopId),
        (frame_a, a): (&LocatedFrame, Place),
        (frame_b, b): (&LocatedFrame, Place),
        same: &mut Vec<SameEpoch>,
    ) -> ControlFlow<(Relation, Decided), Region<'m>> {
        let function = &self.map.functions[id];
        let nothing = |reason: Reason| ControlFlow::Break((Relation::Unknown, Decided::Nothing(reason)));
        let at = || self.line_of(function, function.loops[in_loop].span.line);
        if !function.loops[in_loop].reducible {
            return nothing(Reason::Irreducible { in_loop, at: at() });
        }
        match iteration::compare(function, in_loop, (frame_a, a), (frame_b, b), walk.same_task) {
            Iteration::Differ { relation, lov, a, b } => {
                walk.rest_on(lov);
                let name = lov.name.clone();
                ControlFlow::Break((relation, Decided::Iteration { in_loop, name, a, b }))
            }
            Iteration::Same { region, lov, a, b } => {
                walk.rest_on(lov);
                same.push(SameEpoch {
                    function: id,
                    in_loop,
                    name: lov.name.clone(),
                    a,
                    b,
                });
                debug_assert!(
                    matches!(region, Region::Epoch(..)) == matches!(lov.cut, Cut::Updates)
                        || on(Mutant::HeaderCutsEpoch)
                );
                ControlFlow::Continue(region)
            }
            Iteration::Unknown(_) if on(Mutant::MissingVariableSkipped) => {
                ControlFlow::Continue(Region::Iteration(in_loop))
            }
            Iteration::Unknown(silent) => {
                let completed = |frame: &LocatedFrame, place: Place| {
                    let counted = frame.iterations.get(&in_loop).map(|&counted| (counted, None));
                    let by_value = || {
                        let (lov, completed) = iteration::completed(function, in_loop, frame, place)?;
                        Some((completed, Some(lov)))
                    };
                    counted.or_else(by_value)
                };
                let (Some((a, by_a)), Some((b, by_b))) = (completed(frame_a, a), completed(frame_b, b))
                else {
                    return nothing(Reason::NoVariable {
                        in_loop,
                        at: at(),
                        silent,
                    });
                };
                for lov in by_a.into_iter().chain(by_b) {
                    walk.rest_on(lov);
                }
                let relation = match a.cmp(&b) {
                    Ordering::Equal => return ControlFlow::Continue(Region::Iteration(in_loop)),
                    Ordering::Less => Relation::Before,
                    Ordering::Greater => Relation::After,
                };
                ControlFlow::Break((relation, Decided::Iterations { in_loop, a, b }))
            }
        }
    }

    /// Whether a task may come to `node` twice within one epoch. In an iteration, and in the function as a whole, it may
    /// not. An epoch of a strict variable shows each point once, but a loop that holds updates may be entered at the
    /// end of the epoch and again at the start of the next one, with the same value; and a weak variable lets tasks go
    /// round without changing it.
    pub(crate) fn may_recur(&self, id: FunctionId, region: Region<'_>, node: Node) -> bool {
        let Region::Epoch(in_loop, updates) = region else {
            return false;
        };
        let function = &self.map.functions[id];
        let strict = function.loops[in_loop]
            .lovs
            .iter()
            .any(|lov| lov.class == LovClass::Strict && lov.updates == updates);
        let once = strict && matches!(node, Node::Place(_));
        !once && !on(Mutant::RecurrenceIgnored) && self.ways[id].lead(function, region, node, node)
    }

    /// How two places in different nodes of a region stand to each other: by whether control comes from one to the other.
    fn by_flow(
        &self,
        id: FunctionId,
        region: Region<'_>,
        (node_a, a): (Node, Place),
        (node_b, b): (Node, Place),
    ) -> (Relation, Decided) {
        let decided = Decided::Flow {
            a: a.point,
            b: b.point,
        };
        let leads = |from, to| self.ways[id].lead(&self.map.functions[id], region, from, to);
        match (leads(node_a, node_b), leads(node_b, node_a)) {
            (true, false) => (Relation::Before, decided),
            (false, true) => (Relation::After, decided),
            (false, false) => (Relation::Incomparable, decided),
            (true, true) => (Relation::Unknown, Decided::Nothing(Reason::Circle)),
        }
    }
}

/// What a comparison has used so far.
pub(crate) struct Walk {
    same_task: bool,
    assumption: Assumption,
    trusts_outside: bool,
    pub(crate) same: Vec<SameEpoch>,
}

impl Walk {
    fn of(a: &Located, b: &Located) -> Self {
        Self {
            // Two jobs, or a rank that forked, may give one rank to several processes.
            same_task: a.rank.is_some()
                && a.rank == b.rank
                && (a.pid == b.pid || a.pid.is_none() || b.pid.is_none()),
            assumption: Assumption::Proven,
            trusts_outside: false,
            same: Vec::new(),
        }
    }

    fn rest_on(&mut self, lov: &Lov) {
        let assumption = iteration::assumption(lov, self.same_task);
        self.assumption = self.assumption.max(assumption);
        self.trusts_outside |= lov.visible() != Assumption::Proven;
    }
}

/// Whether C leaves the order of two points of one expression open.
fn unsequenced(function: &Function, a: PointId, b: PointId) -> bool {
    let (a, b) = (&function.points[a].unsequenced, &function.points[b].unsequenced);
    !on(Mutant::OperandsInOrder)
        && a.iter()
            .any(|x| b.iter().any(|y| x.group == y.group && x.operand != y.operand))
}
