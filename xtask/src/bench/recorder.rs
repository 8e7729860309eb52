//! The flight recorder: what a call costs with it and without, what it costs a real program, how long an answer takes, and the analysis of very many tasks.
//!
//! Runs with and without it are interleaved, and of each kind the least time is printed with the spread of the plain runs beside it: what the machine does besides
//! only adds, and a difference within the spread says nothing.

use super::answers::STALL;
use super::measure::{median, median_wall, poisson_with_map, print_machine, time_of_children};
use crate::command::{
    self, build_bench, build_hindmost_with_recorder, make_recorder, succeed, work_directory,
};
use crate::workspace;
use anyhow::{Context, Result};
use corpus::{Build, JobPlan, Mpi, Program};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Interleaved runs of each kind.
const ROUNDS: usize = 7;

/// The most that a call may take longer with the recorder, in nanoseconds.
const CALL_LIMIT: f64 = 200.0;

/// The most that it may take longer than that when its events are written as well, in nanoseconds.
const EVENTS_LIMIT: f64 = 100.0;

/// Events of each task that are kept, as many as `hindmost run --events` keeps.
const EVENTS: u32 = 65_536;

/// Runs it; the tables go to standard output.
pub(super) fn run() -> Result<()> {
    let hindmost = build_hindmost_with_recorder()?;
    let analysis = build_bench("recorder-bench")?;
    let directory = work_directory("bench-recorder")?;
    print_machine();
    let of_open_mpi = make_recorder(&hindmost, Mpi::OpenMpi, &directory)?;
    let of_mpich = make_recorder(&hindmost, Mpi::Mpich, &directory)?;
    for (mpi, recorder) in [(Mpi::OpenMpi, &of_open_mpi), (Mpi::Mpich, &of_mpich)] {
        let bench = Bench {
            mpi,
            recorder: recorder.clone(),
            directory: &directory,
            recordings: in_memory(&directory),
        };
        bench.calls()?;
        bench.program()?;
    }
    answers(&hindmost, &of_open_mpi, &directory)?;
    command::run(&mut Command::new(analysis))
}

/// Where recordings are made.
fn in_memory(directory: &Path) -> PathBuf {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        memory.join(format!("hindmost-bench-{}", std::process::id()))
    } else {
        directory.join("recordings")
    }
}

/// The ranks of the hung job that is asked about.
const HUNG_RANKS: u32 = 32;

/// The most that an answer may take longer with the recorder.
const ANSWER_LIMIT: Duration = Duration::from_millis(150);

/// The time of `find` for a hung job of many ranks, with the recorder and without.
fn answers(hindmost: &Path, recorder: &Path, directory: &Path) -> Result<()> {
    let (exe, map) = poisson_with_map(hindmost, directory)?;
    // The launcher's own tools are not to be recorded.
    let recorded = directory.join("recorded.sh");
    let recordings = directory.join("recordings-of-hung");
    let _ = std::fs::remove_dir_all(&recordings);
    let script = format!(
        "#!/bin/sh\nHINDMOST_RECORD='{}' LD_PRELOAD='{}' exec '{}' \"$@\"\n",
        recordings.display(),
        recorder.display(),
        exe.display()
    );
    std::fs::write(&recorded, script)?;
    std::fs::set_permissions(&recorded, std::fs::Permissions::from_mode(0o755))?;
    let time = |program: &Path| -> Result<Duration> {
        let plan = JobPlan {
            exe: program,
            mpi: Mpi::OpenMpi,
            ranks: HUNG_RANKS,
            stall: Some(STALL),
            arguments: &[],
        };
        let mut job = plan.start()?;
        job.wait_hung(Duration::from_secs(300))?;
        let mut find = Command::new(hindmost);
        find.arg("find").arg("--map").arg(&map);
        median_wall(find.args(["--launcher", &job.launcher().to_string()]))
    };
    let (plain, with) = (time(&exe)?, time(&recorded)?);
    let more = with.saturating_sub(plain);
    println!(
        "\nfind, {HUNG_RANKS} hung ranks under {}: {} ms plain, {} ms recorded: {} ms more, of {} at most: {}",
        Mpi::OpenMpi.name(),
        plain.as_millis(),
        with.as_millis(),
        more.as_millis(),
        ANSWER_LIMIT.as_millis(),
        if more <= ANSWER_LIMIT { "kept" } else { "MISSED" }
    );
    Ok(())
}

struct Bench<'d> {
    mpi: Mpi,
    recorder: PathBuf,
    directory: &'d Path,
    /// Where is recorded: in memory, as `hindmost run` does it.
    recordings: PathBuf,
}

impl Drop for Bench<'_> {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.recordings);
    }
}

/// How a program is run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Plain,
    Recorded,
    /// Recorded, with the events of each task.
    Events,
    /// As AutomaDeD looks at stacks.
    Stacks,
}

impl Way {
    const ALL: [Self; 4] = [Self::Plain, Self::Recorded, Self::Events, Self::Stacks];
}

/// Nanoseconds of a call in each round, by the way it is run.
type Times = BTreeMap<Way, Vec<f64>>;

impl Bench<'_> {
    /// A command that starts the program in so many ranks.
    fn job(&self, ranks: u32, way: Way, exe: &Path) -> Command {
        let mut job = Command::new(format!("mpirun.{}", self.mpi.name()));
        if self.mpi == Mpi::OpenMpi {
            job.args(["--allow-run-as-root", "--oversubscribe"]);
        }
        job.args(["-np", &ranks.to_string()]);
        if matches!(way, Way::Recorded | Way::Events) {
            let recordings = &self.recordings;
            let _ = std::fs::remove_dir_all(recordings);
            job.arg("env")
                .arg(format!("LD_PRELOAD={}", self.recorder.display()));
            job.arg(format!("HINDMOST_RECORD={}", recordings.display()));
            if way == Way::Events {
                job.arg(format!("HINDMOST_RECORD_EVENTS={EVENTS}"));
            }
        }
        job.arg(exe);
        job.stdin(Stdio::null());
        job
    }

    fn calls(&self) -> Result<()> {
        let source = workspace::root().join("bench/src/recorder/calls.c");
        let exe = self.directory.join(format!("calls-{}", self.mpi.name()));
        let mut compile = Command::new(format!("mpicc.{}", self.mpi.name()));
        succeed(compile.args(["-O2", "-o"]).arg(&exe).arg(source))?;
        let mut found: BTreeMap<(u32, String), Times> = BTreeMap::new();
        for _ in 0..ROUNDS {
            for ranks in [1, 2] {
                for way in Way::ALL {
                    let mut job = self.job(ranks, way, &exe);
                    if way == Way::Stacks {
                        job.arg("stacks");
                    }
                    let output = job.output().context("no launcher")?;
                    for line in String::from_utf8_lossy(&output.stdout).lines() {
                        if let Some((name, time)) = line.split_once(' ')
                            && let Ok(time) = time.parse()
                        {
                            let of_name = found.entry((ranks, name.to_owned())).or_default();
                            of_name.entry(way).or_default().push(time);
                        }
                    }
                }
            }
        }
        println!(
            "\n{}: nanoseconds a call (of one rank processor time, of two ranks time), least of {ROUNDS} (spread of the plain runs: median above least); at most {CALL_LIMIT:.0} more with the recorder",
            self.mpi.name()
        );
        for ((_, name), ways) in &found {
            let least = |way: Way| ways.get(&way).and_then(|times| least(times));
            let plain = ways.get(&Way::Plain).cloned().unwrap_or_default();
            let (Some(base), Some(recorded)) = (least(Way::Plain), least(Way::Recorded)) else {
                continue;
            };
            let more = recorded - base;
            println!(
                "  {name:<24} plain {base:>8.1} (+{:.1})  recorded {recorded:>8.1}  more {more:>7.1}  {}  as AutomaDeD {:>9.1}",
                middle(&plain).unwrap_or(base) - base,
                if more <= CALL_LIMIT { "kept" } else { "MISSED" },
                least(Way::Stacks).unwrap_or(f64::NAN),
            );
        }
        println!(
            "\n{}: nanoseconds more when the events of each call are written as well, least above least (median of the differences in one round); at most {EVENTS_LIMIT:.0}",
            self.mpi.name()
        );
        for ((_, name), ways) in &found {
            print_events(name, ways);
        }
        Ok(())
    }

    /// A solver of the corpus in one rank, so that nobody waits: processor time with the recorder and without.
    fn program(&self) -> Result<()> {
        let build = Build {
            program: Program::Adi,
            mpi: self.mpi,
            flags: &["-O2"],
        };
        let exe = build.compile(self.directory)?;
        let mut times: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            for (way, times) in [Way::Plain, Way::Recorded].into_iter().zip(&mut times) {
                let before = time_of_children().unwrap_or_default();
                succeed(self.job(1, way, &exe).arg("300000"))?;
                let used = time_of_children().unwrap_or_default().saturating_sub(before);
                times.push(used.as_secs_f64());
            }
        }
        let [plain, recorded] = &times;
        if let (Some(base), Some(with), Some(usual)) = (least(plain), least(recorded), middle(plain)) {
            println!(
                "  adi, one rank, 300,000 steps: processor time {base:.2} s plain, {with:.2} s recorded: {:.3} times (noise of the plain runs {:.3})",
                with / base,
                usual / base
            );
        }
        let file = std::fs::read_dir(&self.recordings)?;
        let sizes = file
            .flatten()
            .filter_map(|file| Some(file.metadata().ok()?.len()));
        println!(
            "  memory: a file of {:.1} MB a rank",
            sizes.max().unwrap_or(0) as f64 / 1e6
        );
        Ok(())
    }
}

/// What the events of a call cost beside its record.
fn print_events(name: &str, ways: &Times) {
    let (Some(recorded), Some(events)) = (ways.get(&Way::Recorded), ways.get(&Way::Events)) else {
        return;
    };
    // A round has one run of each.
    let differences = events.iter().zip(recorded).map(|(with, without)| with - without);
    let usual = middle(&Vec::from_iter(differences));
    if let (Some(without), Some(with), Some(usual)) = (least(recorded), least(events), usual) {
        let more = with - without;
        println!(
            "  {name:<24} recorded {without:>8.1}  with events {with:>8.1}  more {more:>7.1} ({usual:.1})  {}",
            if more <= EVENTS_LIMIT { "kept" } else { "MISSED" }
        );
    }
}

fn least(times: &[f64]) -> Option<f64> {
    times.iter().copied().min_by(f64::total_cmp)
}

fn middle(times: &[f64]) -> Option<f64> {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    median(&sorted)
}
