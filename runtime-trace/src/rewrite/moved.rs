//! The instructions of a window as they are executed elsewhere, with calls of the tracer among them.

use super::plan::{Leaves, Window};
use crate::patch::Near;
use iced_x86::{
    BlockEncoder, BlockEncoderOptions, Code, FlowControl, IcedError, Instruction, InstructionBlock,
    MemoryOperand, Register,
};

/// Labels of instructions that stand nowhere else: no code is loaded there.
const LABELS: u64 = 1 << 62;

/// What a window is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// The function begins.
    Beginning,
    /// It may end.
    End,
}

/// Bytes that a window takes elsewhere, at most.
pub(super) fn most_bytes(window: &Window) -> usize {
    // A call, the instruction with a longer jump or address, and another jump, for each; a call and a jump more.
    64 + 40 * window.moved.len()
}

/// The code of a window at this address.
pub(super) fn encoded(window: &Window, what: At, address: u64, near: Near) -> Result<Vec<u8>, IcedError> {
    let call = |to: usize| Instruction::with_branch(Code::Call_rel32_64, to as u64);
    let jump = |to: u64| Instruction::with_branch(Code::Jmp_rel32_64, to);
    let mut all = Vec::new();
    if what == At::Beginning {
        all.push(call(near.begin_elsewhere)?);
    }
    // Where a jump leads that leaves the function if its condition holds.
    let mut behind = Vec::new();
    for (number, (instruction, leaves)) in (0_u64..).zip(&window.moved) {
        match leaves {
            Leaves::Never if is_call(instruction) => all.extend(called(instruction)?),
            Leaves::Never => all.push(*instruction),
            Leaves::Always => all.extend([call(near.end)?, *instruction]),
            Leaves::Perhaps => {
                let mut end = call(near.end)?;
                end.set_ip(LABELS + number);
                behind.extend([end, jump(instruction.near_branch_target())?]);
                let mut instruction = *instruction;
                instruction.set_near_branch64(LABELS + number);
                all.push(instruction);
            }
        }
    }
    if let Some((last, _)) = window.moved.last()
        && goes_on(last)
    {
        all.push(jump(last.next_ip())?);
    }
    all.extend(behind);
    let block = InstructionBlock::new(&all, address);
    Ok(BlockEncoder::encode(64, block, BlockEncoderOptions::NONE)?.code_buffer)
}

fn goes_on(instruction: &Instruction) -> bool {
    let ends = matches!(
        instruction.flow_control(),
        FlowControl::Return | FlowControl::UnconditionalBranch | FlowControl::IndirectBranch
    );
    !ends && !is_call(instruction)
}

fn is_call(instruction: &Instruction) -> bool {
    instruction.is_call_near() || instruction.is_call_near_indirect()
}

/// A call that returns to where it returned in its function. No flag is changed.
fn called(call: &Instruction) -> Result<[Instruction; 4], IcedError> {
    let stack = |offset| MemoryOperand::with_base_displ(Register::RSP, offset);
    let back = call.next_ip();
    let jump = if call.is_call_near() {
        Instruction::with_branch(Code::Jmp_rel32_64, call.near_branch_target())?
    } else {
        let mut jump = *call;
        jump.set_code(Code::Jmp_rm64);
        jump
    };
    Ok([
        Instruction::with2(Code::Lea_r64_m, Register::RSP, stack(-8))?,
        Instruction::with2(Code::Mov_rm32_imm32, stack(0), back as u32)?,
        Instruction::with2(Code::Mov_rm32_imm32, stack(4), (back >> 32) as u32)?,
        jump,
    ])
}
