//! How the trace of a thread begins and ends.

#![expect(unsafe_code, reason = "a thread's memory is mapped and given back")]

use crate::blocks::Blocks;
use crate::own;
use crate::process::{self, lose};
use crate::shadow::Shadow;
use crate::stamps::Stamps;
use crate::state::State;
use crate::system::{self, PAGE, Undisturbed, memory};
use crate::thread::{Front, Thread, UNTRACED, of_word};
use calltrace::layout::{ended, header};
use calltrace::task::lost;
use calltrace::{Encoder, Tables, encode};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU32, Ordering};

/// New tables, which are all 0; none if there is no memory.
pub(crate) fn tables() -> Option<*mut Tables> {
    Some(memory(size_of::<Tables>())?.cast())
}

const STATE_AT: usize = PAGE;
const BYTES: usize = (PAGE + size_of::<Thread>()).next_multiple_of(PAGE);

/// Begins the trace of the calling thread. Whether there is one.
#[cold]
pub(crate) fn begin() -> bool {
    let _undisturbed = Undisturbed::begin();
    own::set(UNTRACED);
    if !process::open() {
        return false;
    }
    let Some(thread) = new_thread() else {
        lose(lost::THREADS);
        return false;
    };
    own::set(thread as usize);
    tell_when_it_ends(thread);
    true
}

fn new_thread() -> Option<*const Thread> {
    let (shadow, tables) = (Shadow::new()?, tables()?);
    let page = memory(BYTES)?;
    let (blocks, stamps) = files()?;
    system::wipe_on_fork(page);
    // SAFETY: the mapping has a page and room for a thread behind it, which is aligned as pages are. All zero is a thread but for its state, which is written here.
    // The tables are new.
    unsafe {
        let thread = page.add(STATE_AT).cast::<Thread>();
        let state = State {
            encoder: Encoder::new(&mut *tables),
            tables,
            shadow,
            blocks,
            stamps,
            has_ended: false,
            beyond: 0,
            rounds: 0,
        };
        (&raw mut (*thread).state).write(UnsafeCell::new(state));
        (*page.cast::<Front>()).is_own.store(1, Ordering::Relaxed);
        Some(thread)
    }
}

/// The files of the calling thread, which has none yet.
pub(crate) fn files() -> Option<(Blocks, Stamps)> {
    let number = process::next_thread()?;
    let blocks = Blocks::create(process::trace_name(number)?, encode::describe)?;
    Some((blocks, Stamps::new(number)))
}

/// The key under which the C library tells that a thread ends, plus one; 0 before there is one.
static KEY: AtomicU32 = AtomicU32::new(0);

/// A thread that the C library knows gives its memory back at its end.
fn tell_when_it_ends(thread: *const Thread) {
    // SAFETY: the key is made by the C library; destructors of it get what was set, and `ends` knows what that is.
    unsafe {
        if KEY.load(Ordering::Acquire) == 0 {
            let mut key = 0;
            if libc::pthread_key_create(&raw mut key, Some(ends)) != 0 {
                return;
            }
            let taken = KEY.compare_exchange(0, key + 1, Ordering::AcqRel, Ordering::Relaxed);
            if taken.is_err() {
                libc::pthread_key_delete(key);
            }
        }
        let key = KEY.load(Ordering::Acquire) - 1;
        libc::pthread_setspecific(key, thread.cast());
    }
}

/// Destructors of other keys may still call functions: the C library asks again as long as something was set, and after so many rounds (`PTHREAD_DESTRUCTOR_ITERATIONS`)
/// no more.
const ROUNDS: u32 = 3;

unsafe extern "C" fn ends(thread: *mut libc::c_void) {
    let word = own::get();
    if word != thread as usize {
        return;
    }
    let _undisturbed = Undisturbed::begin();
    // SAFETY: the word is this thread's own, which was made by `begin`.
    let (thread, front) = unsafe { of_word(word) };
    if front.is_own.load(Ordering::Relaxed) == 0 || thread.busy.load(Ordering::Relaxed) != 0 {
        return;
    }
    let state = thread.state();
    state.rounds += 1;
    if state.rounds < ROUNDS {
        // SAFETY: the key is there: it is what this is called for.
        unsafe {
            libc::pthread_setspecific(
                KEY.load(Ordering::Acquire).wrapping_sub(1),
                (word as *const Thread).cast(),
            )
        };
        return;
    }
    own::set(UNTRACED);
    if !state.has_ended {
        state.blocks.header()[header::ENDED].store(ended::THREAD, Ordering::Release);
    }
    state.shadow.end();
    // SAFETY: nothing of the thread's state is used any more: its word says that it is not traced.
    unsafe {
        state.blocks.end();
        state.stamps.end(true);
        system::give_back(state.tables.cast(), size_of::<Tables>());
        system::give_back((word as *mut u8).sub(PAGE), BYTES);
    }
}
