//! A single process that notices when it is stopped (`heartbeat.c`): a target for attaching, without any MPI.

use crate::{Error, JobProcesses};
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

/// A running heartbeat program. Ends when dropped.
#[derive(Debug)]
pub struct Heartbeat {
    exe: PathBuf,
    process: Child,
    cells: File,
    // Ends the process when dropped.
    processes: JobProcesses,
}

impl Heartbeat {
    /// Its source file.
    pub fn source() -> PathBuf {
        crate::directory().join("heartbeat.c")
    }

    /// Compiles the program into the directory `out` and starts it; returns once it beats.
    ///
    /// # Errors
    /// It cannot be compiled or started.
    pub fn start(out: &Path, flags: &[&str]) -> Result<Self, Error> {
        fs::create_dir_all(out).map_err(Error::io("create", out))?;
        let processes = JobProcesses::new();
        let exe = out.join(format!("heartbeat{}", flags.concat()));
        let mut compiler = Command::new("gcc");
        compiler.args(flags).arg("-o").arg(&exe).arg(Self::source());
        crate::program::compile(&mut compiler)?;

        let scratch = processes.scratch();
        fs::create_dir_all(&scratch).map_err(Error::io("create", &scratch))?;
        let path = scratch.join("cells");
        fs::write(&path, [0; 16]).map_err(Error::io("write", &path))?;
        let cells = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&path)
            .map_err(Error::io("open", &path))?;
        let (name, token) = processes.variable();
        let process = Command::new(&exe)
            .arg(&path)
            .env(name, token)
            .stdin(Stdio::null())
            .spawn()
            .map_err(Error::io("start", &exe))?;
        let heartbeat = Self {
            exe,
            process,
            cells,
            processes,
        };
        while heartbeat.beats() == 0 {
            thread::sleep(Duration::from_millis(1));
        }
        Ok(heartbeat)
    }

    /// The executable.
    pub fn exe(&self) -> &Path {
        &self.exe
    }

    /// Its pid.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// How often it has looked at the clock.
    pub fn beats(&self) -> u64 {
        self.cell(0)
    }

    /// The longest time between two looks since [`Self::forget_gaps`], in nanoseconds.
    pub fn longest_gap(&self) -> u64 {
        self.cell(1)
    }

    /// Starts to look for the longest gap anew.
    pub fn forget_gaps(&self) {
        // A failure would show as a gap that is too long, never as one that is too short.
        let _ = self.cells.write_all_at(&[0; 8], 8);
    }

    fn cell(&self, index: u64) -> u64 {
        let mut bytes = [0; 8];
        self.cells
            .read_exact_at(&mut bytes, index * 8)
            .map_or(0, |()| u64::from_ne_bytes(bytes))
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.processes.end();
        // Takes the zombie away; it has been killed, so this cannot block.
        let _ = self.process.wait();
    }
}
