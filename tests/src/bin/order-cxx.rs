//! `order-cxx --seeds A..B`: random programs of C++, stopped by the probe, whose order they tell themselves. `--file PROGRAM` does the same with a program
//! of C, C++ or Fortran that calls `stand` (as those in `tests/tests/order_cxx` do), `--source SEED` prints a random one, and `--fortran A..B` makes them of Fortran. With `--build 'g++ -O2 -fplugin=FILE'`, FILE
//! by `hindmost plugin`, the map is the compiler's.
//!
//! Prints what is wrong, with `--undecided` also of which pairs nothing is said and why, and the numbers of each build. Exit code 0: nothing is wrong; 1: something is; 2: the command line is.

use std::process::ExitCode;
use tests::command;
use tests::stands::{Figures, STOPS, Source, check, generate, generate_fortran};

const USAGE: &str = "usage: order-cxx --seeds A..B | --fortran A..B | --file PROGRAM...  [--joined] [--stops N] [--build 'g++ -O2']... [--undecided]
       order-cxx --source SEED | --source-of-fortran SEED";

fn main() -> ExitCode {
    let found = options(std::env::args().skip(1)).map(|asked| match asked {
        Asked::Check(checks) => run(&checks),
        Asked::Source(source) => {
            print!("{}", source.text);
            true
        }
    });
    command::end("order-cxx", found)
}

/// What is asked for.
enum Asked {
    Check(Checks),
    /// The program of a seed.
    Source(Source),
}

/// What to check.
struct Checks {
    sources: Vec<Source>,
    builds: Vec<String>,
    /// So many calls of each program at most.
    stops: usize,
    /// Whether the pairs are listed of which nothing is said.
    undecided: bool,
}

fn options(mut args: impl Iterator<Item = String>) -> Result<Asked, String> {
    let mut checks = Checks {
        sources: Vec::new(),
        builds: Vec::new(),
        stops: STOPS,
        undecided: false,
    };
    let mut joined = false;
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value\n{USAGE}"));
        let number = |value: String| {
            let parsed = value.parse::<u64>();
            parsed.map_err(|_| format!("'{value}' is no number\n{USAGE}"))
        };
        match arg.as_str() {
            "--seeds" => checks
                .sources
                .extend(command::seeds(&value()?, USAGE)?.map(generate)),
            "--fortran" => checks
                .sources
                .extend(command::seeds(&value()?, USAGE)?.map(generate_fortran)),
            "--file" => checks.sources.push(written(&value()?)?),
            "--joined" => joined = true,
            "--stops" => checks.stops = number(value()?)? as usize,
            "--build" => checks.builds.push(value()?),
            "--undecided" => checks.undecided = true,
            "--source" => return Ok(Asked::Source(generate(number(value()?)?))),
            "--source-of-fortran" => return Ok(Asked::Source(generate_fortran(number(value()?)?))),
            _ => return Err(format!("'{arg}' is no option\n{USAGE}")),
        }
    }
    if joined {
        let sources = checks.sources.iter().map(Source::joined);
        checks.sources = sources.collect();
    }
    if checks.sources.is_empty() {
        checks.sources.extend((0..10).map(generate));
    }
    if checks.builds.is_empty() {
        checks.builds = ["g++ -O0", "g++ -O2", "g++ -O3", "g++ -Os", "clang++ -O2"]
            .map(str::to_owned)
            .to_vec();
    }
    Ok(Asked::Check(checks))
}

fn written(path: &str) -> Result<Source, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    Ok(Source::written(path, &text))
}

/// Whether nothing is wrong.
fn run(asked: &Checks) -> bool {
    let mut is_right = true;
    for build in &asked.builds {
        let (compiler, flags) = build.split_once(' ').unwrap_or((build, "-O0"));
        let mut figures = Figures::default();
        for source in &asked.sources {
            check(source, asked.stops, compiler, flags, &mut figures);
        }
        let undecided = figures.unknown.iter().filter(|_| asked.undecided);
        for line in figures.wrong.iter().chain(undecided) {
            println!("{line}");
        }
        println!("{build}: {figures}");
        is_right &= figures.wrong.is_empty();
    }
    is_right
}
