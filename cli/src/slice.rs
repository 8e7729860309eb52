//! `hindmost slice`, and the slice that `find --slice` adds to its answer.

use crate::args::{JobSlice, SliceArgs, SliceFormat, SliceShape};
use crate::cache::graphs::KeptGraph;
use crate::cache::units::Units;
use crate::collect::Sources;
use crate::executable::Executable;
use crate::failure::Failure;
use crate::files::SourceFinder;
use crate::map;
use crate::output::{self, Status};
use engine::{
    Answer, CriterionError, DependenceGraph, Map, Outcome, Slice, SliceOptions, SourceFile, TooManyCallees,
};

pub(crate) fn run(args: &SliceArgs) -> anyhow::Result<Status> {
    let (file, line, variable) = criterion(&args.criterion)?;
    let mut sources = Sources::default();
    sources.add_paths(&args.paths);
    if let Some(path) = &args.exe {
        map::add_sources_of(&Executable::read(path)?, &mut sources, &[])?;
    }
    sources.add_headers();
    for warning in &sources.warnings {
        output::warn(warning);
    }
    if sources.files.is_empty() {
        return Err(Failure::new("no source could be read")
            .hint("give the C or C++ files and directories of the program, or --exe PROGRAM built with -g")
            .into());
    }
    let graph = graph_of(sources.files)?;
    let slice = graph
        .slice_at(file, line, variable, args.shape.options())
        .map_err(|error| failure(&error))?;
    let title = format!("what may have had an influence on {}", args.criterion);
    print(&slice, &title, args.shape.slice_format, &SourceFinder::new(None))?;
    Ok(Status::Done)
}

/// Prints the slice of the hindmost of a job, grown by the classes that come next. What keeps it from being made
/// is a warning: the answer stands without it.
pub(crate) fn of_answer(
    map: &Map,
    answer: &Answer,
    asked: &JobSlice,
    finder: &SourceFinder,
) -> anyhow::Result<()> {
    let slice = match of_hindmost(map, answer, asked, finder) {
        Ok(slice) => Some(slice),
        Err(why) => {
            output::warn(&format!("no slice: {why}"));
            None
        }
    };
    if asked.shape.slice_format == SliceFormat::Sarif {
        let text = report::answer_sarif(answer, slice.as_ref(), &|path| finder.read(path));
        output::print_plain(&text)?;
    } else if let Some(slice) = slice {
        let title = "what may have brought the hindmost there";
        print(&slice, title, asked.shape.slice_format, finder)?;
    }
    Ok(())
}

/// The same for a page, which shows it among other things.
pub(crate) fn for_page(map: &Map, answer: &Answer, asked: &JobSlice, finder: &SourceFinder) -> Option<Slice> {
    let slice = of_hindmost(map, answer, asked, finder);
    slice
        .inspect_err(|why| output::warn(&format!("no slice: {why}")))
        .ok()
}

fn of_hindmost(map: &Map, answer: &Answer, asked: &JobSlice, finder: &SourceFinder) -> Result<Slice, String> {
    let nowhere = || "there is no hindmost task to start from".to_owned();
    if answer.finding.is_none() && answer.outcome != Outcome::AllEqual {
        return Err(nowhere());
    }
    let graph = graph_of(sources_of(map, finder)).map_err(|error| error.to_string())?;
    let slice = engine::slice_answer(&graph, answer, asked.classes, asked.shape.options());
    slice.ok_or_else(nowhere)?.map_err(|error| error.to_string())
}

/// The sources of a map, as they are now. What is missing or has changed is a warning.
fn sources_of(map: &Map, finder: &SourceFinder) -> Vec<SourceFile> {
    let mut files = Vec::new();
    let mut missing = 0;
    let mut changed = 0;
    for file in &map.files {
        match finder.read(&file.path) {
            Some(bytes) => {
                changed += usize::from(engine::content_hash(&bytes) != file.hash);
                files.push(SourceFile {
                    path: file.path.clone(),
                    bytes,
                });
            }
            None => missing += 1,
        }
    }
    let total = map.files.len();
    if missing > 0 {
        output::warn(&format!(
            "{missing} of {total} sources are not here: what they do is not in the slice"
        ));
    }
    if changed > 0 {
        output::warn(&format!(
            "{changed} of {total} sources have changed since the map was made: the slice may show other lines"
        ));
    }
    files
}

/// The dependence graph of files: the one that was kept, if it is of the very same files. Of others, those that a map was made
/// of before are not parsed again.
pub(crate) fn graph_of(files: Vec<SourceFile>) -> Result<DependenceGraph, TooManyCallees> {
    let kept = KeptGraph::of(&files);
    if let Some(graph) = kept.as_ref().and_then(KeptGraph::read) {
        return Ok(graph);
    }
    let units = Units::open();
    let graph = engine::dependence_graph(files, units.as_ref().map(Units::reuse), &|_| {});
    if let Some(units) = units {
        units.make_room();
    }
    let graph = graph?;
    if let Some(kept) = kept {
        kept.write(&graph);
    }
    Ok(graph)
}

fn print(slice: &Slice, title: &str, format: SliceFormat, finder: &SourceFinder) -> anyhow::Result<()> {
    let text = match format {
        SliceFormat::Text => report::slice_text(slice, title, &|path| finder.read(path)),
        SliceFormat::Lines => report::slice_lines(slice),
        SliceFormat::Json => report::slice_json(slice),
        SliceFormat::Sarif => report::slice_sarif(slice, title, &|path| finder.read(path)),
    };
    match format.is_document() {
        true => output::print_plain(&text)?,
        false => output::print(&text)?,
    }
    Ok(())
}

/// `FILE:LINE` or `FILE:LINE:VARIABLE`.
fn criterion(text: &str) -> Result<(&str, u32, Option<&str>), Failure> {
    let line = |text: &str| text.parse::<u32>().ok().filter(|&line| line > 0);
    let parts = text.rsplit_once(':').and_then(|(before, last)| match line(last) {
        Some(line) => Some((before, line, None)),
        None => {
            let (file, number) = before.rsplit_once(':')?;
            Some((file, line(number)?, Some(last)))
        }
    });
    parts
        .filter(|(file, _, variable)| {
            !file.is_empty() && variable.is_none_or(|variable| !variable.is_empty())
        })
        .ok_or_else(|| Failure::new(format!("'{text}' is not FILE:LINE or FILE:LINE:VARIABLE")))
}

fn failure(error: &CriterionError) -> Failure {
    let failure = Failure::new(error.to_string());
    match error {
        CriterionError::NoStatement(..) => failure.hint("give a line with a statement of a function"),
        CriterionError::NoVariable(..) => failure
            .hint("name a variable as the line writes it, for instance x, s->n or a[]; or leave it out"),
        CriterionError::NoFile(_) => {
            failure.hint("name the file by the end of its path, and give its directory")
        }
        CriterionError::NoSource => failure,
    }
}

impl SliceShape {
    fn options(&self) -> SliceOptions {
        SliceOptions {
            messages: !self.no_mpi,
            enough: (!self.all).then_some(self.top),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn criteria() {
        assert_eq!(criterion("src/a.c:12").unwrap(), ("src/a.c", 12, None));
        assert_eq!(criterion("a.c:12:s->n").unwrap(), ("a.c", 12, Some("s->n")));
        for wrong in ["", "a.c", "a.c:", ":3", "a.c:0", "a.c:x", "a.c:3:", "a.c:x:y"] {
            assert!(criterion(wrong).is_err(), "{wrong}");
        }
    }
}
