//! What there is to be seen: a tree, and an answer if there is one, from their JSON (`docs/json-schema.md`).
//!
//! The JSON may come from anywhere. What is used as an index is checked, and everything that is shown is cleaned when it is shown.

use crate::ranges::{self, Ranges};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// A job, read from JSON.
#[derive(Clone, Debug, Default)]
pub struct Job {
    pub(crate) nodes: Vec<Node>,
    pub(crate) names: Vec<String>,
    pub(crate) are_ranks: bool,
    /// Why no hindmost is named.
    pub(crate) undecided: Option<String>,
    pub(crate) warnings: Vec<String>,
    pub(crate) answer: Option<Answer>,
    /// Source that came with it, by file.
    pub(crate) sources: BTreeMap<String, BTreeMap<u32, String>>,
}

/// Why JSON is no job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadJob {
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for BadJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for BadJob {}

/// A node of the tree. Nodes are in preorder; the first is the root.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) parent: usize,
    pub(crate) depth: usize,
    /// The node after the last one below it.
    pub(crate) end: usize,
    pub(crate) children: Vec<usize>,
    pub(crate) ranges: Ranges,
    pub(crate) said: NodeIn,
}

/// A node as the JSON has it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct NodeIn {
    parent: Option<usize>,
    pub(crate) kind: String,
    pub(crate) label: String,
    pub(crate) function: String,
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u32>,
    pub(crate) module: Option<String>,
    pub(crate) pc: Option<String>,
    pub(crate) values: Vec<ValueIn>,
    pub(crate) points: u64,
    pub(crate) tasks: String,
    pub(crate) count: u64,
    pub(crate) stacks: u64,
    #[serde(default)]
    pub(crate) samples: Vec<u64>,
    pub(crate) temporal: Option<String>,
    pub(crate) mark: String,
    pub(crate) siblings: Vec<SiblingIn>,
    pub(crate) progress: Option<f64>,
    pub(crate) color: String,
    pub(crate) hindmost: bool,
    pub(crate) same_tasks: u64,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ValueIn {
    name: String,
    value: Value,
    last: Option<Value>,
}

impl fmt::Display for ValueIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |value: &Value| match value {
            Value::String(text) => text.clone(),
            Value::Null => "?".to_owned(),
            other => other.to_string(),
        };
        write!(f, "{}={}", self.name, plain(&self.value))?;
        match &self.last {
            Some(last) => write!(f, "..{}", plain(last)),
            None => Ok(()),
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct SiblingIn {
    pub(crate) node: usize,
    pub(crate) relation: String,
    pub(crate) reason: String,
}

#[derive(Deserialize)]
struct TreeIn {
    schema: String,
    version: u32,
    tasks_are: String,
    #[serde(default)]
    names: Vec<String>,
    undecided: Option<String>,
    nodes: Vec<NodeIn>,
    #[serde(default)]
    warnings: Vec<String>,
}

/// What is shown of an answer.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Answer {
    pub(crate) hindmost: Vec<HindmostIn>,
    #[serde(default)]
    pub(crate) undecided: Vec<ReasonIn>,
    #[serde(default)]
    pub(crate) warnings: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct HindmostIn {
    pub(crate) ranks: String,
    #[serde(default)]
    pub(crate) tasks: Vec<String>,
    pub(crate) function: String,
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) activity: String,
    pub(crate) callee: Option<String>,
    #[serde(default)]
    pub(crate) iteration: Vec<LoopIn>,
    pub(crate) behind: Vec<BehindIn>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct LoopIn {
    pub(crate) variable: String,
    pub(crate) value: Value,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct BehindIn {
    pub(crate) ranks: String,
    pub(crate) reason: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ReasonIn {
    pub(crate) reason: String,
}

#[derive(Deserialize)]
struct PageIn {
    schema: String,
    tree: Value,
    answer: Value,
    #[serde(default)]
    sources: Vec<SourceIn>,
}

#[derive(Deserialize)]
struct SourceIn {
    path: String,
    lines: Vec<(u32, String)>,
}

impl Job {
    /// Reads a tree (`hindmost-tree`), and the answer that belongs to it (`hindmost-answer`).
    ///
    /// # Errors
    /// What is wrong with the tree. An answer that is none is left out.
    pub fn from_json(tree: &str, answer: Option<&str>) -> Result<Self, BadJob> {
        let tree = serde_json::from_str(tree).map_err(not_json)?;
        let answer = answer.and_then(|text| serde_json::from_str(text).ok());
        Self::from_values(tree, answer)
    }

    /// Reads the page for a browser, which holds all that this viewer shows.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn from_page(html: &str) -> Result<Self, BadJob> {
        let block = html
            .split_once("<script type=\"application/json\" id=\"data\">")
            .and_then(|(_, rest)| rest.split_once("</script>"));
        let Some((data, _)) = block else {
            return Err(bad("this HTML is no page of hindmost"));
        };
        let page: PageIn = serde_json::from_str(data).map_err(not_json)?;
        if page.schema != "hindmost-page" {
            return Err(bad("this HTML is no page of hindmost"));
        }
        let mut job = Self::from_values(page.tree, Some(page.answer))?;
        job.sources = page
            .sources
            .into_iter()
            .map(|source| (source.path, source.lines.into_iter().collect()))
            .collect();
        Ok(job)
    }

    fn from_values(tree: Value, answer: Option<Value>) -> Result<Self, BadJob> {
        let tree: TreeIn = serde_json::from_value(tree).map_err(not_json)?;
        if tree.schema != "hindmost-tree" {
            return Err(bad(&format!("'{}' is not the schema of a tree", tree.schema)));
        }
        if tree.version != 1 {
            return Err(bad(&format!(
                "version {} of the tree is newer than this program",
                tree.version
            )));
        }
        Ok(Self {
            nodes: nodes(tree.nodes)?,
            names: tree.names,
            are_ranks: tree.tasks_are == "ranks",
            undecided: tree.undecided,
            warnings: tree.warnings,
            answer: answer.and_then(|answer| serde_json::from_value(answer).ok()),
            sources: BTreeMap::new(),
        })
    }

    /// The files whose source would be shown.
    pub fn files(&self) -> Vec<&str> {
        let mut files: Vec<&str> = self
            .nodes
            .iter()
            .filter_map(|node| node.said.file.as_deref())
            .collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// Takes the lines of a file.
    pub fn add_source(&mut self, file: &str, text: &str) {
        let lines = (1..).zip(text.lines().map(str::to_owned));
        self.sources.insert(file.to_owned(), lines.collect());
    }
}

/// Nodes with what follows from their parents, if these are in preorder.
fn nodes(all: Vec<NodeIn>) -> Result<Vec<Node>, BadJob> {
    if all.is_empty() {
        return Err(bad("the tree has no node"));
    }
    let mut nodes: Vec<Node> = Vec::with_capacity(all.len());
    // The way from the root to the node before.
    let mut open: Vec<usize> = Vec::new();
    for (id, said) in all.into_iter().enumerate() {
        let parent = said.parent.unwrap_or(0);
        while let Some(&last) = open.last()
            && last != parent
        {
            nodes[last].end = id;
            open.pop();
        }
        if id > 0 && (open.is_empty() || said.parent.is_none()) {
            return Err(bad(&format!("node {id} of the tree does not follow its parent")));
        }
        let ranges = ranges::parse(&said.tasks).ok_or_else(|| {
            bad(&format!(
                "node {id} of the tree: '{}' is no set of tasks",
                said.tasks
            ))
        })?;
        if id > 0 {
            nodes[parent].children.push(id);
        }
        nodes.push(Node {
            parent,
            depth: open.len(),
            end: id + 1,
            children: Vec::new(),
            ranges,
            said,
        });
        open.push(id);
    }
    let count = nodes.len();
    for id in open {
        nodes[id].end = count;
    }
    for node in &mut nodes {
        node.said.siblings.retain(|sibling| sibling.node < count);
    }
    Ok(nodes)
}

fn bad(reason: &str) -> BadJob {
    BadJob {
        reason: reason.to_owned(),
    }
}

fn not_json(error: serde_json::Error) -> BadJob {
    bad(&format!("not a tree as hindmost writes it: {error}"))
}
