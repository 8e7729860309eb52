//! Running another program to its end, with limits of time and output.

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::io::{self, Read};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Bytes of error messages that are read.
const MESSAGE_LIMIT: u64 = 64 << 10;

/// How far a program may go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// How long it and its children may take.
    pub(crate) time: Duration,
    /// Bytes of its output that are read.
    pub(crate) output: u64,
}

/// What a program has left behind.
pub(crate) struct Finished {
    /// What it has put out.
    pub(crate) output: Vec<u8>,
    /// What it has said.
    pub(crate) messages: Vec<u8>,
    /// How it ended.
    pub(crate) status: ExitStatus,
}

/// Why a program has not come to its end.
pub(crate) enum Unfinished {
    /// It could not be started.
    NotStarted(io::Error),
    /// It took longer than it may.
    TooLong,
    /// It has closed its outputs and goes on all the same, or cannot be waited for.
    GoesOn,
}

/// Runs a program that gets no input.
pub(crate) fn finish(command: &mut Command, limits: Limits) -> Result<Finished, Unfinished> {
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // It may have children of its own; a limit on time must end them all.
        .process_group(0)
        .spawn();
    let mut child = child.map_err(Unfinished::NotStarted)?;
    let output = child.stdout.take().map(|pipe| reader(pipe, limits.output));
    let messages = child.stderr.take().map(|pipe| reader(pipe, MESSAGE_LIMIT));
    let deadline = Instant::now() + limits.time;
    let receive = |receiver: Option<Receiver<Vec<u8>>>| {
        let left = deadline.saturating_duration_since(Instant::now());
        receiver?.recv_timeout(left).ok()
    };
    let (Some(output), Some(messages)) = (receive(output), receive(messages)) else {
        end(&mut child);
        return Err(Unfinished::TooLong);
    };
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(1)),
            _ => {
                end(&mut child);
                return Err(Unfinished::GoesOn);
            }
        }
    };
    Ok(Finished {
        output,
        messages,
        status,
    })
}

/// Reads a pipe to its end in a thread of its own: a program that waits for room in one pipe must not hold up the other.
fn reader(pipe: impl Read + Send + 'static, limit: u64) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut limited = pipe.take(limit);
        // What could be read is what there is: output that was cut off is noticed when it is parsed.
        let _ = limited.read_to_end(&mut bytes);
        let _ = io::copy(&mut limited.into_inner(), &mut io::sink());
        let _ = sender.send(bytes);
    });
    receiver
}

/// Ends a program and its children.
fn end(child: &mut Child) {
    if let Ok(pid) = i32::try_from(child.id()) {
        let _ = killpg(Pid::from_raw(pid), Signal::SIGKILL);
    }
    let _ = child.wait();
}
