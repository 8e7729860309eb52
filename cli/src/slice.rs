//! `hindmost slice`: what may have had an influence on a line.

use crate::args::SliceArgs;
use crate::findings;
use crate::output::{self, Status, Terminal};
use engine::{CriterionError, Findings, Map};
use project::{Executable, Failure, Program, SourceFinder, Sources};

pub(crate) fn run(args: &SliceArgs) -> anyhow::Result<Status> {
    let (file, line, variable) = criterion(&args.criterion)?;
    let mut sources = Sources::default();
    sources.add_paths(&args.paths);
    let built = args.exe.as_ref().map(|path| Executable::read(path)).transpose()?;
    if let Some(built) = &built {
        sources.add_sources_of(built, None)?;
    }
    sources.add_headers();
    for warning in &sources.warnings {
        output::warn(warning);
    }
    let program = Program::new(sources.files, &Vec::from_iter(&built), &Terminal::new());
    if engine::is_unread(file) && program.compiled.is_empty() {
        return Err(
            Failure::new("a slice of Fortran is made of what gcc has read while it compiled")
                .hint("give --exe PROGRAM, built with FFLAGS=\"-g $(hindmost plugin)\"")
                .into(),
        );
    }
    if program.is_empty() {
        return Err(Failure::new("no source could be read")
            .hint("give the C or C++ files and directories of the program, or --exe PROGRAM built with -g")
            .into());
    }
    let graph = project::graph_of(program, &Terminal::new())?;
    let slice = graph
        .slice_at(file, line, variable, args.shape.options())
        .map_err(|error| failure(&error))?;
    let none = Map::default();
    let mut found = Findings {
        slice: Some(slice),
        slice_of: format!("what may have had an influence on {}", args.criterion),
        ..Findings::of_map(&none)
    };
    let finder = SourceFinder::new(None, &project::Reader::default());
    findings::print(&mut found, &[args.shape.slice_format.into()], None, &finder, &[])?;
    Ok(Status::Done)
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
