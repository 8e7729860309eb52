//! Events that are foretold, recorded by a handful of instructions.
//!
//! Nearly all events of a program that repeats itself are foretold ([`calltrace::Lane`]). What is left to do for such a one is to compare it, to count it, and to move the shadow. A compiler
//! would save registers for the rest of the hook first, and code at places that were left for calls or are rewritten would have to put all registers aside that any
//! code may change. So this is written by hand, with what it leaves out for the rest: each hook tries it, and where anything is not as it should be it has changed nothing but that the thread
//! is busy, and the hook does all that there is to do.
//!
//! A signal handler may come between any two of the instructions, as elsewhere: the thread is busy from before the first look to behind the last change. The event is recorded by one
//! instruction; an entry is pushed to the shadow behind it, and an exit popped before it, in the order that [`crate::thread`] brings to an end what was broken off.

#![expect(unsafe_code, reason = "called from anywhere, with the stack as it is there")]

use crate::functions::ADDRESSES;
use crate::patch::JUMP;
use crate::shadow::{Entry, Shadow};
use crate::state::State;
use crate::stubs::ENDBR64;
use crate::thread::{Front, Thread, UNTRACED};
use std::arch::global_asm;
use std::mem::offset_of;

/// From the address of a thread's own to its gate, which lies in front of it.
pub(crate) const GATE: isize = offset_of!(Front, gate) as isize - size_of::<Front>() as isize;
pub(crate) const BUSY: usize = offset_of!(Thread, busy);
pub(crate) const LANE: usize = offset_of!(Thread, lane);
pub(crate) const QUEUED: usize = offset_of!(Thread, queued);
pub(crate) const TOP: usize = offset_of!(Thread, state) + offset_of!(State, shadow) + offset_of!(Shadow, top);
pub(crate) const FUNCTION: usize = offset_of!(Entry, function);
pub(crate) const FRAME: usize = offset_of!(Entry, frame);
pub(crate) const ENTRY: usize = size_of::<Entry>();

/// Makes the thread busy, with the frame in `rsi`, before it looks at anything that a handler may change. Finds what is the thread's own, in `rax`, the word that counts, in `rcx`, and where the number of
/// the event stands that is expected, at `r8 + 4 * rdx`. Goes to 2 if nothing is foretold, something is queued that comes first, or the thread was busy.
macro_rules! finds {
    () => {
        concat!(
            "mov rax, qword ptr [rip + hindmost_trace_own@GOTTPOFF]\n",
            "mov rax, qword ptr fs:[rax]\n",
            "cmp rax, {untraced}\n",
            "jbe 2f\n",
            "cmp qword ptr [rax + {busy}], 0\n",
            "jne 2f\n",
            "mov qword ptr [rax + {busy}], rsi\n",
            "cmp dword ptr [rax + {queued}], 0\n",
            "jne 2f\n",
            "mov rcx, qword ptr [rax + {gate}]\n",
            "test rcx, rcx\n",
            "jz 2f\n",
            "mov edx, dword ptr [rcx + 4]\n",
            "mov r8, qword ptr [rax + {lane}]\n",
        )
    };
}

/// The thread enters the function in `rdi`, whose frame is in `rsi`. The argument is how the flags of a comparison look if the innermost function was left without an exit: its frame's address is
/// lower, or at a place the same. Goes to 2 if all is still to do, to 3 if something was queued.
macro_rules! enters_quickly {
    ($is_left:literal) => {
        concat!(
            $crate::quick::finds!(),
            "mov r8d, dword ptr [r8 + 4 * rdx]\n",
            "mov rdx, qword ptr [rip + {addresses}]\n",
            "cmp qword ptr [rdx + 8 * r8], rdi\n",
            "jne 2f\n",
            "mov rdx, qword ptr [rax + {top}]\n",
            "cmp qword ptr [rdx + {frame}], rsi\n",
            $is_left,
            " 2f\n",
            "inc dword ptr [rcx + 4]\n",
            "mov qword ptr [rdx + {entry} + {function}], rdi\n",
            "mov qword ptr [rdx + {entry} + {frame}], rsi\n",
            "add rdx, {entry}\n",
            "mov qword ptr [rax + {top}], rdx\n",
            "mov qword ptr [rax + {busy}], 0\n",
            "cmp dword ptr [rax + {queued}], 0\n",
            "jne 3f\n",
        )
    };
}

/// The thread leaves a function: the innermost one, if what is at this offset of it is in this register. The hook's frame is in `rsi`.
macro_rules! leaves_quickly {
    ($offset:literal, $is:literal) => {
        concat!(
            $crate::quick::finds!(),
            "cmp dword ptr [r8 + 4 * rdx], 0\n",
            "jne 2f\n",
            "mov rdx, qword ptr [rax + {top}]\n",
            "cmp qword ptr [rdx + ",
            $offset,
            "], ",
            $is,
            "\n",
            "jne 2f\n",
            "sub rdx, {entry}\n",
            "mov qword ptr [rax + {top}], rdx\n",
            "inc dword ptr [rcx + 4]\n",
            "mov qword ptr [rax + {busy}], 0\n",
            "cmp dword ptr [rax + {queued}], 0\n",
            "jne 3f\n",
        )
    };
}

/// A hook that is told of a function that is entered.
macro_rules! hook_that_enters {
    ($(#[$attribute:meta])* $name:ident($($argument:ident),*)) => {
        $(#[$attribute])*
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name($($argument: *const std::ffi::c_void),*) {
            std::arch::naked_asm!(
                "lea rsi, [rsp + 8]",
                $crate::quick::enters_quickly!("jb"),
                "ret",
                "2:",
                "jmp {enters}",
                "3:",
                "mov rdi, rsi",
                "jmp {finish}",
                untraced = const $crate::thread::UNTRACED,
                gate = const $crate::quick::GATE,
                busy = const $crate::quick::BUSY,
                lane = const $crate::quick::LANE,
                queued = const $crate::quick::QUEUED,
                top = const $crate::quick::TOP,
                function = const $crate::quick::FUNCTION,
                frame = const $crate::quick::FRAME,
                entry = const $crate::quick::ENTRY,
                addresses = sym $crate::functions::ADDRESSES,
                enters = sym enters,
                finish = sym $crate::thread::finish,
            )
        }
    };
}

/// A hook that is told of a function that is left.
macro_rules! hook_that_leaves {
    ($(#[$attribute:meta])* $name:ident($($argument:ident),*)) => {
        $(#[$attribute])*
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name($($argument: *const std::ffi::c_void),*) {
            std::arch::naked_asm!(
                "lea rsi, [rsp + 8]",
                $crate::quick::leaves_quickly!("{function}", "rdi"),
                "ret",
                "2:",
                "jmp {exits}",
                "3:",
                "mov rdi, rsi",
                "jmp {finish}",
                untraced = const $crate::thread::UNTRACED,
                gate = const $crate::quick::GATE,
                busy = const $crate::quick::BUSY,
                lane = const $crate::quick::LANE,
                queued = const $crate::quick::QUEUED,
                top = const $crate::quick::TOP,
                function = const $crate::quick::FUNCTION,
                entry = const $crate::quick::ENTRY,
                exits = sym exits,
                finish = sym $crate::thread::finish,
            )
        }
    };
}

pub(crate) use {enters_quickly, finds, hook_that_enters, hook_that_leaves, leaves_quickly};

// What changed code calls, with all registers in use: those that are needed are put aside, and no others are touched.

/// Puts aside what `enters_quickly` changes; the address behind the call is then at `[rsp + 48]`.
macro_rules! put_aside {
    () => {
        concat!(
            "push rax\n.cfi_adjust_cfa_offset 8\n",
            "push rcx\n.cfi_adjust_cfa_offset 8\n",
            "push rdx\n.cfi_adjust_cfa_offset 8\n",
            "push rsi\n.cfi_adjust_cfa_offset 8\n",
            "push rdi\n.cfi_adjust_cfa_offset 8\n",
            "push r8\n.cfi_adjust_cfa_offset 8\n",
            "lea rsi, [rsp + 56]\n",
        )
    };
}

macro_rules! put_back {
    () => {
        concat!(
            ".cfi_remember_state\n",
            "pop r8\n.cfi_adjust_cfa_offset -8\n",
            "pop rdi\n.cfi_adjust_cfa_offset -8\n",
            "pop rsi\n.cfi_adjust_cfa_offset -8\n",
            "pop rdx\n.cfi_adjust_cfa_offset -8\n",
            "pop rcx\n.cfi_adjust_cfa_offset -8\n",
            "pop rax\n.cfi_adjust_cfa_offset -8\n",
        )
    };
}

/// A stub that does what is quickly done, or goes on in the one that puts all registers aside.
macro_rules! called_at_a_place {
    ($name:literal, $at_length:literal, $($quickly:expr),+ ; $($operand:tt)*) => {
        global_asm!(
            ".pushsection .text",
            ".p2align 4",
            concat!(".globl ", $name),
            concat!(".hidden ", $name),
            concat!(".type ", $name, ",@function"),
            concat!($name, ":"),
            ".cfi_startproc",
            put_aside!(),
            $($quickly,)+
            put_back!(),
            "ret",
            "2:",
            ".cfi_restore_state",
            put_back!(),
            concat!("jmp ", $at_length),
            "3:",
            ".cfi_restore_state",
            put_back!(),
            "jmp hindmost_trace_finishes",
            ".cfi_endproc",
            concat!(".size ", $name, ", . - ", $name),
            ".popsection",
            untraced = const UNTRACED,
            gate = const GATE,
            busy = const BUSY,
            lane = const LANE,
            queued = const QUEUED,
            top = const TOP,
            frame = const FRAME,
            entry = const ENTRY,
            $($operand)*
        );
    };
}

called_at_a_place!(
    "hindmost_trace_begins",
    "hindmost_trace_begins_at_length",
    "mov rdi, qword ptr [rsp + 48]",
    "sub rdi, {jump}",
    // A mark in front of the place is the function's first instruction.
    "cmp dword ptr [rdi - 4], {endbr64}",
    "jne 4f",
    "sub rdi, 4",
    "4:",
    enters_quickly!("jbe");
    function = const FUNCTION,
    addresses = sym ADDRESSES,
    jump = const JUMP,
    endbr64 = const i32::from_le_bytes(ENDBR64),
);
called_at_a_place!(
    "hindmost_trace_begins_elsewhere",
    "hindmost_trace_begins_elsewhere_at_length",
    "mov rdi, qword ptr [rsp + 48]",
    "mov rdi, qword ptr [rdi - {before}]",
    enters_quickly!("jbe");
    function = const FUNCTION,
    addresses = sym ADDRESSES,
    before = const JUMP + size_of::<usize>(),
);
called_at_a_place!(
    "hindmost_trace_ends",
    "hindmost_trace_ends_at_length",
    leaves_quickly!("{frame}", "rsi");
);
