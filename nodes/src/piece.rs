//! What a group of nodes has seen, merged, on its way to who merges it with others: as pieces of bounded size, so that nobody needs the whole of it twice.
//!
//! The pieces of a [`Merge`] depend on the reports in it alone, neither on their order nor on who has merged which of them before: stacks come in the order of their text, the tasks of each by
//! node and then as the node has sent them, and a piece ends where its size says it. So a reduction along any tree ends in the same bytes as a gather.

use crate::merge::{KnownStack, Merge, NodeId};
use crate::packed::Unpacked;
use base::RankSet;
use serde::{Deserialize, Serialize};
use snapshot::{Own, Task};
use std::collections::{BTreeMap, BTreeSet};

/// So large are pieces that are sent, about, in bytes before they are compressed.
pub const PIECE: usize = 2 << 20;

/// About so many bytes has what is of one thread alone.
const OF_THREAD: usize = 128;

/// A part of what several nodes have seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// In the first piece: the nodes that were heard.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    nodes: BTreeSet<NodeId>,
    /// In the first piece: the ranks of others that a node has spoken of, as ranges.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    not_its: BTreeMap<NodeId, Vec<(u32, u32)>>,
    /// In the first piece: of how many tasks a node has contradicted itself.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    contradictory: BTreeMap<NodeId, u64>,
    /// In the first piece: the longest window of a node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window_us: Option<u64>,
    /// In the first piece: some of the tasks record their calls of MPI.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_recorded: bool,
    /// Stacks with some of their tasks, or all.
    stacks: Vec<PlacedStack>,
    /// No other piece follows.
    last: bool,
}

/// A stack, and who has it on which node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct PlacedStack {
    /// What its tasks have in common.
    stack: Task,
    /// What is of each of them alone.
    tasks: Vec<(NodeId, Own)>,
}

impl Piece {
    /// Whether this is the last piece of an answer.
    pub fn is_last(&self) -> bool {
        self.last
    }
}

impl Merge {
    /// What was taken so far, in pieces; at least one. Each ends with the task with which it has `enough` bytes, about ([`PIECE`]).
    pub fn into_pieces(self, enough: usize) -> Pieces {
        let mut stacks = Vec::from_iter(self.stacks);
        for (_, known) in &mut stacks {
            // Of one node all tasks have come at once, and keep their order.
            known.tasks.sort();
        }
        let ranges = |(node, ranks): (NodeId, RankSet)| (node, ranks.ranges().to_vec());
        Pieces {
            first: Some(Piece {
                nodes: self.heard,
                not_its: self.not_its.into_iter().map(ranges).collect(),
                contradictory: self.contradictory,
                window_us: self.window_us,
                is_recorded: self.is_recorded,
                stacks: Vec::new(),
                last: false,
            }),
            stacks: stacks.into_iter(),
            rest: None,
            enough,
        }
    }

    /// Takes an answer that is there as a whole, in its pieces. Of nodes that were not asked, or were heard before, it is left out. `own` are the ranks of a node, where they are known.
    pub fn absorb<'o>(
        &mut self,
        pieces: impl IntoIterator<Item = Piece>,
        is_asked: impl Fn(NodeId) -> bool,
        own: impl Fn(NodeId) -> Option<&'o RankSet>,
    ) {
        let mut fresh = None;
        for piece in pieces {
            let fresh = fresh.get_or_insert_with(|| {
                let nodes = piece.nodes.iter().copied();
                let new = nodes.filter(|&node| is_asked(node) && !self.has_heard(node));
                BTreeSet::from_iter(new)
            });
            self.window_us = self.window_us.max(piece.window_us);
            self.is_recorded |= piece.is_recorded;
            self.heard.extend(&*fresh);
            for (node, ranges) in piece.not_its {
                if fresh.contains(&node) {
                    self.complain_of_ranks(node, &RankSet::from_ranges(ranges));
                }
            }
            for (node, tasks) in piece.contradictory {
                if fresh.contains(&node) {
                    let known = self.contradictory.entry(node).or_default();
                    *known = known.saturating_add(tasks);
                }
            }
            for PlacedStack { stack, tasks } in piece.stacks {
                let tasks = tasks.into_iter().filter(|(node, _)| fresh.contains(node));
                self.add_stack(stack, tasks, &own);
            }
        }
    }
}

/// The pieces of a [`Merge`].
#[derive(Debug)]
pub struct Pieces {
    /// What the first piece begins with.
    first: Option<Piece>,
    stacks: std::vec::IntoIter<(Vec<u8>, KnownStack)>,
    /// A stack of which some tasks were in the piece before.
    rest: Option<Rest>,
    enough: usize,
}

/// What no piece has yet of a stack.
#[derive(Debug)]
struct Rest {
    stack: Task,
    /// How many bytes it has as text.
    length: usize,
    tasks: Unpacked,
}

impl Iterator for Pieces {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let is_first = self.first.is_some();
        let mut piece = self.first.take().unwrap_or_default();
        // What the first piece begins with leaves room for a stack, however many nodes there are.
        let mut size = 0;
        while size < self.enough {
            let Some(mut rest) = self.rest.take().or_else(|| self.next_stack()) else {
                piece.last = true;
                break;
            };
            size += rest.length;
            let mut placed = PlacedStack {
                stack: rest.stack.clone(),
                tasks: Vec::new(),
            };
            for (node, own) in rest.tasks.by_ref() {
                size += OF_THREAD * (1 + own.threads.len());
                placed.tasks.push((node, own));
                if size >= self.enough {
                    break;
                }
            }
            self.rest = Some(rest).filter(|rest| rest.tasks.len() > 0);
            piece.stacks.push(placed);
        }
        piece.last |= self.rest.is_none() && self.stacks.len() == 0;
        (is_first || !piece.stacks.is_empty()).then_some(piece)
    }
}

impl Pieces {
    fn next_stack(&mut self) -> Option<Rest> {
        let (key, known) = self.stacks.next()?;
        Some(Rest {
            stack: known.stack,
            length: key.len(),
            tasks: known.tasks.into_iter(),
        })
    }
}
