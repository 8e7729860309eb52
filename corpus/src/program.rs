//! The programs, their marked lines, and how they are compiled.

use crate::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program of the corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Program {
    /// Jacobi iteration, the loop of SC'09 Figure 1.
    Poisson,
    /// Irecv, Isend, Waitall, Barrier round a ring.
    Ring,
    /// A set-up loop that moves its level in the middle of the body; V-cycles.
    Multigrid,
    /// A time stepper with two loop-order variables, updated one after the other.
    Adi,
    /// Smoothers behind a base class, templates, lambdas and exceptions; the counter is a member.
    Relax,
    /// OpenMP threads in every rank, and plain sends and receives in pairs.
    Hybrid,
    /// All that a rank does a thread besides the main one does.
    Courier,
}

impl Program {
    /// Every program.
    pub const ALL: [Self; 7] = [
        Self::Poisson,
        Self::Ring,
        Self::Multigrid,
        Self::Adi,
        Self::Relax,
        Self::Hybrid,
        Self::Courier,
    ];

    /// The name of its source file, without directory and extension.
    pub fn name(self) -> &'static str {
        match self {
            Self::Poisson => "poisson",
            Self::Ring => "ring",
            Self::Multigrid => "multigrid",
            Self::Adi => "adi",
            Self::Relax => "relax",
            Self::Hybrid => "hybrid",
            Self::Courier => "courier",
        }
    }

    /// Its source file.
    pub fn source(self) -> PathBuf {
        let ending = if self.is_cxx() { "cpp" } else { "c" };
        directory().join(self.name()).with_extension(ending)
    }

    /// Whether it is written in C++.
    pub fn is_cxx(self) -> bool {
        self == Self::Relax
    }

    /// The line on which a rank that was told to stall at `place` hangs: the one that the source marks so.
    ///
    /// # Errors
    /// The source cannot be read, or marks no such place.
    pub fn stall_line(self, place: &str) -> Result<u32, Error> {
        let file = self.source();
        let text = fs::read_to_string(&file).map_err(Error::io("read", &file))?;
        let mark = format!("/* STALL: {place} */");
        (1..)
            .zip(text.lines())
            .find(|(_, line)| line.contains(&mark))
            .map(|(number, _)| number)
            .ok_or_else(|| Error::NoMark {
                file,
                place: place.to_owned(),
            })
    }
}

/// The directory that holds the sources.
pub fn directory() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// An MPI implementation, by the names that Debian gives its programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mpi {
    /// Open MPI: ranks are children of the launcher.
    OpenMpi,
    /// MPICH: a proxy stands between the launcher and the ranks.
    Mpich,
}

impl Mpi {
    /// The suffix of its programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenMpi => "openmpi",
            Self::Mpich => "mpich",
        }
    }

    /// The environment variable that tells a rank its number.
    pub fn rank_variable(self) -> &'static str {
        match self {
            Self::OpenMpi => "OMPI_COMM_WORLD_RANK",
            Self::Mpich => "PMI_RANK",
        }
    }
}

/// How a program is compiled.
#[derive(Clone, Copy, Debug)]
pub struct Build<'a> {
    /// Which program.
    pub program: Program,
    /// For which MPI.
    pub mpi: Mpi,
    /// Compiler flags, such as `-g -O2`.
    pub flags: &'a [&'a str],
}

impl Build<'_> {
    /// The compile command, as a user would type it in the directory of the sources.
    pub fn command(&self, exe: &Path) -> Command {
        let compiler = if self.program.is_cxx() { "mpicxx" } else { "mpicc" };
        let mut command = Command::new(format!("{compiler}.{}", self.mpi.name()));
        match self.program {
            Program::Hybrid => drop(command.arg("-fopenmp")),
            Program::Courier => drop(command.arg("-pthread")),
            _ => {}
        }
        command
            .args(self.flags)
            .arg("-o")
            .arg(exe)
            .arg(self.program.source())
            // A compiler of C++ would take it for C++ by itself.
            .args(["-x", "c"])
            .arg(directory().join("stall.c"))
            .arg("-lm")
            .current_dir(directory());
        command
    }

    /// Compiles into the directory `out` and returns the executable's path. The name tells the builds apart.
    ///
    /// # Errors
    /// The compiler is missing or refuses.
    pub fn compile(&self, out: &Path) -> Result<PathBuf, Error> {
        fs::create_dir_all(out).map_err(Error::io("create", out))?;
        let exe = out.join(format!(
            "{}-{}{}",
            self.program.name(),
            self.mpi.name(),
            self.flags.concat()
        ));
        compile(&mut self.command(&exe))?;
        Ok(exe)
    }
}

/// Runs a compiler.
pub(crate) fn compile(command: &mut Command) -> Result<(), Error> {
    let result = command
        .output()
        .map_err(Error::io("start", command.get_program()))?;
    if result.status.success() {
        return Ok(());
    }
    Err(Error::Compile {
        command: format!("{command:?}"),
        output: String::from_utf8_lossy(&result.stderr).into_owned(),
    })
}
