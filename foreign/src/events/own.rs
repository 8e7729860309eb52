//! What `hindmost timeline` has exported, read again: as lines, or out of the arguments of slices in Chrome's format.
//!
//! *Messages.* The end of a receive names its cause, the beginning of the send. *Operations.* Which ranks a communicator has, and in which order, is told once, of those whose operations tie anything. One
//! operation may tie nothing though its function could, where the library decides who waits: then no end of it has a cause.

use super::build::{Names, lanes, short};
use super::{Event, Group, GroupId, MOST_RANKS, Message, NameId, Part, Step, Tie, Trace};
use crate::Error;
use base::IdVec;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// The members of communicators, by their identities as the export writes them.
pub(super) type Communicators = BTreeMap<String, Vec<u32>>;

/// The first line.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Head {
    schema: String,
    version: u32,
    ranks: Vec<HeadLane>,
    communicators: Communicators,
}

#[derive(Deserialize)]
struct HeadLane {
    rank: u32,
    #[serde(default)]
    host: String,
}

/// The version of the lines that is read.
const VERSION: u32 = 1;

/// No rank has more events.
const MOST_EVENTS: u64 = 1 << 60;

/// Reads the lines of `--export jsonl`.
pub(super) fn read_lines(text: &str) -> Result<Trace, Error> {
    let mut lines = (1..).zip(text.lines());
    let bad = |line: usize, error: &serde_json::Error| {
        Error::new(
            line,
            format!("no event of hindmost timeline --export jsonl: {error}"),
        )
        .hint("hindmost timeline --export jsonl DIR writes these lines; none may be missing or cut off")
    };
    let (_, first) = lines.next().ok_or_else(|| Error::new(1, "there is no line"))?;
    let head: Head = serde_json::from_str(first).map_err(|error| bad(1, &error))?;
    if (&*head.schema, head.version) != (snapshot::EVENTS_SCHEMA, VERSION) {
        let reason = format!(
            "lines of {:?}, version {}, and this hindmost reads {:?}, version {VERSION}",
            head.schema,
            head.version,
            snapshot::EVENTS_SCHEMA
        );
        return Err(Error::new(1, reason).hint("export them again with this hindmost"));
    }
    let mut events = Vec::new();
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let event: snapshot::Event<'_> = serde_json::from_str(line).map_err(|error| bad(number, &error))?;
        check(&event, number)?;
        events.push(event);
    }
    let hosts = head.ranks.into_iter().filter(|lane| lane.rank < MOST_RANKS);
    let hosts = hosts.map(|lane| (lane.rank, lane.host)).collect();
    Ok(trace(&events, &head.communicators, &hosts))
}

/// What an event must tell; `line` is where it stands.
pub(super) fn check(event: &snapshot::Event<'_>, line: usize) -> Result<(), Error> {
    if step(&event.step).is_none() {
        let reason = format!("{:?} is no step of an event", short(&event.step));
        return Err(Error::new(line, reason).hint("a step is begins, ends, starts, completes or signals"));
    }
    if event.sequence >= MOST_EVENTS {
        return Err(
            Error::new(line, format!("event {} of rank {}", event.sequence, event.rank))
                .hint("sequence counts the events of a rank, from 0"),
        );
    }
    let ranks = [Some(event.rank), event.to, event.from, event.root];
    match ranks.into_iter().flatten().find(|rank| *rank >= MOST_RANKS) {
        Some(rank) => Err(Error::new(
            line,
            format!("rank {rank}, and no job has more than {MOST_RANKS}"),
        )
        .hint("is the file as hindmost timeline has written it?")),
        None => Ok(()),
    }
}

fn step(word: &str) -> Option<Step> {
    Some(match word {
        "begins" => Step::Begins,
        "ends" => Step::Ends,
        "starts" => Step::Starts,
        "completes" => Step::Completes,
        "signals" => Step::Signals,
        _ => return None,
    })
}

/// The trace of events that were [checked](check).
pub(super) fn trace(
    events: &[snapshot::Event<'_>],
    communicators: &Communicators,
    hosts: &BTreeMap<u32, String>,
) -> Trace {
    let mut order = Vec::from_iter(events);
    order.sort_by_key(|event| (event.rank, event.sequence));
    let ties = Ties::of(events);
    let mut groups = Groups::new(communicators);
    let mut names = Names::default();
    let events = order.into_iter().filter_map(|event| {
        let name = event.operation.as_deref().map(|name| names.id(name));
        let group = identity(event).map(|identity| groups.of(identity));
        Some(Event {
            rank: event.rank,
            sequence: event.sequence,
            thread: event.thread,
            time: event.local_ns,
            step: step(&event.step)?,
            name,
            group,
            tie: ties.tie(
                event,
                name.filter(|_| group.is_some_and(|group| groups.is_told(group))),
            ),
        })
    });
    let events = Vec::from_iter(events);
    Trace {
        lanes: lanes(&events, hosts),
        names: names.into_all(),
        groups: groups.all,
        events,
    }
}

/// Which events belong together.
struct Ties {
    /// The numbers of messages, by their sends.
    messages: BTreeMap<(u32, u64), u64>,
    /// Operations whose ends wait for beginnings.
    tying: BTreeSet<(u64, u64)>,
    /// Operations that somebody has ended.
    left: BTreeSet<(u64, u64)>,
}

impl Ties {
    fn of(events: &[snapshot::Event<'_>]) -> Self {
        let mut ties = Self {
            messages: BTreeMap::new(),
            tying: BTreeSet::new(),
            left: BTreeSet::new(),
        };
        for event in events {
            let waits = event.cause.is_some() || event.missing.is_some();
            if let Some(operation) = operation(event, event.leaves) {
                ties.left.insert(operation);
                if waits {
                    ties.tying.insert(operation);
                }
            }
            if let (Some(_), Some(cause)) = (event.from, event.cause) {
                let number = ties.messages.len() as u64;
                ties.messages
                    .entry((cause.rank, cause.sequence))
                    .or_insert(number);
            }
        }
        ties
    }

    /// What an event gives, or takes. `function` is its function, if the members of its communicator are told.
    fn tie(&self, event: &snapshot::Event<'_>, function: Option<NameId>) -> Tie {
        let message = |peer: u32, number: Option<u64>| Message {
            peer,
            tag: event.tag,
            number,
        };
        if let Some(to) = event.to {
            return Tie::Sends(message(
                to,
                self.messages.get(&(event.rank, event.sequence)).copied(),
            ));
        }
        if let Some(from) = event.from {
            let sent = event.cause.map(|cause| (cause.rank, cause.sequence));
            let number = sent.and_then(|sent| self.messages.get(&sent).copied());
            // A send that is not there has a number of its own, which nobody else has.
            let unknown = || event.missing.as_ref().map(|_| u64::MAX - event.sequence);
            return Tie::Receives(message(from, number.or_else(unknown)));
        }
        let part = |number: u64| {
            let operation = operation(event, Some(number));
            let is_tied = operation
                .is_some_and(|operation| self.tying.contains(&operation) || !self.left.contains(&operation));
            Part {
                number,
                root: event.root,
                function: function.filter(|_| is_tied),
            }
        };
        match (event.enters, event.leaves) {
            (Some(number), _) => Tie::Enters(part(number)),
            (None, Some(number)) => Tie::Leaves(part(number)),
            (None, None) => Tie::None,
        }
    }
}

/// The identity of an event's communicator.
fn identity(event: &snapshot::Event<'_>) -> Option<u64> {
    identity_of(event.communicator.as_deref()?)
}

fn identity_of(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 16).ok()
}

/// The collective operation of this number of the event's communicator.
fn operation(event: &snapshot::Event<'_>, number: Option<u64>) -> Option<(u64, u64)> {
    Some((identity(event)?, number?))
}

/// Communicators as groups.
struct Groups<'c> {
    members: BTreeMap<u64, &'c [u32]>,
    known: BTreeMap<u64, GroupId>,
    all: IdVec<GroupId, Group>,
}

impl<'c> Groups<'c> {
    fn new(communicators: &'c Communicators) -> Self {
        let members = communicators.iter();
        let is_rank = |rank: &u32| *rank < MOST_RANKS;
        let members = members.filter(|(_, members)| members.iter().all(is_rank));
        Self {
            members: members
                .filter_map(|(text, members)| Some((identity_of(text)?, &**members)))
                .collect(),
            known: BTreeMap::new(),
            all: IdVec::new(),
        }
    }

    fn of(&mut self, identity: u64) -> GroupId {
        *self.known.entry(identity).or_insert_with(|| {
            let members = self.members.get(&identity).copied().unwrap_or_default();
            self.all.push(Group {
                identity: Some(identity),
                members: members.to_vec(),
            })
        })
    }

    fn is_told(&self, group: GroupId) -> bool {
        !self.all[group].members.is_empty()
    }
}
