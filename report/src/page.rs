//! A hung job as one HTML page: the answer, the tree, the ranks, the classes and the source, in a file that needs nothing else.
//!
//! The page is a fixed document (`page/`) with the data of this job in it: the same JSON that `tree_json` and `answer_json`
//! write, and the source around the tree's places. Its script draws what the JSON says and orders nothing by itself.
//!
//! Names, paths and source lines come from a target that may be hostile. Three walls stand before them: the data stands in a
//! block that no browser executes, with every character escaped that could end it; the script puts it into the page as text
//! alone; and the page's own security policy names the hash of the one script and the one style sheet that may be
//! used, and forbids every request.

mod answer_sets;
mod data;
mod sets;
mod sources;
mod texts;
mod told;

pub use data::{AboutJson, BadPage, PageJson, ProgramJson};
pub use sets::{BadSet, PageSets};
pub use sources::{PageSource, ReadSource, page_sources};

use crate::awaited;
use crate::headline::capital;
use crate::slice::Step;
use crate::waits;
use crate::{clean, counted, text};
use base64::Engine as _;
use engine::recorded::Waiting;
use engine::{Answer, Certainty, Finding, Grounds, OrderedTree, Outcome, Slice, TaskClass, TaskSet};
use sha2::{Digest as _, Sha256};

/// What a page shows.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The tree, with all that the user wants to see of it.
    pub tree: &'a OrderedTree,
    /// The answer; `None` when nothing is known about the order.
    pub answer: Option<&'a Answer>,
    /// Who waits for whom, if the job is recorded.
    pub waiting: Option<&'a Waiting>,
    /// What else the reader should know, besides the answer's own warnings.
    pub warnings: &'a [String],
    /// What may have brought the hindmost there, if somebody asked for it.
    pub slice: Option<&'a Slice>,
    /// The classes that it goes through.
    pub(crate) slice_steps: &'a [Step<'a>],
    /// The source around the tree's places ([`page_sources`]).
    pub sources: &'a [PageSource],
    /// The tasks of each host, as far as they are known.
    pub hosts: &'a [(String, TaskSet)],
    /// Which job it is, and when it was looked at.
    pub seen: &'a engine::SnapshotHeader,
    /// The map that the tasks were held against: it names the program.
    pub map: &'a engine::Map,
}

const TEMPLATE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");

/// The script, in parts that share one scope: data first, keys last.
const SCRIPT: [&str; 9] = [
    include_str!("page/data.js"),
    include_str!("page/view.js"),
    include_str!("page/tree.js"),
    include_str!("page/node.js"),
    include_str!("page/ranks.js"),
    include_str!("page/answer.js"),
    include_str!("page/waits.js"),
    include_str!("page/slice.js"),
    include_str!("page/page.js"),
];

/// The page, as the text of a file.
pub fn page_html(page: &Page<'_>) -> String {
    let script = format!("\"use strict\";\n(() => {{\n{}}})();\n", SCRIPT.concat());
    let verdict = Verdict::of(page);
    let mut lines = String::new();
    for line in &verdict.lines {
        lines.push_str(&format!("<p class=\"who\">{}</p>\n", escape(line)));
    }
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(&script),
        hash(STYLE)
    );
    let data = data::block(page, &verdict);
    let title = format!("hindmost: {}", verdict.short());
    let places: [(&str, &str); 8] = [
        ("policy", &policy),
        ("title", &escape(&title)),
        ("tone", verdict.tone),
        ("heading", &escape(&verdict.heading)),
        ("lines", &lines),
        ("style", STYLE),
        ("data", &data),
        ("script", &script),
    ];
    filled(TEMPLATE, &places)
}

/// A template with its places filled: `{{name}}` in one pass, so that nothing that is filled in is looked into.
pub(crate) fn filled(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{")
        && let Some((name, after)) = after.split_once("}}")
    {
        out.push_str(before);
        let value = values.iter().find(|(known, _)| *known == name);
        out.push_str(value.map_or("", |(_, value)| value));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The hash by which a security policy allows a script or a style sheet.
pub(crate) fn hash(text: &str) -> String {
    base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text.as_bytes()))
}

/// Text for HTML, freed of what would reorder or hide it.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in clean(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// What stands first.
struct Verdict {
    /// `named`, `undecided` or `none`: how it is coloured.
    tone: &'static str,
    heading: String,
    /// Who it is, one sentence each.
    lines: Vec<String>,
}

/// Why nobody is named.
fn nobody(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Undecided => "Undecided: the hindmost is among these",
        Outcome::Branches => "No hindmost: the tasks are on branches that have no order",
        Outcome::AllEqual => "Nobody is behind: all tasks are at the same point of the same iteration",
        Outcome::Alone => "Nothing to compare with: one task alone has a place in the order",
        Outcome::NotPlaced => "No order: no task has a place in the map",
        Outcome::Named | Outcome::NothingReadable => "No answer: no task could be read",
    }
}

/// How many hindmost are named at the top; the rest is in the table of classes.
const NAMED: usize = 8;

impl Verdict {
    fn of(page: &Page<'_>) -> Self {
        let tasks = page.tree.nodes.first().map_or(0, |root| root.tasks.len());
        let total = counted(usize::try_from(tasks).unwrap_or(usize::MAX), "task", "tasks");
        let Some(answer) = page.answer else {
            return Self {
                tone: "none",
                heading: "No order: the page was made without a map".to_owned(),
                lines: vec![format!("{total}, as a tree of their stacks.")],
            };
        };
        let class = |at: usize| capital(&stands(&answer.classes[at]));
        let candidates = || {
            let may_be = |class: &TaskClass| class.is_candidate || class.outside.is_some();
            let all = (0..answer.classes.len()).filter(|&at| may_be(&answer.classes[at]));
            all.take(NAMED).map(class).collect()
        };
        let is_proven =
            |found: &Finding| found.grounds == Grounds::Behind && found.certainty == Certainty::Proven;
        let (tone, heading, lines) = match (answer.outcome, &answer.finding) {
            (_, Some(found)) if is_proven(found) => {
                let lines: Vec<String> = answer
                    .hindmost
                    .iter()
                    .take(NAMED)
                    .map(|one| class(one.class))
                    .collect();
                let heading = match answer.hindmost.len() {
                    1 => "The hindmost",
                    _ => "The hindmost, without an order among themselves",
                };
                ("named", heading.to_owned(), lines)
            }
            (_, Some(found)) => {
                let what = if found.grounds == Grounds::Behind {
                    " the hindmost"
                } else {
                    ""
                };
                let heading = match (found.certainty, &found.doubt) {
                    (Certainty::Proven, _) => "To be looked at".to_owned(),
                    (Certainty::Probable, Some(doubt)) => format!("Probably{what}; not proven: {doubt}"),
                    (Certainty::Probable, None) => format!("Probably{what}"),
                };
                let by_recorder = answer
                    .waiting
                    .as_ref()
                    .filter(|_| found.grounds == Grounds::Recorded);
                let said = by_recorder.map(waits::headline);
                let classes = found.classes.iter().take(NAMED).map(|&at| class(at));
                let lines = said.into_iter().chain(classes).collect();
                ("undecided", heading, lines)
            }
            (outcome @ (Outcome::Named | Outcome::NothingReadable), None) => {
                ("none", nobody(outcome).to_owned(), Vec::new())
            }
            (outcome, None) => ("undecided", nobody(outcome).to_owned(), candidates()),
        };
        let mut lines = lines;
        lines.extend(
            answer
                .awaited
                .as_ref()
                .map(|awaited| awaited::sentence(answer, awaited)),
        );
        Self { tone, heading, lines }
    }

    /// For the title of the window.
    fn short(&self) -> &str {
        match (self.tone, &self.lines[..]) {
            ("named", [first, ..]) => first,
            _ => &self.heading,
        }
    }
}

/// Who a class is and where it stands; a long list of ranks is cut, because the table of classes has all.
fn stands(class: &TaskClass) -> String {
    const MOST: usize = 48;
    let whole = text::stands(class);
    let who = class.who.to_string();
    match who.char_indices().nth(MOST) {
        Some((end, _)) if whole.starts_with(&who) => {
            let kept = who[..end].rsplit_once(',').map_or(&who[..end], |(kept, _)| kept);
            format!("{kept},… ({} tasks){}", class.who.count(), &whole[who.len()..])
        }
        _ => whole,
    }
}

#[cfg(test)]
mod tests;
