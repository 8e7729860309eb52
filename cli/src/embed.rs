//! `hindmost embed` and `hindmost extract`: maps into programs and out of them.

use crate::embed_args::{EmbedArgs, ExtractArgs};
use crate::output::{self, Status, Terminal};
use project::{Build, Executable, Failure, JobMap, Reader};
use std::path::Path;

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
    let output = match (&args.output, &args.store) {
        (Some(path), _) => path.clone(),
        (None, Some(directory)) => stored(&args.program, directory)?,
        (None, None) => project::beside(&args.program),
    };
    project::write_atomically(&output, &bytes)?;
    tell(&format!(
        "{}: {}",
        output.display(),
        report::counted(map.functions.len(), "function", "functions")
    ))
}

/// Where the map of a program is stored below `directory`, which is made.
fn stored(program: &Path, directory: &Path) -> anyhow::Result<std::path::PathBuf> {
    let name = Executable::read(program)?.stored_name().ok_or_else(|| {
        Failure::new(format!(
            "{} has no build-id to store its map by",
            program.display()
        ))
        .hint("link it with -Wl,--build-id, or write the map beside it")
    })?;
    let path = directory.join(name);
    let parent = path.parent().unwrap_or(directory);
    std::fs::create_dir_all(parent)
        .map_err(|error| Failure::new(format!("cannot make {}: {error}", parent.display())))?;
    Ok(path)
}

fn tell(text: &str) -> anyhow::Result<Status> {
    output::print(&format!("{}\n", report::clean(text)))?;
    Ok(Status::Done)
}
