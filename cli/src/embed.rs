//! `hindmost embed` and `hindmost extract`: maps into programs and out of them.

use crate::embed_args::{EmbedArgs, ExtractArgs};
use crate::output::{self, Status, Terminal};
use project::{Build, Executable, Failure, JobMap, Reader};
use std::path::{Path, PathBuf};

pub(crate) fn embed(args: &EmbedArgs) -> anyhow::Result<Status> {
    let build = Build::alone(Executable::read(&args.program)?, &Reader::default());
    let found = match &args.map {
        Some(path) => JobMap::given(path, &build)?,
        None => JobMap::found(&build, None, &Terminal::showing(!args.quiet))?,
    };
    found.warnings.iter().for_each(|warning| output::warn(warning));
    let output = args.output.as_ref().unwrap_or(&args.program);
    let bytes = project::with_map(&build.executable, &found.map)?;
    project::write_like(output, &bytes, &args.program)?;
    if args.quiet {
        return Ok(Status::Done);
    }
    let grown = bytes.len().saturating_sub(build.executable.length());
    tell(&format!(
        "{} carries its map; {} KiB more",
        output.display(),
        grown.div_ceil(1024)
    ))
}

pub(crate) fn extract(args: &ExtractArgs) -> anyhow::Result<Status> {
    let bytes = project::map_bytes(&args.program)?;
    // Whoever gets the file is to have one that can be read.
    let map = project::map_in(&args.program, engine::Map::from_bytes(&bytes))?;
    let outputs = match (&args.output, &args.store) {
        (Some(path), _) => vec![path.clone()],
        (None, Some(directory)) => stored(&args.program, directory)?,
        (None, None) => vec![project::beside(&args.program)],
    };
    for output in &outputs {
        project::write_atomically(output, &bytes)?;
    }
    let functions = report::counted(map.functions.len(), "function", "functions");
    let names = Vec::from_iter(outputs.iter().map(|path| path.display().to_string()));
    tell(&format!("{}: {functions}", names.join(" and ")))
}

/// Where the map of a program is stored below `directory`: as debug files are, and as debuginfod's clients ask for it. These directories are made.
fn stored(program: &Path, directory: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let executable = Executable::read(program)?;
    let names = executable.stored_name().zip(executable.served_name());
    let (stored, served) = names.ok_or_else(|| {
        Failure::new(format!(
            "{} has no build-id to store its map by",
            program.display()
        ))
        .hint("link it with -Wl,--build-id, or write the map beside it")
    })?;
    let paths = [directory.join(stored), directory.join(served)];
    for parent in paths.iter().filter_map(|path| path.parent()) {
        std::fs::create_dir_all(parent)
            .map_err(|error| Failure::new(format!("cannot make {}: {error}", parent.display())))?;
    }
    Ok(Vec::from(paths))
}

fn tell(text: &str) -> anyhow::Result<Status> {
    output::print(&format!("{}\n", report::clean(text)))?;
    Ok(Status::Done)
}
