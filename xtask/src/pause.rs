//! How long a tool keeps its target from running, as the target itself sees it.
//!
//! The target (`corpus/heartbeat.c`) looks at the clock all the time and keeps the longest gap. A gap has other causes
//! too, above all the scheduler giving the processor to someone else; what the same program sees in an equal
//! stretch of time without any tool is measured beside it and printed as `no tool`. A pause that is not above that
//! is not visible to the program.

use crate::command::{self, shown};
use anyhow::{Context, Result, bail};
use corpus::JobProcesses;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

/// A running heartbeat program.
pub struct Heartbeat {
    process: Child,
    cells: File,
    // Ends the process when dropped.
    processes: JobProcesses,
}

impl Heartbeat {
    /// Compiles the program into `directory` and starts it.
    pub fn start(directory: &Path) -> Result<Self> {
        let exe = directory.join("heartbeat");
        let source = corpus::directory().join("heartbeat.c");
        command::succeed(
            Command::new("gcc")
                .args(["-g", "-O2", "-o"])
                .arg(&exe)
                .arg(&source),
        )?;

        let path = directory.join("heartbeat.cells");
        fs::write(&path, [0; 16]).with_context(|| format!("cannot write {}", path.display()))?;
        let cells = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&path)
            .with_context(|| format!("cannot open {}", path.display()))?;
        let processes = JobProcesses::new();
        let (name, token) = processes.variable();
        let process = Command::new(&exe)
            .arg(&path)
            .env(name, token)
            .stdin(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", exe.display()))?;
        let heartbeat = Self {
            process,
            cells,
            processes,
        };
        while heartbeat.cell(0)? == 0 {
            thread::sleep(Duration::from_millis(1));
        }
        Ok(heartbeat)
    }

    /// Its pid.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// The longest gaps, in nanoseconds and sorted, over `times` runs of the tool on it.
    pub fn gaps(&self, tool: &mut Command, times: usize) -> Result<Vec<u64>> {
        let mut gaps = Vec::new();
        for _ in 0..times {
            let before = self.cell(0)?;
            self.clear()?;
            let (output, _) = command::capture(tool)?;
            gaps.push(self.cell(1)?);
            if !output.status.success() {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                bail!("{} failed ({}): {said}", shown(tool), output.status);
            }
            // It must go on, or there would be no gap to see at its end.
            while self.cell(0)? <= before {
                thread::sleep(Duration::from_millis(1));
            }
        }
        gaps.sort_unstable();
        Ok(gaps)
    }

    /// The longest gaps over `times` stretches of `length` in which nobody touches it.
    pub fn undisturbed(&self, length: Duration, times: usize) -> Result<Vec<u64>> {
        let mut gaps = Vec::new();
        for _ in 0..times {
            self.clear()?;
            thread::sleep(length);
            gaps.push(self.cell(1)?);
        }
        gaps.sort_unstable();
        Ok(gaps)
    }

    fn clear(&self) -> Result<()> {
        self.cells
            .write_all_at(&[0; 8], 8)
            .context("cannot clear the heartbeat")
    }

    fn cell(&self, index: u64) -> Result<u64> {
        let mut bytes = [0; 8];
        self.cells
            .read_exact_at(&mut bytes, index * 8)
            .context("cannot read the heartbeat")?;
        Ok(u64::from_ne_bytes(bytes))
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.processes.end();
        // Takes the zombie away; it has been killed, so this cannot block.
        let _ = self.process.wait();
    }
}
