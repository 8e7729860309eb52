//! For programs: `hindmost-trace`.

use super::Last;
use engine::traces::{Difference, Differences, Outlier, Paths, Step, Traces, Who};
use serde_json::{Value, json};

/// The last events for programs.
#[must_use]
pub fn last_json(traces: &Traces, all: &[Last]) -> String {
    let threads = all.iter().map(|thread| {
        let events = thread.last.iter().map(|(step, depth)| match step {
            Step::Enter(function) => json!({"enters": traces.name(*function), "depth": depth}),
            Step::Exit => json!({"leaves": true, "depth": depth}),
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
pub fn outliers_json(traces: &Traces, paths: &Paths, groups: &[Vec<usize>], outliers: &[Outlier]) -> String {
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
    let what = json!({"threads": threads, "groups": groups, "outliers": Vec::from_iter(outliers), "similarity": Vec::from_iter(alike)});
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
