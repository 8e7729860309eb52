//! Options about the hosts of a job.

use crate::args::duration;
use clap::Args;
use cluster::BatchJob;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// On which hosts the job is, where neither a launcher nor a table tells.
#[derive(Args, Debug)]
pub(crate) struct WhichHosts {
    /// The hosts of the job, `host` or `host:pid[,pid…]` on each line: where no pid is given, the ranks of the only job there are read
    #[arg(long, value_name = "FILE", conflicts_with = "here")]
    pub(crate) hosts: Option<PathBuf>,
    /// A job by its number: of Slurm, from any host where squeue and srun work (4711, one step of it 4711.0, a part of an array 4711_7), or of Flux, in the instance that runs it (ƒ2xYz4b, f2xYz4b)
    #[arg(long, value_name = "JOBID", conflicts_with = "here")]
    pub(crate) job: Option<BatchJob>,
}

/// Whether other hosts are asked, and how.
#[derive(Args, Clone, Debug)]
pub(crate) struct HostArgs {
    /// Ask no other host, although the job has tasks there
    #[arg(long)]
    pub(crate) here: bool,
    /// Reach other hosts by ssh, srun (in the job of Slurm), flux (in the job of Flux), clush, a launcher of MPI with options, or any command in which {host} stands for the host's name and {command} for the
    /// command line to run there [default: srun or flux where the job or its launcher is in one of theirs, else ssh]
    #[arg(long, value_name = "HOW", conflicts_with = "here")]
    pub(crate) via: Option<String>,
    /// How long a look waits for hosts at most (20s, 500ms, 1m)
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "20s")]
    pub(crate) deadline: Duration,
    /// How long hosts may be silent once at least half of all have answered; longer, if these took longer
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "2s")]
    pub(crate) grace: Duration,
    /// The hindmost-probe to send to hosts that have none [default: the one beside hindmost]
    #[arg(long, value_name = "FILE")]
    pub(crate) probe: Option<PathBuf>,
    /// Keep the probe on the hosts that it is sent to, in the user's cache there (~/.cache/hindmost-probe), and run a copy of that the next time: for slow lines
    #[arg(long, conflicts_with = "here")]
    pub(crate) keep_probe: bool,
    /// How the answers of very many hosts become one: by a program of MPI with a process on each, which hindmost build-reducer makes
    #[arg(long, value_enum, value_name = "HOW", conflicts_with = "here")]
    pub(crate) reduce: Option<Reduce>,
    /// The program that hindmost build-reducer has made, by a name that all hosts know it by [default: hindmost-reducer, beside hindmost]
    #[arg(long, value_name = "FILE", requires = "reduce")]
    pub(crate) reducer: Option<PathBuf>,
    /// What starts it: a launcher of MPI, with options, or a whole command in which {hosts} and {count} stand for the names of the hosts with commas, and their number, and whose last word is {program}
    /// [default: the launcher of the job, or mpirun; with --job, srun]
    #[arg(long, value_name = "COMMAND", requires = "reduce")]
    pub(crate) mpirun: Option<String>,
}

impl HostArgs {
    /// The same as words of a command line, as far as `find` has them from who follows a job.
    pub(crate) fn words(&self) -> Vec<OsString> {
        let mut words = Vec::new();
        if self.here {
            words.push("--here".into());
        }
        if let Some(via) = &self.via {
            words.extend(["--via".into(), via.into()]);
        }
        if let Some(probe) = &self.probe {
            words.extend(["--probe".into(), probe.into()]);
        }
        for (name, time) in [("--deadline", self.deadline), ("--grace", self.grace)] {
            words.extend([name.into(), format!("{}ms", time.as_millis()).into()]);
        }
        words
    }
}

impl WhichHosts {
    /// The same as words of a command line.
    pub(crate) fn words(&self) -> Vec<OsString> {
        let hosts = self.hosts.iter().flat_map(|path| ["--hosts".into(), path.into()]);
        let job = self
            .job
            .iter()
            .flat_map(|id| ["--job".into(), id.to_string().into()]);
        hosts.chain(job).collect()
    }
}

/// What makes one answer of those of hosts.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reduce {
    /// A reduction by MPI, on the hosts themselves; who does not answer in it is asked as without
    Mpi,
}
