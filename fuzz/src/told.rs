//! Files of events of other tools, all the way to a timeline and back.

use engine::timeline::{Happening, Tie, timeline_of};
use foreign::events::{Format, format_of, read};
use std::collections::BTreeMap;

/// Any text is events or an error with a line that it has, whatever tool it is said to be of. Each event is put out once, nothing acts on a terminal, and what is exported is read as the same.
pub(crate) fn told(bytes: &[u8]) {
    let _ = format_of(bytes);
    let text = String::from_utf8_lossy(bytes);
    for format in [Format::Otf2, Format::Chrome, Format::Lines, Format::Otf2Archive] {
        check(format, &text);
    }
}

fn check(format: Format, text: &str) {
    let trace = match read(format, text) {
        Ok(trace) => trace,
        Err(error) => {
            assert!(!error.reason.is_empty());
            assert!(
                (1..=text.lines().count().max(1) + 1).contains(&error.line),
                "{error}"
            );
            return;
        }
    };
    let timeline = timeline_of(&trace);
    assert_eq!(timeline.happenings.len() + timeline.left_out, trace.events.len());
    let said = report::timeline_text(&timeline, None);
    let foreign = said
        .chars()
        .find(|c| c.is_control() && !matches!(c, '\n' | '\u{1b}'));
    assert_eq!(foreign, None, "{said:?}");
    let is_in_order = timeline
        .happenings
        .iter()
        .all(|happening| happening.standing.is_in_order());
    for (format, written) in [
        (Format::Lines, report::timeline_jsonl(&timeline)),
        (Format::Chrome, report::timeline_perfetto(&timeline)),
    ] {
        if format == Format::Chrome && timeline.happenings.is_empty() {
            continue;
        }
        let again = read(format, &written).unwrap_or_else(|error| panic!("{error}\n{written}"));
        let again = timeline_of(&again);
        assert_eq!(
            events(&timeline.happenings),
            events(&again.happenings),
            "{written}"
        );
        if is_in_order {
            assert_eq!(
                causes(&timeline.happenings),
                causes(&again.happenings),
                "{written}"
            );
        }
    }
}

type Key = (u32, u64);

/// What each event is.
fn events(happenings: &[Happening<'_>]) -> BTreeMap<Key, (String, Tie, i64)> {
    let each = happenings.iter().map(|happening| {
        let what = format!("{:?} {:?}", happening.step, happening.operation);
        (
            (happening.rank, happening.sequence),
            (what, happening.tie, happening.local),
        )
    });
    each.collect()
}

/// What each comes after.
fn causes(happenings: &[Happening<'_>]) -> BTreeMap<Key, Option<Key>> {
    let each = happenings.iter().map(|happening| {
        let cause = happening.cause.map(|(rank, sequence, _)| (rank, sequence));
        ((happening.rank, happening.sequence), cause)
    });
    each.collect()
}

/// One of each kind.
pub(crate) fn seeds() -> Vec<(String, Vec<u8>)> {
    let seeds = [
        ("otf2", include_str!("../../foreign/src/events/tests/archive.txt")),
        (
            "chrome",
            include_str!("../../foreign/src/events/tests/flows.json"),
        ),
        (
            "lines",
            include_str!("../../foreign/src/events/tests/lines.jsonl"),
        ),
    ];
    let seeds = seeds.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
    seeds.to_vec()
}
