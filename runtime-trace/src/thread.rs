//! What a thread does at an event.
//!
//! A signal handler may come between any two instructions, call hooks itself, and leave by `longjmp`. While an event is recorded the thread is *busy*; a hook that finds it so
//! puts its event into a queue, and whoever is busy takes it from there when he is done. The queue is copied to the header of the file, where a reader finds what a
//! handler did that never came back. If it leaves instead, what was being recorded is broken off ([`Thread::jump`]).

#![expect(
    unsafe_code,
    reason = "a thread's state is reached through a pointer of its own"
)]

use crate::call::{Call, Queued};
use crate::functions;
use crate::life::{begin, files, tables};
use crate::own;
use crate::process;
use crate::shadow::Entry;
use crate::state::State;
use crate::system::{self, PAGE, Undisturbed};
use calltrace::layout::{QUEUE, TAKEN_EVENTS_BITS, header};
use calltrace::{Encoder, Event, Function, Tables, Tie};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering, compiler_fence};

/// The own word of a thread that is not traced: its process is not, or there was no room, or it is ending.
pub(crate) const UNTRACED: usize = 1;

/// What is one thread's own. In front of it lies a page that is zero in a child that was forked.
pub(crate) struct Thread {
    pub(crate) busy: AtomicBool,
    /// The frame of the hook that is busy.
    frame: AtomicUsize,
    queued: AtomicU32,
    queue: [Queued; QUEUE],
    pub(crate) state: UnsafeCell<State>,
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

/// Something happened at this time of the monotonic clock, behind the events that were recorded. What interrupts an event is not stamped.
pub(crate) fn stamp(time: u64, tie: Tie) {
    let here = 0_u8;
    let word = own::get();
    if word <= UNTRACED {
        return;
    }
    // SAFETY: as in `call`.
    let (thread, is_own) = unsafe {
        let guard = &*(word as *const u8).sub(PAGE).cast::<AtomicU64>();
        (&*(word as *const Thread), guard.load(Ordering::Relaxed) != 0)
    };
    if !is_own || thread.busy.load(Ordering::Relaxed) {
        return;
    }
    thread.frame.store((&raw const here).addr(), Ordering::Relaxed);
    thread.busy.store(true, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    thread.state().stamp(time, tie);
    compiler_fence(Ordering::SeqCst);
    thread.done();
}

impl Thread {
    /// # Panics
    ///
    /// Never. Only who has made the thread busy may call it.
    #[expect(clippy::mut_from_ref, reason = "`busy` is what keeps others out")]
    #[inline]
    pub(crate) fn state(&self) -> &mut State {
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
        unsafe {
            state.blocks.end();
            state.stamps.end(false);
        }
        let made = process::open().then(|| Some((tables()?, files()?))).flatten();
        let Some((tables, (blocks, stamps))) = made else {
            own::set(UNTRACED);
            return false;
        };
        // SAFETY: the tables are new, and nobody else's.
        state.encoder = Encoder::new(unsafe { &mut *tables });
        // SAFETY: the encoder that had them is gone.
        unsafe { system::give_back(state.tables.cast(), size_of::<Tables>()) };
        (state.tables, state.blocks, state.stamps, state.has_ended) = (tables, blocks, stamps, false);
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
