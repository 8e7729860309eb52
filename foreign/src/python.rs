//! Stacks of Python as text: `py-spy dump`, and what the module faulthandler prints.
//!
//! `    solve (solver.py:13)` (py-spy); `  File "solver.py", line 13 in solve` (faulthandler). Both print the innermost call first.
//! The main thread is the one that py-spy calls MainThread; faulthandler prints it last.

use crate::backtrace::{self, Printed};
use crate::{Error, MAX_TEXT};
use snapshot::{Frame, Task};

pub(crate) fn read(text: &str, task: &str, rank: Option<u32>) -> Result<Vec<Task>, Error> {
    let mut threads: Vec<Printed> = Vec::new();
    let mut pid = None;
    for (index, line) in text.lines().enumerate() {
        if line.len() > MAX_TEXT {
            return Err(Error::new(
                index + 1,
                format!("a line of more than {MAX_TEXT} bytes"),
            ));
        }
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("Process ") {
            pid = pid.or(backtrace::leading_number(rest));
        } else if line.starts_with("Thread ") || line.starts_with("Current thread ") {
            let id = line.strip_prefix("Thread ").and_then(backtrace::leading_number);
            threads.push(Printed {
                id: id.unwrap_or_default(),
                is_main: line.contains("MainThread"),
                ..Printed::default()
            });
        } else if let Some(frame) = of_faulthandler(line).or_else(|| of_py_spy(line)) {
            backtrace::add_frame(&mut threads, frame, index + 1)?;
        }
    }
    threads.retain(|thread| !thread.frames.is_empty());
    if let Some(last) = threads.last_mut().filter(|last| last.id == 0) {
        last.is_main = true;
    }
    backtrace::task_of(threads, pid, task, rank).ok_or_else(|| {
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

fn frame(function: &str, file: &str, line: u32) -> Frame {
    Frame {
        function: function.to_owned(),
        file: Some(file.to_owned()),
        line: Some(line),
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
}
