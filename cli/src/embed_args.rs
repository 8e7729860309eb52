//! The options of the commands that put maps into binaries: `cc`, `embed` and `extract`.

use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

pub(crate) const EMBED_HELP: &str = "\
The map becomes a section that no program loads: code, debug info and build-id stay as they are, and strip leaves it there. \
find, and every command that takes a map, reads it from the program. Without --map the program's map is looked for, or made, as find does it.

Exit status: 0 the program carries the map, 2 error (the program is as it was).";

pub(crate) const EXTRACT_HELP: &str = "\
With --store the map is laid where debug files of this build lie, DIR/.build-id/ab/cdef.hmap. There find looks for it, below the \
directories that HINDMOST_MAP_PATH lists, with colons between them, and below /usr/lib/debug. It also lies there as DIR/buildid/abcdef/section/.hindmost.map: \
served as it is, by a web server or as file:///DIR, DIR is one of DEBUGINFOD_URLS, of which find asks by debuginfod-find (elfutils). A debuginfod that knows a program \
with a map inside needs no more.

Exit status: 0 the map was written, 2 error.";

pub(crate) const CC_HELP: &str = "\
The compiler runs as if it had been called by itself, with its output and exit status. Then what was read of its C and C++ sources goes into the \
object files, or the program, as a section that the linker joins; find makes the program's map of it, without the sources. cc, c++ and fc are the same. \
A command that is not understood is only run. With -flto there is no section: use hindmost embed behind the link.

    make CC='hindmost cc -- gcc'
    cmake -DCMAKE_C_COMPILER_LAUNCHER='hindmost;cc;--' -DCMAKE_CXX_COMPILER_LAUNCHER='hindmost;cc;--'

Exit status: that of the compiler; 127 if it cannot be run.";

#[derive(Args, Debug)]
pub(crate) struct CcArgs {
    /// The compiler and its options, behind --
    #[arg(
        value_name = "COMMAND",
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub(crate) command: Vec<OsString>,
}

#[derive(Args, Debug)]
pub(crate) struct EmbedArgs {
    /// The program, built with -g
    #[arg(value_name = "PROGRAM")]
    pub(crate) program: PathBuf,
    /// The map [default: the one beside the program, kept, or made]
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
    /// Write the program with the map to this file instead
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print nothing but warnings and errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ExtractArgs {
    /// The program with a map inside
    #[arg(value_name = "PROGRAM")]
    pub(crate) program: PathBuf,
    /// Where to write the map [default: PROGRAM.hmap]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Lay it below this directory, by its build-id
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    pub(crate) store: Option<PathBuf>,
}
