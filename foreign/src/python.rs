//! Stacks of Python as text: `py-spy dump`, and what the module faulthandler prints.
//!
//! `    solve (solver.py:13)` (py-spy); `  File "solver.py", line 13 in solve` (faulthandler). Both print the innermost call first.
//! With `--native` py-spy prints machine code, too: without debug info a call has no line, but the object that it is in (`poll (libc.so.6)`).
//! The main thread is the one that py-spy calls MainThread; faulthandler prints it last.

use crate::backtrace::leading_number;
use crate::threads::{Printed, Threads};
use crate::{Error, MAX_TEXT, names};
use base::FileKind;
use snapshot::{Frame, Task};

/// How many spaces stand before a call of py-spy's.
const PY_SPY_INDENT: usize = 4;

pub(crate) fn read(text: &str, task: &str, rank: Option<u32>) -> Result<Vec<Task>, Error> {
    let mut threads = Threads::new();
    for (index, line) in text.lines().enumerate() {
        if line.len() > MAX_TEXT {
            return Err(Error::new(
                index + 1,
                format!("a line of more than {MAX_TEXT} bytes"),
            ));
        }
        let indent = line.len() - line.trim_start().len();
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("Process ") {
            threads.begin_process(leading_number(rest));
        } else if line.starts_with("Thread ") || line.starts_with("Current thread ") {
            let id = line.strip_prefix("Thread ").and_then(leading_number);
            threads.push(Printed {
                id: id.unwrap_or_default(),
                is_main: line.contains("MainThread"),
                ..Printed::default()
            });
        } else if let Some(frame) = of_faulthandler(line)
            .or_else(|| of_py_spy(line))
            .or_else(|| without_line(line, indent))
        {
            threads.add_frame(frame, index + 1)?;
        }
    }
    if let Some(last) = threads.last().filter(|last| last.id == 0) {
        last.is_main = true;
    }
    threads.tasks(task, rank).ok_or_else(|| {
        Error::new(1, "no call of Python in it")
            .hint("py-spy dump --pid PID prints one, and so does faulthandler.dump_traceback()")
    })
}

fn of_faulthandler(line: &str) -> Option<Frame> {
    let (file, rest) = line.strip_prefix("File \"")?.split_once("\", line ")?;
    let (line, function) = rest.split_once(" in ")?;
    Some(frame(function, file, line.parse().ok()?))
}

fn of_py_spy(line: &str) -> Option<Frame> {
    let (function, place) = line.strip_suffix(')')?.rsplit_once(" (")?;
    let (file, line) = place.rsplit_once(':')?;
    Some(frame(function, file, line.parse().ok()?))
}

/// A call of which py-spy knows no line. Variables (`--locals`) are indented farther, and the version of Python not at all.
fn without_line(line: &str, indent: usize) -> Option<Frame> {
    if indent != PY_SPY_INDENT {
        return None;
    }
    let (function, object) = line.strip_suffix(')')?.rsplit_once(" (")?;
    if object.ends_with(".py") {
        let file = Some(object.to_owned());
        return Some(Frame {
            file,
            ..of_python(function)
        });
    }
    Some(Frame {
        module: Some(object.to_owned()),
        ..of_machine_code(function)
    })
}

fn frame(function: &str, file: &str, line: u32) -> Frame {
    let call = match FileKind::of(file) {
        Some(_) => of_machine_code(function),
        None => of_python(function),
    };
    Frame {
        file: Some(file.to_owned()),
        line: Some(line),
        ..call
    }
}

fn of_python(function: &str) -> Frame {
    Frame {
        function: function.to_owned(),
        ..Frame::default()
    }
}

/// A call by the name that a demangler gives it. Where there is none py-spy tells the address, which is another one in each process.
pub(crate) fn of_machine_code(function: &str) -> Frame {
    let hex = function.strip_prefix("0x");
    let is_address = hex.is_some_and(|hex| u64::from_str_radix(hex, 16).is_ok());
    let named = names::named(if is_address { "" } else { function });
    Frame {
        function: named.function,
        qualified: named.qualified,
        ..Frame::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read_and_the_main_thread_is_the_task() {
        let py_spy = "\
Process 70: python3 solver.py
Python v3.11.2 (/usr/bin/python3.11)

Thread 71 (idle): \"worker\"
    wait (threading.py:320)
Thread 70 (active): \"MainThread\"
    solve (solver.py:13)
    <module> (solver.py:20)
";
        let faulthandler = "\
Thread 0x00007f (most recent call first):
  File \"/usr/lib/python3.11/threading.py\", line 320 in wait

Current thread 0x00007e (most recent call first):
  File \"solver.py\", line 13 in solve
  File \"solver.py\", line 20 in <module>
";
        for text in [py_spy, faulthandler] {
            let task = &read(text, "3", Some(3)).unwrap()[0];
            let stack: Vec<(&str, Option<u32>)> = task
                .frames
                .iter()
                .map(|frame| (frame.function.as_str(), frame.line))
                .collect();
            assert_eq!(stack, [("<module>", Some(20)), ("solve", Some(13))], "{text}");
            assert_eq!(task.threads[0].frames[0].function, "wait");
        }
    }

    #[test]
    fn machine_code_without_a_line_keeps_its_frame() {
        let native = "\
Process 70: python3 solver.py (3)
Python v3.11.2 (/usr/bin/python3.11)

Thread 70 (active): \"MainThread\"
    poll (libc.so.6)
    0x7f6513febf7a (libc.so.6)
    grid<int>::wait(int, char) const (libsolver.so)
    relax (grid.cpp:7)
    solve (solver.py:13)
        Arguments:
            size: (3, 4)
        Locals:
            it: len (3)
    <module> (solver.py)
";
        let task = &read(native, "3", Some(3)).unwrap()[0];
        let frames = task.frames.iter();
        let told = frames.map(|frame| {
            let place = frame.file.as_deref().or(frame.module.as_deref());
            (frame.function.as_str(), place.unwrap_or_default(), frame.line)
        });
        assert_eq!(
            Vec::from_iter(told),
            [
                ("<module>", "solver.py", None),
                ("solve", "solver.py", Some(13)),
                ("relax", "grid.cpp", Some(7)),
                ("wait", "libsolver.so", None),
                ("??", "libc.so.6", None),
                ("poll", "libc.so.6", None),
            ]
        );
        assert_eq!(task.frames[5].module.as_deref(), Some("libc.so.6"));
        assert_eq!(task.frames[3].qualified.as_deref(), Some("grid<int>::wait"));
    }
}
