//! Ranks as ranges: a list of a million takes no more than what was written of it.

/// First and last, ascending, neither touching nor overlapping.
pub type Ranges = Vec<(u32, u32)>;

/// `0,3-7`: pieces in any order.
pub(crate) fn parse(list: &str) -> Option<Ranges> {
    let pieces = list.split(',').map(str::trim).filter(|piece| !piece.is_empty());
    let ranges = pieces.map(|piece| {
        let (first, last) = piece.split_once('-').unwrap_or((piece, piece));
        let (first, last) = (first.parse().ok()?, last.parse().ok()?);
        (first <= last).then_some((first, last))
    });
    Some(joined(ranges.collect::<Option<_>>()?))
}

/// Ranks in ascending order, each once.
pub(crate) fn of_sorted(ranks: &[u32]) -> Ranges {
    joined(ranks.iter().map(|&rank| (rank, rank)).collect())
}

fn joined(mut ranges: Vec<(u32, u32)>) -> Ranges {
    ranges.sort_unstable();
    let mut all = Ranges::with_capacity(ranges.len());
    for (first, last) in ranges {
        match all.last_mut() {
            Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
            _ => all.push((first, last)),
        }
    }
    all
}

/// How many ranks there are.
pub fn count(ranges: &Ranges) -> u64 {
    let lengths = ranges.iter().map(|&(first, last)| u64::from(last - first) + 1);
    lengths.sum()
}

/// Every rank, ascending.
pub fn each(ranges: &Ranges) -> impl Iterator<Item = u32> + '_ {
    ranges.iter().flat_map(|&(first, last)| first..=last)
}

/// The ranks of all.
pub(crate) fn union<'a>(all: impl Iterator<Item = &'a Ranges>) -> Ranges {
    joined(all.flatten().copied().collect())
}

/// The ranks of `ranges` that are not in `other`.
pub(crate) fn without(ranges: &Ranges, other: &Ranges) -> Ranges {
    let mut left = Ranges::new();
    let mut next = 0;
    for &(first, last) in ranges {
        // Wider than a rank, because what follows the last one of all has to be said.
        let (mut at, last) = (u64::from(first), u64::from(last));
        while next < other.len() && u64::from(other[next].1) < at {
            next += 1;
        }
        let mut taken = next;
        while at <= last {
            let hole = other.get(taken).map(|&(a, b)| (u64::from(a), u64::from(b)));
            match hole.filter(|&(start, _)| start <= last) {
                None => {
                    left.push((at as u32, last as u32));
                    break;
                }
                Some((start, end)) => {
                    if start > at {
                        left.push((at as u32, (start - 1) as u32));
                    }
                    at = at.max(end + 1);
                    taken += 1;
                }
            }
        }
    }
    left
}

/// The ranks that are in more than one of them.
pub(crate) fn in_several<'a>(all: impl Iterator<Item = &'a Ranges>) -> Ranges {
    let mut bounds: Vec<(u64, bool)> = Vec::new();
    for &(first, last) in all.flatten() {
        bounds.push((first.into(), true));
        bounds.push((u64::from(last) + 1, false));
    }
    // Where one ends and another begins nothing is in both: ends sort first.
    bounds.sort_unstable();
    let mut several = Vec::new();
    let (mut depth, mut since) = (0u32, 0);
    for (at, begins) in bounds {
        if begins {
            depth += 1;
            if depth == 2 {
                since = at;
            }
        } else {
            depth -= 1;
            if depth == 1 && since < at {
                several.push((since as u32, (at - 1) as u32));
            }
        }
    }
    joined(several)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Random;
    use std::collections::BTreeSet;

    #[test]
    fn ranges_do_what_sets_do() {
        let mut random = Random(3);
        let mut next = |below: u32| random.below(below as usize) as u32;
        let high = u32::MAX - 60;
        for round in 0..500 {
            let base = if round % 2 == 0 { 0 } else { high };
            let mut set = || {
                let pieces = (0..next(8)).map(|_| {
                    let first = base + next(50);
                    (first, first.saturating_add(next(9)))
                });
                let ranges = joined(pieces.collect());
                (each(&ranges).collect::<BTreeSet<u32>>(), ranges)
            };
            let ((a, x), (b, y), (c, z)) = (set(), set(), set());
            let same = |ranges: &Ranges, plain: BTreeSet<u32>| {
                assert!(each(ranges).eq(plain.iter().copied()), "{x:?} {y:?} {z:?}");
                assert_eq!(count(ranges), plain.len() as u64);
                assert_eq!(joined(ranges.clone()), *ranges);
            };
            same(&union([&x, &y].into_iter()), &a | &b);
            same(&without(&x, &y), &a - &b);
            let twice = &(&(&a & &b) | &(&a & &c)) | &(&b & &c);
            same(&in_several([&x, &y, &z].into_iter()), twice);
        }
    }

    #[test]
    fn lists_as_stat_writes_them() {
        assert_eq!(parse("7,0,3-5,6,"), Some(vec![(0, 0), (3, 7)]));
        assert_eq!(parse(""), Some(vec![]));
        for wrong in ["x", "3-", "5-3", "-1", "4294967296"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
