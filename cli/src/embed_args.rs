//! The options of `hindmost embed` and `hindmost extract`.

use clap::Args;
use std::path::PathBuf;

pub(crate) const EMBED_HELP: &str = "\
The map becomes a section that no program loads: code, debug info and build-id stay as they are, and strip leaves it there. \
find, and every command that takes a map, reads it from the program. Without --map the program's map is looked for, or made, as find does it.

Exit status: 0 the program carries the map, 2 error (the program is as it was).";

pub(crate) const EXTRACT_HELP: &str = "\
With --store the map is laid where debug files of this build lie, DIR/.build-id/ab/cdef.hmap. There find looks for it, below the \
directories that HINDMOST_MAP_PATH lists, with colons between them, and below /usr/lib/debug.

Exit status: 0 the map was written, 2 error.";

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
