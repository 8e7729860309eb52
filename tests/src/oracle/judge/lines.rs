//! A broken judge: the greater line number is further. The oracle must catch it.

use super::{Judge, Question, Unknown, Verdict};
use crate::oracle::case::Case;
use std::cmp::Ordering;

/// Orders stacks by function names and line numbers alone.
#[derive(Clone, Copy, Debug)]
pub struct LineNumbers;

impl Judge for LineNumbers {
    fn judge(&self, case: &Case, questions: &[Question]) -> Result<Vec<Vec<Verdict>>, String> {
        let answer = |question: &Question| {
            let tasks: Vec<snapshot::Task> = question
                .moments
                .iter()
                .map(|&moment| case.record(moment, question.view))
                .collect();
            question
                .pairs
                .iter()
                .map(|&(a, b)| compare(&tasks[a], &tasks[b]))
                .collect()
        };
        Ok(questions.iter().map(answer).collect())
    }
}

fn compare(a: &snapshot::Task, b: &snapshot::Task) -> Verdict {
    for (x, y) in a.frames.iter().zip(&b.frames) {
        if x.function != y.function {
            return Verdict::Unknown(Unknown::plain("different functions"));
        }
        match (x.line, x.column).cmp(&(y.line, y.column)) {
            Ordering::Less => return Verdict::Before,
            Ordering::Greater => return Verdict::After,
            Ordering::Equal => {}
        }
    }
    if a.frames.len() == b.frames.len() {
        Verdict::Equal
    } else {
        Verdict::Unknown(Unknown::plain("a prefix"))
    }
}
