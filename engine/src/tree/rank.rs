//! Temporal ranks of siblings, from how each stands to each.
//!
//! A sibling's number tells how long the longest chain of siblings is that are known to be behind it. Ranked are the siblings
//! that remain when those that stand in no known order to the most others are taken away, again and again, until what
//! remains is ordered throughout: the numbers of two of them always compare. Nothing depends on the order in which the
//! siblings come.

use super::Mark;
use crate::Relation;

/// Siblings and the relation of each to each.
pub(crate) struct Ranking {
    /// The marks, by sibling.
    pub(crate) marks: Vec<Mark>,
    /// Siblings in the order in which they are shown: nobody stands before one that is known to be behind it.
    pub(crate) sequence: Vec<usize>,
}

/// Ranks `count` siblings; `weight` breaks ties (fewest tasks first), then the number.
pub(crate) fn rank(
    count: usize,
    relation: &dyn Fn(usize, usize) -> Relation,
    weight: &dyn Fn(usize) -> u64,
) -> Ranking {
    let doubtful = doubtful(count, relation);
    let depths = depths(count, relation);
    let is_known = |a: &usize| doubtful[*a] != Some(Relation::Unknown);
    let mut steps: Vec<usize> = (0..count).filter(is_known).map(|a| depths[a]).collect();
    steps.sort_unstable();
    steps.dedup();
    let number = |a: usize| steps.binary_search(&depths[a]).map_or(0, |at| at + 1);
    let agrees = |a: usize, b: usize| match relation(a, b) {
        Relation::Before => number(a) < number(b),
        Relation::After => number(a) > number(b),
        Relation::Equal => number(a) == number(b),
        Relation::Incomparable | Relation::Unknown => false,
    };
    let ranked = Vec::from_iter((0..count).filter(|&a| doubtful[a].is_none()));
    // A relation that is no order (it should not happen) must not become numbers.
    let is_order = ranked
        .iter()
        .all(|&a| ranked.iter().all(|&b| a == b || agrees(a, b)));
    let marks: Vec<Mark> = (0..count)
        .map(|a| {
            let number = u32::try_from(number(a)).unwrap_or(u32::MAX);
            match doubtful[a] {
                _ if !is_order => Mark::Unknown,
                None => Mark::Ranked(number),
                Some(Relation::Unknown) => Mark::Unknown,
                Some(_) => Mark::Incomparable(number),
            }
        })
        .collect();
    Ranking {
        sequence: sequence(count, &depths, weight),
        marks,
    }
}

/// Those that are taken away until what remains is ordered throughout, with the worst of their relations to those that
/// remained till then: all that have the most doubtful relations, again and again.
fn doubtful(count: usize, relation: &dyn Fn(usize, usize) -> Relation) -> Vec<Option<Relation>> {
    let mut doubtful: Vec<Option<Relation>> = vec![None; count];
    let with = |a: usize, wanted: &dyn Fn(Relation) -> bool| {
        (0..count).filter(|&b| b != a && wanted(relation(a, b))).count()
    };
    let mut doubts: Vec<usize> = (0..count).map(|a| with(a, &|each| !is_ordered(each))).collect();
    let mut unknown: Vec<usize> = (0..count)
        .map(|a| with(a, &|each| each == Relation::Unknown))
        .collect();
    loop {
        let remaining = || (0..count).filter(|&a| doubtful[a].is_none());
        let most = remaining().map(|a| doubts[a]).max().unwrap_or(0);
        if most == 0 {
            return doubtful;
        }
        let taken: Vec<usize> = remaining().filter(|&a| doubts[a] == most).collect();
        for &a in &taken {
            doubtful[a] = Some(match unknown[a] {
                0 => Relation::Incomparable,
                _ => Relation::Unknown,
            });
        }
        for a in taken {
            for b in (0..count).filter(|&b| b != a) {
                match relation(a, b) {
                    Relation::Unknown => {
                        doubts[b] -= 1;
                        unknown[b] -= 1;
                    }
                    Relation::Incomparable => doubts[b] -= 1,
                    Relation::Before | Relation::After | Relation::Equal => {}
                }
            }
        }
    }
}

/// Sorted by the longest chain of siblings behind each.
fn sequence(count: usize, depths: &[usize], weight: &dyn Fn(usize) -> u64) -> Vec<usize> {
    let mut sequence: Vec<usize> = (0..count).collect();
    sequence.sort_by_cached_key(|&a| (depths[a], weight(a), a));
    sequence
}

/// For each the length of the longest chain of those behind it.
pub(crate) fn depths(count: usize, relation: &dyn Fn(usize, usize) -> Relation) -> Vec<usize> {
    let before: Vec<Vec<usize>> = (0..count)
        .map(|a| {
            (0..count)
                .filter(|&b| relation(b, a) == Relation::Before)
                .collect()
        })
        .collect();
    // Whoever has fewer behind it is done first: in an order, whatever is behind something has fewer behind itself.
    let mut sorted: Vec<usize> = (0..count).collect();
    sorted.sort_by_key(|&a| before[a].len());
    let mut depths = vec![0; count];
    for a in sorted {
        depths[a] = before[a].iter().map(|&b| depths[b] + 1).max().unwrap_or(0);
    }
    depths
}

fn is_ordered(relation: Relation) -> bool {
    !matches!(relation, Relation::Incomparable | Relation::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marks as they are written: `1`, `~`, `?`; in the given order, then the sequence.
    fn ranks(count: usize, relations: &[(usize, usize, Relation)]) -> (String, Vec<usize>) {
        let relation = |a: usize, b: usize| {
            if a == b {
                return Relation::Equal;
            }
            relations
                .iter()
                .find_map(|&(x, y, relation)| match (x, y) {
                    _ if (x, y) == (a, b) => Some(relation),
                    _ if (y, x) == (a, b) => Some(relation.reversed()),
                    _ => None,
                })
                .unwrap_or(Relation::Incomparable)
        };
        let ranking = rank(count, &relation, &|_| 1);
        let marks = ranking.marks.iter().map(|mark| match mark {
            Mark::Ranked(number) => number.to_string(),
            Mark::Incomparable(number) => format!("{number}~"),
            Mark::Unknown => "?".to_owned(),
            Mark::None => "-".to_owned(),
        });
        (marks.collect::<Vec<_>>().join(" "), ranking.sequence)
    }

    #[test]
    fn numbers_are_given_only_where_all_is_ordered() {
        use Relation::{Before, Equal, Unknown};
        assert_eq!(ranks(2, &[(1, 0, Before)]), ("2 1".to_owned(), vec![1, 0]));
        assert_eq!(
            ranks(3, &[(0, 1, Equal), (0, 2, Before), (1, 2, Before)]).0,
            "1 1 2"
        );
        assert_eq!(ranks(2, &[]).0, "1~ 1~", "two branches of a conditional");
        assert_eq!(
            ranks(3, &[(0, 1, Before), (2, 0, Unknown), (2, 1, Unknown)]).0,
            "1 2 ?",
            "what is not known about one says nothing against the others"
        );
        assert_eq!(ranks(4, &[(0, 1, Before), (2, 3, Before)]).0, "1~ 2~ 1~ 2~");
        assert_eq!(
            ranks(3, &[(0, 2, Before), (1, 2, Before)]).0,
            "1~ 1~ 2",
            "two branches, and what comes after both"
        );
        assert_eq!(
            ranks(3, &[(0, 1, Before), (1, 2, Before), (2, 0, Before)]).0,
            "? ? ?",
            "no order at all"
        );
    }
}
