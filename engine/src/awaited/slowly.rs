//! The walk by its definition, for tests: whoever is waited for is asked each time, whoever could serve is looked for among all, and of all ways that lead back each is gone.

use super::cycle;
use super::tasks::{Service, Standing, Tasks};
use super::walk::{Via, Walk};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};

/// In larger jobs the definition takes too long.
const MOST: usize = 100;

#[derive(Debug, Default)]
struct Slow {
    reached: BTreeMap<usize, Via>,
    order: Vec<usize>,
    free: Vec<usize>,
    served: Vec<(usize, usize)>,
    unseen: Vec<(usize, u32)>,
    not_told: Vec<usize>,
    not_known: Vec<usize>,
    /// Who certainly waits for whom, of those waits that lead to a task that was reached before.
    back: Vec<(usize, usize)>,
}

/// That a walk has reached and found what it is to reach and to find.
pub(super) fn check(walk: &Walk, tasks: &Tasks<'_, '_>) {
    if tasks.all.len() > MOST {
        return;
    }
    let named = walk.order.iter().filter(|at| walk.reached[at].is_none());
    let slow = follow(tasks, named.copied());
    assert_eq!((&walk.reached, &walk.order), (&slow.reached, &slow.order));
    assert_eq!((&walk.free, &walk.served), (&slow.free, &slow.served));
    let nowhere = (&walk.unseen, &walk.not_told, &walk.not_known);
    assert_eq!(nowhere, (&slow.unseen, &slow.not_told, &slow.not_known));
    // Of others nobody asks.
    if walk.free.is_empty() {
        assert_eq!(cycle::of(walk, tasks), shortest(walk, &slow.back));
    }
}

fn follow(tasks: &Tasks<'_, '_>, named: impl Iterator<Item = usize>) -> Slow {
    let mut slow = Slow::default();
    let mut queue: VecDeque<(usize, Via)> = named.map(|at| (at, None)).collect();
    slow.reached.extend(queue.iter().copied());
    while let Some((at, _)) = queue.pop_front() {
        slow.order.push(at);
        let mut leads_to: Vec<(usize, bool)> = Vec::new();
        match tasks.standing(at) {
            Standing::Free { .. } | Standing::Halted(_) => slow.free.push(at),
            _ if tasks.is_at_entry(at) => slow.free.push(at),
            Standing::NotKnown => slow.not_known.push(at),
            Standing::Waits { .. } => slow.not_told.push(at),
            Standing::Anybody { .. } => {
                let mut others = (0..tasks.all.len()).filter(|&other| other != at);
                match others.find(|&other| tasks.service(other, at) == Service::Given) {
                    Some(server) => slow.served.push((at, server)),
                    None => slow.not_told.push(at),
                }
            }
            Standing::Ranks { ranks, each, .. } => {
                for &rank in ranks {
                    let Some(&next) = tasks.by_rank.get(&rank) else {
                        slow.unseen.push((at, rank));
                        continue;
                    };
                    let service = tasks.service(next, at);
                    if [service, tasks.service(at, next)].contains(&Service::Given) {
                        slow.served.push((at, next));
                    } else {
                        leads_to.push((next, *each && service == Service::Not));
                    }
                }
            }
            Standing::Entry { classes, .. } => {
                let all = classes.iter().flat_map(|&class| tasks.of_class(class));
                leads_to.extend(all.map(|next| (next, true)));
            }
        }
        for (next, certain) in leads_to {
            let via = Some((at, certain));
            match slow.reached.entry(next) {
                Entry::Occupied(_) => slow.back.extend(certain.then_some((at, next))),
                Entry::Vacant(entry) => {
                    entry.insert(via);
                    queue.push_back((next, via));
                }
            }
        }
    }
    slow
}

fn shortest(walk: &Walk, back: &[(usize, usize)]) -> Option<(Vec<usize>, usize)> {
    let cycles = back.iter().filter_map(|&(from, to)| {
        let (path, certain) = walk.path(from);
        let start = path.iter().position(|&at| at == to).filter(|_| certain)?;
        Some((path, start))
    });
    cycles.min_by_key(|(path, _)| path.len())
}
