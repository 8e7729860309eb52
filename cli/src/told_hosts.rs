//! The other hosts of a job whose launcher is not here and of which no batch system was asked, as its ranks here carry them.

use cluster::{Asked, HostName, VARIABLES, Written, hosts_of_orte, told_hosts};
use nodes::Select;
use regular_files::Limit;
use runtime_probe::{Job, common_variable, own_host, same_host};
use std::path::Path;

/// What tells one job from others on the same hosts, and is the same on all of them.
const IDENTITIES: [&str; 7] = [
    "PMIX_NAMESPACE",
    "SLURM_JOB_ID",
    "PBS_JOBID",
    "LSB_JOBID",
    "JOB_ID",
    "OAR_JOB_ID",
    "COBALT_JOBID",
];

/// A file with the names of a hundred thousand hosts is smaller.
const LARGEST_FILE: Limit = Limit::of(16 << 20);

/// Other hosts that a job may be on.
#[derive(Default)]
pub(crate) struct ToldHosts {
    pub(crate) asked: Vec<Asked>,
    /// What the user should know.
    pub(crate) notes: Vec<String>,
}

impl ToldHosts {
    /// What the ranks of a job on this host tell.
    pub(crate) fn by(job: &Job) -> Self {
        let pids = Vec::from_iter(job.tasks.iter().map(|task| task.pid));
        // What another user's process carries names hosts that we would then log in to, and files that we would read.
        let own = runtime_probe::user_of(std::process::id());
        if own.is_none() || pids.iter().any(|&pid| runtime_probe::user_of(pid) != own) {
            return ToldHosts::default();
        }
        let Some((by, hosts)) = hosts(&pids) else {
            return ToldHosts {
                asked: Vec::new(),
                notes: elsewhere_of_launcher(&pids).into_iter().collect(),
            };
        };
        let own = own_host();
        let variables = IDENTITIES.iter().filter_map(|&name| {
            let value = common_variable(&pids, name)?;
            Some((name.to_owned(), value))
        });
        let select = Select::Alike {
            variables: variables.collect(),
        };
        let others = hosts.into_iter().filter(|host| !same_host(host.as_str(), &own));
        let asked = others.map(|host| Asked {
            host,
            select: select.clone(),
            ranks: None,
        });
        let asked = Vec::from_iter(asked);
        let notes = match asked.len() {
            0 => Vec::new(),
            count => vec![format!(
                "its other hosts are those that {by} tells ({count}); --here asks none of them"
            )],
        };
        ToldHosts { asked, notes }
    }
}

/// The hosts of the job of these ranks, and what tells them.
fn hosts(pids: &[u32]) -> Option<(String, Vec<HostName>)> {
    let told = VARIABLES.iter().find_map(|&(name, written)| {
        let value = common_variable(pids, name)?;
        let text = match written {
            Written::List | Written::Counted => value,
            // Many batch systems have it on the first host alone.
            Written::InFile => regular_files::read_text(Path::new(&value), LARGEST_FILE).ok()?,
        };
        let hosts = told_hosts(written, &text).ok()?;
        Some((name.to_owned(), hosts))
    });
    told.or_else(|| {
        let nodes = runtime_probe::nodes_of_daemon(*pids.first()?)?;
        Some(("the daemon of Open MPI".to_owned(), hosts_of_orte(&nodes).ok()?))
    })
}

/// Where the launcher of these ranks is, if they tell that much.
fn elsewhere_of_launcher(pids: &[u32]) -> Option<String> {
    let host = runtime_probe::host_of_launcher(*pids.first()?)?;
    let host: HostName = host.parse().ok()?;
    let is_here = same_host(host.as_str(), &own_host());
    (!is_here)
        .then(|| format!("its launcher runs on host {host}: hindmost find PID there sees all of its ranks"))
}
