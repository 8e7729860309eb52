//! Where the machine code contradicts the source.
//!
//! The source that is read need not be the one that was built: another version of the file, a macro that the compiler's command line defines (`-DEACH=…`), a header
//! that was found elsewhere. Where such a source lacks a loop, what is taken for one execution of two places is two iterations, and the order of the places is no
//! order of the tasks. The machine code is a witness that knows nothing of the source. **It contradicts the source** about two tasks if, in a function that both
//! are in,
//!
//! - it has more loops around both, one in the other, than the source has. Compilers take loops away (unrolled ones, ones of a single iteration) and copy them; they
//!   make none around a call, but of calls of a function by itself ([`tail`](crate::tail)); or
//! - where neither has a loop around both, the call that the source puts first is reached from the other one, and never the other way round. Compilers keep the order of calls that have
//!   effects, and where they did not, the tasks have made them in the order of the code.

use crate::code::CodeFrame;
use crate::verdict::Relation;
use crate::{Located, Order};
use progress_map::FunctionId;
use std::sync::PoisonError;

impl Order<'_> {
    /// The function of the source in which the code contradicts that the first task stands to the second in this relation, as their frames number `depth` say, in
    /// one execution of what those before are in.
    pub(crate) fn contradicted(
        &self,
        (a, b): (&Located, &Located),
        depth: usize,
        relation: Relation,
    ) -> Option<FunctionId> {
        let frames = a.code.frames().iter().zip(b.code.frames());
        let is_one_function = |(of_a, of_b): &(&CodeFrame, &CodeFrame)| {
            (of_a.binding, of_a.function) == (of_b.binding, of_b.function)
        };
        for (of_a, of_b) in frames.take_while(is_one_function) {
            let is_within = |origin: &Option<usize>| origin.is_some_and(|at| of_a.levels().contains(&at));
            let Some(first) = a.origin.iter().position(is_within) else {
                continue;
            };
            if first > depth {
                return None;
            }
            let of_source = || self.loops_around_both((a, of_a.levels()), (b, of_b.levels())).0;
            let of_code = self.loops_of_code_around(of_a, of_b);
            let is_decided_here = || a.origin.get(depth).is_some_and(is_within);
            let is_contradicted = if of_code > 0 {
                of_code > of_source()
            } else {
                // Whoever leaves a loop of the source is in the iteration that he leaves, though no code leads back from there.
                is_decided_here()
                    && of_source() == 0
                    && self.makes_calls_in_another_order((of_a, of_b), relation)
            };
            if is_contradicted {
                return a.frames[first].function;
            }
        }
        None
    }

    /// How many loops of the code are around the places of two frames of one function.
    fn loops_of_code_around(&self, a: &CodeFrame, b: &CodeFrame) -> usize {
        let key = (a.binding, a.place.block, b.place.block);
        // Whoever panicked with the lock left nothing half done: an entry is whole when it is put in.
        let known = || self.code.around.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&known) = known().get(&key) {
            return known;
        }
        let code = self.function_code(a.binding, a.function);
        let found = code.loops_around_both(a.place.block, b.place.block);
        known().insert(key, found);
        found
    }

    /// Whether two frames of one function, around which the code has no loop, are in calls that it makes in another order than the relation says.
    fn makes_calls_in_another_order(&self, (a, b): (&CodeFrame, &CodeFrame), relation: Relation) -> bool {
        let (earlier, later) = match relation {
            Relation::Before => (a, b),
            Relation::After => (b, a),
            _ => return false,
        };
        let code = self.function_code(a.binding, a.function);
        earlier.in_call && later.in_call && code.comes_before(later.place.block, earlier.place.block)
    }
}
