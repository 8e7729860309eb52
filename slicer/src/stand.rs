//! From a frame of a stack to the statements at which it may be.
//!
//! For a hung job the order has looked the frame up in the map, and what it has found comes here as points. The map and this
//! graph number the points of a function alike if both were made of the same contents, read in the same way; that is checked
//! by the contents' hash and by where each point's text begins. Otherwise (the build's own preprocessor showed the
//! map another text, or the file has changed since) the points are looked for by where their text begins, since two readings of a line agree
//! on that if on anything.
//!
//! A stack that nobody has looked up, and the criterion of a user, name a line. A line means what begins on it, and where nothing
//! does, what goes on there. Of a line in a caller those calls are meant that may lead to the next frame.

use crate::graph::{FileId, FunctionId, FunctionKind, Graph, NodeId, NodeKind};
use base::Id as _;
use progress_map::PointId;

/// A frame of a hung stack, of a function with source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceFrame {
    /// The frame's function, and behind it those that were called from there and have left no frame, outermost first.
    pub stands: Vec<Stand>,
    /// What is called there: the next function on the stack, with or without source. `None` where the task is in this
    /// function itself.
    pub callee: Option<String>,
}

/// A function that is under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stand {
    /// The source file, as the map names it.
    pub file: String,
    /// The function, by its name in the source.
    pub function: String,
    /// Where in it.
    pub at: At,
    /// Optimised code may have made a loop of the function's calls of itself: the frame may be that of any of them, and who called that one is
    /// not on the stack.
    pub is_any_round: bool,
}

/// Where in a function a task may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// At one of these points, which were found in a map.
    Points(Points),
    /// Somewhere on this line, in this column if it is known: nobody has looked the frame up.
    Line(u32, Option<u32>),
}

/// Points of a function in a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Points {
    /// The hash of the contents that the map was made of.
    pub content_hash: [u8; 32],
    /// The line on which the function begins.
    pub first_line: u32,
    /// How many points it has.
    pub count: usize,
    /// The points, each with the line and the column at which its text begins.
    pub points: Vec<(PointId, u32, u32)>,
}

impl SliceFrame {
    /// A frame that nobody has looked up.
    pub fn on_line(file: &str, function: &str, line: u32, callee: Option<&str>) -> Self {
        SliceFrame {
            stands: vec![Stand {
                file: file.to_owned(),
                function: function.to_owned(),
                at: At::Line(line, None),
                is_any_round: false,
            }],
            callee: callee.map(str::to_owned),
        }
    }
}

/// A function on a stack, the points where it may be, and the name of what it calls there.
type UnderWay<'f> = (FunctionId, Vec<NodeId>, Option<&'f str>);

impl Graph {
    /// The functions that a frame stands for, outermost first; none where one of them is not to be found.
    pub(crate) fn under_way<'f>(&self, frame: &'f SliceFrame) -> Vec<UnderWay<'f>> {
        let stands = frame.stands.iter().enumerate();
        let found = stands.map(|(number, stand)| {
            let next = frame.stands.get(number + 1).map(|next| next.function.as_str());
            let callee = next.or(frame.callee.as_deref());
            let by_position = |positions: &[_]| self.by_position(stand, positions, callee);
            let (function, points) = match &stand.at {
                At::Points(points) => self.same_points(stand, points).or_else(|| {
                    let positions = points.points.iter();
                    let positions = positions.map(|&(_, line, column)| (line, Some(column)));
                    by_position(&Vec::from_iter(positions))
                })?,
                At::Line(line, column) => by_position(&[(*line, *column)])?,
            };
            Some((function, points, callee))
        });
        found.collect::<Option<_>>().unwrap_or_default()
    }

    /// The nodes that have the numbers of the points, if this graph was made as the map was.
    fn same_points(&self, stand: &Stand, points: &Points) -> Option<(FunctionId, Vec<NodeId>)> {
        let mut candidates = self.functions.iter_enumerated().filter(|(_, function)| {
            function.kind == FunctionKind::Source
                && function.line == points.first_line
                && function.points as usize == points.count
                && self.name(function.name) == stand.function
                && self.files[function.file] == stand.file
                && self.hashes[function.file] == points.content_hash
        });
        let (id, function) = candidates.next()?;
        let same = |&(point, line, column): &(PointId, u32, u32)| {
            let node = NodeId::from_index(function.first_node.index() + point.index());
            let begins_there = || (self.nodes[node].line, self.nodes[node].column) == (line, column);
            (point.index() < points.count && begins_there()).then_some(node)
        };
        let nodes = points.points.iter().map(same).collect::<Option<Vec<_>>>()?;
        // Of two lambdas on one line, points do not tell which.
        candidates.next().is_none().then_some((id, nodes))
    }

    /// The function that a stand names, and its nodes at these positions: of several, those that may lead to the callee.
    fn by_position(
        &self,
        stand: &Stand,
        positions: &[(u32, Option<u32>)],
        callee: Option<&str>,
    ) -> Option<(FunctionId, Vec<NodeId>)> {
        let id = self.function_at(stand, positions)?;
        let function = &self.functions[id];
        let first = function.first_node.index();
        let points = (first..first + function.points as usize).map(NodeId::from_index);
        let calls_it = |node: &NodeId| match (self.call(*node), callee) {
            (Some(call), Some(callee)) => self.may_call(call, callee),
            _ => false,
        };
        let mut found = Vec::new();
        for &(line, column) in positions {
            let touching = points.clone().filter(|&node| self.touches(node, line));
            let calls = preferred(touching.collect(), calls_it);
            let in_column = |node: &NodeId| column == Some(self.nodes[*node].column);
            let begins = |node: &NodeId| self.nodes[*node].line == line;
            found.extend(preferred(preferred(calls, begins), |node| {
                begins(node) && in_column(node)
            }));
        }
        found.sort_unstable();
        found.dedup();
        (!found.is_empty()).then_some((id, found))
    }

    /// The function that a stand names, by name and lines: of a lambda within a lambda, the inner one.
    fn function_at(&self, stand: &Stand, positions: &[(u32, Option<u32>)]) -> Option<FunctionId> {
        let fits = |id: &FunctionId| {
            let function = &self.functions[*id];
            let lines = function.line..=function.end_line;
            function.kind == FunctionKind::Source
                && self.name(function.name) == stand.function
                && base::may_be_one_file(&stand.file, &self.files[function.file])
                && positions.iter().all(|(line, _)| lines.contains(line))
        };
        let lines = |id: &FunctionId| self.functions[*id].end_line - self.functions[*id].line;
        self.functions.ids().filter(fits).min_by_key(lines)
    }

    /// Whether the text of a node touches a line. That of a function's entry and exit is all of it, and a join has none.
    fn touches(&self, node: NodeId, line: u32) -> bool {
        let each = &self.nodes[node];
        (each.line..=each.end_line).contains(&line) && self.is_shown(node)
    }

    /// The files that a user may mean: the one of just this path, or else all whose path ends so.
    pub(crate) fn files_called(&self, name: &str) -> Vec<FileId> {
        let those = |is_it: &dyn Fn(&str) -> bool| {
            let files = self.files.iter_enumerated();
            Vec::from_iter(files.filter(|(_, path)| is_it(path)).map(|(id, _)| id))
        };
        let exactly = those(&|path| path == name);
        if exactly.is_empty() {
            those(&|path| base::may_be_one_file(name, path))
        } else {
            exactly
        }
    }

    /// What is executed on a line of these files, arguments of calls included.
    pub(crate) fn executed_on(&self, files: &[FileId], line: u32) -> Vec<NodeId> {
        let is_there = |node: &NodeId| {
            let each = &self.nodes[*node];
            files.contains(&each.file)
                && (each.line == line || self.touches(*node, line))
                && each.function.is_none_or(|function| !self.is_hidden(function))
                && matches!(each.kind, NodeKind::Plain | NodeKind::Call | NodeKind::Argument)
        };
        let there = self.nodes.ids().filter(is_there).collect();
        preferred(there, |node| self.nodes[*node].line == line)
    }
}

/// Those of the nodes that are better, or all of them where none is.
fn preferred(nodes: Vec<NodeId>, is_better: impl Fn(&NodeId) -> bool) -> Vec<NodeId> {
    let better = Vec::from_iter(nodes.iter().copied().filter(is_better));
    if better.is_empty() { nodes } else { better }
}
