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
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering, compiler_fence};

/// The own word of a thread that is not traced: its process is not, or there was no room, or it is ending.
pub(crate) const UNTRACED: usize = 1;

/// What lies in front of a thread's own: a page that is zero in a child that was forked.
#[repr(C)]
pub(crate) struct Front {
    _unused: [u64; PAGE / 8 - 2],
    /// Whether the process is the one that the thread began in.
    pub(crate) is_own: AtomicU64,
    /// The address of the word that counts events, where some are foretold; 0 where `quick` can do nothing.
    pub(crate) gate: AtomicUsize,
}

const _: () = assert!(size_of::<Front>() == PAGE);

/// What is one thread's own. [`Front`] lies in front of it.
pub(crate) struct Thread {
    /// The frame of the hook that is busy, or 0.
    pub(crate) busy: AtomicUsize,
    /// Where the events that are foretold would begin if the count of events were 0: the address of the next one is this and four times the count.
    pub(crate) lane: AtomicUsize,
    pub(crate) queued: AtomicU32,
    queue: [Queued; QUEUE],
    pub(crate) state: UnsafeCell<State>,
}

/// The own words of the calling thread, if it has any and they are its process's.
///
/// # Safety
///
/// The word is the thread's own and above [`UNTRACED`].
#[inline]
pub(crate) unsafe fn of_word(word: usize) -> (&'static Thread, &'static Front) {
    // SAFETY: a word above `UNTRACED` is where `begin` has put the state of this very thread, in front of which it mapped a page.
    unsafe { (&*(word as *const Thread), &*(word as *const Front).sub(1)) }
}

/// A hook was called.
#[inline(always)]
pub(crate) fn call(call: Call, frame: usize) {
    let word = own::get();
    if word <= UNTRACED {
        if word == 0 {
            call_first(call, frame);
        }
        return;
    }
    // SAFETY: the word is this thread's own.
    let (thread, front) = unsafe { of_word(word) };
    if front.is_own.load(Ordering::Relaxed) == 0 && !thread.continue_in_child(word) {
        return;
    }
    // No handler's hook has the frame of the hook that it interrupts: with the same, this is the rest of what `quick` has begun.
    let busy = thread.busy.load(Ordering::Relaxed);
    if busy != 0 && (busy != frame || matches!(call, Call::Jump { .. })) {
        thread.interrupts(front, call);
        return;
    }
    thread.begin(front, frame);
    thread.change(front, |state| state.call(call));
    thread.done(front);
}

/// The first call of a thread.
#[cold]
#[inline(never)]
fn call_first(first: Call, frame: usize) {
    if !matches!(first, Call::Jump { .. }) && begin() {
        call(first, frame);
    }
}

/// A thread that has recorded an event by `quick`, in the hook with this frame, takes what a signal handler has queued meanwhile.
pub(crate) extern "C" fn finish(frame: usize) {
    let word = own::get();
    if word <= UNTRACED {
        return;
    }
    // SAFETY: the word is this thread's own.
    let (thread, front) = unsafe { of_word(word) };
    // Where the process was forked meanwhile nothing is queued.
    if front.is_own.load(Ordering::Relaxed) != 0 && thread.busy.load(Ordering::Relaxed) == 0 {
        thread.begin(front, frame);
        thread.done(front);
    }
}

/// Something happened at this time of the monotonic clock, behind the events that were recorded. What interrupts an event is not stamped.
pub(crate) fn stamp(time: u64, tie: Tie) {
    let here = 0_u8;
    let word = own::get();
    if word <= UNTRACED {
        return;
    }
    // SAFETY: the word is this thread's own.
    let (thread, front) = unsafe { of_word(word) };
    if front.is_own.load(Ordering::Relaxed) == 0 || thread.busy.load(Ordering::Relaxed) != 0 {
        return;
    }
    thread.begin(front, (&raw const here).addr());
    thread.state().stamp(time, tie);
    compiler_fence(Ordering::SeqCst);
    thread.done(front);
}

impl Thread {
    /// # Panics
    ///
    /// Never. Only who has made the thread busy may call it.
    #[expect(clippy::mut_from_ref, reason = "`busy` is what keeps others out")]
    #[inline(always)]
    pub(crate) fn state(&self) -> &mut State {
        // SAFETY: the state is this thread's alone, and of its hooks only the one that made it busy comes here.
        unsafe { &mut *self.state.get() }
    }

    /// Changes the state, and what `quick` does next.
    #[inline(always)]
    fn change(&self, front: &Front, changes: impl FnOnce(&mut State)) {
        front.gate.store(0, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        let state = self.state();
        changes(state);
        compiler_fence(Ordering::SeqCst);
        if let Some(lane) = state.open_lane() {
            let first = lane.expected.as_ptr().addr();
            let lane_at = first.wrapping_sub(lane.run as usize * size_of::<u32>());
            self.lane.store(lane_at, Ordering::Relaxed);
            compiler_fence(Ordering::SeqCst);
            let gate = std::ptr::from_ref(lane.published).expose_provenance();
            front.gate.store(gate, Ordering::Relaxed);
        }
        compiler_fence(Ordering::SeqCst);
    }

    /// Is busy from here on, in the hook with this frame.
    #[inline(always)]
    fn begin(&self, front: &Front, frame: usize) {
        self.busy.store(frame, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        // The hook that this one interrupts was busy no more, and had not yet taken what an earlier handler has queued: that comes first.
        if self.queued.load(Ordering::Relaxed) != 0 {
            self.take_queue(front);
        }
    }

    /// Takes what was queued meanwhile, and is busy no more.
    #[inline(always)]
    fn done(&self, front: &Front) {
        let frame = self.busy.load(Ordering::Relaxed);
        loop {
            if self.queued.load(Ordering::Relaxed) != 0 {
                self.take_queue(front);
            }
            self.busy.store(0, Ordering::Relaxed);
            compiler_fence(Ordering::SeqCst);
            // A handler may have come between the two.
            if self.queued.load(Ordering::Relaxed) == 0 {
                return;
            }
            self.busy.store(frame, Ordering::Relaxed);
            compiler_fence(Ordering::SeqCst);
        }
    }

    /// Records what was queued. Signals are blocked: a handler that goes elsewhere would leave it half taken, and nobody would know how far it was.
    #[cold]
    fn take_queue(&self, front: &Front) {
        let _undisturbed = Undisturbed::begin();
        self.change(front, |state| {
            let header = state.blocks.header();
            let mut seen = 0_u64;
            let queued = self.queued.load(Ordering::Relaxed) as usize;
            for queued in self.queue.iter().take(queued) {
                // A handler that went elsewhere has left a place as it was.
                let Some(call) = queued.take() else { continue };
                // Whoever reads when the process was killed within this takes none of them twice.
                let taken = (seen + 1) << TAKEN_EVENTS_BITS | state.encoder.events();
                header[header::TAKEN].store(taken, Ordering::Release);
                state.call(call);
                seen += u64::from(call.is_seen_in_queue());
            }
            header[header::QUEUED].store(0, Ordering::Release);
            header[header::TAKEN].store(0, Ordering::Release);
            self.queued.store(0, Ordering::Relaxed);
        });
    }

    /// A hook was called while the thread was busy: a signal handler has interrupted another hook.
    #[cold]
    fn interrupts(&self, front: &Front, call: Call) {
        if let Call::Jump { to } = call
            && self.leaves_handler(to)
        {
            {
                let _undisturbed = Undisturbed::begin();
                self.break_off(front);
                self.change(front, |state| state.call(call));
            }
            self.done(front);
            return;
        }
        // SAFETY: `blocks` and its header never change while the thread is busy but with signals blocked, and handlers only read where it is.
        let header = unsafe { &(*self.state.get()).blocks }.header();
        if call.is_seen_in_queue() {
            let symbol = match call {
                Call::Enter(entry) | Call::Begin(entry) => functions::number(entry.function),
                Call::Exit { .. } | Call::End { .. } | Call::Jump { .. } => 0,
            };
            let queued = &header[header::QUEUED];
            loop {
                let seen = queued.load(Ordering::Relaxed);
                let Some(word) = header.get(header::QUEUE + seen as usize) else {
                    break;
                };
                word.store(symbol.into(), Ordering::Relaxed);
                // Where another handler has come meanwhile, the word is its own.
                let published = queued.compare_exchange(seen, seen + 1, Ordering::Release, Ordering::Relaxed);
                if published.is_ok() {
                    break;
                }
            }
        }
        // One instruction: another handler that comes now has the next place.
        let at = self.queued.fetch_add(1, Ordering::Relaxed);
        match self.queue.get(at as usize) {
            Some(slot) => slot.set(call),
            None => header[header::OVERRUN].store(1, Ordering::Relaxed),
        }
    }

    /// Whether a jump to this address leaves the signal handler that has interrupted a hook, and so the hook.
    fn leaves_handler(&self, to: usize) -> bool {
        let hook = self.busy.load(Ordering::Relaxed);
        match system::signal_stack() {
            // The handler's stack is not the hook's: it is left by what goes off it.
            Some((stack, true)) if !stack.contains(&hook) => !stack.contains(&to),
            _ => to >= hook,
        }
    }

    /// The hook that was interrupted will never go on: what it was doing is brought to an end.
    fn break_off(&self, front: &Front) {
        let state = self.state();
        state.encoder.break_off();
        // Compilers jump to the hook at the end of a function, whose own frame is gone then: the hook's is where its caller's ends, and the function was below it.
        let frame = self.busy.load(Ordering::Relaxed).wrapping_sub(size_of::<usize>());
        // Of an entry that was recorded, or an exit that was not, the shadow knows nothing yet: the jump will tell of it.
        while (state.shadow.depth() as u64) < state.encoder.depth() && !state.shadow.is_full() {
            state.shadow.push(Entry { function: 0, frame });
        }
        self.take_queue(front);
    }

    /// Goes on in a child that was forked: in a file of its own, which begins with the functions that the thread is in. Whether there is one.
    #[cold]
    fn continue_in_child(&self, word: usize) -> bool {
        let _undisturbed = Undisturbed::begin();
        // SAFETY: the word is this thread's own.
        let (_, front) = unsafe { of_word(word) };
        self.queued.store(0, Ordering::Relaxed);
        for queued in self.queue.iter() {
            let _ = queued.take();
        }
        self.busy.store(0, Ordering::Relaxed);
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
        front.is_own.store(1, Ordering::Relaxed);
        true
    }
}
