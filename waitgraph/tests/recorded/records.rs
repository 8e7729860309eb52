//! What a recorder in each task of an interpreted job would have written.

use super::machine::{CollectiveKind, Machine, Message, Request, Statement};
use std::collections::BTreeMap;
use std::sync::Arc;
use waitgraph::Rank;
use waitgraph::recorded::{
    Channel, Collective, From, How, Identity, Item, Needs, Neighbours, Presence, Receive, Recorded, Waits,
};

impl Machine {
    fn receive(&self, index: usize) -> Receive {
        let posted = &self.posted[index];
        self.receive_of(posted.communicator, posted.from, posted.tag)
    }

    fn receive_of(&self, communicator: usize, from: Option<usize>, tag: Option<i64>) -> Receive {
        let members = self.members[communicator].iter();
        Receive {
            communicator: Identity(communicator as u64),
            from: match from {
                Some(from) => From::Rank(Rank(from as u32)),
                None => From::AnyOf(members.map(|&member| Rank(member as u32)).collect()),
            },
            tag,
        }
    }

    fn under_way(&self, task: usize) -> Vec<usize> {
        let all = 0..self.posted.len();
        all.filter(|&index| self.posted[index].task == task && !self.posted[index].seen)
            .collect()
    }

    fn item(&self, task: usize, request: &Request) -> Item {
        match request {
            Request::Receive(index) => Item::Message {
                receive: self.receive(*index),
                before: self
                    .under_way(task)
                    .into_iter()
                    .filter(|each| each < index)
                    .count(),
            },
            Request::Send(index) => {
                let message = &self.messages[*index];
                let same = |other: &&Message| {
                    (other.communicator, other.from, other.to, other.tag)
                        == (message.communicator, message.from, message.to, message.tag)
                };
                Item::Delivery {
                    channel: channel(message.communicator, message.to, message.tag),
                    number: self.messages[..=*index].iter().filter(same).count() as u64,
                }
            }
        }
    }

    pub(crate) fn record(&self, task: usize) -> Recorded {
        let collective = |c: usize, kind: CollectiveKind, root: usize| Collective {
            communicator: Identity(c as u64),
            members: self.members[c]
                .iter()
                .map(|&member| Rank(member as u32))
                .collect(),
            ordinal: self.entered[task][c],
            operation: kind as u32,
            root: matches!(kind, CollectiveKind::Bcast | CollectiveKind::Reduce).then_some(Rank(root as u32)),
            bytes: None,
            reduction: None,
            needs: match kind {
                CollectiveKind::Barrier => Needs::All,
                CollectiveKind::Bcast => Needs::Root(Rank(root as u32)),
                CollectiveKind::Reduce if root == task => Needs::All,
                CollectiveKind::Reduce | CollectiveKind::Manages => Needs::Nothing,
                CollectiveKind::Scan => Needs::Lower,
                CollectiveKind::Neighbours => {
                    let of = &self.sources[c];
                    let others = self.members[c].iter().copied();
                    let others = others.filter(|other| {
                        *other != task && of[*other].contains(&task) && !of[task].contains(other)
                    });
                    let ranks = |list: Vec<usize>| list.into_iter().map(|rank| Rank(rank as u32)).collect();
                    Needs::Neighbours(Arc::new(Neighbours {
                        sources: ranks(of[task].clone()),
                        others: ranks(others.collect()),
                    }))
                }
            },
        };
        let items = |requests: &[Request]| {
            requests
                .iter()
                .map(|request| self.item(task, request))
                .collect::<Vec<_>>()
        };
        // A request that is complete is still recorded as under way, and one that MPI has completed at once as well.
        let pending = |requests: &[Request]| {
            let waiting = requests
                .iter()
                .filter(|request| !matches!(request, Request::Send(_)) || !self.is_complete(request));
            waiting.cloned().collect::<Vec<_>>()
        };
        let mut inside = Vec::new();
        let mut waits_of = |thread: usize| match self.step(thread).filter(|_| self.inside[thread]) {
            None | Some(Statement::Work | Statement::Isend(..) | Statement::Ireceive(..)) => Waits::Nothing,
            Some(Statement::Send(..) | Statement::Receive(..) | Statement::Exchange(..)) => {
                Waits::All(items(&pending(&self.own[thread])))
            }
            Some(Statement::WaitAll) => Waits::All(items(&pending(&self.requests[thread]))),
            Some(Statement::WaitAny)
                if pending(&self.requests[thread]).len() < self.requests[thread].len() =>
            {
                Waits::Nothing
            }
            Some(Statement::WaitAny) => Waits::One(items(&self.requests[thread])),
            Some(Statement::Probe(c, from, tag)) => Waits::All(vec![Item::Message {
                receive: self.receive_of(*c, *from, *tag),
                before: self.under_way(task).len(),
            }]),
            Some(Statement::Collective(c, kind, root)) => {
                inside.push(collective(*c, *kind, *root));
                Waits::All(vec![Item::Collective(collective(*c, *kind, *root))])
            }
        };
        let threads = self.threads(task);
        // A thread that has called nothing is in no record.
        let (silent, called): (Vec<usize>, Vec<usize>) = threads
            .iter()
            .partition(|&&thread| threads.len() > 1 && self.is_silent(thread));
        let waits = called
            .iter()
            .map(|&thread| (waits_of(thread), How::Blocked))
            .collect();
        let mut sent: BTreeMap<Channel, u64> = BTreeMap::new();
        let mut received: BTreeMap<Channel, u64> = BTreeMap::new();
        for message in self.messages.iter().filter(|message| message.from == task) {
            *sent
                .entry(channel(message.communicator, message.to, message.tag))
                .or_default() += 1;
        }
        for posted in self
            .posted
            .iter()
            .filter(|posted| posted.task == task && posted.seen)
        {
            let message = &self.messages[posted.matched.expect("it is seen")];
            *received
                .entry(channel(message.communicator, message.from, message.tag))
                .or_default() += 1;
        }
        Recorded {
            rank: Rank(task as u32),
            presence: if threads.iter().all(|&thread| self.is_done(thread)) {
                Presence::Gone
            } else {
                Presence::Present
            },
            threads: waits,
            sent,
            delivered: BTreeMap::new(),
            received,
            given: BTreeMap::new(),
            used: BTreeMap::new(),
            locks: Vec::new(),
            posted: self
                .under_way(task)
                .into_iter()
                .map(|index| self.receive(index))
                .collect(),
            entered: (0..self.members.len())
                .map(|c| (Identity(c as u64), self.entered[task][c]))
                .collect(),
            has_freed: false,
            inside,
            divisions: Vec::new(),
            is_partial: false,
            taken: BTreeMap::new(),
            may_be_joined: !silent.is_empty(),
        }
    }
}

pub(crate) fn channel(communicator: usize, peer: usize, tag: i64) -> Channel {
    Channel {
        communicator: Identity(communicator as u64),
        peer: Rank(peer as u32),
        tag,
    }
}
