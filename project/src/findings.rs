//! Findings as they are shown: with what the files and processes of this machine add to them.

use crate::advice;
use crate::failure::Failure;
use crate::files::SourceFinder;
use crate::graph::{graph_of, program_of};
use crate::listener::Listener;
use engine::{
    Analysis, CriterionError, Findings, Origin, Outwards, SliceOptions, TooManyCallees, TreeOptions, Wanted,
};
use std::fmt;

/// What a user wishes to know of a job.
#[derive(Clone, Debug, Default)]
pub struct Wish<'w> {
    /// Its answer.
    pub answer: bool,
    /// How two tasks stand to each other, by the names that the user gives them.
    pub explain: Option<&'w [String]>,
    /// Its tree.
    pub tree: Option<TreeOptions>,
}

/// What is wished for.
pub fn of<'a>(analysis: Analysis<'a>, wish: &Wish<'_>) -> Result<Findings<'a>, Failure> {
    let pair = wish.explain.map(|names| pair_of(&analysis, names));
    Ok(analysis.findings(&Wanted {
        answer: wish.answer,
        explain: pair.transpose()?,
        tree: wish.tree.clone(),
    }))
}

/// Says what to do next: advice that a file's text does not bear out is taken back first.
pub fn advise(findings: &mut Findings<'_>, origin: Origin, finder: &SourceFinder) {
    if let Some(answer) = &mut findings.answer {
        advice::check(answer, finder);
        answer.advise(origin);
    }
}

/// Which slice of a job is wanted.
#[derive(Clone, Copy, Debug)]
pub struct SliceWish {
    /// Which classes, from the hindmost outwards.
    pub outwards: Outwards,
    /// What of it.
    pub options: SliceOptions,
}

/// Why a job has no slice.
#[derive(Debug)]
pub enum NoSlice {
    /// No task has a stack.
    NoStart,
    /// Nothing is here of what the program does.
    NoProgram,
    /// The program's calls through pointers may go to too many functions.
    Graph(TooManyCallees),
    /// The stack of whoever is named has no place in the sources.
    Criterion(CriterionError),
}

impl fmt::Display for NoSlice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoStart => f.write_str("there is no task to start from"),
            Self::NoProgram => f.write_str("neither sources nor what was compiled is here"),
            Self::Graph(why) => why.fmt(f),
            Self::Criterion(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for NoSlice {}

/// Adds the slice of the hindmost, of the map's sources as they are now.
pub fn add_slice(
    findings: &mut Findings<'_>,
    wish: SliceWish,
    finder: &SourceFinder,
    listener: &dyn Listener,
) -> Result<(), NoSlice> {
    let answer = findings
        .answer
        .as_ref()
        .filter(|answer| answer.has_start_of_slice());
    let answer = answer.ok_or(NoSlice::NoStart)?;
    let program = program_of(findings.map, finder, listener);
    if program.is_empty() {
        return Err(NoSlice::NoProgram);
    }
    let graph = graph_of(program, listener).map_err(NoSlice::Graph)?;
    let slice = answer.slice(&graph, wish.outwards, wish.options);
    findings.slice_steps = answer.slice_steps(wish.outwards);
    findings.slice_of = answer.slice_title().to_owned();
    findings.slice = Some(slice.ok_or(NoSlice::NoStart)?.map_err(NoSlice::Criterion)?);
    Ok(())
}

/// The two tasks that a user names.
fn pair_of(analysis: &Analysis<'_>, names: &[String]) -> Result<(usize, usize), Failure> {
    let [a, b] = names else {
        return Err(Failure::new("--explain needs two tasks"));
    };
    let find = |name: &String| {
        analysis.find(name).ok_or_else(|| {
            let failure = Failure::new(format!("--explain: no task or rank '{name}'"));
            match analysis.tasks() {
                tasks @ [first, .., last] => failure.hint(format!(
                    "there are {} tasks, from {} to {}",
                    tasks.len(),
                    first.task,
                    last.task
                )),
                _ => failure,
            }
        })
    };
    Ok((find(a)?, find(b)?))
}
