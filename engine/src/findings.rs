//! All that one output shows of a job, in one piece.

use crate::recorded::Waiting;
use crate::{Answer, Explanation, Map, OrderedTree, Slice, SliceStep, TaskSet};

/// What was found about a job. What nobody asked for, or is not known, is `None` or empty.
#[derive(Clone, Debug)]
pub struct Findings<'a> {
    /// The map that the tasks were held against.
    pub map: &'a Map,
    /// Who is behind.
    pub answer: Option<Answer>,
    /// Who waits for whom by what the tasks have recorded, where there is no answer that has it ([`Findings::who_waits`]).
    pub waiting: Option<Waiting>,
    /// How two tasks stand to each other.
    pub explanation: Option<Explanation>,
    /// The prefix tree of the stacks.
    pub tree: Option<OrderedTree>,
    /// Statements that had an influence.
    pub slice: Option<Slice>,
    /// The classes whose stacks the slice is of, in order.
    pub slice_steps: Vec<SliceStep>,
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
            waiting: None,
            explanation: None,
            tree: None,
            slice: None,
            slice_steps: Vec::new(),
            slice_of: "what may have brought the hindmost there".to_owned(),
            hosts: Vec::new(),
            seen: snapshot::Header::default(),
            warnings: Vec::new(),
        }
    }

    /// Puts what the tasks have recorded beside what their stacks say.
    pub fn beside_recordings(&mut self, waiting: Waiting) {
        match &mut self.answer {
            Some(answer) => answer.beside_recordings(waiting),
            None => self.waiting = Some(waiting),
        }
    }

    /// Who waits for whom, if the job is recorded.
    pub fn who_waits(&self) -> Option<&Waiting> {
        let of_answer = self.answer.as_ref().and_then(|answer| answer.waiting.as_ref());
        of_answer.or(self.waiting.as_ref())
    }

    /// What the reader should know, the answer's own warnings included.
    pub fn all_warnings(&self) -> impl Iterator<Item = &str> {
        let of_answer = self.answer.iter().flat_map(|answer| &answer.warnings);
        self.warnings.iter().chain(of_answer).map(String::as_str)
    }
}
