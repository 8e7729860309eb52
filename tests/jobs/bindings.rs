//! The flight recorder in programs that call MPI by another language's names: plans of messages, collective operations, epochs and locks are followed in each binding of
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

/// The program in Fortran, with this binding.
fn compiled(binding: &str, flags: &[&str], mpi: Mpi) -> PathBuf {
    let program = out().join(format!("plan-{binding}-{}", mpi.name()));
    let output = run(Command::new(format!("mpifort.{}", mpi.name()))
        .args(["-O1", "-g0", "-w", "-fallow-argument-mismatch"])
        .args(flags)
        .arg("-o")
        .arg(&program)
        .arg(source("plan.F90")));
    assert!(output.status.success(), "{}", said(&output));
    program
}

/// The program by mpi4py; Debian's is that of Open MPI.
fn in_python() -> PathBuf {
    let program = out().join("plan.py");
    std::fs::copy(source("plan.py"), &program).unwrap_or_else(|error| panic!("{error}"));
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&program, executable).unwrap_or_else(|error| panic!("{error}"));
    program
}

/// Plans of each kind, each with its first seed: one that the program in C does not follow.
const KINDS: [(Kinds, u64); 4] = [
    (Kinds::Messages, 0),
    (Kinds::Epochs, 3_000),
    (Kinds::Locks, 4_000),
    (Kinds::Neighbours, 6_000),
];

fn in_fortran(mpi: Mpi) {
    let _turn = my_turn();
    let recorder = recorder_of(mpi);
    for (nth, (binding, flags)) in BINDINGS.into_iter().enumerate() {
        let program = compiled(binding, flags, mpi);
        let made = (recorder.clone(), program);
        // Ranks of MPICH poll, so that a job takes long on few processors: each binding follows one kind of plan there.
        let (kinds, usual) = match mpi {
            Mpi::OpenMpi => (&KINDS[..], 0..2),
            Mpi::Mpich => (&KINDS[nth..=nth], 0..1),
        };
        for &(kind, first) in kinds {
            for seed in seeds(usual.clone()) {
                check(mpi, &made, first + seed, kind);
            }
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

#[test]
fn plans_by_mpi4py() {
    let _turn = my_turn();
    let made = (recorder_of(Mpi::OpenMpi), in_python());
    for (kind, first) in KINDS {
        for seed in seeds(0..2) {
            check(Mpi::OpenMpi, &made, first + seed, kind);
        }
    }
}

/// A job of three ranks whose plan ends, with these files preloaded into it: what it and its launcher have said, once it is known to have ended well.
fn ends_well(mpi: Mpi, program: &Path, preload: &[&Path], recordings: &Path) -> String {
    let _ = std::fs::remove_dir_all(recordings);
    let mut command = Command::new(format!("mpirun.{}", mpi.name()));
    if mpi == Mpi::OpenMpi {
        command.args(["--allow-run-as-root", "--oversubscribe"]);
    }
    let preload = preload.iter().map(|file| file.to_string_lossy());
    let plan = " A0,0,0 S0,1,0 A1,0,0 F0,0,0| A0,0,0 R0,0,0 A1,0,0 F0,0,0| A0,0,0 A1,0,0 F0,0,0";
    command
        .args(["-np", "3", "env"])
        .arg(format!("LD_PRELOAD={}", Vec::from_iter(preload).join(" ")))
        .arg(format!("HINDMOST_RECORD={}", recordings.display()))
        .arg(format!("PLAN={plan}"))
        .arg(program);
    let output = run(&mut command);
    let text = said(&output);
    assert!(output.status.success(), "{command:?}: {text}");
    text
}

fn recorded(directory: &Path) -> usize {
    std::fs::read_dir(directory).map_or(0, Iterator::count)
}

/// Handles of another MPI have another size, which also a program in Fortran and one that loads its MPI itself must not notice.
#[test]
fn the_recorder_of_another_mpi_says_so_and_the_job_goes_on() {
    let _turn = my_turn();
    let recordings = out().join("of-another");
    for (mpi, other) in [(Mpi::OpenMpi, Mpi::Mpich), (Mpi::Mpich, Mpi::OpenMpi)] {
        let (own, in_c) = made_of(mpi, "plan", Debug::None);
        let others = recorder_of(other);
        let mut programs = vec![in_c, compiled("mpi_f08", &["-DF08"], mpi)];
        if mpi == Mpi::OpenMpi {
            programs.push(in_python());
        }
        for program in &programs {
            let text = ends_well(mpi, program, &[&others], &recordings);
            assert!(text.contains("the recorder is for another MPI than"), "{text}");
            assert_eq!(recorded(&recordings), 0, "{program:?}: {text}");
            // Whichever stands in front, that of the program's own MPI records.
            for both in [[&own, &others], [&others, &own]] {
                let text = ends_well(mpi, program, &both.map(PathBuf::as_path), &recordings);
                assert_eq!(recorded(&recordings), 3, "{program:?}: {text}");
            }
        }
    }
}

/// The job goes on whatever keeps it from being recorded, and one line says what.
#[test]
fn a_job_goes_on_that_cannot_be_recorded() {
    let _turn = my_turn();
    for mpi in [Mpi::OpenMpi, Mpi::Mpich] {
        let (recorder, program) = made_of(mpi, "plan", Debug::None);
        let text = ends_well(mpi, &program, &[&recorder], Path::new("/proc/no-such-place"));
        assert!(text.contains("its file could not be made"), "{text}");
        let again = out().join(format!("again-{}.so", mpi.name()));
        std::fs::copy(&recorder, &again).unwrap_or_else(|error| panic!("{error}"));
        let recordings = out().join("of-two");
        let text = ends_well(mpi, &program, &[&recorder, &again], &recordings);
        assert_eq!(recorded(&recordings), 3, "{text}");
        assert!(text.contains("its file is there already"), "{text}");
    }
}
