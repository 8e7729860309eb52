//! Findings as they are shown: with what the files and processes of this machine add to them.

use crate::advice;
use crate::failure::Failure;
use crate::files::SourceFinder;
use crate::graph::{graph_of, program_of};
use crate::job_map::JobMap;
use crate::listener::Listener;
use engine::{
    Analysis, Answer, CriterionError, Findings, Map, Origin, Outwards, Slice, SliceOptions, TooManyCallees,
    TreeOptions, Wanted,
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

/// Adds the slice of the hindmost, of the map's sources as they are now. `others` are the maps of the job's further programs: where one of these is what the hindmost runs, the slice is of that.
pub fn add_slice(
    findings: &mut Findings<'_>,
    wish: SliceWish,
    finder: &SourceFinder,
    others: &[JobMap],
    listener: &dyn Listener,
) -> Result<(), NoSlice> {
    let answer = findings
        .answer
        .as_ref()
        .filter(|answer| answer.has_start_of_slice());
    let answer = answer.ok_or(NoSlice::NoStart)?;
    let further = answer.slice_of_further_program();
    let further = further.and_then(|(at, part)| {
        let map = others
            .iter()
            .find(|other| other.used == answer.programs[at].answer.map)?;
        Some((part, map))
    });
    let (slice, steps, title) = match further {
        Some((part, other)) => {
            let finder = SourceFinder::new(other.path.as_deref(), &other.reader);
            let finder = finder.with_compiled(other.compiled.clone());
            let slice = sliced(&part, &other.map, wish, &finder, listener)?;
            let steps = answer.steps_of_part(&part, &part.slice_steps(wish.outwards));
            (slice, steps, part.slice_title())
        }
        None => (
            sliced(answer, findings.map, wish, finder, listener)?,
            answer.slice_steps(wish.outwards),
            answer.slice_title(),
        ),
    };
    findings.slice_steps = steps;
    findings.slice_of = title.to_owned();
    findings.slice = Some(slice);
    Ok(())
}

/// The slice of an answer that was made by a map.
fn sliced(
    answer: &Answer,
    map: &Map,
    wish: SliceWish,
    finder: &SourceFinder,
    listener: &dyn Listener,
) -> Result<Slice, NoSlice> {
    let program = program_of(map, finder, listener);
    if program.is_empty() {
        return Err(NoSlice::NoProgram);
    }
    let graph = graph_of(program, listener).map_err(NoSlice::Graph)?;
    let slice = answer.slice(&graph, wish.outwards, wish.options);
    slice.ok_or(NoSlice::NoStart)?.map_err(NoSlice::Criterion)
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
