//! C and C++ text as the preprocessor sees it: tokens, directives, conditional groups, and which of the two languages it is.
//!
//! Nothing is parsed and nothing expanded: whoever only asks where a comment ends or what a file includes needs no grammar.
//! Any bytes give tokens, and every byte is in one of them or is white space, a comment or a line's end.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod built;
pub mod condition;
pub mod directive;
pub mod language;
pub mod token;

pub use token::{Token, TokenKind, lex};
