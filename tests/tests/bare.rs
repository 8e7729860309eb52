//! Programs of which nothing but the code is there: stripped, without debug info, map or source. Who is behind is told by the order of the
//! instructions, or nobody is.

use std::path::Path;
use std::process::Command;
use tests::oracle::judge::Directory;
use tests::stopped::{Stopped, has_tools, hindmost, succeed};

/// Parts that an iteration works on.
const PARTS: u32 = 3;

/// Never fails.
const NEVER: u32 = 99;

/// Where a task is: the iteration and the place in it, or none of one. Calls on the way out of the loop have no order to the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Truth {
    Begin,
    Loop(u32, u32),
    Out,
    Finish,
}

/// Where the program is in its `call`-th call, if it fails in iteration `fails`.
fn truth(fails: u32, call: u32) -> Truth {
    let Some(after) = call.checked_sub(2) else {
        return Truth::Begin;
    };
    let (iteration, place) = (after / (PARTS + 1), after % (PARTS + 1));
    match iteration.min(4) {
        _ if iteration == fails && place == PARTS => Truth::Out,
        _ if iteration > fails => Truth::Finish,
        4 => Truth::Finish,
        _ => Truth::Loop(iteration, place),
    }
}

/// Moments: the iteration in which it fails, and the call.
const MOMENTS: [(u32, u32); 9] = [
    (NEVER, 1),
    (NEVER, 2),
    (NEVER, 4),
    (NEVER, 5),
    (NEVER, 7),
    (NEVER, 9),
    (NEVER, 18),
    (0, 5),
    (1, 10),
];

/// Which of two processes is named; `None` if none is.
fn named(dir: &Path, (a, b): (&Stopped, &Stopped)) -> Option<u32> {
    let output = Command::new(hindmost())
        .args(["find", "--format", "json"])
        .args([a.id().to_string(), b.id().to_string()])
        .env("XDG_CACHE_HOME", dir)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let status = output.status.code();
    assert!(
        matches!(status, Some(0 | 1 | 3)),
        "find: {status:?}\n{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let answer: serde_json::Value = serde_json::from_str(&text).unwrap();
    let tasks = answer["hindmost"][0]["tasks"].as_array()?;
    let [one] = &tasks[..] else { return None };
    Some(one.as_str().unwrap().parse().unwrap())
}

/// A build, and how many of its pairs must be decided.
fn build(compiler: &str, level: &str, decided: usize) {
    if !has_tools(&[compiler]) {
        return;
    }
    let dir = Directory::of_seed(None, 0).unwrap();
    std::fs::write(dir.path.join("bare.c"), include_str!("bare/bare.c")).unwrap();
    let arguments = ["-std=gnu11", level, "-s", "bare.c", "-o", "bare"];
    succeed(Command::new(compiler).args(arguments).current_dir(&dir.path));
    // Nobody may find the source.
    std::fs::remove_file(dir.path.join("bare.c")).unwrap();
    let program = dir.path.join("bare");
    let stopped = Vec::from_iter(MOMENTS.map(|(fails, call)| {
        let process = Stopped::new(&program, &[fails, call]);
        (process, truth(fails, call))
    }));
    let mut right = 0;
    for (first, (a, truth_a)) in stopped.iter().enumerate() {
        for (b, truth_b) in &stopped[first + 1..] {
            let what = format!("{compiler} {level}: {truth_a:?} and {truth_b:?}");
            let Some(named) = named(&dir.path, (a, b)) else {
                continue;
            };
            let earlier = if truth_a < truth_b { a } else { b };
            // Who is on the way out has an order to what comes before and after the loop, not to what is in it.
            let leaves = |one: Truth, other: Truth| one == Truth::Out && matches!(other, Truth::Loop(..));
            assert!(
                !leaves(*truth_a, *truth_b) && !leaves(*truth_b, *truth_a),
                "{what}"
            );
            assert_ne!(truth_a, truth_b, "{what}");
            assert_eq!(named, earlier.id(), "{what}");
            right += 1;
        }
    }
    assert!(right >= decided, "{compiler} {level}: {right} pairs decided");
    eprintln!("{compiler} {level}: {right} pairs decided");
}

#[test]
fn the_code_of_gcc_alone_is_never_wrong() {
    build("gcc", "-O0", 1);
    build("gcc", "-O1", 1);
    build("gcc", "-O2", 1);
    build("gcc", "-O3", 1);
    build("gcc", "-Os", 1);
}

#[test]
fn the_code_of_clang_alone_is_never_wrong() {
    build("clang", "-O0", 1);
    build("clang", "-O1", 1);
    build("clang", "-O2", 1);
    build("clang", "-O3", 1);
}
