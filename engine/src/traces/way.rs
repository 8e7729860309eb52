//! Where the way of some ranks parted from that of the others.

use super::{Difference, Differences, Forest, Process, Shape, Traces, Turn, Wanted, compare};
use std::collections::BTreeMap;

/// Where the way of some parted from that of the others: what each called within one and the same call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// Functions from the outermost one in, with which call of them it is within the one before.
    pub path: Vec<(String, u64)>,
    /// The function that was called unequally often there.
    pub function: String,
    /// How often it was called there, with the ranks that did so, the largest group first.
    pub ranks: Vec<(Did, Vec<u32>)>,
    /// How many calls of this path differ in this way: 1 if it happened once.
    pub alike: u64,
    /// Nobody has done anything else: some have only not come as far.
    pub is_lag: bool,
}

/// What a rank did at the place where ways part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Did {
    /// It called the function so often.
    Called(u64),
    /// It was never in this call.
    NeverCame,
}

/// Where ways of ranks parted, as the traces of these processes tell: by what happened once, if possible to one of those who are `named`, else to anybody, for whom the named ones may wait; or in what
/// these have not come as far as others. `None` if fewer than two ranks are traced, or nothing of that kind is found.
#[must_use]
pub fn parted(mut processes: Vec<Process>, named: &[u32]) -> Option<Way> {
    for process in &mut processes {
        process.threads.retain(|thread| thread.number == 0);
    }
    let count = processes.len();
    let mut traces = Traces::of(processes, count, &Wanted::all());
    let mut forest = Forest::new();
    let shapes = traces.shapes(&mut forest);
    between(&traces, &forest, &shapes, named)
}

/// Shapes of whole threads that are held against the usual one, at most: each costs as much as a comparison of two ranks.
const MOST: usize = 64;

fn between(traces: &Traces, forest: &Forest, shapes: &[Shape], named: &[u32]) -> Option<Way> {
    let streams = traces.streams.iter().zip(shapes);
    let mains = Vec::from_iter(streams.filter_map(|(stream, shape)| Some((stream.who.rank?, *shape))));
    // Those who did alike are many: one of them stands for all.
    let mut alike: BTreeMap<Shape, (usize, bool)> = BTreeMap::new();
    for (rank, shape) in &mains {
        let (count, is_named) = alike.entry(*shape).or_default();
        (*count, *is_named) = (*count + 1, *is_named || named.contains(rank));
    }
    let (&usual, _) = alike
        .iter()
        .max_by_key(|(_, (count, is_named))| (!is_named, *count))?;
    let mut others = Vec::from_iter(alike.into_iter().filter(|(shape, _)| *shape != usual));
    others.sort_by_key(|(shape, (_, is_named))| (!is_named, *shape));
    let found = others
        .into_iter()
        .take(MOST)
        .filter_map(|(shape, (_, is_named))| {
            let telling = Differences::between(forest, shape, usual).telling()?.clone();
            // What is habitual tells nothing of this moment, and that somebody else has not come as far nothing of those who are named.
            let tells = if telling.is_lag() {
                is_named
            } else {
                telling.alike == 1
            };
            tells.then_some((telling, is_named))
        });
    let found = Vec::from_iter(found);
    let (telling, _) = found
        .iter()
        .min_by_key(|(telling, is_named)| (telling.is_lag(), !is_named))?;
    let function = function_of(telling)?;
    let mut did: BTreeMap<Did, Vec<u32>> = BTreeMap::new();
    for (rank, shape) in mains {
        let called = compare::at(forest, shape, &telling.path).map_or(Did::NeverCame, |call| {
            Did::Called(compare::count(forest, call, function))
        });
        did.entry(called).or_default().push(rank);
    }
    let mut ranks = Vec::from_iter(did);
    ranks.sort_by_key(|(_, ranks)| std::cmp::Reverse(ranks.len()));
    ranks.iter_mut().for_each(|(_, ranks)| ranks.sort_unstable());
    let step = |turn: &Turn| (traces.name(turn.function).to_owned(), turn.nth);
    Some(Way {
        path: telling.path.iter().map(step).collect(),
        function: traces.name(function).to_owned(),
        ranks,
        alike: telling.alike,
        is_lag: telling.is_lag(),
    })
}

/// The function that tells the two apart: the first that they called unequally often, if it is one that either called next, else any.
fn function_of(difference: &Difference) -> Option<u32> {
    let unequal = || difference.counts.iter().map(|(function, _)| *function);
    let next = difference.first.iter().flatten();
    let both = next
        .copied()
        .find(|function| unequal().any(|other| other == *function));
    both.or_else(|| unequal().next())
        .or_else(|| difference.first.iter().flatten().next().copied())
}
