//! Runs a public test suite of MPI with the flight recorder and without, and prints every test whose result differs.
//!
//! The suite is MPICH's (`test/mpi` of its sources), configured and built in a directory outside the repository; it can be built for any MPI. Its lists
//! (`testlist`) name directories, or programs with the number of their ranks, arguments and environment. A test passes if its job ends without an error and
//! prints ` No Errors`. A test whose two results differ is run twice more each way: what then differs between runs of one kind is said to be unsteady.

use crate::command;
use crate::setup;
use anyhow::{Context, Result, ensure};
use corpus::{JobProcesses, Mpi};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// What `cargo xtask unchanged` is asked for.
#[derive(clap::Args)]
pub struct Options {
    /// The directory in which the suite was built
    suite: PathBuf,
    /// The MPI that it was built for: openmpi or mpich
    #[arg(long)]
    mpi: String,
    /// Only these directories of the suite; may be repeated
    #[arg(long, value_name = "NAME")]
    under: Vec<String>,
    /// Seconds that a test may take; one that takes longer counts as not ended
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The hindmost to use, instead of building one
    #[arg(long, value_name = "FILE")]
    hindmost: Option<PathBuf>,
}

/// Runs all tests that were built; fails if one comes out otherwise with the recorder, again and again.
pub fn run(options: &Options) -> Result<()> {
    let mpi = [Mpi::OpenMpi, Mpi::Mpich]
        .into_iter()
        .find(|mpi| mpi.name() == options.mpi);
    let mpi = mpi.with_context(|| format!("there is no MPI '{}'", options.mpi))?;
    let hindmost = match &options.hindmost {
        Some(named) => fs::canonicalize(named).with_context(|| format!("there is no {}", named.display()))?,
        None => {
            setup::ensure()?;
            command::build_hindmost_with_recorder()?
        }
    };
    let recorder = command::make_recorder(&hindmost, mpi, &command::work_directory("unchanged")?)?;

    let suite = fs::canonicalize(&options.suite)
        .with_context(|| format!("there is no {}", options.suite.display()))?;
    let mut tests = Vec::new();
    if options.under.is_empty() {
        listed(&suite, &mut tests)?;
    }
    for directory in &options.under {
        listed(&suite.join(directory), &mut tests)?;
    }
    let built = tests.iter().filter(|test| test.program().is_file());
    let built = Vec::from_iter(built);
    ensure!(!built.is_empty(), "{} has no test that is built", suite.display());
    let runner = Runner {
        mpi,
        hindmost,
        recorder,
        patience: Duration::from_secs(options.seconds),
    };
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let (mut differ, mut unsteady) = (0, 0);
    for test in &built {
        let (plain, recorded) = (runner.once(test, false)?, runner.once(test, true)?);
        *counts
            .entry(format!("{plain} plain, {recorded} recorded"))
            .or_default() += 1;
        if plain == recorded {
            continue;
        }
        let mut again = [vec![plain], vec![recorded]];
        for _ in 0..2 {
            again[0].push(runner.once(test, false)?);
            again[1].push(runner.once(test, true)?);
        }
        let is_steady = |results: &[Ending]| results.iter().all(|each| *each == results[0]);
        let word = if again.iter().all(|results| is_steady(results)) {
            differ += 1;
            "DIFFERS"
        } else {
            unsteady += 1;
            "unsteady"
        };
        println!("{word}: {test}: plain {:?}, recorded {:?}", again[0], again[1]);
    }
    println!(
        "\n{} tests of {} that are listed are built for {}; {differ} differ, {unsteady} are unsteady",
        built.len(),
        tests.len(),
        mpi.name()
    );
    for (results, count) in counts {
        println!("  {count:>5}  {results}");
    }
    ensure!(differ == 0, "{differ} tests come out otherwise with the recorder");
    Ok(())
}

/// One line of a list.
#[derive(Debug, PartialEq, Eq)]
struct Test {
    directory: PathBuf,
    name: String,
    ranks: String,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
}

impl Test {
    fn program(&self) -> PathBuf {
        self.directory.join(&self.name)
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.directory.file_name().unwrap_or_default().to_string_lossy();
        write!(
            f,
            "{place}/{} {} {}",
            self.name,
            self.ranks,
            self.arguments.join(" ")
        )
    }
}

/// The tests of a directory's list, and of those that it names.
fn listed(directory: &Path, tests: &mut Vec<Test>) -> Result<()> {
    let list = directory.join("testlist");
    let Ok(text) = fs::read_to_string(&list) else {
        // The list of all names parts of the suite that were configured out.
        return Ok(());
    };
    for line in text.lines().map(str::trim) {
        match line.split_whitespace().next() {
            None => {}
            Some(name) if name.starts_with('#') => {}
            Some(name) if directory.join(name).is_dir() => listed(&directory.join(name), tests)?,
            Some(_) => tests.extend(parse(directory, line)),
        }
    }
    Ok(())
}

/// A program, its ranks, and `key=value` words of which those change how it runs that say `arg` or `env`.
fn parse(directory: &Path, line: &str) -> Option<Test> {
    let mut words = line.split_whitespace();
    let name = words.next()?.to_owned();
    let mut words = words.peekable();
    let is_count = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let ranks = words.next_if(is_count).unwrap_or("2").to_owned();
    let (mut arguments, mut environment) = (Vec::new(), Vec::new());
    for word in words {
        match word.split_once('=') {
            Some(("arg", value)) => arguments.push(value.to_owned()),
            Some(("env", value)) => {
                let (name, value) = value.split_once('=')?;
                environment.push((name.to_owned(), value.to_owned()));
            }
            _ => {}
        }
    }
    Some(Test {
        directory: directory.to_owned(),
        name,
        ranks,
        arguments,
        environment,
    })
}

/// How a job of a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Passed,
    /// With this exit code of the launcher, if no signal ended it: tests of errors are to fail, and in the same way.
    Failed(Option<i32>),
    NotEnded,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Passed => f.write_str("passed"),
            Ending::Failed(Some(code)) => write!(f, "failed with {code}"),
            Ending::Failed(None) => f.write_str("ended by a signal"),
            Ending::NotEnded => f.write_str("not ended"),
        }
    }
}

struct Runner {
    mpi: Mpi,
    hindmost: PathBuf,
    recorder: PathBuf,
    patience: Duration,
}

impl Runner {
    fn once(&self, test: &Test, is_recorded: bool) -> Result<Ending> {
        let processes = JobProcesses::new();
        let scratch = processes.scratch();
        fs::create_dir_all(&scratch).with_context(|| format!("cannot create {}", scratch.display()))?;
        let output = scratch.join("output");
        let launcher = format!("mpirun.{}", self.mpi.name());
        let mut job = if is_recorded {
            let mut job = Command::new(&self.hindmost);
            job.args(["run", "--recorder"])
                .arg(&self.recorder)
                .arg("--record")
                .arg(scratch.join("recordings"))
                .arg("--")
                .arg(launcher);
            job
        } else {
            Command::new(launcher)
        };
        if self.mpi == Mpi::OpenMpi {
            job.args(["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]);
        }
        let (name, token) = processes.variable();
        let mut job = job
            .args(["-np", &test.ranks])
            .arg(test.program())
            .args(&test.arguments)
            .envs(test.environment.iter().map(|(name, value)| (name, value)))
            .env(name, token)
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            .env("TMPDIR", &scratch)
            .current_dir(&test.directory)
            .stdin(Stdio::null())
            .stdout(File::create(&output)?)
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .with_context(|| format!("cannot start {test}"))?;
        let deadline = Instant::now() + self.patience;
        let status = loop {
            if let Some(status) = job.try_wait()? {
                break Some(status);
            }
            if Instant::now() > deadline {
                break None;
            }
            thread::sleep(Duration::from_millis(10));
        };
        let text = fs::read(&output).unwrap_or_default();
        drop(processes);
        if status.is_none() {
            // Its processes are ended: this takes the zombie away.
            job.wait()?;
        }
        let says = |word: &str| {
            String::from_utf8_lossy(&text)
                .lines()
                .any(|line| line.trim() == word)
        };
        Ok(match status {
            None => Ending::NotEnded,
            Some(status) if status.success() && (says("No Errors") || says("Test Passed")) => Ending::Passed,
            Some(status) => Ending::Failed(status.code()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::parse;
    use std::path::Path;

    #[test]
    fn a_line_of_a_list() {
        let test = parse(Path::new("/d"), "allred 7 arg=-count=10 env=A=b=c timeLimit=9").unwrap();
        assert_eq!((test.name.as_str(), test.ranks.as_str()), ("allred", "7"));
        assert_eq!(test.arguments, ["-count=10"]);
        assert_eq!(test.environment, [("A".to_owned(), "b=c".to_owned())]);
        let without = parse(Path::new("/d"), "x strict=false").unwrap();
        assert_eq!(without.ranks, "2");
    }
}
