//! The program that each process runs.

use crate::host::Host;
use crate::network::Network;
use crate::process::{Next, Process, Source};
use crate::replay;
use base::clean;
use nodes::{FromNode, Hello, MessageError, OWN_ARGUMENT, ToNode, VERSION};
use runtime_probe::{listen, own_host};
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Who is asked nothing for so long ends.
const IDLE: Duration = Duration::from_secs(3600);

/// So long has the end itself. Whoever has not come to it by then is ended.
const LAST: Duration = Duration::from_secs(2);

/// What the command line says before frames begin, as that of a single probe does.
const BEGIN: &[u8] = b"hindmost-begin\n";

const USAGE: &str = "it is started by `hindmost find --reduce mpi`, one process a host (docs/clusters.md); --replay FRAMES OUTPUT is for measurements";

/// Runs it.
///
/// # Errors
/// It cannot go on, or a process was lost.
pub(crate) fn run(network: impl Network, arguments: &[OsString]) -> Result<(), String> {
    match arguments {
        [own, count] if own == OWN_ARGUMENT => {
            let count = count.to_str().and_then(|count| count.parse::<u32>().ok());
            let count = count.ok_or(USAGE)?;
            let size = network.size();
            if size != count {
                return Err(format!(
                    "{size} processes know of each other, and {count} were started: it was made for another MPI than what started it"
                ));
            }
            reduce(network)
        }
        [option, frames, output] if option == "--replay" => {
            replay::run(network, Path::new(frames), Path::new(output))
        }
        _ => Err(USAGE.to_owned()),
    }
}

/// Prints a line to standard error. It may have text in it that somebody else has chosen.
pub(crate) fn say(message: &str) {
    // There is nowhere left to report that standard error is gone.
    let _ = writeln!(io::stderr(), "hindmost-reducer: {}", clean(message));
}

fn reduce(network: impl Network) -> Result<(), String> {
    runtime_probe::die_without_memory();
    let is_root = network.rank() == 0;
    let mut process = Process::new(network, Host::new(own_host()));
    if is_root {
        speak(&mut process)?;
    } else {
        follow(&mut process)?;
    }
    match process.has_lost() {
        false => Ok(()),
        true => Err("some processes did not answer, and are ended".to_owned()),
    }
}

/// The process that speaks with who asks.
fn speak<N: Network, S: Source>(process: &mut Process<N, S>) -> Result<(), String> {
    let (sender, messages) = channel();
    thread::spawn(move || {
        listen(io::stdin(), &sender);
        drop(sender);
        // Whoever asked is gone; a process that hangs is not to keep the others.
        thread::sleep(LAST);
        std::process::exit(1);
    });
    let hello = Hello {
        version: VERSION,
        host: own_host(),
    };
    let hello = FromNode::Hello(hello)
        .to_bytes()
        .map_err(|error| error.to_string())?;
    let mut output = io::stdout();
    write(&mut output, &[BEGIN, &hello].concat())?;
    let answered = answer_all(process, &messages, &mut output);
    // Those below end with this one.
    process.answer(ToNode::End, None);
    answered
}

fn answer_all<N: Network, S: Source>(
    process: &mut Process<N, S>,
    messages: &Receiver<Result<ToNode, MessageError>>,
    output: &mut io::Stdout,
) -> Result<(), String> {
    loop {
        // The end of the stream ends it as well.
        let Ok(message) = messages.recv_timeout(IDLE) else {
            return Ok(());
        };
        let question = message.map_err(|error| format!("standard input: {error}"))?;
        let mut written = Ok(());
        let mut write_frame = |frame: &[u8]| {
            if written.is_ok() {
                written = write(output, frame);
            }
        };
        let next = process.answer(question, Some(&mut write_frame));
        written?;
        if next == Next::Nothing {
            return Ok(());
        }
    }
}

fn write(output: &mut impl io::Write, bytes: &[u8]) -> Result<(), String> {
    let written = output.write_all(bytes).and_then(|()| output.flush());
    written.map_err(|error| format!("cannot answer: {error}"))
}

/// Any other process.
fn follow<N: Network, S: Source>(process: &mut Process<N, S>) -> Result<(), String> {
    loop {
        let Some(question) = process.next_question(Instant::now() + IDLE) else {
            return Err(format!("nothing was asked for {} s", IDLE.as_secs()));
        };
        let question = question.map_err(|error| error.to_string())?;
        if process.answer(question, None) == Next::Nothing {
            return Ok(());
        }
    }
}
