//! Who waits for whom, for programs.

use super::{VERSION, document};
use base::RankSet;
use engine::recorded::{Certainty, Collective, Doing, Edge, How, Rank, Stage, Verdict, Waiting, Why};
use serde::Serialize;

/// The answer of `hindmost waits` as JSON (`docs/json-schema.md`, "Waits").
#[must_use]
pub fn waits_json(waiting: &Waiting) -> String {
    let verdict = waiting.verdict();
    let (kind, ranks, proven) = match &verdict {
        Verdict::Deadlock(ranks, certainty) => ("deadlock", ranks.clone(), *certainty == Certainty::Proven),
        Verdict::Gone(waiter, on) => ("gone", vec![*waiter, *on], true),
        Verdict::Mismatch(mismatch) => ("mismatch", vec![mismatch.one.0, mismatch.other.0], true),
        Verdict::Awaited(ranks) => ("awaited", ranks.clone(), true),
        Verdict::Nobody => ("nobody", Vec::new(), true),
    };
    document(&WaitsOut {
        schema: "hindmost-waits",
        version: VERSION,
        headline: crate::waits_headline(waiting),
        verdict: kind,
        ranks: set(&ranks),
        proven,
        size: waiting.size,
        tasks: waiting.tasks.iter().map(task).collect(),
        edges: waiting
            .graph
            .edges
            .iter()
            .map(|each| edge(waiting, each))
            .collect(),
        stuck: set(&waiting.graph.stuck),
        cycles: waiting.graph.cycles.iter().map(|cycle| set(cycle)).collect(),
        awaited: set(&waiting.graph.awaited),
    })
}

#[derive(Serialize)]
struct WaitsOut<'w> {
    schema: &'static str,
    version: u32,
    headline: String,
    verdict: &'static str,
    ranks: String,
    proven: bool,
    size: u32,
    tasks: Vec<TaskOut<'w>>,
    edges: Vec<EdgeOut<'w>>,
    stuck: String,
    cycles: Vec<String>,
    awaited: String,
}

#[derive(Serialize)]
struct TaskOut<'w> {
    rank: u32,
    pid: u32,
    host: &'w str,
    stage: &'static str,
    operation: Option<&'w str>,
    polls: Option<u64>,
    seconds: f64,
    moves: bool,
    gone: bool,
    partial: bool,
}

#[derive(Serialize)]
struct EdgeOut<'w> {
    waiter: u32,
    on: u32,
    proven: bool,
    polling: bool,
    #[serde(flatten)]
    why: WhyOut<'w>,
}

#[derive(Serialize)]
#[serde(tag = "why", rename_all = "snake_case")]
enum WhyOut<'w> {
    Message {
        communicator: &'w str,
        tag: Option<i64>,
        number: Option<u64>,
        sent: u64,
        unwanted: Vec<UnwantedOut>,
        alternatives: bool,
    },
    Delivery {
        communicator: &'w str,
        tag: i64,
        number: u64,
        taken: u64,
    },
    Entry {
        communicator: &'w str,
        operation: &'w str,
        ordinal: u64,
        root: Option<u32>,
        entered: u64,
    },
}

#[derive(Serialize)]
struct UnwantedOut {
    tag: i64,
    count: u64,
}

fn task(task: &Doing) -> TaskOut<'_> {
    TaskOut {
        rank: task.rank,
        pid: task.pid,
        host: &task.host,
        stage: match task.stage {
            Stage::Starting => "starting",
            Stage::Running => "running",
            Stage::Ending => "ending",
            Stage::Ended => "ended",
            Stage::Aborted => "aborted",
        },
        operation: task.operation.as_deref(),
        polls: task.polls,
        seconds: task.for_ns as f64 / 1e9,
        moves: task.moves,
        gone: task.is_gone,
        partial: task.is_partial,
    }
}

fn edge<'w>(waiting: &'w Waiting, edge: &'w Edge) -> EdgeOut<'w> {
    let name = |identity| waiting.communicators.get(identity).map_or("", String::as_str);
    EdgeOut {
        waiter: edge.waiter.0,
        on: edge.on.0,
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
            } => WhyOut::Message {
                communicator: name(communicator),
                tag: *tag,
                number: *number,
                sent: *sent,
                unwanted: unwanted
                    .iter()
                    .map(|(tag, count)| UnwantedOut {
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
            } => WhyOut::Delivery {
                communicator: name(&channel.communicator),
                tag: channel.tag,
                number: *number,
                taken: *taken,
            },
            Why::Entry { collective, entered } => WhyOut::Entry {
                communicator: name(&collective.communicator),
                operation: operation(waiting, collective),
                ordinal: collective.ordinal,
                root: collective.root.map(|root| root.0),
                entered: *entered,
            },
        },
    }
}

fn operation<'w>(waiting: &'w Waiting, collective: &Collective) -> &'w str {
    waiting
        .operations
        .get(collective.operation as usize)
        .map_or("", String::as_str)
}

fn set(ranks: &[Rank]) -> String {
    ranks.iter().map(|rank| rank.0).collect::<RankSet>().to_string()
}
