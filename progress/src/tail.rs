//! Calls that leave no frame.
//!
//! Where a function does nothing after a call but return, an optimising compiler jumps instead of calling. Then the
//! caller's frame is gone: on the stack its own caller seems to have called the callee. And a function that calls
//! itself last becomes a loop: all its calls share one frame, which shows the position of the innermost. That holds as
//! well where something is computed from the result (`return f(n - 1) + 1`), since compilers accumulate it on the way.
//!
//! **May vanish.** Function f *may vanish into* g if f was optimised and has a call of g from which the exit is reached
//! without another call; into more functions by way of g, if g may vanish too.

use crate::Order;
use base::{Id, IdVec};
use progress_map::{Function, FunctionId, Map, PointId, PointKind};

/// By function: whether some of its code was optimised. Nothing is known of the build of a map without binding.
pub(crate) fn optimised(map: &Map) -> IdVec<FunctionId, bool> {
    let mut optimised: IdVec<FunctionId, bool> = map.functions.iter().map(|_| false).collect();
    let Some(binding) = &map.binding else {
        return optimised;
    };
    for function in binding.functions.iter().filter(|function| function.optimised) {
        if let Some(id) = function.function {
            optimised[id] = true;
        }
    }
    // Only optimised code has inlined calls, but for those of functions that insist.
    for inline in &binding.inlines {
        if let Some(id) = inline.function {
            optimised[id] = true;
        }
    }
    optimised
}

/// The names of the functions that `function` calls last, sorted.
pub(crate) fn last_calls(function: &Function) -> Vec<&str> {
    let is_call = |point: PointId| {
        matches!(
            function.points[point].kind,
            PointKind::Call(_) | PointKind::IndirectCall | PointKind::MacroCall(_)
        )
    };
    let Some(exit) = function.points.ids().next_back() else {
        return Vec::new();
    };
    // Backwards from the exit, through whatever is no call.
    let mut sources: Vec<(PointId, PointId)> = function.edges.iter().map(|&(from, to)| (to, from)).collect();
    sources.sort_unstable();
    let mut seen = vec![false; function.points.len()];
    let mut names = Vec::new();
    let mut work = vec![exit];
    while let Some(point) = work.pop() {
        let first = sources.partition_point(|&(to, _)| to < point);
        for &(_, from) in sources[first..].iter().take_while(|&&(to, _)| to == point) {
            if std::mem::replace(&mut seen[from.index()], true) {
                continue;
            }
            match &function.points[from].kind {
                PointKind::Call(name) => names.push(name.as_str()),
                _ if is_call(from) => {}
                _ => work.push(from),
            }
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}

impl Order<'_> {
    /// Whether a frame that shows a call of `callee` by a function may be that of a call of `id`, which vanished.
    pub(crate) fn may_vanish_into(&self, id: FunctionId, callee: &str) -> bool {
        let mut seen: Vec<FunctionId> = Vec::new();
        let mut work = vec![id];
        while let Some(id) = work.pop() {
            if !self.is_optimised(id) || seen.contains(&id) {
                continue;
            }
            seen.push(id);
            for &name in self.last_calls(id) {
                if name == callee {
                    return true;
                }
                work.extend(self.functions_named(name));
            }
        }
        false
    }
}
