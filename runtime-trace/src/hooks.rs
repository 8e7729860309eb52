//! What programs call.
//!
//! A compiler that is told so (`-finstrument-functions`) calls `__cyg_profile_func_enter` at the beginning of each function and `__cyg_profile_func_exit` at its end. The C library has both,
//! which do nothing. `longjmp`, its like, and exceptions leave functions without their ends; `dlopen` brings more functions, and `dlclose` makes room for others at the same addresses.

#![expect(unsafe_code, reason = "called from C, with the stack as it is there")]

use crate::call::Call;
use crate::functions;
use crate::quick::{hook_that_enters, hook_that_leaves};
use crate::rewrite;
use crate::shadow::Entry;
use crate::system::Undisturbed;
use crate::thread::{call, stamp};
use calltrace::layout;
use calltrace::stamps::{Message, Part, Tie};
use std::arch::naked_asm;
use std::ffi::{CStr, c_char, c_int, c_void};

hook_that_enters! {
    /// A function begins. The second argument of the compiler, where it was called from, makes room for where the stack ends.
    ///
    /// # Safety
    ///
    /// A compiler has put the call at the beginning of this function.
    __cyg_profile_func_enter(function, called_from)
}

hook_that_leaves! {
    /// A function ends.
    ///
    /// # Safety
    ///
    /// A compiler has put the call at the end of this function.
    __cyg_profile_func_exit(function, called_from)
}

hook_that_enters! {
    /// A call of MPI begins: the flight recorder, which stands in front of MPI, tells of it where both are preloaded.
    ///
    /// # Safety
    ///
    /// The recorder has put the call at the beginning of this function.
    hindmost_trace_enters(function)
}

hook_that_leaves! {
    /// A call of MPI has ended.
    ///
    /// # Safety
    ///
    /// The recorder has put the call at the end of this function.
    hindmost_trace_leaves(function)
}

/// What a hook does that is not quickly done.
extern "C" fn enters(function: usize, frame: usize) {
    call(Call::Enter(Entry { function, frame }), frame);
}

extern "C" fn exits(function: usize, frame: usize) {
    call(Call::Exit { function }, frame);
}

/// Within a call of MPI, or behind it, something happened at this time of the monotonic clock: `tie` is 0, or tells what ties it to other tasks, as [`calltrace::layout::stamp`] counts. `peer` is the other
/// end of a message, or the root plus one.
#[unsafe(no_mangle)]
pub extern "C" fn hindmost_trace_stamp(
    time: u64,
    tie: u32,
    communicator: u64,
    peer: u64,
    tag: i64,
    ordinal: u64,
) {
    let message = || Message {
        communicator,
        peer: peer as u32,
        tag,
        ordinal,
    };
    let part = || Part {
        communicator,
        root: (peer as u32).checked_sub(1),
        ordinal,
    };
    stamp(
        time,
        match u8::try_from(tie) {
            Ok(layout::stamp::SENDS) => Tie::Sends(message()),
            Ok(layout::stamp::RECEIVES) => Tie::Receives(message()),
            Ok(layout::stamp::ENTERS) => Tie::Enters(part()),
            Ok(layout::stamp::LEAVES) => Tie::Leaves(part()),
            _ => Tie::None,
        },
    );
}

/// Defines a function that tells where it jumps to, and goes on in the C library's with all registers as they were.
macro_rules! jumps {
    ($name:ident, $number:literal) => {
        #[doc = concat!("As the C library's `", stringify!($name), "`, which it calls.")]
        ///
        /// # Safety
        ///
        /// As there.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name(buffer: *const u64, value: c_int) -> ! {
            naked_asm!(
                "push rdi",
                "push rsi",
                "sub rsp, 8",
                "mov esi, {number}",
                "call {jumps}",
                "add rsp, 8",
                "pop rsi",
                "pop rdi",
                "jmp rax",
                number = const $number,
                jumps = sym jumps,
            )
        }
    };
}

jumps!(longjmp, 0);
jumps!(_longjmp, 1);
jumps!(siglongjmp, 2);
jumps!(__longjmp_chk, 3);

const JUMPS: [&CStr; 4] = [c"longjmp", c"_longjmp", c"siglongjmp", c"__longjmp_chk"];

/// Tells of the jump, and where the C library's function is.
extern "C" fn jumps(buffer: *const u64, which: usize) -> *const c_void {
    // SAFETY: the buffer was filled by `setjmp`: all of its words are there.
    let to = unsafe { stack_pointer_of(buffer) };
    call(Call::Jump { to }, to);
    let real = JUMPS.get(which).map_or(std::ptr::null(), |name| behind(name));
    if real.is_null() {
        // A C library without it: nobody can have called it.
        std::process::abort();
    }
    real
}

/// The stack pointer in a `jmp_buf` of glibc on x86-64, which is its seventh word, hidden: rotated, and mixed with a word of the thread's control block
/// (`PTR_MANGLE` in its `sysdeps/unix/sysv/linux/x86_64/pointer_guard.h`).
unsafe fn stack_pointer_of(buffer: *const u64) -> usize {
    const STACK_POINTER: usize = 6;
    let guard: u64;
    // SAFETY: the word is that of the control block, which glibc gives each thread; the buffer is the caller's promise.
    unsafe {
        std::arch::asm!("mov {}, qword ptr fs:[0x30]", out(reg) guard, options(nostack, preserves_flags, readonly));
        (buffer.add(STACK_POINTER).read().rotate_right(0x11) ^ guard) as usize
    }
}

/// The function of this name behind this library.
fn behind(name: &CStr) -> *const c_void {
    // SAFETY: the name ends with a zero.
    unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) }
}

/// An exception, or the cancellation of a thread, lands in a function: this is what its language's runtime calls to say where it goes on there. As the unwinder's function, which it calls.
///
/// # Safety
///
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _Unwind_SetIP(context: *mut c_void, address: usize) {
    let (sets, tells) = (behind(c"_Unwind_SetIP"), behind(c"_Unwind_GetCFA"));
    if sets.is_null() || tells.is_null() {
        // An unwinder without them: nobody can have called it.
        std::process::abort();
    }
    // SAFETY: these are the unwinder's functions of those types, and the context the caller's promise.
    let stack = unsafe {
        let tells: unsafe extern "C" fn(*mut c_void) -> usize = std::mem::transmute(tells);
        let sets: unsafe extern "C" fn(*mut c_void, usize) = std::mem::transmute(sets);
        sets(context, address);
        tells(context)
    };
    call(Call::Jump { to: stack }, stack);
}

/// As the C library's `dlopen`, which it calls, or jumps to where that has to see who has called.
///
/// # Safety
///
/// As there.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn dlopen(name: *const c_char, mode: c_int) -> *mut c_void {
    naked_asm!(
        "push rdi",
        "push rsi",
        "mov rdx, [rsp + 16]",
        "sub rsp, 8",
        "call {opens}",
        "add rsp, 8",
        "pop rsi",
        "pop rdi",
        "test rax, rax",
        "jnz 2f",
        "mov rax, rdx",
        "ret",
        "2:",
        "jmp rax",
        opens = sym opens,
    )
}

/// What became of a `dlopen`; returned in two registers.
#[repr(C)]
struct Opened {
    /// Where it is still to do; null if it is done.
    real: *const c_void,
    /// What it has returned.
    handle: *mut c_void,
}

extern "C" fn opens(name: *const c_char, mode: c_int, caller: usize) -> Opened {
    let real = behind(c"dlopen");
    if real.is_null() {
        // A C library without it: nobody can have called it.
        std::process::abort();
    }
    let undone = Opened {
        real,
        handle: std::ptr::null_mut(),
    };
    // SAFETY: the name is the caller's promise.
    if !unsafe { rewrite::later::is_anybodys(name, caller) } {
        return undone;
    }
    // SAFETY: this is the C library's function of that type, and the arguments the caller's promise.
    let handle = unsafe {
        let real: unsafe extern "C" fn(*const c_char, c_int) -> *mut c_void = std::mem::transmute(real);
        real(name, mode)
    };
    if handle.is_null() {
        // Again, for its caller, who may find what we do not, and whose error it is.
        return undone;
    }
    rewrite::later::rewrite_new();
    Opened {
        real: std::ptr::null(),
        handle,
    }
}

/// As the C library's `dlclose`, which it calls.
///
/// # Safety
///
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dlclose(handle: *mut c_void) -> c_int {
    let real = behind(c"dlclose");
    if real.is_null() {
        return -1;
    }
    // SAFETY: this is the C library's function of that type, and the argument the caller's promise.
    let result = unsafe {
        let real: unsafe extern "C" fn(*mut c_void) -> c_int = std::mem::transmute(real);
        real(handle)
    };
    rewrite::later::forget_gone();
    let _undisturbed = Undisturbed::begin();
    functions::forget();
    result
}
