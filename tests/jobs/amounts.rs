//! Arguments that all members of a collective operation have to give alike, and do not: `plans/amounts.c` does so in jobs under both MPIs.

use crate::hindmost::{PATIENCE, hindmost, my_turn, run};
use crate::waits::{Debug, made_of, start};
use corpus::Mpi;
use std::time::{Duration, Instant};

/// What is asked of the program, and what of ranks 0 and 1 is said then; nothing where their arguments come to the same.
const CASES: [(&str, Option<(&str, &str)>); 19] = [
    (
        "An",
        Some(("MPI_Allreduce of 4 bytes", "MPI_Allreduce of 8 bytes")),
    ),
    (
        "Ao",
        Some(("MPI_Allreduce by MPI_SUM", "MPI_Allreduce by MPI_MAX")),
    ),
    ("Bn", Some(("MPI_Bcast of 4 bytes", "MPI_Bcast of 8 bytes"))),
    ("Cn", Some(("MPI_Scatter of 4 bytes", "MPI_Scatter of 8 bytes"))),
    (
        "Gn",
        Some(("MPI_Allgather of 4 bytes", "MPI_Allgather of 8 bytes")),
    ),
    ("Tn", Some(("MPI_Alltoall of 4 bytes", "MPI_Alltoall of 8 bytes"))),
    (
        "Vn",
        Some(("MPI_Allgatherv of 20 bytes", "MPI_Allgatherv of 24 bytes")),
    ),
    (
        "Rn",
        Some(("MPI_Reduce_scatter of 20 bytes", "MPI_Reduce_scatter of 24 bytes")),
    ),
    ("bn", Some(("MPI_Ibcast of 4 bytes", "MPI_Ibcast of 8 bytes"))),
    ("br", Some(("MPI_Ibcast with root 4", "MPI_Ibcast with root 3"))),
    (
        "ao",
        Some(("MPI_Iallreduce by MPI_SUM", "MPI_Iallreduce by MPI_MAX")),
    ),
    (
        "gn",
        Some(("MPI_Iallgather of 4 bytes", "MPI_Iallgather of 8 bytes")),
    ),
    ("V-", None),
    ("b-", None),
    ("a-", None),
    ("A-", None),
    ("B-", None),
    ("C-", None),
    ("G-", None),
];

fn amounts(mpi: Mpi) {
    let _turn = my_turn();
    let made = made_of(mpi, "amounts", Debug::None);
    for (plan, differ) in CASES {
        let mut job = start(mpi, &made, &format!("amounts-{plan}"), plan);
        let begun = Instant::now();
        // All but rank 4 are in the call, for as long as it does not come.
        let text = loop {
            let output = run(hindmost().arg("waits").arg(&job.directory));
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let is_told = differ.is_some() && text.starts_with("Rank 0 is in");
            if is_told || text.contains("ranks 0-3 wait in MPI_") {
                break text;
            }
            assert!(begun.elapsed() < PATIENCE, "{plan}: {text}");
            std::thread::sleep(Duration::from_millis(100));
        };
        job.end();
        match differ {
            Some((one, other)) => {
                let headline = format!(
                    "Rank 0 is in {one} and rank 1 in {other}, and both are number 1 of MPI_COMM_WORLD"
                );
                assert!(text.starts_with(&headline), "{plan}: {text}");
            }
            None => assert!(!text.contains("and both are number"), "{plan}: {text}"),
        }
    }
}

#[test]
fn sizes_and_reductions_that_differ_under_open_mpi() {
    amounts(Mpi::OpenMpi);
}

#[test]
fn sizes_and_reductions_that_differ_under_mpich() {
    amounts(Mpi::Mpich);
}
