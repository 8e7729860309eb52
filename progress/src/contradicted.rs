//! Where the machine code goes round a loop that the source does not have.
//!
//! The source that is read need not be the one that was built: another version of the file, a macro that the compiler's command line defines (`-DEACH=…`), a header
//! that was found elsewhere. Where such a source lacks a loop, what is taken for one execution of two places is two iterations, and the order of the places is no
//! order of the tasks. The machine code is a witness that knows nothing of the source. **Source and code contradict each other** about two
//! tasks if, in a function that both are in, the code has more loops around both, one in the other, than the source has. Compilers take loops away
//! (unrolled ones, ones of a single iteration) and copy them; they make none around a call, but of calls of a function by itself ([`tail`](crate::tail)).

use crate::code::CodeFrame;
use crate::{Located, Order};
use progress_map::FunctionId;
use std::sync::PoisonError;

impl Order<'_> {
    /// The function of the source in which the code contradicts that two tasks stand to each other as their frames say, the last of which is number `depth`.
    pub(crate) fn contradicted(&self, a: &Located, b: &Located, depth: usize) -> Option<FunctionId> {
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
            if of_code > 0 && of_code > of_source() {
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
}
