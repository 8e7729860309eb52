//! By what the hosts of a job are reached: as the user says, or else by what the job runs under.

use crate::host_args::HostArgs;
use cluster::flux::{self, FluxId, FluxNodes};
use cluster::{BatchError, HostName, Launch, Transport, Way, expand};
use project::Failure;
use runtime_probe::common_variable;

/// What is known of the job that has the hosts.
pub(crate) enum Of<'a> {
    /// The job of Slurm of this number.
    Slurm(u32),
    /// A job of Flux on these hosts.
    Flux(&'a FluxId, &'a [HostName]),
    /// It has these processes here: its launcher, or tasks; and these other hosts.
    Processes(&'a [u32], &'a [HostName]),
    /// It is on hosts that were listed.
    Listed,
}

/// What reaches them.
///
/// # Errors
/// The user names what cannot, or what does not know of this job; Flux does not say which nodes are its.
pub(crate) fn by(args: &HostArgs, of: &Of<'_>) -> Result<Transport, Failure> {
    let Some(text) = &args.via else {
        return found_out(of, args);
    };
    let wrong = |why: String| Failure::new(format!("--via '{}': {why}", base::clean(text)));
    let way = Way::of(text).map_err(|error| wrong(error.to_string()))?;
    let of_which = |system: &str| {
        wrong(format!("it is not known of which job of {system} the hosts are")).hint("--job names it")
    };
    Ok(match way {
        Way::Ssh => Transport::Ssh,
        Way::Clush => Transport::Clush,
        Way::Template(words) => Transport::Template(words),
        Way::Slurm => Transport::Slurm(slurm_job(of).ok_or_else(|| of_which("Slurm"))?),
        Way::Flux => {
            let id = flux_job(of).ok_or_else(|| of_which("Flux"))?;
            let nodes = flux::nodes(&id, args.deadline).map_err(BatchError::Flux);
            Transport::Flux(nodes.map_err(|error| wrong(error.to_string()))?)
        }
        Way::Launcher(words) => {
            let launch = Launch::known(words, args.deadline).map_err(|_| {
                wrong(format!(
                    "neither a way to reach hosts ({}) nor a launcher of MPI that is known, nor is there {{host}} and {{command}} in it",
                    Way::NAMES
                ))
            })?;
            if !launch.hands_on_input() {
                return Err(wrong(
                    "Hydra hands on no more standard input than is taken at once, and the probe is more"
                        .to_owned(),
                )
                .hint("what it reaches hosts by, as ssh, reaches them here, too"));
            }
            Transport::Launcher(launch)
        }
    })
}

/// What reaches them where the user does not say.
fn found_out(of: &Of<'_>, args: &HostArgs) -> Result<Transport, Failure> {
    match of {
        Of::Slurm(job) => Ok(Transport::Slurm(*job)),
        Of::Flux(id, hosts) => {
            let nodes = flux::nodes(id, args.deadline).map_err(|error| {
                Failure::new(error.to_string()).hint("--via ssh reaches the hosts without Flux")
            })?;
            Ok(if has_all(&nodes, hosts) {
                Transport::Flux(nodes)
            } else {
                Transport::Ssh
            })
        }
        // A launcher in an allocation of Slurm has all its nodes by `srun`, while a login there may be refused. One that has started ranks on other hosts has reached these by something else.
        Of::Processes(pids, hosts) => Ok(match slurm_job(of) {
            Some(job) if is_on_nodes_of_slurm(pids, hosts) && has_srun() => Transport::Slurm(job),
            _ => Transport::Ssh,
        }),
        Of::Listed => Ok(Transport::Ssh),
    }
}

fn has_all(nodes: &FluxNodes, hosts: &[HostName]) -> bool {
    hosts.iter().all(|host| nodes.has(host))
}

fn slurm_job(of: &Of<'_>) -> Option<u32> {
    match of {
        Of::Slurm(job) => Some(*job),
        Of::Processes(pids, _) => common_variable(pids, "SLURM_JOB_ID")?.parse().ok(),
        Of::Flux(..) | Of::Listed => None,
    }
}

fn flux_job(of: &Of<'_>) -> Option<FluxId> {
    match of {
        Of::Flux(id, _) => Some((*id).clone()),
        Of::Processes(pids, _) => common_variable(pids, "FLUX_JOB_ID")?.parse().ok(),
        Of::Slurm(_) | Of::Listed => None,
    }
}

/// Whether the allocation of Slurm that processes are in has all of these hosts.
fn is_on_nodes_of_slurm(pids: &[u32], hosts: &[HostName]) -> bool {
    let nodes = common_variable(pids, "SLURM_JOB_NODELIST").and_then(|list| expand(&list).ok());
    nodes.is_some_and(|nodes| hosts.iter().all(|host| nodes.contains(host)))
}

/// Whether there is an `srun` to start steps with.
fn has_srun() -> bool {
    let all = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&all).any(|directory| directory.join("srun").is_file())
}
