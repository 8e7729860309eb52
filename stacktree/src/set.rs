//! Sets of tasks: what most nodes need, one task or one range of ranks, costs no allocation; the rest are roaring
//! bitmaps. [`RankSet`] keeps ranges only: every other task of a million would cost each node of a tree half a million of them.
//!
//! A set has one form only (a bitmap that is one range becomes a range), so that equal sets compare equal and trees
//! that were merged in different orders are the same value.

use base::RankSet;
use roaring::RoaringBitmap;
use std::sync::Arc;

/// A set of task numbers: ranks, where every task has one of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskSet(Form);

#[derive(Clone, Debug, Default, PartialEq)]
enum Form {
    #[default]
    Empty,
    /// From the first to the last, both included.
    Range(u32, u32),
    /// Neither empty nor one range. The nodes of a way through a tree have the same tasks, and share them.
    Bits(Arc<RoaringBitmap>),
}

impl TaskSet {
    /// The set of no tasks.
    pub const EMPTY: TaskSet = TaskSet(Form::Empty);

    /// The set of one task.
    pub fn one(task: u32) -> Self {
        Self(Form::Range(task, task))
    }

    /// The set of the tasks from `first` to `last`, both included; empty when there are none between them.
    pub fn range(first: u32, last: u32) -> Self {
        Self(if first <= last {
            Form::Range(first, last)
        } else {
            Form::Empty
        })
    }

    /// The union of ranges, in any order and overlapping at will.
    pub fn from_ranges(ranges: Vec<(u32, u32)>) -> Self {
        let joined = RankSet::from_ranges(ranges);
        match *joined.ranges() {
            [] => Self::default(),
            [(first, last)] => Self::range(first, last),
            _ => {
                let mut bits = RoaringBitmap::new();
                for &(first, last) in joined.ranges() {
                    bits.insert_range(first..=last);
                }
                Self(Form::Bits(Arc::new(bits)))
            }
        }
    }

    /// The union of many sets.
    pub fn union_of<'a>(sets: impl IntoIterator<Item = &'a TaskSet>) -> Self {
        let mut ranges = Vec::new();
        let mut bits: Option<RoaringBitmap> = None;
        for set in sets {
            match &set.0 {
                Form::Empty => {}
                Form::Range(first, last) => ranges.push((*first, *last)),
                Form::Bits(more) => match &mut bits {
                    None => bits = Some((**more).clone()),
                    Some(bits) => *bits |= &**more,
                },
            }
        }
        let Some(mut bits) = bits else {
            return Self::from_ranges(ranges);
        };
        for (first, last) in ranges {
            bits.insert_range(first..=last);
        }
        Self::normal(bits)
    }

    /// The tasks that are in both.
    pub fn intersection(&self, other: &TaskSet) -> Self {
        Self::normal(self.bits() & other.bits())
    }

    /// The tasks that are in this set and not in the other.
    pub fn difference(&self, other: &TaskSet) -> Self {
        Self::normal(self.bits() - other.bits())
    }

    /// Whether no task is in the set.
    pub fn is_empty(&self) -> bool {
        matches!(self.0, Form::Empty)
    }

    /// How many tasks there are.
    pub fn len(&self) -> u64 {
        match &self.0 {
            Form::Empty => 0,
            Form::Range(first, last) => u64::from(last - first) + 1,
            Form::Bits(bits) => bits.len(),
        }
    }

    /// The smallest task.
    pub fn first(&self) -> Option<u32> {
        match &self.0 {
            Form::Empty => None,
            Form::Range(first, _) => Some(*first),
            Form::Bits(bits) => bits.min(),
        }
    }

    /// Whether a task is in the set.
    pub fn contains(&self, task: u32) -> bool {
        match &self.0 {
            Form::Empty => false,
            Form::Range(first, last) => (*first..=*last).contains(&task),
            Form::Bits(bits) => bits.contains(task),
        }
    }

    /// Whether the two have a task in common.
    pub fn meets(&self, other: &TaskSet) -> bool {
        match (&self.0, &other.0) {
            (Form::Empty, _) | (_, Form::Empty) => false,
            (Form::Range(a, b), Form::Range(c, d)) => a <= d && c <= b,
            (Form::Range(first, last), Form::Bits(bits)) | (Form::Bits(bits), Form::Range(first, last)) => {
                bits.range_cardinality(*first..=*last) > 0
            }
            (Form::Bits(a), Form::Bits(b)) => !a.is_disjoint(b),
        }
    }

    /// The tasks as ranges that neither touch nor overlap, ascending.
    pub fn ranges(&self) -> Vec<(u32, u32)> {
        self.first_ranges(usize::MAX)
    }

    /// The first so many of [`TaskSet::ranges`]: whoever shows a set has no room for all ranges of a million tasks.
    pub fn first_ranges(&self, most: usize) -> Vec<(u32, u32)> {
        match &self.0 {
            Form::Empty => Vec::new(),
            Form::Range(first, last) => Vec::from_iter([(*first, *last)].into_iter().take(most)),
            Form::Bits(bits) => {
                let mut rest = bits.iter();
                let ranges = std::iter::from_fn(|| rest.next_range());
                ranges.take(most).map(|range| range.into_inner()).collect()
            }
        }
    }

    /// The tasks, ascending.
    pub fn iter(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        match &self.0 {
            Form::Empty => Box::new(std::iter::empty()),
            Form::Range(first, last) => Box::new(*first..=*last),
            Form::Bits(bits) => Box::new(bits.iter()),
        }
    }

    fn bits(&self) -> RoaringBitmap {
        match &self.0 {
            Form::Empty => RoaringBitmap::new(),
            Form::Range(first, last) => {
                let mut bits = RoaringBitmap::new();
                bits.insert_range(*first..=*last);
                bits
            }
            Form::Bits(bits) => (**bits).clone(),
        }
    }

    fn normal(bits: RoaringBitmap) -> Self {
        match (bits.min(), bits.max()) {
            (Some(first), Some(last)) if u64::from(last - first) + 1 == bits.len() => {
                Self::range(first, last)
            }
            (Some(_), Some(_)) => {
                // Whatever operations it went through, equal sets are to be equal values.
                let mut bits = bits;
                bits.remove_run_compression();
                Self(Form::Bits(Arc::new(bits)))
            }
            _ => Self::default(),
        }
    }
}

impl FromIterator<u32> for TaskSet {
    fn from_iter<I: IntoIterator<Item = u32>>(tasks: I) -> Self {
        Self::from_ranges(tasks.into_iter().map(|task| (task, task)).collect())
    }
}

impl From<&TaskSet> for RankSet {
    fn from(set: &TaskSet) -> Self {
        RankSet::from_ranges(set.ranges())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Random;
    use std::collections::BTreeSet;

    #[test]
    fn sets_do_what_plain_sets_do() {
        let mut random = Random(7);
        let mut next = |below: u32| random.below(below as usize) as u32;
        for round in 0..400 {
            let span = [3, 40, 100_000][round % 3];
            let mut plain = || -> BTreeSet<u32> {
                let count = next(30);
                (0..count)
                    .flat_map(|_| {
                        let first = next(span);
                        first..first + next(5)
                    })
                    .collect()
            };
            let (a, b) = (plain(), plain());
            let (x, y): (TaskSet, TaskSet) = (a.iter().copied().collect(), b.iter().copied().collect());
            let same = |set: &TaskSet, plain: BTreeSet<u32>| {
                assert_eq!(set.iter().collect::<BTreeSet<u32>>(), plain);
                assert_eq!(set.len(), plain.len() as u64);
                assert_eq!(set.first(), plain.first().copied());
                assert_eq!(*set, plain.iter().copied().collect(), "one form per set");
            };
            same(&TaskSet::union_of([&x, &y]), &a | &b);
            same(&x.intersection(&y), &a & &b);
            same(&x.difference(&y), &a - &b);
            assert_eq!(x.meets(&y), !a.is_disjoint(&b));
            assert_eq!(TaskSet::from_ranges(x.ranges()), x);
            assert_eq!(RankSet::from(&x).to_string(), RankSet::from_iter(a).to_string());
        }
    }

    #[test]
    fn the_last_task_number_is_one_like_any_other() {
        let set = TaskSet::from_ranges(vec![(u32::MAX, u32::MAX), (3, 3), (u32::MAX - 1, u32::MAX)]);
        assert_eq!(set.ranges(), [(3, 3), (u32::MAX - 1, u32::MAX)]);
        assert_eq!(set.len(), 3);
    }
}
