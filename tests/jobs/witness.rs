//! What MPI proves where the order of the code cannot: a rank that has not entered the operation that the others wait in.

use crate::hindmost::{launch, my_turn, out, run, said};
use crate::unprepared::{asked_until, compiled, written};
use corpus::{JobProcesses, Mpi};
use serde_json::Value;
use std::path::PathBuf;

/// All ranks are in the same call of the same iteration, as far as the program's own code tells.
const SUMS: &str = r#"
#include <mpi.h>
static void sum(double *mine, double *all, int count, MPI_Comm comm)
{
#ifdef OF_WORLD
    MPI_Allreduce(mine, all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#else
    MPI_Allreduce(mine, all, count, MPI_DOUBLE, MPI_SUM, comm);
#endif
}
int main(int argc, char **argv)
{
    double mine = 1, all;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int step = 0; step < 9; step++)
        sum(&mine, &all, argc, comm);
    MPI_Finalize();
    return 0;
}
"#;

/// A tool that watches MPI, and in which rank 1 is lost before it calls what it watches.
const TOOL: &str = r#"
#include <mpi.h>
volatile int gate = 1;
int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    static int calls;
    int rank;
    PMPI_Comm_rank(comm, &rank);
    if (++calls == 4 && rank == 1)
        while (gate) continue;
    return PMPI_Allreduce(from, to, count, type, op, comm);
}
"#;

fn ask(mpi: Mpi, defines: &[&str], fits: &dyn Fn(i32, &Value) -> bool) -> Value {
    let compiler = match mpi {
        Mpi::OpenMpi => "mpicc.openmpi",
        Mpi::Mpich => "mpicc.mpich",
    };
    let name = mpi.name();
    let tool = compiled(
        compiler,
        &written("tool.c", TOOL),
        &format!("libtool-{name}.so"),
        &["-O1", "-fPIC", "-shared"],
    );
    let tool = tool.to_string_lossy();
    let flags = [&["-g", "-O2", "-Wl,--no-as-needed", &*tool], defines].concat();
    let exe: PathBuf = compiled(
        compiler,
        &written("watched.c", SUMS),
        &format!("watched-{name}"),
        &flags,
    );
    let processes = JobProcesses::new();
    let mut launcher = launch(mpi, 4, &exe, processes.variable());
    let answer = asked_until(launcher.id(), &[], fits);
    processes.end();
    launcher.wait().unwrap_or_else(|error| panic!("{error}"));
    answer.unwrap_or_else(|said| panic!("{name}: {said}"))
}

#[test]
fn a_rank_that_is_lost_in_a_tool_has_not_entered_the_call_it_watches() {
    let _turn = my_turn();
    for mpi in [Mpi::OpenMpi, Mpi::Mpich] {
        let answer = ask(mpi, &["-DOF_WORLD"], &|code, answer| {
            code == 0 && answer["proven"] == true && answer["named"] == "1"
        });
        assert_eq!(answer["by"], "mpi", "{answer:#}");
        let taken = answer["assumptions"].to_string();
        assert!(taken.contains("MPI lets all leave"), "{taken}");
    }
}

/// Who is a member of another communicator nobody knows.
#[test]
fn of_a_communicator_that_is_not_known_it_is_probable() {
    let _turn = my_turn();
    let answer = ask(Mpi::Mpich, &[], &|code, answer| {
        code == 3 && answer["probable"][0]["ranks"] == "1"
    });
    assert_eq!(answer["proven"], false, "{answer:#}");
    assert_eq!(answer["probable"][0]["grounds"], "alone-outside", "{answer:#}");
}

/// A job that moves: nobody is said to be behind for having left a call a moment before the others.
#[test]
fn a_job_that_moves_is_not_judged_by_mpi() {
    let _turn = my_turn();
    let source = SUMS.replace("step < 9", "step < 2000000000");
    let exe = compiled(
        "mpicc.mpich",
        &written("moving.c", &source),
        "moving",
        &["-g", "-O2", "-DOF_WORLD"],
    );
    let processes = JobProcesses::new();
    let mut launcher = launch(Mpi::Mpich, 4, &exe, processes.variable());
    let mut seen = 0;
    for _ in 0..40 {
        std::thread::sleep(std::time::Duration::from_millis(250));
        let output = run(crate::hindmost::hindmost().args([
            "find",
            "--format",
            "json",
            "--launcher",
            &launcher.id().to_string(),
        ]));
        let Ok(answer) = serde_json::from_slice::<Value>(&output.stdout) else {
            continue;
        };
        seen += usize::from(answer["tasks"] == 4);
        assert_ne!(answer["by"], "mpi", "{}", said(&output));
    }
    processes.end();
    launcher.wait().unwrap_or_else(|error| panic!("{error}"));
    assert!(seen > 0, "nothing was seen of the job in {}", out().display());
}
