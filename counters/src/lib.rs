//! Counters for loops without a strict order variable: what to insert where, and the patch.
//!
//! A counter is a local `volatile unsigned long` that starts at zero in front of the loop and takes one step on every
//! cycle. It is volatile because nothing else reads it: an optimiser keeps its storage on the stack, where debug info
//! finds it at every instruction of the loop, and would drop any other. The insertions stay within their lines, so that
//! every line keeps its number:
//!
//! ```c
//! { volatile unsigned long hindmost_7 = 0; while (++hindmost_7, more(p)) { … } }
//! { volatile unsigned long hindmost_7 = 0; for (p = first; p; ++hindmost_7, p = p->next) … }
//! { volatile unsigned long hindmost_7 = 0; do … while (++hindmost_7, more(p)); }
//! volatile unsigned long hindmost_7 = 0; again: ++hindmost_7; …
//! ```
//!
//! The condition of a `while` and of a `do` and the step of a `for` are what every cycle passes, `continue` included. A loop
//! statement in braces may stand wherever the loop may: after `else`, a label, a `case`, and in old C, which wants declarations
//! at the start of a block. Nothing is inserted where the tokens of the file do not show the whole statement.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod no_place;
mod patch;
mod place;
mod plan;
mod statement;

pub use no_place::NoPlace;
pub use patch::{Change, unified};
pub use plan::{Counter, Left, Plan, Wanted, apply, plan};
