//! The events of a task, all the way to a timeline.

use crate::recordings;
use engine::recorded::Recording;
use engine::timeline::{Events, Source, timeline};
use std::sync::LazyLock;

/// The recording whose communicators and operations the events name.
static RECORDING: LazyLock<Recording> =
    LazyLock::new(|| Recording::read(&recordings::made().0).expect("a recorder has written it"));

/// Any bytes are events or an error. Those of two tasks are sorted, each of them once; nothing that is written acts on a terminal.
pub(crate) fn events(bytes: &[u8]) {
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
        assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{line}");
    }
    let trace = report::timeline_perfetto(&timeline);
    assert!(
        serde_json::from_str::<serde_json::Value>(&trace).is_ok(),
        "{trace}"
    );
}

/// What a recorder has written, with some of each kind.
pub(crate) fn seeds() -> Vec<(String, Vec<u8>)> {
    vec![("everything".to_owned(), recordings::made().1)]
}
