//! Jobs in Fortran, built with gcc's plugin: their order is proven as that of jobs in C.

use crate::hindmost::{hindmost, launch_as, my_turn, run, said};
use crate::unprepared::{KERNEL, STEPS, ask, asked_until, compiled, written};
use corpus::{JobProcesses, Mpi};
use serde_json::{Value, json};
use std::path::Path;
use tests::editor::Editor;
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
fn with_plugin() -> Option<String> {
    let plugin = made_plugin("gcc-12")?;
    Some(format!("-fplugin={}", plugin.display()))
}

fn proven(code: i32, answer: &Value) -> bool {
    code == 0 && answer["named"] == "1" && answer["by"] == "order"
}

#[test]
fn are_proven_under_both_mpis() {
    let directory = Directory::of_seed(None, 26_300).unwrap_or_else(|error| panic!("{error}"));
    let Some(plugin) = with_plugin() else {
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
    let Some(plugin) = with_plugin() else {
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
    let Some(plugin) = with_plugin() else {
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
    let Some(plugin) = with_plugin() else {
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
    let slice = |line: &str, more: &[&Path]| {
        let asked = format!("{}:{line}", source.display());
        let mut command = std::process::Command::new(tests::stopped::hindmost());
        command
            .args(["slice", &asked, "--slice-format", "lines"])
            .args(more);
        let output = command.output().unwrap_or_else(|error| panic!("{error}"));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, lines, said) = slice("31", &[Path::new("--exe"), &exe]);
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
    slices_of_a_hung_job(&exe, &source);
}

/// What brought rank 1 of a job that hangs to its line: in the terminal, and in an editor that has the map alone, which says where the program is.
fn slices_of_a_hung_job(exe: &Path, source: &Path) {
    // The test of the step and the rank, the rank, the step, and the call.
    const BROUGHT: [u64; 4] = [12, 26, 28, 29];
    let beside = |name: &str| source.with_file_name(name).to_string_lossy().into_owned();
    let (map, snapshot) = (beside("sliced.hmap"), beside("sliced.snapshot"));
    let made = run(hindmost()
        .args(["map", "-q", "--no-cache", "-o", &map, "--exe"])
        .arg(exe));
    assert!(made.status.success(), "{}", said(&made));

    let processes = JobProcesses::new();
    let arguments = ["-np", "4", &exe.to_string_lossy()];
    let mut launcher = launch_as(Mpi::OpenMpi, &arguments, processes.variable());
    let answer = asked_until(launcher.id(), &["--save", &snapshot], &proven);
    let slice = run(hindmost()
        .args([
            "find",
            "--slice",
            "--slice-format",
            "lines",
            "--all",
            "--launcher",
        ])
        .arg(launcher.id().to_string()));
    processes.end();
    launcher.wait().unwrap_or_else(|error| panic!("{error}"));
    answer.unwrap_or_else(|said| panic!("{said}"));
    assert_eq!(slice.status.code(), Some(0), "{}", said(&slice));
    let lines = String::from_utf8_lossy(&slice.stdout).into_owned();
    let has = |line: u64| lines.contains(&format!("sliced.f90:{line}:"));
    assert!(BROUGHT.iter().all(|&line| has(line)), "{lines}");
    assert!(!has(25), "who sets only the error code decides nothing: {lines}");

    let mut editor = Editor::new(hindmost().args(["lsp", "--map", &map, "--snapshot", &snapshot]));
    editor.request(
        "initialize",
        json!({"processId": null, "rootUri": null, "capabilities": {}}),
    );
    editor.notify("initialized", json!({}));
    let mut run = |command: &str| {
        let answer = editor.request("workspace/executeCommand", json!({"command": command}));
        answer["result"].clone()
    };
    let steps = run("hindmost.slice")["steps"].clone();
    let in_editor = steps.as_array().map(Vec::as_slice).unwrap_or_default();
    let shown = Vec::from_iter(in_editor.iter().filter_map(|step| step["line"].as_u64()));
    assert!(BROUGHT.iter().all(|line| shown.contains(line)), "{steps:#}");
    assert!(!shown.contains(&25), "{steps:#}");
    editor.vanish();
}
