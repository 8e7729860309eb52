//! Counters in memory: a compiler that knows everybody who knows an object may leave its memory behind.
//!
//! `hidden.c` stops itself at a chosen visit of `step`, of which each iteration has two. Where that is the visit tells, without any map.

use rayon::prelude::*;
use std::path::Path;
use std::process::Command;
use tests::oracle::judge::Directory;
use tests::stopped::{Answer, Stopped, find, has_tools, hindmost, succeed};

/// One of the program's cases.
struct Case {
    number: u32,
    counter: &'static str,
    /// In how many builds the counter is read at all moments: somebody outside knows the object. A build may have lost where that is.
    read: usize,
}

const fn case(number: u32, counter: &'static str, read: usize) -> Case {
    Case {
        number,
        counter,
        read,
    }
}

const CASES: [Case; 17] = [
    case(0, "s->i", 0),
    case(1, "s->i", 0),
    case(2, "s.i", 0),
    case(3, "s->i", 8),
    case(4, "s.i", 8),
    case(5, "s->i", 8),
    case(6, "s->i", 0),
    case(7, "s->i", 6),
    case(8, "s->i", 0),
    case(9, "s->i", 8),
    case(10, "s->i", 0),
    case(11, "s->i", 0),
    case(12, "s.i", 8),
    case(13, "s->i", 0),
    case(14, "s->i", 0),
    case(15, "s->i", 6),
    case(16, "s->i", 0),
];

const LEVELS: [&str; 4] = ["-O1", "-O2", "-O3", "-Os"];

/// Which visits the moments are: at both calls, in the first, second and last iteration.
const VISITS: [u32; 3] = [2, 3, 79];

/// What `find` says of two processes: who is named, and for how many of them it has the value of `counter`.
fn ask(dir: &Path, map: &Path, pair: (&Stopped, &Stopped), counter: &str) -> (Option<u32>, usize) {
    let Answer { json, named } = find(dir, map, pair);
    let frames = json["classes"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|class| class["frames"].as_array().unwrap());
    let read = frames.filter(|frame| !frame["values"][counter].is_null()).count();
    (named, read)
}

/// The cases whose counter was read at all moments.
fn check(compiler: &str, level: &str) -> Vec<u32> {
    let mut read_always = Vec::new();
    let dir = Directory::of_seed(None, 0).unwrap();
    std::fs::write(dir.path.join("hidden.c"), include_str!("hidden/hidden.c")).unwrap();
    std::fs::write(dir.path.join("outside.c"), include_str!("hidden/outside.c")).unwrap();
    let compile = |arguments: &[&str]| {
        let mut command = Command::new(compiler);
        succeed(command.arg("-std=gnu11").args(arguments).current_dir(&dir.path));
    };
    compile(&["-c", "outside.c"]);
    compile(&[
        "-g",
        "-Wall",
        "-Werror",
        level,
        "hidden.c",
        "outside.o",
        "-o",
        "hidden",
    ]);
    let (program, map) = (dir.path.join("hidden"), dir.path.join("hidden.hmap"));
    let bind = ["map", "-q", "--exe", "hidden", "-o", "hidden.hmap", "--no-cache"];
    succeed(Command::new(hindmost()).args(bind).current_dir(&dir.path));
    for case in CASES {
        let stopped = VISITS.map(|visit| (visit, Stopped::new(&program, &[case.number, 0, visit])));
        let mut unread = 0;
        for (first, (visit_a, a)) in stopped.iter().enumerate() {
            for (visit_b, b) in &stopped[first + 1..] {
                let what = format!(
                    "{compiler} {level}, case {}: {visit_a} and {visit_b}",
                    case.number
                );
                let (named, read) = ask(&dir.path, &map, (a, b), case.counter);
                unread += usize::from(read < 2);
                // The visits are in order.
                assert!(
                    named.is_none_or(|named| named == a.id()),
                    "{what}: the later one is named"
                );
            }
        }
        if unread == 0 {
            read_always.push(case.number);
        }
    }
    read_always
}

#[test]
fn memory_that_only_the_compiler_knows_is_not_believed() {
    let compilers = ["gcc", "clang"]
        .into_iter()
        .filter(|compiler| has_tools(&[compiler]));
    let builds = Vec::from_iter(compilers.flat_map(|compiler| LEVELS.map(|level| (compiler, level))));
    let read = builds
        .par_iter()
        .flat_map(|&(compiler, level)| check(compiler, level));
    let read = read.collect::<Vec<_>>();
    for case in CASES {
        let count = read.iter().filter(|&&number| number == case.number).count();
        let lost = 2 * LEVELS.len() - case.read;
        assert!(
            count + lost >= builds.len(),
            "case {} was read in {count} builds",
            case.number
        );
    }
}
