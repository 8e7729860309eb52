//! `hindmost recorder` and `hindmost run`: makes the flight recorder for one MPI library, and starts jobs with it.

use crate::output::{self, Status};
use crate::recorder_args::{RecorderArgs, RecordingArgs, RunArgs};
use anyhow::Context as _;
use project::Failure;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn make(args: &RecorderArgs) -> anyhow::Result<Status> {
    project::make_recorder(&args.mpicc, &args.output, args.runtime.as_deref())?;
    output::note(&format!("{} is written", args.output.display()));
    Ok(Status::Done)
}

pub(crate) fn run(args: &RunArgs) -> anyhow::Result<Status> {
    let mut job = recorded_job(&args.recording, args.events, &args.command)?;
    let error = job.command.exec();
    Err(cannot_start(&job.command, &error).into())
}

/// A job that is not started yet.
pub(crate) struct RecordedJob {
    /// What starts it.
    pub(crate) command: Command,
    /// Where it will be recorded.
    pub(crate) directory: PathBuf,
}

pub(crate) fn cannot_start(command: &Command, error: &io::Error) -> Failure {
    let program = Path::new(command.get_program());
    Failure::new(format!("cannot start {}: {error}", program.display()))
}

/// The command that starts a job with the recorder, which is made if it is not there.
pub(crate) fn recorded_job(
    args: &RecordingArgs,
    events: Option<u64>,
    command: &[String],
) -> anyhow::Result<RecordedJob> {
    let directory = match &args.record {
        Some(directory) => {
            project::make_recording_directory(directory)?;
            directory.clone()
        }
        None => project::new_recording_directory()?,
    };
    // A relative name means another file in each directory that a task may start in.
    let directory = directory
        .canonicalize()
        .with_context(|| format!("cannot use {}", directory.display()))?;
    let recorder = match &args.recorder {
        Some(recorder) => recorder
            .canonicalize()
            .with_context(|| format!("cannot use {}", recorder.display()))?,
        None => {
            let made = directory.join("libhindmost-recorder.so");
            project::make_recorder(Path::new("mpicc"), &made, None)?;
            made
        }
    };
    let mut preload = OsString::from(&recorder);
    if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        preload.push(":");
        preload.push(others);
    }
    output::note(&format!(
        "recording to {}; hindmost waits {} tells who waits for whom",
        directory.display(),
        base::shell_word(&directory.to_string_lossy())
    ));
    if let Some(program) = project::program_with_own_mpi(command) {
        output::note(&format!(
            "nothing is recorded of {}: it has MPI in itself, linked with a static library, and a recorder can stand in front of a shared one alone",
            program.display()
        ));
    }
    let Some((program, rest)) = command.split_first() else {
        return Err(Failure::new("there is no command to run").into());
    };
    let mut command = Command::new(program);
    if let Some(events) = events {
        command.env("HINDMOST_RECORD_EVENTS", events.to_string());
    }
    command
        .args(rest)
        .env("HINDMOST_RECORD", &directory)
        .env("HINDMOST_RECORD_JOB", job_name())
        .env("LD_PRELOAD", preload);
    Ok(RecordedJob { command, directory })
}

/// A name that no other job of this host has: MPICH's launcher gives none.
fn job_name() -> String {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
    format!("{}-{}", time.tv_sec, std::process::id())
}
