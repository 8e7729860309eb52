//! `order-stops --seeds A..B`: compiles random programs, stops them with the probe, and checks their order.
//!
//! Prints the numbers by compiler and level, then what is wrong. Exit code 0: nothing wrong; 1: something wrong; 2: the
//! campaign itself failed.

use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use tests::command;
use tests::oracle::judge::Directory;
use tests::stops::build::Config;
use tests::stops::{Effort, Known, all_configs, campaign};

const USAGE: &str = "usage: order-stops --seeds A..B [--build 'gcc -O2']... [--dressed] [--bare|--blind|--half] [--stops N] [--pairs N] [--shown N] [--keep DIR]";

struct Options {
    seeds: Range<u64>,
    configs: Vec<Config>,
    effort: Effort,
    keep: Option<PathBuf>,
}

fn main() -> ExitCode {
    let found = options(std::env::args().skip(1)).and_then(|options| run(&options));
    command::end("order-stops", found)
}

fn options(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options {
        seeds: 0..20,
        configs: Vec::new(),
        effort: Effort::default(),
        keep: None,
    };
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value\n{USAGE}"));
        let number = |text: String| text.parse::<usize>().map_err(|e| format!("'{text}': {e}"));
        match arg.as_str() {
            "--seeds" => options.seeds = command::seeds(&value()?, USAGE)?,
            "--build" => {
                let text = value()?;
                let known = all_configs().iter().find(|config| config.to_string() == text);
                options
                    .configs
                    .push(*known.ok_or_else(|| format!("'{text}' is no build\n{USAGE}"))?);
            }
            "--bare" => options.effort.known = Known::CodeAlone,
            "--blind" => options.effort.known = Known::NoValues,
            "--half" => options.effort.known = Known::HalfOfTheFunctions,
            "--dressed" => options.effort.dressed = true,
            "--stops" => options.effort.stops = number(value()?)?,
            "--pairs" => options.effort.pairs = number(value()?)?,
            "--shown" => options.effort.shown = number(value()?)?,
            "--keep" => options.keep = Some(PathBuf::from(value()?)),
            _ => return Err(format!("'{arg}' is no option\n{USAGE}")),
        }
    }
    if options.configs.is_empty() {
        options.configs = all_configs().to_vec();
    }
    Ok(options)
}

/// Whether nothing is wrong.
fn run(options: &Options) -> Result<bool, String> {
    let dir = Directory::of_seed(options.keep.as_deref(), options.seeds.start)?;
    let start = std::time::Instant::now();
    let result = campaign(options.seeds.clone(), &options.configs, options.effort, &dir.path)?;
    for (_, report) in &result.failures {
        println!("{report}\n");
    }
    for (_, reason) in &result.left_out {
        println!("left out: {reason}");
    }
    println!("{}", result.figures);
    println!(
        "{} faults shown, {} programs left out, {:.1} s",
        result.failures.len(),
        result.left_out.len(),
        start.elapsed().as_secs_f64()
    );
    Ok(result.failures.is_empty())
}
