//! All that one output shows of a job, in one piece.

use crate::{Answer, Explanation, Map, OrderedTree, Slice, TaskSet};

/// What was found about a job. What nobody asked for, or is not known, is `None` or empty.
#[derive(Clone, Debug)]
pub struct Findings<'a> {
    /// The map that the tasks were held against.
    pub map: &'a Map,
    /// Who is behind.
    pub answer: Option<Answer>,
    /// How two tasks stand to each other.
    pub explanation: Option<Explanation>,
    /// The prefix tree of the stacks.
    pub tree: Option<OrderedTree>,
    /// Statements that had an influence.
    pub slice: Option<Slice>,
    /// What the slice is of, for its title.
    pub slice_of: String,
    /// The tasks of each host, as far as they are known.
    pub hosts: Vec<(String, TaskSet)>,
    /// Which job it is, and when it was looked at, as far as that was recorded.
    pub seen: snapshot::Header,
    /// What else the reader should know, besides the answer's own warnings.
    pub warnings: Vec<String>,
}

impl<'a> Findings<'a> {
    /// Nothing yet.
    pub fn of_map(map: &'a Map) -> Self {
        Self {
            map,
            answer: None,
            explanation: None,
            tree: None,
            slice: None,
            slice_of: "what may have brought the hindmost there".to_owned(),
            hosts: Vec::new(),
            seen: snapshot::Header::default(),
            warnings: Vec::new(),
        }
    }

    /// What the reader should know, the answer's own warnings included.
    pub fn all_warnings(&self) -> impl Iterator<Item = &str> {
        let of_answer = self.answer.iter().flat_map(|answer| &answer.warnings);
        self.warnings.iter().chain(of_answer).map(String::as_str)
    }
}
