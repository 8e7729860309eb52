//! A generated program made into an executable, and the map of it bound to that very build.

use crate::oracle::case::Case;
use crate::oracle::interp::Evaluation;
use crate::oracle::layout::{self, FILE};
use engine::{Map, SourceFile};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The compilers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Compiler {
    /// gcc
    Gcc,
    /// clang
    Clang,
}

/// How much they optimise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// `-O0`
    O0,
    /// `-Og`
    Og,
    /// `-O1`
    O1,
    /// `-O2`
    O2,
    /// `-O3`
    O3,
    /// `-O3 -flto`
    Lto,
    /// `-Os`
    Os,
}

/// A compiler and a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Config {
    /// The compiler.
    pub compiler: Compiler,
    /// The level.
    pub level: Level,
}

/// All that programs are built with.
pub const CONFIGS: [Config; 14] = {
    const fn of(compiler: Compiler, level: Level) -> Config {
        Config { compiler, level }
    }
    [
        of(Compiler::Gcc, Level::O0),
        of(Compiler::Gcc, Level::Og),
        of(Compiler::Gcc, Level::O1),
        of(Compiler::Gcc, Level::O2),
        of(Compiler::Gcc, Level::O3),
        of(Compiler::Gcc, Level::Lto),
        of(Compiler::Gcc, Level::Os),
        of(Compiler::Clang, Level::O0),
        of(Compiler::Clang, Level::Og),
        of(Compiler::Clang, Level::O1),
        of(Compiler::Clang, Level::O2),
        of(Compiler::Clang, Level::O3),
        of(Compiler::Clang, Level::Lto),
        of(Compiler::Clang, Level::Os),
    ]
};

impl Config {
    /// The name of the compiler.
    #[must_use]
    pub fn compiler(self) -> &'static str {
        match self.compiler {
            Compiler::Gcc => "gcc",
            Compiler::Clang => "clang",
        }
    }

    /// The option that sets the level.
    #[must_use]
    pub fn level(self) -> &'static str {
        match self.level {
            Level::O0 => "-O0",
            Level::Og => "-Og",
            Level::O1 => "-O1",
            Level::Os => "-Os",
            Level::O2 => "-O2",
            Level::O3 => "-O3",
            Level::Lto => "-O3 -flto",
        }
    }

    /// The option that chooses the linker: that of binutils does not read what clang leaves for it.
    fn linker(self) -> &'static str {
        match (self.compiler, self.level) {
            (Compiler::Clang, Level::Lto) => "-fuse-ld=lld",
            _ => "",
        }
    }

    /// A name for files.
    #[must_use]
    pub fn file_name(self) -> String {
        format!("{}{}", self.compiler(), self.level().replace(' ', ""))
    }

    /// Whether the compiler may make jumps of calls, and move computations past them. gcc does neither at -Og.
    #[must_use]
    pub fn moves_code(self) -> bool {
        match self.level {
            Level::O0 => false,
            Level::Og => self.compiler == Compiler::Clang,
            Level::O1 | Level::O2 | Level::O3 | Level::Lto | Level::Os => true,
        }
    }

    /// In which order the compiler evaluates what C leaves open.
    #[must_use]
    pub fn evaluation(self) -> Evaluation {
        match self.compiler {
            Compiler::Gcc => Evaluation::ArgumentsReversed,
            Compiler::Clang => Evaluation::LeftToRight,
        }
    }

    /// How the compiler numbers nested calls.
    #[must_use]
    pub fn numbering(self) -> layout::Compiler {
        match self.compiler {
            Compiler::Gcc => layout::Compiler::Gcc,
            Compiler::Clang => layout::Compiler::Clang,
        }
    }
}

impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.compiler(), self.level())
    }
}

/// Whether both compilers are there.
///
/// # Errors
/// The one that is not.
pub fn compilers_found() -> Result<(), String> {
    for compiler in ["gcc", "clang", "ld.lld"] {
        let found = Command::new(compiler).arg("--version").output();
        if !found.is_ok_and(|output| output.status.success()) {
            return Err(format!(
                "{compiler} does not run: 'cargo xtask setup' installs it"
            ));
        }
    }
    Ok(())
}

/// An executable and its map.
#[derive(Debug)]
pub struct Build {
    /// The executable.
    pub path: PathBuf,
    /// The map, bound to it.
    pub map: Map,
}

/// How the external functions come into the program. It must make no difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Linking {
    /// In the executable itself, at any address.
    Object,
    /// In the executable itself, at a fixed address.
    Fixed,
    /// In a shared library, called by way of the dynamic linker.
    Library,
    /// In a shared library that was bound at the start.
    BoundLibrary,
}

impl Linking {
    fn of_seed(seed: u64) -> Self {
        match seed % 4 {
            0 => Linking::Object,
            1 => Linking::Library,
            2 => Linking::Fixed,
            _ => Linking::BoundLibrary,
        }
    }
}

/// Writes the external functions in `dir` and compiles them, without debug info, for all builds in directories below.
///
/// # Errors
/// When gcc is missing or fails.
pub fn externals(dir: &Path) -> Result<(), String> {
    let files = [
        ("mpi.h", include_str!("../oracle/harness/mpi.h")),
        ("harness.c", include_str!("harness.c")),
    ];
    for (name, text) in files {
        std::fs::write(dir.join(name), text).map_err(|e| format!("{name}: {e}"))?;
    }
    compile(
        dir,
        "gcc",
        "-O1 -Wall -Werror -fPIC -I. -c harness.c -o harness.o",
    )?;
    compile(dir, "gcc", "-shared harness.o -o libharness.so")
}

/// The text of a case, with functions that only this file sees for every second seed: those are inlined, split and
/// specialised far more. Nothing can stop a task on the first line of a function but its prologue.
#[must_use]
pub fn text(case: &Case, text: &str) -> String {
    if !case.seed.is_multiple_of(2) {
        return text.to_owned();
    }
    let starts = |line: &str| {
        let names = case
            .program
            .functions
            .iter()
            .map(|function| function.name.as_str());
        names.filter(|name| *name != "main").any(|name| {
            let definition = line.strip_prefix("int ").or(line.strip_prefix("void "));
            definition.is_some_and(|rest| rest.strip_prefix(name).is_some_and(|rest| rest.starts_with('(')))
        })
    };
    let lines = text.lines().map(|line| {
        let word = if starts(line) { "static " } else { "" };
        format!("{word}{line}\n")
    });
    lines.collect()
}

/// Builds `text`, the clean text of `seed`, in `dir`, with the [`externals`] of the directory above.
///
/// # Errors
/// When the compiler refuses the program, or the map cannot be bound.
pub fn build(dir: &Path, seed: u64, text: &str, config: Config) -> Result<Build, String> {
    let source = dir.join(FILE);
    std::fs::write(&source, text).map_err(|e| format!("{FILE}: {e}"))?;
    let name = config.file_name();
    let link = match Linking::of_seed(seed) {
        Linking::Object => "../harness.o",
        Linking::Fixed => "../harness.o -no-pie",
        Linking::Library => "-L.. -lharness -Wl,-rpath,$ORIGIN/.. -Wl,-z,lazy",
        Linking::BoundLibrary => "-L.. -lharness -Wl,-rpath,$ORIGIN/.. -Wl,-z,now",
    };
    let pie = if Linking::of_seed(seed) == Linking::Fixed {
        "-fno-pie"
    } else {
        "-fPIE"
    };
    let dwarf = if seed % 5 == 4 { "-gdwarf-4" } else { "-g" };
    // Whether there is a frame pointer decides what places are relative to.
    let pointer = if seed % 7 == 3 {
        "-fno-omit-frame-pointer"
    } else {
        ""
    };
    let (level, linker) = (config.level(), config.linker());
    compile(
        dir,
        config.compiler(),
        &format!("-std=gnu11 -w -I.. {level} {pointer} {dwarf} {pie} {FILE} {link} {linker} -o {name}"),
    )?;
    let path = dir.join(&name);
    let executable = std::fs::read(&path).map_err(|e| format!("{name}: {e}"))?;
    let sources = vec![SourceFile {
        path: FILE.to_owned(),
        bytes: text.as_bytes().to_vec(),
    }];
    let mut map = engine::map_sources(sources, &|_| ());
    let lost = engine::bind_map(&mut map, &executable, None, &name).map_err(|e| format!("{name}: {e}"))?;
    if let Some(lost) = lost.iter().find(|note| note.severity >= base::Severity::Error) {
        return Err(format!("{name}: {lost}"));
    }
    // What is used is what is read back from a file.
    let map = Map::from_bytes(&map.to_bytes()).map_err(|e| format!("{name}: {e}"))?;
    Ok(Build { path, map })
}

fn compile(dir: &Path, compiler: &str, arguments: &str) -> Result<(), String> {
    let output = Command::new(compiler)
        .args(arguments.split_whitespace())
        .current_dir(dir)
        .output()
        .map_err(|e| format!("{compiler}: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{compiler} {arguments}:\n{said}"))
}
