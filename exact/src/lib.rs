//! Preprocessed C to [`ir`], by a parser that knows every type: the second opinion on `frontend`.
//!
//! `frontend` reads the text as written, tolerantly, and must guess what a name is. This crate reads what the compiler
//! reads, `cc -E` output, with lang-c's grammar of C11 and GNU extensions; it guesses nothing, but one construct that it
//! does not know loses the whole file. It shares no code with `frontend`, so that the two can judge each other, and
//! serves `hindmost map --exact`.
//!
//! **Contract.** Any bytes give a [`Unit`] or an [`ExactError`] that says where: no panic leaves this crate.
//! Only what stands in the main file is lowered; declarations of headers are read for their types.
//!
//! # How the two are compared
//!
//! `tests::second` holds them against each other, item by item (loops, assignments, calls, jumps,
//! by line and column; on random expressions operator by operator); `cargo xtask second-opinion` does it for any
//! tree. On 682 preprocessed files of hypre 2.26 it found 218,974 items the
//! same and 19 not: functions named by a macro, a macro's argument that one build drops, declarations in arms of
//! `#if`. On 123 of PETSc 3.18: 24,727 and 37, names that macros of system headers make. On the way it found
//! functions and updates that `frontend` lost.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod blank;
mod constant;
mod declare;
mod expression;
mod function;
mod markers;
mod pragma;
mod statement;
mod types;
mod unit;

pub use markers::{Markers, SourceRange, SourceRanges};

use ir::Unit;
use std::fmt;

/// Bytes of preprocessed text above which nothing is read: the parser keeps a multiple of it in memory.
const SIZE_LIMIT: usize = 64 << 20;

/// Stack of the parser, which recurses with the nesting of the text; untouched pages cost nothing.
const STACK: usize = 1 << 30;

/// Brackets that may be open at once. Each level costs the parser some ten kilobytes of stack.
const NESTING_LIMIT: usize = 2_000;

/// Preprocessed text.
#[derive(Clone, Copy, Debug)]
pub struct Preprocessed<'a> {
    /// The path of the main file, as the map is to name it.
    pub path: &'a str,
    /// The main file as written, for its hash.
    pub raw: &'a [u8],
    /// What `cc -E` wrote, line markers included.
    pub text: &'a [u8],
}

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExactError {
    /// It is larger than the limit, or nested deeper.
    TooLarge(&'static str),
    /// The text is no C that the parser knows, at this file and line.
    Syntax {
        /// The file, as the line markers name it.
        file: String,
        /// The line in it.
        line: u32,
    },
    /// The parser failed in a way that it should not.
    Failed,
}

impl fmt::Display for ExactError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(what) => write!(f, "the preprocessed text is {what}"),
            Self::Syntax { file, line } => {
                write!(f, "{file}:{line}: the exact parser does not know this construct")
            }
            Self::Failed => f.write_str("the exact parser failed"),
        }
    }
}

impl std::error::Error for ExactError {}

/// Reads one file.
///
/// `places` tells where an offset of the preprocessed text stands in the main file; [`Markers`] does, to the line.
///
/// # Errors
/// When the text is too large, or holds something that the parser does not know.
pub fn parse(source: &Preprocessed<'_>, places: &(dyn SourceRanges + Sync)) -> Result<Unit, ExactError> {
    if source.text.len() > SIZE_LIMIT {
        return Err(ExactError::TooLarge("too long"));
    }
    let text = blank::prepare(source.text);
    if blank::nesting(text.as_bytes()) > NESTING_LIMIT {
        return Err(ExactError::TooLarge("nested too deeply"));
    }
    // The tree is made, read and dropped on a stack that is large enough for all three.
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, || read(source, text, places))
            .map_err(|_| ExactError::Failed)?;
        reader.join().unwrap_or(Err(ExactError::Failed))
    })
}

fn read(
    source: &Preprocessed<'_>,
    text: String,
    places: &(dyn SourceRanges + Sync),
) -> Result<Unit, ExactError> {
    let config = lang_c::driver::Config::with_gcc();
    let parsed = lang_c::driver::parse_preprocessed(&config, text).map_err(|error| {
        let (file, line) = Markers::new(source.text, source.path).line_of(error.offset);
        ExactError::Syntax { file, line }
    })?;
    let mut unit = unit::Lowering::new(parsed.source.as_bytes(), places);
    unit.translation_unit(&parsed.unit);
    Ok(unit.finish(source))
}
