//! Putting very many groups in order without comparing every pair.
//!
//! The order is transitive, so a group that follows the last of a chain follows all of it. Groups come sorted by position
//! and values; most of them follow the one before. What fits no chain begins a new one. Only the first of a chain can be
//! minimal, and it is held against every other group before it is called so: that nobody is behind it is never
//! inferred.

use crate::classes::Arranged;
use crate::{Reason, Relation};
use std::collections::VecDeque;

/// With more chains than this the groups have hardly any order among them.
const MAX_CHAINS: usize = 32;

/// Arranges `count` groups; `compare` tells how one stands to another, `first` gives the number that breaks ties.
pub(crate) fn arrange(
    count: usize,
    compare: &dyn Fn(usize, usize) -> Relation,
    first: &dyn Fn(usize) -> usize,
) -> Arranged {
    let mut chains: Vec<VecDeque<Vec<usize>>> = Vec::new();
    for group in 0..count {
        if chains.iter_mut().any(|chain| place(chain, group, compare)) {
            continue;
        }
        if chains.len() == MAX_CHAINS {
            return too_many(count);
        }
        chains.push(VecDeque::from([vec![group]]));
    }
    let is_minimal = |head: usize| !(0..count).any(|other| compare(other, head) == Relation::Before);
    let mut minimal: Vec<usize> = Vec::new();
    let mut joined: Vec<(usize, usize)> = Vec::new();
    for chain in &chains {
        let head = chain[0][0];
        if !is_minimal(head) {
            continue;
        }
        match minimal
            .iter()
            .find(|&&known| compare(known, head) == Relation::Equal)
        {
            Some(&known) => joined.push((known, head)),
            None => minimal.push(head),
        }
    }
    // Two chains may begin at one execution point.
    for (into, from) in joined {
        let at = |head: usize| {
            chains
                .iter()
                .position(|chain| chain.front().is_some_and(|class| class[0] == head))
        };
        if let (Some(into), Some(from)) = (at(into), at(from)) {
            let class = chains[from].pop_front().unwrap_or_default();
            chains[into][0].extend(class);
        }
    }
    let classes = merge(chains, compare, first);
    let mut minimal: Vec<usize> = (0..classes.len())
        .filter(|&at| minimal.contains(&classes[at][0]))
        .collect();
    minimal.sort_unstable();
    Arranged {
        classes,
        minimal,
        unfinished: None,
    }
}

/// Puts a group into a chain where it has a place there: at one of the ends, in between, or with its equals.
fn place(chain: &mut VecDeque<Vec<usize>>, group: usize, compare: &dyn Fn(usize, usize) -> Relation) -> bool {
    let last = chain.len() - 1;
    match compare(chain[last][0], group) {
        Relation::Before => {
            chain.push_back(vec![group]);
            return true;
        }
        Relation::Equal => {
            chain[last].push(group);
            return true;
        }
        Relation::After => {}
        Relation::Incomparable | Relation::Unknown => return false,
    }
    // The chain's first part is before the group.
    let at = chain.partition_point(|class| compare(class[0], group) == Relation::Before);
    match compare(group, chain[at][0]) {
        Relation::Before => {
            chain.insert(at, vec![group]);
            true
        }
        Relation::Equal => {
            chain[at].push(group);
            true
        }
        _ => false,
    }
}

/// The chains as one sequence in which nothing stands before what is known to be behind it.
fn merge(
    mut chains: Vec<VecDeque<Vec<usize>>>,
    compare: &dyn Fn(usize, usize) -> Relation,
    first: &dyn Fn(usize) -> usize,
) -> Vec<Vec<usize>> {
    chains.retain(|chain| !chain.is_empty());
    let head = |chain: &VecDeque<Vec<usize>>| chain[0][0];
    let mut behind: Vec<Vec<bool>> = chains
        .iter()
        .map(|a| {
            let is_behind = |b| compare(head(a), head(b)) == Relation::Before;
            chains.iter().map(is_behind).collect()
        })
        .collect();
    let mut merged = Vec::new();
    while !chains.is_empty() {
        let free = (0..chains.len()).filter(|&at| !behind.iter().any(|row| row[at]));
        // The order has no cycle; should it ever have one, this goes on all the same.
        let next = free.min_by_key(|&at| first(head(&chains[at]))).unwrap_or(0);
        merged.extend(chains[next].pop_front());
        if chains[next].is_empty() {
            chains.remove(next);
            behind.remove(next);
            for row in &mut behind {
                row.remove(next);
            }
            continue;
        }
        for other in 0..chains.len() {
            let (a, b) = (head(&chains[next]), head(&chains[other]));
            let relation = if next == other {
                Relation::Equal
            } else {
                compare(a, b)
            };
            behind[next][other] = relation == Relation::Before;
            behind[other][next] = relation == Relation::After;
        }
    }
    merged
}

fn too_many(count: usize) -> Arranged {
    Arranged {
        classes: (0..count).map(|group| vec![group]).collect(),
        minimal: Vec::new(),
        unfinished: Some(Reason::TooManyPoints(count)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::pair_by_pair;
    use base::Random;

    /// Four kinds of point: 0 before 1, 2 on another branch than both, 3 with no known order to the rest; within a kind
    /// two numbers, the first deciding.
    fn compare(a: (u32, u32, u32), b: (u32, u32, u32)) -> Relation {
        match (a.0, b.0) {
            (x, y) if x == y => match (a.1, a.2).cmp(&(b.1, b.2)) {
                std::cmp::Ordering::Less => Relation::Before,
                std::cmp::Ordering::Equal => Relation::Equal,
                std::cmp::Ordering::Greater => Relation::After,
            },
            (0, 1) => Relation::Before,
            (1, 0) => Relation::After,
            (3, _) | (_, 3) => Relation::Unknown,
            _ => Relation::Incomparable,
        }
    }

    #[test]
    fn chains_say_what_all_pairs_say() {
        for seed in 0..200 {
            let mut random = Random(seed);
            let kinds = 1 + random.below(4);
            let points: Vec<(u32, u32, u32)> = (0..60)
                .map(|_| {
                    (
                        random.below(kinds) as u32,
                        random.below(7) as u32,
                        random.below(3) as u32,
                    )
                })
                .collect();
            let relation = |i: usize, j: usize| compare(points[i], points[j]);
            let identity = |group: usize| group;
            let slow = pair_by_pair(points.len(), &relation, &identity);
            let fast = arrange(points.len(), &relation, &identity);
            assert_eq!(fast.unfinished, None);
            let as_sets = |arranged: &Arranged, which: &[usize]| {
                let mut sets: Vec<Vec<usize>> = which
                    .iter()
                    .map(|&at| {
                        let mut set = arranged.classes[at].clone();
                        set.sort_unstable();
                        set
                    })
                    .collect();
                sets.sort();
                sets
            };
            let all = |arranged: &Arranged| as_sets(arranged, &Vec::from_iter(0..arranged.classes.len()));
            assert_eq!(all(&fast), all(&slow), "seed {seed}");
            assert_eq!(
                as_sets(&fast, &fast.minimal),
                as_sets(&slow, &slow.minimal),
                "seed {seed}"
            );
            for (later, class) in fast.classes.iter().enumerate() {
                for earlier in &fast.classes[..later] {
                    assert_ne!(relation(class[0], earlier[0]), Relation::Before, "seed {seed}");
                }
            }
        }
    }

    #[test]
    fn groups_without_order_are_given_up() {
        let relation = |i: usize, j: usize| {
            if i == j {
                Relation::Equal
            } else {
                Relation::Unknown
            }
        };
        let arranged = arrange(1_000, &relation, &|group| group);
        assert!(arranged.unfinished.is_some() && arranged.minimal.is_empty());
    }
}
