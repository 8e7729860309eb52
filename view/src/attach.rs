//! Debuggers that look into the tasks of a call, and the commands that start them.

use crate::job::Job;
use engine::TreeNode;
use std::collections::BTreeMap;

/// The processes of a job, as far as a snapshot tells them.
#[derive(Clone, Debug, Default)]
pub struct Processes {
    /// The host that they run on.
    pub host: String,
    /// The process that has started them, and its name.
    pub launcher: Option<(u32, String)>,
    /// Their program.
    pub program: String,
    /// By rank, or by the task's name where it has none.
    pub pids: BTreeMap<String, u32>,
}

/// A debugger for some tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Debugger {
    /// The key that starts it.
    pub(crate) key: char,
    /// The program and its arguments.
    pub(crate) command: Vec<String>,
}

/// A debugger that holds every task by itself is given no more than so many.
const MOST_AT_ONCE: usize = 8;

/// A parallel debugger is given no more ranks than a command line bears.
const MOST_RANKS: usize = 1000;

/// The debuggers for the tasks of a node.
///
/// # Errors
/// Why there are none, as a sentence without its full stop.
pub(crate) fn debuggers(job: &Job, node: &TreeNode) -> Result<Vec<Debugger>, String> {
    let Some(processes) = &job.processes else {
        return Err("only a snapshot tells the processes: find --save writes one".to_owned());
    };
    let numbers = Vec::from_iter(node.tasks.iter().take(MOST_RANKS));
    let names = &job.tree.names;
    let name = |&number: &u32| {
        names
            .name(number)
            .map_or_else(|| number.to_string(), str::to_owned)
    };
    let pids = numbers
        .iter()
        .filter_map(|number| processes.pids.get(&name(number)));
    let pids = Vec::from_iter(pids.take(MOST_AT_ONCE));
    let mut all = Vec::new();
    if let [first, others @ ..] = &pids[..] {
        let mut command = vec!["gdb".to_owned(), "-p".to_owned(), first.to_string()];
        for (inferior, pid) in (2..).zip(others) {
            for line in [
                "add-inferior".to_owned(),
                format!("inferior {inferior}"),
                format!("attach {pid}"),
            ] {
                command.extend(["-ex".to_owned(), line]);
            }
        }
        all.push(Debugger { key: 'g', command });
    }
    // The names come from a file: none is to be taken for an option.
    let is_name = |word: &str| !word.is_empty() && !word.starts_with('-');
    let launcher = processes.launcher.as_ref().filter(|_| names.are_ranks());
    let launcher = launcher.filter(|(_, name)| is_name(name) && is_name(&processes.program));
    if let Some((launcher, launcher_name)) = launcher {
        let ranks = |between: &str| Vec::from_iter(numbers.iter().map(u32::to_string)).join(between);
        let ddt = [
            "ddt",
            "--attach-mpi",
            &launcher.to_string(),
            "--subset",
            &ranks(","),
            &processes.program,
        ];
        let subset = format!("-default_parallel_attach_subset={}", ranks(" "));
        let totalview = [
            "totalview",
            "-parallel_attach",
            "yes",
            "-pid",
            &launcher.to_string(),
            &subset,
            launcher_name,
        ];
        all.push(Debugger {
            key: 'd',
            command: ddt.map(str::to_owned).to_vec(),
        });
        all.push(Debugger {
            key: 't',
            command: totalview.map(str::to_owned).to_vec(),
        });
    }
    if all.is_empty() {
        return Err("no process of these tasks is known".to_owned());
    }
    Ok(all)
}

impl Job {
    /// Takes the processes of its tasks, for debuggers.
    pub fn add_processes(&mut self, processes: Processes) {
        self.processes = Some(processes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::shell_word;
    use serde_json::json;

    fn said(ranks: &str, processes: Processes) -> Result<Vec<String>, String> {
        let node = |id: usize| json!({"id": id, "parent": (id > 0).then_some(0), "children": [], "kind": "frame", "label": "f", "function": "f", "tasks": ranks});
        let tree = json!({"schema": "hindmost-tree", "version": 1, "tasks_are": "ranks", "nodes": [node(0), node(1)]});
        let mut job = Job::from_json(&tree.to_string(), None).unwrap();
        job.add_processes(processes);
        let all = debuggers(&job, &job.tree.nodes[1])?;
        let line = |debugger: &Debugger| {
            let words = debugger.command.iter().map(|word| shell_word(word).into_owned());
            Vec::from_iter(words).join(" ")
        };
        Ok(Vec::from_iter(all.iter().map(line)))
    }

    #[test]
    fn commands_are_for_the_tasks_of_the_call() {
        let processes = Processes {
            host: "node7".to_owned(),
            launcher: Some((17, "mpirun".to_owned())),
            program: "/home/a b/app".to_owned(),
            pids: (0..40).map(|rank: u32| (rank.to_string(), 100 + rank)).collect(),
        };
        assert_eq!(
            said("2,5-6", processes.clone()).unwrap(),
            [
                "gdb -p 102 -ex add-inferior -ex 'inferior 2' -ex 'attach 105' -ex add-inferior -ex 'inferior 3' -ex 'attach 106'",
                "ddt --attach-mpi 17 --subset '2,5,6' '/home/a b/app'",
                "totalview -parallel_attach yes -pid 17 '-default_parallel_attach_subset=2 5 6' mpirun",
            ]
        );
        assert_eq!(said("3", processes.clone()).unwrap()[0], "gdb -p 103");
        let many = said("0-39", processes.clone()).unwrap();
        assert_eq!(many[0].matches("attach").count(), MOST_AT_ONCE - 1);
        assert!(many[1].contains(",39' "), "{many:?}");
        let hostile = Processes {
            launcher: Some((17, "-e exec".to_owned())),
            ..processes.clone()
        };
        assert_eq!(said("3", hostile).unwrap(), ["gdb -p 103"]);
        assert!(
            said(
                "41",
                Processes {
                    launcher: None,
                    ..processes
                }
            )
            .is_err()
        );
    }
}
