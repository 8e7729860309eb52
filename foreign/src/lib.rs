//! Stacks that other tools recorded, as tasks of a snapshot, and events that they recorded ([`events`]).
//!
//! * STAT's `.dot` files with line numbers: attributes of version 2 and later, and labels alone, of before (`dot`).
//! * Backtraces of gdb (`bt`, `thread apply all bt full`) and eu-stack, one file per rank (`backtrace`), and those of lldb (`lldb`).
//! * `py-spy dump`, as JSON (`pyspy`) or text, and what faulthandler prints (`python`), one file per rank.
//! * hindmost's own snapshots, with one record for each stack where there are many tasks (`snapshots`).
//!
//! What a tool does not say stays unknown. Values tell gdb's `bt full` and STAT's `vars`. Files come from
//! anywhere, so each reader ends in tasks or in an error with a line, and no text makes it run long or recurse deeply.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod backtrace;
mod dot;
pub mod events;
mod lldb;
mod names;
mod pyspy;
mod python;
pub mod snapshots;
mod terminal;
mod threads;
mod values;

use base::RankSet;
use snapshot::Task;
use std::fmt;

/// No stack of any program is deeper, and no frame's text longer, than what is read; more is an attack or an accident.
pub(crate) const MAX_FRAMES: usize = 20_000;
/// So many frames on all stacks of a file together: half a gigabyte of memory.
pub(crate) const MAX_ALL_FRAMES: usize = 2_000_000;
/// The longest name, path or label.
pub(crate) const MAX_TEXT: usize = 64 * 1024;
/// A list of ranks may be longer: so much takes one of a million that are scattered.
pub(crate) const MAX_LIST: usize = 16 * 1024 * 1024;
/// So many ranks are read from one file.
pub const MAX_TASKS: u64 = 1 << 21;
/// So many tasks are read from one file that each have a record of their own.
pub const MAX_NAMED: u64 = 100_000;

/// Tasks that a file shows with one stack.
#[derive(Clone, Debug, PartialEq)]
pub struct Alike {
    /// The first of them.
    pub task: Task,
    /// All of them, by rank; empty for one that has no rank.
    pub ranks: RankSet,
}

/// Which tool wrote a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// hindmost's own, JSON Lines.
    Snapshot,
    /// STAT's tree.
    Dot,
    /// gdb's or eu-stack's backtrace.
    Backtrace,
    /// The JSON of `py-spy dump`.
    PySpy,
    /// lldb's backtrace.
    Lldb,
    /// The text of `py-spy dump`, or of Python's faulthandler.
    Python,
    /// Folded stacks, which tell of no task: known, to be named.
    Folded,
    /// Samples of `perf script`: known, to be named.
    Perf,
}

/// Why a text could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub reason: String,
    /// What to do about it.
    pub hint: Option<&'static str>,
}

impl Error {
    pub(crate) fn new(line: usize, reason: impl Into<String>) -> Self {
        Self {
            line,
            reason: reason.into(),
            hint: None,
        }
    }

    pub(crate) fn hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

impl std::error::Error for Error {}

/// Which tool wrote a text, as its beginning tells.
pub fn format_of(text: &str) -> Format {
    let text = &*terminal::plain(text);
    let start = text.trim_start();
    let word = |word: &str| start.starts_with(word);
    if word("digraph") || word("strict digraph") {
        Format::Dot
    } else if word("[") && !start.starts_with("[New") && !start.starts_with("[Thread") {
        Format::PySpy
    } else if word("{") || start.is_empty() {
        Format::Snapshot
    } else {
        format_of_lines(text)
    }
}

/// Which tool wrote a text that is told by its lines; the first that is unlike all others tells.
fn format_of_lines(text: &str) -> Format {
    let lines = text.lines().filter(|line| !line.trim().is_empty()).take(200);
    // Debian's lldb may say first that its Python does not start.
    let of_lldb = |line: &str| {
        let plain = line.trim().trim_start_matches("* ");
        plain.starts_with("frame #") || plain.starts_with("thread #")
    };
    if lines.clone().any(of_lldb) {
        return Format::Lldb;
    }
    for line in lines {
        if is_frame_of_perf(line) {
            return Format::Perf;
        }
        let line = line.trim();
        if line.starts_with("File \"")
            || line.contains("(most recent call first)")
            || line.starts_with("Python v")
        {
            return Format::Python;
        } else if line.starts_with('#') && line[1..].starts_with(|c: char| c.is_ascii_digit())
            || line.starts_with("PID ")
        {
            return Format::Backtrace;
        } else if let Some((stack, count)) = line.rsplit_once(' ')
            && stack.contains(';')
            && is_count(count)
        {
            return Format::Folded;
        } else if is_sample_of_perf(line) {
            return Format::Perf;
        }
    }
    Format::Backtrace
}

fn is_count(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// `app  1234 [001] 12.345678:     250000 cycles:`, and behind that, where there are no stacks, the address and symbol.
fn is_sample_of_perf(line: &str) -> bool {
    let is_time = |word: &str| {
        let time = word.strip_suffix(':').and_then(|time| time.split_once('.'));
        time.is_some_and(|(seconds, part)| is_count(seconds) && is_count(part))
    };
    let mut words = line.split_whitespace();
    words.any(is_time) && (words.any(|word| word.ends_with(':')) || line.ends_with(':'))
}

/// A tab, an address and a symbol: whatever fields of a sample perf was asked for, its stack looks so.
fn is_frame_of_perf(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_address = |word: &str| word.len() >= 4 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    line.starts_with('\t') && words.next().is_some_and(is_address) && words.next().is_some()
}

/// Reads what another tool recorded, with a record for each task. `task` names the process that a backtrace or a py-spy dump is
/// of, `rank` is its rank, if the file's name tells it.
///
/// # Errors
/// The first line that does not fit, and what to do about it; more than [`MAX_NAMED`] tasks.
pub fn read(format: Format, text: &str, task: &str, rank: Option<u32>) -> Result<Vec<Task>, Error> {
    let text = &*terminal::plain(text);
    match format {
        Format::Snapshot => match snapshots::Reader::default().finish_all(text.as_bytes())? {
            snapshots::Snapshots::Each(tasks) => Ok(tasks),
            snapshots::Snapshots::Alike(alike) => one_by_one(alike),
        },
        Format::Dot => one_by_one(read_alike(text)?),
        Format::Backtrace => backtrace::read(text, task, rank),
        Format::PySpy => pyspy::read(text, task, rank),
        Format::Lldb => lldb::read(text, task, rank),
        Format::Python => python::read(text, task, rank),
        Format::Folded => Err(Error::new(1, "folded stacks, which tell neither tasks nor lines").hint(
            "record the stacks of the tasks: hindmost find --save, gdb's bt, eu-stack, lldb's bt all or py-spy dump",
        )),
        Format::Perf => Err(Error::new(1, "samples of perf script, which are of many moments").hint(
            "record one moment: hindmost find --save, gdb's bt, eu-stack, lldb's bt all or py-spy dump",
        )),
    }
}

/// Reads STAT's tree with one record for the tasks that it shows with one stack: of a million there are a few hundred.
///
/// # Errors
/// The first line that does not fit, and what to do about it; more than [`MAX_TASKS`] tasks.
pub fn read_alike(text: &str) -> Result<Vec<Alike>, Error> {
    dot::read(text)
}

/// A record for each task, by rank.
///
/// # Errors
/// More than [`MAX_NAMED`] tasks.
pub fn one_by_one(alike: Vec<Alike>) -> Result<Vec<Task>, Error> {
    let ranked = || alike.iter().map(|each| (each.ranks.len(), each));
    let count: u64 = ranked().map(|(count, _)| count).sum();
    let frames = ranked().map(|(count, each)| count.saturating_mul(each.task.frames.len() as u64));
    if count > MAX_NAMED || frames.sum::<u64>() > MAX_ALL_FRAMES as u64 {
        return Err(
            Error::new(1, format!("{count} tasks, too many to be read one by one"))
                .hint("the tree and the order of one moment take so many; pairs of tasks, --explain and several samples do not"),
        );
    }
    let mut tasks: Vec<Task> = Vec::new();
    for each in alike {
        for rank in each.ranks.iter() {
            tasks.push(Task {
                task: rank.to_string(),
                rank: Some(rank),
                ..each.task.clone()
            });
        }
        if each.ranks.is_empty() {
            tasks.push(each.task);
        }
    }
    let number = |task: &Task| {
        let rank = task.task.split('#').next();
        rank.and_then(|rank| rank.parse::<u32>().ok())
    };
    tasks.sort_by_key(|task| (number(task), task.task.len(), task.task.clone()));
    Ok(tasks)
}

/// The rank that a file's name tells: its last number (`bt.17.txt`, `rank3`, `stack-0004.json`).
pub fn rank_of_name(name: &str) -> Option<u32> {
    let stem = base::last_component(name);
    let end = stem.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = stem[..end]
        .rfind(|c: char| !c.is_ascii_digit())
        .map_or(0, |at| at + stem[at..].chars().next().map_or(1, char::len_utf8));
    stem[start..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_without_a_place_in_the_order_keeps_its_reason() {
        let node = |id: u32, function: &str, kind: &str| format!("{id} [function=\"{function}\"{kind}];\n");
        let text = format!(
            "digraph G {{\n{}{}{}{}0 -> 1 [label=\"2:[0-1]\"];\n1 -> 2 [label=\"1:[0]\"];\n0 -> 3 [label=\"1:[2]\"];\n}}\n",
            node(0, "/", ""),
            node(
                1,
                "[not ordered: what people read]",
                ", kind=\"unreadable\", reason=\"its stack begins in f\\<int\\>\""
            ),
            node(2, "f", ""),
            node(3, "main", ""),
        );
        let tasks = read(Format::Dot, &text, "", None).unwrap();
        let told = |task: &Task| (task.task.clone(), task.error.clone(), task.frames.len());
        // Of rank 1 nothing was read.
        let expected = [
            ("0".to_owned(), Some("its stack begins in f<int>".to_owned()), 1),
            ("2".to_owned(), None, 1),
        ];
        assert_eq!(Vec::from_iter(tasks.iter().map(told)), expected);
    }

    #[test]
    fn the_last_number_of_a_name_is_the_rank() {
        assert_eq!(rank_of_name("out/bt.17.txt"), Some(17));
        assert_eq!(rank_of_name("node5-rank003"), Some(3));
        assert_eq!(rank_of_name("größe7"), Some(7));
        assert_eq!(rank_of_name("stacks"), None);
        assert_eq!(rank_of_name("99999999999999"), None);
    }

    #[test]
    fn the_beginning_tells_the_tool() {
        assert_eq!(format_of("digraph G {"), Format::Dot);
        assert_eq!(format_of("\n{\"task\": \"3\"}"), Format::Snapshot);
        assert_eq!(format_of("[{\"pid\": 3}]"), Format::PySpy);
        assert_eq!(format_of("[New LWP 77]\n#0 main () at a.c:3"), Format::Backtrace);
        assert_eq!(format_of("PID 3 - process"), Format::Backtrace);
        // With the fields that one asks for (`-F comm,ip,sym`), no time tells a sample.
        assert_eq!(format_of("app \n\t           fcc7f norm\n"), Format::Perf);
        assert_eq!(format_of("app 12 [001] 1.25:  250000 cycles:\n"), Format::Perf);
        let without_stack = "app 12 1.25:  250000 cpu-clock:pppH:  7f01 norm+0xf2 (/lib/libm.so)\n";
        assert_eq!(format_of(without_stack), Format::Perf);
        assert_eq!(
            format_of("\u{1b}[1mThread 1\u{1b}[m\n#0 main () at a.c:3"),
            Format::Backtrace
        );
    }
}
