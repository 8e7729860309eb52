//! The strongly connected components of a directed graph (Tarjan, SIAM J. Comput. 1972), without recursion and
//! without a copy of the graph, which has millions of edges and is asked for them in place.

use base::{Id, IdVec};

/// A node that was not met yet.
const NEW: u32 = 0;
/// A node whose component was found.
const DONE: u32 = u32::MAX;

/// Hands over the nodes of every component that can be reached from the nodes of `starts`, in a graph of `count` nodes; a node on no cycle
/// is one by itself. A component comes after those that it leads to. `next` tells the successors of a node, by number.
pub(crate) fn strongly_connected<I: Id>(
    count: usize,
    starts: impl IntoIterator<Item = I>,
    next: impl Fn(I, usize) -> Option<I>,
    mut found: impl FnMut(&[I]),
) {
    // The number by which a node was met; later, the lowest of the nodes that it leads back to.
    let mut lowest: IdVec<I, u32> = vec![NEW; count].into();
    let mut met = NEW;
    // Nodes whose components are not complete yet, and the way from the start to where the search stands.
    let mut open: Vec<I> = Vec::new();
    let mut way: Vec<Visit<I>> = Vec::new();
    for start in starts {
        let mut enter = (lowest[start] == NEW).then_some(start);
        loop {
            if let Some(node) = enter.take() {
                met += 1;
                lowest[node] = met;
                open.push(node);
                way.push(Visit { node, met, done: 0 });
            }
            let Some(visit) = way.last_mut() else { break };
            let node = visit.node;
            if let Some(to) = next(node, visit.done) {
                visit.done += 1;
                match lowest[to] {
                    NEW => enter = Some(to),
                    DONE => {}
                    number => lowest[node] = number.min(lowest[node]),
                }
                continue;
            }
            let number = lowest[node];
            if number == visit.met {
                let first = open.iter().rposition(|&other| other == node).unwrap_or(0);
                open[first..].iter().for_each(|&each| lowest[each] = DONE);
                found(&open[first..]);
                open.truncate(first);
            }
            way.pop();
            if let Some(before) = way.last()
                && lowest[node] != DONE
            {
                lowest[before.node] = number.min(lowest[before.node]);
            }
        }
    }
}

/// A node on the way of the search.
struct Visit<I> {
    node: I,
    met: u32,
    /// How many of its successors have been gone to.
    done: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::PlaceId;
    use petgraph::graph::DiGraph;
    use std::collections::BTreeSet;

    #[test]
    fn the_same_as_petgraph() {
        let mut state = 88_172_645_463_325_252_u64;
        let mut random = move |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        };
        for round in 0..200_u64 {
            let count = 1 + random(30);
            let edges: Vec<(u32, u32)> = (0..random(3 * count))
                .map(|_| (random(count) as u32, random(count) as u32))
                .collect();
            let mut graph = DiGraph::<(), ()>::new();
            let nodes: Vec<_> = (0..count).map(|_| graph.add_node(())).collect();
            let mut lists = vec![Vec::new(); count as usize];
            for &(from, to) in &edges {
                graph.add_edge(nodes[from as usize], nodes[to as usize], ());
                lists[from as usize].push(PlaceId::from_index(to as usize));
            }
            let theirs: BTreeSet<BTreeSet<usize>> = petgraph::algo::tarjan_scc(&graph)
                .iter()
                .map(|component| component.iter().map(|node| node.index()).collect())
                .collect();
            let mut ours = BTreeSet::new();
            let mut complete: BTreeSet<usize> = BTreeSet::new();
            let starts = (0..count as usize).map(PlaceId::from_index);
            let next = |place: PlaceId, at: usize| lists[place.index()].get(at).copied();
            strongly_connected(count as usize, starts, next, |component| {
                let component: BTreeSet<usize> = component.iter().map(|place| place.index()).collect();
                complete.extend(&component);
                for node in &component {
                    let succs = lists[*node].iter().map(|to| to.index());
                    assert!(
                        succs.into_iter().all(|to| complete.contains(&to)),
                        "round {round}"
                    );
                }
                ours.insert(component);
            });
            assert_eq!(ours, theirs, "round {round}: {edges:?}");
        }
    }
}
