//! Whom somebody waits for: lists that many waits share, so that a job in which all wait for all has one list, and not one for each task.

use crate::state::Rank;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The tasks that somebody waits for: those of a list without a few, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whom {
    /// Sorted, each once.
    list: Arc<[Rank]>,
    /// Sorted, each of the list.
    but: Vec<Rank>,
}

/// Which list it is: of two that are alive at a time, the same only for one that both share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListId(*const Rank);

impl Whom {
    /// All of a list, which is sorted.
    #[must_use]
    pub fn all(list: Arc<[Rank]>) -> Self {
        Whom {
            list,
            but: Vec::new(),
        }
    }

    /// Those of a sorted list without these, which are sorted, too.
    pub(crate) fn without(list: Arc<[Rank]>, mut but: Vec<Rank>) -> Self {
        but.dedup();
        but.retain(|rank| list.binary_search(rank).is_ok());
        Whom { list, but }
    }

    /// How many they are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len() - self.but.len()
    }

    /// Whether there is nobody.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether it is one of them.
    #[must_use]
    pub fn contains(&self, rank: Rank) -> bool {
        self.list.binary_search(&rank).is_ok() && self.but.binary_search(&rank).is_err()
    }

    /// They, in order.
    pub fn iter(&self) -> impl Iterator<Item = Rank> + '_ {
        let mut but = self.but.iter().peekable();
        self.list
            .iter()
            .filter(move |rank| but.next_if_eq(rank).is_none())
            .copied()
    }

    /// They, as runs of consecutive ranks, each from its first to its last one, in order. A run is found without going through it.
    pub fn runs(&self) -> impl Iterator<Item = (Rank, Rank)> + '_ {
        let mut at = 0;
        std::iter::from_fn(move || {
            let mut first = *self.list.get(at)?;
            while self.but.binary_search(&first).is_ok() {
                at += 1;
                first = *self.list.get(at)?;
            }
            let rest = self.list.get(at..)?;
            let next_but = self.but.partition_point(|rank| *rank < first);
            let end = self
                .but
                .get(next_but)
                .map_or(rest.len(), |but| rest.partition_point(|rank| rank < but));
            // In a sorted list the distance from the first grows at least as quickly as the place.
            let mut places = (0, end);
            while places.1 - places.0 > 1 {
                let middle = usize::midpoint(places.0, places.1);
                if (rest[middle].0 - first.0) as usize == middle {
                    places.0 = middle;
                } else {
                    places.1 = middle;
                }
            }
            at += places.0 + 1;
            Some((first, rest[places.0]))
        })
    }

    /// Those of the list who are left out.
    #[must_use]
    pub fn left_out(&self) -> &[Rank] {
        &self.but
    }

    /// The list, which others may share.
    #[must_use]
    pub fn list(&self) -> &Arc<[Rank]> {
        &self.list
    }

    /// Which list it is.
    #[must_use]
    pub fn id(&self) -> ListId {
        ListId(self.list.as_ptr())
    }
}

impl<const COUNT: usize> From<[Rank; COUNT]> for Whom {
    fn from(ranks: [Rank; COUNT]) -> Self {
        Vec::from(ranks).into()
    }
}

impl From<Vec<Rank>> for Whom {
    fn from(mut ranks: Vec<Rank>) -> Self {
        ranks.sort_unstable();
        ranks.dedup();
        Whom::all(ranks.into())
    }
}

/// Whom several wait for together; each list is looked through once, however many share it.
#[derive(Default)]
pub struct Union<'w>(BTreeMap<ListId, Sharers<'w>>);

struct Sharers<'w> {
    list: &'w [Rank],
    count: usize,
    /// Who is left out by how many of them.
    left_out: BTreeMap<Rank, usize>,
}

impl<'w> Union<'w> {
    /// Adds those whom one waits for.
    pub fn add(&mut self, whom: &'w Whom) {
        let sharers = self.0.entry(whom.id()).or_insert_with(|| Sharers {
            list: &whom.list,
            count: 0,
            left_out: BTreeMap::new(),
        });
        sharers.count += 1;
        for rank in &whom.but {
            *sharers.left_out.entry(*rank).or_default() += 1;
        }
    }

    /// All of them, list by list; who is on several lists comes several times.
    pub fn iter(&self) -> impl Iterator<Item = Rank> + '_ {
        self.0.values().flat_map(|sharers| {
            let is_there = |rank: &Rank| {
                let left_out = sharers.left_out.get(rank);
                left_out.is_none_or(|count| *count < sharers.count)
            };
            sharers.list.iter().copied().filter(is_there)
        })
    }
}

impl<'w> FromIterator<&'w Whom> for Union<'w> {
    fn from_iter<I: IntoIterator<Item = &'w Whom>>(all: I) -> Self {
        let mut union = Union::default();
        all.into_iter().for_each(|whom| union.add(whom));
        union
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranks(of: &[u32]) -> Vec<Rank> {
        of.iter().copied().map(Rank).collect()
    }

    #[test]
    fn who_is_left_out_by_all_is_left_out() {
        let list: Arc<[Rank]> = ranks(&[1, 3, 5, 8]).into();
        let but = |of: &[u32]| Whom::without(Arc::clone(&list), ranks(of));
        let one = but(&[3, 4]);
        assert_eq!(Vec::from_iter(one.iter()), ranks(&[1, 5, 8]));
        assert_eq!(
            (one.len(), one.contains(Rank(3)), one.contains(Rank(5))),
            (3, false, true)
        );
        let apart = |whom: &Whom| Vec::from_iter(whom.runs().map(|(first, last)| (first.0, last.0)));
        assert_eq!(apart(&one), [(1, 1), (5, 5), (8, 8)]);
        let long: Arc<[Rank]> = (0..10).chain(20..40).map(Rank).collect();
        let long = |but: &[u32]| apart(&Whom::without(Arc::clone(&long), ranks(but)));
        assert_eq!(long(&[]), [(0, 9), (20, 39)]);
        assert_eq!(long(&[0, 4, 9, 20, 21]), [(1, 3), (5, 8), (22, 39)]);
        let other: Whom = ranks(&[9, 3, 9]).into();
        let all = [&one, &but(&[3, 8])];
        let mut union: Union = all.into_iter().collect();
        assert_eq!(Vec::from_iter(union.iter()), ranks(&[1, 5, 8]));
        union.add(&other);
        let mut found = Vec::from_iter(union.iter());
        found.sort_unstable();
        assert_eq!(found, ranks(&[1, 3, 5, 8, 9]));
    }
}
