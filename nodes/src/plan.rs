//! What nodes are told that answer together, and what they say of themselves before they look.

use crate::merge::NodeId;
use crate::message::{Found, Select};
use base::RankSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// Which nodes answer together. Each process looks for its own host in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// They.
    pub nodes: BTreeMap<NodeId, PlannedNode>,
    /// How long an answer may take, in milliseconds.
    pub patience_ms: u64,
}

impl Plan {
    /// How long an answer may take.
    pub fn patience(&self) -> Duration {
        Duration::from_millis(self.patience_ms)
    }
}

/// A node of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedNode {
    /// Its name.
    pub host: String,
    /// Which tasks are meant there.
    pub select: Select,
    /// The ranges of ranks that it has, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranks: Option<Vec<(u32, u32)>>,
}

impl PlannedNode {
    /// The ranks that it has, where that is known.
    pub fn ranks(&self) -> Option<RankSet> {
        self.ranks.clone().map(RankSet::from_ranges)
    }
}

/// What nodes have found, before they look: each its tasks, or why it has none. Of many nodes it comes in several messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundThere {
    /// By node.
    pub nodes: BTreeMap<NodeId, Result<Found, String>>,
    /// No other message follows.
    pub last: bool,
}

/// A message holds no more tasks than this and those of one node.
const ENOUGH_TASKS: usize = 32 << 10;

impl FoundThere {
    /// What these nodes have found, as messages; at least one.
    pub fn messages(mut nodes: BTreeMap<NodeId, Result<Found, String>>) -> Vec<FoundThere> {
        let mut messages = Vec::new();
        loop {
            let mut tasks = 0;
            let behind = nodes.iter().find(|(_, found)| {
                let has_enough = tasks >= ENOUGH_TASKS;
                // One that has none takes its place all the same.
                tasks += 1 + found.as_ref().map_or(0, |found| found.tasks.len());
                has_enough
            });
            let rest = behind.map(|(&node, _)| node).map(|node| nodes.split_off(&node));
            messages.push(FoundThere {
                nodes,
                last: rest.is_none(),
            });
            match rest {
                Some(rest) => nodes = rest,
                None => return messages,
            }
        }
    }
}
