//! The data of a page: one block of JSON, escaped so that no text in it can end the block or act on who reads the file.

#![allow(missing_docs, reason = "docs/json-schema.md describes every field")]

use super::sets::SetTable;
use super::{Page, PageSource, Verdict};
use crate::json::{AnswerJson, SliceJson, TreeJson, answer_out, slice_out, tree_out};
use crate::text::describe;
use base::RankSet;
use engine::{Model, NodeKind, TaskSet};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::cell::RefCell;

/// In the first version every set of tasks stood wherever it was used.
const VERSION: u32 = 2;

/// The JSON of a page, ready to stand in a `script` element.
pub(super) fn block(page: &Page<'_>, verdict: &Verdict) -> String {
    let models = Model::known();
    let is_entry = |function: &str| models.iter().any(|model| model.matches(function));
    let nodes = page.tree.nodes.iter().enumerate();
    let answer = page.answer.map(|answer| bounded(answer_out(answer, None)));
    let table = RefCell::new(SetTable::of_classes(classes(page)));
    let say = |tasks: &TaskSet| table.borrow_mut().say(RankSet::from(tasks));
    let answer = answer.map(|mut answer| {
        answer.each_set(&mut |text| {
            if let Ok(set) = text.parse() {
                *text = table.borrow_mut().say(set);
            }
        });
        answer
    });
    let tree = tree_out(page.tree, page.warnings, &say);
    let hosts: Vec<HostJson<'_>> = page
        .hosts
        .iter()
        .map(|(host, tasks)| HostJson {
            host: host.into(),
            tasks: say(tasks),
        })
        .collect();
    let data = PageJson {
        schema: "hindmost-page".into(),
        version: VERSION,
        verdict: verdict.tone.into(),
        answer,
        sentences: page
            .answer
            .map(|answer| {
                answer
                    .classes
                    .iter()
                    .map(|class| describe(&class.position))
                    .collect()
            })
            .unwrap_or_default(),
        tree,
        about: about(page),
        entries: nodes
            .filter(|(_, node)| node.kind == NodeKind::Frame && is_entry(&node.function))
            .map(|(id, _)| id)
            .collect(),
        hosts,
        slice: page.slice.map(slice_out),
        sources: page.sources.into(),
        sets: table.into_inner().into_texts(),
    };
    // Only a map with keys that are no strings could make this fail; there is none.
    let mut data = serde_json::to_value(&data).unwrap_or(Value::Null);
    keep_exact(&mut data);
    // The serializer puts no white space between values.
    escape(&data.to_string())
}

/// The classes that nearly all sets of the page are unions of: the answer's, or those of the stacks.
fn classes(page: &Page<'_>) -> Vec<RankSet> {
    let ends = page.tree.nodes.iter().filter(|node| node.children.is_empty());
    match page.answer {
        Some(answer) => answer
            .classes
            .iter()
            .map(|class| class.who.ranks.clone())
            .collect(),
        None => ends.map(|node| RankSet::from(&node.tasks)).collect(),
    }
}

/// Classes whose stacks the page has, and links and pairs whose reasons it has. The page and the viewer show fewer.
const MOST_TOLD: usize = 100;

/// Relations of a class that the page shows.
const MOST_RELATIONS: usize = 2;

/// Without what nobody can look at in a page of thousands of classes: the JSON has it.
fn bounded(mut answer: AnswerJson<'_>) -> AnswerJson<'_> {
    let hindmost: Vec<usize> = answer.hindmost.iter().map(|one| one.class).collect();
    for (at, class) in answer.classes.iter_mut().enumerate() {
        class.relations.truncate(MOST_RELATIONS);
        if at >= MOST_TOLD && !hindmost.contains(&at) {
            class.frames.clear();
        }
    }
    for one in &mut answer.hindmost {
        let links = one.behind.iter_mut();
        links.skip(MOST_TOLD).for_each(|link| link.reason = "".into());
    }
    for pair in answer.undecided.iter_mut().skip(MOST_TOLD) {
        pair.reason = "".into();
        pair.advice = None;
    }
    answer
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
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HostJson<'a> {
    pub host: Cow<'a, str>,
    pub tasks: String,
}

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
    let bindings = page.map.bindings();
    let program = |binding: &'a engine::Binding| ProgramJson {
        path: (&binding.executable).into(),
        build_id: binding
            .build_id
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect(),
    };
    AboutJson {
        job: job(page.seen).into(),
        host: (&page.seen.host).into(),
        taken: page.seen.taken,
        programs: bindings.map(program).collect(),
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
