//! Which values may differ from task to task, as far as a walk has come, and how near to where the difference begins.
//!
//! What all tasks have alike cannot have parted them. A walk that keeps a trail of all its steps, not of the shortest ones only, is followed
//! back here from what differs by itself: ranks, what was received, clocks, numbers drawn at random. The result of a
//! collective operation that gives all tasks the same does not differ, whatever it was computed from. A branch hands on that it
//! differs to what it chooses between; the branch of a loop does not, because tasks at one iteration have passed it alike. So does a call that may
//! lead to one of a few functions (a virtual one, or one by a pointer), to what these return. What the walk has reached and not gone on from may differ.
//!
//! Only the order in which statements are shown rests on this.

use crate::graph::{EdgeKind, Graph, NodeId, NodeKind};
use crate::odd::odd_definitions;
use crate::reached::Reached;
use crate::state::{Dependence, State};
use base::Id as _;
use hashbrown::{HashMap, HashSet};
use library::{Access, Value, function};
use std::collections::VecDeque;

/// What is that many statements away from where a difference begins, or alike on all tasks, is as far from it as anything.
const FARTHEST: u32 = 9;

/// What differs between tasks of the nodes that a walk has reached.
#[derive(Debug, Default)]
pub(crate) struct Differences {
    /// Of nodes that may differ, how many statements lie between them and where the difference begins; none of those that are [odd](odd_definitions).
    depths: HashMap<NodeId, u32>,
    /// Nodes of which all tasks have the same.
    alike: HashSet<NodeId>,
}

impl Differences {
    /// Of a walk that has kept its trail.
    pub(crate) fn found(graph: &Graph, reached: &Reached) -> Differences {
        let mut uses: HashMap<State, Vec<State>> = HashMap::new();
        let mut went_on: HashSet<State> = HashSet::new();
        for &(from, to, kind) in &reached.trail {
            went_on.insert(from);
            if hands_on(graph, to, kind) {
                uses.entry(to).or_default().push(from);
            }
        }
        let chosen = chosen_returns(graph, reached);
        let begins = |state: &State| match (origin(graph, *state), state) {
            (Some(origin), _) => origin == Origin::Differs,
            (None, State::At(_, node)) if chosen.contains(node) => true,
            (None, _) => reached.up_to.is_some() && !went_on.contains(state),
        };
        let mut found = handed_on(graph, &uses, reached.states().filter(begins).collect());
        for state in odd_definitions(graph, reached, |state| found.contains_key(state)) {
            found.insert(state, 0);
        }
        let mut differences = Differences::default();
        for state in reached.states() {
            let State::At(_, node) = state else { continue };
            match found.get(&state) {
                Some(&depth) => {
                    let nearest = differences.depths.entry(node).or_insert(depth);
                    *nearest = depth.min(*nearest);
                }
                None => {
                    differences.alike.insert(node);
                }
            }
        }
        let Differences { depths, alike } = &mut differences;
        if depths.is_empty() {
            // It is not known where a difference comes from, so nothing is known to be alike.
            alike.clear();
        }
        // Elsewhere, or in another call, it may differ.
        alike.retain(|node| !depths.contains_key(node));
        differences
    }

    /// Whether all tasks have the same there.
    pub(crate) fn are_alike(&self, node: NodeId) -> bool {
        self.alike.contains(&node)
    }

    /// How many statements lie between a node and where a difference begins; 0 if no differences were looked for.
    pub(crate) fn depth(&self, node: NodeId) -> u32 {
        if self.depths.is_empty() && self.alike.is_empty() {
            return 0;
        }
        let depth = self.depths.get(&node);
        depth.map_or(FARTHEST, |&depth| depth.min(FARTHEST))
    }
}

/// A call of more functions than these says nothing of each.
const FEW: usize = 8;

/// Where functions return from which calls choose among a few.
fn chosen_returns(graph: &Graph, reached: &Reached) -> HashSet<NodeId> {
    let calls = reached.states().filter_map(|state| match state {
        State::Value(_, node) => graph.call(node),
        _ => None,
    });
    let mut chosen = HashSet::new();
    for call in calls {
        let of_source = call.callees.iter().filter(|&&callee| !graph.is_hidden(callee));
        let callees = Vec::from_iter(of_source);
        if (2..=FEW).contains(&callees.len()) {
            let returns = callees
                .into_iter()
                .flat_map(|&callee| &graph.functions[callee].returns);
            chosen.extend(returns.copied());
        }
    }
    chosen
}

/// All that differs because it uses what differs by itself, with the number of statements between them.
fn handed_on(graph: &Graph, uses: &HashMap<State, Vec<State>>, begins: Vec<State>) -> HashMap<State, u32> {
    let mut found = HashMap::from_iter(begins.iter().map(|&state| (state, 0)));
    // A step adds one statement or none: with the latter in front, what is nearest is always first.
    let mut work = VecDeque::from_iter(begins.into_iter().map(|state| (0, state)));
    while let Some((depth, state)) = work.pop_front() {
        if found.get(&state).is_some_and(|&known| known < depth) {
            continue;
        }
        for &user in uses.get(&state).into_iter().flatten() {
            let length = length(graph, user);
            let known = found.get(&user);
            if origin(graph, user).is_some() || known.is_some_and(|&known| known <= depth + length) {
                continue;
            }
            found.insert(user, depth + length);
            match length {
                0 => work.push_front((depth, user)),
                _ => work.push_back((depth + length, user)),
            }
        }
    }
    found
}

/// How many statements a state adds to a way. An argument is a part of its call.
fn length(graph: &Graph, state: State) -> u32 {
    match state {
        State::At(_, node) if graph.nodes[node].kind != NodeKind::Argument => u32::from(graph.is_shown(node)),
        _ => 0,
    }
}

/// Whether what differs makes differ what was reached from there.
fn hands_on(graph: &Graph, to: State, kind: Dependence) -> bool {
    match (kind, to) {
        (Dependence::Decides, State::At(_, branch)) => !is_of_loop(graph, branch),
        (Dependence::Jumps | Dependence::Ends | Dependence::Takes | Dependence::Epoch, _) => false,
        _ => true,
    }
}

/// Whether a branch decides whether it is executed again.
fn is_of_loop(graph: &Graph, branch: NodeId) -> bool {
    let mut edges = graph.edges.of(branch.index()).iter();
    edges.any(|edge| edge.kind == EdgeKind::Control && edge.to == branch)
}

/// What a library function makes of what it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// The same on all tasks.
    Alike,
    /// Something else on each.
    Differs,
}

/// What the call of a library function makes; `None` where that depends on what it is given.
fn origin(graph: &Graph, state: State) -> Option<Origin> {
    let (State::At(_, node) | State::Value(_, node)) = state else {
        return None;
    };
    let call = graph.call(node).filter(|call| call.callees.is_empty())?;
    let row = function(graph.name(call.name?))?;
    if base::is_mpi(row.name) && row.value == Value::Same {
        let is_written = |access| matches!(access, Access::Writes | Access::WritesLater);
        let mut arguments = row.arguments.iter();
        let differs =
            arguments.any(|argument| is_written(argument.access) && !argument.gives && !argument.same);
        return Some(if differs { Origin::Differs } else { Origin::Alike });
    }
    // Addresses differ from task to task, but programs do not compute with their numbers.
    let is_address = row.returned.new || row.returned.argument.is_some();
    (row.value == Value::Differs && !is_address).then_some(Origin::Differs)
}
