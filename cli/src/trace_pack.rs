//! `hindmost trace pack`, and the process in the background that does it while a job runs.
//!
//! `hindmost run` becomes the launcher of the job, so that nobody who knows its number is told another one. What packs behind it is therefore no child of that process, where it would be
//! taken for a part of the job, but an orphan, which ends when the launcher has. It has the least claim to a processor that there is. If it is killed, nothing is lost.

use crate::output::{self, Status};
use crate::trace_args::PackTraceArgs;
use project::{PackedTraces, TracePacker, Writers};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::process::{Pid, PidfdFlags, nice, pidfd_open};
use std::io::{Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// From one look at the traces of a job to the next.
const PAUSE: Timespec = Timespec {
    tv_sec: 1,
    tv_nsec: 0,
};
/// From one look to the next when the launcher has ended and tasks have not.
const SHORT_PAUSE: Duration = Duration::from_millis(100);
/// Tasks that go on for so long without their launcher are left to `trace pack`.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn run(args: &PackTraceArgs) -> anyhow::Result<Status> {
    match args.behind.and_then(Pid::from_raw) {
        Some(_) if !args.detached => detach(args),
        Some(pid) => behind(&args.directory, pid),
        None => at_once(args),
    }
}

fn at_once(args: &PackTraceArgs) -> anyhow::Result<Status> {
    let writers = if args.over {
        Writers::Over
    } else {
        Writers::AsThisHostTells
    };
    let PackedTraces {
        whole,
        open,
        elsewhere,
    } = TracePacker::default().pack(&args.directory, writers)?;
    output::note(&format!("{whole} files are packed to their end"));
    if open > 0 {
        output::note(&format!(
            "{open} are packed as far as they are full, or not at all: their threads run, or they cannot be written or read"
        ));
    }
    if elsewhere > 0 {
        output::note(&format!(
            "{elsewhere} processes of other hosts are left as they are; --over says that these have ended, too"
        ));
    }
    Ok(Status::Done)
}

/// Begins to pack behind this process, which is about to become another program. Where that fails the traces stay as large as they are.
pub(crate) fn begin_behind_this_process(directory: &Path) {
    let Ok(own) = std::env::current_exe() else { return };
    let pid = std::process::id().to_string();
    let mut command = Command::new(own);
    command
        .args(["trace", "pack", "--behind", &pid, "--"])
        .arg(directory);
    let _ = silent(&mut command).status();
}

fn silent(command: &mut Command) -> &mut Command {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
}

/// Starts the process in the background, and ends when it knows whom it works for.
fn detach(args: &PackTraceArgs) -> anyhow::Result<Status> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(std::env::args_os().skip(1).take_while(|word| word != "--"));
    command.args(["--detached", "--"]).arg(&args.directory);
    // What ends the job by a key of the terminal ends what packs its traces when they are complete.
    let mut child = silent(&mut command)
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()?;
    if let Some(mut told) = child.stdout.take() {
        let _ = told.read(&mut [0]);
    }
    Ok(Status::Done)
}

fn behind(directory: &Path, launcher: Pid) -> anyhow::Result<Status> {
    let launcher = pidfd_open(launcher, PidfdFlags::empty());
    std::io::stdout().write_all(b"\n")?;
    std::io::stdout().flush()?;
    // A kernel without such descriptors (before 5.3) would let a later process of this number be taken for the launcher.
    let launcher = launcher?;
    let _ = nice(19);
    let mut packer = TracePacker::default();
    while !ends_within_pause(&launcher) {
        packer.pack(directory, Writers::AsThisHostTells)?;
    }
    let over = Instant::now();
    while packer.pack(directory, Writers::AsThisHostTells)?.open > 0 && over.elapsed() < PATIENCE {
        std::thread::sleep(SHORT_PAUSE);
    }
    Ok(Status::Done)
}

fn ends_within_pause(launcher: &OwnedFd) -> bool {
    let mut polled = [PollFd::new(launcher, PollFlags::IN)];
    match poll(&mut polled, Some(&PAUSE)) {
        Ok(ready) => ready > 0,
        // It cannot be told: what is left is done at once.
        Err(error) => error != rustix::io::Errno::INTR,
    }
}
