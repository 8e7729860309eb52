//! What threads did piece by piece: which of them did alike in each.
//!
//! A thread's way leads through calls that do nothing but make one further call, as a runtime calls `main` and that a driver; the first call that makes several is where its *phases* are. A phase is a call there, held
//! against the call of the same function with the same number in the other threads. Phases that follow each other and in which the same threads did alike are told together, so
//! that a million alike steps are one line.

use crate::compare::{Run, runs};
use crate::concepts::Lattice;
use crate::fold::{Forest, Shape, View};
use crate::paths::Paths;
use std::collections::{BTreeMap, BTreeSet};

/// Phases that follow each other, of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// The function.
    pub function: u32,
    /// Which of its calls, from 1: the first and the last.
    pub calls: [u64; 2],
    /// Threads that did alike in each of these calls, each group in their order, the largest first and of equally large ones the one with the first thread.
    pub groups: Vec<Vec<usize>>,
    /// What each group did in the first of these calls; `None` of those that never made it.
    pub did: Vec<Option<Shape>>,
}

/// The phases of several threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// The functions on the way to the calls that are compared, outermost first; the same in all threads.
    pub within: Vec<u32>,
    /// The phases, those that begin earlier first.
    pub all: Vec<Phase>,
    /// There are more: these are as many as are told apart.
    pub is_cut: bool,
}

/// Phases that are told apart, at most.
const MOST: usize = 10_000;

impl Phases {
    /// The phases of these threads.
    pub fn of(forest: &Forest, threads: &[Shape]) -> Self {
        let mut phases = Self::default();
        let mut inside = threads.to_vec();
        while let Some((function, further)) = only_call(forest, &inside) {
            phases.within.push(function);
            inside = further;
        }
        let called = inside
            .iter()
            .map(|shape| runs(forest, forest.call(*shape).called));
        let called = Vec::from_iter(called);
        let functions: BTreeSet<u32> = called.iter().flat_map(|runs| runs.keys().copied()).collect();
        let mut found: Vec<(u64, Phase)> = Vec::new();
        for function in functions {
            let of_function = called
                .iter()
                .map(|runs| runs.get(&function).map_or(&[][..], Vec::as_slice));
            found.extend(phases_of(function, &Vec::from_iter(of_function)));
            phases.is_cut |= found.len() > MOST;
            found.truncate(MOST);
        }
        found.sort_by_key(|(before, phase)| (*before, phase.function, phase.calls));
        phases.all = found.into_iter().map(|(_, phase)| phase).collect();
        phases
    }
}

/// The function of the call that is all that each of these calls makes, with what it does in each; `None` where there is another one, or one is not of the same function.
fn only_call(forest: &Forest, calls: &[Shape]) -> Option<(u32, Vec<Shape>)> {
    let only = calls.iter().map(|call| match forest.call(*call).called {
        &[only] => match forest.view(only) {
            View::Call(call) => Some((call.function, only)),
            View::Loop { .. } => None,
        },
        _ => None,
    });
    let only = only.collect::<Option<Vec<_>>>()?;
    let (function, _) = *only.first()?;
    let is_alike = only
        .iter()
        .all(|(other, shape)| *other == function && !forest.call(*shape).called.is_empty());
    is_alike.then(|| (function, only.into_iter().map(|(_, shape)| shape).collect()))
}

/// The phases of one function, each with how many calls come before it in the thread where these are fewest.
fn phases_of(function: u32, threads: &[&[Run]]) -> Vec<(u64, Phase)> {
    let mut at = vec![(0, 0); threads.len()];
    let mut phases: Vec<(u64, Phase)> = Vec::new();
    let mut call = 1;
    loop {
        let here = Vec::from_iter(threads.iter().zip(&at).map(|(runs, (index, _))| runs.get(*index)));
        let left = here
            .iter()
            .zip(&at)
            .filter_map(|(run, (_, used))| Some((*run)?.count - used));
        let Some(together) = left.min() else { break };
        let before = here.iter().flatten().map(|run| run.before).min().unwrap_or(0);
        let (groups, did) = grouped(&here);
        let last = call + together - 1;
        match phases.last_mut() {
            Some((_, phase)) if phase.groups == groups && made(&phase.did).eq(made(&did)) => {
                phase.calls[1] = last
            }
            _ => phases.push((
                before,
                Phase {
                    function,
                    calls: [call, last],
                    groups,
                    did,
                },
            )),
        }
        if phases.len() > MOST {
            break;
        }
        call = last + 1;
        for (run, (index, used)) in here.into_iter().zip(&mut at) {
            let Some(run) = run else { continue };
            *used += together;
            if *used == run.count {
                (*index, *used) = (*index + 1, 0);
            }
        }
    }
    phases
}

/// Which groups made the call at all.
fn made(did: &[Option<Shape>]) -> impl Iterator<Item = bool> {
    did.iter().map(Option::is_some)
}

fn grouped(here: &[Option<&Run>]) -> (Vec<Vec<usize>>, Vec<Option<Shape>>) {
    let mut groups: BTreeMap<Option<Shape>, Vec<usize>> = BTreeMap::new();
    for (thread, run) in here.iter().enumerate() {
        groups.entry(run.map(|run| run.shape)).or_default().push(thread);
    }
    let mut groups = Vec::from_iter(groups);
    groups.sort_by_key(|(_, group)| (std::cmp::Reverse(group.len()), group[0]));
    groups.into_iter().map(|(did, group)| (group, did)).unzip()
}

/// What threads have in common: each call path with how often it was taken is an attribute of those who took it so often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Common {
    /// The paths.
    pub paths: Paths,
    /// The attributes of [`Self::lattice`]: paths, each with a number of times.
    pub attributes: Vec<(usize, u64)>,
    /// Who has which of them in common.
    pub lattice: Lattice,
}

impl Common {
    /// What these calls, or whole threads, have in common.
    pub fn of(forest: &Forest, threads: &[Shape]) -> Self {
        let paths = Paths::of(forest, threads);
        let taken = |counts: &[u64]| {
            let taken = counts.iter().copied().enumerate().skip(1);
            Vec::from_iter(taken.filter(|(_, count)| *count > 0))
        };
        let taken = Vec::from_iter(paths.counts.iter().map(|counts| taken(counts)));
        let attributes: BTreeSet<(usize, u64)> = taken.iter().flatten().copied().collect();
        let attributes = Vec::from_iter(attributes);
        let number = |attribute: &(usize, u64)| attributes.partition_point(|other| other < attribute);
        let objects = taken.iter().map(|taken| taken.iter().map(number).collect());
        let lattice = Lattice::of(&Vec::from_iter(objects));
        Self {
            paths,
            attributes,
            lattice,
        }
    }
}
