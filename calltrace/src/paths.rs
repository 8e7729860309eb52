//! How often each call path was taken, by one thread or by many; and which threads do not do as the others.

use crate::fold::{Forest, Shape, View};
use std::collections::{BTreeMap, BTreeSet};

/// A call path: a function with all that it was called from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The path without its last function, by its index; none for the thread itself, which is the first.
    pub parent: Option<usize>,
    /// The function; 0 for the thread itself.
    pub function: u32,
    /// Functions on the way, without the thread.
    pub depth: usize,
}

/// Call paths of several threads, each behind the one that it goes on from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// The paths.
    pub all: Vec<Path>,
    /// How often each was taken, for each thread.
    pub counts: Vec<Vec<u64>>,
    /// For each thread the paths that it is on at its end, outermost first.
    pub open: Vec<Vec<usize>>,
    /// There are more: these are as many as are told apart.
    pub is_cut: bool,
}

/// Paths that are told apart, at most: programs that call themselves in many ways have more than anybody can look at.
const MOST: usize = 1_000_000;

impl Paths {
    /// The paths of these threads.
    pub fn of(forest: &Forest, threads: &[Shape]) -> Self {
        let mut paths = Self {
            all: vec![Path {
                parent: None,
                function: 0,
                depth: 0,
            }],
            counts: vec![vec![1]; threads.len()],
            open: vec![Vec::new(); threads.len()],
            is_cut: false,
        };
        let mut children: BTreeMap<(usize, u32), usize> = BTreeMap::new();
        for (thread, &shape) in threads.iter().enumerate() {
            paths.add(forest, thread, shape, &mut children);
        }
        let count = paths.all.len();
        paths.counts.iter_mut().for_each(|counts| counts.resize(count, 0));
        paths.sort();
        paths
    }

    /// Goes down one level of calls after the other, so that equal shapes on one path are gone through once, however often they were called.
    fn add(
        &mut self,
        forest: &Forest,
        thread: usize,
        root: Shape,
        children: &mut BTreeMap<(usize, u32), usize>,
    ) {
        let mut level: BTreeMap<(usize, Shape), u64> = BTreeMap::from([((0, root), 1)]);
        while !level.is_empty() {
            let mut next: BTreeMap<(usize, Shape), u64> = BTreeMap::new();
            for ((path, shape), times) in level {
                let mut pending = vec![(shape, times)];
                // The call's own parts; behind them those of its loops.
                let own = forest.call(shape);
                if own.is_open {
                    self.open[thread].push(path);
                }
                pending.clear();
                pending.extend(own.called.iter().rev().map(|part| (*part, times)));
                while let Some((part, times)) = pending.pop() {
                    match forest.view(part) {
                        View::Loop { turns, body } => {
                            let times = times.saturating_mul(turns);
                            pending.extend(body.iter().rev().map(|part| (*part, times)));
                        }
                        View::Call(call) => {
                            let Some(child) = self.child(path, call.function, children) else {
                                continue;
                            };
                            let counts = &mut self.counts[thread];
                            if counts.len() <= child {
                                counts.resize(child + 1, 0);
                            }
                            counts[child] = counts[child].saturating_add(times);
                            let known = next.entry((child, part)).or_default();
                            *known = known.saturating_add(times);
                        }
                    }
                }
            }
            level = next;
        }
    }

    fn child(
        &mut self,
        parent: usize,
        function: u32,
        children: &mut BTreeMap<(usize, u32), usize>,
    ) -> Option<usize> {
        if let Some(&known) = children.get(&(parent, function)) {
            return Some(known);
        }
        if self.all.len() == MOST {
            self.is_cut = true;
            return None;
        }
        let depth = self.all[parent].depth + 1;
        self.all.push(Path {
            parent: Some(parent),
            function,
            depth,
        });
        children.insert((parent, function), self.all.len() - 1);
        Some(self.all.len() - 1)
    }

    /// Brings paths into the order of a tree that is printed: each directly behind the one that it goes on from, or behind what goes on from that.
    fn sort(&mut self) {
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); self.all.len()];
        for (index, path) in self.all.iter().enumerate() {
            if let Some(parent) = path.parent {
                below[parent].push(index);
            }
        }
        let mut order = Vec::with_capacity(self.all.len());
        let mut pending = vec![0];
        while let Some(path) = pending.pop() {
            order.push(path);
            pending.extend(below[path].iter().rev());
        }
        let mut place = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old] = new;
        }
        let moved = |old: &usize| place[*old];
        let all = order.iter().map(|&old| Path {
            parent: self.all[old].parent.as_ref().map(moved),
            ..self.all[old].clone()
        });
        self.all = all.collect();
        for counts in &mut self.counts {
            *counts = order.iter().map(|&old| counts[old]).collect();
        }
        for open in &mut self.open {
            open.iter_mut().for_each(|path| *path = place[*path]);
        }
    }

    /// The functions of a path, outermost first.
    pub fn functions(&self, path: usize) -> Vec<u32> {
        let mut functions = Vec::new();
        let mut at = path;
        while let Some(parent) = self.all.get(at).and_then(|path| path.parent) {
            functions.push(self.all[at].function);
            at = parent;
        }
        functions.reverse();
        functions
    }

    /// Threads that took all paths equally often, each group in the order of its threads, the largest first and of equally large ones the one with the first thread.
    pub fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<&[u64], Vec<usize>> = BTreeMap::new();
        for (thread, counts) in self.counts.iter().enumerate() {
            groups.entry(counts).or_default().push(thread);
        }
        let mut groups = Vec::from_iter(groups.into_values());
        groups.sort_by_key(|group| (std::cmp::Reverse(group.len()), group[0]));
        groups
    }

    /// Threads that took a path more or less often than most threads did, which all took it equally often. A path that goes on from one of which this holds is left out:
    /// the reason is further up. Those that stand out in most paths come first.
    pub fn outliers(&self) -> Vec<Outlier> {
        let threads = self.counts.len();
        let mut of: Vec<BTreeMap<usize, Deviation>> = vec![BTreeMap::new(); threads];
        for path in 1..self.all.len() {
            let mut times: BTreeMap<u64, usize> = BTreeMap::new();
            for counts in &self.counts {
                *times.entry(counts[path]).or_default() += 1;
            }
            let usual = times.into_iter().max_by_key(|(_, threads)| *threads);
            let Some((usual, _)) = usual.filter(|(_, alike)| 2 * alike > threads) else {
                continue;
            };
            for (thread, counts) in self.counts.iter().enumerate() {
                let above = self.all[path].parent;
                let is_above = above.is_some_and(|above| of[thread].contains_key(&above));
                if counts[path] != usual {
                    of[thread].insert(
                        path,
                        Deviation {
                            path,
                            count: counts[path],
                            usual,
                            is_consequence: is_above,
                        },
                    );
                }
            }
        }
        let outliers = of.into_iter().enumerate().filter_map(|(thread, found)| {
            let own = found.into_values().filter(|deviation| !deviation.is_consequence);
            let deviations = Vec::from_iter(own);
            (!deviations.is_empty()).then_some(Outlier { thread, deviations })
        });
        let mut outliers = Vec::from_iter(outliers);
        outliers.sort_by_key(|outlier| (std::cmp::Reverse(outlier.deviations.len()), outlier.thread));
        outliers
    }

    /// How alike the threads are: of the paths that either of two has taken, the part that both took equally often, from 0 to 1 (the index of Jaccard).
    pub fn similarity(&self, one: usize, other: usize) -> f64 {
        let taken = |thread: usize| -> BTreeSet<(usize, u64)> {
            let counts = self.counts.get(thread).map_or(&[][..], Vec::as_slice);
            let taken = counts.iter().copied().enumerate();
            taken.filter(|(_, count)| *count > 0).collect()
        };
        let (one, other) = (taken(one), taken(other));
        let both = one.intersection(&other).count();
        let either = one.len() + other.len() - both;
        if either == 0 {
            1.0
        } else {
            both as f64 / either as f64
        }
    }
}

/// A thread that does not do as most do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outlier {
    /// The thread, by its index.
    pub thread: usize,
    /// The paths that it took more or less often, in the order of the paths.
    pub deviations: Vec<Deviation>,
}

/// A path that a thread took more or less often than most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// The path, by its index.
    pub path: usize,
    /// How often the thread took it.
    pub count: u64,
    /// How often most did.
    pub usual: u64,
    is_consequence: bool,
}
