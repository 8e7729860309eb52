//! Recorded tasks to a prefix tree: which frames become nodes, and what of them is kept.
//!
//! What calls `main` is left out, and what a library does below the program is its entry point alone, unless the user
//! wants all frames. Of the values only those are kept that the order may read; others would part tasks that are at one
//! program point.

use super::numbers::number_of;
use super::{JobTree, TaskNames, TreeOptions};
use crate::{outside, stacks};
use base::RankSet;
use progress::{Located, Order};
use progress_map::Map;
use rayon::prelude::*;
use snapshot::Task;
use stacktree::{Granularity, Kind, Label, Number, Stack, TaskSet, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// The tree of a job's stacks. Without a map (an empty one) it holds the frames as they were recorded.
pub fn job_tree(map: &Map, tasks: &[Task], missing_ranks: &RankSet, options: &TreeOptions) -> JobTree {
    job_tree_of_samples(map, &[tasks], missing_ranks, options)
}

/// The tree of stacks that stand for many ranks each, as other tools' files have them.
pub fn alike_tree(map: &Map, stacks: &[(Task, RankSet)], options: &TreeOptions) -> JobTree {
    let mut alike: BTreeMap<u32, TaskSet> = BTreeMap::new();
    let first = |(task, ranks): &(Task, RankSet)| {
        let first = ranks.iter().next().or(task.rank);
        alike.extend(first.map(|first| (first, ranks.iter().collect())));
        Task {
            rank: first,
            ..task.clone()
        }
    };
    let tasks: Vec<Task> = stacks.iter().map(first).collect();
    let mut job = job_tree(map, &tasks, &RankSet::default(), options);
    if job.names.are_ranks() {
        job.tree = job.tree.with_tasks(|task| match alike.get(&task) {
            Some(all) if !all.is_empty() => all.clone(),
            _ => TaskSet::one(task),
        });
    }
    job
}

/// The same for several samples of one job, taken one after the other.
pub(crate) fn job_tree_of_samples(
    map: &Map,
    samples: &[&[Task]],
    missing_ranks: &RankSet,
    options: &TreeOptions,
) -> JobTree {
    let order = Order::new(map);
    let names = TaskNames::of(samples);
    let mut trees: Vec<Tree> = samples
        .iter()
        .map(|tasks| one_sample(&order, &names, tasks, options))
        .collect();
    let missing = Tree::new(&missing_stacks(&names, missing_ranks));
    let mut parts: Vec<&Tree> = trees.iter().collect();
    parts.push(&missing);
    let tree = stacktree::merge(&parts);
    if trees.len() < 2 {
        trees.clear();
    }
    JobTree {
        tree,
        names,
        samples: trees,
    }
}

/// Ranks that nobody has seen, as stacks of one node.
fn missing_stacks(names: &TaskNames, missing: &RankSet) -> Vec<Stack<'static>> {
    if !names.are_ranks() {
        return Vec::new();
    }
    let label = || Label {
        kind: Kind::Missing,
        function: "no process of these ranks was seen",
        ..Label::default()
    };
    let stack = |task| Stack {
        task,
        frames: vec![label()],
    };
    missing.iter().map(stack).collect()
}

/// So many tasks make a partial tree, as those of one node of a machine do.
const PART: usize = 256;

fn one_sample(order: &Order<'_>, names: &TaskNames, tasks: &[Task], options: &TreeOptions) -> Tree {
    let numbered: Vec<(u32, &Task)> = tasks
        .iter()
        .filter_map(|task| Some((names.number(task)?, task)))
        .collect();
    let parts: Vec<Tree> = numbered
        .par_chunks(PART)
        .map(|part| {
            let owned: Vec<(u32, Vec<Label<String>>)> = part
                .iter()
                .flat_map(|&(number, task)| {
                    stacks_of(order, task, options)
                        .into_iter()
                        .map(move |s| (number, s))
                })
                .collect();
            let borrowed: Vec<Stack<'_>> = owned
                .iter()
                .map(|(task, frames)| Stack {
                    task: *task,
                    frames: frames.iter().map(borrow).collect(),
                })
                .collect();
            Tree::new(&borrowed)
        })
        .collect();
    stacktree::merge(&parts)
}

fn borrow(label: &Label<String>) -> Label<&str> {
    Label {
        kind: label.kind,
        function: &label.function,
        file: label.file.as_deref(),
        line: label.line,
        column: label.column,
        module: label.module.as_deref(),
        pc: label.pc,
        inexact: label.inexact,
        inlined: label.inlined,
        straight: label.straight,
        values: label
            .values
            .iter()
            .map(|(name, value)| (name.as_str(), *value))
            .collect(),
    }
}

/// The stacks of a task: of its main thread, then of the others.
fn stacks_of(order: &Order<'_>, task: &Task, options: &TreeOptions) -> Vec<Vec<Label<String>>> {
    let mut stacks = vec![stack(
        order,
        &task.task,
        task.pid,
        (&task.frames, task.error.as_deref()),
        options,
    )];
    if options.threads {
        for thread in &task.threads {
            let name = format!("{} thread {}", task.task, thread.thread);
            let main = (&thread.frames[..], thread.error.as_deref());
            let mut frames = vec![Label {
                kind: Kind::Threads,
                function: "other threads".to_owned(),
                ..Label::default()
            }];
            frames.extend(stack(order, &name, Some(thread.thread), main, options));
            stacks.push(frames);
        }
    }
    stacks
}

fn stack(
    order: &Order<'_>,
    name: &str,
    pid: Option<u32>,
    (frames, error): (&[snapshot::Frame], Option<&str>),
    options: &TreeOptions,
) -> Vec<Label<String>> {
    let mut labels = Vec::new();
    if error.is_some() || frames.is_empty() {
        labels.push(Label {
            kind: Kind::Unreadable,
            function: without_number(error.unwrap_or("it has no stack"), pid),
            ..Label::default()
        });
    }
    let alone = Task {
        task: name.to_owned(),
        frames: frames.to_vec(),
        ..Task::default()
    };
    let located = order.locate(&stacks::execution_point(&alone));
    // A function of the map's name in another program is another function.
    let is_known = error.is_none() && located.frames.iter().any(|frame| frame.function.is_some());
    if options.library {
        let first = located.origin.first().copied().flatten().unwrap_or(0);
        let located_at = |index: usize| located.origin.iter().position(|&origin| origin == Some(index));
        for (index, frame) in frames.iter().enumerate().skip(first) {
            labels.push(match located_at(index).filter(|_| is_known) {
                Some(at) if located.frames[at].function.is_some() => {
                    program_frame(order, &located, at, frame, options)
                }
                _ => library_frame(frame, true, options),
            });
        }
        return labels;
    }
    if !is_known {
        for shown in outside::shown_frames(&alone, frames) {
            let mut label = library_frame(&frames[shown.index], !shown.is_runtime, options);
            if let Some(operation) = shown.entry {
                label.function = operation;
            }
            labels.push(label);
        }
        // A task that has not come to its program stands in what starts it: it is a task all the same.
        if let Some(frame) = frames.last().filter(|_| labels.is_empty()) {
            labels.push(library_frame(frame, true, options));
        }
        return labels;
    }
    let mut in_library = false;
    for (at, frame) in located.frames.iter().enumerate() {
        // A frame that a tail call has removed is put back whenever the stack is looked up.
        let Some(recorded) = located.origin[at].and_then(|index| frames.get(index)) else {
            continue;
        };
        if frame.function.is_some() {
            labels.push(program_frame(order, &located, at, recorded, options));
            in_library = false;
        } else if !in_library {
            labels.push(library_frame(recorded, false, options));
            in_library = true;
        }
    }
    labels
}

/// A frame of a function that the map holds.
fn program_frame(
    order: &Order<'_>,
    located: &Located,
    at: usize,
    recorded: &snapshot::Frame,
    options: &TreeOptions,
) -> Label<String> {
    let frame = &located.frames[at];
    let variables: BTreeSet<&str> = order.variables(frame);
    let file = frame
        .function
        .map(|id| &order.map().files[order.map().functions[id].file].path);
    let values = variables.iter().map(|&name| {
        let number = frame.values.get(name).copied().map_or(Number::Unread, number_of);
        (name.to_owned(), number)
    });
    Label {
        function: recorded.function.clone(),
        file: file.cloned(),
        line: recorded.line.unwrap_or(0),
        column: recorded.column.unwrap_or(0),
        module: recorded.module.clone().filter(|_| keeps_pc(options)),
        pc: recorded.pc.filter(|_| keeps_pc(options)),
        inexact: recorded.inexact,
        inlined: recorded.inlined,
        straight: recorded.straight,
        values: values.collect(),
        ..Label::default()
    }
}

/// A frame of a library; the line of an entry point says nothing about the program. Its file does: it tells the function from
/// one of the same name in the map.
fn library_frame(recorded: &snapshot::Frame, whole: bool, options: &TreeOptions) -> Label<String> {
    let base_name = |path: &String| path.rsplit('/').next().unwrap_or(path).to_owned();
    let function = match recorded.function.as_str() {
        "" => "??",
        function => function,
    };
    // A place in a library without names is told by its offset.
    let nameless = function == "??";
    Label {
        function: function.to_owned(),
        file: recorded.file.clone(),
        line: recorded.line.filter(|_| whole).unwrap_or(0),
        module: recorded.module.as_ref().map(base_name),
        pc: recorded.pc.filter(|_| keeps_pc(options) || nameless && whole),
        inlined: recorded.inlined && whole,
        ..Label::default()
    }
}

fn keeps_pc(options: &TreeOptions) -> bool {
    matches!(options.granularity, Granularity::Module | Granularity::Pc)
}

/// A message without the process's own number, so that the same trouble of many tasks is one node.
fn without_number(message: &str, pid: Option<u32>) -> String {
    match pid {
        Some(pid) if pid > 9 => message.replace(&pid.to_string(), "PID"),
        _ => message.to_owned(),
    }
}

impl TaskNames {
    /// Ranks, when every task has one of its own in each sample; otherwise numbers in the order of first appearance.
    pub(crate) fn of(samples: &[&[Task]]) -> Self {
        let by_rank = samples.iter().all(|tasks| {
            let mut ranks: Vec<u32> = tasks.iter().filter_map(|task| task.rank).collect();
            let count = ranks.len();
            ranks.sort_unstable();
            ranks.dedup();
            count == tasks.len() && ranks.len() == count
        });
        let mut names = Vec::new();
        if !by_rank {
            let mut known = BTreeSet::new();
            for task in samples.iter().copied().flatten() {
                if known.insert(task.task.as_str()) {
                    names.push(task.task.clone());
                }
            }
        }
        let mut sorted: Vec<u32> = (0..u32::try_from(names.len()).unwrap_or(u32::MAX)).collect();
        sorted.sort_by(|&a, &b| names[a as usize].cmp(&names[b as usize]));
        Self {
            by_rank,
            names,
            sorted,
        }
    }

    fn number(&self, task: &Task) -> Option<u32> {
        if self.by_rank {
            return task.rank;
        }
        self.find(&task.task)
    }
}
