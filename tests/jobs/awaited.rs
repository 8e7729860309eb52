//! Whom the hindmost waits for: the answer names the rank that is behind, and the one to look at.

use crate::hindmost::{launch, my_turn};
use crate::unprepared::{asked_until, compiled, written};
use corpus::{JobProcesses, Mpi};
use serde_json::Value;

/// Rank 1 waits for a message of rank 2, which is ahead of it and does not send it. `THEIR_COMM` is replaced before it is compiled: what a command line
/// defines, the map does not know.
const LATE: &str = r#"
#include <mpi.h>
#include <unistd.h>
volatile int gate = 1;
static void lost(void)
{
#ifdef READS
    int ends[2];
    char byte;
    if (pipe(ends) == 0 && read(ends[0], &byte, 1) == 1)
        gate = 0;
#endif
    while (gate)
        continue;
}
int main(int argc, char **argv)
{
    int rank, token = 0;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int from = rank + 1, to = rank + 1;
    if (rank == 1)
        MPI_Recv(&token, 1, MPI_INT, from, 7, THEIR_COMM, MPI_STATUS_IGNORE);
#ifdef CHAIN
    if (rank == 2)
        MPI_Ssend(&token, 1, MPI_INT, to, 9, MPI_COMM_WORLD);
#endif
    if (rank == LOST)
        lost();
#ifndef FORGOTTEN
    if (rank == 2)
        MPI_Send(&token, 1, MPI_INT, 1, 7, THEIR_COMM);
#endif
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return to + from == argc;
}
"#;

const WORLD: &str = "MPI_COMM_WORLD";

/// Rank 1 is proven to be behind, and says whom it waits for.
#[track_caller]
fn ask(mpi: Mpi, (name, communicator): (&str, &str), flags: &[&str], fits: &dyn Fn(&Value) -> bool) -> Value {
    let compiler = match mpi {
        Mpi::OpenMpi => "mpicc.openmpi",
        Mpi::Mpich => "mpicc.mpich",
    };
    let flags = [&["-g"], flags].concat();
    let name = format!("{name}-{}", mpi.name());
    let source = written(
        &format!("{communicator}.c"),
        &LATE.replace("THEIR_COMM", communicator),
    );
    let exe = compiled(compiler, &source, &name, &flags);
    let processes = JobProcesses::new();
    let mut launcher = launch(mpi, 4, &exe, processes.variable());
    let answer = asked_until(launcher.id(), &[], &|code, answer| {
        code == 0 && answer["by"] == "order" && answer["named"] == "1" && fits(&answer["awaited"])
    });
    processes.end();
    launcher.wait().unwrap_or_else(|error| panic!("{error}"));
    answer.unwrap_or_else(|said| panic!("{name}: {said}"))
}

fn is_culprit(awaited: &Value, rank: &str, by: &str) -> bool {
    awaited["culprit"]["ranks"] == rank && awaited["culprit"]["by"] == by
}

fn calls(answer: &Value) -> Vec<String> {
    let chain = answer["awaited"]["chain"].as_array().cloned().unwrap_or_default();
    let words = chain.iter().map(|wait| {
        let word = |field: &str| wait[field].as_str().unwrap_or_default().to_owned();
        format!("{} {} {}", word("ranks"), word("call"), word("for_ranks"))
    });
    words.collect()
}

#[test]
fn the_rank_that_it_waits_for_is_the_one_to_look_at() {
    let _turn = my_turn();
    for mpi in [Mpi::OpenMpi, Mpi::Mpich] {
        let flags = ["-O0", "-DLOST=2"];
        let answer = ask(mpi, ("late", WORLD), &flags, &|awaited| {
            is_culprit(awaited, "2", "arguments")
        });
        assert_eq!(calls(&answer), ["1 MPI_Recv 2"], "{answer:#}");
        let culprit = &answer["awaited"]["culprit"];
        assert_eq!(
            (&culprit["proven"], &culprit["function"]),
            (&true.into(), &"lost".into())
        );
        assert_eq!(answer["trouble"]["kind"], "computing", "{answer:#}");
        assert_eq!(answer["trouble"]["ranks"], "2");
        // Whoever attaches a debugger does it there.
        let class = usize::try_from(culprit["classes"][0].as_u64().unwrap()).unwrap();
        assert_eq!(answer["classes"][class]["state"]["pids"][0], culprit["pid"]);
        let next = answer["next"].as_str().unwrap();
        assert!(
            next.contains(&format!("gdb -p {} looks into rank 2", culprit["pid"])),
            "{next}"
        );
        let sentence = answer["awaited"]["sentence"].as_str().unwrap();
        assert!(
            sentence.starts_with(
                "Rank 1 waits in MPI_Recv (MPI_COMM_WORLD.c:25) for rank 2, which is ahead of it at MPI_COMM_WORLD.c:"
            ),
            "{sentence}"
        );
        assert!(
            sentence.ends_with("does not wait in MPI: look at rank 2."),
            "{sentence}"
        );
    }
}

#[test]
fn who_is_waited_for_may_be_in_io() {
    let _turn = my_turn();
    for mpi in [Mpi::OpenMpi, Mpi::Mpich] {
        let flags = ["-O0", "-DLOST=2", "-DREADS"];
        let answer = ask(mpi, ("late-reads", WORLD), &flags, &|awaited| {
            is_culprit(awaited, "2", "arguments") && awaited["culprit"]["callee"].is_string()
        });
        assert_eq!(answer["trouble"]["kind"], "input-output", "{answer:#}");
        let sentence = answer["trouble"]["sentence"].as_str().unwrap();
        assert_eq!(sentence, "Rank 2 is in I/O, in the system call read.");
    }
}

#[test]
fn a_chain_of_waits_leads_to_its_end() {
    let _turn = my_turn();
    for mpi in [Mpi::OpenMpi, Mpi::Mpich] {
        let flags = ["-O0", "-DLOST=3", "-DCHAIN"];
        let answer = ask(mpi, ("late-chain", WORLD), &flags, &|awaited| {
            is_culprit(awaited, "3", "arguments") && awaited["chain"][1].is_object()
        });
        assert_eq!(calls(&answer), ["1 MPI_Recv 2", "2 MPI_Ssend 3"], "{answer:#}");
    }
}

/// In another communicator rank 2 may be anybody.
#[test]
fn where_the_call_does_not_tell_the_only_one_outside_is_probable() {
    let _turn = my_turn();
    for mpi in [Mpi::OpenMpi, Mpi::Mpich] {
        for level in ["-O0", "-O2"] {
            let flags = [level, "-DLOST=2"];
            let name = format!("late-elsewhere{level}");
            let answer = ask(mpi, (&name, "comm"), &flags, &|awaited| {
                is_culprit(awaited, "2", "only-one-outside")
            });
            assert_eq!(answer["awaited"]["culprit"]["proven"], false, "{answer:#}");
        }
    }
}

/// A message was forgotten, and its sender stands where it needs who waits for it.
#[test]
fn ranks_that_wait_for_each_other_are_a_cycle() {
    let _turn = my_turn();
    for mpi in [Mpi::OpenMpi, Mpi::Mpich] {
        let flags = ["-O0", "-DLOST=9", "-DFORGOTTEN"];
        let answer = ask(mpi, ("late-forgotten", WORLD), &flags, &|awaited| {
            awaited["end"] == "cycle"
        });
        assert_eq!(calls(&answer), ["1 MPI_Recv 2", "2 MPI_Barrier 1"], "{answer:#}");
        let sentence = answer["awaited"]["sentence"].as_str().unwrap();
        let trouble = &answer["trouble"];
        assert_eq!(
            (&trouble["kind"], &trouble["ranks"]),
            (&"each-other".into(), &"1-2".into())
        );
        // The only send that fits is behind it; the other one has another tag.
        let sends = &answer["awaited"]["chain"][0]["sends"];
        assert_eq!(sends["coming"], "never", "{answer:#}");
        let sites = sends["sites"].as_array().unwrap();
        assert_eq!(
            (sites.len(), &sites[0]["call"]),
            (1, &"MPI_Send".into()),
            "{sends:#}"
        );
        let line = sites[0]["line"].to_string();
        assert!(
            sentence.ends_with(&format!(
                "Rank 2 can come to no send any more that rank 1 would receive: that message is lost, or it has gone past MPI_Send \
                 (MPI_COMM_WORLD.c:{line})."
            )),
            "{sentence}"
        );
    }
}
