//! Calls that leave their caller's frame where it is, also where the source lets them be the last.
//!
//! A decisive call ([`DecisiveCall`]) cannot become a jump: what is called next depends on its result. That is so in the code of a build if the
//! build still has what the result decides about. It may have dropped it: a function that does nothing in this build is
//! inlined to nothing, and then nothing depends on the result. So the code is asked. **A call keeps the frame** if each piece of code of the
//! calling function was decoded, calls the callee by its address, and makes each of the calls that follow: by its address and nowhere inlined, if the map has
//! the function, for then no copy of the call has lost what follows; a function of which the map knows nothing is never dropped.

use crate::Order;
use progress_map::{Binding, DecisiveCall, FunctionId, PointId};
use std::collections::{BTreeMap, BTreeSet};

impl Order<'_> {
    /// Whether the frame of a function stays on the stack during this call of it, in every build that the map is tied to.
    pub(crate) fn keeps_frame(&self, id: FunctionId, point: PointId) -> bool {
        let kept = self.kept.get_or_init(|| self.kept_calls());
        kept.contains(&(id, point))
    }

    fn kept_calls(&self) -> BTreeSet<(FunctionId, PointId)> {
        let decisive = &self.map().decisive;
        if decisive.is_empty() {
            return BTreeSet::new();
        }
        let bindings = Vec::from_iter(self.map().bindings().map(CalledIn::new));
        let is_kept = |call: &&DecisiveCall| {
            let mut pieces = bindings
                .iter()
                .filter(|called| called.has(call.function))
                .peekable();
            pieces.peek().is_some() && pieces.all(|called| self.is_kept_in(called, call))
        };
        let kept = decisive.iter().filter(is_kept);
        kept.map(|call| (call.function, call.point)).collect()
    }

    fn is_kept_in(&self, called: &CalledIn<'_>, call: &DecisiveCall) -> bool {
        let points = &self.map().functions[call.function].points;
        let named = |point: PointId| {
            let name = points[point].kind.callee();
            name.map(|name| self.functions_named(name)).unwrap_or_default()
        };
        let callees = named(call.point);
        let follow = call.follow.iter().map(|&point| named(point));
        called.by_each(call.function, callees)
            && follow.filter(|functions| !functions.is_empty()).all(|functions| {
                called.by_each(call.function, functions) && !called.inlines(call.function, functions)
            })
    }
}

/// Who calls whom by its address, in one program or shared object.
struct CalledIn<'m> {
    binding: &'m Binding,
    /// By function: where its code is, by the number and the first address of each piece of it. Several if there are clones; without a number if the piece calls nobody, or
    /// was not decoded.
    pieces: BTreeMap<FunctionId, BTreeSet<Piece>>,
    /// By the number of the calling code: who is called.
    calls: BTreeMap<u32, BTreeSet<Called>>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Piece {
    number: Option<u32>,
    start: u64,
}

/// A piece of code as calls name it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Called {
    Number(u32),
    Leaf(u64),
}

impl<'m> CalledIn<'m> {
    fn new(binding: &'m Binding) -> Self {
        let code = &binding.code;
        let function_of = |block: u32| code.blocks[block as usize].function;
        let mut pieces: BTreeMap<FunctionId, BTreeSet<Piece>> = BTreeMap::new();
        for bound in &binding.functions {
            if let Some(id) = bound.function {
                let number = code.block_at(bound.start).map(function_of);
                let start = bound.start;
                pieces.entry(id).or_default().insert(Piece { number, start });
            }
        }
        let mut calls: BTreeMap<u32, BTreeSet<Called>> = BTreeMap::new();
        let direct = code
            .calls
            .iter()
            .map(|call| (call.block, Called::Number(call.callee)));
        let of_leaves = code
            .leaf_calls
            .iter()
            .map(|call| (call.block, Called::Leaf(call.callee)));
        for (block, called) in direct.chain(of_leaves) {
            calls.entry(function_of(block)).or_default().insert(called);
        }
        CalledIn {
            binding,
            pieces,
            calls,
        }
    }

    /// Whether there is code of the function, other than what was inlined into others.
    fn has(&self, id: FunctionId) -> bool {
        self.pieces.contains_key(&id)
    }

    /// Whether each piece of code of `caller` calls one of `callees`.
    fn by_each(&self, caller: FunctionId, callees: &[FunctionId]) -> bool {
        let pieces = callees
            .iter()
            .filter_map(|callee| self.pieces.get(callee))
            .flatten();
        let callees: BTreeSet<Called> = pieces
            .map(|piece| piece.number.map_or(Called::Leaf(piece.start), Called::Number))
            .collect();
        let calls_one = |piece: &Piece| {
            let calls = piece.number.and_then(|number| self.calls.get(&number));
            calls.is_some_and(|calls| !calls.is_disjoint(&callees))
        };
        self.pieces
            .get(&caller)
            .is_some_and(|pieces| pieces.iter().all(calls_one))
    }

    /// Whether one of `functions` was inlined into code of `caller`.
    fn inlines(&self, caller: FunctionId, functions: &[FunctionId]) -> bool {
        let own = self
            .binding
            .functions
            .iter()
            .filter(|bound| bound.function == Some(caller));
        let ranges = Vec::from_iter(own.map(|bound| bound.start..bound.end));
        let inlines = self.binding.inlines.iter();
        let mut inlined = inlines.filter(|inline| inline.function.is_some_and(|id| functions.contains(&id)));
        inlined.any(|inline| ranges.iter().any(|range| range.contains(&inline.start)))
    }
}
