//! `hindmost slice`, and the slice that `find --slice` adds to its answer.

use crate::args::{JobSlice, SliceArgs, SliceFormat, SliceShape};
use crate::output::{self, Status, Terminal};
use engine::{Answer, CriterionError, Map, Outcome, Slice, SliceOptions};
use project::{Executable, Failure, SourceFinder, Sources};

pub(crate) fn run(args: &SliceArgs) -> anyhow::Result<Status> {
    let (file, line, variable) = criterion(&args.criterion)?;
    let mut sources = Sources::default();
    sources.add_paths(&args.paths);
    if let Some(path) = &args.exe {
        sources.add_sources_of(&Executable::read(path)?, &[])?;
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
    let graph = project::graph_of(sources.files, &Terminal::new())?;
    let slice = graph
        .slice_at(file, line, variable, args.shape.options())
        .map_err(|error| failure(&error))?;
    let title = format!("what may have had an influence on {}", args.criterion);
    print(
        &slice,
        &title,
        args.shape.slice_format,
        &SourceFinder::new(None, &project::Reader::default()),
    )?;
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
    let listener = Terminal::new();
    let graph = project::graph_of(project::sources_of(map, finder, &listener), &listener)
        .map_err(|error| error.to_string())?;
    let slice = engine::slice_answer(&graph, answer, asked.classes, asked.shape.options());
    slice.ok_or_else(nowhere)?.map_err(|error| error.to_string())
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
