//! Tests across crates; see `tests/` for the tests, `oracle` for what judges the order, `loops` for what judges
//! claims about loop variables, `second` for two parsers that judge each other, and `slices` for what judges slices.
//!
//! # How it works
//!
//! Tests across crates: hung MPI jobs, and the execution oracle that judges the order. Real stops: compiled
//! programs, stopped by the probe, judged by the same truth. Jobs that nobody prepared (`jobs/unprepared`: no
//! `-g`, stripped, Fortran, Python, two programs, stopped and ended ranks, a build-id set by hand) get an answer,
//! too. Jobs run under Open MPI and MPICH, and under a Slurm of one node that the tests start themselves
//! (`jobs/slurm`; its packages start services, so only CI installs them).
//!
//! `slices` holds the slicer against executed programs: small programs of C and C++ (`tests/slices`) run
//! without everything that their slice leaves out, and with it perturbed, and must observe the same; lines dropped
//! from a slice must be missed; and what the interpreter saw to depend on each other in random programs must be in
//! the slice. `cargo xtask slice-fuzz` takes any seeds. `tests/jobs/messages.rs` does the same with 36 programs of
//! two and three ranks (`tests/slices/mpi`) under Open MPI and MPICH, and leaves out each statement that is
//! needed. `tests/jobs/slices.rs` puts eleven errors into programs of the corpus and asks `find --slice` why they
//! hang; `tests/jobs/seeded.rs` asks the same of 23 programs that have one each. The faulty line is in every slice, and where it stands there is
//! counted (`docs/slices.md`). All do all of it with `HINDMOST_SLICES=all`, and a part under CI.

pub mod built;
pub mod command;
pub mod editor;
pub mod loops;
pub mod oracle;
pub mod second;
pub mod seeds;
pub mod slices;
pub mod stands;
pub mod stopped;
pub mod stops;
