//! `hindmost counters`, end to end: two programs whose loops nothing orders are compiled, stopped at different moments, and read
//! by `hindmost find`; then the patch is applied, and the same moments must be ordered.
//!
//! The programs are deterministic, so that of two processes the one that stopped earlier is the hindmost.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use tests::oracle::judge::Directory;

/// Two moments, as the visits after which a process stops there.
type Pair = (u32, u32);

const PROGRAMS: [(&str, &str, [Pair; 4]); 2] = [
    (
        "jobs.c",
        include_str!("counters/jobs.c"),
        [(1, 3), (7, 9), (14, 15), (17, 18)],
    ),
    (
        "grid.c",
        include_str!("counters/grid.c"),
        [(1, 3), (9, 10), (14, 21), (2, 8)],
    ),
];

/// The `hindmost` that was built beside the tests.
fn hindmost() -> PathBuf {
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
fn has_tools(tools: &[&str]) -> bool {
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

fn succeed(command: &mut Command) -> Output {
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

fn compile(dir: &Path, compiler: &str, file: &str) -> PathBuf {
    let out = dir.join(format!("{file}.{compiler}"));
    succeed(
        Command::new(compiler)
            .args([
                "-std=gnu11",
                "-g",
                "-O2",
                "-Wall",
                "-Werror",
                "-Wno-implicit-fallthrough",
                file,
                "-o",
            ])
            .arg(&out)
            .current_dir(dir),
    );
    out
}

/// A process that stays where it stopped, until this value goes away.
struct Stopped(Child);

impl Stopped {
    fn new(program: &Path, visits: u32) -> Self {
        let mut child = Command::new(program)
            .arg(visits.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let out = child.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        let stopped = Self(child);
        assert_eq!(line, "staying\n", "{} {visits} ended", program.display());
        stopped
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        // It may be gone already; then there is nothing to end.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Whether the first of two moments is found to be the hindmost; `None` when it is undecided.
fn first_is_hindmost(dir: &Path, program: &Path, (early, late): Pair) -> Option<bool> {
    // Later first, so that being the first process means nothing.
    let (b, a) = (Stopped::new(program, late), Stopped::new(program, early));
    let mut find = Command::new(hindmost());
    let output = find
        .args([
            "find",
            "--format",
            "json",
            &b.0.id().to_string(),
            &a.0.id().to_string(),
        ])
        .env("XDG_CACHE_HOME", dir)
        .current_dir(dir)
        .output()
        .unwrap();
    let answer = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.status.code() {
        Some(1) => return None,
        Some(0) => {}
        code => panic!(
            "find: {code:?}\n{answer}{}",
            String::from_utf8_lossy(&output.stderr)
        ),
    }
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    let named = answer["hindmost"][0]["tasks"][0].as_str().map(str::to_owned);
    Some(named.unwrap() == a.0.id().to_string())
}

#[test]
fn undecided_pairs_become_decided() {
    if !has_tools(&["gcc", "clang", "patch", "git"]) {
        return;
    }
    for (file, text, pairs) in PROGRAMS {
        let dir = Directory::of_seed(None, 0).unwrap();
        std::fs::write(dir.path.join(file), text).unwrap();
        let mut before = Vec::new();
        for compiler in ["gcc", "clang"] {
            let program = compile(&dir.path, compiler, file);
            before.push(succeed(&mut Command::new(&program)).stdout);
            for pair in pairs {
                let found = first_is_hindmost(&dir.path, &program, pair);
                assert_eq!(
                    found, None,
                    "{file}, {compiler}, {pair:?}: decided without a counter"
                );
            }
        }

        let patch = succeed(
            Command::new(hindmost())
                .args(["counters", file])
                .current_dir(&dir.path),
        )
        .stdout;
        std::fs::write(dir.path.join("counters.patch"), &patch).unwrap();
        succeed(
            Command::new("git")
                .args(["apply", "--check", "counters.patch"])
                .current_dir(&dir.path),
        );
        let applied = succeed(
            Command::new("patch")
                .args(["-p1", "-i", "counters.patch"])
                .current_dir(&dir.path),
        );
        let said = String::from_utf8_lossy(&applied.stdout).into_owned();
        assert!(!said.contains("fuzz") && !said.contains("offset"), "{said}");
        let again = succeed(
            Command::new(hindmost())
                .args(["counters", file])
                .current_dir(&dir.path),
        );
        assert_eq!(
            String::from_utf8_lossy(&again.stdout),
            "",
            "{file}: not idempotent"
        );

        for (compiler, before) in ["gcc", "clang"].into_iter().zip(before) {
            let program = compile(&dir.path, compiler, file);
            assert_eq!(
                succeed(&mut Command::new(&program)).stdout,
                before,
                "{file} does something else"
            );
            for pair in pairs {
                let found = first_is_hindmost(&dir.path, &program, pair);
                assert_eq!(found, Some(true), "{file}, {compiler}, {pair:?}");
            }
        }
    }
}

/// Only the loops asked for, and files by way of a map.
#[test]
fn loops_by_line_and_files_by_map() {
    let (file, text, _) = PROGRAMS[0];
    let dir = Directory::of_seed(None, 0).unwrap();
    std::fs::write(dir.path.join(file), text).unwrap();
    let run = |args: &[&str]| {
        let output = succeed(Command::new(hindmost()).args(args).current_dir(&dir.path));
        String::from_utf8(output.stdout).unwrap()
    };
    let line = 1 + text
        .lines()
        .position(|line| line.contains("stay(ring);"))
        .unwrap();
    let place = format!("{file}:{line}");
    let one = run(&["counters", &place]);
    assert_eq!(one.matches("volatile").count(), 1, "{one}");
    run(&["map", file, "-o", "app.hmap"]);
    assert_eq!(run(&["counters", "--map", "app.hmap", &place]), one);
    assert_eq!(run(&["counters", "--map", "app.hmap"]), run(&["counters", file]));
    std::fs::write(dir.path.join(file), format!("{text}\n")).unwrap();
    let changed = Command::new(hindmost())
        .args(["counters", "--map", "app.hmap"])
        .current_dir(&dir.path)
        .output()
        .unwrap();
    assert_eq!(changed.status.code(), Some(2));
}
