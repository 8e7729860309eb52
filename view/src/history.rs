//! What was changed, step by step, and the ways back and forth.

use crate::state::Filter;
use std::collections::BTreeSet;

/// How many steps are remembered.
const REMEMBERED: usize = 100;

/// What of a job is shown: all that a step can change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shown {
    /// What is left out.
    pub(crate) filters: Vec<Filter>,
    /// Nodes whose callees are not shown.
    pub(crate) closed: BTreeSet<usize>,
    /// Calls with the same tasks are one line.
    pub(crate) joined: bool,
    /// The node that the keys are about.
    pub(crate) selected: usize,
}

/// Steps that were taken, and steps that were taken back.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    /// What was shown before each step, and what the step did; the last one last.
    past: Vec<(Shown, String)>,
    /// What was shown behind each step that was taken back, the first to be done again last.
    future: Vec<(Shown, String)>,
}

impl History {
    /// Notes a step from `before` to `now`. What was taken back before cannot be done again.
    pub(crate) fn step(&mut self, before: Shown, now: &Shown) {
        let what = difference(&before, now);
        self.past.push((before, what));
        self.future.clear();
        if self.past.len() > REMEMBERED {
            self.past.remove(0);
        }
    }

    /// What was shown before the last step, and what that did.
    pub(crate) fn back(&mut self, now: &Shown) -> Option<(Shown, String)> {
        let (before, what) = self.past.pop()?;
        self.future.push((now.clone(), what.clone()));
        Some((before, what))
    }

    /// What was shown behind the step that was taken back last, and what that did.
    pub(crate) fn forth(&mut self, now: &Shown) -> Option<(Shown, String)> {
        let (behind, what) = self.future.pop()?;
        self.past.push((now.clone(), what.clone()));
        Some((behind, what))
    }

    /// The steps in the order in which they are taken, and how many of them have been.
    pub(crate) fn steps(&self) -> (Vec<&str>, usize) {
        let behind = self.past.iter().map(|(_, what)| what.as_str());
        let ahead = self.future.iter().rev().map(|(_, what)| what.as_str());
        (behind.chain(ahead).collect(), self.past.len())
    }
}

/// What a step did, in words.
fn difference(before: &Shown, now: &Shown) -> String {
    let has = |shown: &Shown, filter: &Filter| {
        let mut all = shown.filters.iter();
        all.any(|other| (&other.kind, &other.name) == (&filter.kind, &filter.name))
    };
    let mut said: Vec<String> = Vec::new();
    let added = now.filters.iter().filter(|filter| !has(before, filter));
    said.extend(added.map(|filter| filter.name.clone()));
    if said.is_empty() {
        let dropped = before.filters.iter().filter(|filter| !has(now, filter));
        said.extend(dropped.map(|filter| format!("no longer {}", filter.name)));
    }
    let closed = now.closed.difference(&before.closed).count();
    let opened = before.closed.difference(&now.closed).count();
    for (count, done) in [(closed, "collapsed"), (opened, "expanded")] {
        if count > 0 {
            let calls = if count == 1 { "call" } else { "calls" };
            said.push(format!("{count} {calls} {done}"));
        }
    }
    if before.joined != now.joined {
        let joined = if now.joined { "joined" } else { "no longer joined" };
        said.push(format!("calls with the same tasks {joined}"));
    }
    if said.is_empty() {
        "nothing".to_owned()
    } else {
        said.join(", ")
    }
}
