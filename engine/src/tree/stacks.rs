//! Recorded tasks to a prefix tree: which frames become nodes, and what of them is kept.
//!
//! What calls `main` is left out, and what a library does below the program is its entry point alone, unless the user
//! wants all frames. Of the values only those are kept that the order may read; others would part tasks that are at one
//! program point.

use super::numbers::number_of;
use super::{JobTree, QualifiedNames, TaskNames, TreeOptions};
use crate::{Analysis, outside, stacks};
use base::RankSet;
use progress::{Located, Obstacle, Order};
use rayon::prelude::*;
use snapshot::Task;
use stacktree::{Granularity, Label, LabelKind, Number, Stack, Tree};
use std::borrow::Cow;
use std::collections::BTreeSet;

impl Analysis<'_> {
    /// The prefix tree of its stacks, and of those of earlier moments. Without a map (an empty one) it holds the frames as they were
    /// recorded.
    pub fn tree(&self, options: &TreeOptions) -> JobTree {
        let seconds = self.named.seconds();
        let is_second = |task: &Task| task.rank.is_some_and(|rank| seconds.contains(rank));
        let now = self.tasks.iter().enumerate();
        let now = Vec::from_iter(now.filter(|(_, task)| !is_second(task)));
        let earlier = self.samples.iter().map(Vec::from_iter);
        let names = TaskNames::of(&Vec::from_iter(
            earlier.chain([now.iter().map(|&(_, task)| task).collect()]),
        ));
        let qualified = QualifiedNames::of(self.tasks.iter().chain(self.samples.iter().flatten()));
        let programs: BTreeSet<&str> = self.tasks.iter().map(|task| &*task.program).collect();
        let programs = programs.into_iter().filter(|path| !path.is_empty());
        let programs = programs.map(str::to_owned).collect();
        let mut trees: Vec<Tree> = Vec::from_iter(self.samples.iter().map(|tasks| {
            let numbered = tasks
                .iter()
                .filter_map(|task| Some((names.number(task)?, task, None)));
            one_sample(&self.order, &Vec::from_iter(numbered), options)
        }));
        let now = now
            .into_iter()
            .filter_map(|(at, task)| Some((names.number(task)?, task, self.already_located(at))));
        trees.push(one_sample(&self.order, &Vec::from_iter(now), options));
        let missing = Tree::new(&missing_stacks(&names, &self.missing));
        let mut parts: Vec<&Tree> = trees.iter().collect();
        parts.push(&missing);
        let mut tree = stacktree::merge(&parts);
        if !self.named.are_single() && names.are_ranks() {
            tree = tree.with_tasks(|task| self.named.with_stack_of(task));
        }
        if trees.len() < 2 {
            trees.clear();
        }
        JobTree {
            tree,
            names,
            samples: trees,
            qualified,
            programs,
        }
    }
}

/// Ranks that nobody has seen, as stacks of one node.
fn missing_stacks(names: &TaskNames, missing: &RankSet) -> Vec<Stack<'static>> {
    if !names.are_ranks() {
        return Vec::new();
    }
    let label = || Label {
        kind: LabelKind::Missing,
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

/// A task with its number, and as it was looked up if it has been.
type Numbered<'t> = (u32, &'t Task, Option<&'t Located>);

fn one_sample(order: &Order<'_>, tasks: &[Numbered<'_>], options: &TreeOptions) -> Tree {
    let parts: Vec<Tree> = tasks
        .par_chunks(PART)
        .map(|part| {
            let owned: Vec<(u32, Vec<Label<String>>)> = part
                .iter()
                .flat_map(|&(number, task, located)| {
                    stacks_of(order, task, located, options)
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
fn stacks_of(
    order: &Order<'_>,
    task: &Task,
    located: Option<&Located>,
    options: &TreeOptions,
) -> Vec<Vec<Label<String>>> {
    let mut stacks = vec![stack(order, task, located, options)];
    if options.threads {
        for thread in &task.threads {
            let alone = Task {
                task: format!("{} thread {}", task.task, thread.thread),
                pid: Some(thread.thread),
                error: thread.error.clone(),
                program: task.program.clone(),
                build: task.build.clone(),
                frames: thread.frames.clone(),
                ..Task::default()
            };
            let mut frames = vec![Label {
                kind: LabelKind::Threads,
                function: "other threads".to_owned(),
                ..Label::default()
            }];
            frames.extend(stack(order, &alone, None, options));
            stacks.push(frames);
        }
    }
    stacks
}

/// The stack of a task, or of a thread as if it were one.
fn stack(
    order: &Order<'_>,
    task: &Task,
    located: Option<&Located>,
    options: &TreeOptions,
) -> Vec<Label<String>> {
    let other_program = stacks::other_program(order.map(), task);
    let (frames, error) = (&task.frames, task.error.as_deref().or(other_program.as_deref()));
    let mut labels = Vec::new();
    if error.is_some() || frames.is_empty() {
        labels.push(Label {
            kind: LabelKind::Unreadable,
            function: without_number(error.unwrap_or("it has no stack"), task.pid),
            ..Label::default()
        });
    }
    let located = match located {
        Some(located) => Cow::Borrowed(located),
        None => Cow::Owned(order.locate(&stacks::execution_point(order.map(), task))),
    };
    if let Some(obstacle @ Obstacle::BeginsNowhere(_)) = &located.obstacle {
        labels.push(Label {
            kind: LabelKind::Unreadable,
            function: obstacle.to_string(),
            ..Label::default()
        });
    }
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
                _ => library_frame(frame, Detail::Whole, options),
            });
        }
        return labels;
    }
    if !is_known {
        for shown in outside::shown_frames(task, frames) {
            let detail = if shown.is_runtime {
                Detail::EntryPoint
            } else {
                Detail::Whole
            };
            let mut label = library_frame(&frames[shown.index], detail, options);
            if let Some(operation) = shown.entry {
                label.function = operation;
            }
            labels.push(label);
        }
        // A task that has not come to its program stands in what starts it: it is a task all the same.
        if let Some(frame) = frames.last().filter(|_| labels.is_empty()) {
            labels.push(library_frame(frame, Detail::Whole, options));
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
        } else if frame.is_of_program {
            // The map has its file and not this function: its line says where the task is all the same.
            labels.push(library_frame(recorded, Detail::Whole, options));
            in_library = false;
        } else if !in_library {
            labels.push(library_frame(recorded, Detail::EntryPoint, options));
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

/// What is shown of a frame of a library.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// All of it.
    Whole,
    /// Which function it is. The line of an entry point says nothing about the program; its file does: it tells the function from one of
    /// the same name in the map.
    EntryPoint,
}

fn library_frame(recorded: &snapshot::Frame, detail: Detail, options: &TreeOptions) -> Label<String> {
    let whole = detail == Detail::Whole;
    let base_name = |path: &String| base::last_component(path).to_owned();
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

/// A message without the process's own number, so that the same trouble of many tasks is one node. Messages come from other tools as
/// well. The digits of the number within a longer one stay.
fn without_number(message: &str, pid: Option<u32>) -> String {
    let Some(pid) = pid.filter(|&pid| pid > 9).map(|pid| pid.to_string()) else {
        return message.to_owned();
    };
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut text, mut end) = (String::new(), 0);
    for (at, _) in message.match_indices(&pid) {
        let after = at + pid.len();
        if !message[..at].ends_with(is_word) && !message[after..].starts_with(is_word) {
            text.push_str(&message[end..at]);
            text.push_str("PID");
            end = after;
        }
    }
    text + &message[end..]
}

impl TaskNames {
    /// Ranks, when every task has one of its own in each sample; otherwise numbers in the order of first appearance.
    pub(crate) fn of(samples: &[Vec<&Task>]) -> Self {
        let by_rank = samples.iter().all(|tasks| {
            let mut ranks: Vec<u32> = tasks.iter().filter_map(|task| task.rank).collect();
            let count = ranks.len();
            ranks.sort_unstable();
            ranks.dedup();
            count == tasks.len() && ranks.len() == count
        });
        if by_rank {
            return Self::ranks();
        }
        let mut known = BTreeSet::new();
        let all = samples.iter().flatten().map(|task| task.task.as_str());
        Self::numbers(
            all.filter(|name| known.insert(*name))
                .map(str::to_owned)
                .collect(),
        )
    }

    fn number(&self, task: &Task) -> Option<u32> {
        if self.by_rank {
            return task.rank;
        }
        self.find(&task.task)
    }
}
