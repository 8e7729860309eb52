//! One thread: from copies of its registers and stack to its frames.
//!
//! Works on copies only. Where they come from (a stop, a core file) and how the address space around them became known
//! is decided by the caller: see `subject`.

use crate::calls;
use crate::evaluate::Unknown;
use crate::fit::Fit;
use crate::frames::Builder;
use crate::locate::Locator;
use crate::modules::{Modules, Region, Space};
use crate::plan;
use crate::procfs;
use crate::state::{self, Call};
use crate::stop::Still;
use crate::unwind::{End, Lacks, RawFrame, unwind};
use library::symbols::{self, Start};
use snapshot::{Frame, ProcessState};

/// What all threads of a process share.
#[derive(Default)]
pub(crate) struct Process {
    /// Where its code and its writable memory are.
    pub(crate) space: Space,
    /// What of the map fits it.
    pub(crate) fit: Fit,
}

/// What copies are read with.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    pub(crate) modules: &'a Modules,
    /// One for each binding of the map.
    pub(crate) locators: &'a [Locator<'a>],
    /// Bytes of a stack to copy at most.
    pub(crate) limit: usize,
}

/// A thread on its way to its record.
#[derive(Debug, Default)]
pub(crate) struct Thread {
    /// Its id.
    pub(crate) tid: u32,
    /// Clock ticks after boot at which it started.
    pub(crate) started: u64,
    /// Its command name.
    pub(crate) name: String,
    /// What the kernel said of it before it was first stopped; for the main thread, the process holds this.
    pub(crate) state: Option<ProcessState>,
    /// What earlier stops found to be needed besides the stack, sorted, disjoint.
    pub(crate) extra: Vec<(u64, usize)>,
    /// It is to be read in the next round.
    pub(crate) wants_stop: bool,
    /// Some value is in a register that only a stop shows, and the call that it sleeps in begins again after one.
    pub(crate) needs_registers: bool,
    /// It is to be read again a moment later, so often so far.
    pub(crate) later: Later,
    /// The last copy was taken in its sleep, without a stop.
    pub(crate) unstopped: bool,
    /// Calls that a stop may have ended early.
    pub(crate) told: Vec<String>,
    /// Outermost first, as the last copy shows them.
    pub(crate) frames: Vec<Frame>,
    /// Why there are none, or not all.
    pub(crate) error: Option<String>,
    /// How long it was held in all, in nanoseconds; `None` when it never was.
    pub(crate) held_ns: Option<u64>,
}

/// Whether a thread is to be read again that cannot be read well where it sleeps, and how often it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Later {
    /// It is now.
    pub(crate) is_due: bool,
    times: u8,
}

/// So often a thread is read again that sleeps in a call which must not be stopped, where its stack cannot be followed without a register that the kernel does not show of a sleeper. Ranks that poll sleep for
/// moments only, and are elsewhere the next time; who really sleeps there is where it was.
const MOST_MOMENTS: u8 = 3;

/// So many values that lie elsewhere are fetched by a further copy. A stack of a hundred thousand frames could ask for as many.
const MOST_WANTED: usize = 1024;

impl Thread {
    /// Replaces the frames by those that a copy shows. `extra` becomes what a further copy should hold besides; returns
    /// whether that is more than before, and how the stack ended.
    pub(crate) fn read(&mut self, still: &Still, process: &Process, reader: Reader<'_>) -> (bool, End) {
        if let Some(held) = still.held {
            let held = u64::try_from(held.as_nanos()).unwrap_or(u64::MAX);
            self.held_ns = Some(self.held_ns.unwrap_or(0).saturating_add(held));
        }
        self.unstopped = still.sleeps_in.is_some();
        self.told.extend(still.told.map(state::name_of));
        let Reader {
            modules, locators, ..
        } = reader;
        let space = &process.space;
        let (stack, end) = unwind(modules, space, still.registers.clone(), &still.memory);
        let mut wanted = Vec::new();
        let mut not_copied = |address: u64, length: usize| -> Unknown {
            let released =
                |region: &Region| region.is_stack && region.start <= address && region.end == still.stack_end;
            if address < still.stack.0 && space.writable.iter().any(released) {
                return Unknown::Released;
            }
            if contains(&self.extra, address, length) {
                return Unknown::Unmapped(address);
            }
            if wanted.len() < MOST_WANTED {
                wanted.push((address, length));
            }
            Unknown::Moved
        };
        let mut builder = Builder {
            modules,
            bound: &process.fit.locators(locators),
            memory: &still.memory,
            not_copied: &mut not_copied,
            unread: false,
        };
        self.frames = builder.build(&stack);
        let unread = builder.unread;
        wanted.extend(self.other_stack(&end, still, space, reader.limit));
        self.error = if matches!(end, End::Guessed { .. }) && begins_at_main(&mut self.frames) {
            None
        } else {
            incomplete(&end, still, modules, space, &stack)
        };
        let copy_more = !wanted.is_empty();
        // Without tables the frame pointer is worth having.
        let lost = unread
            || matches!(
                end,
                End::BadEntry(Unknown::NotRead(_)) | End::Guessed { .. } | End::NoEntry { .. }
            );
        let stop = lost
            && still
                .sleeps_in
                .is_some_and(|call| may_be_stopped(&call, self.tid));
        self.needs_registers |= stop;
        let lacks_register = matches!(
            end,
            End::BadEntry(Unknown::NotRead(_))
                | End::Guessed {
                    lacks: Lacks::Register(_),
                    ..
                }
        );
        let is_lost = lacks_register && self.error.is_some() && self.unstopped && !stop;
        self.later.is_due = is_lost && self.later.times < MOST_MOMENTS;
        self.later.times += u8::from(self.later.is_due);
        let more = copy_more || stop || self.later.is_due;
        if copy_more {
            self.extra.extend(wanted);
            self.extra = plan::merged(std::mem::take(&mut self.extra), 0);
        }
        (more, end)
    }

    /// Where the stack goes on, if it ended on one of its own (a signal handler's) and another was not copied.
    fn other_stack(&self, end: &End, still: &Still, space: &Space, limit: usize) -> Option<(u64, usize)> {
        let &End::NotCopied {
            address,
            stack_pointer,
        } = end
        else {
            return None;
        };
        if (still.stack.0..still.stack_end).contains(&address) {
            return None;
        }
        let region = Region::of_stack(&space.writable, address)?;
        // By the next stop the task may be a little deeper.
        const DEEPER: u64 = 64 << 10;
        let start = stack_pointer
            .min(address)
            .saturating_sub(DEEPER)
            .max(region.start);
        let length = usize::try_from(region.end.saturating_sub(start)).ok()?.min(limit);
        (!contains(&self.extra, address, 8) && length > 0).then_some((start, length))
    }

    /// Records a failure; what an earlier stop read stays.
    pub(crate) fn fail(&mut self, reason: String) {
        self.error = Some(match self.error.take() {
            Some(before) => format!("{before}; {reason}"),
            None => reason,
        });
    }
}

/// Whether a stop of the thread that sleeps in `call` does no harm, and would come about: nothing wakes who waits for a disk.
fn may_be_stopped(call: &Call, tid: u32) -> bool {
    calls::begins_again(call, tid) && procfs::stat(tid).is_ok_and(|stat| stat.state == 'S')
}

/// Drops what was guessed outside of `main`, if that is all that was: what calls it is the C library, of which musl's has no unwind
/// information, and tells nothing.
fn begins_at_main(frames: &mut Vec<Frame>) -> bool {
    let is_main = |frame: &Frame| frame.function == "main" && !frame.guessed;
    let Some(main) = frames.iter().position(is_main) else {
        return false;
    };
    let starts_programs = |frame: &Frame| {
        let name = frame.function.as_str();
        matches!(name, "" | "??") || symbols::starts(name) == Some(Start::Program)
    };
    let is_whole = frames[..main].iter().all(starts_programs);
    if is_whole {
        frames.drain(..main);
    }
    is_whole
}

/// What to say of a stack that did not end at its outermost frame.
fn incomplete(
    end: &End,
    still: &Still,
    modules: &Modules,
    space: &Space,
    stack: &[RawFrame],
) -> Option<String> {
    let copied = still.stack.1.saturating_sub(still.stack.0);
    if let End::NotCopied { address, .. } = end
        && (still.stack.1..still.stack_end).contains(address)
    {
        return Some(format!(
            "stack deeper than the {copied} bytes copied: outermost frames are missing"
        ));
    }
    let last = stack.last().and_then(|frame| frame.module);
    let whose = format!(
        " of {}",
        last.map_or("?", |(module, _)| modules.get(module).name())
    );
    let lost = |address| format!("the stack at {address:#x} could not be copied");
    end.in_words(space, modules, &whose, &lost)
}

/// Whether one of the ranges holds all of `length` bytes at `address`.
fn contains(ranges: &[(u64, usize)], address: u64, length: usize) -> bool {
    ranges.iter().any(|&(start, size)| {
        let offset = address.checked_sub(start);
        offset.is_some_and(|offset| offset.saturating_add(length as u64) <= size as u64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_calls_main_need_not_be_known() {
        let stack = |frames: &[(&str, bool)]| {
            let frame = |&(function, guessed): &(&str, bool)| Frame {
                function: function.to_owned(),
                guessed,
                ..Frame::default()
            };
            let mut frames = Vec::from_iter(frames.iter().map(frame));
            let is_whole = begins_at_main(&mut frames);
            (is_whole, frames.len())
        };
        assert_eq!(
            stack(&[("??", true), ("??", true), ("main", false), ("f", false)]),
            (true, 2)
        );
        assert_eq!(
            stack(&[("_start", true), ("main", true), ("f", false)]),
            (false, 3)
        );
        assert_eq!(stack(&[("??", true), ("??", false), ("main", false)]), (true, 1));
        assert_eq!(stack(&[("g", true), ("main", false)]), (false, 2));
        assert_eq!(stack(&[("main", true)]), (false, 1));
    }
}
