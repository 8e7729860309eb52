//! `hindmost waits`: who waits for whom, from the recordings of a job.

use crate::output::{self, Status, Terminal};
use crate::recorder_args::{WaitsArgs, WaitsFormat};
use engine::recorded::{Certainty, Verdict, waiting};
use project::Failure;

pub(crate) fn run(args: &WaitsArgs) -> anyhow::Result<Status> {
    let waiting = waiting(&project::recordings(&args.paths, &Terminal::showing(false))?);
    if waiting.tasks.is_empty() {
        return Err(Failure::new("no task of a job has recorded anything behind MPI_Init").into());
    }
    match args.format {
        WaitsFormat::Text => output::print(&report::waits_text(&waiting, args.all))?,
        WaitsFormat::Json => output::print_plain(&report::waits_json(&waiting))?,
        WaitsFormat::Dot => output::print_plain(&report::waits_dot(&waiting))?,
    }
    Ok(match waiting.verdict() {
        Verdict::Deadlock(_, Certainty::Probable) => Status::Probable,
        Verdict::Nobody => Status::Undecided,
        _ => Status::Done,
    })
}
