//! What optimised builds passed to the MPI calls that their ranks are blocked in: peers, tags and roots.
//!
//! The variables that the arguments are made of are gone, or shown by debug info that is not believed; what the caller's
//! description of the call says is left. The truth is in the program: its ranks wait in round 3 for what rank 0 never sends.

use crate::hindmost::{hindmost, launch, my_turn, out, run, said};
use corpus::{JobProcesses, Mpi};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

const PROGRAM: &str = "\
#include <mpi.h>
#include <unistd.h>
volatile int gate = 1;
__attribute__((noinline)) static int ask(const int *from, int neighbour, int round)
{
    int got = 0;
    MPI_Recv(&got, 1, MPI_INT, neighbour - 1, 100 + round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return got + *from;
}
__attribute__((noinline)) static int swap(int to, int from, int round)
{
    int mine = round, theirs = 0;
    MPI_Sendrecv(&mine, 1, MPI_INT, to, 7 * round, &theirs, 1, MPI_INT, from, 7 * round + 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return theirs;
}
int main(int argc, char **argv)
{
    int rank, size, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    alarm(300);
    for (int round = 0; round < 5; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (round < 3)
            continue;
        if (rank == 0)
            while (gate)
                continue;
        else if (rank == 1)
            sum += ask(&sum, rank, round);
        else if (rank == 2)
            sum += swap((rank + 1) % size, (rank + size - 2) % size, round);
        else
            MPI_Bcast(&sum, 1, MPI_INT, (round + 1) % size, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return sum;
}
";

/// A rank, the function that it calls, and what it passes, by role.
type Passed = (&'static str, &'static str, &'static [(&'static str, i64)]);

const TRUTH: [Passed; 3] = [
    (
        "1",
        "MPI_Recv",
        &[("count", 1), ("source", 0), ("receive-tag", 103)],
    ),
    (
        "2",
        "MPI_Sendrecv",
        &[
            ("count", 1),
            ("destination", 3),
            ("send-tag", 21),
            ("source", 0),
            ("receive-tag", 22),
        ],
    ),
    ("3", "MPI_Bcast", &[("count", 1), ("root", 0)]),
];

/// Compiles the program, optimised, in a directory of that name.
pub fn compile(mpi: Mpi, compiler: &str, name: &str) -> PathBuf {
    let directory = out().join(name);
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("calls.c"), PROGRAM).unwrap();
    let wrapper = match mpi {
        Mpi::OpenMpi => "mpicc.openmpi",
        Mpi::Mpich => "mpicc.mpich",
    };
    let built = run(Command::new(wrapper)
        .args(["-g", "-O2", "-o", "calls", "calls.c"])
        .envs([("OMPI_CC", compiler), ("MPICH_CC", compiler)])
        .current_dir(&directory));
    assert!(built.status.success(), "{}", said(&built));
    directory.join("calls")
}

/// What is found below a launcher once all ranks but the first are in their last call; or else what was found last. Who is behind is
/// not asked: compilers do not keep `round` readable everywhere.
pub fn answer_when_hung(launcher: u32) -> Value {
    let mut answer = Value::Null;
    for _ in 0..60 {
        std::thread::sleep(Duration::from_millis(500));
        let found = run(hindmost()
            .args(["find", "--format", "json", "--launcher"])
            .arg(launcher.to_string()));
        answer = serde_json::from_slice(&found.stdout).unwrap_or_else(|_| json!({"error": said(&found)}));
        let classes = answer["classes"].as_array().map_or(&[][..], Vec::as_slice);
        if classes.len() == 4 && classes.iter().filter(|class| class["call"].is_object()).count() == 3 {
            break;
        }
    }
    answer
}

/// Hangs the program and asks for the arguments; `unsaid` are those that the compiler does not describe.
fn check(mpi: Mpi, compiler: &str, unsaid: &[(&str, &str)]) {
    let _turn = my_turn();
    let exe = compile(mpi, compiler, &format!("calls-{mpi:?}-{compiler}"));
    let processes = JobProcesses::new();
    let mut launcher = launch(mpi, 4, &exe, processes.variable());
    let answer = answer_when_hung(launcher.id());
    processes.end();
    launcher.wait().unwrap();
    for (rank, function, arguments) in TRUTH {
        let classes = answer["classes"]
            .as_array()
            .unwrap_or_else(|| panic!("{answer:#}"));
        let class = classes.iter().find(|class| class["ranks"] == rank);
        let call = &class.unwrap_or_else(|| panic!("no class of rank {rank}: {answer:#}"))["call"];
        assert_eq!(call["function"], function, "{answer:#}");
        let said: BTreeMap<&str, i64> = call["arguments"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|argument| Some((argument["role"].as_str()?, argument["value"].as_i64()?)))
            .collect();
        let told: BTreeMap<&str, i64> = arguments
            .iter()
            .copied()
            .filter(|(role, _)| !unsaid.contains(&(rank, role)))
            .collect();
        assert_eq!(said, told, "rank {rank}, {mpi:?}, {compiler}: {call:#}");
    }
}

const TAGS: &str = "\
#pragma once
#define BASE 100
enum Kind { KIND_WORK = BASE + 7, KIND_STOP };
namespace tags {
constexpr int halo = 41;
enum class Step : int { Begin = 60, End };
}
";

const TAGGED: &str = "\
#include <mpi.h>
#include \"tags.hpp\"
volatile int gate = 1;
int main(int argc, char **argv)
{
    int rank, got;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        while (gate)
            continue;
    else if (rank == 1)
        MPI_Recv(&got, 1, MPI_INT, 0, KIND_STOP, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (rank == 2)
        MPI_Recv(&got, 1, MPI_INT, 0, tags::halo, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Recv(&got, 1, MPI_INT, 0, static_cast<int>(tags::Step::End), MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
}
";

#[test]
fn tags_of_a_header_have_their_values() {
    let _turn = my_turn();
    let directory = out().join("calls-tags");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("tags.hpp"), TAGS).unwrap();
    std::fs::write(directory.join("tagged.cpp"), TAGGED).unwrap();
    let built = run(Command::new("mpicxx.openmpi")
        .args(["-g", "-O0", "-o", "tagged", "tagged.cpp"])
        .current_dir(&directory));
    assert!(built.status.success(), "{}", said(&built));
    let processes = JobProcesses::new();
    let mut launcher = launch(Mpi::OpenMpi, 4, &directory.join("tagged"), processes.variable());
    let answer = answer_when_hung(launcher.id());
    processes.end();
    launcher.wait().unwrap();
    let classes = answer["classes"].as_array();
    let classes = classes.unwrap_or_else(|| panic!("{answer:#}"));
    for (rank, expected) in [("1", 108), ("2", 41), ("3", 61)] {
        let class = classes.iter().find(|class| class["ranks"] == rank);
        let call = &class.unwrap_or_else(|| panic!("no class of rank {rank}: {answer:#}"))["call"];
        let arguments = call["arguments"].as_array().unwrap();
        let tag = arguments
            .iter()
            .find(|argument| argument["role"] == "receive-tag");
        assert_eq!(tag.unwrap()["value"], expected, "{call:#}");
    }
}

#[test]
fn of_gcc_under_open_mpi() {
    check(Mpi::OpenMpi, "gcc", &[("2", "destination"), ("3", "root")]);
}

#[test]
fn of_clang_under_mpich() {
    check(
        Mpi::Mpich,
        "clang",
        &[("2", "destination"), ("2", "source"), ("3", "root")],
    );
}
