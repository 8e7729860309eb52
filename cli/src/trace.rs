//! `hindmost trace`: what the tasks of a job called.

use crate::args::Format;
use crate::output::{self, Status, Terminal};
use crate::trace_args::{
    DiffArgs, LoopsArgs, OutliersArgs, ShowFormat, ShowTraceArgs, TraceCommand, TreeTraceArgs,
    TreeTraceFormat, WhichArgs, WhoseArgs,
};
use crate::trace_pack;
use engine::traces::{Calls, Cut, Differences, Forest, Paths, Phases, Shape, Traces, Wanted};
use project::Failure;
use regex::Regex;
use report::traces as text;
use std::ops::RangeInclusive;
use std::path::PathBuf;

pub(crate) fn run(command: &TraceCommand) -> anyhow::Result<Status> {
    match command {
        TraceCommand::Show(args) => show(args),
        TraceCommand::Tree(args) => tree(args),
        TraceCommand::Loops(args) => loops(args),
        TraceCommand::Diff(args) => diff(args),
        TraceCommand::Outliers(args) => outliers(args),
        TraceCommand::Pack(args) => trace_pack::run(args),
    }
}

/// The traces that are asked for, those of these directories one behind the other.
fn read(which: &WhichArgs, more: Option<&PathBuf>, rank: Option<u32>) -> anyhow::Result<Traces> {
    let only = which.only.as_deref().map(|only| match only {
        "mpi" => "^P?MPIX?_",
        // gcc's runtime and regions, and those of LLVM and Intel.
        "omp" => r"^(omp_|GOMP_|__kmpc?_)|\._omp_fn\.|\.omp_outlined",
        "pthread" => "^_*pthread_",
        only => only,
    });
    let only = only.map(Regex::new).transpose();
    let only = only.map_err(|error| Failure::new(format!("--only is no regular expression: {error}")))?;
    let is_kept = |name: &str| only.as_ref().is_none_or(|only| only.is_match(name));
    let listener = Terminal::showing(false);
    let mut processes = project::traces(std::slice::from_ref(&which.directory), &listener)?;
    let first = processes.len();
    if let Some(more) = more {
        processes.extend(project::traces(std::slice::from_ref(more), &listener)?);
    }
    let cut = cut(which)?;
    let mut traces = Traces::of(
        processes,
        first,
        &Wanted {
            is_kept: &is_kept,
            cut,
        },
    );
    if let Some(name) = traces.unmet.first() {
        let why = format!("no function that was traced is called {name}");
        return Err(Failure::new(why)
            .hint("hindmost trace tree lists those that are")
            .into());
    }
    if !which.threads {
        traces.streams.retain(|stream| stream.who.thread == 0);
    }
    if let Some(rank) = rank {
        let is_wanted = |who: engine::traces::Who| who.rank.unwrap_or(who.pid) == rank;
        traces.streams.retain(|stream| is_wanted(stream.who));
    }
    if traces.streams.is_empty() {
        return Err(Failure::new("no such thread has a trace").into());
    }
    Ok(traces)
}

/// The piece of each trace that is asked for.
fn cut(which: &WhichArgs) -> Result<Cut, Failure> {
    let calls = |option: &str, text: &Option<String>, all: RangeInclusive<u64>| {
        let parse = |text: &String| {
            Calls::parse(text, all)
                .map_err(|why| Failure::new(format!("--{option} {text} names no calls: {why}")))
        };
        text.as_ref().map(parse).transpose()
    };
    Ok(Cut {
        within: calls("within", &which.within, 1..=u64::MAX)?,
        from: calls("from", &which.from, 1..=1)?,
        until: calls("until", &which.until, 1..=1)?,
    })
}

fn read_of(whose: &WhoseArgs) -> anyhow::Result<Traces> {
    read(&whose.which, None, whose.rank)
}

fn notes(traces: &Traces) {
    traces.notes.iter().for_each(|note| output::warn(note));
}

/// What each thread did, loops folded; says what the reader should know.
fn folded(traces: &mut Traces) -> (Forest, Vec<Shape>) {
    let mut forest = Forest::new();
    let shapes = traces.shapes(&mut forest);
    notes(traces);
    (forest, shapes)
}

fn show(args: &ShowTraceArgs) -> anyhow::Result<Status> {
    let traces = read_of(&args.whose)?;
    notes(&traces);
    let last = || text::last_events(&traces, args.last);
    match args.format {
        ShowFormat::Text => output::print(&text::last_text(&traces, &last()))?,
        ShowFormat::Json => output::print_plain(&text::last_json(&traces, &last()))?,
        ShowFormat::Perfetto => output::print_plain(&text::perfetto(&traces))?,
    }
    Ok(Status::Done)
}

fn tree(args: &TreeTraceArgs) -> anyhow::Result<Status> {
    let mut traces = read_of(&args.whose)?;
    let (forest, shapes) = folded(&mut traces);
    let paths = Paths::of(&forest, &shapes);
    match args.format {
        TreeTraceFormat::Text => output::print(&text::paths_text(&traces, &paths))?,
        TreeTraceFormat::Json => output::print_plain(&text::paths_json(&traces, &paths))?,
        TreeTraceFormat::Folded => output::print_plain(&text::paths_folded(&traces, &paths))?,
    }
    Ok(Status::Done)
}

fn loops(args: &LoopsArgs) -> anyhow::Result<Status> {
    let mut traces = read_of(&args.whose)?;
    let (forest, shapes) = folded(&mut traces);
    if let Some(file) = &args.html {
        project::write_atomically(file, report::loops_html(&traces, &forest, &shapes).as_bytes())?;
        output::note(&format!("{} is written", file.display()));
        return Ok(Status::Done);
    }
    match args.format {
        Format::Text => output::print(&text::loops_text(
            &traces, &forest, &shapes, args.depth, args.lines,
        ))?,
        Format::Json => output::print_plain(&text::loops_json(&traces, &forest, &shapes))?,
    }
    Ok(Status::Done)
}

fn diff(args: &DiffArgs) -> anyhow::Result<Status> {
    let mut traces = read(&args.which, args.with.as_ref(), None)?;
    let (forest, shapes) = folded(&mut traces);
    let run = usize::from(args.with.is_some());
    let numbers = [(args.one, 0), (args.other.unwrap_or(args.one), run)];
    let mut found = Vec::new();
    for (number, run) in numbers {
        let at = traces.find(number, run).ok_or_else(|| {
            Failure::new(format!("there is no trace of rank or process {number}"))
                .hint("hindmost trace show lists those that are there")
        })?;
        found.push(at);
    }
    let (one, other) = (found[0], found[1]);
    let mut who = [one, other].map(|at| traces.streams[at].who.to_string());
    if args.with.is_some() {
        who[0].push_str(" of the first run");
        who[1].push_str(" of the second");
    }
    let who = [who[0].as_str(), who[1].as_str()];
    let differences = Differences::between(&forest, shapes[one], shapes[other]);
    match args.format {
        Format::Text => output::print(&text::differences_text(&traces, &differences, who, args.most))?,
        Format::Json => output::print_plain(&text::differences_json(&traces, &differences, who))?,
    }
    Ok(did_otherwise(!differences.all.is_empty()))
}

fn outliers(args: &OutliersArgs) -> anyhow::Result<Status> {
    let mut traces = read(&args.which, None, None)?;
    let (forest, shapes) = folded(&mut traces);
    let paths = Paths::of(&forest, &shapes);
    let (groups, outliers) = (paths.groups(), paths.outliers());
    let phases = Phases::of(&forest, &shapes);
    match args.format {
        Format::Text => {
            let shown = text::outliers_text(&traces, &paths, &groups, &outliers, args.most);
            output::print(&shown)?;
            output::print(&text::phases_text(&traces, &forest, &phases, args.most))?;
        }
        Format::Json => output::print_plain(&text::outliers_json(
            &traces, &paths, &groups, &outliers, &forest, &phases,
        ))?,
    }
    Ok(did_otherwise(groups.len() > 1))
}

fn did_otherwise(somebody: bool) -> Status {
    if somebody { Status::Done } else { Status::Undecided }
}
