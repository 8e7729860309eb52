//! `order-fuzz --seeds A..B`: runs the execution oracle on many random programs.
//!
//! Prints how many pairs were decided, wrong and unknown, by kind and by reason; then every failure, shrunk. Exit
//! code 0: nothing wrong; 1: something wrong; 2: the campaign itself failed.

use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use tests::command;
use tests::oracle::case::{Case, View};
use tests::oracle::generate::Profile;
use tests::oracle::judge::{Command, Directory, Judge, LineNumbers, MissingVariable, Paper};
use tests::oracle::{Effort, campaign};

const USAGE: &str = "usage: order-fuzz --seeds A..B [--profile plain|hard] [--columns | --line] [--sparse] [--pairs N] \
                     [--no-shrink] [--keep DIR] [--judge hindmost|paper|paper-skip|lines] [--print | --compiled]";

struct Options {
    profile: Profile,
    seeds: Range<u64>,
    views: Vec<bool>,
    sparse: bool,
    effort: Effort,
    keep: Option<PathBuf>,
    judge: String,
    print: bool,
    compiled: bool,
}

fn main() -> ExitCode {
    let found = options(std::env::args().skip(1)).and_then(|options| run(&options));
    command::end("order-fuzz", found.map(|faults| faults == 0))
}

fn options(mut args: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options {
        profile: Profile::Hard,
        seeds: 0..60,
        views: vec![false, true],
        sparse: false,
        effort: Effort::default(),
        keep: None,
        judge: "hindmost".to_owned(),
        print: false,
        compiled: false,
    };
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value\n{USAGE}"));
        match arg.as_str() {
            "--seeds" => options.seeds = command::seeds(&value()?, USAGE)?,
            "--profile" => {
                options.profile = match value()?.as_str() {
                    "plain" => Profile::Plain,
                    "hard" => Profile::Hard,
                    other => return Err(format!("'{other}' is no profile\n{USAGE}")),
                }
            }
            "--help" => return Err(USAGE.to_owned()),
            "--columns" => options.views = vec![true],
            "--line" => options.views = vec![false],
            "--sparse" => options.sparse = true,
            "--pairs" => options.effort.pairs = value()?.parse().map_err(|e| format!("--pairs: {e}"))?,
            "--no-shrink" => options.effort.shrinking = 0,
            "--keep" => options.keep = Some(PathBuf::from(value()?)),
            "--judge" => options.judge = value()?,
            "--print" => options.print = true,
            "--compiled" => options.compiled = true,
            _ => return Err(format!("'{arg}' is no option\n{USAGE}")),
        }
    }
    Ok(options)
}

/// Holds the interpreter against gcc instead of a judge against the interpreter.
fn compiled(options: &Options) -> Result<usize, String> {
    let (mut compared, mut failing) = (0, 0);
    for seed in options.seeds.clone() {
        let case =
            Case::of_profile(options.profile, seed).map_err(|e| format!("seed {seed}: {}", e.reason))?;
        let dir = Directory::of_seed(options.keep.as_deref(), seed)?;
        match tests::oracle::compiled::compare(&case, &dir.path, &[0, 1, 2]) {
            Ok(events) => compared += events,
            Err(reason) => {
                println!("seed {seed}: {reason}");
                failing += 1;
            }
        }
    }
    println!("{compared} events are the same for the interpreter and for gcc; {failing} seeds differ");
    Ok(failing)
}

/// The number of failing seeds.
fn run(options: &Options) -> Result<usize, String> {
    if options.print {
        for seed in options.seeds.clone() {
            let case =
                Case::of_profile(options.profile, seed).map_err(|e| format!("seed {seed}: {}", e.reason))?;
            println!("{}", case.layout.clean);
        }
        return Ok(0);
    }
    if options.compiled {
        return compiled(options);
    }
    let judge: Box<dyn Judge> = match options.judge.as_str() {
        "hindmost" => {
            let mut command = Command::find()?;
            command.keep.clone_from(&options.keep);
            Box::new(command)
        }
        "paper" => Box::new(Paper(MissingVariable::Stop)),
        "paper-skip" => Box::new(Paper(MissingVariable::Skip)),
        "lines" => Box::new(LineNumbers),
        other => return Err(format!("'{other}' is no judge\n{USAGE}")),
    };
    let views = |seed: u64| {
        let mut views: Vec<View> = options
            .views
            .iter()
            .map(|&columns| View::of_seed(seed, columns))
            .collect();
        if options.sparse {
            let all = View::of_seed(seed, seed.is_multiple_of(2));
            views.push(View {
                unreadable: 15,
                ..all
            });
        }
        views
    };
    let start = std::time::Instant::now();
    let seeds = options.seeds.end.saturating_sub(options.seeds.start);
    let result = campaign(
        options.profile,
        options.seeds.clone(),
        judge.as_ref(),
        views,
        options.effort,
    )?;
    let seconds = start.elapsed().as_secs_f64();
    for (_, report) in &result.failures {
        println!("{report}");
    }
    println!("{}", result.stats);
    println!(
        "{seeds} programs, {} lines, {} events; execution index held against time on {} pairs; {:.3} s per seed",
        result.lines,
        result.events,
        result.self_checked,
        seconds / (seeds.max(1) as f64)
    );
    println!(
        "{} failing seeds: {:?}",
        result.failures.len(),
        result.failures.iter().map(|f| f.0).collect::<Vec<_>>()
    );
    Ok(result.failures.len())
}
