//! For whom the threads of a task wait, and for what.

use super::absence::Absent;
use super::need::Need;
use super::world::{World, received, sent_to};
use super::{Edge, Why};
use crate::recorded::{From, Item, Presence, Receive, Recorded, Waits};
use crate::state::Rank;
use crate::whom::Whom;
use crate::{Certainty, certainty_of};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many messages that fit somebody has sent, and which that nobody asks for: tags, and how many.
type Sent = (u64, Vec<(i64, u64)>);

impl World<'_> {
    /// Whether a thread of the task waits for nothing that others have to do, or nobody knows of one that does.
    pub(super) fn goes_on(&self, task: &Recorded) -> bool {
        let mut threads = task.threads.iter();
        task.threads.is_empty()
            || threads.any(|(waits, _)| self.need(task, waits, Certainty::Proven) == Need::Nothing)
    }

    /// For whom the threads of a task wait, each for itself: that another one goes on ends no wait.
    pub(super) fn edges(&self, task: &Recorded) -> Vec<Edge> {
        let mut edges = Vec::new();
        if task.presence == Presence::Gone {
            return edges;
        }
        for (thread, (waits, how)) in task.threads.iter().enumerate() {
            if self.need(task, waits, Certainty::Proven) == Need::Nothing {
                continue;
            }
            let several = match waits {
                Waits::Nothing | Waits::All(_) => false,
                Waits::One(items) | Waits::Some(items) => {
                    let open = |item: &&Item| self.need_of(task, item, Certainty::Proven) != Need::Nothing;
                    items.iter().filter(open).count() > 1
                }
            };
            for item in waits.items() {
                let found = self.edges_of(task, item, several).into_iter();
                edges.extend(found.map(|(on, why, certainty)| Edge {
                    waiter: task.rank,
                    thread,
                    on,
                    why,
                    how: *how,
                    certainty: certainty.min(certainty_of(*how)),
                }));
            }
        }
        edges
    }

    fn edges_of(&self, task: &Recorded, item: &Item, several: bool) -> Vec<(Whom, Why, Certainty)> {
        if matches!(
            item,
            Item::Message { .. } | Item::Delivery { .. } | Item::Signal(_) | Item::Lock(_)
        ) && self.need_of(task, item, Certainty::Proven) == Need::Nothing
        {
            return Vec::new();
        }
        match item {
            Item::Unknown => Vec::new(),
            Item::Message { receive, before } => {
                let messages = self.messages(task, receive, *before, several);
                let edge = |(on, why)| (on, why, Certainty::Proven);
                messages.into_iter().map(edge).collect()
            }
            Item::Delivery { channel, number } => {
                let taken = self.taken(task.rank, channel).unwrap_or(0);
                let why = Why::Delivery {
                    channel: *channel,
                    number: *number,
                    taken,
                };
                vec![([channel.peer].into(), why, one_of(several))]
            }
            Item::Signal(signals) => {
                let (given, used) = self.signals(task, signals).unwrap_or((0, 0));
                let why = Why::Signal {
                    window: signals.window,
                    signal: signals.signal,
                    number: used + 1,
                    given,
                };
                vec![([signals.peer].into(), why, one_of(several))]
            }
            Item::Lock(lock) => {
                let holders = self.holders(task, lock);
                vec![(holders.into(), Why::Lock(*lock), Certainty::Probable)]
            }
            Item::Collective(collective) => {
                let absent = self.absent(task.rank, collective);
                let edge = |group: &Absent| {
                    let (collective, entered) = (collective.clone(), group.entered);
                    let why = Why::Entry { collective, entered };
                    (Whom::all(Arc::clone(&group.ranks)), why, group.certainty)
                };
                absent.iter().map(edge).collect()
            }
        }
    }

    /// Whose messages a receive waits for; those who have sent the same together.
    fn messages(&self, task: &Recorded, receive: &Receive, before: usize, several: bool) -> Vec<(Whom, Why)> {
        let why = |number: Option<u64>, (sent, unwanted): Sent, alternatives: bool| Why::Message {
            communicator: receive.communicator,
            tag: receive.tag,
            number,
            sent,
            unwanted,
            alternatives,
        };
        let list = match &receive.from {
            From::Rank(sender) => {
                let number = receive.tag.map(|tag| {
                    let earlier = self.takers(task, before, receive.communicator, *sender, tag);
                    received(task, receive.communicator, *sender, tag) + earlier.count + 1
                });
                let sent = self.sent_by(*sender, task, receive);
                return vec![([*sender].into(), why(number, sent, several))];
            }
            From::AnyOf(list) => list,
        };
        // Most have sent nothing that fits, and nothing else; they share the list.
        let mut alike: BTreeMap<Sent, Vec<Rank>> = BTreeMap::new();
        let mut others = vec![task.rank];
        for sender in self.senders_among(task.rank, receive.communicator, list) {
            let sent = self.sent_by(sender, task, receive);
            if sender != task.rank && sent != (0, Vec::new()) {
                alike.entry(sent).or_default().push(sender);
                others.push(sender);
            }
        }
        others.sort_unstable();
        let mut silent = Whom::without(Arc::clone(list), others);
        if silent.is_empty() && alike.is_empty() {
            // Nobody else is there to send.
            silent = Whom::all(Arc::clone(list));
        }
        let alternatives = several || list.iter().filter(|rank| **rank != task.rank).nth(1).is_some();
        let silent = Some(((0, Vec::new()), silent)).filter(|(_, whom)| !whom.is_empty());
        let alike = alike.into_iter().map(|(sent, ranks)| (sent, Whom::from(ranks)));
        let all = silent.into_iter().chain(alike);
        all.map(|(sent, whom)| (whom, why(None, sent, alternatives)))
            .collect()
    }

    /// What the sender has sent that a receive takes, and what over the same communicator that was not received and that no posted receive takes.
    fn sent_by(&self, sender: Rank, task: &Recorded, receive: &Receive) -> Sent {
        let (mut fitting, mut unwanted) = (0, Vec::new());
        let over = receive.communicator;
        let other = self.recorded(sender);
        for (tag, sent) in other
            .into_iter()
            .flat_map(|other| sent_to(other, task.rank, over))
        {
            if receive.tag.is_none_or(|wanted| wanted == tag) {
                fitting += sent;
            }
            let posted = self.takers(task, usize::MAX, over, sender, tag).count;
            let left = sent.saturating_sub(received(task, over, sender, tag) + posted);
            if left > 0 && !receive.takes(over, sender, tag) {
                unwanted.push((tag, left));
            }
        }
        (fitting, unwanted)
    }
}

/// How certain it is that a task waits for this one thing. Of several one is enough, or one at least is missing: nobody knows which.
fn one_of(several: bool) -> Certainty {
    if several {
        Certainty::Probable
    } else {
        Certainty::Proven
    }
}
