//! `hindmost timeline`: what the tasks of a job did, one event behind the other, in causal order.

use crate::output::{self, Status, Terminal};
use crate::recorder_args::{TimelineArgs, TimelineFormat};
use engine::timeline::{Happening, Live, Source, timeline};
use project::{Failure, FollowedEvents};
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// Lines that are printed unless all are asked for.
const LINES: usize = 40;

/// How often is looked for new events.
const PAUSE: Duration = Duration::from_millis(200);

pub(crate) fn run(args: &TimelineArgs) -> anyhow::Result<Status> {
    if args.follow {
        return follow(args);
    }
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

/// Prints events while they come, until no task runs any more and all is read, or nobody reads what is printed.
fn follow(args: &TimelineArgs) -> anyhow::Result<Status> {
    if args.export == Some(TimelineFormat::Perfetto) {
        return Err(Failure::new("a trace for Perfetto is one document")
            .hint("--follow --export jsonl writes events while they come")
            .into());
    }
    let mut followed = FollowedEvents::new(&args.paths, &Terminal::showing(false))?;
    let mut live = Live::default();
    let mut printer = Printer {
        as_json: args.export.is_some(),
        begun: None,
    };
    let started = Instant::now();
    loop {
        // Asked before it is read: what a task wrote at its end is still seen.
        let is_running = followed.is_running();
        let read = followed.read();
        let has_more = is_running || !read.is_empty();
        let now = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let happenings = if has_more {
            live.feed(read, now)
        } else {
            live.finish()
        };
        match printer.print(&happenings) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
            result => result?,
        }
        if !has_more {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    let lost: u64 = live.lanes().iter().map(|lane| lane.lost).sum();
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
