//! Real stops: generated programs, compiled, run as ranks, stopped by the probe, and ordered.
//!
//! What [`crate::oracle`] proves of the order it proves of stacks that are as they should be: the positions are the source's,
//! the values the interpreter's. Here they come from the real chain: line tables, columns and location lists of gcc and
//! clang, stacks unwound from copied memory, registers restored frame by frame, inlined calls, functions of a library
//! that is not in the map. [`build`] makes the executable and its bound map, [`process`] drives one rank, [`moments`]
//! stops all ranks in step and says what is known of each stop, [`judge`] holds the verdicts against it, [`readings`]
//! the frames and values.

pub mod build;
pub mod dress;
pub mod figures;
pub mod judge;
pub mod moments;
pub mod process;
pub mod readings;

use crate::oracle::case::Case;
use crate::oracle::generate::Profile;
use crate::oracle::rng::Rng;
use build::{CONFIGS, Config};
use dress::dress;
use figures::Figures;
use moments::{Runs, Stop, Trouble};
use std::ops::Range;
use std::path::Path;

/// How much is asked.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Calls in which each rank is stopped, and after most of which it is stopped once more.
    pub stops: usize,
    /// Pairs drawn per program and configuration.
    pub pairs: usize,
    /// Faults shown per program and configuration.
    pub shown: usize,
    /// Programs are dressed: see [`dress`].
    pub dressed: bool,
    /// What the order knows.
    pub known: Known,
}

/// What the order knows of the stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// All that the probe reads.
    Everything,
    /// The same, as if debug info described no variable.
    NoValues,
    /// The same, as if half of the functions were written in a language that has no map.
    HalfOfTheFunctions,
    /// The code of the build, and neither source nor debug info.
    CodeAlone,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            stops: 16,
            pairs: 500,
            shown: 3,
            dressed: false,
            known: Known::Everything,
        }
    }
}

/// What came out.
#[derive(Clone, Debug, Default)]
pub struct Campaign {
    /// The numbers.
    pub figures: Figures,
    /// Reports of what is wrong.
    pub failures: Vec<(u64, String)>,
    /// Programs that a compiler runs in an order of evaluation that the interpreter does not know.
    pub left_out: Vec<(u64, String)>,
}

/// Builds and stops the programs of `seeds` with all of `configs`, in directories below `dir`.
///
/// # Errors
/// When the campaign itself fails.
pub fn campaign(
    seeds: Range<u64>,
    configs: &[Config],
    effort: Effort,
    dir: &Path,
) -> Result<Campaign, String> {
    build::externals(dir)?;
    // Who traces a process must be the thread that started it: each thread has its own configurations.
    let halves: Vec<&[Config]> = configs.chunks(configs.len().div_ceil(2).max(1)).collect();
    let results: Vec<Result<Campaign, String>> = std::thread::scope(|scope| {
        let work = |configs: &&[Config]| {
            let (seeds, configs) = (seeds.clone(), configs.to_vec());
            scope.spawn(move || in_turn(seeds, &configs, effort, dir))
        };
        let threads: Vec<_> = halves.iter().map(work).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined
            .map(|result| result.unwrap_or_else(|_| Err("a thread panicked".to_owned())))
            .collect()
    });
    let mut all = Campaign::default();
    for result in results {
        let result = result?;
        all.figures.add(&result.figures);
        all.failures.extend(result.failures);
        all.left_out.extend(result.left_out);
    }
    Ok(all)
}

fn in_turn(seeds: Range<u64>, configs: &[Config], effort: Effort, dir: &Path) -> Result<Campaign, String> {
    let mut result = Campaign::default();
    for seed in seeds {
        let case = Case::of_profile(profile(seed), seed).map_err(|e| format!("seed {seed}: {}", e.reason))?;
        for &config in configs {
            let at = |reason: String| format!("seed {seed}, {config}: {reason}");
            let name = format!("seed{seed}-{}", config.file_name());
            let below = dir.join(name);
            std::fs::create_dir_all(&below).map_err(|e| format!("{}: {e}", below.display()))?;
            match one(&case, config, effort, &below, &mut result.figures) {
                Ok(faults) => {
                    let faults = faults.into_iter().map(|fault| (seed, at(fault)));
                    result.failures.extend(faults);
                }
                Err(Trouble::OtherOrder(reason)) => result.left_out.push((seed, at(reason))),
                Err(Trouble::Failed(reason)) => return Err(at(reason)),
            }
        }
    }
    Ok(result)
}

/// Which programs the seeds mean: two of three are of the hard ones.
#[must_use]
pub fn profile(seed: u64) -> Profile {
    if seed % 3 == 2 {
        Profile::Plain
    } else {
        Profile::Hard
    }
}

/// All configurations.
#[must_use]
pub fn all_configs() -> &'static [Config] {
    &CONFIGS
}

/// One program with one configuration; returns what is wrong.
fn one(
    case: &Case,
    config: Config,
    effort: Effort,
    dir: &Path,
    figures: &mut Figures,
) -> Result<Vec<String>, Trouble> {
    let mut runs = Runs::new(case, config)?;
    let text = if effort.dressed {
        runs.dressed(dress(case))
    } else {
        case.layout.clean.clone()
    };
    let build = build::build(dir, case.seed, &build::text(case, &text), config)?;
    let stops = moments::collect(&build, &runs, config, effort.stops)?;
    let judge = |map: &engine::Map, stops: &[Stop]| judge::judge(map, &runs, stops, effort.pairs, case.seed);
    let judged = match effort.known {
        Known::Everything => judge(&build.map, &stops),
        Known::NoValues => judge(&build.map, &Vec::from_iter(stops.iter().map(blind))),
        Known::HalfOfTheFunctions => judge(&half(&build.map, case.seed), &stops),
        Known::CodeAlone => {
            let bytes = std::fs::read(&build.path).map_err(|e| Trouble::Failed(e.to_string()))?;
            let (path, mut code) = (build.path.to_string_lossy(), engine::Map::default());
            engine::bind_code(&mut code, &bytes, &path).map_err(|e| Trouble::Failed(e.to_string()))?;
            judge(&code, &Vec::from_iter(stops.iter().map(|stop| bare(stop, &path))))
        }
    };
    let numbers = figures.of.entry(config).or_default();
    numbers.count(&stops, &judged);
    let mut wrong = Vec::new();
    for stop in &stops {
        let faults = if stop.in_call() {
            numbers.readings.count(&build.map, &runs, stop, config)
        } else {
            numbers.readings.between(&build.map, &runs, stop)
        };
        wrong.extend(faults.into_iter().map(|fault| {
            let frames: Vec<String> = stop.task.frames.iter().map(judge::frame).collect();
            format!("stop {}: {fault}\n{}", stop.task.task, frames.join("\n"))
        }));
    }
    let faults = judged.iter().filter(|pair| pair.fault.is_some());
    wrong.extend(faults.map(|pair| judge::describe(&runs, &stops, pair)));
    wrong.truncate(effort.shown);
    Ok(wrong)
}

/// The map without about half of its functions, as if they were written in another language: a name that no frame has hides one.
fn half(map: &engine::Map, seed: u64) -> engine::Map {
    let mut map = map.clone();
    let mut rng = Rng::new(seed ^ 0x4a1f);
    for id in map.functions.ids() {
        if rng.below(2) == 0 {
            map.functions[id].name.push_str(" in another language");
        }
    }
    map
}

/// A stop of which no value is known.
fn blind(stop: &Stop) -> Stop {
    let mut stop = stop.clone();
    let forget = |frame: &mut snapshot::Frame| frame.values.clear();
    stop.task.frames.edit(|frames| frames.iter_mut().for_each(forget));
    stop
}

/// A stop as it is seen of a program without debug info: frames of the machine, with addresses and registers.
fn bare(stop: &Stop, program: &str) -> Stop {
    let mut stop = stop.clone();
    let strip = |frame: &mut snapshot::Frame| {
        frame.module.get_or_insert_with(|| program.to_owned());
        (frame.file, frame.line, frame.column) = (None, None, None);
        frame.values.clear();
        frame.missing.clear();
        (frame.inexact, frame.straight) = (false, false);
    };
    stop.task.frames.edit(|frames| {
        frames.retain(|frame| !frame.inlined);
        frames.iter_mut().for_each(strip);
    });
    stop
}
