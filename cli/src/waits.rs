//! `hindmost waits`: who waits for whom, from the recordings of a job.

use crate::output::{self, Status, Terminal};
use crate::recorder_args::{RecordedFormat, WaitsArgs};
use engine::recorded::{Verdict, places};
use project::{Failure, FirstLook};

pub(crate) fn run(args: &WaitsArgs) -> anyhow::Result<Status> {
    let recorded = FirstLook::of_paths(&args.paths, &Terminal::showing(false))?;
    let (records, waiting) = recorded.with_waiting();
    let waiting = waiting
        .filter(|waiting| !waiting.tasks.is_empty())
        .ok_or_else(|| Failure::new("no task of a job has recorded anything behind MPI_Init"))?;
    match args.format {
        RecordedFormat::Text => output::print(&report::waits_text(&waiting, args.all))?,
        RecordedFormat::Json => output::print_plain(&report::waits_json(&waiting))?,
        RecordedFormat::Automaded => {
            output::print_plain(&report::waits_dump(&waiting, &places(&records, &waiting)))?;
        }
        RecordedFormat::Dot => output::print_plain(&report::waits_dot(&waiting))?,
    }
    // As `proven` of the JSON.
    let verdict = waiting.verdict();
    Ok(match (&verdict, waiting.doubt(&verdict)) {
        (Verdict::Nobody, _) => Status::Undecided,
        (_, None) => Status::Done,
        (_, Some(_)) => Status::Probable,
    })
}
