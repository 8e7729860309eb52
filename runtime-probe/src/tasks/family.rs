//! The processes below a launcher, and which of them are ranks.

use super::{Job, TaskRef, few, missing};
use crate::launcher::LARGEST;
use crate::procfs;
use library::SharedObject;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The descendants of a process.
pub(super) struct Family {
    /// Sorted.
    pub(super) members: Vec<u32>,
    parents: BTreeMap<u32, u32>,
    /// Those whose environment cannot be read, so that they may be any rank. Sorted.
    pub(super) without_environment: Vec<u32>,
}

impl Family {
    pub(super) fn below(root: u32, processes: &[(u32, u32)]) -> Family {
        let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &(pid, parent) in processes {
            children.entry(parent).or_default().push(pid);
        }
        let mut members = BTreeSet::new();
        let mut open = vec![root];
        while let Some(pid) = open.pop() {
            for &child in children.get(&pid).into_iter().flatten() {
                // The list is no atomic picture of the tree: a reused pid could close a circle.
                if child != root && members.insert(child) {
                    open.push(child);
                }
            }
        }
        Family {
            parents: processes
                .iter()
                .filter(|(pid, _)| members.contains(pid))
                .copied()
                .collect(),
            members: members.into_iter().collect(),
            without_environment: Vec::new(),
        }
    }

    /// Number of processes between `pid` and the root that carry the same rank.
    pub(super) fn depth(&self, pid: u32, ranks: &BTreeMap<u32, u32>) -> usize {
        let rank = ranks.get(&pid);
        let mut depth = 0;
        let mut current = pid;
        // The bound is against circles, as above.
        for _ in 0..=self.parents.len() {
            let Some(&parent) = self.parents.get(&current) else {
                break;
            };
            if ranks.get(&parent) == rank {
                depth += 1;
            }
            current = parent;
        }
        depth
    }

    pub(super) fn job(
        &self,
        root: u32,
        ranks: &BTreeMap<u32, u32>,
        size: Option<u32>,
        here: Option<u32>,
    ) -> Job {
        let mut by_rank: BTreeMap<u32, Vec<(usize, u32)>> = BTreeMap::new();
        for (&pid, &rank) in ranks {
            by_rank
                .entry(rank)
                .or_default()
                .push((self.depth(pid, ranks), pid));
        }
        let mut job = Job {
            size,
            ..Job::default()
        };
        for (&rank, processes) in &by_rank {
            let chosen = application(processes, &|pid| self.parents.get(&pid).copied(), &Program::of);
            let task = |&(_, pid): &(usize, u32)| TaskRef::of(pid, Some(rank));
            let (chosen, others): (Vec<_>, Vec<_>) =
                processes.iter().partition(|(_, pid)| chosen.contains(pid));
            if chosen.len() > 1 {
                let pids: Vec<String> = chosen.iter().map(|(_, pid)| pid.to_string()).collect();
                job.notes.push(format!(
                    "rank {rank} has {} processes (pids {}): each is read",
                    chosen.len(),
                    pids.join(", ")
                ));
            }
            job.tasks.extend(chosen.iter().map(task));
            job.others.extend(others.iter().map(task));
        }
        // A single rank asked for by its own pid misses nobody.
        let whole_job = !ranks.contains_key(&root);
        if let (Some(size), true) = (size.filter(|&size| size <= LARGEST), whole_job) {
            job.missing = missing(Some(size), |rank| by_rank.contains_key(&rank));
            if !job.missing.is_empty() {
                let plural = if job.missing.len() == 1 {
                    ("rank", "has")
                } else {
                    ("ranks", "have")
                };
                let are_ended = here == Some(size) && self.without_environment.is_empty();
                let where_to = match &self.without_environment[..] {
                    [] if are_ended => "ended, since all were started on this host".to_owned(),
                    [] => "on another host, or ended".to_owned(),
                    unread => format!(
                        "ended, on another host, or among the processes whose environment cannot be read or which are being started (pids {})",
                        few(&Vec::from_iter(unread.iter().map(u32::to_string)))
                    ),
                };
                job.absence = Some(format!(
                    "{} {} of {size} {} no process below pid {root}: {where_to}",
                    plural.0, job.missing, plural.1
                ));
                if are_ended {
                    job.ended = job.missing.clone();
                }
            }
        }
        job
    }
}

/// What a process runs, as far as it tells an application from what wraps it and from what it has started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Program {
    executable: Option<PathBuf>,
    /// It has loaded MPI's library.
    has_mpi: bool,
}

impl Program {
    fn of(pid: u32) -> Self {
        let maps = procfs::text(&format!("/proc/{pid}/maps")).unwrap_or_default();
        let mut names = maps.lines().filter_map(|line| line.rsplit('/').next());
        Self {
            executable: procfs::executable(pid).ok(),
            has_mpi: names.any(|name| matches!(library::shared_object(name), Some(SharedObject::Mpi(_)))),
        }
    }
}

/// Which of the processes that carry one rank are its application; each with the number of those above it.
///
/// A wrapper starts exactly one process of its own rank, the application or another wrapper: so it is the deepest. But an application may
/// start helpers, which have no MPI; and what it forks runs the same program, but is not who takes part in the job.
fn application(
    processes: &[(usize, u32)],
    parent_of: &dyn Fn(u32) -> Option<u32>,
    program_of: &dyn Fn(u32) -> Program,
) -> BTreeSet<u32> {
    if let [(_, only)] = processes {
        return BTreeSet::from([*only]);
    }
    let programs: BTreeMap<u32, Program> = processes.iter().map(|&(_, pid)| (pid, program_of(pid))).collect();
    let some_have_mpi = programs.values().any(|program| program.has_mpi);
    let may_be = |&&(_, pid): &&(usize, u32)| !some_have_mpi || programs[&pid].has_mpi;
    let deepest = processes.iter().filter(may_be).map(|&(depth, _)| depth).max();
    let chosen = processes.iter().filter(may_be);
    let chosen = chosen.filter(|&&(depth, _)| Some(depth) == deepest);
    let forked_by = |mut pid: u32| {
        // The bound is against circles of parents, which a reused pid could close.
        for _ in processes {
            match parent_of(pid).filter(|above| programs.contains_key(above)) {
                Some(above)
                    if programs[&above].executable.is_some() && programs[&above] == programs[&pid] =>
                {
                    pid = above;
                }
                _ => break,
            }
        }
        pid
    };
    chosen.map(|&(_, pid)| forked_by(pid)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_helpers_nor_what_a_rank_has_forked_stand_for_it() {
        // A shell (2) wraps the application (3), which forks twice (4, 5) and has a shell (6) start something (7).
        let parents = BTreeMap::from([(3, 2), (4, 3), (5, 4), (6, 3), (7, 6)]);
        let of = |executable: &str, has_mpi| Program {
            executable: Some(PathBuf::from(executable)),
            has_mpi,
        };
        let chosen = |pids: &[(usize, u32)], has_mpi: bool| {
            let program = |pid: u32| match pid {
                2 | 6 => of("/bin/sh", false),
                7 => of("/bin/sleep", false),
                _ => of("/home/a/app", has_mpi),
            };
            Vec::from_iter(application(pids, &|pid| parents.get(&pid).copied(), &program))
        };
        let all = [(0, 2), (1, 3), (2, 4), (3, 5), (2, 6), (3, 7)];
        assert_eq!(chosen(&all, true), [3]);
        // Where MPI is a part of the program itself, a fork is known all the same.
        assert_eq!(chosen(&all[..4], false), [3]);
        // Two ranks' worth of processes side by side are both read.
        assert_eq!(chosen(&[(0, 3), (0, 8)], true), [3, 8]);
    }

    #[test]
    fn the_deepest_process_of_each_rank_is_taken() {
        // Beyond all pids that the kernel gives, so that nothing is looked up.
        const FAR: u32 = 0x7000_0000;
        // 1 launcher; 2 proxy; 3 -> 4 a wrapped rank 0; 5 rank 2; 6 and 7 both rank 3.
        let processes = [(1, 0), (2, 1), (3, 2), (4, 3), (5, 2), (6, 2), (7, 2), (8, 0)];
        let processes = processes.map(|(pid, parent)| (FAR + pid, FAR + parent));
        let family = Family::below(FAR + 1, &processes);
        assert_eq!(family.members, [2, 3, 4, 5, 6, 7].map(|pid| FAR + pid));
        let ranks =
            BTreeMap::from([(3, 0), (4, 0), (5, 2), (6, 3), (7, 3)].map(|(pid, rank)| (FAR + pid, rank)));
        let job = family.job(FAR + 1, &ranks, Some(5), Some(3));
        let found: Vec<_> = job.tasks.iter().map(|task| (task.rank, task.pid - FAR)).collect();
        assert_eq!(found, [(Some(0), 4), (Some(2), 5), (Some(3), 6), (Some(3), 7)]);
        assert_eq!(job.others.len(), 1);
        assert_eq!(job.missing.to_string(), "1,4");
        assert_eq!(job.notes.len(), 1, "{:?}", job.notes);
        assert!(job.absence.is_some(), "{job:?}");
        assert!(job.ended.is_empty(), "two of them are on other hosts");
        let all_here = family.job(FAR + 1, &ranks, Some(5), Some(5));
        assert_eq!(all_here.ended.to_string(), "1,4");
    }
}
