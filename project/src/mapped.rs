//! What the tasks of a job that runs here write of themselves: the files that they have mapped.

use crate::{recordings, traces};
use runtime_probe::Job;
use runtime_probe::recordings::directories_of;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The files that tasks of a job have mapped, by what is in them.
#[derive(Clone, Debug, Default)]
pub struct MappedFiles {
    /// Recordings of their calls of MPI.
    pub(crate) recordings: BTreeSet<PathBuf>,
    /// What they say of themselves beside the traces of all their calls.
    pub(crate) traces: BTreeSet<PathBuf>,
}

impl MappedFiles {
    /// Those of a job.
    #[must_use]
    pub fn of(job: &Job) -> Self {
        let mut found = Self::default();
        for task in &job.tasks {
            let [recording, trace] = task.mapped_files([recordings::EXTENSION, traces::PROCESS]);
            found.recordings.extend(recording);
            found.traces.extend(trace);
        }
        found
    }

    /// The directories that the recordings are in.
    #[must_use]
    pub fn directories_of_recordings(&self) -> Vec<PathBuf> {
        directories_of(&self.recordings)
    }
}
