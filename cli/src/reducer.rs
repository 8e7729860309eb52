//! `hindmost build-reducer`: makes the program that adds the answers of many hosts up on the way.

use crate::output::{self, Status};
use clap::Args;
use std::path::PathBuf;

pub(crate) const REDUCER_HELP: &str = "\
The reducer is a program of one MPI library, made with that library's own compiler. hindmost find --reduce mpi starts it on the hosts of a job, one process on each, beside the job: each \
looks at the tasks of its host, and the answers are added up along a tree of the hosts. It is worth it where asking each of some thousand hosts takes too long.

Exit status: 0 it was made, 2 error.";

#[derive(Args, Debug)]
pub(crate) struct ReducerArgs {
    /// The compiler of the MPI library that starts it
    #[arg(long, value_name = "COMPILER", default_value = "mpicc")]
    pub(crate) mpicc: PathBuf,
    /// Where to write it: where all hosts see it, as in a home directory that they share
    #[arg(short, long, value_name = "FILE", default_value = "hindmost-reducer")]
    pub(crate) output: PathBuf,
    /// The part that all of them share [default: libruntime_reduce.a beside hindmost, or in ../lib/hindmost]
    #[arg(long, value_name = "FILE")]
    pub(crate) runtime: Option<PathBuf>,
}

pub(crate) fn make(args: &ReducerArgs) -> anyhow::Result<Status> {
    project::make_reducer(&args.mpicc, &args.output, args.runtime.as_deref())?;
    output::note(&format!("{} is written", args.output.display()));
    Ok(Status::Done)
}
