//! Whether the map's claims about loop variables are true: loops are run as ranks, and the values that were logged judge.
//!
//! A [`Sheet`] is a C file whose loops have marks. It is mapped, the marks become logging (of the marked variables, and of
//! every start and step that the map names), and the file runs as [`RANKS`] ranks in [`WORLDS`] worlds, which differ
//! in what unknown functions return. [`score`] then says for each mark what is true, what is claimed, and what is
//! false of it.

mod judge;
mod run;
mod sheet;
pub mod table;
mod truth;

pub use judge::{Claim, Score, claims, score};
pub use run::{Log, Pass, RANKS, Runs, WORLDS, run};
pub use sheet::{Language, Mark, Sheet};
pub use truth::{Motion, Truth};
