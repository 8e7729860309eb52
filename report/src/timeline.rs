//! The events of a job: as text, as JSON Lines, and as a trace for viewers that read Chrome's format (Perfetto among them).

use crate::clean::clean;
use crate::style::{DOUBT, FAINT, paint};
use anstyle::Style;
use engine::timeline::{Happening, Missing, Step, Tie, Timeline};
use serde::Serialize;
use serde_json::{Value, json};
use snapshot::{Cause, EVENTS_SCHEMA, Event};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The version of the JSON Lines.
const VERSION: u32 = 1;

/// The last events as text, a line for each; all if `most` is `None`.
#[must_use]
pub fn timeline_text(timeline: &Timeline<'_>, most: Option<usize>) -> String {
    let mut text = String::new();
    let all = &timeline.happenings;
    let shown = most.map_or(all.len(), |most| most.min(all.len()));
    let skipped = all.len() - shown;
    if skipped > 0 {
        let _ = writeln!(text, "{}", paint(FAINT, format!("… {skipped} events before")));
    }
    let begun = all.first().map_or(0, |first| first.time);
    for happening in all.iter().skip(skipped) {
        let _ = writeln!(text, "{}", timeline_line(happening, begun));
    }
    let lost: u64 = timeline.lanes.iter().map(|lane| lane.lost).sum();
    let mut note = |count: u64, what: &str| {
        if count > 0 {
            let _ = writeln!(text, "{}", paint(DOUBT, format!("{count} {what}")));
        }
    };
    note(lost, "events were written over before they were read");
    note(
        timeline.untied as u64,
        "events stand by the order of their own rank alone: what they belong to is not known, or does not fit",
    );
    note(
        timeline.left_out as u64,
        "events contradict others of their rank and are left out",
    );
    text
}

/// One event as a line of text, with its time since `begun`, in nanoseconds since the epoch.
#[must_use]
pub fn timeline_line(happening: &Happening<'_>, begun: i64) -> String {
    let seconds = happening.time.saturating_sub(begun) as f64 / 1e9;
    format!("{seconds:>14.6} s  {}", words(happening))
}

/// What happens in an event, to whom and after what.
pub(crate) fn words(happening: &Happening<'_>) -> String {
    in_words(happening, paint)
}

fn in_words(happening: &Happening<'_>, painted: fn(Style, String) -> String) -> String {
    let operation = happening.operation.as_deref().map_or("a signal".into(), clean);
    let step = match happening.step {
        Step::Begins => "enters",
        Step::Ends => "leaves",
        Step::Starts => "starts",
        Step::Completes => "completes",
        Step::Signals => "gives",
    };
    let with = match happening.tie {
        Tie::None => String::new(),
        Tie::To(rank, tag) => format!(" to rank {rank}{}", tag_words(tag)),
        Tie::From(rank, tag) => format!(" from rank {rank}{}", tag_words(tag)),
        Tie::Enters(ordinal, _) | Tie::Leaves(ordinal, _) => format!(", number {ordinal}"),
    };
    let mut line = format!("rank {:<4} {step} {operation}{with}", happening.rank);
    if let Some((rank, _, time)) = happening.cause {
        let after = happening.time.saturating_sub(time) as f64 / 1e9;
        line.push_str(&painted(FAINT, format!(", {after:.6} s after rank {rank}")));
    }
    if let Some(doubt) = doubt(happening) {
        line.push_str("  ");
        line.push_str(&painted(DOUBT, doubt.to_owned()));
    }
    line
}

/// What happens in an event, to whom and after what, without styles.
#[must_use]
pub fn event_words(happening: &Happening<'_>) -> String {
    in_words(happening, |_, words| words)
}

/// The tag of a message; a signal has none.
pub(crate) fn tag_words(tag: Option<i64>) -> String {
    tag.map_or(String::new(), |tag| format!(" (tag {tag})"))
}

/// What is wrong with the order around an event.
pub(crate) fn doubt(happening: &Happening<'_>) -> Option<&'static str> {
    let standing = happening.standing;
    match standing.missing {
        Missing::Gone => return Some("what it follows was not recorded"),
        Missing::Late => return Some("what it follows was not read"),
        Missing::Cycle => return Some("what it follows is said to follow it"),
        Missing::Nothing => {}
    }
    if standing.overtaken {
        return Some("what follows it stands above");
    }
    (standing.lost_before > 0).then_some("events of this rank before it were not read")
}

#[derive(Serialize)]
struct HeadJson<'t> {
    schema: &'static str,
    version: u32,
    events: usize,
    untied: usize,
    left_out: usize,
    ranks: Vec<LaneJson<'t>>,
    communicators: BTreeMap<String, &'t [u32]>,
}

#[derive(Serialize)]
struct LaneJson<'t> {
    rank: u32,
    host: &'t str,
    lost: u64,
}

fn step_word(step: Step) -> &'static str {
    match step {
        Step::Begins => "begins",
        Step::Ends => "ends",
        Step::Starts => "starts",
        Step::Completes => "completes",
        Step::Signals => "signals",
    }
}

/// The wire form of an event.
pub(crate) fn event_json<'t>(happening: &'t Happening<'_>) -> Event<'t> {
    let standing = happening.standing;
    let event = Event {
        rank: happening.rank,
        sequence: happening.sequence,
        thread: happening.thread,
        time_ns: happening.time,
        local_ns: happening.local,
        step: step_word(happening.step).into(),
        operation: happening.operation.as_deref().map(Into::into),
        communicator: happening.communicator.map(identity_word),
        cause: happening.cause.map(|(rank, sequence, time_ns)| Cause {
            rank,
            sequence,
            time_ns,
        }),
        missing: match standing.missing {
            Missing::Nothing => None,
            Missing::Gone => Some("gone".into()),
            Missing::Late => Some("late".into()),
            Missing::Cycle => Some("cycle".into()),
        },
        overtaken: standing.overtaken,
        lost_before: standing.lost_before,
        ..Event::default()
    };
    match happening.tie {
        Tie::None => event,
        Tie::To(rank, tag) => Event {
            to: Some(rank),
            tag,
            ..event
        },
        Tie::From(rank, tag) => Event {
            from: Some(rank),
            tag,
            ..event
        },
        Tie::Enters(ordinal, root) => Event {
            enters: Some(ordinal),
            root,
            ..event
        },
        Tie::Leaves(ordinal, root) => Event {
            leaves: Some(ordinal),
            root,
            ..event
        },
    }
}

fn identity_word(identity: u64) -> String {
    format!("{identity:016x}")
}

/// The members of communicators, as programs read them.
fn communicators<'t>(timeline: &'t Timeline<'_>) -> BTreeMap<String, &'t [u32]> {
    let all = timeline.communicators.iter();
    all.map(|(identity, members)| (identity_word(*identity), &**members))
        .collect()
}

/// JSON Lines: an object about the whole, then one for each event, in causal order (`docs/causal.md`).
#[must_use]
pub fn timeline_jsonl(timeline: &Timeline<'_>) -> String {
    let lanes = timeline.lanes.iter().map(|lane| LaneJson {
        rank: lane.rank,
        host: lane.host,
        lost: lane.lost,
    });
    let head = HeadJson {
        schema: EVENTS_SCHEMA,
        version: VERSION,
        events: timeline.happenings.len(),
        untied: timeline.untied,
        left_out: timeline.left_out,
        ranks: lanes.collect(),
        communicators: communicators(timeline),
    };
    let mut text = String::new();
    push_line(&mut text, &head);
    for happening in &timeline.happenings {
        push_line(&mut text, &event_json(happening));
    }
    text
}

/// One event as a line of the JSON Lines.
#[must_use]
pub fn timeline_json_line(happening: &Happening<'_>) -> String {
    let mut text = String::new();
    push_line(&mut text, &event_json(happening));
    text
}

fn push_line(text: &mut String, value: &impl Serialize) {
    // Numbers, strings and maps of them are always JSON.
    text.push_str(&serde_json::to_string(value).unwrap_or_default());
    text.push('\n');
}

/// A trace in Chrome's format: a process for each rank, a slice for each call, an arrow for each message. What has not ended has no end.
#[must_use]
pub fn timeline_perfetto(timeline: &Timeline<'_>) -> String {
    let happenings = timeline.happenings.iter();
    let mut trace = Trace {
        begun: happenings.clone().map(|each| each.time).min().unwrap_or(0),
        open: BTreeMap::new(),
        text: String::from("{\"displayTimeUnit\":\"ns\",\"traceEvents\":["),
        arrows: BTreeMap::new(),
    };
    // Perfetto takes numbers alone for ids.
    for (id, sent) in (1..).zip(happenings.filter_map(sent_by)) {
        trace.arrows.insert(sent, id);
    }
    for lane in &timeline.lanes {
        let name = format!("rank {} on {}", lane.rank, clean(lane.host));
        trace.push(&json!({"ph": "M", "name": "process_name", "pid": lane.rank, "args": {"name": name}}));
        trace.push(&json!({"ph": "M", "name": "process_sort_index", "pid": lane.rank, "args": {"sort_index": lane.rank}}));
    }
    for happening in &timeline.happenings {
        trace.add(happening);
    }
    // What a reader needs who orders the events anew.
    let other = json!({"communicators": communicators(timeline)});
    let _ = writeln!(trace.text, "\n],\"otherData\":{other}}}");
    trace.text
}

struct Trace {
    begun: i64,
    /// The names of calls that have begun and not ended, by rank and thread.
    open: BTreeMap<(u32, u32), Vec<String>>,
    text: String,
    /// The ids of arrows, by the sends that they lead from: of those whose receive is there.
    arrows: BTreeMap<(u32, u64), u64>,
}

impl Trace {
    fn push(&mut self, event: &Value) {
        if !self.text.ends_with('[') {
            self.text.push(',');
        }
        let _ = write!(self.text, "\n{event}");
    }

    fn add(&mut self, happening: &Happening<'_>) {
        let place = Place {
            pid: happening.rank,
            tid: happening.thread.unwrap_or(0),
            ts: happening.time.saturating_sub(self.begun) as f64 / 1e3,
        };
        if happening.standing.lost_before > 0 {
            self.end_all(place);
        }
        let name = happening.operation.as_deref().map_or("signal".into(), clean);
        let args = serde_json::to_value(event_json(happening)).unwrap_or_default();
        let calls = self.open.entry((place.pid, place.tid)).or_default();
        let ended = (happening.step == Step::Ends).then(|| calls.pop()).flatten();
        match (happening.step, ended) {
            (Step::Begins, _) => {
                calls.push(name.clone().into_owned());
                self.push(&place.begins(&name, &args));
                self.arrows(happening, place);
            }
            (_, Some(begun)) => {
                self.arrows(happening, place);
                self.push(&place.ends(&begun, &json!({"end": args})));
            }
            (step, None) => {
                let name = format!("{name} {}", step_word(step));
                self.push(&json!({"ph": "i", "s": "t", "cat": "mpi", "name": name, "pid": place.pid, "tid": place.tid, "ts": place.ts, "args": args}));
                self.arrows(happening, place);
            }
        }
    }

    /// Events of a rank are lost: what its calls have come to is not known.
    fn end_all(&mut self, place: Place) {
        let own = self.open.range_mut((place.pid, 0)..=(place.pid, u32::MAX));
        let ended: Vec<(u32, String)> = own
            .flat_map(|((_, tid), calls)| calls.drain(..).rev().map(|name| (*tid, name)))
            .collect();
        for (tid, name) in ended {
            self.push(&Place { tid, ..place }.ends(&name, &json!({})));
        }
    }

    /// The id of the arrow that leads from here, if its other end is there.
    fn arrow_to(&self, happening: &Happening<'_>) -> Option<u64> {
        let own = (happening.rank, happening.sequence);
        let is_sent = matches!(happening.tie, Tie::To(..));
        self.arrows.get(&own).copied().filter(|_| is_sent)
    }

    /// The id of the arrow that leads to here.
    fn arrow_from(&self, happening: &Happening<'_>) -> Option<u64> {
        self.arrows.get(&sent_by(happening)?).copied()
    }

    /// The ends of arrows that are here. Viewers lead arrows from slices to slices, and Perfetto from the one that begins first: so each end is a slice of its own, which lasts no time. A receive
    /// may begin long before the send of its message.
    fn arrows(&mut self, happening: &Happening<'_>, place: Place) {
        let Place { pid, tid, ts } = place;
        let (to, from) = (self.arrow_to(happening), self.arrow_from(happening));
        let (end, words) = match (happening.tie, to, from) {
            (Tie::To(rank, tag), Some(id), _) => (
                json!({"ph": "s", "cat": "message", "name": "message", "id": id, "pid": pid, "tid": tid, "ts": ts}),
                format!("to rank {rank}{}", tag_words(tag)),
            ),
            (Tie::From(rank, tag), _, Some(id)) => (
                json!({"ph": "f", "bp": "e", "cat": "message", "name": "message", "id": id, "pid": pid, "tid": tid, "ts": ts}),
                format!("from rank {rank}{}", tag_words(tag)),
            ),
            _ => return,
        };
        self.push(&place.begins(&words, &json!({})));
        self.push(&end);
        self.push(&place.ends(&words, &json!({})));
    }
}

/// Where and when an event of a trace is, in microseconds.
#[derive(Clone, Copy)]
struct Place {
    pid: u32,
    tid: u32,
    ts: f64,
}

impl Place {
    fn begins(self, name: &str, args: &Value) -> Value {
        json!({"ph": "B", "cat": "mpi", "name": name, "pid": self.pid, "tid": self.tid, "ts": self.ts, "args": args})
    }

    fn ends(self, name: &str, args: &Value) -> Value {
        json!({"ph": "E", "cat": "mpi", "name": name, "pid": self.pid, "tid": self.tid, "ts": self.ts, "args": args})
    }
}

/// The send, by its rank and number, whose message is received here.
fn sent_by(happening: &Happening<'_>) -> Option<(u32, u64)> {
    let (rank, sequence, _) = happening.cause?;
    matches!(happening.tie, Tie::From(..)).then_some((rank, sequence))
}
