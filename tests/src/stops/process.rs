//! One rank of a generated program: running up to a call, and on from there instruction by instruction.
//!
//! A rank waits in the call that it was told (see `harness.c`). Between two calls lies the program's own code, where
//! chance would hardly ever stop it: there it is driven by single steps, and left stopped by a signal for the probe to
//! find. This is the test's own tracing; the probe comes after it, and does its work as on any process.

use super::build::Build;
use nix::sys::ptrace;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::ops::Range;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// What a rank says when it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The number of the call that it waits in.
    pub call: u64,
    /// Hash of the names of all calls up to this one.
    pub history: u64,
    /// The counters that the call was passed by a dressed program: of the function that made it, and of that one's caller.
    pub noted: [u64; 2],
}

/// A running rank. It is killed when this value goes, and by the kernel when its starter goes.
pub struct Process {
    child: Child,
    orders: ChildStdin,
    reports: BufReader<ChildStdout>,
    /// Addresses of the program's own code.
    code: Vec<Range<u64>>,
}

impl Process {
    /// Starts a rank; it will wait in call 0.
    ///
    /// # Errors
    /// When it does not start, or its memory map cannot be read.
    pub fn start(build: &Build, run: u64, seed: u64, rank: u32) -> Result<(Self, Waiting), String> {
        let mut child = Command::new(&build.path)
            .env("HX_RUN", run.to_string())
            .env("HX_SEED", seed.to_string())
            .env("HX_RANK", rank.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|e| format!("{}: {e}", build.path.display()))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (orders, reports) = pipes.ok_or("no pipes")?;
        let mut process = Self {
            child,
            orders,
            reports: BufReader::new(reports),
            code: Vec::new(),
        };
        let waiting = process.waiting()?;
        process.code = code(build, process.pid())?;
        Ok((process, waiting))
    }

    /// Its pid.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Lets a waiting rank run on to call `call`, which lies ahead.
    ///
    /// # Errors
    /// When it is gone.
    pub fn aim(&mut self, call: u64) -> Result<(), String> {
        self.orders
            .write_all(&call.to_le_bytes())
            .and_then(|()| self.orders.flush())
            .map_err(|e| format!("the program is gone: {e}"))
    }

    /// Waits until it waits.
    ///
    /// # Errors
    /// When it has ended instead.
    pub fn waiting(&mut self) -> Result<Waiting, String> {
        let mut line = String::new();
        self.reports.read_line(&mut line).map_err(|e| e.to_string())?;
        let mut numbers = line.split_whitespace().map(str::parse);
        let mut next = || numbers.next();
        match [next(), next(), next(), next()] {
            [
                Some(Ok(call)),
                Some(Ok(history)),
                Some(Ok(own)),
                Some(Ok(callers)),
            ] => Ok(Waiting {
                call,
                history,
                noted: [own, callers],
            }),
            _ => Err(format!("the program has ended: '{}'", line.trim_end())),
        }
    }

    /// Lets a rank that waits leave its call towards `call`, and leaves it stopped after `steps` instructions of its own
    /// code, or `outside` instructions into what that calls, whichever comes first.
    ///
    /// # Errors
    /// When it cannot be traced.
    pub fn step(&mut self, call: u64, steps: u32, outside: u32) -> Result<(), String> {
        let pid = Pid::from_raw(self.pid().cast_signed());
        let failed = |what: &str, e: nix::Error| format!("{what}: {e}");
        ptrace::attach(pid).map_err(|e| failed("attach", e))?;
        stopped(pid)?;
        self.aim(call)?;
        let (mut inside, mut left) = (0, 0);
        // The way out of the call is a few hundred instructions.
        for _ in 0..100_000 {
            ptrace::step(pid, None).map_err(|e| failed("step", e))?;
            stopped(pid)?;
            let pc = ptrace::getregs(pid).map_err(|e| failed("registers", e))?.rip;
            if self.code.iter().any(|range| range.contains(&pc)) {
                inside += 1;
            } else if inside > 0 {
                left += 1;
            }
            if inside >= steps || left >= outside {
                ptrace::detach(pid, Signal::SIGSTOP).map_err(|e| failed("detach", e))?;
                return self.until_state('T');
            }
        }
        Err("it does not come back from its call".to_owned())
    }

    /// Lets a rank that [`Self::step`] has left stopped go on.
    ///
    /// # Errors
    /// When it is gone.
    pub fn resume(&self) -> Result<(), String> {
        kill(Pid::from_raw(self.pid().cast_signed()), Signal::SIGCONT).map_err(|e| format!("continue: {e}"))
    }

    fn until_state(&self, state: char) -> Result<(), String> {
        let begun = Instant::now();
        loop {
            let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid())).map_err(|e| e.to_string())?;
            let found = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
            if found == Some(state) {
                return Ok(());
            }
            if begun.elapsed() > Duration::from_secs(10) {
                return Err(format!("its state is {found:?} and not {state}"));
            }
            std::thread::sleep(Duration::from_micros(100));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for a stop of a traced process.
fn stopped(pid: Pid) -> Result<(), String> {
    match waitpid(pid, None) {
        Ok(WaitStatus::Stopped(_, Signal::SIGTRAP | Signal::SIGSTOP)) => Ok(()),
        Ok(other) => Err(format!("traced, it comes to {other:?}")),
        Err(e) => Err(format!("waiting for it: {e}")),
    }
}

/// Where the functions of the map are in the memory of a process.
fn code(build: &Build, pid: u32) -> Result<Vec<Range<u64>>, String> {
    let binding = build.map.binding.as_ref().ok_or("the map is not bound")?;
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).map_err(|e| e.to_string())?;
    let name = build.path.to_string_lossy();
    let first = maps.lines().find(|line| line.ends_with(&*name));
    let start = first.and_then(|line| u64::from_str_radix(line.split('-').next()?, 16).ok());
    let start = start.ok_or("its executable is not in its memory map")?;
    // An executable without a fixed address is linked from 0 on.
    let lowest = binding.functions.iter().map(|function| function.start).min();
    let bias = if lowest.is_some_and(|lowest| lowest < start) {
        start
    } else {
        0
    };
    let ours = binding
        .functions
        .iter()
        .filter(|function| function.function.is_some());
    Ok(ours
        .map(|function| function.start + bias..function.end + bias)
        .collect())
}
