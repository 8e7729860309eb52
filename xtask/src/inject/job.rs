//! A job with the preload in every rank: once undisturbed, to see what there is to stall, and then with one rank stalled.

use super::log::{self, Record, Stall};
use super::moment::Moment;
use super::subject::Subject;
use anyhow::{Context, Result, bail, ensure};
use corpus::{JobProcesses, Mpi, ProcessorTime, is_running};
use std::fmt;
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long a job may take to end, or to hang, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A rank ends itself after so many seconds, whatever became of us.
const LIMIT_SECONDS: u32 = 400;

/// All must have stood still for so long at least.
const QUIET: Duration = Duration::from_millis(800);

/// And have used so many clock ticks (a hundredth of a second each) in that time, so that whoever could go on has had its turn.
const QUIET_TICKS: u64 = 4;

/// Ranks that sleep while they wait use no time: so long is enough then.
const ASLEEP: Duration = Duration::from_secs(12);

/// What is run.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    pub subject: &'a Subject,
    pub exe: &'a Path,
    pub preload: &'a Path,
    pub mpi: Mpi,
    /// The flight recorder, if what the ranks do is recorded.
    pub recorder: Option<&'a Path>,
}

/// A running job, ended with all its processes when dropped.
#[derive(Debug)]
pub struct Job {
    launcher: Child,
    processes: JobProcesses,
    log: PathBuf,
    output: PathBuf,
    recordings: PathBuf,
}

/// How a job with a rank that was to stall came out.
#[derive(Debug)]
pub enum Outcome {
    /// One rank stands still and the others wait; what they have logged.
    Hung(Vec<Record>),
    /// There is no hung job to ask about.
    Void(Void),
}

/// Why an injection came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Void {
    /// The program cannot be built so.
    NotBuilt { program: String, build: String },
    /// It does not run to its end undisturbed.
    NotMeasured(String),
    /// The job ended before it hung.
    Ended(ExitStatus),
    /// It did not hang in time.
    NotHung,
    /// The instruction could not be overwritten.
    NotOverwritten,
    /// The job went on while it was looked at.
    WentOn,
}

impl Void {
    /// What is counted together.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NotBuilt { .. } => "the program cannot be built",
            Self::NotMeasured(_) => "the program does not run undisturbed",
            Self::Ended(_) => "the job ended before it hung",
            Self::NotHung => "the job did not hang in time",
            Self::NotOverwritten => "the instruction could not be overwritten",
            Self::WentOn => "the job went on while it was looked at",
        }
    }
}

impl fmt::Display for Void {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotBuilt { program, build } => write!(f, "{program} cannot be built with {build}"),
            Self::NotMeasured(error) => f.write_str(error),
            Self::Ended(status) => write!(f, "{}: {status}", self.kind()),
            Self::NotHung | Self::NotOverwritten | Self::WentOn => f.write_str(self.kind()),
        }
    }
}

impl Plan<'_> {
    /// Runs the program to its end; what each rank has logged, which is also kept in that file.
    pub fn undisturbed(&self, kept: &Path) -> Result<Vec<Record>> {
        let mut job = self.start(None)?;
        let deadline = Instant::now() + PATIENCE;
        while job.launcher.try_wait()?.is_none() {
            ensure!(
                Instant::now() < deadline,
                "{} does not end undisturbed within {PATIENCE:?}",
                self.subject.name
            );
            thread::sleep(Duration::from_millis(20));
        }
        let records = log::read(&job.log)?;
        if records.iter().any(|record| record.calls == 0) {
            let output = fs::read(&job.output).unwrap_or_default();
            let output = String::from_utf8_lossy(&output);
            let tail = Vec::from_iter(output.lines().rev().take(12));
            let tail = Vec::from_iter(tail.into_iter().rev());
            bail!(
                "{}: a rank of it makes no MPI call; it prints\n{}",
                self.subject.name,
                tail.join("\n")
            );
        }
        fs::copy(&job.log, kept).with_context(|| format!("cannot write {}", kept.display()))?;
        Ok(records)
    }

    /// Starts it with a rank that is to stall, or with none.
    pub fn start(&self, moment: Option<Moment>) -> Result<Job> {
        let processes = JobProcesses::new();
        let scratch = processes.scratch();
        fs::create_dir_all(&scratch).with_context(|| format!("cannot create {}", scratch.display()))?;
        let log = scratch.join("log");
        log::create(&log, self.subject.ranks)?;
        let output = scratch.join("output");
        let stdout = File::create(&output).with_context(|| format!("cannot create {}", output.display()))?;
        let stderr = stdout.try_clone()?;

        let mut command = Command::new(format!("mpirun.{}", self.mpi.name()));
        if self.mpi == Mpi::OpenMpi {
            command.args(["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]);
        }
        let (name, token) = processes.variable();
        let recordings = scratch.join("recordings");
        let mut preload = self.preload.as_os_str().to_owned();
        if let Some(recorder) = self.recorder {
            // Behind the injector, which thus stalls a rank before the recorder learns of the call.
            preload.push(":");
            preload.push(recorder);
            fs::create_dir_all(&recordings)
                .with_context(|| format!("cannot create {}", recordings.display()))?;
            command.env("HINDMOST_RECORD", &recordings);
        }
        command
            .arg("-np")
            .arg(self.subject.ranks.to_string())
            .arg(self.exe)
            .args(&self.subject.arguments)
            .env(name, token)
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            .env("LD_PRELOAD", preload)
            .env("HINDMOST_INJECT_LOG", &log)
            .env("HINDMOST_INJECT_LIMIT", LIMIT_SECONDS.to_string())
            .env("OMP_NUM_THREADS", "2")
            // Killed ranks leave their shared memory behind: it goes with the job.
            .env("TMPDIR", &scratch)
            .env("OMPI_MCA_btl_vader_backing_directory", &scratch)
            .env("OMPI_MCA_orte_tmpdir_base", &scratch)
            .current_dir(self.exe.parent().unwrap_or(Path::new("/")))
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(stderr)
            .process_group(0);
        if let Some(moment) = moment {
            command.env("HINDMOST_INJECT", moment.variable());
        }
        let launcher = command
            .spawn()
            .with_context(|| format!("cannot start {:?}", command.get_program()))?;
        Ok(Job {
            launcher,
            processes,
            log,
            output,
            recordings,
        })
    }
}

impl Job {
    /// The launcher's pid.
    pub fn launcher(&self) -> u32 {
        self.launcher.id()
    }

    /// Where the recordings of its ranks are.
    pub fn recordings(&self) -> &Path {
        &self.recordings
    }

    /// What the ranks have logged until now.
    pub fn records(&self) -> Result<Vec<Record>> {
        log::read(&self.log)
    }

    /// Waits until the rank is stalled and no other gets any further. `longest` is the processor time in nanoseconds that
    /// a rank of the undisturbed program uses at most between two MPI calls: so long it may be computing.
    pub fn wait_hung(&mut self, rank: u32, longest: u64) -> Result<Outcome> {
        let deadline = Instant::now() + PATIENCE;
        let ticks = QUIET_TICKS.max((longest / 10_000_000 * 2).min(400));
        let mut quiet: Option<(Vec<Record>, Vec<Option<ProcessorTime>>, Instant)> = None;
        loop {
            thread::sleep(Duration::from_millis(20));
            if let Some(status) = self.launcher.try_wait()? {
                return Ok(Outcome::Void(Void::Ended(status)));
            }
            if Instant::now() > deadline {
                return Ok(Outcome::Void(Void::NotHung));
            }
            let records = self.records()?;
            match records[rank as usize].stall {
                Stall::Running => continue,
                Stall::Stalled => {}
                Stall::Cannot => {
                    return Ok(Outcome::Void(Void::NotOverwritten));
                }
            }
            match &quiet {
                Some((before, used, since)) if *before == records => {
                    let had_its_turn = records.iter().zip(used).all(|(record, used)| {
                        let now = ProcessorTime::of(record.pid);
                        !is_running(record.pid)
                            || now
                                .zip(*used)
                                .is_some_and(|(now, used)| now.has_done_enough_since(&used, ticks))
                    });
                    let elapsed = since.elapsed();
                    if (had_its_turn && elapsed > QUIET) || elapsed > ASLEEP {
                        return Ok(Outcome::Hung(records));
                    }
                }
                _ => {
                    let used = records.iter().map(|record| ProcessorTime::of(record.pid));
                    let used = used.collect();
                    quiet = Some((records, used, Instant::now()));
                }
            }
        }
    }
}

/// Whether the instruction at which a rank was stalled is in a library of MPI, as the kernel's list of what the process has mapped tells.
pub fn stands_in_mpi(record: &Record) -> bool {
    const LIBRARIES: [&str; 6] = ["libmpi", "libopen-", "mca_", "libuc", "libfabric", "libpsm"];
    let maps = fs::read_to_string(format!("/proc/{}/maps", record.pid)).unwrap_or_default();
    let mapped = maps.lines().filter_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (first, end) = range.split_once('-')?;
        let address = |text| u64::from_str_radix(text, 16).ok();
        Some((address(first)?..address(end)?, rest.rsplit('/').next()?))
    });
    let mut at = mapped.filter(|(range, _)| range.contains(&record.pc));
    at.any(|(_, name)| LIBRARIES.iter().any(|library| name.starts_with(library)))
}

impl Drop for Job {
    fn drop(&mut self) {
        self.processes.end();
        // It has been killed: this takes the zombie away and cannot block.
        let _ = self.launcher.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::log::{self, Record};

    #[test]
    fn a_new_log_is_one_of_ranks_that_have_done_nothing() {
        let path = std::env::temp_dir().join(format!("hindmost-inject-log-{}", std::process::id()));
        log::create(&path, 3).unwrap();
        assert_eq!(log::read(&path).unwrap(), [Record::default(); 3]);
        std::fs::remove_file(&path).unwrap();
    }
}
