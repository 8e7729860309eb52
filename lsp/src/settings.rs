//! What is to be shown, from the command line and from the client.

use serde::Deserialize;
use std::path::{Path, PathBuf};

/// What is to be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The progress map.
    pub map: Option<PathBuf>,
    /// Stacks, as `find --save` and `watch` write them.
    pub snapshot: Option<PathBuf>,
    /// An answer, as `find --format json` writes it, in place of stacks.
    pub report: Option<PathBuf>,
    /// A directory with what the tasks have recorded of who waits for whom.
    pub recordings: Option<PathBuf>,
    /// Do not follow messages to the tasks that send them.
    pub no_mpi: bool,
}

/// The same, as `initializationOptions` or the argument of `hindmost.reload`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Options {
    map: Option<PathBuf>,
    snapshot: Option<PathBuf>,
    report: Option<PathBuf>,
    recordings: Option<PathBuf>,
    no_mpi: Option<bool>,
}

impl Settings {
    /// What the client wants instead; its paths start at the root of its workspace.
    pub(crate) fn change(&mut self, options: Options, root: Option<&Path>) {
        let at_root = |path: PathBuf| match root {
            Some(root) => root.join(path),
            None => path,
        };
        if let Some(path) = options.map {
            self.map = Some(at_root(path));
        }
        // Either takes the place of the other, and recordings of another moment that of these.
        if options.snapshot.is_some() || options.report.is_some() || options.recordings.is_some() {
            self.recordings = options.recordings.map(at_root);
        }
        if options.snapshot.is_some() || options.report.is_some() {
            self.snapshot = options.snapshot.map(at_root);
            self.report = options.report.map(at_root);
        }
        self.no_mpi = options.no_mpi.unwrap_or(self.no_mpi);
    }

    /// The files whose change is to be noticed.
    pub(crate) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.map, &self.snapshot, &self.report].into_iter().flatten()
    }
}
