//! `hindmost plugin`: makes the plugin for a gcc, and says how to use it.

use crate::output::{self, Status};
use anyhow::Context as _;
use clap::Args;
use std::path::PathBuf;

pub(crate) const PLUGIN_HELP: &str = "\
The plugin is one shared object for one gcc, made with that gcc's own headers (Debian: gcc-12-plugin-dev). It reads what the compiler has understood of each function of C, C++ and Fortran, and puts \
it into the object file; hindmost find takes it out of the program. On standard output is the option for the compiler: CFLAGS=\"-g $(hindmost plugin)\", and the same for CXXFLAGS and FFLAGS.

Exit status: 0 it was made, 2 error.";

#[derive(Args, Debug)]
pub(crate) struct PluginArgs {
    /// The compiler that the plugin is for
    #[arg(long, value_name = "COMPILER", default_value = "gcc")]
    pub(crate) gcc: PathBuf,
    /// Where to write it; the name before .so is that of its options (-fplugin-arg-hindmost-strict)
    #[arg(short, long, value_name = "FILE", default_value = "hindmost.so")]
    pub(crate) output: PathBuf,
    /// The part that the plugins of all compilers share [default: libruntime_gcc.a beside hindmost, or in ../lib/hindmost]
    #[arg(long, value_name = "FILE")]
    pub(crate) runtime: Option<PathBuf>,
}

pub(crate) fn make(args: &PluginArgs) -> anyhow::Result<Status> {
    project::make_plugin(&args.gcc, &args.output, args.runtime.as_deref())?;
    let made = args
        .output
        .canonicalize()
        .with_context(|| format!("cannot use {}", args.output.display()))?;
    output::print(&format!("-fplugin={}\n", made.display()))?;
    Ok(Status::Done)
}
