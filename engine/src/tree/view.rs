//! The whole of it: execution points, their order, the steps that the user wants, and the hindmost.

use super::build::{Builder, Built};
use super::points::Points;
use super::samples::SampleEnds;
use super::{JobTree, OrderedTree, Refine, TreeNode, TreeOptions, rank, samples, shape};
use crate::Relation;
use progress::Order;
use progress_map::Map;
use stacktree::{Granularity, NodeId};
use std::collections::BTreeMap;

impl JobTree {
    /// The tree with the order of its branches.
    pub fn ordered(&self, map: &Map, options: &TreeOptions) -> OrderedTree {
        let name = |node: NodeId| match self.tree.ends(node).first() {
            Some(task) => self
                .names
                .name(task)
                .map_or_else(|| task.to_string(), str::to_owned),
            None => String::new(),
        };
        let points = Points::new(Order::new(map), &self.tree, &name);
        let ends = samples::ends(self);
        let hindmost = Hindmost::of(&points, &ends);
        let build = |refined: &dyn Fn(Option<usize>, usize) -> bool, may: &dyn Fn(&str) -> bool| {
            // What is not ordered is shown as STAT would: without the values, which only the order needs.
            let fineness = |unit: Option<usize>, depth: usize| {
                if refined(unit, depth) {
                    options.granularity
                } else {
                    options.granularity.min(Granularity::Line)
                }
            };
            let strands = shape::strands(&self.tree, &points, &ends, &fineness);
            Builder::new(&points, &strands, &hindmost, may).build()
        };
        let whole = || build(&|_, _| true, &|_| true);
        let mut built = match &options.refine {
            Refine::All => whole(),
            Refine::Nothing => build(&|_, _| false, &|_| false),
            Refine::Classes(classes) => {
                let wanted = |class: &str| {
                    let leads_to = |each: &String| {
                        each == class || each.strip_prefix(class).is_some_and(|rest| rest.starts_with('.'))
                    };
                    class.is_empty() || classes.iter().any(leads_to)
                };
                // A frame is refined as far as the branching points on its way are.
                let depths = refined_depths(&points, &whole(), &wanted);
                build(
                    &|unit, depth| unit.is_none_or(|unit| depth < depths[unit]),
                    &wanted,
                )
            }
        };
        color(&mut built.nodes);
        self.qualified.name(&mut built.nodes, map);
        OrderedTree {
            nodes: built.nodes,
            classes: built.classes,
            names: self.names.clone(),
            granularity: options.granularity,
            steps: built.steps,
            undecided: hindmost.undecided,
            changes: samples::changes(self, &ends),
            programs: self.programs.clone(),
        }
    }
}

/// For each unit the number of its frames that the wanted steps order.
fn refined_depths(points: &Points<'_>, built: &Built, wanted: &dyn Fn(&str) -> bool) -> Vec<usize> {
    let mut depths = vec![0; points.units.len()];
    for (class, &unit) in built.classes.iter().zip(&built.units) {
        let mut path = vec![&built.nodes[class.node]];
        while let Some(top) = path.last()
            && top.depth > 0
        {
            path.push(&built.nodes[top.parent]);
        }
        path.reverse();
        // From the root down to the first branching point that nobody wants ordered.
        let stop = path.iter().position(|node| {
            node.children.len() > 1 && !wanted(node.temporal.as_deref().unwrap_or_default())
        });
        depths[unit] = stop.unwrap_or(usize::MAX);
    }
    depths
}

/// Gives nodes with the same tasks the same number.
fn color(nodes: &mut [TreeNode]) {
    let mut known: BTreeMap<Vec<(u32, u32)>, usize> = BTreeMap::new();
    for node in nodes {
        let next = known.len();
        node.color = *known.entry(node.tasks.ranges()).or_insert(next);
    }
}

/// The hindmost units, by the rule of `progress::Classes::hindmost`.
pub(crate) struct Hindmost {
    pub(crate) named: Vec<usize>,
    pub(crate) undecided: Option<String>,
    /// How far each unit is, from 0 to 1; `None` when its order to some other is not known.
    pub(crate) progress: Vec<Option<f64>>,
}

impl Hindmost {
    /// Of several samples, where no task is any more in the last one nobody is behind.
    fn of(points: &Points<'_>, ends: &SampleEnds) -> Self {
        let is_here = |unit: usize| {
            let mut leaves = points.units[unit].leaves.iter();
            ends.last().is_none_or(|last| {
                leaves.any(|&leaf| {
                    last.get(&points.leaves.nodes[leaf])
                        .is_some_and(|tasks| !tasks.is_empty())
                })
            })
        };
        let all_placed: Vec<usize> = (0..points.units.len())
            .filter(|&unit| points.is_placed(unit))
            .collect();
        let placed: Vec<usize> = all_placed.iter().copied().filter(|&unit| is_here(unit)).collect();
        let relation = |a: usize, b: usize| points.relation(a, b);
        let minimal: Vec<usize> = placed
            .iter()
            .copied()
            .filter(|&a| !placed.iter().any(|&b| relation(b, a) == Relation::Before))
            .collect();
        let doubt = minimal.iter().find_map(|&a| {
            let unknown = |&&b: &&usize| a < b && relation(a, b) == Relation::Unknown;
            minimal.iter().find(unknown).map(|&b| points.reason(a, b).0)
        });
        let own = minimal.iter().find_map(|&a| points.units[a].disorder.clone());
        let undecided = if points.order.map().functions.is_empty() {
            Some("there is no map of the program".to_owned())
        } else if placed.is_empty() {
            Some("no stack could be placed in the map".to_owned())
        } else if let Some(doubt) = own.or(doubt) {
            Some(doubt)
        } else if minimal.len() == placed.len() {
            let equal = minimal
                .iter()
                .all(|&a| relation(a, minimal[0]) == Relation::Equal);
            Some(if equal {
                "all tasks are at one point".to_owned()
            } else {
                "the tasks are on branches that do not follow each other".to_owned()
            })
        } else {
            None
        };
        // How far a point is does not depend on who is there.
        let placed = all_placed;
        let depths = rank::depths(placed.len(), &|a, b| relation(placed[a], placed[b]));
        let most = depths.iter().copied().max().unwrap_or(0);
        let mut progress = vec![None; points.units.len()];
        for (&unit, depth) in placed.iter().zip(depths) {
            let known = placed
                .iter()
                .all(|&other| relation(unit, other) != Relation::Unknown);
            progress[unit] = (known && most > 0).then(|| depth as f64 / most as f64);
        }
        Self {
            named: if undecided.is_none() { minimal } else { Vec::new() },
            undecided,
            progress,
        }
    }
}
