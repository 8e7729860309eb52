//! What there is to be seen: the tree of a job, and what an answer says of it. A file holds the same as JSON (`docs/json-schema.md`).
//!
//! The JSON may come from anywhere. `report` checks what it reads, and everything that is shown is cleaned when it is shown.

use crate::answer::Said;
use crate::attach::Processes;
use base::RankSet;
use engine::{Findings, OrderedTree};
use report::json::{AnswerJson, TreeJson};
use report::tree::{FoldedRounds, folded_rounds, waits_of_classes};
use report::{PageJson, PageSets};
use std::collections::BTreeMap;
use std::fmt;

/// The version of the page up to which its data is understood.
const NEWEST_PAGE: u32 = 3;

/// Ranges of a set in an answer that are written out: more than the widest line has room for.
const SHOWN_RANGES: usize = 24;

/// A job as it is looked at.
#[derive(Clone, Debug)]
pub struct Job {
    pub(crate) tree: OrderedTree,
    /// By node: the node after the last one below it.
    pub(crate) ends: Vec<usize>,
    /// By node: the rounds of calls that begin with it.
    pub(crate) rounds: Vec<Option<FoldedRounds>>,
    /// By node: for whom the tasks of the class wait that ends there, one sentence for each wait.
    pub(crate) waits: BTreeMap<usize, Vec<String>>,
    pub(crate) said: Said,
    pub(crate) warnings: Vec<String>,
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

impl Job {
    /// What was found, if a tree is among it.
    pub fn of_findings(mut found: Findings<'_>) -> Option<Self> {
        let tree = found.tree.take()?;
        let waits = waits_of_classes(&tree, found.who_waits());
        let said = found.answer.as_ref().map(Said::by).unwrap_or_default();
        let warnings = found.all_warnings().map(str::to_owned).collect();
        Some(Self::of(tree, waits, said, warnings))
    }

    /// Reads a tree (`hindmost-tree`), and the answer that belongs to it (`hindmost-answer`).
    ///
    /// # Errors
    /// What is wrong with the tree. An answer that is none is left out.
    pub fn from_json(tree: &str, answer: Option<&str>) -> Result<Self, BadJob> {
        let tree = serde_json::from_str(tree).map_err(not_json)?;
        let answer = answer.and_then(|text| serde_json::from_str::<AnswerJson<'_>>(text).ok());
        let answer = answer.filter(|answer| answer.schema == "hindmost-answer");
        Self::read(tree, answer.as_ref(), &PageSets::default())
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
                    *text = beginning(set.ranges(), SHOWN_RANGES);
                }
            });
        }
        let mut job = Self::read(page.tree, answer.as_ref(), &sets)?;
        job.sources = page
            .sources
            .into_owned()
            .into_iter()
            .map(|source| (source.path, source.lines.into_iter().collect()))
            .collect();
        Ok(job)
    }

    fn read(tree: TreeJson<'_>, answer: Option<&AnswerJson<'_>>, sets: &PageSets) -> Result<Self, BadJob> {
        let ordered = tree.tree(sets).map_err(|error| bad(&error.to_string()))?;
        let waits = tree.classes.into_iter().map(|class| class.waits);
        let sentences = waits.map(|waits| waits.into_iter().map(|wait| wait.sentence).collect());
        let said = answer.map(Said::read).unwrap_or_default();
        Ok(Self::of(
            ordered,
            sentences.collect(),
            said,
            tree.warnings.into_owned(),
        ))
    }

    /// `waits` are those of each class of the tree.
    fn of(tree: OrderedTree, waits: Vec<Vec<String>>, said: Said, warnings: Vec<String>) -> Self {
        let mut ends = vec![0; tree.nodes.len()];
        for (id, node) in tree.nodes.iter().enumerate().rev() {
            ends[id] = node.children.last().map_or(id + 1, |&last| ends[last]);
        }
        let classes = tree.classes.iter().map(|class| class.node);
        Self {
            ends,
            rounds: folded_rounds(&tree),
            waits: classes.zip(waits).collect(),
            said,
            warnings,
            sources: BTreeMap::new(),
            processes: None,
            tree,
        }
    }

    /// The files whose source would be shown.
    pub fn files(&self) -> Vec<&str> {
        let mut files: Vec<&str> = self
            .tree
            .nodes
            .iter()
            .filter_map(|node| node.file.as_deref())
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

/// The first so many ranges of a set, with a sign where more follow.
pub(crate) fn beginning(ranges: &[(u32, u32)], most: usize) -> String {
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
