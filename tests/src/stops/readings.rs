//! What the probe has read of a task in a call, held against what the interpreter knows: functions, positions, values.

use super::build::{Config, Level};
use super::dress::COUNTER;
use super::moments::{Runs, Stop};
use crate::oracle::generate::Profile;
use crate::oracle::interp::{Event, FrameView, Seen};
use engine::Map;
use snapshot::{Frame, Value};
use std::collections::BTreeSet;

/// Numbers over the frames of stops in calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Readings {
    /// Frames of the program's functions.
    pub frames: usize,
    /// Frames that are not there: tail calls have replaced them.
    pub frames_missing: usize,
    /// Frames that the source does not have: of a function that was split, with one part calling the other.
    pub frames_extra: usize,
    /// Frames with the line and the column of the call in the source.
    pub same_column: usize,
    /// Frames with the line of the call in the source, but another column.
    pub other_column: usize,
    /// Frames with another line.
    pub other_line: usize,
    /// Values that were read in calls, and are right.
    pub values_read: usize,
    /// Values of loop-order variables of the loops around a call that could not be read.
    pub values_unreadable: usize,
    /// Values read that are wrong.
    pub values_wrong: usize,
    /// Counters of dressed programs that were read, and are right.
    pub counters_read: usize,
    /// Such counters that could not be read.
    pub counters_unreadable: usize,
    /// Values that were read between two calls, and may be right.
    pub between_read: usize,
}

/// Whether a frame is in a function of the program's source.
fn is_own(runs: &Runs, frame: &Frame) -> bool {
    let mut functions = runs.case.program.functions.iter();
    functions.any(|function| function.name == frame.function)
}

/// The frames of a stop that are in functions of the program's source.
fn own_frames<'s>(runs: &Runs, stop: &'s Stop) -> Vec<&'s Frame> {
    let frames = stop.task.frames.iter();
    frames.filter(|frame| is_own(runs, frame)).collect()
}

impl Readings {
    /// Adds the numbers of another program.
    pub fn add(&mut self, other: &Readings) {
        self.frames += other.frames;
        self.frames_missing += other.frames_missing;
        self.frames_extra += other.frames_extra;
        self.same_column += other.same_column;
        self.other_column += other.other_column;
        self.other_line += other.other_line;
        self.values_read += other.values_read;
        self.values_unreadable += other.values_unreadable;
        self.values_wrong += other.values_wrong;
        self.counters_read += other.counters_read;
        self.counters_unreadable += other.counters_unreadable;
        self.between_read += other.between_read;
    }

    /// Counts a stop in a call; returns what is wrong with it.
    pub fn count(&mut self, map: &Map, runs: &Runs, stop: &Stop, config: Config) -> Vec<String> {
        let event = &runs.case.runs[stop.run][stop.first];
        let plain = &runs.plain[stop.run][stop.first];
        let name = |view: &FrameView| runs.case.program.functions[view.function].name.as_str();
        let frames = own_frames(runs, stop);
        let truth: Vec<&str> = event.frames.iter().map(name).collect();
        let found: Vec<&str> = frames.iter().map(|frame| frame.function.as_str()).collect();
        let mut wrong = Vec::new();
        if let Some(error) = &stop.task.error {
            wrong.push(format!("not read: {error}"));
        }
        self.frames += truth.len();
        if found != truth {
            self.frames_missing += truth.len().saturating_sub(found.len());
            self.frames_extra += found.len().saturating_sub(truth.len());
            let explained = is_subsequence(&found, &truth) || found.windows(2).any(|pair| pair[0] == pair[1]);
            if !config.moves_code() || !explained {
                wrong.push(format!("frames {found:?}, in truth {truth:?}"));
            }
            return wrong;
        }
        let below = stop
            .task
            .frames
            .iter()
            .skip_while(|frame| !is_own(runs, frame))
            .nth(truth.len());
        let leaf = below.map(|frame| frame.function.as_str());
        if leaf != event.leaf.as_deref() {
            wrong.push(format!("in {leaf:?}, in truth in {:?}", event.leaf));
        }
        for ((frame, view), plain) in frames.iter().zip(&event.frames).zip(&plain.frames) {
            let site = runs.case.layout.sites.get(view.site).copied().unwrap_or_default();
            let (line, column) = site.position(config.numbering());
            let place = (frame.line.unwrap_or(0), frame.column.unwrap_or(0));
            match place {
                _ if place == (line, column) => self.same_column += 1,
                (found, _) if found == line => self.other_column += 1,
                _ => self.other_line += 1,
            }
            let folded = runs.folded.binary_search(&view.site).is_ok();
            if config.level == Level::O0 && place != (line, column) && !folded {
                wrong.push(format!(
                    "{} at {place:?}, in truth at {:?}",
                    frame.function,
                    (line, column)
                ));
            }
            wrong.extend(self.values(map, runs, frame, view, plain, line));
        }
        wrong.extend(self.counters(runs, stop, &frames));
        wrong
    }

    /// The counters of a dressed program, as far as the call has reported them.
    fn counters(&mut self, runs: &Runs, stop: &Stop, frames: &[&Frame]) -> Vec<String> {
        let Some([own, callers]) = stop.noted else {
            return Vec::new();
        };
        let mut wrong = Vec::new();
        let mut frames = frames.iter().rev();
        let Some(innermost) = frames.next() else {
            return wrong;
        };
        let caller = frames
            .next()
            .filter(|_| runs.handed.contains(&innermost.function));
        for (frame, truth) in [(Some(innermost), own), (caller, callers)] {
            let Some(frame) = frame else { continue };
            let truth = i64::try_from(truth).map_or(Value::Unsigned(truth), Value::Integer);
            match frame.values.get(COUNTER) {
                Some(read) if *read == truth => self.counters_read += 1,
                Some(read) => {
                    self.values_wrong += 1;
                    wrong.push(format!(
                        "{}: {COUNTER} is {truth:?}, read as {read:?}",
                        frame.function
                    ));
                }
                None if frame.missing.contains_key(COUNTER) => self.counters_unreadable += 1,
                None => {}
            }
        }
        wrong
    }

    /// The values of a stop between two calls: each must be one that the variable has at some event in between, if all are known.
    pub fn between(&mut self, map: &Map, runs: &Runs, stop: &Stop) -> Vec<String> {
        let mut wrong = Vec::new();
        let events = &runs.plain[stop.run][stop.first..=stop.last];
        // Only calls are logged of plain programs; and frames of functions that call themselves may be missing.
        let nests = |event: &Event| {
            let functions = BTreeSet::from_iter(event.frames.iter().map(|view| view.function));
            functions.len() < event.frames.len()
        };
        if runs.case.profile == Profile::Plain || events.iter().any(nests) {
            return wrong;
        }
        let name = |view: &FrameView| runs.case.program.functions[view.function].name.as_str();
        let frames = own_frames(runs, stop);
        for (depth, frame) in frames.iter().enumerate() {
            let same = |view: &&FrameView, frame: &&&Frame| name(view) == frame.function;
            let views: Vec<&FrameView> = events
                .iter()
                .filter(|event| {
                    let mut around = event.frames.iter().zip(&frames[..=depth]);
                    event.frames.len() > depth && around.all(|(view, frame)| same(&view, &frame))
                })
                .map(|event| &event.frames[depth])
                .collect();
            // A call that begins or ends in between has values that no event shows: a loop's condition ends it without one.
            if views.len() < events.len() {
                continue;
            }
            // Outside its loops a variable may have no value yet, or change without an event.
            let listed = listed(map, &frame.function, frame.line.unwrap_or(0));
            for (variable, read) in frame.values.iter().filter(|(name, _)| listed.contains(*name)) {
                let is_shared = |view: &&FrameView| runs.is_shared(view.function, base_of(variable));
                if views.iter().any(is_shared) {
                    continue;
                }
                let seen: Option<Vec<Seen>> = views
                    .iter()
                    .map(|view| {
                        let known = view.values.iter().find(|(other, _)| other == variable);
                        known.map(|(_, seen)| *seen).filter(|seen| !is_address(*seen))
                    })
                    .collect();
                let Some(seen) = seen.filter(|seen| !seen.is_empty()) else {
                    continue;
                };
                if seen.iter().any(|&seen| same_value(read, seen)) {
                    self.between_read += 1;
                } else {
                    self.values_wrong += 1;
                    wrong.push(format!(
                        "{}:{}: {variable} is among {seen:?}, read as {read:?}",
                        frame.function,
                        frame.line.unwrap_or(0)
                    ));
                }
            }
        }
        wrong
    }

    fn values(
        &mut self,
        map: &Map,
        runs: &Runs,
        frame: &Frame,
        view: &FrameView,
        plain: &FrameView,
        line: u32,
    ) -> Vec<String> {
        let mut wrong = Vec::new();
        for name in listed(map, &frame.function, line) {
            if !frame.values.contains_key(&name) {
                self.values_unreadable += 1;
            }
        }
        let value = |view: &FrameView, name: &str| {
            let known = view.values.iter().find(|(other, _)| other == name);
            known.map(|(_, seen)| *seen)
        };
        let of_one = |name: &str| !runs.is_shared(view.function, base_of(name));
        for (name, read) in frame.values.iter().filter(|(name, _)| of_one(name)) {
            // What has no value yet, or hides what has one, may show anything.
            let (Some(seen), Some(usual)) = (value(view, name), value(plain, name)) else {
                continue;
            };
            if seen != usual || is_address(seen) {
                continue;
            }
            if same_value(read, seen) {
                self.values_read += 1;
            } else {
                self.values_wrong += 1;
                wrong.push(format!(
                    "{}:{line}: {name} is {seen:?}, read as {read:?}",
                    frame.function
                ));
            }
        }
        wrong
    }
}

/// The variables that order the loops around the points of a line.
fn listed(map: &Map, function: &str, line: u32) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let Some(function) = map.functions.iter().find(|known| known.name == function) else {
        return names;
    };
    for point in function
        .points
        .iter()
        .filter(|point| point.span.covers_line(line))
    {
        let mut at = point.innermost_loop;
        while let Some(id) = at {
            for lov in &function.loops[id].lovs {
                names.insert(lov.name.clone());
            }
            at = function.loops[id].parent;
        }
    }
    names
}

/// The variable that a value is part of: `s` of `s.step`, `p` of `*p`.
fn base_of(name: &str) -> &str {
    let name = name.trim_start_matches('*');
    let end = name.find(['.', '-', '[']).unwrap_or(name.len());
    &name[..end]
}

fn is_subsequence(part: &[&str], whole: &[&str]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|name| rest.any(|other| other == name))
}

/// The interpreter's addresses are its own.
fn is_address(seen: Seen) -> bool {
    matches!(seen, Seen::Unsigned(value) if value >> 32 == 0x7ffc)
}

fn same_value(read: &Value, seen: Seen) -> bool {
    match (read, seen) {
        (Value::Integer(read), Seen::Int(seen)) => *read == seen,
        (Value::Unsigned(read), Seen::Unsigned(seen)) => *read == seen,
        (Value::Float(read), Seen::Real(seen)) => *read == seen,
        _ => false,
    }
}
