//! The text that `otf2-print --show-all` makes of an archive: definitions, then events of all locations by time.
//!
//! A line of an event is a word, a location, a time and attributes. Calls of MPI are `ENTER` and `LEAVE`; what they send and receive stands in records of its own, between these. Here both
//! become one event: a send's record belongs to the beginning of its call, a receive's to the end. Other functions are left out.
//!
//! *Messages* are numbered by both ends as they come, among those of one communicator, sender, receiver and tag. *Operations* are numbered by each member among its operations of the communicator, by their
//! beginnings. Their end alone says what they are, so that one that has not ended ties nothing; nor does one in which a member gives and takes no bytes, unless it is a barrier. Windows: `windows`.

use super::build::{Names, Numbers, is_of_mpi, short};
use super::definitions::{
    Among, Definitions, Place, behind, between, last_reference, leading_number, number_behind, quoted,
};
use super::{Event, GroupId, Message, NameId, Step, Tie, Trace};
use crate::Error;
use operations::{Taken, Ties};
use std::collections::BTreeMap;

mod operations;
mod windows;

/// Reads the text.
pub(super) fn read(text: &str) -> Result<Trace, Error> {
    let mut reader = Reader::new();
    let mut section = Section::Other;
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(title) = line.strip_prefix("=== ") {
            let is_first = section != Section::Events;
            section = match title {
                _ if title.starts_with("Events ==") => Section::Events,
                _ if title.starts_with("Global Definitions ==") => Section::Definitions,
                _ => Section::Other,
            };
            if section == Section::Events && is_first {
                reader.definitions.settle(number)?;
            }
            continue;
        }
        let word = line.split(' ').next().unwrap_or_default();
        let is_record =
            !word.is_empty() && word.bytes().all(|byte| byte == b'_' || byte.is_ascii_uppercase());
        match section {
            Section::Definitions if is_record => {
                reader.definitions.take(word, &line[word.len()..], number)?
            }
            Section::Events if is_record => reader.take(word, &line[word.len()..], number)?,
            Section::Events => reader.take_other(line, number)?,
            Section::Definitions | Section::Other => {}
        }
    }
    if section != Section::Events {
        let last = text.lines().count().max(1);
        return Err(Error::new(last, "no events: the text ends before them")
            .hint("otf2-print --show-all prints all; --show-global-defs alone prints definitions only"));
    }
    Ok(reader.finish())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Definitions,
    Events,
    Other,
}

/// A message, as both ends tell it: communicator or window, sender, receiver, tag, and which of these.
type MessageKey = (Among, u32, u32, Option<i64>, u64);

/// An end of a channel: whether it sends, with communicator or window, sender, receiver and tag.
type ChannelKey = (bool, Among, u32, u32, Option<i64>);

/// What a location has told last.
#[derive(Default)]
struct Location {
    /// Its last event.
    last: Option<usize>,
    /// What the end of the call gives or takes, which has not come.
    ends: Option<Ending>,
    /// The beginnings of collective operations that have not ended.
    begun: Vec<usize>,
}

/// What a record says that stands before the end of its call.
struct Ending {
    what: Ended,
    time: i64,
    /// What it is called if no end of a call follows.
    name: &'static str,
    group: GroupId,
}

enum Ended {
    Received(Message),
    /// The part of this number.
    Took(usize),
}

struct Reader {
    definitions: Definitions,
    names: Names,
    trace: Trace,
    groups: BTreeMap<Among, GroupId>,
    locations: BTreeMap<u64, Location>,
    /// Beginnings of collective operations that requests complete.
    requests: BTreeMap<(u64, u64), usize>,
    counts: Numbers<ChannelKey>,
    /// Messages of which one end has come, and their numbers.
    halves: BTreeMap<MessageKey, u64>,
    messages: u64,
    parts: Vec<Taken>,
    windows: windows::Windows,
    /// The line before may go on: a name with an end of a line in it.
    goes_on: bool,
}

impl Reader {
    fn new() -> Self {
        Self {
            definitions: Definitions::new(),
            names: Names::default(),
            trace: Trace::default(),
            groups: BTreeMap::new(),
            locations: BTreeMap::new(),
            requests: BTreeMap::new(),
            counts: Numbers::default(),
            halves: BTreeMap::new(),
            messages: 0,
            parts: Vec::new(),
            windows: windows::Windows::default(),
            goes_on: false,
        }
    }

    /// A line that begins with no record's word: more of the one before.
    fn take_other(&self, line: &str, number: usize) -> Result<(), Error> {
        let is_heading = line.starts_with("Event ") || line.starts_with("----");
        if self.goes_on || is_heading || line.is_empty() || line.starts_with(' ') {
            return Ok(());
        }
        Err(
            Error::new(number, format!("{:?} is no event of otf2-print", short(line)))
                .hint("give what otf2-print --show-all prints, as it is"),
        )
    }

    /// Takes a line of an event.
    fn take(&mut self, word: &str, rest: &str, line: usize) -> Result<(), Error> {
        let bad = |what: &str| {
            Error::new(line, format!("{word} without {what}"))
                .hint("is the line cut off? give what otf2-print --show-all prints, as it is")
        };
        let mut fields = rest.split_ascii_whitespace();
        let mut number = || fields.next().and_then(|field| field.parse::<u64>().ok());
        let (Some(location), Some(ticks)) = (number(), number()) else {
            // A name may go on with a word in capitals.
            return if self.goes_on {
                Ok(())
            } else {
                Err(bad("a location and a time"))
            };
        };
        let is_call = matches!(word, "ENTER" | "LEAVE");
        self.goes_on = is_call && !ends_in_reference(rest)
            || !is_call && !word.starts_with("MPI_") && !word.starts_with("RMA_");
        let Some(place) = self.definitions.place(location) else {
            // Threads of processes that are no ranks, and what measures hardware.
            return Ok(());
        };
        let here = Here {
            location,
            place,
            time: self.definitions.time(ticks),
        };
        match word {
            "ENTER" | "LEAVE" => {
                let name = quoted(rest, "Region: ").filter(|name| is_of_mpi(name));
                match name.map(|name| self.names.id(name)) {
                    Some(name) if word == "ENTER" => self.enter(here, name),
                    Some(name) => self.leave(here, name),
                    None => {}
                }
            }
            "MPI_SEND" | "MPI_ISEND" => {
                let name = if word == "MPI_SEND" {
                    "MPI_Send"
                } else {
                    "MPI_Isend"
                };
                let (communicator, message) = self
                    .message(here, rest, true)
                    .ok_or_else(|| bad("Receiver, Communicator and Tag"))?;
                let group = self.group(communicator);
                let at = self.beginning(here, Some(name));
                let event = &mut self.trace.events[at];
                (event.tie, event.group) = (Tie::Sends(message), Some(group));
            }
            "MPI_RECV" | "MPI_IRECV" => {
                let (communicator, message) = self
                    .message(here, rest, false)
                    .ok_or_else(|| bad("Sender, Communicator and Tag"))?;
                let group = self.group(communicator);
                let what = Ended::Received(message);
                if word == "MPI_RECV" {
                    self.end(here, what, "MPI_Recv", group);
                } else {
                    self.complete(here, what, "MPI_Irecv", group);
                }
            }
            "MPI_ISEND_COMPLETE" => {
                self.flush(here.location);
                let name = self.names.id("MPI_Isend");
                self.push(here, Step::Completes, Some(name));
            }
            "MPI_COLLECTIVE_BEGIN" => {
                let at = self.beginning(here, None);
                self.locations.entry(location).or_default().begun.push(at);
            }
            "NON_BLOCKING_COLLECTIVE_REQUEST" => {
                let request = number_behind(rest, "Request: ").ok_or_else(|| bad("Request"))?;
                let at = self.beginning(here, None);
                self.requests.insert((location, request), at);
            }
            "MPI_COLLECTIVE_END" => {
                let begun = self.locations.entry(location).or_default().begun.pop();
                let (part, group) = self
                    .part(here, rest, begun)
                    .ok_or_else(|| bad("Operation, Communicator and Root"))?;
                self.end(here, Ended::Took(part), "MPI_COLLECTIVE_END", group);
            }
            "NON_BLOCKING_COLLECTIVE_COMPLETE" => {
                let request = number_behind(rest, "Request: ").ok_or_else(|| bad("Request"))?;
                let begun = self.requests.remove(&(location, request));
                let (part, group) = self
                    .part(here, rest, begun)
                    .ok_or_else(|| bad("Operation, Communicator and Root"))?;
                self.complete(here, Ended::Took(part), "MPI_COLLECTIVE_END", group);
            }
            _ if word.starts_with("RMA_") => self
                .take_of_window(word, here, rest)
                .ok_or_else(|| bad("Window"))?,
            _ => {}
        }
        Ok(())
    }

    fn push(&mut self, here: Here, step: Step, name: Option<NameId>) -> usize {
        let at = self.trace.events.len();
        self.trace.events.push(Event {
            rank: here.place.rank,
            sequence: 0,
            thread: Some(here.place.thread),
            time: here.time,
            step,
            name,
            group: None,
            tie: Tie::None,
        });
        self.locations.entry(here.location).or_default().last = Some(at);
        at
    }

    fn enter(&mut self, here: Here, name: NameId) {
        self.flush(here.location);
        self.push(here, Step::Begins, Some(name));
    }

    fn leave(&mut self, here: Here, name: NameId) {
        let at = self.trace.events.len();
        let ends = self.locations.entry(here.location).or_default().ends.take();
        self.push(here, Step::Ends, Some(name));
        if let Some(ends) = ends {
            self.tie(at, ends.what, ends.group);
        }
    }

    /// The event with which what a record tells has begun: that of the call, or one of its own.
    fn beginning(&mut self, here: Here, name: Option<&str>) -> usize {
        self.flush(here.location);
        let location = self.locations.entry(here.location).or_default();
        let is_free = |at: &usize| {
            let event = &self.trace.events[*at];
            let starts_several = event
                .name
                .is_some_and(|name| self.names.name(name).starts_with("MPI_Start"));
            event.step == Step::Begins
                && event.tie == Tie::None
                && !starts_several
                && !location.begun.contains(at)
        };
        if let Some(at) = location.last.filter(is_free) {
            return at;
        }
        let name = name.map(|name| self.names.id(name));
        self.push(here, Step::Starts, name)
    }

    /// What a call takes that has not ended.
    fn end(&mut self, here: Here, what: Ended, name: &'static str, group: GroupId) {
        self.flush(here.location);
        self.locations.entry(here.location).or_default().ends = Some(Ending {
            what,
            time: here.time,
            name,
            group,
        });
    }

    /// What completes by itself.
    fn complete(&mut self, here: Here, what: Ended, name: &'static str, group: GroupId) {
        self.end(here, what, name, group);
        self.flush(here.location);
    }

    /// No end of a call follows what was told before: it is an event of its own.
    fn flush(&mut self, location: u64) {
        let ends = self.locations.entry(location).or_default().ends.take();
        let (Some(ends), Some(place)) = (ends, self.definitions.place(location)) else {
            return;
        };
        let here = Here {
            location,
            place,
            time: ends.time,
        };
        let name = match ends.what {
            // As the call is called that has begun it.
            Ended::Took(part) => self.trace.events[self.parts[part].begins].name,
            Ended::Received(_) => Some(self.names.id(ends.name)),
        };
        let at = self.push(here, Step::Completes, name);
        self.tie(at, ends.what, ends.group);
    }

    fn tie(&mut self, at: usize, what: Ended, group: GroupId) {
        match what {
            Ended::Received(message) => self.trace.events[at].tie = Tie::Receives(message),
            // What the operation is called by its members is known when all are there.
            Ended::Took(part) => self.parts[part].ends = Some(at),
        }
        self.trace.events[at].group = Some(group);
    }

    fn group(&mut self, among: Among) -> GroupId {
        let (trace, definitions) = (&mut self.trace, &self.definitions);
        let known = self.groups.entry(among);
        *known.or_insert_with(|| trace.groups.push(definitions.group(among)))
    }

    /// A message: its communicator, and this end.
    fn message(&mut self, here: Here, rest: &str, is_sent: bool) -> Option<(Among, Message)> {
        let word = if is_sent { "Receiver: " } else { "Sender: " };
        let (peer, _) = behind_first(rest, word)?.rsplit_once(", Tag: ")?;
        // The other end is a rank of the communicator, and behind it its location.
        let (peer, communicator) = peer.rsplit_once(", Communicator: ")?;
        let communicator = Among::Communicator(last_reference(communicator)?);
        let tag = number_behind(rest, ", Tag: ").and_then(|tag| i64::try_from(tag).ok())?;
        let other = last_reference(peer).and_then(|location| self.definitions.place(location));
        let number_there = leading_number(peer)?;
        let Some(other) = other.map(|place| place.rank) else {
            // A rank that no location stands for: the message has one end.
            let message = Message {
                peer: u32::try_from(number_there).ok()?,
                tag: Some(tag),
                number: None,
            };
            return Some((communicator, message));
        };
        Some((
            communicator,
            self.numbered(communicator, here.place.rank, other, Some(tag), is_sent),
        ))
    }

    /// The end of a message at this rank, with the number that its other end has, too.
    fn numbered(&mut self, among: Among, own: u32, peer: u32, tag: Option<i64>, is_sent: bool) -> Message {
        let (from, to) = if is_sent { (own, peer) } else { (peer, own) };
        let ordinal = self.counts.next((is_sent, among, from, to, tag));
        let key = (among, from, to, tag, ordinal);
        let number = self.halves.remove(&key).unwrap_or_else(|| {
            self.messages += 1;
            self.halves.insert(key, self.messages);
            self.messages
        });
        Message {
            peer,
            tag,
            number: Some(number),
        }
    }

    /// A part of a collective operation that has ended; which, and its communicator.
    fn part(&mut self, here: Here, rest: &str, begun: Option<usize>) -> Option<(usize, GroupId)> {
        let operation = between(rest, "Operation: ", ",")?;
        let others = behind(rest, ", Root: ")?;
        let communicator = last_reference(behind_first(rest, "Communicator: ")?.rsplit_once(", Root: ")?.0)?;
        let root = last_reference(others).and_then(|location| self.definitions.place(location));
        let bytes = |word: &str| number_behind(others, word).unwrap_or(0);
        let is_empty = bytes("Sent: ") == 0 && bytes("Received: ") == 0 && operation != "BARRIER";
        let (first, more) = operation.split_at_checked(1)?;
        let function = self
            .names
            .id(&format!("MPI_{first}{}", more.to_ascii_lowercase()));
        let begins = begun.unwrap_or_else(|| self.beginning(here, None));
        let ties = if is_empty { Ties::Never } else { Ties::Unless };
        let root = root.map(|place| place.rank);
        Some(self.took(
            here,
            Among::Communicator(communicator),
            function,
            root,
            ties,
            begins,
        ))
    }

    /// A part of an operation that this function stands for; which, and among whom.
    fn took(
        &mut self,
        here: Here,
        among: Among,
        function: NameId,
        root: Option<u32>,
        ties: Ties,
        begins: usize,
    ) -> (usize, GroupId) {
        let group = self.group(among);
        let begun = &mut self.trace.events[begins];
        begun.group = Some(group);
        let call = *begun.name.get_or_insert(function);
        let is_its = is_call_of(self.names.name(call), self.names.name(function));
        self.parts.push(Taken {
            rank: here.place.rank,
            among,
            root,
            function: Some(function).filter(|_| is_its),
            ties,
            begins,
            ends: None,
        });
        (self.parts.len() - 1, group)
    }

    fn finish(mut self) -> Trace {
        for location in Vec::from_iter(self.locations.keys().copied()) {
            self.flush(location);
        }
        self.number_operations();
        self.trace.names = self.names.into_all();
        self.trace.count(&self.definitions.hosts())
    }
}

/// Where and when a record was written.
#[derive(Clone, Copy)]
struct Here {
    location: u64,
    place: Place,
    time: i64,
}

/// Whether a call is that of a collective operation, blocking or not (`MPI_Ibarrier` of `MPI_Barrier`), or prepares it.
fn is_call_of(call: &str, function: &str) -> bool {
    let call = call.strip_suffix("_init").unwrap_or(call);
    let plain = function.strip_prefix("MPI_").unwrap_or(function);
    let is_same = |name: &str| name.eq_ignore_ascii_case(plain);
    call == function || call.strip_prefix("MPI_I").is_some_and(is_same)
}

/// Whether a text ends as a name's reference does.
fn ends_in_reference(text: &str) -> bool {
    let reference = text
        .trim_end()
        .strip_suffix('>')
        .and_then(|text| text.rsplit_once('<'));
    reference.is_some_and(|(_, number)| number.parse::<u64>().is_ok())
}

/// What stands behind the first of these words.
fn behind_first<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    Some(text.split_once(word)?.1)
}
