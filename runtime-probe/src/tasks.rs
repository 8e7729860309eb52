//! Finding the tasks of a job: which processes below a launcher are ranks, and which rank each is.
//!
//! Launchers pass the rank in the environment, so `/proc/PID/environ` tells it, for every MPI and without a debugger
//! interface. It is the environment at exec, which suits: ranks do not change. Wrappers between launcher and
//! application (a script, `numactl`) carry the same variables as the application below them.

mod family;

use family::Family;

use crate::daemons::{self, DaemonHost};
use crate::error::ProbeError;
use crate::launcher::{KINDS, LARGEST, common_slurm_job, is_launcher, is_rank_of_slurm, of_jobs};
use crate::mpir;
use crate::procfs;
use crate::proctable::{self, ProcessTable, TableEntry};
use crate::several::build_id;
use crate::told;
use base::RankSet;
use progress_map::Map;
use regular_files::User;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// One process to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskRef {
    /// Its process id.
    pub pid: u32,
    /// Its rank in the job, if its environment tells.
    pub rank: Option<u32>,
    /// Its executable as `/proc/PID/exe` names it; empty when that could not be read.
    pub executable: String,
    /// Clock ticks after boot at which it started; tells it from a later process of the same pid. `None` when there
    /// was no such process.
    pub started: Option<u64>,
}

impl TaskRef {
    /// The name of its record: the rank, or else the pid.
    pub fn name(&self) -> String {
        self.rank.unwrap_or(self.pid).to_string()
    }

    /// Whose it is: the user who started it, whatever rights its program has. `None` when it has ended.
    pub fn user(&self) -> Option<User> {
        let status = procfs::text(&format!("/proc/{}/status", self.pid)).ok()?;
        let first = |name| {
            procfs::field(&status, name)?
                .split_whitespace()
                .next()?
                .parse()
                .ok()
        };
        let groups = procfs::field(&status, "Groups")?.split_whitespace();
        let user = User {
            uid: first("Uid")?,
            gid: first("Gid")?,
            groups: groups.map(|group| group.parse().ok()).collect::<Option<_>>()?,
        };
        // By now it may be another process that has the number.
        let now = procfs::stat(self.pid).ok()?;
        (Some(now.identity.started) == self.started).then_some(user)
    }

    /// For each of these extensions the first file in its memory that has it, as the kernel names it.
    pub fn mapped_files<const N: usize>(&self, extensions: [&str; N]) -> [Option<PathBuf>; N] {
        let maps = procfs::text(&format!("/proc/{}/maps", self.pid)).unwrap_or_default();
        let mappings = maps.lines().filter_map(procfs::parse_mapping);
        let files = Vec::from_iter(mappings.map(|mapping| PathBuf::from(mapping.path)));
        extensions.map(|extension| {
            let mut files = files.iter();
            let found = files.find(|file| file.extension().is_some_and(|found| found == extension));
            found.cloned()
        })
    }

    pub(crate) fn of(pid: u32, rank: Option<u32>) -> TaskRef {
        TaskRef {
            pid,
            rank,
            executable: procfs::executable(pid)
                .map(|path| path.display().to_string())
                .unwrap_or_default(),
            started: procfs::stat(pid).ok().map(|stat| stat.identity.started),
        }
    }
}

/// The tasks of a job on this host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Job {
    /// Sorted by rank, then by pid.
    pub tasks: Vec<TaskRef>,
    /// Number of ranks in the whole job, if the environment tells.
    pub size: Option<u32>,
    /// Ranks of the job that have no process here: on other hosts, or ended.
    pub missing: RankSet,
    /// Those of the missing that are on no other host, since the launcher says that it has started all ranks on this one: they have
    /// ended, or in a job that is just being started have not begun.
    pub ended: RankSet,
    /// What is unusual about the job, for the user.
    pub notes: Vec<String>,
    /// Why ranks are missing, as far as this host alone tells.
    pub absence: Option<String>,
    /// The missing that are on other hosts, as far as the launcher or a process table tells.
    pub elsewhere: Vec<TableEntry>,
    /// The daemons that the launcher has on other hosts, where it has no table.
    pub daemons: Vec<DaemonHost>,
    /// Other processes that carry the rank of a task: wrappers above it, helpers below it.
    pub others: Vec<TaskRef>,
}

impl Job {
    /// Where several processes carry one rank, takes those whose executable one of the `maps` is bound to.
    ///
    /// [`discover`] takes the deepest process, which is right for wrappers, but wrong for an application that has
    /// started a helper of its own; the map knows the application.
    pub fn prefer(&mut self, maps: &[&Map]) {
        let builds = maps
            .iter()
            .filter_map(|map| Some(&map.binding.as_ref()?.build_id[..]));
        let builds = Vec::from_iter(builds);
        let fits = |task: &TaskRef| build_id(task).is_some_and(|id| builds.contains(&&id[..]));
        let ranks: BTreeSet<u32> = self.others.iter().filter_map(|other| other.rank).collect();
        for rank in ranks {
            let of_rank = |task: &TaskRef| task.rank == Some(rank);
            if self.tasks.iter().any(|task| of_rank(task) && fits(task)) {
                continue;
            }
            let better: Vec<TaskRef> = self
                .others
                .iter()
                .filter(|other| of_rank(other) && fits(other))
                .cloned()
                .collect();
            if !better.is_empty() {
                let (worse, kept) = std::mem::take(&mut self.tasks).into_iter().partition(of_rank);
                self.others.retain(|other| !better.contains(other));
                let worse: Vec<TaskRef> = worse;
                self.others.extend(worse);
                self.tasks = kept;
                self.tasks.extend(better);
            }
        }
        self.tasks.sort_by_key(|task| (task.rank, task.pid));
    }
}

impl Job {
    /// All that is worth saying where no other host is asked.
    pub fn notes_of_this_host(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        notes.extend(self.absence.clone());
        notes.extend(whereabouts(self.elsewhere.iter()));
        let hosts = self.daemons.iter().map(|daemon| daemon.host.as_str());
        notes.extend(hosts.map(|host| format!("ranks run on host {host}: run hindmost there too")));
        notes
    }

    /// The tasks of a launcher's table that are on this host.
    fn of_launcher(table: &ProcessTable, launcher: u32) -> Job {
        let mut job = Job::of_table(table);
        job.keep_ranks_of(user_of(launcher), &format!("launcher {launcher}"));
        job
    }

    /// Keeps the tasks of a launcher's table that belong to its user and carry the environment of a job. Any program may call itself
    /// `mpirun` and name any process in its table, and as root the probe could read that process.
    pub(crate) fn keep_ranks_of(&mut self, user: Option<u32>, launcher: &str) {
        let is_theirs = |task: &TaskRef| {
            user.is_some()
                && procfs::owner(task.pid).is_some_and(|owner| user == Some(owner.0) && owner.0 == owner.1)
        };
        let is_rank = |task: &TaskRef| {
            let environment = procfs::environment(task.pid).unwrap_or_default();
            KINDS.iter().any(|kind| kind.rank(&environment).is_some())
        };
        let mut left_out = Vec::new();
        self.tasks.retain(|task| {
            // One that has ended is told of as such.
            let taken = task.started.is_none() || is_theirs(task) && is_rank(task);
            if !taken {
                left_out.push(task.pid.to_string());
            }
            taken
        });
        if !left_out.is_empty() {
            self.notes.push(format!(
                "the table of {launcher} names processes that are not of its user, or of no job (pids {}): they were left out; give them by pid if they are yours",
                few(&left_out)
            ));
        }
    }

    /// The tasks of a process table that are on this host, and where the others are.
    pub fn of_table(table: &ProcessTable) -> Job {
        let own = proctable::own_host();
        let (here, elsewhere): (Vec<&TableEntry>, Vec<&TableEntry>) = table
            .entries
            .iter()
            .partition(|entry| proctable::same_host(&entry.host, &own));
        let ranks = table.entries.iter().map(|entry| entry.rank);
        Job {
            tasks: here
                .iter()
                .map(|entry| TaskRef::of(entry.pid, Some(entry.rank)))
                .collect(),
            size: ranks.max().map(|rank| rank.saturating_add(1)),
            missing: elsewhere.iter().map(|entry| entry.rank).collect(),
            elsewhere: elsewhere.into_iter().cloned().collect(),
            ..Job::default()
        }
    }

    /// The tasks as a process table; those that have no rank are left out. `launcher` is its pid, if there is one.
    pub fn table(&self, launcher: Option<u32>) -> ProcessTable {
        let host = proctable::own_host();
        let entry = |task: &TaskRef| {
            Some(TableEntry {
                rank: task.rank?,
                host: host.clone(),
                pid: task.pid,
                executable: task.executable.clone(),
            })
        };
        ProcessTable {
            launcher: (host.clone(), launcher.unwrap_or(0)),
            entries: self.tasks.iter().filter_map(entry).collect(),
        }
    }
}

/// The first of many, in words.
fn few(all: &[String]) -> String {
    const SHOWN: usize = 4;
    match all.len() {
        0..=SHOWN => all.join(", "),
        _ => format!("{}, …", all[..SHOWN].join(", ")),
    }
}

/// On which other hosts ranks are: one sentence for each.
fn whereabouts<'a>(entries: impl Iterator<Item = &'a TableEntry>) -> Vec<String> {
    let mut by_host: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for entry in entries {
        by_host.entry(&entry.host).or_default().push(entry.rank);
    }
    let sentence = |(host, ranks): (&str, Vec<u32>)| {
        let ranks: RankSet = ranks.into_iter().collect();
        let (noun, verb) = if ranks.len() == 1 {
            ("rank", "runs")
        } else {
            ("ranks", "run")
        };
        format!("{noun} {ranks} {verb} on host {host}: run hindmost there too")
    };
    by_host.into_iter().map(sentence).collect()
}

/// Finds the tasks of a job: the ranks below a launcher (mpirun, mpiexec, srun, or anything above it), or the one
/// process that `pid` is.
///
/// # Errors
/// There is no such process; it is a launcher without ranks; `/proc` cannot be read.
pub fn discover(pid: u32) -> Result<Job, ProbeError> {
    let stat = procfs::stat(pid).map_err(|_| ProbeError::NoProcess { pid })?;
    let processes = procfs::processes().map_err(|source| ProbeError::Proc {
        path: "/proc".to_owned(),
        source,
    })?;
    let mut family = Family::below(pid, &processes);
    // A user can start programs that run as another user (`sudo`, `passwd`), with a rank in their environment. The probe must not read those. Root may
    // start ranks as other users.
    let user = procfs::owner(pid);
    if user.is_some_and(|(real, _)| real != 0) {
        family.members.retain(|&member| procfs::owner(member) == user);
    }
    let own = procfs::environment(pid).unwrap_or_default();
    let mut environments: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
    for &member in &family.members {
        match procfs::environment(member) {
            Ok(environment) => {
                environments.insert(member, of_jobs(&environment));
            }
            Err(_) if procfs::stat(member).is_ok() => family.without_environment.push(member),
            Err(_) => {}
        }
    }

    if let Some(job) = below_launcher(pid, &family, &environments, &own) {
        return Ok(job);
    }

    // Ranks that are no descendants of their launcher: srun has the daemons of its nodes start them. It may itself have
    // inherited the rank of a batch script.
    let command = procfs::command(pid);
    if is_launcher(&command)
        && let Some(table) = mpir::of_launcher(pid)
    {
        let job = Job::of_launcher(&table, pid);
        if !job.tasks.is_empty() || !job.elsewhere.is_empty() {
            return Ok(job);
        }
    }

    if let Some(job) = rank_by_itself(pid, &family, &environments, &own) {
        return Ok(job);
    }
    if is_launcher(&command) {
        let daemons = daemons::of_launcher(pid);
        if !daemons.is_empty() {
            return Ok(Job {
                daemons,
                ..Job::default()
            });
        }
        return Err(ProbeError::NoRanks {
            pid,
            command,
            unreadable: family.without_environment.len(),
        });
    }
    let mut task = TaskRef::of(pid, None);
    task.started = Some(stat.identity.started);
    Ok(Job {
        tasks: vec![task],
        ..Job::default()
    })
}

/// The job of a launcher with the environment `own`: the processes below it that have a rank.
fn below_launcher(
    pid: u32,
    family: &Family,
    environments: &BTreeMap<u32, Vec<u8>>,
    own: &[u8],
) -> Option<Job> {
    // One variable for the whole job: the first that tells apart some process from the launcher. What the launcher
    // has too was inherited from further up (a batch job's SLURM_PROCID, say).
    let (kind, ranks) = KINDS.iter().find_map(|kind| {
        let inherited = kind.rank(own);
        let ranks: BTreeMap<u32, u32> = environments
            .iter()
            .filter_map(|(&member, environment)| Some((member, kind.rank(environment)?)))
            .filter(|&(_, rank)| inherited != Some(rank))
            .collect();
        (!ranks.is_empty()).then_some((kind, ranks))
    })?;
    let of_ranks = || {
        let members = environments.iter();
        members
            .filter(|(member, _)| ranks.contains_key(member))
            .map(|(_, environment)| environment)
    };
    let size = of_ranks().find_map(|environment| kind.size(environment));
    let here = of_ranks().find_map(|environment| kind.here(environment));
    let mut job = family.job(pid, &ranks, size, here);
    if job.missing.is_empty() {
        return Some(job);
    }
    if let Some(table) = mpir::of_launcher(pid) {
        let entries = table.entries.iter();
        let missing = entries.filter(|entry| job.missing.contains(entry.rank));
        let own = proctable::own_host();
        let elsewhere = missing.filter(|entry| !proctable::same_host(&entry.host, &own));
        let elsewhere = elsewhere.cloned().collect();
        job.elsewhere = elsewhere;
    } else {
        job.daemons = daemons::of_launcher(pid);
    }
    Some(job)
}

/// The job of a process that is a rank by itself, without a launcher, or a wrapper of one.
fn rank_by_itself(
    pid: u32,
    family: &Family,
    environments: &BTreeMap<u32, Vec<u8>>,
    own: &[u8],
) -> Option<Job> {
    let (kind, rank) = KINDS.iter().find_map(|kind| Some((kind, kind.rank(own)?)))?;
    let same = environments.iter();
    let same = same.filter(|(_, environment)| kind.rank(environment) == Some(rank));
    let mut ranks: BTreeMap<u32, u32> = same.map(|(&member, _)| (member, rank)).collect();
    ranks.insert(pid, rank);
    let mut job = family.job(pid, &ranks, None, None);
    job.size = kind.size(own);
    Some(job)
}

/// The ranks of the one job that runs on this host and whose processes we may look at, for a user who names none.
///
/// # Errors
/// There is no job, or there are several.
pub fn only_job() -> Result<Job, ProbeError> {
    job_among(|environment| KINDS.iter().any(|kind| kind.rank(environment).is_some()))
}

/// The ranks on this host of a job of Slurm, or of one of its steps; none where it has none here.
///
/// # Errors
/// They were started by several, so that it is not known which are meant.
pub fn job_of_slurm(job: u32, step: Option<u32>) -> Result<Job, ProbeError> {
    match job_among(|environment| is_rank_of_slurm(environment, job, step)) {
        Err(ProbeError::NoJob) => Ok(Job::default()),
        found => found,
    }
}

/// The ranks on this host in whose environment variables have these values; none where it has none.
///
/// # Errors
/// They were started by several, so that it is not known which are meant.
pub fn job_alike(variables: &[(String, String)]) -> Result<Job, ProbeError> {
    let is_alike = |environment: &[u8]| {
        let has = |(name, value): &(String, String)| {
            told::variable(environment, name).is_some_and(|found| found == *value)
        };
        KINDS.iter().any(|kind| kind.rank(environment).is_some()) && variables.iter().all(has)
    };
    match job_among(is_alike) {
        Err(ProbeError::NoJob) => Ok(Job::default()),
        found => found,
    }
}

/// The one job that those processes are of whose environment is that of a rank.
fn job_among(is_rank: impl Fn(&[u8]) -> bool) -> Result<Job, ProbeError> {
    let processes = procfs::processes().map_err(|source| ProbeError::Proc {
        path: "/proc".to_owned(),
        source,
    })?;
    let pids = processes.iter().map(|&(pid, _)| pid);
    let ranks: BTreeSet<u32> = pids
        .filter(|&pid| is_rank(&procfs::environment(pid).unwrap_or_default()) && !daemons::looks_at_jobs(pid))
        .collect();
    let parents: BTreeMap<u32, u32> = processes.into_iter().collect();
    // What has started the ranks: a launcher, or the daemon that it has on this host.
    let starter = |&rank: &u32| {
        let mut pid = rank;
        // The bound is against circles, which a reused pid could close.
        for _ in 0..parents.len() {
            pid = parents.get(&pid).copied().unwrap_or(0);
            if !ranks.contains(&pid) {
                break;
            }
        }
        pid
    };
    let starters: BTreeSet<u32> = ranks.iter().map(starter).collect();
    match Vec::from_iter(starters)[..] {
        [] => Err(ProbeError::NoJob),
        // In a container a process that was started from outside has no parent.
        [0] => {
            let has_rank_below = |pid: &u32| ranks.iter().any(|rank| parents.get(rank) == Some(pid));
            let innermost = ranks.iter().copied().filter(|pid| !has_rank_below(pid));
            Ok(job_of_pids(&Vec::from_iter(innermost)))
        }
        [only] => discover(only),
        ref several => Err(ProbeError::SeveralJobs {
            starters: several.to_vec(),
        }),
    }
}

/// The ranks below the launcher's daemon on this host that has an argument.
///
/// # Errors
/// There is no such daemon, or no rank below it.
pub fn job_of_daemon(argument: &str) -> Result<Job, ProbeError> {
    let pid = daemons::with_argument(argument).ok_or_else(|| ProbeError::NoDaemon {
        argument: argument.to_owned(),
    })?;
    discover(pid)
}

/// The user who runs a process; `None` of one whose program has rights of another, or that is not there.
pub fn user_of(pid: u32) -> Option<u32> {
    let (real, effective) = procfs::owner(pid)?;
    (real == effective).then_some(real)
}

/// The launchers of jobs that run on this host and whose ranks we may look at, each with its name.
pub fn launchers() -> Vec<(u32, String)> {
    let processes = procfs::processes().unwrap_or_default();
    let named = |pid: u32| Some(procfs::command(pid)).filter(|command| is_launcher(command));
    let outermost = processes.iter().filter(|&&(_, parent)| named(parent).is_none());
    outermost
        .filter_map(|&(pid, _)| Some((pid, named(pid)?)))
        .filter(|&(pid, _)| procfs::environment(pid).is_ok())
        .collect()
}

/// The processes with these pids, each once, in the order given; their ranks as their environment tells.
///
/// Never fails: [`take`](crate::take) reports those that do not exist.
pub fn tasks_of(pids: &[u32]) -> Vec<TaskRef> {
    let mut seen = BTreeSet::new();
    pids.iter()
        .map(|&pid| {
            // A thread's id means its process.
            let process = procfs::status_field(pid, "Tgid").and_then(|process| process.parse().ok());
            process.unwrap_or(pid)
        })
        .filter(|&pid| seen.insert(pid))
        .map(|pid| {
            let environment = procfs::environment(pid).unwrap_or_default();
            TaskRef::of(pid, KINDS.iter().find_map(|kind| kind.rank(&environment)))
        })
        .collect()
}

/// The job that these processes are of, as far as their environment tells: its size, and the ranks that are not among them.
///
/// Never fails: [`take`](crate::take) reports those that do not exist.
pub fn job_of_pids(pids: &[u32]) -> Job {
    let tasks = tasks_of(pids);
    let size = size_of(&tasks);
    let mut job = Job {
        size,
        missing: missing(size, |rank| tasks.iter().any(|task| task.rank == Some(rank))),
        ..Job::default()
    };
    // A user who asks for one process wants to know of that one only.
    if tasks.len() == 1 {
        job.missing = RankSet::default();
    }
    if let Some(size) = size.filter(|_| !job.missing.is_empty()) {
        let seen = u64::from(size) - job.missing.len();
        let environments = tasks.iter().map(|task| procfs::environment(task.pid));
        let of_slurm = common_slurm_job(environments.map(Result::unwrap_or_default));
        let elsewhere = of_slurm.map_or_else(String::new, |job| {
            format!(" (--job {job} asks all hosts of their job of Slurm)")
        });
        job.absence = Some(format!(
            "{seen} of {size} ranks are given: {} are missing{elsewhere}",
            job.missing
        ));
    }
    job.tasks = tasks;
    job
}

/// How many ranks the job of these tasks has, as their environment tells; `None` when no task tells, or when two
/// contradict each other: they are of different jobs.
pub(crate) fn size_of(tasks: &[TaskRef]) -> Option<u32> {
    let sizes: BTreeSet<u32> = tasks
        .iter()
        .filter(|task| task.rank.is_some())
        .filter_map(|task| {
            let environment = procfs::environment(task.pid).ok()?;
            let kind = KINDS.iter().find(|kind| kind.rank(&environment).is_some())?;
            kind.size(&environment)
        })
        .collect();
    let mut sizes = sizes.into_iter();
    // A rank beyond the size is of a job that was started in another way than its environment says.
    let beyond = |size: u32| {
        tasks
            .iter()
            .any(|task| task.rank.is_some_and(|rank| rank >= size))
    };
    match (sizes.next(), sizes.next()) {
        (Some(size), None) if size <= LARGEST && !beyond(size) => Some(size),
        _ => None,
    }
}

/// The ranks of a job of `size` that are not `seen`.
fn missing(size: Option<u32>, seen: impl Fn(u32) -> bool) -> RankSet {
    let size = size.filter(|&size| size <= LARGEST).unwrap_or(0);
    (0..size).filter(|&rank| !seen(rank)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_a_task_without_a_job() {
        let job = discover(std::process::id()).unwrap();
        assert_eq!(job.tasks.len(), 1);
        assert!(matches!(discover(0x7fff_fff0), Err(ProbeError::NoProcess { .. })));
        assert_eq!(tasks_of(&[0x7fff_fff0])[0].started, None);
    }
}
