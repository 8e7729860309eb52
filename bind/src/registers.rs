//! What an instruction does to the registers that calls preserve, and to slots of the frame.

use crate::flow::stack::FrameAt;
use iced_x86::{ConditionCode, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};
use progress_map::{LocationEffect, MachineLocation};

/// A general register, by its number in the instruction set, or a slot of the frame, by its distance from the canonical frame address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Operand {
    Register(u8),
    Slot(i32),
}

impl Operand {
    /// The same as a location of the machine, if it is one that calls leave unchanged.
    pub(crate) fn preserved(self) -> Option<MachineLocation> {
        match self {
            Self::Register(number @ (3 | 12..=15)) => Some(MachineLocation::Register(number)),
            Self::Register(5) => Some(MachineLocation::Register(6)),
            Self::Register(_) => None,
            Self::Slot(offset) => Some(MachineLocation::Slot(offset)),
        }
    }
}

/// The number that DWARF gives a register that calls preserve, by the register as a whole.
pub(crate) fn preserved(register: Register) -> Option<u8> {
    match register.full_register() {
        Register::RBX => Some(3),
        Register::RBP => Some(6),
        Register::R12 => Some(12),
        Register::R13 => Some(13),
        Register::R14 => Some(14),
        Register::R15 => Some(15),
        _ => None,
    }
}

/// The registers that calls preserve, and the slots, that an instruction changes, with what becomes of them.
pub(crate) fn effects(
    factory: &mut InstructionInfoFactory,
    instruction: &Instruction,
    frame: &FrameAt,
) -> Vec<(MachineLocation, LocationEffect)> {
    let mut found: Vec<(MachineLocation, LocationEffect)> = Vec::new();
    let info = factory.info(instruction);
    let used = info.used_registers().iter().filter(|used| changes(used.access()));
    let registers = used.filter_map(|used| preserved(used.register()).map(MachineLocation::Register));
    let memory = info.used_memory().iter().filter(|used| changes(used.access()));
    let slots = memory.filter_map(|used| Some(MachineLocation::Slot(frame.slot_of(used)?)));
    for location in registers.chain(slots) {
        if found.iter().all(|(known, _)| *known != location) {
            let effect = simple(instruction, frame, location).unwrap_or(LocationEffect::Other);
            found.push((location, effect));
        }
    }
    found
}

/// An operand of 4 or 8 bytes, and whether it has 4.
fn operand(instruction: &Instruction, frame: &FrameAt, at: u32) -> Option<(Operand, bool)> {
    if at >= instruction.op_count() {
        return None;
    }
    let (operand, size) = match instruction.op_kind(at) {
        OpKind::Register => {
            let register = instruction.op_register(at);
            (Operand::Register(number(register)?), register.size())
        }
        OpKind::Memory => {
            let slot = frame.slot(instruction)?;
            (Operand::Slot(slot), instruction.memory_size().size())
        }
        _ => return None,
    };
    match size {
        8 => Some((operand, false)),
        4 => Some((operand, true)),
        _ => None,
    }
}

fn changes(access: OpAccess) -> bool {
    matches!(
        access,
        OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite
    )
}

/// What an instruction makes of its first operand, if that is the location and can be said in one number.
fn simple(instruction: &Instruction, frame: &FrameAt, location: MachineLocation) -> Option<LocationEffect> {
    let (target, half) = operand(instruction, frame, 0)?;
    if target.preserved() != Some(location) {
        return None;
    }
    let other = || operand(instruction, frame, 1).filter(|&(_, of_other)| of_other == half);
    let source = || other()?.0.preserved().filter(|&from| from != location);
    let add = |step: i64| (step != 0).then_some(LocationEffect::Add { step, half });
    let value = || immediate(instruction).map(|value| if half { value & 0xffff_ffff } else { value });
    match instruction.mnemonic() {
        Mnemonic::Xor | Mnemonic::Sub if other() == Some((target, half)) => Some(LocationEffect::Set(0)),
        Mnemonic::Mov if immediate(instruction).is_some() => value().map(LocationEffect::Set),
        Mnemonic::Mov => Some(LocationEffect::Copy {
            from: source()?,
            add: 0,
            half,
        }),
        Mnemonic::Or if immediate(instruction) == Some(-1) => {
            Some(LocationEffect::Set(if half { 0xffff_ffff } else { -1 }))
        }
        Mnemonic::And if immediate(instruction) == Some(0) => Some(LocationEffect::Set(0)),
        Mnemonic::Add if immediate(instruction).is_some() => add(immediate(instruction)?),
        Mnemonic::Add => Some(LocationEffect::AddHeld {
            from: source()?,
            half,
        }),
        Mnemonic::Sub => add(immediate(instruction)?.checked_neg()?),
        Mnemonic::Inc => add(1),
        Mnemonic::Dec => add(-1),
        Mnemonic::Lea => sum(instruction, location, half),
        _ => None,
    }
}

/// What `lea` makes of a register: another one and a number, or itself and another one.
fn sum(instruction: &Instruction, location: MachineLocation, half: bool) -> Option<LocationEffect> {
    let base = preserved(instruction.memory_base()).map(MachineLocation::Register)?;
    let add = instruction.memory_displacement64().cast_signed();
    if instruction.memory_index() != Register::None {
        let index = preserved(instruction.memory_index()).map(MachineLocation::Register)?;
        let is_sum = instruction.memory_index_scale() == 1 && add == 0 && base != index;
        let from = match (base == location, index == location) {
            (true, false) => index,
            (false, true) => base,
            _ => return None,
        };
        return is_sum.then_some(LocationEffect::AddHeld { from, half });
    }
    if base == location {
        (add != 0).then_some(LocationEffect::Add { step: add, half })
    } else {
        Some(LocationEffect::Copy {
            from: base,
            add,
            half,
        })
    }
}

/// The number that an instruction's second operand is, with its sign.
fn immediate(instruction: &Instruction) -> Option<i64> {
    let is_immediate = matches!(
        instruction.op1_kind(),
        OpKind::Immediate8
            | OpKind::Immediate32
            | OpKind::Immediate64
            | OpKind::Immediate8to32
            | OpKind::Immediate8to64
            | OpKind::Immediate32to64
    );
    let value = is_immediate.then(|| instruction.immediate(1).cast_signed())?;
    // Of 32 bits iced-x86 gives the number without its sign.
    Some(match instruction.op1_kind() {
        OpKind::Immediate32 | OpKind::Immediate8to32 => i64::from(value as i32),
        _ => value,
    })
}

/// What an instruction does with general registers and slots, as far as copies go.
#[derive(Clone, Debug, Default)]
pub(crate) struct Copies {
    /// One bit for each register that it changes, by the numbers of the instruction set.
    pub(crate) changed: u16,
    /// What it makes of something else, by adding a number.
    pub(crate) copy: Option<Copy>,
    /// What it holds against something, where the jump that follows depends on that.
    pub(crate) compared: Vec<(Operand, LocationEffect)>,
    /// What it holds against a number, where the jump that follows depends on their being equal.
    pub(crate) equal: Option<Equal>,
}

/// On one of the ways that control takes from a jump, an operand is a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Equal {
    pub(crate) operand: Operand,
    pub(crate) value: i64,
    /// This is known of the lower 32 bits, and nothing of the others.
    pub(crate) half: bool,
    /// It is so where the jump is taken; else where it is not.
    pub(crate) jumps: bool,
}

/// A register or slot that holds what another one has held, and something more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Copy {
    pub(crate) to: Operand,
    pub(crate) from: Operand,
    pub(crate) add: i64,
    pub(crate) half: bool,
}

fn number(register: Register) -> Option<u8> {
    let whole = register.full_register();
    let number = whole.is_gpr64().then(|| u8::try_from(whole.number()).ok())?;
    number.filter(|number| *number < 16)
}

/// What an instruction does with copies.
pub(crate) fn copies(
    factory: &mut InstructionInfoFactory,
    instruction: &Instruction,
    frame: &FrameAt,
) -> Copies {
    let mut copies = Copies::default();
    for used in factory.info(instruction).used_registers() {
        if changes(used.access())
            && let Some(register) = number(used.register())
        {
            copies.changed |= 1 << register;
        }
    }
    copies.copy = copy(instruction, frame);
    copies
}

fn copy(instruction: &Instruction, frame: &FrameAt) -> Option<Copy> {
    let (to, half) = operand(instruction, frame, 0)?;
    let (from, add) = match instruction.mnemonic() {
        Mnemonic::Mov => {
            let (from, of_source) = operand(instruction, frame, 1)?;
            (from, (of_source == half).then_some(0)?)
        }
        Mnemonic::Lea if instruction.memory_index() == Register::None => (
            Operand::Register(number(instruction.memory_base())?),
            instruction.memory_displacement64().cast_signed(),
        ),
        Mnemonic::Add => (to, immediate(instruction)?),
        Mnemonic::Sub => (to, immediate(instruction)?.checked_neg()?),
        Mnemonic::Inc => (to, 1),
        Mnemonic::Dec => (to, -1),
        _ => return None,
    };
    Some(Copy { to, from, add, half })
}

/// What an instruction holds against a number, if `next` is a jump that depends on whether they are equal.
pub(crate) fn equal(instruction: &Instruction, frame: &FrameAt, next: &Instruction) -> Option<Equal> {
    let jumps = match next.condition_code() {
        ConditionCode::e => true,
        ConditionCode::ne => false,
        _ => return None,
    };
    if !next.is_jcc_short_or_near() {
        return None;
    }
    let (operand, half) = self::operand(instruction, frame, 0)?;
    let value = match instruction.mnemonic() {
        Mnemonic::Cmp => immediate(instruction)?,
        Mnemonic::Test if self::operand(instruction, frame, 1) == Some((operand, half)) => 0,
        _ => return None,
    };
    let value = if half { value & 0xffff_ffff } else { value };
    Some(Equal {
        operand,
        value,
        half,
        jumps,
    })
}

/// What an instruction holds against something, if `next` is a jump that depends on that.
pub(crate) fn compared(
    instruction: &Instruction,
    frame: &FrameAt,
    next: &Instruction,
) -> Vec<(Operand, LocationEffect)> {
    let steps = match next.condition_code() {
        ConditionCode::l | ConditionCode::ge | ConditionCode::le | ConditionCode::g => true,
        ConditionCode::s | ConditionCode::ns => true,
        ConditionCode::e | ConditionCode::ne => false,
        ConditionCode::b | ConditionCode::ae | ConditionCode::be | ConditionCode::a => false,
        _ => return Vec::new(),
    };
    if !next.is_jcc_short_or_near() {
        return Vec::new();
    }
    let operands: &[u32] = match instruction.mnemonic() {
        Mnemonic::Cmp | Mnemonic::Test => &[0, 1],
        // What an addition or subtraction gives is held against zero.
        Mnemonic::Add | Mnemonic::Sub | Mnemonic::Inc | Mnemonic::Dec => &[0],
        _ => return Vec::new(),
    };
    let held = operands.iter().filter_map(|&at| operand(instruction, frame, at));
    let mut found =
        Vec::from_iter(held.map(|(operand, half)| (operand, LocationEffect::Bounded { half, steps })));
    found.dedup();
    found
}
