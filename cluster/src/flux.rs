//! What Flux says of a job, by its own commands, and how it runs something on the nodes of one.
//!
//! `flux job hostpids` prints the processes of all tasks, each with its host. Of a job that is yet to begin it waits for the beginning, so that it has a time to end in. `flux jobs` prints the nodes in the order by which
//! `flux exec --jobid` counts them: it has the shells of the job run a command there, as its user.

use crate::hostlist::{self, NotAList};
use crate::hosts::{self, HostName, HostsError, ListedHost};
use crate::printed::{NotPrinted, printed_by};
use base::clean;
use std::collections::BTreeMap;
use std::fmt;
use std::process::Command;
use std::str::FromStr;
use std::time::Duration;

/// A job of Flux, as `flux jobs` shows it: `ƒ` or `f`, and a number in digits and letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FluxId(String);

/// A text that names no job of Flux.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAFluxJob(pub String);

impl fmt::Display for NotAFluxJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "'{}' is no job of Flux, as flux jobs shows them (ƒ2xYz4b, f2xYz4b)",
            clean(&self.0)
        )
    }
}

impl std::error::Error for NotAFluxJob {}

impl FluxId {
    /// Whether a text is meant for one.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with(['f', 'ƒ'])
    }
}

impl fmt::Display for FluxId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for FluxId {
    type Err = NotAFluxJob;

    fn from_str(text: &str) -> Result<Self, NotAFluxJob> {
        // 64 bits have eleven digits of base 58.
        const LONGEST: usize = 12;
        let digits = text.strip_prefix(['f', 'ƒ']).unwrap_or_default();
        let are_digits = digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if are_digits && (1..=LONGEST).contains(&digits.len()) {
            Ok(FluxId(format!("f{digits}")))
        } else {
            Err(NotAFluxJob(text.to_owned()))
        }
    }
}

/// Why Flux does not tell where a job runs.
#[derive(Debug)]
pub enum FluxError {
    /// Its command could not be started.
    NotStarted(std::io::Error),
    /// It has failed: there is no such job, or none any more.
    Failed {
        /// The job.
        job: FluxId,
        /// What it said.
        said: String,
    },
    /// It has not come to an end in time.
    Late {
        /// The job.
        job: FluxId,
        /// For how long it was waited for.
        waited: Duration,
    },
    /// What it printed of processes is not what it prints.
    Strange(HostsError),
    /// The same of nodes.
    StrangeNodes(NotAList),
}

impl fmt::Display for FluxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FluxError::NotStarted(why) => write!(f, "flux cannot be started: {why}"),
            FluxError::Failed { job, said } => {
                write!(f, "Flux does not say where job {job} runs: {}", clean(said))
            }
            FluxError::Late { job, waited } => write!(
                f,
                "Flux did not say within {} s where job {job} runs: it may be yet to begin",
                waited.as_secs_f64()
            ),
            FluxError::Strange(error) => {
                write!(
                    f,
                    "flux job hostpids printed what is not understood: {}",
                    error.reason
                )
            }
            FluxError::StrangeNodes(error) => {
                write!(f, "flux jobs printed what is not understood: {error}")
            }
        }
    }
}

impl std::error::Error for FluxError {}

/// Asks Flux for the tasks of a job. Its command may take so long as `patience`.
///
/// # Errors
/// It knows no such job, or does not say.
pub fn tasks(job: &FluxId, patience: Duration) -> Result<Vec<ListedHost>, FluxError> {
    let printed = said_of(job, &["job", "hostpids"], patience)?;
    // `host:pid,host:pid`, which a list of hosts has one a line.
    hosts::parse(&printed.replace(',', "\n")).map_err(FluxError::Strange)
}

/// The nodes of a job, each with its place among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FluxNodes {
    job: FluxId,
    places: BTreeMap<HostName, usize>,
}

/// Asks Flux which nodes a job has. Its command may take so long as `patience`.
///
/// # Errors
/// It knows no such job, or does not say.
pub fn nodes(job: &FluxId, patience: Duration) -> Result<FluxNodes, FluxError> {
    let printed = said_of(job, &["jobs", "--no-header", "--format={nodelist}"], patience)?;
    let nodes = hostlist::expand(printed.trim()).map_err(FluxError::StrangeNodes)?;
    let mut places = BTreeMap::new();
    for (place, node) in nodes.into_iter().enumerate() {
        // A host may run several brokers. Any of them does.
        places.entry(node).or_insert(place);
    }
    Ok(FluxNodes {
        job: job.clone(),
        places,
    })
}

impl FluxNodes {
    /// Whether the job has a node of this name.
    pub fn has(&self, host: &HostName) -> bool {
        self.places.contains_key(host)
    }

    /// What runs on a node whatever follows it as arguments.
    ///
    /// `flux exec` writes what comes from there as text that it keeps until it has a page of it, so `stdbuf` has it write each line. That is done by variables of the environment, which go along and mean nothing to the probe.
    pub(crate) fn on(&self, host: &HostName) -> Command {
        // One that is none of the job's has no place. Without a place all nodes would be meant, and of this one Flux says that it is not there.
        let place = self.places.get(host).copied().unwrap_or(self.places.len());
        let mut command = Command::new("stdbuf");
        command.args(["--output=L", "flux", "exec", "--quiet", "--dir=/"]);
        command.arg(format!("--jobid={}", self.job));
        command.arg(format!("--rank={place}"));
        command.args(["env", "-u", "LD_PRELOAD", "-u", "_STDBUF_O"]);
        command
    }
}

impl fmt::Display for FluxNodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.job.fmt(f)
    }
}

/// What a command of Flux prints of a job, whose name is its last argument.
fn said_of(job: &FluxId, arguments: &[&str], patience: Duration) -> Result<String, FluxError> {
    let mut command = Command::new("flux");
    command.args(arguments).arg(&job.0);
    printed_by(&mut command, patience).map_err(|error| match error {
        NotPrinted::NotStarted(why) => FluxError::NotStarted(why),
        NotPrinted::Late => FluxError::Late {
            job: job.clone(),
            waited: patience,
        },
        NotPrinted::Failed(said) => FluxError::Failed {
            job: job.clone(),
            said,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_named_as_flux_shows_them() {
        for good in ["f2xYz4b", "ƒ2xYz4b"] {
            assert!(FluxId::is_meant(good));
            assert_eq!(good.parse::<FluxId>().unwrap().to_string(), "f2xYz4b");
        }
        for bad in [
            "",
            "f",
            "ƒ",
            "4711",
            "f2x Yz",
            "f2x;id",
            "f-x",
            "fƒ2x",
            "f1234567890123",
            "x2x",
        ] {
            assert!(bad.parse::<FluxId>().is_err(), "{bad}");
        }
    }
}
