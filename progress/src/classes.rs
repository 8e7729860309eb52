//! Many tasks: classes of equal execution points, the partial order between them, and its minimal elements.
//!
//! Up to [`ALL_PAIRS`] groups of like tasks every pair is compared. More groups are first laid out in chains, each
//! ordered from end to end (`chains`): tasks that differ by the iteration of one loop make one chain, however many.

use crate::chains;
use crate::group::group;
use crate::{Located, Order, Reason, Relation, Verdict};

/// So many groups are compared pair by pair.
const ALL_PAIRS: usize = 400;

/// Tasks that were seen at one execution point.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Indices of the located tasks, in their order; never empty. The first represents the class.
    pub members: Vec<usize>,
    /// Why the members' own order is unknown, when it is: they are at one position with the same values read, but
    /// inside a loop that nothing orders.
    pub unordered: Option<Reason>,
}

/// Classes and their order.
#[derive(Clone, Debug)]
pub struct Classes {
    /// Least progressed first, as far as they are ordered; then by first member.
    pub classes: Vec<Class>,
    /// The candidates: classes (by index) that no other class is known to be behind.
    pub minimal: Vec<usize>,
    /// Pairs of candidates whose order is unknown: while there are any, no hindmost can be named.
    pub undecided: Vec<(usize, usize)>,
    /// Why the candidates were not all found, if so; then none can be named either.
    pub unfinished: Option<Reason>,
}

impl Classes {
    /// How class `i` stands to class `j`; the classes are those of `tasks`.
    pub fn verdict(&self, order: &Order<'_>, tasks: &[Located], i: usize, j: usize) -> Verdict {
        let first = |class: usize| &tasks[self.classes[class].members[0]];
        order.compare(first(i), first(j))
    }

    /// The hindmost classes: the minimal ones, when nothing about them is undecided and some class is ahead of them.
    /// Empty when all tasks are at one point or on branches that have no order: then nobody is behind.
    pub fn hindmost(&self) -> &[usize] {
        let somebody_is_ahead = self.minimal.len() < self.classes.len();
        if somebody_is_ahead && self.undecided.is_empty() && self.unfinished.is_none() {
            &self.minimal
        } else {
            &[]
        }
    }
}

/// Groups of like tasks, put into classes and an order. Groups are numbers here.
pub(crate) struct Arranged {
    /// The groups of each class; least progressed first.
    pub classes: Vec<Vec<usize>>,
    /// The classes that no other class is known to be behind, ascending.
    pub minimal: Vec<usize>,
    /// As [`Classes::unfinished`].
    pub unfinished: Option<Reason>,
}

/// Groups tasks into classes and orders the classes.
pub fn classify(order: &Order<'_>, tasks: &[Located]) -> Classes {
    let mut groups = group(order, tasks);
    let many = groups.len() > ALL_PAIRS;
    if !many {
        groups.sort_by_key(|group| group.members[0]);
    }
    let first = |group: usize| groups[group].members[0];
    let compare = |i: usize, j: usize| order.compare(&tasks[first(i)], &tasks[first(j)]).relation;
    let arranged = if many {
        chains::arrange(groups.len(), &compare, &first)
    } else {
        pair_by_pair(groups.len(), &compare, &first)
    };
    let minimal = arranged.minimal;
    let pairs = minimal.iter().flat_map(|&i| minimal.iter().map(move |&j| (i, j)));
    let undecided = pairs
        .filter(|&(i, j)| i < j)
        .filter(|&(i, j)| compare(arranged.classes[i][0], arranged.classes[j][0]) == Relation::Unknown)
        .collect();
    let classes = arranged
        .classes
        .iter()
        .map(|class| {
            let members = class.iter().flat_map(|&group| &groups[group].members);
            let mut members: Vec<usize> = members.copied().collect();
            members.sort_unstable();
            Class {
                members,
                unordered: class.iter().find_map(|&group| groups[group].unordered.clone()),
            }
        })
        .collect();
    Classes {
        classes,
        minimal,
        undecided,
        unfinished: arranged.unfinished,
    }
}

/// Compares every pair: exact, and slow for many groups.
pub(crate) fn pair_by_pair(
    count: usize,
    compare: &dyn Fn(usize, usize) -> Relation,
    first: &dyn Fn(usize) -> usize,
) -> Arranged {
    let relations = Relations::new(count, compare);
    let classes = merge_equal(count, &relations);
    let depths = depths(&classes, &relations);
    let mut sequence: Vec<(usize, Vec<usize>)> = depths.into_iter().zip(classes).collect();
    sequence.sort_by_key(|(depth, class)| (*depth, first(class[0])));
    Arranged {
        minimal: (0..sequence.len()).filter(|&i| sequence[i].0 == 0).collect(),
        classes: sequence.into_iter().map(|(_, class)| class).collect(),
        unfinished: None,
    }
}

/// For every class the length of the longest chain of classes behind it. Sorted by that, no class stands before one
/// that is behind it, also when some pairs are unknown.
fn depths(classes: &[Vec<usize>], relations: &Relations) -> Vec<usize> {
    let mut depths = vec![0; classes.len()];
    // The relation has no cycles, so as many rounds as there are classes are enough; should it ever have one, this ends.
    for _ in classes {
        let before = depths.clone();
        for (i, class) in classes.iter().enumerate() {
            let behind = classes.iter().zip(&before);
            let chain = behind.filter(|(other, _)| relations.get(other[0], class[0]) == Relation::Before);
            depths[i] = chain.map(|(_, depth)| depth + 1).max().unwrap_or(0);
        }
        if depths == before {
            break;
        }
    }
    depths
}

/// The relation of every group to every other.
struct Relations {
    count: usize,
    of: Vec<Relation>,
}

impl Relations {
    fn new(count: usize, relation: &dyn Fn(usize, usize) -> Relation) -> Self {
        let mut of = vec![Relation::Equal; count * count];
        for i in 0..count {
            for j in i + 1..count {
                let found = relation(i, j);
                of[i * count + j] = found;
                of[j * count + i] = found.reversed();
            }
        }
        Self { count, of }
    }

    fn get(&self, i: usize, j: usize) -> Relation {
        self.of[i * self.count + j]
    }
}

/// Joins groups that are equal although their values differ (a start that differs by task, say).
fn merge_equal(groups: usize, relations: &Relations) -> Vec<Vec<usize>> {
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for group in 0..groups {
        match classes
            .iter_mut()
            .find(|class| relations.get(class[0], group) == Relation::Equal)
        {
            Some(class) => class.push(group),
            None => classes.push(vec![group]),
        }
    }
    classes
}
