//! Which instructions of a function make room for jumps to the tracer: those at its beginning, and those before each of its ends.
//!
//! A jump takes five bytes, or two if it leads to one of five that stands where there is only filling nearby. The instructions that it replaces, a *window*, are executed elsewhere. So nothing may lead into a window behind its first byte. A call can only be the last
//! instruction of one: the address that its callee returns to stays one of the function's, where unwinders look for it. A function is rewritten as a whole or not at all: an end that
//! nobody tells of would make a callee of whatever comes behind it.

use super::code::{Code, is_filling};
use iced_x86::{FlowControl, Instruction, Mnemonic, OpKind, Register};
use std::fmt;
use std::ops::Range;

/// How far a jump reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// To all of the file, and what was put near it.
    Far,
    /// To some hundred bytes around.
    Short,
}

impl Reach {
    /// Bytes of such a jump.
    pub(super) fn bytes(self) -> u64 {
        match self {
            Self::Far => 5,
            Self::Short => 2,
        }
    }
}

/// Why a function is left as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unsafe {
    /// Not all of its bytes are instructions that are known, or it returns as no function does.
    NotDecoded,
    /// Other code jumps into it behind its beginning, or it jumps into other code.
    JumpedInto,
    /// Where it jumps to is computed, and not known.
    JumpsAnywhere,
    /// It goes back to its own beginning, which is then no entry.
    BeginsAgain,
    /// There is no room for a jump at its beginning.
    BeginningTooShort,
    /// There is no room for a jump at one of its ends.
    EndTooShort,
}

impl fmt::Display for Unsafe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotDecoded => "not all of it is known code",
            Self::JumpedInto => "it shares code with others",
            Self::JumpsAnywhere => "where it jumps to is computed",
            Self::BeginsAgain => "it jumps to its own beginning",
            Self::BeginningTooShort => "no room at its beginning",
            Self::EndTooShort => "no room at one of its ends",
        })
    }
}

/// How control leaves the function at an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaves {
    /// It does not.
    Never,
    /// By it, always.
    Always,
    /// By it, if a condition holds.
    Perhaps,
}

/// Instructions that a jump replaces.
#[derive(Clone, Debug)]
pub(super) struct Window {
    /// Where the jump stands.
    pub(super) start: u64,
    /// What jump it has room for.
    pub(super) reach: Reach,
    /// What is executed elsewhere, each with how it leaves the function.
    pub(super) moved: Vec<(Instruction, Leaves)>,
}

impl Window {
    /// The first address that a jump and what it replaces do not need.
    pub(super) fn end(&self) -> u64 {
        let last = self.moved.last().map_or(0, |(last, _)| last.next_ip());
        last.max(self.start + self.reach.bytes())
    }
}

/// How a function is rewritten.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The function's address.
    pub(super) function: u64,
    /// At its beginning.
    pub(super) begin: Window,
    /// Before its ends.
    pub(super) ends: Vec<Window>,
}

impl Plan {
    /// Its windows, that at the beginning first.
    pub(super) fn windows(&self) -> impl Iterator<Item = &Window> {
        std::iter::once(&self.begin).chain(&self.ends)
    }
}

/// Whether calls can be executed elsewhere. There they push an address that is none of theirs, which a processor that keeps a second stack of these would not return to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Calls {
    CanBeMoved,
    StayWhereTheyAre,
}

impl Calls {
    fn may_be_moved(self, call: &Instruction) -> bool {
        // What it reads by the stack pointer is elsewhere once an address was pushed.
        let is_plain =
            call.is_call_near() || call.is_call_near_indirect() && call.memory_base() != Register::RSP;
        self == Self::CanBeMoved && is_plain
    }
}

/// How the function of these pieces, its own first, is rewritten.
///
/// # Errors
/// It cannot be rewritten for certain.
pub(super) fn plan(
    code: &Code<'_>,
    pieces: &[usize],
    is_entry: &dyn Fn(u64) -> bool,
    calls: Calls,
) -> Result<Plan, Unsafe> {
    let function = Pieces {
        code,
        pieces,
        is_entry,
    };
    let ranges = Vec::from_iter(pieces.iter().map(|&piece| code.pieces[piece].code.clone()));
    let computed = ranges.iter().any(|range| code.may_be_computed(range));
    let mut begin = None;
    let mut ends = Vec::new();
    for (piece, range) in pieces.iter().zip(&ranges) {
        let instructions = code.instructions(*piece);
        let leaves = function.leaves(&instructions, range, computed)?;
        let mut all = Windows {
            code,
            instructions: &instructions,
            leaves: &leaves,
            calls,
            taken: 0,
        };
        if begin.is_none() {
            let window = all.begin(range, Reach::Far).or_else(|why| match why {
                Unsafe::BeginningTooShort => all.begin(range, Reach::Short),
                why => Err(why),
            });
            begin = Some(window?);
        }
        ends.extend(all.ends()?);
    }
    Ok(Plan {
        function: ranges[0].start,
        begin: begin.ok_or(Unsafe::NotDecoded)?,
        ends,
    })
}

struct Pieces<'c> {
    code: &'c Code<'c>,
    pieces: &'c [usize],
    is_entry: &'c dyn Fn(u64) -> bool,
}

impl Pieces<'_> {
    fn has(&self, address: u64) -> bool {
        self.code
            .piece_at(address)
            .is_some_and(|piece| self.pieces.contains(&piece))
    }

    /// How each instruction of a piece leaves the function.
    fn leaves(&self, all: &[Instruction], range: &Range<u64>, computed: bool) -> Result<Vec<Leaves>, Unsafe> {
        let mut leaves = Vec::with_capacity(all.len());
        for (at, instruction) in all.iter().enumerate() {
            // Filling behind its end.
            if instruction.ip() >= range.end {
                leaves.push(Leaves::Never);
                continue;
            }
            if instruction.is_invalid() || instruction.next_ip() > range.end {
                return Err(Unsafe::NotDecoded);
            }
            leaves.push(self.one(instruction, &all[..at], computed)?);
        }
        let own = all.iter().take_while(|instruction| instruction.ip() < range.end);
        let last = own.last().ok_or(Unsafe::NotDecoded)?;
        if matches!(
            last.flow_control(),
            FlowControl::Next | FlowControl::ConditionalBranch
        ) && !is_filling(last)
        {
            // It goes on in what comes behind it.
            return Err(Unsafe::JumpedInto);
        }
        Ok(leaves)
    }

    fn one(
        &self,
        instruction: &Instruction,
        before: &[Instruction],
        computed: bool,
    ) -> Result<Leaves, Unsafe> {
        match instruction.flow_control() {
            FlowControl::Return if matches!(instruction.mnemonic(), Mnemonic::Ret) => Ok(Leaves::Always),
            FlowControl::Return | FlowControl::XbeginXabortXend => Err(Unsafe::NotDecoded),
            FlowControl::UnconditionalBranch => self.jump(instruction.near_branch_target(), Leaves::Always),
            FlowControl::ConditionalBranch => {
                let leaves = self.jump(instruction.near_branch_target(), Leaves::Perhaps)?;
                // `loop` and `jrcxz` reach no further than their own function.
                match leaves {
                    Leaves::Perhaps if !instruction.is_jcc_short_or_near() => Err(Unsafe::JumpedInto),
                    leaves => Ok(leaves),
                }
            }
            FlowControl::IndirectBranch if instruction.is_ip_rel_memory_operand() => Ok(Leaves::Always),
            FlowControl::IndirectBranch => {
                let is_of_table = is_of_table(instruction, before);
                match (computed, is_of_table) {
                    (true, true) => Ok(Leaves::Never),
                    // Nothing of the function can be meant.
                    (false, false) => Ok(Leaves::Always),
                    // A table that was not found, or what may be both.
                    (false, true) | (true, false) => Err(Unsafe::JumpsAnywhere),
                }
            }
            _ => Ok(Leaves::Never),
        }
    }

    fn jump(&self, to: u64, leaves: Leaves) -> Result<Leaves, Unsafe> {
        if self.has(to) {
            let begins = self
                .pieces
                .first()
                .map(|piece| self.code.pieces[*piece].code.start);
            return match begins {
                Some(begins) if to == begins => Err(Unsafe::BeginsAgain),
                _ => Ok(Leaves::Never),
            };
        }
        if (self.is_entry)(to) {
            Ok(leaves)
        } else {
            Err(Unsafe::JumpedInto)
        }
    }
}

/// Whether a computed jump leads to an entry of a table: the entry's distance was added to where the table begins, or it was read from the table as it is.
fn is_of_table(jump: &Instruction, before: &[Instruction]) -> bool {
    let is_entry = |instruction: &Instruction| {
        instruction.memory_index() != Register::None && instruction.memory_index_scale() == 8
    };
    if jump.op0_kind() == OpKind::Memory {
        return is_entry(jump);
    }
    let target = jump.op0_register();
    before.last().is_some_and(|last| {
        let makes_target = last.op0_kind() == OpKind::Register && last.op0_register() == target;
        let is_sum = last.mnemonic() == Mnemonic::Add;
        let is_read = last.mnemonic() == Mnemonic::Mov && last.op1_kind() == OpKind::Memory && is_entry(last);
        makes_target && (is_sum || is_read)
    })
}

/// The windows of one piece, one behind the other.
struct Windows<'p> {
    code: &'p Code<'p>,
    instructions: &'p [Instruction],
    leaves: &'p [Leaves],
    calls: Calls,
    /// The first address that is not in the last window.
    taken: u64,
}

impl Windows<'_> {
    /// The window of these instructions; none if something leads into it behind its first byte.
    fn window(&self, at: Range<usize>, reach: Reach) -> Option<Window> {
        let leaves = self.leaves.get(at.clone())?;
        let instructions = self.instructions.get(at)?;
        let window = Window {
            start: instructions.first()?.ip(),
            reach,
            moved: instructions.iter().copied().zip(leaves.iter().copied()).collect(),
        };
        let mut inside = window.start + 1..window.end();
        inside.all(|address| !self.code.is_met(address)).then_some(window)
    }

    /// The window at the beginning of a function, behind a mark that indirect calls may come there.
    fn begin(&mut self, range: &Range<u64>, reach: Reach) -> Result<Window, Unsafe> {
        let is_mark = |at: &Instruction| at.mnemonic() == Mnemonic::Endbr64;
        let first = usize::from(self.instructions.first().is_some_and(is_mark));
        let start = self
            .instructions
            .get(first)
            .ok_or(Unsafe::BeginningTooShort)?
            .ip();
        if first == 1 && self.code.is_met(start) {
            return Err(Unsafe::BeginsAgain);
        }
        let mut last = first;
        loop {
            let instruction = self.instructions.get(last).ok_or(Unsafe::BeginningTooShort)?;
            if instruction.ip() != start && self.code.is_met(instruction.ip()) {
                return Err(Unsafe::BeginningTooShort);
            }
            let goes_on = match instruction.flow_control() {
                FlowControl::Next | FlowControl::ConditionalBranch => true,
                FlowControl::Return | FlowControl::UnconditionalBranch | FlowControl::IndirectBranch => false,
                FlowControl::Call | FlowControl::IndirectCall
                    if self.calls.may_be_moved(instruction)
                        && instruction.next_ip() >= start + reach.bytes() =>
                {
                    true
                }
                _ => return Err(Unsafe::BeginningTooShort),
            };
            // Of a loop within the window nothing would be left where it jumps to.
            let to = instruction.near_branch_target();
            if (start..instruction.next_ip()).contains(&to) || to != 0 && range.start == to {
                return Err(Unsafe::BeginsAgain);
            }
            last += 1;
            if instruction.next_ip() >= start + reach.bytes() {
                break;
            }
            if !goes_on {
                if self.filled_until(last) < start + reach.bytes() {
                    return Err(Unsafe::BeginningTooShort);
                }
                break;
            }
        }
        let window = self.window(first..last, reach).ok_or(Unsafe::BeginningTooShort)?;
        self.taken = window.end();
        Ok(window)
    }

    /// Up to where there is only filling that nothing leads to, from this instruction on.
    fn filled_until(&self, from: usize) -> u64 {
        let rest = self.instructions.get(from..).unwrap_or_default();
        let filling = rest
            .iter()
            .take_while(|instruction| is_filling(instruction) && !self.code.is_met(instruction.ip()));
        let before = from
            .checked_sub(1)
            .and_then(|before| self.instructions.get(before));
        let last = filling.last().or(before);
        last.map_or(0, Instruction::next_ip)
    }

    /// The windows before all ends that do not lie in the first one.
    fn ends(&mut self) -> Result<Vec<Window>, Unsafe> {
        let mut windows = Vec::new();
        for (at, leaves) in self.leaves.iter().enumerate() {
            if *leaves == Leaves::Never || self.instructions[at].ip() < self.taken {
                continue;
            }
            let window = self.end(at, *leaves, Reach::Far);
            let window = window.or_else(|_| self.end(at, *leaves, Reach::Short))?;
            self.taken = window.end();
            windows.push(window);
        }
        Ok(windows)
    }

    fn end(&self, at: usize, leaves: Leaves, reach: Reach) -> Result<Window, Unsafe> {
        let until = match leaves {
            Leaves::Always => self.filled_until(at + 1),
            Leaves::Perhaps | Leaves::Never => self.instructions[at].next_ip(),
        };
        let mut first = at;
        while until < self.instructions[first].ip() + reach.bytes() {
            let start = self.instructions[first].ip();
            let before = first.checked_sub(1).ok_or(Unsafe::EndTooShort)?;
            let is_plain = self.instructions[before].flow_control() == FlowControl::Next
                && self.instructions[before].next_ip() == start;
            if !is_plain || self.code.is_met(start) || self.instructions[before].ip() < self.taken {
                return Err(Unsafe::EndTooShort);
            }
            first = before;
        }
        self.window(first..at + 1, reach).ok_or(Unsafe::EndTooShort)
    }
}
