//! Chrome's trace format as JSON (the document "Trace Event Format"): an object whose `traceEvents` is a list of events, or the list alone, whose last bracket may be missing.
//!
//! A process is a rank, or, if there is but one, each of its threads is. Which rank a process is its name tells (`rank 3`, `MPI Rank 3`), if all have such names; else those that are numbered below their count
//! are these ranks, and others are counted in ascending order. Slices (`B` and `E`, or `X`) are calls, those of MPI alone if there are any. Flows (`s`, `t`, `f`) are messages: the n-th beginning of an id and the n-th
//! end belong together. Counters, instants and what is asynchronous are left out.
//!
//! What hindmost has exported says more in the arguments of its slices, and is read from these (`own`).

use super::build::short;
use super::slices::{Phase, Thread, Threads};
use super::{MOST_RANKS, Trace, own};
use crate::Error;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A number of a process, thread or flow, which some write as text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(untagged)]
pub(super) enum Key {
    Number(i64),
    Text(String),
}

impl Default for Key {
    fn default() -> Self {
        Self::Number(0)
    }
}

/// A moment in microseconds, which some write as text.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
enum Moment<'t> {
    Number(f64),
    Text(&'t str),
}

impl Moment<'_> {
    /// In nanoseconds.
    fn nanoseconds(self) -> Option<i64> {
        let microseconds = match self {
            Self::Number(number) => number,
            Self::Text(text) => text.trim().parse().ok()?,
        };
        let nanoseconds = (microseconds * 1e3).round();
        // 292 years: what is beyond is no time.
        (nanoseconds.abs() < 9.2e18).then_some(nanoseconds as i64)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Record<'t> {
    #[serde(borrow)]
    ph: Cow<'t, str>,
    #[serde(borrow)]
    name: Cow<'t, str>,
    #[serde(borrow)]
    cat: Cow<'t, str>,
    pid: Key,
    tid: Key,
    #[serde(borrow)]
    ts: Option<Moment<'t>>,
    #[serde(borrow)]
    dur: Option<Moment<'t>>,
    id: Option<Key>,
    #[serde(borrow)]
    args: Option<&'t RawValue>,
}

/// The arguments that say what a process is called.
#[derive(Default, Deserialize)]
struct NameArguments {
    #[serde(default)]
    name: String,
}

/// The arguments of the end of a slice that hindmost has exported.
#[derive(Deserialize)]
struct EndArguments<'t> {
    #[serde(borrow)]
    end: snapshot::Event<'t>,
}

/// What hindmost says of the whole.
#[derive(Default, Deserialize)]
struct OtherData {
    #[serde(default)]
    communicators: own::Communicators,
}

/// Reads a trace.
pub(super) fn read(text: &str) -> Result<Trace, Error> {
    let mut collected = Collected {
        text,
        ..Collected::default()
    };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let read = Whole(&mut collected)
        .deserialize(&mut deserializer)
        .and_then(|()| deserializer.end());
    if let Some(failed) = collected.failed {
        return Err(failed);
    }
    if let Err(error) = read {
        // A program that is killed while it writes a list leaves it open, and the format allows it.
        let is_open = error.is_eof() && text.trim_start().starts_with('[');
        let is_between = text.trim_end().trim_end_matches(',').ends_with('}');
        if !(is_open && is_between) {
            let line = error.line().clamp(1, text.lines().count().max(1));
            return Err(wrong(line, &reason_of(&error)));
        }
    }
    collected.finish()
}

/// What a parser says, without the place, which it counts from the beginning of what it was given.
fn reason_of(error: &serde_json::Error) -> String {
    let said = error.to_string();
    let reason = said.rsplit_once(" at line ").map(|(reason, _)| reason.to_owned());
    reason.unwrap_or(said)
}

fn wrong(line: usize, reason: &str) -> Error {
    Error::new(line, format!("no trace in Chrome's format: {reason}"))
        .hint("it is JSON: an object with traceEvents, or a list of events; is the file whole?")
}

/// What is read so far.
#[derive(Default)]
struct Collected<'t> {
    /// The whole text.
    text: &'t str,
    /// What is wrong, where reading has ended.
    failed: Option<Error>,
    threads: Threads,
    /// Those that have slices or flows.
    processes: BTreeSet<Key>,
    names: BTreeMap<Key, String>,
    own: Vec<snapshot::Event<'t>>,
    communicators: own::Communicators,
}

impl<'t> Collected<'t> {
    /// Reads an event; what is wrong in it is kept, with its line.
    fn read(&mut self, raw: &'t RawValue) -> Result<(), &'static str> {
        let lines = |text: &str| text.bytes().filter(|byte| *byte == b'\n').count();
        let record = serde_json::from_str::<Record<'t>>(raw.get());
        let (inside, reason) = match record.map(|record| self.take(record)) {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(reason)) => (0, reason),
            Err(error) => (error.line().saturating_sub(1), reason_of(&error)),
        };
        // The parser itself has gone on behind the event by now.
        let before = (raw.get().as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        let line = 1 + self.text.get(..before).map_or(0, lines) + inside;
        self.failed = Some(wrong(line, &reason));
        Err("a wrong event")
    }

    fn take(&mut self, record: Record<'t>) -> Result<(), String> {
        let thread = || Thread {
            process: record.pid.clone(),
            thread: record.tid.clone(),
        };
        let time = |moment: Option<Moment<'_>>| {
            let moment = moment.and_then(Moment::nanoseconds);
            moment.ok_or_else(|| {
                format!(
                    "an event {:?} without a time (ts) that can be read",
                    short(&record.name)
                )
            })
        };
        let flow = || {
            let id = record.id.clone();
            let id = id.ok_or_else(|| format!("a flow {:?} without an id", short(&record.name)))?;
            Ok::<_, String>((
                record.cat.clone().into_owned(),
                record.name.clone().into_owned(),
                id,
            ))
        };
        let phase = match &*record.ph {
            "M" => {
                if record.name == "process_name" {
                    let name: NameArguments = arguments(record.args).unwrap_or_default();
                    self.names.insert(record.pid, name.name);
                }
                return Ok(());
            }
            "B" => Phase::Begins,
            "E" => Phase::Ends,
            "X" => {
                let begins = time(record.ts)?;
                let lasts = record.dur.map_or(Some(0), Moment::nanoseconds);
                let lasts = lasts.filter(|lasts| *lasts >= 0);
                let lasts = lasts
                    .ok_or_else(|| format!("a slice {:?} that lasts no time (dur)", short(&record.name)))?;
                Phase::Lasts(begins.saturating_add(lasts))
            }
            "s" => Phase::Gives(flow()?),
            "t" => Phase::Passes(flow()?),
            "f" => Phase::Takes(flow()?),
            "i" | "I" => {
                // Those of others are no calls.
                self.take_own(record.args)?;
                return Ok(());
            }
            _ => return Ok(()),
        };
        if matches!(phase, Phase::Begins | Phase::Ends) && self.take_own(record.args)? {
            return Ok(());
        }
        let at = time(record.ts)?;
        self.processes.insert(record.pid.clone());
        self.threads.add(thread(), at, phase, &record.name);
        Ok(())
    }

    /// Takes the event that hindmost has put into the arguments; whether there is one.
    fn take_own(&mut self, arguments_of: Option<&'t RawValue>) -> Result<bool, String> {
        let Some(raw) = arguments_of.filter(|raw| raw.get().contains("\"local_ns\"")) else {
            return Ok(false);
        };
        let event = match serde_json::from_str::<EndArguments<'t>>(raw.get()) {
            Ok(arguments) => arguments.end,
            Err(_) => serde_json::from_str(raw.get()).map_err(|error| reason_of(&error))?,
        };
        own::check(&event, 1).map_err(|error| error.reason)?;
        self.own.push(event);
        Ok(true)
    }

    fn finish(self) -> Result<Trace, Error> {
        let ranks = ranks(&self.processes, &self.names);
        if !self.own.is_empty() {
            let hosts = self.names.values().filter_map(|name| {
                let rank = rank_of(name).filter(|rank| *rank < MOST_RANKS)?;
                let host = name.split_once(" on ").map_or("", |(_, host)| host);
                Some((rank, host.to_owned()))
            });
            return Ok(own::trace(&self.own, &self.communicators, &hosts.collect()));
        }
        if self.processes.is_empty() {
            return Err(Error::new(1, "a trace without a slice or a flow")
                .hint("slices have the phases B and E, or X; flows s and f"));
        }
        if self.processes.len() > MOST_RANKS as usize {
            return Err(Error::new(1, format!("more than {MOST_RANKS} processes")));
        }
        Ok(self.threads.trace(&ranks, &self.names))
    }
}

fn arguments<'t, T: Deserialize<'t>>(raw: Option<&'t RawValue>) -> Option<T> {
    serde_json::from_str(raw?.get()).ok()
}

/// The rank that the name of a process tells.
fn rank_of(name: &str) -> Option<u32> {
    let (_, rest) = name.split_once("rank ").or_else(|| name.split_once("Rank "))?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// The ranks of processes.
fn ranks(processes: &BTreeSet<Key>, names: &BTreeMap<Key, String>) -> BTreeMap<Key, u32> {
    let named = processes.iter().map(|process| {
        let rank = rank_of(names.get(process)?).filter(|rank| *rank < MOST_RANKS)?;
        Some((process.clone(), rank))
    });
    let different = |ranks: &BTreeMap<Key, u32>| BTreeSet::from_iter(ranks.values()).len() == ranks.len();
    if let Some(named) = named.collect::<Option<BTreeMap<_, _>>>().filter(different) {
        return named;
    }
    let count = processes.len() as i64;
    let counts = |process: &Key| matches!(process, Key::Number(number) if (0..count).contains(number));
    if processes.iter().all(counts) {
        let own = |process: &Key| match process {
            Key::Number(number) => u32::try_from(*number).unwrap_or(0),
            Key::Text(_) => 0,
        };
        return processes
            .iter()
            .map(|process| (process.clone(), own(process)))
            .collect();
    }
    processes.iter().cloned().zip(0..).collect()
}

/// The whole document, of which only what is asked for is kept.
struct Whole<'c, 't>(&'c mut Collected<'t>);

impl<'t> DeserializeSeed<'t> for Whole<'_, 't> {
    type Value = ();
    fn deserialize<D: Deserializer<'t>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'t> Visitor<'t> for Whole<'_, 't> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with traceEvents, or a list of events")
    }

    fn visit_seq<A: SeqAccess<'t>>(self, list: A) -> Result<(), A::Error> {
        Events(self.0).visit_seq(list)
    }

    fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<(), A::Error> {
        let mut has_events = false;
        while let Some(key) = map.next_key::<Cow<'t, str>>()? {
            match &*key {
                "traceEvents" => {
                    has_events = true;
                    map.next_value_seed(Events(self.0))?;
                }
                "otherData" => {
                    let raw: &RawValue = map.next_value()?;
                    // That of others has any form.
                    let own: OtherData = arguments(Some(raw)).unwrap_or_default();
                    self.0.communicators = own.communicators;
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        if has_events {
            return Ok(());
        }
        Err(serde::de::Error::custom("there is no traceEvents"))
    }
}

/// The list of events.
struct Events<'c, 't>(&'c mut Collected<'t>);

impl<'t> DeserializeSeed<'t> for Events<'_, 't> {
    type Value = ();
    fn deserialize<D: Deserializer<'t>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'t> Visitor<'t> for Events<'_, 't> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of events")
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(raw) = list.next_element::<&'t RawValue>()? {
            self.0.read(raw).map_err(serde::de::Error::custom)?;
        }
        Ok(())
    }
}
