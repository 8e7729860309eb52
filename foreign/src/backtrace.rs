//! Backtraces as gdb and eu-stack print them: innermost frame first, several threads one after the other.
//!
//! `#1  0x000055 in solve (a=0x7f, n=3) at poisson.c:57` (gdb); `#1  0x000055 solve` and below it `poisson.c:57:9` (eu-stack -s).
//! The main thread is the one whose id is the process's, or thread 1 of gdb, or the only one. Of several processes (`Thread 2.1`) each
//! is a task, and nobody knows its rank.

use crate::threads::{Printed, Threads};
use crate::{Error, MAX_TEXT, names, values};
use snapshot::{Frame, Task};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

pub(crate) fn read(text: &str, task: &str, rank: Option<u32>) -> Result<Vec<Task>, Error> {
    let mut threads = Threads::new();
    let mut expected = 0;
    // Variables of the last frame, which may have several of one name: then nobody knows which is meant.
    let mut known = BTreeSet::new();
    // A variable of an inner block may hide an argument of its name: only who sees all of them knows what a name means.
    let mut arguments = BTreeMap::new();
    for (number, line) in whole_lines(text) {
        if line.len() > MAX_TEXT {
            return Err(Error::new(
                number,
                format!("a line of more than {MAX_TEXT} bytes"),
            ));
        }
        // Members of structures, which gdb may put on lines of their own, stand farther in.
        let is_local = line
            .strip_prefix(LOCAL)
            .is_some_and(|rest| !rest.starts_with(' '));
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("PID ") {
            threads.begin_process(leading_number(rest));
        } else if line.starts_with("[Inferior ") && line.ends_with(" detached]") {
            threads.begin_process(None);
        } else if let Some(thread) = thread_of(line, threads.pid()) {
            threads.push(thread);
            expected = 0;
        } else if let Some((at, mut frame)) = numbered(line) {
            let is_begun = threads.last().is_some_and(|last| !last.frames.is_empty());
            if threads.last().is_none() || at == 0 && is_begun {
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
            arguments = std::mem::take(&mut frame.values);
            known = arguments.keys().cloned().collect();
            threads.add_frame(frame, number)?;
        } else if let Some(place) = continued(line)
            && let Some(frame) = threads.last_frame()
            && frame.file.is_none()
        {
            set_place(frame, place);
        } else if line == "No locals."
            && let Some(frame) = threads.last_frame()
        {
            frame.values.append(&mut arguments);
        } else if let Some((name, value)) = values::local(line).filter(|_| is_local)
            && let Some(frame) = threads.last_frame()
        {
            frame.values.append(&mut arguments);
            match (known.insert(name.clone()), value) {
                (true, Some(value)) => drop(frame.values.insert(name, value)),
                (true, None) => {}
                (false, _) => drop(frame.values.remove(&name)),
            }
        }
    }
    threads.tasks(task, rank).ok_or_else(|| {
        Error::new(1, "no frame of a backtrace (#0, #1, …) in it").hint(
            "gdb -p PID -batch -ex 'thread apply all bt full' prints one, and so does eu-stack -s -i -p PID",
        )
    })
}

/// What stands in front of a local variable in `bt full`.
const LOCAL: &str = "        ";

/// Lines with their numbers, from 1. A frame that gdb has broken at the width of the terminal is one line again, and what its pager asks is none.
fn whole_lines(text: &str) -> Vec<(usize, Cow<'_, str>)> {
    let mut lines: Vec<(usize, Cow<'_, str>)> = Vec::new();
    let mut open = Open::default();
    for (index, line) in text.lines().enumerate() {
        if line.starts_with("--Type <RET> for more") {
            continue;
        }
        let is_continued = line.starts_with("    ") && !line.starts_with(LOCAL);
        match lines.last_mut() {
            Some((_, frame)) if is_continued && open.goes_on_with(line.trim()) && frame.len() <= MAX_TEXT => {
                let frame = frame.to_mut();
                frame.truncate(frame.trim_end().len());
                frame.push(' ');
                frame.push_str(line.trim());
            }
            _ => {
                open = Open::default();
                open.is_frame = line.starts_with('#');
                lines.push((index + 1, Cow::Borrowed(line)));
            }
        }
        open.see(line);
    }
    lines
}

/// Whether a frame may go on in the next line.
#[derive(Default)]
struct Open {
    is_frame: bool,
    quotes: values::Quotes,
    depth: usize,
}

impl Open {
    fn see(&mut self, line: &str) {
        if !self.is_frame {
            return;
        }
        for c in line.chars() {
            if self.quotes.cover(c) {
                continue;
            }
            match c {
                '(' => self.depth += 1,
                ')' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// Arguments are missing, or the place behind them.
    fn goes_on_with(&self, line: &str) -> bool {
        self.is_frame && (self.depth > 0 || line.starts_with("at ") || line.starts_with("from "))
    }
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

/// `TID 77:` (eu-stack), or `Thread 2 (Thread 0x7f… (LWP 78)):` (gdb), `Thread 3.2 (…):` of its third process.
fn thread_of(line: &str, pid: Option<u32>) -> Option<Printed> {
    if let Some(id) = line.strip_prefix("TID ").and_then(leading_number) {
        return Some(Printed {
            id,
            is_main: Some(id) == pid,
            ..Printed::default()
        });
    }
    let rest = line.strip_prefix("Thread ")?;
    let first = leading_number(rest)?;
    if !line.ends_with(':') {
        return None;
    }
    let second = rest
        .split_once('.')
        .filter(|(before, _)| before.bytes().all(|b| b.is_ascii_digit()));
    let (inferior, number) = match second.and_then(|(_, second)| leading_number(second)) {
        Some(second) => (first, second),
        None => (0, first),
    };
    let id = rest.split("LWP ").nth(1).and_then(leading_number);
    Some(Printed {
        inferior,
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
    let mut open = Vec::new();
    let mut quotes = values::Quotes::default();
    for (at, c) in text.char_indices() {
        if quotes.cover(c) {
            continue;
        }
        match c {
            '(' => open.push(at),
            ')' => drop(open.pop()),
            _ => {}
        }
    }
    let at = open.pop()?;
    Some((&text[..at], &text[at + 1..]))
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
    fn what_is_broken_at_the_width_of_a_terminal_is_one_frame() {
        let text = "\
#0  0x00007f1a in __libc_pause ()
    at ../sysdeps/pause.c:29
#1  0x0000563e in solve (it=42, 
    name=0x563e \"some name) at x.c:3 (\",
--Type <RET> for more, q to quit, c to continue without paging--
    dt=0.5, mark=41 ')', given=...)
    at pretty.c:8
No locals.
#2  0x00007f in poll ()
    from /lib/libc.so.6
#3  0x0000563e in main (c=2) at pretty.c:10
";
        let frames = read(text, "0", None).unwrap().remove(0).frames;
        let places = Vec::from_iter(frames.iter().map(|frame| (&*frame.function, frame.line)));
        assert_eq!(
            places,
            [
                ("main", Some(10)),
                ("poll", None),
                ("solve", Some(8)),
                ("__libc_pause", Some(29))
            ]
        );
        let solve = &frames[2];
        assert_eq!(Vec::from_iter(solve.values.keys()), ["dt", "it", "mark"]);
        assert_eq!(solve.file.as_deref(), Some("pretty.c"));
        assert_eq!(frames[1].module.as_deref(), Some("/lib/libc.so.6"));
    }

    #[test]
    fn a_member_of_a_structure_is_no_variable() {
        let text = "\
#0  0x0000563e in solve (it=<optimized out>, n=3) at pretty.c:8
        s = {
          n = 1,
          in = {
            it = 6
          },
          it = 8
        }
        k = 4
";
        let frames = read(text, "0", None).unwrap().remove(0).frames;
        assert_eq!(Vec::from_iter(frames[0].values.keys()), ["k", "n"]);
    }

    #[test]
    fn each_process_that_gdb_looks_at_is_a_task() {
        let text = "\
Thread 2.2 (Thread 0x7f (LWP 96) \"app\"):
#0  work () at a.c:1

Thread 2.1 (Thread 0x7e (LWP 94) \"app\"):
#0  f () at a.c:3
#1  main () at a.c:9

Thread 1.1 (Thread 0x7d (LWP 93) \"app\"):
#0  g () at a.c:5
#1  main () at a.c:8
";
        let tasks = read(text, "bt.7", Some(7)).unwrap();
        let told = |task: &Task| {
            (
                task.task.clone(),
                task.rank,
                task.frames[1].function.clone(),
                task.threads.len(),
            )
        };
        assert_eq!(
            Vec::from_iter(tasks.iter().map(told)),
            [
                ("bt.7.1".to_owned(), None, "g".to_owned(), 0),
                ("bt.7.2".to_owned(), None, "f".to_owned(), 1),
            ]
        );
        // One process is the task of the file, whatever gdb calls it.
        let one = read(&text[..text.find("Thread 1.1").unwrap()], "bt.7", Some(7)).unwrap();
        assert_eq!((one.len(), one[0].rank, one[0].frames.len()), (1, Some(7), 2));
        // Outputs that were joined to one file.
        for between in [
            "[Inferior 1 (process 93) detached]\n",
            "PID 94 - process\nTID 94:\n",
        ] {
            let joined = format!(
                "#0  f () at a.c:3\n#1  main () at a.c:9\n{between}#0  g () at a.c:5\n#1  main () at a.c:8\n"
            );
            let tasks = read(&joined, "all", None).unwrap();
            let told = |task: &Task| {
                (
                    task.task.clone(),
                    task.frames[1].function.clone(),
                    task.threads.len(),
                )
            };
            let expected = [
                ("all.1".to_owned(), "f".to_owned(), 0),
                ("all.2".to_owned(), "g".to_owned(), 0),
            ];
            assert_eq!(Vec::from_iter(tasks.iter().map(told)), expected);
        }
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
