//! `slice-fuzz`: holds slices against runs, for longer than the tests do.
//!
//! First the hand-written programs, with every line of every sound slice taken out once; then, where they are asked for, those of the matrix and
//! random ones of C++; then random programs of C, whose slices must hold what their runs rested on. Exit code 0: nothing wrong; 1: something wrong; 2: the campaign failed.

use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use tests::command;
use tests::second::Plugin;
use tests::slices::dynamic::{ProgramKind, campaign};
use tests::slices::judge::{Effort, MODES, judge};
use tests::slices::neutralise::Mode;
use tests::slices::suite::{self, Program};
use tests::slices::{fortran, fortran_judge, matrix, objects, slicing};

const USAGE: &str = "\
usage: slice-fuzz [OPTIONS]

  --seeds A..B           random programs of C of these seeds, each of every kind [0..1000]
  --kind KIND            of this kind alone: data, control or plain
  --objects A..B         random programs of C++ of these seeds
  --matrix PART/PARTS    a part, from 0, of all ways to name, change and read an object of C++
  --fortran PART/PARTS   the same of Fortran, as the plugin reads it that gfortran-12 has from `hindmost plugin --gcc gcc-12`
  --plugin FILE          that plugin
  --no-programs          leave out the programs that were written by hand
  --program NAME         of the programs with a text of their own, only those whose names hold this
  --file PROGRAM         this program alone, of your own, which calls observe(); may be given again
  --every N              also drop every N-th line of each sound slice, to see whether the judge notices; 0 for none
                         [1 for the programs that were written by hand, 0 for the others, which are many]
  --survivors            name the lines that it did not notice";

struct Options {
    seeds: Range<u64>,
    kinds: Vec<ProgramKind>,
    programs: bool,
    program: String,
    files: Vec<PathBuf>,
    every: Option<usize>,
    survivors: bool,
    matrix: Option<(usize, usize)>,
    fortran: Option<(usize, usize)>,
    plugin: Option<PathBuf>,
    objects: Range<u64>,
}

fn main() -> ExitCode {
    if std::env::args().any(|arg| arg == "--help") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let found = options(std::env::args().skip(1)).and_then(|options| run(&options));
    command::end("slice-fuzz", found.map(|faults| faults == 0))
}

fn options(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options {
        seeds: 0..1000,
        kinds: ProgramKind::ALL.to_vec(),
        programs: true,
        program: String::new(),
        files: Vec::new(),
        every: None,
        survivors: false,
        matrix: None,
        fortran: None,
        plugin: None,
        objects: 0..0,
    };
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value\n{USAGE}"));
        match arg.as_str() {
            "--seeds" => options.seeds = command::seeds(&value()?, USAGE)?,
            "--kind" => {
                options.kinds = vec![match value()?.as_str() {
                    "data" => ProgramKind::Data,
                    "control" => ProgramKind::Control,
                    "plain" => ProgramKind::Plain,
                    other => return Err(format!("'{other}' is no kind\n{USAGE}")),
                }];
            }
            "--objects" => options.objects = command::seeds(&value()?, USAGE)?,
            "--no-programs" => options.programs = false,
            "--file" => options.files.push(value()?.into()),
            "--program" => options.program = value()?,
            "--every" => options.every = Some(value()?.parse().map_err(|e| format!("--every: {e}"))?),
            "--survivors" => options.survivors = true,
            "--matrix" => options.matrix = Some(part(&value()?)?),
            "--fortran" => options.fortran = Some(part(&value()?)?),
            "--plugin" => options.plugin = Some(value()?.into()),
            _ => return Err(format!("'{arg}' is no option\n{USAGE}")),
        }
    }
    Ok(options)
}

/// `PART/PARTS`.
fn part(value: &str) -> Result<(usize, usize), String> {
    let parts = value
        .split_once('/')
        .and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    parts.ok_or_else(|| format!("'{value}' is no part/parts\n{USAGE}"))
}

/// The number of faults.
fn run(options: &Options) -> Result<usize, String> {
    let mut faults = 0;
    if !options.files.is_empty() {
        let effort = Effort {
            mutants: options.every.unwrap_or(0),
            modes: &MODES,
        };
        let programs = options.files.iter().map(|path| suite::program(path)).collect();
        return judged("programs of your own", programs, options, effort);
    }
    if options.programs {
        let effort = Effort {
            mutants: options.every.unwrap_or(1),
            modes: &MODES,
        };
        faults += judged("hand-written programs", suite::programs(), options, effort)?;
    }
    let effort = Effort {
        mutants: options.every.unwrap_or(0),
        modes: &[Mode::Delete, Mode::Perturb(1)],
    };
    if let Some((part, parts)) = options.matrix {
        let title = format!("the matrix, part {part} of {parts}");
        faults += judged(&title, matrix::programs(part, parts), options, effort)?;
    }
    if let Some((part, parts)) = options.fortran {
        let plugin = options
            .plugin
            .as_deref()
            .ok_or_else(|| format!("--fortran needs --plugin\n{USAGE}"))?;
        let plugin = Plugin {
            gcc: "gfortran-12",
            plugin,
            flags: &[],
        };
        let scratch = Scratch::new()?;
        let mutants = options.every.unwrap_or(0);
        let report = fortran_judge::judge(&fortran::programs(part, parts), &plugin, mutants, &scratch.0)?;
        println!("Fortran, part {part} of {parts}\n{report}");
        report.faults.iter().for_each(|fault| println!("{fault}"));
        faults += report.faults.len();
    }
    if !options.objects.is_empty() {
        let seeds = options.objects.clone();
        let title = format!("random programs of C++, seeds {}..{}", seeds.start, seeds.end);
        faults += judged(&title, seeds.map(objects::program).collect(), options, effort)?;
    }
    let kinds = options.kinds.iter().filter(|_| !options.seeds.is_empty());
    for &kind in kinds {
        let found = campaign(kind, options.seeds.clone())?;
        println!(
            "random programs, {kind:?}, seeds {}..{}\n{found}",
            options.seeds.start, options.seeds.end
        );
        for (_, fault) in &found.faults {
            println!("{fault}");
        }
        faults += found.faults.len();
    }
    Ok(faults)
}

/// Judges programs, prints what was found, and returns the number of faults.
fn judged(
    title: &str,
    mut programs: Vec<Program>,
    options: &Options,
    effort: Effort,
) -> Result<usize, String> {
    let scratch = Scratch::new()?;
    programs.retain(|program| program.name.contains(&options.program));
    let report = judge(&programs, &slicing::slices, effort, &scratch.0)?;
    println!("{title}\n{report}");
    for fault in &report.faults {
        println!("{fault}");
    }
    for survivor in report.survivors.iter().filter(|_| options.survivors) {
        println!("not noticed: {survivor}");
    }
    Ok(report.faults.len())
}

/// A directory that is removed when it is no longer needed.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self, String> {
        let directory = std::env::temp_dir().join(format!("hindmost-slices-{}", std::process::id()));
        std::fs::create_dir_all(&directory).map_err(|e| format!("{}: {e}", directory.display()))?;
        Ok(Self(directory))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is left for whoever cleans up the directory of temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
