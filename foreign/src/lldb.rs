//! Backtraces of lldb (`bt`, `bt all`): ``frame #1: 0x000055 app`solve(n=3, it=41) at poisson.c:57:9``.

use crate::backtrace;
use crate::threads::{Printed, Threads};
use crate::{Error, MAX_TEXT, names};
use snapshot::{Frame, Task};

pub(crate) fn read(text: &str, task: &str, rank: Option<u32>) -> Result<Vec<Task>, Error> {
    let mut threads = Threads::new();
    for (index, line) in text.lines().enumerate() {
        if line.len() > MAX_TEXT {
            return Err(Error::new(
                index + 1,
                format!("a line of more than {MAX_TEXT} bytes"),
            ));
        }
        let line = line.trim().trim_start_matches("* ");
        if line.starts_with("(lldb) process attach") {
            threads.begin_process(None);
        } else if let Some(rest) = line.strip_prefix("thread #") {
            let id = backtrace::leading_number(rest).unwrap_or_default();
            // Who attaches sees where each thread is, before its whole stack.
            let thread = threads.take(id);
            threads.push(thread.unwrap_or_else(|| Printed {
                id,
                is_main: id == 1,
                ..Printed::default()
            }));
        } else if let Some(frame) = line.strip_prefix("frame #").and_then(frame) {
            if let Some(thread) = threads.last().filter(|_| line.starts_with("frame #0:")) {
                thread.frames.clear();
            }
            threads.add_frame(frame, index + 1)?;
        }
    }
    threads.tasks(task, rank).ok_or_else(|| {
        Error::new(1, "no frame of lldb in it").hint("lldb -p PID --batch -o 'bt all' prints one")
    })
}

/// `1: 0x000055 app`solve(n=3) at poisson.c:57:9`, without the word in front.
fn frame(text: &str) -> Option<Frame> {
    let (_, rest) = text.split_once(": ")?;
    let (pc, rest) = match rest.strip_prefix("0x").and_then(|hex| hex.split_once(' ')) {
        Some((hex, rest)) => (u64::from_str_radix(hex, 16).ok(), rest),
        None => (None, rest),
    };
    let (module, rest) = rest.split_once('`')?;
    let mut frame = Frame {
        pc,
        module: Some(module.to_owned()),
        ..Frame::default()
    };
    let rest = match rest.rsplit_once(" at ") {
        Some((head, place)) => {
            backtrace::set_place(&mut frame, place);
            // The map knows the program's functions by their files.
            frame.module = frame.module.filter(|_| frame.file.is_none());
            head
        }
        None => rest.rsplit_once(" + ").map_or(rest, |(head, _)| head),
    };
    let rest = match rest.split_once(" [inlined] ") {
        Some((_, inlined)) => {
            frame.inlined = true;
            inlined
        }
        None => rest,
    };
    // The arguments are not taken: a variable of an inner block may hide one of them, and lldb does not say so.
    let named = names::named(rest);
    (frame.function, frame.qualified) = (named.function, named.qualified);
    Some(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_attaching_says_is_not_the_stack() {
        let text = "\
Traceback (most recent call last):
  File \"<string>\", line 1, in <module>
ModuleNotFoundError: No module named 'lldb.embedded_interpreter'
(lldb) process attach --pid 6857
Process 6857 stopped
* thread #1, name = 'deep', stop reason = signal SIGSTOP
    frame #0: 0x00007fcdc24f1df2 libc.so.6`__libc_pause at pause.c:29:10
  thread #2, name = 'deep', stop reason = signal SIGSTOP
    frame #0: 0x00007fcdc24f1df2 libc.so.6`__libc_pause at pause.c:29:10
(lldb) bt all
* thread #1, name = 'deep', stop reason = signal SIGSTOP
  * frame #0: 0x00007fcdc24f1df2 libc.so.6`__libc_pause at pause.c:29:10
    frame #1: 0x000055954eb603a6 deep`int Grid<int>::relax<7>(this=0x01, v=size=0, depth=0) at deep.cpp:9:81
    frame #2: 0x000055954eb6020a deep`main(c=2, v=0x00007ffc630cf358) at deep.cpp:12:200
  thread #2, name = 'deep', stop reason = signal SIGSTOP
  * frame #0: 0x00007fcdc24f1df2 libc.so.6`__libc_pause at pause.c:29:10
    frame #1: 0x000055954eb60187 deep`::idle((null)=0x0000000000000000) at deep.cpp:11:37
";
        assert_eq!(crate::format_of(text), crate::Format::Lldb);
        let tasks = read(text, "3", Some(3)).unwrap();
        let names = |frames: &[Frame]| Vec::from_iter(frames.iter().map(|frame| frame.function.clone()));
        assert_eq!(names(&tasks[0].frames), ["main", "relax", "__libc_pause"]);
        assert_eq!(
            tasks[0].frames[1].qualified.as_deref(),
            Some("Grid<int>::relax<7>")
        );
        let [thread] = &tasks[0].threads[..] else {
            panic!("{:?}", tasks[0].threads);
        };
        assert_eq!(names(&thread.frames), ["idle", "__libc_pause"]);
        assert_eq!(thread.frames[0].qualified, None);
    }

    #[test]
    fn threads_and_frames() {
        let text = "\
(lldb) bt all
* thread #1, name = 'app', stop reason = signal SIGSTOP
  * frame #0: 0x00007ffff7e8a1b4 libc.so.6`__GI___clock_nanosleep(clock_id=0, flags=0) at clock_nanosleep.c:48:3
    frame #1: 0x0000555555555161 app`work [inlined] norm at solver.c:6:9
    frame #2: 0x0000555555555161 app`ns::Grid<int>::solve(this=0x00007ffe, it=41) at solver.c:13:5
    frame #3: 0x0000555555555171 app`main + 45
  thread #2, name = 'app'
    frame #0: 0x00007ffff7e8a1b4 libc.so.6`poll
";
        let tasks = read(text, "3", Some(3)).unwrap();
        let frames = &tasks[0].frames;
        let names: Vec<&str> = frames.iter().map(|frame| frame.function.as_str()).collect();
        assert_eq!(names, ["main", "solve", "norm", "__GI___clock_nanosleep"]);
        assert_eq!((frames[1].line, frames[1].column), (Some(13), Some(5)));
        assert!(frames[2].inlined && frames[1].values.is_empty());
        assert_eq!(tasks[0].threads.len(), 1);
        assert_eq!(read("frame\n", "3", None).unwrap_err().line, 1);
    }
}
