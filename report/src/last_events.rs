//! The last events of those whom an answer is about, beside who waits for whom.

use crate::style::{FAINT, TITLE, paint};
use crate::timeline::{event_json, tag_words, words};
use engine::recorded::Waiting;
use engine::timeline::{Dated, LastEvents, LastOfTask, Tie, Until};
use serde::{Deserialize, Serialize};
use snapshot::Event;
use std::borrow::Cow;
use std::fmt::Write as _;

/// Events that are shown one by one.
const EVENTS: usize = 12;

/// The section of a text; nothing where no events were recorded.
pub(crate) fn last_events(text: &mut String, waiting: &Waiting, involved: &[u32]) {
    let Some(last) = &waiting.last_events else {
        return;
    };
    let title = match last.until {
        Until::Now => "Last events, by the flight recorder:",
        Until::LastEvent => "Last events, by the flight recorder, counted back from the last of all:",
    };
    let _ = writeln!(text, "\n{}", paint(TITLE, title));
    for rank in involved {
        match last.task(*rank) {
            Some(task) => {
                let _ = writeln!(text, "  rank {rank}: {}", of_task(task));
            }
            None => {
                let _ = writeln!(text, "  rank {rank}: no event was recorded");
            }
        }
    }
    let events = last.of(involved, EVENTS);
    let _ = writeln!(text, "{}", paint(FAINT, "  in causal order:"));
    for event in events {
        let ago = event.ago.as_secs_f64();
        let _ = writeln!(text, "  {ago:>12.6} s ago  {}", words(&event.happening));
    }
}

/// What a task took and gave last, as clauses.
fn of_task(task: &LastOfTask) -> String {
    let ago = |event: &Dated| format!("{:.1} s ago", event.ago.as_secs_f64());
    let clause = |event: &Dated| match event.happening.tie {
        Tie::From(rank, tag) => format!(
            "last message received: from rank {rank}{}, {}",
            tag_words(tag),
            ago(event)
        ),
        Tie::To(rank, tag) => format!(
            "last message sent: to rank {rank}{}, {}",
            tag_words(tag),
            ago(event)
        ),
        Tie::Leaves(ordinal, _) | Tie::Enters(ordinal, _) => {
            let operation = event.happening.operation.as_deref().unwrap_or("an operation");
            let operation = crate::clean(operation);
            format!("last left {operation}, number {ordinal}, {}", ago(event))
        }
        Tie::None => String::new(),
    };
    let all = [&task.received, &task.sent, &task.left];
    let clauses = Vec::from_iter(all.into_iter().flatten().map(clause));
    if clauses.is_empty() {
        return "no message and no operation of several was completed".to_owned();
    }
    clauses.join("; ")
}

/// The last events of some ranks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LastEventsJson<'w> {
    until: Cow<'w, str>,
    ranks: Vec<LastOfRankJson<'w>>,
    events: Vec<DatedJson<'w>>,
}

/// The last of one rank.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LastOfRankJson<'w> {
    rank: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    received: Option<DatedJson<'w>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sent: Option<DatedJson<'w>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<DatedJson<'w>>,
}

/// An event, and how long ago it was.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DatedJson<'w> {
    seconds_ago: f64,
    event: Event<'w>,
}

/// The wire form.
pub(crate) fn last_events_out<'w>(last: &'w LastEvents, involved: &[u32]) -> LastEventsJson<'w> {
    let tasks = involved.iter().filter_map(|rank| last.task(*rank));
    LastEventsJson {
        until: match last.until {
            Until::Now => "now".into(),
            Until::LastEvent => "last-event".into(),
        },
        ranks: tasks
            .map(|task| LastOfRankJson {
                rank: task.rank,
                received: task.received.as_ref().map(dated),
                sent: task.sent.as_ref().map(dated),
                left: task.left.as_ref().map(dated),
            })
            .collect(),
        events: last.of(involved, EVENTS).into_iter().map(dated).collect(),
    }
}

fn dated(event: &Dated) -> DatedJson<'_> {
    DatedJson {
        seconds_ago: event.ago.as_secs_f64(),
        event: event_json(&event.happening),
    }
}
