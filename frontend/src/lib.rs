//! C and C++ text to [`ir`], by tree-sitter, tolerant of errors.
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
//!
//! # How it works
//!
//! C and C++ text to `ir`, by tree-sitter; the language of a header is that of its content. Tolerant: a function
//! that was not fully understood is `Partial`, and nothing is claimed inside it. Macros whose definition is in the
//! tree are expanded before lowering; what they expand to stands at the invocation. A macro that means different
//! things in different builds becomes a conditional group where it is a statement, and `__build_choice ? one :
//! other` in an expression; both arms of `#if` are kept as `Alternatives`. A function is `Clean`, `Repaired`
//! (something was taken for granted: a word for an attribute, the one known definition of a macro that opens a
//! bracket) or `Partial`.
//!
//! Where all its definitions evaluate each argument once at most and call only known functions after that
//! (`sequence`), the unit says which: a task in another function below it is in an argument's call. What a macro
//! of a header means depends on who includes that: there all definitions in all files must agree, which is asked
//! when all are read (`everywhere`). Of macros that call something before their arguments it is known, too, whom
//! they may call at all. A macro that stays unexpanded is a call that says which variables of the function it may
//! write (`hidden`): macros within it are looked into, what it declares is its own, memory may change anyway. One
//! that hides a jump or half of a statement makes the function `Partial`. Inside such a macro the order says
//! nothing below its frame, because it may make a call more than once. An arm of `#if` that is part of an `else
//! if` chain, or opens a block, gets `__build_choice &&` (or `||`) in its condition (`guard`); random functions
//! are held against each of their builds. A group where an `if` wants its one statement gets braces. A `mpi.h`
//! that makes macros of MPI's functions is not read: it is for builds without MPI. Further branches that a macro
//! stands for in one build are guarded alike, and a block whose braces only some builds have is a block in all.
//!
//! A simple statement that `#if` cuts is written once for each way that a build may read it (`split`), and further
//! operands of `&&`, `||` and `|` get `__build_choice` (`guard`). A macro that another one's replacement list
//! names is what the same arm of `#if` defines it as (`macros/arms`). A word beside a type that nothing declares
//! is an attribute if it is no value anywhere in the file and is not the first of a statement (`spare`).
//!
//! What such a macro does besides, `bodies` tells a slicer: each of its definitions becomes a function of the file
//! where it stands, with parameters of unknown type, and so do the macros in it. A definition that is no
//! expression and no statement, even with the brackets that it leaves to the code around, becomes an empty
//! function that is `Partial`. Maps are made without these functions.
//!
//! `preprocessed` is a second way in, for functions of C and C++ that are not clean or call macros nobody defines
//! in the tree: the output of the build's preprocessor, which `project` runs. Its tokens are aligned with the raw
//! tokens of the same line, so that what the programmer wrote keeps its column and what a macro made stands at its
//! invocation; then preparation and lowering are the same. A line that can be explained in two equally cheap ways
//! makes the function `Partial`. If a file is compiled in several ways they must agree.
//! `tests/tests/preprocessed.rs` holds the two ways against each other.
//!
//! What the grammar takes for a declaration or a type, `Guard g(lock(i));` and `check(scale(x, m * n));`, is
//! lowered as what it is where no name in it is a type's (`lower/vexing.rs`).
//!
//! C++ becomes the same `ir`: a reference is a pointer that is followed wherever it is named, a member without
//! `this->` gets it, a lambda is a function called `operator()`, a template one function for all its instances.
//! Functions are known by their unqualified name, their file and their lines, as debug info gives them;
//! `linkage_name` holds the qualified name. Functions of C++ may call others implicitly
//! (constructors, operators, conversions): `language` says whether one is. The order places a frame above such a call anywhere on
//! its line, and says nothing above a destructor, which may run by any way out of a scope. An argument that some
//! declaration of the name takes by a reference, or of which no declaration is known, counts as changed. What a
//! function returns by a reference counts as given to its callers; where an operator may be a function or the
//! language's own, both arms are kept. What the grammar takes for the declaration of a function, `Guard
//! g(lock(i));`, is an object with arguments where something in it can be no type (`vexing`). Handlers are reached
//! from every call and statement of their `try`.
//!
//! A file of C may hold C++ for some builds (code for GPUs). Where C explains no function and words stand in it
//! that no program of C has, the file is read once more as C++, and that reading of the function is kept if it
//! explains all (`mixed`). Launches of kernels become calls of the same length before anything else is read
//! (`launch`).

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod asked;
mod bodies;
mod cxx;
mod enumerators;
mod everywhere;
mod expand;
mod facts;
mod hazard;
mod hidden;
mod hide;
mod launch;
mod lower;
mod macros;
mod mixed;
mod parse;
mod position;
mod pragma;
mod prepare;
mod preprocessed;
mod renumbered;
mod repair;
mod sequence;
mod shape;
mod variants;

#[cfg(test)]
mod tests;

use tokens::{condition, directive, language, token};

pub use asked::{Asked, SaidByAll};
pub use bodies::{add_defaults, add_macros};
pub use everywhere::macro_calls;
pub use macros::{Macros, MacrosOfFile};
pub use parse::{parse, parse_asking};
pub use preprocessed::{
    Mismatch, Positions, improve, join_file_scope, parse_preprocessed, same_function, wants_preprocessing,
};

/// A source file.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its path as the user or the build named it; includes are matched against it.
    pub path: &'a str,
    /// Its bytes, of any kind.
    pub text: &'a [u8],
}
