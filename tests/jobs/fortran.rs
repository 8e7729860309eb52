//! Jobs in Fortran, built with gcc's plugin: their order is proven as that of jobs in C.

use crate::hindmost::my_turn;
use crate::unprepared::{KERNEL, STEPS, ask, compiled, written};
use corpus::Mpi;
use serde_json::Value;
use tests::oracle::judge::Directory;
use tests::second::made_plugin;

/// Rank 1 stays in `relax` in the fourth step; the others wait for it in the sum of that step.
const SOLVER: &str = "module solver
  implicit none
  integer, volatile :: gate = 1
contains
  subroutine relax(field, step, rank)
    double precision, intent(inout) :: field(:)
    integer, intent(in) :: step, rank
    integer :: i
    do i = 2, size(field) - 1
      field(i) = (field(i - 1) + field(i + 1)) / 2
    end do
    if (rank == 1 .and. step == 4) then
      do while (gate == 1)
      end do
    end if
  end subroutine relax
end module solver

program main
  use mpi
  use solver
  implicit none
  integer :: failed, rank, step
  double precision :: field(100), mine, all
  call MPI_Init(failed)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, failed)
  field = rank
  do step = 1, 9
    call relax(field, step, rank)
    mine = sum(field)
    call MPI_Allreduce(mine, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, failed)
    if (all < 0) exit
  end do
  call MPI_Finalize(failed)
end program main
";

/// The words that make the compiler use the plugin.
fn with_plugin(directory: &Directory) -> Option<String> {
    let plugin = made_plugin("gcc-12", &directory.path)?;
    Some(format!("-fplugin={}", plugin.display()))
}

fn proven(code: i32, answer: &Value) -> bool {
    code == 0 && answer["named"] == "1" && answer["by"] == "order"
}

#[test]
fn are_proven_under_both_mpis() {
    let directory = Directory::of_seed(None, 26_300).unwrap_or_else(|error| panic!("{error}"));
    let Some(plugin) = with_plugin(&directory) else {
        return;
    };
    let _turn = my_turn();
    for (mpi, compiler) in [(Mpi::OpenMpi, "mpif90.openmpi"), (Mpi::Mpich, "mpif90.mpich")] {
        for level in ["-O0", "-O2"] {
            let source = written("solver.f90", SOLVER);
            let modules = format!("-J{}", directory.path.display());
            let flags = ["-g", level, "-fallow-argument-mismatch", &modules, &plugin];
            let exe = compiled(compiler, &source, "solver", &flags);
            // The map is in the program.
            std::fs::remove_file(source).unwrap_or_else(|error| panic!("{error}"));
            let answer = ask(mpi, &exe, &proven);
            assert_eq!(answer["hindmost"][0]["line"], 13, "{answer:#}");
        }
    }
}

/// Rank 1 is a step ahead, at an earlier line of what the steps call: the loop in Fortran says that the others are behind. Whether the half in C was compiled with the plugin
/// or is read from its source makes no difference.
#[test]
fn go_on_in_c() {
    let directory = Directory::of_seed(None, 26_301).unwrap_or_else(|error| panic!("{error}"));
    let Some(plugin) = with_plugin(&directory) else {
        return;
    };
    let _turn = my_turn();
    let kernel = written("kernel-of-steps.c", KERNEL);
    let steps = written("stepped.f90", STEPS);
    let read = compiled("gcc", &kernel, "kernel-of-steps.o", &["-g", "-O0", "-c"]);
    for (kernel, name) in [(&kernel, "stepped"), (&read, "stepped-half")] {
        let flags = ["-g", "-O0", &plugin, "-ffree-form", &kernel.to_string_lossy()];
        let exe = compiled("mpif90.openmpi", &steps, name, &flags);
        let answer = ask(Mpi::OpenMpi, &exe, &|code, answer| {
            code == 0 && answer["by"] == "order" && answer["named"] == "0,2-3"
        });
        assert_eq!(answer["hindmost"][0]["function"], "kernel", "{answer:#}");
    }
}

/// A map that is made by hand has what gcc has read of Fortran; one of a program where gcc has not, says what it lacks.
#[test]
fn are_in_maps_that_are_made_by_hand() {
    let directory = Directory::of_seed(None, 26_303).unwrap_or_else(|error| panic!("{error}"));
    let Some(plugin) = with_plugin(&directory) else {
        return;
    };
    let kernel = written("kernel-by-hand.c", KERNEL);
    let steps = written("by-hand.f90", STEPS);
    let made = |name: &str, plugin: &[&str]| {
        let kernel = kernel.to_string_lossy();
        let flags = [&["-g", "-O0", "-ffree-form", &*kernel][..], plugin].concat();
        let exe = compiled("mpif90.openmpi", &steps, name, &flags);
        let map = directory.path.join(name).with_extension("hmap");
        let command = |arguments: &[&str]| {
            let mut command = std::process::Command::new(tests::stopped::hindmost());
            let output = command
                .args(arguments)
                .arg(if arguments[0] == "map" { &exe } else { &map });
            output.output().unwrap_or_else(|error| panic!("{error}"))
        };
        let map = map.to_string_lossy();
        let output = command(&["map", "--no-cache", "-o", &map, "--exe"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        let shown = command(&["show", "--format", "json"]);
        let shown: Value = serde_json::from_slice(&shown.stdout).unwrap_or_else(|error| panic!("{error}"));
        let [functions, ordered] =
            ["functions", "loops_ordered"].map(|what| shown[what].as_u64().unwrap_or_default());
        ((functions, ordered), said)
    };
    // The kernel, the program with the loop, and the `main` that gfortran makes.
    let (known, said) = made("by-hand", &[&plugin]);
    assert_eq!((known, &*said), ((3, 1), ""));
    let (known, said) = made("by-hand-half", &[]);
    assert_eq!(known, (1, 0), "{said}");
    assert!(
        said.contains("1 of the sources of") && said.contains("in Fortran"),
        "{said}"
    );
}

/// What brought rank 1 there is in its slice, which is made of what the program carries; without the program there is a reason.
#[test]
fn slices_are_made_of_what_the_program_carries() {
    let directory = Directory::of_seed(None, 26_302).unwrap_or_else(|error| panic!("{error}"));
    let Some(plugin) = with_plugin(&directory) else {
        return;
    };
    let _turn = my_turn();
    let source = written("sliced.f90", SOLVER);
    let modules = format!("-J{}", directory.path.display());
    let exe = compiled(
        "mpif90.openmpi",
        &source,
        "sliced",
        &["-g", "-O0", &modules, &plugin],
    );
    let slice = |line: &str, more: &[&std::path::Path]| {
        let asked = format!("{}:{line}", source.display());
        let mut command = std::process::Command::new(tests::stopped::hindmost());
        command
            .args(["slice", &asked, "--slice-format", "lines"])
            .args(more);
        let output = command.output().unwrap_or_else(|error| panic!("{error}"));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, lines, said) = slice("31", &[std::path::Path::new("--exe"), &exe]);
    assert_eq!(code, Some(0), "{said}");
    let has = |line: u32| lines.contains(&format!("sliced.f90:{line}:"));
    // The sum, what is summed, where it is set by hand and as an argument, and the rank.
    for line in [10, 26, 27, 28, 29, 30] {
        assert!(has(line), "line {line}: {lines}");
    }
    assert!(!has(25), "who sets only the error code decides nothing: {lines}");
    let (code, _, said) = slice("31", &[&source]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("--exe PROGRAM, built with FFLAGS"), "{said}");
}
