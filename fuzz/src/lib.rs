//! Checks of everything that reads bytes which somebody else has made: programs and their debug info, unwind tables and
//! stacks, cores, tables of launchers, maps, kept graphs, recorded stacks, process tables, source text.
//!
//! Each check takes any bytes and says that they are read without a panic, and that what was read keeps the promises of
//! its reader. One function per kind of input, for two users: the fuzzer (`cargo xtask fuzz`), which looks for new
//! inputs by coverage, and `cargo test`, which goes through `corpus/`, through what compilers of this machine make, and
//! through a fixed number of random changes of both.
//!
//! Hangs and hunger for memory are the fuzzer's to notice: a test that asserts a time would fail on a busy machine.
//!
//! # How it works
//!
//! Checks of every reader of bytes that somebody else has made: programs with their debug info, unwind tables and
//! stacks, cores, maps, recorded stacks and process tables, source text. `cargo xtask fuzz [--target X] [--seconds
//! N]` runs each under libFuzzer, with the coverage that a stable compiler can give; `cargo test` runs the same
//! functions over `corpus/` (reproducers of what was found), over seeds that the machine's compilers make, and
//! over changes of both.

mod change;
mod conditions;
mod debuggers;
mod foreign_stacks;
mod graphs;
mod maps;
mod nodes;
mod orders;
mod programs;
mod recorded;
mod recordings;
mod seeds;
mod sources;
mod texts;
mod timelines;
mod told;
mod traces;
mod trees;

pub use change::changed;

/// A kind of input.
pub struct Target {
    /// Its name on the command line and its directory in `corpus/`.
    pub name: &'static str,
    /// Panics when a reader breaks a promise.
    pub check: fn(&[u8]),
    /// Inputs that are too large or too machine-made to be committed, each with a name. Empty when a compiler is missing.
    pub seeds: fn() -> Vec<(String, Vec<u8>)>,
}

/// All of them.
pub const TARGETS: [Target; 19] = [
    Target {
        // ELF and DWARF of a program.
        name: "bind",
        check: programs::bind,
        seeds: seeds::programs,
    },
    Target {
        // ELF, unwind tables and a stack.
        name: "unwind",
        check: programs::unwind,
        seeds: seeds::stacks,
    },
    Target {
        // A core file.
        name: "core",
        check: programs::core,
        seeds: seeds::cores,
    },
    Target {
        // A progress map.
        name: "map",
        check: maps::map,
        seeds: seeds::maps,
    },
    Target {
        // Recorded stacks and process tables.
        name: "snapshot",
        check: recorded::recorded,
        seeds: seeds::recorded,
    },
    Target {
        // The table that a launcher keeps in its memory.
        name: "launcher",
        check: recorded::launcher,
        seeds: seeds::launcher,
    },
    Target {
        // Stacks that STAT, gdb, eu-stack and py-spy recorded.
        name: "foreign",
        check: foreign_stacks::foreign_stacks,
        seeds: seeds::foreign,
    },
    Target {
        // A dependence graph that was kept.
        name: "graph",
        check: graphs::graph,
        seeds: seeds::graphs,
    },
    Target {
        // A partial tree of a job's stacks.
        name: "tree",
        check: trees::tree,
        seeds: trees::seeds,
    },
    Target {
        // What hosts of a job and who asks them tell each other.
        name: "nodes",
        check: crate::nodes::stream,
        seeds: crate::nodes::seeds,
    },
    Target {
        // What the flight recorder has written of a task.
        name: "recording",
        check: recordings::recording,
        seeds: recordings::seeds,
    },
    Target {
        // The ring of events that the flight recorder writes.
        name: "events",
        check: timelines::events,
        seeds: timelines::seeds,
    },
    Target {
        // Events that other tools recorded, or that were exported.
        name: "told",
        check: told::told,
        seeds: told::seeds,
    },
    Target {
        // Events of many streams.
        name: "causal",
        check: orders::order,
        seeds: orders::seeds,
    },
    Target {
        // A condition over ranks, and a stream that it is held against.
        name: "condition",
        check: conditions::condition,
        seeds: conditions::seeds,
    },
    Target {
        // The calls of a thread.
        name: "trace",
        check: traces::trace,
        seeds: traces::seeds,
    },
    Target {
        // Small files beside a build: its database, models of functions, the header of an MPI library.
        name: "texts",
        check: texts::texts,
        seeds: texts::seeds,
    },
    Target {
        // The machine interface of gdb.
        name: "mi",
        check: debuggers::mi,
        seeds: debuggers::seeds,
    },
    Target {
        // C and C++ to a map.
        name: "sources",
        check: sources::sources,
        seeds: seeds::sources,
    },
];

/// The target of a name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
