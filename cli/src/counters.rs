//! `hindmost counters`: a patch that gives loops without a strict variable one.

use crate::args::CountersArgs;
use crate::output::{self, Status, Terminal};
use engine::{CounterRequest, Counters, Map, PathLookup, SourceFile};
use project::{Failure, SourceFinder, Sources};
use std::path::{Path, PathBuf};

/// How many loops that are left as they are get a line of their own.
const LEFT: usize = 20;

pub(crate) fn run(args: &CountersArgs) -> anyhow::Result<Status> {
    let (places, paths): (Vec<&String>, Vec<&String>) = args.paths.iter().partition(|path| is_place(path));
    let (map, sources) = match &args.map {
        Some(path) if paths.is_empty() && args.compile_commands.is_none() => of_map(path)?,
        Some(_) => {
            return Err(Failure::new("--map names the files: give no other paths and no -p").into());
        }
        None => of_sources(args, &paths)?,
    };
    let mut lines = Vec::new();
    for place in places {
        let (path, line) = place.rsplit_once(':').unwrap_or((place, ""));
        match (engine::find_file(&map, path), line.parse()) {
            (PathLookup::Found(file), Ok(line)) => lines.push((file, line)),
            _ => {
                return Err(Failure::new(format!("{place} names no line of these files"))
                    .hint("give more of the path, or the file itself as well")
                    .into());
            }
        }
    }
    let request = CounterRequest {
        without_calls: args.all,
        lines,
        root: std::env::current_dir()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
    };
    let counters = engine::counters(&map, &sources, &request);
    if !args.quiet {
        tell(&counters);
    }
    output::print_patch(&counters.patch)?;
    Ok(Status::Done)
}

/// `FILE:LINE`, unless a file has that very name.
fn is_place(path: &str) -> bool {
    let numbered = path.rsplit_once(':').is_some_and(|(file, line)| {
        !file.is_empty() && !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())
    });
    numbered && !Path::new(path).exists()
}

fn of_sources(args: &CountersArgs, paths: &[&String]) -> anyhow::Result<(Map, Vec<SourceFile>)> {
    let mut sources = Sources::default();
    let paths: Vec<PathBuf> = match (&args.compile_commands, paths) {
        // FILE:LINE alone names its file, too.
        (None, []) => args
            .paths
            .iter()
            .filter_map(|path| path.rsplit_once(':'))
            .map(|(file, _)| file.into())
            .collect(),
        (_, paths) => paths.iter().map(PathBuf::from).collect(),
    };
    if paths.is_empty() && args.compile_commands.is_none() {
        return Err(Failure::new("no source to look at")
            .hint("give C files, directories, -p compile_commands.json, or --map MAP")
            .into());
    }
    sources.add_paths(&paths);
    if let Some(path) = &args.compile_commands {
        sources.add_commands(&project::read_compile_commands(path)?);
    }
    sources.add_headers();
    sources.warnings.iter().for_each(|warning| output::warn(warning));
    if sources.files.is_empty() {
        return Err(Failure::new("no C source could be read").into());
    }
    let map = project::make(sources.files.clone(), &Terminal::showing(!args.quiet));
    Ok((map, sources.files))
}

fn of_map(path: &Path) -> anyhow::Result<(Map, Vec<SourceFile>)> {
    let map = project::read_map(path)?;
    let finder = SourceFinder::new(Some(path), &project::Reader::default());
    let mut sources = Vec::new();
    for file in &map.files {
        match finder.read(&file.path) {
            None => output::warn(&format!(
                "{} is not here: its loops are left as they are",
                file.path
            )),
            Some(bytes) if engine::content_hash(&bytes) != file.hash => {
                return Err(
                    Failure::new(format!("{} has changed since the map was made", file.path))
                        .hint("make the map again, or give the sources instead of the map")
                        .into(),
                );
            }
            Some(bytes) => sources.push(SourceFile {
                path: file.path.clone(),
                bytes,
            }),
        }
    }
    Ok((map, sources))
}

fn tell(counters: &Counters) {
    for (path, line, reason) in counters.left.iter().take(LEFT) {
        output::warn(&format!("{path}:{line}: the loop is left as it is: {reason}"));
    }
    if let Some(more @ 1..) = counters.left.len().checked_sub(LEFT) {
        output::warn(&format!("and {more} more loops are left as they are"));
    }
    let loops = report::counted(counters.added.len(), "loop gets", "loops get");
    output::note(&format!("{loops} a counter"));
}
