//! From those that are named to those whom they wait for, and on to the end.

use super::tasks::{Service, Standing, Tasks};
use super::{Awaited, ChainEnd, Culprit, ToldBy, Wait, WaitsFor, cycle};
use crate::Who;
use crate::answer::Certainty;
use crate::assemble::first_task;
use base::RankSet;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// From whom a task was reached, and whether that one certainly waits for it; `None` for those that are named.
pub(super) type Via = Option<(usize, bool)>;

/// The tasks that can be reached from those that are named, by what they wait for; nearest first.
#[derive(Default)]
pub(super) struct Walk {
    pub(super) reached: BTreeMap<usize, Via>,
    /// Those that were reached, nearest first.
    pub(super) order: Vec<usize>,
    pub(super) queue: VecDeque<usize>,
    pub(super) free: Vec<usize>,
    /// Who waits, and who stands in the operation that it waits for.
    pub(super) served: Vec<(usize, usize)>,
    /// Who waits for ranks of which there is no task.
    pub(super) unseen: Vec<(usize, u32)>,
    /// Who waits, and nothing tells for whom.
    pub(super) not_told: Vec<usize>,
    pub(super) not_known: Vec<usize>,
    /// The classes of which all tasks were reached. A thousand tasks that wait in a collective call for a thousand others would lead to each of these a thousand times.
    whole_classes: BTreeSet<usize>,
    /// Whom a task certainly waits for that was reached before, by the arguments of its call.
    pub(super) back: BTreeMap<usize, Vec<usize>>,
}

/// Whether a task that is reached was so before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reached {
    Before,
    Now,
}

impl Walk {
    /// A task is reached; whether that was so before.
    pub(super) fn reach(&mut self, at: usize, from: Via) -> Reached {
        if self.reached.contains_key(&at) {
            return Reached::Before;
        }
        self.reached.insert(at, from);
        self.order.push(at);
        self.queue.push_back(at);
        Reached::Now
    }

    pub(super) fn follow(&mut self, tasks: &Tasks<'_, '_>) {
        while let Some(at) = self.queue.pop_front() {
            match tasks.standing(at) {
                Standing::Free { .. } | Standing::Halted(_) => self.free.push(at),
                _ if tasks.is_at_entry(at) => self.free.push(at),
                Standing::NotKnown => self.not_known.push(at),
                // Of those whose message it could take one is enough.
                Standing::Anybody { .. } => match tasks.server_of(at) {
                    Some(server) => self.served.push((at, server)),
                    None => self.not_told.push(at),
                },
                Standing::Waits { .. } => self.not_told.push(at),
                Standing::Ranks { ranks, each, .. } => {
                    for &rank in ranks {
                        match tasks.by_rank.get(&rank) {
                            None => self.unseen.push((at, rank)),
                            // Who probes for what the first one sends is kept by nobody, either.
                            Some(&next) => match tasks.service(next, at) {
                                Service::Given => self.served.push((at, next)),
                                _ if tasks.service(at, next) == Service::Given => {
                                    self.served.push((at, next));
                                }
                                service => {
                                    let certain = *each && service == Service::Not;
                                    if self.reach(next, Some((at, certain))) == Reached::Before && certain {
                                        self.back.entry(at).or_default().push(next);
                                    }
                                }
                            },
                        }
                    }
                }
                Standing::Entry { classes, .. } => {
                    let new = classes.iter().filter(|&&class| self.whole_classes.insert(class));
                    let new = Vec::from_iter(new.flat_map(|&class| tasks.of_class(class)));
                    for next in new {
                        self.reach(next, Some((at, true)));
                    }
                }
            }
        }
    }

    /// From a task that is named to this one, and whether each of them certainly waits for the next.
    pub(super) fn path(&self, to: usize) -> (Vec<usize>, bool) {
        let (mut path, mut certain) = (vec![to], true);
        let mut at = to;
        while let Some(Some((from, is_certain))) = self.reached.get(&at) {
            path.push(*from);
            certain &= is_certain;
            at = *from;
        }
        path.reverse();
        (path, certain)
    }

    pub(super) fn result(&self, tasks: &Tasks<'_, '_>) -> Option<Awaited> {
        if let Some(&first) = self.free.first() {
            let (path, certain) = self.path(first);
            let whole = matches!(
                tasks.standing(first),
                Standing::Free { whole: true } | Standing::Halted(_)
            );
            let certainty = if certain && whole && self.free.len() == 1 {
                Certainty::Proven
            } else {
                Certainty::Probable
            };
            let culprit = culprit(tasks, &self.free, (ToldBy::Arguments, certainty));
            return Some(Awaited {
                chain: self.chain(tasks, &path[..path.len() - 1], path.last().copied()),
                end: ChainEnd::Culprit(culprit),
            });
        }
        if let Some(&(last, rank)) = self.unseen.first() {
            let ranks = RankSet::from_iter(
                self.unseen
                    .iter()
                    .filter(|(at, _)| *at == last)
                    .map(|(_, rank)| *rank),
            );
            let mut chain = self.chain(tasks, &self.path(last).0, None);
            if let Some(wait) = chain.last_mut() {
                wait.needs = WaitsFor::Task(Who {
                    ranks: RankSet::from_iter([rank]),
                    names: Vec::new(),
                });
            }
            return Some(Awaited {
                chain,
                end: ChainEnd::Unseen(ranks),
            });
        }
        if let Some(served) = self.at_server(tasks) {
            return Some(served);
        }
        if let Some(&last) = self.not_told.first() {
            let (path, certain) = self.path(last);
            let end = match alone_outside(tasks, &self.reached) {
                Some(culprit) => ChainEnd::Culprit(culprit),
                None => ChainEnd::Unknown,
            };
            // That somebody waits is said of each class anyway, and where a chain may lead helps nobody if it leads to no end.
            return (path.len() > 1 && certain || end != ChainEnd::Unknown).then(|| Awaited {
                chain: self.chain(tasks, &path, None),
                end,
            });
        }
        if let Some(&last) = self.not_known.first() {
            let (path, certain) = self.path(last);
            return certain.then(|| Awaited {
                chain: self.chain(tasks, &path[..path.len() - 1], path.last().copied()),
                end: ChainEnd::Unknown,
            });
        }
        // Who waits for one of two that has done its part waits for the other, which may go on.
        let (path, start) = cycle::of(self, tasks)?;
        Some(Awaited {
            chain: self.chain(tasks, &path, path.get(start).copied()),
            end: ChainEnd::Cycle(start),
        })
    }

    /// The nearest one that stands in the operation which somebody waits for, unless it was passed on the way to that one: then the two need each
    /// other's messages, and nothing tells which of them does not go on.
    fn at_server(&self, tasks: &Tasks<'_, '_>) -> Option<Awaited> {
        let mut served = self.served.iter();
        let &(last, server) = served.find(|(_, server)| !self.reached.contains_key(server))?;
        let told = (ToldBy::Served, Certainty::Probable);
        Some(Awaited {
            chain: self.chain(tasks, &self.path(last).0, Some(server)),
            end: ChainEnd::Culprit(culprit(tasks, &[server], told)),
        })
    }

    /// The waits of these tasks, each for the next, and the last one for `last`.
    fn chain(&self, tasks: &Tasks<'_, '_>, path: &[usize], last: Option<usize>) -> Vec<Wait> {
        let next = path.iter().skip(1).copied().map(Some).chain([last]);
        let waits = path.iter().zip(next).map(|(&at, next)| {
            let (call, needs) = match tasks.standing(at) {
                Standing::Ranks { call, ranks, each } => {
                    let of_rank = |rank: &u32| tasks.by_rank.get(rank).copied();
                    let others = Vec::from_iter(
                        ranks
                            .iter()
                            .filter_map(of_rank)
                            .filter(|&rank| Some(rank) != next),
                    );
                    let needs = match next {
                        None => WaitsFor::NotTold,
                        Some(next) if *each => WaitsFor::Task(tasks.who(&[next])),
                        Some(next) => WaitsFor::OneOf(tasks.who(&[next]), tasks.who(&others)),
                    };
                    (call, needs)
                }
                Standing::Entry { call, .. } => (
                    call,
                    next.map_or(WaitsFor::NotTold, |next| WaitsFor::Task(tasks.who(&[next]))),
                ),
                Standing::Anybody { call } => (call, WaitsFor::Anybody),
                Standing::Waits { call } => (call, WaitsFor::NotTold),
                // Nobody is reached from these.
                Standing::Free { .. } | Standing::Halted(_) | Standing::NotKnown => return None,
            };
            let sends = match &needs {
                WaitsFor::Task(_) => next.and_then(|sender| tasks.sends(at, sender)),
                _ => None,
            };
            Some(Wait {
                class: tasks.class(at),
                who: tasks.who(&[at]),
                call: call.clone(),
                needs,
                sends,
            })
        });
        waits.flatten().collect()
    }
}

/// Those who do not wait in MPI, if all others do and these are few.
fn alone_outside(tasks: &Tasks<'_, '_>, reached: &BTreeMap<usize, Via>) -> Option<Culprit> {
    let mut free = Vec::new();
    for at in 0..tasks.all.len() {
        match tasks.standing(at) {
            Standing::Free { .. } | Standing::Halted(_) => free.push(at),
            Standing::NotKnown => return None,
            _ if tasks.is_at_entry(at) => free.push(at),
            _ => {}
        }
    }
    let stand_out = match free[..] {
        [] => false,
        [_] => true,
        _ => 2 * free.len() <= tasks.all.len(),
    };
    (stand_out && !free.iter().any(|at| reached.contains_key(at)))
        .then(|| culprit(tasks, &free, (ToldBy::OnlyOneOutside, Certainty::Probable)))
}

fn culprit(tasks: &Tasks<'_, '_>, free: &[usize], (by, certainty): (ToldBy, Certainty)) -> Culprit {
    let mut classes = Vec::from_iter(free.iter().map(|&at| tasks.class(at)));
    classes.sort_unstable();
    classes.dedup();
    let halted = free.iter().map(|&at| match tasks.standing(at) {
        Standing::Halted(why) => Some(why.clone()),
        _ => None,
    });
    let first = free.first().map(|&at| tasks.task(at));
    Culprit {
        classes,
        who: tasks.who(free),
        first: first.map(first_task).unwrap_or_default(),
        halted: halted.collect::<Vec<_>>().into_iter().next().flatten(),
        by,
        certainty,
    }
}
