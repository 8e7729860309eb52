//! `order-cxx --seeds A..B`: random programs of C++, stopped by the probe, whose order they tell themselves. `--source SEED` prints one.
//!
//! Prints what is wrong, with `--undecided` also of which pairs nothing is said and why, and the numbers of each build. Exit code 0: nothing is wrong; 1: something is; 2: the command line is.

use std::ops::Range;
use std::process::ExitCode;
use tests::command;
use tests::stands::{Figures, check, generate};

const USAGE: &str = "usage: order-cxx --seeds A..B [--build 'g++ -O2']... [--undecided]
       order-cxx --source SEED";

fn main() -> ExitCode {
    let found = options(std::env::args().skip(1)).map(|asked| match asked {
        Asked::Check(checks) => run(&checks),
        Asked::Source(seed) => {
            print!("{}", generate(seed));
            true
        }
    });
    command::end("order-cxx", found)
}

/// What is asked for.
enum Asked {
    Check(Checks),
    /// The program of a seed.
    Source(u64),
}

/// What to check.
struct Checks {
    seeds: Range<u64>,
    builds: Vec<String>,
    /// Whether the pairs are listed of which nothing is said.
    undecided: bool,
}

fn options(mut args: impl Iterator<Item = String>) -> Result<Asked, String> {
    let (mut seeds, mut builds, mut undecided) = (0..10, Vec::new(), false);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value\n{USAGE}"));
        match arg.as_str() {
            "--seeds" => seeds = command::seeds(&value()?, USAGE)?,
            "--build" => builds.push(value()?),
            "--undecided" => undecided = true,
            "--source" => {
                let seed = value()?;
                let seed = seed
                    .parse()
                    .map_err(|_| format!("'{seed}' is no seed\n{USAGE}"))?;
                return Ok(Asked::Source(seed));
            }
            _ => return Err(format!("'{arg}' is no option\n{USAGE}")),
        }
    }
    if builds.is_empty() {
        builds = ["g++ -O0", "g++ -O2", "g++ -O3", "g++ -Os", "clang++ -O2"]
            .map(str::to_owned)
            .to_vec();
    }
    Ok(Asked::Check(Checks {
        seeds,
        builds,
        undecided,
    }))
}

/// Whether nothing is wrong.
fn run(asked: &Checks) -> bool {
    let mut is_right = true;
    for build in &asked.builds {
        let (compiler, flags) = build.split_once(' ').unwrap_or((build, "-O0"));
        let mut figures = Figures::default();
        for seed in asked.seeds.clone() {
            check(seed, compiler, flags, &mut figures);
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
