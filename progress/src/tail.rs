//! Calls that leave no frame.
//!
//! Where a function does nothing after a call but return, an optimising compiler jumps instead of calling. Then the
//! caller's frame is gone: on the stack its own caller seems to have called the callee. And a function that calls
//! itself last becomes a loop: all its calls share one frame, which shows the position of the innermost. That holds as
//! well where something is computed from the result (`return f(n - 1) + 1`), since compilers accumulate it on the way.
//!
//! **May vanish.** Function f *may vanish into* g if f was optimised and has a call of g from which the exit is reached
//! without another call and without a `return` of a value that is certainly not the call's, such as `return 0`; into more
//! functions by way of g, if g may vanish too.
//!
//! **Frames put back.** Where the line of a frame calls f and not g, the next frame is g's, and there is exactly one way
//! in which f may vanish into g, the frames on that way are known: each stands at its last call. Wrappers make this
//! common: `int solve(x) { return do_solve(x); }`.

use crate::Order;
use base::{Id, IdVec};
use progress_map::{Function, FunctionId, Map, PointId, PointKind};

/// By function: whether some of its code was optimised. Nothing is known of the build of a map without binding.
pub(crate) fn optimised(map: &Map) -> IdVec<FunctionId, bool> {
    let mut optimised: IdVec<FunctionId, bool> = map.functions.iter().map(|_| false).collect();
    let functions = map.bindings().flat_map(|binding| &binding.functions);
    for function in functions.filter(|function| function.optimised) {
        if let Some(id) = function.function {
            optimised[id] = true;
        }
    }
    // Only optimised code has inlined calls, but for those of functions that insist.
    for inline in map.bindings().flat_map(|binding| &binding.inlines) {
        if let Some(id) = inline.function {
            optimised[id] = true;
        }
    }
    optimised
}

/// Functions that were inlined somewhere.
pub(crate) fn inlined(map: &Map) -> IdVec<FunctionId, bool> {
    let mut inlined: IdVec<FunctionId, bool> = map.functions.iter().map(|_| false).collect();
    for inline in map.bindings().flat_map(|binding| &binding.inlines) {
        if let Some(id) = inline.function {
            inlined[id] = true;
        }
    }
    inlined
}

/// The calls from which the exit of `function` is reached without another call; `past_returns`: also past a `return` of a
/// value that is not theirs.
fn calls_before_exit(function: &Function, past_returns: bool) -> Vec<PointId> {
    let Some(exit) = function.points.ids().next_back() else {
        return Vec::new();
    };
    // Backwards from the exit, through whatever is no call.
    let mut sources: Vec<(PointId, PointId)> = function.edges.iter().map(|&(from, to)| (to, from)).collect();
    sources.sort_unstable();
    let mut seen = vec![false; function.points.len()];
    let mut calls = Vec::new();
    let mut work = vec![exit];
    while let Some(point) = work.pop() {
        let first = sources.partition_point(|&(to, _)| to < point);
        for &(_, from) in sources[first..].iter().take_while(|&&(to, _)| to == point) {
            if std::mem::replace(&mut seen[from.index()], true) {
                continue;
            }
            match &function.points[from].kind {
                PointKind::Return if !past_returns => {}
                kind if kind.is_call() => calls.push(from),
                _ => work.push(from),
            }
        }
    }
    calls
}

impl Order<'_> {
    /// The calls of a function that may be its last, sorted.
    ///
    /// Where a value is put in its place after a call, the frame is there until then. But a function that leads to itself
    /// and then returns a constant may be made a loop: all its calls return the same.
    pub(crate) fn find_last_calls(&self, id: FunctionId) -> Vec<PointId> {
        let function = &self.map().functions[id];
        let mut calls = calls_before_exit(function, false);
        let further = calls_before_exit(function, true);
        calls.extend(
            further
                .into_iter()
                .filter(|&point| match &function.points[point].kind {
                    PointKind::Call(name) => self.is_one_with(id, name),
                    _ => false,
                }),
        );
        calls.sort_unstable();
        calls.dedup();
        calls
    }

    /// Whether a call of `name` may be one of `id` by way of functions that were inlined.
    fn is_one_with(&self, id: FunctionId, name: &str) -> bool {
        let mut seen: Vec<FunctionId> = Vec::new();
        let mut work: Vec<FunctionId> = self.functions_named(name).to_vec();
        while let Some(called) = work.pop() {
            if called == id {
                return true;
            }
            if !self.is_inlined(called) || seen.contains(&called) {
                continue;
            }
            seen.push(called);
            for point in &self.map().functions[called].points {
                if let PointKind::Call(name) = &point.kind {
                    work.extend(self.functions_named(name));
                }
            }
        }
        false
    }

    /// Whether a frame that shows a call of `callee` by a function may be that of a call of `id`, which vanished.
    pub(crate) fn may_vanish_into(&self, id: FunctionId, callee: &str) -> bool {
        let mut seen: Vec<FunctionId> = Vec::new();
        let mut work = vec![id];
        while let Some(id) = work.pop() {
            if !self.is_optimised(id) || seen.contains(&id) {
                continue;
            }
            seen.push(id);
            for &point in self.last_calls(id) {
                let PointKind::Call(name) = &self.map().functions[id].points[point].kind else {
                    continue;
                };
                if name == callee {
                    return true;
                }
                work.extend(self.functions_named(name));
            }
        }
        false
    }

    /// The calls by which `id` has vanished into `callee`, outermost first, when there is exactly one way.
    pub(crate) fn only_way_into(&self, id: FunctionId, callee: &str) -> Option<Vec<(FunctionId, PointId)>> {
        let mut way: Vec<(FunctionId, PointId)> = Vec::new();
        let mut at = id;
        loop {
            if !self.is_optimised(at) || way.iter().any(|&(known, _)| known == at) {
                return None;
            }
            let body = &self.map().functions[at];
            let mut found = None;
            for &point in self.last_calls(at) {
                let next = match &body.points[point].kind {
                    PointKind::Call(name) if name == callee => None,
                    PointKind::Call(name) => {
                        let all = self.functions_named(name);
                        match all.iter().filter(|&&id| self.may_vanish_into(id, callee)).count() {
                            0 => continue,
                            1 if all.len() == 1 => Some(all[0]),
                            _ => return None,
                        }
                    }
                    // Nobody knows what is called here.
                    _ => return None,
                };
                if found.replace((point, next)).is_some() {
                    return None;
                }
            }
            let (point, next) = found?;
            way.push((at, point));
            match next {
                Some(next) => at = next,
                None => return Some(way),
            }
        }
    }
}
