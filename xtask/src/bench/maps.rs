//! The time to make a map against the time to compile the same files.

use super::measure::best;
use crate::command::{self, shown, succeed};
use anyhow::{Context, Result, bail};
use corpus::Program;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// Measures our own corpus.
pub fn print(hindmost: &Path, directory: &Path) -> Result<()> {
    println!("\n## Map time against compile time");
    println!(
        "Best of 3; the compiler runs on as many processors as hindmost does. Ratio: compiler / hindmost.\n"
    );
    let own = Files {
        c: Program::ALL.map(Program::source).into(),
        include: Vec::new(),
    };
    compare(hindmost, directory, "corpus", own)?;
    Ok(())
}

/// The C files to map and compile, and where their headers may be.
struct Files {
    c: Vec<PathBuf>,
    include: Vec<PathBuf>,
}

fn compare(hindmost: &Path, directory: &Path, name: &str, files: Files) -> Result<()> {
    let compiler = Compiler::new(directory.join("objects"), files.include)?;
    // What the compiler cannot take (it may need flags that we do not know) is left out on both sides.
    let (compiled, _) = compiler.compile_all(&files.c)?;
    let Some(first) = compiled.first() else {
        bail!("gcc can compile none of the {} C files of {name}", files.c.len());
    };
    let lines: usize = compiled
        .iter()
        .map(|file| fs::read(file).map_or(0, |text| text.iter().filter(|&&byte| byte == b'\n').count()))
        .sum();
    let gcc = best(3, || Ok(compiler.compile_all(&compiled)?.1))?;

    let map = directory.join("tree.hmap");
    let mut make_map = Command::new(hindmost);
    make_map.args(["map", "-o"]).arg(&map).args(&compiled);
    let mapping = best(3, || Ok(succeed(&mut make_map)?.1))?;
    let bytes = fs::metadata(&map).map_or(0, |metadata| metadata.len());

    let (gcc, mapping) = (gcc.as_secs_f64() * 1e3, mapping.as_secs_f64() * 1e3);
    println!(
        "{name}: {} of {} C files compile, {lines} lines",
        compiled.len(),
        files.c.len()
    );
    println!(
        "  gcc -g -O0 -c {gcc:9.0} ms   for each file: {}",
        shown(&compiler.command(first, 0))
    );
    println!(
        "  hindmost map  {mapping:9.0} ms   {:.0} lines/ms, the map has {bytes} bytes",
        lines as f64 / mapping
    );
    println!("  ratio         {:9.1}x\n", gcc / mapping);
    Ok(())
}

/// `gcc -g -O0 -c`, given the include path of Open MPI: the wrapper compiler would cost time of its own.
struct Compiler {
    include: Vec<PathBuf>,
    objects: PathBuf,
    workers: usize,
}

impl Compiler {
    fn new(objects: PathBuf, mut include: Vec<PathBuf>) -> Result<Self> {
        fs::create_dir_all(&objects).with_context(|| format!("cannot create {}", objects.display()))?;
        let (output, _) = succeed(Command::new("mpicc.openmpi").arg("--showme:incdirs"))?;
        include.extend(
            String::from_utf8_lossy(&output.stdout)
                .split_whitespace()
                .map(PathBuf::from),
        );
        Ok(Self {
            include,
            objects,
            workers: thread::available_parallelism().map_or(1, usize::from),
        })
    }

    fn command(&self, file: &Path, worker: usize) -> Command {
        let mut command = Command::new("gcc");
        command.args(["-g", "-O0", "-w", "-c"]);
        for directory in &self.include {
            command.arg("-I").arg(directory);
        }
        command
            .arg("-o")
            .arg(self.objects.join(format!("{worker}.o")))
            .arg(file);
        command
    }

    /// Compiles the files on all processors; returns those that compiled, in order, and the wall time.
    fn compile_all(&self, files: &[PathBuf]) -> Result<(Vec<PathBuf>, Duration)> {
        let start = Instant::now();
        let results = thread::scope(|scope| {
            let workers = Vec::from_iter((0..self.workers).map(|worker| {
                scope.spawn(move || -> Result<Vec<PathBuf>> {
                    let mut compiled = Vec::new();
                    for file in files.iter().skip(worker).step_by(self.workers) {
                        let (output, _) = command::capture(&mut self.command(file, worker))?;
                        if output.status.success() {
                            compiled.push(file.clone());
                        }
                    }
                    Ok(compiled)
                })
            }));
            Vec::from_iter(workers.into_iter().map(|worker| {
                worker
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            }))
        });
        let wall = start.elapsed();
        let mut compiled = results.into_iter().collect::<Result<Vec<_>>>()?.concat();
        compiled.sort();
        Ok((compiled, wall))
    }
}
