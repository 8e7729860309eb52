//! What an answer says above the tree: who is named and why, or why nobody is.

use engine::Answer;
use report::json::{AnswerJson, HindmostJson, answer_of_classes};
use report::{Names, sentence_of_values};

/// How many hindmost are named, and of each how many it is behind: what the first lines have room for.
const MOST: usize = 2;

/// The sentences of an answer, as long as they are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    pub(crate) hindmost: Vec<Named>,
    /// Why nobody is named.
    pub(crate) undecided: Option<String>,
    pub(crate) warnings: Vec<String>,
}

/// A hindmost class.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    /// Who it is, and where.
    pub(crate) sentence: String,
    /// Behind whom it is, and why.
    pub(crate) behind: Vec<String>,
}

impl Said {
    /// What an answer says that was found just now.
    pub(crate) fn by(answer: &Answer) -> Self {
        let named = answer.hindmost.iter().take(MOST);
        let links = named.flat_map(|one| one.ahead.iter().take(MOST));
        let shown = Vec::from_iter(links.map(|link| link.other));
        Self::read(&answer_of_classes(answer, None, &|class| shown.contains(&class)))
    }

    /// What an answer says that was written down.
    pub(crate) fn read(answer: &AnswerJson<'_>) -> Self {
        let behind = match answer.hindmost.len() {
            1 => MOST,
            _ => 1,
        };
        let named = answer.hindmost.iter().take(MOST);
        let first = answer.undecided.first().filter(|_| answer.hindmost.is_empty());
        Self {
            hindmost: named.map(|one| Named::read(one, behind, answer)).collect(),
            undecided: first.map(|pair| pair.reason.clone().into_owned()),
            warnings: answer.warnings.to_vec(),
        }
    }
}

impl Named {
    fn read(hindmost: &HindmostJson<'_>, most: usize, answer: &AnswerJson<'_>) -> Self {
        let function = Names::Short.of(&hindmost.function, hindmost.qualified.as_deref());
        let what = match (&hindmost.callee, &*hindmost.activity) {
            (Some(callee), "blocked") => format!("blocked in {callee} called from {function}"),
            (Some(callee), _) => format!("in {callee} called from {function}"),
            (None, _) => format!("computing in {function}"),
        };
        let values = hindmost
            .iteration
            .iter()
            .map(|each| format!("{}={}", each.variable, each.value));
        let values = sentence_of_values(&Vec::from_iter(values));
        let comma = if values.is_empty() { "" } else { ", " };
        let sentence = format!(
            "{}, {what} at {}:{}{comma}{values}",
            who(&hindmost.ranks, &hindmost.tasks),
            base::last_component(&hindmost.file),
            hindmost.line,
        );
        let behind = hindmost.behind.iter().take(most).map(|behind| {
            let tasks = answer.classes.get(behind.class).map(|class| &*class.tasks);
            let other = who(&behind.ranks, tasks.unwrap_or_default());
            format!("{other}: {}", behind.reason)
        });
        Self {
            sentence,
            behind: behind.collect(),
        }
    }
}

/// A list of ranks is cut: the tree has all.
fn who(ranks: &str, tasks: &[String]) -> String {
    const MOST: usize = 32;
    let whole = match ranks {
        "" => format!("task {}", tasks.join(", ")),
        ranks if ranks.contains([',', '-']) => format!("ranks {ranks}"),
        rank => format!("rank {rank}"),
    };
    match whole.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &whole[..end]),
        None => whole,
    }
}
