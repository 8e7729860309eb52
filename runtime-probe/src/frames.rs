//! From a raw stack to the frames of a snapshot: names, positions, values.

use crate::callers::Callers;
use crate::evaluate::{EvaluationContext, Unknown};
use crate::locate::{InlineChain, Level, Locator};
use crate::memory::Memory;
use crate::modules::{ModuleId, Modules};
use crate::symbols;
use crate::unwind::RawFrame;
use crate::values;
use library::symbols::{RECORDERS_OWN, hands_on};
use progress_map::{BoundSite, BoundVariable, MachineLocation};
use snapshot::Frame;
use std::collections::BTreeMap;

/// What frames are made with.
pub(crate) struct Builder<'a> {
    pub(crate) modules: &'a Modules,
    /// The modules of this task that the map is bound to.
    pub(crate) bound: &'a [(ModuleId, &'a Locator<'a>)],
    pub(crate) memory: &'a Memory,
    /// Answers what becomes of a read of memory that was not copied.
    pub(crate) not_copied: &'a mut dyn FnMut(u64, usize) -> Unknown,
    /// Becomes true when something was in a register that was not read.
    pub(crate) unread: bool,
}

/// Gives the recorder's own function in front of one of MPI's the name of that: it is what the program calls. Whether it is such a frame.
fn name_what_is_recorded(frame: &mut Frame) -> bool {
    let recorded = frame.function.strip_prefix(RECORDERS_OWN);
    let Some(recorded) = recorded.map(str::to_owned) else {
        return false;
    };
    frame.function = recorded;
    true
}

impl Builder<'_> {
    /// All frames, outermost first, from raw frames that stand innermost first. Where the flight recorder has handed a call on to MPI, its own frame is left out:
    /// the stack is that of the job without it.
    pub(crate) fn build(&mut self, stack: &[RawFrame]) -> Vec<Frame> {
        let mut frames: Vec<Frame> = Vec::new();
        let mut calls_from_recorder = false;
        for (at, raw) in stack.iter().enumerate().rev() {
            let caller = frames.len().checked_sub(1);
            self.add(raw, &stack[at + 1..], &mut frames);
            let is_recorders = frames.last_mut().is_some_and(name_what_is_recorded);
            let site = stack.get(at + 1).and_then(|caller| self.site(caller));
            if let (Some(caller), Some(site)) = (caller, site) {
                let callee = frames.get(caller + 1).map(|frame| frame.function.as_str());
                let straight = site.named.is_none() || site.named.as_deref() == callee;
                frames[caller].straight = straight;
            }
            if let Some(recorder) = caller.filter(|_| calls_from_recorder)
                && let [own, inner, ..] = &frames[recorder..]
                && hands_on(&own.function, &inner.function)
            {
                frames.remove(recorder);
            }
            calls_from_recorder = is_recorders;
        }
        if let (Some(raw), Some(innermost)) = (stack.first(), frames.last_mut()) {
            innermost.at_start = self.is_at_start(raw);
        }
        frames
    }

    /// Whether the innermost frame is at the first instruction of a function that is in no map, by its symbol and by its unwind entry: a
    /// symbol alone may be a label within.
    fn is_at_start(&self, raw: &RawFrame) -> bool {
        let Some((module, bias)) = raw.module.filter(|_| raw.lookup == raw.pc && !raw.guessed) else {
            return false;
        };
        let (file, address) = (self.modules.get(module), raw.pc.wrapping_sub(bias));
        let is_bound = self.bound.iter().any(|(bound, _)| *bound == module);
        let unwinding = file
            .unwind(address)
            .map(|unwind| unwind.entry().initial_address());
        !is_bound && symbols::start_of(file, address) == Some(address) && unwinding == Some(address)
    }

    /// Whom the call of a frame names, if the map lists it.
    fn site(&self, caller: &RawFrame) -> Option<&BoundSite> {
        // A signal does not call what it interrupts, and a guess may have skipped a frame.
        if caller.lookup == caller.pc || caller.guessed {
            return None;
        }
        let (module, bias) = caller.module?;
        let (_, locator) = self.bound.iter().find(|(bound, _)| *bound == module)?;
        let sites = &locator.binding.sites;
        let address = caller.pc.wrapping_sub(bias);
        let at = sites.binary_search_by_key(&address, |site| site.return_address);
        sites.get(at.ok()?)
    }

    fn add(&mut self, raw: &RawFrame, outer: &[RawFrame], frames: &mut Vec<Frame>) {
        let Some((module, bias)) = raw.module else {
            frames.push(Frame {
                function: "??".to_owned(),
                pc: Some(raw.pc),
                guessed: raw.guessed,
                ..Frame::default()
            });
            return;
        };
        let mut bound = self.bound.iter();
        let locator = bound.find(|(bound, _)| *bound == module);
        let locator = locator.map(|&(_, locator)| locator);
        let address = raw.lookup.wrapping_sub(bias);
        let place = locator.and_then(|locator| Some((locator, locator.place(address)?)));
        match place {
            Some((locator, place)) => self.add_placed(raw, (module, bias), (locator, &place), outer, frames),
            None => frames.push(self.by_symbol(raw, (module, bias), locator)),
        }
    }

    /// Adds the frames of a function of the binding, and of what is inlined into it there.
    fn add_placed(
        &mut self,
        raw: &RawFrame,
        (module, bias): (ModuleId, u64),
        (locator, place): (&Locator<'_>, &InlineChain),
        outer: &[RawFrame],
        frames: &mut Vec<Frame>,
    ) {
        let file = self.modules.get(module);
        let address = raw.lookup.wrapping_sub(bias);
        let function = locator.binding.functions.get(place.function as usize);
        let frame_base = function.map_or(&[][..], |function| &function.frame_base);
        // A call stands where it stands. Other code that begins no statement may stand anywhere between two calls, or
        // have no position of its own and show its neighbour's; compilers do that from -Og on.
        let interrupted = raw.lookup == raw.pc;
        let inexact = interrupted && place.levels.last().is_some_and(|level| level.position.inexact);
        let context = EvaluationContext {
            registers: &raw.registers,
            memory: self.memory,
            cfa: raw.cfa,
            frame_base,
            bias,
            callers: Some(Callers {
                locator,
                module: (module, bias),
                function: place.function,
                outer,
                depth: 0,
            }),
        };
        let (mut registers, mut slots) = self.counted(locator, raw, address);
        for (depth, level) in place.levels.iter().enumerate() {
            // Only what the source calls there is inlined.
            if let Some(around) = frames.last_mut().filter(|_| depth > 0) {
                around.straight = true;
            }
            let mut frame = Frame {
                function: level.name.clone(),
                qualified: level.linkage_name.clone(),
                file: level.position.file.clone(),
                line: level.position.line,
                column: level.position.column,
                inlined: depth > 0,
                inexact,
                module: (!level.mapped).then(|| file.name().to_owned()),
                pc: Some(raw.pc.wrapping_sub(bias)),
                guessed: raw.guessed,
                // Of all that is inlined into one frame the first has them.
                registers: std::mem::take(&mut registers),
                slots: std::mem::take(&mut slots),
                ..Frame::default()
            };
            // What a guess did not restore would be read as if it had been.
            if !raw.guessed {
                self.read_variables(locator, level, address, &context, &mut frame);
            }
            frames.push(frame);
        }
        if let Some(innermost) = frames.last_mut().filter(|_| !interrupted && !raw.guessed) {
            innermost.passed = passed(locator, raw.pc.wrapping_sub(bias), &context, &mut self.unread);
        }
    }

    /// The frame of a function that no binding has: only its file's symbols tell its name.
    fn by_symbol(
        &mut self,
        raw: &RawFrame,
        (module, bias): (ModuleId, u64),
        locator: Option<&Locator<'_>>,
    ) -> Frame {
        let file = self.modules.get(module);
        let address = raw.lookup.wrapping_sub(bias);
        let function = if raw.is_signal_trampoline {
            "<signal handler called>"
        } else {
            symbols::name_at(file, address).unwrap_or("??")
        };
        // Code without a function may still have lines: assembly.
        let position = locator.map(|locator| locator.row(address)).unwrap_or_default();
        let (registers, slots) = locator
            .map(|locator| self.counted(locator, raw, address))
            .unwrap_or_default();
        Frame {
            function: function.to_owned(),
            file: position.file,
            line: position.line,
            column: position.column,
            module: Some(file.name().to_owned()),
            pc: Some(raw.pc.wrapping_sub(bias)),
            guessed: raw.guessed,
            registers,
            slots,
            ..Frame::default()
        }
    }

    /// What the code of a frame counts with, in registers and in slots of the stack; what a guess did not restore would be read as if it
    /// had been.
    fn counted(&mut self, locator: &Locator<'_>, raw: &RawFrame, address: u64) -> (Registers, Slots) {
        let (mut registers, mut slots) = (BTreeMap::new(), BTreeMap::new());
        for (location, half) in locator.counted(address).filter(|_| !raw.guessed) {
            match location {
                MachineLocation::Register(number) => {
                    let value = raw.registers.require(number.into());
                    self.unread |= matches!(value, Err(Unknown::NotRead(_)));
                    registers.extend(value.ok().map(|value| (number, value)));
                }
                MachineLocation::Slot(offset) => {
                    let Some(cfa) = raw.cfa else { continue };
                    let (address, length) =
                        (cfa.wrapping_add_signed(offset.into()), if half { 4 } else { 8 });
                    let mut word = [0; 8];
                    match self.memory.read(address, length) {
                        Some(bytes) => word[..length].copy_from_slice(bytes),
                        None => {
                            (self.not_copied)(address, length);
                            continue;
                        }
                    }
                    slots.insert(offset, u64::from_le_bytes(word));
                }
            }
        }
        (registers, slots)
    }

    fn read_variables(
        &mut self,
        locator: &Locator<'_>,
        level: &Level,
        address: u64,
        context: &EvaluationContext<'_>,
        frame: &mut Frame,
    ) {
        let own = locator.variables(level.instance);
        let global = level
            .anywhere
            .into_iter()
            .flat_map(|instance| locator.variables(instance));
        // Of several of one name the one with the smallest scope around the address is meant; a local one hides a
        // global one.
        let mut chosen: BTreeMap<&str, (Option<u64>, &BoundVariable)> = BTreeMap::new();
        for variable in own
            .chain(global)
            .filter_map(|index| locator.binding.variables.get(index as usize))
        {
            let size = values::scope_size(variable, address);
            let better = match chosen.get(variable.name.as_str()) {
                None => true,
                Some((None, _)) => size.is_some(),
                Some((Some(best), _)) => size.is_some_and(|size| size < *best),
            };
            if better {
                chosen.insert(&variable.name, (size, variable));
            }
        }
        for name in locator
            .undescribed(level)
            .filter(|name| !chosen.contains_key(name))
        {
            frame
                .missing
                .insert(name.to_owned(), Unknown::NoVariables.to_string());
        }
        for (name, (size, variable)) in chosen {
            let value = match size {
                Some(_) => values::read(variable, address, context),
                None => Err(Unknown::OutOfScope),
            };
            let value = value.map_err(|unknown| match unknown {
                Unknown::NotCopied { address, length } => (self.not_copied)(address, length),
                other => other,
            });
            match value {
                Ok(value) => {
                    frame.values.insert(name.to_owned(), value);
                }
                Err(unknown) => {
                    self.unread |= matches!(unknown, Unknown::NotRead(_));
                    frame.missing.insert(name.to_owned(), unknown.to_string());
                }
            }
        }
    }
}

/// Values by the numbers of DWARF.
type Registers = BTreeMap<u8, u64>;

/// Values by the distance from the canonical frame address.
type Slots = BTreeMap<i32, u64>;

/// What the call of an MPI function that returns to `address` passed; where it cannot be told, nothing is said.
fn passed(
    locator: &Locator<'_>,
    address: u64,
    context: &EvaluationContext<'_>,
    unread: &mut bool,
) -> BTreeMap<u8, u64> {
    let calls = &locator.binding.mpi_calls;
    let at = calls.binary_search_by_key(&address, |call| call.return_address);
    let call = at.ok().and_then(|at| calls.get(at));
    let arguments = call.map_or(&[][..], |call| &call.arguments).iter();
    let values = arguments.filter_map(|argument| {
        let value = context.address(&argument.expression, None);
        *unread |= matches!(value, Err(Unknown::NotRead(_)));
        Some((argument.index, value.ok()?))
    });
    values.collect()
}
