//! `hindmost timeline`: what the tasks of a job did, one event behind the other, in causal order.

use crate::output::{self, Status, Terminal};
use crate::recorder_args::{TimelineArgs, TimelineFormat};
use engine::timeline::{Source, timeline};

/// Lines that are printed unless all are asked for.
const LINES: usize = 40;

pub(crate) fn run(args: &TimelineArgs) -> anyhow::Result<Status> {
    let recorded = project::recorded_events(&args.paths, &Terminal::showing(false))?;
    let sources = Vec::from_iter(
        recorded
            .iter()
            .map(|(recording, events)| Source { recording, events }),
    );
    let timeline = timeline(&sources);
    match args.export {
        None => output::print(&report::timeline_text(&timeline, (!args.all).then_some(LINES)))?,
        Some(TimelineFormat::Jsonl) => output::print_plain(&report::timeline_jsonl(&timeline))?,
        Some(TimelineFormat::Perfetto) => output::print_plain(&report::timeline_perfetto(&timeline))?,
    }
    if timeline.happenings.is_empty() {
        return Ok(Status::Undecided);
    }
    Ok(Status::Done)
}
