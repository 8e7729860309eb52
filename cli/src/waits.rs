//! `hindmost waits`: who waits for whom, from the recordings of a job.

use crate::output::{self, Status, Terminal};
use crate::recorder_args::{RecordedFormat, WaitsArgs};
use engine::recorded::{Certainty, Verdict, places, waiting};
use project::Failure;

pub(crate) fn run(args: &WaitsArgs) -> anyhow::Result<Status> {
    let records = project::recordings(&args.paths, &Terminal::showing(false))?;
    let waiting = waiting(&records);
    if waiting.tasks.is_empty() {
        return Err(Failure::new("no task of a job has recorded anything behind MPI_Init").into());
    }
    match args.format {
        RecordedFormat::Text => output::print(&report::waits_text(&waiting, args.all))?,
        RecordedFormat::Json => output::print_plain(&report::waits_json(&waiting))?,
        RecordedFormat::Automaded => {
            output::print_plain(&report::waits_dump(&waiting, &places(&records, &waiting)))?;
        }
        RecordedFormat::Dot => output::print_plain(&report::waits_dot(&waiting))?,
    }
    Ok(match waiting.verdict() {
        Verdict::Deadlock(_, Certainty::Probable) => Status::Probable,
        Verdict::Nobody => Status::Undecided,
        _ => Status::Done,
    })
}
