//! Slices, made in a thread of their own: of a class of tasks, or of a line.

use crate::Host;
use crate::project::Project;
use engine::{DependenceGraph, Outwards, Slice, SliceOptions, SourceFile};
use progress_map::FileId;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

/// What a slice is to be of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// The stacks of classes from the hindmost outwards: by their progress, or along who waits for whom.
    Outwards(Outwards),
    /// The stack of a class, by its index.
    Class(usize),
    /// A line.
    Line(FileId, u32),
}

/// A slice that is being walked.
pub(crate) struct Walked {
    pub(crate) wish: Wish,
    pub(crate) steps: Vec<SliceStatement>,
    /// Where the walk is; none before its first step.
    pub(crate) at: Option<usize>,
    /// First and last line of its statements, by file.
    covered: BTreeMap<FileId, Vec<(u32, u32)>>,
}

/// A statement of a slice.
#[derive(Clone, Debug)]
pub(crate) struct SliceStatement {
    pub(crate) file: FileId,
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) distance: u32,
    /// The class whose stack brought it, where the slice grows by classes.
    pub(crate) class: Option<usize>,
    pub(crate) text: String,
}

/// What a thread is to do.
pub(crate) struct Task {
    pub(crate) project: Arc<Project>,
    pub(crate) host: Arc<dyn Host>,
    /// The graph, if it was made before.
    pub(crate) graph: Option<Arc<DependenceGraph>>,
    /// The mapped texts, if it was not.
    pub(crate) sources: Vec<SourceFile>,
    pub(crate) wish: Wish,
    pub(crate) messages: bool,
}

/// What came of it.
pub(crate) struct Made {
    pub(crate) wish: Wish,
    /// None if even that was not made.
    pub(crate) graph: Option<Arc<DependenceGraph>>,
    pub(crate) slice: Result<Walked, String>,
}

impl Task {
    /// Whatever happens, whoever waits gets an answer: a panic (a mistake of ours) becomes one.
    pub(crate) fn run(self) -> Made {
        let wish = self.wish.clone();
        let made = std::panic::catch_unwind(AssertUnwindSafe(|| self.make()));
        made.unwrap_or_else(|_| Made {
            wish,
            graph: None,
            slice: Err("an error inside hindmost".to_owned()),
        })
    }

    fn make(self) -> Made {
        let graph = match self.graph {
            Some(graph) => graph,
            None => match self.host.graph(self.sources, self.project.job.compiled.clone()) {
                Ok(graph) => Arc::new(graph),
                Err(why) => {
                    return Made {
                        wish: self.wish,
                        graph: None,
                        slice: Err(why),
                    };
                }
            },
        };
        let options = SliceOptions {
            messages: self.messages,
            enough: None,
        };
        let map = &self.project.job.map;
        let answer = self.project.answer();
        let slice = match &self.wish {
            Wish::Outwards(outwards) => {
                let slice = answer.and_then(|answer| answer.slice(&graph, *outwards, options));
                // Without a hindmost there is no stack.
                slice.unwrap_or_else(|| graph.slice_stack(&[], options))
            }
            Wish::Class(class) => match answer.and_then(|answer| answer.classes.get(*class)) {
                Some(class) => class.slice(&graph, options),
                None => graph.slice_stack(&[], options),
            },
            Wish::Line(file, line) => {
                let path = map.files.get(*file).map(|file| file.path.as_str());
                graph.slice_at(path.unwrap_or_default(), *line, None, options)
            }
        };
        let slice = slice.map_err(|error| error.to_string());
        Made {
            slice: slice.map(|slice| Walked::new(self.wish.clone(), &slice, &self.project)),
            wish: self.wish,
            graph: Some(graph),
        }
    }
}

impl Walked {
    fn new(wish: Wish, slice: &Slice, project: &Project) -> Self {
        let files = project.job.map.files.iter_enumerated();
        let files: BTreeMap<&str, FileId> = files.map(|(id, file)| (file.path.as_str(), id)).collect();
        let mut covered: BTreeMap<FileId, Vec<(u32, u32)>> = BTreeMap::new();
        let mut steps = Vec::new();
        for statement in &slice.statements {
            let Some(&file) = files.get(statement.file.as_str()) else {
                continue;
            };
            let lines = (statement.line, statement.end_line.max(statement.line));
            covered.entry(file).or_default().push(lines);
            steps.push(SliceStatement {
                file,
                line: statement.line,
                column: statement.column,
                distance: statement.distance,
                class: statement.class,
                text: report::sentence_of_places(slice, statement),
            });
        }
        Self {
            wish,
            steps,
            at: None,
            covered,
        }
    }

    /// Goes on where another walk was: a slice that grows keeps what it has, in its order.
    pub(crate) fn go_on(&mut self, before: Option<&Walked>) {
        let both = |wish: &Wish| match (wish, &self.wish) {
            (Wish::Outwards(before), Wish::Outwards(now)) => before.is_same_way(*now),
            _ => false,
        };
        let at = before
            .filter(|before| both(&before.wish))
            .and_then(|before| before.at);
        self.at = at.map(|at| at.min(self.steps.len().saturating_sub(1)));
    }

    /// Whether a line of the mapped text is in the slice.
    pub(crate) fn covers(&self, file: FileId, line: u32) -> bool {
        let of_file = self.covered.get(&file).map(Vec::as_slice).unwrap_or_default();
        of_file
            .iter()
            .any(|&(first, last)| (first..=last).contains(&line))
    }
}
