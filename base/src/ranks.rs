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
        let mut joined: Vec<(u32, u32)> = Vec::new();
        for (first, last) in ranges {
            match joined.last_mut() {
                Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
                _ => joined.push((first, last)),
            }
        }
        Self { ranges: joined }
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
        let (mut own, mut others) = (self.ranges.iter().peekable(), other.ranges.iter().peekable());
        while let (Some(a), Some(b)) = (own.peek(), others.peek()) {
            if a.1 < b.0 {
                own.next();
            } else if b.1 < a.0 {
                others.next();
            } else {
                return true;
            }
        }
        false
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
        for part in text.split(',').filter(|part| !part.is_empty()) {
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
