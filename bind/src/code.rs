//! The machine code of one function: its instructions, and which may follow which.
//!
//! gcc does not describe every call: one through memory of whose arguments it knows nothing has no entry (`call *0x20(%rbx)`). The
//! instructions themselves are all there. What is decoded here is complete or refused: a function that jumps to an address which is
//! computed (the table of a `switch`) has ways that the instructions do not show. Where an exception goes is told by tables beside the code
//! ([`landing`](crate::landing)).

use crate::elf::Image;
use crate::landing::{LandingPad, landing_pads};
use crate::unwinding::{each_entry, exceptions_of};
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register};
use object::{Object as _, ObjectSymbol as _};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// So many instructions of one function are decoded at most.
const MOST_INSTRUCTIONS: usize = 400_000;

/// An instruction, by its place in [`Code::steps`].
pub(crate) type InstructionIndex = usize;

/// The instructions of a function that are reached from its first, sorted by address.
pub(crate) struct Code {
    pub(crate) steps: Vec<ReachedInstruction>,
    /// The first instruction that is executed.
    pub(crate) entry: InstructionIndex,
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReachedInstruction {
    pub(crate) address: u64,
    /// The address after it: what a call returns to.
    pub(crate) end: u64,
    /// What may follow it in the function.
    pub(crate) next: Next<InstructionIndex>,
    /// Whether it calls, and how.
    pub(crate) call: Option<CallForm>,
    /// Code may come here otherwise than from the instruction in front, or it only fills up a gap.
    begins_block: bool,
}

/// What may follow an instruction in its function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Next<I> {
    /// The one behind it.
    pub(crate) behind: Option<I>,
    /// The one that it jumps to.
    pub(crate) jump: Option<I>,
    /// Where an exception goes that comes out of it.
    pub(crate) pad: Option<I>,
    /// The function may end here, and how.
    pub(crate) end: Option<End>,
}

/// How a function ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It returns.
    Returns,
    /// It jumps to other code, or cannot go on.
    Otherwise,
}

/// What a call instruction itself tells of its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallForm {
    /// It holds the target's address, or that of a cell of the linker's, or the target is in a register.
    Other,
    /// The target is read from memory that a register leads to: a pointer of the program.
    ThroughPointer,
}

/// What a program's code needs to be decoded for all its functions.
pub(crate) struct Decode<'i, 'a> {
    image: &'i Image<'a>,
    /// Of code that an exception may enter in its middle: its first address, and that of the table of its landing pads. `None` if that
    /// cannot be told.
    exceptions: Option<BTreeMap<u64, u64>>,
    /// The first addresses of functions that begin in the middle of one of the source.
    parts: BTreeSet<u64>,
    /// The file has names of local functions: then `parts` is complete.
    has_local_names: bool,
}

impl<'i, 'a> Decode<'i, 'a> {
    pub(crate) fn new(image: &'i Image<'a>) -> Self {
        let (mut parts, mut has_local_names) = (BTreeSet::new(), false);
        for symbol in image.file.symbols() {
            has_local_names |= symbol.is_local() && symbol.kind() == object::SymbolKind::Text;
            let begins_inside = |name: &str| {
                [".part.", "._omp_fn.", ".cold"]
                    .iter()
                    .any(|mark| name.contains(mark))
            };
            if symbol.name().is_ok_and(begins_inside) {
                parts.insert(symbol.address());
            }
        }
        Self {
            image,
            exceptions: exceptions(image),
            parts,
            has_local_names,
        }
    }

    /// Whether the function at an address begins where the source's does; `is_copy` if it is a copy of one.
    pub(crate) fn begins_at_entry(&self, address: u64, is_copy: bool) -> bool {
        !self.parts.contains(&address) && (self.has_local_names || !is_copy)
    }

    /// The landing pads of a function, by the code that leads to them; `None` if they cannot be told.
    fn landing_pads(&self, ranges: &[Range<u64>]) -> Option<Vec<LandingPad>> {
        let exceptions = self.exceptions.as_ref()?;
        let mut found = Vec::new();
        for range in ranges {
            for (&start, &table) in exceptions.range(range.clone()) {
                found.extend(landing_pads(self.image, table, start)?);
            }
        }
        found.sort_by_key(|pad| pad.calls.start);
        Some(found)
    }

    /// Decodes the function in `ranges`, from `entry`. Jumps to computed addresses in front of `tail_calls` (addresses after an
    /// instruction) leave the function.
    pub(crate) fn function(
        &self,
        ranges: &[Range<u64>],
        entry: u64,
        tail_calls: &BTreeSet<u64>,
    ) -> Option<Code> {
        let pads = self.landing_pads(ranges)?;
        let within = |address: u64| ranges.iter().find(|range| range.contains(&address));
        let mut found: BTreeMap<u64, Decoded> = BTreeMap::new();
        let mut work = vec![entry];
        while let Some(start) = work.pop() {
            if found.contains_key(&start) {
                continue;
            }
            let range = within(start)?;
            let bytes = self
                .image
                .code_at(start, usize::try_from(range.end - start).ok()?)?;
            let mut decoder = Decoder::with_ip(64, bytes, start, DecoderOptions::NONE);
            let mut instruction = Instruction::default();
            let mut goes_on = false;
            while decoder.can_decode() && !found.contains_key(&decoder.ip()) {
                decoder.decode_out(&mut instruction);
                let (address, end) = (instruction.ip(), instruction.next_ip());
                let way = leads_to(&instruction, tail_calls)?;
                let jump = way.jumps.filter(|&target| within(target).is_some());
                let behind = way.falls.then_some(end).filter(|&end| within(end).is_some());
                let before = pads.partition_point(|pad| pad.calls.start <= address);
                let pad = before.checked_sub(1).map(|last| &pads[last]);
                let next = Next {
                    behind,
                    jump,
                    pad: pad.filter(|pad| pad.calls.contains(&address)).map(|pad| pad.pad),
                    end: match instruction.flow_control() {
                        FlowControl::Return => Some(End::Returns),
                        _ if jump.is_none() && (way.jumps.is_some() || behind.is_none()) => {
                            Some(End::Otherwise)
                        }
                        _ => None,
                    },
                };
                let decoded = Decoded {
                    end,
                    next,
                    call: way.call,
                    fills: instruction.mnemonic() == Mnemonic::Nop,
                };
                found.insert(address, decoded);
                work.extend(jump.into_iter().chain(next.pad));
                goes_on = behind.is_some();
                if !goes_on || found.len() > MOST_INSTRUCTIONS {
                    break;
                }
            }
            if found.len() > MOST_INSTRUCTIONS {
                return None;
            }
            // Code may go on where it has been decoded before, or in the next range.
            let last = decoder.ip();
            if goes_on && !found.contains_key(&last) {
                work.push(last);
            }
        }
        let addresses = Vec::from_iter(found.keys().copied());
        let index = |address: u64| addresses.binary_search(&address).ok();
        let targets: BTreeSet<u64> = found
            .values()
            .flat_map(|decoded| decoded.next.jump.into_iter().chain(decoded.next.pad))
            .collect();
        let steps = found.iter().map(|(&address, decoded)| {
            let Decoded { end, next, call, .. } = *decoded;
            let next = Next {
                behind: next.behind.and_then(index),
                jump: next.jump.and_then(index),
                pad: next.pad.and_then(index),
                end: next.end,
            };
            ReachedInstruction {
                address,
                end,
                next,
                call,
                begins_block: decoded.fills || targets.contains(&address),
            }
        });
        Some(Code {
            steps: steps.collect(),
            entry: index(entry)?,
        })
    }
}

/// Where an instruction leads.
struct Way {
    /// To the one behind it.
    falls: bool,
    jumps: Option<u64>,
    call: Option<CallForm>,
}

/// Where an instruction leads; `None` if that cannot be told.
fn leads_to(instruction: &Instruction, tail_calls: &BTreeSet<u64>) -> Option<Way> {
    let target = instruction.near_branch_target();
    let form = || form(instruction);
    let (falls, jumps, call) = match instruction.flow_control() {
        FlowControl::Next => (true, None, None),
        // A system call counts as a call there.
        FlowControl::Call | FlowControl::IndirectCall if is_call(instruction) => (true, None, Some(form())),
        FlowControl::Call => (true, None, None),
        FlowControl::ConditionalBranch => (true, Some(target), None),
        FlowControl::UnconditionalBranch => (false, Some(target), None),
        FlowControl::Return => (false, None, None),
        // `ud2` and the like.
        FlowControl::Exception if !instruction.is_invalid() => (false, None, None),
        FlowControl::IndirectBranch
            if tail_calls.contains(&instruction.next_ip())
                || form() == CallForm::ThroughPointer && !is_indexed(instruction) =>
        {
            (false, None, None)
        }
        _ => return None,
    };
    Some(Way { falls, jumps, call })
}

/// What one instruction tells.
struct Decoded {
    /// The address after it.
    end: u64,
    next: Next<u64>,
    call: Option<CallForm>,
    /// It does nothing.
    fills: bool,
}

impl Code {
    /// The calls.
    pub(crate) fn calls(&self) -> impl Iterator<Item = (InstructionIndex, &ReachedInstruction)> {
        self.steps
            .iter()
            .enumerate()
            .filter(|(_, step)| step.call.is_some())
    }

    /// Code whose instructions lead to these others, behind, by a jump and by an exception; those with a mark call. The first is the entry.
    #[cfg(test)]
    pub(crate) fn of_ways(ways: &[(bool, [Option<InstructionIndex>; 3])]) -> Self {
        let targets = BTreeSet::from_iter(ways.iter().flat_map(|(_, [_, jump, pad])| jump.iter().chain(pad)));
        let steps = ways
            .iter()
            .enumerate()
            .map(|(at, &(calls, [behind, jump, pad]))| ReachedInstruction {
                address: at as u64,
                end: at as u64 + 1,
                next: Next {
                    behind,
                    jump,
                    pad,
                    end: (!calls && behind.or(jump).is_none()).then_some(End::Returns),
                },
                call: calls.then_some(CallForm::Other),
                begins_block: targets.contains(&at),
            });
        Self {
            steps: steps.collect(),
            entry: 0,
        }
    }

    /// Whether the code shows that a call comes back: nothing else leads to the instruction behind it, so that it would not be there.
    pub(crate) fn comes_back(&self, call: InstructionIndex) -> bool {
        let behind = self.steps[call].next.behind;
        behind.is_some_and(|behind| !self.steps[behind].begins_block)
    }
}

/// How a call or jump to a computed address finds its target.
fn form(instruction: &Instruction) -> CallForm {
    let base = instruction.memory_base();
    let has_base = base != Register::None && base != Register::RIP && base != Register::EIP;
    match instruction.op0_kind() {
        OpKind::Memory if has_base || is_indexed(instruction) => CallForm::ThroughPointer,
        _ => CallForm::Other,
    }
}

fn is_call(instruction: &Instruction) -> bool {
    instruction.is_call_near() || instruction.is_call_near_indirect()
}

fn is_indexed(instruction: &Instruction) -> bool {
    instruction.memory_index() != Register::None
}

/// By first address of code that exceptions may enter, where the table of its landing pads is; `None` when the unwind tables cannot be read.
fn exceptions(image: &Image<'_>) -> Option<BTreeMap<u64, u64>> {
    let mut found = BTreeMap::new();
    if image.file.section_by_name(".eh_frame").is_none() {
        // Code without unwind tables catches nothing.
        return image.file.section_by_name(".text").map(|_| found);
    }
    each_entry(image, |entry| {
        found.extend(exceptions_of(&entry)?.map(|table| (entry.initial_address(), table)));
        Ok(())
    })
    .ok()?;
    Some(found)
}
