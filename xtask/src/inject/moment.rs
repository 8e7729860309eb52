//! Which rank is stalled, and when: drawn from a seed and from how the program runs undisturbed.

use super::log::Record;

/// How a rank is stalled. The words are those of `preload.c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StallKind {
    /// At the instruction that calls MPI.
    Before,
    /// At the first instruction of the MPI function.
    In,
    /// At the instruction that the call returns to.
    After,
    /// At an instruction of the program itself.
    Code,
    /// At an instruction of the program or of a library, MPI's included.
    Anywhere,
}

impl StallKind {
    pub fn word(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::In => "in",
            Self::After => "after",
            Self::Code => "code",
            Self::Anywhere => "anywhere",
        }
    }
}

/// One rank and one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    pub rank: u32,
    pub kind: StallKind,
    /// The number of the MPI call, from 1; nanoseconds of processor time for [`StallKind::Code`] and [`StallKind::Anywhere`].
    pub at: u64,
}

impl Moment {
    /// Of a job that was never begun.
    pub const UNKNOWN: Moment = Moment {
        rank: 0,
        kind: StallKind::Before,
        at: 0,
    };

    /// The moment that a seed stands for, in a program of which an undisturbed run left these records.
    pub fn of_seed(seed: u64, undisturbed: &[Record]) -> Self {
        let mut random = Random(seed);
        let rank = random.below(undisturbed.len() as u64);
        let kind = match random.below(20) {
            0..5 => StallKind::Before,
            5..7 => StallKind::In,
            7..12 => StallKind::After,
            12..17 => StallKind::Code,
            _ => StallKind::Anywhere,
        };
        let record = &undisturbed[usize::try_from(rank).unwrap_or(0)];
        let at = match kind {
            StallKind::Before | StallKind::In | StallKind::After => 1 + random.below(record.calls.max(1)),
            StallKind::Code | StallKind::Anywhere => {
                // Another run may need less time, much of which goes into waiting: one that is over cannot be stalled.
                let range = record.last_cpu.saturating_sub(record.first_cpu) / 4 * 3;
                record.first_cpu + random.below(range.max(1))
            }
        };
        Self {
            rank: u32::try_from(rank).unwrap_or(0),
            kind,
            at,
        }
    }

    /// As `HINDMOST_INJECT` says it.
    pub fn variable(&self) -> String {
        format!("{} {} {}", self.rank, self.kind.word(), self.at)
    }
}

/// Steele, Lea and Flood's SplitMix64: neighbouring seeds give unrelated numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not zero. The bias of the remainder does not matter here.
    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

#[cfg(test)]
mod tests {
    use super::{Moment, Record, StallKind};
    use std::collections::BTreeSet;

    #[test]
    fn a_seed_is_one_moment_and_seeds_cover_ranks_and_kinds() {
        let record = Record {
            calls: 7,
            first_cpu: 100,
            last_cpu: 200,
            ..Record::default()
        };
        let undisturbed = [record; 3];
        let moments = Vec::from_iter((0..200).map(|seed| Moment::of_seed(seed, &undisturbed)));
        assert_eq!(moments[17], Moment::of_seed(17, &undisturbed));
        let kinds = BTreeSet::from_iter(moments.iter().map(|moment| (moment.rank, moment.kind)));
        assert_eq!(kinds.len(), 15);
        for moment in moments {
            match moment.kind {
                StallKind::Code | StallKind::Anywhere => assert!((100..200).contains(&moment.at)),
                _ => assert!((1..=7).contains(&moment.at)),
            }
        }
    }
}
