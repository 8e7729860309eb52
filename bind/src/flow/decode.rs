//! From bytes to instructions, with where control goes from each.

use super::file::{File, UnwindEntry, returns_twice};
use super::stack::{FrameAt, StackUse};
use super::tables::{Tables, is_of_table};
use crate::landing::{LandingPad, landing_pads};
use crate::registers::{Copies, compared, copies, effects, equal};
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory};
use library::symbols;
use progress_map::{LocationEffect, MachineLocation, TailTarget};
use std::collections::{BTreeMap, BTreeSet};

/// So many instructions of one piece of code are decoded at most.
const MOST_INSTRUCTIONS: usize = 400_000;

/// What an instruction calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Callee {
    /// A function of this file.
    Here(u64),
    /// A function of MPI, which returns.
    Returns,
    /// A function of the library of C or C++, or of the compiler, that never returns.
    NeverReturns,
    /// A function of a library that calls neither MPI nor anything of the program.
    OnItsOwn,
    Unknown,
}

/// One instruction that is reached.
pub(super) struct DecodedInstruction {
    pub(super) end: u64,
    /// It may go on to the next one.
    pub(super) falls: bool,
    pub(super) call: Option<Callee>,
    /// Where it may jump to.
    pub(super) jumps: Vec<u64>,
    /// It may jump to an address that is computed, and no table of jumps.
    pub(super) jumps_anywhere: bool,
    /// It jumps to an address that is computed or read from memory: of a table inside the function, or out of it.
    pub(super) may_leave: Option<TailTarget>,
    /// It jumps to an address that is an entry of a table for certain.
    pub(super) is_of_table: bool,
    /// It returns to the caller.
    pub(super) returns: bool,
    pub(super) effects: Vec<(MachineLocation, LocationEffect)>,
    pub(super) copies: Copies,
    pub(super) stack: StackUse,
}

impl DecodedInstruction {
    fn calls(&mut self, callee: Callee) {
        self.call = Some(callee);
        self.falls = callee != Callee::NeverReturns;
    }
}

/// It cannot be told what code does.
#[derive(Debug)]
pub(super) struct Undecodable;

/// A piece of code, decoded.
pub(super) struct Piece {
    pub(super) steps: BTreeMap<u64, DecodedInstruction>,
    pub(super) pads: Vec<LandingPad>,
}

impl Piece {
    /// Where it leads other than by going on.
    pub(super) fn targets(&self) -> impl Iterator<Item = u64> + '_ {
        let jumps = self.steps.values().flat_map(|step| &step.jumps).copied();
        jumps.chain(self.pads.iter().map(|pad| pad.pad))
    }
}

/// Decodes what is reached of a piece from its start and from where it is `entered`; `None` if it cannot be told what is.
pub(super) fn decode(file: &File<'_, '_>, frame: &UnwindEntry, entered: &BTreeSet<u64>) -> Option<Piece> {
    let pads = match frame.exceptions {
        None => Vec::new(),
        Some(address) => landing_pads(file.image, address, frame.code.start)?,
    };
    let length = usize::try_from(frame.code.end - frame.code.start).ok()?;
    let bytes = file.image.code_at(frame.code.start, length)?;
    let mut piece = Piece {
        steps: BTreeMap::new(),
        pads,
    };
    let mut work = vec![frame.code.start];
    work.extend(entered);
    let inside = |address: &u64| frame.code.contains(address);
    work.extend(piece.pads.iter().map(|pad| pad.pad).filter(inside));
    let mut tables = Tables::default();
    loop {
        while let Some(start) = work.pop() {
            run(file, frame, bytes, start, &mut piece, &mut tables, &mut work).ok()?;
        }
        // Which tables there are is known when all code is.
        if !tables.resolve(file, frame, &mut piece, &mut work).ok()? {
            break;
        }
    }
    // Instructions that overlap were not all meant.
    let mut last = 0;
    for (&address, step) in &piece.steps {
        if address < last {
            return None;
        }
        last = step.end;
    }
    Some(piece)
}

/// Decodes from `start` until control leaves the run of instructions.
pub(super) fn run(
    file: &File<'_, '_>,
    frame: &UnwindEntry,
    bytes: &[u8],
    start: u64,
    piece: &mut Piece,
    tables: &mut Tables,
    work: &mut Vec<u64>,
) -> Result<(), Undecodable> {
    let offset = usize::try_from(start - frame.code.start).map_err(|_| Undecodable)?;
    let bytes = bytes.get(offset..).ok_or(Undecodable)?;
    let mut decoder = Decoder::with_ip(64, bytes, start, DecoderOptions::NONE);
    let mut factory = InstructionInfoFactory::new();
    let mut before: Option<(Instruction, FrameAt)> = None;
    let mut second_last = None;
    while decoder.can_decode() && !piece.steps.contains_key(&decoder.ip()) {
        let instruction = decoder.decode();
        if instruction.is_invalid() || piece.steps.len() >= MOST_INSTRUCTIONS {
            return Err(Undecodable);
        }
        if let Some((before, at)) = before
            && let Some(step) = piece.steps.get_mut(&before.ip())
        {
            step.copies.compared = compared(&before, &at, &instruction);
            step.copies.equal = equal(&before, &at, &instruction);
        }
        let at = FrameAt::new(&frame.unwinding, instruction.ip());
        tables.note(file, &instruction);
        let mut step = step(file, &instruction, tables).ok_or(Undecodable)?;
        let last = before.as_ref().map(|(last, _)| last);
        step.is_of_table = step.jumps_anywhere && is_of_table(second_last.as_ref(), last, &instruction);
        if step.call.is_none() {
            step.effects = effects(&mut factory, &instruction, &at);
            step.copies = copies(&mut factory, &instruction, &at);
            step.stack = at.use_by(&mut factory, &instruction);
        }
        work.extend(step.jumps.iter().filter(|target| frame.code.contains(target)));
        let falls = step.falls;
        piece.steps.insert(instruction.ip(), step);
        if !falls {
            return Ok(());
        }
        second_last = before.map(|(last, _)| last);
        before = Some((instruction, at));
    }
    Ok(())
}

/// Where control goes from an instruction; `None` if that is not known.
pub(super) fn step(
    file: &File<'_, '_>,
    instruction: &Instruction,
    tables: &mut Tables,
) -> Option<DecodedInstruction> {
    let mut step = DecodedInstruction {
        end: instruction.next_ip(),
        falls: true,
        call: None,
        jumps: Vec::new(),
        jumps_anywhere: false,
        may_leave: None,
        is_of_table: false,
        returns: false,
        effects: Vec::new(),
        copies: Copies::default(),
        stack: StackUse::default(),
    };
    match instruction.flow_control() {
        FlowControl::Next | FlowControl::Interrupt => {}
        FlowControl::Call if instruction.is_call_near() => {
            let target = instruction.near_branch_target();
            step.calls(callee(file, target)?);
            step.falls &= !file.never_returns.contains(&target);
        }
        // A system call.
        FlowControl::Call => {}
        FlowControl::IndirectCall => {
            let name = file.names.of_cell(instruction);
            step.calls(name.map_or(Some(Callee::Unknown), of_library)?);
        }
        FlowControl::ConditionalBranch => step.jumps.push(instruction.near_branch_target()),
        FlowControl::UnconditionalBranch => {
            step.falls = false;
            step.jumps.push(instruction.near_branch_target());
        }
        FlowControl::Return => (step.falls, step.returns) = (false, true),
        // `ud2` and the like.
        FlowControl::Exception => step.falls = false,
        FlowControl::IndirectBranch => {
            step.falls = false;
            if file.names.of_cell(instruction).is_some() {
                step.may_leave = Some(TailTarget::Linked);
            } else {
                step.may_leave = Some(TailTarget::Anywhere);
                step.jumps_anywhere = true;
                tables.jumps.push(instruction.ip());
            }
        }
        FlowControl::XbeginXabortXend => return None,
    }
    Some(step)
}

/// Whom a call of an address calls; `None` for what may return twice.
pub(super) fn callee(file: &File<'_, '_>, target: u64) -> Option<Callee> {
    if file.names.returns_twice.contains(&target) {
        return None;
    }
    if file
        .frame_at(target)
        .is_some_and(|at| file.frames[at].code.start == target)
    {
        return Some(Callee::Here(target));
    }
    file.names
        .of_stub(file.image, target)
        .map_or(Some(Callee::Unknown), of_library)
}

/// Which function of another file a name is; `None` for what may return twice.
pub(super) fn of_library(symbol: &str) -> Option<Callee> {
    if returns_twice(symbol) {
        return None;
    }
    let name = symbol.split('@').next().unwrap_or_default();
    let row = library::function(name);
    let returns = row.is_none_or(|row| row.exit != library::Exit::Never) && !symbols::never_returns(name);
    Some(match (base::is_mpi(name), row) {
        (true, _) if returns => Callee::Returns,
        (false, _) if !returns => Callee::NeverReturns,
        (false, Some(row)) if row.known && !row.calls_back() => Callee::OnItsOwn,
        _ => Callee::Unknown,
    })
}
