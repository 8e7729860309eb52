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
    /// No process of a job runs on this host whose environment may be read.
    NoJob,
    /// No daemon of a launcher that may be looked at has this argument.
    NoDaemon {
        /// The argument.
        argument: String,
    },
    /// Ranks of several jobs run on this host.
    SeveralJobs {
        /// What has started each: a launcher, or its daemon.
        starters: Vec<u32>,
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
            ProbeError::NoJob => f.write_str(
                "no rank of a job runs here as far as may be seen: its processes may have ended, or be another user's",
            ),
            ProbeError::NoDaemon { argument } => write!(
                f,
                "the launcher has no daemon here any more (with the argument {argument}), or it is another user's"
            ),
            ProbeError::SeveralJobs { starters } => {
                let pids = Vec::from_iter(starters.iter().map(u32::to_string));
                write!(
                    f,
                    "several jobs run here: name one by the pid of a rank or of what has started its ranks ({})",
                    pids.join(", ")
                )
            }
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
