//! Which tasks a job has here, which hosts are to be asked for the others, and how these are reached.

use crate::everywhere::not_seen;
use crate::host_args::HostArgs;
use crate::output;
use crate::reached::{self, Of};
use crate::told_hosts::ToldHosts;
use base::RankSet;
use cluster::flux::{self, FluxId};
use cluster::slurm::{self, SlurmJob};
use cluster::{Asked, BatchError, BatchJob, HostName, ListedHost, Transport, hosts};
use nodes::Select;
use project::Failure;
use runtime_probe::{DaemonHost, Job, TableEntry, own_host, same_host};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The tasks of a job, as far as they are known before anybody is asked.
pub(crate) struct Whereabouts {
    /// Those of this host.
    pub(crate) job: Job,
    /// The hosts that are to be asked for the others.
    pub(crate) asked: Vec<Asked>,
    /// How they are reached.
    pub(crate) transport: Transport,
    /// What the user should know.
    pub(crate) notes: Vec<String>,
}

impl Whereabouts {
    /// Of a job that a launcher or a table tells of, or that was named by its processes. `launcher` is the pid of the launcher, if there is one; `table` the file of the table.
    ///
    /// # Errors
    /// It has no task here, and no other host is to be asked.
    pub(crate) fn of_job(
        job: Job,
        launcher: Option<u32>,
        table: Option<&Path>,
        args: &HostArgs,
    ) -> Result<Self, Failure> {
        let is_told = !job.elsewhere.is_empty() || !job.daemons.is_empty();
        if (args.here || !is_told) && job.tasks.is_empty() {
            return Err(no_task_here(table, &job));
        }
        let may_be_elsewhere = !is_told && !job.missing.without(&job.ended).is_empty();
        let (asked, notes) = if args.here {
            (Vec::new(), job.notes_of_this_host())
        } else if !is_told {
            let told = if may_be_elsewhere {
                ToldHosts::by(&job)
            } else {
                ToldHosts::default()
            };
            let own = if told.asked.is_empty() {
                job.notes_of_this_host()
            } else {
                job.notes.clone()
            };
            (told.asked, own.into_iter().chain(told.notes).collect())
        } else {
            let (asked, more) = elsewhere(&job, launcher);
            (asked, job.notes.iter().cloned().chain(more).collect())
        };
        let pids = match launcher {
            Some(launcher) => vec![launcher],
            None => job.tasks.iter().map(|task| task.pid).collect(),
        };
        let hosts = Vec::from_iter(asked.iter().map(|asked: &Asked| asked.host.clone()));
        Ok(Whereabouts {
            transport: reached::by(args, &Of::Processes(&pids, &hosts))?,
            job,
            asked,
            notes,
        })
    }

    /// Says how other hosts are reached, where that is a way that the user has not named.
    pub(crate) fn say_how(&self) {
        let how = match &self.transport {
            Transport::Slurm(job) => format!("srun --overlap, in job {job}"),
            Transport::Flux(job) => format!("flux exec, in job {job}"),
            // What else there is the user has named, or is what is meant where he names nothing.
            Transport::Ssh | Transport::Clush | Transport::Launcher(_) | Transport::Template(_) => return,
        };
        match self.asked.len() {
            0 => {}
            1 => output::note(&format!("1 host is asked by {how}")),
            hosts => output::note(&format!("{hosts} hosts are asked by {how}")),
        }
    }
}

/// On which hosts a job is, where that was listed or its batch system says it, and which tasks are meant there.
pub(crate) struct Plan {
    hosts: Vec<(HostName, Select)>,
    transport: Transport,
}

impl Plan {
    /// Of the job that a list of hosts is of.
    ///
    /// # Errors
    /// The list cannot be read, or used.
    pub(crate) fn listed(path: &Path, args: &HostArgs) -> Result<Self, Failure> {
        let text = project::read_text(path)?;
        let listed = hosts::parse(&text).map_err(|error| {
            Failure::new(format!("{}: {error}", path.display()))
                .hint("each line names a host, or a host and its processes: node7:4711,4712")
        })?;
        Ok(Plan {
            hosts: listed.into_iter().map(selected).collect(),
            transport: reached::by(args, &Of::Listed)?,
        })
    }

    /// Of a job of a batch system.
    ///
    /// # Errors
    /// That does not tell where it runs; its hosts cannot be reached as the user says.
    pub(crate) fn of_batch(id: &BatchJob, args: &HostArgs) -> Result<Self, Failure> {
        let found = BatchHosts::of(id, args).map_err(|error| {
            let failure = Failure::new(error.to_string());
            match error.is_not_here() {
                Some(system) => failure.hint(format!("--job asks {system}, whose commands must be in PATH")),
                None => failure,
            }
        })?;
        Ok(Plan {
            transport: found.transport(args)?,
            hosts: found.selected(),
        })
    }

    /// Asks the batch system anew; whether the job is still there. What it does not tell leaves the plan as it is, and is handed back.
    pub(crate) fn renew(&mut self, id: &BatchJob, args: &HostArgs) -> Result<bool, BatchError> {
        match BatchHosts::of(id, args) {
            Ok(found) => {
                self.hosts = found.selected();
                Ok(true)
            }
            Err(error) if error.has_ended() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// How many hosts it has.
    pub(crate) fn hosts(&self) -> usize {
        self.hosts.len()
    }

    /// The tasks of this host, which may be one of them, and what the others are asked for.
    ///
    /// # Errors
    /// Which tasks of this host are meant is not known.
    pub(crate) fn whereabouts(&self) -> Result<Whereabouts, Failure> {
        let job = match self.here() {
            Some((host, select)) => runtime_probe::selected(select)
                .map_err(|why| Failure::new(format!("this host ({host}): {why}")))?,
            None => Job::default(),
        };
        Ok(self.beside(job))
    }

    /// The same for a job that goes on: what is not known of this host is a note.
    pub(crate) fn whereabouts_by_now(&self) -> Whereabouts {
        self.whereabouts().unwrap_or_else(|why| {
            let mut found = self.beside(Job::default());
            found.notes.push(why.to_string());
            found
        })
    }

    /// This host, if it is one of them.
    fn here(&self) -> Option<&(HostName, Select)> {
        let own = own_host();
        self.hosts.iter().find(|(host, _)| same_host(host.as_str(), &own))
    }

    /// What the other hosts are asked for, beside the tasks of this one.
    fn beside(&self, job: Job) -> Whereabouts {
        let own = own_host();
        let others = self
            .hosts
            .iter()
            .filter(|(host, _)| !same_host(host.as_str(), &own));
        let asked = others.map(|(host, select)| Asked {
            host: host.clone(),
            select: select.clone(),
            ranks: None,
        });
        Whereabouts {
            asked: asked.collect(),
            transport: self.transport.clone(),
            notes: job.notes.clone(),
            job,
        }
    }
}

/// What a batch system says of a job.
enum BatchHosts<'a> {
    Slurm(SlurmJob),
    Flux(&'a FluxId, Vec<ListedHost>),
}

impl<'a> BatchHosts<'a> {
    fn of(id: &'a BatchJob, args: &HostArgs) -> Result<Self, BatchError> {
        match id {
            BatchJob::Slurm(id) => slurm::job(id, args.deadline)
                .map(BatchHosts::Slurm)
                .map_err(BatchError::Slurm),
            BatchJob::Flux(id) => flux::tasks(id, args.deadline)
                .map(|listed| BatchHosts::Flux(id, listed))
                .map_err(BatchError::Flux),
        }
    }

    /// What reaches its hosts.
    fn transport(&self, args: &HostArgs) -> Result<Transport, Failure> {
        match self {
            BatchHosts::Slurm(job) => reached::by(args, &Of::Slurm(job.number)),
            BatchHosts::Flux(id, listed) => {
                let hosts = Vec::from_iter(listed.iter().map(|listed| listed.host.clone()));
                reached::by(args, &Of::Flux(id, &hosts))
            }
        }
    }

    /// Its hosts, each with the tasks that are meant there.
    fn selected(self) -> Vec<(HostName, Select)> {
        match self {
            BatchHosts::Slurm(job) => {
                let select = Select::Slurm {
                    job: job.number,
                    step: job.step,
                };
                let hosts = job.hosts.into_iter();
                hosts.map(|host| (host, select.clone())).collect()
            }
            BatchHosts::Flux(_, listed) => listed.into_iter().map(selected).collect(),
        }
    }
}

/// What a host is asked for that was listed.
fn selected(ListedHost { host, pids }: ListedHost) -> (HostName, Select) {
    match &pids[..] {
        [] => (host, Select::OnlyJob),
        _ => (host, Select::Processes(pids)),
    }
}

/// The hosts that have the tasks of a job that are not here, as its launcher, a table of it or the launcher's daemons tell.
fn elsewhere(job: &Job, launcher: Option<u32>) -> (Vec<Asked>, Vec<String>) {
    let select = |tasks: Vec<(u32, u32)>| match launcher {
        Some(launcher) => Select::Table {
            tasks,
            owner: runtime_probe::user_of(launcher),
        },
        // A table that the user names is his word.
        None => Select::Processes(tasks.into_iter().map(|(pid, _)| pid).collect()),
    };
    let mut by_host: BTreeMap<&str, Vec<(u32, u32)>> = BTreeMap::new();
    for TableEntry { rank, host, pid, .. } in &job.elsewhere {
        by_host.entry(host).or_default().push((*pid, *rank));
    }
    let (mut asked, mut notes) = (Vec::new(), Vec::new());
    for (host, tasks) in by_host {
        let ranks: RankSet = tasks.iter().map(|&(_, rank)| rank).collect();
        match host.parse::<HostName>() {
            Ok(host) => asked.push(Asked {
                host,
                select: select(tasks),
                ranks: Some(ranks),
            }),
            Err(error) => notes.push(format!("{}: {error}", not_seen(Some(&ranks), host))),
        }
    }
    for DaemonHost { host, argument } in &job.daemons {
        match host.parse::<HostName>() {
            Ok(host) => asked.push(Asked {
                host,
                select: Select::Daemon {
                    argument: argument.clone(),
                },
                ranks: None,
            }),
            Err(error) => notes.push(format!("{}: {error}", not_seen(None, host))),
        }
    }
    (asked, notes)
}

/// That the job has no task on this host, and on which it has.
pub(crate) fn no_task_here(table: Option<&Path>, job: &Job) -> Failure {
    let of_table = job.elsewhere.iter().map(|entry| entry.host.as_str());
    let of_daemons = job.daemons.iter().map(|daemon| daemon.host.as_str());
    let hosts: BTreeSet<&str> = of_table.chain(of_daemons).collect();
    let of = match table {
        Some(path) => format!("{}: no task of it", path.display()),
        None => "no task of the job".to_owned(),
    };
    let failure = Failure::new(format!("{of} is on this host, {}", runtime_probe::own_host()));
    if hosts.is_empty() {
        return failure;
    }
    failure.hint(format!("its hosts are: {}", Vec::from_iter(hosts).join(", ")))
}
