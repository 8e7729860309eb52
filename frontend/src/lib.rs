//! C source text to [`ir`], by tree-sitter, tolerant of errors.
//!
//! Three steps per file. **Gather** ([`Macros`]): what every file defines, on tokens alone, so that a file can be
//! read with the macros of its headers. **Prepare**: the text is rewritten, token by token, into what the grammar can
//! parse: macros expanded, attributes and dead `#if` arms gone, with a table back to raw positions. **Lower**: the
//! tree becomes ir, names resolved, positions mapped back, and is dropped.
//!
//! **Contract.** Any bytes give a [`Unit`]: no panic, no unbounded recursion, no time that grows faster than the
//! text. What was not understood makes the function around it `Partial`, with the reason, and what belongs to no
//! function a diagnostic. A function that is `Clean` has the structure that a C compiler sees, for every build of the
//! file that the `Alternatives` in it allow.

mod asked;
mod bodies;
mod condition;
mod cxx;
mod directive;
mod everywhere;
mod expand;
mod facts;
mod hazard;
mod hidden;
mod hide;
mod language;
mod launch;
mod lower;
mod macros;
mod mixed;
mod parse;
mod position;
mod pragma;
mod prepare;
mod preprocessed;
mod repair;
mod sequence;
mod shape;
mod token;
mod variants;

#[cfg(test)]
mod tests;

pub use asked::{Asked, State};
pub use bodies::add_macros;
pub use everywhere::macro_calls;
pub use macros::{Macros, MacrosOfFile};
pub use parse::{parse, parse_asking};
pub use preprocessed::{
    FROM_PREPROCESSOR, Mismatch, Positions, improve, join_file_scope, parse_preprocessed, same_function,
    wants_preprocessing,
};
pub use token::{Token, TokenKind, lex};

/// A source file.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its path as the user or the build named it; includes are matched against it.
    pub path: &'a str,
    /// Its bytes, of any kind.
    pub text: &'a [u8],
}
