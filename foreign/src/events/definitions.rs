//! What the events of an archive refer to: the definitions that `otf2-print --show-all` prints before them.
//!
//! A line is a word, an id and attributes: `COMM  1  Name: "half" <15>, Group: "" <3>, …`. Names stand between quotes as they are, and may hold quotes, brackets and ends of lines themselves; the reference
//! behind each, a number in angle brackets, is what counts.

use super::{Group, MOST_RANKS};
use crate::{Error, MAX_LIST};
use std::collections::BTreeMap;

/// Where a thread of the job belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) rank: u32,
    pub(super) thread: u32,
}

/// Whose operations are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Among {
    /// Those of a communicator.
    Communicator(u64),
    /// Those of a window.
    Window(u64),
}

/// What the identity of a window has beside its number: archives count windows and communicators from 0, each kind by itself and in 32 bits.
const OF_WINDOW: u64 = 1 << 32;

/// How the clock of an archive counts.
#[derive(Clone, Copy, Debug)]
struct Clock {
    ticks_per_second: u64,
    offset: u64,
    /// When it stood at the offset, in nanoseconds since the epoch; 0 if that is not told.
    began: i64,
}

/// A process, as a group of locations.
#[derive(Debug)]
struct Process {
    name: String,
    host: String,
}

/// Locations of MPI, in their order.
#[derive(Debug)]
enum Members {
    /// All of them, by rank.
    All(Vec<u64>),
    /// Those of a communicator.
    Some(Vec<u64>),
}

/// All definitions so far.
#[derive(Debug)]
pub(super) struct Definitions {
    clock: Clock,
    processes: BTreeMap<u64, Process>,
    /// The processes of locations.
    locations: BTreeMap<u64, u64>,
    /// The locations of MPI, by rank.
    of_mpi: Vec<u64>,
    groups: BTreeMap<u64, Vec<u64>>,
    /// The groups of communicators.
    communicators: BTreeMap<u64, u64>,
    /// The communicators of windows.
    windows: BTreeMap<u64, u64>,
    places: BTreeMap<u64, Place>,
}

impl Definitions {
    pub(super) fn new() -> Self {
        Self {
            clock: Clock {
                ticks_per_second: 1_000_000_000,
                offset: 0,
                began: 0,
            },
            processes: BTreeMap::new(),
            locations: BTreeMap::new(),
            of_mpi: Vec::new(),
            groups: BTreeMap::new(),
            communicators: BTreeMap::new(),
            windows: BTreeMap::new(),
            places: BTreeMap::new(),
        }
    }

    /// Takes a definition, which stands in this line: its word, and all behind that.
    pub(super) fn take(&mut self, word: &str, rest: &str, line: usize) -> Result<(), Error> {
        let bad = |what: &str| {
            Error::new(line, format!("a definition ({word}) without {what}"))
                .hint("otf2-print --show-all prints whole definitions, of version 2 and later")
        };
        if word == "CLOCK_PROPERTIES" {
            let ticks = number_behind(rest, "Ticks per Seconds: ").filter(|ticks| *ticks > 0);
            self.clock = Clock {
                ticks_per_second: ticks.ok_or_else(|| bad("Ticks per Seconds"))?,
                offset: number_behind(rest, "Global Offset: ").ok_or_else(|| bad("Global Offset"))?,
                began: behind(rest, "Date: ").and_then(since_epoch).unwrap_or(0),
            };
            return Ok(());
        }
        if !matches!(word, "LOCATION_GROUP" | "LOCATION" | "GROUP" | "COMM" | "RMA_WIN") {
            return Ok(());
        }
        let rest = rest.trim_start();
        let id = leading_number(rest).ok_or_else(|| bad("its number"))?;
        match word {
            "LOCATION_GROUP" => {
                let name = quoted(rest, "Name: ").ok_or_else(|| bad("Name"))?;
                let host = quoted(rest, "Parent: ").unwrap_or_default();
                let host = host.rsplit("::").next().unwrap_or_default();
                let process = Process {
                    name: name.to_owned(),
                    host: host.to_owned(),
                };
                self.processes.insert(id, process);
            }
            "LOCATION" => {
                // What stands last is the group.
                let group = behind(rest, "Group: ").and_then(last_reference);
                self.locations.insert(id, group.ok_or_else(|| bad("Group"))?);
            }
            "GROUP" => {
                let members = members_of(rest).map_err(bad)?;
                match members {
                    // Some tools give a communicator's group the same number.
                    Some(Members::All(locations)) => {
                        self.of_mpi.clone_from(&locations);
                        self.groups.entry(id).or_insert(locations);
                    }
                    Some(Members::Some(locations)) => drop(self.groups.insert(id, locations)),
                    None => {}
                }
            }
            "RMA_WIN" => {
                let of = rest.rsplit_once(", Flags: ").map_or(rest, |(of, _)| of);
                let communicator = behind(of, "Communicator: ").and_then(last_reference);
                let communicator = communicator.ok_or_else(|| bad("Communicator"))?;
                self.windows.insert(id, communicator);
            }
            _ => {
                let group = between(rest, "Group: ", ", Parent: ").or_else(|| behind(rest, "Group: "));
                let group = group.and_then(last_reference).ok_or_else(|| bad("Group"))?;
                self.communicators.insert(id, group);
            }
        }
        Ok(())
    }

    /// All definitions are there: finds the rank of each location.
    pub(super) fn settle(&mut self, line: usize) -> Result<(), Error> {
        if self.locations.is_empty() {
            return Err(
                Error::new(line, "events without the definitions that they refer to")
                    .hint("otf2-print --show-all prints both"),
            );
        }
        // Who records no group of MPI's locations has a process for each rank.
        let mut ranks: BTreeMap<u64, u32> = BTreeMap::new();
        if self.of_mpi.is_empty() {
            ranks.extend(self.processes.keys().copied().zip(0..));
        }
        for (rank, location) in (0..).zip(&self.of_mpi) {
            if let Some(process) = self.locations.get(location) {
                ranks.entry(*process).or_insert(rank);
            }
        }
        if ranks.values().any(|rank| *rank >= MOST_RANKS) {
            return Err(Error::new(
                line,
                format!("{} ranks, and no job has more than {MOST_RANKS}", ranks.len()),
            ));
        }
        let mut threads: BTreeMap<u32, u32> = BTreeMap::new();
        for (location, process) in &self.locations {
            if let Some(&rank) = ranks.get(process) {
                let thread = threads.entry(rank).or_default();
                self.places.insert(
                    *location,
                    Place {
                        rank,
                        thread: *thread,
                    },
                );
                *thread += 1;
            }
        }
        Ok(())
    }

    /// Where a location belongs.
    pub(super) fn place(&self, location: u64) -> Option<Place> {
        self.places.get(&location).copied()
    }

    /// A moment in nanoseconds. Times may be printed from the offset on.
    pub(super) fn time(&self, ticks: u64) -> i64 {
        let Clock {
            ticks_per_second,
            offset,
            began,
        } = self.clock;
        let ticks = i128::from(ticks.checked_sub(offset).unwrap_or(ticks));
        let passed = ticks * 1_000_000_000 / i128::from(ticks_per_second);
        i64::try_from(i128::from(began) + passed).unwrap_or(i64::MAX)
    }

    /// The hosts of ranks.
    pub(super) fn hosts(&self) -> BTreeMap<u32, String> {
        let mut hosts = BTreeMap::new();
        for (location, process) in &self.locations {
            let (Some(place), Some(process)) = (self.place(*location), self.processes.get(process)) else {
                continue;
            };
            let host = if process.host.is_empty() {
                &process.name
            } else {
                &process.host
            };
            hosts.entry(place.rank).or_insert_with(|| host.clone());
        }
        hosts
    }

    /// The members of a communicator or window; none if they are not told.
    pub(super) fn group(&self, among: Among) -> Group {
        let (identity, communicator) = match among {
            Among::Communicator(communicator) => (communicator, Some(communicator)),
            Among::Window(window) => (OF_WINDOW | window, self.windows.get(&window).copied()),
        };
        let group = communicator.and_then(|of| self.communicators.get(&of));
        Group {
            identity: Some(identity),
            members: group.and_then(|group| self.members(*group)).unwrap_or_default(),
        }
    }

    /// The ranks of a group of MPI, if all of its members have one.
    pub(super) fn members(&self, group: u64) -> Option<Vec<u32>> {
        let locations = self.groups.get(&group)?.iter();
        locations
            .map(|location| self.place(*location).map(|place| place.rank))
            .collect()
    }
}

/// The members of a group of MPI, as locations; nothing of other groups.
fn members_of(rest: &str) -> Result<Option<Members>, &'static str> {
    let kind = between(rest, ", Type: ", ",").ok_or("Type")?;
    let is_of_mpi = between(rest, ", Paradigm: ", ",") == Some("MPI");
    let list = rest
        .split_once(" Members: ")
        .or_else(|| rest.split_once(" Member: "));
    // One without members has no list.
    let Some((before, list)) = list else {
        return Ok(None);
    };
    let members: fn(Vec<u64>) -> Members = match kind {
        "COMM_LOCATIONS" if is_of_mpi => Members::All,
        "COMM_GROUP" if is_of_mpi => Members::Some,
        _ => return Ok(None),
    };
    if list.len() > MAX_LIST {
        return Err("a list of members that is short enough");
    }
    let count = before
        .rsplit(' ')
        .next()
        .and_then(|count| count.parse::<usize>().ok());
    let locations = Vec::from_iter(references(list));
    if Some(locations.len()) != count {
        return Err("as many members as it says");
    }
    Ok(Some(members(locations)))
}

/// The numbers that stand in angle brackets.
fn references(text: &str) -> impl Iterator<Item = u64> {
    text.split('<').skip(1).filter_map(|part| {
        let (number, _) = part.split_once('>')?;
        number.parse().ok()
    })
}

/// The last number that stands in angle brackets.
pub(super) fn last_reference(text: &str) -> Option<u64> {
    let (before, _) = text.rsplit_once('>')?;
    before.rsplit_once('<')?.1.parse().ok()
}

/// What stands behind the last of these words.
pub(super) fn behind<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    text.rsplit_once(word).map(|(_, rest)| rest)
}

/// What stands behind the first of these words, before the next of those.
pub(super) fn between<'t>(text: &'t str, word: &str, end: &str) -> Option<&'t str> {
    Some(text.split_once(word)?.1.split_once(end)?.0)
}

/// The number at the beginning of a text.
pub(super) fn leading_number(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// The number behind the last of these words.
pub(super) fn number_behind(text: &str, word: &str) -> Option<u64> {
    leading_number(behind(text, word)?)
}

/// A name in quotes behind a word: up to the quote that stands before its reference.
pub(super) fn quoted<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let rest = text.split_once(word)?.1.strip_prefix('"')?;
    Some(rest.split_once("\" <")?.0)
}

/// A date such as `2026-11-29 15:29:39.659203840 +0000` in nanoseconds since the epoch.
fn since_epoch(text: &str) -> Option<i64> {
    let mut words = text.split_whitespace();
    let (date, time, zone) = (words.next()?, words.next()?, words.next().unwrap_or("+0000"));
    let mut date = date.splitn(3, '-').map(str::parse::<i64>);
    let (year, month, day) = (date.next()?.ok()?, date.next()?.ok()?, date.next()?.ok()?);
    let (clock, part) = time.split_once('.').unwrap_or((time, "0"));
    let mut clock = clock.splitn(3, ':').map(str::parse::<i64>);
    let (hours, minutes, seconds) = (clock.next()?.ok()?, clock.next()?.ok()?, clock.next()?.ok()?);
    let part: i64 = format!("{part:0<9}").get(..9)?.parse().ok()?;
    let zone: i64 = zone.parse().ok()?;
    let is_date = (1970..2200).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !is_date || hours > 24 || minutes > 60 || seconds > 61 || zone.abs() > 2400 {
        return None;
    }
    // Days since 1 March of the year 0, where leap days stand last: then a day's number follows from 153 days in each five months.
    let (years, months) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days = 365 * years + years / 4 - years / 100 + years / 400 + (153 * months + 2) / 5 + day - 1;
    let epoch = 719_468;
    let minutes_ahead = zone / 100 * 60 + zone % 100;
    let total = ((days - epoch) * 24 + hours) * 60 + minutes - minutes_ahead;
    Some((total * 60 + seconds) * 1_000_000_000 + part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_what_date_says() {
        // `date -u -d '…' +%s%N` of GNU says the same.
        for (text, expected) in [
            ("1970-01-01 00:00:00.000000000 +0000", 0),
            ("2026-11-29 15:29:39.659203840 +0000", 1_795_966_179_659_203_840),
            ("2024-02-29 23:59:59.5 +0100", 1_709_247_599_500_000_000),
            ("2000-03-01 00:00:00 -0330", 951_881_400_000_000_000),
        ] {
            assert_eq!(since_epoch(text), Some(expected), "{text}");
        }
        for bad in [
            "",
            "UNDEFINED",
            "2026-13-01 00:00:00 +0000",
            "2026-11-29",
            "1-2-3 4:5:6",
        ] {
            assert_eq!(since_epoch(bad), None, "{bad}");
        }
    }
}
