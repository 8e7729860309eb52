//! Recorded stacks: what the probe writes and the order reads, one task per line.
//!
//! JSON Lines. Every line is a [`Task`]; frames stand outermost first. The probe's own files begin with a
//! [`Header`] line; files made by hand or by other tools need none. `docs/snapshot-format.md` is the user's page.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod event;
mod frames;
mod name;
mod own;

pub use event::{Cause, EVENTS_SCHEMA, Event};
pub use frames::{Frames, Passed};
pub use name::Name;
pub use own::{Own, OwnThread, is_named_by, join, split};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the format that this crate writes.
pub const VERSION: u32 = 1;

/// The first line of a file that the probe wrote.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Format version; its presence marks the line as a header.
    pub hindmost_snapshot: u32,
    /// The host on which the tasks ran.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub host: String,
    /// Microseconds from the first task's stop until the last task's release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_us: Option<u64>,
    /// How many ranks the whole job has, on all hosts, as the environment of its tasks says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u32>,
    /// When the tasks were looked at, in seconds since the beginning of 1970 (UTC).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken: Option<u64>,
    /// The process that has started the job, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launcher: Option<u32>,
    /// What people know the job by: the launcher's name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub job: String,
}

/// One task: a stack, or the reason why there is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// A name that is unique in the file; the rank or pid when the probe writes it.
    pub task: String,
    /// Its rank in the job. Two records of one rank are two moments of one task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    /// Its process on its host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// The host that it runs on, where the tasks of a file are of several hosts.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub host: Name,
    /// Outermost first.
    #[serde(default)]
    pub frames: Frames,
    /// Why there are no frames, or why the outermost ones are missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How long the main thread was held, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_ns: Option<u64>,
    /// It slept in a system call and was read without a stop: what was only in its registers is missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unstopped: bool,
    /// System calls that a stop may have ended early, so that they returned `EINTR` or a short count to the program: it was on
    /// its way into them, or `--stop` was given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<String>,
    /// What the kernel said of the process just before it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<ProcessState>,
    /// The path of its program, as the kernel names it.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub program: Name,
    /// The build-id, in hexadecimal, of the program whose map it was read by, in a job of several programs: frames are of that map, and of no other.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub build: Name,
    /// The address that stands for `MPI_COMM_WORLD` in this process, where MPI's handles are addresses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world: Option<u64>,
    /// The other threads of the process, in the order in which they were created; everything above is about the main
    /// one. A reader that knows nothing of them sees the main thread alone, as in files that were written before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<Thread>,
}

/// What the kernel says of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessState {
    /// What its main thread does.
    pub run: RunState,
    /// The system call that its main thread sleeps in: its name, or its number where it has none here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_call: Option<String>,
    /// The function of the kernel that its main thread sleeps in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_channel: Option<String>,
    /// The process that traces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracer: Option<u32>,
    /// The processor time that all its threads have used so far, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<u64>,
    /// The lock that it sleeps for, if it is a mutex of glibc.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock: Option<Lock>,
}

/// A mutex that a thread sleeps for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lock {
    /// Where it is in the memory of its process.
    pub address: u64,
    /// The thread of the same process that holds it; `None` when the lock names no thread that lives there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<u32>,
}

/// What a thread does, as the kernel's letter for its state has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    /// `R`: it runs, or waits for a processor.
    Running,
    /// `S`: it sleeps, and a signal would wake it.
    Sleeping,
    /// `D`: it sleeps, and nothing but what it waits for wakes it: often disk or network storage.
    Uninterruptible,
    /// `T`: a signal has stopped it.
    Stopped,
    /// `t`: a tracer has stopped it.
    Traced,
    /// `Z` or `X`: it has ended. Of a process with other threads it is the main thread that has.
    Ended,
    /// Any other, or one that is not known.
    #[default]
    #[serde(other)]
    Other,
}

impl RunState {
    /// The state that a letter of `/proc/PID/stat` stands for.
    pub fn of_letter(letter: char) -> Self {
        match letter {
            'R' => Self::Running,
            'S' => Self::Sleeping,
            'D' => Self::Uninterruptible,
            'T' => Self::Stopped,
            't' => Self::Traced,
            'Z' | 'X' | 'x' => Self::Ended,
            _ => Self::Other,
        }
    }
}

/// A thread of a task that is not its main one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Thread {
    /// Its thread id on `host`.
    pub thread: u32,
    /// The name that the program or a library gave it, or that of the program.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Outermost first.
    #[serde(default)]
    pub frames: Frames,
    /// Why there are no frames, or why the outermost ones are missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How long it was held, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_ns: Option<u64>,
    /// It slept in a system call and was read without a stop: what was only in its registers is missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unstopped: bool,
    /// System calls that a stop may have ended early, so that they returned `EINTR` or a short count to the program: it was on
    /// its way into them, or `--stop` was given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<String>,
    /// What the kernel said of the thread just before it was read; the processor time is its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<ProcessState>,
}

/// One call on a stack.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// The function's name in the source; `??` when unknown.
    pub function: String,
    /// Its name with the namespaces, classes and template arguments that belong to it: as the linker has it (`_ZN4GridIdE5relaxEv`) or as
    /// another tool has written it. For readers only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qualified: Option<String>,
    /// Its source file, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line that it is on; for all but the innermost frame, that of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column, in bytes from 1, as the line table gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Values of variables, by the names that the map lists.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, Value>,
    /// Listed variables that could not be read, with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub missing: BTreeMap<String, String>,
    /// What the frame's call of an MPI function passed, by the place of the argument, from 0: the bits as an unsigned number.
    /// In [`Frames`] this is kept aside.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub passed: BTreeMap<u8, u64>,
    /// Registers that the frame's code counts with and that calls preserve, by the numbers of DWARF.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub registers: BTreeMap<u8, u64>,
    /// Slots of the frame that its code counts with, by their distance in bytes from the canonical frame address (CFA).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub slots: BTreeMap<i32, u64>,
    /// The frame's call is not one by name of a function that has left its frame to the next one's: the build says that it is by the
    /// name of that one, or through a pointer, or has inlined it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub straight: bool,
    /// The call was inlined into the frame before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inlined: bool,
    /// The task is not in a call, and its code is not in the order of the source: the position is near the truth.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inexact: bool,
    /// The task is at the function's first instruction: of this call nothing has been executed yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_start: bool,
    /// This frame was found without unwind information, by frame pointers or by what looks like a return address on the stack.
    /// It and all further out are shown and order nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guessed: bool,
    /// The shared object or executable, when the function is not in the map.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
    /// The program counter, relative to the module (as linked).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pc: Option<u64>,
}

/// The value of a variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// An integer.
    Integer(i64),
    /// An integer or pointer above `i64::MAX`.
    Unsigned(u64),
    /// A floating-point number.
    Float(f64),
    /// Anything else that another tool may have recorded; it orders nothing.
    Other(serde_json::Value),
}

/// A line that is neither a header nor a task.
#[derive(Debug)]
pub struct ReadError {
    /// Line number, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

impl std::error::Error for ReadError {}

/// Reads recorded stacks; the header is the default when the text has none.
///
/// # Errors
/// The first line that is neither a header nor a task, a second task of the same name, or a header of a newer
/// version.
pub fn read(text: &str) -> Result<(Header, Vec<Task>), ReadError> {
    let mut header = Header::default();
    let mut tasks: Vec<Task> = Vec::new();
    let mut names = std::collections::BTreeSet::new();
    let (mut known, mut names_known) = (frames::Known::default(), name::KnownNames::default());
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        if line.trim().is_empty() {
            continue;
        }
        if tasks.is_empty() && line.contains("\"hindmost_snapshot\"") {
            header = serde_json::from_str(line).map_err(|e| ReadError {
                line: line_number,
                reason: format!("not a snapshot header: {e}"),
            })?;
            if header.hindmost_snapshot > VERSION {
                let reason = format!(
                    "snapshot version {} is newer than this hindmost (it reads up to {VERSION})",
                    header.hindmost_snapshot
                );
                return Err(ReadError {
                    line: line_number,
                    reason,
                });
            }
            continue;
        }
        let mut task: Task = serde_json::from_str(line).map_err(|e| ReadError {
            line: line_number,
            reason: format!("not a task record: {e}"),
        })?;
        if !names.insert(task.task.clone()) {
            let reason = format!("a second task named '{}'", task.task);
            return Err(ReadError {
                line: line_number,
                reason,
            });
        }
        for name in [&mut task.host, &mut task.program, &mut task.build] {
            names_known.share(name);
        }
        known.share(&mut task.frames);
        for thread in &mut task.threads {
            known.share(&mut thread.frames);
        }
        tasks.push(task);
    }
    Ok((header, tasks))
}

/// Writes a header and tasks as [`read`] takes them.
pub fn write(header: &Header, tasks: &[Task]) -> String {
    let mut text = line(header);
    text.push('\n');
    for task in tasks {
        text.push_str(&line(task));
        text.push('\n');
    }
    text
}

/// A line of the file. It may be printed to a terminal, so no character in it acts on one.
fn line(content: &impl Serialize) -> String {
    // Serialising plain strings and numbers cannot fail.
    let json = serde_json::to_string(content).unwrap_or_default();
    base::escape_json(&json, &|_| false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_printed_and_is_read_as_it_was() {
        let header = Header {
            host: "no\u{202e}de\u{9b}2J\u{7f}".to_owned(),
            ..Header::default()
        };
        let text = write(&header, &[]);
        assert!(!text.trim_end().chars().any(base::acts_on_terminal), "{text}");
        assert_eq!(read(&text).unwrap().0.host, header.host);
    }

    #[test]
    fn a_recorded_stack_is_read() {
        let text = r#"{"task": "3", "rank": 3, "frames": [{"function": "main", "file": "app.c", "line": 40, "column": 9, "values": {"it": 41, "t": 0.5}}]}"#;
        let (_, tasks) = read(text).unwrap();
        assert_eq!(tasks[0].frames[0].values["it"], Value::Integer(41));
        assert_eq!(tasks[0].frames[0].values["t"], Value::Float(0.5));
        let written = write(
            &Header {
                hindmost_snapshot: VERSION,
                ..Header::default()
            },
            &tasks,
        );
        assert_eq!(read(&written).unwrap().1, tasks);
    }

    #[test]
    fn what_older_files_lack_is_absent_and_what_is_absent_is_not_written() {
        let old = "{\"hindmost_snapshot\":1}\n{\"task\":\"3\",\"frames\":[{\"function\":\"f\"}],\"threads\":[{\"thread\":9,\"frames\":[]}]}\n";
        let (header, mut tasks) = read(old).unwrap();
        assert_eq!((header.size, &tasks[0].threads[0].state), (None, &None));
        assert!(!tasks[0].frames[0].guessed);
        assert_eq!(write(&header, &tasks), old);
        tasks[0].frames.edit(|frames| frames[0].guessed = true);
        tasks[0].threads[0].state = Some(ProcessState {
            lock: Some(Lock {
                address: 4096,
                owner: Some(7),
            }),
            ..ProcessState::default()
        });
        let new = Header {
            size: Some(6),
            ..header
        };
        assert_eq!(read(&write(&new, &tasks)).unwrap(), (new, tasks));
    }

    #[test]
    fn a_bad_line_is_named() {
        assert_eq!(read("\n{\"task\": 3}").unwrap_err().line, 2);
        assert_eq!(read("{\"task\": \"a\"}\n{\"task\": \"a\"}").unwrap_err().line, 2);
        assert_eq!(read("{\"hindmost_snapshot\": 99}").unwrap_err().line, 1);
    }
}
