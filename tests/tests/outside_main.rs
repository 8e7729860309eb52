//! Code outside of `main` and stacks that do not begin with it: constructors, what runs at exit, fibers. Each function there runs more than once, so that two
//! tasks in one of them have no order by their lines.
//!
//! `outside.cc` counts its calls of `stand` and stays in one of them: the numbers tell which of two processes is behind.

use std::process::Command;
use tests::oracle::judge::Directory;
use tests::stopped::{Stopped, has_tools, hindmost, succeed};

/// The calls of `stand`, by where they are.
const CONSTRUCTORS: std::ops::Range<u32> = 1..5;
const IN_MAIN: [u32; 4] = [5, 8, 9, 12];
const IN_FIBERS: [u32; 4] = [6, 7, 10, 11];
const AT_EXIT: std::ops::Range<u32> = 13..21;

/// Whether the order of two calls must be found: who is in another part of the program's run, or in another place of `main`.
fn is_known(a: u32, b: u32) -> bool {
    let part = |call: u32| {
        let parts = [
            CONSTRUCTORS.contains(&call),
            IN_MAIN.contains(&call),
            AT_EXIT.contains(&call),
        ];
        parts.iter().position(|&is_in| is_in)
    };
    match (part(a), part(b)) {
        (Some(a), Some(b)) if a == b => a == 1,
        (Some(_), Some(_)) => true,
        (None, _) | (_, None) => false,
    }
}

fn build(compiler: &str, level: &str) {
    if !has_tools(&[compiler]) {
        return;
    }
    let dir = Directory::of_seed(None, 0).unwrap();
    let run =
        |command: &mut Command| succeed(command.current_dir(&dir.path).env("XDG_CACHE_HOME", &dir.path));
    std::fs::write(
        dir.path.join("outside.cc"),
        include_str!("outside_main/outside.cc"),
    )
    .unwrap();
    run(Command::new(compiler).args(["-g", level, "outside.cc", "-o", "outside"]));
    run(Command::new(hindmost()).args(["map", "-o", "outside.hmap", "--exe", "outside"]));

    let calls = CONSTRUCTORS.chain(IN_MAIN).chain(IN_FIBERS).chain(AT_EXIT);
    let stopped = Vec::from_iter(calls.map(|call| (Stopped::new(&dir.path.join("outside"), &[call]), call)));
    let pids = stopped.iter().map(|(process, _)| process.id().to_string());
    let save = ["find", "--map", "outside.hmap", "--save", "stacks.jsonl"];
    let found = Command::new(hindmost())
        .args(save)
        .args(pids)
        .current_dir(&dir.path)
        .env("XDG_CACHE_HOME", &dir.path)
        .output()
        .unwrap();
    assert!(matches!(found.status.code(), Some(0 | 1 | 3)), "{found:?}");

    let mut asked = Vec::new();
    for (at, (a, of_a)) in stopped.iter().enumerate() {
        asked.extend(
            stopped[at + 1..]
                .iter()
                .map(|(b, of_b)| ((a.id(), *of_a), (b.id(), *of_b))),
        );
    }
    let lines = asked.iter().map(|((a, _), (b, _))| format!("{a} {b}\n"));
    std::fs::write(dir.path.join("pairs"), lines.collect::<String>()).unwrap();
    let order = [
        "order",
        "--stacks",
        "stacks.jsonl",
        "--map",
        "outside.hmap",
        "--pairs",
        "pairs",
    ];
    let output = run(Command::new(hindmost()).args(order));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), asked.len(), "{text}");
    for (line, ((_, a), (_, b))) in text.lines().zip(asked) {
        let what = format!("{compiler} {level}: calls {a} and {b}: {line}");
        match line.split(' ').nth(2) {
            Some("before") => assert!(a < b, "{what}"),
            Some("after") => assert!(a > b, "{what}"),
            Some("unknown" | "incomparable") => assert!(!is_known(a, b), "{what}"),
            _ => panic!("{what}"),
        }
    }
}

#[test]
fn what_gcc_makes_of_them() {
    build("g++", "-O0");
    build("g++", "-O2");
}

#[test]
fn what_clang_makes_of_them() {
    build("clang++", "-O0");
    build("clang++", "-O2");
}
