//! Who waits for whom, for programs.

use super::{VERSION, document};
use crate::last_events::{LastEventsJson, last_events_out};
use crate::waits;
use base::RankSet;
use engine::recorded::{
    Certainty, Collective, Condensed, Doing, Edge, How, Link, LockKind, Node, Rank, Stage, Transfer, Verdict,
    Waiting, Why,
};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Pairs of tasks that are written one by one: of those in a collective operation there may be as many as the square of the job's size. Nodes and links
/// have all.
const MOST_EDGES: usize = 20_000;

/// The answer of `hindmost waits` as JSON (`docs/json-schema.md`, "Waits").
#[must_use]
pub fn waits_json(waiting: &Waiting) -> String {
    document(&waits_out(waiting, &waiting.involved()))
}

/// The wire form, for documents that hold it among other things; `involved` are the ranks whose last events it has.
pub(crate) fn waits_out<'w>(waiting: &'w Waiting, involved: &[u32]) -> WaitsJson<'w> {
    let verdict = waiting.verdict();
    let kind = match &verdict {
        Verdict::Deadlock(..) => "deadlock",
        Verdict::Gone(..) => "gone",
        Verdict::Mismatch(_) => "mismatch",
        Verdict::Awaited(_) => "awaited",
        Verdict::Nobody => "nobody",
    };
    let graph = waiting.condensed();
    let pairs = waiting
        .graph
        .edges
        .iter()
        .map(|each| each.on.len())
        .sum::<usize>();
    let edges = waiting.graph.edges.iter().flat_map(|each| {
        let on = each.on.iter();
        on.map(|on| edge(waiting, each, on))
    });
    WaitsJson {
        schema: "hindmost-waits".into(),
        version: VERSION,
        headline: crate::waits_headline(waiting),
        verdict: kind.into(),
        ranks: set(&verdict.ranks()),
        proven: waiting.doubt(&verdict).is_none(),
        size: waiting.size,
        tasks: waiting.tasks.iter().map(task).collect(),
        edges: edges.take(MOST_EDGES).collect(),
        edges_left_out: pairs.saturating_sub(MOST_EDGES),
        nodes: graph.nodes.iter().map(node).collect(),
        links_cut: graph.is_cut,
        links: graph
            .links
            .iter()
            .map(|each| link(waiting, &graph, each))
            .collect(),
        stuck: set(&waiting.graph.stuck),
        partly: set(&waiting.graph.partly),
        cycles: waiting.graph.cycles.iter().map(|cycle| set(cycle)).collect(),
        awaited: set(&waiting.graph.awaited),
        transfers: waiting
            .graph
            .transfers
            .iter()
            .map(|each| transfer(waiting, each))
            .collect(),
        least: waiting.least.as_ref().map(|least| LeastJson {
            ranks: set(&least.ranks),
            ahead: least.ahead.0,
            sentence: waits::least_line(least),
        }),
        last_events: waiting
            .last_events
            .as_ref()
            .map(|last| last_events_out(last, involved)),
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WaitsJson<'w> {
    schema: Cow<'w, str>,
    version: u32,
    headline: String,
    verdict: Cow<'w, str>,
    ranks: String,
    proven: bool,
    size: u32,
    tasks: Vec<DoingJson<'w>>,
    edges: Vec<EdgeJson<'w>>,
    edges_left_out: usize,
    nodes: Vec<NodeJson>,
    links: Vec<LinkJson>,
    links_cut: bool,
    stuck: String,
    partly: String,
    cycles: Vec<String>,
    awaited: String,
    transfers: Vec<TransferJson<'w>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    least: Option<LeastJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_events: Option<LastEventsJson<'w>>,
}

/// A message that is on its way, and who stands in a call for it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TransferJson<'w> {
    who: u32,
    sender: u32,
    receiver: u32,
    communicator: Cow<'w, str>,
    tag: i64,
}

/// Who of those that others wait for is probably furthest behind.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LeastJson {
    ranks: String,
    ahead: u32,
    sentence: String,
}

impl WaitsJson<'_> {
    /// Leaves what a page shows: the nodes next to those that hold the others, and no single tasks.
    pub(crate) fn keep_nodes(&mut self, most: usize) {
        self.links_cut |= self.links.len() > most || self.nodes.len() > most;
        self.tasks.clear();
        self.edges_left_out += self.edges.len();
        self.edges.clear();
        self.transfers.clear();
        self.last_events = None;
        self.nodes.truncate(most);
        let left = self.nodes.len();
        self.links.retain(|link| link.from < left && link.to < left);
        self.links.truncate(most);
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DoingJson<'w> {
    rank: u32,
    pid: u32,
    host: Cow<'w, str>,
    stage: Cow<'w, str>,
    operation: Option<Cow<'w, str>>,
    polls: Option<u64>,
    seconds: f64,
    moves: bool,
    gone: bool,
    partial: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<BeforeJson>,
}

/// How long something lasted before, in seconds.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BeforeJson {
    count: u64,
    mean: f64,
    deviation: f64,
    longest: f64,
}

/// Tasks that wait alike.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeJson {
    ranks: String,
    count: u64,
    does: String,
    part: Cow<'static, str>,
    distance: u32,
}

/// Some of one node wait for some of another.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LinkJson {
    from: usize,
    to: usize,
    on: String,
    proven: bool,
    polling: bool,
    label: String,
    sentence: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EdgeJson<'w> {
    waiter: u32,
    thread: usize,
    on: u32,
    proven: bool,
    polling: bool,
    #[serde(flatten)]
    why: WhyJson<'w>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "snake_case")]
pub enum WhyJson<'w> {
    Message {
        communicator: Cow<'w, str>,
        tag: Option<i64>,
        number: Option<u64>,
        sent: u64,
        unwanted: Vec<UnwantedJson>,
        alternatives: bool,
    },
    Delivery {
        communicator: Cow<'w, str>,
        tag: i64,
        number: u64,
        taken: u64,
    },
    Signal {
        window: Cow<'w, str>,
        operation: Cow<'w, str>,
        number: u64,
        given: u64,
    },
    Lock {
        window: Cow<'w, str>,
        target: Option<u32>,
        exclusive: bool,
    },
    Entry {
        communicator: Cow<'w, str>,
        operation: Cow<'w, str>,
        ordinal: u64,
        root: Option<u32>,
        entered: u64,
    },
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct UnwantedJson {
    tag: i64,
    count: u64,
}

fn task(task: &Doing) -> DoingJson<'_> {
    DoingJson {
        rank: task.rank,
        pid: task.pid,
        host: (&task.host).into(),
        stage: match task.stage {
            Stage::Starting => "starting",
            Stage::Running => "running",
            Stage::Ending => "ending",
            Stage::Ended => "ended",
            Stage::Aborted => "aborted",
        }
        .into(),
        operation: task.operation.as_deref().map(Into::into),
        polls: task.polls,
        seconds: task.for_ns as f64 / 1e9,
        moves: task.moves,
        gone: task.is_gone,
        partial: task.is_partial,
        before: task.before.map(|before| BeforeJson {
            count: before.count,
            mean: before.mean.as_secs_f64(),
            deviation: before.deviation.as_secs_f64(),
            longest: before.longest.as_secs_f64(),
        }),
    }
}

fn node(node: &Node) -> NodeJson {
    NodeJson {
        ranks: node.ranks.to_string(),
        count: node.ranks.len(),
        does: waits::node_does(node),
        part: waits::part_word(node.part).into(),
        distance: node.distance,
    }
}

fn link(waiting: &Waiting, graph: &Condensed, link: &Link) -> LinkJson {
    LinkJson {
        from: link.from,
        to: link.to,
        on: link.on.to_string(),
        proven: link.certainty == Certainty::Proven,
        polling: link.asks(waiting),
        label: waits::link_label(waiting, link),
        sentence: waits::link_sentence(waiting, graph, link),
    }
}

fn transfer<'w>(waiting: &'w Waiting, transfer: &Transfer) -> TransferJson<'w> {
    let (sender, receiver) = transfer.ends();
    let name = waiting.communicators.get(&transfer.communicator);
    TransferJson {
        who: transfer.who.0,
        sender: sender.0,
        receiver: receiver.0,
        communicator: name.map_or("", String::as_str).into(),
        tag: transfer.tag,
    }
}

fn edge<'w>(waiting: &'w Waiting, edge: &'w Edge, on: Rank) -> EdgeJson<'w> {
    let name = |identity| Cow::from(waiting.communicators.get(identity).map_or("", String::as_str));
    EdgeJson {
        waiter: edge.waiter.0,
        thread: edge.thread,
        on: on.0,
        proven: edge.certainty == Certainty::Proven,
        polling: edge.how == How::Polling,
        why: match &edge.why {
            Why::Message {
                communicator,
                tag,
                number,
                sent,
                unwanted,
                alternatives,
            } => WhyJson::Message {
                communicator: name(communicator),
                tag: *tag,
                number: *number,
                sent: *sent,
                unwanted: unwanted
                    .iter()
                    .map(|(tag, count)| UnwantedJson {
                        tag: *tag,
                        count: *count,
                    })
                    .collect(),
                alternatives: *alternatives,
            },
            Why::Delivery {
                channel,
                number,
                taken,
            } => WhyJson::Delivery {
                communicator: name(&channel.communicator),
                tag: channel.tag,
                number: *number,
                taken: *taken,
            },
            Why::Signal {
                window,
                signal,
                number,
                given,
            } => WhyJson::Signal {
                window: name(window),
                operation: waits::signal_name(*signal).into(),
                number: *number,
                given: *given,
            },
            Why::Lock(lock) => WhyJson::Lock {
                window: name(&lock.window),
                target: lock.target.map(|target| target.0),
                exclusive: lock.access == LockKind::Exclusive,
            },
            Why::Entry { collective, entered } => WhyJson::Entry {
                communicator: name(&collective.communicator),
                operation: operation(waiting, collective),
                ordinal: collective.ordinal,
                root: collective.root.map(|root| root.0),
                entered: *entered,
            },
        },
    }
}

fn operation<'w>(waiting: &'w Waiting, collective: &Collective) -> Cow<'w, str> {
    let name = waiting.operations.get(collective.operation as usize);
    name.map_or("", String::as_str).into()
}

fn set(ranks: &[Rank]) -> String {
    ranks.iter().map(|rank| rank.0).collect::<RankSet>().to_string()
}
