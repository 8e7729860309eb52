//! Slices: what a criterion depends on, statement by statement, nearest first.

use crate::executed::Executed;
use crate::graph::{FileId, FunctionId, Graph, NodeId, NodeKind};
use crate::parted::Stack;
use crate::reached::Reached;
use crate::stand::SliceFrame;
use crate::state::{CallingContext, Dependence, Predecessor, State};
use crate::varies::Differences;
use crate::walk::Walk;
use crate::within::Within;
use base::Id as _;
use hashbrown::HashMap;
use std::collections::BTreeSet;
use std::fmt;

/// So many lines around a criterion are looked at to find which values all tasks have alike, and to find the first of them.
const NEAR: usize = 80;

/// What to follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Follow messages to the tasks that send them.
    pub messages: bool,
    /// This many lines, the nearest ones.
    pub enough: Option<usize>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            messages: true,
            enough: None,
        }
    }
}

/// Why there is no slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CriterionError {
    /// No file of the program has this name.
    NoFile(String),
    /// Nothing is executed on this line of the file.
    NoStatement(String, u32),
    /// No statement on this line of the file reads or writes the variable.
    NoVariable(String, u32, String),
    /// No frame of the stack has a function whose source is known.
    NoSource,
}

impl fmt::Display for CriterionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CriterionError::NoFile(file) => write!(f, "no source file of the program is called {file}"),
            CriterionError::NoStatement(file, line) => write!(f, "nothing is executed at {file}:{line}"),
            CriterionError::NoVariable(file, line, variable) => {
                write!(f, "nothing at {file}:{line} reads or writes {variable}")
            }
            CriterionError::NoSource => {
                f.write_str("no frame of the stack has a function whose source is known")
            }
        }
    }
}

impl std::error::Error for CriterionError {}

/// A slice.
#[derive(Clone, Debug, Default)]
pub struct Slice {
    /// Its statements, nearest to the criterion first; one for each line.
    pub statements: Vec<Statement>,
    /// Functions in the slice of which a part was not understood, and files with something that is not followed, each with the
    /// reason: more may belong to the slice there.
    pub in_part: Vec<(String, String)>,
    /// There is more: the statements are the nearest ones only.
    pub has_more: bool,
    /// So many lines that were left out are as near as the last one that is there.
    pub as_near: usize,
}

/// A line of a slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The source file.
    pub file: String,
    /// The line on which it begins.
    pub line: u32,
    /// The column there.
    pub column: u32,
    /// The line on which it ends.
    pub end_line: u32,
    /// The function; empty for a variable at file scope.
    pub function: String,
    /// How many dependences lie between it and the criterion, some kinds of which count for more than one, and between it and where
    /// tasks begin to differ.
    pub distance: u32,
    /// Other tasks execute it, not this one.
    pub elsewhere: bool,
    /// The class of tasks whose stack brought it, by the number that the caller gave it; `None` for a slice of a line.
    pub class: Option<usize>,
    /// Why it is in the slice.
    pub because: Because,
}

/// Why a statement is in a slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Because {
    /// What it does to the other statement.
    pub kind: Dependence,
    /// The variable or memory that is concerned, as the source names it.
    pub name: Option<String>,
    /// The other statement, by its place in [`Slice::statements`]; `None` for the criterion itself.
    pub of: Option<usize>,
    /// What the value means to the function of MPI that the other statement calls, where it does.
    pub role: Option<library::Role>,
}

impl Slice {
    /// The lines of the slice.
    pub fn lines(&self) -> BTreeSet<(String, u32)> {
        let lines = self.statements.iter();
        lines
            .flat_map(|each| (each.line..=each.end_line).map(|line| (each.file.clone(), line)))
            .collect()
    }
}

impl Graph {
    /// The slice of everything that is executed on a line, or of the value of a variable there.
    ///
    /// `file` is a path or the end of one: `solve.c` or `src/solve.c`.
    pub fn slice_at(
        &self,
        file: &str,
        line: u32,
        variable: Option<&str>,
        options: Options,
    ) -> Result<Slice, CriterionError> {
        let files = self.files_called(file);
        if files.is_empty() {
            return Err(CriterionError::NoFile(file.to_owned()));
        }
        let nodes = self.executed_on(&files, line);
        if nodes.is_empty() {
            return Err(CriterionError::NoStatement(file.to_owned(), line));
        }
        let stack = self.only_stack(&nodes);
        let context = match &stack {
            Some(stack) => CallingContext::Stack(stack.len().saturating_sub(1) as u16),
            None => CallingContext::Called,
        };
        let executed = match stack {
            Some(stack) => Executed::before(self, stack),
            None => Executed::everything(self),
        };
        let nothing = Differences::default();
        let mut walk = Walk::new(self, &executed, &nothing, options.messages);
        let mut found = false;
        for &node in &nodes {
            match variable {
                None => {
                    walk.start(context, node, 0, Dependence::Criterion);
                    let within = self.within_macros(&[node], None);
                    walk.start_within(context, within, 0, Dependence::Criterion);
                    found = true;
                }
                Some(variable) => found |= walk.start_variable(context, node, variable),
            }
        }
        self.start_callers(&mut walk, &executed, &[]);
        match (found, variable) {
            (false, Some(variable)) => Err(CriterionError::NoVariable(
                file.to_owned(),
                line,
                variable.to_owned(),
            )),
            _ => Ok(self.slice_of(walk.run(options.enough), &nothing, options)),
        }
    }

    /// The slice of a hung stack, outermost frame first.
    pub fn slice_stack(&self, frames: &[SliceFrame], options: Options) -> Result<Slice, CriterionError> {
        self.slice_parted(frames, &[], options)
    }

    /// The same, where the stacks of other tasks are known: what parted the tasks comes first.
    pub fn slice_parted(
        &self,
        frames: &[SliceFrame],
        others: &[&[SliceFrame]],
        options: Options,
    ) -> Result<Slice, CriterionError> {
        let (stack, within) = self.stack_of(frames);
        if stack.is_empty() {
            return Err(CriterionError::NoSource);
        }
        if frames
            .iter()
            .flat_map(|frame| &frame.stands)
            .any(|stand| stand.is_any_round)
        {
            return Ok(self.slice_of_any_round(&stack, &within, options));
        }
        let executed = Executed::before(self, stack.clone());
        let others: Vec<Stack> = others.iter().map(|frames| self.stack_of(frames).0).collect();
        let parted = self.parted(&executed, &stack, &others);
        let begin = |walk: &mut Walk<'_>| {
            self.start_stack(walk, &executed, &within);
            for (&(context, branch), &distance) in &parted {
                walk.start(context, branch, distance + 1, Dependence::Parts);
            }
            if !parted.is_empty() {
                walk.set_aside();
            }
        };
        let nothing = Differences::default();
        let mut first = Walk::new(self, &executed, &nothing, options.messages);
        first.keep_trail();
        begin(&mut first);
        let differences = Differences::found(self, &first.run(Some(NEAR)));
        let mut walk = Walk::new(self, &executed, &differences, options.messages);
        begin(&mut walk);
        let near = options.enough.map(|enough| enough.max(NEAR));
        Ok(self.slice_of(walk.run(near), &differences, options))
    }

    /// The slice of a stack on which the frames between two others may be missing: its points may have been reached by any calls.
    fn slice_of_any_round(&self, stack: &Stack, within: &[Within], options: Options) -> Slice {
        let (executed, nothing) = (Executed::everything(self), Differences::default());
        let mut walk = Walk::new(self, &executed, &nothing, options.messages);
        for (distance, ((_, points), within)) in (0..).zip(stack.iter().zip(within).rev()) {
            start_frame(
                &mut walk,
                (CallingContext::Called, distance),
                points,
                Some(within),
            );
        }
        self.slice_of(walk.run(options.enough), &nothing, options)
    }

    /// The frames whose functions the graph has, and what is under way in macros there.
    fn stack_of(&self, frames: &[SliceFrame]) -> (Stack, Vec<Within>) {
        let mut stack = Stack::new();
        let mut within: Vec<Within> = Vec::new();
        for frame in frames {
            for (function, points, callee) in self.under_way(frame) {
                within.push(match callee {
                    Some(callee) => self.within_macros(&points, Some(callee)),
                    None => Within::default(),
                });
                stack.push((function, points));
            }
        }
        (stack, within)
    }

    /// A stack is where a walk begins: at its end, and less so at the calls that lead there.
    fn start_stack(&self, walk: &mut Walk<'_>, executed: &Executed, within: &[Within]) {
        if let Some((depth, innermost)) = executed.stack.iter().enumerate().next_back() {
            let begin = (CallingContext::Stack(depth as u16), 0);
            start_frame(walk, begin, &innermost.points, within.get(depth));
        }
        self.start_callers(walk, executed, within);
    }

    /// The calls of a stack are under way: they are executed, the nearer to its end the more telling.
    fn start_callers(&self, walk: &mut Walk<'_>, executed: &Executed, within: &[Within]) {
        let callers = executed.stack.iter().enumerate().rev().skip(1);
        for (distance, (depth, active)) in (1..).zip(callers) {
            let begin = (CallingContext::Stack(depth as u16), distance);
            start_frame(walk, begin, &active.points, within.get(depth));
        }
    }

    /// The only stack with which these points of one function can be reached, if there is only one: each function is called
    /// from one place, the outermost is `main`, and none calls itself.
    fn only_stack(&self, nodes: &[NodeId]) -> Option<Vec<(FunctionId, Vec<NodeId>)>> {
        let mut function = self.nodes[*nodes.first()?].function?;
        if nodes
            .iter()
            .any(|&node| self.nodes[node].function != Some(function))
        {
            return None;
        }
        // Only points have a place in the flow of control; arguments have that of their call, which is on the line too.
        let is_point = |node: &&NodeId| !matches!(self.nodes[**node].kind, NodeKind::Argument);
        let points: Vec<NodeId> = nodes.iter().filter(is_point).copied().collect();
        if points.is_empty() {
            return None;
        }
        let mut stack = vec![(function, points)];
        loop {
            match self.functions[function].callers[..] {
                [] => break,
                [call] => {
                    // Who is handed to a function without source may be called at any time after.
                    if self.call(call).is_none_or(|call| call.hands_on) {
                        return None;
                    }
                    function = self.nodes[call].function?;
                    if stack.iter().any(|(known, _)| *known == function) {
                        return None;
                    }
                    stack.push((function, vec![call]));
                }
                _ => return None,
            }
        }
        stack.reverse();
        (self.name(self.functions[function].name) == "main").then_some(stack)
    }

    fn slice_of(&self, reached: Reached, differences: &Differences, options: Options) -> Slice {
        let mut slice = Slice {
            has_more: reached.up_to.is_some(),
            ..Slice::default()
        };
        let mut numbers: HashMap<(FileId, u32), usize> = HashMap::new();
        let mut depths: Vec<u32> = Vec::new();
        let mut in_part: BTreeSet<FunctionId> = BTreeSet::new();
        for (distance, context, node) in reached.statements() {
            if reached.up_to.is_some_and(|bound| distance > bound) || !self.is_shown(node) {
                continue;
            }
            let each = &self.nodes[node];
            if let Some(function) = each.function
                && self.functions[function].distrust.is_some()
            {
                in_part.insert(function);
            }
            let place = (each.file, each.line);
            if let Some(&number) = numbers.get(&place) {
                let statement: &mut Statement = &mut slice.statements[number];
                statement.end_line = statement.end_line.max(each.end_line);
                statement.elsewhere &= context == CallingContext::Elsewhere;
                depths[number] = depths[number].min(differences.depth(node));
                continue;
            }
            let Some(step) = reached.get(&State::At(context, node)) else {
                continue;
            };
            let because = self.because(&reached, *step, &numbers);
            numbers.insert(place, slice.statements.len());
            depths.push(differences.depth(node));
            slice.statements.push(Statement {
                file: self.files[each.file].clone(),
                line: each.line,
                column: each.column,
                end_line: each.end_line,
                function: each
                    .function
                    .map(|function| self.name(self.functions[function].name).to_owned())
                    .unwrap_or_default(),
                distance: step.distance,
                elsewhere: context == CallingContext::Elsewhere,
                class: None,
                because,
            });
        }
        let told = in_part.into_iter().map(|id| {
            let function = &self.functions[id];
            (
                self.name(function.name).to_owned(),
                function.distrust.clone().unwrap_or_default(),
            )
        });
        slice.in_part = told.chain(self.in_part.iter().cloned()).collect();
        slice.rank(&depths);
        if let Some(enough) = options.enough {
            slice.cut(enough);
        }
        slice
    }

    /// Why a statement is in a slice, whose statements so far have `numbers`: the next of them on the way to the criterion, and the most
    /// telling step to it.
    fn because(
        &self,
        reached: &Reached,
        step: Predecessor,
        numbers: &HashMap<(FileId, u32), usize>,
    ) -> Because {
        let (mut kind, mut name, mut from) = (step.kind, step.name, step.from);
        let (mut of, mut role) = (None, None);
        while let Some(before) = from {
            if let State::At(_, other) = before {
                role = self.role(other);
                let place = (self.nodes[other].file, self.nodes[other].line);
                of = numbers.get(&place).copied().filter(|_| self.is_shown(other));
                if of.is_some() {
                    break;
                }
            }
            let is_origin = reached.origins.contains(&before);
            let Some(step) = reached.get(&before).filter(|_| !is_origin) else {
                break;
            };
            if kind == Dependence::Computes {
                kind = step.kind;
            }
            name = name.or(step.name);
            from = step.from;
        }
        Because {
            kind,
            name: name.map(|name| self.name(name).to_owned()),
            of,
            role: role.filter(|_| of.is_some()),
        }
    }

    /// What an argument means to the function of MPI that is given it.
    fn role(&self, argument: NodeId) -> Option<library::Role> {
        let node = &self.nodes[argument];
        if node.kind != NodeKind::Argument {
            return None;
        }
        let mut calls = self.calls_of(node.function?).iter();
        let call = calls.find(|call| {
            let first = call.first_argument.index();
            (first..first + call.arguments as usize).contains(&argument.index())
        })?;
        let index = argument.index() - call.first_argument.index();
        let mut roles = library::roles(self.name(call.name?));
        roles
            .find(|(at, _)| usize::from(*at) == index)
            .map(|(_, role)| role)
    }

    /// Whether a node is a line of code to a reader: parameters stand in the head of their function, and no text stands for
    /// its entry, its exit and the points where branches meet.
    pub(crate) fn is_shown(&self, node: NodeId) -> bool {
        let each = &self.nodes[node];
        let Some(function) = each.function else {
            return true;
        };
        if self.is_hidden(function) {
            return false;
        }
        let function = &self.functions[function];
        match each.kind {
            NodeKind::Parameter => false,
            NodeKind::Call | NodeKind::Argument | NodeKind::Initial => true,
            NodeKind::Plain => {
                let last = function.first_node.index() + function.points as usize - 1;
                node != function.first_node && node.index() != last && !each.is_join
            }
        }
    }
}

/// Begins a walk at the points of a frame: the innermost one is asked about, those above are calls under way, the nearer the more telling.
fn start_frame(
    walk: &mut Walk<'_>,
    (context, distance): (CallingContext, u32),
    points: &[NodeId],
    within: Option<&Within>,
) {
    let kind = match distance {
        0 => Dependence::Criterion,
        _ => Dependence::UnderWay,
    };
    for &node in points {
        walk.start(context, node, distance, kind);
    }
    if let Some(within) = within {
        walk.start_within(context, within.clone(), distance, kind);
    }
}
