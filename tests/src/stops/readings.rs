//! What the probe has read of a task in a call, held against what the interpreter knows: functions, positions, values.

use super::build::{Config, Level};
use super::moments::{Runs, Stop};
use crate::oracle::interp::{FrameView, Seen};
use engine::Map;
use progress_map::Term;
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
    /// Values of loop-order variables of the loops around a call that were read, and are right.
    pub values_read: usize,
    /// Such values that could not be read.
    pub values_unreadable: usize,
    /// Values read that are wrong.
    pub values_wrong: usize,
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
    }

    /// Counts a stop in a call; returns what is wrong with it.
    pub fn count(&mut self, map: &Map, runs: &Runs, stop: &Stop, config: Config) -> Vec<String> {
        let event = &runs.case.runs[stop.run][stop.first];
        let plain = &runs.plain[stop.run][stop.first];
        let name = |view: &FrameView| runs.case.program.functions[view.function].name.as_str();
        let ours = |frame: &&Frame| {
            runs.case
                .program
                .functions
                .iter()
                .any(|f| f.name == frame.function)
        };
        let frames: Vec<&Frame> = stop.task.frames.iter().filter(ours).collect();
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
            .skip_while(|frame| !ours(frame))
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
            wrong.extend(self.values(map, frame, view, plain, line));
        }
        wrong
    }

    fn values(
        &mut self,
        map: &Map,
        frame: &Frame,
        view: &FrameView,
        plain: &FrameView,
        line: u32,
    ) -> Vec<String> {
        let mut wrong = Vec::new();
        for name in listed(map, &frame.function, line, false) {
            if !frame.values.contains_key(&name) {
                self.values_unreadable += 1;
            }
        }
        let value = |view: &FrameView, name: &str| {
            let known = view.values.iter().find(|(other, _)| other == name);
            known.map(|(_, seen)| *seen)
        };
        let believed = listed(map, &frame.function, line, true);
        // Outside its loops nobody asks for a variable.
        for (name, read) in frame.values.iter().filter(|(name, _)| believed.contains(*name)) {
            // What has no value yet, or hides what has one, may show anything.
            let (Some(seen), Some(usual)) = (value(view, name), value(plain, name)) else {
                continue;
            };
            if seen != usual || is_address(seen) {
                continue;
            }
            if same(read, seen) {
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

/// The variables that order the loops around the points of a line, and those that their starts and steps name.
fn listed(map: &Map, function: &str, line: u32, terms: bool) -> BTreeSet<String> {
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
                for term in [&lov.start, &lov.step].into_iter().flatten().filter(|_| terms) {
                    if let Term::Variable { name, .. } = term {
                        names.insert(name.clone());
                    }
                }
            }
            at = function.loops[id].parent;
        }
    }
    names
}

fn is_subsequence(part: &[&str], whole: &[&str]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|name| rest.any(|other| other == name))
}

/// The interpreter's addresses are its own.
fn is_address(seen: Seen) -> bool {
    matches!(seen, Seen::Unsigned(value) if value >> 32 == 0x7ffc)
}

fn same(read: &Value, seen: Seen) -> bool {
    match (read, seen) {
        (Value::Integer(read), Seen::Int(seen)) => *read == seen,
        (Value::Unsigned(read), Seen::Unsigned(seen)) => *read == seen,
        (Value::Float(read), Seen::Real(seen)) => *read == seen,
        _ => false,
    }
}
