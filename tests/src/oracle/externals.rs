//! The external functions of generated programs: where a task can be stopped, and where its data comes from.
//!
//! The analysis knows no more of them than their prototypes. Their results come from a hash of the seed, the name and
//! how often the function was called before, so that the interpreter and the logging build agree.

use super::rng::mix;

/// Names and numbers of arguments; everything is `int`.
pub const PROTOTYPES: &[(&str, usize)] = &[
    ("w1", 1),
    ("w2", 1),
    ("w3", 1),
    ("w4", 1),
    ("w5", 1),
    ("pair", 2),
    ("more", 1),
    ("coin", 1),
    ("val", 1),
    ("cond", 1),
    ("same", 1),
    ("after", 1),
    ("MPI_Start", 1),
    ("MPI_Wait", 1),
    ("MPI_Send", 1),
    ("MPI_Recv", 1),
];

/// Those that have the names of functions of MPI that communicate. Their argument is a number here.
pub const COMMUNICATING: [&str; 4] = ["MPI_Start", "MPI_Wait", "MPI_Send", "MPI_Recv"];

/// The functions of `<mpi.h>` that programs use.
pub const MPI: &[&str] = &["MPI_Init", "MPI_Comm_rank", "MPI_Bcast", "MPI_Barrier"];

/// The index of an external function in [`PROTOTYPES`].
#[must_use]
pub fn find(name: &str) -> Option<usize> {
    PROTOTYPES.iter().position(|(known, _)| *known == name)
}

/// What the `call`-th call of external function `index` returns in a run with hash seed `run`.
#[must_use]
pub fn result(run: u64, index: usize, call: u64, argument: i64) -> i64 {
    let hash = mix(run ^ mix((index as u64) << 32 | call));
    match PROTOTYPES[index].0 {
        "more" => i64::from(!hash.is_multiple_of(4)),
        "coin" => i64::from(hash.is_multiple_of(2)),
        "cond" => i64::from(!hash.is_multiple_of(5)),
        "same" => argument,
        "after" => argument + 1,
        _ => (hash % 4) as i64,
    }
}

/// The hash seed of one rank's run. The value that a broadcast delivers is that of `root`.
#[must_use]
pub fn run_seed(seed: u64, rank: u32) -> u64 {
    mix(seed ^ (u64::from(rank) << 48))
}

/// What `MPI_Bcast` delivers at its `call`-th call: the same on every rank.
#[must_use]
pub fn broadcast(seed: u64, call: u64) -> i64 {
    (mix(seed ^ mix(call) ^ 0xb0ad) % 3) as i64 + 1
}
