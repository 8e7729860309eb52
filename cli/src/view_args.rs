//! The command line of `hindmost view`.

use crate::tree_args::Shape;
use clap::Args;
use std::path::PathBuf;

pub(crate) const VIEW_HELP: &str = "\
FILE is what find --save or watch wrote (a snapshot, with --map; a .tree.json; the page for a browser), or stacks of another tool. \
? shows the keys, q quits.

Exit status: 0 looked at, 2 error, or stopped by a signal.";

#[derive(Args, Debug)]
pub(crate) struct ViewArgs {
    /// A snapshot, a tree as JSON, or the page for a browser
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The map of the program, for recorded stacks; without it the tree has no order
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) shape: Shape,
    /// Also show who waits for whom, by what the tasks of the job have recorded in this directory; for recorded stacks
    #[arg(long, value_name = "DIR")]
    pub(crate) recordings: Option<PathBuf>,
}
