//! `hindmost counters`, end to end: two programs whose loops nothing orders are compiled, stopped at different moments, and read
//! by `hindmost find`; then the patch is applied, and the same moments must be ordered but for two pairs.
//!
//! The programs are deterministic, so that of two processes the one that stopped earlier is the hindmost.

use std::path::{Path, PathBuf};
use std::process::Command;
use tests::oracle::judge::Directory;
use tests::stopped::{Stopped, has_tools, hindmost, succeed};

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

/// Stays undecided by the source with counters, too, though machine code may tell: the loops of `stay` are told apart by the calls of `may_go_on` between them, and gcc may leave out
/// calls of a function that only computes.
const UNDECIDED: (&str, &str, [Pair; 2]) = ("jobs.c", "gcc", [(7, 9), (14, 15)]);

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

/// Whether the first of two moments is found to be the hindmost; `None` when it is undecided.
fn first_is_hindmost(dir: &Path, program: &Path, (early, late): Pair) -> Option<bool> {
    // Later first, so that being the first process means nothing.
    let (b, a) = (Stopped::new(program, &[late]), Stopped::new(program, &[early]));
    let mut find = Command::new(hindmost());
    let output = find
        .args([
            "find",
            "--format",
            "json",
            &b.id().to_string(),
            &a.id().to_string(),
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
    Some(named.unwrap() == a.id().to_string())
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
        let mut undecided = 0;
        for compiler in ["gcc", "clang"] {
            let program = compile(&dir.path, compiler, file);
            before.push(succeed(&mut Command::new(&program)).stdout);
            for pair in pairs {
                // A register may happen to count.
                let found = first_is_hindmost(&dir.path, &program, pair);
                assert_ne!(found, Some(false), "{file}, {compiler}, {pair:?}");
                undecided += usize::from(found.is_none());
            }
        }

        assert!(undecided > 0, "{file}: all is decided without a counter");
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
                let stays = (file, compiler) == (UNDECIDED.0, UNDECIDED.1) && UNDECIDED.2.contains(&pair);
                if stays {
                    assert_ne!(found, Some(false), "{file}, {compiler}, {pair:?}")
                } else {
                    assert_eq!(found, Some(true), "{file}, {compiler}, {pair:?}")
                }
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
