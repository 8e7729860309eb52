//! Values that an optimised build shows too early or too late.
//!
//! A compiler that keeps a loop variable in a register may make its update somewhere else than where the source has
//! it: it sinks `i++` below the calls that follow, or makes one of two that stand in both arms of a branch. Debug info
//! should then tell the value that the source would have. Measured on programs whose truth is known (`docs/order.md`),
//! it does not: clang 14 goes on showing the old value after the place of the update; gcc 12 at -O2 shows one of the
//! merged updates twice, forgets conditional ones, and sometimes shows the old value past the only update of a loop that it
//! has sunk. No entry of the debug info gives this away.
//!
//! What is safe to believe: *between the start of an iteration and the first place in it where the source may update the
//! variable, its value is that of the start of the iteration*. No compiler shows an update before it is made, but clang, which
//! copies the condition of a loop to its end, may still show the old value there: in its code what leads to a way out of the loop is
//! believed only in front of the update. So the locations of a variable are left out at all positions that, within one
//! iteration of a loop that it orders, may come after an update. A variable that lives in memory all its life has no
//! such gap: there the update is a store, which calls may see. What lies behind a pointer, and is known to others ([`hidden`](crate::hidden)), has none
//! while a call lasts that may come to MPI ([`call_sites`](crate::call_sites)). Neither has one in code that was not optimised, or by
//! gcc at -Og, which moves nothing past a call. In gcc's code the only update of a loop, which every cycle makes, is believed where
//! it can be seen that it was not sunk, since all its code stands in front, and outside the call in whose arguments it stands: of
//! `f(i++)` gcc says the old value while `f` runs. Where the update has no code at all, and the debug info computes the value of
//! another counter (three minus a register), neither side of it is believed but at -O2: gcc 12 at -O1 and -Os shows such an update too
//! early, too.
//!
//! Nor is a constant believed to be the value of a variable that a loop changes. It is right where an iteration has its own
//! copy of the code; but both compilers also say it of a variable whose counting another one has taken over. Nor, in
//! clang's code, a value that is computed from a register: clang 14 -Og shows `i + 1` for `i` on a way that leaves the
//! loop before `i++`, because it made the sum ahead of the branch. Nor, in anybody's code, one that is computed from memory: gcc 12 -O3
//! describes a counter by a word of the stack that does not hold it any more.

use crate::expression::facts;
use crate::locations::replace;
use crate::points_at::PointsAt;
use crate::positions::Positions;
use base::Id;
use progress_map::{
    Binding, BoundMerge, BoundVariable, Function, FunctionId, FunctionInstance, LocationRange, LoopId, Lov,
    Map, PathStep, PointId,
};
use std::collections::BTreeMap;

/// Who made the code of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compiler {
    /// gcc made all of it, each optimised part at -O2.
    GccAtTwo,
    /// gcc made all of it, some at other levels.
    Gcc,
    /// Somebody else made a part of it.
    Other,
}

impl Compiler {
    /// Whether gcc made all of it.
    pub(crate) fn is_gcc(self) -> bool {
        self != Self::Other
    }
}

/// Leaves out what cannot be believed; returns how many variables have lost a part of their locations.
pub(crate) fn withhold(map: &Map, binding: &mut Binding, compiler: Compiler, barriers: &[u64]) -> usize {
    let positions = Positions::new(binding);
    let mut risks: BTreeMap<(FunctionId, &str), Risk> = BTreeMap::new();
    let mut points_at: BTreeMap<FunctionId, PointsAt<'_>> = BTreeMap::new();
    let mut changes = Vec::new();
    for (index, variable) in binding.variables.iter().enumerate() {
        let exempt = !positions.optimised(variable.instance) || in_memory(&variable.locations);
        if variable.locations.is_empty() || exempt {
            continue;
        }
        let Some((id, range)) = positions.code(variable.instance) else {
            continue;
        };
        let function = &map.functions[id];
        let risk = risks
            .entry((id, &variable.name))
            .or_insert_with(|| Risk::new(function, &variable.name, binding.merges_of(id), compiler));
        let points_at = points_at.entry(id).or_insert_with(|| PointsAt::new(function));
        let code = Code {
            instance: variable.instance,
            range,
        };
        let doubt = risk.doubt(&positions, function, points_at, code);
        let believable = believable(function, variable, compiler);
        // Where it lies behind a pointer there is nothing to be moved but the store, and no store moves past a barrier.
        let at_barriers = if variable.path.contains(&PathStep::Deref) {
            at_barriers(&believable, range, barriers)
        } else {
            Vec::new()
        };
        let mut kept = doubt.leaves(believable);
        for place in at_barriers {
            let is_known = |own: &LocationRange| own.start < place.end && place.start < own.end;
            if !kept.iter().any(is_known) {
                kept.push(place);
            }
        }
        kept.sort_by_key(|location| (location.start, location.end));
        if kept != variable.locations {
            changes.push((index, kept));
        }
    }
    replace(binding, changes)
}

/// The locations of a variable that are of a kind that may be believed, wherever they stand.
fn believable(function: &Function, variable: &BoundVariable, compiler: Compiler) -> Vec<LocationRange> {
    let mut believable = variable.locations.clone();
    if is_changed(function, &variable.name) {
        // Where it lies behind a pointer, the location is the pointer's, and a loop changes what is behind it.
        let is_behind = variable.path.contains(&PathStep::Deref);
        believable.retain(|location| {
            facts(&location.expression).is_some_and(|facts| {
                let from_memory = facts.computed && facts.reads_memory;
                let is_constant = !is_behind && facts.is_constant();
                !is_constant && (compiler.is_gcc() || !facts.computed) && !from_memory
            })
        });
    }
    believable
}

/// Where a variable of a function is not to be believed.
struct Risk {
    compiler: Compiler,
    /// Wherever the code stands.
    moved: Risky,
    /// If code of an update follows (gcc), or stands in front (clang).
    sunk: Risky,
    /// What that code stands for.
    updates: Vec<Update>,
}

/// A point that updates a variable.
struct Update {
    point: PointId,
    /// No other one updates it in the loop.
    is_only_one: bool,
}

impl Risk {
    fn new(function: &Function, name: &str, merges: &[BoundMerge], compiler: Compiler) -> Self {
        let mut after = after_updates(function, name, compiler.is_gcc());
        if !compiler.is_gcc() {
            mark_behind_loops(function, name, &mut after.moved);
        }
        spread(merges, &mut after.moved);
        spread(merges, &mut after.sunk);
        Self {
            compiler,
            moved: Risky::new(after.moved),
            sunk: Risky::new(after.sunk),
            updates: { after.updates.into_iter() }
                .map(|(point, is_only_one)| Update { point, is_only_one })
                .collect(),
        }
    }

    /// What that means for one piece of the function's code.
    fn doubt(
        &self,
        positions: &Positions<'_>,
        function: &Function,
        points_at: &mut PointsAt<'_>,
        code: Code,
    ) -> Doubt {
        let mut stretches = |of: &Risky| {
            if of.is_empty {
                return Vec::new();
            }
            positions.gaps(code.instance, code.range, |line, column| {
                of.has_any(points_at.position(line, column))
            })
        };
        let (always, sunk) = (stretches(&self.moved), stretches(&self.sunk));
        let updates = self.code_of_updates(positions, function, points_at, code.range.0);
        // gcc -O2 is right about the only update of a loop. Of several it makes one, and then counts it twice.
        let is_right = |update: &Update| self.compiler == Compiler::GccAtTwo && update.is_only_one;
        let mut without_code = { self.updates.iter().zip(&updates) }.filter(|(_, code)| code.is_empty());
        let computed = without_code.any(|(update, _)| !is_right(update));
        if self.sunk.is_empty {
            return Doubt {
                always,
                shown: Vec::new(),
                computed,
            };
        }
        let code = updates.iter().flatten();
        let (first, last) = (code.clone().min(), code.max_by_key(|(_, end)| *end));
        // Without code of its own an update is part of some other instruction, which may be anywhere.
        let (from, to) = match (self.compiler.is_gcc(), first, last) {
            (true, _, Some(last)) => (0, last.1),
            (false, Some(first), _) => (first.0, u64::MAX),
            _ => (0, u64::MAX),
        };
        let clipped = sunk.iter().map(|&(start, end)| (start.max(from), end.min(to)));
        let mut shown = Vec::from_iter(clipped.filter(|(start, end)| start < end));
        // Behind what the source has after it, an update has been moved there: then the old value is no more right at its own code.
        if self.compiler.is_gcc() && !shown.is_empty() {
            shown.extend(updates.iter().flatten().copied());
            shown.sort_unstable();
        }
        Doubt {
            always,
            shown,
            computed,
        }
    }

    /// The code of each update. An inlined call may be in several pieces, and that of the update may be another than the one at `address`, so
    /// all of the function around it is looked through.
    fn code_of_updates(
        &self,
        positions: &Positions<'_>,
        function: &Function,
        points_at: &mut PointsAt<'_>,
        address: u64,
    ) -> Vec<Vec<(u64, u64)>> {
        let mut code = vec![Vec::new(); self.updates.len()];
        for row in positions.rows_around(address) {
            if self.updates.is_empty() || row.file != Ok(function.file) {
                continue;
            }
            let at = points_at.position(row.line, row.column);
            for (update, own) in self.updates.iter().zip(&mut code) {
                if at.contains(&update.point) {
                    own.push((row.start, row.end));
                }
            }
        }
        code
    }
}

/// One piece of code of an instance of a function.
#[derive(Clone, Copy)]
struct Code {
    instance: FunctionInstance,
    range: (u64, u64),
}

/// Which locations of a variable are not believed in one piece of code.
#[derive(Default)]
struct Doubt {
    /// Here none is.
    always: Vec<(u64, u64)>,
    /// Here only those are that compute the value.
    shown: Vec<(u64, u64)>,
    /// None that computes the value is, anywhere.
    computed: bool,
}

impl Doubt {
    /// What it leaves of the locations that may be believed, sorted.
    fn leaves(&self, believable: Vec<LocationRange>) -> Vec<LocationRange> {
        let is_computed =
            |location: &LocationRange| facts(&location.expression).is_some_and(|facts| facts.computed);
        let (computed, shown): (Vec<_>, Vec<_>) = believable.into_iter().partition(is_computed);
        let mut kept = without(&without(&shown, &self.shown), &self.always);
        if !self.computed {
            kept.extend(without(&computed, &self.always));
        }
        kept.sort_by_key(|location| (location.start, location.end));
        kept
    }
}

/// Some points of a function.
struct Risky {
    points: Vec<bool>,
    /// There are none: almost always.
    is_empty: bool,
}

impl Risky {
    fn new(points: Vec<bool>) -> Self {
        Self {
            is_empty: !points.contains(&true),
            points,
        }
    }

    /// Whether one of these points is among them.
    fn has_any(&self, points: &[PointId]) -> bool {
        points.iter().any(|point| self.points[point.index()])
    }
}

/// The places inside a range of code during the calls of `barriers`, which are sorted addresses behind them.
fn at_barriers(
    locations: &[LocationRange],
    (start, end): (u64, u64),
    barriers: &[u64],
) -> Vec<LocationRange> {
    let mut found = Vec::new();
    for location in locations {
        let first = barriers.partition_point(|&after| after <= location.start.max(start));
        let own = barriers[first..]
            .iter()
            .take_while(|&&after| after <= location.end.min(end));
        found.extend(own.map(|&after| LocationRange {
            start: after - 1,
            end: after,
            expression: location.expression.clone(),
        }));
    }
    found
}

/// Whether the variable lives at one place in memory all its life.
fn in_memory(locations: &[LocationRange]) -> bool {
    match locations {
        // A register that a place is relative to all the time is the frame pointer, or what stands in for it.
        [only] => is_always(only) && facts(&only.expression).is_some_and(|facts| facts.is_address()),
        _ => false,
    }
}

fn is_always(location: &LocationRange) -> bool {
    (location.start, location.end) == crate::locations::ALWAYS
}

/// Whether the variable orders a loop, and so is changed in it.
pub(crate) fn is_changed(function: &Function, name: &str) -> bool {
    let mut lovs = function.loops.iter().flat_map(|in_loop| &in_loop.lovs);
    lovs.any(|lov| lov.name == name && !lov.updates.is_empty())
}

/// By point: whether, in an iteration of a loop that the variable orders, it may come after an update of it.
struct AfterUpdates {
    /// It may follow an update that the compiler may have moved anywhere, or is one.
    moved: Vec<bool>,
    /// It may follow an update that the compiler may only have moved later in the iteration; in clang's code, towards a way out of the loop.
    sunk: Vec<bool>,
    /// The updates, each with whether it is the only one of each loop that it is of.
    updates: BTreeMap<PointId, bool>,
}

fn after_updates(function: &Function, name: &str, only_gcc: bool) -> AfterUpdates {
    let none = vec![false; function.points.len()];
    let mut after = AfterUpdates {
        moved: none.clone(),
        sunk: none,
        updates: BTreeMap::new(),
    };
    for (id, in_loop) in function.loops.iter_enumerated() {
        for lov in in_loop.lovs.iter().filter(|lov| lov.name == name) {
            // gcc is wrong where several updates become one, or a conditional one unconditional.
            match lov.updates[..] {
                [only] if only_gcc && on_every_cycle(function, id, only) => {
                    mark(function, id, lov, &mut after.sunk);
                    for call in calls_with(function, only) {
                        after.moved[call.index()] = true;
                    }
                }
                _ => mark(function, id, lov, &mut after.moved),
            }
            if !only_gcc {
                for point in function.points.ids() {
                    after.sunk[point.index()] |= leads_out(function, point, id, lov);
                }
            }
            for &update in &lov.updates {
                *after.updates.entry(update).or_insert(true) &= lov.updates.len() == 1;
            }
        }
    }
    // At the update itself both values are possible anyway.
    for update in after.updates.keys() {
        after.sunk[update.index()] = false;
    }
    after
}

/// By point: whether it may follow an update of a variable in an iteration of a loop that this orders, or is one, or the call that has one among its arguments; or an instruction with its position may.
pub(crate) fn may_follow_update(function: &Function, name: &str, merges: &[BoundMerge]) -> Vec<bool> {
    let after = after_updates(function, name, false);
    let mut found = after.moved;
    for (found, sunk) in found.iter_mut().zip(after.sunk) {
        *found |= sunk;
    }
    for &update in after.updates.keys() {
        found[update.index()] = true;
        for call in calls_with(function, update) {
            found[call.index()] = true;
        }
    }
    spread(merges, &mut found);
    found
}

/// The calls in whose arguments a point is.
fn calls_with(function: &Function, point: PointId) -> impl Iterator<Item = PointId> + '_ {
    let span = function.points[point].span;
    let calls = function
        .points
        .iter_enumerated()
        .filter(|(_, point)| point.kind.is_call());
    calls.filter_map(move |(id, call)| (id != point && call.span.contains(span)).then_some(id))
}

/// An instruction with the position of one call may belong to a call that was merged with it: then the one that is shown is risky, too.
fn spread(merges: &[BoundMerge], points: &mut [bool]) {
    let risky = merges.iter().filter(|merge| points[merge.other.index()]);
    for merge in Vec::from_iter(risky) {
        points[merge.shown.index()] = true;
    }
}

/// Whether the loop cannot come round without passing `update`.
fn on_every_cycle(function: &Function, id: LoopId, update: PointId) -> bool {
    let header = function.loops[id].header;
    let past = |point: PointId| point != update && lies_in(function, point, id);
    header == update || !function.reaches(header, header, past)
}

/// Marks the updates of a variable and what comes after them in one iteration of the loop.
fn mark(function: &Function, id: LoopId, lov: &Lov, found: &mut [bool]) {
    let header = function.loops[id].header;
    let stays = |point: PointId| point != header && lies_in(function, point, id);
    for (found, reached) in found.iter_mut().zip(&function.reached(&lov.updates, stays)) {
        *found |= reached;
    }
}

/// Marks what comes behind the loops that a variable orders, outside of all of them.
fn mark_behind_loops(function: &Function, name: &str, found: &mut [bool]) {
    let own = |lov: &&Lov| lov.name == name;
    let lovs = function.loops.iter().flat_map(|in_loop| &in_loop.lovs);
    let updates = Vec::from_iter(lovs.filter(own).flat_map(|lov| lov.updates.iter().copied()));
    let orders = |point: PointId| {
        let mut around = function.loops_around(point);
        around.any(|id| function.loops[id].lovs.iter().any(|lov| own(&lov)))
    };
    let reached = function.reached(&updates, |_| true);
    for (point, (found, reached)) in function.points.ids().zip(found.iter_mut().zip(reached)) {
        *found |= reached && !orders(point);
    }
}

/// Whether a point of the loop is followed, in the same iteration and before an update, by nothing but a decision that may
/// leave the loop.
fn leads_out(function: &Function, point: PointId, id: LoopId, lov: &Lov) -> bool {
    let header = function.loops[id].header;
    let mut at = point;
    // A cycle without a decision is gone round once at most.
    for _ in 0..function.points.len() {
        if !lies_in(function, at, id) || lov.updates.contains(&at) || at == header && at != point {
            return false;
        }
        let next = Vec::from_iter(function.successors(at).take(2));
        match next[..] {
            [only] => at = only,
            _ => return function.successors(at).any(|next| !lies_in(function, next, id)),
        }
    }
    false
}

fn lies_in(function: &Function, point: PointId, id: LoopId) -> bool {
    function.loops_around(point).any(|at| at == id)
}

/// The parts of `locations` outside `gaps`, which are sorted.
pub(crate) fn without(locations: &[LocationRange], gaps: &[(u64, u64)]) -> Vec<LocationRange> {
    let mut kept = Vec::new();
    for location in locations {
        let mut start = location.start;
        let mut keep = |start: u64, end: u64| {
            if start < end {
                kept.push(LocationRange {
                    start,
                    end,
                    expression: location.expression.clone(),
                });
            }
        };
        for &(from, to) in gaps {
            if to <= start || from >= location.end {
                continue;
            }
            keep(start, from);
            start = to;
        }
        keep(start, location.end);
    }
    kept
}

#[cfg(test)]
pub(crate) mod tests;
