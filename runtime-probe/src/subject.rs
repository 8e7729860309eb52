//! One task on its way through the rounds to its record.

use crate::diagnose;
use crate::evaluate::Unknown;
use crate::fit;
use crate::frames::Builder;
use crate::locate::Locator;
use crate::modules::{ModuleId, Modules, Region, Space};
use crate::plan;
use crate::procfs::{self, Identity};
use crate::stop::{NotStill, Request, Still};
use crate::take::Options;
use crate::tasks::TaskRef;
use crate::unwind::{End, RawFrame, unwind};
use progress_map::Map;
use snapshot::Task;

/// A task on its way to a record.
pub(crate) struct Subject<'t> {
    task: &'t TaskRef,
    identity: Option<Identity>,
    space: Space,
    /// The bound module with its bias, or why the map does not fit.
    bound: Result<(ModuleId, u64), String>,
    /// What earlier rounds found to be needed, sorted, disjoint.
    extra: Vec<(u64, usize)>,
    /// It is to be stopped in the next round.
    pub(crate) wants_stop: bool,
    record: Task,
}

impl<'t> Subject<'t> {
    pub(crate) fn new(task: &'t TaskRef) -> Self {
        Subject {
            task,
            identity: None,
            space: Space::default(),
            bound: Err(String::new()),
            extra: Vec::new(),
            wants_stop: false,
            record: Task {
                task: task.name(),
                rank: task.rank,
                pid: Some(task.pid),
                ..Task::default()
            },
        }
    }

    /// Everything that can be done while the task runs.
    pub(crate) fn prepare(&mut self, modules: &mut Modules, map: &Map) {
        self.wants_stop = false;
        match self.look(modules, map) {
            Ok(()) => self.wants_stop = true,
            Err(reason) => self.fail(reason),
        }
    }

    fn look(&mut self, modules: &mut Modules, map: &Map) -> Result<(), String> {
        let pid = self.task.pid;
        let stat = procfs::stat(pid).map_err(|_| diagnose::gone(pid))?;
        if self.task.started != Some(stat.identity.started) {
            return Err(format!(
                "pid {pid} is another process by now: the one that was found has ended"
            ));
        }
        if let Some(reason) = diagnose::ended(pid, &stat) {
            return Err(reason);
        }
        self.identity = Some(stat.identity);
        self.space = modules
            .space_of(pid)
            .map_err(|error| diagnose::refused(pid, &error))?;
        let executable = procfs::executable(pid).unwrap_or_default().display().to_string();
        self.bound = fit::bound_module(&executable, modules, &self.space, map);
        Ok(())
    }

    /// What to copy in the next stop; `statics` are the map's, as linked.
    pub(crate) fn request(&self, statics: &[(u64, usize)]) -> Request<'_> {
        let bias = self.bound.as_ref().map(|&(_, bias)| bias);
        let statics = bias.map_or(&[][..], |_| statics);
        let planned = statics
            .iter()
            .map(|&(address, length)| (address.wrapping_add(bias.unwrap_or(0)), length));
        Request {
            pid: self.task.pid,
            writable: &self.space.writable,
            extra: planned.chain(self.extra.iter().copied()).collect(),
        }
    }

    /// Turns a copy into a record, and decides whether another stop is worth it.
    pub(crate) fn digest(
        &mut self,
        copy: Result<Still, NotStill>,
        modules: &mut Modules,
        map: &Map,
        locator: Option<&Locator<'_>>,
        options: Options,
        last: bool,
    ) {
        self.wants_stop = false;
        let pid = self.task.pid;
        let still = match copy {
            Ok(still) => still,
            Err(why) => {
                if self.replaced() && !last {
                    return self.start_over(modules, map);
                }
                return self.fail(diagnose::not_still(pid, &why, options.patience));
            }
        };
        let held = u64::try_from(still.held.as_nanos()).unwrap_or(u64::MAX);
        self.record.held_ns = Some(self.record.held_ns.unwrap_or(0).saturating_add(held));
        if self.replaced() {
            // The copy may mix two programs: it says nothing.
            if last {
                return self.fail(format!(
                    "pid {pid} keeps replacing its program (exec) while it is read"
                ));
            }
            return self.start_over(modules, map);
        }

        let (stack, end) = unwind(modules, &self.space, still.registers.clone(), &still.memory);
        // Code that was loaded after the memory map was read.
        if matches!(end, End::NoModule { .. }) && !last {
            let known: Vec<_> = self.space.modules().collect();
            if let Ok(space) = modules.space_of(pid)
                && space.modules().ne(known.iter().copied())
            {
                self.space = space;
                self.wants_stop = true;
            }
        }
        let mut wanted = Vec::new();
        let mut not_copied = |address: u64, length: usize| -> Unknown {
            let released =
                |region: &Region| region.is_stack && region.start <= address && region.end == still.stack_end;
            if address < still.stack.0 && self.space.writable.iter().any(released) {
                return Unknown::Released;
            }
            if contains(&self.extra, address, length) {
                return Unknown::Unmapped(address);
            }
            wanted.push((address, length));
            Unknown::Moved
        };
        let mut builder = Builder {
            modules,
            bound: match (&self.bound, locator) {
                (&Ok((module, _)), Some(locator)) => Some((module, locator)),
                _ => None,
            },
            memory: &still.memory,
            not_copied: &mut not_copied,
        };
        self.record.frames = builder.build(&stack);
        wanted.extend(self.other_stack(&end, &still, options));
        let mut problems: Vec<String> = self.bound.as_ref().err().cloned().into_iter().collect();
        problems.extend(self.incomplete(&end, &still, modules, &stack));
        self.record.error = (!problems.is_empty()).then(|| problems.join("; "));

        if !wanted.is_empty() && !last {
            self.extra.extend(wanted);
            self.extra = plan::merged(std::mem::take(&mut self.extra), 0);
            self.wants_stop = true;
        }
    }

    /// Prepares for the program that has taken the place of the one before.
    fn start_over(&mut self, modules: &mut Modules, map: &Map) {
        self.extra.clear();
        self.record.frames.clear();
        self.record.error = None;
        self.prepare(modules, map);
    }

    /// Whether the process or its program is no longer what was prepared for. One that has ended since was still it.
    fn replaced(&self) -> bool {
        let now = procfs::stat(self.task.pid);
        now.is_ok_and(|now| now.state != 'Z' && Some(now.identity) != self.identity)
    }

    /// Where the stack goes on, if it ended on one of its own (a signal handler's) and another was not copied.
    fn other_stack(&self, end: &End, still: &Still, options: Options) -> Option<(u64, usize)> {
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
        let region = Region::of_stack(&self.space.writable, address)?;
        // By the next stop the task may be a little deeper.
        const DEEPER: u64 = 64 << 10;
        let start = stack_pointer
            .min(address)
            .saturating_sub(DEEPER)
            .max(region.start);
        let length = usize::try_from(region.end.saturating_sub(start))
            .ok()?
            .min(options.limit);
        (!contains(&self.extra, address, 8) && length > 0).then_some((start, length))
    }

    /// What to say of a stack that did not end at its outermost frame.
    fn incomplete(&self, end: &End, still: &Still, modules: &Modules, stack: &[RawFrame]) -> Option<String> {
        let copied = still.stack.1.saturating_sub(still.stack.0);
        let why = match end {
            End::Outermost => return None,
            End::NotCopied { address, .. } if (still.stack.1..still.stack_end).contains(address) => {
                return Some(format!(
                    "stack deeper than the {copied} bytes copied: outermost frames are missing"
                ));
            }
            End::NotCopied { address, .. } => format!("the stack at {address:#x} could not be copied"),
            End::NoModule { address } => match self.space.why_unknown(*address) {
                Some(reason) => reason.to_owned(),
                None => format!("the code at {address:#x} belongs to no file"),
            },
            End::NoEntry { module, address } => format!(
                "{} has no unwind information for {address:#x}",
                modules.get(*module).name()
            ),
            End::BadEntry(unknown) => {
                let name = stack
                    .last()
                    .and_then(|frame| frame.module)
                    .map_or("?", |(module, _)| modules.get(module).name());
                format!("the unwind information of {name} cannot be followed: {unknown}")
            }
            End::NoProgress => "the chain of frames does not lead outward: the stack is damaged".to_owned(),
            End::TooMany => "the chain of frames does not end".to_owned(),
        };
        Some(format!("outermost frames are missing: {why}"))
    }

    /// Records a failure; what an earlier round read stays.
    fn fail(&mut self, reason: String) {
        self.record.error = Some(match self.record.error.take() {
            Some(before) => format!("{before}; {reason}"),
            None => reason,
        });
    }

    /// The record, as it is after the last round.
    pub(crate) fn finish(self) -> Task {
        self.record
    }
}

/// Whether one of the ranges holds all of `length` bytes at `address`.
fn contains(ranges: &[(u64, usize)], address: u64, length: usize) -> bool {
    ranges.iter().any(|&(start, size)| {
        let offset = address.checked_sub(start);
        offset.is_some_and(|offset| offset.saturating_add(length as u64) <= size as u64)
    })
}
