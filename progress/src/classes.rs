//! Many tasks: classes of equal execution points, the partial order between them, and its minimal elements.

use crate::{Decided, Located, LocatedFrame, Order, Place, Relation, Verdict};
use progress_map::{Across, FunctionId};

/// Tasks that were seen at one execution point.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Indices of the located tasks, in their order; never empty. The first represents the class.
    pub members: Vec<usize>,
    /// Why the members' own order is unknown, when it is: they are at one position with the same values read, but
    /// inside a loop that nothing orders.
    pub unordered: Option<String>,
}

/// Classes and their order.
#[derive(Clone, Debug)]
pub struct Classes {
    /// Least progressed first, as far as they are ordered; then by first member.
    pub classes: Vec<Class>,
    /// Verdicts of class `i` against class `j` for `i < j`, row after row.
    verdicts: Vec<Verdict>,
    /// The candidates: classes (by index) that no other class is known to be behind.
    pub minimal: Vec<usize>,
    /// Pairs of candidates whose order is unknown: while there are any, no hindmost can be named.
    pub undecided: Vec<(usize, usize)>,
}

impl Classes {
    /// How class `i` stands to class `j`, `i < j`.
    pub fn verdict(&self, i: usize, j: usize) -> &Verdict {
        &self.verdicts[pair_index(self.classes.len(), i, j)]
    }

    /// The relation of any class to any other.
    pub fn relation(&self, i: usize, j: usize) -> Relation {
        match i.cmp(&j) {
            std::cmp::Ordering::Less => self.verdict(i, j).relation,
            std::cmp::Ordering::Equal => Relation::Equal,
            std::cmp::Ordering::Greater => self.verdict(j, i).relation.reversed(),
        }
    }

    /// The hindmost classes: the minimal ones, when nothing about them is undecided and some class is ahead of them.
    /// Empty when all tasks are at one point or on branches that have no order: then nobody is behind.
    pub fn hindmost(&self) -> &[usize] {
        let somebody_is_ahead = self.minimal.len() < self.classes.len();
        if somebody_is_ahead && self.undecided.is_empty() {
            &self.minimal
        } else {
            &[]
        }
    }
}

fn pair_index(count: usize, i: usize, j: usize) -> usize {
    // Rows of an upper triangle without its diagonal: row i starts after i rows of falling length.
    i * (2 * count - i - 1) / 2 + (j - i - 1)
}

/// Groups tasks into classes and orders the classes.
pub fn classify(order: &Order<'_>, tasks: &[Located]) -> Classes {
    let groups = group(order, tasks);
    let compare =
        |i: usize, j: usize| order.compare(&tasks[groups[i].members[0]], &tasks[groups[j].members[0]]);
    let relations = Relations::new(groups.len(), |i, j| compare(i, j).relation);
    let classes = merge_equal(&groups, &relations);
    let depths = depths(&classes, &relations);
    let mut sequence: Vec<(usize, &Vec<usize>)> = depths.into_iter().zip(&classes).collect();
    sequence.sort_by_key(|&(depth, class)| (depth, groups[class[0]].members[0]));
    let first: Vec<usize> = sequence.iter().map(|(_, class)| class[0]).collect();
    let mut verdicts = Vec::new();
    for (i, &x) in first.iter().enumerate() {
        verdicts.extend(first[i + 1..].iter().map(|&y| compare(x, y)));
    }
    let minimal: Vec<usize> = (0..first.len()).filter(|&i| sequence[i].0 == 0).collect();
    let pairs = minimal.iter().flat_map(|&i| minimal.iter().map(move |&j| (i, j)));
    let undecided = pairs
        .filter(|&(i, j)| i < j && relations.get(first[i], first[j]) == Relation::Unknown)
        .collect();
    let classes = sequence
        .iter()
        .map(|(_, class)| {
            let mut members: Vec<usize> = class
                .iter()
                .flat_map(|&g| groups[g].members.iter().copied())
                .collect();
            members.sort_unstable();
            Class {
                members,
                unordered: class.iter().find_map(|&g| groups[g].unordered.clone()),
            }
        })
        .collect();
    Classes {
        classes,
        verdicts,
        minimal,
        undecided,
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
    fn new(count: usize, relation: impl Fn(usize, usize) -> Relation) -> Self {
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
fn merge_equal(groups: &[Class], relations: &Relations) -> Vec<Vec<usize>> {
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for group in 0..groups.len() {
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

/// What tells the members of a class from other tasks.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key<'a> {
    obstacle: Option<&'a str>,
    frames: Vec<FrameKey<'a>>,
    in_library: bool,
}

/// What tells one frame from another: function, name, places and the values that matter there.
type FrameKey<'a> = (Option<FunctionId>, &'a str, &'a [Place], Vec<(&'a str, String)>);

fn group(order: &Order<'_>, tasks: &[Located]) -> Vec<Class> {
    let mut keyed: Vec<(Key<'_>, usize)> = tasks
        .iter()
        .enumerate()
        .map(|(index, task)| (key(order, task), index))
        .collect();
    keyed.sort();
    let mut classes: Vec<Class> = Vec::new();
    for chunk in keyed.chunk_by(|(a, _), (b, _)| a == b) {
        let members: Vec<usize> = chunk.iter().map(|&(_, index)| index).collect();
        // All members look alike, so one pair tells for all.
        let unordered = members.get(1).and_then(|&second| {
            let verdict = order.compare(&tasks[members[0]], &tasks[second]);
            match verdict.proof.decided {
                Decided::Nothing(reason) if verdict.relation == Relation::Unknown => Some(reason),
                _ => None,
            }
        });
        classes.push(Class { members, unordered });
    }
    classes.sort_by_key(|class| class.members[0]);
    classes
}

fn key<'a>(order: &Order<'_>, task: &'a Located) -> Key<'a> {
    // What happens inside a library below the program does not tell tasks apart.
    let program = task
        .frames
        .iter()
        .rposition(|frame| frame.function.is_some())
        .map_or(0, |last| last + 1);
    let frames = task.frames[..program]
        .iter()
        .map(|frame| {
            (
                frame.function,
                frame.name.as_str(),
                frame.places.as_slice(),
                values(order, frame),
            )
        })
        .collect();
    Key {
        obstacle: task.obstacle.as_deref(),
        frames,
        in_library: program < task.frames.len(),
    }
}

/// The values that matter in a frame: of the variables that can order tasks in the loops around its places.
fn values<'a>(order: &Order<'_>, frame: &'a LocatedFrame) -> Vec<(&'a str, String)> {
    let Some(id) = frame.function else {
        return Vec::new();
    };
    let function = &order.map().functions[id];
    let mut values: Vec<(&str, String)> = Vec::new();
    for place in &frame.places {
        let mut at = function.points[place.point].innermost_loop;
        while let Some(current) = at {
            for lov in function.loops[current]
                .lovs
                .iter()
                .filter(|lov| lov.across != Across::Nothing)
            {
                if let Some((name, value)) = frame.values.get_key_value(&lov.name) {
                    values.push((name, value.to_string()));
                }
            }
            at = function.loops[current].parent;
        }
    }
    values.sort();
    values.dedup();
    values
}
