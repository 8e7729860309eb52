//! The answer that `find --format json` wrote, as the stacks that it holds.
//!
//! The editor needs stacks, and the order is not to be believed from a file but found again: each class gives its tasks
//! the stack of its first. A value that differs between them is known of the first alone, and is left out.

use base::RankSet;
use engine::Answer;
use project::Failure;
use report::json::{AnswerJson, FrameJson};
use serde::Deserialize as _;
use snapshot::{Frame, Task, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// What a report tells.
pub(crate) struct Told {
    pub(crate) tasks: Vec<Task>,
    pub(crate) missing: RankSet,
    /// The ranks that it calls hindmost, class by class.
    hindmost: Vec<String>,
}

/// No job is larger; what says so is damaged.
const MOST_TASKS: u64 = 1 << 24;

pub(crate) fn read(path: &Path) -> anyhow::Result<Told> {
    let text = project::read_text(path)?;
    let wrong = |what: String| Failure::new(format!("{}: {what}", path.display()));
    let report: AnswerJson<'_> =
        serde_json::from_str(&text).map_err(|error| wrong(format!("not an answer of hindmost: {error}")))?;
    if report.schema != "hindmost-answer" || report.version != 1 {
        let what = format!(
            "{} version {}, not hindmost-answer version 1",
            report.schema, report.version
        );
        return Err(wrong(what).hint("`find --format json` writes it").into());
    }
    let ranks = |text: &str| {
        let set: RankSet = text
            .parse()
            .map_err(|_| wrong(format!("'{text}' are no ranks")))?;
        if set.len() <= MOST_TASKS {
            Ok(set)
        } else {
            Err(wrong(format!("{} tasks", set.len())))
        }
    };
    let mut tasks = Vec::new();
    for class in &report.classes {
        let frames = Vec::from_iter(class.frames.iter().map(frame));
        let task = |task: String, rank| Task {
            task,
            rank,
            frames: frames.clone(),
            ..Task::default()
        };
        // One task stands for the class; the others add nothing but their numbers.
        tasks.extend(
            ranks(&class.ranks)?
                .iter()
                .map(|rank| task(rank.to_string(), Some(rank))),
        );
        tasks.extend(class.tasks.iter().map(|name| task(name.clone(), None)));
    }
    Ok(Told {
        tasks,
        missing: ranks(&report.missing_ranks)?,
        hindmost: report
            .hindmost
            .into_iter()
            .map(|hindmost| hindmost.ranks)
            .collect(),
    })
}

fn frame(frame: &FrameJson<'_>) -> Frame {
    let value = |(name, value): (&Cow<'_, str>, &serde_json::Value)| {
        let value = Value::deserialize(value).ok()?;
        Some((name.clone().into_owned(), value))
    };
    let mut values: BTreeMap<String, Value> = frame.values.iter().filter_map(value).collect();
    values.retain(|name, _| !frame.differing.contains(name));
    let owned = |text: &Option<Cow<'_, str>>| text.clone().map(Cow::into_owned);
    Frame {
        function: frame.function.clone().into_owned(),
        file: owned(&frame.file),
        line: frame.line,
        column: frame.column,
        values,
        inlined: frame.inlined,
        module: owned(&frame.module),
        ..Frame::default()
    }
}

impl Told {
    /// What to say when the order found here is another one.
    pub(crate) fn disagrees_with(&self, answer: &Answer) -> Option<String> {
        let found = answer
            .hindmost
            .iter()
            .map(|hindmost| &answer.classes[hindmost.class].who);
        let mut found = Vec::from_iter(found.map(|who| who.ranks.to_string()));
        let mut told = self.hindmost.clone();
        found.sort_unstable();
        told.sort_unstable();
        (found != told).then(|| {
            let names = |ranks: &[String]| match ranks {
                [] => "nobody".to_owned(),
                some => format!("ranks {}", some.join(" and ")),
            };
            format!(
                "the report names {} as hindmost, its stacks and this map name {}: values that differ within a class are not in \
                 a report, so take the snapshot (find --save) instead",
                names(&told),
                names(&found)
            )
        })
    }
}
