//! `hindmost timeline`: what the tasks of a job did, one event behind the other, in causal order.

use crate::followed::FollowedJob;
use crate::output::{self, Status};
use crate::recorder_args::{TimelineArgs, TimelineFormat};
use crate::{timeline_serve, timeline_view};
use engine::recorded::Waiting;
use engine::timeline::{Happening, Source, Timeline, timeline, timeline_of};
use project::Failure;
use report::{PageKind, PagePart, WaitsSaid};
use std::io::{self, Write};
use std::time::Duration;

/// Lines that are printed unless all are asked for.
const LINES: usize = 40;

/// How often is looked for new events.
const PAUSE: Duration = Duration::from_millis(200);

pub(crate) fn run(args: &TimelineArgs) -> anyhow::Result<Status> {
    if let [path] = &*args.paths
        && let Some(trace) = project::foreign_events(path)?
    {
        return of_file(args, &timeline_of(&trace));
    }
    let mut job = FollowedJob::of(&args.paths, &args.which, &args.reach)?;
    if args.view {
        return timeline_view::run(job);
    }
    if let Some(port) = args.serve {
        return timeline_serve::run(job, port);
    }
    if args.follow {
        return follow(args, job);
    }
    let recorded = job.whole()?;
    let sources = Vec::from_iter(
        recorded
            .iter()
            .map(|(recording, events)| Source { recording, events }),
    );
    let timeline = timeline(&sources);
    print(args, &timeline, || job.waits().waiting())
}

/// What is there as a whole, in a file of another tool.
fn of_file(args: &TimelineArgs, timeline: &Timeline<'_>) -> anyhow::Result<Status> {
    if args.follow {
        return Err(Failure::new("a file of events is there as a whole, so that none is followed")
            .hint("without --follow they are printed; --follow goes along with a job that hindmost run --events records")
            .into());
    }
    if args.view {
        return timeline_view::of_file(timeline);
    }
    if let Some(port) = args.serve {
        return timeline_serve::of_file(timeline, port);
    }
    print(args, timeline, || None)
}

/// Prints all, or what is asked for. `waiting` tells who waits for whom.
fn print(
    args: &TimelineArgs,
    timeline: &Timeline<'_>,
    waiting: impl FnOnce() -> Option<Waiting>,
) -> anyhow::Result<Status> {
    match args.export {
        None => output::print(&report::timeline_text(timeline, (!args.all).then_some(LINES)))?,
        Some(TimelineFormat::Jsonl) => output::print_plain(&report::timeline_jsonl(timeline))?,
        Some(TimelineFormat::Html) => output::print_plain(&page(timeline, waiting().as_ref()))?,
        Some(TimelineFormat::Perfetto) => output::print_plain(&report::timeline_perfetto(timeline))?,
    }
    if timeline.happenings.is_empty() {
        return Ok(Status::Undecided);
    }
    Ok(Status::Done)
}

/// The page of a job's events, with who waits for whom by what is recorded.
fn page(timeline: &Timeline<'_>, waiting: Option<&Waiting>) -> String {
    let said = waiting.map(WaitsSaid::of);
    let times = || timeline.happenings.iter().map(|happening| happening.time);
    let part = PagePart {
        happenings: &timeline.happenings,
        points: &timeline.points,
        said: said.as_ref(),
        begun: times().min().unwrap_or(0),
        now: times().max().unwrap_or(0),
        next: 0,
        is_over: true,
    };
    report::timeline_html(&part, PageKind::File)
}

/// Prints events while they come, until no task runs any more and all is read, or nobody reads what is printed.
fn follow(args: &TimelineArgs, mut job: FollowedJob) -> anyhow::Result<Status> {
    if matches!(args.export, Some(TimelineFormat::Perfetto | TimelineFormat::Html)) {
        return Err(
            Failure::new("a trace for Perfetto and a page are one document each")
                .hint(
                    "--follow --export jsonl writes events while they come, --serve shows them in a browser",
                )
                .into(),
        );
    }
    let mut printer = Printer {
        as_json: args.export.is_some(),
        begun: None,
    };
    loop {
        let step = job.step(false);
        step.notes.iter().for_each(|note| output::warn(note));
        match printer.print(&step.happenings) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
            result => result?,
        }
        if step.is_over {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    let lost = job.lost();
    if lost > 0 {
        output::note(&format!("{lost} events were written over before they were read"));
    }
    Ok(printer.begun.map_or(Status::Undecided, |_| Status::Done))
}

struct Printer {
    as_json: bool,
    /// When the first event was.
    begun: Option<i64>,
}

impl Printer {
    fn print(&mut self, happenings: &[Happening<'_>]) -> io::Result<()> {
        let mut out = anstream::stdout().lock();
        for happening in happenings {
            let begun = *self.begun.get_or_insert(happening.time);
            if self.as_json {
                out.write_all(report::timeline_json_line(happening).as_bytes())?;
            } else {
                writeln!(out, "{}", report::timeline_line(happening, begun))?;
            }
        }
        out.flush()
    }
}
