//! `hindmost recorder` and `hindmost run`: makes the flight recorder for one MPI library, and starts jobs with it.

use crate::output::{self, Status};
use crate::recorder_args::{RecorderArgs, RunArgs};
use anyhow::Context as _;
use project::Failure;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn make(args: &RecorderArgs) -> anyhow::Result<Status> {
    project::make_recorder(&args.mpicc, &args.output, args.runtime.as_deref())?;
    output::note(&format!("{} is written", args.output.display()));
    Ok(Status::Done)
}

pub(crate) fn run(args: &RunArgs) -> anyhow::Result<Status> {
    let Some((program, rest)) = args.command.split_first() else {
        return Err(Failure::new("there is no command to run").into());
    };
    let mut command = Command::new(program);
    command.args(rest).env("HINDMOST_RECORD_JOB", job_name());
    let mut preload = Vec::new();
    if !args.no_recorder {
        preload.push(add_recorder(args, &mut command)?);
    }
    if let Some(directory) = &args.trace {
        preload.push(add_tracer(directory, args.tracer.as_deref(), &mut command)?);
    }
    let others = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty());
    let all = Vec::from_iter(preload.into_iter().map(OsString::from).chain(others));
    let error = command.env("LD_PRELOAD", all.join(OsStr::new(":"))).exec();
    Err(Failure::new(format!("cannot start {program}: {error}")).into())
}

/// Lets the job be recorded; the recorder that is to be preloaded.
fn add_recorder(args: &RunArgs, command: &mut Command) -> anyhow::Result<PathBuf> {
    let directory = match &args.record {
        Some(directory) => made(directory)?,
        None => project::new_recording_directory()?,
    };
    let recorder = match &args.recorder {
        Some(recorder) => absolute(recorder)?,
        None => {
            let made = directory.join("libhindmost-recorder.so");
            project::make_recorder(Path::new("mpicc"), &made, None)?;
            made
        }
    };
    output::note(&format!(
        "recording to {}; hindmost waits {} tells who waits for whom",
        directory.display(),
        base::shell_word(&directory.to_string_lossy())
    ));
    if let Some(program) = project::program_with_own_mpi(&args.command) {
        output::note(&format!(
            "nothing is recorded of {}: it has MPI in itself, linked with a static library, and a recorder can stand in front of a shared one alone",
            program.display()
        ));
    }
    if let Some(events) = args.events {
        command.env("HINDMOST_RECORD_EVENTS", events.to_string());
    }
    command.env("HINDMOST_RECORD", &directory);
    Ok(recorder)
}

/// Lets the calls of the job be traced; the tracer that is to be preloaded.
fn add_tracer(directory: &Path, tracer: Option<&Path>, command: &mut Command) -> anyhow::Result<PathBuf> {
    let directory = made(directory)?;
    let tracer = match tracer {
        Some(tracer) => absolute(tracer)?,
        None => project::tracer()?,
    };
    output::note(&format!(
        "tracing to {}; hindmost trace show {} shows the last calls",
        directory.display(),
        base::shell_word(&directory.to_string_lossy())
    ));
    command.env("HINDMOST_TRACE", &directory);
    Ok(tracer)
}

/// The directory, made if it is not there.
fn made(directory: &Path) -> anyhow::Result<PathBuf> {
    project::make_recording_directory(directory)?;
    absolute(directory)
}

/// A relative name means another file in each directory that a task may start in.
fn absolute(path: &Path) -> anyhow::Result<PathBuf> {
    path.canonicalize()
        .with_context(|| format!("cannot use {}", path.display()))
}

/// A name that no other job of this host has: MPICH's launcher gives none.
fn job_name() -> String {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
    format!("{}-{}", time.tv_sec, std::process::id())
}
