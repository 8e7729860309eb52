//! What an instruction does to the registers that calls preserve, and to slots of the frame.

use crate::flow::stack::FrameAt;
use iced_x86::{
    ConditionCode, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register,
};
use progress_map::{LocationEffect, MachineLocation};

/// A general register, by its number in the instruction set, or a slot of the frame, by its distance from the canonical frame address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Operand {
    Register(u8),
    Slot(i32),
}

impl Operand {
    /// The same as a location of the machine. Calls may leave anything in registers that they do not preserve.
    pub(crate) fn location(self) -> MachineLocation {
        /// By the instruction set's number of a register, the number that DWARF gives it; the others have one number.
        const BY_DWARF: [u8; 8] = [0, 2, 1, 3, 7, 6, 4, 5];
        match self {
            Self::Register(number) => {
                let known = BY_DWARF.get(usize::from(number));
                MachineLocation::Register(*known.unwrap_or(&number))
            }
            Self::Slot(offset) => MachineLocation::Slot(offset),
        }
    }

    /// Whether it is a register in which calls may leave anything.
    pub(crate) fn is_volatile(self) -> bool {
        /// The stack pointer, which is where it was when a call has returned.
        const STACK: Operand = Operand::Register(4);
        self.preserved().is_none() && self != STACK
    }

    /// The same as a location of the machine, if it is one that calls leave unchanged.
    pub(crate) fn preserved(self) -> Option<MachineLocation> {
        Some(self.location()).filter(|location| location.is_preserved())
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
    if let Some((_, value)) = constant(instruction, frame) {
        return Some(LocationEffect::Set(value));
    }
    match instruction.mnemonic() {
        Mnemonic::Mov => Some(LocationEffect::Copy {
            from: source()?,
            add: 0,
            half,
        }),
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

/// The number that an instruction puts into its first operand, whatever has been there.
fn constant(instruction: &Instruction, frame: &FrameAt) -> Option<(Operand, i64)> {
    let (target, half) = operand(instruction, frame, 0)?;
    let value = match instruction.mnemonic() {
        Mnemonic::Xor | Mnemonic::Sub if operand(instruction, frame, 1) == Some((target, half)) => 0,
        Mnemonic::Mov => immediate(instruction)?,
        Mnemonic::Or if immediate(instruction) == Some(-1) => -1,
        Mnemonic::And if immediate(instruction) == Some(0) => 0,
        _ => return None,
    };
    Some((target, if half { value & 0xffff_ffff } else { value }))
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
    /// The number that it puts somewhere.
    pub(crate) constant: Option<(Operand, i64)>,
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
    // What the kernel returns to whoever calls it is not among the registers that the instruction is said to use.
    if matches!(
        instruction.flow_control(),
        FlowControl::Call | FlowControl::Interrupt
    ) {
        copies.changed |= 1;
    }
    copies.copy = copy(instruction, frame);
    copies.constant = constant(instruction, frame);
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
