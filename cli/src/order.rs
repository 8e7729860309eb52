//! `hindmost order`: recorded stacks, offline.

use crate::args::OrderArgs;
use crate::output::{self, Status};
use crate::pairs;
use crate::slice;
use engine::{Answer, Comparer, Explanation, Map};
use project::{Failure, SourceFinder};
use snapshot::Task;
use std::path::PathBuf;

pub(crate) fn run(args: &OrderArgs) -> anyhow::Result<Status> {
    let bytes = project::read(&args.map)?;
    let mut recorded = project::stacks(&Vec::from_iter(args.stacks.iter().map(PathBuf::as_path)))?;
    recorded.notes().iter().for_each(|note| output::warn(note));
    let map = project::map_in(&args.map, engine::map_for_stacks(&bytes, recorded.stacks()))?;
    recorded.distrust(&map);
    if let Some(path) = &args.pairs {
        let tasks = recorded.one_by_one()?;
        let comparer = Comparer::new(&map, &tasks);
        output::print_plain(&pairs::compare(&comparer, &project::read_text(path)?, path)?)?;
        return Ok(Status::Done);
    }
    let mut answer = recorded.answer(&map);
    let mut explanation = match &args.explain {
        Some(names) => Some(explain(&map, &recorded.one_by_one()?, names)?),
        None => None,
    };
    let finder = SourceFinder::new(Some(&args.map), &project::Reader::default());
    project::check_advice(&mut answer, &finder);
    answer.advise(engine::Origin::Recorded);
    finder.fill(&map, &mut answer, explanation.as_mut());
    if args.slice && args.job_slice.shape.slice_format.is_document() {
        slice::of_answer(&map, &answer, &args.job_slice, &finder)?;
        return Ok(output::status_of(&answer));
    }
    print(&answer, explanation.as_ref(), args, &finder)?;
    if args.slice {
        output::print("\n")?;
        slice::of_answer(&map, &answer, &args.job_slice, &finder)?;
    }
    Ok(output::status_of(&answer))
}

fn print(
    answer: &Answer,
    explanation: Option<&Explanation>,
    args: &OrderArgs,
    finder: &SourceFinder,
) -> anyhow::Result<()> {
    output::print_answer_of(answer, explanation, args.format, finder)?;
    if answer.outcome == engine::Outcome::NothingReadable {
        output::error(&output::nothing_readable(answer).into());
    }
    Ok(())
}

/// The explanation of the two tasks that the user names; clap takes no other number of them.
pub(crate) fn explain(map: &Map, tasks: &[Task], names: &[String]) -> Result<Explanation, Failure> {
    let [a, b] = names else {
        return Err(Failure::new("--explain needs two tasks"));
    };
    let comparer = Comparer::new(map, tasks);
    let find = |name: &String| {
        comparer.find(name).ok_or_else(|| {
            let failure = Failure::new(format!("--explain: no task or rank '{name}'"));
            match tasks {
                [first, .., last] => failure.hint(format!(
                    "there are {} tasks, from {} to {}",
                    tasks.len(),
                    first.task,
                    last.task
                )),
                _ => failure,
            }
        })
    };
    Ok(comparer.explain(find(a)?, find(b)?))
}
