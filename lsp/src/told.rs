//! The answer that `find --format json` wrote, as the stacks that it holds.
//!
//! The editor needs stacks, and the order is not to be believed from a file but found again: each class gives its tasks
//! the stack of its first. A value that differs between them is known of the first alone, and is left out.

use base::RankSet;
use engine::Answer;
use report::json::{AnswerJson, FrameJson};
use serde::Deserialize as _;
use snapshot::{Frame, Task, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// What a report tells.
pub struct Told {
    /// The tasks, each with the stack of its class.
    pub tasks: Vec<Task>,
    /// Ranks of which nothing was seen.
    pub missing: RankSet,
    /// The ranks that it calls hindmost, class by class.
    hindmost: Vec<String>,
}

/// No job is larger; what says so is damaged.
const MOST_TASKS: u64 = 1 << 24;

/// Why text does not tell of a job.
#[derive(Debug)]
pub enum ToldError {
    /// It is none of the JSON that answers are.
    NotAnAnswer(serde_json::Error),
    /// It is another document, or another version of it.
    OtherVersion(String, u32),
    /// A list of ranks is none.
    NoRanks(String),
    /// So many tasks no job has.
    TooMany(u64),
}

impl fmt::Display for ToldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnAnswer(error) => write!(f, "not an answer of hindmost: {error}"),
            Self::OtherVersion(schema, version) => {
                write!(f, "{schema} version {version}, not hindmost-answer version 1")
            }
            Self::NoRanks(text) => write!(f, "'{text}' are no ranks"),
            Self::TooMany(tasks) => write!(f, "{tasks} tasks"),
        }
    }
}

impl std::error::Error for ToldError {}

impl Told {
    /// Reads an answer as JSON.
    ///
    /// # Errors
    /// It is no answer of this version, or damaged.
    pub fn read(text: &str) -> Result<Self, ToldError> {
        let report: AnswerJson<'_> = serde_json::from_str(text).map_err(ToldError::NotAnAnswer)?;
        if report.schema != "hindmost-answer" || report.version != 1 {
            return Err(ToldError::OtherVersion(report.schema.into(), report.version));
        }
        let mut tasks = Vec::new();
        for class in &report.classes {
            let frames = snapshot::Frames::from_iter(class.frames.iter().map(frame));
            let task = |task: String, rank| Task {
                task,
                rank,
                frames: frames.clone(),
                ..Task::default()
            };
            // One task stands for the class; the others add nothing but their numbers.
            let ranks = ranks(&class.ranks)?;
            tasks.extend(ranks.iter().map(|rank| task(rank.to_string(), Some(rank))));
            tasks.extend(class.tasks.iter().map(|name| task(name.clone(), None)));
        }
        let hindmost = report.hindmost.into_iter();
        Ok(Told {
            tasks,
            missing: ranks(&report.missing_ranks)?,
            hindmost: hindmost.map(|hindmost| hindmost.ranks).collect(),
        })
    }

    /// What to say when the order found here is another one.
    pub fn disagrees_with(&self, answer: &Answer) -> Option<String> {
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

fn ranks(text: &str) -> Result<RankSet, ToldError> {
    let set: RankSet = text.parse().map_err(|_| ToldError::NoRanks(text.to_owned()))?;
    if set.len() > MOST_TASKS {
        return Err(ToldError::TooMany(set.len()));
    }
    Ok(set)
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
