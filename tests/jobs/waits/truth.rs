//! What a plan comes to, worked out from the plan alone: all sends are synchronous and all peers are named, so that every schedule ends in the same state.

use super::plan::{LIKELY, Plan, PlanStep, RANKS, bits_of, members, sources};
use std::collections::{BTreeMap, BTreeSet};

/// Where every rank ends, who can never go on, and who waits for whom.
#[derive(Debug)]
pub(crate) struct Truth {
    pub(crate) blocked: BTreeSet<usize>,
    pub(crate) stuck: BTreeSet<usize>,
    /// Who can never go on in these libraries, which hold up whoever is in a constructor of communicators, a call on a file, or one between the sides of an intercommunicator, until
    /// all have come; those of `stuck` included, which no library lets go on.
    pub(crate) held: BTreeSet<usize>,
    pub(crate) edges: BTreeSet<(usize, usize)>,
    /// Those that complete sends and receives together, of which the receives are there: a send may have been complete at once, so that nobody knows what holds them.
    pub(super) unsure: BTreeSet<usize>,
}

type Channel = (usize, usize, usize, usize);

/// Signals of windows are counted like messages of communicators that no plan has: posts, and completes.
const POSTS: usize = 10;
const COMPLETES: usize = 11;

/// What a rank waits for: the `number`-th message of a channel to be sent, or to be asked for, or others to enter a collective operation.
#[derive(Clone, Copy, Debug)]
enum Need {
    Sent(Channel, usize),
    Asked(Channel, usize),
    Entered(usize, usize),
    /// Those of whom it takes to enter an operation among neighbours.
    Given(usize, usize),
    /// The part of this rank to be given back.
    Free(usize),
}

#[derive(Default)]
struct Execution {
    at: Vec<usize>,
    inside: Vec<bool>,
    sent: BTreeMap<Channel, usize>,
    asked: BTreeMap<Channel, usize>,
    entered: BTreeMap<(usize, usize), usize>,
    /// Who has the part of a rank locked.
    locked: BTreeMap<usize, usize>,
    own: Vec<Vec<Need>>,
    pending: Vec<Vec<Need>>,
    /// The peers of the access epoch and of the exposure epoch that are open.
    targets: Vec<Vec<usize>>,
    origins: Vec<Vec<usize>>,
}

impl Execution {
    fn is_met(&self, rank: usize, need: Need) -> bool {
        let count = |map: &BTreeMap<Channel, usize>, channel| map.get(&channel).copied().unwrap_or(0);
        match need {
            Need::Sent(channel, number) => count(&self.sent, channel) >= number,
            Need::Asked(channel, number) => count(&self.asked, channel) >= number,
            Need::Entered(c, number) => self.absent(members(c, rank), c, number).is_empty(),
            Need::Given(c, number) => self.absent(sources(c, rank), c, number).is_empty(),
            Need::Free(target) => !self.locked.contains_key(&target),
        }
    }

    /// Those of these ranks who have entered fewer operations of the communicator.
    fn absent(&self, ranks: Vec<usize>, c: usize, number: usize) -> Vec<usize> {
        let entered = |other: &usize| self.entered.get(&(*other, c)).copied().unwrap_or(0);
        ranks
            .into_iter()
            .filter(|other| entered(other) < number)
            .collect()
    }

    fn send(&mut self, channel: Channel) -> Need {
        let count = self.sent.entry(channel).or_default();
        *count += 1;
        Need::Asked(channel, *count)
    }

    fn ask(&mut self, channel: Channel) -> Need {
        let count = self.asked.entry(channel).or_default();
        *count += 1;
        Need::Sent(channel, *count)
    }

    /// Both libraries wait for posts in start.
    fn enter_epoch(&mut self, what: char, rank: usize, peers: &[usize]) -> Vec<Need> {
        match what {
            'O' => {
                for &origin in peers {
                    self.send((POSTS, rank, origin, 0));
                }
                self.origins[rank] = peers.to_vec();
                Vec::new()
            }
            'T' => {
                self.targets[rank] = peers.to_vec();
                peers
                    .iter()
                    .map(|&target| self.ask((POSTS, target, rank, 0)))
                    .collect()
            }
            'C' => {
                for target in std::mem::take(&mut self.targets[rank]) {
                    self.send((COMPLETES, rank, target, 0));
                }
                Vec::new()
            }
            _ => {
                let origins = std::mem::take(&mut self.origins[rank]);
                origins
                    .iter()
                    .map(|&origin| self.ask((COMPLETES, origin, rank, 0)))
                    .collect()
            }
        }
    }

    fn advance(&mut self, plan: &Plan, rank: usize) -> bool {
        let PlanStep(what, c, peer, tag) = plan[rank][self.at[rank]];
        if matches!(what, 'L' | 'F') {
            return false;
        }
        if !self.inside[rank] {
            self.inside[rank] = true;
            self.own[rank] = match what {
                'S' => vec![self.send((c, rank, peer, tag))],
                'R' => vec![self.ask((c, peer, rank, tag))],
                'I' => {
                    let need = self.send((c, rank, peer, tag));
                    self.pending[rank].push(need);
                    Vec::new()
                }
                'Q' => {
                    let need = self.ask((c, peer, rank, tag));
                    self.pending[rank].push(need);
                    Vec::new()
                }
                // What it sends is small, and complete at once.
                'X' => {
                    self.send((c, rank, peer, tag));
                    vec![self.ask((c, peer, rank, tag))]
                }
                // Nobody waits for a receive that is cancelled, nor for one that is freed, which takes a message all the same.
                'Z' => Vec::new(),
                'Y' => {
                    self.ask((c, peer, rank, tag));
                    Vec::new()
                }
                'W' => std::mem::take(&mut self.pending[rank]),
                'O' | 'T' | 'C' | 'V' => self.enter_epoch(what, rank, &bits_of(peer)),
                'K' | 'N' => vec![Need::Free(peer)],
                'U' => {
                    self.locked.remove(&peer);
                    Vec::new()
                }
                _ => {
                    let count = self.entered.entry((rank, c)).or_default();
                    *count += 1;
                    vec![match what {
                        'G' => Need::Given(c, *count),
                        _ => Need::Entered(c, *count),
                    }]
                }
            };
            return true;
        }
        let needs = std::mem::take(&mut self.own[rank]);
        let done = needs.iter().all(|need| self.is_met(rank, *need));
        if !done {
            self.own[rank] = needs;
            return false;
        }
        if what == 'K' {
            self.locked.insert(peer, rank);
        }
        self.inside[rank] = false;
        self.at[rank] += 1;
        true
    }
}

pub(crate) fn truth(plan: &Plan) -> Truth {
    let mut state = Execution {
        at: vec![0; RANKS],
        inside: vec![false; RANKS],
        own: vec![Vec::new(); RANKS],
        pending: vec![Vec::new(); RANKS],
        targets: vec![Vec::new(); RANKS],
        origins: vec![Vec::new(); RANKS],
        ..Execution::default()
    };
    while (0..RANKS).any(|rank| state.advance(plan, rank)) {}
    let blocked: BTreeSet<usize> = (0..RANKS).filter(|&rank| state.inside[rank]).collect();
    // Whom a rank waits for: each of these has to do something.
    let on = |rank: usize| -> BTreeSet<usize> {
        let unmet = state.own[rank].iter().filter(|need| !state.is_met(rank, **need));
        let peers = unmet.flat_map(|need| match *need {
            Need::Sent((_, from, ..), _) => vec![from],
            Need::Asked((_, _, to, _), _) => vec![to],
            Need::Entered(c, number) => state.absent(members(c, rank), c, number),
            Need::Given(c, number) => state.absent(sources(c, rank), c, number),
            Need::Free(target) => state.locked.get(&target).copied().into_iter().collect(),
        });
        peers.collect()
    };
    let is_gone = |rank: usize| plan[rank][state.at[rank]].0 == 'F';
    // A rank that sleeps may do anything; one in MPI_Finalize does nothing any more.
    let held_beside = |others: &dyn Fn(usize) -> bool| -> BTreeSet<usize> {
        let free = |rank: &usize| others(*rank) || !blocked.contains(rank) && !is_gone(*rank);
        let mut free: BTreeSet<usize> = (0..RANKS).filter(free).collect();
        loop {
            let next = blocked
                .iter()
                .find(|rank| !free.contains(rank) && on(**rank).is_subset(&free));
            let Some(next) = next else {
                break;
            };
            free.insert(*next);
        }
        blocked.difference(&free).copied().collect()
    };
    let is_let_go = |rank: usize| {
        let what = plan[rank][state.at[rank]].0;
        blocked.contains(&rank) && LIKELY.iter().any(|(_, likely)| *likely == what)
    };
    let is_unsure = |rank: &usize| {
        let own = &state.own[*rank];
        let mut unmet = own.iter().filter(|need| !state.is_met(*rank, **need));
        own.iter().any(|need| matches!(need, Need::Sent(..)))
            && unmet.all(|need| matches!(need, Need::Asked(..)))
    };
    Truth {
        unsure: blocked.iter().copied().filter(is_unsure).collect(),
        stuck: held_beside(&is_let_go),
        held: held_beside(&|_| false),
        edges: blocked
            .iter()
            .flat_map(|&rank| on(rank).into_iter().map(move |other| (rank, other)))
            .collect(),
        blocked,
    }
}
