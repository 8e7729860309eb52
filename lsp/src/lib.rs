//! What was found about a job, in the editor: a language server that stands beside the one of the language.
//!
//! The server shows what is known already: a progress map, the stacks of a job, and slices that start from them. A line is
//! given facts only while its text is what was mapped. A file that is something else gets none; of one that is being edited,
//! the lines above and below the edits keep theirs. It offers nothing that a server of the language does
//! (definitions, names, completions), so that both can serve one file.
//!
//! Messages are handled one after the other; what takes long (the dependence graph) runs in a thread of its own. Files are
//! read by a [`Host`].
//!
//! Shown are diagnostics, lenses, hover and hints on the lines where tasks stand, and the way through a slice. The graph that slices are
//! made from is kept until the map changes.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod desk;
mod facts;
mod fade;
mod hover;
mod project;
mod server;
mod settings;
mod slices;
mod text;
mod told;
mod transport;

pub use server::{Ended, serve};
pub use settings::Settings;
pub use told::{Told, ToldError};
pub use transport::{Writing, connect, read_body};

use base::IdVec;
use engine::{Answer, CompiledUnits, DependenceGraph, Map, SourceFile};
use progress_map::FileId;
use std::path::{Path, PathBuf};

/// What the server works on.
pub struct Job {
    /// The map of the program.
    pub map: Map,
    /// Where the map's files are, as far as they are there.
    pub sources: IdVec<FileId, Option<PathBuf>>,
    /// What was compiled of those of the map's files that no front end reads, as far as it is there.
    pub compiled: CompiledUnits,
    /// What the stacks say, if any were given.
    pub answer: Option<Answer>,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// Whoever may read files.
pub trait Host: Send + Sync {
    /// Reads what the settings name; or says, for the user, why it cannot.
    fn load(&self, settings: &Settings) -> Result<Job, String>;
    /// The bytes of a file.
    fn read(&self, path: &Path) -> Option<Vec<u8>>;
    /// A path without links and dots, if there is such a file.
    fn real_path(&self, path: &Path) -> Option<PathBuf>;
    /// The dependence graph of a program, of its sources and of what was compiled; or says, for the user, why there is none.
    fn graph(&self, files: Vec<SourceFile>, compiled: CompiledUnits) -> Result<DependenceGraph, String>;
}
