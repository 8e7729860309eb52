//! The program that adds up the answers of many hosts, made for one MPI library by that library's own compiler.

use crate::failure::Failure;
use crate::recorder::{HINT, compile, library_beside};
use std::path::Path;
use std::process::Command;

/// The file that the shim is linked with.
const RUNTIME: &str = "libruntime_reduce.a";
const SHIM: &str = include_str!("../../integrations/mpi/hindmost_reducer.c");

/// Makes the reducer for the MPI library that `mpicc` compiles for.
///
/// `runtime` is the part that all reducers share; without it, the one that stands beside this program.
///
/// # Errors
/// There is no such part, or the compiler fails.
pub fn make_reducer(mpicc: &Path, output: &Path, runtime: Option<&Path>) -> Result<(), Failure> {
    let runtime = match runtime {
        Some(runtime) => runtime.to_owned(),
        None => library_beside(RUNTIME, "runtime-reduce", "--runtime")?,
    };
    let mut command = Command::new(mpicc);
    command
        .args(["-O2", "-w", "-o"])
        .arg(output)
        .args(["-x", "c", "-", "-x", "none"])
        .arg(&runtime)
        .args([
            "-Wl,--gc-sections",
            "-Wl,-s",
            "-lgcc_s",
            "-lpthread",
            "-ldl",
            "-lm",
        ]);
    compile(&mut command, SHIM, &mpicc.display().to_string(), HINT)?;
    Ok(())
}
