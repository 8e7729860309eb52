//! What Slurm says of a job, by its own commands: which nodes it has, and which steps run there.
//!
//! `squeue` names the nodes as one expression (`node[1-64]`), which `scontrol` spells out; neither is asked for anything else. What they print is bounded, and so is the time that they may take: the
//! controller is one more thing that may be dead. Variables by which a user changes what `squeue` prints are kept from it.

use crate::hosts::{HostName, NotAHost};
use crate::printed::{NotPrinted, printed_by};
use base::clean;
use std::fmt;
use std::process::Command;
use std::str::FromStr;
use std::time::Duration;

/// What our own steps in a job are called, so that nobody takes them for a part of it.
pub use nodes::OWN_STEP;

/// The number of a job, of a part of an array of jobs, or of one step of it: `4711`, `4711_7`, `4711.0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobId {
    job: u32,
    part: Option<u32>,
    step: Option<u32>,
}

/// A text that is no number of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAJob(pub String);

impl fmt::Display for NotAJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "'{}' is no number of a job of Slurm (4711, of one step 4711.0, of a part of an array 4711_7)",
            clean(&self.0)
        )
    }
}

impl std::error::Error for NotAJob {}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.job)?;
        if let Some(part) = self.part {
            write!(f, "_{part}")?;
        }
        match self.step {
            Some(step) => write!(f, ".{step}"),
            None => Ok(()),
        }
    }
}

impl FromStr for JobId {
    type Err = NotAJob;

    fn from_str(text: &str) -> Result<Self, NotAJob> {
        let number = |digits: &str| {
            let are_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            let number = are_digits.then(|| digits.parse().ok()).flatten();
            number.ok_or_else(|| NotAJob(text.to_owned()))
        };
        let (whole, step) = match text.split_once('.') {
            Some((whole, step)) => (whole, Some(number(step)?)),
            None => (text, None),
        };
        let (job, part) = match whole.split_once('_') {
            Some((job, part)) => (number(job)?, Some(number(part)?)),
            None => (number(whole)?, None),
        };
        Ok(JobId { job, part, step })
    }
}

/// A job that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlurmJob {
    /// Its number, as its processes have it: of a part of an array that is another than the user's.
    pub number: u32,
    /// The step that is meant; `None` where there is only one, or the batch script itself has started the ranks.
    pub step: Option<u32>,
    /// The nodes that it has.
    pub hosts: Vec<HostName>,
}

/// Why Slurm does not tell where a job runs.
#[derive(Debug)]
pub enum SlurmError {
    /// One of its commands could not be started.
    NotStarted {
        /// The command.
        program: &'static str,
        /// Why.
        why: std::io::Error,
    },
    /// One of its commands has failed.
    Failed {
        /// The command.
        program: &'static str,
        /// What it said.
        said: String,
    },
    /// One of its commands has not come to an end in time.
    Late {
        /// The command.
        program: &'static str,
        /// For how long it was waited for.
        waited: Duration,
    },
    /// It knows no such job, or none any more.
    Unknown(JobId),
    /// The job does not run.
    NotRunning {
        /// The job.
        job: JobId,
        /// What it does instead.
        state: String,
    },
    /// The number stands for several jobs: the parts of an array.
    Several {
        /// The number.
        job: JobId,
        /// Their own numbers.
        parts: Vec<String>,
    },
    /// The job runs several steps, and none was named.
    SeveralSteps {
        /// The job.
        job: JobId,
        /// Its steps with the names of their programs.
        steps: Vec<(u32, String)>,
    },
    /// The job has no such step, or none any more.
    NoStep(JobId),
    /// A node has a name that cannot be used.
    Host(NotAHost),
    /// What a command printed is not what it prints.
    Strange {
        /// The command.
        program: &'static str,
        /// What it printed.
        line: String,
    },
}

impl fmt::Display for SlurmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SlurmError::NotStarted { program, why } => write!(f, "{program} cannot be started: {why}"),
            SlurmError::Failed { program, said } => write!(f, "{program} has failed: {}", clean(said)),
            SlurmError::Late { program, waited } => {
                write!(f, "{program} did not answer within {} s", waited.as_secs_f64())
            }
            SlurmError::Unknown(job) => {
                write!(
                    f,
                    "Slurm knows no job {job}: it may have ended, or be of another cluster"
                )
            }
            SlurmError::NotRunning { job, state } => {
                write!(f, "job {job} does not run: it is {}", clean(state))
            }
            SlurmError::Several { job, parts } => write!(
                f,
                "{job} is an array of several jobs: name one of {}",
                clean(&parts.join(", "))
            ),
            SlurmError::SeveralSteps { job, steps } => {
                let named = steps.iter().map(|(step, name)| format!("{job}.{step} ({name})"));
                let named = Vec::from_iter(named).join(", ");
                write!(f, "job {job} runs several steps: name one of {}", clean(&named))
            }
            SlurmError::NoStep(job) => write!(f, "there is no step {job}, or it has ended"),
            SlurmError::Host(error) => error.fmt(f),
            SlurmError::Strange { program, line } => {
                write!(f, "{program} printed what is not understood: {}", clean(line))
            }
        }
    }
}

impl std::error::Error for SlurmError {}

/// Asks Slurm for a job. Each of its commands may take so long as `patience`.
///
/// # Errors
/// It knows no such job, or does not say; more than one job or step may be meant.
pub fn job(id: &JobId, patience: Duration) -> Result<SlurmJob, SlurmError> {
    let whole = JobId {
        step: None,
        ..id.clone()
    };
    let jobs_option = format!("--jobs={whole}");
    let ask = |options: &[&str]| {
        let fixed = ["--noheader", &jobs_option];
        said_by("squeue", &[&fixed[..], options].concat(), patience)
    };
    let jobs = match ask(&["--states=all", "--format=%A|%i|%T|%N"]) {
        Err(SlurmError::Failed { said, .. }) if said.contains("Invalid job id") => String::new(),
        said => said?,
    };
    let (number, nodes) = the_job(id, &jobs)?;
    let steps = steps(&ask(&["--steps", "--format=%i|%N|%j"])?);
    let nodes = match (id.step, &steps[..]) {
        (Some(wanted), _) => {
            let step = steps.into_iter().find(|step| step.number == wanted);
            step.ok_or_else(|| SlurmError::NoStep(id.clone()))?.nodes
        }
        (None, [] | [_]) => nodes,
        (None, several) => {
            return Err(SlurmError::SeveralSteps {
                job: id.clone(),
                steps: several
                    .iter()
                    .map(|step| (step.number, step.name.clone()))
                    .collect(),
            });
        }
    };
    let hosts = said_by("scontrol", &["show", "hostnames", "--", &nodes], patience)?;
    let hosts = hosts.lines().map(str::parse).collect::<Result<_, _>>();
    Ok(SlurmJob {
        number,
        step: id.step,
        hosts: hosts.map_err(SlurmError::Host)?,
    })
}

/// The number of the only job that runs of those that `squeue` lists, and its nodes.
fn the_job(id: &JobId, listed: &str) -> Result<(u32, String), SlurmError> {
    let strange = |line: &str| SlurmError::Strange {
        program: "squeue",
        line: line.to_owned(),
    };
    let mut running = Vec::new();
    let mut other_state = None;
    for line in listed.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let fields = Vec::from_iter(line.split('|'));
        let [number, name, state, nodes] = fields[..] else {
            return Err(strange(line));
        };
        if matches!(state, "RUNNING" | "SUSPENDED" | "COMPLETING" | "STOPPED") {
            let number: u32 = number.parse().map_err(|_| strange(line))?;
            running.push((number, name.to_owned(), nodes.to_owned()));
        } else {
            other_state = other_state.or(Some(state));
        }
    }
    match (&running[..], other_state) {
        ([], None) => Err(SlurmError::Unknown(id.clone())),
        ([], Some(state)) => Err(SlurmError::NotRunning {
            job: id.clone(),
            state: state.to_owned(),
        }),
        ([(number, _, nodes)], _) => Ok((*number, nodes.clone())),
        (several, _) => Err(SlurmError::Several {
            job: id.clone(),
            parts: several.iter().map(|(_, name, _)| name.clone()).collect(),
        }),
    }
}

/// The command that starts a step of our own in a job, with one process on each of `count` nodes, which `nodes` names with commas; `own` are options besides.
pub(crate) fn step(job: u32, count: usize, nodes: &str, own: &[&str]) -> Command {
    let mut command = Command::new("srun");
    // It shares what the job's own steps have. Without `unbuffered` only whole lines come back; `disable-status` hands a `^C` on.
    command.args([
        "--overlap",
        "--quiet",
        "--unbuffered",
        "--disable-status",
        "--chdir=/",
    ]);
    command.args(own);
    command.arg(format!("--nodes={count}"));
    command.arg(format!("--ntasks={count}"));
    command.arg(format!("--job-name={OWN_STEP}"));
    command.arg(format!("--jobid={job}"));
    command.arg(format!("--nodelist={nodes}"));
    command
}

/// A step that `srun` has started.
#[derive(Debug, PartialEq, Eq)]
struct Step {
    number: u32,
    nodes: String,
    name: String,
}

/// The steps that `squeue` lists, without our own, and without those that have a name in place of a number: what belongs to a batch script or to the node.
fn steps(listed: &str) -> Vec<Step> {
    let step = |line: &str| {
        let mut fields = line.trim().splitn(3, '|');
        let (id, nodes, name) = (fields.next()?, fields.next()?, fields.next()?);
        let (_, number) = id.rsplit_once('.')?;
        Some(Step {
            number: number.parse().ok()?,
            nodes: nodes.to_owned(),
            name: name.to_owned(),
        })
    };
    let steps = listed.lines().filter_map(step);
    steps.filter(|step| step.name != OWN_STEP).collect()
}

/// What a command of Slurm prints.
fn said_by(program: &'static str, arguments: &[&str], patience: Duration) -> Result<String, SlurmError> {
    let mut command = Command::new(program);
    command.args(arguments);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("SQUEUE_") {
            command.env_remove(name);
        }
    }
    printed_by(&mut command, patience).map_err(|error| match error {
        NotPrinted::NotStarted(why) => SlurmError::NotStarted { program, why },
        NotPrinted::Late => SlurmError::Late {
            program,
            waited: patience,
        },
        NotPrinted::Failed(said) => SlurmError::Failed { program, said },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> JobId {
        text.parse().unwrap()
    }

    #[test]
    fn numbers_of_jobs_are_digits() {
        for good in ["4711", "4711.0", "4711_7", "4711_7.12"] {
            assert_eq!(id(good).to_string(), good);
        }
        for bad in [
            "",
            "x",
            "-1",
            "+1",
            "4711.",
            ".0",
            "4711.batch",
            "4711_",
            "1 2",
            "1,2",
            "1;id",
            "99999999999",
            "4711+1",
        ] {
            assert!(bad.parse::<JobId>().is_err(), "{bad}");
        }
    }

    #[test]
    fn one_job_is_meant_and_it_runs() {
        let job = |listed: &str| the_job(&id("7"), listed);
        assert_eq!(
            job("7|7|RUNNING|node[1-4]\n").unwrap(),
            (7, "node[1-4]".to_owned())
        );
        // Of an array, only one part runs; of two that run, none was named.
        assert_eq!(job("8|7_1|RUNNING|a\n9|7_[2-4]|PENDING|\n").unwrap().0, 8);
        for (listed, said) in [
            ("", "knows no job 7"),
            ("7|7|PENDING|\n", "it is PENDING"),
            ("8|7_1|RUNNING|a\n9|7_2|RUNNING|b\n", "name one of 7_1, 7_2"),
            ("slurm is being updated", "not understood"),
            ("x|7|RUNNING|a", "not understood"),
        ] {
            let error = job(listed).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn our_own_steps_and_those_of_a_batch_script_are_none_of_the_program() {
        let listed =
            format!("7.0|node[1-4]|app\n7.batch|node1|batch\n7.extern|node1|extern\n7.3|node2|{OWN_STEP}\n");
        let app = Step {
            number: 0,
            nodes: "node[1-4]".to_owned(),
            name: "app".to_owned(),
        };
        assert_eq!(steps(&listed), [app]);
    }
}
