//! For programs: `hindmost-trace`.

use super::moments::moment_json;
use super::phases::phases_json;
use super::{Last, Shown};
use engine::traces::{
    Difference, Differences, Forest, Outlier, Paths, Phases, Shape, Step, Traces, View, Who,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The last events for programs.
#[must_use]
pub fn last_json(traces: &Traces, all: &[Last]) -> String {
    let threads = all.iter().map(|thread| {
        let events = thread.last.iter().map(|Shown { step, depth, moments }| {
            let mut event = match step {
                Step::Enter(function) => json!({"enters": traces.name(*function), "depth": depth}),
                Step::Exit => json!({"leaves": true, "depth": depth}),
            };
            if !moments.is_empty() {
                event["moments"] = moments.iter().map(moment_json).collect();
            }
            event
        });
        let stack = thread.stack.iter().map(|function| traces.name(*function));
        json!({"thread": who_json(thread.who), "events": thread.events, "damage": thread.damage,
            "stack": Vec::from_iter(stack), "last": Vec::from_iter(events)})
    });
    document("last", traces, &json!({"threads": Vec::from_iter(threads)}))
}

/// How often each call path was taken, for programs.
#[must_use]
pub fn paths_json(traces: &Traces, paths: &Paths) -> String {
    let threads = traces.streams.iter().map(|stream| who_json(stream.who));
    let rows = paths.all.iter().enumerate().skip(1).map(|(index, path)| {
        let counts = paths.counts.iter().map(|counts| counts[index]);
        let open = (0..paths.open.len()).filter(|thread| paths.open[*thread].contains(&index));
        let parent = path.parent.and_then(|parent| parent.checked_sub(1));
        json!({"parent": parent, "function": traces.name(path.function), "counts": Vec::from_iter(counts), "open": Vec::from_iter(open)})
    });
    let (threads, rows) = (Vec::from_iter(threads), Vec::from_iter(rows));
    document(
        "tree",
        traces,
        &json!({"threads": threads, "paths": rows, "is_cut": paths.is_cut}),
    )
}

/// What threads did, loops folded, for programs: each shape once, those within it before it.
#[must_use]
pub fn loops_json(traces: &Traces, forest: &Forest, shapes: &[Shape]) -> String {
    let threads = Vec::from_iter(traces.streams.iter().map(|stream| who_json(stream.who)));
    let mut written = Shapes::default();
    for &shape in shapes {
        written.add(traces, forest, shape);
    }
    let roots = Vec::from_iter(shapes.iter().map(|shape| written.numbers[shape]));
    let what = json!({"threads": threads, "roots": roots, "shapes": written.rows});
    document("loops", traces, &what)
}

/// Shapes as rows that name those before them by number.
#[derive(Default)]
pub(crate) struct Shapes {
    numbers: BTreeMap<Shape, usize>,
    rows: Vec<Value>,
}

impl Shapes {
    /// The row of a shape that was added.
    pub(crate) fn number(&self, shape: Shape) -> Option<usize> {
        self.numbers.get(&shape).copied()
    }

    /// All of them.
    pub(crate) fn rows(&self) -> &[Value] {
        &self.rows
    }

    /// A row for a shape and for all that is within it. A stack of our own: calls may be deeper within each other than ours may be.
    pub(crate) fn add(&mut self, traces: &Traces, forest: &Forest, root: Shape) {
        let mut pending = vec![root];
        while let Some(&shape) = pending.last() {
            let parts = match forest.view(shape) {
                View::Call(call) => call.called,
                View::Loop { body, .. } => body,
            };
            let before = pending.len();
            let is_new = |part: &&Shape| !self.numbers.contains_key(part);
            pending.extend(parts.iter().filter(is_new));
            if pending.len() > before {
                continue;
            }
            pending.pop();
            if self.numbers.contains_key(&shape) {
                continue;
            }
            let parts = Vec::from_iter(parts.iter().map(|part| self.numbers[part]));
            let row = match forest.view(shape) {
                View::Call(call) => {
                    let name = (call.function != 0).then(|| traces.name(call.function));
                    json!({"function": name, "open": call.is_open, "called": parts, "calls": forest.calls(shape)})
                }
                View::Loop { turns, .. } => {
                    json!({"turns": turns, "body": parts, "calls": forest.calls(shape)})
                }
            };
            self.numbers.insert(shape, self.rows.len());
            self.rows.push(row);
        }
    }
}

/// Differences for programs.
#[must_use]
pub fn differences_json(traces: &Traces, differences: &Differences, who: [&str; 2]) -> String {
    let one = |difference: &Difference| {
        let path = difference.path.iter();
        let path = path.map(|turn| json!({"function": traces.name(turn.function), "nth": turn.nth}));
        let counts = difference.counts.iter();
        let counts =
            counts.map(|(function, counts)| json!({"function": traces.name(*function), "counts": counts}));
        let first = difference
            .first
            .map(|function| function.map(|function| traces.name(function).to_owned()));
        json!({"path": Vec::from_iter(path), "counts": Vec::from_iter(counts), "first": first,
            "open": difference.is_open, "alike": difference.alike, "is_lag": difference.is_lag()})
    };
    let telling = differences.telling().map(one);
    let all = Vec::from_iter(differences.all.iter().map(one));
    let what = json!({"between": who, "telling": telling, "differences": all, "is_cut": differences.is_cut});
    document("diff", traces, &what)
}

/// Groups of threads that did the same, with how alike all are to each other.
#[must_use]
pub fn outliers_json(
    traces: &Traces,
    paths: &Paths,
    groups: &[Vec<usize>],
    outliers: &[Outlier],
    forest: &Forest,
    phases: &Phases,
) -> String {
    let threads = Vec::from_iter(traces.streams.iter().map(|stream| who_json(stream.who)));
    let outliers = outliers.iter().map(|outlier| {
        let deviations = outlier.deviations.iter().map(|deviation| {
            let functions = paths.functions(deviation.path).into_iter();
            let names = functions.map(|function| traces.name(function));
            json!({"path": Vec::from_iter(names), "count": deviation.count, "usual": deviation.usual})
        });
        json!({"thread": outlier.thread, "deviations": Vec::from_iter(deviations)})
    });
    let firsts = Vec::from_iter(groups.iter().filter_map(|group| group.first()));
    let alike = firsts.iter().map(|one| {
        let row = firsts.iter().map(|other| paths.similarity(**one, **other));
        Vec::from_iter(row)
    });
    let what = json!({"threads": threads, "groups": groups, "outliers": Vec::from_iter(outliers), "similarity": Vec::from_iter(alike),
        "phases": phases_json(traces, forest, phases)});
    document("outliers", traces, &what)
}

fn who_json(who: Who) -> Value {
    json!({"rank": who.rank, "pid": who.pid, "program": who.image, "thread": who.thread})
}

fn document(kind: &str, traces: &Traces, what: &Value) -> String {
    let mut all = json!({"schema": "hindmost-trace", "version": crate::json::VERSION, "kind": kind, "notes": traces.notes});
    if let (Some(all), Some(what)) = (all.as_object_mut(), what.as_object()) {
        all.extend(what.clone());
    }
    format!("{all}\n")
}
