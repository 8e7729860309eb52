//! Arguments that all members of a collective operation have to give alike, and do not: `plans/amounts.c` does so in jobs under both MPIs.

use crate::hindmost::{PATIENCE, hindmost, my_turn, run};
use crate::waits::{Debug, made_of, start};
use corpus::Mpi;
use std::path::PathBuf;
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

/// What is said of a plan.
#[derive(Clone, Copy)]
enum Expected<'t> {
    /// This is the headline.
    Told(&'t str),
    /// These wait, and nothing is said to differ.
    Waits(&'t str),
}

/// Where two members have to say the same of what one gives the other.
const PAIRS: [(&str, Expected<'_>); 11] = [
    (
        "Pn",
        Expected::Told(
            "Rank 1 gives rank 2 8 bytes in MPI_Alltoallv, number 1 of MPI_COMM_WORLD, and that one takes 12 bytes of it",
        ),
    ),
    (
        "pn",
        Expected::Told(
            "Rank 1 gives rank 2 8 bytes in MPI_Ialltoallv, number 1 of MPI_COMM_WORLD, and that one takes 12 bytes of it",
        ),
    ),
    (
        "Qn",
        Expected::Told(
            "Rank 1 gives rank 2 8 bytes in MPI_Alltoallw, number 1 of MPI_COMM_WORLD, and that one takes 12 bytes of it",
        ),
    ),
    // It has given nothing and gone on, and the root waits.
    (
        "Xn",
        Expected::Told(
            "Rank 1 gives rank 0 0 bytes in MPI_Gatherv, number 1 of MPI_COMM_WORLD, and that one takes 4 bytes of it",
        ),
    ),
    // All others are through, and it waits alone.
    (
        "Yn",
        Expected::Told(
            "Rank 0 gives rank 1 0 bytes in MPI_Scatterv, number 1 of MPI_COMM_WORLD, and that one takes 4 bytes of it",
        ),
    ),
    ("Q-", Expected::Waits("ranks 0-3 wait in MPI_Alltoallw")),
    ("X-", Expected::Waits("rank 0 waits in MPI_Gatherv")),
    (
        "In",
        Expected::Told(
            "Rank 1 gives rank 2 4 bytes in MPI_Alltoallv, number 1 of the communicator of ranks 0,2,4 and 1,3 by MPI_Intercomm_create, and that one takes 8 bytes of it",
        ),
    ),
    (
        "Jn",
        Expected::Told(
            "Rank 2 gives rank 1 0 bytes in MPI_Gatherv, number 1 of the communicator of ranks 0,2,4 and 1,3 by MPI_Intercomm_create, and that one takes 4 bytes of it",
        ),
    ),
    // Over two edges from the one to the other: the sum is compared.
    (
        "Nn",
        Expected::Told(
            "Rank 1 gives rank 2 4 bytes in MPI_Neighbor_alltoallv, number 1 of the communicator of ranks 0-4 by MPI_Dist_graph_create, and that one takes 8 bytes of it",
        ),
    ),
    ("N-", Expected::Waits("ranks 0-3 wait in MPI_Neighbor_alltoallv")),
];

/// The same of what is prepared and started in different orders, which is no error.
const PREPARED: [(&str, Expected<'_>); 2] = [
    (
        "Hn",
        Expected::Told(
            "Rank 1 gives rank 2 4 bytes in MPI_Alltoallv_init, number 1 of the persistent operation of ranks 0-4 by MPI_Alltoallv_init, and that one takes 8 bytes of it",
        ),
    ),
    ("H-", Expected::Waits("ranks 0-3 wait in MPI_Barrier_init")),
];

fn amounts(mpi: Mpi) {
    let _turn = my_turn();
    let made = made_of(mpi, "amounts", Debug::None);
    for (plan, differ) in CASES {
        let headline = differ.map(|(one, other)| {
            format!("Rank 0 is in {one} and rank 1 in {other}, and both are number 1 of MPI_COMM_WORLD")
        });
        match &headline {
            // All but rank 4 are in the call, for as long as it does not come.
            None => said_of(mpi, &made, plan, Expected::Waits("ranks 0-3 wait in MPI_")),
            Some(headline) => said_of(mpi, &made, plan, Expected::Told(headline)),
        }
    }
    // Open MPI 4.1 prepares no collective operations.
    let prepared: &[(&str, Expected<'_>)] = match mpi {
        Mpi::OpenMpi => &[],
        Mpi::Mpich => &PREPARED,
    };
    for &(plan, expected) in PAIRS.iter().chain(prepared) {
        said_of(mpi, &made, plan, expected);
    }
}

/// Asks about a job of this plan until what is expected is said.
fn said_of(mpi: Mpi, made: &(PathBuf, PathBuf), plan: &str, expected: Expected<'_>) {
    let mut job = start(mpi, made, &format!("amounts-{plan}"), plan);
    let begun = Instant::now();
    loop {
        let output = run(hindmost().arg("waits").arg(&job.directory));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let is_said = match expected {
            Expected::Told(headline) => text.starts_with(headline),
            Expected::Waits(words) => {
                let is_wrong = text.contains("and both are number") || text.contains("and that one takes");
                assert!(!is_wrong, "{plan}: {text}");
                text.contains(words)
            }
        };
        if is_said {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "{plan}: {text}");
        std::thread::sleep(Duration::from_millis(100));
    }
    job.end();
}

#[test]
fn sizes_and_reductions_that_differ_under_open_mpi() {
    amounts(Mpi::OpenMpi);
}

#[test]
fn sizes_and_reductions_that_differ_under_mpich() {
    amounts(Mpi::Mpich);
}
