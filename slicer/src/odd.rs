//! Statements that give a variable something else on every task where others give all tasks the same.
//!
//! A time step that all tasks agree on before the loop and one of them computes by itself inside, a setting that has a default on all
//! tasks and that one reads from a file: of the statements that may have set what is read there, some leave all tasks alike and some do
//! not. The latter are where tasks begin to differ, however far it is from there to what differs by itself.
//!
//! A part of memory that is written as a whole tells nothing: other statements may have written other members.

use crate::graph::{EdgeKind, Graph};
use crate::places::NameId;
use crate::reached::Reached;
use crate::state::{Dependence, Part, State};
use base::Id as _;
use hashbrown::HashMap;

/// For each read (its state, and the name of a variable that is not in memory): the states that may have set what is read.
type Definitions = HashMap<(State, Option<NameId>), Vec<State>>;

/// Of the statements that a walk with a trail has reached, those that stand alone in giving tasks different values; `differs` tells of each whether
/// its value does.
pub(crate) fn odd_definitions(
    graph: &Graph,
    reached: &Reached,
    differs: impl Fn(&State) -> bool,
) -> Vec<State> {
    let mut odd = Vec::new();
    for definitions in definitions(graph, reached).into_values() {
        if !definitions.iter().all(&differs) {
            odd.extend(definitions.into_iter().filter(&differs));
        }
    }
    odd
}

fn definitions(graph: &Graph, reached: &Reached) -> Definitions {
    let mut found = Definitions::new();
    for &(from, to, kind) in &reached.trail {
        let is_named = matches!(from, State::Written(_, _, part, _) if part != Part::Unnamed);
        if is_named && kind == Dependence::Sets && matches!(to, State::At(..)) {
            found.entry((from, None)).or_default().push(to);
        }
    }
    for state in reached.states() {
        let State::At(context, node) = state else { continue };
        for edge in graph.edges.of(node.index()) {
            let to = State::At(context, edge.to);
            let sets = matches!(edge.kind, EdgeKind::Local | EdgeKind::Choice);
            if sets && reached.get(&to).is_some() {
                found.entry((state, edge.name)).or_default().push(to);
            }
        }
    }
    found
}
