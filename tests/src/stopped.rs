//! Programs that stop themselves at a chosen moment, for a `hindmost` that looks at them from outside.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// The `hindmost` that was built beside the tests.
pub fn hindmost() -> PathBuf {
    if let Some(path) = std::env::var_os("HINDMOST_BIN") {
        return path.into();
    }
    let this = std::env::current_exe().unwrap();
    let found = this
        .ancestors()
        .skip(1)
        .take(2)
        .map(|dir| dir.join("hindmost"))
        .find(|path| path.is_file());
    found.expect("no 'hindmost' beside the tests: run 'cargo build -p cli', or set HINDMOST_BIN")
}

/// Whether the tools are here; without one, CI fails and others are told.
pub fn has_tools(tools: &[&str]) -> bool {
    let works = |tool: &&&str| {
        !Command::new(tool)
            .arg("--version")
            .output()
            .is_ok_and(|o| o.status.success())
    };
    let missing: Vec<_> = tools.iter().filter(works).collect();
    if missing.is_empty() {
        return true;
    }
    assert!(std::env::var_os("CI").is_none(), "missing: {missing:?}");
    eprintln!("SKIPPED: {missing:?} not installed; `cargo xtask setup` does that");
    false
}

/// What lldb needs as PYTHONPATH: Debian's looks for its own module in a directory that is not there.
pub fn python_of_lldb() -> PathBuf {
    let found = PathBuf::from("/usr/lib/llvm-14/lib/python3.11/dist-packages");
    if found.is_dir() { found } else { PathBuf::new() }
}

/// Runs a command that must succeed.
pub fn succeed(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// A process that stays where it stopped, until this value goes away.
pub struct Stopped(Child);

impl Stopped {
    /// Starts `program` with these arguments and waits until it says that it stays.
    pub fn new(program: &Path, arguments: &[u32]) -> Self {
        let mut child = Command::new(program)
            .args(arguments.iter().map(u32::to_string))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let out = child.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        let stopped = Self(child);
        assert_eq!(line, "staying\n", "{} {arguments:?} ended", program.display());
        stopped
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        // It may be gone already; then there is nothing to end.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What `find` says of two stopped processes.
pub struct Answer {
    /// Its JSON.
    pub json: serde_json::Value,
    /// The one that is proven to be behind the other.
    pub named: Option<u32>,
}

/// Asks `find` for two processes, by a map of their program. `dir` is where it may keep files.
///
/// # Panics
/// If `find` fails.
pub fn find(dir: &Path, map: &Path, (a, b): (&Stopped, &Stopped)) -> Answer {
    let output = Command::new(hindmost())
        .args(["find", "--format", "json", "--map"])
        .arg(map)
        .args([a.id().to_string(), b.id().to_string()])
        .env("XDG_CACHE_HOME", dir)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 1 | 3)), "find: {code:?}\n{text}{errors}");
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let named = match json["hindmost"][0]["tasks"].as_array().map(Vec::as_slice) {
        Some([one]) if code == Some(0) => Some(one.as_str().unwrap().parse().unwrap()),
        _ => None,
    };
    Answer { json, named }
}
