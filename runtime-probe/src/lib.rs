//! The probe: reads sleeping threads in their sleep, stops others for microseconds, unwinds, reads listed variables, lets go.
//!
//! A bound map and tasks go in, a snapshot comes out. The probe knows nothing of source code or its analysis: the
//! map's binding says which source position an address stands for and where each listed variable lives.
//!
//! **Phases of [`take`].** *Prepare*, while the tasks run: read their memory maps, map every module file once, check
//! the executable against the binding. *Stop*: seize all, interrupt all, serve whoever stops first: registers, one
//! copy of the live stack, the planned static variables, release. *Afterwards*, on the copies: unwind, look up
//! positions, evaluate variables. Where a value lies behind a pointer, its task alone is stopped a second time, now
//! that the address is known, and the second copy replaces the first.
//!
//! **Promises.** A target's memory and registers are never written. No target stays stopped: whatever becomes of the
//! probe (death by `SIGKILL` included), the kernel releases the tasks that it had seized. No wait is without a
//! deadline. Each task that was asked for appears in the result, with frames, with the reason why there are none, or
//! with both.
//!
//! A thread that sleeps in a system call is read in its sleep (`asleep`), and stopped only if a listed value is in a register and the call is
//! known to begin again by itself (`calls`).
//!
//! **Limits.** A thread that runs is stopped, and may come into a call between the look and the stop. The few calls that Linux does not begin
//! again (`epoll_wait`, `semtimedop`, `sigtimedwait`, `recv` with a timeout or `MSG_WAITALL`, large writes) then return `EINTR` or a short count to the
//! program; the record says so (`told`). On kernels that hide `/proc/PID/syscall` every thread is stopped. The probe must see the tasks in its own pid namespace; theirs may lie within it.
//!
//! **Files.** `tasks`, `launcher`, `proctable`, `mpir` and `daemons` find the processes of a job ([`discover`]); `procfs` reads `/proc`; `modules` and `elf` hold the
//! mapped files, `contents` their bytes; `gather` decides who is read asleep and who is stopped; `stop` is the only code that runs while a task is stopped; `sys` holds all system calls that need
//! `unsafe`; `unwind`, `guess`, `evaluate`, `callers`, `values`, `locate` and `frames` work on copies only, and
//! as well on what `core_file` reads of a core file; `take`, `subject` and `thread` run the phases; `fit`, `plan` and `diagnose` are what they say;
//! `hostile` gives the fuzzers the readers by themselves; `serve` answers who asks from another host.
//!
//! # How it works
//!
//! Finds the tasks of a job, copies registers and stack, and unwinds offline. A map in, a snapshot out. `gather`
//! decides how a thread is copied: asleep in a system call it is read from outside (`asleep`: twice, and only if
//! it did not run meanwhile), anything else is stopped for microseconds (`stop`). A sleeper's registers that no
//! frame saved are unknown as such (`registers::Content::Unread`); if a listed value rests on one, the thread is
//! stopped after all where `calls` knows that its call begins again by itself (`docs/harmlessness.md`). Core files
//! go the same way without the stop (`core_file`): the code, which a core does not hold, is read from the files
//! that it names, if they still have the build-id that the core remembers; the rank comes from the environment at
//! the foot of its stack. `subject` is a live process and decides what is stopped; `thread` reads one copied
//! thread and knows nothing of live processes. Ranks come from the environment, from a launcher's `MPIR_proctable`
//! (`mpir`; of it only processes of the launcher's own user that carry a job's environment are taken), or from a
//! STAT process table (`proctable`). Of a memory map only code of files and what may be written counts
//! (`outline`): a kernel that answers questions about it is asked for these, another one's text is read; for many
//! tasks on all processors (`at_once`). Files are mapped (`contents`); one that is cut off meanwhile reads as
//! zeros instead of killing us, and what was read with it is thrown away with the reason.
//!
//! `RUST_BACKTRACE` is taken from the probe's own environment at its start: a backtrace needs memory, and a probe
//! whose memory ran out must die at once.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
compile_error!("runtime-probe supports Linux on x86-64 only: its register and unwind code is that machine's");

mod as_lines;
mod asleep;
mod at_once;
mod callers;
mod calls;
mod contents;
mod core_file;
mod daemons;
mod diagnose;
mod effort;
mod elf;
mod error;
mod evaluate;
mod fit;
mod following;
mod frames;
mod gather;
mod guess;
pub mod hostile;
mod launcher;
mod libraries;
mod locate;
mod lock;
mod memory;
mod modules;
mod mpir;
mod names;
mod outline;
mod plan;
mod procfs;
mod proctable;
pub mod recordings;
mod registers;
pub mod rings;
mod serve;
mod several;
mod state;
mod stop;
mod subject;
mod symbols;
mod sys;
mod take;
mod tasks;
mod thread;
mod told;
mod unwind;
mod values;

pub use as_lines::AsLines;
pub use core_file::{Core, CoreError, take_cores};
pub use daemons::{DaemonHost, host_of_launcher, nodes_of_daemon};
pub use error::ProbeError;
pub use gather::Stopping;
pub use libraries::{Library, all_libraries_of, libraries_of, libraries_of_cores};
pub use mpir::of_launcher as launcher_table;
pub use names::defines_function;
pub use procfs::path_as_mapped;
pub use proctable::{ProcessTable, TableEntry, own_host, same_host};
pub use serve::{ServeError, Served, listen, selected, serve};
pub use several::take_each;
pub use symbols::names_of_functions;
pub use sys::die_without_memory;
pub use take::{Options, Threads, take};
pub use tasks::{Job, TaskRef, discover, job_of_pids, launchers, only_job, tasks_of, user_of};
pub use told::common_variable;
