//! The flight recorder in programs that call MPI by another language's names: plans of messages and collective operations are followed in each binding of
//! Fortran under both MPIs, and by mpi4py, and held against the same truth as in C.

use crate::hindmost::{my_turn, out, run, said};
use crate::waits::{Debug, Kinds, check, made_of, recorder_of, seeds};
use corpus::Mpi;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How a Fortran program names MPI: a name for the executable, and what `plan.F90` is told.
const BINDINGS: [(&str, &[&str]); 3] = [("mpif.h", &[]), ("mpi", &["-DMODULE"]), ("mpi_f08", &["-DF08"])];

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("jobs/plans")
        .join(name)
}

fn in_fortran(mpi: Mpi) {
    let _turn = my_turn();
    let recorder = recorder_of(mpi);
    for (binding, flags) in BINDINGS {
        let program = out().join(format!("plan-{binding}-{}", mpi.name()));
        let output = run(Command::new(format!("mpifort.{}", mpi.name()))
            .args(["-O1", "-g0", "-w", "-fallow-argument-mismatch"])
            .args(flags)
            .arg("-o")
            .arg(&program)
            .arg(source("plan.F90")));
        assert!(output.status.success(), "{}", said(&output));
        for seed in seeds(0..3) {
            check(mpi, &(recorder.clone(), program.clone()), seed, Kinds::Messages);
        }
    }
}

#[test]
fn plans_in_fortran_under_open_mpi() {
    in_fortran(Mpi::OpenMpi);
}

#[test]
fn plans_in_fortran_under_mpich() {
    in_fortran(Mpi::Mpich);
}

/// Debian's mpi4py is that of Open MPI.
#[test]
fn plans_by_mpi4py() {
    let _turn = my_turn();
    let program = out().join("plan.py");
    std::fs::copy(source("plan.py"), &program).unwrap_or_else(|error| panic!("{error}"));
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&program, executable).unwrap_or_else(|error| panic!("{error}"));
    for seed in seeds(0..3) {
        check(
            Mpi::OpenMpi,
            &(recorder_of(Mpi::OpenMpi), program.clone()),
            seed,
            Kinds::Messages,
        );
    }
}

/// Handles of another MPI have another size: the program ends at its beginning, with the reason, and does not crash somewhere.
#[test]
fn the_recorder_of_another_mpi_says_so() {
    let _turn = my_turn();
    for (mpi, other) in [(Mpi::OpenMpi, Mpi::Mpich), (Mpi::Mpich, Mpi::OpenMpi)] {
        let (_, program) = made_of(mpi, "plan", Debug::None);
        let output = run(Command::new(&program)
            .env("PLAN", " F0,0,0")
            .env("LD_PRELOAD", recorder_of(other))
            .env("HINDMOST_RECORD", out().join("of-another")));
        let text = said(&output);
        assert!(
            text.contains("hindmost: this recorder is for another MPI"),
            "{text}"
        );
        assert_eq!(output.status.code(), Some(1), "{text}");
    }
}
