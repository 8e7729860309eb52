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

/// The compilers that take the plugin, with the ends of their sources' names and what they need besides.
const COMPILERS: [(&str, &[&str], &[&str]); 3] = [
    ("gcc", &["c"], &[]),
    ("g++", &["cc", "cpp", "cxx", "C"], &[]),
    // What was written for other compilers is compiled as it is.
    (
        "gfortran",
        &["f", "F", "f90", "F90"],
        &["-fallow-argument-mismatch"],
    ),
];

/// What is compiled.
pub struct Request<'a> {
    /// The files below this directory.
    pub tree: &'a Path,
    /// About so many of each language, spread over the tree; all of them without it.
    pub sample: Option<usize>,
    /// What they need, `-I` and `-D`; a file that needs more is left out.
    pub flags: &'a [String],
}

/// Compiles files one after the other and each in both ways, so that what else the machine does falls on both alike.
pub fn run(request: &Request<'_>) -> Result<()> {
    command::run(cargo().args(["build", "--release", "--package", "runtime-gcc"]))?;
    let hindmost = build_hindmost()?;
    let directory = work_directory("bench/plugin")?;
    let plugin = directory.join("hindmost.so");
    let runtime = workspace::target()?.join("release/libruntime_gcc.a");
    let mut make = Command::new(&hindmost);
    make.args(["plugin", "-o"])
        .arg(&plugin)
        .arg("--runtime")
        .arg(runtime);
    succeed(&mut make)?;
    super::measure::print_machine();
    let files = WalkDir::new(request.tree).sort_by_file_name().into_iter();
    let files = files.filter_map(Result::ok).map(walkdir::DirEntry::into_path);
    let files = Vec::from_iter(files.filter(|path| path.is_file()));
    let mut is_any = false;
    for (compiler, endings, needed) in COMPILERS {
        let is_source = |path: &&PathBuf| {
            let ending = path.extension().and_then(|ending| ending.to_str());
            ending.is_some_and(|ending| endings.contains(&ending))
        };
        let sources = Vec::from_iter(files.iter().filter(is_source));
        let step = request
            .sample
            .map_or(1, |wanted| sources.len().div_ceil(wanted.max(1)));
        let sources = Vec::from_iter(sources.into_iter().step_by(step.max(1)));
        for level in ["-O0", "-O2"] {
            let compilation = Compilation {
                compiler,
                level,
                needed,
                flags: request.flags,
                plugin: &plugin,
                object: directory.join("x.o"),
                modules: &directory,
            };
            let all = compilation.measure(&sources)?;
            is_any |= all.files > 0;
            all.print(compiler, level, sources.len());
        }
    }
    if !is_any {
        bail!(
            "none of {} files below {} compiles with these flags",
            files.len(),
            request.tree.display()
        );
    }
    super::large::print(&hindmost, &directory)
}

/// How files are compiled.
struct Compilation<'a> {
    compiler: &'static str,
    level: &'static str,
    needed: &'static [&'static str],
    flags: &'a [String],
    plugin: &'a Path,
    object: PathBuf,
    /// Where the modules of Fortran go.
    modules: &'a Path,
}

impl Compilation<'_> {
    fn measure(&self, sources: &[&PathBuf]) -> Result<Measured> {
        let mut all = Measured::default();
        for (at, file) in sources.iter().enumerate() {
            // Whoever comes first finds fewer headers in the processor's caches.
            let ways = if at % 2 == 0 { [false, true] } else { [true, false] };
            let (first, second) = (self.time(file, ways[0])?, self.time(file, ways[1])?);
            match (first, second) {
                (Some(first), Some(second)) => {
                    let (plain, with) = if ways[1] { (first, second) } else { (second, first) };
                    all.add(plain, with, &self.fragments(file)?);
                }
                (None, None) => {}
                _ => bail!("{} compiles in one way alone", file.display()),
            }
        }
        Ok(all)
    }

    /// The processor time of one compilation; nothing if it fails.
    fn time(&self, file: &Path, with_plugin: bool) -> Result<Option<Duration>> {
        let mut command = Command::new(self.compiler);
        command
            .args(["-g", self.level, "-w", "-c", "-o"])
            .arg(&self.object)
            .args(self.needed)
            .args(self.flags)
            .arg(file);
        if self.compiler == "gfortran" {
            command.arg("-J").arg(self.modules);
        }
        if with_plugin {
            command.arg(format!("-fplugin={}", self.plugin.display()));
        }
        let now = || time_of_children().context("the system does not tell the time of children");
        let before = now()?;
        let (output, _) = command::capture(&mut command)?;
        let after = now()?;
        if !output.status.success() {
            let _ = fs::remove_file(&self.object);
            return Ok(None);
        }
        Ok(Some(after - before))
    }

    /// What `readelf` says of the sections of a file's object, compiled with the plugin.
    fn fragments(&self, file: &Path) -> Result<String> {
        self.time(file, true)?;
        let (output, _) = succeed(Command::new("readelf").arg("-SW").arg(&self.object))?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

#[derive(Default)]
struct Measured {
    files: usize,
    with_fragment: usize,
    plain: Duration,
    with: Duration,
    fragments: u64,
    debug: u64,
}

impl Measured {
    fn add(&mut self, plain: Duration, with: Duration, sections: &str) {
        self.files += 1;
        self.plain += plain;
        self.with += with;
        for line in sections.lines() {
            let Some((_, section)) = line.split_once("] ") else {
                continue;
            };
            let mut words = section.split_whitespace();
            let name = words.next().unwrap_or_default();
            let size = words.nth(3).and_then(|size| u64::from_str_radix(size, 16).ok());
            if name == UNITS {
                self.fragments += size.unwrap_or(0);
                self.with_fragment += 1;
            } else if name.starts_with(DEBUG) {
                self.debug += size.unwrap_or(0);
            }
        }
    }

    fn print(&self, compiler: &str, level: &str, sources: usize) {
        if self.files == 0 {
            return;
        }
        println!(
            "{compiler} -g {level}: {} of {sources} files compile, {} with a fragment; {:.1} s of processor without the plugin, {:.1} s with it: {:.3} times; fragments {} bytes, debug info {} bytes",
            self.files,
            self.with_fragment,
            self.plain.as_secs_f64(),
            self.with.as_secs_f64(),
            self.with.as_secs_f64() / self.plain.as_secs_f64(),
            self.fragments,
            self.debug
        );
    }
}
