//! What an instruction does to the registers that calls preserve.

use iced_x86::{ConditionCode, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};
use progress_map::RegisterEffect;

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

/// The registers that calls preserve and that an instruction changes, with what becomes of them.
pub(crate) fn effects(
    factory: &mut InstructionInfoFactory,
    instruction: &Instruction,
) -> Vec<(u8, RegisterEffect)> {
    let mut found: Vec<(u8, RegisterEffect)> = Vec::new();
    for used in factory.info(instruction).used_registers() {
        if let Some(register) = preserved(used.register()).filter(|_| changes(used.access()))
            && found.iter().all(|(known, _)| *known != register)
        {
            let effect = simple(instruction, register).unwrap_or(RegisterEffect::Other);
            found.push((register, effect));
        }
    }
    found
}

fn changes(access: OpAccess) -> bool {
    matches!(
        access,
        OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite
    )
}

/// What an instruction makes of the register, its first operand, if that can be said in one number.
fn simple(instruction: &Instruction, register: u8) -> Option<RegisterEffect> {
    if instruction.op0_kind() != OpKind::Register || preserved(instruction.op0_register()) != Some(register) {
        return None;
    }
    let target = instruction.op0_register();
    let half = match target.size() {
        8 => false,
        4 => true,
        _ => return None,
    };
    let add = |step: i64| (step != 0).then_some(RegisterEffect::Add { step, half });
    let value = || immediate(instruction).map(|value| if half { value & 0xffff_ffff } else { value });
    let is_same = instruction.op1_kind() == OpKind::Register && instruction.op1_register() == target;
    match instruction.mnemonic() {
        Mnemonic::Xor | Mnemonic::Sub if is_same => Some(RegisterEffect::Set(0)),
        Mnemonic::Mov if instruction.op1_kind() == OpKind::Register => {
            let from = preserved(instruction.op1_register()).filter(|&from| from != register)?;
            Some(RegisterEffect::Copy { from, add: 0, half })
        }
        Mnemonic::Mov => value().map(RegisterEffect::Set),
        Mnemonic::Or if immediate(instruction) == Some(-1) => {
            Some(RegisterEffect::Set(if half { 0xffff_ffff } else { -1 }))
        }
        Mnemonic::And if immediate(instruction) == Some(0) => Some(RegisterEffect::Set(0)),
        Mnemonic::Add => add(immediate(instruction)?),
        Mnemonic::Sub => add(immediate(instruction)?.checked_neg()?),
        Mnemonic::Inc => add(1),
        Mnemonic::Dec => add(-1),
        Mnemonic::Lea if instruction.memory_index() == Register::None => {
            let from = preserved(instruction.memory_base())?;
            let step = instruction.memory_displacement64().cast_signed();
            match from == register {
                true => add(step),
                false => Some(RegisterEffect::Copy {
                    from,
                    add: step,
                    half,
                }),
            }
        }
        _ => None,
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

/// What an instruction does with general registers, as far as copies of other registers go. Registers have the numbers of the
/// instruction set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Copies {
    /// One bit for each register that it changes.
    pub(crate) changed: u16,
    /// The register that it makes of another one, by adding something.
    pub(crate) copy: Option<Copy>,
    /// The registers that it holds against something, where the jump that follows depends on that.
    pub(crate) compared: Vec<(u8, RegisterEffect)>,
}

/// A register that holds what another one has held, and something more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Copy {
    pub(crate) to: u8,
    pub(crate) from: u8,
    pub(crate) add: i64,
    pub(crate) half: bool,
}

/// The number that DWARF gives a register that calls preserve, by its number in the instruction set.
pub(crate) fn preserved_number(register: u8) -> Option<u8> {
    match register {
        3 | 12..=15 => Some(register),
        5 => Some(6),
        _ => None,
    }
}

fn number(register: Register) -> Option<u8> {
    let whole = register.full_register();
    let number = whole.is_gpr64().then(|| u8::try_from(whole.number()).ok())?;
    number.filter(|number| *number < 16)
}

/// What an instruction does with copies.
pub(crate) fn copies(factory: &mut InstructionInfoFactory, instruction: &Instruction) -> Copies {
    let mut copies = Copies::default();
    for used in factory.info(instruction).used_registers() {
        if changes(used.access())
            && let Some(register) = number(used.register())
        {
            copies.changed |= 1 << register;
        }
    }
    copies.copy = copy(instruction);
    copies
}

fn copy(instruction: &Instruction) -> Option<Copy> {
    if instruction.op0_kind() != OpKind::Register {
        return None;
    }
    let target = instruction.op0_register();
    let half = match target.size() {
        8 => false,
        4 => true,
        _ => return None,
    };
    let to = number(target)?;
    let (from, add) = match instruction.mnemonic() {
        Mnemonic::Mov if instruction.op1_kind() == OpKind::Register => {
            (number(instruction.op1_register())?, 0)
        }
        Mnemonic::Lea if instruction.memory_index() == Register::None => (
            number(instruction.memory_base())?,
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

/// The registers that an instruction holds against something, if `next` is a jump that depends on that.
pub(crate) fn compared(instruction: &Instruction, next: &Instruction) -> Vec<(u8, RegisterEffect)> {
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
    let mut found = Vec::new();
    for &operand in operands
        .iter()
        .filter(|&&operand| operand < instruction.op_count())
    {
        if instruction.op_kind(operand) != OpKind::Register {
            continue;
        }
        let register = instruction.op_register(operand);
        if let Some(number) = number(register)
            && matches!(register.size(), 4 | 8)
        {
            let half = register.size() == 4;
            found.push((number, RegisterEffect::Bounded { half, steps }));
        }
    }
    found.dedup();
    found
}
