//! Recorded stacks, all the way to an answer; and process tables.

use crate::seeds;
use base::RankSet;
use engine::{Analysis, Earlier, Wanted};
use report::{Form, Names};
use runtime_probe::{ProcessTable, hostile};
use std::time::Duration;

/// Any text is a snapshot or an error with a line; what is read is written as it was, and answered.
pub(crate) fn recorded(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    table(&text);
    let (header, tasks) = match snapshot::read(&text) {
        Ok(read) => read,
        Err(error) => {
            assert!(error.line > 0 && !error.reason.is_empty());
            return;
        }
    };
    let written = snapshot::write(&header, &tasks);
    let again = snapshot::read(&written).map(|(_, tasks)| tasks);
    assert!(again.as_ref().is_ok_and(|again| *again == tasks), "{again:?}");

    // Of two halves the first may be taken for what the tasks did a moment before.
    let earlier = Earlier {
        tasks: &tasks[..tasks.len() / 2],
        elapsed: Duration::from_secs(1),
    };
    for earlier in [None, Some(earlier)] {
        let analysis = Analysis::new(&seeds::SMALL, &tasks, RankSet::default()).since(earlier);
        let findings = analysis.findings(&Wanted {
            answer: true,
            explain: (tasks.len() >= 2).then_some((0, 1)),
            tree: None,
        });
        let written = |form| report::write(&findings, form, &|_| None).unwrap_or_default();
        let said = written(Form::Answer(Names::Short));
        let foreign = said
            .chars()
            .find(|c| c.is_control() && !matches!(c, '\n' | '\u{1b}'));
        assert_eq!(foreign, None, "{said:?}");
        let json = written(Form::AnswerJson);
        assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok(), "{json}");
    }
}

/// A launcher's table has as many entries as it says and no name without a bound, or it is none.
pub(crate) fn launcher(bytes: &[u8]) {
    let Some(entries) = hostile::launcher_table(bytes) else {
        return;
    };
    let count = bytes.get(..4).and_then(|count| count.try_into().ok());
    assert_eq!(
        Some(entries.len()),
        count.map(|count| u32::from_le_bytes(count) as usize)
    );
    let longest = entries
        .iter()
        .map(|entry| entry.host.len().max(entry.executable.len()))
        .max();
    assert!(longest.is_none_or(|longest| longest < 4096 + 64), "{longest:?}");
}

/// A process table that is read is read again from what it is written as.
fn table(text: &str) {
    match ProcessTable::parse(text) {
        // What acts on a terminal in a name is escaped, once and for all.
        Ok(table) => {
            let written = table.to_text();
            let again = ProcessTable::parse(&written).unwrap();
            assert_eq!(again.to_text(), written);
            let pids = |table: &ProcessTable| {
                Vec::from_iter(table.entries.iter().map(|entry| (entry.rank, entry.pid)))
            };
            assert_eq!(pids(&again), pids(&table));
        }
        Err(error) => assert!(error.starts_with("line ")),
    }
}
