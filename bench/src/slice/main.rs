//! `slice-bench DIR`: the dependence graph of a source tree, and slices from stacks that its calls allow; for
//! `cargo xtask bench --slice DIR`.
//!
//! Times are of the wall clock, with all processors; the processor time that they cost stands beside them.

#[path = "../own.rs"]
mod own;

use base::FileKind;
use engine::{DependenceGraph, SliceOptions, SourceFile, TooManyCallees, dependence_graph};
use own::{peak_megabytes, processor_time};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use walkdir::WalkDir;

/// How many stacks are sliced.
const STACKS: usize = 200;
/// Their greatest depth.
const DEPTH: usize = 12;
/// How long slices of one kind are made.
const LONGEST: Duration = Duration::from_secs(60);
/// How many statements a reader is shown.
const SHOWN: usize = 20;

fn main() -> ExitCode {
    let Some(tree) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("slice-bench: give the directory of a source tree");
        return ExitCode::from(2);
    };
    match measure(&tree) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("slice-bench: {reason}");
            ExitCode::from(2)
        }
    }
}

fn measure(tree: &Path) -> Result<(), String> {
    let files = read(tree)?;
    let lines: usize = files
        .iter()
        .map(|file| file.bytes.iter().filter(|&&byte| byte == b'\n').count())
        .sum();
    println!("{}: {} files, {lines} lines", tree.display(), files.len());
    let before = peak_megabytes();

    let (parsed, graph_time, graph) = build(files).map_err(|error| error.to_string())?;
    let per_second = |time: Duration| lines as f64 / time.as_secs_f64();
    println!("reading the files                {}", parsed.shown());
    println!(
        "the graph of what was read       {}   {:.0} lines/s, {:.0} lines for each second of a processor",
        graph_time.shown(),
        per_second(graph_time.wall),
        per_second(graph_time.processors)
    );
    println!(
        "both                             {:>8.2} s              {:.0} lines/s",
        (parsed.wall + graph_time.wall).as_secs_f64(),
        per_second(parsed.wall + graph_time.wall)
    );
    let (nodes, functions, edges) = graph.counts();
    println!("{nodes} nodes, {edges} dependences inside {functions} functions");
    println!("memory at most {} MB, {before} MB of it before", peak_megabytes());
    let graph = kept(graph)?;
    slices(&graph, lines)
}

/// What it costs to keep the graph, and to read it again; slices are made of what was read.
fn kept(graph: DependenceGraph) -> Result<DependenceGraph, String> {
    let start = (Instant::now(), processor_time());
    let bytes = graph.to_bytes();
    let writing = Cost::since(start);
    drop(graph);
    let start = (Instant::now(), processor_time());
    let read = DependenceGraph::from_bytes(&bytes).map_err(|error| error.to_string())?;
    println!("kept in {} MB, made      {}", bytes.len() >> 20, writing.shown());
    println!("reading what was kept            {}", Cost::since(start).shown());
    Ok(read)
}

/// The sources of a tree, in the order of their paths.
fn read(tree: &Path) -> Result<Vec<SourceFile>, String> {
    let mut files = Vec::new();
    for entry in WalkDir::new(tree).sort_by_file_name() {
        let entry = entry.map_err(|error| error.to_string())?;
        let path = entry.path().to_string_lossy().into_owned();
        if entry.file_type().is_file() && FileKind::of(&path).is_some_and(FileKind::is_c_or_cxx) {
            files.push(SourceFile {
                path,
                bytes: std::fs::read(entry.path())
                    .map_err(|error| format!("{}: {error}", entry.path().display()))?,
            });
        }
    }
    if files.is_empty() {
        Err(format!("{} holds no C or C++", tree.display()))
    } else {
        Ok(files)
    }
}

/// Time by the wall clock, and of processors.
struct Cost {
    wall: Duration,
    processors: Duration,
}

impl Cost {
    fn since(start: (Instant, Duration)) -> Cost {
        Cost {
            wall: start.0.elapsed(),
            processors: processor_time().saturating_sub(start.1),
        }
    }

    fn shown(&self) -> String {
        format!(
            "{:>8.2} s ({:.2} s of processors)",
            self.wall.as_secs_f64(),
            self.processors.as_secs_f64()
        )
    }
}

/// Reads the files and makes the graph, and tells what each costs.
fn build(files: Vec<SourceFile>) -> Result<(Cost, Cost, DependenceGraph), TooManyCallees> {
    let start = (Instant::now(), processor_time());
    let between = std::sync::Mutex::new(None);
    let graph = dependence_graph(files, None, &|step| {
        if matches!(step, engine::MapProgress::Analysing)
            && let Ok(mut between) = between.lock()
        {
            *between = Some((Cost::since(start), (Instant::now(), processor_time())));
        }
    });
    let (parsed, middle) = match between.into_inner() {
        Ok(Some(known)) => known,
        // Nobody told of the step between: all of it is reading.
        _ => (Cost::since(start), (Instant::now(), processor_time())),
    };
    Ok((parsed, Cost::since(middle), graph?))
}

fn slices(graph: &DependenceGraph, lines: usize) -> Result<(), String> {
    let stacks = graph.stacks(STACKS, DEPTH);
    if stacks.is_empty() {
        return Err("no stack: nothing calls a function without source".to_owned());
    }
    let depth: usize = stacks.iter().map(Vec::len).sum();
    println!(
        "{} stacks, {:.1} frames deep in the mean",
        stacks.len(),
        depth as f64 / stacks.len() as f64
    );
    for (what, enough) in [("nearest statements", Some(SHOWN)), ("whole slice", None)] {
        let mut times = Vec::new();
        let mut sizes = Vec::new();
        // Whole slices of large programs take their time: fewer of them tell enough.
        let some = if enough.is_none() { 40 } else { STACKS };
        let step = stacks.len().div_ceil(some);
        let begun = Instant::now();
        for stack in stacks.iter().step_by(step) {
            if begun.elapsed() > LONGEST {
                println!(
                    "{what}: only {} slices, the rest would take too long",
                    times.len()
                );
                break;
            }
            let options = SliceOptions {
                enough,
                ..SliceOptions::default()
            };
            let start = Instant::now();
            let slice = graph
                .slice_stack(stack, options)
                .map_err(|error| error.to_string())?;
            times.push(start.elapsed());
            sizes.push(slice.statements.len());
        }
        times.sort_unstable();
        sizes.sort_unstable();
        let at = |share: f64| ((times.len() - 1) as f64 * share) as usize;
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        let mean = sizes.iter().sum::<usize>() as f64 / sizes.len() as f64;
        println!(
            "{what:<20} median {:>8.1} ms, 90 % within {:>8.1} ms, all within {:>8.1} ms; {mean:.0} lines in the mean \
             ({:.1} % of the program), {} in the median",
            milliseconds(times[at(0.5)]),
            milliseconds(times[at(0.9)]),
            milliseconds(times[at(1.0)]),
            mean * 100.0 / lines as f64,
            sizes[at(0.5)]
        );
    }
    Ok(())
}
