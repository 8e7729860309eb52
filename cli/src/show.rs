//! `hindmost show`: what a map knows.

use crate::args::{Format, ShowArgs};
use crate::output::{self, Status};
use engine::{Map, PathLookup};
use project::Failure;

pub(crate) fn run(args: &ShowArgs) -> anyhow::Result<Status> {
    let Some(place) = &args.line else {
        let map = project::read_map(&args.map)?;
        let summary = engine::summary(&map);
        match args.format {
            Format::Text => output::print(&report::summary_text(&summary))?,
            Format::Json => output::print_plain(&report::summary_json(&summary))?,
        }
        return Ok(Status::Done);
    };
    let bytes = project::map_bytes(&args.map)?;
    let (path, line) = split_place(place)?;
    let map = project::map_in(&args.map, engine::map_for_file(&bytes, path))?;
    let file = match engine::find_file(&map, path) {
        PathLookup::Found(file) => file,
        PathLookup::Ambiguous(files) => {
            let paths: Vec<&str> = files.iter().map(|&id| map.files[id].path.as_str()).collect();
            return Err(Failure::new(format!("{path} may be any of {}", paths.join(", ")))
                .hint("give more of the path")
                .into());
        }
        PathLookup::Missing => return Err(not_in_map(&map, path).into()),
    };
    let view = engine::line_view(&map, file, line);
    if view.functions.is_empty() {
        let nearest: Vec<String> = view.nearest.iter().map(ToString::to_string).collect();
        let mut failure = Failure::new(format!("{}:{line} is not inside a function", view.path));
        if !nearest.is_empty() {
            failure = failure.hint(format!(
                "the nearest program points are on line {}",
                nearest.join(" and on line ")
            ));
        }
        return Err(failure.into());
    }
    match args.format {
        Format::Text => output::print(&report::line_text(&view))?,
        Format::Json => output::print_plain(&report::line_json(&view))?,
    }
    Ok(Status::Done)
}

/// `FILE:LINE`; the file may contain colons.
fn split_place(place: &str) -> Result<(&str, u32), Failure> {
    let bad = || Failure::new(format!("'{place}' is not FILE:LINE, such as poisson.c:84"));
    let (path, line) = place.rsplit_once(':').ok_or_else(bad)?;
    match line.parse() {
        Ok(line @ 1..) if !path.is_empty() => Ok((path, line)),
        _ => Err(bad()),
    }
}

fn not_in_map(map: &Map, path: &str) -> Failure {
    let failure = Failure::new(format!("{path} is not in the map"));
    let wanted = base::last_component(path);
    let similar = map
        .files
        .iter()
        .find(|file| base::last_component(&file.path) == wanted);
    match (similar, &map.files.as_slice()[..map.files.len().min(5)]) {
        (Some(file), _) => failure.hint(format!("it holds {}", file.path)),
        (None, []) => failure.hint("it holds no file at all: make it again with `hindmost map`"),
        (None, some) => {
            let names: Vec<&str> = some.iter().map(|file| file.path.as_str()).collect();
            let more = if map.files.len() > some.len() { ", …" } else { "" };
            failure.hint(format!("it holds {}{more}", names.join(", ")))
        }
    }
}
