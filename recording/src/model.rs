//! What a task did before, as a Markov model: where it has been, and what followed what how often (AutomaDeD, section 3.1).
//!
//! A *state* is a call of MPI by its call path, and the computation that follows it: each call has one such region, which needs no row of its own. An
//! *edge* leads from a state to the state that was entered next. Addresses of a path are relative to their module, so that states are
//! equal on all tasks that run the same files, whatever their address spaces.

use crate::layout::{FREE, REQUEST, REQUESTS, REQUESTS_AT, RETIRED};

/// States, at most.
pub const STATES: usize = 1 << 12;
/// Words of a state.
pub const STATE: usize = 12;
/// Words of a state, by their index.
pub mod state {
    /// What it is on all tasks: a hash of the operation and the path.
    pub const KEY: usize = 0;
    /// The operation's number plus one.
    pub const OPERATION: usize = 1;
    /// Where its path begins in the table of frames, and in the upper half how many frames it has, innermost first.
    pub const PATH: usize = 2;
    /// How often it was entered. A question that is asked again and again without an answer is entered once.
    pub const ENTERED: usize = 3;
    /// How often its call ended, and for how many nanoseconds it lasted in all.
    pub const CALLS: usize = 4;
    /// See [`CALLS`].
    pub const CALLS_TIME: usize = 5;
    /// The same in squares of microseconds.
    pub const CALLS_SQUARES: usize = 6;
    /// The longest, in nanoseconds.
    pub const CALLS_LONGEST: usize = 7;
    /// How often the computation behind it ended with the next call; then as for calls.
    pub const REGIONS: usize = 8;
    /// See [`CALLS_TIME`].
    pub const REGIONS_TIME: usize = 9;
    /// See [`CALLS_SQUARES`].
    pub const REGIONS_SQUARES: usize = 10;
    /// See [`CALLS_LONGEST`].
    pub const REGIONS_LONGEST: usize = 11;
}

/// Edges, at most.
pub const EDGES: usize = 1 << 14;
/// Words of an edge, in the order: the row of the state that was left plus one in the upper half and that of the next plus one in the lower; how often; nanoseconds of
/// computation between them in all.
pub const EDGE: usize = 3;

/// Frames of all paths, at most. In the upper 16 bits the row of the module plus one, or 0 if the address lies in none; below the return address, relative to the module.
pub const FRAMES: usize = 1 << 16;
/// Frames of one path, at most: of a deeper one the innermost are kept, and tell it.
pub const DEPTH: usize = 30;

/// Modules, at most.
pub const MODULES: usize = 128;
/// Words of a module: its identity (a hash of its build-id, or of its name), and the last part of its name, filled up with zeros.
pub const MODULE: usize = 8;

/// Where the states begin.
pub const STATES_AT: usize = REQUESTS_AT + REQUESTS * REQUEST;
/// Where the edges begin.
pub const EDGES_AT: usize = STATES_AT + STATES * STATE;
/// Where the frames begin.
pub const FRAMES_AT: usize = EDGES_AT + EDGES * EDGE;
/// Where the modules begin.
pub const MODULES_AT: usize = FRAMES_AT + FRAMES;
/// The first word behind them.
pub const END: usize = MODULES_AT + MODULES * MODULE;

/// What a task did before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// Where it has been, by key.
    pub states: Vec<State>,
    /// What followed what.
    pub edges: Vec<Edge>,
    /// The names of the files that its code is in.
    pub modules: Vec<String>,
}

/// A call by its path, and the computation behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Equal on all tasks for equal operations and paths.
    pub key: u64,
    /// The number of its operation.
    pub operation: u32,
    /// Its return addresses, innermost first: the index of a module, if it is in one, and the address in that.
    pub path: Vec<(Option<usize>, u64)>,
    /// How often it was entered.
    pub entered: u64,
    /// How long its calls lasted.
    pub calls: Times,
    /// How long the computation behind it lasted.
    pub regions: Times,
}

/// How long something lasted that happened again and again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// How often it ended.
    pub count: u64,
    /// Nanoseconds in all.
    pub total: u64,
    /// The sum of the squares, in microseconds.
    pub squares: u64,
    /// The longest, in nanoseconds.
    pub longest: u64,
}

/// One state followed another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The key of the state that was left.
    pub from: u64,
    /// The key of the one that was entered next.
    pub to: u64,
    /// How often.
    pub count: u64,
    /// Nanoseconds of computation between them in all.
    pub time: u64,
}

impl Times {
    /// The mean in seconds, and the deviation from it.
    #[must_use]
    pub fn mean_and_deviation(self) -> (f64, f64) {
        if self.count == 0 {
            return (0.0, 0.0);
        }
        let count = self.count as f64;
        let mean = self.total as f64 / 1e9 / count;
        let square = self.squares as f64 / 1e12 / count;
        (mean, (square - mean * mean).max(0.0).sqrt())
    }
}

impl Model {
    /// The state of this key.
    #[must_use]
    pub fn state(&self, key: u64) -> Option<&State> {
        let at = self.states.binary_search_by_key(&key, |state| state.key).ok()?;
        self.states.get(at)
    }

    /// Reads the model, if the file has one; `damaged` counts what contradicts itself. `word` is 0 behind the file's end, and `used` tells where the used rows of a table stand, by its
    /// beginning, the words of a row and the rows.
    pub(crate) fn read(
        word: &dyn Fn(usize) -> u64,
        used: &dyn Fn(usize, usize, usize) -> Vec<usize>,
        name: &dyn Fn(usize) -> String,
        damaged: &mut usize,
    ) -> Model {
        let mut states = Vec::new();
        for row in used(STATES_AT, STATE, STATES) {
            match read_state(word, row) {
                Some(state) => states.push(state),
                None => *damaged += 1,
            }
        }
        states.sort_by_key(|state| state.key);
        states.dedup_by_key(|state| state.key);
        let key_of = |index: u64| {
            let index = usize::try_from(index.checked_sub(1)?).ok()?;
            let key = (index < STATES).then(|| word(STATES_AT + index * STATE))?;
            (!matches!(key, FREE | RETIRED)).then_some(key)
        };
        let mut edges = Vec::new();
        for at in used(EDGES_AT, EDGE, EDGES) {
            match (key_of(word(at) >> 32), key_of(word(at) & 0xffff_ffff)) {
                (Some(from), Some(to)) => edges.push(Edge {
                    from,
                    to,
                    count: word(at + 1),
                    time: word(at + 2),
                }),
                _ => *damaged += 1,
            }
        }
        edges.sort_by_key(|edge| (edge.from, edge.to));
        let modules = (0..MODULES).map(|module| MODULES_AT + module * MODULE);
        let modules = modules.take_while(|&at| word(at) != FREE);
        Model {
            states,
            edges,
            modules: modules.map(|at| name(at + 1)).collect(),
        }
    }
}

fn read_state(word: &dyn Fn(usize) -> u64, row: usize) -> Option<State> {
    let times = |first: usize| Times {
        count: word(row + first),
        total: word(row + first + 1),
        squares: word(row + first + 2),
        longest: word(row + first + 3),
    };
    let path = word(row + state::PATH);
    let (first, frames) = (path as u32 as usize, (path >> 32) as usize);
    if frames > DEPTH || first.checked_add(frames)? > FRAMES {
        return None;
    }
    let frame = |index: usize| {
        let frame = word(FRAMES_AT + index);
        let module = (frame >> 48).checked_sub(1).map(|module| module as usize);
        (module, frame & 0xffff_ffff_ffff)
    };
    Some(State {
        key: word(row + state::KEY),
        operation: u32::try_from(word(row + state::OPERATION).checked_sub(1)?).ok()?,
        path: (first..first + frames).map(frame).collect(),
        entered: word(row + state::ENTERED),
        calls: times(state::CALLS),
        regions: times(state::REGIONS),
    })
}
