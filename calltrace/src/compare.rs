//! Where two threads part.
//!
//! Calls are held against each other by their place: the *n*-th call of a function within a call against the *n*-th of the same function. So one thread that calls something more than the other is
//! compared in all the rest. A [`Difference`] is a call within which the two called a function unequally often, or in another order. One that is met alike in several calls of the same path is
//! *habitual*: ranks have different work. What tells where a way went wrong is what happened once.

use crate::fold::{Forest, Shape, Unrolled};
use std::collections::{BTreeMap, BTreeSet};

/// A call on the way from the thread to a place: which call of a function within the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Turn {
    /// The function.
    pub function: u32,
    /// Which of its calls within the caller, from 1.
    pub nth: u64,
}

/// A call within which two threads did not do the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The way to it, outermost call first; empty for the thread itself.
    pub path: Vec<Turn>,
    /// The functions that were called unequally often, with how often by the one and the other. Empty where only the order differs.
    pub counts: Vec<(u32, [u64; 2])>,
    /// The first call within it that is not the same: the function that each called there, none where it called no more.
    pub first: [Option<u32>; 2],
    /// Whether the call is not over, for each: it may call more.
    pub is_open: [bool; 2],
    /// How many calls of the same path differ in the same way, this one included.
    pub alike: u64,
}

impl Difference {
    /// Whether one of them has only not come as far: its call is not over, and what it called is what the other called first.
    pub fn is_lag(&self) -> bool {
        (0..2).any(|of| self.is_open[of] && self.first[of].is_none())
    }
}

/// What two threads did differently.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// In the order in which they were met by the first of the two.
    pub all: Vec<Difference>,
    /// More was not compared: it would have taken too long.
    pub is_cut: bool,
}

/// Pairs of calls that are compared, at most.
const MOST_PAIRS: usize = 2_000_000;
/// Differences that are kept, at most.
const MOST_DIFFERENCES: usize = 100_000;

impl Differences {
    /// Holds two shapes against each other, which are calls of the same function.
    pub fn between(forest: &Forest, one: Shape, other: Shape) -> Self {
        let mut found = Self::default();
        let mut pairs = 0;
        // Pairs whose difference is known already need not be gone through again, but for the first ways to them.
        let mut seen: BTreeMap<(Shape, Shape), u32> = BTreeMap::new();
        let mut pending = vec![(Vec::<Turn>::new(), one, other)];
        while let Some((path, one, other)) = pending.pop() {
            pairs += 1;
            if pairs > MOST_PAIRS || found.all.len() >= MOST_DIFFERENCES {
                found.is_cut = true;
                break;
            }
            let times = seen.entry((one, other)).or_default();
            *times += 1;
            if *times > REPEATED {
                continue;
            }
            let (difference, below) = within(forest, &path, one, other);
            found.all.extend(difference);
            // The first one is taken next.
            pending.extend(below.into_iter().rev());
        }
        found.count_alike();
        found
    }

    /// The difference that tells most: of those that happened least often and are no lag the last; where there is none, the last lag.
    pub fn telling(&self) -> Option<&Difference> {
        let key = |at: &usize| {
            let difference = &self.all[*at];
            (
                std::cmp::Reverse(difference.is_lag()),
                std::cmp::Reverse(difference.alike),
                *at,
            )
        };
        (0..self.all.len()).max_by_key(key).map(|at| &self.all[at])
    }

    fn count_alike(&mut self) {
        type Kind = (Vec<u32>, Vec<(u32, [u64; 2])>, [Option<u32>; 2]);
        let kind = |difference: &Difference| -> Kind {
            let functions = difference.path.iter().map(|turn| turn.function);
            (functions.collect(), difference.counts.clone(), difference.first)
        };
        let mut alike: BTreeMap<Kind, u64> = BTreeMap::new();
        for difference in &self.all {
            *alike.entry(kind(difference)).or_default() += 1;
        }
        for difference in &mut self.all {
            difference.alike = alike.get(&kind(difference)).copied().unwrap_or(1);
        }
    }
}

/// How often one pair of shapes is gone through: more would tell nothing but that it is habitual.
const REPEATED: u32 = 3;

type Pair = (Vec<Turn>, Shape, Shape);

/// What differs within a pair of calls themselves, and the pairs of calls within them that are not equal.
fn within(forest: &Forest, path: &[Turn], one: Shape, other: Shape) -> (Option<Difference>, Vec<Pair>) {
    let calls = [forest.call(one), forest.call(other)];
    let runs = calls.map(|call| runs(forest, call.called));
    let mut counts = Vec::new();
    let mut below: Vec<(u64, Pair)> = Vec::new();
    let functions: BTreeSet<u32> = runs.iter().flat_map(|runs| runs.keys().copied()).collect();
    for function in functions {
        let of = [0, 1].map(|of: usize| runs[of].get(&function).map_or(&[][..], Vec::as_slice));
        let count = of.map(|runs| runs.iter().map(|run| run.count).sum::<u64>());
        if count[0] != count[1] {
            counts.push((function, count));
        }
        for (nth, before, pair) in unequal(of) {
            let mut path = path.to_vec();
            path.push(Turn { function, nth });
            below.push((before, (path, pair[0], pair[1])));
        }
    }
    below.sort_by_key(|(before, _)| *before);
    let first = first_unequal(forest, calls.map(|call| call.called));
    let difference = (first != [None, None]).then(|| Difference {
        path: path.to_vec(),
        counts,
        first,
        is_open: calls.map(|call| call.is_open),
        alike: 1,
    });
    (difference, below.into_iter().map(|(_, pair)| pair).collect())
}

/// Calls of one function with one shape, one behind the other as far as that function is concerned.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub(crate) shape: Shape,
    pub(crate) count: u64,
    /// Calls of any function in front of the first.
    pub(crate) before: u64,
}

/// The runs of each function in what a call has called.
pub(crate) fn runs(forest: &Forest, called: &[Shape]) -> BTreeMap<u32, Vec<Run>> {
    let mut all: BTreeMap<u32, Vec<Run>> = BTreeMap::new();
    let mut before = 0;
    for (shape, count) in Unrolled::new(forest, called) {
        let runs = all.entry(forest.call(shape).function).or_default();
        match runs.last_mut() {
            Some(last) if last.shape == shape => last.count += count,
            _ => runs.push(Run { shape, count, before }),
        }
        before += count;
    }
    all
}

/// Where the *n*-th calls of a function have different shapes: which, how many calls of any function come before it, and the shapes. Of a run of equal pairs the first and the last.
fn unequal(of: [&[Run]; 2]) -> Vec<(u64, u64, [Shape; 2])> {
    let mut found = Vec::new();
    let (mut at, mut used, mut nth) = ([0, 0], [0, 0], 1);
    while let (Some(one), Some(other)) = (of[0].get(at[0]), of[1].get(at[1])) {
        let together = (one.count - used[0]).min(other.count - used[1]);
        if one.shape != other.shape {
            let shapes = [one.shape, other.shape];
            found.push((nth, one.before, shapes));
            if together > 1 {
                found.push((nth + together - 1, one.before, shapes));
            }
        }
        nth += together;
        for (side, run) in [one, other].into_iter().enumerate() {
            used[side] += together;
            if used[side] == run.count {
                (at[side], used[side]) = (at[side] + 1, 0);
            }
        }
    }
    found
}

/// The functions that the first unequal calls of two sequences are of. Shapes do not matter.
fn first_unequal(forest: &Forest, called: [&[Shape]; 2]) -> [Option<u32>; 2] {
    let function = |run: &Option<(Shape, u64)>| run.map(|(shape, _)| forest.call(shape).function);
    let mut sides = called.map(|called| Unrolled::new(forest, called));
    let mut now = [sides[0].next(), sides[1].next()];
    loop {
        let functions = [function(&now[0]), function(&now[1])];
        let [Some(one), Some(other)] = now else {
            return functions;
        };
        if functions[0] != functions[1] {
            return functions;
        }
        let together = one.1.min(other.1);
        for (side, (shape, count)) in [one, other].into_iter().enumerate() {
            now[side] = match count - together {
                0 => sides[side].next(),
                left => Some((shape, left)),
            };
        }
    }
}

/// The call that a way leads to within a shape; none if there is no such call.
pub fn at(forest: &Forest, root: Shape, path: &[Turn]) -> Option<Shape> {
    path.iter().try_fold(root, |shape, turn| {
        let mut left = turn.nth;
        let mut calls = Unrolled::new(forest, forest.call(shape).called);
        calls.find_map(|(shape, count)| {
            if forest.call(shape).function != turn.function {
                return None;
            }
            let is_here = left <= count;
            left = left.saturating_sub(count);
            is_here.then_some(shape)
        })
    })
}

/// How often a call has called a function itself.
pub fn count(forest: &Forest, call: Shape, function: u32) -> u64 {
    let calls = Unrolled::new(forest, forest.call(call).called);
    let of_function = calls.filter(|(shape, _)| forest.call(*shape).function == function);
    of_function.map(|(_, count)| count).sum()
}
