//! The programs that ranks are stalled in: those of the corpus, and any that a list names.
//!
//! A list is plain text, so that code and recipes of others stay outside the repository:
//!
//! ```text
//! # Comments and empty lines are skipped.
//! [name]
//! sources = DIR
//! build = COMMAND with {cc}, {cxx}, {fc}, {flags}, {sources} and {exe}
//! run = ARGUMENTS
//! ranks = 4
//! ```
//!
//! `sources` is relative to the list's directory. The command is run by `sh` in an empty directory, which is also where
//! the program runs later: input files are put there by it. It makes the file `{exe}`. `run` and `ranks` may be absent.

use crate::command;
use anyhow::{Context, Result, bail, ensure};
use corpus::{Mpi, Program};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How many ranks a job has unless its list says otherwise.
const RANKS: u32 = 4;

/// A program, and how it is built and run.
#[derive(Clone, Debug)]
pub struct Subject {
    pub name: String,
    pub recipe: Recipe,
    pub arguments: Vec<String>,
    pub ranks: u32,
}

/// How an executable is made.
#[derive(Clone, Debug)]
pub enum Recipe {
    Corpus(Program),
    Command { line: String, sources: PathBuf },
}

/// A compiler with its flags, for one MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Toolchain {
    pub mpi: Mpi,
    pub compiler: Compiler,
    pub level: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Compiler {
    Gcc,
    Clang,
}

/// The levels of optimisation that are tried.
pub const LEVELS: [&str; 5] = ["-O0", "-O2", "-O3", "-O3 -flto", "-Os"];

impl Compiler {
    pub const ALL: [Self; 2] = [Self::Gcc, Self::Clang];

    pub fn name(self) -> &'static str {
        match self {
            Self::Gcc => "gcc",
            Self::Clang => "clang",
        }
    }

    fn cxx(self) -> &'static str {
        match self {
            Self::Gcc => "g++",
            Self::Clang => "clang++",
        }
    }
}

impl Toolchain {
    /// What the table and `--build` call it, such as `openmpi gcc -O2`.
    pub fn name(self) -> String {
        format!("{} {} {}", self.mpi.name(), self.compiler.name(), self.level)
    }

    pub fn flags(self) -> String {
        // LLVM's linker plugin is not where the linker looks for it; LLVM's own linker needs none.
        let linker = match self.compiler {
            Compiler::Clang if self.level.contains("-flto") => " -fuse-ld=lld",
            _ => "",
        };
        format!("-g {}{linker}", self.level)
    }

    /// The compiler wrappers of both MPIs ask these which compiler to call.
    fn environment(self, command: &mut Command) {
        for (variable, compiler) in [
            ("OMPI_CC", self.compiler.name()),
            ("MPICH_CC", self.compiler.name()),
            ("OMPI_CXX", self.compiler.cxx()),
            ("MPICH_CXX", self.compiler.cxx()),
        ] {
            command.env(variable, compiler);
        }
    }
}

impl Subject {
    /// The programs of the corpus whose main threads do what there is to do.
    pub fn of_corpus() -> Vec<Self> {
        // Courier's main threads only wait for others, which no injection into the main thread changes.
        let programs = Program::ALL
            .into_iter()
            .filter(|&program| program != Program::Courier);
        programs
            .map(|program| Self {
                name: program.name().to_owned(),
                recipe: Recipe::Corpus(program),
                arguments: Vec::new(),
                ranks: RANKS,
            })
            .collect()
    }

    /// Kernels in Fortran: the order of the code knows nothing of them, what they record tells all the same.
    pub fn of_fortran() -> Result<Vec<Self>> {
        Self::of_list(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/inject/kernels/kernels.list"))
    }

    /// The programs that a list names.
    pub fn of_list(list: &Path) -> Result<Vec<Self>> {
        let text = fs::read_to_string(list).with_context(|| format!("cannot read {}", list.display()))?;
        parse(&text, list.parent().unwrap_or(Path::new("")))
            .with_context(|| format!("{} is no list of programs", list.display()))
    }

    /// Whether it can be built so: Debian's clang comes without the headers of OpenMP.
    pub fn suits(&self, toolchain: Toolchain) -> bool {
        !matches!(self.recipe, Recipe::Corpus(Program::Hybrid)) || toolchain.compiler == Compiler::Gcc
    }

    /// Builds it in a directory of its own below `out`, unless that was done before, and returns the executable.
    pub fn build(&self, toolchain: Toolchain, out: &Path) -> Result<PathBuf> {
        let directory = out.join(&self.name).join(toolchain.name().replace(' ', ""));
        let exe = directory.join(&self.name);
        if exe.exists() {
            return Ok(exe);
        }
        fs::create_dir_all(&directory).with_context(|| format!("cannot create {}", directory.display()))?;
        // Made under another name: what an interrupted build leaves must not be taken for a program.
        let unfinished = directory.join("unfinished");
        let mut command = match &self.recipe {
            Recipe::Corpus(program) => {
                let flags = toolchain.flags();
                let flags = Vec::from_iter(flags.split(' '));
                corpus::Build {
                    program: *program,
                    mpi: toolchain.mpi,
                    flags: &flags,
                }
                .command(&unfinished)
            }
            Recipe::Command { line, sources } => {
                let mut command = Command::new("sh");
                command
                    .arg("-ec")
                    .arg(filled(line, toolchain, sources, &unfinished))
                    .current_dir(&directory);
                command
            }
        };
        toolchain.environment(&mut command);
        command::succeed(&mut command).with_context(|| format!("{} for {}", self.name, toolchain.name()))?;
        ensure!(
            unfinished.exists(),
            "the build command of {} makes no {{exe}}",
            self.name
        );
        fs::rename(&unfinished, &exe).with_context(|| format!("cannot name {}", exe.display()))?;
        Ok(exe)
    }
}

fn filled(line: &str, toolchain: Toolchain, sources: &Path, exe: &Path) -> String {
    let mpi = toolchain.mpi.name();
    line.replace("{cc}", &format!("mpicc.{mpi}"))
        .replace("{cxx}", &format!("mpicxx.{mpi}"))
        .replace("{fc}", &format!("mpifort.{mpi}"))
        .replace("{flags}", &toolchain.flags())
        .replace("{sources}", &sources.to_string_lossy())
        .replace("{exe}", &exe.to_string_lossy())
}

fn parse(text: &str, directory: &Path) -> Result<Vec<Subject>> {
    let mut subjects: Vec<Subject> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            ensure!(
                !name.is_empty() && name.chars().all(plain) && !name.starts_with('.'),
                "line {number}: '{name}' cannot be the name of a directory"
            );
            ensure!(
                subjects.iter().all(|subject| subject.name != name),
                "line {number}: there are two programs '{name}'"
            );
            subjects.push(Subject {
                name: name.to_owned(),
                recipe: Recipe::Command {
                    line: String::new(),
                    sources: directory.to_owned(),
                },
                arguments: Vec::new(),
                ranks: RANKS,
            });
            continue;
        }
        let (key, value) = line
            .split_once('=')
            .with_context(|| format!("line {number} is neither '[name]' nor 'key = value'"))?;
        let value = value.trim();
        let Some(Subject {
            recipe: Recipe::Command {
                line: command,
                sources,
            },
            arguments,
            ranks,
            ..
        }) = subjects.last_mut()
        else {
            bail!("line {number} stands before the first '[name]'");
        };
        match key.trim() {
            "build" => value.clone_into(command),
            "sources" => *sources = directory.join(value),
            "run" => *arguments = value.split_whitespace().map(str::to_owned).collect(),
            "ranks" => {
                *ranks = value
                    .parse()
                    .ok()
                    .filter(|ranks| (2..=16).contains(ranks))
                    .with_context(|| format!("line {number}: '{value}' is no number of ranks (2 to 16)"))?;
            }
            key => bail!("line {number}: there is no key '{key}'"),
        }
    }
    for subject in &subjects {
        if let Recipe::Command { line, .. } = &subject.recipe {
            ensure!(!line.is_empty(), "'{}' has no build command", subject.name);
        }
    }
    Ok(subjects)
}

#[cfg(test)]
mod tests {
    use super::{Recipe, parse};
    use std::path::Path;

    #[test]
    fn a_list_is_read() {
        let text = "# ours\n[a-1]\nsources = src\nbuild = {cc} -o {exe} x=1\nrun = -n 5\nranks = 8\n[b]\nbuild = true\n";
        let subjects = parse(text, Path::new("/lists")).unwrap();
        let Recipe::Command { line, sources } = &subjects[0].recipe else {
            panic!("a list names no program of the corpus")
        };
        assert_eq!(line, "{cc} -o {exe} x=1");
        assert_eq!(sources, Path::new("/lists/src"));
        assert_eq!(subjects[0].arguments, ["-n", "5"]);
        assert_eq!((subjects[0].ranks, subjects[1].ranks), (8, 4));
    }

    #[test]
    fn what_is_no_list_is_refused_with_its_line() {
        for (text, why) in [
            ("build = x", "line 1 stands before the first '[name]'"),
            ("[a]\nbuild", "line 2 is neither '[name]' nor 'key = value'"),
            ("[a]\nbuld = x", "line 2: there is no key 'buld'"),
            (
                "[a]\nbuild = x\nranks = 1",
                "line 3: '1' is no number of ranks (2 to 16)",
            ),
            ("[a]\nrun = x", "'a' has no build command"),
            ("[a]\nbuild = x\n[a]", "line 3: there are two programs 'a'"),
            ("[../a]", "line 1: '../a' cannot be the name of a directory"),
        ] {
            assert_eq!(parse(text, Path::new("")).unwrap_err().to_string(), why);
        }
    }
}
