//! The shortest way that leads from a task that is named to one that was passed on it.
//!
//! The walk has reached each task from one other, so that the ways to all of them are a tree. A wait leads back if the one that is waited for stands above the one that waits. Whether it does
//! is asked in one pass down that tree, which knows at each task who and which classes are above it: following each way up for each wait would take the square of the tasks where a ring
//! is as long as the job, and all wait in one collective call for all others.

use super::tasks::{Standing, Tasks};
use super::walk::Walk;
use std::collections::{BTreeMap, BTreeSet};

/// The way, and where on it the last one leads back to; each on it certainly waits for the next.
pub(super) fn of(walk: &Walk, tasks: &Tasks<'_, '_>) -> Option<(Vec<usize>, usize)> {
    let lead_back = leading_back(walk, tasks);
    // They were reached nearest first.
    let from = *walk.order.iter().find(|at| lead_back.contains(at))?;
    let (path, _) = walk.path(from);
    let to = match tasks.standing(from) {
        Standing::Entry { classes, .. } => classes.iter().find_map(|&class| {
            let of_class = path.iter().filter(|&&at| tasks.class(at) == class);
            of_class.min().copied()
        }),
        _ => {
            let whom = walk.back.get(&from)?.iter();
            whom.copied().find(|to| path.contains(to))
        }
    }?;
    let start = path.iter().position(|&at| at == to)?;
    Some((path, start))
}

/// What the pass down the tree does next.
enum Step {
    Enter(usize),
    Leave(usize),
}

/// Those that wait for one above them, or for themselves, where each on the way to them certainly waits for the next.
fn leading_back(walk: &Walk, tasks: &Tasks<'_, '_>) -> BTreeSet<usize> {
    let mut below: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut steps = Vec::new();
    for &at in &walk.order {
        match walk.reached.get(&at) {
            Some(Some((from, true))) => below.entry(*from).or_default().push(at),
            Some(None) => steps.push(Step::Enter(at)),
            Some(Some((_, false))) | None => {}
        }
    }
    let mut found = BTreeSet::new();
    let mut above: BTreeSet<usize> = BTreeSet::new();
    let mut classes_above: BTreeMap<usize, usize> = BTreeMap::new();
    while let Some(step) = steps.pop() {
        match step {
            Step::Enter(at) => {
                above.insert(at);
                *classes_above.entry(tasks.class(at)).or_default() += 1;
                let leads_back = match tasks.standing(at) {
                    Standing::Entry { classes, .. } => {
                        classes.iter().any(|class| classes_above.contains_key(class))
                    }
                    _ => {
                        let mut whom = walk.back.get(&at).into_iter().flatten();
                        whom.any(|to| above.contains(to))
                    }
                };
                if leads_back {
                    found.insert(at);
                }
                steps.push(Step::Leave(at));
                steps.extend(below.remove(&at).into_iter().flatten().map(Step::Enter));
            }
            Step::Leave(at) => {
                above.remove(&at);
                let class = tasks.class(at);
                match classes_above.get_mut(&class) {
                    Some(count) if *count > 1 => *count -= 1,
                    _ => {
                        classes_above.remove(&class);
                    }
                }
            }
        }
    }
    found
}
