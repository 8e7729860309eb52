//! One task's recording, in terms that all tasks share: what its threads wait for, and what it has done.

use super::lists::Lists;
use super::neighbours::is_among_neighbours;
use super::{Collective, How, Identity, Rank, Record, asks, is_partial};
use library::Function;
use recording::layout::{does, peer};
use recording::{Call, Pending, Recording, RequestState};
use std::collections::BTreeMap;
use waitgraph::recorded::{Division, Item, Needs, Peers, Portions, Presence, Receive, Recorded, Waits};

/// One task's recording, in terms that all tasks share.
pub(super) struct Task<'r> {
    pub(super) rank: u32,
    pub(super) record: &'r Record,
    pub(super) operations: &'r [String],
    /// The members of each communicator, once for all tasks.
    pub(super) lists: &'r Lists,
    /// What is under way, once for all that is asked about it.
    under_way: UnderWay,
}

/// A communicator, as the task numbers it, and a destination in it.
type Channel = (Option<u64>, (i64, i64));

/// The requests of a task that are under way, by what is asked about them: when each was begun, in order.
#[derive(Debug, Default)]
struct UnderWay {
    receives: Vec<u64>,
    sends: BTreeMap<Channel, Vec<u64>>,
}

impl<'r> Task<'r> {
    pub(super) fn new(rank: u32, record: &'r Record, operations: &'r [String], lists: &'r Lists) -> Self {
        let mut task = Task {
            rank,
            record,
            operations,
            lists,
            under_way: UnderWay::default(),
        };
        let mut under_way = UnderWay::default();
        for request in task.under_way() {
            if task.receive_of(request).is_some() {
                under_way.receives.push(request.begun);
            }
            let channel = (request.communicator, request.destination);
            under_way.sends.entry(channel).or_default().push(request.begun);
        }
        task.under_way = under_way;
        task
    }

    /// How many sends of a channel under way, by the numbers of the task, were begun after this operation of it.
    pub(super) fn sends_after(&self, begun: u64, communicator: Option<u64>, destination: (i64, i64)) -> u64 {
        let sends = self.under_way.sends.get(&(communicator, destination));
        sends.map_or(0, |sends| {
            sends.len() - sends.partition_point(|other| *other <= begun)
        }) as u64
    }
}

impl Task<'_> {
    pub(super) fn recording(&self) -> &Recording {
        &self.record.recording
    }

    pub(super) fn recorded(&self) -> Recorded {
        let recording = self.recording();
        let (mut sent, mut delivered) = (BTreeMap::new(), BTreeMap::new());
        let mut received = BTreeMap::new();
        let (mut given, mut used) = (BTreeMap::new(), BTreeMap::new());
        for each in &recording.channels {
            if let Some(signals) = self.signals(Some(each.communicator), i64::from(each.peer), each.tag) {
                if each.received {
                    used.insert(signals, each.done);
                } else {
                    given.insert(signals, each.begun);
                }
                continue;
            }
            let Some(channel) = self.channel(Some(each.communicator), i64::from(each.peer), each.tag) else {
                continue;
            };
            if each.received {
                received.insert(channel, each.done);
            } else {
                sent.insert(channel, each.begun);
                delivered.insert(channel, each.done);
            }
        }
        let mut taken = BTreeMap::new();
        for message in self.under_way().filter(|request| request.does == does::TAKEN) {
            let (source, tag) = message.source;
            if let Some(channel) = self.channel(message.communicator, source, tag) {
                *taken.entry(channel).or_default() += 1;
            }
        }
        let calls = recording.threads.iter().filter_map(|thread| thread.call.as_ref());
        let mut posted: Vec<Receive> = self
            .under_way()
            .filter_map(|request| self.receive_of(request))
            .collect();
        let blocking = calls
            .clone()
            .filter(|call| matches!(call.does, does::RECEIVES | does::EXCHANGES));
        posted.extend(blocking.filter_map(|call| self.receive(call.communicator, call.source)));
        Recorded {
            rank: Rank(self.rank),
            presence: if self.record.is_gone {
                Presence::Gone
            } else {
                Presence::Present
            },
            threads: recording
                .threads
                .iter()
                .map(|thread| self.waits_of(thread))
                .collect(),
            sent,
            delivered,
            received,
            taken,
            given,
            used,
            locks: self.locks(),
            posted,
            entered: recording
                .communicators
                .iter()
                .map(|each| (Identity(each.identity), each.begun))
                .collect(),
            has_freed: recording.lost.freed,
            // What a request completes has been entered, too.
            inside: calls
                .filter_map(|call| self.collective(call.communicator, call.ordinal, call))
                .chain(self.under_way().filter_map(|request| self.collective_of(request)))
                .collect(),
            divisions: recording
                .divisions
                .iter()
                .filter_map(|each| self.division(each))
                .collect(),
            is_partial: is_partial(recording),
            may_be_joined: self.record.may_be_joined(),
        }
    }

    fn waits_of(&self, thread: &recording::Thread) -> (Waits, How) {
        if self.record.moves {
            return (Waits::Nothing, How::Blocked);
        }
        match (&thread.call, &thread.polling) {
            (Some(call), _) if !asks(call.does) => (self.waits(call), How::Blocked),
            // One question is none yet: the program may go on to other things.
            (_, Some(polling)) if polling.times > 1 => (self.waits(&polling.call), How::Polling),
            _ => (Waits::Nothing, How::Blocked),
        }
    }

    fn waits(&self, call: &Call) -> Waits {
        let message = || match self.receive(call.communicator, call.source) {
            Some(receive) => Item::Message {
                receive,
                before: self.under_way.receives.len(),
            },
            None => Item::Unknown,
        };
        let delivery = || self.delivery(call.communicator, call.destination, u64::MAX);
        match call.does {
            does::SENDS => Waits::All(vec![delivery()]),
            does::RECEIVES | does::PROBES | does::ASKS_MESSAGE => match call.source.0 {
                peer::NOBODY => Waits::Nothing,
                _ => Waits::All(vec![message()]),
            },
            does::EXCHANGES => {
                let sends = (call.destination.0 != peer::NOBODY).then(delivery);
                let receives = (call.source.0 != peer::NOBODY).then(message);
                Waits::All(self.all_of(sends.into_iter().collect(), receives.into_iter().collect()))
            }
            does::EVERY_PART..=does::COLLECTIVE => {
                match self.collective(call.communicator, call.ordinal, call) {
                    Some(collective) => Waits::All(vec![Item::Collective(collective)]),
                    None => Waits::All(vec![Item::Unknown]),
                }
            }
            does::COMPLETES_ALL | does::ASKS_ALL => self.completes_all(call),
            does::COMPLETES_ONE | does::ASKS_ONE => Waits::One(self.items(call)),
            does::HELD => Waits::Some(self.items(call)),
            does::EPOCH => Waits::All(vec![Item::Unknown]),
            does::OTHER if waits_for_others(self.recording().operation(call.operation)) => {
                Waits::All(vec![Item::Unknown])
            }
            does::LOCKS | does::SYNCHRONISES => Waits::All(vec![self.lock_of(call)]),
            _ => Waits::Nothing,
        }
    }

    /// What a call that waits for all of these sends and all of these other things can be said to wait for. A send may have been complete at once, without
    /// anybody knowing; so sends count only where nothing else holds the call, and one of them alone is certain.
    fn all_of(&self, sends: Vec<Item>, others: Vec<Item>) -> Vec<Item> {
        match (&sends[..], &others[..]) {
            ([], []) | ([_], []) => sends,
            (_, []) => vec![Item::Unknown],
            ([], _) => others,
            // If all others have come, one of the sends holds it, perhaps.
            _ => others.into_iter().chain([Item::Unknown]).collect(),
        }
    }

    fn completes_all(&self, call: &Call) -> Waits {
        let (sends, others): (Vec<Item>, Vec<Item>) = self
            .items(call)
            .into_iter()
            .partition(|item| matches!(item, Item::Delivery { .. }));
        match (&sends[..], &others[..]) {
            // All of them are sends, and one at least is not complete.
            ([_, _, ..], []) => Waits::One(sends),
            _ => Waits::All(self.all_of(sends, others)),
        }
    }

    /// The requests that a call completes, or asks about; one more unknown thing if some were not recorded.
    fn items(&self, call: &Call) -> Vec<Item> {
        let marked: Vec<&Pending> = self
            .under_way()
            .filter(|request| call.mark.is_some() && request.mark == call.mark)
            .collect();
        // What is exchanged with nobody is complete at once.
        let is_with_nobody = |request: &&&Pending| {
            let (to, from) = (request.destination.0, request.source.0);
            matches!(request.does, does::SENDS | does::BUFFERS | does::RECEIVES)
                && (to == peer::NOBODY || from == peer::NOBODY)
        };
        let others = marked.iter().filter(|request| !is_with_nobody(request));
        let mut items: Vec<Item> = others.map(|request| self.item(request)).collect();
        if marked.len() as u64 != call.count.max(0).unsigned_abs() {
            items.push(Item::Unknown);
        }
        items
    }

    fn item(&self, request: &Pending) -> Item {
        match request.does {
            does::SENDS => self.delivery(request.communicator, request.destination, request.begun),
            does::RECEIVES => self.awaited_by(request),
            does::EVERY_PART..=does::COLLECTIVE => match self.collective_of(request) {
                Some(collective) => Item::Collective(collective),
                None => Item::Unknown,
            },
            _ => Item::Unknown,
        }
    }

    /// The collective operation that a request completes.
    fn collective_of(&self, request: &Pending) -> Option<Collective> {
        let amount = request.amount;
        let call = Call {
            operation: request.operation,
            does: request.does,
            since: 0,
            communicator: request.communicator,
            destination: request.destination,
            source: request.source,
            count: amount.count,
            root: amount.root,
            bytes: amount.bytes,
            reduction: amount.reduction,
            ordinal: request.ordinal,
            mark: None,
        };
        does::is_collective(call.does)
            .then(|| self.collective(request.communicator, request.ordinal, &call))?
    }

    /// What a request that receives waits for: a message, or a signal over a window.
    fn awaited_by(&self, request: &Pending) -> Item {
        let (source, tag) = request.source;
        if let Some(signals) = self.signals(request.communicator, source, tag) {
            return Item::Signal(signals);
        }
        match self.receive_of(request) {
            Some(receive) => Item::Message {
                receive,
                before: self
                    .under_way
                    .receives
                    .partition_point(|begun| *begun < request.begun),
            },
            None => Item::Unknown,
        }
    }

    pub(super) fn under_way(&self) -> impl Iterator<Item = &Pending> {
        let requests = self.record.recording.requests.iter();
        requests.filter(|request| request.state == RequestState::UnderWay)
    }

    fn division(&self, division: &recording::Division) -> Option<Division> {
        let known = self.recording().communicator(division.communicator)?;
        if is_among_neighbours(self.recording().operation(division.operation)) {
            return self.division_among_neighbours(known, division);
        }
        let peers = known.remote.as_ref().or(known.members.as_ref())?;
        let portions = |of: &recording::Portions| match of {
            recording::Portions::OfMembers(portions) => Portions::OfMembers(portions.clone()),
            recording::Portions::OfRoot(root, portion) => Portions::OfRoot(*root as usize, *portion),
        };
        Some(Division {
            communicator: Identity(known.identity),
            ordinal: division.ordinal,
            operation: self.number_of(division.operation)?,
            peers: Peers::All {
                ranks: self.lists.in_order(peers)?,
                place: known.rank as usize,
            },
            gives: portions(&division.gives),
            takes: portions(&division.takes),
        })
    }

    /// The number that all tasks have for an operation of this one.
    pub(super) fn number_of(&self, operation: u32) -> Option<u32> {
        let number = |name: &str| {
            let found = self.operations.binary_search_by(|each| each.as_str().cmp(name));
            u32::try_from(found.ok()?).ok()
        };
        let name = self.recording().operation(operation);
        // That for large counts is the same operation (MPI 4.0, section 2.5.8).
        let same = name.strip_suffix("_c").and_then(number);
        same.or_else(|| number(name))
    }

    fn collective(&self, communicator: Option<u64>, ordinal: Option<u64>, call: &Call) -> Option<Collective> {
        let known = self.recording().communicator(communicator?)?;
        let remote = known.remote.as_ref();
        let root_of = |root: u32| Some(Rank(known.members.as_ref()?.get(root as usize)??));
        let root = call.root.and_then(root_of).filter(|_| remote.is_none());
        let name = self.recording().operation(call.operation);
        // Each member has as much, so that none of a root's portions is empty.
        let has_data = call.count > 0 || call.bytes.is_some_and(|bytes| bytes > 0);
        Some(Collective {
            communicator: Identity(known.identity),
            members: self.lists.all(known)?,
            ordinal: ordinal?,
            operation: self.number_of(call.operation)?,
            root,
            // The two sides of an intercommunicator give different things.
            bytes: call.bytes.filter(|_| remote.is_none()),
            reduction: call.reduction,
            needs: match (call.does, root) {
                // As much as nothing: of types without anything in them.
                _ if call.bytes == Some(0) => Needs::Nothing,
                // Of an intercommunicator each side waits for the other alone.
                _ if remote.is_some() => Needs::Nothing,
                (does::COLLECTIVE, _) if is_among_neighbours(name) => {
                    self.needs_of_neighbours(known, ordinal?)
                }
                // Without data nobody need wait for anybody; a barrier has none to count.
                (does::EVERY_PART, _) if call.count > 0 || !carries_data(name) => Needs::All,
                (does::FROM_ROOT, Some(root)) if root != Rank(self.rank) && has_data => Needs::Root(root),
                (does::TO_ROOT, Some(root)) if root == Rank(self.rank) && has_data => Needs::All,
                (does::PREFIX, _) if call.count > 0 => Needs::Lower,
                _ => Needs::Nothing,
            },
        })
    }
}

/// Whether a call of this function that is no message, collective operation or the like may wait for other tasks all the same.
fn waits_for_others(operation: &str) -> bool {
    library::function(operation).is_some_and(|function| function.wait == library::Wait::Tasks)
}

/// Whether a collective operation has data to count; what is in no table is taken to have some.
fn carries_data(operation: &str) -> bool {
    library::function(operation).is_none_or(Function::carries_data)
}
