//! The wait graph with few nodes, in words and as a `.dot` file.

use super::{communicator, does, message_line, operation, part, seconds, set_text, signal_name};
use crate::clean::clean;
use crate::names::shortened;
use crate::tree::{in_pieces, quoted};
use engine::recorded::{Certainty, Condensed, Edge, How, Link, Node, Part, Rank, Waiting, Why};
use std::fmt::Write as _;

/// How many nodes a drawing has; who stands nearest to those that hold the others comes first.
const MOST_NODES: usize = 60;

/// How many characters of a set of ranks stand in a node.
const RANKS_IN_NODE: usize = 28;

/// What the tasks of a node do, in a few words.
pub(crate) fn node_does(node: &Node) -> String {
    match &node.does {
        Some(doing) if node.part == Part::Apart || node.part == Part::Awaited => {
            does(doing) + &of_kinds(node.kinds)
        }
        Some(doing) => {
            let operation = doing.operation.as_deref().unwrap_or("MPI");
            let asks = if doing.polls.is_some() { "asks by" } else { "in" };
            let time = seconds(doing.for_ns);
            format!("{asks} {} for {time}{}", clean(operation), of_kinds(node.kinds))
        }
        None => "not recorded".to_owned(),
    }
}

/// That what is told is the first of several kinds.
fn of_kinds(kinds: usize) -> String {
    match kinds {
        0 | 1 => String::new(),
        kinds => format!(" (the first of {kinds} kinds)"),
    }
}

/// Who they are, cut where that gets long, and how many.
fn ranks_in_node(node: &Node) -> String {
    let ranks = shortened(&node.ranks.to_string(), RANKS_IN_NODE);
    match node.ranks.len() {
        1 => format!("rank {ranks}"),
        count => format!("ranks {ranks} ({count})"),
    }
}

/// What a wait is for, in a few words, without whom: `tag 7, MPI_COMM_WORLD`.
pub(crate) fn link_label(waiting: &Waiting, link: &Link) -> String {
    waiting
        .graph
        .edges
        .get(link.edge)
        .map_or_else(String::new, |edge| {
            wait_label(waiting, edge) + &of_kinds(link.kinds)
        })
}

fn wait_label(waiting: &Waiting, edge: &Edge) -> String {
    match &edge.why {
        Why::Message {
            communicator: over,
            tag,
            alternatives,
            ..
        } => {
            let tag = tag.map_or_else(|| "any tag".to_owned(), |tag| format!("tag {tag}"));
            let which = if *alternatives {
                "a message of any"
            } else {
                "message"
            };
            format!("{which}, {tag}, {}", communicator(waiting, *over))
        }
        Why::Delivery { channel, .. } => format!(
            "delivery, tag {}, {}",
            channel.tag,
            communicator(waiting, channel.communicator)
        ),
        Why::Signal { window, signal, .. } => {
            format!("{}, {}", signal_name(*signal), communicator(waiting, *window))
        }
        Why::Lock(lock) => format!("{}, {}", part(lock), communicator(waiting, lock.window)),
        Why::Entry { collective, .. } => format!(
            "{} {} of {}",
            operation(waiting, collective),
            collective.ordinal,
            communicator(waiting, collective.communicator)
        ),
    }
}

/// The wait as a sentence without its full stop.
pub(crate) fn link_sentence(waiting: &Waiting, graph: &Condensed, link: &Link) -> String {
    let (Some(node), Some(edge)) = (graph.nodes.get(link.from), waiting.graph.edges.get(link.edge)) else {
        return String::new();
    };
    let called = node
        .does
        .as_ref()
        .and_then(|doing| doing.operation_of(edge.thread));
    let called = clean(called.unwrap_or("MPI")).into_owned();
    let is_message = !matches!(edge.why, Why::Entry { .. });
    let is_one = (node.ranks.len(), link.on.len(), link.kinds) == (1, 1, 1);
    if let (true, Some(on), true) = (is_one, link.on.first(), is_message) {
        return message_line(waiting, edge, Rank(on), &called);
    }
    let (waits, asks) = match node.ranks.len() {
        1 => ("waits", "asks"),
        _ => ("wait", "ask"),
    };
    let wait = match edge.how {
        How::Blocked => format!("{waits} in {called}"),
        How::Polling => format!("{asks} by {called} again and again"),
    };
    let whom = match (node.ranks.len(), &edge.why) {
        (2.., Why::Message { .. } | Why::Delivery { .. } | Why::Signal { .. } | Why::Lock(_))
            if link.on.len() > 1 =>
        {
            "each for some of "
        }
        _ => "for ",
    };
    let doubt = match link.certainty {
        Certainty::Proven => "",
        Certainty::Probable => "; not certainly",
    };
    format!(
        "{} {wait} {whom}{} ({}{doubt})",
        set_text(&node.ranks),
        set_text(&link.on),
        link_label(waiting, link)
    )
}

/// The wait graph as a `.dot` file for Graphviz: who waits points to whom it waits for. Red: those that hold the others.
#[must_use]
pub fn waits_dot(waiting: &Waiting) -> String {
    let graph = waiting.condensed();
    let shown = graph.nodes.len().min(MOST_NODES);
    let mut out = String::from(
        "digraph waits {\n\trankdir=BT;\n\tnode [shape=box,style=filled,fontname=\"sans-serif\"];\n",
    );
    let title = in_pieces(&quoted(&super::headline(waiting)));
    let _ = writeln!(out, "\tlabel={title}; labelloc=t;");
    for (at, node) in graph.nodes.iter().take(shown).enumerate() {
        let label = format!("{}\\n{}", quoted(&ranks_in_node(node)), quoted(&node_does(node)));
        let _ = writeln!(
            out,
            "\tn{at} [label={},fillcolor=\"{}\",ranks={},part=\"{}\"];",
            in_pieces(&label),
            color(node.part),
            in_pieces(&node.ranks.to_string()),
            part_word(node.part)
        );
    }
    for link in graph
        .links
        .iter()
        .filter(|link| link.from < shown && link.to < shown)
    {
        let style = match link.certainty {
            Certainty::Proven => "solid",
            Certainty::Probable => "dashed",
        };
        let _ = writeln!(
            out,
            "\tn{} -> n{} [label={},style={style},on={}];",
            link.from,
            link.to,
            in_pieces(&quoted(&link_label(waiting, link))),
            in_pieces(&link.on.to_string())
        );
    }
    let left = graph.nodes.len() - shown;
    if left > 0 {
        let _ = writeln!(
            out,
            "\tmore [label=\"and {left} more groups of tasks\",shape=plaintext,style=\"\"];"
        );
    }
    out.push_str("}\n");
    out
}

/// The word for a part in JSON and `.dot`.
pub(crate) fn part_word(part: Part) -> &'static str {
    match part {
        Part::Cycle => "cycle",
        Part::Awaited => "awaited",
        Part::Stuck => "stuck",
        Part::Waits => "waits",
        Part::Apart => "apart",
    }
}

fn color(part: Part) -> &'static str {
    match part {
        Part::Cycle => "#f2a49b",
        Part::Awaited => "#f6c98a",
        Part::Stuck => "#d9c7e8",
        Part::Waits => "#cfdcf5",
        Part::Apart => "#e4e4e4",
    }
}
