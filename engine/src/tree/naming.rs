//! Names of functions in full, for the nodes of a tree.
//!
//! A node is a place in the code, which instances of a template share, so full names take no part in its identity: they are looked up
//! when the tree is shown. Where stacks at one place have several, the map's name is taken, which has the class and no template arguments.

use super::{NodeKind, TreeNode};
use crate::readable;
use progress_map::Map;
use snapshot::{Frame, Task};
use std::collections::BTreeMap;

/// A function's name, the last part of its file's path, and a line.
pub(super) type FunctionLine = (String, String, u32);

/// The qualified names of the functions of recorded stacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QualifiedNames {
    /// `None` where several were recorded.
    names: BTreeMap<FunctionLine, Option<String>>,
}

impl QualifiedNames {
    /// Those of tasks and their threads.
    pub(super) fn of<'t>(tasks: impl Iterator<Item = &'t Task>) -> Self {
        let mut names = Self::default();
        for task in tasks {
            let of_threads = task.threads.iter().flat_map(|thread| &thread.frames);
            task.frames
                .iter()
                .chain(of_threads)
                .for_each(|frame| names.add(frame));
        }
        names
    }

    fn add(&mut self, frame: &Frame) {
        let Some(qualified) = &frame.qualified else { return };
        let file = last_part(frame.file.as_deref());
        let place = (frame.function.clone(), file.to_owned(), frame.line.unwrap_or(0));
        let known = self.names.entry(place).or_insert_with(|| Some(qualified.clone()));
        if known.as_ref() != Some(qualified) {
            *known = None;
        }
    }

    /// Takes those of another part of the job.
    pub(super) fn merge(&mut self, other: Self) {
        for (place, name) in other.names {
            let known = self.names.entry(place).or_insert_with(|| name.clone());
            if *known != name {
                *known = None;
            }
        }
    }

    /// The places with their names; none where several were recorded.
    pub(super) fn all(&self) -> impl ExactSizeIterator<Item = (&FunctionLine, Option<&str>)> {
        self.names.iter().map(|(place, name)| (place, name.as_deref()))
    }

    /// Takes the name that a part of the job has recorded at a place, or that it has recorded several there.
    pub(super) fn insert(&mut self, place: FunctionLine, name: Option<String>) {
        self.names.insert(place, name);
    }

    /// Gives nodes their qualified names.
    pub(super) fn name(&self, nodes: &mut [TreeNode], map: &Map) {
        let mut of_map: BTreeMap<(&str, &str), Vec<_>> = BTreeMap::new();
        for function in map
            .functions
            .iter()
            .filter(|function| function.linkage_name.is_some())
        {
            let file = map.files[function.file].path.as_str();
            of_map.entry((&function.name, file)).or_default().push(function);
        }
        for node in nodes.iter_mut().filter(|node| node.kind == NodeKind::Frame) {
            let file = node.file.as_deref().unwrap_or_default();
            let known = of_map
                .get(&(node.function.as_str(), file))
                .map_or(&[][..], Vec::as_slice);
            let around = |line: u32| {
                known
                    .iter()
                    .find(|function| function.span.covers_line(line))
                    .copied()
            };
            let mapped = match (node.line, known) {
                (Some(line), _) => around(line),
                (None, [only]) => Some(*only),
                (None, _) => None,
            };
            let recorded = Frame {
                function: node.function.clone(),
                qualified: self.recorded(node),
                ..Frame::default()
            };
            node.qualified = readable::qualified(&recorded, mapped);
        }
    }

    /// What was recorded at a node's place: at all lines of its function, if it has none.
    fn recorded(&self, node: &TreeNode) -> Option<String> {
        let file = last_part(node.file.as_deref());
        let from = (node.function.clone(), file.to_owned(), node.line.unwrap_or(0));
        let places = self.names.range(from..);
        let mut names = places
            .take_while(|((function, its_file, line), _)| {
                *function == node.function
                    && its_file == file
                    && node.line.is_none_or(|wanted| wanted == *line)
            })
            .map(|(_, name)| name.as_ref());
        let first = names.next()??;
        names.all(|name| name == Some(first)).then(|| first.clone())
    }
}

fn last_part(path: Option<&str>) -> &str {
    path.map(base::last_component).unwrap_or_default()
}
