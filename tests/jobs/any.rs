//! Tasks that wait for any of several operations: under MPICH the entry points of these are one jump to a function without a name.

use crate::hindmost::{launch_as, my_turn};
use crate::unprepared::{asked_until, compiled, written};
use corpus::{JobProcesses, Mpi};

/// Rank 1 stays away before it sends to everybody, who wait for any message of two.
const ANY: &str = r#"
#include <mpi.h>
volatile int gate = 1;
__attribute__((noinline)) void stay_away(void)
{
    while (gate) continue;
}
int main(int argc, char **argv)
{
    int rank, size, which[2], done, got[2], step = argc;
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (; step < 9; step *= 2) {
        if (rank == 1 && step == 4)
            stay_away();
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&got[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
        if (rank == 1)
            for (int to = 0; to < size; to++)
                for (int tag = 0; tag < 2; tag++)
                    MPI_Send(&step, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
        for (int left = 2; left > 0; left -= done) {
            done = 1;
#if WAY == 0
            MPI_Waitany(2, requests, which, MPI_STATUS_IGNORE);
#elif WAY == 1
            MPI_Waitsome(2, requests, &done, which, MPI_STATUSES_IGNORE);
#elif WAY == 2
            MPI_Testany(2, requests, which, &done, MPI_STATUS_IGNORE);
#else
            MPI_Testsome(2, requests, &done, which, MPI_STATUSES_IGNORE);
#endif
        }
    }
    MPI_Finalize();
    return 0;
}
"#;

#[track_caller]
fn waits_in(mpi: Mpi, ways: &[(u32, &str)]) {
    let _turn = my_turn();
    let (compiler, name) = match mpi {
        Mpi::OpenMpi => ("mpicc.openmpi", "openmpi"),
        Mpi::Mpich => ("mpicc.mpich", "mpich"),
    };
    let source = written("any.c", ANY);
    // Without lines only the stacks tell who waits.
    for (flags, debug) in [(&["-O2", "-s"][..], "stripped"), (&["-O2", "-g"], "debug")] {
        for (way, operation) in ways {
            let define = format!("-DWAY={way}");
            let flags = [flags, &[&define]].concat();
            let exe = compiled(compiler, &source, &format!("any-{name}-{way}-{debug}"), &flags);
            let processes = JobProcesses::new();
            let mut launcher = launch_as(mpi, &["-np", "4", &exe.to_string_lossy()], processes.variable());
            let answer = asked_until(launcher.id(), &[], &|code, answer| {
                let named = if code == 0 {
                    &answer["named"]
                } else {
                    &answer["probable"][0]["ranks"]
                };
                let classes = answer["classes"].as_array().into_iter().flatten();
                let waiting = classes.filter(|class| class["ranks"] != "1");
                let is_seen = |class: &serde_json::Value| class["frames"].to_string().contains(operation);
                named == "1"
                    && answer["tasks"] == 4
                    && waiting.clone().count() > 0
                    && waiting.clone().all(is_seen)
            });
            processes.end();
            launcher.wait().unwrap_or_else(|error| panic!("{error}"));
            if let Err(said) = answer {
                panic!("{name} {debug} {operation}: {said}");
            }
        }
    }
}

#[test]
fn waiting_for_any_is_waiting_under_mpich() {
    waits_in(
        Mpi::Mpich,
        &[
            (0, "MPI_Waitany"),
            (1, "MPI_Waitsome"),
            (2, "MPI_Testany"),
            (3, "MPI_Testsome"),
        ],
    );
}

#[test]
fn waiting_for_any_is_waiting_under_open_mpi() {
    waits_in(Mpi::OpenMpi, &[(0, "MPI_Waitany"), (3, "MPI_Testsome")]);
}
