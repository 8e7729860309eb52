//! Backtraces as gdb and eu-stack print them: innermost frame first, several threads one after the other.
//!
//! `#1  0x000055 in solve (a=0x7f, n=3) at poisson.c:57` (gdb); `#1  0x000055 solve` and below it `poisson.c:57:9` (eu-stack -s).
//! The main thread is the one whose id is the process's, or thread 1 of gdb, or the only one.

use crate::{Error, MAX_FRAMES, MAX_TEXT, names, values};
use snapshot::{Frame, Task, Thread};
use std::collections::{BTreeMap, BTreeSet};

/// A thread as it was printed.
#[derive(Default)]
pub(crate) struct Printed {
    pub(crate) id: u32,
    pub(crate) is_main: bool,
    /// Innermost first.
    pub(crate) frames: Vec<Frame>,
}

pub(crate) fn read(text: &str, task: &str, rank: Option<u32>) -> Result<Vec<Task>, Error> {
    let mut pid = None;
    let mut threads: Vec<Printed> = Vec::new();
    let mut expected = 0;
    // Variables of the last frame, which may have several of one name: then nobody knows which is meant.
    let mut known = BTreeSet::new();
    // A variable of an inner block may hide an argument of its name: only who sees all of them knows what a name means.
    let mut arguments = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let is_indented = line.starts_with("        ") || line.starts_with('\t');
        if line.len() > MAX_TEXT {
            return Err(Error::new(
                number,
                format!("a line of more than {MAX_TEXT} bytes"),
            ));
        }
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("PID ") {
            pid = leading_number(rest);
        } else if let Some(thread) = thread_of(line, pid) {
            threads.push(thread);
            expected = 0;
        } else if let Some((at, frame)) = numbered(line) {
            if threads.is_empty() || at == 0 && threads.last().is_some_and(|last| !last.frames.is_empty()) {
                threads.push(Printed::default());
                expected = 0;
            }
            // gdb numbers on where it leaves frames out; going back is another stack.
            if at < expected {
                return Err(Error::new(
                    number,
                    format!("frame #{at} comes after frame #{}", expected - 1),
                ));
            }
            expected = at + 1;
            let mut frame = frame;
            arguments = std::mem::take(&mut frame.values);
            known = arguments.keys().cloned().collect();
            let Some(thread) = threads.last_mut() else {
                continue;
            };
            thread.frames.push(frame);
            if thread.frames.len() > MAX_FRAMES {
                return Err(Error::new(
                    number,
                    format!("a stack of more than {MAX_FRAMES} frames"),
                ));
            }
        } else if let Some(place) = continued(line)
            && let Some(frame) = threads.last_mut().and_then(|thread| thread.frames.last_mut())
            && frame.file.is_none()
        {
            set_place(frame, place);
        } else if line == "No locals."
            && let Some(frame) = threads.last_mut().and_then(|thread| thread.frames.last_mut())
        {
            frame.values.append(&mut arguments);
        } else if let Some((name, value)) = values::local(line).filter(|_| is_indented)
            && let Some(frame) = threads.last_mut().and_then(|thread| thread.frames.last_mut())
        {
            frame.values.append(&mut arguments);
            match (known.insert(name.clone()), value) {
                (true, Some(value)) => drop(frame.values.insert(name, value)),
                (true, None) => {}
                (false, _) => drop(frame.values.remove(&name)),
            }
        }
    }
    task_of(threads, pid, task, rank).ok_or_else(|| {
        Error::new(1, "no frame of a backtrace (#0, #1, …) in it").hint(
            "gdb -p PID -batch -ex 'thread apply all bt full' prints one, and so does eu-stack -s -i -p PID",
        )
    })
}

/// Adds a frame, which stands on line `number`, to the thread that was printed last.
pub(crate) fn add_frame(threads: &mut Vec<Printed>, frame: Frame, number: usize) -> Result<(), Error> {
    if threads.is_empty() {
        threads.push(Printed::default());
    }
    let Some(thread) = threads.last_mut() else {
        return Ok(());
    };
    thread.frames.push(frame);
    if thread.frames.len() > MAX_FRAMES {
        return Err(Error::new(
            number,
            format!("a stack of more than {MAX_FRAMES} frames"),
        ));
    }
    Ok(())
}

/// The task of which these are the threads; `None` if they have no frame.
pub(crate) fn task_of(
    mut threads: Vec<Printed>,
    pid: Option<u32>,
    task: &str,
    rank: Option<u32>,
) -> Option<Vec<Task>> {
    threads.retain(|thread| !thread.frames.is_empty());
    if threads.is_empty() {
        return None;
    }
    let main = threads.iter().position(|thread| thread.is_main).unwrap_or(0);
    let main = threads.remove(main);
    let outermost_first = |mut frames: Vec<Frame>| {
        frames.reverse();
        frames
    };
    Some(vec![Task {
        task: task.to_owned(),
        rank,
        pid,
        frames: outermost_first(main.frames),
        threads: threads
            .into_iter()
            .map(|thread| Thread {
                thread: thread.id,
                frames: outermost_first(thread.frames),
                ..Thread::default()
            })
            .collect(),
        ..Task::default()
    }])
}

/// The place in a line that goes on with a frame: gdb breaks long frames, eu-stack puts the place below the frame.
fn continued(line: &str) -> Option<&str> {
    let place = line.strip_prefix("at ").unwrap_or(line);
    let last = place.rsplit(':').next()?;
    (place.contains(':') && !last.is_empty() && last.bytes().all(|b| b.is_ascii_digit())).then_some(place)
}

pub(crate) fn leading_number(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// `TID 77:` (eu-stack), or `Thread 2 (Thread 0x7f… (LWP 78)):` (gdb).
fn thread_of(line: &str, pid: Option<u32>) -> Option<Printed> {
    if let Some(id) = line.strip_prefix("TID ").and_then(leading_number) {
        return Some(Printed {
            id,
            is_main: Some(id) == pid,
            ..Printed::default()
        });
    }
    let rest = line.strip_prefix("Thread ")?;
    let number = leading_number(rest)?;
    if !line.ends_with(':') {
        return None;
    }
    let id = rest.split("LWP ").nth(1).and_then(leading_number);
    Some(Printed {
        id: id.unwrap_or(number),
        is_main: number == 1,
        ..Printed::default()
    })
}

/// A frame with its number.
fn numbered(line: &str) -> Option<(usize, Frame)> {
    let rest = line.strip_prefix('#')?;
    let end = rest.find(|c: char| !c.is_ascii_digit())?;
    let number = rest[..end].parse().ok()?;
    let mut rest = rest[end..].trim_start();
    let mut pc = None;
    if let Some(hex) = rest.strip_prefix("0x") {
        let end = hex.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hex.len());
        pc = u64::from_str_radix(&hex[..end], 16).ok();
        rest = hex[end..].trim_start();
        // eu-stack marks addresses that are no return addresses; gdb says `in`.
        rest = rest.strip_prefix("in ").unwrap_or(rest).trim_start();
    }
    let mut frame = Frame {
        pc,
        ..Frame::default()
    };
    if let Some((head, place)) = split_place(rest) {
        set_place(&mut frame, place);
        rest = head;
    } else if let Some((head, module)) = rest.rsplit_once(" from ") {
        frame.module = Some(module.trim().to_owned());
        rest = head;
    }
    frame.inlined = rest.contains("[inline]");
    if let Some((_, arguments)) = rest.trim_end().strip_suffix(')').and_then(opened) {
        frame.values.extend(values::arguments(arguments));
    }
    let named = names::named(rest);
    (frame.function, frame.qualified) = (named.function, named.qualified);
    Some((number, frame))
}

/// What stands before and behind the parenthesis that closes at the end of the text, which is left out itself.
fn opened(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' if depth == 0 => return Some((&text[..at], &text[at + 1..])),
            '(' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The text before a place, and the place: behind `) at ` in gdb's frames, behind ` - ` in eu-stack's.
fn split_place(text: &str) -> Option<(&str, &str)> {
    if let Some(at) = text.rfind(") at ") {
        return Some((&text[..=at], &text[at + 5..]));
    }
    let at = text.rfind(" - ")?;
    Some((&text[..at], &text[at + 3..]))
}

/// `poisson.c:57`, or with a column, as eu-stack writes it.
pub(crate) fn set_place(frame: &mut Frame, place: &str) {
    let place = place.trim();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let Some((rest, last)) = place.rsplit_once(':').filter(|(_, last)| is_number(last)) else {
        // Without a line it is the module.
        frame.module = (!place.is_empty()).then(|| place.to_owned());
        return;
    };
    let (file, line, column) = match rest.rsplit_once(':') {
        Some((file, line)) if is_number(line) => (file, line, Some(last)),
        _ => (rest, last, None),
    };
    frame.file = Some(file.to_owned());
    frame.line = line.parse().ok();
    frame.column = column.and_then(|column| column.parse().ok());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: &str) -> (String, Option<String>, Option<u32>, Option<u32>) {
        let (_, frame) = numbered(line).unwrap();
        (frame.function, frame.file, frame.line, frame.column)
    }

    #[test]
    fn frames_of_gdb_and_eu_stack() {
        let at = |function: &str, file: &str, line, column| {
            (function.to_owned(), Some(file.to_owned()), Some(line), column)
        };
        assert_eq!(
            place("#0  main (argc=1, argv=0x7f) at a b.c:57"),
            at("main", "a b.c", 57, None)
        );
        assert_eq!(
            place("#12 0x0000 in solve (f=0x0 <g at x>) at ../p.c:7"),
            at("solve", "../p.c", 7, None)
        );
        assert_eq!(
            place("#1  0x0000555 solve + 0x1c - /src/p.c:57:9"),
            at("solve", "/src/p.c", 57, Some(9))
        );
        assert_eq!(
            place("#2 0x1 in std::vector<int, a<b> >::at (this=0x1) at v.h:3"),
            at("at", "v.h", 3, None)
        );
        assert_eq!(
            place("#1 0x1 in ns::Grid<int>::step (this=0x1) at g.cpp:3"),
            at("step", "g.cpp", 3, None)
        );
        assert_eq!(place("#3  0x00007f in ?? () from /usr/lib/libmpi.so.40").0, "??");
        assert_eq!(place("#3  0x00007f __poll@@GLIBC_2.2 + 0x4f").0, "__poll");
        assert!(numbered("#define X").is_none() && numbered("# 3").is_none());
    }

    #[test]
    fn threads_are_parted_and_the_main_one_found() {
        let text = "PID 70 - process\nTID 71:\n#0 0x1 work\n    a.c:3:1\nTID 70:\n#0 0x1 wait\n#1 0x2 main\n    a.c:9:2\n";
        let tasks = read(text, "3", Some(3)).unwrap();
        assert_eq!(tasks[0].pid, Some(70));
        let names: Vec<&str> = tasks[0]
            .frames
            .iter()
            .map(|frame| frame.function.as_str())
            .collect();
        assert_eq!(names, ["main", "wait"], "outermost first");
        assert_eq!(
            (tasks[0].frames[0].line, tasks[0].frames[0].column),
            (Some(9), Some(2))
        );
        assert_eq!(tasks[0].threads[0].thread, 71);
        let text = "Thread 2 (Thread 0x7f (LWP 81)):\n#0  poll () at p.c:1\n\nThread 1 (Thread 0x7e (LWP 80)):\n#0  f () at a.c:1\n#1  main () at a.c:2\n";
        let tasks = read(text, "0", None).unwrap();
        assert_eq!(tasks[0].frames.len(), 2);
        assert_eq!(tasks[0].threads[0].thread, 81);
    }

    #[test]
    fn arguments_and_locals_are_values() {
        let text = "\
#0  norm (a=a@entry=0x7f, n=n@entry=64) at solver.c:6
        k = 12
        a = <optimized out>
#1  0x000055 in solve (it=41) at solver.c:13
No locals.
#2  0x000056 in main (argc=1) at solver.c:20
        it = 3
        s = {x = 1, y = 2}
        it = 4
";
        let frames = read(text, "0", None).unwrap().remove(0).frames;
        let integers = |frame: &Frame| -> Vec<(String, i64)> {
            let each = frame.values.iter().map(|(name, value)| match value {
                snapshot::Value::Integer(value) => (name.clone(), *value),
                other => panic!("{other:?}"),
            });
            each.collect()
        };
        let argc = ("argc".to_owned(), 1);
        assert_eq!(integers(&frames[0]), [argc], "`it` may be either of two");
        assert_eq!(integers(&frames[1]), [("it".to_owned(), 41)]);
        let plain = read("#0  solve (it=41) at solver.c:13\n", "0", None).unwrap();
        assert!(
            plain[0].frames[0].values.is_empty(),
            "a local of that name may hide it"
        );
        assert_eq!(integers(&frames[2]), [("k".to_owned(), 12), ("n".to_owned(), 64)]);
    }

    #[test]
    fn what_is_no_backtrace_is_refused() {
        assert_eq!(read("hello\n", "x", None).unwrap_err().line, 1);
        assert_eq!(
            read("#3 f () at a.c:1\n#2 g () at a.c:2\n", "x", None)
                .unwrap_err()
                .line,
            2
        );
    }
}
