//! Stacks that a program can have, as far as its calls tell: for measurements of slices without a hung job.

use crate::graph::{FunctionId, Graph, NodeId};
use crate::stand::{At, Points, SliceFrame, Stand};
use base::Id as _;
use progress_map::PointId;

impl Graph {
    /// Up to `count` different stacks, spread over the calls of the program, none deeper than `depth` frames. Each leads from a
    /// function without callers (or from as far up as `depth` allows) down to a call of a function without source.
    pub fn stacks(&self, count: usize, depth: usize) -> Vec<Vec<SliceFrame>> {
        let leaves: Vec<NodeId> = self
            .calls
            .iter()
            .filter(|call| call.callees.is_empty() && call.name.is_some())
            .filter(|call| {
                self.nodes[call.node]
                    .function
                    .is_some_and(|function| !self.is_hidden(function))
            })
            .map(|call| call.node)
            .collect();
        let step = (leaves.len() / count.max(1)).max(1);
        let chosen = leaves.iter().step_by(step).take(count);
        chosen.map(|&leaf| self.stack_to(leaf, depth)).collect()
    }

    /// A way from the outside to a call.
    fn stack_to(&self, leaf: NodeId, depth: usize) -> Vec<SliceFrame> {
        let mut frames = Vec::new();
        let mut seen: Vec<FunctionId> = Vec::new();
        let mut callee = self.call(leaf).and_then(|call| call.name);
        let mut next = Some(leaf);
        while let Some(node) = next {
            let each = &self.nodes[node];
            let Some(id) = each.function else { break };
            let function = &self.functions[id];
            let first = function.first_node.index();
            let point = PointId::from_index(node.index() - first);
            frames.push(SliceFrame {
                stands: vec![Stand {
                    file: self.files[function.file].clone(),
                    function: self.name(function.name).to_owned(),
                    at: At::Points(Points {
                        content_hash: self.hashes[function.file],
                        first_line: function.line,
                        count: function.points as usize,
                        points: vec![(point, each.line, each.column)],
                    }),
                    is_any_round: false,
                }],
                callee: callee.map(|name| self.name(name).to_owned()),
            });
            seen.push(id);
            callee = Some(function.name);
            let is_new = |caller: &&NodeId| {
                self.nodes[**caller]
                    .function
                    .is_some_and(|other| !seen.contains(&other) && !self.is_hidden(other))
            };
            // Not always the first caller, which would make all stacks alike.
            let callers: Vec<&NodeId> = function.callers.iter().filter(is_new).collect();
            next = match (callers.len(), frames.len() < depth) {
                (0, _) | (_, false) => None,
                (count, true) => Some(*callers[leaf.index() % count]),
            };
        }
        frames.reverse();
        frames
    }
}
