//! What a call of a hook does to a thread's shadow and to its trace: which exits are missing, and when a new block begins.

use crate::blocks::Blocks;
use crate::call::Call;
use crate::functions;
use crate::shadow::{Entry, Shadow};
use crate::stamps::Stamps;
use crate::system::{self, Errno, Undisturbed};
use calltrace::layout::{ended, header};
use calltrace::{Encoder, Event, Function, Lane, Refused, Stamp, Tables, Tie};
use std::sync::atomic::Ordering;

/// Exits of functions further out are not looked for.
const FURTHEST: usize = 1 << 16;

/// What only who is busy touches.
pub(crate) struct State {
    pub(crate) encoder: Encoder<'static>,
    /// What the encoder works with, to be given back.
    pub(crate) tables: *mut Tables,
    pub(crate) shadow: Shadow,
    pub(crate) blocks: Blocks,
    pub(crate) stamps: Stamps,
    pub(crate) has_ended: bool,
    /// Functions that the thread is in and that the shadow has no room for.
    pub(crate) beyond: usize,
    /// How often the C library has told that the thread ends.
    pub(crate) rounds: u32,
}

impl State {
    #[inline(always)]
    pub(crate) fn call(&mut self, call: Call) {
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

    #[inline(always)]
    fn begin(&mut self, entry: Entry) {
        if self.shadow.top().is_some_and(|top| top.frame == entry.frame) {
            self.leave_below(entry.frame + 1);
        }
        self.enter(entry);
    }

    #[inline(always)]
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

    #[inline(always)]
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

    #[inline(always)]
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
    #[inline(always)]
    fn leave(&mut self) {
        self.shadow.pop();
        self.record(Event::Exit);
    }

    #[inline(never)]
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

    /// What is expected next, where nothing but that has to be recorded.
    #[inline(always)]
    pub(crate) fn open_lane(&mut self) -> Option<Lane<'_>> {
        if self.has_ended || self.beyond > 0 {
            return None;
        }
        let lane = self.encoder.open_lane()?;
        (!self.shadow.has_no_room_for(lane.expected.len())).then_some(lane)
    }

    /// Records that this is so now, at a time of the monotonic clock.
    pub(crate) fn stamp(&mut self, time: u64, tie: Tie) {
        if !self.has_ended {
            let behind = self.encoder.events();
            self.stamps.record(Stamp { behind, time, tie });
        }
    }

    #[inline(always)]
    pub(crate) fn record(&mut self, event: Event) {
        match self.encoder.record(event) {
            Ok(()) => self.stamps.look(self.encoder.events()),
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
                Ok(()) if self.encoder.record(event).is_ok() => {
                    self.stamps.look(self.encoder.events());
                    return;
                }
                _ => ended::FULL,
            },
        };
        self.has_ended = true;
        self.count(header::LOST, 1);
        self.blocks.header()[header::ENDED].store(why, Ordering::Release);
    }

    /// Adds to a word of the header, which nobody else changes.
    #[cold]
    fn count(&self, word: usize, more: u64) {
        let word = &self.blocks.header()[word];
        word.store(word.load(Ordering::Relaxed) + more, Ordering::Relaxed);
    }
}
