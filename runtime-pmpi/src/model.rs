//! The task's Markov model, as its calls come and go (`recording::model` says what it is).

use crate::modules::{Module, module_of};
use crate::paths::{Paths, Slot};
use crate::recorder::{Call, Recorder, lost};
use crate::tables::{Table, as_key, mix};
use crate::words::Words;
use recording::layout::{FREE, THREADS};
use recording::model::{
    EDGE, EDGES, EDGES_AT, FRAMES, FRAMES_AT, MODULE, MODULES, MODULES_AT, STATE, STATES, STATES_AT, state,
};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

const STATES_TABLE: Table = Table {
    at: STATES_AT,
    rows: STATES,
    width: STATE,
};
const EDGES_TABLE: Table = Table {
    at: EDGES_AT,
    rows: EDGES,
    width: EDGE,
};

/// What is the model's own: paths that were unwound, and where the stacks of threads end.
#[derive(Debug)]
pub(crate) struct Model {
    paths: Paths,
    /// Of each thread, where its stack starts and ends.
    stacks: Words,
    frames: AtomicU64,
}

impl Model {
    /// How many words of zeros it takes.
    pub(crate) fn words() -> usize {
        Paths::words() + 2 * THREADS
    }

    pub(crate) fn new(words: Words) -> Self {
        Model {
            stacks: words.from(Paths::words()),
            paths: Paths::new(words),
            frames: AtomicU64::new(0),
        }
    }

    /// The stack of the thread in this row, counted from 1.
    pub(crate) fn set_stack(&self, thread: u32, stack: Range<u64>) {
        let at = 2 * (thread as usize).wrapping_sub(1);
        self.stacks.publish(at, stack.start);
        self.stacks.publish(at + 1, stack.end);
    }

    /// Where the stack ends that a thread's call with this frame stands on; 0 if that is not known. Of a stack that is not the thread's own nothing is known but the
    /// place of the frame itself.
    fn end_of_stack(&self, thread: u32, frame: u64) -> u64 {
        let at = 2 * (thread as usize).wrapping_sub(1);
        let (start, end) = (self.stacks.get(at), self.stacks.get(at + 1));
        match end {
            0 => 0,
            _ if (start..end).contains(&frame) => end,
            _ => frame,
        }
    }
}

impl Recorder {
    /// The row of the state that the call is, plus one; 0 if there is no room for it, or if its frame is not known.
    pub(crate) fn state_of(&self, call: &Call) -> u64 {
        let model = self.model();
        let end = model.end_of_stack(call.thread, call.frame);
        if call.frame == 0 || end == 0 {
            return 0;
        }
        let (operation, returns_to, frame) = (call.operation, call.returns_to, call.frame);
        if let Some(state) = model.paths.find(operation, returns_to, frame, end) {
            return state;
        }
        let Some(path) = model.paths.unwind(returns_to, frame, end) else {
            self.lose(lost::MODEL);
            return 0;
        };
        // The loader has a lock of its own, and whoever holds it may wait for ours.
        let resolved = |slot: &Slot| {
            // What a call returns to may be the first byte behind its function.
            let module = module_of(slot.returns_to.wrapping_sub(1));
            (module, slot.returns_to)
        };
        let frames: Vec<(Option<Module>, u64)> = path.slots().iter().map(resolved).collect();
        self.alone(|| {
            let state = self.row_of_path(operation, &frames);
            if state == 0 {
                self.lose(lost::MODEL);
            }
            model.paths.keep(operation, returns_to, frame, &path, state);
            state
        })
    }

    fn row_of_path(&self, operation: u32, path: &[(Option<Module>, u64)]) -> u64 {
        let words = self.words();
        let mut key = mix(u64::from(operation) + 1);
        let mut frames = Vec::with_capacity(path.len());
        for (module, returns_to) in path {
            let (row, address, identity) = match module {
                Some(module) => (
                    self.row_of_module(module.identity, &module.name),
                    returns_to.wrapping_sub(module.base),
                    module.identity,
                ),
                // Made at run time: its addresses mean nothing to others.
                None => (0, 0, 0),
            };
            key = mix(key.rotate_left(17) ^ identity ^ mix(address));
            frames.push(row << 48 | address & 0xffff_ffff_ffff);
        }
        let key = as_key(key);
        if let Some(row) = STATES_TABLE.find(words, key, key, |_| true) {
            return STATES_TABLE.number(row);
        }
        let used = self.model().frames.load(Ordering::Relaxed) as usize;
        let (Some(row), true) = (STATES_TABLE.vacant(words, key), used + frames.len() <= FRAMES) else {
            return 0;
        };
        for (at, frame) in frames.iter().enumerate() {
            words.set(FRAMES_AT + used + at, *frame);
        }
        self.model()
            .frames
            .store((used + frames.len()) as u64, Ordering::Relaxed);
        words.set(row + state::OPERATION, u64::from(operation) + 1);
        words.set(row + state::PATH, (frames.len() as u64) << 32 | used as u64);
        words.publish(row + state::KEY, key);
        STATES_TABLE.number(row)
    }

    /// The row of a file plus one; 0 if there is no room for it.
    fn row_of_module(&self, identity: u64, name: &[u8]) -> u64 {
        let words = self.words();
        for module in 0..MODULES {
            let row = MODULES_AT + module * MODULE;
            match words.get(row) {
                FREE => {
                    crate::file::text(words, row + 1, MODULE - 1, name);
                    words.publish(row, identity);
                    return module as u64 + 1;
                }
                known if known == identity => return module as u64 + 1,
                _ => {}
            }
        }
        0
    }

    /// A thread comes to a state, after so many nanoseconds outside of MPI behind another.
    pub(crate) fn comes_to(&self, state: u64, from: u64, after: u64) {
        let words = self.words();
        if let Some(row) = STATES_TABLE.numbered(state) {
            self.add(row + state::ENTERED, 1);
        }
        let Some(row) = STATES_TABLE.numbered(from) else {
            return;
        };
        self.count_time(row + state::REGIONS, after);
        if state == 0 {
            return;
        }
        let key = from << 32 | state;
        let find = || EDGES_TABLE.find(words, key, key, |_| true);
        let edge = find().or_else(|| {
            self.alone(|| {
                find().or_else(|| {
                    let row = EDGES_TABLE.vacant(words, key)?;
                    words.publish(row, key);
                    Some(row)
                })
            })
        });
        match edge {
            Some(row) => {
                self.add(row + 1, 1);
                self.add(row + 2, after);
            }
            None => self.lose(lost::MODEL),
        }
    }

    /// The call of a state ends, after so many nanoseconds.
    pub(crate) fn ends_in(&self, state: u64, after: u64) {
        if let Some(row) = STATES_TABLE.numbered(state) {
            self.count_time(row + state::CALLS, after);
        }
    }

    /// Counts one that lasted so many nanoseconds.
    fn count_time(&self, first: usize, lasted: u64) {
        let (words, micros) = (self.words(), lasted / 1_000);
        self.add(first, 1);
        self.add(first + 1, lasted);
        self.add(first + 2, micros.saturating_mul(micros));
        if lasted > words.get(first + 3) {
            words.set(first + 3, lasted);
        }
    }
}
