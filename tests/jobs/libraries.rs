//! A solver in a shared object, called by a program, under MPI: the loops of both order the ranks.

use crate::hindmost::{hindmost, launch, my_turn, named, out, run, said};
use corpus::{JobProcesses, Mpi};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const SOLVER: &str = "\
#include <mpi.h>
volatile int solver_gate = 1;
static double residual(const double *x, int n)
{
    double sum = 0, all;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}
double solver_run(double *x, int n, int stalls)
{
    double r = 0;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int it = 0; it < 50; it++) {
        for (int i = 0; i < n; i++)
            x[i] = 0.5 * x[i] + it;
        if (stalls && rank == 2 && it == 33)
            while (solver_gate)
                continue;
        r = residual(x, n);
    }
    return r;
}
";

const PROGRAM: &str = "\
#include <mpi.h>
#include <unistd.h>
double solver_run(double *x, int n, int stalls);
static double x[100];
int main(int argc, char **argv)
{
    double sum = 0;
    MPI_Init(&argc, &argv);
    alarm(300);
    for (int step = 0; step < 20; step++)
        sum += solver_run(x, 100, step == 7);
    MPI_Finalize();
    return sum > 0;
}
";

fn compile(mpi: Mpi, directory: &Path) -> PathBuf {
    let compiler = match mpi {
        Mpi::OpenMpi => "mpicc.openmpi",
        Mpi::Mpich => "mpicc.mpich",
    };
    let build = |arguments: &[&str]| {
        let output = run(Command::new(compiler)
            .args(["-g", "-O2"])
            .args(arguments)
            .current_dir(directory));
        assert!(output.status.success(), "{}", said(&output));
    };
    std::fs::create_dir_all(directory).unwrap();
    std::fs::write(directory.join("solver.c"), SOLVER).unwrap();
    std::fs::write(directory.join("app.c"), PROGRAM).unwrap();
    build(&["-fPIC", "-shared", "-o", "libsolver.so", "solver.c"]);
    let rpath = format!("-Wl,-rpath,{}", directory.display());
    build(&["-o", "app", "app.c", "-L.", "-lsolver", &rpath]);
    directory.join("app")
}

fn check(mpi: Mpi) {
    let _turn = my_turn();
    let directory = out().join(format!("libraries-{mpi:?}"));
    let exe = compile(mpi, &directory);
    let processes = JobProcesses::new();
    let mut launcher = launch(mpi, 4, &exe, processes.variable());
    let ask = |arguments: &[&str]| {
        let mut find = hindmost();
        find.args(["find", "--format", "json", "--launcher"])
            .arg(launcher.id().to_string());
        named(find.args(arguments))
    };
    // Until all ranks have come to the end of their way it says something else.
    let mut answer = Err(String::new());
    for _ in 0..100 {
        std::thread::sleep(Duration::from_millis(500));
        answer = ask(&[]);
        // Every step has an iteration of this number, which a job that is still on its way may be in.
        let is_there = |values: &Value| values["step"] == 7 && values["it"] == 33;
        if answer
            .as_ref()
            .is_ok_and(|answer| is_there(&answer["hindmost"][0]["values"]))
        {
            break;
        }
    }
    let is_right = |answer: &Value| {
        let hindmost = &answer["hindmost"][0];
        assert_eq!(hindmost["ranks"], "2", "{answer:#}");
        assert_eq!(hindmost["function"], "solver_run", "{answer:#}");
        assert_eq!(hindmost["values"]["it"], 33, "{answer:#}");
        assert_eq!(hindmost["values"]["step"], 7, "{answer:#}");
        assert_eq!(answer["tasks"], 4, "{answer:#}");
    };
    is_right(&answer.unwrap());

    let map = directory.join("both.hmap");
    let made = run(hindmost()
        .args(["map", "--quiet", "--exe"])
        .arg(&exe)
        .arg("--library")
        .arg(directory.join("libsolver.so"))
        .arg("-o")
        .arg(&map));
    assert!(made.status.success(), "{}", said(&made));
    is_right(&ask(&["--map", map.to_str().unwrap()]).unwrap());
    processes.end();
    launcher.wait().unwrap();
}

#[test]
fn of_open_mpi() {
    check(Mpi::OpenMpi);
}

#[test]
fn of_mpich() {
    check(Mpi::Mpich);
}
