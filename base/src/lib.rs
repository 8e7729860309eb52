//! Vocabulary that every other crate shares: spans, ids, rank sets, diagnostics.
//!
//! Nothing here knows about ELF or about processes; of C++ and MPI only what their names tell.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod cxx;
mod decompression;
mod diagnostic;
mod doubt;
mod files;
mod graph;
mod index;
mod language;
mod mpi;
pub mod mutant;
mod number;
mod printable;
mod random;
mod ranks;
mod reading;
mod shell;
mod span;

pub use cxx::{constructs, is_operator, is_shouted, looks_like_macro};
pub use decompression::most_decompressed;
pub use diagnostic::{Diagnostic, Severity};
pub use doubt::{Cause, Doubt, fill};
pub use files::{FileKind, last_component, may_be_one_file};
pub use graph::reaches;
pub use index::{Id, IdVec};
pub use language::Language;
pub use mpi::{is_mpi, mpi_entry_point, mpi_name};
pub use number::{NoNumber, Number, put_number, take_number};
pub use printable::{acts_on_terminal, clean, clean_field, escape_json};
pub use random::Random;
pub use ranks::{ParseRanksError, RankSet};
pub use reading::{Confidence, Reading};
pub use shell::shell_word;
pub use span::Span;
