//! What the flight recorder's files say about who waits for whom.
//!
//! `recording` tells what each task did, by its own numbers: ranks of communicators, serial numbers, handles. Here these become
//! ranks of the world and identities that all tasks share, which `waitgraph` reasons about. What a file does not tell for certain is
//! left open, never guessed: a send that may have been complete at once, a communicator whose members there was no room for.

use crate::past;
use library::Function;
use recording::layout::{does, peer, signal};
use recording::{Call, Communicator, Kind, Members, Pending, RequestState};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use waitgraph::recorded::{Channel, From, Item, Needs, Presence, Receive, Recorded, Signals, Waits};
use waitgraph::{WaitGraph, wait_graph};

pub use crate::condensed::{Condensed, Link, Node, Part};
pub use crate::past::{Because, Before, Least, least_by_inference};
pub use crate::places::{Place, places};
pub use recording::{Error, Recording, Stage};
pub use waitgraph::progress::View;
pub use waitgraph::recorded::{Access, Collective, How, Identity, Lock, Signal};
pub use waitgraph::{Certainty, Differ, Edge, Mismatch, Rank, Why};

/// Nobody is called slow for less: a busy machine makes anybody wait so long.
const LEAST_SLOW: Duration = Duration::from_secs(1);

/// One recording, with what the caller knows of its process.
#[derive(Clone, Debug)]
pub struct Record {
    /// What was read.
    pub recording: Recording,
    /// It has called `MPI_Finalize` or `MPI_Abort`, or its process has ended while others of the job still run.
    pub is_gone: bool,
    /// It completed a call between two looks.
    pub moves: bool,
    /// The monotonic clock of its host in nanoseconds, when it was read or, of a job that is gone, when the last was heard of it.
    pub now: u64,
}

/// What a task does, for a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doing {
    /// Its rank.
    pub rank: u32,
    /// The operation that its first waiting thread is in, or asks for again and again.
    pub operation: Option<String>,
    /// How often it has asked; `None` if it is in a call.
    pub polls: Option<u64>,
    /// For how long, in nanoseconds; outside of MPI, since its last call.
    pub for_ns: u64,
    /// How far it is.
    pub stage: Stage,
    /// It completed a call between two looks.
    pub moves: bool,
    /// See [`Record::is_gone`].
    pub is_gone: bool,
    /// The process.
    pub pid: u32,
    /// Its host.
    pub host: String,
    /// Some of what it did was not recorded.
    pub is_partial: bool,
    /// Calls that it has completed, unanswered questions left out.
    pub completed: u64,
    /// The longest that a call, or a computation between two, ever lasted in it; nothing if its model is not whole, or of several threads.
    pub longest: Option<Duration>,
    /// How long the same lasted before: the call that it is in, or the computation that it is in. `None` if it was not there before, or if several threads call MPI.
    pub before: Option<Before>,
}

/// Who waits for whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// What each task does, by rank.
    pub tasks: Vec<Doing>,
    /// How many tasks the job has, by what they say.
    pub size: u32,
    /// What follows.
    pub graph: WaitGraph,
    /// The names of operations, by the numbers that the graph has.
    pub operations: Vec<String>,
    /// A short name for each communicator: `MPI_COMM_WORLD`, or how it was made and who is in it.
    pub communicators: BTreeMap<Identity, String>,
    /// Who of those that others wait for is probably furthest behind; nothing if that cannot be inferred, or if it is one alone.
    pub least: Option<Least>,
}

/// What the wait graph comes to, the gravest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// These wait for each other, and nobody else can help them; not proven if some of them ask again and again and may do something else between.
    Deadlock(Vec<Rank>, Certainty),
    /// The first waits for the second, which has ended, or ends, its use of MPI.
    Gone(Rank, Rank),
    /// Two tasks are in one collective operation and called different ones.
    Mismatch(Mismatch),
    /// All that wait, wait for these, which wait for nobody.
    Awaited(Vec<Rank>),
    /// Nobody waits for anybody.
    Nobody,
}

impl Waiting {
    /// What there is to say first.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let graph = &self.graph;
        // A wrong call explains a deadlock better than who waits for whom in it.
        if let Some(mismatch) = graph.mismatches.first() {
            return Verdict::Mismatch(mismatch.clone());
        }
        if let Some((waiter, on)) = graph.orphans.first() {
            return Verdict::Gone(*waiter, *on);
        }
        if let Some(cycle) = graph.cycles.first() {
            let proven = cycle.iter().all(|rank| graph.proven.binary_search(rank).is_ok());
            let certainty = if proven {
                Certainty::Proven
            } else {
                Certainty::Probable
            };
            return Verdict::Deadlock(cycle.clone(), certainty);
        }
        if graph.awaited.is_empty() {
            Verdict::Nobody
        } else {
            Verdict::Awaited(graph.awaited.clone())
        }
    }

    /// Why a deadlock of these is not certain.
    #[must_use]
    pub fn doubt_of(&self, cycle: &[Rank]) -> &'static str {
        let mut own = self.graph.edges.iter();
        let is_lock = |edge: &Edge| matches!(edge.why, Why::Lock(_)) && cycle.contains(&edge.waiter);
        if own.any(is_lock) {
            "who has a window locked is told by calls alone, and a library may have it otherwise"
        } else {
            "some of them only ask again and again, and may do other things between"
        }
    }

    /// Why it is not certain that all others wait for these; `None` if it is.
    #[must_use]
    pub fn doubt_of_awaited(&self, awaited: &[Rank]) -> Option<String> {
        let waiters = self.graph.edges.iter().map(|edge| edge.waiter);
        let known: BTreeSet<Rank> = waiters.chain(awaited.iter().copied()).collect();
        let ranks = self.tasks.iter().map(|task| task.rank);
        let others: base::RankSet = ranks.filter(|&rank| !known.contains(&Rank(rank))).collect();
        let partial = self.tasks.iter().any(|task| task.is_partial);
        let mut edges = self.graph.edges.iter();
        if edges.any(|edge| matches!(edge.why, Why::Lock(_))) {
            return Some("who has a window locked is told by calls alone".to_owned());
        }
        let sure: BTreeSet<Rank> = (self.graph.edges.iter())
            .filter(|edge| edge.certainty == Certainty::Proven)
            .map(|edge| edge.waiter)
            .chain(awaited.iter().copied())
            .collect();
        let unsure: base::RankSet = (known.difference(&sure)).map(|rank| rank.0).collect();
        match (self.tasks.len() < self.size as usize, others.len()) {
            (true, _) => Some("there are no recordings of some ranks".to_owned()),
            (false, 1..) => Some(format!("of {others} nobody knows for whom they wait, if they do")),
            (false, 0) if partial => Some("the recorder had not room for all that was done".to_owned()),
            (false, 0) if !unsure.is_empty() => Some(format!(
                "it is not certain of {unsure} that they wait: who asks again and again may do other things between, and a library may let a call go on"
            )),
            (false, 0) => None,
        }
    }

    /// The tasks that compute for much longer than they ever did there. While others go on they are slow, and nobody can tell more from outside.
    pub fn slow(&self) -> impl Iterator<Item = &Doing> {
        let is_slow = |task: &&Doing| {
            let time = Duration::from_nanos(task.for_ns);
            let is_much = |before: &Before| {
                let longest = before.longest.saturating_mul(crate::LONGER);
                before.is_exceeded_by(time) && time > longest.max(LEAST_SLOW)
            };
            let is_outside = task.operation.is_none() && task.stage == Stage::Running;
            is_outside && !task.moves && !task.is_gone && task.before.as_ref().is_some_and(is_much)
        };
        self.tasks.iter().filter(is_slow)
    }

    /// What a task does.
    #[must_use]
    pub fn task(&self, rank: Rank) -> Option<&Doing> {
        let at = self.tasks.binary_search_by_key(&rank.0, |task| task.rank).ok()?;
        self.tasks.get(at)
    }
}

/// Puts the recordings of one job together. Those of tasks that never came to `MPI_Init` are left out, and of several of one rank all but the first.
#[must_use]
pub fn waiting(records: &[Record]) -> Waiting {
    let operations: Vec<String> = {
        let names = records.iter().flat_map(|record| &record.recording.operations);
        names.cloned().collect::<BTreeSet<_>>().into_iter().collect()
    };
    let mut by_rank: BTreeMap<u32, &Record> = BTreeMap::new();
    for record in records {
        if let Some((rank, _)) = record.recording.world {
            by_rank.entry(rank).or_insert(record);
        }
    }
    let size = records
        .iter()
        .filter_map(|record| record.recording.world)
        .map(|(_, size)| size);
    let identities: BTreeSet<u64> = by_rank
        .values()
        .flat_map(|record| record.recording.communicators.iter().map(|each| each.identity))
        .collect();
    let mut tasks: Vec<Recorded> = Vec::new();
    let members = RefCell::default();
    for (rank, record) in &by_rank {
        let task = Task {
            rank: *rank,
            record,
            operations: &operations,
            members: &members,
        };
        let mut recorded = task.recorded();
        if record.recording.lost.freed {
            // It may have freed any of those that it does not list, after it took part in all of their operations.
            for identity in &identities {
                recorded.entered.entry(Identity(*identity)).or_insert(u64::MAX);
            }
        }
        tasks.push(recorded);
    }
    let mut waiting = Waiting {
        size: size.max().unwrap_or(0),
        graph: wait_graph(&tasks),
        tasks: by_rank
            .iter()
            .map(|(rank, record)| doing(*rank, record))
            .collect(),
        communicators: names(by_rank.values().copied()),
        operations,
        least: None,
    };
    past::add_least(&mut waiting, &by_rank);
    waiting
}

/// The name of a reduction, by the number that collective operations have.
#[must_use]
pub fn reduction_name(number: u32) -> &'static str {
    let known = recording::layout::REDUCTIONS.get(number as usize);
    known.copied().unwrap_or("a reduction")
}

fn doing(rank: u32, record: &Record) -> Doing {
    let recording = &record.recording;
    let in_call = recording
        .threads
        .iter()
        .find_map(|thread| Some((thread.call.as_ref()?, None)));
    let polling = recording.threads.iter().find_map(|thread| {
        let polling = thread.polling.as_ref()?;
        Some((&polling.call, Some((polling.times, thread.last))))
    });
    let shown = match (in_call, polling) {
        (Some((call, _)), Some(polls)) if asks(call.does) => Some(polls),
        (Some(call), _) => Some(call),
        (None, polls) => polls,
    };
    let last = recording
        .threads
        .iter()
        .map(|thread| thread.last)
        .max()
        .unwrap_or(0);
    Doing {
        rank,
        operation: shown.map(|(call, _)| recording.operation(call.operation).to_owned()),
        polls: shown.and_then(|(_, polls)| polls).map(|(times, _)| times),
        for_ns: record.now.saturating_sub(match shown {
            Some((call, None)) => call.since,
            Some((_, Some((_, last)))) => last,
            None => last,
        }),
        stage: recording.stage,
        moves: record.moves,
        is_gone: record.is_gone,
        pid: recording.pid,
        host: recording.host.clone(),
        is_partial: is_partial(recording),
        completed: recording.threads.iter().map(|thread| thread.completed).sum(),
        longest: past::longest(record),
        before: past::before(record),
    }
}

fn is_partial(recording: &Recording) -> bool {
    recording.lost.anything() || recording.damaged > 0
}

fn asks(what: u64) -> bool {
    matches!(what, does::ASKS_ALL | does::ASKS_ONE | does::ASKS_MESSAGE)
}

/// Names for communicators, from whoever knows them.
fn names<'r>(records: impl Iterator<Item = &'r Record>) -> BTreeMap<Identity, String> {
    let mut names = BTreeMap::new();
    for record in records {
        let recording = &record.recording;
        for each in &recording.communicators {
            names.entry(Identity(each.identity)).or_insert_with(|| {
                let members = each
                    .members
                    .iter()
                    .flat_map(|members| members.iter())
                    .flatten()
                    .copied();
                let ranks = base::RankSet::from_iter(members);
                let what = match each.kind {
                    Kind::Communicator => "communicator",
                    Kind::Window => "window",
                    Kind::File => "file",
                };
                match each.made_by.map(|made_by| recording.operation(made_by)) {
                    None if each.members.as_ref().is_some_and(|members| members.len() == 1) => {
                        "MPI_COMM_SELF".to_owned()
                    }
                    None => "MPI_COMM_WORLD".to_owned(),
                    Some(made_by) => format!("the {what} of ranks {ranks} by {made_by}"),
                }
            });
        }
    }
    names
}

/// One task's recording, in terms that all tasks share.
struct Task<'r> {
    rank: u32,
    record: &'r Record,
    operations: &'r [String],
    /// The members of each communicator, once for all tasks.
    members: &'r RefCell<BTreeMap<Identity, Vec<Arc<[Rank]>>>>,
}

impl Task<'_> {
    fn recording(&self) -> &Recording {
        &self.record.recording
    }

    fn recorded(&self) -> Recorded {
        let recording = self.recording();
        let mut sent = BTreeMap::new();
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
                received.insert(channel, each.done)
            } else {
                sent.insert(channel, each.begun)
            };
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
            received,
            given,
            used,
            locks: self.locks(),
            posted,
            entered: recording
                .communicators
                .iter()
                .map(|each| (Identity(each.identity), each.begun))
                .collect(),
            // What a request completes has been entered, too.
            inside: calls
                .filter_map(|call| self.collective(call.communicator, call.ordinal, call))
                .chain(self.under_way().filter_map(|request| self.collective_of(request)))
                .collect(),
            is_partial: is_partial(recording),
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
                before: self
                    .under_way()
                    .filter_map(|request| self.receive_of(request))
                    .collect(),
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
            does::EXCHANGES => Waits::All(self.all_of(vec![delivery()], vec![message()])),
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
            does::LOCKS | does::SYNCHRONISES => Waits::All(vec![self.lock_of(call)]),
            _ => Waits::Nothing,
        }
    }

    /// What a call that waits for all of these sends and all of these other things can be said to wait for. A send may have been complete at once, without
    /// anybody knowing; so sends count only where nothing else holds the call, and one of them alone is certain.
    fn all_of(&self, sends: Vec<Item>, others: Vec<Item>) -> Vec<Item> {
        match (&sends[..], &others[..]) {
            ([_], []) => sends,
            (_, []) => vec![Item::Unknown],
            _ => others,
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
        let mut items: Vec<Item> = marked.iter().map(|request| self.item(request)).collect();
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
                    .under_way()
                    .filter(|other| other.begun < request.begun)
                    .filter_map(|other| self.receive_of(other))
                    .collect(),
            },
            None => Item::Unknown,
        }
    }

    fn under_way(&self) -> impl Iterator<Item = &Pending> {
        let requests = self.record.recording.requests.iter();
        requests.filter(|request| request.state == RequestState::UnderWay)
    }

    fn receive_of(&self, request: &Pending) -> Option<Receive> {
        let receives = matches!(request.does, does::RECEIVES | does::EXCHANGES);
        receives.then(|| self.receive(request.communicator, request.source))?
    }

    fn receive(&self, communicator: Option<u64>, (source, tag): (i64, i64)) -> Option<Receive> {
        let known = self.with_messages(communicator)?;
        let senders = peers(known)?;
        let from = match source {
            peer::ANYBODY => {
                let others = senders.iter().copied().collect::<Option<Vec<u32>>>()?;
                let others = others.into_iter().filter(|rank| *rank != self.rank);
                From::AnyOf(others.map(Rank).collect())
            }
            source => From::Rank(Rank((*senders.get(usize::try_from(source).ok()?)?)?)),
        };
        Some(Receive {
            communicator: Identity(known.identity),
            from,
            tag: (tag >= 0).then_some(tag),
        })
    }

    /// The communicator of this serial number, if it is one over which messages go.
    fn with_messages(&self, communicator: Option<u64>) -> Option<&Communicator> {
        let known = self.recording().communicator(communicator?)?;
        (known.kind == Kind::Communicator).then_some(known)
    }

    /// The signals of this kind that go between the task and a peer over a window, given by its serial number.
    fn signals(&self, window: Option<u64>, rank: i64, tag: i64) -> Option<Signals> {
        let known = self.recording().communicator(window?)?;
        let peer = (*known.members.as_ref()?.get(usize::try_from(rank).ok()?)?)?;
        let signal = match (known.kind, tag) {
            (Kind::Window, signal::POSTS) => Signal::Post,
            (Kind::Window, signal::COMPLETES) => Signal::Complete,
            _ => return None,
        };
        Some(Signals {
            window: Identity(known.identity),
            peer: Rank(peer),
            signal,
        })
    }

    /// The window of this serial number.
    fn window(&self, serial: Option<u64>) -> Option<&Communicator> {
        let known = self.recording().communicator(serial?)?;
        (known.kind == Kind::Window).then_some(known)
    }

    /// The locks that it has asked for and not given back.
    fn locks(&self) -> Vec<Lock> {
        let rows = self.recording().channels.iter();
        let open = rows.filter(|row| !row.received && row.begun > row.done);
        open.filter_map(|row| self.lock(Some(row.communicator), i64::from(row.peer), row.tag))
            .collect()
    }

    fn lock(&self, window: Option<u64>, rank: i64, how: i64) -> Option<Lock> {
        let known = self.window(window)?;
        let access = match how {
            signal::SHARES | signal::SHARES_ALL => Access::Shared,
            signal::EXCLUDES => Access::Exclusive,
            _ => return None,
        };
        let target = match how {
            signal::SHARES_ALL => None,
            _ => Some(Rank(
                (*known.members.as_ref()?.get(usize::try_from(rank).ok()?)?)?,
            )),
        };
        let window = Identity(known.identity);
        Some(Lock {
            window,
            target,
            access,
        })
    }

    /// What a call waits for that asks for a lock, or completes what was done under one. Of several locks nobody knows which holds it up.
    fn lock_of(&self, call: &Call) -> Item {
        let (rank, how) = call.destination;
        if call.does == does::LOCKS {
            return self
                .lock(call.communicator, rank, how)
                .map_or(Item::Unknown, Item::Lock);
        }
        let Some(known) = self.window(call.communicator) else {
            return Item::Unknown;
        };
        let member = |rank: usize| (*known.members.as_ref()?.get(rank)?).map(Rank);
        let target = usize::try_from(rank).ok().and_then(member);
        if rank >= 0 && target.is_none() || rank == peer::NOBODY {
            return Item::Unknown;
        }
        let of_window = |lock: &Lock| lock.window == Identity(known.identity);
        let is_it = |lock: &Lock| target.is_none() || lock.target.is_none() || lock.target == target;
        let own = self.locks();
        let mut own = own.iter().filter(|lock| of_window(lock) && is_it(lock));
        match (own.next(), own.next()) {
            (Some(only), None) => Item::Lock(Lock {
                target: target.or(only.target),
                ..*only
            }),
            _ => Item::Unknown,
        }
    }

    fn channel(&self, communicator: Option<u64>, rank: i64, tag: i64) -> Option<Channel> {
        let known = self.with_messages(communicator)?;
        let peer = (*peers(known)?.get(usize::try_from(rank).ok()?)?)?;
        Some(Channel {
            communicator: Identity(known.identity),
            peer: Rank(peer),
            tag,
        })
    }

    /// The send that was begun as the `begun`-th operation of the task: which message of its channel it is.
    fn delivery(&self, communicator: Option<u64>, (destination, tag): (i64, i64), begun: u64) -> Item {
        let Some(channel) = self.channel(communicator, destination, tag) else {
            return Item::Unknown;
        };
        let row = self.recording().channels.iter().find(|each| {
            Some(each.communicator) == communicator
                && !each.received
                && (i64::from(each.peer), each.tag) == (destination, tag)
        });
        let later = self
            .under_way()
            .filter(|other| {
                other.begun > begun
                    && other.communicator == communicator
                    && other.destination == (destination, tag)
            })
            .count() as u64;
        match row {
            Some(row) => Item::Delivery {
                channel,
                number: row.begun.saturating_sub(later),
            },
            None => Item::Unknown,
        }
    }

    fn collective(&self, communicator: Option<u64>, ordinal: Option<u64>, call: &Call) -> Option<Collective> {
        let known = self.recording().communicator(communicator?)?;
        let own: Option<Vec<Rank>> = known
            .members
            .as_ref()?
            .iter()
            .map(|rank| rank.map(Rank))
            .collect();
        let (own, remote) = (own?, known.remote.as_ref());
        let mut members = own.clone();
        members.extend(
            remote
                .into_iter()
                .flat_map(|remote| remote.iter().flatten())
                .map(|rank| Rank(*rank)),
        );
        let root = call
            .root
            .and_then(|root| own.get(root as usize).copied())
            .filter(|_| remote.is_none());
        let name = self.recording().operation(call.operation);
        let mut lists = self.members.borrow_mut();
        let shared = lists.entry(Identity(known.identity)).or_default();
        let members = match shared.iter().find(|list| list[..] == members[..]) {
            Some(list) => Arc::clone(list),
            None => {
                let list: Arc<[Rank]> = members.into();
                shared.push(Arc::clone(&list));
                list
            }
        };
        Some(Collective {
            communicator: Identity(known.identity),
            members,
            ordinal: ordinal?,
            operation: self
                .operations
                .binary_search_by(|each| each.as_str().cmp(name))
                .ok()? as u32,
            root,
            // The two sides of an intercommunicator give different things.
            bytes: call.bytes.filter(|_| remote.is_none()),
            reduction: call.reduction,
            needs: match (call.does, root) {
                // Of an intercommunicator each side waits for the other alone.
                _ if remote.is_some() => Needs::Nothing,
                // Without data nobody need wait for anybody; a barrier has none to count.
                (does::EVERY_PART, _) if call.count > 0 || !carries_data(name) => Needs::All,
                (does::FROM_ROOT, Some(root)) if root != Rank(self.rank) && call.count > 0 => {
                    Needs::Root(root)
                }
                (does::TO_ROOT, Some(root)) if root == Rank(self.rank) && call.count > 0 => Needs::All,
                (does::PREFIX, _) if call.count > 0 => Needs::Lower,
                _ => Needs::Nothing,
            },
        })
    }
}

/// Whom messages over a communicator go to and come from, by rank in it.
/// Whether a collective operation has data to count; what is in no table is taken to have some.
fn carries_data(operation: &str) -> bool {
    library::function(operation).is_none_or(Function::carries_data)
}

fn peers(communicator: &Communicator) -> Option<&Members> {
    communicator.remote.as_ref().or(communicator.members.as_ref())
}
