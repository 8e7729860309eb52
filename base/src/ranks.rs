//! Sets of ranks, written the way every tool of the field writes them: `0-6,10-31`.

use std::fmt;
use std::str::FromStr;

/// As many ranges does a sentence bear.
const BRIEF: usize = 40;

/// A set of ranks, kept as sorted ranges that neither touch nor overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RankSet {
    ranges: Vec<(u32, u32)>,
}

impl RankSet {
    /// The ranks of ranges, each from its first to its last one; they may overlap, and come in any order. One that ends before
    /// it begins holds none.
    pub fn from_ranges(ranges: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut ranges = Vec::from_iter(ranges);
        ranges.retain(|&(first, last)| first <= last);
        ranges.sort_unstable();
        // In place: the set of a very large class may have half a million ranges.
        ranges.dedup_by(|&mut (first, last), (_, end)| {
            let is_joined = first <= end.saturating_add(1);
            if is_joined {
                *end = last.max(*end);
            }
            is_joined
        });
        ranges.shrink_to_fit();
        Self { ranges }
    }

    /// Whether there are no ranks in the set.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Number of ranks in the set.
    pub fn len(&self) -> u64 {
        self.ranges
            .iter()
            .map(|&(first, last)| u64::from(last - first) + 1)
            .sum()
    }

    /// Whether `rank` is in the set.
    pub fn contains(&self, rank: u32) -> bool {
        let after = self.ranges.partition_point(|&(first, _)| first <= rank);
        after > 0 && rank <= self.ranges[after - 1].1
    }

    /// Whether two sets have a rank in common.
    pub fn meets(&self, other: &Self) -> bool {
        // Those of one host are few ranges, those of a large class may be very many.
        let (few, many) = if self.ranges.len() <= other.ranges.len() {
            (&self.ranges, &other.ranges)
        } else {
            (&other.ranges, &self.ranges)
        };
        few.iter().any(|&(first, last)| {
            let after = many.partition_point(|&(_, end)| end < first);
            many.get(after).is_some_and(|&(start, _)| start <= last)
        })
    }

    /// The ranks of all sets.
    pub fn union<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        Self::from_ranges(all.into_iter().flat_map(|set| set.ranges.iter().copied()))
    }

    /// The ranks that are not in `other`.
    pub fn without(&self, other: &Self) -> Self {
        let mut left = Vec::new();
        let mut next = 0;
        for &(first, last) in &self.ranges {
            // Wider than a rank, because what follows the last one of all has to be said.
            let (mut at, last) = (u64::from(first), u64::from(last));
            next += other.ranges[next..].partition_point(|&(_, end)| end < first);
            let mut taken = next;
            while at <= last {
                let hole = other
                    .ranges
                    .get(taken)
                    .map(|&(a, b)| (u64::from(a), u64::from(b)));
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
        Self { ranges: left }
    }

    /// The ranks that are in more than one of the sets.
    pub fn in_several<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut bounds: Vec<(u64, bool)> = Vec::new();
        for &(first, last) in all.into_iter().flat_map(|set| &set.ranges) {
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
        Self::from_ranges(several)
    }

    /// The lowest rank.
    pub fn first(&self) -> Option<u32> {
        self.ranges.first().map(|&(first, _)| first)
    }

    /// The ranges, each from its first to its last rank, in increasing order.
    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    /// The set as a sentence has it: whole, or of very many ranges the first, with the number of ranks in all.
    pub fn brief(&self) -> String {
        if self.ranges.len() <= BRIEF {
            return self.to_string();
        }
        let first = Self {
            ranges: self.ranges[..BRIEF / 2].to_vec(),
        };
        format!("{first},… ({} in all)", self.len())
    }

    /// The ranks in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.ranges.iter().flat_map(|&(first, last)| first..=last)
    }
}

impl FromIterator<u32> for RankSet {
    fn from_iter<A: IntoIterator<Item = u32>>(ranks: A) -> Self {
        Self::from_ranges(ranks.into_iter().map(|rank| (rank, rank)))
    }
}

impl fmt::Display for RankSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, &(first, last)) in self.ranges.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            if first == last {
                write!(f, "{comma}{first}")?;
            } else {
                write!(f, "{comma}{first}-{last}")?;
            }
        }
        Ok(())
    }
}

/// The part of a rank list that is neither a rank nor a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseRanksError {
    /// The offending part.
    pub part: String,
}

impl fmt::Display for ParseRanksError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "'{}' is neither a rank nor a range of ranks such as 3-7",
            self.part
        )
    }
}

impl std::error::Error for ParseRanksError {}

impl FromStr for RankSet {
    type Err = ParseRanksError;

    fn from_str(text: &str) -> Result<Self, ParseRanksError> {
        let mut ranges = Vec::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let bad = || ParseRanksError {
                part: part.to_owned(),
            };
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let first: u32 = first.trim().parse().map_err(|_| bad())?;
            let last: u32 = last.trim().parse().map_err(|_| bad())?;
            if last < first {
                return Err(bad());
            }
            ranges.push((first, last));
        }
        Ok(Self::from_ranges(ranges))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use std::collections::BTreeSet;

    #[test]
    fn written_as_ranges_and_read_back() {
        let set = RankSet::from_iter([31, 0, 1, 2, 3, 10, 11, 11, 5]);
        assert_eq!(set.to_string(), "0-3,5,10-11,31");
        assert_eq!(set.to_string().parse(), Ok(set.clone()));
        assert_eq!(set.len(), 8);
        assert!(set.contains(11) && !set.contains(4) && !set.contains(32));
        assert_eq!(set.iter().last(), Some(31));
        let meets = |text: &str| text.parse().is_ok_and(|other| set.meets(&other));
        assert!(meets("4,11-30") && !meets("4,6-9,12-30") && !meets(""));
    }

    #[test]
    fn a_sentence_has_no_more_ranges_than_people_read() {
        let every_other = |count: u32| RankSet::from_iter((0..count).map(|at| at * 2));
        assert_eq!(every_other(40).brief(), every_other(40).to_string());
        let brief = every_other(41).brief();
        assert!(
            brief.starts_with("0,2,4,") && brief.ends_with(",38,… (41 in all)"),
            "{brief}"
        );
    }

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
                let set = RankSet::from_ranges(Vec::from_iter(pieces));
                (set.iter().collect::<BTreeSet<u32>>(), set)
            };
            let ((a, x), (b, y), (c, z)) = (set(), set(), set());
            let same = |set: &RankSet, plain: BTreeSet<u32>| {
                assert!(set.iter().eq(plain.iter().copied()), "{x} {y} {z}");
                assert_eq!(set.len(), plain.len() as u64);
                assert_eq!(RankSet::from_ranges(set.ranges().iter().copied()), *set);
            };
            same(&RankSet::union([&x, &y]), &a | &b);
            same(&x.without(&y), &a - &b);
            let twice = &(&(&a & &b) | &(&a & &c)) | &(&b & &c);
            same(&RankSet::in_several([&x, &y, &z]), twice);
        }
    }

    #[test]
    fn lists_as_other_tools_write_them() {
        let parse = |list: &str| list.parse::<RankSet>().ok().map(|set| set.to_string());
        assert_eq!(parse("7,0, 3-5,6, ").as_deref(), Some("0,3-7"));
        assert_eq!(parse("").as_deref(), Some(""));
        for wrong in ["x", "3-", "5-3", "-1", "4294967296"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn overlapping_ranges_are_joined() {
        let set = RankSet::from_ranges([(7, 9), (0, 3), (2, 5), (12, 11), (u32::MAX, u32::MAX)]);
        assert_eq!(set.to_string(), "0-5,7-9,4294967295");
        assert_eq!(
            "5-9,0-4,8-12".parse::<RankSet>().map(|s| s.to_string()),
            Ok("0-12".to_owned())
        );
        assert_eq!(
            "7-3".parse::<RankSet>(),
            Err(ParseRanksError {
                part: "7-3".to_owned()
            })
        );
        assert_eq!(
            "x".parse::<RankSet>(),
            Err(ParseRanksError { part: "x".to_owned() })
        );
    }
}
