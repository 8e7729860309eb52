//! Strands to nodes: grouped by frame, siblings related and ranked.

use super::numbers::value_of;
use super::points::Points;
use super::rank::{self, Ranking};
use super::shape::{Look, Strand};
use super::view::Hindmost;
use super::{Mark, NodeKind, NodeValue, RefinementStep, Sibling, TreeClass, TreeNode};
use crate::Relation;
use stacktree::{LabelKind, TaskSet};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// With so many siblings that follow it a node is compared in words; more nobody reads.
const MOST_SIBLINGS: usize = 16;

pub(super) struct Builder<'a, 'p, 'm> {
    points: &'p Points<'m>,
    strands: &'p [Strand<'a>],
    hindmost: &'p Hindmost,
    /// Whether the branching point within a class is ordered.
    may_order: &'p dyn Fn(&str) -> bool,
    nodes: Vec<TreeNode>,
    steps: Vec<RefinementStep>,
    classes: Vec<TreeClass>,
}

/// What a builder makes.
pub(super) struct Built {
    pub(super) nodes: Vec<TreeNode>,
    pub(super) steps: Vec<RefinementStep>,
    /// One for each unit, in the order of the nodes.
    pub(super) classes: Vec<TreeClass>,
    /// The number of each class's unit.
    pub(super) units: Vec<usize>,
}

/// Strands with the same first frames.
struct Group {
    /// In the order in which they were made.
    strands: Vec<usize>,
    /// How many of their frames the nodes above them and their own hold.
    depth: usize,
    /// They end at the parent's frame, where others go on.
    here: bool,
}

/// A node that is still to be made.
struct Pending {
    group: Group,
    parent: usize,
    temporal: Option<String>,
    mark: Mark,
    /// The step that ordered it.
    step: Option<usize>,
    /// Siblings by their place among them.
    siblings: Vec<Sibling>,
}

impl<'a, 'p, 'm> Builder<'a, 'p, 'm> {
    pub(super) fn new(
        points: &'p Points<'m>,
        strands: &'p [Strand<'a>],
        hindmost: &'p Hindmost,
        may_order: &'p dyn Fn(&str) -> bool,
    ) -> Self {
        Self {
            points,
            strands,
            hindmost,
            may_order,
            nodes: Vec::new(),
            steps: Vec::new(),
            classes: Vec::new(),
        }
    }

    pub(super) fn build(mut self) -> Built {
        let mut units = Vec::new();
        // What is still to be made, the next one last, so that nodes come in preorder.
        let mut todo = vec![Pending {
            group: Group {
                strands: (0..self.strands.len()).collect(),
                depth: 0,
                here: false,
            },
            parent: 0,
            temporal: None,
            mark: Mark::None,
            step: None,
            siblings: Vec::new(),
        }];
        while let Some(next) = todo.pop() {
            let at = self.nodes.len();
            let mut node = self.node(&next);
            let ending: Vec<usize> = if self.ends_here(&next.group) {
                self.units(&next.group).collect()
            } else {
                Vec::new()
            };
            node.class = (ending.len() == 1).then_some(self.classes.len());
            self.nodes.push(node);
            for &unit in &ending {
                let strand = &self.strands[unit];
                self.classes.push(TreeClass {
                    node: at,
                    tasks: strand.tasks.clone(),
                    now: strand.samples.last().unwrap_or(&strand.tasks).clone(),
                    hindmost: self.hindmost.named.contains(&unit),
                });
            }
            units.extend(ending);
            if at > 0 {
                self.nodes[next.parent].children.push(at);
            }
            if let Some(step) = next.step {
                self.steps[step].branches.push(at);
            }
            let children = self.children(at, &next.group);
            todo.extend(children.into_iter().rev());
        }
        for at in 0..self.nodes.len() {
            let parent = self.nodes[at].parent;
            let mut siblings = std::mem::take(&mut self.nodes[at].siblings);
            for sibling in &mut siblings {
                sibling.node = self.nodes[parent].children[sibling.node];
            }
            self.nodes[at].siblings = siblings;
        }
        Built {
            nodes: self.nodes,
            steps: self.steps,
            classes: self.classes,
            units,
        }
    }

    /// Whether all strands of a group end at its node.
    fn ends_here(&self, group: &Group) -> bool {
        group.here
            || group
                .strands
                .iter()
                .all(|&strand| self.strands[strand].path.len() == group.depth)
    }

    /// The node of a group, still without children.
    fn node(&self, next: &Pending) -> TreeNode {
        let group = &next.group;
        let strands = || group.strands.iter().map(|&strand| &self.strands[strand]);
        let look = strands()
            .next()
            .filter(|_| group.depth > 0)
            .and_then(|strand| strand.path.get(group.depth - 1));
        let own = look.filter(|_| !group.here);
        let samples = (0..strands().next().map_or(0, |strand| strand.samples.len()))
            .map(|sample| TaskSet::union_of(strands().map(|strand| &strand.samples[sample])).len());
        let progress = |units: &mut dyn Iterator<Item = usize>| {
            let mut least = f64::INFINITY;
            for unit in units {
                least = least.min(self.hindmost.progress[unit]?);
            }
            least.is_finite().then_some(least)
        };
        TreeNode {
            parent: next.parent,
            depth: if self.nodes.is_empty() {
                0
            } else {
                self.nodes[next.parent].depth + 1
            },
            children: Vec::new(),
            kind: match own.map(|look| look.label.kind) {
                _ if group.here => NodeKind::Here,
                None => NodeKind::Root,
                Some(LabelKind::Frame) => NodeKind::Frame,
                Some(LabelKind::Threads) => NodeKind::Threads,
                Some(LabelKind::Unreadable) => NodeKind::Unreadable,
                Some(LabelKind::Missing) => NodeKind::Missing,
            },
            // MPI's profiling interface gives every function a second name; the program wrote the first.
            function: own
                .map(|look| crate::readable::readable(base::mpi_name(look.label.function)))
                .unwrap_or_default(),
            qualified: None,
            file: own.and_then(|look| look.label.file).map(str::to_owned),
            line: own.map(|look| look.label.line).filter(|&line| line > 0),
            column: own.map(|look| look.label.column).filter(|&column| column > 0),
            module: own.and_then(|look| look.label.module).map(str::to_owned),
            pc: own.and_then(|look| look.label.pc),
            inlined: own.is_some_and(|look| look.label.inlined),
            values: own.map(values).unwrap_or_default(),
            points: strands().map(|strand| strand.points).sum(),
            tasks: self.tasks(group),
            stacks: strands().map(|strand| strand.stacks).sum(),
            samples: samples.collect(),
            temporal: next.temporal.clone(),
            mark: next.mark,
            siblings: next.siblings.clone(),
            progress: progress(&mut self.units(group)),
            hindmost: self.units(group).any(|unit| self.hindmost.named.contains(&unit)),
            class: None,
            color: 0,
        }
    }

    /// The nodes below one, least progressed first.
    fn children(&mut self, node: usize, group: &Group) -> Vec<Pending> {
        let mut by_look: BTreeMap<Option<&Look<'a>>, Vec<usize>> = BTreeMap::new();
        for &strand in group.strands.iter().filter(|_| !group.here) {
            let next = self.strands[strand].path.get(group.depth);
            by_look.entry(next).or_default().push(strand);
        }
        if by_look.keys().all(Option::is_none) {
            return Vec::new();
        }
        let groups = by_look.into_iter().map(|(look, strands)| Group {
            strands,
            depth: group.depth + usize::from(look.is_some()),
            here: look.is_none(),
        });
        let (groups, aside): (Vec<Group>, Vec<Group>) =
            groups.partition(|group| self.units(group).next().is_some());
        let class = self.nodes[node].temporal.clone();
        let is_ordered = groups.len() > 1 && (self.may_order)(class.as_deref().unwrap_or_default());
        let ranking = if is_ordered {
            self.ranking(&groups)
        } else {
            Ranking {
                marks: vec![Mark::None; groups.len()],
                sequence: (0..groups.len()).collect(),
            }
        };
        let step = is_ordered.then(|| self.step(node, &groups, &ranking));
        let mut pending: Vec<Pending> = Vec::new();
        for (place, &at) in ranking.sequence.iter().enumerate() {
            pending.push(Pending {
                group: Group {
                    strands: groups[at].strands.clone(),
                    ..groups[at]
                },
                parent: node,
                temporal: match ranking.marks[at] {
                    Mark::None => class.clone(),
                    Mark::Ranked(rank) => Some(below(class.as_deref(), &rank.to_string())),
                    Mark::Incomparable(rank) => Some(below(class.as_deref(), &format!("{rank}~"))),
                    Mark::Unknown => Some(below(class.as_deref(), "?")),
                },
                mark: ranking.marks[at],
                step,
                siblings: if is_ordered {
                    self.siblings(&groups, &ranking, place)
                } else {
                    Vec::new()
                },
            });
        }
        pending.extend(aside.into_iter().map(|group| Pending {
            group,
            parent: node,
            temporal: None,
            mark: Mark::None,
            step: None,
            siblings: Vec::new(),
        }));
        pending
    }

    fn ranking(&self, groups: &[Group]) -> Ranking {
        let count = groups.len();
        let table: Vec<Relation> = (0..count * count)
            .map(|at| match (at / count, at % count) {
                (a, b) if a == b => Relation::Equal,
                (a, b) => self.relate(&groups[a], &groups[b]).0,
            })
            .collect();
        rank::rank(count, &|a, b| table[a * count + b], &|a| {
            self.tasks(&groups[a]).len()
        })
    }

    fn step(&mut self, node: usize, groups: &[Group], ranking: &Ranking) -> usize {
        let pairs = ranking.sequence.windows(2);
        let reasons = pairs
            .map(|pair| self.sentence(&groups[pair[0]], &groups[pair[1]]).1)
            .collect();
        self.steps.push(RefinementStep {
            class: self.nodes[node].temporal.clone().unwrap_or_default(),
            node,
            branches: Vec::new(),
            reasons,
        });
        self.steps.len() - 1
    }

    /// How the sibling at a place stands to the next one, and to all later ones with which something is not decided.
    fn siblings(&self, groups: &[Group], ranking: &Ranking, place: usize) -> Vec<Sibling> {
        let own = &groups[ranking.sequence[place]];
        let later = ranking.sequence.iter().enumerate().skip(place + 1);
        let related = later.map(|(at, &other)| (at, &groups[other], self.relate(own, &groups[other]).0));
        let told = related.filter(|&(at, _, relation)| {
            at == place + 1 || matches!(relation, Relation::Incomparable | Relation::Unknown)
        });
        told.take(MOST_SIBLINGS)
            .map(|(node, other, relation)| {
                let (_, reason, reason_code) = self.sentence(own, other);
                Sibling {
                    node,
                    relation,
                    reason,
                    reason_code: reason_code.map(Cow::Borrowed),
                }
            })
            .collect()
    }

    /// How all units of one group stand to all of another, and the pair that shows it: two pairs, if they differ.
    fn relate(&self, a: &Group, b: &Group) -> (Relation, Option<[(usize, usize); 2]>) {
        let mut shown: Option<(usize, usize)> = None;
        for x in self.units(a) {
            for y in self.units(b) {
                match shown {
                    None => shown = Some((x, y)),
                    Some((p, q)) if self.points.relation(p, q) != self.points.relation(x, y) => {
                        return (Relation::Unknown, Some([(p, q), (x, y)]));
                    }
                    Some(_) => {}
                }
            }
        }
        match shown {
            Some((x, y)) => (self.points.relation(x, y), Some([(x, y), (x, y)])),
            None => (Relation::Unknown, None),
        }
    }

    /// How two groups stand to each other, and why, as a sentence and as a word if one comparison shows it.
    fn sentence(&self, a: &Group, b: &Group) -> (Relation, String, Option<&'static str>) {
        let (relation, shown) = self.relate(a, b);
        let (sentence, code) = match shown {
            None => (String::new(), None),
            Some([first, second]) if first == second => self.points.reason(first.0, first.1),
            Some([(a, b), (x, y)]) => (
                format!(
                    "not all execution points below them stand alike: one pair {} ({}), another {} ({})",
                    says(self.points.relation(a, b)),
                    self.points.reason(a, b).0,
                    says(self.points.relation(x, y)),
                    self.points.reason(x, y).0
                ),
                None,
            ),
        };
        (relation, sentence, code)
    }

    fn units(&self, group: &Group) -> impl Iterator<Item = usize> {
        group
            .strands
            .iter()
            .filter_map(|&strand| self.strands[strand].unit)
    }

    fn tasks(&self, group: &Group) -> TaskSet {
        TaskSet::union_of(group.strands.iter().map(|&strand| &self.strands[strand].tasks))
    }
}

fn says(relation: Relation) -> &'static str {
    match relation {
        Relation::Before => "is behind",
        Relation::After => "is ahead",
        Relation::Equal => "is equal",
        Relation::Incomparable => "has no order",
        Relation::Unknown => "has an order that is not known",
    }
}

/// The temporal ranks of a branch.
fn below(class: Option<&str>, rank: &str) -> String {
    match class {
        None => format!("T{rank}"),
        Some(class) => format!("{class}.{rank}"),
    }
}

fn values(look: &Look<'_>) -> Vec<NodeValue> {
    let values = look.label.values.iter().zip(&look.last);
    values
        .map(|(&(name, first), &last)| NodeValue {
            name: name.to_owned(),
            first: value_of(first),
            last: last.and_then(value_of),
        })
        .collect()
}
