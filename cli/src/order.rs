//! `hindmost order`: recorded stacks, offline.

use crate::args::OrderArgs;
use crate::findings;
use crate::output::{self, Status};
use crate::pairs;
use engine::{Analysis, Origin};
use project::{SourceFinder, Wish};
use std::path::PathBuf;

pub(crate) fn run(args: &OrderArgs) -> anyhow::Result<Status> {
    let bytes = project::map_bytes(&args.map)?;
    let mut recorded = project::stacks(&Vec::from_iter(args.stacks.iter().map(PathBuf::as_path)))?;
    recorded.notes().iter().for_each(|note| output::warn(note));
    let map = project::map_in(&args.map, engine::map_for_stacks(&bytes, recorded.stacks()))?;
    recorded.distrust(&map);
    if let Some(path) = &args.pairs {
        let tasks = recorded.one_by_one()?;
        let analysis = Analysis::new(&map, &tasks, base::RankSet::default());
        output::print_plain(&pairs::compare(&analysis, &project::read_text(path)?, path)?)?;
        return Ok(Status::Done);
    }
    let mut found = recorded.findings(
        &map,
        &Wish {
            answer: true,
            explain: args.explain.as_deref(),
            tree: None,
        },
    )?;
    if let Some(answer) = &mut found.answer {
        answer.map = Some(project::map_used(&args.map, &map, &bytes));
    }
    let finder = SourceFinder::new(Some(&args.map), &project::Reader::default());
    project::advise(&mut found, Origin::Recorded, &finder);
    let slice = args.slice.then_some(&args.job_slice);
    findings::print(
        &mut found,
        &findings::forms(args.format, args.names.into(), None, slice),
        slice,
        &finder,
        &[],
    )?;
    Ok(output::status_of(&found))
}
