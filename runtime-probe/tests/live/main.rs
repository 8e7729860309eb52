//! The probe on real processes: nothing is mocked. Needs gcc, gdb, Open MPI and MPICH, as `cargo xtask test` installs.

mod bad_tasks;
mod brought;
mod calls;
mod cores;
mod dear;
mod entry;
mod followed;
mod gdb;
mod guesses;
mod jobs;
mod jumps;
mod map_files;
mod other_users;
mod places;
mod safety;
mod served;
mod stacks;
mod states;
mod support;
mod threads;
mod values;
