//! gdb as a child that is driven by its machine interface.

use crate::incoming::Said;
use crate::mi::Record;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A longer line is damage.
const LONGEST: u64 = 64 << 20;

pub(crate) struct Gdb {
    child: Child,
    input: ChildStdin,
    commands: u64,
}

impl Gdb {
    /// Starts gdb as the user has set it up; what it says comes in from then on.
    ///
    /// # Errors
    /// There is no such program.
    pub(crate) fn start(program: &str, said: Said) -> io::Result<Self> {
        let mut child = Command::new(program)
            .args(["--quiet", "--interpreter=mi3"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // What the editor shows of an adapter's standard error is its own affair.
            .stderr(Stdio::inherit())
            .spawn()?;
        let input = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        std::thread::spawn(move || listen(output, &said));
        Ok(Self {
            child,
            input,
            commands: 0,
        })
    }

    /// Sends a command, and returns the number under which its result comes. If gdb is gone, that comes in.
    pub(crate) fn send(&mut self, command: &str) -> u64 {
        self.commands += 1;
        let _ = writeln!(self.input, "{}{command}", self.commands);
        self.commands
    }

    /// Ends it. A process that it still holds is let go by the kernel, and goes on.
    pub(crate) fn end(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn listen(output: ChildStdout, said: &Said) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        match output.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        if let Some(record) = Record::read(&String::from_utf8_lossy(&line))
            && !said.record(record)
        {
            return;
        }
    }
    said.gone();
}
