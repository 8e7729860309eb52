//! `hindmost map`: sources to a map, bound to a build if one is given.

use crate::args::MapArgs;
use crate::output::{self, Status, Terminal};
use base::{Confidence, Diagnostic, Reading, Severity};
use engine::{Map, Parser, Summary};
use project::{Executable, Failure, Kept, Preprocessor, Program, Sources, Trust, Units};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How many warnings of one kind are printed before the rest is only counted.
const WARNINGS: usize = 20;

pub(crate) fn run(args: &MapArgs) -> anyhow::Result<Status> {
    let started = Instant::now();
    let executable = args.exe.as_deref().map(Executable::read).transpose()?;
    let libraries = args.libraries.iter().map(|path| Executable::read(path));
    let libraries = libraries.collect::<Result<Vec<_>, Failure>>()?;
    let built = Vec::from_iter(executable.iter().chain(&libraries));
    let (program, left_out, preprocessor) = collect(args, &built)?;
    let count = program.files.len();
    let (mut map, unbound) = make(args, program, &preprocessor, &built);
    warn_all(&Vec::from_iter(project::missing_fortran(&map, &built)));
    let broken = map.diagnostics.iter();
    let broken = broken.filter(|diagnostic| diagnostic.severity >= Severity::Warning);
    warn_all(&broken.map(Diagnostic::text).collect::<Vec<_>>());
    if map.functions.is_empty() {
        return Err(Failure::new(format!(
            "no function with a body in {}",
            report::counted(count, "file", "files")
        ))
        .hint("nothing was written; a map is made of C and C++ files with function definitions")
        .into());
    }
    if let Some(executable) = &executable {
        let mut notes = executable.bind(&mut map)?;
        for library in &libraries {
            notes.extend(library.bind_as_library(&mut map)?);
        }
        let lost = notes.iter().filter(|note| note.severity >= Severity::Warning);
        warn_all(&lost.map(Diagnostic::text).collect::<Vec<_>>());
    }

    let path = output_path(args);
    let bytes = match map.binding {
        Some(_) => map.to_bytes_by(rayon::current_num_threads()),
        None => unbound,
    };
    project::write_atomically(&path, &bytes)?;
    if !args.quiet {
        let seconds = started.elapsed().as_secs_f64();
        let figures = engine::summary(&map);
        output::print(&summary(&map, &figures, &path, bytes.len(), seconds))?;
        output::print(&details(&map, &figures, left_out))?;
    }
    // Millions of small pieces of memory, of a process that ends now.
    std::mem::forget(map);
    Ok(Status::Done)
}

/// The sources to map, with their headers: those that are named, else those of the build; and what the build carries of those in Fortran. With them, how many could not be
/// read, and how to run the build's compiler.
fn collect(args: &MapArgs, built: &[&Executable]) -> anyhow::Result<(Program, usize, Preprocessor)> {
    let mut sources = Sources::default();
    sources.add_paths(&args.paths);
    let mut commands = Vec::new();
    if let Some(path) = &args.compile_commands {
        let read = project::read_compile_commands(path)?;
        sources.add_commands(&read);
        if !args.no_preprocess {
            commands = read.commands;
        }
    }
    let trust = if args.trust_build {
        Trust::Build
    } else {
        Trust::Nothing
    };
    let limit = Duration::from_secs(args.preprocess_limit);
    let preprocessor = Preprocessor::new(&commands, limit, trust);
    if args.paths.is_empty() && args.compile_commands.is_none() {
        if args.exe.is_none() {
            return Err(Failure::new("nothing to map")
                .hint("give C or C++ files, directories, -p compile_commands.json, or --exe PROGRAM built with -g")
                .into());
        }
        for built in built {
            sources.add_sources_of(built, None)?;
        }
    }
    sources.add_headers();
    sources.leave_out_changed(built);
    warn_all(&sources.warnings);
    let program = Program::new(sources.files, built, &Terminal::showing(!args.quiet));
    if program.is_empty() {
        return Err(Failure::new("no source could be read").into());
    }
    Ok((program, sources.warnings.len(), preprocessor))
}

/// The map of the sources, kept or made, and its bytes as long as it is bound to nothing.
fn make(
    args: &MapArgs,
    mut program: Program,
    preprocessor: &Preprocessor,
    built: &[&Executable],
) -> (Map, Vec<u8>) {
    // What a preprocessor makes of the files belongs to their text as it is written.
    let builds = if preprocessor.is_empty() { built } else { &[] };
    let as_built = project::as_built(&mut program.files, builds);
    let listener = Terminal::showing(!args.quiet);
    let is_kept = !args.no_cache && !args.exact;
    let kept = is_kept.then(|| Kept::of(&program, preprocessor, &listener));
    let kept = kept.flatten();
    let (mut map, unbound) = kept.as_ref().and_then(Kept::read).unwrap_or_else(|| {
        let parser = if args.exact {
            Parser::Exact
        } else {
            Parser::Tolerant
        };
        let units = is_kept.then(|| Units::open(&listener)).flatten();
        let map = project::make_preprocessed(
            program,
            &|path| preprocessor.outputs(path),
            parser,
            units.as_ref(),
            &listener,
        );
        warn_all(&preprocessor.warnings());
        let bytes = map.to_bytes_by(rayon::current_num_threads());
        let written = kept.as_ref().map(|kept| kept.write(&bytes, preprocessor));
        if let Some(Err(error)) = written {
            output::warn(&format!("the map could not be kept for the next time: {error}"));
        }
        (map, bytes)
    });
    as_built.restore(&mut map);
    (map, unbound)
}

fn output_path(args: &MapArgs) -> PathBuf {
    match (&args.output, &args.exe) {
        (Some(path), _) => path.clone(),
        (None, Some(executable)) => project::beside(executable),
        (None, None) => PathBuf::from("app.hmap"),
    }
}

fn warn_all(warnings: &[String]) {
    for warning in warnings.iter().take(WARNINGS) {
        output::warn(warning);
    }
    if let Some(more @ 1..) = warnings.len().checked_sub(WARNINGS) {
        output::warn(&format!("and {more} more like these"));
    }
}

fn summary(map: &Map, summary: &Summary, path: &Path, bytes: usize, seconds: f64) -> String {
    let bound = match &summary.binding {
        Some(binding) => {
            let libraries = map
                .libraries
                .iter()
                .map(|library| format!(" and {}", library.executable));
            format!(
                ", bound to {}{}",
                binding.executable,
                libraries.collect::<String>()
            )
        }
        None => String::new(),
    };
    let partial = match summary.partial.len() {
        0 => String::new(),
        partial => format!(" ({partial} in part)"),
    };
    let read = |reading: Reading| {
        let functions = map.functions.iter();
        functions.filter(|function| function.reading == reading).count()
    };
    let rebuilt = match (read(Reading::Preprocessed), read(Reading::Exactly)) {
        (0, 0) => String::new(),
        (rebuilt, 0) => format!(" ({rebuilt} as preprocessed)"),
        (0, exactly) => format!(" ({exactly} by the exact parser)"),
        (rebuilt, exactly) => format!(" ({exactly} by the exact parser, {rebuilt} as preprocessed)"),
    };
    report::clean(&format!(
        "{}: {}, {}{partial}{rebuilt}, {}, {} of them with a LOV{bound}; {} KiB in {seconds:.2} s",
        path.display(),
        report::counted(summary.files, "file", "files"),
        report::counted(summary.functions, "function", "functions"),
        report::counted(summary.loops, "loop", "loops"),
        summary.ordered_loops(),
        bytes.div_ceil(1024),
    ))
    .into_owned()
        + "\n"
}

/// How well the functions are known, what orders the loops, and what is missing.
fn details(map: &Map, summary: &Summary, left_out: usize) -> String {
    let of = |confidence| {
        let matching = map.functions.iter().filter(|each| each.confidence == confidence);
        matching.count()
    };
    let mut lines = vec![format!(
        "functions: {} clean, {} repaired, {} in part",
        of(Confidence::Clean),
        of(Confidence::Repaired),
        of(Confidence::Partial)
    )];
    let shares = summary.shares.iter();
    let shares = shares.map(|share| format!("{} {} ({}), ", share.loops, share.class, share.across));
    lines.push(format!(
        "loops: {}{} without a LOV",
        String::from_iter(shares),
        summary.unordered.len()
    ));
    let unread = map
        .diagnostics
        .iter()
        .filter(|each| each.severity == Severity::Error)
        .count();
    if left_out + unread > 0 {
        let sources = report::counted(left_out + unread, "source", "sources");
        lines.push(format!("left out: {sources}"));
    }
    lines
        .iter()
        .map(|line| report::clean(line).into_owned() + "\n")
        .collect()
}
