//! The window: the only code that runs while tasks are stopped.
//!
//! One thread, made for one window, does all of it: Linux lets only the thread that seized a task command it, and
//! waiting is by thread, so children of the rest of the process are never touched. When the thread ends, by
//! finishing, panicking or being killed together with the probe, the kernel releases whatever it still holds: tasks
//! that never stopped (uninterruptible sleep) included. A task that was stopped already stays so after release, and a
//! signal on its way to a task is passed on.
//!
//! Per task: wait, read registers, copy memory, release. Everything else is done before or after.

use crate::calls;
use crate::gather::{Stopping, is_to_be_left};
use crate::memory::{Memory, PAGE};
use crate::modules::Region;
use crate::registers::{RSP, Registers};
use crate::state::Call;
use crate::sys::{self, Event};
use std::collections::BTreeMap;
use std::io;
use std::time::{Duration, Instant};

/// What to copy of one task.
pub(crate) struct Request<'a> {
    /// The thread to stop: of a process with one thread, the process.
    pub(crate) pid: u32,
    /// Writable regions, to find the stack among.
    pub(crate) writable: &'a [Region],
    /// Bytes of its stack to copy at most.
    pub(crate) limit: usize,
    /// It is the main thread of its process.
    pub(crate) is_main: bool,
    /// Address ranges to copy besides the stack.
    pub(crate) extra: Vec<(u64, usize)>,
    /// It was read in its sleep already, and some value is in a register that only a stop shows.
    pub(crate) registers: bool,
}

/// How to stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// How long to wait for tasks to stop.
    pub(crate) patience: Duration,
    /// Whether to copy vector registers too.
    pub(crate) vectors: bool,
    /// Whether threads are stopped in calls that tell the program.
    pub(crate) stopping: Stopping,
}

/// A thread as it was while it stood still: stopped, or asleep.
#[derive(Debug)]
pub(crate) struct Still {
    pub(crate) registers: Registers,
    pub(crate) memory: Memory,
    /// The addresses of the stack that were copied, the red zone below the stack pointer included.
    pub(crate) stack: (u64, u64),
    /// Where the stack's region ends; beyond the copy if that was cut off at the limit.
    pub(crate) stack_end: u64,
    /// From the moment that the stop was noticed until the release; `None` when it was not stopped.
    pub(crate) held: Option<Duration>,
    /// The call that it slept in, when it was not stopped.
    pub(crate) sleeps_in: Option<Call>,
    /// The number of the call that the stop may have ended early.
    pub(crate) told: Option<u16>,
}

/// Why a task could not be copied.
#[derive(Debug)]
pub(crate) enum NotStill {
    /// The kernel refused to make us its tracer.
    Seize(io::Error),
    /// It ended before it could be stopped, or while it was read.
    Ended,
    /// It did not stop in time.
    Late,
    /// It was about to be stopped and by then slept in a call that a stop would end early.
    LeftAsleep,
    /// It runs in 32-bit mode.
    ThirtyTwoBit,
    /// Its stack pointer is not in writable memory.
    NoStack {
        /// The stack pointer.
        pointer: u64,
    },
    /// Registers or stack could not be read.
    Read(io::Error),
    /// The thread for the window could not be set up.
    Setup(io::Error),
}

/// Stops each task once and copies what was asked for; results are in the order of the requests.
pub(crate) fn stop_all(requests: &[&Request<'_>], manner: Manner) -> Vec<Result<Still, NotStill>> {
    let window = || Window::new(requests, manner).run();
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("hindmost-window".to_owned());
        match thread.spawn_scoped(scope, window) {
            Ok(thread) => thread.join().unwrap_or_else(|_| {
                let lost = || NotStill::Setup(io::Error::other("the tracing thread panicked"));
                requests.iter().map(|_| Err(lost())).collect()
            }),
            Err(error) => {
                let kind = error.kind();
                requests
                    .iter()
                    .map(|_| Err(NotStill::Setup(kind.into())))
                    .collect()
            }
        }
    })
}

struct Window<'a> {
    requests: &'a [&'a Request<'a>],
    manner: Manner,
    results: Vec<Option<Result<Still, NotStill>>>,
    /// Tasks that are seized and neither released nor ended: pid to index of the request.
    held: BTreeMap<u32, usize>,
    /// Receives each copy first: allocating while a task stands still would cost page faults.
    scratch: Vec<u8>,
}

impl<'a> Window<'a> {
    fn new(requests: &'a [&'a Request<'a>], manner: Manner) -> Self {
        let extra = |request: &&Request<'_>| request.extra.iter().map(|&(_, length)| length).sum::<usize>();
        let largest = requests.iter().map(extra).max().unwrap_or(0);
        let stack = requests.iter().map(|request| request.limit).max().unwrap_or(0);
        let mut scratch = vec![0; stack + RED_ZONE + largest];
        // Zeroed memory is not there until it is written to. Stacks deeper than this pay for their faults.
        const USUAL: usize = 1 << 20;
        for page in scratch.iter_mut().take(USUAL).step_by(4096) {
            *std::hint::black_box(page) = 0;
        }
        Window {
            requests,
            manner,
            results: requests.iter().map(|_| None).collect(),
            held: BTreeMap::new(),
            scratch,
        }
    }

    fn run(mut self) -> Vec<Result<Still, NotStill>> {
        sys::hurry();
        let deadline = Instant::now() + self.manner.patience;
        match sys::Alarm::after(self.manner.patience) {
            Ok(alarm) => {
                self.seize_all();
                self.serve(deadline);
                drop(alarm);
            }
            Err(error) => {
                let kind = error.kind();
                for result in &mut self.results {
                    *result = Some(Err(NotStill::Setup(kind.into())));
                }
            }
        }
        self.results
            .into_iter()
            .map(|result| result.unwrap_or(Err(NotStill::Late)))
            .collect()
    }

    fn seize_all(&mut self) {
        for (index, request) in self.requests.iter().enumerate() {
            match sys::seize(request.pid) {
                Ok(()) => {
                    self.held.insert(request.pid, index);
                }
                Err(error) => self.results[index] = Some(Err(NotStill::Seize(error))),
            }
        }
        // A second loop: seizing costs more than interrupting, and the stops should lie close together. An error
        // here means that the task has ended, of which the wait will tell.
        let sparing = self.manner.stopping == Stopping::Sparing;
        let (results, requests) = (&mut self.results, self.requests);
        self.held.retain(|&pid, &mut index| {
            // The last moment to look. One that stays seized is released with all others, when this thread ends.
            if sparing && is_to_be_left(requests[index].pid) {
                results[index] = Some(Err(NotStill::LeftAsleep));
                return false;
            }
            let _ = sys::interrupt(pid);
            true
        });
    }

    /// Serves whoever stops first, until nobody is held or the deadline has passed.
    fn serve(&mut self, deadline: Instant) {
        // Children of our own process that ended stay waitable for their parent thread, so a wait for anyone would
        // report them again and again: from then on each task is asked by itself.
        let mut one_by_one = false;
        while !self.held.is_empty() {
            let event = if one_by_one { self.poll() } else { sys::wait_any() };
            match event {
                Ok(Some(Event::Stopped { pid, signal })) => self.copy(pid, signal),
                Ok(Some(Event::Ended { pid })) => {
                    let own = crate::procfs::stat(pid).is_ok_and(|stat| stat.parent == std::process::id());
                    if own {
                        one_by_one = true;
                    } else {
                        sys::reap(pid);
                    }
                    if let Some(index) = self.held.remove(&pid) {
                        self.results[index] = Some(Err(NotStill::Ended));
                    }
                }
                Ok(None) if Instant::now() >= deadline => return,
                Ok(None) if one_by_one => std::thread::sleep(Duration::from_micros(50)),
                Ok(None) => {}
                // No tracee is left: they have all ended and been reaped.
                Err(_) => {
                    for (_, index) in std::mem::take(&mut self.held) {
                        self.results[index] = Some(Err(NotStill::Ended));
                    }
                }
            }
        }
    }

    fn poll(&self) -> io::Result<Option<Event>> {
        for &pid in self.held.keys() {
            match sys::poll_one(pid) {
                Ok(None) => {}
                Err(_) => return Ok(Some(Event::Ended { pid })),
                event => return event,
            }
        }
        Ok(None)
    }

    /// Copies a stopped task and releases it.
    fn copy(&mut self, pid: u32, signal: i32) {
        let noticed = Instant::now();
        let Some(index) = self.held.remove(&pid) else {
            // Not one of ours any more: it must not stay stopped.
            let _ = sys::detach(pid, signal);
            return;
        };
        let request = &self.requests[index];
        let copied = copy_registers(pid, self.manner.vectors).and_then(|(registers, told)| {
            let mut ranges = Ranges::of(&registers, request)?;
            let lengths = ranges.read(pid, &mut self.scratch)?;
            Ok((registers, ranges, lengths, told))
        });
        // It fails only if the task was killed meanwhile; then there is nothing to release.
        let released = sys::detach(pid, signal);
        let held = noticed.elapsed();
        self.results[index] = Some(match (copied, released) {
            (Ok((registers, ranges, lengths, told)), Ok(())) => Ok(Still {
                held: Some(held),
                told,
                ..ranges.keep(registers, &lengths, &self.scratch)
            }),
            (_, Err(_)) => Err(NotStill::Ended),
            (Err(error), _) => Err(error),
        });
    }
}

/// Bytes below the stack pointer that a function may use without moving it.
const RED_ZONE: usize = 128;

fn copy_registers(pid: u32, vectors: bool) -> Result<(Registers, Option<u16>), NotStill> {
    let general = sys::general_registers(pid)
        .map_err(NotStill::Read)?
        .ok_or(NotStill::ThirtyTwoBit)?;
    // Without them a floating-point variable in the innermost frame is missing, which is no reason to fail.
    let vector = vectors
        .then(|| sys::vector_registers(pid).ok())
        .flatten()
        .map(Box::new);
    Ok((Registers::of_task(&general, vector), told(&general)))
}

/// The call that the stop may have ended early, by the registers behind it.
fn told(raw: &libc::user_regs_struct) -> Option<u16> {
    // Outside of calls this is no number of one.
    let number = u16::try_from(raw.orig_rax).ok()?;
    let arguments = [raw.rdi, raw.rsi, raw.rdx, raw.r10, raw.r8, raw.r9];
    calls::may_have_told(number, arguments, raw.rax.cast_signed()).then_some(number)
}

/// The address ranges to copy of one task: the stack first.
pub(crate) struct Ranges {
    all: Vec<(u64, usize)>,
    /// The stack pointer.
    pointer: u64,
    stack_end: u64,
}

impl Ranges {
    pub(crate) fn of(registers: &Registers, request: &Request<'_>) -> Result<Ranges, NotStill> {
        let pointer = registers.get(RSP).unwrap_or_default();
        let region = Region::of_stack(request.writable, pointer).ok_or(NotStill::NoStack { pointer })?;
        let lowest = if region.is_stack { 0 } else { region.start };
        let start = pointer.saturating_sub(RED_ZONE as u64).max(lowest);
        let length = usize::try_from(region.end - start)
            .unwrap_or(usize::MAX)
            .min(request.limit + RED_ZONE);
        let mut all = Vec::with_capacity(1 + request.extra.len());
        all.push((start, length));
        all.extend_from_slice(&request.extra);
        Ok(Ranges {
            all,
            pointer,
            stack_end: region.end,
        })
    }

    /// Copies all ranges into `scratch`, one after the other, each at the place that its full length gives it.
    /// Returns how much of each is there. Of the stack a first page may be left out that is not there yet.
    pub(crate) fn read(&mut self, pid: u32, scratch: &mut [u8]) -> Result<Vec<usize>, NotStill> {
        let wanted: Vec<usize> = self.all.iter().map(|&(_, length)| length).collect();
        let total: usize = wanted.iter().sum();
        if sys::read_memory(pid, &self.all, scratch).is_ok_and(|copied| copied == total) {
            return Ok(wanted);
        }
        // Something is not mapped. The kernel stops at the first such range, so take them one by one.
        self.leave_out_page_to_come(pid, scratch);
        let mut offset = 0;
        let mut lengths = Vec::with_capacity(self.all.len());
        for &(address, length) in &self.all {
            let copied = sys::read_memory(pid, &[(address, length)], &mut scratch[offset..]);
            match copied {
                // Not even the word at the stack pointer, or the first one above it that is there.
                Ok(copied)
                    if lengths.is_empty() && (copied == 0 || address + copied as u64 <= self.pointer) =>
                {
                    return Err(NotStill::Read(io::ErrorKind::UnexpectedEof.into()));
                }
                Err(error) if lengths.is_empty() => return Err(NotStill::Read(error)),
                copied => lengths.push(copied.unwrap_or(0)),
            }
            offset += length;
        }
        Ok(lengths)
    }

    /// The main thread's stack grows when it is touched: the red zone, or what the function at hand has just made room for, may lie in a page
    /// that is not there yet. Reading from outside does not bring it. What is above is there, and the frames of all callers with it.
    fn leave_out_page_to_come(&mut self, pid: u32, scratch: &mut [u8]) {
        let (address, length) = self.all[0];
        let above = (address | (PAGE - 1)).saturating_add(1);
        let skipped = usize::try_from(above - address).unwrap_or(usize::MAX);
        if skipped < length && sys::read_memory(pid, &[(address, 1)], scratch).is_err() {
            self.all[0] = (above, length - skipped);
        }
    }

    /// Room for all of it.
    pub(crate) fn room(&self) -> Vec<u8> {
        vec![0; self.all.iter().map(|&(_, length)| length).sum()]
    }

    /// Copies the first bytes of the stack once more.
    pub(crate) fn read_stack(&self, pid: u32, length: usize) -> Result<Vec<u8>, NotStill> {
        let mut bytes = vec![0; length];
        let copied = sys::read_memory(pid, &[(self.all[0].0, length)], &mut bytes).map_err(NotStill::Read)?;
        bytes.truncate(copied);
        Ok(bytes)
    }

    /// Takes the copies out of `scratch`.
    pub(crate) fn keep(self, registers: Registers, lengths: &[usize], scratch: &[u8]) -> Still {
        let mut memory = Memory::default();
        let mut offset = 0;
        for (&(address, length), &copied) in self.all.iter().zip(lengths) {
            memory.add(address, scratch[offset..offset + copied].to_vec());
            offset += length;
        }
        let start = self.all[0].0;
        Still {
            registers,
            memory,
            stack: (start, start + lengths[0] as u64),
            stack_end: self.stack_end,
            held: None,
            sleeps_in: None,
            told: None,
        }
    }
}
