//! Snapshots of any size: one record for all tasks with the same stacks, once there are many.
//!
//! A file of a million tasks has some hundred different stacks. Of a line only what tells tasks apart is read (name, rank, process, times);
//! the rest is hashed, and what has been seen before is not parsed again. The hashes are keyed anew in each process, so that no file can be made to
//! put two stacks into one. What two tasks at one place differ in all the same (processor time, addresses that calls have passed) is not kept of many.
//!
//! The text comes in pieces of whole lines, so that it is never in memory as a whole.

use crate::{Alike, Error, MAX_TASKS};
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::value::RawValue;
use snapshot::{Header, ProcessState, Task};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, Hash, RandomState};

/// Up to so many tasks each has a record of its own, with all that is known of it.
pub const EACH: usize = 10_000;

/// What a file holds.
#[derive(Debug)]
pub enum Snapshots {
    /// A record for each task.
    Each(Vec<Task>),
    /// A record for each stack.
    Alike(Vec<Alike>),
}

/// Reads a snapshot piece by piece.
#[derive(Debug)]
pub struct Reader {
    keys: [RandomState; 2],
    /// Lines that were read.
    lines: usize,
    each: Vec<Task>,
    /// The names in `each`, with the lines that they stand in; then ranks with theirs.
    names: BTreeMap<String, usize>,
    ranks: Vec<(u32, usize)>,
    /// Which of `groups` a line belongs to, by the hash of what it says besides its task.
    by_text: BTreeMap<u128, usize>,
    by_stack: BTreeMap<u128, usize>,
    groups: Vec<(Task, Vec<u32>)>,
    is_grouped: bool,
}

/// A line, as far as it is read of many.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    task: Cow<'a, str>,
    #[serde(default)]
    rank: Option<u32>,
    #[serde(default, borrow)]
    frames: Option<&'a RawValue>,
    #[serde(default, borrow)]
    error: Option<Cow<'a, str>>,
    #[serde(default)]
    state: Option<ProcessState>,
    #[serde(default, borrow)]
    program: Cow<'a, str>,
    #[serde(default, borrow)]
    threads: Option<&'a RawValue>,
    #[serde(default)]
    unstopped: bool,
}

impl Default for Reader {
    fn default() -> Self {
        Reader {
            keys: [RandomState::new(), RandomState::new()],
            lines: 0,
            each: Vec::new(),
            ranks: Vec::new(),
            names: BTreeMap::new(),
            by_text: BTreeMap::new(),
            by_stack: BTreeMap::new(),
            groups: Vec::new(),
            is_grouped: false,
        }
    }
}

impl Reader {
    /// Takes whole lines, each with its end.
    ///
    /// # Errors
    /// The first line that is neither a header nor a task, a second task of one name, or too many tasks.
    pub fn take(&mut self, text: &[u8]) -> Result<(), Error> {
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
        let mut next = 0;
        while next < lines.len() && !self.is_grouped {
            self.one(lines[next], self.lines + next + 1)?;
            next += 1;
            if self.each.len() > EACH {
                self.group();
            }
        }
        let first = self.lines + next + 1;
        let keys = &self.keys;
        let read = lines[next..].par_iter().enumerate();
        let read = read.filter(|(_, line)| !line.trim_ascii().is_empty());
        let read: Vec<Result<Read<'_>, Error>> =
            read.map(|(at, line)| Read::of(line, first + at, keys)).collect();
        for line in read {
            let line = line?;
            let group = match self.by_text.get(&line.text) {
                Some(&group) => group,
                None => {
                    let group = self.group_of(parsed(line.bytes, line.at)?);
                    self.by_text.insert(line.text, group);
                    group
                }
            };
            self.groups[group].1.push(line.rank);
            self.ranks.push((line.rank, line.at));
        }
        if self.ranks.len() as u64 > MAX_TASKS {
            return Err(Error::new(self.lines, format!("more than {MAX_TASKS} tasks")));
        }
        self.lines += lines.len();
        Ok(())
    }

    /// Takes what stands behind the last end of a line. What is cut off costs that line alone: then a sentence that says so.
    ///
    /// # Errors
    /// As [`Self::take`]; the text is nothing but a line that is cut off.
    pub fn finish(mut self, rest: &[u8]) -> Result<(Snapshots, Option<String>), Error> {
        let mut cut = None;
        if !rest.trim_ascii().is_empty() {
            let is_whole = serde_json::from_slice::<serde::de::IgnoredAny>(rest).is_ok();
            if is_whole || self.lines == 0 {
                self.take(rest)?;
            } else {
                let line = self.lines + 1;
                cut = Some(format!("line {line} is cut off: its task is missing"));
            }
        }
        if !self.is_grouped {
            return Ok((Snapshots::Each(self.each), cut));
        }
        self.ranks.sort_unstable();
        let again = self.ranks.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        if let Some(pair) = again.min_by_key(|pair| pair[1].1) {
            return Err(second(&pair[1].0.to_string(), pair[1].1));
        }
        let alike = self.groups.into_iter().map(|(task, mut ranks)| {
            ranks.sort_unstable();
            let first = ranks.first().copied();
            Alike {
                task: Task {
                    task: first.map_or_else(|| task.task.clone(), |rank| rank.to_string()),
                    rank: first,
                    ..task
                },
                ranks: ranks.into_iter().collect(),
            }
        });
        Ok((Snapshots::Alike(alike.collect()), cut))
    }

    /// A whole text at once.
    pub(crate) fn finish_all(mut self, text: &[u8]) -> Result<Snapshots, Error> {
        let end = text
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |end| end + 1);
        if end > 0 {
            self.take(&text[..end])?;
        }
        Ok(self.finish(&text[end..])?.0)
    }

    /// One line of a file that may yet be small.
    fn one(&mut self, line: &[u8], at: usize) -> Result<(), Error> {
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        if self.each.is_empty() && line.windows(19).any(|part| part == b"\"hindmost_snapshot\"") {
            let header: Header = serde_json::from_slice(line)
                .map_err(|error| failure(at, format!("not a snapshot header: {error}")))?;
            if header.hindmost_snapshot > snapshot::VERSION {
                let reason = format!(
                    "snapshot version {} is newer than this hindmost (it reads up to {})",
                    header.hindmost_snapshot,
                    snapshot::VERSION
                );
                return Err(failure(at, reason));
            }
            return Ok(());
        }
        let task: Task = parsed(line, at)?;
        if self.names.insert(task.task.clone(), at).is_some() {
            return Err(second(&task.task, at));
        }
        self.each.push(task);
        Ok(())
    }

    /// From here on a record stands for many tasks, if their ranks tell them apart.
    fn group(&mut self) {
        let is_ranked = |task: &Task| is_named_by(&task.task, task.rank);
        if !self.each.iter().all(is_ranked) {
            return;
        }
        self.is_grouped = true;
        for task in std::mem::take(&mut self.each) {
            let Some(rank) = task.rank else { continue };
            let line = self.names.get(&task.task).copied().unwrap_or_default();
            self.ranks.push((rank, line));
            let group = self.group_of(task);
            self.groups[group].1.push(rank);
        }
        self.names.clear();
    }

    fn group_of(&mut self, task: Task) -> usize {
        let (task, _) = snapshot::split(task);
        // Serialising plain strings and numbers cannot fail.
        let text = serde_json::to_vec(&task).unwrap_or_default();
        let key = hash(&self.keys, &text);
        if let Some(&known) = self.by_stack.get(&key) {
            return known;
        }
        self.by_stack.insert(key, self.groups.len());
        self.groups.push((task, Vec::new()));
        self.groups.len() - 1
    }
}

/// A line of many.
struct Read<'a> {
    at: usize,
    rank: u32,
    /// The hash of what it says besides its task.
    text: u128,
    bytes: &'a [u8],
}

impl<'a> Read<'a> {
    fn of(bytes: &'a [u8], at: usize, keys: &[RandomState; 2]) -> Result<Self, Error> {
        let line: Line<'a> = parsed(bytes, at)?;
        let Some(rank) = line.rank.filter(|_| is_named_by(&line.task, line.rank)) else {
            let reason = format!(
                "task '{}' is not named by its rank, as all before it are",
                line.task
            );
            return Err(failure(at, reason));
        };
        let state = line
            .state
            .map(|state| (state.run, state.system_call, state.wait_channel, state.tracer));
        let raw = |part: Option<&'a RawValue>| part.map(RawValue::get);
        let said = (
            raw(line.frames),
            line.error,
            state,
            line.program,
            raw(line.threads),
            line.unstopped,
        );
        let text = hash(keys, &said);
        Ok(Read {
            at,
            rank,
            text,
            bytes,
        })
    }
}

fn is_named_by(task: &str, rank: Option<u32>) -> bool {
    rank.is_some_and(|rank| task == rank.to_string())
}

fn hash(keys: &[RandomState; 2], value: &impl Hash) -> u128 {
    let [high, low] = keys.each_ref().map(|key| u128::from(key.hash_one(value)));
    high << 64 | low
}

fn parsed<'a, T: Deserialize<'a>>(line: &'a [u8], at: usize) -> Result<T, Error> {
    let text = std::str::from_utf8(line).map_err(|_| Error::new(at, "not UTF-8 text"))?;
    serde_json::from_str(text).map_err(|error| failure(at, format!("not a task record: {error}")))
}

fn failure(line: usize, reason: impl Into<String>) -> Error {
    Error::new(line, reason).hint("`hindmost order --help` shows a line of recorded stacks")
}

fn second(task: &str, line: usize) -> Error {
    failure(line, format!("a second task named '{task}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, piece: usize) -> Result<(Snapshots, Option<String>), Error> {
        let mut reader = Reader::default();
        let mut rest = text.as_bytes();
        // Whole lines, some bytes at a time.
        while let Some(end) = rest
            .iter()
            .enumerate()
            .skip(piece)
            .find(|(_, byte)| **byte == b'\n')
        {
            let (lines, more) = rest.split_at(end.0 + 1);
            reader.take(lines)?;
            rest = more;
        }
        match rest.iter().rposition(|&byte| byte == b'\n') {
            Some(end) => {
                reader.take(&rest[..=end])?;
                reader.finish(&rest[end + 1..])
            }
            None => reader.finish(rest),
        }
    }

    fn line(rank: usize) -> String {
        let place = rank % 7;
        format!(
            "{{\"task\":\"{rank}\",\"rank\":{rank},\"pid\":{},\"frames\":[{{\"function\":\"main\",\"line\":{place},\
             \"passed\":{{\"0\":{rank}}}}}],\"state\":{{\"run\":\"running\",\"cpu_ms\":{rank}}}}}\n",
            rank + 1000
        )
    }

    #[test]
    fn many_tasks_are_as_many_records_as_they_have_stacks() {
        let tasks = EACH + 5000;
        let text: String = (0..tasks).map(line).collect();
        for piece in [1, 1 << 20, 1 << 30] {
            let (read, cut) = read(&text, piece).unwrap();
            let Snapshots::Alike(alike) = read else {
                panic!("each has a record")
            };
            assert_eq!((alike.len(), cut), (7, None));
            for each in &alike {
                let place = each.task.frames[0].line.unwrap();
                let ranks: Vec<u32> = each.ranks.iter().collect();
                let expected: Vec<u32> = (0..tasks as u32).filter(|rank| rank % 7 == place).collect();
                assert_eq!(ranks, expected, "line {place}");
            }
        }
    }

    #[test]
    fn few_tasks_keep_all_that_is_known_of_them() {
        let text: String = (0..20).map(line).collect();
        let (Snapshots::Each(tasks), None) = read(&text, 100).unwrap() else {
            panic!("alike")
        };
        assert_eq!(snapshot::read(&text).unwrap().1, tasks);
    }

    #[test]
    fn a_cut_last_line_costs_that_line() {
        for tasks in [3, EACH + 10] {
            let text: String = (0..tasks).map(line).collect();
            let (read, cut) = read(&text[..text.len() - 20], 1 << 20).unwrap();
            let known: usize = match read {
                Snapshots::Each(tasks) => tasks.len(),
                Snapshots::Alike(alike) => alike.iter().map(|each| each.ranks.len() as usize).sum(),
            };
            assert_eq!(known, tasks - 1);
            assert!(cut.unwrap().starts_with(&format!("line {tasks} is cut off")));
        }
        // In the middle it is an error, and so is a file that is nothing else.
        assert_eq!(read("{\"task\": \n{\"task\":\"1\"}\n", 1).unwrap_err().line, 1);
        assert_eq!(read("{\"task\": ", 1).unwrap_err().line, 1);
    }

    #[test]
    fn a_task_is_there_once() {
        for tasks in [3, EACH + 10] {
            let mut text: String = (0..tasks).map(line).collect();
            text.push_str(&line(1));
            text.push_str(&line(2));
            let error = read(&text, 1 << 20).unwrap_err();
            assert_eq!(
                (error.line, error.reason.as_str()),
                (tasks + 1, "a second task named '1'")
            );
        }
    }
}
