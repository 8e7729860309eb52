//! What programs of a site print, which may be dead as anything else.

use std::io::{self, Read};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

/// A hundred thousand nodes have shorter names.
const LONGEST: u64 = 16 << 20;

/// Why a program has printed nothing.
#[derive(Debug)]
pub(crate) enum NotPrinted {
    /// It could not be started.
    NotStarted(io::Error),
    /// It did not end in time.
    Late,
    /// It has failed, and said so.
    Failed(String),
}

/// What a program prints, if it ends within `patience`.
pub(crate) fn printed_by(command: &mut Command, patience: Duration) -> Result<String, NotPrinted> {
    let piped = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = piped.spawn().map_err(NotPrinted::NotStarted)?;
    let (sender, pieces) = channel();
    let streams: [Option<Box<dyn Read + Send>>; 2] = [
        child.stdout.take().map(|stream| Box::new(stream) as _),
        child.stderr.take().map(|stream| Box::new(stream) as _),
    ];
    for (which, stream) in streams.into_iter().flatten().enumerate() {
        let sender = sender.clone();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // What was read before an error is what there is.
            let _ = stream.take(LONGEST).read_to_end(&mut bytes);
            let _ = sender.send((which, String::from_utf8_lossy(&bytes).into_owned()));
        });
    }
    let mut said = [String::new(), String::new()];
    for _ in 0..said.len() {
        let Ok((which, text)) = pieces.recv_timeout(patience) else {
            let _ = child.kill();
            let _ = child.wait();
            return Err(NotPrinted::Late);
        };
        said[which] = text;
    }
    let [printed, error] = said;
    // Whoever has closed both streams is at its end.
    let status = child.wait().map_err(NotPrinted::NotStarted)?;
    status.success().then_some(printed).ok_or_else(|| {
        let said = error.lines().rfind(|line| !line.trim().is_empty());
        NotPrinted::Failed(said.map_or_else(|| status.to_string(), str::to_owned))
    })
}
