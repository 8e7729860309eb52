//! Jobs that nobody prepared: without `-g`, stripped, in another language, of several programs, with a rank that cannot run. There is
//! always an answer, and it says what kept it from being proven.

use crate::hindmost::{hindmost, launch, launch_as, my_turn, out, run, said};
use corpus::{JobProcesses, Mpi};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Rank 1 stays away from the fourth sum; where its own code has a line, that is line 6.
const SUMS: &str = r#"
#include <mpi.h>
volatile int gate = 1;
__attribute__((noinline)) void stay_away(void)
{
    while (gate) continue;
}
int main(int argc, char **argv)
{
    int rank;
    double mine = 1, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < 9; step++) {
        if (rank == 1 && step == 3)
            stay_away();
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
"#;

const FORTRAN: &str = "\
      subroutine stay_away(gate)
      integer :: gate
      do while (gate .eq. 1)
      end do
      end subroutine
      program sums
      include 'mpif.h'
      integer :: rank, ierr, step, gate
      double precision :: mine, all
      gate = 1
      mine = 1
      call MPI_Init(ierr)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
      do step = 1, 9
        if (rank .eq. 1 .and. step .eq. 4) call stay_away(gate)
        call MPI_Allreduce(mine, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
      end do
      call MPI_Finalize(ierr)
      end program
";

const PYTHON: &str = "\
from mpi4py import MPI
world = MPI.COMM_WORLD
for step in range(9):
    while world.rank == 1 and step == 3:
        pass
    world.allreduce(1.0)
";

pub fn written(name: &str, text: &str) -> PathBuf {
    let directory = out().join("unprepared");
    std::fs::create_dir_all(&directory).unwrap_or_else(|error| panic!("{error}"));
    let path = directory.join(name);
    std::fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    path
}

#[track_caller]
pub fn compiled(compiler: &str, source: &Path, name: &str, flags: &[&str]) -> PathBuf {
    let exe = source.with_file_name(name);
    let mut command = Command::new(compiler);
    let output = run(command.args(flags).arg("-o").arg(&exe).arg(source));
    assert!(output.status.success(), "{command:?}: {}", said(&output));
    exe
}

/// Starts a job of four ranks, and asks until `fits` says that it has come as far as it will.
#[track_caller]
pub fn ask(mpi: Mpi, exe: &Path, fits: &dyn Fn(i32, &Value) -> bool) -> Value {
    ask_as(mpi, &["-np", "4", &exe.to_string_lossy()], fits)
}

/// The same with the launcher's own arguments.
#[track_caller]
fn ask_as(mpi: Mpi, arguments: &[&str], fits: &dyn Fn(i32, &Value) -> bool) -> Value {
    let processes = JobProcesses::new();
    let mut launcher = launch_as(mpi, arguments, processes.variable());
    let answer = asked_until(launcher.id(), &[], fits);
    processes.end();
    launcher.wait().unwrap_or_else(|error| panic!("{error}"));
    answer.unwrap_or_else(|said| panic!("{arguments:?}: {said}"))
}

pub fn asked_until(
    launcher: u32,
    more: &[&str],
    fits: &dyn Fn(i32, &Value) -> bool,
) -> Result<Value, String> {
    let mut last = String::new();
    // A job of four ranks takes a second to start, on a busy machine many.
    for _ in 0..120 {
        std::thread::sleep(Duration::from_millis(500));
        let output = run(hindmost()
            .args(["find", "--format", "json", "--launcher", &launcher.to_string()])
            .args(more));
        last = said(&output);
        if let (Some(code), Ok(answer)) = (output.status.code(), serde_json::from_slice(&output.stdout))
            && fits(code, &answer)
        {
            return Ok(answer);
        }
    }
    Err(last)
}

/// Whether rank 1 is named as probable, because it alone is outside of the sum.
fn probably_rank_1(code: i32, answer: &Value) -> bool {
    let named = &answer["probable"][0];
    code == 3
        && answer["proven"] == false
        && answer["by"] == "state"
        && answer["probable"].as_array().is_some_and(|all| all.len() == 1)
        && named["ranks"] == "1"
        && named["grounds"] == "alone-outside"
}

#[track_caller]
fn check_reason(answer: &Value, words: &str) {
    let doubt = answer["probable"][0]["doubt"].as_str().unwrap_or_default();
    assert!(doubt.contains(words), "no '{words}' in: {doubt}");
}

#[test]
fn without_debug_info() {
    let _turn = my_turn();
    let source = written("plain.c", SUMS);
    for (mpi, compiler) in [(Mpi::OpenMpi, "mpicc.openmpi"), (Mpi::Mpich, "mpicc.mpich")] {
        let exe = compiled(compiler, &source, &format!("plain-{}", mpi.name()), &["-O2"]);
        let answer = ask(mpi, &exe, &probably_rank_1);
        check_reason(&answer, "no debug info: rebuild with -g");
        assert_eq!(answer["probable"][0]["function"], "stay_away", "{answer:#}");
    }
}

#[test]
fn stripped_of_all_names() {
    let _turn = my_turn();
    let exe = compiled(
        "mpicc.openmpi",
        &written("stripped.c", SUMS),
        "stripped",
        &["-O2", "-s"],
    );
    let answer = ask(Mpi::OpenMpi, &exe, &probably_rank_1);
    assert_eq!(answer["probable"][0]["function"], "stripped", "{answer:#}");
    assert_eq!(answer["outcome"], "not-placed", "{answer:#}");
}

#[test]
fn with_its_sources_elsewhere() {
    let _turn = my_turn();
    let source = written("elsewhere.c", SUMS);
    let exe = compiled("mpicc.openmpi", &source, "elsewhere", &["-g", "-O1"]);
    std::fs::remove_file(&source).unwrap_or_else(|error| panic!("{error}"));
    let answer = ask(Mpi::OpenMpi, &exe, &probably_rank_1);
    check_reason(&answer, "none of the sources");
    // The debug info tells lines all the same.
    assert_eq!(answer["probable"][0]["line"], 6, "{answer:#}");
    let file = answer["probable"][0]["file"].as_str().unwrap_or_default();
    assert!(file.ends_with("elsewhere.c"), "{file}");
}

#[test]
fn in_fortran() {
    let _turn = my_turn();
    let exe = compiled(
        "mpif90.openmpi",
        &written("sums.f90", FORTRAN),
        "fortran",
        &["-g", "-O0", "-ffree-form"],
    );
    let others_wait = |answer: &Value| {
        let classes = answer["classes"].as_array();
        let waiting = classes.and_then(|classes| classes.iter().find(|class| class["ranks"] == "0,2-3"));
        waiting.is_some_and(|class| class["frames"].to_string().contains("\"MPI_Allreduce\""))
    };
    let answer = ask(Mpi::OpenMpi, &exe, &|code, answer| {
        probably_rank_1(code, answer) && others_wait(answer)
    });
    assert!(answer["probable"][0]["line"].as_u64() > Some(0), "{answer:#}");
    check_reason(&answer, "Fortran");
}

#[test]
fn in_python() {
    let _turn = my_turn();
    let script = written("sums.py", PYTHON);
    let arguments = ["-np", "4", "/usr/bin/python3", &script.to_string_lossy()];
    ask_as(Mpi::OpenMpi, &arguments, &probably_rank_1);
}

#[test]
fn of_two_programs() {
    let _turn = my_turn();
    // With debug info there is a map of one of them, and what it says is not said of the other.
    let second = written("two.c", &format!("\n\n{}", SUMS.replace("stay_away", "linger")));
    for flags in [&["-O2"][..], &["-g", "-O2"]] {
        let one = compiled("mpicc.openmpi", &written("one.c", SUMS), "first", flags);
        let two = compiled("mpicc.openmpi", &second, "second", flags);
        let (one, two) = (one.to_string_lossy(), two.to_string_lossy());
        let arguments = ["-np", "2", &one, ":", "-np", "2", &two];
        if flags.len() == 1 {
            ask_as(Mpi::OpenMpi, &arguments, &probably_rank_1);
            continue;
        }
        // The map is of the first, in which rank 1 is behind rank 0; those of the other have no place in the order.
        let behind =
            |code: i32, answer: &Value| code == 3 && answer["named"] == "1" && answer["by"] == "order";
        let answer = ask_as(Mpi::OpenMpi, &arguments, &behind);
        assert_eq!(answer["hindmost"][0]["line"], 6, "{answer:#}");
        let why = answer["unreadable"][0]["error"].as_str().unwrap_or_default();
        assert_eq!(
            why,
            "it runs second, and the map is of first: nothing but MPI orders tasks of different programs"
        );
        let classes = answer["classes"].as_array().into_iter().flatten();
        for class in classes {
            let own = if class["ranks"] == "2-3" { "two.c" } else { "one.c" };
            assert!(
                class["frames"][0]["file"]
                    .as_str()
                    .is_some_and(|file| file.ends_with(own)),
                "{answer:#}"
            );
        }
    }
}

/// All ranks pass through one loop; rank 2 is stopped in it.
const ROUNDS: &str = r#"
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    double mine = 1, all;
    MPI_Init(&argc, &argv);
    for (;;) {
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        usleep(1000);
    }
}
"#;

#[test]
fn with_a_stopped_rank() {
    let _turn = my_turn();
    let source = written("rounds.c", ROUNDS);
    for (flags, more) in [(["-g", "-O2"], &["--twice", "1s"][..]), (["-g0", "-O2"], &[])] {
        let exe = compiled("mpicc.openmpi", &source, "rounds", &flags);
        let processes = JobProcesses::new();
        let mut launcher = launch(Mpi::OpenMpi, 4, &exe, processes.variable());
        let whole = |_: i32, answer: &Value| {
            answer["tasks"] == 4 && answer["missing_ranks"] == "" && answer["classes"][0]["state"].is_object()
        };
        let running = asked_until(launcher.id(), &[], &whole);
        let rank = |pid: &&u32| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment
                .split(|&byte| byte == 0)
                .any(|entry| entry == b"OMPI_COMM_WORLD_RANK=2")
        };
        let stopped = processes.pids().iter().find(rank).copied();
        let send = |signal: &str| {
            let pid = stopped.map(|pid| pid.to_string()).unwrap_or_default();
            let _ = Command::new("kill").args([signal, &pid]).status();
        };
        send("-STOP");
        let named = |code: i32, answer: &Value| {
            code == 0 && answer["named"] == "2" && answer["by"] == "state" && answer["proven"] == true
        };
        let answer = running.and_then(|_| asked_until(launcher.id(), more, &named));
        send("-CONT");
        processes.end();
        launcher.wait().unwrap_or_else(|error| panic!("{error}"));
        let answer = answer.unwrap_or_else(|said| panic!("{said}"));
        assert_eq!(answer["halted"][0]["why"], "signal", "{answer:#}");
        assert_eq!(answer["trouble"]["kind"], "cannot-run", "{answer:#}");
        assert!(
            answer["next"]
                .as_str()
                .is_some_and(|next| next.starts_with("kill -CONT ")),
            "{answer:#}"
        );
        if !more.is_empty() {
            assert_eq!(answer["motion"]["diagnosis"], "halted", "{answer:#}");
        }
    }
}

/// The main thread of rank 1 ends, and another of its threads lives on.
const LEFT: &str = r#"
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>
static void *wait_for_nothing(void *unused)
{
    for (;;) pause();
    return unused;
}
int main(int argc, char **argv)
{
    int rank, provided;
    double mine = 1, all;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        pthread_create(&thread, 0, wait_for_nothing, 0);
        pthread_exit(0);
    }
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"#;

#[test]
fn whose_main_thread_has_ended() {
    let _turn = my_turn();
    let exe = compiled(
        "mpicc.openmpi",
        &written("left.c", LEFT),
        "left",
        &["-g", "-O2", "-pthread"],
    );
    let answer = ask(Mpi::OpenMpi, &exe, &probably_rank_1);
    check_reason(&answer, "main thread");
    assert_eq!(answer["missing_ranks"], "", "{answer:#}");
}

#[test]
fn with_one_build_id_for_all_builds() {
    let _turn = my_turn();
    let fixed = "-Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567";
    let source = written("fixed.c", SUMS);
    let proven = |code: i32, answer: &Value| code == 0 && answer["named"] == "1" && answer["by"] == "order";
    let exe = compiled("mpicc.openmpi", &source, "fixed", &["-g", "-O1", fixed]);
    let first = ask(Mpi::OpenMpi, &exe, &proven);
    assert_eq!(first["hindmost"][0]["line"], 6, "{first:#}");
    // The same program three lines further down, and built otherwise: the map that was kept is of no use.
    let source = written(
        "fixed.c",
        &format!("\n\n\n{SUMS}").replace("step == 3", "step == 4"),
    );
    let exe = compiled("mpicc.openmpi", &source, "fixed", &["-g", "-O1", fixed]);
    let second = ask(Mpi::OpenMpi, &exe, &proven);
    assert_eq!(second["hindmost"][0]["line"], 9, "{second:#}");
}

/// Calls a function in C in each step.
pub const STEPS: &str = "program steps
  use mpi
  use iso_c_binding
  implicit none
  interface
     subroutine kernel(step, rank) bind(c)
       use iso_c_binding
       integer(c_int), value :: step, rank
     end subroutine
  end interface
  integer :: step, rank, failed
  call MPI_Init(failed)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, failed)
  do step = 0, 9
     call kernel(step, rank)
  end do
  call MPI_Finalize(failed)
end program
";
pub const KERNEL: &str = "#include <unistd.h>

void kernel(int step, int rank)
{
    if (step == 4 && rank == 1)
        pause();
    if (step == 3 && rank != 1)
        pause();
}
";

/// Rank 1 is a step ahead, at an earlier line of what the steps call. Of the loop in Fortran no map knows anything: nobody is proven to be behind, or by
/// the machine code those who are.
#[test]
fn whose_steps_are_in_fortran_and_whose_work_is_in_c() {
    let _turn = my_turn();
    let kernel = written("kernel.c", KERNEL);
    let flags = ["-g", "-O0", "-ffree-form", &kernel.to_string_lossy()];
    let exe = compiled("mpif90.openmpi", &written("steps.f90", STEPS), "steps", &flags);
    let stands = |_: i32, answer: &Value| {
        let mut ranks = answer["classes"].as_array().into_iter().flatten();
        ranks.any(|class| class["ranks"] == "0,2-3") && answer["tasks"] == 4
    };
    let answer = ask(Mpi::OpenMpi, &exe, &stands);
    let proven = answer["hindmost"].as_array().into_iter().flatten();
    let proven = Vec::from_iter(proven.map(|class| &class["ranks"]));
    assert!(proven.iter().all(|ranks| **ranks == "0,2-3"), "{answer:#}");
    let frames = answer["classes"][0]["frames"].to_string();
    assert!(frames.contains("steps.f90"), "{frames}");
}
