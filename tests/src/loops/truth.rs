//! What is true of a variable in the runs.

use super::run::{Pass, Runs};

/// How a variable moved between two passes of the mark, over all activations on all ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// Always the same way.
    Strict,
    /// Never the other way.
    Weak,
    /// Both ways.
    No,
}

/// What is true of one variable of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truth {
    /// How it moved.
    pub motion: Motion,
    /// The sequences of values are the same on all ranks, as far as they go. Of a pointer: the distances from its start.
    pub same: bool,
    /// The same holds of the number of first steps from the start that the values are away from it.
    pub countable: bool,
    /// It moves the same way from the end of one activation to the start of the next, too.
    pub on_and_on: bool,
    /// No activation has two passes: nothing was learnt.
    pub untested: bool,
}

/// Which ways a list of values moves: strictly up, strictly down, never down, never up.
pub(super) fn ways(values: &[f64]) -> (bool, bool, bool, bool) {
    let all = |holds: fn(f64, f64) -> bool| values.windows(2).all(|pair| holds(pair[0], pair[1]));
    (
        all(|a, b| a < b),
        all(|a, b| a > b),
        all(|a, b| a <= b),
        all(|a, b| a >= b),
    )
}

/// The values of an expression in each activation.
pub(super) fn sequences(activations: &[Vec<&Pass>], name: &str) -> Vec<Vec<f64>> {
    let values = |passes: &Vec<&Pass>| passes.iter().filter_map(|pass| pass.get(name).copied()).collect();
    activations.iter().map(values).collect()
}

/// Whether two lists agree as far as both go.
pub(super) fn agree(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(x, y)| x == y)
}

fn agree_on_ranks(ranks: &[Vec<Vec<f64>>]) -> bool {
    ranks
        .iter()
        .all(|rank| rank.iter().zip(&ranks[0]).all(|(mine, first)| agree(mine, first)))
}

/// Values as distances from the first one, in units of the first step.
fn counts(values: &[f64]) -> Vec<f64> {
    let step = values.get(1).map_or(1.0, |second| second - values[0]);
    values.iter().map(|value| (value - values[0]) / step).collect()
}

impl Truth {
    /// What is true of a variable in one world.
    #[must_use]
    pub fn of(runs: &Runs, world: usize, function: &str, name: &str) -> Self {
        let ranks: Vec<Vec<Vec<f64>>> = runs[world]
            .iter()
            .map(|log| {
                let is_pointer = log.pointers.iter().any(|(f, n)| f == function && n == name);
                let mut found = sequences(&log.activations(function, name), name);
                for values in found.iter_mut().filter(|_| is_pointer) {
                    let start = values.first().copied().unwrap_or_default();
                    values.iter_mut().for_each(|value| *value -= start);
                }
                found
            })
            .collect();
        let all = |chosen: fn((bool, bool, bool, bool)) -> bool| {
            ranks.iter().flatten().all(|values| chosen(ways(values)))
        };
        let motion = if all(|way| way.0) || all(|way| way.1) {
            Motion::Strict
        } else if all(|way| way.2) || all(|way| way.3) {
            Motion::Weak
        } else {
            Motion::No
        };
        let counted: Vec<Vec<Vec<f64>>> = ranks
            .iter()
            .map(|rank| rank.iter().map(|values| counts(values)).collect())
            .collect();
        Truth {
            motion,
            on_and_on: ranks.iter().all(|rank| {
                let (up, down, ..) = ways(&rank.concat());
                up || down
            }),
            same: agree_on_ranks(&ranks),
            countable: agree_on_ranks(&counted),
            untested: ranks.iter().flatten().all(|values| values.len() < 2),
        }
    }

    /// Strict, and as values or as a number of steps the same on all ranks.
    #[must_use]
    pub fn tells_iterations(&self) -> bool {
        self.motion == Motion::Strict && (self.same || self.countable) && !self.untested
    }

    /// Strict over the whole run, and the same on all ranks.
    #[must_use]
    pub fn is_strict_and_same(&self) -> bool {
        self.on_and_on && self.same && !self.untested
    }
}
