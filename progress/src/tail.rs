//! Calls that leave no frame.
//!
//! Where a function does nothing after a call but return, an optimising compiler jumps instead of calling. Then the
//! caller's frame is gone: on the stack its own caller seems to have called the callee. And a function that calls
//! itself last becomes a loop: all its calls share one frame, which shows the position of the innermost. That holds as
//! well where something is computed from the result (`return f(n - 1) + 1`), since compilers accumulate it on the way.
//!
//! **May vanish.** Function f *may vanish into* g if f was optimised and has a call of g from which the exit is reached
//! without another call; into more functions by way of g, if g may vanish too. A `return 0` in between does not keep the frame: where
//! nobody looks at the value, compilers make a copy of the function that returns none (gcc's `-fipa-sra`, LLVM's elimination
//! of dead arguments). What a last call through a pointer leads to may be anything that some function vanishes into.
//!
//! Which of these calls a build has made a jump, and to whom, its machine code tells ([`crate::tail_jumps`]).
//!
//! **Frames put back.** Where the line of a frame calls f and not g, the next frame is g's, and there is exactly one way
//! in which f may vanish into g, the frames on that way are known: each stands at its last call. Wrappers make this
//! common: `int solve(x) { return do_solve(x); }`. If the line calls through a pointer, f is the one function whose address is taken
//! and that may have vanished into g.

use crate::{Frame, Order};
use base::{IdVec, mpi_name};
use progress_map::{FunctionId, Map, PointId, PointKind};

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

/// Which of the calls that a function may end in are followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastCalls {
    /// All of them. One through a pointer may be of anything.
    All,
    /// Those by name that do not keep the frame.
    ByNameOutOfTheFrame,
}

impl Order<'_> {
    /// Whether a frame that shows a call through a pointer, followed by one of `callee`, may be inside another function that
    /// vanished into `callee`. A symbol that no call names may be another name of any function of a library: a call of `usleep` may be seen in `__usleep`.
    pub(crate) fn may_have_vanished_into(&self, callee: &str) -> bool {
        let names = self.vanished_into.get_or_init(|| {
            let map = self.map();
            let functions = map.functions.ids().filter(|&id| self.is_optimised(id));
            let calls = functions.flat_map(|id| {
                let points = &map.functions[id].points;
                self.last_calls(id)
                    .iter()
                    .filter_map(|&point| points[point].kind.callee())
                    .filter(move |name| self.may_jump_to_named(id, name))
            });
            let names = calls.map(|name| mpi_name(name).to_owned());
            names.collect()
        });
        let callee = mpi_name(callee);
        let is_of_library = |name: &String| self.functions_named(name).is_empty();
        names.contains(callee) || !self.is_named(callee) && names.iter().any(is_of_library)
    }

    /// Whether a function of the map has this name, or some call in it names one so.
    fn is_named(&self, name: &str) -> bool {
        let called = self.called.get_or_init(|| {
            let points = self.map().functions.iter().flat_map(|function| &function.points);
            let names = points.filter_map(|point| point.kind.callee());
            names.map(|name| mpi_name(name).to_owned()).collect()
        });
        called.contains(name) || !self.functions_named(name).is_empty()
    }

    /// The functions that a call through a pointer led to and that have left no frame, before the one of the next frame was called; nothing if that
    /// could have come about in more than one way.
    ///
    /// The pointer leads to a function whose address is taken, and that has no more parameters than the call has arguments. Either that is `callee`, or the one function among them that may vanish into it. One that is
    /// only a jump to `callee` is no other way than `callee` itself.
    pub(crate) fn only_way_through_pointer(
        &self,
        (caller, call): (FunctionId, PointId),
        callee: &Frame,
    ) -> Option<Vec<(FunctionId, PointId)>> {
        let may_have_vanished = self.may_have_vanished_into(&callee.function);
        if !self.knows_whom_pointers_lead_to() {
            return (!may_have_vanished).then(Vec::new);
        }
        let callee_id = self.function_of(callee);
        let taken = self.map().address_taken.iter().map(|taken| taken.function);
        let taken = taken.filter(|&id| self.passes_enough(caller, call, id));
        let ways = taken.filter(|&id| Some(id) == callee_id || self.may_vanish_into(id, &callee.function));
        let mut ways = Vec::from_iter(ways);
        if let Some(callee) = callee_id.filter(|callee| ways.contains(callee)) {
            ways.retain(|&id| id == callee || !self.is_only_a_jump_to(id, callee));
        }
        let mut ways = ways.into_iter();
        match (ways.next(), ways.next()) {
            (None, _) => (!may_have_vanished).then(Vec::new),
            // The pointer may lead to a function of a library itself.
            (Some(_), _) if callee_id.is_none() => None,
            (Some(_), Some(_)) => None,
            // By itself it may be called again, by a last call of its own.
            (Some(only), None) if Some(only) == callee_id => {
                (!self.may_vanish_into(only, &callee.function)).then(Vec::new)
            }
            (Some(only), None) => self.only_way_into(only, &callee.function),
        }
    }

    /// Whether a frame that shows a call of `callee` by a function may be that of a call of `id`, which vanished. A last call through a
    /// pointer may be one of anything.
    pub(crate) fn may_vanish_into(&self, id: FunctionId, callee: &str) -> bool {
        self.code_leads_to(id, callee) && self.vanishes(id, callee, LastCalls::All)
    }

    /// Whether a function may become a loop because it calls itself last, by way of others or not. Calls through pointers are not
    /// looked at: most functions that end in one never call themselves. Nor are calls that keep the frame, and the code may show that there is no loop
    /// ([`crate::rounds`]).
    pub(crate) fn may_be_a_loop(&self, id: FunctionId) -> bool {
        *self.rounds[id].get_or_init(|| {
            let name = &self.map().functions[id].name;
            self.vanishes(id, name, LastCalls::ByNameOutOfTheFrame)
                && !self.has_no_rounds(id, &self.leading_back(id))
        })
    }

    /// The last calls of a function by which it may come to be called again, without another frame.
    fn leading_back(&self, id: FunctionId) -> Vec<PointId> {
        let function = &self.map().functions[id];
        let leads_back = |&point: &PointId| match &function.points[point].kind {
            PointKind::Call(name) => {
                let mut callees = self.functions_named(name).iter();
                *name == function.name
                    || callees
                        .any(|&callee| self.vanishes(callee, &function.name, LastCalls::ByNameOutOfTheFrame))
            }
            _ => false,
        };
        let last = self.last_calls(id).iter().copied().filter(leads_back);
        last.filter(|&point| !self.keeps_frame(id, point)).collect()
    }

    fn vanishes(&self, id: FunctionId, callee: &str, which: LastCalls) -> bool {
        let mut seen: Vec<FunctionId> = Vec::new();
        let mut work = vec![id];
        while let Some(id) = work.pop() {
            if !self.is_optimised(id) || seen.contains(&id) {
                continue;
            }
            seen.push(id);
            for &point in self.last_calls(id) {
                if which == LastCalls::ByNameOutOfTheFrame && self.keeps_frame(id, point) {
                    continue;
                }
                match &self.map().functions[id].points[point].kind {
                    PointKind::Call(name) if name == callee && self.may_jump_to_named(id, name) => {
                        return true;
                    }
                    PointKind::Call(name) => {
                        let functions = self.functions_named(name).iter().copied();
                        work.extend(functions.filter(|&callee| self.may_jump_to(id, callee)));
                    }
                    _ if which == LastCalls::All => match self.jumped_to(id) {
                        Some(functions) if !self.may_jump_to_named(id, callee) => work.extend(functions),
                        _ => return true,
                    },
                    _ => {}
                }
            }
        }
        false
    }

    /// The calls by which `id` has vanished into `callee`, outermost first, when there is exactly one way.
    pub(crate) fn only_way_into(&self, id: FunctionId, callee: &str) -> Option<Vec<(FunctionId, PointId)>> {
        let mut way: Vec<(FunctionId, PointId)> = Vec::new();
        let mut at = id;
        let leads_elsewhere = |at: FunctionId| {
            self.jumped_to(at).is_some_and(|mut functions| {
                !self.may_jump_to_named(at, callee)
                    && !functions.any(|next| self.may_vanish_into(next, callee))
            })
        };
        loop {
            if !self.is_optimised(at) || way.iter().any(|&(known, _)| known == at) {
                return None;
            }
            let body = &self.map().functions[at];
            let mut found = None;
            for &point in self.last_calls(at) {
                let vanishes =
                    |&next: &FunctionId| self.may_jump_to(at, next) && self.may_vanish_into(next, callee);
                let next = match &body.points[point].kind {
                    PointKind::Call(name) if name == callee && self.may_jump_to_named(at, name) => None,
                    PointKind::Call(name) => {
                        let all = self.functions_named(name);
                        match all.iter().filter(|&next| vanishes(next)).count() {
                            0 => continue,
                            1 if all.len() == 1 => Some(all[0]),
                            _ => return None,
                        }
                    }
                    // Nobody knows what is called here, but the code may show that it leads elsewhere.
                    _ if leads_elsewhere(at) => continue,
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
