//! Comparing two execution points, frame by frame and pair by pair.

use crate::arms::{self, Arms};
use crate::beneath;
use crate::code::CodeIndex;
use crate::flow::{self, Node, Region};
use crate::iteration::{self, Iteration};
use crate::locate::{Located, LocatedFrame, Place};
use crate::reason::Reason;
use crate::tail;
use crate::verdict::{Decided, Proof, Relation, SameEpoch, Verdict};
use base::mutant::{Mutant, on};
use base::{Confidence, IdVec};
use progress_map::{Assumption, Cut, Function, FunctionId, Lov, LovClass, Map, PointId, PointKind};
use std::collections::BTreeSet;
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
    /// The arms of each function's decisions.
    arms: IdVec<FunctionId, Arms>,
    /// What the optimised functions call last; made when first asked for.
    pub(crate) vanished_into: OnceLock<BTreeSet<String>>,
    /// What the machine code of the bindings tells.
    pub(crate) code: CodeIndex,
}

impl<'m> Order<'m> {
    /// Prepares a map.
    pub fn new(map: &'m Map) -> Self {
        let mut by_name: Vec<FunctionId> = map.functions.ids().collect();
        by_name.sort_by(|&a, &b| (&map.functions[a].name, a).cmp(&(&map.functions[b].name, b)));
        let assigning = map.functions.iter().map(|_| OnceLock::new()).collect();
        Self {
            map,
            by_name,
            assigning,
            optimised: tail::optimised(map),
            vanished_into: OnceLock::new(),
            code: CodeIndex::default(),
            last_calls: map.functions.iter().map(|_| OnceLock::new()).collect(),
            arms: map.functions.iter().map(|_| Arms::default()).collect(),
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
        self.walk(&mut walk, a, b).2 == Relation::Equal
    }

    /// How `a` stands to `b` (SC'09 Def. 3.1 to 3.4, on control flow). See the crate's promise.
    pub fn compare(&self, a: &Located, b: &Located) -> Verdict {
        let mut walk = Walk::of(a, b);
        let (depth, function, mut relation, mut decided) = self.walk(&mut walk, a, b);
        if relation == Relation::Unknown
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

    fn walk(
        &self,
        walk: &mut Walk,
        a: &Located,
        b: &Located,
    ) -> (usize, Option<FunctionId>, Relation, Decided) {
        let unknown =
            |depth, function, reason: Reason| (depth, function, Relation::Unknown, Decided::Nothing(reason));
        if let Some(obstacle) = a.obstacle.as_ref().or(b.obstacle.as_ref()) {
            return unknown(0, None, obstacle.clone().into());
        }
        let inner_first = on(Mutant::InnerFramesFirst).then(|| a.frames.len().min(b.frames.len()));
        for depth in inner_first.map_or(0, |frames| frames.saturating_sub(1)).. {
            let (frame_a, frame_b) = match (a.frames.get(depth), b.frames.get(depth)) {
                (None, None) => {
                    let function = depth.checked_sub(1).and_then(|last| a.frames[last].function);
                    return (
                        depth.saturating_sub(1),
                        function,
                        Relation::Equal,
                        Decided::SamePoint,
                    );
                }
                (Some(frame), None) | (None, Some(frame)) => {
                    let (inside, outside) = if a.frames.len() > depth {
                        (&a.task, &b.task)
                    } else {
                        (&b.task, &a.task)
                    };
                    // It has not made the call yet, or is back from it: the point of the program is the same, and yet one of the
                    // two may be what the other waits for.
                    let reason = Reason::CallUnderWay {
                        inside: inside.clone(),
                        outside: outside.clone(),
                        callee: frame.name.clone(),
                    };
                    return unknown(depth, None, reason);
                }
                (Some(frame_a), Some(frame_b)) => (frame_a, frame_b),
            };
            let function = match (frame_a.function, frame_b.function) {
                (Some(x), Some(y)) if x == y => x,
                (None, None) if depth == 0 => {
                    return unknown(depth, None, Reason::NothingInMap);
                }
                (None, None) => {
                    // Below here the stacks are a library's business, unless it calls back.
                    let calls_back = [a, b]
                        .iter()
                        .any(|side| side.frames[depth..].iter().any(|frame| frame.function.is_some()));
                    if calls_back {
                        return unknown(depth, None, Reason::CallsBack(frame_a.name.clone()));
                    }
                    let entry = |task: &Located| task.origin.get(depth).copied().flatten();
                    // A macro may make a call more than once.
                    let caller = depth.checked_sub(1).map(|last| &a.frames[last]);
                    let is_one_call = caller.is_some_and(|caller| {
                        let body = caller.function.map(|id| &self.map.functions[id]);
                        body.is_some_and(|body| !self.in_macro(body, caller))
                    });
                    let beneath = beneath::relation((a, entry(a)), (b, entry(b)))
                        .filter(|(relation, _)| *relation == Relation::Equal || is_one_call);
                    if let Some((relation @ (Relation::Before | Relation::After), operation)) = beneath {
                        return (depth, None, relation, Decided::NotBegun(operation.to_owned()));
                    }
                    if beneath.is_none() {
                        let reason = Reason::Beneath {
                            function: frame_a.name.clone(),
                            a: (a.task.clone(), a.beneath.clone()),
                            b: (b.task.clone(), b.beneath.clone()),
                        };
                        return unknown(depth, None, reason);
                    }
                    let outer = depth.checked_sub(1).and_then(|last| a.frames[last].function);
                    return (
                        depth.saturating_sub(1),
                        outer,
                        Relation::Equal,
                        Decided::SamePoint,
                    );
                }
                _ => {
                    let decided = Decided::Callees {
                        a: frame_a.name.clone(),
                        b: frame_b.name.clone(),
                    };
                    if depth > 0 && self.parted_by_pointer(&a.frames[depth - 1], &b.frames[depth - 1]) {
                        return (depth, None, Relation::Incomparable, decided);
                    }
                    let reason = Reason::Part(frame_a.name.clone(), frame_b.name.clone());
                    return unknown(depth, None, reason);
                }
            };
            if let Some(obstacle) = frame_a.obstacle.as_ref().or(frame_b.obstacle.as_ref()) {
                return unknown(depth, Some(function), obstacle.clone().into());
            }
            let body = &self.map.functions[function];
            if body.confidence == Confidence::Partial {
                let reason = Reason::ReadInPart {
                    function: body.name.clone(),
                    why: body.confidence_reason.clone(),
                };
                return unknown(depth, Some(function), reason);
            }
            match self.compare_frames(walk, function, frame_a, frame_b) {
                (Relation::Equal, _) => {
                    let goes_on = a.frames.len() > depth + 1 || b.frames.len() > depth + 1;
                    let known = |frame: &LocatedFrame, side: &Located| {
                        frame.callee_known || side.frames.len() <= depth + 1
                    };
                    if goes_on && !(known(frame_a, a) && known(frame_b, b)) {
                        let reason = Reason::FrameMissing(body.name.clone());
                        return unknown(depth, Some(function), reason);
                    }
                    // A macro may make a call more than once.
                    let both = a.frames.len() > depth + 1 && b.frames.len() > depth + 1;
                    let mapped = |side: &Located| {
                        side.frames
                            .get(depth + 1)
                            .is_some_and(|frame| frame.function.is_some())
                    };
                    if both && (mapped(a) || mapped(b)) && self.in_macro(body, frame_a) {
                        let reason = Reason::CallInMacro(body.name.clone());
                        return unknown(depth, Some(function), reason);
                    }
                }
                (relation, decided) => return (depth, Some(function), relation, decided),
            }
        }
        unknown(0, None, Reason::TooDeep)
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
            if node_a == node_b && self.may_recur(function, region, node_a) {
                let variable = same.last().map(|same| same.name.clone());
                return nothing(Reason::MayRecur(variable.unwrap_or_default()));
            }
            let inner = match (node_a, node_b) {
                (Node::Inner(x), Node::Inner(y)) if x == y => x,
                _ if a == b => return (Relation::Equal, Decided::SamePoint),
                _ => {
                    if unsequenced(function, a.point, b.point) {
                        let line = function.points[a.point].span.line;
                        return nothing(Reason::Unsequenced(self.line_of(function, line)));
                    }
                    let decided = Decided::Flow {
                        a: a.point,
                        b: b.point,
                    };
                    let forth = flow::reaches(function, region, node_a, node_b);
                    let back = flow::reaches(function, region, node_b, node_a);
                    return match (forth, back) {
                        (true, false) => (Relation::Before, decided),
                        (false, true) => (Relation::After, decided),
                        (false, false) => (Relation::Incomparable, decided),
                        (true, true) => nothing(Reason::Circle),
                    };
                }
            };
            let in_loop = &function.loops[inner];
            let at = || self.line_of(function, in_loop.span.line);
            if !in_loop.reducible {
                return nothing(Reason::Irreducible {
                    in_loop: inner,
                    at: at(),
                });
            }
            match iteration::compare(function, inner, (frame_a, a), (frame_b, b), walk.same_task) {
                Iteration::Differ { relation, lov, a, b } => {
                    walk.rest_on(lov);
                    return (
                        relation,
                        Decided::Iteration {
                            in_loop: inner,
                            name: lov.name.clone(),
                            a,
                            b,
                        },
                    );
                }
                Iteration::Same {
                    region: next,
                    lov,
                    a,
                    b,
                } => {
                    walk.rest_on(lov);
                    same.push(SameEpoch {
                        function: id,
                        in_loop: inner,
                        name: lov.name.clone(),
                        a,
                        b,
                    });
                    debug_assert!(
                        matches!(next, Region::Epoch(..)) == matches!(lov.cut, Cut::Updates)
                            || on(Mutant::HeaderCutsEpoch)
                    );
                    region = next;
                    outer = Some(inner);
                }
                Iteration::Unknown(_) if on(Mutant::MissingVariableSkipped) => {
                    (region, outer) = (Region::Iteration(inner), Some(inner));
                }
                Iteration::Unknown(silent) => {
                    return nothing(Reason::NoVariable {
                        in_loop: inner,
                        at: at(),
                        silent,
                    });
                }
            }
        }
    }

    /// Whether a task may come to `node` twice within one epoch. In an iteration, and in the function as a whole, it may
    /// not. An epoch of a strict variable shows each point once, but a loop that holds updates may be entered at the
    /// end of the epoch and again at the start of the next one, with the same value; and a weak variable lets tasks go
    /// round without changing it.
    fn may_recur(&self, function: &Function, region: Region<'_>, node: Node) -> bool {
        let Region::Epoch(in_loop, updates) = region else {
            return false;
        };
        let strict = function.loops[in_loop]
            .lovs
            .iter()
            .any(|lov| lov.class == LovClass::Strict && lov.updates == updates);
        let once = strict && matches!(node, Node::Place(_));
        !once && !on(Mutant::RecurrenceIgnored) && flow::reaches(function, region, node, node)
    }
}

/// What a comparison has used so far.
struct Walk {
    same_task: bool,
    assumption: Assumption,
    trusts_outside: bool,
    same: Vec<SameEpoch>,
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
        self.trusts_outside |= lov.visible != Assumption::Proven;
    }
}

/// Whether C leaves the order of two points of one expression open.
fn unsequenced(function: &Function, a: PointId, b: PointId) -> bool {
    let (a, b) = (&function.points[a].unsequenced, &function.points[b].unsequenced);
    !on(Mutant::OperandsInOrder)
        && a.iter()
            .any(|x| b.iter().any(|y| x.group == y.group && x.operand != y.operand))
}
