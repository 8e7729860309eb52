//! The data of a page: one block of JSON, escaped so that no text in it can end the block or act on who reads the file.

#![allow(missing_docs, reason = "docs/json-schema.md describes every field")]

use super::sets::SetTable;
use super::told::{self, MOST_TOLD, Told};
use super::{Page, PageSource, Verdict, texts};
use crate::json::{AnswerJson, HostJson, SliceJson, TreeJson, hosts_out, slice_out, tree_out, waits_out};
use crate::text::describe;
use crate::tree::ClassWaits;
use base::RankSet;
use engine::{Model, NodeKind, TaskClass, TaskSet};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;

/// In the first version every set of tasks stood wherever it was used; in the second all elements of long lists had all their fields.
const VERSION: u32 = 3;

/// The JSON of a page, ready to stand in a `script` element.
pub(super) fn block(page: &Page<'_>, verdict: &Verdict) -> String {
    let models = Model::known();
    let is_entry = |function: &str| models.iter().any(|model| model.matches(function));
    let nodes = page.tree.nodes.iter().enumerate();
    let told = Told::of(page);
    let table = RefCell::new(SetTable::of_sets(told_sets(page, &told)));
    let say = |tasks: &TaskSet| table.borrow_mut().say(RankSet::from(tasks));
    let answer = page.answer.map(|answer| {
        let mut answer = told.answer(answer);
        answer.each_set(&mut |text| {
            if let Ok(set) = text.parse() {
                *text = table.borrow_mut().say(set);
            }
        });
        answer
    });
    let waits = ClassWaits::of(page.tree, page.waiting);
    let waits = |class: usize| match class {
        ..MOST_TOLD => waits.of_class(class),
        _ => &[],
    };
    let mut tree = tree_out(page.tree, &waits, page.warnings, &say);
    // Where there is an answer, that has it.
    tree.waits = page.waiting.filter(|_| page.answer.is_none()).map(|waiting| {
        let mut waits = waits_out(waiting, &waiting.involved());
        waits.keep_nodes(MOST_TOLD);
        waits
    });
    let hosts = hosts_out(page.hosts, &say);
    let data = PageJson {
        schema: "hindmost-page".into(),
        version: VERSION,
        verdict: verdict.tone.into(),
        answer,
        sentences: page
            .answer
            .map(|answer| {
                let classes = answer.classes.iter().enumerate();
                let sentence = |(at, class): (usize, &TaskClass)| {
                    if told.is_told(at) {
                        describe(&class.position)
                    } else {
                        String::new()
                    }
                };
                classes.map(sentence).collect()
            })
            .unwrap_or_default(),
        tree,
        about: about(page),
        entries: nodes
            .filter(|(_, node)| node.kind == NodeKind::Frame && is_entry(&node.function))
            .map(|(id, _)| id)
            .collect(),
        hosts,
        slice: page.slice.map(|slice| slice_out(slice, page.slice_steps)),
        sources: page.sources.into(),
        sets: table.into_inner().into_texts(),
        // Written when all of it is there.
        texts: Vec::new(),
    };
    // Only a map with keys that are no strings could make this fail; there is none.
    let mut data = serde_json::to_value(&data).unwrap_or(Value::Null);
    told::shorten(&mut data["answer"]);
    keep_exact(&mut data);
    texts::share(&mut data);
    // The serializer puts no white space between values.
    escape(&data.to_string())
}

/// The sets that stand at many places of a page: those of the tree's nodes, and those of the classes of which something is said.
fn told_sets<'a>(page: &'a Page<'_>, told: &'a Told) -> impl Iterator<Item = RankSet> + 'a {
    // Sets of nodes are numbered as they first occur.
    let mut sets = 0..;
    let mut next = sets.next();
    let nodes = page.tree.nodes.iter().filter(move |node| {
        let is_new = Some(node.color) == next;
        if is_new {
            next = sets.next();
        }
        is_new
    });
    let classes = page.answer.iter().flat_map(|answer| &answer.classes).enumerate();
    let classes = classes.filter(|(at, _)| told.is_told(*at));
    nodes
        .map(|node| RankSet::from(&node.tasks))
        .chain(classes.map(|(_, class)| class.who.ranks.clone()))
}

/// What a page knows. The script reads this and nothing else.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PageJson<'a> {
    pub schema: Cow<'a, str>,
    pub version: u32,
    pub verdict: Cow<'a, str>,
    pub answer: Option<AnswerJson<'a>>,
    /// Of each class of the answer: what it does where.
    pub sentences: Vec<String>,
    pub tree: TreeJson<'a>,
    /// Nodes that are the entry to MPI, threads or OpenMP: below them nobody looks.
    pub entries: Vec<usize>,
    pub about: AboutJson<'a>,
    pub hosts: Vec<HostJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slice: Option<SliceJson<'a>>,
    pub sources: Cow<'a, [PageSource]>,
    pub sets: Vec<String>,
    pub texts: Vec<String>,
}

impl PageJson<'static> {
    /// Reads the data of a page, with its long texts where they are meant.
    ///
    /// # Errors
    /// It is no JSON of that form, or means texts that it does not have.
    pub fn read(data: &str) -> Result<Self, BadPage> {
        let mut page: Value = serde_json::from_str(data).map_err(BadPage::Json)?;
        if page["version"].as_u64() >= Some(3) {
            texts::put_back(&mut page).map_err(|_| BadPage::Texts)?;
        }
        serde_json::from_value(page).map_err(BadPage::Json)
    }
}

/// Why data is that of no page.
#[derive(Debug)]
pub enum BadPage {
    /// It is no JSON of that form.
    Json(serde_json::Error),
    /// It means texts that it does not have, or more of them than fits into memory.
    Texts,
}

impl fmt::Display for BadPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => error.fmt(f),
            Self::Texts => f.write_str("it means texts that it does not have"),
        }
    }
}

impl std::error::Error for BadPage {}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AboutJson<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    pub job: Cow<'a, str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub host: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken: Option<u64>,
    pub programs: Vec<ProgramJson<'a>>,
    pub hindmost: Cow<'a, str>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ProgramJson<'a> {
    pub path: Cow<'a, str>,
    pub build_id: String,
}

fn job(seen: &engine::SnapshotHeader) -> String {
    match (seen.job.as_str(), seen.launcher) {
        (name, Some(pid)) => format!("{name}, pid {pid}"),
        (name, None) => name.to_owned(),
    }
}

fn about<'a>(page: &Page<'a>) -> AboutJson<'a> {
    let of_map = page.map.bindings();
    let program = |binding: &'a engine::Binding| ProgramJson {
        path: (&binding.executable).into(),
        build_id: binding
            .build_id
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect(),
    };
    let mut programs: Vec<ProgramJson<'a>> = of_map.map(program).collect();
    if programs.is_empty() {
        // Without a map of a build, what the tasks were seen to run.
        let recorded = page.tree.programs.iter();
        programs.extend(recorded.map(|path| ProgramJson {
            path: path.into(),
            build_id: String::new(),
        }));
    }
    AboutJson {
        job: job(page.seen).into(),
        host: (&page.seen.host).into(),
        taken: page.seen.taken,
        programs,
        hindmost: env!("CARGO_PKG_VERSION").into(),
    }
}

/// Integers that a browser would round become strings.
fn keep_exact(value: &mut Value) {
    const LARGEST: u64 = 1 << 53;
    match value {
        Value::Number(number) => {
            let magnitude = number.as_i64().map(i64::unsigned_abs).or(number.as_u64());
            if magnitude.is_some_and(|magnitude| magnitude > LARGEST) {
                *value = Value::String(number.to_string());
            }
        }
        // serde_json reads and writes no deeper than our own types are nested.
        Value::Array(items) => items.iter_mut().for_each(keep_exact),
        Value::Object(fields) => fields.values_mut().for_each(keep_exact),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// JSON in which no character means anything to HTML or to a terminal.
fn escape(json: &str) -> String {
    base::escape_json(json, &|c| matches!(c, '<' | '>' | '&'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_what_they_are() {
        let mut value =
            serde_json::json!({"a": [9007199254740993_i64, -9007199254740993_i64, 7, 0.5], "b": u64::MAX});
        keep_exact(&mut value);
        assert_eq!(
            value.to_string(),
            r#"{"a":["9007199254740993","-9007199254740993",7,0.5],"b":"18446744073709551615"}"#
        );
    }

    #[test]
    fn what_is_escaped_reads_back_as_it_was() {
        let text = "</script><!-- <script> &amp; \u{2028}\u{202e}\u{7f}\u{0}\u{1f600} \"\\";
        let json = escape(&Value::from(text).to_string());
        assert!(
            !json.contains(['<', '>', '&', '\u{2028}', '\u{202e}', '\u{7f}']),
            "{json}"
        );
        assert_eq!(serde_json::from_str::<String>(&json).ok().as_deref(), Some(text));
    }
}
