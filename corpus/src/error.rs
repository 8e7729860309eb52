//! What can go wrong between a C file and a hung job.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Why there is no hung job.
#[derive(Debug)]
pub enum Error {
    /// A file could not be read or written, or a program could not be started.
    Io {
        /// What was tried.
        action: &'static str,
        /// The file or program.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The compiler refused.
    Compile {
        /// The whole command.
        command: String,
        /// What the compiler said.
        output: String,
    },
    /// No line of the program carries the mark `STALL: place`.
    NoMark {
        /// The source file.
        file: PathBuf,
        /// The place.
        place: String,
    },
    /// The launcher ended before the job hung.
    Ended {
        /// How, as the system puts it.
        status: String,
        /// What the job had printed.
        output: String,
    },
    /// The job neither hung nor ended in time.
    NotHung {
        /// How long it was watched.
        waited: Duration,
        /// What was still missing.
        missing: String,
        /// What the job had printed.
        output: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { action, path, source } => write!(f, "cannot {action} {}: {source}", path.display()),
            Self::Compile { command, output } => write!(f, "{command}\nfailed:\n{output}"),
            Self::NoMark { file, place } => {
                write!(f, "{} has no line marked 'STALL: {place}'", file.display())
            }
            Self::Ended { status, output } => {
                write!(
                    f,
                    "the job ended ({status}) before it hung; it printed:\n{output}"
                )
            }
            Self::NotHung {
                waited,
                missing,
                output,
            } => write!(
                f,
                "the job does not hang after {:.1} s: {missing}; it printed:\n{output}",
                waited.as_secs_f64()
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl Error {
    /// For `map_err`: wraps what the system said with what was tried on which file.
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }
}
