//! A compiler over many files, on all processors.

use super::measure::time_of_children;
use crate::command::{self, shown, succeed};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// A compiler with its flags; objects are kept.
pub struct Compiler {
    program: String,
    flags: Vec<String>,
    objects: PathBuf,
}

/// What a run over many files gave.
pub struct Compiled {
    /// The objects of the files that compiled, in order.
    pub objects: Vec<PathBuf>,
    /// The processor time that all of them took.
    pub processor: Duration,
    /// The command of the first of them.
    pub example: Option<String>,
}

impl Compiler {
    /// Headers are looked for in `include` and where Open MPI has its own: the wrapper compiler would cost time.
    pub fn new(
        program: &str,
        level: &str,
        include: &[PathBuf],
        flags: &[String],
        objects: &Path,
    ) -> Result<Self> {
        fs::create_dir_all(objects).with_context(|| format!("cannot create {}", objects.display()))?;
        let (output, _) = succeed(Command::new("mpicc.openmpi").arg("--showme:incdirs"))?;
        let mpi = String::from_utf8_lossy(&output.stdout).into_owned();
        let directories = include.iter().map(|path| path.display().to_string());
        let directories = directories.chain(mpi.split_whitespace().map(str::to_owned));
        let own = ["-g", level, "-w", "-fPIE", "-c"].map(str::to_owned);
        Ok(Self {
            program: program.to_owned(),
            flags: own
                .into_iter()
                .chain(flags.iter().cloned())
                .chain(directories.map(|directory| format!("-I{directory}")))
                .collect(),
            objects: objects.to_owned(),
        })
    }

    fn command(&self, file: &Path, number: usize) -> (Command, PathBuf) {
        let object = self.objects.join(format!("{number}.o"));
        let mut command = Command::new(&self.program);
        command.args(&self.flags).arg("-o").arg(&object).arg(file);
        (command, object)
    }

    /// Compiles all files.
    pub fn compile_all(&self, files: &[PathBuf]) -> Result<Compiled> {
        let next = AtomicUsize::new(0);
        let before = time_of_children().unwrap_or_default();
        let worker = || -> Result<Vec<(usize, PathBuf)>> {
            let mut done = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(file) = files.get(number) else {
                    return Ok(done);
                };
                let (mut command, object) = self.command(file, number);
                let (output, _) = command::capture(&mut command)?;
                if output.status.success() {
                    done.push((number, object));
                }
            }
        };
        let results = thread::scope(|scope| {
            let count = thread::available_parallelism().map_or(1, usize::from);
            let workers = Vec::from_iter((0..count).map(|_| scope.spawn(worker)));
            Vec::from_iter(workers.into_iter().map(|worker| {
                worker
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            }))
        });
        let mut compiled = results.into_iter().collect::<Result<Vec<_>>>()?.concat();
        compiled.sort();
        let first = compiled.first().map(|&(number, _)| number);
        Ok(Compiled {
            processor: time_of_children().unwrap_or_default().saturating_sub(before),
            example: first.and_then(|number| {
                let file = files.get(number)?;
                // All those directories would bury the rest.
                let mut command = Command::new(&self.program);
                let flags = self.flags.iter().filter(|flag| !flag.starts_with("-I"));
                command.args(flags).args(["-I…", "-o", "…"]).arg(file);
                Some(shown(&command))
            }),
            objects: compiled.into_iter().map(|(_, object)| object).collect(),
        })
    }
}
