//! What a node has seen: each distinct stack once, with the tasks that have it.

use base::RankSet;
use serde::{Deserialize, Serialize};
use snapshot::{Header, Own, Task};
use std::collections::BTreeMap;

/// What the tasks of a node were seen at in one look.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// What the look says of itself.
    pub header: Header,
    /// The distinct stacks.
    pub stacks: Vec<SharedStack>,
    /// How many files were found in which its tasks record their calls of MPI, if that was asked.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub recorded: u32,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A stack, and who has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SharedStack {
    /// What its tasks have in common.
    pub stack: Task,
    /// What is of each of them alone.
    pub tasks: Vec<Own>,
}

impl SharedStack {
    /// The ranks of its tasks.
    pub fn ranks(&self) -> RankSet {
        self.tasks.iter().filter_map(|own| own.rank).collect()
    }

    /// Its tasks, each as a record; `None` stands for one whose own part is of another stack.
    pub fn tasks(&self) -> impl Iterator<Item = Option<Task>> {
        self.tasks
            .iter()
            .map(|own| snapshot::join(&self.stack, own.clone()))
    }
}

impl Report {
    /// The records of a look, merged.
    pub fn of(header: Header, records: Vec<Task>) -> Self {
        let mut stacks: Vec<SharedStack> = Vec::new();
        let mut known: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
        for (stack, own) in records.into_iter().map(snapshot::split) {
            let at = *known.entry(key_of(&stack)).or_insert_with(|| {
                stacks.push(SharedStack {
                    stack,
                    tasks: Vec::new(),
                });
                stacks.len() - 1
            });
            stacks[at].tasks.push(own);
        }
        Report {
            header,
            stacks,
            recorded: 0,
        }
    }
}

/// What tells a stack from all others.
pub(crate) fn key_of(stack: &Task) -> Vec<u8> {
    // Serialising plain strings and numbers cannot fail.
    serde_json::to_vec(stack).unwrap_or_default()
}
