//! A job that runs a program of the corpus, usually told to hang.
//!
//! When is a job hung? One rank says on stderr that it stalls. The others go on until they need it, which may be an
//! iteration later. Every rank counts in a shared file how often it came past a place where it could stall; the job
//! is hung once every rank has used processor time since the last of these counters moved. Waiting for a fixed
//! time instead would be too long on an idle machine and too short on a busy one.

use crate::processes::{ProcessorTime, environment};
use crate::{Error, JobProcesses, Mpi};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A job that outlives whoever started it (killed, so that nothing was dropped) ends itself after so many seconds.
const LIMIT_SECONDS: u32 = 300;

/// Processor time that every rank must use without getting anywhere, in clock ticks, unless it polls. One iteration of any program
/// takes less than a tenth of one.
const IDLE_TICKS: u64 = 2;

/// For an MPI whose blocked ranks sleep instead of spinning: so long without any progress counts as hung too.
const IDLE_TIME: Duration = Duration::from_secs(30);

/// Where one rank hangs.
#[derive(Clone, Copy, Debug)]
pub struct Stall<'a> {
    /// Which rank.
    pub rank: u32,
    /// In which iteration, as the program counts them.
    pub iteration: u32,
    /// One of the places that the program's first comment lists.
    pub place: &'a str,
}

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct JobPlan<'a> {
    /// The executable.
    pub exe: &'a Path,
    /// The MPI that it was compiled for.
    pub mpi: Mpi,
    /// Number of ranks.
    pub ranks: u32,
    /// Where to hang; `None` to run to the end.
    pub stall: Option<Stall<'a>>,
    /// Arguments of the program.
    pub arguments: &'a [&'a str],
}

/// A running job. Ends with all its processes when dropped.
#[derive(Debug)]
pub struct Job {
    launcher: Child,
    mpi: Mpi,
    ranks: u32,
    processes: JobProcesses,
}

impl JobPlan<'_> {
    /// The launch command, as a user would type it.
    pub fn command(&self) -> Command {
        let mut command = Command::new(format!("mpirun.{}", self.mpi.name()));
        if self.mpi == Mpi::OpenMpi {
            // More ranks than processors, as root in a container: what a test machine is like.
            command.args(["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]);
            command
                .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
                .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        }
        command
            .arg("-np")
            .arg(self.ranks.to_string())
            .arg(self.exe)
            .args(self.arguments);
        if let Some(Stall {
            rank,
            iteration,
            place,
        }) = self.stall
        {
            command.env(
                "HINDMOST_STALL",
                format!("rank={rank},it={iteration},place={place}"),
            );
        }
        command
    }

    /// Starts the job.
    ///
    /// # Errors
    /// The launcher is missing, or there is no room for the job's files.
    pub fn start(&self) -> Result<Job, Error> {
        let processes = JobProcesses::new();
        let scratch = processes.scratch();
        fs::create_dir_all(&scratch).map_err(Error::io("create", &scratch))?;
        let heartbeat = heartbeat_file(&processes);
        let file = File::create(&heartbeat).map_err(Error::io("create", &heartbeat))?;
        file.set_len(u64::from(self.ranks) * 8)
            .map_err(Error::io("size", &heartbeat))?;
        let output = output_file(&processes);
        let stdout = File::create(&output).map_err(Error::io("create", &output))?;
        let stderr = stdout.try_clone().map_err(Error::io("open", &output))?;

        let mut command = self.command();
        let (name, token) = processes.variable();
        command
            .env(name, token)
            .env("HINDMOST_HEARTBEAT", &heartbeat)
            .env("HINDMOST_LIMIT", LIMIT_SECONDS.to_string())
            // Killed ranks leave their shared memory and sockets behind: keep them where they go with the job.
            .env("TMPDIR", &scratch)
            .env("OMPI_MCA_btl_vader_backing_directory", &scratch)
            .env("OMPI_MCA_orte_tmpdir_base", &scratch)
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(stderr)
            // A ^C at the terminal must not reach the launcher directly: we end the job, in order.
            .process_group(0);
        let launcher = command
            .spawn()
            .map_err(Error::io("start", command.get_program()))?;
        Ok(Job {
            launcher,
            mpi: self.mpi,
            ranks: self.ranks,
            processes,
        })
    }
}

impl Job {
    /// The launcher's pid.
    pub fn launcher(&self) -> u32 {
        self.launcher.id()
    }

    /// The ranks that are running, with their pids.
    pub fn ranks(&self) -> BTreeMap<u32, u32> {
        let variable = format!("{}=", self.mpi.rank_variable());
        self.processes
            .pids()
            .into_iter()
            .filter_map(|pid| {
                let rank = environment(pid).find_map(|entry| {
                    std::str::from_utf8(entry.strip_prefix(variable.as_bytes())?)
                        .ok()?
                        .parse()
                        .ok()
                })?;
                Some((rank, pid))
            })
            .collect()
    }

    /// What the job has printed so far, on both streams.
    pub fn output(&self) -> String {
        fs::read(output_file(&self.processes))
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default()
    }

    /// How often each rank came past a place where it could stall.
    pub fn heartbeat(&self) -> Vec<u64> {
        let bytes = fs::read(heartbeat_file(&self.processes)).unwrap_or_default();
        bytes
            .as_chunks()
            .0
            .iter()
            .copied()
            .map(u64::from_ne_bytes)
            .collect()
    }

    /// Waits until one rank stalls and no other gets any further.
    ///
    /// # Errors
    /// The job ends instead, or does neither in time.
    pub fn wait_hung(&mut self, patience: Duration) -> Result<(), Error> {
        let start = Instant::now();
        while !self.output().contains("stall: pid=") {
            self.check_running(start, patience, "no rank has stalled")?;
        }
        loop {
            let ranks = self.ranks();
            let before = self.heartbeat();
            let used = Vec::from_iter(ranks.values().map(|&pid| ProcessorTime::of(pid)));
            let since = Instant::now();
            while self.heartbeat() == before {
                let idle = ranks.values().zip(&used).all(|(&pid, &before)| {
                    ProcessorTime::of(pid)
                        .zip(before)
                        .is_some_and(|(now, before)| now.has_done_enough_since(&before, IDLE_TICKS))
                });
                if ranks.len() == self.ranks as usize && (idle || since.elapsed() > IDLE_TIME) {
                    return Ok(());
                }
                self.check_running(
                    start,
                    patience,
                    "some ranks still move, or have not been seen to run",
                )?;
            }
        }
    }

    /// From now on ranks that poll leave the processors to whoever looks at them ([`JobProcesses::give_way`]).
    pub fn give_way(&self) {
        self.processes.give_way();
    }

    /// Waits for the job to end by itself; returns whether it succeeded, and what it printed.
    ///
    /// # Errors
    /// It does not end in time.
    pub fn wait_end(&mut self, patience: Duration) -> Result<(bool, String), Error> {
        let start = Instant::now();
        loop {
            match self.check_running(start, patience, "it was to end") {
                Ok(()) => {}
                Err(Error::Ended { .. }) => {
                    let success = self.launcher.wait().is_ok_and(|status| status.success());
                    return Ok((success, self.output()));
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Sleeps for a moment; an error if the job has ended or `patience` is over.
    fn check_running(&mut self, start: Instant, patience: Duration, missing: &str) -> Result<(), Error> {
        if let Ok(Some(status)) = self.launcher.try_wait() {
            return Err(Error::Ended {
                status: status.to_string(),
                output: self.output(),
            });
        }
        if start.elapsed() > patience {
            return Err(Error::NotHung {
                waited: start.elapsed(),
                missing: missing.to_owned(),
                output: self.output(),
            });
        }
        thread::sleep(Duration::from_millis(10));
        Ok(())
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.processes.end();
        // Only now that it has been killed: this takes the zombie away and cannot block.
        let _ = self.launcher.wait();
    }
}

fn heartbeat_file(processes: &JobProcesses) -> PathBuf {
    processes.scratch().join("heartbeat")
}

fn output_file(processes: &JobProcesses) -> PathBuf {
    processes.scratch().join("output")
}
