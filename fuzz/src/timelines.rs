//! The events of a task, all the way to a timeline.

use crate::recordings;
use engine::recorded::{Record, Recording, waiting};
use engine::timeline::{Events, Source, Tie, Timeline, last_events, ring, timeline};
use recording::matches::Matches;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// The recording whose communicators and operations the events name.
static RECORDING: LazyLock<Recording> =
    LazyLock::new(|| Recording::read(&recordings::made().0).expect("a recorder has written it"));

/// Any bytes are events or an error. Those of two tasks are sorted, each of them once; nothing that is written acts on a terminal.
pub(crate) fn events(bytes: &[u8]) {
    matches(bytes);
    let read = match Events::read(bytes, bytes, 0) {
        Ok(read) => read,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let mut other = RECORDING.clone();
    other.world = other.world.map(|(rank, size)| ((rank + 1) % size.max(1), size));
    let sources = [&*RECORDING, &other].map(|recording| Source {
        recording,
        events: &read,
    });
    let timeline = timeline(&sources);
    assert_eq!(
        timeline.happenings.len() + timeline.left_out,
        2 * read.events.len()
    );
    assert!(timeline.untied + timeline.left_out <= 2 * read.events.len());
    let text = report::timeline_text(&timeline, None);
    let foreign = text
        .chars()
        .find(|c| c.is_control() && !matches!(c, '\n' | '\u{1b}'));
    assert_eq!(foreign, None, "{text:?}");
    let lines = report::timeline_jsonl(&timeline);
    assert_eq!(lines.lines().count(), timeline.happenings.len() + 1);
    for line in lines.lines() {
        assert!(serde_json::from_str::<Value>(line).is_ok(), "{line}");
    }
    check_last(bytes, &sources, &timeline);
    check_trace(&report::timeline_perfetto(&timeline));
}

/// The rules of Chrome's format: times of a thread ascend, what ends has begun, and arrows lead from within slices to within slices.
fn check_trace(text: &str) {
    let trace: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let mut threads: BTreeMap<(u64, u64), (f64, Vec<&str>)> = BTreeMap::new();
    let mut arrows: BTreeSet<u64> = BTreeSet::new();
    for event in trace["traceEvents"].as_array().expect("a list") {
        let (phase, name) = (event["ph"].as_str(), event["name"].as_str().expect("a name"));
        if phase == Some("M") {
            continue;
        }
        let number = |member: &str| event[member].as_u64().expect("a number");
        let (last, slices) = threads
            .entry((number("pid"), number("tid")))
            .or_insert((0.0, Vec::new()));
        let time = event["ts"].as_f64().expect("a time");
        assert!(*last <= time, "{event} behind {last}");
        *last = time;
        let id = || event["id"].as_u64().expect("a number, as Perfetto wants it");
        match phase {
            Some("B") => slices.push(name),
            Some("E") => assert_eq!(slices.pop(), Some(name), "{event}"),
            Some("s") => assert!(!slices.is_empty() && arrows.insert(id()), "{event}"),
            Some("f") => assert!(!slices.is_empty() && arrows.remove(&id()), "{event}"),
            Some("i") => {}
            _ => panic!("{event}"),
        }
    }
    assert!(arrows.is_empty(), "{arrows:?} lead nowhere");
}

/// Any bytes are what receives took, or an error.
fn matches(bytes: &[u8]) {
    match Matches::read(bytes) {
        Ok(read) => {
            let chosen = read.choices.iter().map(|choice| choice.chosen.len().max(1));
            let slots = read.matches.len() + chosen.sum::<usize>();
            assert!(slots <= bytes.len() / 32);
            assert_eq!(Ok(read.whose), recording::matches::whose(bytes));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// The last events are those that the whole has last, and in the same order.
fn check_last(bytes: &[u8], sources: &[Source<'_>], timeline: &Timeline<'_>) {
    let last = last_events(sources, None);
    for task in &last.tasks {
        let own = timeline.happenings.iter().filter(|each| each.rank == task.rank);
        let own = Vec::from_iter(own);
        let kept = task.events.iter().map(|event| &event.happening);
        assert!(kept.eq(own[own.len() - task.events.len()..].iter().copied()));
        let received = own.iter().rfind(|each| matches!(each.tie, Tie::From(_, Some(_))));
        assert_eq!(
            task.received.as_ref().map(|event| &event.happening),
            received.copied()
        );
    }
    let record = |source: &Source<'_>| Record {
        recording: source.recording.clone(),
        is_gone: false,
        moves: false,
        threads: None,
        now: 0,
    };
    let mut waiting = waiting(&Vec::from_iter(sources.iter().map(record)));
    waiting.last_events = Some(last);
    let text = report::waits_text(&waiting, true);
    assert!(text.contains("Last events"), "{text}");
    let json = report::waits_json(&waiting);
    assert!(serde_json::from_str::<Value>(&json).is_ok(), "{json}");
    check_copies(bytes);
}

/// Copies of parts say what the whole file says: that of the last slots of these, and all that are copied one after the other of everything.
fn check_copies(bytes: &[u8]) {
    let copied = |wanted| {
        let read = |into: &mut [u8], at: usize| {
            let part = bytes.get(at..at + into.len()).ok_or(())?;
            into.copy_from_slice(part);
            Ok::<(), ()>(())
        };
        ring::Copied::of(bytes.first_chunk()?, wanted, read).ok()
    };
    for most in [1, 5, 64] {
        let Some(last) = copied(ring::Wanted::Last(most)) else {
            return;
        };
        assert_eq!(last.events(), Events::read(bytes, bytes, last.from));
        let mut together = Events::default();
        while let Some(next) = copied(ring::Wanted::From {
            from: together.next,
            most,
        }) {
            let next = next.events().expect("a copy is a ring");
            let goes_on = next.next > together.next;
            together.events.extend(next.events);
            together.lost.extend(next.lost);
            (together.pid, together.birth, together.next) = (next.pid, next.birth, next.next);
            if !goes_on {
                break;
            }
        }
        let whole = Events::read(bytes, bytes, 0).expect("it was read before");
        assert_eq!(together.lost_count(), whole.lost_count());
        together.lost = whole.lost.clone();
        assert_eq!(together, whole);
    }
}

/// What a recorder has written, with some of each kind.
pub(crate) fn seeds() -> Vec<(String, Vec<u8>)> {
    vec![
        ("everything".to_owned(), recordings::made().1),
        ("matches".to_owned(), recordings::made_matches()),
    ]
}
