//! `hindmost check`: which loops keep a readable order variable in a build.

use crate::args::{AnswerFormat, CheckArgs};
use crate::output::{self, Status, Terminal};
use project::{Build, Executable, Failure, JobMap, Program, SourceFinder, Sources};
use std::path::Path;

pub(crate) fn run(args: &CheckArgs) -> anyhow::Result<Status> {
    let mut executable = Executable::read(&args.program)?;
    let map = match &args.map {
        Some(path) => {
            let build = Build::alone(executable, &project::Reader::default());
            let given = JobMap::given(path, &build)?;
            executable = build.executable;
            given.warnings.iter().for_each(|warning| output::warn(warning));
            given.map
        }
        None => {
            let mut sources = Sources::default();
            if args.paths.is_empty() {
                sources.add_sources_of(&executable, None)?;
            } else {
                sources.add_paths(&args.paths);
            }
            sources.add_headers();
            sources.leave_out_changed(&[&executable]);
            sources.warnings.iter().for_each(|warning| output::warn(warning));
            let listener = Terminal::showing(args.format == AnswerFormat::Text);
            let program = Program::new(sources.files, &[&executable], &listener);
            if program.is_empty() {
                return Err(Failure::new("no source could be read")
                    .hint("give the sources, or a map with --map")
                    .into());
            }
            let mut map = project::make_of_build(program, &[&executable], &listener);
            let missing = project::missing_fortran(&map, &[&executable]);
            missing.iter().for_each(|warning| output::warn(warning));
            executable.bind(&mut map)?;
            map
        }
    };
    let mut check = executable.check(&map)?;
    let finder = SourceFinder::new(
        args.map.as_deref(),
        &project::Reader::of_owners([args.program.as_path()]),
    );
    check.check_advice(&mut |file, lines| project::lines_that_get_counters(file, lines, &finder));
    match args.format {
        AnswerFormat::Text => output::print(&report::check_text(&check, &args.program.to_string_lossy()))?,
        AnswerFormat::Json => {
            output::print_plain(&report::check_json(&check, &args.program.to_string_lossy()))?
        }
        AnswerFormat::Sarif => output::print_plain(&report::check_sarif(&check, &|path| finder.read(path)))?,
    }
    let since = args
        .since
        .as_deref()
        .map(|path| lost_since(&check, path))
        .transpose()?;
    let is_enough = match (since, args.min) {
        (Some(lost), _) => lost == 0,
        (None, Some(percent)) => check.kept_percent() >= percent,
        (None, None) => check.count(engine::LoopState::Kept) == check.with_variables(),
    };
    Ok(if is_enough {
        Status::Done
    } else {
        Status::Undecided
    })
}

/// How many loops of the build have lost what they kept in the one whose check is at `path`; they are listed.
fn lost_since(check: &engine::Check, path: &Path) -> Result<usize, Failure> {
    let earlier = report::read_check(&project::read_text(path)?).map_err(|error| {
        Failure::new(format!("{}: {error}", path.display()))
            .hint("`hindmost check PROGRAM --format json` of the earlier build prints what is wanted here")
    })?;
    let lost = check.lost_since(&earlier);
    let lines = report::lost_lines(&lost, &path.to_string_lossy());
    lines.iter().for_each(|line| output::note(line));
    Ok(lost.len())
}
