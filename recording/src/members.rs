//! Lists of ranks, as runs of consecutive ones: that of `MPI_COMM_WORLD` is one run, whatever its size, and a reader of all files of a job holds as many lists as there are tasks.

use std::sync::Arc;

/// The ranks of a group as ranks of the world, in their order; `None` for one of another world. Those who have the same members share one list.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Members(Arc<[Run]>);

/// Consecutive ranks of the world, or so many of another one. Two runs that could be one never stand beside each other, so that equal lists have equal runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    /// How many members stand before it.
    before: u32,
    /// The first rank.
    first: Option<u32>,
    /// How many members it has; not 0.
    count: u32,
}

impl Members {
    /// How many they are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0
            .last()
            .map_or(0, |run| run.before as usize + run.count as usize)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether all of them are ranks of this world.
    #[must_use]
    pub fn are_known(&self) -> bool {
        self.0.iter().all(|run| run.first.is_some())
    }

    /// The member in this place: `None` if there is none, `Some(None)` if it is one of another world.
    #[must_use]
    pub fn get(&self, place: usize) -> Option<Option<u32>> {
        let place = u32::try_from(place).ok()?;
        let after = self.0.partition_point(|run| run.before <= place);
        let run = self.0.get(after.checked_sub(1)?)?;
        let within = place - run.before;
        (within < run.count).then(|| run.first.map(|first| first + within))
    }

    /// The members in their order.
    pub fn iter(&self) -> impl Iterator<Item = Option<u32>> + '_ {
        let ranks = |run: &Run| {
            let first = run.first;
            (0..run.count).map(move |within| first.map(|first| first + within))
        };
        self.0.iter().flat_map(ranks)
    }
}

/// Puts runs together to a list.
#[derive(Default)]
pub(crate) struct Runs {
    runs: Vec<Run>,
    /// How many members they have.
    pub(crate) members: u32,
}

impl Runs {
    /// Adds `count` members behind the others, from this rank on; `None` if they are no ranks, or too many for a list.
    pub(crate) fn add(&mut self, first: Option<u32>, count: u32) -> Option<()> {
        let before = self.members;
        self.members = before.checked_add(count)?;
        if let Some(first) = first {
            first.checked_add(count.checked_sub(1)?)?;
        }
        match self.runs.last_mut() {
            Some(last) if last.first.is_none() && first.is_none() => last.count += count,
            // The rank behind the last run.
            Some(last)
                if first.is_some() && last.first.and_then(|of| of.checked_add(last.count)) == first =>
            {
                last.count += count;
            }
            _ if count > 0 => self.runs.push(Run { before, first, count }),
            _ => {}
        }
        Some(())
    }

    /// The list.
    pub(crate) fn finish(self) -> Members {
        Members(self.runs.into())
    }
}

/// Of more than `u32::MAX` members those that are too many are left out.
impl FromIterator<Option<u32>> for Members {
    fn from_iter<I: IntoIterator<Item = Option<u32>>>(members: I) -> Self {
        let mut runs = Runs::default();
        for member in members {
            if runs.add(member, 1).is_none() {
                break;
            }
        }
        runs.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_runs_is_the_list() {
        for list in [
            vec![],
            vec![Some(7)],
            Vec::from_iter((0..5).map(Some)),
            vec![
                Some(3),
                Some(2),
                Some(3),
                None,
                None,
                Some(4),
                Some(5),
                Some(u32::MAX),
            ],
            vec![Some(u32::MAX), Some(0), None],
        ] {
            let members: Members = list.iter().copied().collect();
            assert_eq!(Vec::from_iter(members.iter()), list);
            assert_eq!((members.len(), members.is_empty()), (list.len(), list.is_empty()));
            for place in 0..list.len() + 2 {
                assert_eq!(
                    members.get(place),
                    list.get(place).copied(),
                    "{list:?} at {place}"
                );
            }
            assert_eq!(members.are_known(), list.iter().all(Option::is_some));
        }
    }

    /// However a file divides a list into runs, it is the same list.
    #[test]
    fn equal_lists_have_equal_runs() {
        let divided = |runs: &[(Option<u32>, u32)]| {
            let mut made = Runs::default();
            for &(first, count) in runs {
                made.add(first, count).expect("it fits");
            }
            made.finish()
        };
        let whole = divided(&[(Some(2), 5), (None, 3)]);
        assert_eq!(
            divided(&[(Some(2), 1), (Some(3), 4), (None, 1), (None, 2)]),
            whole
        );
        assert_eq!(whole.0.len(), 2);
        let mut full = Runs::default();
        assert_eq!(full.add(Some(u32::MAX), 2), None);
        assert_eq!(Runs::default().add(Some(1), 0), None);
    }
}
