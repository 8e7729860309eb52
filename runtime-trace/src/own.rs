//! The pointer of each thread to what is its own.
//!
//! A `thread_local!` of a shared object is found by a call of the C library, which may allocate at a thread's first. A library that is loaded with the program has room in the memory that every thread
//! begins with (the model *initial exec* of thread-local storage), and stable Rust reaches that in assembly alone.

#![expect(unsafe_code, reason = "thread-local storage of a fixed place")]

use core::arch::{asm, global_asm};

global_asm!(
    ".pushsection .tbss.hindmost_trace_own,\"awT\",@nobits",
    ".p2align 3",
    ".globl hindmost_trace_own",
    ".hidden hindmost_trace_own",
    ".type hindmost_trace_own,@object",
    ".size hindmost_trace_own,8",
    "hindmost_trace_own:",
    ".zero 8",
    ".popsection",
);

/// The word of the calling thread; 0 in a new one.
#[inline]
pub(crate) fn get() -> usize {
    let word: usize;
    // SAFETY: the first instruction loads the offset of a word that every thread has, the second reads it.
    unsafe {
        asm!(
            "mov {word}, qword ptr [rip + hindmost_trace_own@GOTTPOFF]",
            "mov {word}, qword ptr fs:[{word}]",
            word = out(reg) word,
            options(nostack, preserves_flags, readonly),
        );
    }
    word
}

/// Sets the word of the calling thread.
pub(crate) fn set(word: usize) {
    // SAFETY: as in `get`; the word is nobody else's.
    unsafe {
        asm!(
            "mov {at}, qword ptr [rip + hindmost_trace_own@GOTTPOFF]",
            "mov qword ptr fs:[{at}], {word}",
            at = out(reg) _,
            word = in(reg) word,
            options(nostack, preserves_flags),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::{get, set};

    #[test]
    fn each_thread_has_its_own() {
        set(7);
        let other = std::thread::spawn(|| {
            let before = get();
            set(9);
            (before, get())
        });
        assert_eq!(other.join().unwrap(), (0, 9));
        assert_eq!(get(), 7);
        set(0);
    }
}
