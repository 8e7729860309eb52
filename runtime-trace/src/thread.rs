//! What a thread does at an event.
//!
//! A signal handler may come between any two instructions, call hooks itself, and leave by `longjmp`. While an event is recorded the thread is *busy*; a hook that finds it so
//! puts its event into a queue, and whoever is busy takes it from there when he is done. The queue is copied to the header of the file, where a reader finds what a
//! handler did that never came back. If it leaves instead, what was being recorded is broken off ([`Thread::jump`]).

#![expect(
    unsafe_code,
    reason = "a thread's state is reached through a pointer of its own"
)]

use crate::blocks::Blocks;
use crate::functions;
use crate::own;
use crate::process::{self, lose};
use crate::shadow::{Entry, Shadow};
use crate::system::{self, Errno, PAGE, Undisturbed, memory};
use calltrace::layout::{QUEUE, TAKEN_EVENTS_BITS, ended, header};
use calltrace::task::lost;
use calltrace::{Encoder, Event, Function, Refused, Tables};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, compiler_fence};

/// What a hook tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// The thread enters a function; the hook's frame is at this address.
    Enter(Entry),
    /// It leaves the function.
    Exit { function: usize },
    /// It leaves all functions whose frames are below this address.
    Jump { to: usize },
    /// It enters a function whose return address stands at the frame's address: no function that it is still in has the same.
    Begin(Entry),
    /// It leaves the function whose return address stands at this address.
    End { frame: usize },
}

impl Call {
    /// Readers see the queue of a handler that stands still; one that went elsewhere within itself is not followed.
    fn is_seen_in_queue(self) -> bool {
        !matches!(self, Self::Jump { .. })
    }
}

/// The own word of a thread that is not traced: its process is not, or there was no room, or it is ending.
const UNTRACED: usize = 1;

/// Exits of functions further out are not looked for.
const FURTHEST: usize = 1 << 16;

/// What is one thread's own. In front of it lies a page that is zero in a child that was forked.
pub(crate) struct Thread {
    busy: AtomicBool,
    /// The frame of the hook that is busy.
    frame: AtomicUsize,
    queued: AtomicU32,
    queue: [Queued; QUEUE],
    state: UnsafeCell<State>,
}

/// A call of a hook that came while the thread was busy.
#[derive(Default)]
struct Queued {
    kind: AtomicU32,
    value: AtomicUsize,
    frame: AtomicUsize,
}

/// What only who is busy touches.
struct State {
    encoder: Encoder<'static>,
    /// What the encoder works with, to be given back.
    tables: *mut Tables,
    shadow: Shadow,
    blocks: Blocks,
    has_ended: bool,
    /// Functions that the thread is in and that the shadow has no room for.
    beyond: usize,
    /// How often the C library has told that the thread ends.
    rounds: u32,
}

/// A hook was called.
#[inline]
pub(crate) fn call(call: Call, frame: usize) {
    let word = own::get();
    if word <= UNTRACED {
        if word == 0 && !matches!(call, Call::Jump { .. }) && begin() {
            self::call(call, frame);
        }
        return;
    }
    // SAFETY: a word above `UNTRACED` is where `begin` has put the state of this very thread, in front of which it mapped a page.
    let (thread, is_own) = unsafe {
        let guard = &*(word as *const u8).sub(PAGE).cast::<AtomicU64>();
        (&*(word as *const Thread), guard.load(Ordering::Relaxed) != 0)
    };
    if !is_own && !thread.continue_in_child(word) {
        return;
    }
    if thread.busy.load(Ordering::Relaxed) {
        thread.interrupts(call);
        return;
    }
    thread.frame.store(frame, Ordering::Relaxed);
    thread.busy.store(true, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    thread.state().call(call);
    compiler_fence(Ordering::SeqCst);
    thread.done();
}

impl Thread {
    /// # Panics
    ///
    /// Never. Only who has made the thread busy may call it.
    #[expect(clippy::mut_from_ref, reason = "`busy` is what keeps others out")]
    #[inline]
    fn state(&self) -> &mut State {
        // SAFETY: the state is this thread's alone, and of its hooks only the one that made it busy comes here.
        unsafe { &mut *self.state.get() }
    }

    /// Takes what was queued meanwhile, and is busy no more.
    #[inline]
    fn done(&self) {
        loop {
            if self.queued.load(Ordering::Relaxed) != 0 {
                self.take_queue();
            }
            self.busy.store(false, Ordering::Relaxed);
            compiler_fence(Ordering::SeqCst);
            // A handler may have come between the two.
            if self.queued.load(Ordering::Relaxed) == 0 {
                return;
            }
            self.busy.store(true, Ordering::Relaxed);
            compiler_fence(Ordering::SeqCst);
        }
    }

    /// Records what was queued. Signals are blocked: a handler that goes elsewhere would leave it half taken, and nobody would know how far it was.
    #[cold]
    fn take_queue(&self) {
        let _undisturbed = Undisturbed::begin();
        let state = self.state();
        let header = state.blocks.header();
        let mut seen = 0_u64;
        for queued in self
            .queue
            .iter()
            .take(self.queued.load(Ordering::Relaxed) as usize)
        {
            let Some(call) = queued.call() else { continue };
            // Whoever reads when the process was killed within this takes none of them twice.
            let taken = (seen + 1) << TAKEN_EVENTS_BITS | state.encoder.events();
            header[header::TAKEN].store(taken, Ordering::Release);
            state.call(call);
            seen += u64::from(call.is_seen_in_queue());
        }
        header[header::QUEUED].store(0, Ordering::Release);
        header[header::TAKEN].store(0, Ordering::Release);
        self.queued.store(0, Ordering::Relaxed);
    }

    /// A hook was called while the thread was busy: a signal handler has interrupted another hook.
    #[cold]
    fn interrupts(&self, call: Call) {
        if let Call::Jump { to } = call
            && self.leaves_handler(to)
        {
            {
                let _undisturbed = Undisturbed::begin();
                self.break_off();
                self.state().call(call);
            }
            self.done();
            return;
        }
        // SAFETY: `blocks` and its header never change while the thread is busy but with signals blocked, and handlers only read where it is.
        let header = unsafe { &(*self.state.get()).blocks }.header();
        let at = self.queued.load(Ordering::Relaxed) as usize;
        let Some(slot) = self.queue.get(at) else {
            header[header::OVERRUN].store(1, Ordering::Relaxed);
            return;
        };
        slot.set(call);
        if call.is_seen_in_queue() {
            let symbol = match call {
                Call::Enter(entry) | Call::Begin(entry) => functions::number(entry.function),
                Call::Exit { .. } | Call::End { .. } | Call::Jump { .. } => 0,
            };
            let seen = header[header::QUEUED].load(Ordering::Relaxed) as usize;
            if let Some(word) = header.get(header::QUEUE + seen) {
                word.store(symbol.into(), Ordering::Relaxed);
                header[header::QUEUED].store(seen as u64 + 1, Ordering::Release);
            }
        }
        self.queued.store(at as u32 + 1, Ordering::Release);
    }

    /// Whether a jump to this address leaves the signal handler that has interrupted a hook, and so the hook.
    fn leaves_handler(&self, to: usize) -> bool {
        let hook = self.frame.load(Ordering::Relaxed);
        match system::signal_stack() {
            // The handler's stack is not the hook's: it is left by what goes off it.
            Some((stack, true)) if !stack.contains(&hook) => !stack.contains(&to),
            _ => to >= hook,
        }
    }

    /// The hook that was interrupted will never go on: what it was doing is brought to an end.
    fn break_off(&self) {
        let state = self.state();
        state.encoder.break_off();
        // Compilers jump to the hook at the end of a function, whose own frame is gone then: the hook's is where its caller's ends, and the function was below it.
        let frame = self
            .frame
            .load(Ordering::Relaxed)
            .wrapping_sub(size_of::<usize>());
        // Of an entry that was recorded, or an exit that was not, the shadow knows nothing yet: the jump will tell of it.
        while (state.shadow.depth() as u64) < state.encoder.depth() && !state.shadow.is_full() {
            state.shadow.push(Entry { function: 0, frame });
        }
        self.take_queue();
    }

    /// Goes on in a child that was forked: in a file of its own, which begins with the functions that the thread is in. Whether there is one.
    #[cold]
    fn continue_in_child(&self, word: usize) -> bool {
        let _undisturbed = Undisturbed::begin();
        // SAFETY: the page in front is mapped, as in `call`.
        let guard = unsafe { &*(word as *const u8).sub(PAGE).cast::<AtomicU64>() };
        self.queued.store(0, Ordering::Relaxed);
        self.busy.store(false, Ordering::Relaxed);
        let state = self.state();
        // SAFETY: header and blocks of the parent are the child's no more, and what used them is replaced or gone.
        unsafe { state.blocks.end() };
        let made = process::open()
            .then(|| Some((tables()?, Blocks::create()?)))
            .flatten();
        let Some((tables, blocks)) = made else {
            own::set(UNTRACED);
            return false;
        };
        // SAFETY: the tables are new, and nobody else's.
        state.encoder = Encoder::new(unsafe { &mut *tables });
        // SAFETY: the encoder that had them is gone.
        unsafe { system::give_back(state.tables.cast(), size_of::<Tables>()) };
        (state.tables, state.blocks, state.has_ended) = (tables, blocks, false);
        let depth = state.shadow.depth();
        for at in 0..depth {
            if let Some(entry) = state.shadow.get(at)
                && let Some(function) = Function::new(functions::number(entry.function))
            {
                state.record(Event::Enter(function));
            }
        }
        state.blocks.header()[header::INHERITED].store(depth as u64, Ordering::Relaxed);
        guard.store(1, Ordering::Relaxed);
        true
    }
}

impl Queued {
    fn set(&self, call: Call) {
        let (kind, value, frame) = match call {
            Call::Enter(entry) => (0, entry.function, entry.frame),
            Call::Exit { function } => (1, function, 0),
            Call::Jump { to } => (2, to, 0),
            Call::Begin(entry) => (3, entry.function, entry.frame),
            Call::End { frame } => (4, 0, frame),
        };
        self.value.store(value, Ordering::Relaxed);
        self.frame.store(frame, Ordering::Relaxed);
        self.kind.store(kind, Ordering::Relaxed);
    }

    fn call(&self) -> Option<Call> {
        let (function, frame) = (
            self.value.load(Ordering::Relaxed),
            self.frame.load(Ordering::Relaxed),
        );
        Some(match self.kind.load(Ordering::Relaxed) {
            0 => Call::Enter(Entry { function, frame }),
            1 => Call::Exit { function },
            2 => Call::Jump { to: function },
            3 => Call::Begin(Entry { function, frame }),
            4 => Call::End { frame },
            _ => return None,
        })
    }
}

impl State {
    #[inline]
    fn call(&mut self, call: Call) {
        if self.has_ended {
            self.count(header::LOST, 1);
            return;
        }
        match call {
            Call::Enter(entry) => self.enter(entry),
            Call::Exit { function } => self.exit(function),
            Call::Jump { to } => self.jump(to),
            Call::Begin(entry) => self.begin(entry),
            Call::End { frame } => self.end(frame),
        }
    }

    #[inline]
    fn begin(&mut self, entry: Entry) {
        if self.shadow.top().is_some_and(|top| top.frame == entry.frame) {
            self.leave_below(entry.frame + 1);
        }
        self.enter(entry);
    }

    #[inline]
    fn end(&mut self, frame: usize) {
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        if self.shadow.top().is_some_and(|top| top.frame < frame) {
            self.leave_below(frame);
        }
        if self.shadow.top().is_some_and(|top| top.frame == frame) {
            self.leave();
        } else {
            self.count(header::IGNORED, 1);
        }
    }

    #[inline]
    fn enter(&mut self, entry: Entry) {
        if self.shadow.top().is_some_and(|top| top.frame < entry.frame) {
            self.leave_below(entry.frame);
        }
        if self.shadow.is_full() {
            self.beyond += 1;
            return;
        }
        if let Some(function) = Function::new(functions::number(entry.function)) {
            self.record(Event::Enter(function));
            self.shadow.push(entry);
        }
    }

    #[inline]
    fn exit(&mut self, function: usize) {
        if self.beyond > 0 {
            self.beyond -= 1;
        } else if self.shadow.top().is_some_and(|top| top.function == function) {
            self.leave();
        } else {
            self.unexpected_exit(function);
        }
    }

    /// Leaves the innermost function.
    #[inline]
    fn leave(&mut self) {
        self.shadow.pop();
        self.record(Event::Exit);
    }

    fn jump(&mut self, to: usize) {
        self.beyond = 0;
        let _errno = Errno::keep();
        self.leave_below(to);
    }

    /// Leaves a function that is not the innermost one: those within were left before, without an exit.
    #[cold]
    fn unexpected_exit(&mut self, function: usize) {
        let depth = self.shadow.depth();
        let furthest = depth.saturating_sub(FURTHEST);
        let of_function = |at: &usize| {
            let entry = self.shadow.get(*at);
            entry.is_some_and(|entry| entry.function == function)
        };
        let Some(found) = (furthest..depth).rev().find(of_function) else {
            self.count(header::IGNORED, 1);
            return;
        };
        self.count(header::SUPPLIED, (depth - 1 - found) as u64);
        while self.shadow.depth() > found {
            self.leave();
        }
    }

    /// Leaves all functions whose frames are below this address, since the thread is in one that has its frame there.
    #[cold]
    fn leave_below(&mut self, frame: usize) {
        let stack = system::signal_stack();
        let mut left = 0;
        while let Some(top) = self.shadow.top() {
            let is_left = match &stack {
                // Addresses of two stacks tell nothing. Who comes onto the stack of signals is in all that he was in; who goes off it has left what was on it.
                Some((stack, _)) if stack.contains(&top.frame) != stack.contains(&frame) => {
                    stack.contains(&top.frame)
                }
                _ => top.frame < frame,
            };
            if !is_left {
                break;
            }
            self.leave();
            left += 1;
        }
        self.count(header::SUPPLIED, left);
    }

    #[inline]
    fn record(&mut self, event: Event) {
        match self.encoder.record(event) {
            Ok(()) => {}
            Err(Refused::NeedsBlock) => self.record_in_new_block(event),
            // The shadow and the encoder are equally deep, so that this is not met; the reader's rule holds all the same.
            Err(Refused::NothingToLeave) => self.count(header::IGNORED, 1),
        }
    }

    #[cold]
    fn record_in_new_block(&mut self, event: Event) {
        let _undisturbed = Undisturbed::begin();
        if self.has_ended {
            self.count(header::LOST, 1);
            return;
        }
        let why = match self.blocks.next() {
            None => ended::NO_ROOM,
            Some(block) => match self.encoder.begin(block) {
                Ok(()) if self.encoder.record(event).is_ok() => return,
                _ => ended::FULL,
            },
        };
        self.has_ended = true;
        self.count(header::LOST, 1);
        self.blocks.header()[header::ENDED].store(why, Ordering::Release);
    }

    /// Adds to a word of the header, which nobody else changes.
    fn count(&self, word: usize, more: u64) {
        let word = &self.blocks.header()[word];
        word.store(word.load(Ordering::Relaxed) + more, Ordering::Relaxed);
    }
}

/// New tables, which are all 0; none if there is no memory.
fn tables() -> Option<*mut Tables> {
    Some(memory(size_of::<Tables>())?.cast())
}

const STATE_AT: usize = PAGE;
const BYTES: usize = (PAGE + size_of::<Thread>()).next_multiple_of(PAGE);

/// Begins the trace of the calling thread. Whether there is one.
#[cold]
fn begin() -> bool {
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
    let blocks = Blocks::create()?;
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
            has_ended: false,
            beyond: 0,
            rounds: 0,
        };
        (&raw mut (*thread).state).write(UnsafeCell::new(state));
        (*page.cast::<AtomicU64>()).store(1, Ordering::Relaxed);
        Some(thread)
    }
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
    let (thread, is_own) = unsafe {
        let guard = &*(word as *const u8).sub(PAGE).cast::<AtomicU64>();
        (&*(word as *const Thread), guard.load(Ordering::Relaxed) != 0)
    };
    if !is_own || thread.busy.load(Ordering::Relaxed) {
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
        system::give_back(state.tables.cast(), size_of::<Tables>());
        system::give_back((word as *mut u8).sub(PAGE), BYTES);
    }
}
