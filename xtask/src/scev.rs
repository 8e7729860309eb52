//! A second opinion on loops: what LLVM's scalar evolution makes of those that the map calls strict, and the reverse.
//!
//! Every C file is compiled to LLVM's IR with debug lines, its variables are made values (`mem2reg`), and `opt` prints the
//! recurrences that it sees. Loops are matched by the place of their statement. Neither side is the truth: scalar
//! evolution knows no floating point, no growth by factors and no memory, and does not ask whether a value wraps
//! around; so every difference is named with its kind, and examples.

mod compare;
mod ir;

use crate::command::{self, build_hindmost, work_directory};
use crate::setup;
use anyhow::{Context, Result, bail};
use compare::Comparison;
use ir::IrLoop;
use progress_map::Map;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use walkdir::WalkDir;

/// What this command needs beside what setup installs.
const TOOLS: [(&str, &[&str]); 2] = [("clang-14", &["clang-14"]), ("opt-14", &["llvm-14"])];

/// Seconds for the recurrences of one file.
const PATIENCE: &str = "20";

/// Compares the C files below `paths`, compiled with `flags`; prints up to `examples` of each kind of difference.
pub fn run(paths: &[PathBuf], flags: &[String], examples: usize) -> Result<()> {
    setup::ensure()?;
    setup::ensure_tools(&TOOLS)?;
    let hindmost = build_hindmost()?;
    let directory = work_directory("scev")?;
    let map_path = directory.join("scev.hmap");
    command::run(
        Command::new(hindmost)
            .args(["map", "--quiet", "-o"])
            .arg(&map_path)
            .args(paths),
    )?;
    let bytes = std::fs::read(&map_path).with_context(|| format!("cannot read {}", map_path.display()))?;
    let map = Map::from_bytes(&bytes).with_context(|| format!("cannot read {}", map_path.display()))?;

    let files = c_files(paths);
    if files.is_empty() {
        bail!("no C file in {paths:?}");
    }
    let (loops, failed) = all_loops(&files, flags, &directory)?;
    println!("{} C files, {} of them left out", files.len(), failed.len());
    for (file, why) in failed.iter().take(5) {
        println!("  {}: {why}", file.display());
    }
    print!("{}", Comparison::new(&map, &loops).table(examples));
    Ok(())
}

fn c_files(paths: &[PathBuf]) -> Vec<PathBuf> {
    let walks = paths
        .iter()
        .flat_map(|path| WalkDir::new(path).sort_by_file_name());
    walks
        .filter_map(Result::ok)
        .map(walkdir::DirEntry::into_path)
        .filter(|path| path.is_file() && path.extension().is_some_and(|ext| ext == "c"))
        .collect()
}

type Failed = Vec<(PathBuf, String)>;

/// The loops of all files that compile, and why the others do not.
fn all_loops(files: &[PathBuf], flags: &[String], directory: &Path) -> Result<(Vec<IrLoop>, Failed)> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new((Vec::new(), Failed::new()));
    let work = |worker: usize| -> Result<()> {
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let outcome = loops_of(file, flags, directory, worker)?;
            // A worker that panicked has left whole entries behind, nothing half done.
            let mut found = found.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            match outcome {
                Ok(mut loops) => found.0.append(&mut loops),
                Err(why) => found.1.push((file.clone(), why)),
            }
        }
        Ok(())
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..workers)
            .map(|worker| scope.spawn(move || work(worker)))
            .collect();
        running.into_iter().try_for_each(|each| match each.join() {
            Ok(result) => result,
            Err(_) => bail!("a worker panicked"),
        })
    })?;
    let (mut loops, mut failed) = found
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    loops.sort();
    // A function of a header is compiled with every file that includes it.
    loops.dedup();
    failed.sort();
    Ok((loops, failed))
}

/// The loops of one file, or the first line of what the compiler says.
fn loops_of(
    file: &Path,
    flags: &[String],
    directory: &Path,
    worker: usize,
) -> Result<Result<Vec<IrLoop>, String>> {
    let raw = directory.join(format!("{worker}.raw.ll"));
    let values = directory.join(format!("{worker}.ll"));
    let compile = "-O1 -Xclang -disable-llvm-passes -g -w -S -emit-llvm -o";
    let (output, _) = command::capture(
        Command::new("clang-14")
            .args(compile.split(' '))
            .arg(&raw)
            .args(flags)
            .arg(file),
    )?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Ok(Err(said.lines().next().unwrap_or("no message").to_owned()));
    }
    command::succeed(
        Command::new("opt-14")
            .args(["-S", "-passes=mem2reg,loop-simplify,lcssa", "-o"])
            .args([&values, &raw]),
    )?;
    // Long macros make expressions that take minutes to print.
    let (printed, _) = command::capture(
        Command::new("timeout")
            .args([
                PATIENCE,
                "opt-14",
                "-disable-output",
                "-passes=print<scalar-evolution>",
            ])
            .arg(&values),
    )?;
    if !printed.status.success() {
        return Ok(Err(format!("opt does not finish in {PATIENCE} seconds")));
    }
    let text =
        std::fs::read_to_string(&values).with_context(|| format!("cannot read {}", values.display()))?;
    Ok(Ok(ir::loops(&text, &String::from_utf8_lossy(&printed.stderr))))
}
