//! What a page says of an answer that has thousands of classes: no more than its script can show.
//!
//! Of a class that the page shows nowhere an empty object stands in its place, so that numbers of classes are those of the whole answer, and
//! so that the page can count what it leaves out.

use super::Page;
use crate::json::{
    AnswerJson, BehindJson, ClassJson, HindmostJson, ProbableJson, UndecidedJson, UnreadableJson,
    answer_of_classes,
};
use engine::{Answer, TaskClass};
use serde::Serialize;
use serde_json::Value;

/// Of each list, how many elements the page has, besides those that its tree leads to. The script shows fewer.
pub(super) const MOST_TOLD: usize = 100;

/// Relations of a class that the page shows.
const MOST_RELATIONS: usize = 2;

/// The classes of which a page says something.
pub(super) struct Told {
    is_told: Vec<bool>,
}

impl Told {
    pub(super) fn of(page: &Page<'_>) -> Self {
        let classes: &[TaskClass] = page.answer.map_or(&[], |answer| &answer.classes);
        let mut told = Self {
            is_told: vec![false; classes.len()],
        };
        let Some(answer) = page.answer else {
            return told;
        };
        (0..classes.len().min(MOST_TOLD)).for_each(|at| told.tell(at));
        for one in answer.hindmost.iter().take(MOST_TOLD) {
            told.tell(one.class);
            one.ahead
                .iter()
                .take(MOST_TOLD)
                .for_each(|link| told.tell(link.other));
        }
        for pair in answer.undecided.iter().take(MOST_TOLD) {
            told.tell(pair.a);
            told.tell(pair.b);
        }
        // The table of classes shows those of the tree, each with the class of the answer that its tasks are in.
        let mut class_of: Vec<(u32, usize)> = Vec::new();
        for (at, class) in classes.iter().enumerate() {
            class_of.extend(class.who.ranks.ranges().iter().map(|&(first, _)| (first, at)));
        }
        class_of.sort_unstable();
        for first in page.tree.classes.iter().filter_map(|class| class.now.first()) {
            let after = class_of.partition_point(|&(start, _)| start <= first);
            if let Some(&(_, at)) = class_of[..after].last() {
                told.tell(at);
            }
        }
        told
    }

    fn tell(&mut self, class: usize) {
        if let Some(is_told) = self.is_told.get_mut(class) {
            *is_told = true;
        }
    }

    pub(super) fn is_told(&self, class: usize) -> bool {
        self.is_told.get(class) == Some(&true)
    }

    /// The answer with these classes alone. Of a class that the tree alone leads to there is no stack: the tree has it.
    pub(super) fn answer<'a>(&self, answer: &'a Answer) -> AnswerJson<'a> {
        let mut out = answer_of_classes(answer, None, &|class| self.is_told(class));
        for (at, class) in out.classes.iter_mut().enumerate() {
            class.relations.truncate(MOST_RELATIONS);
            if at >= MOST_TOLD && !answer.hindmost.iter().take(MOST_TOLD).any(|one| one.class == at) {
                class.frames.clear();
            }
        }
        if let Some(waits) = &mut out.waits {
            waits.keep_nodes(MOST_TOLD);
        }
        empty_from(&mut out.hindmost, MOST_TOLD);
        for one in &mut out.hindmost {
            empty_from(&mut one.behind, MOST_TOLD);
        }
        empty_from(&mut out.undecided, MOST_TOLD);
        empty_from(&mut out.unreadable, MOST_TOLD);
        empty_from(&mut out.probable, MOST_TOLD);
        out
    }
}

fn empty_from<T: Default>(list: &mut [T], from: usize) {
    list.iter_mut().skip(from).for_each(|each| *each = T::default());
}

/// Writes what nothing is said of as `{}`.
pub(super) fn shorten(answer: &mut Value) {
    let Value::Object(answer) = answer else { return };
    let mut list = |name: &str, empty: Value| empty_objects(answer.get_mut(name), &empty);
    list("classes", json(&ClassJson::default()));
    list("hindmost", json(&HindmostJson::default()));
    list("undecided", json(&UndecidedJson::default()));
    list("unreadable", json(&UnreadableJson::default()));
    list("probable", json(&ProbableJson::default()));
    let empty = json(&BehindJson::default());
    for one in answer
        .get_mut("hindmost")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        empty_objects(one.get_mut("behind"), &empty);
    }
}

fn json(of: &impl Serialize) -> Value {
    // Only a map with keys that are no strings could make this fail; there is none.
    serde_json::to_value(of).unwrap_or(Value::Null)
}

fn empty_objects(list: Option<&mut Value>, empty: &Value) {
    for each in list.and_then(Value::as_array_mut).into_iter().flatten() {
        if each == empty {
            *each = Value::Object(serde_json::Map::new());
        }
    }
}
