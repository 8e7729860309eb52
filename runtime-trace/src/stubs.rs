//! What changed code calls where [`crate::quick`] cannot do it, with all registers in use.

#![expect(unsafe_code, reason = "called from anywhere, with the stack as it is there")]

use crate::call::Call;
use crate::patch::JUMP;
use crate::shadow::Entry;
use crate::thread::{call, finish};
use std::arch::global_asm;

unsafe extern "C" {
    #[link_name = "hindmost_trace_begins"]
    fn begins();
    #[link_name = "hindmost_trace_begins_elsewhere"]
    fn begins_from_elsewhere();
    #[link_name = "hindmost_trace_ends"]
    fn ends();
}

/// Where they are: a function begins at the place that calls; one begins whose address stands in front of that; one ends.
pub(crate) fn all() -> [usize; 3] {
    [
        begins as *const () as usize,
        begins_from_elsewhere as *const () as usize,
        ends as *const () as usize,
    ]
}

// A place is reached with all registers in use that carry arguments or results. Callers of functions of the same file may know that others are not touched by
// these, and may leave the stack unaligned; so nothing that a call can change is changed here, and in `quick` neither.
macro_rules! called_at_a_place {
    ($name:literal, $rust:ident) => {
        global_asm!(
            ".pushsection .text",
            ".p2align 4",
            concat!(".globl ", $name),
            concat!(".hidden ", $name),
            concat!(".type ", $name, ",@function"),
            concat!($name, ":"),
            ".cfi_startproc",
            "push rbp",
            ".cfi_def_cfa_offset 16",
            ".cfi_offset rbp, -16",
            "mov rbp, rsp",
            ".cfi_def_cfa_register rbp",
            "push rax",
            "push rcx",
            "push rdx",
            "push rsi",
            "push rdi",
            "push r8",
            "push r9",
            "push r10",
            "push r11",
            "sub rsp, 256",
            "and rsp, -16",
            "movups [rsp], xmm0",
            "movups [rsp + 16], xmm1",
            "movups [rsp + 32], xmm2",
            "movups [rsp + 48], xmm3",
            "movups [rsp + 64], xmm4",
            "movups [rsp + 80], xmm5",
            "movups [rsp + 96], xmm6",
            "movups [rsp + 112], xmm7",
            "movups [rsp + 128], xmm8",
            "movups [rsp + 144], xmm9",
            "movups [rsp + 160], xmm10",
            "movups [rsp + 176], xmm11",
            "movups [rsp + 192], xmm12",
            "movups [rsp + 208], xmm13",
            "movups [rsp + 224], xmm14",
            "movups [rsp + 240], xmm15",
            "mov rdi, [rbp + 8]",
            "lea rsi, [rbp + 16]",
            "call {rust}",
            "movups xmm0, [rsp]",
            "movups xmm1, [rsp + 16]",
            "movups xmm2, [rsp + 32]",
            "movups xmm3, [rsp + 48]",
            "movups xmm4, [rsp + 64]",
            "movups xmm5, [rsp + 80]",
            "movups xmm6, [rsp + 96]",
            "movups xmm7, [rsp + 112]",
            "movups xmm8, [rsp + 128]",
            "movups xmm9, [rsp + 144]",
            "movups xmm10, [rsp + 160]",
            "movups xmm11, [rsp + 176]",
            "movups xmm12, [rsp + 192]",
            "movups xmm13, [rsp + 208]",
            "movups xmm14, [rsp + 224]",
            "movups xmm15, [rsp + 240]",
            "lea rsp, [rbp - 72]",
            "pop r11",
            "pop r10",
            "pop r9",
            "pop r8",
            "pop rdi",
            "pop rsi",
            "pop rdx",
            "pop rcx",
            "pop rax",
            "pop rbp",
            ".cfi_def_cfa rsp, 8",
            ".cfi_same_value rbp",
            "ret",
            ".cfi_endproc",
            concat!(".size ", $name, ", . - ", $name),
            ".popsection",
            rust = sym $rust,
        );
    };
}

called_at_a_place!("hindmost_trace_begins_at_length", begins_at);
called_at_a_place!("hindmost_trace_begins_elsewhere_at_length", begins_elsewhere);
called_at_a_place!("hindmost_trace_ends_at_length", ends_at);
called_at_a_place!("hindmost_trace_finishes", finishes_at);

/// A mark that some compilers put where indirect calls may come to; the place is behind it.
pub(crate) const ENDBR64: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];

extern "C" fn begins_at(behind: usize, frame: usize) {
    let place = behind - JUMP;
    // SAFETY: in front of a program's function there is code, or the head of its file.
    let before = unsafe { ((place - ENDBR64.len()) as *const [u8; ENDBR64.len()]).read() };
    let function = if before == ENDBR64 {
        place - ENDBR64.len()
    } else {
        place
    };
    call(Call::Begin(Entry { function, frame }), frame);
}

/// Of a call that stands behind the address of its function.
extern "C" fn begins_elsewhere(behind: usize, frame: usize) {
    // SAFETY: who makes such calls puts the address there.
    let function = unsafe { ((behind - JUMP - size_of::<usize>()) as *const usize).read_unaligned() };
    call(Call::Begin(Entry { function, frame }), frame);
}

extern "C" fn finishes_at(_: usize, frame: usize) {
    finish(frame);
}

extern "C" fn ends_at(_: usize, frame: usize) {
    call(Call::End { frame }, frame);
}
