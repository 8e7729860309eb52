//! `hindmost-probe`: takes a snapshot of running tasks with a bound map.
//!
//! With `--serve` it is the far end of `hindmost find`, which asks the hosts of a job.
//!
//! Exit status: 0 when all tasks were read, 1 when some were not (their records say why), 2 for an error.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

use base::RankSet;
use progress_map::Map;
use regular_files::Limit;
use runtime_probe::{AsLines, Options, ServeError, Stopping, Threads, discover, job_of_pids, serve, take};
use snapshot::Task;
use std::convert::Infallible;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

const USAGE: &str = "\
Usage: hindmost-probe --map FILE (--launcher PID | PID...) [options]
       hindmost-probe --serve | --dialogue

Reads the tasks of a job, stopping for microseconds those that run, and writes their stacks and loop variables as JSON Lines.

  --map FILE        the map, bound to the build that runs (`hindmost map --exe`)
  --launcher PID    read the ranks below this mpirun, mpiexec or srun
  -o, --output FILE write there instead of to standard output
  --limit BYTES     copy at most so much of each stack (default 1048576)
  --wait MS         wait at most so long for tasks to stop (default 2000)
  --threads WHICH   read the main thread of each task only (main) or all (all, the default)
  --stop            stop threads also where they sleep: all registers are read, and a system call that
                    does not begin again after a stop returns EINTR or a short count to the program
  --serve           answer `hindmost find` of another host, which is at the other end of standard input and output
  --serve-lines     the same with answers as lines of text
  --dialogue        print which version of that dialogue this probe speaks
  -h, --help        print this

A thread that sleeps in such a call is read as it sleeps. One that runs may come into it between the look and the stop: its record says so (`told`).

Exit status: 0 all tasks were read, 1 some were not (their records say why), 2 error.
";

fn main() -> ExitCode {
    runtime_probe::die_without_memory();
    let arguments = std::env::args_os().skip(1).map(|argument| argument.into_string());
    let arguments: Result<Vec<String>, _> = arguments.collect();
    let parsed = arguments
        .map_err(|argument| format!("'{}' is no UTF-8 text", argument.to_string_lossy()))
        .and_then(|arguments| parse(arguments.into_iter()));
    match parsed {
        Ok(None) => {
            // The reader may have closed its end, which is no error.
            let _ = std::io::stdout().write_all(USAGE.as_bytes());
            ExitCode::SUCCESS
        }
        Ok(Some(Wanted::Serve)) => has_served(serve(std::io::stdin(), std::io::stdout())),
        Ok(Some(Wanted::ServeLines)) => has_served(serve(std::io::stdin(), AsLines(std::io::stdout()))),
        Ok(Some(Wanted::Dialogue)) => {
            let _ = writeln!(std::io::stdout(), "{}", nodes::VERSION);
            ExitCode::SUCCESS
        }
        Ok(Some(Wanted::Snapshot(arguments))) => match run(&arguments) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::from(1),
            Err(message) => {
                say(&message);
                ExitCode::from(2)
            }
        },
        Err(message) => {
            say(&message);
            let _ = write!(std::io::stderr(), "\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// What is left to say where the dialogue was not ended by the other side.
fn has_served(served: Result<Infallible, ServeError>) -> ExitCode {
    let Err(error) = served;
    say(&error.to_string());
    ExitCode::from(2)
}

/// Prints a line to standard error. It may have names in it that somebody else has chosen.
fn say(message: &str) {
    // There is nowhere left to report that standard error is gone, and a snapshot is worth as much without.
    let _ = writeln!(std::io::stderr(), "hindmost-probe: {}", base::clean(message));
}

/// What the probe is to do.
#[derive(Debug)]
enum Wanted {
    /// Answer who asks from another host.
    Serve,
    /// The same with answers as lines of text.
    ServeLines,
    /// Say which version of that dialogue it speaks.
    Dialogue,
    /// Take a snapshot.
    Snapshot(Arguments),
}

#[derive(Debug, Default)]
struct Arguments {
    map: String,
    launcher: Option<u32>,
    pids: Vec<u32>,
    output: Option<String>,
    options: Options,
}

/// `None` when only help is asked for. Written by hand: the probe is to stay small.
fn parse(arguments: impl Iterator<Item = String>) -> Result<Option<Wanted>, String> {
    let mut parsed = Arguments::default();
    let mut arguments = arguments.peekable();
    let alone = [
        ("--serve", Wanted::Serve),
        ("--serve-lines", Wanted::ServeLines),
        ("--dialogue", Wanted::Dialogue),
    ];
    for (name, wanted) in alone {
        if arguments.next_if(|first| first == name).is_some() {
            return match arguments.next() {
                None => Ok(Some(wanted)),
                Some(more) => Err(format!("{name} takes nothing more, not even '{more}'")),
            };
        }
    }
    let mut map = None;
    while let Some(argument) = arguments.next() {
        let (name, inline) = match argument.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name.to_owned(), Some(value.to_owned())),
            _ => (argument.clone(), None),
        };
        let mut value = || {
            let value = inline.clone().or_else(|| arguments.next());
            value.ok_or_else(|| format!("{name} needs a value"))
        };
        match name.as_str() {
            "-h" | "--help" => return Ok(None),
            "--map" => map = Some(value()?),
            "--launcher" => parsed.launcher = Some(number(&name, &value()?)?),
            "-o" | "--output" => parsed.output = Some(value()?),
            "--limit" => {
                let bytes: u32 = number(&name, &value()?)?;
                parsed.options.limit = bytes as usize;
            }
            "--wait" => parsed.options.patience = Duration::from_millis(number(&name, &value()?)?),
            "--threads" => {
                parsed.options.threads = match value()?.as_str() {
                    "main" => Threads::Main,
                    "all" => Threads::All,
                    other => return Err(format!("--threads: '{other}' is neither main nor all")),
                }
            }
            "--stop" => parsed.options.stopping = Stopping::Always,
            option if option.starts_with('-') => return Err(format!("unknown option {option}")),
            _ => parsed.pids.push(number("a pid", &argument)?),
        }
    }
    parsed.map = map.ok_or("--map FILE is missing")?;
    match (parsed.launcher, parsed.pids.is_empty()) {
        (None, true) => Err("neither --launcher PID nor pids are given".to_owned()),
        (Some(_), false) => Err("give either --launcher PID or pids, not both".to_owned()),
        _ => Ok(Some(Wanted::Snapshot(parsed))),
    }
}

fn number<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| format!("{name}: '{text}' is not a number in range"))
}

/// Returns whether every task was read.
fn run(arguments: &Arguments) -> Result<bool, String> {
    let bytes = regular_files::read_named(Path::new(&arguments.map), Limit::RECORD)
        .map_err(|error| format!("cannot read {}: {error}", arguments.map))?;
    let map = Map::from_bytes(&bytes).map_err(|error| format!("{}: {error}", arguments.map))?;
    let job = match arguments.launcher {
        Some(pid) => {
            let mut job = discover(pid).map_err(|error| error.to_string())?;
            job.prefer(&[&map]);
            job
        }
        None => job_of_pids(&arguments.pids),
    };
    for note in &job.notes_of_this_host() {
        say(note);
    }
    let (header, mut records) = take(&map, &job.tasks, arguments.options);
    records.extend(absent(&job.missing, job.size));
    let text = snapshot::write(&header, &records);
    match &arguments.output {
        Some(path) => fs::write(path, text).map_err(|error| format!("cannot write {path}: {error}"))?,
        None => std::io::stdout()
            .write_all(text.as_bytes())
            .map_err(|error| format!("cannot write the snapshot: {error}"))?,
    }
    let mut all_read = true;
    for record in &records {
        if let Some(error) = &record.error {
            say(&format!("task {}: {error}", record.task));
            all_read = false;
        }
    }
    Ok(all_read)
}

/// Records for ranks of the job that have no process here: a rank that has ended may be the very one looked for.
fn absent(missing: &RankSet, size: Option<u32>) -> Vec<Task> {
    let of = size.map(|size| format!(" of {size}")).unwrap_or_default();
    // Of a job on many hosts nearly all ranks are elsewhere: one record says it.
    const MOST: u64 = 1024;
    if missing.len() > MOST {
        let error = format!("ranks {missing}{of} have no process on this host");
        return vec![Task {
            task: "elsewhere".to_owned(),
            error: Some(error),
            ..Task::default()
        }];
    }
    let record = |rank: u32| Task {
        task: rank.to_string(),
        rank: Some(rank),
        error: Some(format!(
            "rank {rank}{of} has no process on this host: it runs on another, or has ended"
        )),
        ..Task::default()
    };
    missing.iter().map(record).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Option<Wanted>, String> {
        parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn arguments() {
        let Some(Wanted::Snapshot(given)) = parsed("--map a.hmap --limit=4096 12 13 -o out").unwrap() else {
            panic!("a snapshot is wanted");
        };
        assert_eq!(given.pids, [12, 13]);
        assert_eq!(given.options.limit, 4096);
        assert_eq!(given.output.as_deref(), Some("out"));
        assert!(parsed("--help").unwrap().is_none());
        assert!(matches!(parsed("--serve"), Ok(Some(Wanted::Serve))));
        assert!(matches!(parsed("--serve-lines"), Ok(Some(Wanted::ServeLines))));
        for bad in [
            "",
            "--map a",
            "12",
            "--map a x12",
            "--map a --launcher 1 2",
            "--map a --limit -1 2",
            "--map a --frob 2",
            "--map a --threads some 2",
            "--map",
            "--serve 12",
            "--serve-lines 12",
            "--map a --serve",
        ] {
            assert!(parsed(bad).is_err(), "{bad}");
        }
    }
}
