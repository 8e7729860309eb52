//! Programs compiled at test time, and processes that never outlive their test.

use progress_map::Map;
use runtime_probe::{Options, take, tasks_of};
use snapshot::Task;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A compiled program in a directory of its own.
pub struct Program {
    pub path: PathBuf,
    pub source: PathBuf,
}

/// Compiles C source; panics with the compiler's words.
pub fn compile(compiler: &str, source: &str, flags: &str) -> Program {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{number}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let program = Program {
        path: directory.join("program"),
        source: directory.join("program.c"),
    };
    fs::write(&program.source, source).unwrap();
    let output = Command::new(compiler)
        .args(flags.split_whitespace())
        .arg(&program.source)
        .arg("-o")
        .arg(&program.path)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    program
}

impl Program {
    /// Starts it and waits for the line `ready`.
    pub fn start(&self, arguments: &[&str]) -> Target {
        let mut command = Command::new(&self.path);
        command.args(arguments);
        Target::start(&mut command)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if let Some(directory) = self.path.parent() {
            let _ = fs::remove_dir_all(directory);
        }
    }
}

/// A running process, in a process group of its own which is killed at the end.
pub struct Target {
    pub child: Child,
    output: BufReader<ChildStdout>,
}

impl Target {
    pub fn start(command: &mut Command) -> Target {
        let mut child = command
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut target = Target { child, output };
        assert_eq!(target.line(), "ready", "{command:?}");
        target
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Waits for its end and returns what it still had to say; panics unless it ended well.
    pub fn finish(mut self) -> String {
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}");
        rest.trim_end().to_owned()
    }

    pub fn signal(&self, name: &str) {
        send(name, &self.pid().to_string());
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        send("KILL", &format!("-{}", self.pid()));
        let _ = self.child.wait();
    }
}

/// Sends a signal to a process or, with a leading minus, to a process group.
pub fn send(name: &str, to: &str) {
    let _ = Command::new("kill")
        .args(["-s", name, "--", to])
        .stderr(Stdio::null())
        .status();
}

/// The state letter of a process.
pub fn state(pid: u32) -> char {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit_once(") ").unwrap().1.chars().next().unwrap()
}

/// A field of `/proc/PID/status`.
pub fn status(pid: u32, field: &str) -> String {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = text.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_once(':').unwrap().1.trim().to_owned()
}

/// Waits until something holds; panics after ten seconds.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "never: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A snapshot of one process.
pub fn snap(map: &Map, pid: u32) -> Task {
    snap_with(map, pid, Options::default())
}

pub fn snap_with(map: &Map, pid: u32, options: Options) -> Task {
    let (_, mut tasks) = take(map, &tasks_of(&[pid]), options);
    assert_eq!(tasks.len(), 1);
    tasks.remove(0)
}

/// Snapshots until the process stands in `function` itself, which it soon will: a line that was printed is read
/// before the call that printed it has returned.
pub fn snap_in(map: &Map, pid: u32, function: &str) -> Task {
    let mut task = Task::default();
    until(function, || {
        task = snap(map, pid);
        names(&task).first() == Some(&function)
    });
    task
}

/// The function names, innermost first.
pub fn names(task: &Task) -> Vec<&str> {
    task.frames
        .iter()
        .rev()
        .map(|frame| frame.function.as_str())
        .collect()
}

/// Whether there is no complaint: a map that knows nothing is none.
pub fn complete(task: &Task) -> bool {
    task.error.is_none()
}
