//! `order-cxx --seeds A..B`: random programs of C++, stopped by the probe, whose order they tell themselves.
//!
//! Prints what is wrong, and the numbers of each build. Exit code 0: nothing is wrong; 1: something is; 2: the command line is.

use std::ops::Range;
use std::process::ExitCode;
use tests::command;
use tests::stands::{Figures, check};

const USAGE: &str = "usage: order-cxx --seeds A..B [--build 'g++ -O2']...";

fn main() -> ExitCode {
    let found = options(std::env::args().skip(1)).map(|(seeds, builds)| run(&seeds, &builds));
    command::end("order-cxx", found)
}

fn options(mut args: impl Iterator<Item = String>) -> Result<(Range<u64>, Vec<String>), String> {
    let (mut seeds, mut builds) = (0..10, Vec::new());
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value\n{USAGE}"));
        match arg.as_str() {
            "--seeds" => seeds = command::seeds(&value()?, USAGE)?,
            "--build" => builds.push(value()?),
            _ => return Err(format!("'{arg}' is no option\n{USAGE}")),
        }
    }
    if builds.is_empty() {
        builds = ["g++ -O0", "g++ -O2", "g++ -O3", "g++ -Os", "clang++ -O2"]
            .map(str::to_owned)
            .to_vec();
    }
    Ok((seeds, builds))
}

/// Whether nothing is wrong.
fn run(seeds: &Range<u64>, builds: &[String]) -> bool {
    let mut is_right = true;
    for build in builds {
        let (compiler, flags) = build.split_once(' ').unwrap_or((build, "-O0"));
        let mut figures = Figures::default();
        for seed in seeds.clone() {
            check(seed, compiler, flags, &mut figures);
        }
        for wrong in &figures.wrong {
            println!("{wrong}");
        }
        println!("{build}: {figures}");
        is_right &= figures.wrong.is_empty();
    }
    is_right
}
