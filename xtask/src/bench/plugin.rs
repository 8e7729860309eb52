//! gcc with the plugin and without: its time, and what is in the object files.

use super::measure::time_of_children;
use crate::command::{self, build_hindmost, cargo, succeed, work_directory};
use crate::workspace;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use walkdir::WalkDir;

/// Sections with debug info begin so.
const DEBUG: &str = ".debug_";
const UNITS: &str = ".hindmost.units";

/// Compiles all C files below `tree` that `flags` are enough for, one after the other and each in both ways, so that what else the machine does falls
/// on both alike.
pub fn run(tree: &Path, flags: &[String]) -> Result<()> {
    command::run(cargo().args(["build", "--release", "--package", "runtime-gcc"]))?;
    let hindmost = build_hindmost()?;
    let directory = work_directory("bench/plugin")?;
    let plugin = directory.join("hindmost.so");
    let runtime = workspace::target()?.join("release/libruntime_gcc.a");
    let mut make = Command::new(hindmost);
    make.args(["plugin", "-o"])
        .arg(&plugin)
        .arg("--runtime")
        .arg(runtime);
    succeed(&mut make)?;
    let files = WalkDir::new(tree).sort_by_file_name().into_iter();
    let files = files.filter_map(Result::ok).map(walkdir::DirEntry::into_path);
    let files = Vec::from_iter(files.filter(|path| path.extension().is_some_and(|ending| ending == "c")));
    for level in ["-O0", "-O2"] {
        let mut all = Measured::default();
        for file in &files {
            let object = directory.join("x.o");
            let plain = compiled(file, flags, level, None, &object)?;
            let Some(plain) = plain else { continue };
            let Some(with) = compiled(file, flags, level, Some(&plugin), &object)? else {
                bail!("{} compiles without the plugin alone", file.display());
            };
            all.add(plain, with, &object)?;
        }
        if all.files == 0 {
            bail!(
                "none of {} files below {} compiles with these flags",
                files.len(),
                tree.display()
            );
        }
        println!(
            "gcc -g {level}: {} files, {:.1} s of processor without the plugin, {:.1} s with it: {:.3} times; fragments {} bytes, debug info {} bytes",
            all.files,
            all.plain.as_secs_f64(),
            all.with.as_secs_f64(),
            all.with.as_secs_f64() / all.plain.as_secs_f64(),
            all.fragments,
            all.debug
        );
    }
    Ok(())
}

#[derive(Default)]
struct Measured {
    files: usize,
    plain: Duration,
    with: Duration,
    fragments: u64,
    debug: u64,
}

impl Measured {
    fn add(&mut self, plain: Duration, with: Duration, object: &PathBuf) -> Result<()> {
        self.files += 1;
        self.plain += plain;
        self.with += with;
        let (output, _) = succeed(Command::new("readelf").arg("-SW").arg(object))?;
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let Some((_, section)) = line.split_once("] ") else {
                continue;
            };
            let mut words = section.split_whitespace();
            let name = words.next().unwrap_or_default();
            let size = words.nth(3).and_then(|size| u64::from_str_radix(size, 16).ok());
            if name == UNITS {
                self.fragments += size.unwrap_or(0);
            } else if name.starts_with(DEBUG) {
                self.debug += size.unwrap_or(0);
            }
        }
        Ok(())
    }
}

/// The processor time of one compilation; nothing if it fails.
fn compiled(
    file: &Path,
    flags: &[String],
    level: &str,
    plugin: Option<&Path>,
    object: &Path,
) -> Result<Option<Duration>> {
    let mut command = Command::new("gcc");
    command
        .args(["-g", level, "-w", "-c", "-o"])
        .arg(object)
        .args(flags)
        .arg(file);
    if let Some(plugin) = plugin {
        command.arg(format!("-fplugin={}", plugin.display()));
    }
    let before = time_of_children().context("the system does not tell the time of children")?;
    let (output, _) = command::capture(&mut command)?;
    let after = time_of_children().context("the system does not tell the time of children")?;
    if !output.status.success() {
        let _ = fs::remove_file(object);
        return Ok(None);
    }
    Ok(Some(after - before))
}
