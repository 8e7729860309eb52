//! Why the tasks of a job could not be found. What goes wrong with one task of several is not an error of the probe:
//! it is recorded in that task's record.

use std::fmt;
use std::io;

/// Why there is no list of tasks.
#[derive(Debug)]
pub enum ProbeError {
    /// No process has this pid.
    NoProcess {
        /// The pid asked for.
        pid: u32,
    },
    /// A launcher has no rank below it.
    NoRanks {
        /// The launcher.
        pid: u32,
        /// Its command name.
        command: String,
        /// How many descendants it has whose environment could not be read.
        unreadable: usize,
    },
    /// `/proc` itself could not be read.
    Proc {
        /// The file or directory.
        path: String,
        /// The cause.
        source: io::Error,
    },
}

impl fmt::Display for ProbeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProbeError::NoProcess { pid } => {
                write!(f, "no process has pid {pid} on this host (or in this container)")
            }
            ProbeError::NoRanks {
                pid,
                command,
                unreadable: 0,
            } => write!(
                f,
                "the launcher {command} (pid {pid}) has no ranks below it: they may not have started yet, have \
                 ended, or run on other hosts or under another parent; give their pids instead"
            ),
            ProbeError::NoRanks {
                pid,
                command,
                unreadable,
            } => write!(
                f,
                "the launcher {command} (pid {pid}) has {unreadable} processes below it, but their environment may \
                 not be read: run the probe as their user, or with CAP_SYS_PTRACE"
            ),
            ProbeError::Proc { path, source } => write!(f, "cannot read {path}: {source}"),
        }
    }
}

impl std::error::Error for ProbeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ProbeError::Proc { source, .. } => Some(source),
            _ => None,
        }
    }
}
