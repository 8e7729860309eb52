//! What stands on disk behind an answer: the sources of a program and how its build compiles them, executables and their debug
//! info, the map that fits a job, recorded stacks, and what is kept from one run to the next.
//!
//! Everything that a command reads comes through here, with bounds and with errors that name the file and say what to do
//! ([`Failure`]). Nothing is printed: what should be known at once goes to a [`Listener`].
//!
//! # How it works
//!
//! Maps that were made are kept: under a
//! fingerprint of the program itself and of the path and bytes of every source, or under the build's id. Where a
//! build's preprocessor takes part (`-p`), its commands, some of the environment and what its compilers say of
//! themselves belong to the fingerprint, and with the map stands the state of all that was read or looked for
//! (`inputs`); it is compared before the map is used. What of a command is run is made anew out of what is
//! known to be harmless (`compiler_command`), by programs and with libraries that are not the tree's
//! (`compiler_program`). What is kept is checked when it is read, and at most 256 MB of it stay. The cache is
//! used only where it is the user's own and closed to others, and nothing is removed that hindmost has not put
//! there; each of its directories is opened once and everything in it is reached from there (`cache::own`).
//!
//! Of a tree that is not wholly the same, single files are kept (`cache::units`, at most 512 MB): what was read of
//! a file, under a hash of program, path and bytes. Besides these it depends only on what the other files say of
//! the names that it asks about. `frontend` notes every such question while it reads (`asked`), and a hash of the
//! answers stands with the result; `engine::reuse` asks again before it uses it. The analysis of the whole program
//! is always made anew. A dependence graph is kept under a hash of the program and of all paths and bytes that it
//! was made of (`cache::graphs`, at most 1 GB).

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod advice;
mod build;
mod cache;
mod changed;
mod collect;
mod compilation;
mod compile_commands;
mod compiler_command;
mod compiler_program;
mod contents;
mod cores;
mod debuginfod;
mod embedded;
mod events;
mod events_elsewhere;
mod executable;
mod failure;
mod files;
mod findings;
mod finish;
mod foreign_events;
mod graph;
mod halted;
mod headers;
mod inputs;
mod job_map;
mod jobs;
mod listener;
mod live;
mod looks;
mod making;
mod mapped;
mod moments;
mod plugin;
mod preprocess;
mod program;
mod recorded;
mod recorded_elsewhere;
mod recorder;
mod recordings;
mod reducer;
mod seen;
mod symbolize;
mod tasks;
mod threads;
mod traces;

pub use advice::lines_that_get_counters;
pub use build::Build;
pub use cache::Kept;
pub use cache::units::Units;
pub use collect::Sources;
pub use compilation::{Compilation, add_fragments, compilations};
pub use compile_commands::{
    CompileCommand, CompileCommands, parse as parse_compile_commands, read as read_compile_commands,
};
pub use compiler_command::{Trust, preprocessing};
pub use cores::{add_lines_of_cores, map_of_cores, ranks_without_core, signals_of_cores};
pub use embedded::{map_bytes, with_map};
pub use events::{FollowedEvents, OthersHere, check_matches, recorded_events};
pub use events_elsewhere::{AskedWithin, EventsElsewhere, Fresh};
pub use executable::Executable;
pub use failure::Failure;
pub use files::{
    SourceFinder, begins_with, map_in, map_used, read, read_map, read_text, write_atomically, write_like,
};
pub use findings::{NoSlice, SliceWish, Wish, add_slice, advise, of as findings_of};
pub use foreign_events::foreign_events;
pub use graph::graph_of;
pub use halted::HaltedTasks;
pub use job_map::JobMap;
pub use jobs::{hosts_in_table, interrupted_calls, job_below, job_of, job_of_table, tasks_on_host};
pub use listener::Listener;
pub use live::{add_programs, map_of_job, map_of_programs};
pub use looks::{Look, Looks, WantedLooks, take_tasks};
pub use making::{as_built, beside, make, make_of_build, make_preprocessed, missing_fortran};
pub use mapped::MappedFiles;
pub use moments::{Moments, models, partial_tree};
pub use plugin::make_plugin;
pub use preprocess::Preprocessor;
pub use program::Program;
pub use recorded::{Recorded, beginning_of, header_of, stacks, stacks_of};
pub use recorded_elsewhere::{FromHost, RecordedElsewhere};
pub use recorder::{
    make_recorder, make_recording_directory, new_recording_directory, program_with_own_mpi, tracer,
};
pub use recordings::{FirstLook, last_of_each, recordings_named, waiting};
pub use reducer::make_reducer;
pub use regular_files::Reader;
pub use seen::{LookedAt, Seen};
pub use tasks::Tasks;
pub use threads::start as start_threads;
pub use traces::{PackedTraces, TracePacker, Writers, traces, traces_of_job};
