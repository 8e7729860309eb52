//! A job that nobody has prepared, recorded and traced: its functions are rewritten, and what it calls of MPI is in the traces, because the recorder tells of it.

use crate::hindmost::{hindmost, my_turn, out, run, said};
use crate::unprepared::{compiled, written};
use crate::waits::recorder_of;
use corpus::Mpi;
use serde_json::{Value, json};

const PROGRAM: &str = r#"
#include <mpi.h>
__attribute__((noinline)) static void shift(int rank, int size)
{
    int mine = rank, got;
    MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}
__attribute__((noinline)) static void step(int rank, int size)
{
    double mine = 1, all;
    for (int i = 0; i < 3; i++) shift(rank, size);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 7; i++) step(rank, size);
    if (rank == 1) MPI_Barrier(MPI_COMM_SELF);
    MPI_Finalize();
    return 0;
}
"#;

#[test]
fn calls_of_mpi_are_in_the_traces_of_a_recorded_job() {
    let _turn = my_turn();
    let source = written("traced.c", PROGRAM);
    let exe = compiled("mpicc.openmpi", &source, "traced-sums", &["-O2"]);
    let recorder = recorder_of(Mpi::OpenMpi);
    let own = std::env::current_exe().unwrap();
    let tracer = own.with_file_name("libruntime_trace.so");
    let directory = out().join("traced");
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    let (records, traces) = (directory.join("records"), directory.join("traces"));
    let mut job = hindmost();
    job.arg("run")
        .arg("--recorder")
        .arg(recorder)
        .arg("--record")
        .arg(&records);
    job.arg("--trace").arg(&traces).arg("--tracer").arg(tracer);
    job.args([
        "--rewrite",
        "traced-sums",
        "--",
        "mpirun.openmpi",
        "--oversubscribe",
        "-np",
        "2",
    ]);
    job.arg(&exe)
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    let output = run(&mut job);
    assert!(output.status.success(), "{}", said(&output));
    let tree = run(hindmost()
        .args(["trace", "tree", "--format", "json"])
        .arg(&traces));
    let tree: Value = serde_json::from_slice(&tree.stdout).unwrap_or_else(|_| panic!("{}", said(&tree)));
    let paths = tree["paths"].as_array().unwrap();
    let caller = |path: &Value| {
        let parent = path["parent"]
            .as_u64()
            .map(|parent| &paths[parent as usize]["function"]);
        parent.cloned().unwrap_or_default()
    };
    let found = Vec::from_iter(
        paths
            .iter()
            .map(|path| (caller(path), path["function"].clone(), path["counts"].clone())),
    );
    for (by, function, counts) in [
        ("main", "MPI_Init", [1, 1]),
        ("main", "step", [7, 7]),
        ("step", "shift", [21, 21]),
        ("shift", "MPI_Sendrecv", [21, 21]),
        ("step", "MPI_Allreduce", [7, 7]),
        ("main", "MPI_Barrier", [0, 1]),
        ("main", "MPI_Finalize", [1, 1]),
    ] {
        let expected = (json!(by), json!(function), json!(counts));
        assert!(found.contains(&expected), "{expected:?} is not in {found:?}");
    }
    let outliers = run(hindmost()
        .args(["trace", "diff", "--only", "mpi", "--format", "json"])
        .arg(&traces)
        .args(["1", "0"]));
    let outliers: Value =
        serde_json::from_slice(&outliers.stdout).unwrap_or_else(|_| panic!("{}", said(&outliers)));
    assert_eq!(
        outliers["telling"]["counts"],
        json!([{"function": "MPI_Barrier", "counts": [1, 0]}])
    );
}
