//! A caller where unwind tables are silent: by the frame pointer, or else by a careful scan of the stack.
//!
//! The C library musl, hand-written assembly and code built with `-fno-asynchronous-unwind-tables` have no tables. What is
//! found here is likely, never certain: a register may hold by chance what looks like a frame pointer, and a return
//! address may be left over from a call that has long returned. The caller of this module marks the frame as guessed, and all outside it.
//!
//! A word is taken for a return address only if it points into known code, right behind an instruction that calls.

use crate::effort::Effort;
use crate::memory::Memory;
use crate::modules::{Modules, Space};
use crate::registers::{RBP, RIP, RSP, Registers};
use crate::symbols;
use crate::unwind::spend;

/// So many words of a frame are searched. A frame with a larger array is not left this way.
const MOST_WORDS: u64 = 4096;

/// The registers of the likely caller of a frame: those that can be told, the program counter among them. Of the innermost
/// frame (or one that a signal interrupted) the program counter is any instruction, elsewhere it is behind a call; `lookup` is the
/// address that stands for the frame in tables.
pub(crate) fn caller(
    modules: &Modules,
    space: &Space,
    registers: &Registers,
    memory: &Memory,
    (lookup, interrupted): (u64, bool),
) -> Option<Registers> {
    let is_return = |word: u64| follows_call(modules, space, word);
    let stack_pointer = registers.get(RSP)?;
    // A function that has just begun, or that needs no stack: its caller's frame pointer is still there and would skip the
    // caller.
    if interrupted && let Some(back) = memory.word(stack_pointer).filter(|&back| is_return(back)) {
        return Some(known(back, stack_pointer.checked_add(8)?, registers.get(RBP)));
    }
    by_frame_pointer(registers, stack_pointer, memory, &is_return).or_else(|| {
        let fit = |back| {
            // Few words of a stack point into code, and only those are dear.
            space.find(back)?;
            spend(modules, space, Effort::WORD).ok()?;
            fit(modules, space, lookup, back)
        };
        by_scan(registers, stack_pointer, memory, &fit)
    })
}

/// A frame pointer leads to the caller's, and the return address stands behind it.
fn by_frame_pointer(
    registers: &Registers,
    stack_pointer: u64,
    memory: &Memory,
    is_return: &dyn Fn(u64) -> bool,
) -> Option<Registers> {
    let pointer = registers.get(RBP).filter(|&pointer| pointer >= stack_pointer)?;
    let outer = memory.word(pointer)?;
    // The outermost frame pointer is zero.
    if outer != 0 && outer <= pointer {
        return None;
    }
    let place = pointer.checked_add(8)?;
    let back = memory.word(place).filter(|&back| is_return(back))?;
    Some(known(back, place.checked_add(8)?, Some(outer)))
}

/// The return address on the stack that fits best, and of those that fit alike the nearest one.
fn by_scan(
    registers: &Registers,
    stack_pointer: u64,
    memory: &Memory,
    fit: &dyn Fn(u64) -> Option<Fit>,
) -> Option<Registers> {
    let first = stack_pointer.checked_add(7)? & !7;
    let mut best: Option<(Fit, u64, u64)> = None;
    for number in 0..MOST_WORDS {
        let place = first.checked_add(8 * number)?;
        // The copy ends where the stack does.
        let Some(word) = memory.word(place) else { break };
        if let Some(fit) = fit(word)
            && best.is_none_or(|(known, _, _)| fit < known)
        {
            best = Some((fit, word, place));
            if fit == Fit::CallsIt {
                break;
            }
        }
    }
    // Who sets up no frame pointer seldom touches the one that is there.
    best.and_then(|(_, word, place)| Some(known(word, place.checked_add(8)?, registers.get(RBP))))
}

/// How well a return address fits the function that is to return to it, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// The call in front of it calls the function by its address.
    CallsIt,
    /// The call is through a pointer, in the same module.
    Pointer,
    /// The call is one of another module, where a table or a pointer may lead to the function.
    Elsewhere,
}

/// How well the return address `back` fits a callee that is at `callee`; `None` when its call goes to another function, or
/// when there is no call in front of it.
fn fit(modules: &Modules, space: &Space, callee: u64, back: u64) -> Option<Fit> {
    let (module, bias) = back.checked_sub(1).and_then(|call| space.find(call))?;
    let linked = back.wrapping_sub(bias);
    let file = modules.get(module);
    let called = space.find(callee).filter(|&(other, _)| other == module);
    let direct = file.code_before(linked, 5).filter(|code| code[0] == 0xe8);
    let Some(displacement) = direct.and_then(|code| <[u8; 4]>::try_from(code.get(1..)?).ok()) else {
        let pointer = (2..=LONGEST).any(|length| file.code_before(linked, length).is_some_and(is_call));
        return pointer.then_some(if called.is_some() {
            Fit::Pointer
        } else {
            Fit::Elsewhere
        });
    };
    let Some((_, bias)) = called else {
        return Some(Fit::Elsewhere);
    };
    let target = linked.wrapping_add_signed(i64::from(i32::from_le_bytes(displacement)));
    let callee = callee.wrapping_sub(bias);
    let fits = match symbols::start_of(file, callee) {
        Some(start) => start == target,
        // Stripped: the function begins in front of where it is, and not far.
        None => callee.checked_sub(target).is_some_and(|into| into < LARGE),
    };
    fits.then_some(Fit::CallsIt)
}

/// Few functions have more bytes of code.
const LARGE: u64 = 1 << 16;

fn known(back: u64, stack_pointer: u64, frame_pointer: Option<u64>) -> Registers {
    let mut caller = Registers::default();
    caller.set(RIP, Some(back));
    caller.set(RSP, Some(stack_pointer));
    caller.set(RBP, frame_pointer);
    caller
}

/// Whether the instruction in front of an address calls.
fn follows_call(modules: &Modules, space: &Space, address: u64) -> bool {
    let Some((module, bias)) = address.checked_sub(1).and_then(|call| space.find(call)) else {
        return false;
    };
    let linked = address.wrapping_sub(bias);
    (2..=LONGEST).any(|length| {
        let code = modules.get(module).code_before(linked, length);
        code.is_some_and(is_call)
    })
}

/// Bytes of the longest call without a prefix.
const LONGEST: usize = 7;

/// Whether these bytes are one instruction that calls: `call rel32`, or `call r/m64` in any of its forms (Intel's manual,
/// volume 2, tables 2-2 and 2-3).
fn is_call(code: &[u8]) -> bool {
    match code {
        [0xe8, _, _, _, _] => true,
        [0xff, operand, rest @ ..] => {
            let (form, extension, base) = (operand >> 6, operand >> 3 & 7, operand & 7);
            let scaled = usize::from(base == 4 && form != 3);
            let displacement = match (form, base) {
                (0, 5) => 4,
                (0, 4) if rest.first().is_some_and(|scale| scale & 7 == 5) => 4,
                (1, _) => 1,
                (2, _) => 4,
                _ => 0,
            };
            extension == 2 && rest.len() == scaled + displacement
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_from_what_looks_alike() {
        let calls: [&[u8]; 9] = [
            &[0xe8, 1, 2, 3, 4],
            &[0xff, 0xd0],                   // call *%rax
            &[0xff, 0x10],                   // call *(%rax)
            &[0xff, 0x50, 8],                // call *8(%rax)
            &[0xff, 0x90, 0, 1, 0, 0],       // call *256(%rax)
            &[0xff, 0x15, 1, 2, 3, 4],       // call *rel32(%rip)
            &[0xff, 0x14, 0xc3],             // call *(%rbx,%rax,8)
            &[0xff, 0x54, 0x24, 8],          // call *8(%rsp)
            &[0xff, 0x14, 0xc5, 0, 0, 0, 0], // call *0(,%rax,8)
        ];
        for call in calls {
            assert!(is_call(call), "{call:x?}");
            assert!(!is_call(&call[..call.len() - 1]), "{call:x?}");
        }
        // A jump through the same register, an increment, a longer tail.
        for other in [
            &[0xff, 0xe0][..],
            &[0xff, 0xc0],
            &[0xe9, 1, 2, 3, 4],
            &[0xff, 0xd0, 0],
            &[],
        ] {
            assert!(!is_call(other), "{other:x?}");
        }
    }

    #[test]
    fn a_frame_pointer_that_leads_inward_or_nowhere_is_none() {
        let is_return = |word: u64| word == 0x40_1000;
        let mut memory = Memory::default();
        let words: [u64; 6] = [1, 0x7030, 0x40_1000, 0x7000, 0x40_1000, 5];
        memory.add(0x7000, words.iter().flat_map(|word| word.to_le_bytes()).collect());
        let of = |pointer: u64| {
            let mut registers = Registers::default();
            registers.set(RBP, Some(pointer));
            by_frame_pointer(&registers, 0x7000, &memory, &is_return)
        };
        let caller = of(0x7008).unwrap();
        assert_eq!(
            [RIP, RSP, RBP].map(|register| caller.get(register)),
            [Some(0x40_1000), Some(0x7018), Some(0x7030)]
        );
        // Leads inward; has no return address behind it; is not in the copy; is below the stack.
        for pointer in [0x7018, 0x7020, 0x9000, 0x6000] {
            assert_eq!(of(pointer), None, "{pointer:#x}");
        }
        let fit = |word: u64| is_return(word).then_some(Fit::Pointer);
        let scanned = by_scan(&Registers::default(), 0x7001, &memory, &fit).unwrap();
        assert_eq!(scanned.get(RSP), Some(0x7018));
        assert_eq!(by_scan(&Registers::default(), 0x7028, &memory, &fit), None);
        // Further out, but known to call the function.
        let better = |word: u64| (word == 5).then_some(Fit::CallsIt).or(fit(word));
        let scanned = by_scan(&Registers::default(), 0x7000, &memory, &better).unwrap();
        assert_eq!(scanned.get(RIP), Some(5));
    }
}
