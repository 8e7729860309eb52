//! Unwinding a copied stack with the unwind tables of the modules.
//!
//! From the innermost frame outward. The state of a frame is its registers: those that are known. The table entry for
//! the frame's address gives its canonical frame address (CFA) and where the caller's registers were saved. A register
//! without a rule keeps its value if the ABI says that functions preserve it, and is forgotten otherwise: a value in
//! a scratch register of an outer frame would be some callee's.
//!
//! The address looked up is the program counter itself in the innermost frame and in one that a signal interrupted;
//! elsewhere it is the byte before the return address, which belongs to the call.

use crate::effort::{Effort, UsedUp};
use crate::elf::{Slice, Unwind};
use crate::evaluate::{EvaluationContext, Unknown};
use crate::guess;
use crate::memory::Memory;
use crate::modules::{ModuleId, Modules, Space};
use crate::registers::{GENERAL, RBP, RIP, RSP, Registers, callee_saved};
use gimli::{
    CallFrameInstruction, CallFrameInstructionIter, CfaRule, RegisterRule, UnwindContext, UnwindExpression,
    UnwindSection, UnwindTableRow,
};
use std::collections::BTreeSet;

/// One frame of a stack, innermost first; inlined calls are not yet told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RawFrame {
    /// The program counter or return address.
    pub(crate) pc: u64,
    /// The address that stands for the frame in tables.
    pub(crate) lookup: u64,
    /// Registers as they are in this frame.
    pub(crate) registers: Registers,
    /// The canonical frame address, if there was a table entry to tell.
    pub(crate) cfa: Option<u64>,
    /// The module and its bias.
    pub(crate) module: Option<(ModuleId, u64)>,
    /// The kernel's return trampoline of a signal handler.
    pub(crate) is_signal_trampoline: bool,
    /// It was found without unwind tables, or lies outside of one that was: likely, but not certain.
    pub(crate) guessed: bool,
}

impl RawFrame {
    /// Whether it may be the caller of `inner`: then it lies further out, unless it is what a signal interrupted, which may be on
    /// another stack.
    fn is_outside_of(&self, inner: &RawFrame) -> bool {
        inner.is_signal_trampoline
            || !matches!((inner.cfa, self.cfa), (Some(inner), Some(outer)) if outer <= inner)
    }
}

/// What was not there to follow an unwind entry of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lacks {
    /// The entry itself.
    Entry,
    /// A register that its rule needs and that was not read of a sleeping thread: most often the frame pointer.
    Register(u16),
}

/// Where tables were silent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Silence {
    module: ModuleId,
    address: u64,
    lacks: Lacks,
}

/// Why a stack ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// At the outermost frame: its return address is undefined by declaration, or null.
    Outermost,
    /// A word of the stack was not copied.
    NotCopied {
        /// Its address.
        address: u64,
        /// The stack pointer of the frame that needs it.
        stack_pointer: u64,
    },
    /// No module holds the address.
    NoModule {
        /// The address looked up.
        address: u64,
    },
    /// The module has no unwind entry for the address.
    NoEntry {
        /// The module.
        module: ModuleId,
        /// The address looked up, as linked.
        address: u64,
    },
    /// No unwind entry led on from the address, and what follows was guessed.
    Guessed {
        /// The module.
        module: ModuleId,
        /// The address looked up, as linked.
        address: u64,
        /// Why no unwind entry led on.
        lacks: Lacks,
    },
    /// An unwind entry cannot be followed.
    BadEntry(Unknown),
    /// The caller's frame would not lie further out: the stack is damaged, or the tables are.
    NoProgress,
    /// More frames than any real stack has.
    TooMany,
    /// The stacks of the task, or of all of them, have taken more work than they are worth.
    UsedUp,
}

impl End {
    /// What to say of a stack that did not end at its outermost frame. `whose` unwind information could not be followed, and
    /// what became of a word of the stack that is not there (`lost`), only the caller knows.
    pub(crate) fn in_words(
        &self,
        space: &Space,
        modules: &Modules,
        whose: &str,
        lost: &dyn Fn(u64) -> String,
    ) -> Option<String> {
        let why = match self {
            End::Outermost => return None,
            End::NotCopied { address, .. } => lost(*address),
            End::NoModule { address } => match space.why_unknown(*address) {
                Some(reason) => reason.to_owned(),
                None => format!("the code at {address:#x} belongs to no file"),
            },
            End::NoEntry { module, address } => format!(
                "{} has no unwind information for {address:#x}",
                modules.get(*module).name()
            ),
            End::Guessed {
                module,
                address,
                lacks,
            } => {
                let name = modules.get(*module).name();
                let because = match lacks {
                    Lacks::Entry => "that has no unwind information".to_owned(),
                    Lacks::Register(register) => {
                        format!(
                            "its unwind information cannot be followed, {}",
                            Unknown::NotRead(*register)
                        )
                    }
                };
                return Some(format!(
                    "its stack outside of {name} is guessed, and takes no part in the order: at {address:#x} {because}"
                ));
            }
            End::BadEntry(unknown) => format!("the unwind information{whose} cannot be followed: {unknown}"),
            End::NoProgress => "the chain of frames does not lead outward: the stack is damaged".to_owned(),
            End::TooMany => "the chain of frames does not end".to_owned(),
            End::UsedUp => {
                "the frames and unwind tables of the task are more than is worked through".to_owned()
            }
        };
        Some(format!("outermost frames are missing: {why}"))
    }
}

/// Unwinds from the registers of a stopped task.
pub(crate) fn unwind(
    modules: &Modules,
    space: &Space,
    registers: Registers,
    memory: &Memory,
) -> (Vec<RawFrame>, End) {
    // Each frame has its return address in the copy. Tables that take it from elsewhere, and frames of signals, which may lie
    // anywhere, could otherwise go on for ever.
    let most = (memory.size() / 8).saturating_add(FEW).min(MAX_FRAMES);
    let mut signals = BTreeSet::new();
    let mut unwinder = Unwinder {
        modules,
        space,
        memory,
        context: Box::new(UnwindContext::new()),
    };
    let mut frames: Vec<RawFrame> = Vec::new();
    let mut registers = registers;
    let mut exact = true;
    // Where the tables were silent first.
    let mut guessed: Option<Silence> = None;
    while frames.len() < most {
        // A return address of zero ends a stack; a program counter of zero is a call through a null pointer.
        let Some(pc) = registers.get(RIP).filter(|&pc| pc != 0 || exact) else {
            return (frames, ended(guessed, End::Outermost));
        };
        let lookup = if exact { pc } else { pc - 1 };
        let mut frame = RawFrame {
            pc,
            lookup,
            registers,
            cfa: None,
            module: space.find(lookup),
            is_signal_trampoline: false,
            guessed: guessed.is_some(),
        };
        if spend(modules, space, Effort::FRAME).is_err() {
            return (frames, ended(guessed, End::UsedUp));
        }
        let step = unwinder.step(&mut frame);
        // Each signal came while another place of the stack was in use.
        let again = frame.is_signal_trampoline && !signals.insert(frame.cfa);
        if again || frames.last().is_some_and(|inner| !frame.is_outside_of(inner)) {
            return (frames, ended(guessed, End::NoProgress));
        }
        let interrupted = std::mem::replace(&mut exact, frame.is_signal_trampoline);
        frames.push(frame);
        registers = match step {
            Ok(Some(caller)) => caller,
            Ok(None) => return (frames, ended(guessed, End::Outermost)),
            // A call through a bad pointer: nothing is known of the "callee" but that it was just called.
            Err(End::NoModule { .. }) if interrupted && pc < LOWEST_CODE => {
                match caller_of_nothing(frames.last(), memory) {
                    Ok(caller) => caller,
                    Err(end) => return (frames, end),
                }
            }
            Err(end) => {
                let silence = silence_at(&end, frames.last(), guessed);
                let frame = frames.last().filter(|_| silence.is_some());
                let Some(caller) = frame.and_then(|frame| unwinder.guess(frame, interrupted)) else {
                    return (frames, ended(guessed, end));
                };
                guessed = guessed.or(silence);
                caller
            }
        };
    }
    (frames, ended(guessed, End::TooMany))
}

/// However a stack ends that was guessed in part, that is what counts; but for a word that a further copy may hold.
fn ended(guessed: Option<Silence>, end: End) -> End {
    match (guessed, end) {
        (Some(silence), end) if !matches!(end, End::NotCopied { .. }) => End::Guessed {
            module: silence.module,
            address: silence.address,
            lacks: silence.lacks,
        },
        (_, end) => end,
    }
}

/// Where tables are silent that a step outward from `frame` needed, if a guess may go on there; `guessed`: where they were silent before.
fn silence_at(end: &End, frame: Option<&RawFrame>, guessed: Option<Silence>) -> Option<Silence> {
    match *end {
        End::NoEntry { module, address } => Some(Silence {
            module,
            address,
            lacks: Lacks::Entry,
        }),
        // A register that a guess did not restore.
        End::BadEntry(Unknown::NotSaved(_)) => guessed,
        End::BadEntry(Unknown::NotRead(register)) => guessed.or_else(|| {
            let frame = frame?;
            let (module, bias) = frame.module?;
            Some(Silence {
                module,
                address: frame.lookup.wrapping_sub(bias),
                lacks: Lacks::Register(register),
            })
        }),
        _ => None,
    }
}

/// Takes work from what the task's stacks are worth, and all stacks.
pub(crate) fn spend(modules: &Modules, space: &Space, amount: u64) -> Result<(), UsedUp> {
    space
        .effort
        .spend(amount)
        .and_then(|()| modules.effort.spend(amount))
}

/// More frames than any stack that a program could still work with.
const MAX_FRAMES: usize = 1 << 20;

/// So many more frames a stack may have than its words allow: frames that store nothing.
const FEW: usize = 64;

/// Linux maps nothing below this by default (`vm.mmap_min_addr`): a program counter here is a bad function pointer.
const LOWEST_CODE: u64 = 0x1_0000;

/// The registers of the caller, where an address without code was called: the call has pushed the return address and nothing else was done.
fn caller_of_nothing(callee: Option<&RawFrame>, memory: &Memory) -> Result<Registers, End> {
    let registers = &callee.ok_or(End::NoProgress)?.registers;
    let stack_pointer = registers.get(RSP).ok_or(End::NoProgress)?;
    let mut caller = registers.clone();
    caller.set(RIP, Some(word(memory, stack_pointer, stack_pointer)?));
    caller.set(RSP, Some(stack_pointer.wrapping_add(8)));
    Ok(caller)
}

fn word(memory: &Memory, address: u64, stack_pointer: u64) -> Result<u64, End> {
    memory.word(address).ok_or(End::NotCopied {
        address,
        stack_pointer,
    })
}

/// What it takes to follow an entry: its bytes, but for an instruction that has all rules remembered, which is one byte, what there is to be copied.
fn work<'s, S: UnwindSection<Slice<'s>>>(
    section: &S,
    entry: &crate::elf::Fde<'s>,
    bases: &gimli::BaseAddresses,
) -> u64 {
    // Most entries are shorter, and are not worth being read twice.
    const SHORT: usize = 64;
    const REMEMBERING: u64 = 256;
    let length = entry.entry_len().saturating_add(entry.cie().entry_len());
    let mut work = length as u64;
    if length > SHORT {
        let mut count = |mut instructions: CallFrameInstructionIter<'_, Slice<'s>>| {
            while let Ok(Some(instruction)) = instructions.next() {
                if matches!(instruction, CallFrameInstruction::RememberState) {
                    work = work.saturating_add(REMEMBERING);
                }
            }
        };
        count(entry.cie().instructions(section, bases));
        count(entry.instructions(section, bases));
    }
    work
}

struct Unwinder<'a> {
    modules: &'a Modules,
    space: &'a Space,
    memory: &'a Memory,
    context: Box<UnwindContext<usize>>,
}

impl Unwinder<'_> {
    /// The registers of a frame's caller without an unwind entry, as far as the code and the stack suggest them.
    fn guess(&self, frame: &RawFrame, interrupted: bool) -> Option<Registers> {
        let place = (frame.lookup, interrupted);
        guess::caller(self.modules, self.space, &frame.registers, self.memory, place)
    }

    /// Completes `frame` and returns its caller's registers; `None` at the outermost frame.
    fn step(&mut self, frame: &mut RawFrame) -> Result<Option<Registers>, End> {
        let Some((module, bias)) = self.space.find(frame.lookup) else {
            return Err(End::NoModule {
                address: frame.lookup,
            });
        };
        let address = frame.lookup.wrapping_sub(bias);
        let file = self.modules.get(module);
        let unwind = file.unwind(address).ok_or(End::NoEntry { module, address })?;
        let work = match &unwind {
            Unwind::Eh(section, entry) => work(section, entry, file.bases()),
            Unwind::Debug(section, entry) => work(section, entry, file.bases()),
        };
        spend(self.modules, self.space, work).map_err(|UsedUp| End::UsedUp)?;
        frame.is_signal_trampoline = unwind.entry().is_signal_trampoline();
        match &unwind {
            Unwind::Eh(section, entry) => self.apply(frame, section, entry, file.bases(), address),
            Unwind::Debug(section, entry) => self.apply(frame, section, entry, file.bases(), address),
        }
    }

    fn apply<'s, S: UnwindSection<Slice<'s>>>(
        &mut self,
        frame: &mut RawFrame,
        section: &S,
        entry: &crate::elf::Fde<'s>,
        bases: &gimli::BaseAddresses,
        address: u64,
    ) -> Result<Option<Registers>, End> {
        let row = entry
            .unwind_info_for_address(section, bases, &mut self.context, address)
            .map_err(|error| End::BadEntry(error.into()))?;
        let rules = Rules {
            section,
            memory: self.memory,
            registers: &frame.registers,
        };
        let cfa = rules.cfa(row.cfa())?;
        let is_restored = rules.has_restored_frame_pointer(row, cfa)?;
        let mut caller = Registers::default();
        for register in 0..GENERAL as u16 {
            let rule = match row.register(gimli::Register(register)) {
                Some(RegisterRule::Expression(_)) if is_restored => Some(RegisterRule::SameValue),
                rule => rule,
            };
            if register == RIP && matches!(rule, Some(RegisterRule::Undefined)) {
                frame.cfa = Some(cfa);
                return Ok(None);
            }
            rules.restore(&mut caller, register, rule, cfa)?;
        }
        frame.cfa = Some(cfa);
        if is_restored {
            // Debug info goes on to describe variables by the frame pointer that was.
            frame.registers.set(RBP, None);
        }
        caller.require(RIP).map_err(End::BadEntry)?;
        Ok(Some(caller))
    }
}

/// What the rules of an unwind entry are worked out from: the registers of the frame, and its stack.
struct Rules<'r, S> {
    section: &'r S,
    memory: &'r Memory,
    registers: &'r Registers,
}

impl<'s, S: UnwindSection<Slice<'s>>> Rules<'_, S> {
    fn cfa(&self, rule: &CfaRule<usize>) -> Result<u64, End> {
        match rule {
            CfaRule::RegisterAndOffset { register, offset } => Ok(self
                .registers
                .require(register.0)
                .map_err(End::BadEntry)?
                .wrapping_add_signed(*offset)),
            CfaRule::Expression(expression) => self.expression(expression, None),
        }
    }

    /// Whether the frame pointer is the caller's again, though the entry says that it is still saved where it points to.
    ///
    /// gcc (12 at all levels) describes a function that aligns its stack so in its last instructions: the CFA is in another register by then, and the rules by the
    /// frame pointer were left as they were, so that they skip a frame. What a frame has saved lies between its stack pointer and its CFA; the frame pointers of
    /// callers do not.
    fn has_restored_frame_pointer(&self, row: &UnwindTableRow<usize>, cfa: u64) -> Result<bool, End> {
        match (row.cfa(), row.register(gimli::Register(RBP))) {
            (CfaRule::RegisterAndOffset { register, .. }, Some(RegisterRule::Expression(saved)))
                if register.0 != RBP =>
            {
                let place = self.expression(&saved, Some(cfa))?;
                Ok(!(self.stack_pointer()..cfa).contains(&place))
            }
            _ => Ok(false),
        }
    }

    /// Sets a register of the caller, as far as its rule tells what is in it.
    fn restore(
        &self,
        caller: &mut Registers,
        register: u16,
        rule: Option<RegisterRule<usize>>,
        cfa: u64,
    ) -> Result<(), End> {
        let value = match rule {
            Some(RegisterRule::Undefined | RegisterRule::Architectural) => None,
            // The stack pointer of the caller is the CFA by definition.
            None if register == RSP => Some(cfa),
            None => {
                if callee_saved(register) {
                    caller.put(register, self.registers.content(register));
                }
                return Ok(());
            }
            Some(RegisterRule::SameValue) => {
                caller.put(register, self.registers.content(register));
                return Ok(());
            }
            Some(RegisterRule::Register(other)) => {
                caller.put(register, self.registers.content(other.0));
                return Ok(());
            }
            Some(RegisterRule::Constant(value)) => Some(value),
            Some(RegisterRule::ValOffset(offset)) => Some(cfa.wrapping_add_signed(offset)),
            Some(RegisterRule::ValExpression(rule)) => Some(self.expression(&rule, Some(cfa))?),
            Some(RegisterRule::Offset(offset)) => Some(self.word(cfa.wrapping_add_signed(offset))?),
            Some(RegisterRule::Expression(rule)) => Some(self.word(self.expression(&rule, Some(cfa))?)?),
            // The enum may grow: an unknown rule leaves the register unknown.
            #[allow(unreachable_patterns)]
            Some(_) => None,
        };
        caller.set(register, value);
        Ok(())
    }

    fn expression(&self, expression: &UnwindExpression<usize>, initial: Option<u64>) -> Result<u64, End> {
        let bytes = expression
            .get(self.section)
            .map_err(|error| End::BadEntry(error.into()))?;
        let context = EvaluationContext {
            registers: self.registers,
            memory: self.memory,
            cfa: None,
            frame_base: &[],
            bias: 0,
            callers: None,
        };
        context
            .address(&bytes.0, initial)
            .map_err(|unknown| match unknown {
                Unknown::NotCopied { address, .. } => End::NotCopied {
                    address,
                    stack_pointer: self.stack_pointer(),
                },
                other => End::BadEntry(other),
            })
    }

    fn word(&self, address: u64) -> Result<u64, End> {
        word(self.memory, address, self.stack_pointer())
    }

    fn stack_pointer(&self) -> u64 {
        self.registers.get(RSP).unwrap_or_default()
    }
}
