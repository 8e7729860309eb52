//! The tasks of a job on all its hosts: those here are read as ever, the others by the probes that `cluster` starts there.

use crate::host_args::HostArgs;
use crate::output::Terminal;
use anyhow::Context as _;
use base::RankSet;
use cluster::{Asked, Gathering, HostName, ListedHost, Probe, Seen, Transport, hosts};
use nodes::{Found, Merge, Merged, NodeId, Report, Select};
use project::{Failure, JobMap};
use regular_files::Limit;
use runtime_probe::{DaemonHost, Job, Options, ProcessTable, TableEntry, own_host, same_host};
use snapshot::{Header, Task, VERSION};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The hosts of a job, connected.
pub(crate) struct Everywhere {
    gathering: Gathering,
    /// The launcher, where one is named.
    launcher: Option<u32>,
    /// How many ranks the whole job has, where this host tells.
    known_size: Option<u32>,
    /// What was told and not believed, or could not be asked, in the last look.
    notes: Vec<String>,
}

/// The job that a list of hosts is of, as far as it runs here, and the hosts that are to be asked for the rest of it.
pub(crate) fn listed(path: &Path) -> anyhow::Result<(Job, Vec<Asked>)> {
    let text = project::read_text(path)?;
    let listed = hosts::parse(&text).map_err(|error| {
        Failure::new(format!("{}: {error}", path.display()))
            .hint("each line names a host, or a host and its processes: node7:4711,4712")
    })?;
    let own = own_host();
    let select = |listed: &ListedHost| match &listed.pids[..] {
        [] => Select::OnlyJob,
        pids => Select::Processes(pids.to_vec()),
    };
    let (here, elsewhere): (Vec<_>, Vec<_>) = listed
        .iter()
        .partition(|listed| same_host(listed.host.as_str(), &own));
    let job = match here.first() {
        Some(here) => runtime_probe::selected(&select(here))
            .map_err(|why| Failure::new(format!("this host ({}): {why}", here.host)))?,
        None => Job::default(),
    };
    let asked = elsewhere.into_iter().map(|listed| Asked {
        host: listed.host.clone(),
        select: select(listed),
        ranks: None,
    });
    Ok((job, asked.collect()))
}

/// The hosts that have the tasks of a job that are not here, as its launcher, a table of it or the launcher's daemons tell.
pub(crate) fn elsewhere(job: &Job, launcher: Option<u32>) -> (Vec<Asked>, Vec<String>) {
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

impl Everywhere {
    /// Connects to hosts, and asks each for its tasks.
    pub(crate) fn connect(
        asked: Vec<Asked>,
        args: &HostArgs,
        job: &Job,
        launcher: Option<u32>,
    ) -> anyhow::Result<Self> {
        let transport = match &args.via {
            Some(template) => Transport::template(template)
                .map_err(|error| Failure::new(format!("--via '{template}': {error}")))?,
            None => Transport::Ssh,
        };
        let probe = probe(args.probe.as_deref())?;
        let mut gathering = Gathering::new(asked, transport, probe, args.deadline);
        gathering.settle();
        if job.tasks.is_empty() && gathering.found().next().is_none() {
            return Err(nobody(&gathering).into());
        }
        Ok(Everywhere {
            gathering,
            launcher,
            known_size: job.size,
            notes: Vec::new(),
        })
    }

    /// The map of the job: of what runs here, or else of what runs elsewhere, as far as that is here as a file.
    pub(crate) fn map(&mut self, given: Option<&Path>, job: &Job) -> anyhow::Result<JobMap> {
        let found = if job.tasks.is_empty() {
            let launcher = self.launcher.map(|pid| runtime_probe::tasks_of(&[pid]));
            let user = launcher.and_then(|launcher| launcher.first()?.user());
            project::map_of_programs(given, &self.programs(), user, &Terminal::new())?
        } else {
            project::map_of_job(given, job, &Terminal::new())?
        };
        self.gathering
            .set_map(found.map.to_bytes())
            .context("the map cannot be sent to the hosts of the job")?;
        Ok(found)
    }

    /// The programs that run elsewhere, those of most tasks first.
    fn programs(&self) -> Vec<PathBuf> {
        let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
        for task in self.gathering.found().flat_map(|(_, found)| &found.tasks) {
            let path = task.executable.as_str();
            *counted
                .entry(path.strip_suffix(" (deleted)").unwrap_or(path))
                .or_default() += 1;
        }
        let mut programs = Vec::from_iter(counted.into_iter().filter(|(path, _)| !path.is_empty()));
        programs.sort_by_key(|&(_, tasks)| std::cmp::Reverse(tasks));
        programs
            .into_iter()
            .map(|(path, _)| PathBuf::from(path))
            .collect()
    }

    /// One look at the tasks of all hosts, at the same time as far as they are ready.
    pub(crate) fn take(&mut self, found: &JobMap, job: &Job, options: Options) -> (Header, Vec<Task>) {
        let (mut merge, mut headers) = (Merge::default(), Vec::new());
        let mut here = None;
        let look_here = || {
            here = (!job.tasks.is_empty()).then(|| project::take_tasks(found, job, options));
        };
        let seen = self.gathering.look(options.as_look(), look_here);
        let own = own_host();
        if let Some((header, records)) = here {
            headers.push(header.clone());
            // What is here is behind all that are asked.
            merge.add(NodeId(u32::MAX), &own, None, Report::of(header, records));
        }
        self.notes = seen.as_ref().err().map(ToString::to_string).into_iter().collect();
        for Seen { node, report, late } in seen.unwrap_or_default() {
            let Some(asked) = self.gathering.asked(node) else {
                continue;
            };
            self.notes.extend(lateness(asked.host.as_str(), late));
            headers.push(report.header.clone());
            merge.add(node, asked.host.as_str(), asked.ranks.as_ref(), report);
        }
        let Merged {
            tasks, complaints, ..
        } = merge.finish();
        let gathering = &self.gathering;
        let name = |node: NodeId| {
            gathering
                .asked(node)
                .map_or(own.as_str(), |asked| asked.host.as_str())
        };
        self.notes
            .extend(complaints.iter().map(|complaint| complaint.text(&name)));
        (self.header(&headers), tasks)
    }

    /// What is said of all looks together. Each task says on which host it runs.
    fn header(&self, headers: &[Header]) -> Header {
        Header {
            hindmost_snapshot: VERSION,
            window_us: headers.iter().filter_map(|header| header.window_us).max(),
            size: self.size(),
            taken: headers.iter().filter_map(|header| header.taken).max(),
            ..Header::default()
        }
    }

    /// How many ranks the whole job has, if this host tells, or all others that do say the same.
    fn size(&self) -> Option<u32> {
        let told = self.gathering.found().filter_map(|(_, found)| found.size);
        let told: BTreeSet<u32> = told.collect();
        let agreed = told.first().copied().filter(|_| told.len() == 1);
        self.known_size.or(agreed)
    }

    /// The ranks that are not among these.
    pub(crate) fn missing(&self, seen: &RankSet) -> RankSet {
        let all = match self.size() {
            Some(size) if size > 0 => RankSet::from_ranges([(0, size - 1)]),
            _ => RankSet::union(
                self.gathering
                    .losses()
                    .filter_map(|(asked, ..)| asked.ranks.as_ref()),
            ),
        };
        all.without(seen)
    }

    /// The ranks that were found, before anybody has looked at them.
    pub(crate) fn found(&self, job: &Job) -> RankSet {
        let elsewhere = self.gathering.found().flat_map(|(_, found)| &found.tasks);
        let elsewhere = elsewhere.filter_map(|task| task.rank);
        elsewhere
            .chain(job.tasks.iter().filter_map(|task| task.rank))
            .collect()
    }

    /// What the user should know: of hosts that were not seen, and why; of what was told and not believed.
    pub(crate) fn notes(&self) -> Vec<String> {
        let lost = self.gathering.losses().map(|(asked, loss, found)| {
            let found = found.map(ranks_of);
            let ranks = asked.ranks.as_ref().or(found.as_ref());
            format!("{}: {loss}", not_seen(ranks, asked.host.as_str()))
        });
        let told = self.gathering.found().flat_map(|(asked, found)| {
            let notes = found.notes.iter();
            notes.map(move |note| format!("host {}: {note}", asked.host))
        });
        lost.chain(told).chain(self.notes.iter().cloned()).collect()
    }

    /// The process table of all hosts: of those that have none in `job` as they say themselves.
    pub(crate) fn table(&self, here: ProcessTable, job: &Job) -> ProcessTable {
        let mut table = here;
        table.entries.extend(job.elsewhere.iter().cloned());
        for (asked, found) in self.gathering.found().filter(|(asked, _)| asked.ranks.is_none()) {
            table.entries.extend(found.tasks.iter().filter_map(|task| {
                Some(TableEntry {
                    rank: task.rank?,
                    host: asked.host.to_string(),
                    pid: task.pid,
                    executable: task.executable.clone(),
                })
            }));
        }
        table.entries.sort();
        table
    }
}

/// That a host was looked at much later than others: an order is of one moment.
fn lateness(host: &str, late: Duration) -> Option<String> {
    const WORTH_SAYING: Duration = Duration::from_secs(1);
    (late > WORTH_SAYING).then(|| {
        format!(
            "host {host} was looked at {:.0} s after the others: whoever went on in between may only look further, --twice 2s tells",
            late.as_secs_f64()
        )
    })
}

/// That there is nothing to look at.
fn nobody(gathering: &Gathering) -> Failure {
    const SHOWN: usize = 3;
    let lost = Vec::from_iter(
        gathering
            .losses()
            .map(|(asked, loss, _)| format!("{}: {loss}", asked.host)),
    );
    let more = match lost.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let shown = lost[..lost.len().min(SHOWN)].join("; ");
    Failure::new(format!("no host of the job has answered: {shown}{more}")).hint(
        "ssh must reach them without a password, by the names that the launcher or the list has; --via COMMAND reaches them otherwise",
    )
}

fn ranks_of(found: &Found) -> RankSet {
    found.tasks.iter().filter_map(|task| task.rank).collect()
}

/// That the tasks of a host were not seen, and what that means.
fn not_seen(ranks: Option<&RankSet>, host: &str) -> String {
    let host = base::clean(host);
    match ranks {
        Some(ranks) if ranks.len() == 1 => {
            format!("rank {ranks} on host {host} was not seen, and may be further behind")
        }
        Some(ranks) if !ranks.is_empty() => format!(
            "ranks {} on host {host} were not seen, and one of them may be further behind",
            ranks.brief()
        ),
        _ => format!("host {host} was not seen, and a rank there may be further behind"),
    }
}

/// A probe with all its debug info has less.
const LARGEST_PROBE: Limit = Limit::of(256 << 20);

/// The probe that is sent along.
fn probe(named: Option<&Path>) -> anyhow::Result<Probe> {
    const NAME: &str = "hindmost-probe";
    let path = match named {
        Some(named) => named.to_owned(),
        None => std::env::current_exe()
            .context("it is not known where hindmost is")?
            .with_file_name(NAME),
    };
    let refused = |why: String| {
        Failure::new(format!("{}: {why}", path.display())).hint(format!(
            "to look at other hosts hindmost sends {NAME} there, which is installed beside it; --probe FILE names another, --here asks no other host"
        ))
    };
    let bytes =
        regular_files::read_named(&path, LARGEST_PROBE).map_err(|error| refused(error.to_string()))?;
    Ok(Probe::new(&bytes).map_err(|fault| refused(fault.to_string()))?)
}
