//! Whose events tell how a job came to where it stands: those who are named, and one of each kind of others.

use super::{Edge, Rank, Waiting};
use crate::Answer;

/// So many are looked at of those that are named.
const NAMED: usize = 4;

/// So many in all.
const MOST: usize = 8;

impl Waiting {
    /// Ranks that the verdict is about, and some of those who wait for them or whom they wait for.
    #[must_use]
    pub fn involved(&self) -> Vec<u32> {
        let named = Vec::from_iter(self.verdict().ranks().into_iter().map(|rank| rank.0));
        let mut involved = Vec::from_iter(named.into_iter().take(NAMED));
        let neighbours = self.graph.edges.iter().filter_map(|edge| {
            if involved.contains(&edge.waiter.0) {
                edge.on.iter().next().map(|rank| rank.0)
            } else {
                let mut named = involved.iter();
                named
                    .any(|rank| edge.on.contains(Rank(*rank)))
                    .then_some(edge.waiter.0)
            }
        });
        let neighbours = Vec::from_iter(neighbours);
        neighbours.into_iter().for_each(|rank| add(&mut involved, rank));
        if involved.is_empty() {
            involved.extend(self.tasks.iter().take(NAMED).map(|task| task.rank));
        }
        involved
    }
}

impl Answer {
    /// Ranks that are named, and of each other class one: who waits for these, if there is one that does.
    #[must_use]
    pub fn involved(&self) -> Vec<u32> {
        let named = self.finding.iter().flat_map(|finding| finding.who.ranks.iter());
        let mut involved = Vec::from_iter(named.take(NAMED));
        let edges: &[Edge] = self.waiting.as_ref().map_or(&[], |waiting| &waiting.graph.edges);
        let named = involved.clone();
        for class in &self.classes {
            let ranks = &class.who.ranks;
            if named.iter().any(|rank| ranks.contains(*rank)) {
                continue;
            }
            let waiter = edges.iter().find(|edge| {
                ranks.contains(edge.waiter.0) && named.iter().any(|rank| edge.on.contains(Rank(*rank)))
            });
            let first = waiter.map(|edge| edge.waiter.0).or_else(|| ranks.iter().next());
            if let Some(rank) = first {
                add(&mut involved, rank);
            }
        }
        if involved.is_empty() {
            return self.waiting.as_ref().map(Waiting::involved).unwrap_or_default();
        }
        involved
    }
}

fn add(involved: &mut Vec<u32>, rank: u32) {
    if involved.len() < MOST && !involved.contains(&rank) {
        involved.push(rank);
    }
}
