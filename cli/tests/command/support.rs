//! A directory per test, and the command in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A directory of its own for one test.
pub struct Sandbox {
    pub root: PathBuf,
}

/// What a run of the command left behind.
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Sandbox {
    pub fn new(name: &str) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("command").join(name);
        // What an earlier run left must not be found.
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(&root).unwrap();
        Self { root }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Writes a file, with the directories above it.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hindmost"));
        command
            .args(arguments)
            .current_dir(&self.root)
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env_remove("DEBUGINFOD_URLS")
            .env_remove("NO_COLOR");
        command
    }

    /// Runs the command to its end.
    pub fn run(&self, arguments: &[&str]) -> Run {
        let output = self.command(arguments).output().unwrap();
        let run = Run {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        };
        assert!(!run.err.contains("panicked"), "{}", run.err);
        run
    }

    /// Runs the command, which must succeed.
    #[track_caller]
    pub fn ok(&self, arguments: &[&str]) -> String {
        let run = self.run(arguments);
        assert_eq!(run.code, Some(0), "{arguments:?}: {}{}", run.out, run.err);
        run.out
    }

    /// Runs the command, which must fail with a message on one line (and a hint on another); returns it.
    #[track_caller]
    pub fn refused(&self, arguments: &[&str]) -> String {
        let run = self.run(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}{}", run.out, run.err);
        let errors = run
            .err
            .lines()
            .filter(|line| line.starts_with("hindmost: error: "));
        assert_eq!(errors.count(), 1, "{}", run.err);
        run.err
            .replace(self.root.to_str().unwrap(), "DIR")
            .lines()
            .map(|line| format!("{line}\n"))
            .collect()
    }

    /// Compiles a C file of the sandbox, and returns the program's name.
    pub fn compile(&self, source: &str, program: &str, flags: &[&str]) {
        self.compile_by("cc", source, program, flags);
    }

    /// The same by another compiler.
    pub fn compile_by(&self, compiler: &str, source: &str, program: &str, flags: &[&str]) {
        let status = Command::new(compiler)
            .args(flags)
            .args(["-o", program])
            .arg(self.path(source))
            .current_dir(&self.root)
            .status()
            .unwrap();
        assert!(status.success(), "{compiler} {source}");
    }

    /// Starts a program of the sandbox that says a line when it is where it is to be looked at.
    pub fn start(&self, program: &str, arguments: &[&str]) -> Target {
        Target::started(
            Command::new(self.path(program))
                .args(arguments)
                .stdin(Stdio::null()),
        )
    }
}

/// A running process, killed when the test is over.
pub struct Target(Child);

impl Target {
    /// Starts what says a byte when it is where it is to be looked at.
    pub fn started(command: &mut Command) -> Self {
        use std::io::Read as _;
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut ready = [0];
        child.stdout.as_mut().unwrap().read_exact(&mut ready).unwrap();
        Target(child)
    }

    pub fn pid(&self) -> String {
        self.0.id().to_string()
    }

    pub fn is_running(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Whether a program is there. Under CI it must be.
///
/// # Panics
/// When it is missing under CI.
pub fn installed(program: &str) -> bool {
    let asked = Command::new(program).arg("--version").output();
    let found = asked.is_ok_and(|output| output.status.success());
    assert!(
        found || std::env::var_os("CI").is_none(),
        "no {program}: `cargo xtask setup` installs it"
    );
    if !found {
        eprintln!("SKIPPED: {program} is not installed");
    }
    found
}
