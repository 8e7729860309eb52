//! `py-spy dump --json`: a list of threads, each with its frames, innermost first.

use crate::{Error, MAX_FRAMES, python};
use serde::Deserialize;
use snapshot::{Frame, Frames, Task, Thread};

#[derive(Deserialize)]
struct Dumped {
    #[serde(default)]
    pid: Option<u32>,
    #[serde(default)]
    thread_id: u64,
    #[serde(default)]
    os_thread_id: Option<u64>,
    #[serde(default)]
    thread_name: Option<String>,
    #[serde(default)]
    frames: Vec<DumpedFrame>,
}

#[derive(Deserialize)]
struct DumpedFrame {
    name: String,
    #[serde(default)]
    filename: Option<String>,
    #[serde(default)]
    short_filename: Option<String>,
    #[serde(default)]
    module: Option<String>,
    #[serde(default)]
    line: i64,
}

pub(crate) fn read(text: &str, task: &str, rank: Option<u32>) -> Result<Vec<Task>, Error> {
    let dumped: Vec<Dumped> = serde_json::from_str(text).map_err(|error| {
        Error::new(error.line().max(1), format!("no dump of py-spy: {error}"))
            .hint("`py-spy dump --json --pid PID` prints one")
    })?;
    if dumped.is_empty() {
        return Err(Error::new(1, "no thread in it"));
    }
    if dumped.iter().any(|thread| thread.frames.len() > MAX_FRAMES) {
        return Err(Error::new(1, format!("a stack of more than {MAX_FRAMES} frames")));
    }
    let pid = dumped[0].pid;
    // The main thread's id is the process's; Python calls it so, too.
    let main = dumped
        .iter()
        .position(|thread| thread.os_thread_id.is_some() && thread.os_thread_id == pid.map(u64::from))
        .or_else(|| {
            dumped
                .iter()
                .position(|thread| thread.thread_name.as_deref() == Some("MainThread"))
        })
        .unwrap_or(0);
    let mut frames = Frames::default();
    let mut threads = Vec::new();
    for (at, thread) in dumped.into_iter().enumerate() {
        let of_thread: Frames = thread.frames.into_iter().rev().map(frame).collect();
        if at == main {
            frames = of_thread;
        } else {
            let id = thread.os_thread_id.unwrap_or(thread.thread_id);
            threads.push(Thread {
                thread: u32::try_from(id).unwrap_or(u32::MAX),
                name: thread.thread_name.unwrap_or_default(),
                frames: of_thread,
                ..Thread::default()
            });
        }
    }
    Ok(vec![Task {
        task: task.to_owned(),
        rank,
        pid,
        frames,
        threads,
        ..Task::default()
    }])
}

fn frame(dumped: DumpedFrame) -> Frame {
    let line = u32::try_from(dumped.line).ok().filter(|&line| line > 0);
    let file = dumped.filename.or(dumped.short_filename);
    match dumped.module {
        // Without debug info the object stands in the place of the file as well.
        Some(module) => Frame {
            file: file.filter(|file| *file != module),
            line,
            module: Some(module),
            ..python::of_machine_code(&dumped.name)
        },
        None => Frame {
            function: dumped.name,
            file,
            line,
            ..Frame::default()
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_thread_is_the_task() {
        let text = r#"[
            {"pid": 7, "thread_id": 1, "thread_name": "Thread-1", "os_thread_id": 8, "frames": [{"name": "run", "filename": "t.py", "line": 3}]},
            {"pid": 7, "thread_id": 2, "thread_name": "MainThread", "os_thread_id": 7,
             "frames": [{"name": "wait", "filename": "/a/t.py", "line": 9, "locals": null}, {"name": "<module>", "line": 0}]}]"#;
        let tasks = read(text, "rank 3", Some(3)).unwrap();
        let names: Vec<&str> = tasks[0]
            .frames
            .iter()
            .map(|frame| frame.function.as_str())
            .collect();
        assert_eq!(names, ["<module>", "wait"]);
        assert_eq!(
            (tasks[0].pid, tasks[0].frames[1].line, tasks[0].frames[0].line),
            (Some(7), Some(9), None)
        );
        assert_eq!(tasks[0].threads[0].thread, 8);
        let native = r#"[{"pid": 7, "frames": [
            {"name": "0x7f65", "filename": "/lib/libffi.so.8", "module": "/lib/libffi.so.8", "short_filename": "libffi.so.8", "line": 0},
            {"name": "grid<int>::relax(int)", "filename": "/a/grid.cpp", "module": "/a/libgrid.so", "line": 7}]}]"#;
        let frames = &read(native, "x", None).unwrap()[0].frames;
        assert_eq!((&*frames[0].function, frames[0].line), ("relax", Some(7)));
        assert_eq!((&*frames[1].function, &frames[1].file), ("??", &None));
        assert!(read("[]", "x", None).is_err());
        assert_eq!(read("[\n{\"pid\": \"x\"}]", "x", None).unwrap_err().line, 2);
    }
}
