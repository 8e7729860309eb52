//! A job of whichever batch system a site has.

use crate::flux::{FluxError, FluxId, NotAFluxJob};
use crate::slurm::{JobId, NotAJob, SlurmError};
use std::fmt;
use std::str::FromStr;

/// A job by its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchJob {
    /// Of Slurm.
    Slurm(JobId),
    /// Of Flux.
    Flux(FluxId),
}

/// A text that is no number of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotABatchJob {
    /// Of Slurm.
    Slurm(NotAJob),
    /// Of Flux.
    Flux(NotAFluxJob),
}

/// Why a batch system does not tell where a job runs.
#[derive(Debug)]
pub enum BatchError {
    /// Slurm.
    Slurm(SlurmError),
    /// Flux.
    Flux(FluxError),
}

impl FromStr for BatchJob {
    type Err = NotABatchJob;

    fn from_str(text: &str) -> Result<Self, NotABatchJob> {
        if FluxId::is_meant(text) {
            text.parse().map(BatchJob::Flux).map_err(NotABatchJob::Flux)
        } else {
            text.parse().map(BatchJob::Slurm).map_err(NotABatchJob::Slurm)
        }
    }
}

impl fmt::Display for BatchJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BatchJob::Slurm(id) => write!(f, "{id} of Slurm"),
            BatchJob::Flux(id) => write!(f, "{id} of Flux"),
        }
    }
}

impl fmt::Display for NotABatchJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotABatchJob::Slurm(error) => error.fmt(f),
            NotABatchJob::Flux(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NotABatchJob {}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BatchError::Slurm(error) => error.fmt(f),
            BatchError::Flux(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BatchError {}

impl BatchError {
    /// The batch system, where its commands could not be started.
    pub fn is_not_here(&self) -> Option<&'static str> {
        match self {
            BatchError::Slurm(SlurmError::NotStarted { .. }) => Some("Slurm"),
            BatchError::Flux(FluxError::NotStarted(_)) => Some("Flux"),
            BatchError::Slurm(_) | BatchError::Flux(_) => None,
        }
    }

    /// Whether it says that the job is no longer there.
    pub fn has_ended(&self) -> bool {
        matches!(
            self,
            BatchError::Slurm(SlurmError::Unknown(_) | SlurmError::NotRunning { .. } | SlurmError::NoStep(_))
                | BatchError::Flux(FluxError::Failed { .. })
        )
    }
}
