//! Options about the hosts of a job.

use crate::args::duration;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Which hosts are asked, and how.
#[derive(Args, Debug)]
pub(crate) struct HostArgs {
    /// The hosts of the job, `host` or `host:pid[,pid…]` on each line: where no pid is given, the ranks of the only job there are read
    #[arg(long, value_name = "FILE")]
    pub(crate) hosts: Option<PathBuf>,
    /// Ask no other host, although the job has tasks there
    #[arg(long, conflicts_with = "hosts")]
    pub(crate) here: bool,
    /// Reach other hosts by this command instead of ssh: {host} in it stands for the host's name, {command} for the command line to run there
    #[arg(long, value_name = "COMMAND", conflicts_with = "here")]
    pub(crate) via: Option<String>,
    /// How long to wait for hosts that do not answer (20s, 500ms, 1m)
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "20s")]
    pub(crate) deadline: Duration,
    /// The hindmost-probe to send to hosts that have none [default: the one beside hindmost]
    #[arg(long, value_name = "FILE")]
    pub(crate) probe: Option<PathBuf>,
}
