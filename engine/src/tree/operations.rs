//! What users of STATview do with a tree: cut, hide, collapse, join, focus, search, walk to the extremes.
//!
//! Each operation takes an ordered tree and gives one with fewer nodes; the order, the tasks and the reasons of what is left
//! stay as they are.

use super::models::Model;
use super::{NodeKind, OrderedTree, Sibling, TreeNode};
use regex::Regex;
use stacktree::TaskSet;

/// An operation on a tree.
#[derive(Clone, Debug)]
pub enum Operation {
    /// Nothing below the entries to these models.
    Cut(Vec<Model>),
    /// No nodes deeper than so many.
    Collapse(usize),
    /// No functions of this name, and nothing below them.
    Hide(Regex),
    /// A run of frames with the same tasks is one node.
    Join,
    /// Only what these tasks pass through.
    Tasks(TaskSet),
    /// Only this temporal class (`T1.2`), and the way to it.
    Class(String),
    /// Only ways through a function, file or value that looks like this.
    Text(Regex),
    /// Only one way: the first of those that an extreme picks.
    Walk(Extreme),
}

/// What picks one way from the root to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extreme {
    /// The most frames.
    Longest,
    /// The fewest frames.
    Shortest,
    /// The most tasks.
    MostTasks,
    /// The fewest tasks: outliers.
    FewestTasks,
    /// The least progress, where it is decided.
    LeastProgress,
    /// The most progress, where it is decided.
    MostProgress,
}

/// Why an operation leaves nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NothingLeft {
    /// What was looked for.
    pub wanted: String,
}

impl OrderedTree {
    /// The tree after an operation.
    ///
    /// # Errors
    /// When nothing in the tree is what the operation looks for.
    pub fn after(&self, operation: &Operation) -> Result<OrderedTree, NothingLeft> {
        let found = |keep: Vec<bool>, wanted: String| {
            if keep.iter().skip(1).any(|&kept| kept) {
                Ok(self.keeping(&keep))
            } else {
                Err(NothingLeft { wanted })
            }
        };
        match operation {
            Operation::Cut(models) => Ok(self.without_below(&|node| {
                node.kind == NodeKind::Frame && models.iter().any(|model| model.matches(&node.function))
            })),
            Operation::Collapse(depth) => Ok(self.without_below(&|node| node.depth >= *depth)),
            Operation::Hide(name) => {
                let mut keep = vec![true; self.nodes.len()];
                for (at, node) in self.nodes.iter().enumerate().skip(1) {
                    keep[at] =
                        keep[node.parent] && !(node.kind == NodeKind::Frame && name.is_match(&node.function));
                }
                Ok(self.keeping(&keep))
            }
            Operation::Join => Ok(self.joined()),
            Operation::Tasks(tasks) => {
                let keep = self.nodes.iter().map(|node| node.tasks.meets(tasks));
                found(keep.collect(), "these tasks".to_owned())
            }
            Operation::Class(class) => {
                let is_in = |node: &TreeNode| {
                    node.temporal.as_deref().is_some_and(|own| {
                        own == class
                            || own
                                .strip_prefix(class.as_str())
                                .is_some_and(|rest| rest.starts_with('.'))
                    })
                };
                found(self.ways_through(&is_in), format!("the class {class}"))
            }
            Operation::Text(text) => {
                let looks_so = |node: &TreeNode| {
                    text.is_match(&node.function)
                        || node.file.as_deref().is_some_and(|file| text.is_match(file))
                        || node.module.as_deref().is_some_and(|module| text.is_match(module))
                        || node.values.iter().any(|value| {
                            value
                                .first
                                .is_some_and(|first| text.is_match(&format!("{}={first}", value.name)))
                        })
                };
                found(self.ways_through(&looks_so), format!("'{text}'"))
            }
            Operation::Walk(extreme) => {
                let mut keep = vec![false; self.nodes.len()];
                let mut at = self.end_of(*extreme);
                while let Some(node) = at.filter(|&node| node > 0) {
                    keep[node] = true;
                    at = Some(self.nodes[node].parent);
                }
                found(keep, "an end whose progress is decided".to_owned())
            }
        }
    }

    /// The leaf that an extreme picks; the first of equals.
    fn end_of(&self, extreme: Extreme) -> Option<usize> {
        let ends = || (1..self.nodes.len()).filter(|&at| self.nodes[at].children.is_empty());
        let least_by = |key: &dyn Fn(&TreeNode) -> u64| ends().min_by_key(|&at| key(&self.nodes[at]));
        // Progress lies between 0 and 1.
        let progress = |node: &TreeNode| node.progress.map(|progress| (progress * 1e9) as u64);
        let decided = |key: &dyn Fn(u64) -> u64| {
            let decided = ends().filter_map(|at| Some((key(progress(&self.nodes[at])?), at)));
            decided.min().map(|(_, at)| at)
        };
        match extreme {
            Extreme::Longest => least_by(&|node| u64::MAX - node.depth as u64),
            Extreme::Shortest => least_by(&|node| node.depth as u64),
            Extreme::MostTasks => least_by(&|node| u64::MAX - node.tasks.len()),
            Extreme::FewestTasks => least_by(&|node| node.tasks.len()),
            Extreme::LeastProgress => decided(&|progress| progress),
            Extreme::MostProgress => decided(&|progress| u64::MAX - progress),
        }
    }

    /// Nodes with something of the kind above or below them, or that are so.
    fn ways_through(&self, is_so: &dyn Fn(&TreeNode) -> bool) -> Vec<bool> {
        let mut below = vec![false; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate().skip(1) {
            below[at] = below[node.parent] || is_so(node);
        }
        let mut keep = below;
        for at in (1..self.nodes.len()).rev() {
            if keep[at] {
                keep[self.nodes[at].parent] = true;
            }
        }
        keep
    }

    fn without_below(&self, is_end: &dyn Fn(&TreeNode) -> bool) -> OrderedTree {
        let mut keep = vec![true; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate().skip(1) {
            keep[at] = keep[node.parent] && (node.parent == 0 || !is_end(&self.nodes[node.parent]));
        }
        self.keeping(&keep)
    }

    /// Only some nodes; with a node its parent stays.
    fn keeping(&self, keep: &[bool]) -> OrderedTree {
        let keep = |at: usize| at == 0 || keep[at];
        let mut new: Vec<Option<usize>> = Vec::with_capacity(self.nodes.len());
        let mut count = 0;
        for at in 0..self.nodes.len() {
            new.push(keep(at).then_some(count));
            count += usize::from(keep(at));
        }
        let moved = |all: &[usize]| -> Vec<usize> { all.iter().filter_map(|&at| new[at]).collect() };
        let kept = self.nodes.iter().enumerate().filter(|&(at, _)| keep(at));
        let nodes: Vec<TreeNode> = kept
            .map(|(_, node)| TreeNode {
                parent: new[node.parent].unwrap_or(0),
                children: moved(&node.children),
                siblings: node
                    .siblings
                    .iter()
                    .filter_map(|sibling| {
                        Some(Sibling {
                            node: new[sibling.node]?,
                            ..sibling.clone()
                        })
                    })
                    .collect(),
                ..node.clone()
            })
            .collect();
        let mut tree = OrderedTree {
            nodes,
            classes: self.classes.clone(),
            names: self.names.clone(),
            granularity: self.granularity,
            steps: Vec::new(),
            undecided: self.undecided.clone(),
            changes: self.changes.clone(),
            programs: self.programs.clone(),
        };
        for class in &mut tree.classes {
            // A class whose end is gone ends at what is left of its stack.
            let mut at = class.node;
            while new[at].is_none() {
                at = self.nodes[at].parent;
            }
            class.node = new[at].unwrap_or(0);
        }
        for step in &self.steps {
            let branches: Vec<usize> = moved(&step.branches);
            if branches.len() == step.branches.len()
                && let Some(node) = new[step.node]
            {
                let mut step = step.clone();
                (step.node, step.branches) = (node, branches);
                tree.steps.push(step);
            }
        }
        tree
    }

    /// Runs of only children with the same tasks as one node each: the innermost, with the names of all.
    fn joined(&self) -> OrderedTree {
        let mut tree = self.clone();
        let mut keep = vec![true; tree.nodes.len()];
        for (at, is_kept) in keep.iter_mut().enumerate().skip(1) {
            let [child] = tree.nodes[at].children[..] else {
                continue;
            };
            let (upper, lower) = (&tree.nodes[at], &tree.nodes[child]);
            let frames = upper.kind == NodeKind::Frame && lower.kind == NodeKind::Frame;
            if !frames || upper.color != lower.color || upper.stacks != lower.stacks {
                continue;
            }
            let (parent, depth) = (upper.parent, upper.depth);
            let (temporal, mark, siblings) = (upper.temporal.clone(), upper.mark, upper.siblings.clone());
            *is_kept = false;
            // A run may be as long as a recursion is deep, so what is known of it is handed on and not copied.
            let mut function = std::mem::take(&mut tree.nodes[at].function);
            let mut values = std::mem::take(&mut tree.nodes[at].values);
            let node = &mut tree.nodes[child];
            function.push_str(" > ");
            function.push_str(&node.function);
            values.append(&mut node.values);
            (node.function, node.values, node.parent, node.depth) = (function, values, parent, depth);
            (node.temporal, node.mark, node.siblings) = (temporal, mark, siblings);
            for other in &mut tree.nodes[parent].children {
                if *other == at {
                    *other = child;
                }
            }
            for other in tree.nodes[parent].children.clone() {
                for sibling in tree.nodes[other]
                    .siblings
                    .iter_mut()
                    .filter(|sibling| sibling.node == at)
                {
                    sibling.node = child;
                }
            }
            for step in &mut tree.steps {
                step.branches
                    .iter_mut()
                    .filter(|branch| **branch == at)
                    .for_each(|branch| *branch = child);
            }
        }
        for at in 1..tree.nodes.len() {
            tree.nodes[at].depth = tree.nodes[tree.nodes[at].parent].depth + 1;
        }
        tree.keeping(&keep)
    }
}
