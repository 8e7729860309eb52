//! `hindmost recorder` and `hindmost run`: makes the flight recorder for one MPI library, and starts jobs with it and with the tracer.

use crate::output::{self, Status};
use crate::recorder_args::{RecorderArgs, RecordingArgs, RunArgs};
use crate::trace_pack;
use anyhow::Context as _;
use project::Failure;
use std::ffi::{OsStr, OsString};
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
    let mut job = Job::of(&args.command)?;
    // What cannot be followed is refused before anything is made.
    if let Some(first) = &args.replay {
        job.follow(first)?;
    }
    if !args.no_recorder {
        job.record(&args.recording, args.events)?;
    }
    if let Some(directory) = &args.trace {
        let directory = job.trace(directory, args.tracer.as_deref(), &args.rewrite)?;
        trace_pack::begin_behind_this_process(&directory);
    }
    let mut command = job.into_command();
    let error = command.exec();
    Err(cannot_start(&command, &error).into())
}

pub(crate) fn cannot_start(command: &Command, error: &io::Error) -> Failure {
    let program = Path::new(command.get_program());
    Failure::new(format!("cannot start {}: {error}", program.display()))
}

/// A job that is not started yet, and what is preloaded into it.
pub(crate) struct Job<'a> {
    words: &'a [String],
    command: Command,
    preload: Vec<PathBuf>,
}

impl<'a> Job<'a> {
    /// The job that these words start, the program first.
    pub(crate) fn of(words: &'a [String]) -> anyhow::Result<Self> {
        let Some((program, rest)) = words.split_first() else {
            return Err(Failure::new("there is no command to run").into());
        };
        let mut command = Command::new(program);
        command.args(rest).env("HINDMOST_RECORD_JOB", job_name());
        Ok(Self {
            words,
            command,
            preload: Vec::new(),
        })
    }

    /// Lets the flight recorder, which is made if it is not there, record the job; where.
    pub(crate) fn record(&mut self, args: &RecordingArgs, events: Option<u64>) -> anyhow::Result<PathBuf> {
        let directory = match &args.record {
            Some(directory) => made(directory).and_then(is_directory)?,
            None => absolute(&project::new_recording_directory()?)?,
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
        if let Some(program) = project::program_with_own_mpi(self.words) {
            output::note(&format!(
                "nothing is recorded of {}: it has MPI in itself, linked with a static library, and a recorder can stand in front of a shared one alone",
                program.display()
            ));
        }
        if let Some(events) = events {
            self.command.env("HINDMOST_RECORD_EVENTS", events.to_string());
        }
        self.command.env("HINDMOST_RECORD", &directory);
        self.preload.push(recorder);
        Ok(directory)
    }

    /// Lets the job follow what was received in another one, whose recordings are in this directory.
    fn follow(&mut self, first: &Path) -> anyhow::Result<()> {
        project::check_matches(first)?;
        self.command.env("HINDMOST_REPLAY", absolute(first)?);
        Ok(())
    }

    /// Lets the calls of the job be traced into a directory; its whole path.
    fn trace(
        &mut self,
        directory: &Path,
        tracer: Option<&Path>,
        rewrite: &[String],
    ) -> anyhow::Result<PathBuf> {
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
        // The tracer knows files by the names that they have in their directories.
        let names = rewrite.iter().map(|path| path.rsplit('/').next().unwrap_or(path));
        let names = Vec::from_iter(names.filter(|name| !name.is_empty())).join(":");
        if !names.is_empty() {
            self.command.env("HINDMOST_TRACE_REWRITE", names);
        }
        self.command.env("HINDMOST_TRACE", &directory);
        self.preload.push(tracer);
        Ok(directory)
    }

    /// What starts it; what others preload comes last.
    pub(crate) fn into_command(mut self) -> Command {
        let others = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty());
        let own = self.preload.into_iter().map(OsString::from);
        let all = Vec::from_iter(own.chain(others));
        self.command.env("LD_PRELOAD", all.join(OsStr::new(":")));
        self.command
    }
}

/// The directory, made if it is not there.
fn made(directory: &Path) -> anyhow::Result<PathBuf> {
    project::make_recording_directory(directory)?;
    absolute(directory)
}

/// The same, unless something else has its name: no task could record anything there.
fn is_directory(path: PathBuf) -> anyhow::Result<PathBuf> {
    if path.is_dir() {
        return Ok(path);
    }
    let failure = Failure::new(format!("{} is no directory", path.display()));
    Err(failure
        .hint("--record names the directory for the recordings")
        .into())
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
