//! The answer that `find --format json` wrote, as the stacks that it holds.
//!
//! The editor needs stacks, and the order is not to be believed from a file but found again: each class gives its tasks
//! the stack of its first. A value that differs between them is known of the first alone, and is left out.

use base::RankSet;
use engine::Answer;
use project::Failure;
use serde::Deserialize;
use snapshot::{Frame, Task, Value};
use std::collections::BTreeMap;
use std::path::Path;

/// What a report tells.
pub(crate) struct Told {
    pub(crate) tasks: Vec<Task>,
    pub(crate) missing: RankSet,
    /// The ranks that it calls hindmost, class by class.
    hindmost: Vec<String>,
}

#[derive(Deserialize)]
struct Report {
    schema: String,
    version: u32,
    #[serde(default)]
    missing_ranks: String,
    hindmost: Vec<Hindmost>,
    classes: Vec<Class>,
}

#[derive(Deserialize)]
struct Hindmost {
    ranks: String,
}

#[derive(Deserialize)]
struct Class {
    ranks: String,
    #[serde(default)]
    tasks: Vec<String>,
    frames: Vec<ReportedFrame>,
}

#[derive(Deserialize)]
struct ReportedFrame {
    function: String,
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
    #[serde(default)]
    values: BTreeMap<String, Value>,
    #[serde(default)]
    differing: Vec<String>,
    #[serde(default)]
    inlined: bool,
    module: Option<String>,
}

/// No job is larger; what says so is damaged.
const MOST_TASKS: u64 = 1 << 24;

pub(crate) fn read(path: &Path) -> anyhow::Result<Told> {
    let text = project::read_text(path)?;
    let wrong = |what: String| Failure::new(format!("{}: {what}", path.display()));
    let report: Report =
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
        match set.len() <= MOST_TASKS {
            true => Ok(set),
            false => Err(wrong(format!("{} tasks", set.len()))),
        }
    };
    let mut tasks = Vec::new();
    for class in &report.classes {
        let frames = Vec::from_iter(class.frames.iter().map(ReportedFrame::frame));
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

impl ReportedFrame {
    fn frame(&self) -> Frame {
        let mut values = self.values.clone();
        values.retain(|name, _| !self.differing.contains(name));
        Frame {
            function: self.function.clone(),
            file: self.file.clone(),
            line: self.line,
            column: self.column,
            values,
            inlined: self.inlined,
            module: self.module.clone(),
            ..Frame::default()
        }
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
