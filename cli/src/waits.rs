//! `hindmost waits`: who waits for whom, from the recordings of a job.

use crate::args::Format;
use crate::output::{self, Status, Terminal};
use crate::recorder_args::WaitsArgs;
use engine::recorded::{Certainty, Verdict, waiting};
use project::Failure;

pub(crate) fn run(args: &WaitsArgs) -> anyhow::Result<Status> {
    let waiting = waiting(&project::recordings(&args.paths, &Terminal::showing(false))?);
    if waiting.tasks.is_empty() {
        return Err(Failure::new("no task of a job has recorded anything behind MPI_Init").into());
    }
    match args.format {
        Format::Text => output::print(&report::waits_text(&waiting, args.all))?,
        Format::Json => output::print_plain(&report::waits_json(&waiting))?,
    }
    Ok(match waiting.verdict() {
        Verdict::Deadlock(_, Certainty::Probable) => Status::Probable,
        Verdict::Nobody => Status::Undecided,
        _ => Status::Done,
    })
}
