//! What there is to be seen: a tree, and an answer if there is one, from their JSON (`docs/json-schema.md`).
//!
//! The JSON may come from anywhere. What is used as an index is checked, and everything that is shown is cleaned when it is shown.

use crate::attach::Processes;
use base::RankSet;
use report::json::{AnswerJson, NodeJson, TreeJson};
use report::{PageJson, PageSets};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The version of the page up to which its data is understood.
const NEWEST_PAGE: u32 = 3;

/// Ranges of a set in an answer that are written out: more than the widest line has room for.
const SHOWN_RANGES: usize = 24;

/// A job, read from JSON.
#[derive(Clone, Debug, Default)]
pub struct Job {
    pub(crate) nodes: Vec<Node>,
    pub(crate) names: Vec<String>,
    pub(crate) are_ranks: bool,
    /// Why no hindmost is named.
    pub(crate) undecided: Option<String>,
    pub(crate) warnings: Vec<String>,
    pub(crate) answer: Option<AnswerJson<'static>>,
    /// Source that came with it, by file.
    pub(crate) sources: BTreeMap<String, BTreeMap<u32, String>>,
    /// Its processes, if they were recorded.
    pub(crate) processes: Option<Processes>,
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
    /// Nodes with the same tasks share them.
    pub(crate) ranges: Arc<RankSet>,
    pub(crate) said: NodeJson<'static>,
    /// For whom the tasks of the class wait that ends here, one sentence for each wait.
    pub(crate) waits: Vec<String>,
}

impl Job {
    /// Reads a tree (`hindmost-tree`), and the answer that belongs to it (`hindmost-answer`).
    ///
    /// # Errors
    /// What is wrong with the tree. An answer that is none is left out.
    pub fn from_json(tree: &str, answer: Option<&str>) -> Result<Self, BadJob> {
        let tree: TreeJson<'_> = serde_json::from_str(tree).map_err(not_json)?;
        let answer = answer.and_then(|text| serde_json::from_str::<AnswerJson<'_>>(text).ok());
        let answer = answer.filter(|answer| answer.schema == "hindmost-answer");
        Self::of(tree, answer, &PageSets::default())
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
        let page = PageJson::read(data).map_err(not_json)?;
        if page.schema != "hindmost-page" {
            return Err(bad("this HTML is no page of hindmost"));
        }
        if page.version > NEWEST_PAGE {
            let version = page.version;
            return Err(bad(&format!(
                "version {version} of the page is newer than this program"
            )));
        }
        let sets = PageSets::read(&page.sets).map_err(|error| bad(&error.to_string()))?;
        let mut answer = page.answer;
        if let Some(answer) = &mut answer {
            // Of a long set the beginning is shown, so no more of it is written out.
            answer.each_set(&mut |text| {
                if let Ok(set) = sets.set(text) {
                    *text = beginning(&set, SHOWN_RANGES);
                }
            });
        }
        let mut job = Self::of(page.tree, answer, &sets)?;
        job.sources = page
            .sources
            .into_owned()
            .into_iter()
            .map(|source| (source.path, source.lines.into_iter().collect()))
            .collect();
        Ok(job)
    }

    fn of(
        tree: TreeJson<'static>,
        answer: Option<AnswerJson<'static>>,
        sets: &PageSets,
    ) -> Result<Self, BadJob> {
        if tree.schema != "hindmost-tree" {
            return Err(bad(&format!("'{}' is not the schema of a tree", tree.schema)));
        }
        if tree.version != 1 {
            return Err(bad(&format!(
                "version {} of the tree is newer than this program",
                tree.version
            )));
        }
        let mut nodes = nodes(tree.nodes, sets)?;
        for class in tree.classes {
            if let Some(node) = nodes.get_mut(class.node) {
                node.waits = class.waits.into_iter().map(|wait| wait.sentence).collect();
            }
        }
        Ok(Self {
            nodes,
            names: tree.names.into_owned(),
            are_ranks: tree.tasks_are == "ranks",
            undecided: tree.undecided.map(Cow::into_owned),
            warnings: tree.warnings.into_owned(),
            answer,
            sources: BTreeMap::new(),
            processes: None,
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
fn nodes(all: Vec<NodeJson<'static>>, sets: &PageSets) -> Result<Vec<Node>, BadJob> {
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
        // Nodes with the same tasks say the first one of them.
        let same = nodes.get(said.same_tasks);
        let ranges = match same.filter(|same| same.said.tasks == said.tasks) {
            Some(same) => Arc::clone(&same.ranges),
            None => sets
                .set(&said.tasks)
                .map_err(|error| bad(&format!("node {id} of the tree: {error}")))?,
        };
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
            waits: Vec::new(),
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

/// The first so many ranges of a set, with a sign where more follow.
pub(crate) fn beginning(set: &RankSet, most: usize) -> String {
    let ranges = set.ranges();
    let shown = ranges.iter().copied().take(most);
    let mut text = RankSet::from_ranges(shown).to_string();
    if ranges.len() > most {
        text.push_str(",…");
    }
    text
}

fn bad(reason: &str) -> BadJob {
    BadJob {
        reason: reason.to_owned(),
    }
}

fn not_json(error: impl fmt::Display) -> BadJob {
    bad(&format!("not a tree as hindmost writes it: {error}"))
}
