//! Two moments of a job: a job that spins, one that is deadlocked, and one that is only slow.

use crate::hindmost::{compile, hindmost, hung, launch, my_turn, out, run, said};
use corpus::{JobProcesses, Mpi, Program, Stall};
use serde_json::Value;
use std::process::Command;
use std::time::Duration;

fn twice(launcher: u32) -> Result<Value, String> {
    let output = run(hindmost()
        .args(["find", "--twice", "1s", "--format", "json", "--launcher"])
        .arg(launcher.to_string()));
    serde_json::from_slice(&output.stdout).map_err(|error| format!("{error}: {}", said(&output)))
}

fn of_stalled(mpi: Mpi, place: &str) -> Value {
    let exe = compile(Program::Poisson, mpi, "-O2");
    let stall = Stall {
        rank: 2,
        iteration: 9,
        place,
    };
    let job = hung(&exe, mpi, 4, stall);
    twice(job.launcher()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_rank_that_spins() {
    let _turn = my_turn();
    for mpi in [Mpi::OpenMpi, Mpi::Mpich] {
        let answer = of_stalled(mpi, "get_norm");
        let motion = &answer["motion"];
        assert_eq!(motion["diagnosis"], "in-place", "{mpi:?}: {motion:#}");
        assert_eq!(answer["hindmost"][0]["ranks"], "2", "{answer:#}");
        assert_eq!(motion["classes"][0]["in_place"], 1, "{motion:#}");
        for class in motion["classes"].as_array().unwrap() {
            assert_eq!(class["moving"], 0, "{motion:#}");
        }
    }
}

#[test]
fn a_deadlock() {
    let _turn = my_turn();
    for mpi in [Mpi::OpenMpi, Mpi::Mpich] {
        let answer = of_stalled(mpi, "lost_norm");
        assert_eq!(answer["motion"]["diagnosis"], "deadlock", "{mpi:?}: {answer:#}");
    }
}

const SLOW: &str = "\
#include <mpi.h>
#include <unistd.h>
static double work(int rank, int step) {
    if (rank == 1)
        usleep(100000);
    return rank * step;
}
int main(int argc, char **argv) {
    int rank;
    double mine, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (volatile int step = 0; step < 100000; step++) {
        mine = work(rank, step);
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
";

#[test]
fn a_slow_rank_is_not_a_hung_one() {
    let _turn = my_turn();
    let (source, exe) = (out().join("slow.c"), out().join("slow"));
    std::fs::write(&source, SLOW).unwrap();
    let built = Command::new("mpicc.openmpi")
        .args(["-g", "-O1", "-o"])
        .arg(&exe)
        .arg(&source)
        .status();
    assert!(built.unwrap().success());
    let processes = JobProcesses::new();
    let mut launcher = launch(Mpi::OpenMpi, 3, &exe, processes.variable());
    // Until there are ranks in the loop it says something else.
    let mut answer = Value::Null;
    for _ in 0..60 {
        std::thread::sleep(Duration::from_secs(1));
        answer = twice(launcher.id()).unwrap_or_default();
        if answer["motion"]["diagnosis"] == "slow" {
            break;
        }
    }
    processes.end();
    launcher.wait().unwrap();
    let motion = &answer["motion"];
    assert_eq!(motion["diagnosis"], "slow", "{answer:#}");
    let moved = |class: &Value| {
        let number = |text: &Value| text.as_str()?.strip_prefix("step=")?.parse::<i64>().ok();
        Some(number(&class["to"])? - number(&class["from"])?)
    };
    let steps = moved(&motion["classes"][0]).unwrap();
    assert!(steps > 0, "{motion:#}");
}
